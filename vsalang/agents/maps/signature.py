"""What an unnamed screen is known by: its activity, the set of its usable widgets without their texts, and of a dialog
its title.

Texts change with what the app shows, so screens that are told apart by them are hardly ever seen again; see
`docs/commands/map.md` for the figures. The dialogs of an app have the same buttons, and their titles seldom change.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Iterator
from typing import Final

from vsalang.agents.maps.screen_graph import MAX_TEXT, MAX_TEXTS, Screen, Widget
from vsalang.program.gestures.keyboard import is_keyboard
from vsalang.program.text import line
from vsalang.screen.control.relevance import actionable, touchable, words
from vsalang.screen.screen import TreeScreen
from vsalang.screen.tree import Node

_BARS: Final = frozenset({"com.android.systemui"})
_LONGEST: Final = 400
"""Characters of a name; what is longer was made to harm."""
_TITLE: Final = re.compile(r"alert_?title$", re.IGNORECASE)
"""The id of a dialog's title, in Android's dialogs and in those of AndroidX."""
_VARIES: Final = re.compile(r"\d+|\"[^\"]*\"|“[^”]*”|(?<!\w)'[^']*'(?!\w)")
"""What in a title changes with what the dialog is about: numbers, and what is quoted."""


def unnamed(screen: TreeScreen, place: str = "") -> Screen:
    """The screen of the graph that a look is, by its usable widgets.

    Args:
        place: where it was seen.
    """
    package, activity = app_of(screen)
    usable = widgets(screen)
    known_by = (package, activity, usable, tuple(titles(screen)))
    digest = hashlib.sha256(repr(known_by).encode()).hexdigest()[:12]
    return Screen(
        f"unnamed:{digest}",
        "unnamed",
        package,
        activity,
        usable,
        texts(screen),
        (place,) if place else (),
        seen=1,
    )


def app_of(screen: TreeScreen) -> tuple[str, str]:
    """Package and activity (its last part) in the foreground; without that the package of most nodes."""
    package, activity = screen.app or (None, None)
    if not package:
        counted = Counter(node.package for node in screen.tree.nodes if node.package not in _BARS)
        package = max(counted, key=lambda one: (counted[one], one or ""), default=None)
    return (package or "")[:_LONGEST], (activity or "").rpartition(".")[2][:_LONGEST]


def widgets(screen: TreeScreen) -> tuple[Widget, ...]:
    """The usable widgets of a screen, each once, in order."""
    widgets = {
        Widget((node.cls or "")[:_LONGEST], (node.id or "")[:_LONGEST], tuple(_abilities(node)))
        for node in own_nodes(screen)
        if actionable(node) and node.enabled is not False
    }
    return tuple(sorted(widgets))


def titles(screen: TreeScreen) -> Iterator[str]:
    """The titles of a dialog, without what varies in them."""
    for node in own_nodes(screen):
        if node.text and node.id and _TITLE.search(node.id[-_LONGEST:]):
            yield " ".join(_VARIES.sub("#", node.text[:_LONGEST]).split())


def texts(screen: TreeScreen) -> tuple[str, ...]:
    """What can be read on a screen, cut; not what is typed, nor passwords."""
    node_texts = (words(node) for node in own_nodes(screen) if not node.password and not node.editable)
    texts = dict.fromkeys(line(text, MAX_TEXT) for text in node_texts if text)
    return tuple(texts)[:MAX_TEXTS]


def own_nodes(screen: TreeScreen) -> Iterator[Node]:
    """The nodes of apps: not those of keyboards and of the system's bars."""
    kinds = {window.window: window.kind for window in screen.tree.windows}
    for node in screen.tree.nodes:
        if node.package not in _BARS and not is_keyboard(kinds.get(node.window), node.package):
            yield node


def _abilities(node: Node) -> Iterator[str]:
    if node.clickable is True or (touchable(node) and not node.long_clickable):
        yield "click"
    if node.long_clickable is True:
        yield "long"
    if node.checkable is True:
        yield "check"
    if node.editable is True:
        yield "edit"
    if node.scrollable is True:
        yield "scroll"
