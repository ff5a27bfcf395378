"""Writes the digests of the fresh set, before it is measured: ``python -m benchmarks.fresh.make``."""

import sys

from benchmarks.fresh import DIGESTS, digests
from benchmarks.planted.make.scenes import SceneError

if __name__ == "__main__":
    try:
        made = digests()
    except SceneError as error:
        sys.exit(f"error: {error}")
    DIGESTS.write_text("".join(f"{digest}  {name}\n" for name, digest in made.items()), encoding="utf-8")
    print(f"{len(made)} digests written")
