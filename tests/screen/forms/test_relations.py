"""The relations of `std.forms` are there, and only those that it declares."""

from pathlib import Path

from click.testing import CliRunner

from tests.screen.control.making import node, page
from tests.screen.forms.shapes import MIDDLE, button
from vsalang.guard import Guard, Settings
from vsalang.language.semantics import load_text
from vsalang.program.action import Action
from vsalang.program.vocabulary import NATIVE
from vsalang.screen.forms import RELATIONS
from vsalang.screen.screen import TreeScreen
from vsalang.screen.tree import load_dump
from vsalang.tools.cli.facts import command


def test_a_relation_is_made_for_each_that_is_declared() -> None:
    assert NATIVE["std.forms"].keys() == RELATIONS.keys()
    screen = TreeScreen(page(node("Button", text="Save", clickable="true")))
    assert RELATIONS.keys() <= screen.relations()
    for name, relation in NATIVE["std.forms"].items():
        known = {attr.name for attr in relation.attrs}
        assert all(row.keys() <= known for row in screen.rows(name))


BUTTONS = button("Cancel", (500, 1300, 700, 1400)), button("Delete", (720, 1300, 920, 1400))
DIALOG = f"<hierarchy>{node('FrameLayout', *BUTTONS, at=MIDDLE)}</hierarchy>"


def test_facts_of_a_dump(tmp_path: Path) -> None:
    dump = tmp_path / "screen.xml"
    dump.write_text(DIALOG, encoding="utf-8")
    result = CliRunner().invoke(command, [str(dump), "--relation", "Role"])
    assert result.exit_code == 0, result.output
    assert [line.split() for line in result.output.splitlines()[-2:]] == [
        ["2", '"cancel"'],
        ["3", '"commit"'],
    ]


RULES = """
policy careful "Nothing is deleted without a question"
import std.forms

@id("COMMITS")
confirm "Really?" when tap(node = ?n), Role(node = ?n, kind = "commit"), Closes(node = ?n, kind = "dialog").
"""


def test_a_guard_reads_them() -> None:
    program = load_text(RULES).program
    assert program is not None
    guard = Guard(program, settings=Settings(unknown_screen="allow"))
    guard.observe(TreeScreen(load_dump(DIALOG)))
    assert guard.propose(Action("tap", {"text": "Delete"})).level == "confirm"
    assert guard.propose(Action("tap", {"text": "Cancel"})).level == "allow"
