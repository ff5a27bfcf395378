"""What the tests of editors open, and the `vsac` that the editors start."""

import os
import sys
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]
WRONG: Final = """\
spec a "Say yes" // a comment
allow answer(text = "yes").
done when anser earlier.
"""
"""A program with one mistake, the name in its last line."""
RIGHT: Final = WRONG.replace("anser", "answer")


def own_vsac(folder: Path) -> Path:
    """A program that is the `vsac` of this checkout, alone in a new folder of the folder.

    It writes a line into `vsac.starts` next to it at each start.
    """
    command = folder / "bin" / "vsac"
    command.parent.mkdir()
    command.write_text(
        f'#!/bin/sh\necho >>"$0.starts"\nPYTHONPATH="{ROOT}" exec "{sys.executable}" -m vsalang.tools.cli.main "$@"\n'
    )
    command.chmod(0o755)
    return command


def environment(folder: Path) -> dict[str, str]:
    """An environment with that `vsac` on its PATH, and a home of its own."""
    path = f"{own_vsac(folder).parent}{os.pathsep}{os.environ['PATH']}"
    places = {name: f"XDG_{name.upper()}_HOME" for name in ("config", "data", "state", "cache")}
    return os.environ | {"PATH": path, "HOME": str(folder)} | {v: str(folder / k) for k, v in places.items()}
