"""What is suggested for a target that is not there: only what it may really be."""

import pytest

from vsalang.program.screen import UnresolvedTarget
from vsalang.screen.screen import TreeScreen
from vsalang.screen.tree import load_dump

XML = (
    "<hierarchy rotation='0'><node package='a.b' class='android.widget.FrameLayout' bounds='[0,0][100,900]'>"
    "{}</node></hierarchy>"
)


def hint(there: str, name: str, value: str) -> str:
    attribute = {"id": "resource-id", "text": "text", "desc": "content-desc"}[name]
    shown = f"a.b:id/{there}" if name == "id" else there
    node = (
        f"<node package='a.b' class='android.widget.Button' {attribute}='{shown}' bounds='[0,0][100,100]'/>"
    )
    with pytest.raises(UnresolvedTarget) as raised:
        TreeScreen(load_dump(XML.format(node))).target("tap", {name: value})
    return str(raised.value).partition("; did you mean ")[2]


@pytest.mark.parametrize(
    ("there", "name", "value", "near"),
    [
        ("12:00", "text", "18:30", False),
        ("18:00", "text", "18:30", True),  # one character
        ("118:30", "text", "18:30", True),
        ("Table 12", "text", "Table 30", False),
        ("Table 12", "text", "Tabel 12", True),
        ("up_button", "id", "confirm_button", False),
        ("cancel_button", "id", "confirm_button", False),
        ("confirm_button", "id", "confirm_buton", True),
        ("Reset all", "text", "Reset", False),
        ("Settings", "desc", "Setings", True),
        ("Cancel", "text", "Reset", False),
    ],
)
def test_only_what_it_may_be(there: str, name: str, value: str, near: bool) -> None:
    assert hint(there, name, value) == (f'{name} = "{there}"?' if near else "")
