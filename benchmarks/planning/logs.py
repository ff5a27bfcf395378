"""Recorded runs of DroidBot: their sessions, and the app as one of them shows it: a machine that answers gestures."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from benchmarks.planning.rows import NOT_APPS, Missing, tell
from vsalang.agents.maps import Move, Recording
from vsalang.agents.maps.beneath import screens_after
from vsalang.agents.maps.gestures import starts_anywhere
from vsalang.agents.maps.logs import recording_of
from vsalang.program.ir import Atom


@cache
def recordings(folder: Path) -> tuple[tuple[str, Recording], ...]:
    """The runs in a folder, by app."""
    if not folder.is_dir():
        raise Missing(f"no recorded runs in {folder}")
    found = []
    for path in sorted(folder.iterdir()):
        if (path / "events.jsonl.gz").is_file() and path.name not in NOT_APPS:
            tell(f"reading {path.name}")
            found.append((path.name, recording_of(path)[0]))
    return tuple(found)


@dataclass(frozen=True)
class Session:
    """What was done from one start of the app to the next.

    Attributes:
        shown: the screens at its begin: that after the start, and beneath it that on which the app was started.
        start: the start itself; None: the run does not hold it.
        moves: what was done then, each with the screen beneath, as far as this session alone tells it.
    """

    shown: tuple[str, ...]
    start: Move | None
    moves: tuple[Move, ...]


def is_start(move: Move) -> bool:
    return move.gesture.relation == "shell" or starts_anywhere(move.gesture)


def sessions(moves: Sequence[Move]) -> list[Session]:
    """The sessions of a run that have a move."""
    found: list[Session] = []
    part: list[Move] = []
    start: Move | None = None

    def end() -> None:
        if part:
            begun = (start.target.name, start.source.name) if start is not None else ()
            shown = screens_after(begun, None, part[0].source.name)
            found.append(Session(shown, start, tuple(beneath(part, shown))))

    for move in moves:
        if is_start(move):
            end()
            part, start = [], move
        else:
            part.append(move)
    end()
    return found


def beneath(moves: Iterable[Move], shown: tuple[str, ...]) -> Iterable[Move]:
    """Moves with the screen beneath each, counted from these screens."""
    for move in moves:
        shown = screens_after(shown, None, move.source.name)
        yield replace(move, beneath=shown[1] if len(shown) > 1 else "")
        shown = screens_after(shown, move.gesture, move.target.name)


class Machine:
    """The app as moves show it: each gesture leads to its usual target.

    Where it was made with the same screen beneath, these tries count; else, if it mostly led back to what was beneath,
    it does.
    """

    def __init__(self, moves: Iterable[Move]) -> None:
        self._all: dict[tuple[str, Atom], Counter[str]] = {}
        self._over: dict[tuple[str, Atom, str], Counter[str]] = {}
        self._back: Counter[tuple[str, Atom]] = Counter()
        self._starts: dict[Atom, Counter[str]] = {}
        self._at: dict[str, list[Atom]] = {}
        for move in moves:
            if is_start(move):
                if starts_anywhere(move.gesture):
                    self._starts.setdefault(move.gesture, Counter())[move.target.name] += 1
                continue
            key = move.source.name, move.gesture
            if key not in self._all:
                self._at.setdefault(move.source.name, []).append(move.gesture)
            self._all.setdefault(key, Counter())[move.target.name] += 1
            self._over.setdefault((*key, move.beneath), Counter())[move.target.name] += 1
            self._back[key] += move.target.name == move.beneath

    def knows(self, screen: str, gesture: Atom) -> bool:
        """Whether the gesture was made there; a start of the app, anywhere."""
        return (screen, gesture) in self._all or gesture in self._starts

    def gestures(self, screen: str, *, starts: bool = True) -> list[Atom]:
        """The gestures that were made there, and the starts of the app."""
        return [*self._at.get(screen, ()), *(self._starts if starts else ())]

    def after(self, shown: Sequence[str], gesture: Atom) -> str:
        """Where a gesture leads that is known."""
        key = shown[0], gesture
        if gesture in self._starts:
            return _usual(self._starts[gesture])
        under = shown[1] if len(shown) > 1 else ""
        if under and (*key, under) in self._over:
            return _usual(self._over[*key, under])
        usual = _usual(self._all[key])
        return under if under and self._back[key] > self._all[key][usual] else usual


def _usual(outcomes: Counter[str]) -> str:
    return outcomes.most_common(1)[0][0]
