"""Makes rows of a journal: its chain is checked, and all that came of a proposal stands in the proposal's row."""

import datetime as dt
import hashlib
import json
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, Final

from vsalang.base.records import dataclass
from vsalang.base.source.opening import open_regular
from vsalang.guard.journal.file import MAX_LINE, START, JournalError, Record, checked_line
from vsalang.guard.journal.recorded_session import Session, Step, session_of
from vsalang.guard.journal.values_json import read_proposal
from vsalang.program.text import line as one_line
from vsalang.screen.secrets import Redactor

MOST_BYTES: Final = 512 * 1024 * 1024
"""A longer journal is refused: a session is read as a whole."""
_LONGEST: Final = 2000
_MOST_TEXTS: Final = 200
_APP: Final = re.compile(
    r"\s*(?:(?://|#)[^\n]*\n\s*)*app\s+[\w.]+\s+package\s+((?:\"[^\"\n]{1,200}\"[\s,]*)+)"
)
Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class SessionRows:
    """A session as rows.

    Attributes:
        session: by what it is known again when its journal has grown: the hash of its first line.
        head: the hash of its last line.
        rows: one for each record, in order (`vsalang.tools.fleet.schema.COLUMNS`); a column that says nothing is left
            out.
        size: how long the lines are, in bytes.
        torn: whether a crash cut a last line off, which is left out.
    """

    session: str
    head: str
    rows: tuple[Row, ...]
    size: int
    torn: bool = False


def read_rows(
    path: str | os.PathLike[str], tenant: str = "", redactor: Redactor | None = None
) -> SessionRows:
    """The rows of a journal's file.

    Args:
        path: the journal.
        tenant: whose it is.
        redactor: replaces secrets; the rows then hold no lines that can be judged again.

    Raises:
        JournalError: it cannot be read, is not a journal, was changed, or a line is missing; the message names the
            file and the line.
    """
    lines: list[bytes] = []
    size = 0
    try:
        with open_regular(path) as file:
            while raw := file.readline(MAX_LINE + 1):
                lines.append(raw)
                size += len(raw)
                if size > MOST_BYTES:
                    most = MOST_BYTES // 1024 // 1024
                    raise JournalError(
                        f"{path}, line {len(lines)}: a journal of more than {most} MiB is not taken"
                    )
    except OSError as error:
        raise JournalError(f"cannot read {path}: {(error.strerror or str(error)).lower()}") from error
    return rows_of(str(path), lines, tenant, redactor)


def rows_of(
    place: str, lines: Iterable[bytes], tenant: str = "", redactor: Redactor | None = None
) -> SessionRows:
    """The rows of a journal that is given line by line; see `read_rows`.

    Args:
        place: what messages call it.
        lines: in order from the first, each with its line break.
        tenant: whose it is.
        redactor: replaces secrets.

    Raises:
        JournalError: as `read_rows`.
    """
    records: list[Record] = []
    texts: list[str] = []
    previous, torn, size = START, False, 0
    for number, raw in enumerate(lines, 1):
        at = f"{place}, line {number}"
        if torn:
            raise JournalError(f"{at}: the line before it has no end")
        if not raw.endswith(b"\n"):
            if len(raw) > MAX_LINE:
                raise JournalError(f"{at}: this is not a journal: the line is too long or no text")
            torn = True  # a crash cut it off: it was never acknowledged
            continue
        record = checked_line(raw, number, previous, at)
        records.append(record)
        texts.append(raw.decode("utf-8"))
        previous = record.hash
        size += len(raw)
    session = session_of(place, records)
    if redactor is not None:
        session, texts = _without_secrets(session, redactor), []
    rows = _rows(session, texts)
    first = {
        "tenant": tenant,
        "session": records[0].hash,
        "head": previous,
        "device": _text(session.header.get("device")),
        "lines": len(records),
    }
    return SessionRows(records[0].hash, previous, tuple(first | row for row in rows), size, torn)


def _rows(session: Session, texts: Sequence[str]) -> list[Row]:
    """A row for each record.

    Args:
        session: the records.
        texts: their lines; of a session without its secrets there is none.
    """
    steps = {step.record: step for step in session.steps}
    modules = _versions(session)
    rows = []
    for index, record in enumerate(session.records):
        row: Row = {"number": record.number, "kind": _text(record.kind), "hash": record.hash}
        row["written"] = _time(record.data.get("at"))
        row |= _line(record, texts[index]) if texts else {"line": _without_chain(record)}
        if record.number == 1:
            row |= _of_session(session, redacted=not texts)
        elif record.number in steps:
            row |= _of_step(session, steps[record.number], modules)
        elif record.kind == "observe":
            late = (*_items(record.data.get("recorded")), *_items(record.data.get("conflicts")))
            row["reasons"] = [_reason(each) for each in late]
            row |= _screen_columns(session, record.data, modules)
        rows.append(row)
    return rows


def whole_line(row: Mapping[str, Any]) -> str:
    """The line of a journal that a row was made of, with its line break."""
    line, cut = str(row["line"]), row.get("cut")
    return line if cut is None else f"{line[:cut]}{row['sources']}{line[cut:]}"


def _line(record: Record, text: str) -> Row:
    """The line. The sources of the rules, which many sessions share, stand in a column of their own."""
    if record.number > 1:
        return {"line": text}
    sources = json.dumps(record.data.get("sources"), ensure_ascii=False, sort_keys=True)
    mark = f'"sources": {sources}'
    cut = text.find(mark)
    if cut < 0 or text.find(mark, cut + 1) >= 0:
        return {"line": text}
    cut += len(mark) - len(sources)
    return {"line": text[:cut] + text[cut + len(sources) :], "cut": cut, "sources": sources}


# ---------------------------------------------------------------- the parts of a row


def _of_session(session: Session, *, redacted: bool) -> Row:
    header = session.header
    return {
        "spec": _text(header.get("spec")),
        "program": _text(header.get("digest")),
        "mode": _text(session.mode),
        "completed": session.completed,
        "ended": session.ended,
        "redacted": redacted or "redacted" in header,
    }


def _of_step(session: Session, step: Step, modules: Mapping[str, str]) -> Row:
    verdict = step.verdict
    after = step.after or {}
    taken = after.get("screen")
    return {
        "step": step.number,
        "level": _text(step.level),
        "overridden": verdict.get("overridden") is True,
        "mode": _text(verdict.get("mode")),
        "proposal": _text(verdict.get("proposal")),
        "note": _text(step.note),
        "gesture": _gesture(step.proposal),
        "actions": _texts(verdict.get("actions")),
        **_screen_columns(session, step.before or {}, modules),
        "after": _text(taken.get("fingerprint")) if isinstance(taken, dict) else None,
        "after_shown": _texts(after.get("shown")),
        "answer": step.answer,
        "answered_by": _text(step.answered_by),
        "refused": _text(step.refused),
        "committed": bool(step.commit),
        "delivered": step.delivered,
        "problem": _text(step.problem),
        "contracts": [_contract(each) for each in _items(after.get("contracts"))],
        "reasons": [
            _reason(each) for each in (*_items(verdict.get("reasons")), *_items(verdict.get("flags")))
        ],
    }


def _screen_columns(session: Session, look: Mapping[str, Any], modules: Mapping[str, str]) -> Row:
    taken = look.get("screen")
    if not isinstance(taken, dict):
        return {"shown": _texts(look.get("shown"))}
    name = taken.get("id")
    body = session.screens.get(name, {}) if isinstance(name, str) else {}
    app = body.get("app")
    package = _text(app[0]) if isinstance(app, list) and app else None
    versions = session.header.get("apps")
    return {
        "package": package,
        "app_version": _text(versions.get(package)) if isinstance(versions, dict) else None,
        "module_version": modules.get(package or ""),
        "screen": _text(taken.get("fingerprint")),
        "shown": _texts(look.get("shown")),
    }


def _reason(data: Mapping[str, Any]) -> Row:
    annotations = data.get("annotations")
    annotations = annotations if isinstance(annotations, dict) else {}
    severity = _texts(annotations.get("severity"))
    span = data.get("span")
    span = span if isinstance(span, dict) else {}
    return {
        **{name: _text(data.get(name)) for name in ("kind", "level", "rule", "module", "message")},
        "risks": _texts(annotations.get("risk")),
        "severity": severity[0] if severity else None,
        "file": _text(span.get("file")),
        "start": _int(span.get("start")),
        "end": _int(span.get("end")),
    }


def _contract(data: Mapping[str, Any]) -> Row:
    parts = {name: _text(data.get(name)) for name in ("rule", "outcome", "message")}
    return {**parts, "actions": _texts(data.get("actions"))}


def _gesture(proposal: Mapping[str, Any]) -> str | None:
    gesture = proposal.get("gesture")
    return _text(gesture.get("action")) if isinstance(gesture, dict) else None


def _versions(session: Session) -> Mapping[str, str]:
    """Of each package the version of the app module that is about it: the first digits of its text's SHA-256."""
    sources = session.header.get("sources")
    versions: dict[str, str] = {}
    for source in _items(sources):
        text = source.get("text")
        if isinstance(text, str):
            packages, version = _app(text)
            versions |= dict.fromkeys(packages, version)
    return versions


@lru_cache(maxsize=256)
def _app(text: str) -> tuple[tuple[str, ...], str]:
    header = _APP.match(text[:20_000])
    if header is None:
        return (), ""
    digest = hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
    return tuple(re.findall(r'"([^"\n]+)"', header[1])), digest[:12]


# ---------------------------------------------------------------- secrets


def _without_secrets(session: Session, redactor: Redactor) -> Session:
    """A session without its secrets: what all its screens show and its proposals type is learnt first."""
    screen = None
    for record in session.records:
        look = record.data.get("screen") if record.kind == "observe" else None
        if isinstance(look, dict):
            screen = session.screen(look)
            redactor.learn_screen(screen)
        elif record.kind == "propose":
            redactor.learn_typed(read_proposal(record.data["proposal"]).gesture, screen)
    records = [replace(record, data=redactor.record(record.data)) for record in session.records]
    return session_of(session.path, records)


def _without_chain(record: Record) -> str:
    """A record whose secrets were replaced as JSON: no hash fits it."""
    return json.dumps({"n": record.number, "kind": record.kind, **record.data})


# ---------------------------------------------------------------- values: nothing in a journal is trusted


def _text(value: object) -> str | None:
    if not isinstance(value, str):
        return None
    plain = len(value) <= _LONGEST and value.isascii() and value.isprintable()
    return value if plain else one_line(value, _LONGEST)


def _texts(value: object) -> list[str]:
    texts = map(_text, value[:_MOST_TEXTS]) if isinstance(value, list) else ()
    return [text for text in texts if text is not None]


def _items(value: object) -> list[Mapping[str, Any]]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def _int(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and abs(value) < 2**62 else None


def _time(value: object) -> dt.datetime | None:
    try:
        at = dt.datetime.fromisoformat(str(value))
    except ValueError:
        return None
    return at if at.tzinfo is not None else at.replace(tzinfo=dt.UTC)
