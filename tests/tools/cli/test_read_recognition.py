"""``vsac screen read``: why a screen is, or is not, recognised; dumps without a package; the clock; order of rows."""

import json
from pathlib import Path

import pytest

from tests.tools.cli.test_read import read, vsac

APP = """app shop package "com.shop" "A shop"
screen Offers when Node(id = "offers").
screen Cart when Node(id = "cart"), Node(id = "title", text = "Cart").
screen Rows when Node(id = "rows").
list Offer "What is offered" { name: Text }
list Seat key (name) { name: Text  price: Number }
state Line key (name) { name: Text }
state Hour key (name) { name: Text }
view Total on Cart { amount: Number, day: Date }
define Named(name = ?n) when Node(id = "hour", text = ?n).
update Offer(row = ?r, name = ?t) when Node(id = "row", node = ?r), Node(parent = ?r, id = "name", text = ?t).
update Seat(row = ?r, name = ?t) when Node(id = "seat", node = ?r, text = ?t).
update Line(name = ?t) when Node(id = "line", text = ?t).
update Hour(name = ?t) when Named(name = ?t).
update Total(day = date(?t)) when Node(id = "total", text = ?t).
"""


def node(id: str, text: str = "", *, top: int = 0, package: str = "com.shop", inside: str = "") -> str:
    own = f'package="{package}" ' if package else ""
    name = f"{package or 'com.shop'}:id/{id}"
    return (
        f'<node {own}class="a.View" resource-id="{name}" text="{text}" content-desc="" enabled="true" '
        f'clickable="false" scrollable="false" bounds="[0,{top}][500,{top + 90}]">{inside}</node>'
    )


def dump(*nodes: str, package: str = "com.shop") -> str:
    own = f'package="{package}" ' if package else ""
    return (
        f'<hierarchy><node {own}class="a.View" bounds="[0,0][500,2000]">{"".join(nodes)}</node></hierarchy>'
    )


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "shop.vsa").write_text(APP)
    (tmp_path / "offers.xml").write_text(dump(node("offers")))
    (tmp_path / "cart.xml").write_text(dump(node("title", "Basket"), node("card", top=100)))
    (tmp_path / "bare.xml").write_text(dump(node("offers", package=""), package=""))
    (tmp_path / "other.xml").write_text(dump(node("offers", package="org.other"), package="org.other"))
    return tmp_path


# ---------------------------------------------------------------- why no screen


@pytest.mark.parametrize("name", ["cart", "bare", "other"])
def test_no_screen_and_the_nearest_rule(name: str, golden) -> None:
    golden(vsac("screen", "read", "shop.vsa", f"{name}.xml").output, f"cli/read-no-screen-{name}.txt")


def test_the_same_facts_as_data() -> None:
    (found,) = read("shop.vsa", "cart.xml")
    known = found["unrecognised"]
    assert (known["packages"], known["module_packages"]) == (["com.shop"], ["com.shop"])
    assert known["ids"] == ["title", "card"]
    assert known["others"] == ["Offers", "Rows"]
    assert (known["nearest"]["relation"], known["nearest"]["shows"]) == ("Cart", False)
    (rule,) = known["nearest"]["rules"]
    assert [item["state"] for item in rule["conditions"]] == ["unmet", "unmet"]
    assert [item["found"] for item in rule["conditions"]] == [
        'there is none on the screen; there is id = "card"',
        'text is "Basket", wanted = "Cart"',
    ]
    assert rule["place"]["line"] == 3


def test_of_a_recognised_screen_nothing_is_missing() -> None:
    (found,) = read("shop.vsa", "offers.xml")
    assert (found["screen"], found["unrecognised"]) == ("Offers", None)


def test_of_two_rules_the_nearer_one(folder: Path) -> None:
    (folder / "shop.vsa").write_text(
        'app shop package "com.shop" "A shop"\n'
        'screen Cart when Node(id = "one"), Node(id = "two").\n'
        'screen Cart when Node(id = "title", text = "Basket"), Node(id = "three").\n'
    )
    assert read("shop.vsa", "cart.xml")[0]["unrecognised"]["nearest"]["rules"][0]["place"]["line"] == 3
    (why,) = read("shop.vsa", "cart.xml", "--why", "Cart")[0]["why"]
    assert [rule["place"]["line"] for rule in why["rules"]] == [3, 2]


def test_a_module_without_screens(folder: Path) -> None:
    (folder / "shop.vsa").write_text('app shop package "com.shop" "A shop"\nstate Seen { title: Text }\n')
    assert "the module names no screens" in vsac("screen", "read", "shop.vsa", "cart.xml").output
    assert read("shop.vsa", "cart.xml")[0]["unrecognised"]["nearest"] is None


def test_screens_of_the_app_that_shows(folder: Path) -> None:
    (folder / "bank.vsa").write_text(
        'app bank package "org.other" "A bank"\nscreen Home when Node(id = "home").\n'
    )
    (folder / "both.vsa").write_text('spec both "Both"\nimport shop\nimport bank\ndone when true = false.\n')
    known = read("both.vsa", "other.xml")[0]["unrecognised"]
    assert (known["nearest"]["relation"], known["others"]) == ("Home", [])
    assert known["module_packages"] == ["org.other"]


# ---------------------------------------------------------------- --why SCREEN


def test_why_a_screen_shows_and_another_does_not(golden) -> None:
    asked = ["--why", "Offers", "--why", "Cart"]
    golden(vsac("screen", "read", "shop.vsa", "offers.xml", *asked).output, "cli/read-why-screen.txt")
    shows, hidden = read("shop.vsa", "offers.xml", *asked)[0]["why"]
    assert (shows["relation"], shows["shows"], shows["rules"][0]["holds"]) == ("Offers", True, True)
    assert (hidden["relation"], hidden["shows"], hidden["rules"][0]["holds"]) == ("Cart", False, False)


def test_why_a_screen_that_another_hides(folder: Path) -> None:
    (folder / "two.xml").write_text(dump(node("offers"), node("rows", top=100)))
    text = vsac("screen", "read", "shop.vsa", "two.xml", "--why", "Offers").output
    assert "match at once" in text
    assert "why screen Offers is not recognised" in text
    assert "no other screen matching" in text


def test_a_screen_has_no_attributes() -> None:
    assert (
        "it has no attributes"
        in vsac("screen", "read", "shop.vsa", "cart.xml", "--why", "Cart.x", status=2).output
    )
    assert "did you mean" in vsac("screen", "read", "shop.vsa", "cart.xml", "--why", "Cort", status=2).output


# ---------------------------------------------------------------- --app


def test_app_names_the_package_of_a_dump() -> None:
    assert read("shop.vsa", "bare.xml")[0]["unrecognised"]["packages"] == []
    assert read("shop.vsa", "bare.xml", "--app", "com.shop")[0]["screen"] == "Offers"


def test_app_keeps_what_nodes_say_themselves(folder: Path) -> None:
    (folder / "mixed.xml").write_text(
        dump(node("offers", package="org.other"), node("rows", package=""), package="")
    )
    assert read("shop.vsa", "mixed.xml", "--app", "com.shop")[0]["screen"] == "Rows"


def test_app_against_what_a_dump_says_is_refused() -> None:
    text = vsac("screen", "read", "shop.vsa", "other.xml", "--app", "com.shop", status=2).output
    assert "other.xml says itself that it is of `org.other`, not of com.shop" in text
    assert read("shop.vsa", "offers.xml", "--app", "com.shop")[0]["screen"] == "Offers"


# ---------------------------------------------------------------- --clock


@pytest.mark.parametrize(
    ("clock", "day"),
    [
        ([], "2026-01-20"),
        (["2025-02-03T10:00"], "2025-01-20"),
        (["2027-12-28"], "2028-01-20"),
        (["2026-01-01 08:00"], "2026-01-20"),
    ],
)
def test_clock_dates_a_day_without_a_year(clock: list[str], day: str, folder: Path) -> None:
    cart = dump(node("title", "Cart"), node("cart", top=100), node("total", "20 January", top=200))
    (folder / "cart.xml").write_text(cart)
    asked = ["--clock", *clock] if clock else []
    assert read("shop.vsa", "cart.xml", *asked)[0]["rows"]["Total"] == [{"day": day}]


def test_clock_is_a_date_and_time() -> None:
    vsac("screen", "read", "shop.vsa", "cart.xml", "--clock", "tomorrow", status=2)


def test_expectations_keep_app_and_clock(folder: Path) -> None:
    cart = "".join(
        node(*what, package="") for what in (("title", "Cart"), ("cart", ""), ("total", "20 January"))
    )
    (folder / "cart.xml").write_text(dump(cart, package=""))
    told = ["--app", "com.shop", "--clock", "2025-02-03T10:00"]
    vsac("screen", "read", "shop.vsa", "cart.xml", *told, "--expect", "shop.json")
    data = json.loads((folder / "shop.json").read_text())
    assert (data["app"], data["clock"], data["screens"][0]["screen"]) == (
        "com.shop",
        "2025-02-03T10:00",
        "Cart",
    )
    assert "1 screen read as expected" in vsac("screen", "read", "--check", "shop.json").output
    vsac("screen", "read", "--check", "shop.json", "--update")
    assert json.loads((folder / "shop.json").read_text()) == data
    vsac("screen", "read", "--check", "shop.json", "--app", "com.shop", status=2)
    vsac("screen", "read", "--check", "shop.json", "--clock", "2025-02-03", status=2)


@pytest.mark.parametrize(("key", "value"), [("app", 1), ("clock", "soon"), ("clock", 7)])
def test_wrong_app_or_clock_of_expectations(key: str, value: object, folder: Path) -> None:
    wanted = {"version": 1, "module": "shop.vsa", "screens": [{"dump": "cart.xml"}], key: value}
    (folder / "shop.json").write_text(json.dumps(wanted))
    assert f"`{key}` is not" in vsac("screen", "read", "--check", "shop.json", status=2).output


# ---------------------------------------------------------------- order


@pytest.mark.parametrize(("relation", "id"), [("Seat", "seat"), ("Line", "line"), ("Hour", "hour")])
def test_rows_without_position_in_screen_order(relation: str, id: str, folder: Path) -> None:
    names = ["Tea", "Bun", "Zoo", "Cod", "Ale", "Gin", "Dip", "Fig", "Nut", "Oat", "Ham"]
    (folder / "rows.xml").write_text(
        dump(node("rows"), *(node(id, text, top=100 * n) for n, text in enumerate(names, 1)))
    )
    rows = read("shop.vsa", "rows.xml")[0]["rows"][relation]
    assert [row["name"] for row in rows] == names
    assert not any("at" in row for row in rows)


def test_list_rows_without_key_in_screen_order(folder: Path) -> None:
    names = ["Tea", "Bun", "Zoo", "Cod", "Tea", "Gin", "Dip", "Fig", "Nut", "Oat", "Ham"]
    rows = [
        node("row", top=100 * n, inside=node("name", text, top=100 * n)) for n, text in enumerate(names, 1)
    ]
    (folder / "rows.xml").write_text(dump(node("rows"), *rows))
    assert [row["name"] for row in read("shop.vsa", "rows.xml")[0]["rows"]["Offer"]] == names


# ---------------------------------------------------------------- real screens


def test_real_screens_of_other_apps(shared_data: Path) -> None:
    dumps = sorted((shared_data / "ui_dumps").glob("*.xml.gz"))[::40]
    for found in read("apps.settings", *map(str, dumps)):
        known = found["unrecognised"]
        assert found["screen"] is None
        assert known["module_packages"] == ["org.example.settings"]
        assert "org.example.settings" not in known["packages"]
        assert known["nearest"]["rules"][0]["conditions"]


def test_a_real_screen_without_its_package(shared_data: Path, folder: Path) -> None:
    import gzip
    import re

    data = gzip.decompress((shared_data / "ui_dumps/149_com.example.trusttest.xml.gz").read_bytes()).decode()
    (folder / "bare.xml").write_text(re.sub(r' package="[^"]*"', "", data))
    assert "does not say of which app" in vsac("screen", "read", "apps.trusttest", "bare.xml").output
    (found,) = read("apps.trusttest", "bare.xml", "--app", "com.example.trusttest")
    assert (found["screen"], found["rows"]["Conversion"][0]["value"]) == ("Converter", "2938.04")
