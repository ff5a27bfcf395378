"""``vsac journal certify JOURNAL``: what each action of a recorded session did, made by the program without a model."""

from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise
from typing import TYPE_CHECKING, Final

import click

from vsalang.base.diagnostics.display import count
from vsalang.program.action import OFF_SCREEN
from vsalang.tools.cli.common import EXIT_OK, Failure, format_option
from vsalang.tools.cli.dumps import table
from vsalang.tools.cli.output import echo, json_text

if TYPE_CHECKING:
    from vsalang.guard.memory import Certificate

_KINDS: "Final[Mapping[str, Callable[[Certificate], bool]]]" = {
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


@click.command(name="certify")
@click.argument("journal", metavar="JOURNAL")
@click.option("--short", is_flag=True, help="One line each, as an agent's prompt has it.")
@click.option("--long", is_flag=True, help="All that is known of each, with the proof.")
@click.option(
    "--only", multiple=True, type=click.Choice(tuple(_KINDS)), help="Only actions that were so; repeatable."
)
@format_option("text", "json")
def command(*, journal: str, short: bool, long: bool, only: tuple[str, ...], format: str) -> int:
    """Say what each action of a recorded session did: in which state and why it was permitted, what differs since, the
    outcome of its contracts, and how certain that is. No model is asked.

    JOURNAL is the journal of a session, whose proposals are judged again for their proofs, or a recorded walk of any
    format that `vsac record` reads; of a walk nobody judged anything, nor knows whether its screens were at rest.

    Exit status: 0 it was shown, 2 it could not be read.
    """
    if short and long:
        raise click.UsageError("--short and --long exclude each other.")
    if (short or long) and format == "json":
        raise click.UsageError("--short and --long are forms of text; --json has everything.")
    chosen = [
        (step, one)
        for step, one in certificates_of(journal)
        if not only or any(_KINDS[kind](one) for kind in only)
    ]
    if format == "json":
        from vsalang.guard.memory import document

        found = [{"step": step, **document(one)} for step, one in chosen]
        click.echo(json_text({"version": 1, "journal": journal, "certificates": found}, indent=2))
    elif short or long:
        from vsalang.guard.memory import certificate_words as wording

        for step, one in chosen:
            echo(f"{step:>4}  {wording.short(one)}" if short else f"{step}. {wording.long(one)}\n")
    elif not chosen:
        echo("no action of that kind" if only else "no action was carried out")
    else:
        rows = [_row(step, one) for step, one in chosen]
        click.echo(table(_COLUMNS, rows, cut={"action", "expected"}, right={"step"}), nl=False)
        echo(_summary([one for _, one in chosen]))
    return EXIT_OK


def certificates_of(path: str) -> "Iterator[tuple[int, Certificate]]":
    """The certificates of a journal or a walk, each with the number of its step.

    If another engine judges than decided in the session, or another version of meaning, people are told.
    """
    from vsalang.agents.walks import WalkError, format_of, read_walks
    from vsalang.guard.journal import JournalError, read_session, recorded_program
    from vsalang.guard.journal.replay import earlier_meaning, other_engine
    from vsalang.guard.memory import certificates, certify_step

    try:
        if format_of(path) == "journal":
            session = read_session(path)
            if said := other_engine(session):
                click.echo(said, err=True)
            if said := earlier_meaning(session):
                said += ": what it permits now is said, and whether it came out as expected counts as open."
                click.echo(said, err=True)
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


def _row(step: int, one: "Certificate") -> dict[str, str]:
    from vsalang.guard.memory import did

    return {
        "step": str(step),
        "action": did(one),
        "effect": _effect(one),
        "expected": _expected(one),
        "confidence": one.confidence,
    }


def _effect(one: "Certificate") -> str:
    if one.delivered is False:
        return "not sent"
    return "" if one.action.name in OFF_SCREEN else _EFFECTS[one.effect.transition]


def _expected(one: "Certificate") -> str:
    """The outcome of its contracts: the worst one, and how many there are."""
    outcomes = [each.outcome for each in one.contracts]
    for outcome in ("violated", "inconclusive", "met"):
        if outcome in outcomes:
            return (
                outcome if len(outcomes) == 1 else f"{outcome} ({outcomes.count(outcome)} of {len(outcomes)})"
            )
    return ""


def _summary(found: "list[Certificate]") -> str:
    idle = sum(_KINDS["no-effect"](one) for one in found)
    low = sum(one.confidence == "low" for one in found)
    said = [count(len(found), "action"), f"{idle} without effect"]
    if low:
        said.append(f"{low} not certain")
    return ", ".join(said)
