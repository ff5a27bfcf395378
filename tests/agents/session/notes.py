"""A phone with an app of four screens, made of dumps; a task on it; and an agent that does what it is told."""

import datetime as dt
from collections.abc import Mapping
from pathlib import Path

from tests.agents.maps.making import dump
from vsalang.guard import Guard
from vsalang.guard.recorder import Recorder
from vsalang.language.semantics import Loaded, load
from vsalang.program.action import Action
from vsalang.program.screen import Cells, Screen
from vsalang.screen.screen import TreeScreen
from vsalang.screen.tree import load_dump

NOW = dt.datetime(2026, 4, 1, 12)
APP = """app notes package "a.b" "Notes"
screen Notes when Node(id = "notes").
screen Note when Node(id = "note").
screen Menu over Notes when Node(id = "menu").
screen Trash when Node(id = "trash").
goto Note when screen Notes, tap(id = "row").
goto Menu when screen Notes, tap(label = "More").
goto Trash when screen Menu, tap(label = "Trash").
goto Notes when screen Menu, back.
action Share "Give a note to others"
recognize Share when tap(id = "share").
action Empty "Delete what is in the trash"
recognize Empty when tap(id = "empty").
"""
SPEC = """spec task "Empty the trash of the notes."
import notes
allow Empty.
done when Empty earlier.
"""

NOTES = dump(
    {"id": "notes", "text": "3 notes"},
    {"id": "row", "text": "Milk", "click": ""},
    {"text": "More", "click": ""},
)
NOTE = dump({"id": "note", "text": "Milk"}, {"id": "share", "text": "Share", "click": ""})
MENU = dump({"id": "notes"}, {"id": "menu"}, {"text": "Trash", "click": ""})
TRASH = dump({"id": "trash", "text": "2 notes"}, {"id": "empty", "text": "Empty", "click": ""})
DUMPS: Mapping[str, str] = {"Notes": NOTES, "Note": NOTE, "Menu": MENU, "Trash": TRASH}
MOVES: Mapping[tuple[str, str], str] = {
    ("Notes", "row"): "Note",
    ("Notes", "More"): "Menu",
    ("Menu", "Trash"): "Trash",
    ("Note", "back"): "Notes",
    ("Menu", "back"): "Notes",
    ("Trash", "back"): "Notes",
}
LOOKS = {
    name: TreeScreen(load_dump(text), now=NOW, app=("a.b", "a.b.Main"), settled=True)
    for name, text in DUMPS.items()
}


class NotesPhone:
    """The phone.

    Args:
        moves: where what is tapped (an id or a text), or ``back``, leads from a screen; else it stays.
    """

    def __init__(self, moves: Mapping[tuple[str, str], str] = MOVES) -> None:
        self.here = "Notes"
        self.done: list[str] = []
        self._moves = moves

    def observe(self) -> Screen:
        return LOOKS[self.here]

    def perform(self, action: Action, target: Cells) -> None:
        keys = [str(target.get(name)) for name in ("id", "text", "label")] if target else []
        self.done.append(action.name)
        for key in [*keys, action.name]:
            if (self.here, key) in self._moves:
                self.here = self._moves[self.here, key]
                return


def written(folder: Path) -> Loaded:
    """The task in files of a folder."""
    (folder / "notes.vsa").write_text(APP, encoding="utf-8")
    (folder / "task.vsa").write_text(SPEC, encoding="utf-8")
    loaded = load(folder / "task.vsa")
    assert loaded.program is not None, loaded.diagnostics
    return loaded


def guard(loaded: Loaded, recorder: Recorder | None = None) -> Guard:
    """A guard of the task, whose clock stands still."""
    return Guard(loaded.checked(), today=NOW.date(), clock=lambda: NOW, recorder=recorder)


def tap(what: str) -> Action:
    """A tap on what has this id, or else this text."""
    return Action("tap", {"id" if what.islower() else "text": what})


BACK = Action("back")
