"""What a form says as a whole."""

from tests.screen.control.making import node
from tests.screen.forms.shapes import MIDDLE, button, said, window
from vsalang.screen.forms import rows_of
from vsalang.screen.tree import Tree

SEND = button("Report", (500, 1900, 700, 2000))


def form(tree: Tree) -> list[str]:
    return [row["text"] for row in rows_of("Form", tree)]


def box(text: str, row: int, checked: str) -> str:
    at = (40, 700 + 100 * row, 1000, 760 + 100 * row)
    return node("CheckBox", at=at, text=text, clickable="true", checkable="true", checked=checked)


def typed(at: tuple[int, int, int, int], **attrs: str) -> str:
    return node("EditText", at=at, clickable="true", focusable="true", editable="true", **attrs)


def test_texts_and_what_is_ticked_and_typed() -> None:
    lines = [
        said("Swimmer: Oscar", (40, 500, 1000, 560)),
        box("Saturday 9 May", 0, "true"),
        box("Saturday 16 May", 1, "false"),
        typed((40, 1000, 1000, 1090), text="He has a cold", content_desc="Why?", hint="Why?"),
        typed((40, 1100, 1000, 1190), text="More", hint="More"),
        typed((40, 1200, 1000, 1290), text="4471", password="true"),
    ]
    unread = typed((40, 1300, 1000, 1390), text="8850", password="false").replace('password="false"', "")
    assert form(window(*lines, unread, SEND)) == []
    assert form(window(*lines, SEND)) == ["Swimmer: Oscar, Saturday 9 May, He has a cold"]


def test_a_dialog_says_what_it_asks() -> None:
    texts = said("Send the request?", (80, 900, 1000, 960)), said("Ann 42", (80, 1000, 1000, 1060))
    buttons = button("Cancel", (500, 1300, 700, 1400)), button("Send", (720, 1300, 920, 1400))
    assert form(window(*texts, *buttons, at=MIDDLE)) == ["Send the request?, Ann 42"]


def test_what_is_not_chosen_is_not_said() -> None:
    row = node(
        "LinearLayout", said("Monday 16 May", (40, 600, 900, 660)), at=(40, 600, 1000, 660), clickable="true"
    )
    chosen = node(
        "LinearLayout",
        said("Monday 9 May", (40, 700, 900, 760)),
        at=(40, 700, 1000, 760),
        clickable="true",
        selected="true",
    )
    title = said("Report absence", (40, 300, 1000, 360))
    ill = box("Ill", 7, "true")
    assert form(window(title, row, chosen, ill, SEND)) == ["Report absence, Monday 9 May, Ill"]
    nameless = node(
        "RadioButton", at=(40, 800, 100, 860), clickable="true", checkable="true", checked="false"
    )
    assert form(window(title, nameless, said("Monday 23 May", (120, 800, 900, 860)), ill, SEND)) == []


def test_of_more_than_can_be_told_nothing_is() -> None:
    """A part of it could say less than is sent."""
    for texts in (["a" * 301], [f"{number} {'a' * 250}" for number in range(9)]):
        lines = [said(text, (40, 300 + 90 * row, 1000, 380 + 90 * row)) for row, text in enumerate(texts)]
        assert form(window(*lines, box("Yes", 7, "true"), SEND)) == []
