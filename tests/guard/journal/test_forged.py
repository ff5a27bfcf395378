"""Journals that somebody wrote with a right chain and wrong contents: understood or refused, never a crash."""

import contextlib
import copy
import json
import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.thorough import times
from vsalang.agents.walks import WalkError, read_walks
from vsalang.guard.journal import read_session, recorded_program, replay
from vsalang.guard.journal.file import JournalError, _digest, read_journal
from vsalang.guard.journal.session_page import render
from vsalang.guard.journal.timeline import timeline, to_json

DEEP: Any = []
for _ in range(200):
    DEEP = [DEEP]
ODD = (
    None,
    True,
    -1,
    10**400,
    1.5e308,
    "",
    "\0\x1b[31m",
    "x" * 10_000,
    [],
    {},
    [[]],
    {"": {}},
    DEEP,
    "9999-99-99T99:99",
)
GONE = object()


def forge(path: Path, records: list[dict[str, Any]]) -> None:
    """Write records as a journal with a right chain."""
    previous = "0" * 64
    lines = []
    for number, record in enumerate(records, 1):
        data = {key: value for key, value in record.items() if key != "hash"}
        if number > 1:
            data["prev"] = previous
        data["n"] = number
        body = json.dumps(data, ensure_ascii=False, sort_keys=True)
        previous = _digest(body)
        lines.append(f'{body[:-1]}, "hash": "{previous}"}}\n')
    path.write_text("".join(lines), encoding="utf-8")


def places(data: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place in a record, a few of each list."""
    items = data.items() if isinstance(data, dict) else enumerate(data[:2]) if isinstance(data, list) else ()
    for key, value in items:
        if at or key not in ("hash", "prev", "n", "v"):
            yield (*at, key)
            yield from places(value, (*at, key))


def changed(record: dict[str, Any], place: tuple[Any, ...], value: Any) -> dict[str, Any]:
    new = copy.deepcopy(record)
    inside: Any = new
    for key in place[:-1]:
        inside = inside[key]
    if value is GONE:
        del inside[place[-1]]
    else:
        inside[place[-1]] = value
    return new


def all_readers(path: Path) -> None:
    """Everything that reads a journal says what is wrong by a `JournalError`, or understands it."""
    with contextlib.suppress(WalkError, JournalError):
        read_walks(path)
    try:
        session = read_session(path)
    except JournalError:
        return
    with contextlib.suppress(JournalError):
        shown = timeline(session)
        json.dumps(to_json(shown))
        render(shown)
    with contextlib.suppress(JournalError):
        program = recorded_program(session).program
        if program is not None:
            replay(session, program)


def test_the_chain_is_right(recorded: Path, tmp_path: Path) -> None:
    """What is forged here is believed, so that the tests below test what lies behind the chain."""
    path = tmp_path / "forged.jsonl"
    forge(path, [json.loads(line) for line in recorded.read_text(encoding="utf-8").splitlines()])
    assert len(read_session(path).steps) == len(read_session(recorded).steps)


@pytest.mark.soak
def test_forged_journals(recorded: Path, tmp_path: Path) -> None:
    """Any value at any place."""
    _try(recorded, tmp_path, times(40, 400), 1)


@pytest.mark.slow
def test_a_few_forged_journals(recorded: Path, tmp_path: Path) -> None:
    _try(recorded, tmp_path, 25, 2)


def _try(recorded: Path, tmp_path: Path, count: int, begin: int) -> None:
    records = [json.loads(line) for line in recorded.read_text(encoding="utf-8").splitlines()]
    kinds: dict[str, list[int]] = {}
    for index, record in enumerate(records):
        kinds.setdefault(record["kind"], []).append(index)
    chance = random.Random(begin)
    path = tmp_path / "forged.jsonl"
    for _ in range(count):
        index = chance.choice(kinds[chance.choice(sorted(kinds))])
        place = chance.choice(list(places(records[index])))
        value = chance.choice((*ODD, GONE))
        forge(path, [*records[:index], changed(records[index], place, value), *records[index + 1 :]])
        try:
            all_readers(path)
        except Exception as error:
            raise AssertionError(
                f"{records[index]['kind']}: {place} = {str(value)[:60]}: {error!r}"
            ) from error


@pytest.mark.parametrize("kind", ["outcome", "observe"])
@pytest.mark.parametrize("word", [0, 1, "x", []], ids=repr)
def test_the_word_of_delivery_is_true_false_or_none(
    recorded: Path, tmp_path: Path, kind: str, word: Any
) -> None:
    records = [json.loads(line) for line in recorded.read_text(encoding="utf-8").splitlines()]
    index = max(index for index, record in enumerate(records) if record["kind"] == kind)
    told = read_session(recorded)  # the session before anybody forged it
    records[index]["delivered"] = word
    path = tmp_path / "forged.jsonl"
    forge(path, records)
    with pytest.raises(JournalError, match=f"line {index + 1}: delivered is neither true nor false"):
        read_session(path)
    forged = replace(told, records=tuple(read_journal(path)))
    program = recorded_program(told).program
    assert program is not None
    with pytest.raises(JournalError, match=f"line {index + 1}: delivered is neither true nor false"):
        replay(forged, program)


@pytest.mark.parametrize(
    "line",
    [
        "[" * 100_000,
        '{"a":' * 100_000,
        "9" * 100_000,
        '{"a": 1, "a": 1}',
        '{"n": 1e999999999}',
        "null",
        '"\\ud800"',
    ],
    ids=lambda line: line[:12],
)
def test_lines_that_are_none(tmp_path: Path, line: str) -> None:
    path = tmp_path / "forged.jsonl"
    path.write_text(line + "\n", encoding="utf-8")
    with pytest.raises(JournalError):
        read_session(path)
