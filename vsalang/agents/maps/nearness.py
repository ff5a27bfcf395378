"""Finds the screen of a map that an unknown one nearly is: most of their usable widgets are the same."""

from collections.abc import Mapping
from typing import Final

from vsalang.agents.maps.screen_graph import Screen

LEAST: Final = 0.8
"""The share of the widgets of both that must be on each: of five one may come or go, as a button that appears while
something is edited."""


def nearest(screens: Mapping[str, Screen], screen: Screen) -> Screen | None:
    """The unnamed screen that a look nearly is, itself if it is known.

    Compared are the usable widgets, by Jaccard's coefficient (those that both have, of all that one of them has), among
    screens of the same app and activity, as far as they are known. None: none is near enough, or two are equally near.
    """
    if screen.name in screens:
        return screens[screen.name]
    mine = frozenset(screen.widgets)
    nearest_screens: list[tuple[float, Screen]] = []
    for each in screens.values():
        if (
            each.kind != "unnamed"
            or not _may_be(each.app, screen.app)
            or not _may_be(each.activity, screen.activity)
        ):
            continue
        theirs = frozenset(each.widgets)
        if not mine or not theirs or min(len(mine), len(theirs)) < LEAST * max(len(mine), len(theirs)):
            continue
        share = len(mine & theirs) / len(mine | theirs)
        if share >= LEAST:
            nearest_screens.append((share, each))
    best = max((share for share, _ in nearest_screens), default=0.0)
    near = [each for share, each in nearest_screens if share == best]
    return near[0] if len(near) == 1 else None


def _may_be(one: str, other: str) -> bool:
    return not one or not other or one == other
