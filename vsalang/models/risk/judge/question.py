"""What a judge is asked about: moments of a session, each a screen in words and what is done on it."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final, Literal, TypeAlias, get_args

from vsalang.base.records import dataclass
from vsalang.guard.say.verdict import Proposal
from vsalang.program.screen import Cells, Screen
from vsalang.program.text import line, safe

When: TypeAlias = Literal["before", "after"]
"""``before``: the proposal waits for the answer about it; ``after``: the answer about what was done weighs on the next
proposal, which waits for it if it is not there yet."""
Mode: TypeAlias = Literal["step", "window", "sample", "read"]
"""Which moments are shown: ``step``: this one and the one before; ``window``: the last five; ``sample``: five of all,
evenly spaced, the last one among them; ``read``: the last twenty, of those before this one what was not read before."""
MODES: Final[tuple[Mode, ...]] = get_args(Mode)
WINDOW: Final = 5
"""How many moments ``window`` and ``sample`` show; the published judge has groups of five."""
READ: Final = 20
"""How many moments ``read`` shows."""
MAX_LINES: Final = 150
"""So many lines of a screen are shown."""
_LONGEST: Final = 200
MAX_ACTION: Final = 2000
"""So many characters of an action are shown."""


@dataclass(frozen=True, slots=True)
class Moment:
    """One moment.

    Attributes:
        screen: what shows, a line for each text; see `screen_text`.
        action: what is done there, as the language writes it; empty: nothing, it is only seen.
        picture: of the screen, as PNG; empty: there is none.
    """

    screen: str
    action: str = ""
    picture: bytes = b""


@dataclass(frozen=True, slots=True)
class Question:
    """A question for a judge.

    Attributes:
        instruction: what the user asked the agent for; empty: not known.
        moments: in order; the last one is asked about, those before it tell what led there.
        done: whether the action of the last moment was carried out; False: it is proposed.
    """

    instruction: str
    moments: tuple[Moment, ...]
    done: bool = False


def chosen(moments: Sequence[Moment], mode: Mode) -> tuple[Moment, ...]:
    """The moments that a mode shows of all moments so far."""
    if mode == "step":
        return tuple(moments[-2:])
    if mode == "read":
        return tuple(_read(moments[-READ:]))
    if mode == "window" or len(moments) <= WINDOW:
        return tuple(moments[-WINDOW:])
    last = len(moments) - 1
    return tuple(moments[round(last * part / (WINDOW - 1))] for part in range(WINDOW))


def _read(moments: Sequence[Moment]) -> Iterator[Moment]:
    """The moments, each but the last without the lines that one before it shows."""
    seen: set[str] = set()
    for moment in moments[:-1]:
        new = [each for each in moment.screen.split("\n") if each not in seen]
        seen.update(new)
        yield replace(moment, screen="\n".join(new) or "(nothing new)")
    yield from moments[-1:]


def moment_of(screen: Screen | None, proposal: Proposal | None, picture: bytes = b"") -> Moment:
    """A moment of a guarded session."""
    action = line(str(proposal), MAX_ACTION) if proposal is not None else ""
    return Moment(screen_text(screen) if screen is not None else "", action, picture)


def screen_text(screen: Screen) -> str:
    """A screen in words: its app, and a line for each node that has a text or can be used; at most `MAX_LINES`.

    Texts are quoted and cut; what is typed into a password field is left out.
    """
    return "\n".join(text for text, _ in screen_lines(screen))


def screen_lines(screen: Screen) -> list[tuple[str, int | None]]:
    """The lines of `screen_text`, each with the number of the node that it is about; None: it is about none."""
    lines = list(_lines(screen))
    more = len(lines) - MAX_LINES
    return [*lines[:MAX_LINES], (f"and {more} more lines", None)] if more > 0 else lines


def _lines(screen: Screen) -> Iterator[tuple[str, int | None]]:
    for row in screen.rows("App"):
        yield f"app {_cell_text(row, 'package')}{_word(row, 'activity')}", None
    for row in screen.rows("Node"):
        texts = [row.get(name) for name in ("text", "desc", "hint")]
        lines = [text for text in texts if isinstance(text, str) and text.strip()]
        if row.get("password") is True:
            lines = ["(hidden)"]
        uses = [name for name in ("clickable", "editable") if row.get(name) is True]
        if not lines and not (uses and row.get("id")):
            continue
        state = [name for name in ("checked", "selected") if row.get(name) is True]
        words = " ".join(safe(text, _LONGEST) for text in dict.fromkeys(lines))
        marks = "".join(f" {word}" for word in (*uses, *state))
        number = row.get("node")
        yield (
            f"- {words or '(no text)'}{_word(row, 'id')}{marks}",
            number if isinstance(number, int) else None,
        )
    for row in screen.rows("Toast"):
        yield f"message {_cell_text(row, 'text')}", None
    for row in screen.rows("Notification"):
        words = " ".join(_cell_text(row, name) for name in ("title", "text"))
        yield f"notification of {_cell_text(row, 'package')}: {words}", None


def _word(row: Cells, name: str) -> str:
    value = row.get(name)
    return f" [{line(value, 60)}]" if isinstance(value, str) and value else ""


def _cell_text(row: Cells, name: str) -> str:
    value = row.get(name)
    return safe(value, _LONGEST) if isinstance(value, str) else '""'
