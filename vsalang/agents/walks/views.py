"""Views as DroidBot and LlamaTouch write them: a tree of them, and where they are."""

import re
from collections.abc import Mapping
from typing import Any, Final

from vsalang.agents.walks.recorded_walk import WalkError
from vsalang.screen.tree import DumpError, Tree, load_tree

FAR: Final = 1_000_000
"""Pixels: farther away is not a place."""
_BOUNDS: Final = re.compile(r"\[(-?\d{1,9}),(-?\d{1,9})\]\[(-?\d{1,9}),(-?\d{1,9})\]")


def read_views(data: Any, name: str) -> Tree:
    """The tree of a list of views, or of whatever else `vsalang.screen.tree.load_tree` knows.

    Raises:
        WalkError: it is none.
    """
    try:
        return load_tree(data, name=name)
    except (DumpError, RecursionError) as error:
        raise WalkError(f"the screen is not understood: {error}") from error


def box(view: Mapping[str, Any], what: str) -> tuple[int, int, int, int]:
    """The bounds of a view, in pixels: ``[[left, top], [right, bottom]]``, or as uiautomator writes them.

    Raises:
        WalkError: it has none.
    """
    bounds = view.get("bounds")
    if isinstance(bounds, str) and (written := _BOUNDS.fullmatch(bounds)):
        left, top, right, bottom = map(int, written.groups())
        return left, top, right, bottom
    match bounds:
        case [[int(left), int(top)], [int(right), int(bottom)]]:
            # web pages give places beyond every screen
            left, top, right, bottom = (max(-FAR, min(FAR, edge)) for edge in (left, top, right, bottom))
            return left, top, right, bottom
    raise WalkError(f"{what} has no bounds")


def centre(view: Mapping[str, Any], what: str) -> tuple[int, int]:
    """The middle of a view, where such tools touch it. Raises `WalkError`."""
    left, top, right, bottom = box(view, what)
    return (left + right) // 2, (top + bottom) // 2
