"""The sources of the project, each parsed once in a process, for tests that hold the house in order."""

import ast
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

import vsalang
from vsalang.base.collector import no_collection

HOUSE = Path(vsalang.__file__).parent


@cache
def _texts() -> Mapping[str, str]:
    return {
        path.relative_to(HOUSE).as_posix(): path.read_text(encoding="utf-8")
        for path in sorted(HOUSE.rglob("*.py"))
    }


@cache
def _tree(place: str) -> ast.Module:
    with no_collection():  # else two thirds of the time
        return ast.parse(_texts()[place])


def trees(*words: str) -> Mapping[str, ast.Module]:
    """Each module's tree by its place, such as ``guard/step.py``, in order. Nobody changes them.

    Args:
        words: only modules that have one of these in their text: parsing them all takes seconds.
    """
    return {
        place: _tree(place)
        for place, text in _texts().items()
        if not words or any(word in text for word in words)
    }


@cache
def nodes(tree: ast.AST) -> Sequence[ast.AST]:
    """All nodes of a tree, as `ast.walk` gives them, in another order. They are walked once for all tests."""
    open_, found = [tree], []
    while open_:
        node = open_.pop()
        found.append(node)
        for value in vars(node).values():
            if isinstance(value, ast.AST):
                open_.append(value)
            elif isinstance(value, list):
                open_ += [each for each in value if isinstance(each, ast.AST)]
    return found
