"""Prints the folders of parts of the planted set, made if need be: ``python -m benchmarks.planted [PART...]``."""

import sys

from benchmarks.kept import DriftError
from benchmarks.planted import PARTS, folder
from benchmarks.planted.make.scenes import SceneError

if __name__ == "__main__":
    if unknown := [part for part in sys.argv[1:] if part not in PARTS]:
        sys.exit(f"error: there is no part {unknown[0]!r}; there are {', '.join(PARTS)}")
    try:
        for part in sys.argv[1:] or PARTS:
            print(folder(part))
    except (DriftError, SceneError, OSError) as error:
        sys.exit(f"error: {error}")
