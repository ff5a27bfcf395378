"""Judges a session of the store again under other policies: a function of its rows alone, whatever process calls it.

The pool, Spark and a single process call `Auditor.audit` with the rows of one session, so that their answers are the
same. It is the replay of `vsac journal replay`: the recorded spec, screens, clocks and commits, and other policies in
place of the recorded ones.
"""

import hashlib
import json
import re
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from vsalang.base.records import dataclass
from vsalang.guard.courses import Courses
from vsalang.guard.journal import JournalError, Session, other_program
from vsalang.guard.journal.file import Record
from vsalang.guard.journal.recorded_session import Step, session_of
from vsalang.guard.journal.replay import replay
from vsalang.guard.journal.screens_json import KeptBody
from vsalang.guard.journal.values_json import understood
from vsalang.language.semantics import Loaded
from vsalang.program.example import LEVELS
from vsalang.program.ir import Program
from vsalang.program.text import line
from vsalang.tools.fleet.rows import whole_line
from vsalang.tools.fleet.schema import StoreError

READ: Final = (
    "tenant",
    "session",
    "head",
    "device",
    "lines",
    "number",
    "kind",
    "line",
    "cut",
    "sources",
    "redacted",
)
"""The columns that are judged by."""
_PLACE: Final = Path("/vsac-fleet-audit")
"""Where policies that are asked about are said to be. Nothing is read from there."""
_PROGRAMS: Final = 64
"""So many programs are kept: sessions that share their rules come again and again."""
_SCREENS: Final = 256
"""So many records of screens are kept."""
_LONGEST: Final = 400
_NUMBER: Final = re.compile(r'"n": (\d+), ')
_CHAIN: Final = re.compile(r'"prev": "[0-9a-f]*", ')
_END: Final = re.compile(r', "hash": "([0-9a-f]*)"\}\n?$')
Row = Mapping[str, Any]
Verdict = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Policies:
    """What sessions are judged by in place of the recorded policies.

    Attributes:
        files: the policies in force; None: the recorded verdicts, nothing is judged.
        texts: what stood in these files, and in all that they import, when the audit began: by path.
        search: further folders to look for imports in, after those of the recorded session.
    """

    files: tuple[str, ...] | None
    texts: tuple[tuple[str, str], ...] = ()
    search: tuple[str, ...] = ()

    @property
    def digest(self) -> str:
        """Equal for policies with equal texts at equal places."""
        return hashlib.sha256(json.dumps([self.files, self.texts, self.search]).encode()).hexdigest()


def policies_of(loaded: Loaded, files: Iterable[Path], search: Iterable[Path]) -> Policies:
    """Policies as sessions of any device are judged by them.

    They get a place of their own, so that modules which they share with a recorded program are found there: an app's
    module that a device had elsewhere is not there twice.

    Args:
        loaded: a program with them: what stands in their files now.
        files: the policies in force.
        search: the folders in which imports are looked for.
    """
    texts = {each.path.resolve(): each.text for each in loaded.sources.values() if each.path is not None}
    moved: dict[Path, str] = {}
    folders = []
    for number, file in enumerate(path.resolve() for path in files):
        place = _PLACE / str(number)
        folders.append(file.parent)
        moved[place / file.name] = texts[file]
        # lists of words stand next to the module that reads them
        words = (path for path in texts if path.suffix != file.suffix and path.is_relative_to(file.parent))
        moved |= {place / path.relative_to(file.parent): texts[path] for path in words}
    names = tuple(str(path) for path in moved if path.suffix == ".vsa")
    every = sorted((str(path), text) for path, text in (texts | moved).items())
    return Policies(names, tuple(every), tuple(dict.fromkeys(map(str, (*folders, *search)))))


@dataclass(frozen=True, slots=True)
class Change:
    """A proposal whose verdict is another.

    Attributes:
        before, now: the levels of the verdict.
        rules: because of which: those that object now, or that objected before and do not any more.
        step: the proposal's number in its session, from 1.
        record: the number of its record.
        proposal: what was proposed.
        message: the first reason of the stricter verdict.
    """

    before: str
    now: str
    rules: tuple[str, ...]
    step: int
    record: int
    at: str
    proposal: str
    message: str


@dataclass(frozen=True, slots=True)
class SessionAudit:
    """A session that was judged again.

    Attributes:
        key: tenant, session, head and device.
        steps: how many proposals were judged.
        changes: in the order of the session.
        moved: how many keep their level because of other rules.
        problem: why it could not be judged; then there are no changes.
    """

    key: tuple[str, str, str, str]
    steps: int = 0
    changes: tuple[Change, ...] = ()
    moved: int = 0
    problem: str = ""


def sessions_of(rows: Iterable[Row]) -> Iterator[list[Row]]:
    """The rows of each session, whatever batches they come in; the rows of a session follow each other.

    Raises:
        StoreError: rows of a session are missing.
    """
    here: list[Row] = []
    for row in rows:
        if here and (row["session"], row["tenant"]) != (here[0]["session"], here[0]["tenant"]):
            yield _whole(here)
            here = []
        here.append(row)
    if here:
        yield _whole(here)


def _whole(rows: list[Row]) -> list[Row]:
    if [row["number"] for row in rows] != list(range(1, int(rows[0]["lines"]) + 1)):
        raise StoreError(
            f"the session {rows[0]['session']} is not whole: {len(rows)} of {rows[0]['lines']} records came",
            "this is a fault of the store or of vsac: its result would be wrong",
        )
    return rows


class KnownScreens:
    """The records of screens that many sessions share: each is read once. The latest used stay longest."""

    def __init__(self, most: int = _SCREENS) -> None:
        self._most = most
        self._known: OrderedDict[str, KeptBody] = OrderedDict()

    def record(self, text: str) -> Record | None:
        """The record of a line, if it is one of a screen that can be told from others; None: it must be read."""
        number, end = _NUMBER.search(text), _END.search(text)
        if number is None or end is None:
            return None
        # What tells two records of a screen apart is their place in the chain: the rest is the screen.
        rest = _CHAIN.sub("", _NUMBER.sub("", text[: end.start()] + "}", count=1), count=1)
        body = self._known.get(rest)
        if body is None:
            body = self._read(text, rest)
            if body is None:
                return None
            self._known[rest] = body
            if len(self._known) > self._most:
                self._known.popitem(last=False)
        else:
            self._known.move_to_end(rest)
        return Record(int(number[1]), "screen", body, end[1])

    @staticmethod
    def _read(text: str, rest: str) -> KeptBody | None:
        """The data of a line; None if `rest` is not exactly that, so that another line might have the same rest."""
        data = json.loads(text)
        for name in ("n", "prev", "hash"):
            data.pop(name)
        if json.dumps(data, ensure_ascii=False, sort_keys=True) != rest or data.pop("kind") != "screen":
            return None
        return KeptBody(data)


class Auditor:
    """Judges sessions; keeps the programs that it made, and the outcome of the same in sessions before.

    Args:
        new: the policies that are asked about.
        old: what they are compared with.
    """

    def __init__(self, new: Policies, old: Policies) -> None:
        self._sides = (old, new)
        self._programs: dict[str, Program | str] = {}
        self._courses = Courses()
        self._screens = KnownScreens()

    def audit(self, rows: Sequence[Row]) -> SessionAudit:
        """Judge a session. Never raises for what it holds: what cannot be judged is its `problem`.

        Args:
            rows: all of it, in order, with the columns `READ`.
        """
        first = rows[0]
        key = (
            str(first["tenant"] or ""),
            str(first["session"]),
            str(first["head"]),
            str(first["device"] or ""),
        )
        if first["redacted"]:
            return SessionAudit(
                key, problem="its secrets were replaced, so that rules may come out otherwise"
            )
        try:
            with understood(_place(rows)):
                session = session_of_rows(rows, self._screens)
                before, now = (self._verdicts(session, side, first) for side in self._sides)
                return _compared(key, session.steps, before, now)
        except (JournalError, _JudgingFailure) as error:
            why = str(error).removeprefix(_place(rows)).lstrip(",: ")
            return SessionAudit(key, problem=line(why, _LONGEST))
        except Exception as error:  # of one session: it is told, and the others are judged
            return SessionAudit(
                key, problem=line(f"internal error: {type(error).__name__}: {error}", _LONGEST)
            )

    def _verdicts(self, session: Session, side: Policies, first: Row) -> list[Verdict | None]:
        """A verdict for each proposal; None where there was none."""
        if side.files is None:
            return [step.verdict if step.judged else None for step in session.steps]
        sources = first["sources"] or json.dumps(session.header.get("sources"))
        program = self._program(session, side, sources)
        return [each.now for each in replay(session, program, courses=self._courses).judgements]

    def _program(self, session: Session, side: Policies, sources: str) -> Program:
        header = session.header
        rules = [sources, header.get("file"), header.get("policies"), header.get("standard"), side.digest]
        key = hashlib.sha256(json.dumps(rules).encode()).hexdigest()
        program = self._programs.pop(key, None) or self._loaded(session, side, sources)
        self._programs[key] = program  # the newest last
        if len(self._programs) > _PROGRAMS:
            del self._programs[next(iter(self._programs))]
        if isinstance(program, str):
            raise _JudgingFailure(program)
        return program

    @staticmethod
    def _loaded(session: Session, side: Policies, sources: str) -> Program | str:
        """The program, or why there is none."""
        assert isinstance(session.header, dict)
        session.header["sources"] = json.loads(sources)
        texts = {Path(path): text for path, text in side.texts}
        loaded = other_program(session, None, side.files, map(Path, side.search), texts)
        if loaded.program is not None:
            return loaded.program
        errors = "; ".join(str(each.message) for each in loaded.diagnostics[:2])
        return f"the policies have errors with its spec: {errors}"


class _JudgingFailure(Exception):
    """A session cannot be judged."""


def _place(rows: Sequence[Row]) -> str:
    return f"session {str(rows[0]['session'])[:16]}"


def session_of_rows(
    rows: Sequence[Row], screens: KnownScreens | None = None, *, with_sources: bool = False
) -> Session:
    """The session as it was recorded. Its chain was checked when it was imported.

    Args:
        rows: all of it, or the first ones.
        screens: keeps what was read of screens.
        with_sources: read the texts of its rules, too.

    Raises:
        JournalError: they are not those of a session.
    """
    place = _place(rows)
    records = []
    for row in rows:
        text, cut = str(row["line"]), row["cut"]
        if cut is not None:
            text = whole_line(row) if with_sources else f"{text[:cut]}null{text[cut:]}"
        try:
            known = screens.record(text) if screens is not None and row["kind"] == "screen" else None
            if known is not None:
                records.append(known)
                continue
            data = json.loads(text)
            records.append(Record(int(data.pop("n")), str(data.pop("kind")), data, str(data.pop("hash", ""))))
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
            raise JournalError(f"{place}, line {row['number']}: this is not a journal: {error}") from error
    return session_of(place, records)


def _compared(
    key: tuple[str, str, str, str],
    steps: Sequence[Step],
    before: Sequence[Verdict | None],
    now: Sequence[Verdict | None],
) -> SessionAudit:
    changes = []
    moved = judged = 0
    for step, one, other in zip(steps, before, now, strict=True):
        if one is None or other is None:
            continue
        judged += 1
        for verdict in (one, other):
            wrong = next((reason for reason in verdict["reasons"] if reason["kind"] == "error"), None)
            if wrong is not None:
                raise _JudgingFailure(f"step {step.number}: {wrong['message']}")
        rules, others = _rules(one), _rules(other)
        if one["level"] == other["level"]:
            moved += rules.keys() != others.keys()
            continue
        because = {each: message for each, message in others.items() if each not in rules}
        gone = {each: message for each, message in rules.items() if each not in others}
        stricter = LEVELS.index(other["level"]) > LEVELS.index(one["level"])
        reasons = (because or others) if stricter else (gone or rules)
        changes.append(
            Change(
                str(one["level"]),
                str(other["level"]),
                tuple(sorted(line(each, _LONGEST) for each in reasons)),
                step.number,
                step.record,
                line(step.at, 40),
                line(str(other["proposal"]), _LONGEST),
                line(next(iter(reasons.values()), ""), _LONGEST),
            )
        )
    return SessionAudit(key, judged, tuple(changes), moved)


def _rules(verdict: Verdict) -> dict[str, str]:
    """What speaks against a proposal, and its sentence: the ids of rules, and the kinds of what no rule says."""
    return {
        str(reason["rule"] or reason["kind"]): str(reason["message"])
        for reason in verdict["reasons"]
        if reason["level"] != "allow"
    }
