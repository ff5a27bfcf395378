"""Whether a verdict becomes more permissive when less is known: ``python -m benchmarks.seeing [--cases N] [--seed S]``.

Prints how many cases of each kind do, and each cause with one example. Exit status: 0 what was found is what is known
(`known.txt`); 1 it is more, or less, or `known.txt` cannot be read or written; 2 the arguments are wrong.
"""

import argparse
import json
import sys
import time

from benchmarks.seeing import pages
from benchmarks.seeing.cases import IN_CI, SEED
from benchmarks.seeing.causes import COMMAND, KnownError, as_json, as_text, grown, mended, run, write


def main() -> int:
    """Judge the cases and print what was found."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cases", type=int, default=IN_CI, help=f"how many (default: {IN_CI})")
    parser.add_argument("--seed", type=int, default=SEED, help="other cases than those that are known")
    parser.add_argument("--json", action="store_true", help="print the report as JSON")
    parser.add_argument(
        "--write", action="store_true", help="write known.txt again; refused where a count grew"
    )
    options = parser.parse_args()
    if options.cases < 1:
        parser.error("--cases is at least 1")
    begin = time.process_time()
    report = run(options.cases, options.seed)
    seconds = time.process_time() - begin
    try:
        if options.write:
            write(report)
        more, fewer = grown(report), mended(report)
    except KnownError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    if options.json:
        found = {"seconds": round(seconds, 1), "grown": more, "mended": fewer}
        print(json.dumps({**as_json(report), **found}, indent=2))
        return 1 if more or fewer else 0
    print(as_text(report))
    print(f"\n{sum(report.cases.values())} cases, {seconds:.1f} s of processor time")
    if not pages.there():
        print(f"cases of recorded screens were left out: {pages.DATA} is not there")
    for words, lines in (("more permissive than known", more), (f"fixed, so run {COMMAND}", fewer)):
        if lines:
            print("\n".join((f"\n{words}:", *lines)))
    return 1 if more or fewer else 0


if __name__ == "__main__":
    sys.exit(main())
