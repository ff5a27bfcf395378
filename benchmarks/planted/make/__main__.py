"""Writes the planted set anew: ``python -m benchmarks.planted.make`` in the project's folder."""

import sys
from pathlib import Path

from benchmarks.planted.make.folders import PARTS, write
from benchmarks.planted.make.scenes import SceneError

if __name__ == "__main__":
    try:
        for part in PARTS:
            print(f"{part}: {write(part, Path(__file__).parents[1])} files")
    except SceneError as error:
        sys.exit(f"error: {error}")
