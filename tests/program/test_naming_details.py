"""A role that a program tells before a name, and what a text tells behind the name of somebody."""

import pytest

from vsalang.program.naming import DETAIL, called, names


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("driver: Tomás", "Tomás Gil"),
        ("driver of bus 14: Hoda Karim", "Hoda Karim"),
        ("弟弟: 刘洋", "刘洋"),
        ("弟弟：刘洋", "刘洋"),
        ("ابنة عمي: رهف الشامي", "رهف الشامي"),
        ("двоюродная сестра: Анна Белова", "Анна Белова"),
    ],
)
def test_a_told_role_is_not_asked_of_a_text(name: str, text: str) -> None:
    assert names(text, name) is True
    assert not called(name).is_role


@pytest.mark.parametrize("text", ["Tomasa Gil", "Bob", "Driver", "Tomás, Bob", "Tomás Mama", "T. Gil"])
def test_a_told_role_names_nobody_else(text: str) -> None:
    assert names(text, "driver: Tomás Gil") is not True


@pytest.mark.parametrize(
    "name",
    [
        "10:30",
        "https://shop.example",
        "Tomás:",
        ": Tomás",
        "Season 2: Finale",
        "Family: Ann",
        "Project x: 12",
        "Re: Ann",
    ],
)
def test_a_colon_alone_tells_no_role(name: str) -> None:
    assert called(name).text == name


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Franco Zeni ‖ +39 0461 555 0138", "0461 555 0138"),
        ("+39 0461 555 0138 ‖ Franco Zeni", "Franco Zeni"),
        ("ann@example.com ‖ Ann Lee ‖ Sales", "Ann Lee"),
        ("Hoda Karim ‖ Mom", "Mom"),
        ("Dr Ilse Maas ‖ Ward 3", "Dr Ilse Maas"),
        ("Franco Zeni ‖ Driver", "driver: Franco Zeni"),
    ],
)
def test_a_detail_tells_a_role_or_a_number(text: str, name: str) -> None:
    national = names(text.replace("+39 ", ""), name)
    assert national is True


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Bob ‖ a friend of Ann", "Ann"),
        ("Bob ‖ Ann", "Ann"),
        ("Bob Mills ‖ Ann Lee", "Ann Lee"),
        ("‖ Ann", "Ann"),
        ("+39 0461 555 0138 ‖ Ann, Bob", "Ann"),
        ("Hoda Karim ‖ Mom of Lena", "Mom"),
        ("Hoda Karim ‖ Dad ‖ Mom", "Mom"),
        ("Eve ‖ reports to ann@example.com", "ann@example.com"),
        ("0461 555 0138 ‖ a friend of Ann", "Ann"),
        ("Mom: Bob", "brother: Bob"),
        ("Franco Zeni ‖ 0461 555 01389", "0461 555 0138"),
    ],
)
def test_a_detail_names_nobody_in_place_of_a_name(text: str, name: str) -> None:
    assert names(text, name) is not True


@pytest.mark.parametrize(
    "text", ["Zed ‖ Bob Ray", "‖ Bob Ray", "Bob Ray ‖ Zed", "0461 555 0138 ‖ Bob Ray, Zed"]
)
def test_a_mark_hides_nobody(text: str) -> None:
    """Words of a screen may have the mark: a rule that refuses somebody speaks still."""
    assert names(text, "Bob Ray") is not False


def test_a_text_of_marks_alone_names_nobody() -> None:
    assert names(f"{DETAIL} {DETAIL}", "Ann") is not True
