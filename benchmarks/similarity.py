"""How often is each backend of `~=` right on the labelled pairs, and where is it wrong?

python benchmarks/similarity.py                  # the table, and every error of the default
python benchmarks/similarity.py --write          # puts both into docs/reference/similarity.md
python benchmarks/similarity.py --backend folded # every error of another backend
"""

import argparse
import re
from dataclasses import dataclass
from pathlib import Path

from vsalang.program.similarity import FoldedEquality, Similarity, Words, similar

ROOT = Path(__file__).parent.parent
PAIRS = ROOT / "tests" / "program" / "similar_pairs.txt"
PAGE = ROOT / "docs" / "reference" / "similarity.md"
MARKS = "<!-- {}: written by benchmarks/similarity.py -->"
BACKENDS: dict[str, Similarity] = {
    "folded": FoldedEquality(),
    "words": Words(),
    "words, spelling = 1": Words(spelling=1),
}


@dataclass(frozen=True)
class Pair:
    """A constant and a text, with the label that a person gave them."""

    kind: str
    constant: str
    text: str
    similar: bool


def pairs() -> list[Pair]:
    """All labelled pairs."""
    found = []
    kind = ""
    for line in PAIRS.read_text("utf-8").splitlines():
        if line.startswith("["):
            kind = line.strip("[]")
        elif line and not line.startswith("#"):
            constant, text = line[2:].split(" | ")
            found.append(Pair(kind, constant, text, line[0] == "="))
    return found


def wrong(backend: Similarity) -> list[Pair]:
    """The pairs that a backend does not answer as they are labelled."""
    return [pair for pair in pairs() if bool(similar(backend, pair.text, pair.constant)) is not pair.similar]


def table() -> str:
    """For each backend how often it is right."""
    every = pairs()
    positive = sum(pair.similar for pair in every)
    rows = [
        "| backend | rightly similar | wrongly similar | missed | precision | recall |",
        "|---|---|---|---|---|---|",
    ]
    for name, backend in BACKENDS.items():
        errors = wrong(backend)
        missed = sum(pair.similar for pair in errors)
        false, right = len(errors) - missed, positive - missed
        rows.append(
            f"| `{name}` | {right} | {false} | {missed} | {right / (right + false):.3f} | {right / positive:.3f} |"
        )
    rows += ["", f"{len(every)} pairs, {positive} of them similar."]
    return "\n".join(rows)


def mistaken(name: str) -> str:
    """What a backend takes for similar and is not."""
    return "; ".join(f"{pair.constant} ~ {pair.text}" for pair in wrong(BACKENDS[name]) if not pair.similar)


def errors(name: str) -> str:
    """Every error of a backend, by kind."""
    found = wrong(BACKENDS[name])
    rows = ["| kind | wrongly similar | missed |", "|---|---|---|"]
    for kind in dict.fromkeys(pair.kind for pair in found):
        cells = [
            "; ".join(f"{p.constant} ~ {p.text}" for p in found if p.kind == kind and p.similar is label)
            for label in (False, True)
        ]
        rows.append(f"| {kind} | {cells[0] or 'none'} | {cells[1] or 'none'} |")
    return "\n".join(rows)


def written(page: str) -> str:
    """The page with the tables of today."""
    parts = {
        "table": table(),
        "errors": errors("words"),
        "errors with spelling": mistaken("words, spelling = 1"),
    }
    for name, text in parts.items():
        begin, end = MARKS.format(name), MARKS.format(f"end of {name}")
        page, count = re.subn(
            f"{re.escape(begin)}.*?{re.escape(end)}",
            lambda _, t=text, b=begin, e=end: f"{b}\n{t}\n{e}",
            page,
            flags=re.S,
        )
        assert count == 1, f"{PAGE} has no place for the {name}"
    return page


if __name__ == "__main__":
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--write", action="store_true")
    options.add_argument("--backend", choices=tuple(BACKENDS), default="words")
    chosen = options.parse_args()
    print(f"{table()}\n\n{errors(chosen.backend)}")
    if chosen.write:
        PAGE.write_text(written(PAGE.read_text("utf-8")), "utf-8")
