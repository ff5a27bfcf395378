"""Runs gold tests with a spec: which pass, strictly or by the level of verdicts, and where it objects to a run."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Final
from typing import Literal as OneOf

from vsalang.base.diagnostics.display import safe
from vsalang.base.records import dataclass
from vsalang.guard.examples import ExampleResult, StepResult, Story, run_example
from vsalang.guard.say.verdict import Reason
from vsalang.program.example import LEVELS, PROPOSALS, Example, ExpectedVerdict, Level, Turn
from vsalang.program.ir import Program
from vsalang.program.show import short_name

Counting = OneOf["turns", "proposals", "statements"]
"""Which steps of a run are counted: each turn, only those that propose something, or all that is written."""

_RANK: Final = {"allow": 0, "warn": 1, "confirm": 1, "block": 2}
"""The level of a verdict: the agent goes on, somebody is asked or told first, nothing happens."""


@dataclass(frozen=True, slots=True)
class GoldOutcome:
    """The outcome of a gold test with a spec.

    Attributes:
        level: every verdict has the level that the test expects; warn and confirm are one level.
        strict: the test passes as it is written, reasons included.
        why: the first difference; empty if `strict`.
    """

    name: str
    level: bool
    strict: bool
    why: str = ""


@dataclass(frozen=True, slots=True)
class Objection:
    """The first step of a run that a spec does not let pass.

    Attributes:
        step: its number, from 1.
        why: the verdict and its reasons.
        judged: False if the step could not be judged: what it is about is not part of the program.
    """

    step: int
    why: str
    judged: bool = True


def gold_outcome(program: Program, example: Example) -> GoldOutcome:
    """Run a gold test with a spec's program."""
    example = replace(example, target=program.main)
    strict = run_example(program, example)
    if strict.passed:
        return GoldOutcome(example.name, True, True)
    loose = run_example(program, replace(example, turns=tuple(map(_loose, example.turns))))
    return GoldOutcome(example.name, loose.passed, False, _why(strict if loose.passed else loose))


def no_outcome(example: Example, why: str) -> GoldOutcome:
    """The outcome of a gold test for an instruction without a spec."""
    return GoldOutcome(example.name, False, False, why)


def steps_by(run: Example, counting: Counting) -> list[int]:
    """The steps of a run that a counting counts, in order, each with its number among the turns.

    A statement that is not a turn, such as ``clock``, has the number of the turn before it.
    """
    found: list[int] = []
    number = 0
    for turn in run.turns:
        number += turn.kind == "turn"
        proposes = any(part.kind in PROPOSALS for part in turn.parts)
        if counting == "statements" or (turn.kind == "turn" and (counting == "turns" or proposes)):
            found.append(number)
    return found


def objection(program: Program, run: Example) -> Objection | None:
    """The first step of a run that is judged more strictly than the run expects; None if all pass."""
    number = 0
    asked = False
    try:
        story = Story.begin(program, replace(run, target=program.main))
        for turn in run.turns:
            number += turn.kind == "turn"
            if turn.kind == "approve" and not asked:
                continue  # what was to be asked about was allowed
            step = story.step(replace(turn, expected=ExpectedVerdict(LEVELS)))
            level = step.got or "allow"
            asked = level == "confirm"
            if _RANK[level] > max(_RANK[each] for each in turn.expected.levels):
                return Objection(number, _decision_text(level, step.reasons))
    except Exception as error:  # whatever a spec makes of a step: it did not let it pass
        return Objection(max(number, 1), f"{type(error).__name__}: {safe(str(error), 300)}", judged=False)
    return None


def _loose(turn: Turn) -> Turn:
    """The step with the levels of its expectation only, without reasons."""
    wanted = {_RANK[level] for level in turn.expected.levels}
    levels: tuple[Level, ...] = tuple(level for level in LEVELS if _RANK[level] in wanted)
    return replace(turn, expected=replace(turn.expected, levels=levels, because=()))


def _why(result: ExampleResult) -> str:
    step = result.failure
    assert step is not None
    number = sum(each.turn.kind == "turn" for each in result.steps)
    return f"step {number}{_proposed(step)}: {safe(step.problem, 300)}{_reasons(step.reasons)}"


def _proposed(step: StepResult) -> str:
    """What a step is about, in short."""
    names = [short_name(part.fact.relation) for part in step.turn.parts[:1]]
    return f" ({step.turn.parts[0].kind} {names[0]})" if names else ""


def _decision_text(level: str, reasons: Iterable[Reason]) -> str:
    return f"{level}{_reasons(reasons)}"


def _reasons(reasons: Iterable[Reason]) -> str:
    said = [f"{reason.kind}: {safe(reason.message, 200)}" for reason in reasons]
    return f" ({'; '.join(said[:3])})" if said else ""
