"""Controls as toolkits draw them, and what `std.forms` says of a screen, in short."""

from tests.screen.control.making import node, screen
from vsalang.screen.forms import forms
from vsalang.screen.tree import Tree

Box = tuple[int, int, int, int]

SCREEN: Box = (0, 0, 1080, 2400)
MIDDLE: Box = (60, 860, 1020, 1440)
"""Where a dialog stands."""


def window(*kids: str, at: Box = SCREEN, **attrs: str) -> Tree:
    """The tree of one window on a phone."""
    return screen(node("FrameLayout", *kids, at=at, **attrs))


def said(text: str, at: Box, **attrs: str) -> str:
    """A text that takes no touch."""
    return node("TextView", at=at, text=text, **attrs)


def button(text: str, at: Box, cls: str = "Button", **attrs: str) -> str:
    """A button of classic views."""
    return node(cls, at=at, text=text, clickable="true", **attrs)


def composed(text: str, at: Box) -> str:
    """A button as Compose and React Native draw it: a view without a class of its own, with a text in it."""
    return node("View", said(text, at), at=at, clickable="true")


def described(text: str, at: Box, cls: str = "Button") -> str:
    """A button as Flutter draws it: only a description."""
    return node(cls, at=at, content_desc=text, clickable="true")


def field(typed: str, at: Box, **attrs: str) -> str:
    """A field."""
    return node("EditText", at=at, text=typed, clickable="true", **attrs)


def roles(tree: Tree) -> dict[str, str]:
    """Label of a control -> its role; controls without a label are called by their class."""
    on = forms(tree)
    return {
        on.about.label(node) or node.cls or "": on.roles.of[node.node]
        for node in on.about.takers
        if node.node in on.roles.of
    }


def closes(tree: Tree) -> dict[str, tuple[str, str]]:
    """Label of a control -> what it closes, and how."""
    on = forms(tree)
    return {on.about.label(closer.node): (closer.kind, closer.way) for closer in on.closings.by_node.values()}


def kinds(tree: Tree) -> list[str]:
    """The kinds of the surfaces."""
    return [surface.kind for surface in forms(tree).on.all]
