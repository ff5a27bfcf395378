"""Proposals in the words of other agents and tools: a file of their actions, one a line, each format by its marks."""

import json
from collections.abc import Iterator
from decimal import Decimal
from typing import Any, Final

from vsalang.agents.script import MAX_LINE, AgentError, Proposed, read_proposal
from vsalang.core.action import Action
from vsalang.core.ir import Program
from vsalang.core.text import canonical
from vsalang.device.vocabulary import FORMATS, VocabularyError, detect, m3a, note_of
from vsalang.device.vocabulary import read as read_actions

CHOICES: Final = ("auto", "vsalang", *FORMATS)
"""What a script may be written in."""
_MOST_LINES: Final = 200
"""Lines of one answer of M3A."""


def proposals(text: str, program: Program, name: str, format: str = "auto") -> Iterator[Proposed]:
    """The proposals of a script, in order; an action that is several here gives several, with the same line.

    Args:
        name: of the file, for messages.
        format: one of `CHOICES`.

    Raises:
        AgentError: a line is not understood.
    """
    if format not in CHOICES:
        raise AgentError(f"there is no format {format[:40]!r}; there are {', '.join(CHOICES)}")
    lines = text.splitlines()
    at = 0
    while at < len(lines):
        number, line = at + 1, lines[at]
        at += 1
        if not line.strip() or (format == "adb" and line.lstrip().startswith("#")):
            continue
        place = f"{name}, line {number}"
        if format in ("auto", "m3a") and line.lstrip().startswith(("Reason:", "Action:")):
            line, at = _answer(lines, at - 1, place)
        if len(line) > MAX_LINE:
            raise AgentError(f"{place}: the line is longer than {MAX_LINE} characters")
        said = _said(line)
        which = _format(said, program) if format == "auto" else format
        if which == "vsalang":
            yield read_proposal(line, program, place, number)
            continue
        try:
            # what was written, not what was made of it: keys that stand twice are found there
            read = read_actions(which, said if isinstance(said, str) else line)
            note = canonical(note_of(said))[:2000]
        except VocabularyError as error:
            raise AgentError(f"{place}: {error}") from error
        for action in read:
            yield Proposed(_canonical(action), note=note, line=number)


def _answer(lines: list[str], at: int, place: str) -> tuple[str, int]:
    """An answer of M3A, which may go over several lines, and the line after it."""
    for end in range(at + 1, min(len(lines), at + _MOST_LINES) + 1):
        answer = "\n".join(lines[at:end])
        try:
            action = m3a.parts(answer)[1]
            json.loads(action)
        except (VocabularyError, ValueError, RecursionError):
            continue
        if action.startswith("```") or (end < len(lines) and lines[end].strip() == "```"):
            continue
        return answer, end
    raise AgentError(f"{place}: an answer begins with `Reason:` that has no whole `Action: {{...}}`")


def _said(line: str) -> Any:
    """JSON data where the line is JSON, else its text."""
    try:
        return json.loads(line, parse_float=Decimal)
    except (ValueError, ArithmeticError, RecursionError):
        return line.strip()


def _format(said: Any, program: Program) -> str:
    found = detect(said)
    if found == "mobilerun" and isinstance(said.get("action"), str):
        known = [r for r in program.relations.values() if said["action"] in (r.name, r.short)]
        if any(r.sort == "action" for r in known):
            return "vsalang"
    return found or "vsalang"


def _canonical(action: Action) -> Action:
    return Action(
        action.name,
        {name: canonical(value) if isinstance(value, str) else value for name, value in action.args.items()},
    )
