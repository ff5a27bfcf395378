"""UI trees: reads dumps, finds what is visible and which node receives a touch, and gives the relations of the tree.

from vsalang.screen.tree import read_tree

tree = read_tree("window_dump.xml")   # or JSON of an accessibility service: see `load_tree`
for node in tree.nodes:
    print(node.node, node.label)

`vsalang.screen.screen.TreeScreen` makes of a tree what a guard reads.

`track` compares a tree with the one before: nodes that are the same keep their numbers.

tree = track(previous, load_dump(xml))   # previous: the tree of the look before, or None
tree = load_dump(xml, after=previous)    # the same, and only what differs is parsed again
"""

import os
from collections.abc import Collection
from typing import Any

from vsalang.base.collector import no_collection
from vsalang.screen.tree.accessibility import read_value
from vsalang.screen.tree.build import build
from vsalang.screen.tree.hit import Hit, hit
from vsalang.screen.tree.identity import track
from vsalang.screen.tree.jsontext import load_json, looks_like_json, plain
from vsalang.screen.tree.node import (
    MAX_BYTES,
    MAX_DEPTH,
    MAX_LABEL,
    MAX_NODES,
    DumpError,
    Node,
    Tree,
    Window,
)
from vsalang.screen.tree.source import decode, locate, parse_at, read_bytes, unpack
from vsalang.screen.tree.xml import Tags, flatten, pieces, remember, reread, turned

__all__ = [
    "MAX_BYTES",
    "MAX_DEPTH",
    "MAX_LABEL",
    "MAX_NODES",
    "DumpError",
    "Hit",
    "Node",
    "Tree",
    "Window",
    "hit",
    "load_dump",
    "load_tree",
    "read_dump",
    "read_tree",
    "track",
    "unpack",
]


def load_dump(
    data: bytes | str, *, name: str = "<dump>", after: Tree | None = None, replaced: Collection[str] = ()
) -> Tree:
    """The tree of a uiautomator dump.

    Read are the XML of ``uiautomator dump`` and of uiautomator2, and Appium's page source: UTF-8 or UTF-16,
    with or without byte-order mark and XML declaration, with text of tools around the XML, several windows.

    Args:
        data: the dump, not packed (`unpack` does that).
        name: the source, for messages.
        after: the tree of the observation before. Nodes that are certainly the same keep their numbers, as with
            `track`, and only what differs is parsed and built again.
        replaced: see `track`.

    Raises:
        DumpError: it is none, it is broken or cut off, or it exceeds a limit.
    """
    if after is not None and _same(after, data, name, replaced):
        return after
    return _read(data, name, after, replaced)


@no_collection()
def _read(data: bytes | str, name: str, after: Tree | None, replaced: Collection[str]) -> Tree:
    """As `load_dump`, of another dump than that of the tree before."""
    if isinstance(data, str):
        if len(data) > MAX_BYTES:
            raise DumpError(f"larger than {MAX_BYTES // 1024 // 1024} MiB: not a UI dump", name=name)
        text = data
    else:
        text = decode(data, name)
    start, end, notes = locate(text, name)
    inner = text[start:end]
    again = reread(inner, after.memory.get("tags", {}) if after is not None else {})
    tags: Tags | None
    if again is not None:
        elements, tags = again
    else:
        elements = flatten(parse_at(text, start, end, name), name, text.count("\n", 0, start))
        parts = pieces(inner)
        fitting = remember(parts, elements) if parts is not None else None
        tags, elements = fitting or (None, elements)
    stale, stand = turned(text, elements, after.memory.get("stand") if after is not None else None)
    if stale:
        notes = (
            *notes,
            "its windows lie as before the turn of the screen: they are not where it says, and not whole",
        )
    tree = build(elements, name=name, notes=notes, partial=stale, after=after, replaced=replaced)
    if stand is not None:
        tree.memory["stand"] = stand
    if tags is not None:
        tree.memory["tags"] = tags
    tree.memory["source"] = data
    return tree


def _same(after: Tree, data: bytes | str, name: str, replaced: Collection[str]) -> bool:
    """Whether a dump is that of the tree before, letter for letter, so that it gives this tree again.

    Not where it has two readings: what shows only in the other one gets a new number on each look.
    """
    known = after.memory.get("source")
    return (
        type(known) is type(data)
        and known == data
        and after.name == name
        and after.other is None
        and not replaced
    )


def load_tree(
    data: Any, *, name: str = "<tree>", after: Tree | None = None, replaced: Collection[str] = ()
) -> Tree:
    """The tree of XML of a dump, or of JSON of an accessibility service, from a device or an agent's framework.

    JSON may be text, or the values that it was parsed to. Known are AndroidWorld's ``UIElement`` lists (the objects
    themselves too), the forests of accessibility-forwarder (as JSON, or the protocol buffer itself), the states of
    mobilerun's portal (``state_full``, ``state``, either ``a11y_tree``, in its envelope or not), and the view lists of
    DroidBot and LlamaTouch. What a source does not say is unknown; a source that leaves out nodes gives a partial tree.

    Args:
        after, replaced: see `load_dump`.

    Raises:
        DumpError: none of these, broken, cut off, or beyond a limit; it names the place.
    """
    if isinstance(data, bytes | bytearray):
        data = decode(bytes(data), name)
    if isinstance(data, str):
        if not looks_like_json(data):
            return load_dump(data, name=name, after=after, replaced=replaced)
        value = load_json(data, name)
    else:
        try:
            value = plain(data)
        except RecursionError as error:
            raise DumpError("nested too deeply", name=name) from error
        except TypeError as error:
            raise DumpError(f"not a UI tree: {error}", name=name) from error
    elements = read_value(value, name, after.memory.get("faces") if after is not None else None)
    tree = build(
        elements.elements,
        name=name,
        notes=tuple(elements.notes),
        partial=elements.partial,
        app=elements.app,
        after=after,
        replaced=replaced,
    )
    tree.memory["faces"] = elements.faced
    return tree


def read_tree(path: str | os.PathLike[str]) -> Tree:
    """The tree in a file, XML or JSON, plain or gzip; see `load_tree`.

    Raises:
        DumpError: as `load_tree`, and broken gzip.
        OSError: unreadable.
    """
    return load_tree(read_bytes(path), name=str(path))


def read_dump(path: str | os.PathLike[str]) -> Tree:
    """The tree of a dump in a file, plain or gzip.

    Raises:
        DumpError: as `load_dump`, and broken gzip.
        OSError: unreadable.
    """
    return load_dump(read_bytes(path), name=str(path))
