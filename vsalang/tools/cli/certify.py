"""``vsac journal certify JOURNAL``: what each action of a recorded session did, made by the program without a model."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import pairwise
from typing import Any, Final, TypeAlias

import click

from vsalang.agents.walks import WalkError, format_of, read_walks
from vsalang.base.diagnostics.display import count
from vsalang.base.options import argument, flag, option
from vsalang.base.records import dataclass
from vsalang.base.report import Report, Result, Style
from vsalang.guard.journal import JournalError, read_session, recorded_program
from vsalang.guard.journal.replay import earlier_meaning, other_engine
from vsalang.guard.memory import Certificate, certificates, certify_step, did, document
from vsalang.guard.memory import certificate_words as wording
from vsalang.program.action import OFF_SCREEN
from vsalang.tools.cli import frame
from vsalang.tools.cli.common import Failure
from vsalang.tools.cli.dumps import table

_KINDS: Final[Mapping[str, Callable[[Certificate], bool]]] = {
    "no-effect": lambda one: one.effect.transition == "NoChange" and one.action.name not in OFF_SCREEN,
    "effect": lambda one: (
        one.effect.transition in ("PartialChange", "NewPage") and one.action.name not in OFF_SCREEN
    ),
    "unexpected": lambda one: any(each.outcome == "violated" for each in one.contracts),
    "uncertain": lambda one: one.confidence == "low",
    "undelivered": lambda one: one.delivered is not True,
}
_EFFECTS: Final = {
    None: "not seen",
    "NoChange": "no change",
    "PartialChange": "a part",
    "NewPage": "new page",
}
_COLUMNS: Final = ("step", "action", "effect", "expected", "confidence")


@dataclass(frozen=True, slots=True)
class CertifyOptions:
    """Which actions are shown, and how much of each."""

    journal: str = argument("JOURNAL")
    short: bool = flag(
        "--short",
        help="One line each, as an agent's prompt has it.",
        excludes=("--long", "--format json"),
    )
    long: bool = flag("--long", help="All that is known of each, with the proof.", excludes="--format json")
    only: tuple[str, ...] = option(
        "--only", choices=tuple(_KINDS), default=(), help="Only actions that were so; repeatable."
    )


@frame.as_command("text", "json")
def command(options: CertifyOptions) -> Report:
    """Say what each action of a recorded session did: in which state and why it was permitted, what differs since, the
    outcome of its contracts, and how certain that is. No model is asked.

    JOURNAL is the journal of a session, whose proposals are judged again for their proofs, or a recorded walk of any
    format that `vsac record` reads; of a walk nobody judged anything, nor knows whether its screens were at rest.

    Exit status: 0 it was shown, 2 it could not be read.
    """
    chosen = [
        (step, one)
        for step, one in certificates_of(options.journal)
        if not options.only or any(_KINDS[kind](one) for kind in options.only)
    ]
    return Result(partial(_data, options.journal, chosen), partial(_lines, options, chosen))


_Certified: TypeAlias = list[tuple[int, Certificate]]


def _data(journal: str, chosen: _Certified) -> dict[str, Any]:
    return {
        "version": 1,
        "journal": journal,
        "certificates": [{"step": step, **document(one)} for step, one in chosen],
    }


def _lines(options: CertifyOptions, chosen: _Certified, style: Style) -> Iterator[str]:
    if options.short:
        yield from (f"{step:>4}  {wording.short(one)}" for step, one in chosen)
    elif options.long:
        yield from (f"{step}. {wording.long(one)}\n" for step, one in chosen)
    elif not chosen:
        yield "no action of that kind" if options.only else "no action was carried out"
    else:
        rows = [_row(step, one) for step, one in chosen]
        yield table(_COLUMNS, rows, cut={"action", "expected"}, right={"step"}).rstrip("\n")
        yield _summary([one for _, one in chosen])


def certificates_of(path: str) -> Iterator[tuple[int, Certificate]]:
    """The certificates of a journal or a walk, each with the number of its step.

    If another engine judges than decided in the session, or another version of meaning, people are told.
    """
    try:
        if format_of(path) == "journal":
            session = read_session(path)
            if problem := other_engine(session):
                click.echo(problem, err=True)
            if problem := earlier_meaning(session):
                problem += (
                    ": what it permits now is said, and whether it came out as expected counts as open."
                )
                click.echo(problem, err=True)
            loaded = recorded_program(session)
            for step, one in certificates(session, loaded.checked(), loaded.sources):
                yield step.number, one
            return
        number = 0
        for walk in read_walks(path):
            steps = (walk.taken(index) for index in range(len(walk.steps)))
            for step_before, step_after in pairwise(steps):
                number += 1
                for action in step_before.actions[:1]:
                    yield number, certify_step(action, step_before.screen, step_after.screen)
    except (JournalError, WalkError) as error:
        raise Failure(str(error)) from error


def _row(step: int, one: Certificate) -> dict[str, str]:
    return {
        "step": str(step),
        "action": did(one),
        "effect": _effect(one),
        "expected": _expected(one),
        "confidence": one.confidence,
    }


def _effect(one: Certificate) -> str:
    if one.delivered is False:
        return "not sent"
    return "" if one.action.name in OFF_SCREEN else _EFFECTS[one.effect.transition]


def _expected(one: Certificate) -> str:
    """The outcome of its contracts: the worst one, and how many there are."""
    outcomes = [each.outcome for each in one.contracts]
    for outcome in ("violated", "inconclusive", "met"):
        if outcome in outcomes:
            return (
                outcome if len(outcomes) == 1 else f"{outcome} ({outcomes.count(outcome)} of {len(outcomes)})"
            )
    return ""


def _summary(certificates: list[Certificate]) -> str:
    idle = sum(_KINDS["no-effect"](one) for one in certificates)
    low = sum(one.confidence == "low" for one in certificates)
    texts = [count(len(certificates), "action"), f"{idle} without effect"]
    if low:
        texts.append(f"{low} not certain")
    return ", ".join(texts)
