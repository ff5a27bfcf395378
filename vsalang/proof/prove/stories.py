"""Stories that a guard runs: how they end, shorter ones, and their names."""

import datetime as dt
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace

from vsalang.base.records import dataclass
from vsalang.guard.examples import StepResult, run_example
from vsalang.program.example import Example, ExpectedVerdict, Level, Turn, near
from vsalang.program.ir import Program, Relation
from vsalang.program.phrases import say
from vsalang.program.show import value_source
from vsalang.program.text import printable
from vsalang.proof.solver.results import Row


@dataclass(frozen=True, slots=True)
class ActionCall:
    """What is proposed: an action or gesture with its parameters."""

    relation: str
    row: Row = ()
    kind: str = "attempt"


@dataclass(frozen=True, slots=True)
class Ending:
    """How a story ended: its last step; None where an earlier step came out otherwise than it says."""

    last: StepResult | None

    @property
    def passed(self) -> bool:
        """Whether the last step was reached, and came out as it says."""
        return self.last is not None and self.last.passed

    @property
    def level(self) -> str:
        """The verdict on the last step; empty if it was not reached."""
        return self.last.got if self.last is not None else ""


def run(program: Program, example: Example, **options: object) -> Ending:
    """Run a story against a guard, as `vsac test` does."""
    result = run_example(program, replace(example, target=program.main), **options)  # type: ignore[arg-type]
    reached = len(result.steps) == len(example.turns) and all(s.passed for s in result.steps[:-1])
    return Ending(result.steps[-1] if reached else None)


def expecting(example: Example, level: str, because: Iterable[str] = ()) -> Example:
    """The story with another expectation of its last step."""
    last = replace(example.turns[-1], expected=ExpectedVerdict((level,), tuple(because)))  # type: ignore[arg-type]
    return replace(example, turns=(*example.turns[:-1], last))


def shrunk(story: Example, tells: Callable[[Example], bool]) -> Example:
    """The story without the steps and facts that it does not need to tell what it tells."""
    for index in range(len(story.turns) - 2, -1, -1):
        turn = story.turns[index]
        for smaller in _smaller(turn):
            turns = [*story.turns[:index], *smaller, *story.turns[index + 1 :]]
            shorter = replace(story, turns=tuple(turns))
            if tells(shorter):
                story = shorter
                break
    return story


def _smaller(turn: Turn) -> Iterable[tuple[Turn, ...]]:
    """The ways to leave something of a step out: all of it, or one part."""
    yield ()
    if len(turn.parts) > 1:
        for index in range(len(turn.parts)):
            yield (replace(turn, parts=turn.parts[:index] + turn.parts[index + 1 :]),)


def proposal(rel: Relation, row: Row, today: dt.date) -> str:
    """What is proposed, in words that a name of a test can have: ``Reserve with restaurant R, time 19:00``."""
    cells = []
    for attr, cell in zip(rel.attrs, row, strict=True):
        if cell is not None:
            text = printable(cell) if isinstance(cell, str) else value_source(near(cell, today), attr.type)
            cells.append(f"{attr.name} {text if text else 'empty'}")
    return f"{rel.short} with {', '.join(cells)}" if cells else rel.short


def apart(stories: Iterable[Example]) -> list[Example]:
    """The stories with a number behind a name that another has too."""
    examples: list[Example] = []
    taken: Counter[str] = Counter()
    for story in stories:
        taken[story.name] += 1
        number = taken[story.name]
        examples.append(story if number == 1 else replace(story, name=f"{story.name} ({number})"))
    return examples


def named(story: Example, about: str) -> Example:
    """The story under a name that says what is proposed and its verdict."""
    (level,) = story.turns[-1].expected.levels
    return replace(story, name=decided_words(about, level))


def decided_words(about: str, level: Level) -> str:
    """A proposal and its verdict: ``Reserve is blocked``, ``the task is not finished``; `about` may be ``finish``."""
    if about != "finish":
        return f"{about} is {say(f'verdict.{level}')}"
    if level in ("allow", "block"):
        return f"the task is {'not ' if level == 'block' else ''}finished"
    return f"finishing the task is {say(f'verdict.{level}')}"


def key_of(rel: Relation, row: Row) -> Row:
    """What tells a row from others of its relation."""
    if rel.sort == "observed":
        return row
    return tuple(row[rel.column(name)] for name in rel.identity)


def texts_in(row: Row) -> set[str]:
    """The texts in the cells of a row."""
    texts: set[str] = set()
    for cell in row:
        if isinstance(cell, str):
            texts.add(cell)
        elif isinstance(cell, frozenset):
            texts |= set(cell)
    return texts
