"""Do the three evaluators agree? Random programs and update streams from seeds, for as long as one likes.

    .venv/bin/python benchmarks/agreement.py --answers 100000
    .venv/bin/python benchmarks/agreement.py --from 5000 --minutes 10

Every seed makes a program and a stream of updates (`tests/engine/generators.py`); after every step all evaluators are
asked everything, and what the reference answers must be what the others answer (where a licence may know less of what
is unseen: no more). The state file remembers up to which seed they agreed, so that a run that was stopped goes on. At
the first disagreement the program, the steps and the answers are printed, and the exit status is 1; with
``--keep tests/engine/kept`` the program and the steps become a test.
"""

import argparse
import json
import sys
import time
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))


def main() -> int:
    """Run, and say how much agreed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--from", dest="start", type=int, help="the first seed [default: where the state file is]"
    )
    parser.add_argument("--answers", type=int, default=100_000, help="stop after so many [default: 100000]")
    parser.add_argument("--minutes", type=float, default=60.0, help="stop after so long [default: 60]")
    parser.add_argument("--engines", default="incremental,pydatalog", help="against the reference")
    parser.add_argument(
        "--state", type=Path, default=ROOT / "build" / "agreement.json", help="what is remembered"
    )
    parser.add_argument("--keep-going", action="store_true", help="count disagreements instead of stopping")
    parser.add_argument("--keep", type=Path, help="a directory for programs on which they disagree")
    options = parser.parse_args()

    from tests.engine.agreeing import Disagreement, check_agreement, keep
    from tests.engine.generators import random_case

    others = tuple(options.engines.split(","))
    start = options.start if options.start is not None else remembered(options.state)
    seed, total, failed = start, Counter[str](), 0
    begun = time.monotonic()
    told = begun
    while total["answers"] < options.answers and time.monotonic() - begun < 60 * options.minutes:
        made, steps = random_case(seed)
        try:
            total.update(check_agreement(made, steps, others))
        except Disagreement as error:
            failed += 1
            print(f"seed {seed}: {error}", flush=True)
            if options.keep is not None:
                keep(options.keep / f"seed{seed}.json", made, steps)
            if not options.keep_going:
                return 1
        except Exception as error:
            error.add_note(f"seed {seed}")
            raise
        seed += 1
        total["programs"] += 1
        remember(options.state, seed)
        if time.monotonic() - told > 30:
            told = time.monotonic()
            print(f"seed {seed}: {summary_line(total, told - begun)}", file=sys.stderr, flush=True)
    against = " and ".join(others)
    print(
        f"seeds {start} to {seed - 1}, reference against {against}: {summary_line(total, time.monotonic() - begun)}"
    )
    print("no disagreement" if not failed else f"{failed} programs with a disagreement")
    return 1 if failed else 0


def summary_line(total: Counter[str], seconds: float) -> str:
    """The counts as people read them."""
    return (
        f"{total['programs']:,} programs, {total['steps']:,} steps, {total['questions']:,} questions, "
        f"{total['answers']:,} answers equal, {seconds / 60:.1f} min"
    )


def remembered(file: Path) -> int:
    """The seed to go on from."""
    try:
        return int(json.loads(file.read_text())["next"])
    except FileNotFoundError:
        return 0


def remember(file: Path, seed: int) -> None:
    """Note that all seeds below have been run."""
    file.parent.mkdir(parents=True, exist_ok=True)
    new = file.with_suffix(".new")
    new.write_text(json.dumps({"next": seed}) + "\n")
    new.replace(file)


if __name__ == "__main__":
    sys.exit(main())
