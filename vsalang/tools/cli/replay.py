"""``vsac journal replay``: judges a recorded session again, and reports the verdicts that differ."""

import sys
from typing import TYPE_CHECKING

import click

from vsalang.base.diagnostics.display import count
from vsalang.base.names import EngineName
from vsalang.tools.cli import options
from vsalang.tools.cli.common import EXIT_FINDINGS, EXIT_OK, Failure, format_option, refused, use_color
from vsalang.tools.cli.output import echo, json_text

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from vsalang.guard.journal import Judgement, Replayed, Session
    from vsalang.language.semantics import Loaded

_COLORS = {"allow": "green", "warn": "yellow", "confirm": "cyan", "block": "red"}


@click.command()
@click.argument("journal", metavar="JOURNAL")
@click.option("--spec", metavar="FILE", help="Judge by this spec instead of the recorded one.")
@click.option(
    "--policy",
    "policies",
    multiple=True,
    metavar="FILE",
    help="A policy in force instead of the recorded ones; repeatable.",
)
@click.option("--no-policy", is_flag=True, help="Judge without any policy.")
@options.engine(default="the recorded one")
@click.option("--all", "everything", is_flag=True, help="Print every verdict, not only those that flip.")
@format_option("text", "json")
def command(
    *,
    journal: str,
    spec: str | None,
    policies: tuple[str, ...],
    no_policy: bool,
    engine: "EngineName | None",
    everything: bool,
    format: str,
) -> int:
    """Judge every proposal of a recorded session again, under the recorded spec and policies or under others.

    The hash chain of the journal is checked first. Screens and clock are the recorded ones, and what was committed
    counts as committed. Without --spec and --policy no verdict should flip, unless the journal is of an earlier version
    of meaning: then flips are listed by the change that caused them, and only one that is more permissive is an
    error.

    Exit status: 0 no verdict flipped (of an earlier version of meaning: none to a more permissive one), 1 some
    did (or the other spec has errors), 2 it could not be run.
    """
    from vsalang.guard.journal import JournalError, read_session, replay
    from vsalang.guard.journal.replay import other_engine

    if policies and no_policy:
        raise click.UsageError("--policy and --no-policy exclude each other.")
    try:
        session = read_session(journal)
        loaded = _program(session, spec, policies, no_policy)
        if loaded.program is None:
            return refused(loaded, format)
        replayed = replay(session, loaded.program, engine=engine)
    except JournalError as error:
        raise Failure(str(error)) from error
    if engine is None and (said := other_engine(session)):
        click.echo(said, err=True)
    if format == "json":
        click.echo(json_text(_data(replayed), indent=2))
    else:
        _print(replayed, everything, use_color(sys.stdout))
    return EXIT_FINDINGS if replayed.unexpected else EXIT_OK


def _program(session: "Session", spec: str | None, policies: tuple[str, ...], no_policy: bool) -> "Loaded":
    from vsalang.base.config import config_in_force, policy_files
    from vsalang.guard.journal import other_program, recorded_program

    if spec is None and not policies and not no_policy:
        return recorded_program(session)
    if spec is None:
        loaded = other_program(session, None, policies)
    else:
        config = config_in_force(spec)
        own = policies if policies or no_policy else None
        if own is None and config.policies:
            own = policy_files(config, ())
        loaded = other_program(session, spec, own, config.search)
    program = loaded.program
    if program is not None and program.modules[program.main].kind != "spec":
        from vsalang.language.semantics.wording import a

        raise Failure(f"{spec} is not a spec: it is {a(program.modules[program.main].kind)}")
    return loaded


def _data(replayed: "Replayed") -> dict[str, object]:
    """The result for machines."""
    return {
        "version": 1,
        "journal": replayed.session.path,
        "spec": replayed.session.header.get("spec"),
        "mode": replayed.session.mode,
        "same_program": replayed.same_program,
        "proposals": len(replayed.judgements),
        "semantics": replayed.semantics,
        "flipped": len(replayed.flipped),
        "more_permissive": sum(judgement.looser for judgement in replayed.judgements),
        "judgements": [
            {
                "step": judgement.step.number,
                "line": judgement.step.record,
                "proposal": judgement.step.verdict.get("proposal"),
                "committed": bool(judgement.step.commit),
                "outcome": _outcome(judgement),
                "changes": list(judgement.changes),
                "recorded": judgement.step.verdict,
                "now": judgement.now,
            }
            for judgement in replayed.judgements
        ],
    }


def _outcome(judgement: "Judgement") -> str:
    if not judgement.step.judged:
        return "unjudged"  # done before the screen was looked at
    if judgement.now is None:
        return "error"  # recorded as an error: not judged again
    return "flipped" if judgement.flipped else "moved" if judgement.moved else "same"


def _print(replayed: "Replayed", everything: bool, color: bool) -> None:
    def say(text: str = "") -> None:
        echo(text, color=color)

    for judgement in replayed.judgements:
        if judgement.flipped or everything:
            for line in _lines(judgement, color):
                say(line)
    if replayed.session.mode == "shadow":
        say(_style("The session ran in SHADOW: nothing was held back.", color, fg="magenta", bold=True))
    total, flipped = len(replayed.judgements), len(replayed.flipped)
    moved = sum(judgement.moved for judgement in replayed.judgements)
    unjudged = sum(not judgement.step.judged for judgement in replayed.judgements)
    errors = sum(judgement.now is None for judgement in replayed.judgements) - unjudged
    program = "the recorded program" if replayed.same_program else "another program"
    words = [f"{count(total - unjudged, 'proposal')} judged again by {program}"]
    words.append(_style(f"{flipped} flipped", color, fg="red" if flipped else "green", bold=True))
    if moved:
        words.append(f"{moved} the same for other reasons")
    if unjudged:
        words.append(f"{unjudged} not judged: done before the screen was looked at")
    if errors:
        words.append(f"{errors} recorded as an error and left out")
    if replayed.session.torn:
        words.append("the last line was cut off by a crash and is left out")
    say(", ".join(words) + ".")
    for text in _of_earlier_semantics(replayed):
        say(text)


def _of_earlier_semantics(replayed: "Replayed") -> list[str]:
    """What a journal of an earlier version of meaning shows of the changes since."""
    from vsalang.guard.journal.replay import earlier_meaning
    from vsalang.program.meaning import changes_since

    said = earlier_meaning(replayed.session)
    if not said:
        return []
    found = []
    stricter = [judgement for judgement in replayed.flipped if not judgement.looser]
    for change in changes_since(replayed.semantics):
        caused = sum(change.name in judgement.changes for judgement in stricter)
        if caused:
            found.append(f"  {change.words} ({change.name}): {count(caused, 'verdict')} stricter.")
    others = sum(not judgement.changes for judgement in stricter)
    if others:
        found.append(f"  {count(others, 'verdict')} stricter without a reason that names its change.")
    looser = sum(judgement.looser for judgement in replayed.judgements)
    if looser:
        found.append(f"  {count(looser, 'verdict')} MORE PERMISSIVE: no change of meaning permits more.")
    return [f"{said}{':' if found else '.'}", *found]


def _lines(judgement: "Judgement", color: bool) -> list[str]:
    from vsalang.program.text import line

    step = judgement.step
    head = f"{step.number:>4}  {line(str(step.verdict.get('proposal', '')), 100)}"
    if step.commit:
        head += _style("  (it was committed)", color, dim=True)
    found = [head]
    if not step.judged:
        return [*found, _style("      not judged: done before the screen was looked at", color, dim=True)]
    if judgement.now is None:
        return [*found, _style("      recorded as an error; not judged again", color, dim=True)]
    if not judgement.flipped:
        said = "the same" + (" for other reasons" if judgement.moved else "")
        return [*found, f"      {_level(step.verdict, color)}  {_style(said, color, dim=True)}"]
    for word, verdict in (("then", step.verdict), ("now ", judgement.now)):
        found.append(f"      {word}  {_level(verdict, color)}")
        for reason in verdict["reasons"]:
            rule = f"  [{line(str(reason['rule']))}]" if reason["rule"] else ""
            mark = _style("│", color, fg=_COLORS.get(str(reason["level"])))
            found.append(f"            {mark} {line(str(reason['message']))}{_style(rule, color, dim=True)}")
    return found


def _level(verdict: "Mapping[str, Any]", color: bool) -> str:
    level = str(verdict["level"])
    text = level + (" (repeated)" if verdict.get("overridden") else "")
    return _style(text, color, fg=_COLORS.get(level), bold=True)


def _style(text: str, color: bool, **how: object) -> str:
    return click.style(text, **how) if color and text else text  # type: ignore[arg-type]
