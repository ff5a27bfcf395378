"""The records of screens that many sessions share are read once, and are what each line says."""

import json
from pathlib import Path
from typing import Any

from tests.tools.fleet.journals import record
from vsalang.guard.journal.screens_json import KeptBody, read_screen
from vsalang.tools.fleet.judging import KnownScreens

HASH = "0" * 64


def line(number: int, **more: Any) -> str:
    """A line of a journal."""
    data = {"kind": "screen", "n": number, "prev": HASH, "v": 3, **more}
    return json.dumps(data, sort_keys=True, ensure_ascii=False)[:-1] + f', "hash": "{number:064x}"}}'


def test_a_screen_of_many_sessions_is_read_once(tmp_path: Path) -> None:
    known = KnownScreens()
    path = record(tmp_path / "a.jsonl", ("Next", "Pay 5"))
    lines = [each for each in path.read_text(encoding="utf-8").splitlines() if '"kind": "screen"' in each]
    assert lines
    for text in lines:
        one, two = known.record(text), known.record(text)
        assert one is not None and two is not None and one.data is two.data
        data = json.loads(text)
        assert (one.number, one.hash) == (data["n"], data["hash"])
        assert dict(one.data) == {k: v for k, v in data.items() if k not in ("n", "hash", "prev", "kind")}
        look = {"id": data["id"]}
        first, again = (read_screen("tree", one.data, look) for _ in range(2))
        assert first.tree is again.tree  # type: ignore[attr-defined]
        plain = read_screen("tree", dict(one.data), look)
        assert first.content == plain.content and first.fingerprint == plain.fingerprint  # type: ignore[attr-defined]
        moved = read_screen("tree", one.data, {**look, "highest": 9000})
        assert moved.tree is not first.tree and moved.content != first.content  # type: ignore[attr-defined]


def test_numbers_within_tell_screens_apart() -> None:
    known = KnownScreens()
    texts = [line(5, a={"n": inner, "x": 0}) for inner in (1, 2)] + [
        line(5, a={"prev": h, "x": 0}) for h in "ab"
    ]
    for text in texts:
        read = known.record(text)
        assert read is None or dict(read.data)["a"] == json.loads(text)["a"]
    assert known.record(line(6, a=1)).data == {"a": 1, "v": 3}  # type: ignore[union-attr]
    assert known.record(line(6, a=True)).data["a"] is True  # type: ignore[union-attr]
    assert known.record(line(7, text='"n": 1, ')).data["text"] == '"n": 1, '  # type: ignore[union-attr]


def test_what_is_kept_of_screens_is_bounded() -> None:
    known = KnownScreens(most=3)
    bodies = [known.record(line(n, a=n)) for n in range(9)]
    assert all(each is not None and isinstance(each.data, KeptBody) for each in bodies)
    assert len(known._known) == 3
