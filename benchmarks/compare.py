"""Plain forms of answers, the reference's answers to each workload's events, and the comparison with them.

The reference is so slow (seconds per event of w3) that its answers are kept as digests in `oracle.json`:

    .venv/bin/python -m benchmarks.compare [w3 ...]    # asks the reference again and writes them
"""

import hashlib
import json
import sys
from pathlib import Path
from typing import Any

from benchmarks.engines import vsalang_
from benchmarks.workloads import Work, by_name

ORACLE = Path(__file__).resolve().parent / "oracle.json"

ASKED = {"w1": 5000, "w2": 2000, "w3": 100, "w4": 300, "w5": 3000, "w5_data": 1500, "w6": 5000}
"""How many events the reference answers."""


def bare(row: Any) -> Any:
    """A row of one column is its value."""
    if isinstance(row, tuple | list) and len(row) == 1:
        return row[0]
    return tuple(row) if isinstance(row, list) else row


def plain(work: Work, answer: Any) -> Any:
    """An answer in the form in which engines are compared."""
    if work.name in ("w3", "w5_data"):
        return tuple(frozenset(map(bare, part)) for part in answer)
    if work.name in ("w4", "rows"):
        return frozenset(map(bare, answer))
    return frozenset(name.rpartition(".")[2] for name in answer)


def digest(work: Work, answer: Any) -> str:
    made = plain(work, answer)
    parts = made if isinstance(made, tuple) else (made,)
    text = "|".join(" ".join(sorted(map(repr, part))) for part in parts)
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def key(work: Work, count: int) -> str:
    """Changes when the program, its first rows or the events change."""
    text = repr((work.program.digest, work.spec, work.events[:count]))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def oracle(name: str, work: Work) -> list[str]:
    """The digests of the reference's answers to the first events.

    Raises:
        SystemExit: it was not asked about this program and these events.
    """
    kept = json.loads(ORACLE.read_text(encoding="utf-8")) if ORACLE.exists() else {}
    found = kept.get(name)
    if found is None or found["key"] != key(work, len(found["answers"])):
        raise SystemExit(f"{name} has changed: .venv/bin/python -m benchmarks.compare {name}")
    return found["answers"]  # type: ignore[no-any-return]


def main(names: list[str]) -> None:
    """Ask the reference."""
    for name in names or list(ASKED):
        work = by_name(name, ASKED[name])
        step = getattr(vsalang_, name)(work, "reference")
        answers = []
        for number, event in enumerate(work.events):
            answers.append(digest(work, step(event)))
            if number % 20 == 0:
                print(f"\r{name} {number}", end="", file=sys.stderr, flush=True)
        kept = json.loads(ORACLE.read_text(encoding="utf-8")) if ORACLE.exists() else {}
        kept[name] = {"key": key(work, len(answers)), "answers": answers}
        ORACLE.write_text(json.dumps(kept, sort_keys=True) + "\n", encoding="utf-8")
        print(f"\r{name}: {len(answers)} answers", file=sys.stderr)


if __name__ == "__main__":
    main(sys.argv[1:])
