"""The program of uiautomator2's server, which its client brings and pushes onto phones."""

import importlib.util
from functools import cache
from pathlib import Path
from typing import Final

JAR: Final = "/data/local/tmp/u2.jar"
"""Where it lies on a phone."""


@cache
def own_jar() -> bytes | None:
    """The one that the installed uiautomator2 brings; None if it is not installed."""
    spec = importlib.util.find_spec("uiautomator2")
    if spec is None or spec.origin is None:
        return None
    try:
        return (Path(spec.origin).parent / "assets" / "u2.jar").read_bytes()
    except OSError:
        return None
