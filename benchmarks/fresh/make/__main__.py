"""Writes the digests of a fresh set, before it is measured: ``python -m benchmarks.fresh.make [--set SET]``."""

import argparse
import sys

from benchmarks.fresh import NAMES, SETS, digests, set_of
from benchmarks.planted.make.scenes import SceneError

if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m benchmarks.fresh.make", description=__doc__)
    parser.add_argument("--set", help=f"{NAMES}, or a folder; those that are there if left out")
    options = parser.parse_args()
    chosen = [set_of(options.set)] if options.set else [each for each in SETS if each.files]
    try:
        for each in chosen:
            made = digests(each)
            lines = "".join(f"{digest}  {name}\n" for name, digest in made.items())
            each.digests.write_text(lines, encoding="utf-8")
            print(f"{len(made)} digests of {each.name} written")
    except SceneError as error:
        sys.exit(f"error: {error}")
