"""The steps of judging in the code are those of the page, in the same order."""

import itertools
import re
from pathlib import Path
from typing import Any

import pytest

from tests.guard.breakable import RESERVE, Session, broken, held_to
from vsalang.guard.judge import judging_steps
from vsalang.guard.judge.judging_rules import ask_rules
from vsalang.guard.judge.judging_steps import STEPS
from vsalang.guard.judge.licensing import ask_licences
from vsalang.guard.judge.several_names import ForEachName, NameStep
from vsalang.guard.machine import Machine
from vsalang.guard.verdicts import verdict_of

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "guard.md"


def taken() -> list[Any]:
    """All steps in their order, those of the session first and last."""
    inner = [step.steps if isinstance(step, ForEachName) else (step,) for step in STEPS]
    return [Machine._judge, *itertools.chain(*inner), verdict_of]


def title(step: Any) -> str:
    """What the docstring of a step begins with, such as "P1 Resolve"."""
    return str(step.__doc__).partition(":")[0]


def rows() -> list[tuple[str, str]]:
    """Of each row of the page's table that begins with the number of a step the first and the last cell."""
    lines = [line.strip().strip("|") for line in PAGE.read_text().splitlines() if line.startswith("|")]
    cells = [re.sub(r"<[^>]*>|\*", "", line).split("|") for line in lines]
    return [(row[0].strip(), row[-1]) for row in cells if re.match(r"\s*P\d+\b", row[0])]


def test_code_and_page_agree() -> None:
    assert [title(step) for step in taken()] == [name for name, _ in rows()]
    for step, (name, code) in zip(taken(), rows(), strict=True):
        assert f"`{step.__module__}.{step.__qualname__}`" in code, name


def test_steps_are_numbered_in_order() -> None:
    numbers = [int(re.match(r"P(\d+)", name)[1]) for name in map(title, taken())]  # type: ignore[index]
    assert sorted(set(numbers)) == list(range(len(set(numbers)))) and numbers == sorted(numbers)


def _replaced(place: int, step: judging_steps.Step) -> tuple[judging_steps.Step, ...]:
    return (*STEPS[:place], step, *STEPS[place + 1 :])


def _broken(place: int, within: int | None) -> tuple[judging_steps.Step, ...]:
    step = STEPS[place]
    if within is None:
        return _replaced(place, broken)
    assert isinstance(step, ForEachName)
    return _replaced(place, ForEachName((*step.steps[:within], broken, *step.steps[within + 1 :])))


PLACES = [
    (place, within)
    for place, step in enumerate(STEPS)
    for within in (range(len(step.steps)) if isinstance(step, ForEachName) else (None,))
]


@pytest.mark.parametrize(("place", "within"), PLACES)
def test_each_step_that_fails_is_a_block(
    made: Session, monkeypatch: pytest.MonkeyPatch, place: int, within: int | None
) -> None:
    monkeypatch.setattr(judging_steps, "STEPS", _broken(place, within))
    held_to(made.guard, made.guard.propose(RESERVE))
    monkeypatch.undo()
    made.ends_well()


@pytest.mark.parametrize("place", range(len(STEPS)))
def test_a_step_that_is_left_out_allows_nothing(
    made: Session, monkeypatch: pytest.MonkeyPatch, place: int
) -> None:
    """Whatever is missing of the whole order: no answer is not an allow."""
    monkeypatch.setattr(judging_steps, "STEPS", (*STEPS[:place], *STEPS[place + 1 :]))
    held_to(made.guard, made.guard.propose(RESERVE))
    monkeypatch.undo()
    made.ends_well()


@pytest.mark.parametrize("left_out", [ask_rules, ask_licences])
def test_rules_and_licences_must_be_asked(
    made: Session, monkeypatch: pytest.MonkeyPatch, left_out: NameStep
) -> None:
    """Nothing speaks against what nobody asked about: that is not an allow."""
    (place,) = [number for number, step in enumerate(STEPS) if isinstance(step, ForEachName)]
    each = STEPS[place]
    assert isinstance(each, ForEachName) and left_out in each.steps
    rest = ForEachName(tuple(step for step in each.steps if step is not left_out))
    monkeypatch.setattr(judging_steps, "STEPS", _replaced(place, rest))
    held_to(made.guard, made.guard.propose(RESERVE))
    monkeypatch.undo()
    made.ends_well()
