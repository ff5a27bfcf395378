"""Compares the kinds that are decided with those that a person gave 219 controls, and writes the table of the page.

    .venv/bin/python scripts/control_kinds.py [--dumps FOLDER] [--check] [--wrong]

The labels are in tests/screen/control/labels.tsv: the first 16 hexadecimal digits of the SHA-256 of a dump
(unpacked), the name of the control, its kind. The table is in docs/reference/controls.md.
"""

import argparse
import gzip
import hashlib
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LABELS = ROOT / "tests" / "screen" / "control" / "labels.tsv"
PAGE = ROOT / "docs" / "reference" / "controls.md"
DUMPS = ROOT.parent / "shared" / "data" / "ui_dumps"
BEGIN, END = "<!-- kinds: scripts/control_kinds.py writes this -->", "<!-- end -->"


def labels() -> dict[str, list[tuple[str, str]]]:
    """Dump -> its labelled controls: name and kind."""
    found: dict[str, list[tuple[str, str]]] = {}
    for line in LABELS.read_text(encoding="utf-8").splitlines()[1:]:
        dump, unit, kind = line.split("\t")
        found.setdefault(dump, []).append((unit, kind))
    return found


def compared(folder: Path) -> Iterator[tuple[str, str, str, str]]:
    """Of each labelled control the dump's file, its name, the kind that a person gave, and the one that is decided.

    Raises:
        SystemExit: a labelled dump is not in the folder, or has no such control.
    """
    from vsalang.screen.control import controls
    from vsalang.screen.tree import load_dump

    wanted = labels()
    for path in sorted(folder.glob("*.xml.gz")):
        data = gzip.decompress(path.read_bytes())
        mine = wanted.pop(hashlib.sha256(data).hexdigest()[:16], [])
        units = {unit.key: unit for unit in controls(load_dump(data, name=path.name))} if mine else {}
        for key, kind in mine:
            if key not in units:
                raise SystemExit(
                    f"{path.name} has no control {key}: names changed, or {LABELS.name} is of other dumps"
                )
            yield path.name, key, kind, units[key].kind
    if wanted:
        raise SystemExit(
            f"{len(wanted)} labelled dumps are not in {folder}: name another folder with --dumps"
        )


def table(pairs: Counter[tuple[str, str]]) -> str:
    """The confusion table in Markdown: a line for each kind that a person gave, a column for each that is decided."""
    from vsalang.screen.control import KINDS

    total, right = sum(pairs.values()), sum(count for (one, other), count in pairs.items() if one == other)
    lines = [
        f"| a person says | {' | '.join(KINDS)} | right |",
        "|---|" + "---|" * (len(KINDS) + 1),
    ]
    for kind in KINDS:
        row = [pairs[kind, other] for other in KINDS]
        cells = " | ".join(str(count or "") for count in row)
        lines.append(f"| {kind} | {cells} | {pairs[kind, kind]} of {sum(row)} |")
    return "\n".join(
        [f"{right} of {total} are decided as a person labelled them ({right / total:.1%}).", "", *lines]
    )


def main() -> None:
    """Run the command."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--dumps", type=Path, default=DUMPS)
    parser.add_argument(
        "--check", action="store_true", help="write nothing; fail if the page says something else"
    )
    parser.add_argument("--wrong", action="store_true", help="list those that are decided otherwise")
    options = parser.parse_args()
    found = list(compared(options.dumps))
    if options.wrong:
        for file, key, said, decided in found:
            if said != decided:
                print(f"{file} {key}: a person says {said}, decided is {decided}")
        return
    page = PAGE.read_text(encoding="utf-8")
    head, _, rest = page.partition(BEGIN)
    _, _, tail = rest.partition(END)
    made = (
        f"{head}{BEGIN}\n\n{table(Counter((said, decided) for _, _, said, decided in found))}\n\n{END}{tail}"
    )
    if options.check:
        sys.exit(0 if made == page else f"{PAGE} is not what this script writes: run it")
    PAGE.write_text(made, encoding="utf-8")


if __name__ == "__main__":
    main()
