"""A recorded session that was judged again: for people and as JSON."""

from collections.abc import Iterator, Mapping
from typing import Any

from vsalang.base.diagnostics.display import count
from vsalang.base.report import Style
from vsalang.guard.journal.replay import Judgement, ReplayResult, earlier_meaning
from vsalang.program.meaning import changes_since
from vsalang.program.text import line

_COLORS = {"allow": "green", "warn": "yellow", "confirm": "cyan", "block": "red"}


def replay_data(replayed: ReplayResult) -> dict[str, object]:
    """The judgements as JSON values, those that stayed the same, too."""
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


def _outcome(judgement: Judgement) -> str:
    if not judgement.step.judged:
        return "unjudged"  # done before the screen was looked at
    if judgement.now is None:
        return "error"  # recorded as an error: not judged again
    return "flipped" if judgement.flipped else "moved" if judgement.moved else "same"


def replay_lines(replayed: ReplayResult, everything: bool, style: Style) -> Iterator[str]:
    """The verdicts that flipped, and the totals.

    Args:
        replayed: the judgements.
        everything: whether verdicts that stayed the same are shown, too.
        style: how it looks on this terminal.
    """
    for judgement in replayed.judgements:
        if judgement.flipped or everything:
            yield from _lines(judgement, style)
    if replayed.session.mode == "shadow":
        yield style("The session ran in SHADOW: nothing was held back.", fg="magenta", bold=True)
    total, flipped = len(replayed.judgements), len(replayed.flipped)
    moved = sum(judgement.moved for judgement in replayed.judgements)
    unjudged = sum(not judgement.step.judged for judgement in replayed.judgements)
    errors = sum(judgement.now is None for judgement in replayed.judgements) - unjudged
    program = "the recorded program" if replayed.same_program else "another program"
    words = [f"{count(total - unjudged, 'proposal')} judged again by {program}"]
    words.append(style(f"{flipped} flipped", fg="red" if flipped else "green", bold=True))
    if moved:
        words.append(f"{moved} the same for other reasons")
    if unjudged:
        words.append(f"{unjudged} not judged: done before the screen was looked at")
    if errors:
        words.append(f"{errors} recorded as an error and left out")
    if replayed.session.torn:
        words.append("the last line was cut off by a crash and is left out")
    yield ", ".join(words) + "."
    yield from _of_earlier_semantics(replayed)


def _of_earlier_semantics(replayed: ReplayResult) -> list[str]:
    """What a journal of an earlier version of meaning shows of the changes since."""
    problem = earlier_meaning(replayed.session)
    if not problem:
        return []
    lines = []
    stricter = [judgement for judgement in replayed.flipped if not judgement.looser]
    for change in changes_since(replayed.semantics):
        caused = sum(change.name in judgement.changes for judgement in stricter)
        if caused:
            lines.append(f"  {change.words} ({change.name}): {count(caused, 'verdict')} stricter.")
    others = sum(not judgement.changes for judgement in stricter)
    if others:
        lines.append(f"  {count(others, 'verdict')} stricter without a reason that names its change.")
    looser = sum(judgement.looser for judgement in replayed.judgements)
    if looser:
        lines.append(f"  {count(looser, 'verdict')} MORE PERMISSIVE: no change of meaning permits more.")
    return [f"{problem}{':' if lines else '.'}", *lines]


def _lines(judgement: Judgement, style: Style) -> list[str]:
    step = judgement.step
    head = f"{step.number:>4}  {line(str(step.verdict.get('proposal', '')), 100)}"
    if step.commit:
        head += style("  (it was committed)", dim=True)
    lines = [head]
    if not step.judged:
        return [*lines, style("      not judged: done before the screen was looked at", dim=True)]
    if judgement.now is None:
        return [*lines, style("      recorded as an error; not judged again", dim=True)]
    if not judgement.flipped:
        text = "the same" + (" for other reasons" if judgement.moved else "")
        return [*lines, f"      {_level(step.verdict, style)}  {style(text, dim=True)}"]
    for word, verdict in (("then", step.verdict), ("now ", judgement.now)):
        lines.append(f"      {word}  {_level(verdict, style)}")
        for reason in verdict["reasons"]:
            rule = f"  [{line(str(reason['rule']))}]" if reason["rule"] else ""
            mark = style("│", fg=_COLORS.get(str(reason["level"])))
            lines.append(f"            {mark} {line(str(reason['message']))}{style(rule, dim=True)}")
    return lines


def _level(verdict: Mapping[str, Any], style: Style) -> str:
    level = str(verdict["level"])
    text = level + (" (repeated)" if verdict.get("overridden") else "")
    return style(text, fg=_COLORS.get(level), bold=True)
