"""Judges a walk by a charter: what the guard would have said to each of its steps."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

from benchmarks.effects.answers import RecordedModel, live_answers
from benchmarks.tasks.labels import HERE
from benchmarks.tasks.recordings import Frame, Task, timed
from vsalang.agents.walks import Walk
from vsalang.agents.walks.follow import stages
from vsalang.guard import Settings
from vsalang.language.semantics import load_text
from vsalang.program.example import Level
from vsalang.program.ir import Program
from vsalang.program.text import line

FOLDER: Final = HERE / "charters"
HOLDING: Final = ("block", "confirm")
UNKNOWN: Final = "unknown_touch"
UNLICENSED: Final = "std.policies.unlicensed"
"""Is in force as under ``vsac run --instruction``. What it asks about is held back; what it warns of is not."""


@dataclass(frozen=True, slots=True)
class Said:
    """What the guard said to one action, where it held it back.

    Attributes:
        step: from 0.
        level: ``block`` or ``confirm``.
        kinds: of the reasons of that level or below it that hold it back.
        action: what was proposed.
        messages: of these reasons.
    """

    step: int
    level: str
    kinds: tuple[str, ...]
    action: str
    messages: tuple[str, ...]

    @property
    def only_unknown(self) -> bool:
        """Whether it was held back only because nobody knows what the touched control does."""
        return set(self.kinds) == {UNKNOWN}


def charter_file(task: Task) -> Path:
    """The file of a task's charter."""
    return FOLDER / f"{task.name.replace('-', '_')}.vsa"


def load_charter(task: Task, modules: Sequence[str] = ()) -> Program:
    """The charter of a task as a program, with the policy about what it does not permit.

    Args:
        task: whose charter it is.
        modules: app modules that are in force, too.

    Raises:
        OSError: it cannot be read.
        CheckFailed: it has errors.
    """
    file = charter_file(task)
    text = file.read_text("utf-8")
    header, rest = text.split("\n", 1)
    imports = "".join(f"import {name}\n" for name in modules)
    text = f"{header}\n{imports}{rest}"
    return load_text(text, file=file.name, policies=[UNLICENSED], from_cache=True).checked()


def judged(
    task: Task,
    frames: Sequence[Frame],
    program: Program,
    unknown: Level = "confirm",
    model: RecordedModel | None = None,
) -> tuple[Said, ...]:
    """What is held back of a walk, step by step; it goes on whatever is said.

    No screen of these apps is described, so that a screen alone asks nothing.

    Args:
        task: whose walk it is.
        frames: of the right walk, or of a wrong one.
        program: the charter.
        unknown: what a touch asks for of which nobody knows what it does.
        model: is asked about such controls; each walk is a session of its own. None: nobody is.

    Raises:
        WalkError: a step is not understood.
        GuardFailed: the guard met an internal error.
    """
    walk = Walk(task.app, task.instruction, timed(frames, task.at), task.name, task.name)
    settings = Settings(mode="shadow", unknown_screen="allow", unknown_touch=unknown, lowering=(UNLICENSED,))
    consult = partial(live_answers, model=model) if model is not None else None
    found = []
    for stage in stages(walk, program, settings, package=task.package, consult=consult):
        for turn in stage.turns:
            if turn.verdict.level in HOLDING:
                reasons = [each for each in turn.verdict.reasons if each.level in HOLDING]
                found.append(
                    Said(
                        stage.index,
                        turn.verdict.level,
                        tuple(dict.fromkeys(each.kind for each in reasons)),
                        line(str(turn.action), 120),
                        tuple(dict.fromkeys(line(each.message, 200) for each in reasons)),
                    )
                )
    return tuple(found)
