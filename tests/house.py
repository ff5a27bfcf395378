"""The sources of the project, parsed once in a process, for tests that hold the house in order."""

import ast
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import vsalang

HOUSE = Path(vsalang.__file__).parent


@cache
def trees() -> Mapping[str, ast.Module]:
    """Each module's tree by its place, such as ``guard/step.py``, in order. Nobody changes them."""
    return {
        path.relative_to(HOUSE).as_posix(): ast.parse(path.read_text(encoding="utf-8"))
        for path in sorted(HOUSE.rglob("*.py"))
    }
