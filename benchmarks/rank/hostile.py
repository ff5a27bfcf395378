"""A hostile scorer over very many generated screens: counts what reaches the device although the guard blocks it.

.venv/bin/python -m benchmarks.rank.hostile [--screens 100000] [--seed 1] [--state FILE] [--fresh]

How far it came stands in a file, so a run that was stopped goes on where it was; with other code it begins anew. What a
run is: `tests.agents.rank.hostile`. Exit status 1: something came through.
"""

import argparse
import hashlib
import json
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Final

from tests.agents.rank.hostile import Tally, one_run

ROOT: Final = Path(__file__).resolve().parents[2]
STATE: Final = ROOT / "build" / "hostile-scorer.json"
KEEP: Final = 5.0
"""Seconds of processor time after which the state is written, at most so much is lost."""
SAY: Final = 5_000
"""After so many screens it says how far it came."""


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--screens", type=int, default=100_000, help="How many screens are drawn.")
    parser.add_argument("--seed", type=int, default=1, help="Of the draws.")
    parser.add_argument("--state", type=Path, default=STATE, help="Where it is kept how far it came.")
    parser.add_argument("--fresh", action="store_true", help="Begin anew.")
    options = parser.parse_args(arguments)
    head = {"code": code(), "seed": options.seed}
    total = Tally() if options.fresh else read(options.state, head)
    begun = kept = time.process_time()
    first, said = total.screens, total.screens // SAY
    while total.screens < options.screens and not total.wrong:
        total += one_run(options.seed, total.runs)
        now = time.process_time()
        if now - kept > KEEP:
            kept = now
            write(options.state, head, total)
        if total.screens // SAY > said:
            said = total.screens // SAY
            each = 1000 * (now - begun) / (total.screens - first)
            print(f"{line(total)}; {each:.1f} ms of processor time a screen", flush=True)
    write(options.state, head, total)
    if total.wrong:
        raise SystemExit("\n".join(("came through:", *total.wrong)))
    print(f"nothing came through: {line(total)}")


def line(total: Tally) -> str:
    """What was done, in words."""
    return (
        f"{total.screens:,} screens in {total.runs:,} runs, {total.chosen:,} choices of the hostile scorer, "
        f"{total.acts:,} inputs to the device"
    )


def code() -> str:
    """A digest of the code and data that decide, and of what draws."""
    files = sorted((ROOT / "vsalang").rglob("*.py")) + sorted((ROOT / "stdlib").rglob("*.vsa"))
    files += [ROOT / "vsalang/models/rank/weights.json", *sorted((ROOT / "tests/agents/rank").glob("*.*"))]
    digest = hashlib.sha256()
    for path in files:
        digest.update(str(path.relative_to(ROOT)).encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()


def read(path: Path, head: dict[str, object]) -> Tally:
    """How far an earlier run came; nothing without one. Raises `SystemExit`."""
    if not path.exists():
        return Tally()
    data = json.loads(path.read_text(encoding="utf-8"))
    if {name: data[name] for name in head} != head:
        raise SystemExit(f"{path} is of other code, or of another seed: --fresh begins anew")
    return Tally(**{**data["tally"], "wrong": tuple(data["tally"]["wrong"])})


def write(path: Path, head: dict[str, object], total: Tally) -> None:
    """Keep how far it came."""
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_suffix(".new")
    new.write_text(json.dumps({**head, "tally": asdict(total)}, indent=1) + "\n", encoding="utf-8")
    new.replace(path)


if __name__ == "__main__":
    main()
