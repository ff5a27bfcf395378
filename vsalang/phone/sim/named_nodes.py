"""Which nodes of a screen a person means who says what they touched."""

from vsalang.program.screen import UnresolvedTarget
from vsalang.program.text import canonical
from vsalang.screen.screen import TreeScreen
from vsalang.screen.tree import load_dump


def nodes_named(xml: str, name: str) -> tuple[int, ...]:
    """The numbers of the nodes that a touch on `name` may mean; one if it is clear, none if nothing has that name.

    Nodes that take touches come before others. ``NAME#2`` is the second of several.
    """
    screen = TreeScreen(load_dump(xml))
    for text, number in _numbered(name):
        for key in ("text", "desc", "id"):
            nodes = [node for node in screen.tree.nodes if getattr(node, key) == text]
            touched = [node for node in nodes if node.clickable or node.long_clickable] or nodes
            if number:
                touched = touched[number - 1 : number]
            if touched:
                return tuple(node.node for node in touched)
    try:
        cells = screen.target("tap", {"label": name})
    except UnresolvedTarget:
        return ()
    node = cells.get("node") or cells.get("leaf")
    return (node,) if isinstance(node, int) else ()


def _numbered(name: str) -> list[tuple[str, int]]:
    """The possible meanings: the whole name, or the name before ``#NUMBER``."""
    text, _, number = name.rpartition("#")
    more = [(canonical(text), int(number))] if text and number.isdecimal() and number.isascii() else []
    return [(canonical(name), 0), *(pair for pair in more if 0 < pair[1] < 10_000)]
