"""Kept answers are rows that somebody tells: they may say what a touch is, and never permit."""

from pathlib import Path

import pytest

from tests.screen.control.making import node, page
from vsalang.guard import Guard, Settings
from vsalang.guard.say.verdict import Proposal
from vsalang.guard.world.fact_screen import FactScreen
from vsalang.language.semantics import load, load_text
from vsalang.program.action import Action
from vsalang.program.screen import Cells, Screen
from vsalang.screen.screen import TreeScreen

EVERY = """app every any "Every app"
import std.answers
action Remove(what: Text "what goes") "Remove something"
recognize Remove(what = ?w) when tap(node = ?n), Answered(node = ?n, means = "acts", argument = ?w).
"""
SPEC = 'spec task "Look"\nimport every\nallow answer(text = "x").\ndone when answer earlier.\n'
TAP = Action("tap", {"x": 150, "y": 150})


class Told:
    """Says what it is told to of the first control."""

    def __init__(self, **cells: str | bool) -> None:
        self.cells = cells

    def rows(self, screen: Screen, proposal: Proposal) -> dict[str, tuple[Cells, ...]]:
        taker = next(row["node"] for row in screen.rows("Node") if row.get("clickable"))
        return {"Answered": ({"node": taker, **self.cells},)}

    def committed(self, screen: Screen | None, proposal: Proposal) -> None:
        """Does nothing."""

    def observed(self, screen: Screen | None) -> None:
        """Does nothing."""

    def failed(self, why: str) -> dict[str, tuple[Cells, ...]]:
        return {"Answered": ()}


class Broken(Told):
    def rows(self, screen: Screen, proposal: Proposal) -> dict[str, tuple[Cells, ...]]:
        raise OSError("the disk is gone")


def guard(folder: Path, *told: Told) -> Guard:
    (folder / "every.vsa").write_text(EVERY, encoding="utf-8")
    (folder / "task.vsa").write_text(SPEC, encoding="utf-8")
    made = Guard(load(folder / "task.vsa").checked(), settings=Settings(unknown_screen="allow"))
    for each in told:
        made.consult(each)
    tree = page(node("Button", at=(100, 100, 300, 300), clickable="true", text="OK"))
    made.observe(TreeScreen(tree, app=("com.app", None), settled=True))
    return made


def test_an_answer_says_what_a_touch_is(tmp_path: Path) -> None:
    assert guard(tmp_path).propose(TAP).level == "allow"
    told = Told(means="acts", argument="Milk", accepted=False)
    verdict = guard(tmp_path, told).propose(TAP)
    assert verdict.level == "block" and [str(each) for each in verdict.actions] == [
        'every.Remove(what = "Milk")'
    ]


def test_what_cannot_be_told_is_not_an_answer(tmp_path: Path) -> None:
    made = guard(tmp_path, Broken())
    assert made.propose(TAP).level == "allow"
    assert made.rows("Answered") == []


def test_several_are_asked(tmp_path: Path) -> None:
    made = guard(tmp_path, Broken(), Told(means="acts", argument="Milk", accepted=True))
    assert made.propose(TAP).level == "block"


def test_the_screen_stays_the_same() -> None:
    shown = FactScreen({"Node": ({"node": 1, "text": "OK"},)})
    told = shown.with_rows({"Answered": ({"node": 1, "means": "acts"},)})
    assert told.fingerprint == shown.fingerprint


@pytest.mark.parametrize(
    "rule",
    [
        'allow answer(text = "y") when Answered(accepted = true).',
        'done when Answered(means = "leads on").',
    ],
)
def test_what_permits_does_not_read_it(rule: str) -> None:
    text = f'spec s "S"\nimport std.answers\n{rule}\nallow answer(text = "x").\ndone when answer earlier.\n'
    loaded = load_text(text)
    assert "E0509" in {each.code for each in loaded.diagnostics}
