"""Stories about `std.effects`, in the language; and a switch that shows its new value after the touch."""

import datetime as dt
from pathlib import Path

import pytest

from tests.oracle import engine_of
from tests.screen.control.making import node, screen, text
from vsalang.guard import Guard, Settings, run_example
from vsalang.language.semantics import load, load_text
from vsalang.program.action import Action
from vsalang.screen.screen import TreeScreen

STORIES = sorted((Path(__file__).parent / "stories").glob("*.vsa"))
SPEC = """
spec silence "Switch the sound off."
import std.effects
allow SetSetting(name = "Sound", value = "off").
done when SetSetting earlier.
"""


@pytest.mark.parametrize("path", STORIES, ids=lambda path: path.stem)
@pytest.mark.parametrize("engine", ["incremental", "reference"])
def test_stories(path: Path, engine: str) -> None:
    loaded = load(path)
    assert loaded.program is not None, [d.message for d in loaded.diagnostics]
    assert loaded.own
    for example in loaded.own:
        result = run_example(loaded.program, example, engine=engine_of(engine))
        assert result.passed, (example.name, result.failure)


def _sound(on: bool) -> TreeScreen:
    switch = node(
        "Switch",
        at=(0, 400, 900, 500),
        clickable="true",
        checkable="true",
        checked=str(on).lower(),
        text="Sound",
    )
    return TreeScreen(
        screen(node("FrameLayout", text("Settings", 20), switch, at=(0, 0, 1000, 2000))),
        app=("com.app", None),
        settled=True,
    )


def test_a_switch_that_shows_its_new_value_was_not_another_one() -> None:
    """The look afterwards shows the other value: that is what the touch has turned, not another parameter."""
    program = load_text(SPEC).program
    assert program is not None
    guard = Guard(program, clock=lambda: dt.datetime(2026, 4, 1, 12), settings=Settings(overrides=None))
    guard.observe(_sound(True))
    verdict = guard.propose(Action("tap", {"x": 450, "y": 450}))
    assert verdict.allowed, verdict.reasons
    assert [str(action) for action in verdict.actions] == [
        'std.effects.SetSetting(name = "Sound", value = "off", app = "com.app")'
    ]
    guard.commit(verdict)
    guard.observe(_sound(False))
    assert guard.propose(Action("finish")).allowed
