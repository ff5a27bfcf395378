"""Writes the digests of the planted set again: ``python -m benchmarks.planted.make`` in the project's folder."""

import sys

from benchmarks.planted import DIGESTS, PARTS, digests, known_digests
from benchmarks.planted.make.folders import build
from benchmarks.planted.make.scenes import SceneError

if __name__ == "__main__":
    try:
        made = {name: digest for part in PARTS for name, digest in digests(part, build(part)).items()}
    except SceneError as error:
        sys.exit(f"error: {error}")
    before = (
        {name: digest for part in PARTS for name, digest in known_digests(part).items()}
        if DIGESTS.exists()
        else {}
    )
    DIGESTS.write_text("".join(f"{digest}  {name}\n" for name, digest in made.items()), encoding="utf-8")
    for name in sorted(made.keys() | before.keys()):
        if made.get(name) != before.get(name):
            print(f"{name}: other traces than before")
