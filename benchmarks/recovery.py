"""The errors after a single slip: random edits of every shipped `.vsa` file, and how many errors each gives.

    .venv/bin/python benchmarks/recovery.py [--each 400] [--seed 1] [--show]

An edit deletes a character or up to seven, or inserts a character or a word. An edit that leaves a right program is not
counted. None may go unreported: where the grammar does not match as a whole, or an item was left out, there must be an
error. Wanted is one error for one slip.
"""

import argparse
import random
import sys
from collections import Counter
from pathlib import Path

from vsalang.base.source import Source, read_source
from vsalang.language.syntax import parser
from vsalang.language.syntax.grammar import parse_file
from vsalang.language.syntax.scan import without_comments

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("app_specs", "stdlib", "vsalang/models/encode/templates/examples")
INSERTED = [*"(){}.,=?\"/*abX1 \n:;@!<>-_'é", "when", "and ", '"""', "allow ", "=> ", "..", "not "]


def mutant(text: str, rng: random.Random) -> str:
    """The text with one edit."""
    at = rng.randrange(len(text))
    choice = rng.random()
    if choice < 0.4:
        return text[:at] + text[at + 1 :]
    if choice < 0.55:
        return text[:at] + text[at + rng.randrange(1, 8) :]
    return text[:at] + rng.choice(INSERTED) + text[at:]


def is_right(text: str) -> bool:
    """Whether the grammar matches the whole text; says nothing of what it means."""
    code = without_comments(text)
    return code is not None and parse_file(code) is not None


def main() -> int:
    """Print how many edits gave how many errors, by file."""
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("--each", type=int, default=400, help="edits of each file")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--show", action="store_true", help="print what gave more than one error")
    given = options.parse_args()
    rng = random.Random(given.seed)
    total: Counter[int] = Counter()
    silent = 0
    print("| file | edits that break it | one error | two | more | unreported |")
    print("|---|---|---|---|---|---|")
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.vsa")):
            source = read_source(path, name=str(path.relative_to(ROOT)))
            counts: Counter[int] = Counter()
            quiet = 0
            for _ in range(given.each):
                text = mutant(source.text, rng)
                parsed = parser.read(Source.from_text(text, source.file))
                found = len(parsed.diagnostics)
                if not found:
                    quiet += bool(parsed.broken) or parsed.module is None or not is_right(text)
                    continue
                counts[found] += 1
                if given.show and found > 1:
                    for item in parsed.diagnostics:
                        print(f"    {item.code} {item.span}: {item.message}")
                    print()
            print(_row(source.file, counts, quiet))
            total += counts
            silent += quiet
    print(_row("all", total, silent))
    broken = total.total()
    print(f"\n{total[1] / broken:.2%} of {broken:,} give exactly one error; {silent} unreported")
    return 1 if silent or total[1] < 0.97 * broken else 0


def _row(name: str, counts: Counter[int], silent: int) -> str:
    more = sum(number for found, number in counts.items() if found > 2)
    return f"| {name} | {counts.total()} | {counts[1]} | {counts[2]} | {more} | {silent} |"


if __name__ == "__main__":
    sys.exit(main())
