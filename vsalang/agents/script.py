"""A scripted agent: proposals from a file, one a line, as JSON or in the words of other agents and tools.

Each format is known by its marks. Those of JSON lines are read by `vsalang.agents.proposed`.
"""

import json
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

from vsalang.agents.proposed import MAX_LINE, AgentError, Proposed, read_proposal
from vsalang.base.frameworks import ACTIONS
from vsalang.base.records import dataclass
from vsalang.base.source.opening import read_regular
from vsalang.phone.vocabulary import FORMATS, NOWHERE, Surface, VocabularyError, detect, m3a, note_of, uitars
from vsalang.phone.vocabulary import read as read_actions
from vsalang.program.action import Action
from vsalang.program.ir import Program
from vsalang.program.text import canonical

CHOICES: Final = ("auto", "vsalang", *FORMATS)
"""What a script may be written in."""
MAX_SCRIPT: Final = 64 * 1024 * 1024
"""A larger script is refused."""
_MOST_LINES: Final = 200
"""Lines of one answer of M3A or UI-TARS."""


@dataclass(frozen=True, slots=True)
class ScriptedAgent:
    """Proposals in order, whatever the verdicts are."""

    proposals: tuple[Proposed, ...]

    @classmethod
    def read(
        cls, path: str | Path, program: Program, format: str = "auto", surface: Surface = NOWHERE
    ) -> "ScriptedAgent":
        """Read a script; every line is checked before the first is proposed.

        Args:
            format: ``vsalang``, one of `vsalang.phone.vocabulary.FORMATS`, or ``auto``: each line says which it is.
            surface: the screen, for formats whose places are parts of it.

        Raises:
            AgentError: unreadable, no JSON, or a line that is not a proposal.
        """
        try:
            text = read_regular(path, MAX_SCRIPT, handed_over=True).decode("utf-8-sig")
        except (OSError, UnicodeDecodeError) as error:
            reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
            raise AgentError(f"cannot read {path}: {reason}") from error
        script_proposals = list(proposals(text, program, str(path), format, surface))
        if not script_proposals:
            raise AgentError(f"{path} proposes nothing: write one JSON object a line")
        return cls(tuple(script_proposals))

    def __iter__(self) -> Iterator[Proposed]:
        return iter(self.proposals)


def proposals(
    text: str, program: Program, name: str, format: str = "auto", surface: Surface = NOWHERE
) -> Iterator[Proposed]:
    """The proposals of a script, in order; an action that is several here gives several, with the same line.

    Args:
        name: of the file, for messages.
        format: one of `CHOICES`.
        surface: see `ScriptedAgent.read`.

    Raises:
        AgentError: a line is not understood.
    """
    if format not in CHOICES:
        raise AgentError(f"there is no format {format[:40]!r}; there are {', '.join(CHOICES)}")
    # a line ends with a line feed only: JSON holds U+2028 and the like as they are
    lines = [line.removesuffix("\r") for line in text.split("\n")]
    at = 0
    while at < len(lines):
        number, line = at + 1, lines[at]
        at += 1
        if not line.strip() or (format == "adb" and line.lstrip().startswith("#")):
            continue
        place = f"{name}, line {number}"
        if format in ("auto", "ui-tars") and line.lstrip().startswith("Thought:"):
            line, at = _thought(lines, at - 1)
        elif (
            format in ("auto", "m3a")
            and line.lstrip().startswith(("Reason:", "Action:"))
            and not uitars.recognises(line)
        ):
            line, at = _answer(lines, at - 1, place)
        if len(line) > MAX_LINE:
            raise AgentError(f"{place}: the line is longer than {MAX_LINE} characters")
        data = _line_data(line)
        which = _format(data, program) if format == "auto" else format
        if which == "vsalang":
            yield read_proposal(line, program, place, number)
            continue
        try:
            # what was written, not its parsed form: keys that are given twice are found there
            read = read_actions(which, data if isinstance(data, str) else line, surface)
            note = canonical(note_of(data))[:2000]
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


def _thought(lines: list[str], at: int) -> tuple[str, int]:
    """An answer of UI-TARS, whose thought may go over several lines, and the line after it."""
    for end in range(at + 1, min(len(lines), at + _MOST_LINES) + 1):
        if lines[end - 1].lstrip().startswith("Action:"):
            return "\n".join(lines[at:end]), end
    return lines[at], at + 1


def _line_data(line: str) -> Any:
    """JSON data where the line is JSON, else its text."""
    try:
        return json.loads(line, parse_float=Decimal)
    except (ValueError, ArithmeticError, RecursionError):
        return line.strip()


def _format(data: Any, program: Program) -> str:
    format_name = detect(data)
    if format_name in ACTIONS and isinstance(data.get("action"), str):
        known = [r for r in program.relations.values() if data["action"] in (r.name, r.short)]
        if any(r.sort == "action" for r in known):
            return "vsalang"
    return format_name or "vsalang"


def _canonical(action: Action) -> Action:
    return Action(
        action.name,
        {name: canonical(value) if isinstance(value, str) else value for name, value in action.args.items()},
    )
