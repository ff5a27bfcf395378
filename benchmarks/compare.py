"""Plain forms of answers, the reference's answers to each workload's events, and the comparison with them.

The reference is so slow (seconds per event of w3) that a digest of all its answers is kept in `oracle.toml`:

    .venv/bin/python -m benchmarks.compare [w3 ...]    # asks the reference again and writes it
"""

import hashlib
import sys
import tomllib
from pathlib import Path
from typing import Any

from benchmarks.engines import python_, vsalang_
from benchmarks.workloads import Work, by_name

ORACLE = Path(__file__).resolve().parent / "oracle.toml"

ASKED = {"w1": 5000, "w2": 2000, "w3": 100, "w4": 300, "w5": 3000, "w5_data": 1500, "w6": 5000}
"""How many events the reference answers."""
FIRST = {"w1": 60, "w2": 15, "w5": 60, "w5_data": 60}
"""The answers to so many first events have a digest of their own, which a test compares."""


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


def whole(answers: list[str]) -> str:
    """The digest of the digests of some answers."""
    return hashlib.sha256("\n".join(answers).encode()).hexdigest()


def known_digests() -> dict[str, dict[str, str]]:
    """What `oracle.toml` says of each workload: the `key` of its ``events``, the digests of so many answers."""
    return tomllib.loads(ORACLE.read_text(encoding="utf-8")) if ORACLE.exists() else {}


def oracle(name: str, work: Work) -> list[str]:
    """The digests of the reference's answers to the first events.

    Hand-written Python gives them in a moment; that they are those of the reference, `oracle.toml` proves.

    Raises:
        SystemExit: the reference was not asked about this program and these events, or did not answer so.
    """
    count, said = ASKED[name], known_digests().get(name, {})
    if said.get("events") != key(work, count):
        raise SystemExit(f"{name} has changed: .venv/bin/python -m benchmarks.compare {name}")
    step = getattr(python_, name)(work)
    answers = [digest(work, step(event)) for event in work.events[:count]]
    if whole(answers) != said.get(str(count)):
        raise SystemExit(
            f"hand-written Python does not answer {name} as {ORACLE.name} says that the reference did: one of them is "
            f"wrong. If it is the reference's digest: .venv/bin/python -m benchmarks.compare {name}"
        )
    return answers


def reference_digests(name: str) -> list[str]:
    """The digests of the reference's answers."""
    work = by_name(name, ASKED[name])
    step = getattr(vsalang_, name)(work, "reference")
    answers = []
    for number, event in enumerate(work.events):
        answers.append(digest(work, step(event)))
        if number % 20 == 0:
            print(
                f"\r{name}: the reference has answered {number} events", end="", file=sys.stderr, flush=True
            )
    print(f"\r{name}: the reference has answered {len(answers)} events", file=sys.stderr)
    return answers


def main(names: list[str]) -> None:
    """Ask the reference, and write what it says."""
    said = known_digests()
    for name in names or ASKED:
        answers = reference_digests(name)
        said[name] = {"events": key(by_name(name, len(answers)), len(answers))} | {
            str(count): whole(answers[:count]) for count in (FIRST.get(name, len(answers)), len(answers))
        }
        lines = ["# What the reference answers; written by `python -m benchmarks.compare`."]
        for each in sorted(said):
            lines += ["", f"[{each}]", *(f'{word} = "{text}"' for word, text in said[each].items())]
        ORACLE.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
