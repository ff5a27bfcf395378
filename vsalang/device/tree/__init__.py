"""UI trees as facts: reading dumps, what shows, which node takes a touch, the relations of the tree.

from vsalang.device.tree import TreeScreen, read_dump

screen = TreeScreen(read_dump("window_dump.xml"))
for row in screen.rows("Node"):
    print(row["node"], row.get("label"))
screen.target("tap", {"x": 540, "y": 1800})
"""

import os

from vsalang.device.tree.build import build
from vsalang.device.tree.hit import Hit, hit
from vsalang.device.tree.model import (
    MAX_BYTES,
    MAX_DEPTH,
    MAX_LABEL,
    MAX_NODES,
    DumpError,
    Node,
    Tree,
    Window,
)
from vsalang.device.tree.screen import MAX_ROWS, Notification, TooManyRows, TreeScreen
from vsalang.device.tree.source import decode, parse, read_bytes, unpack

__all__ = [
    "MAX_BYTES",
    "MAX_DEPTH",
    "MAX_LABEL",
    "MAX_NODES",
    "MAX_ROWS",
    "DumpError",
    "Hit",
    "Node",
    "Notification",
    "TooManyRows",
    "Tree",
    "TreeScreen",
    "Window",
    "hit",
    "load_dump",
    "read_dump",
    "unpack",
]


def load_dump(data: bytes | str, *, name: str = "<dump>") -> Tree:
    """The tree of a uiautomator dump.

    Read are the XML of ``uiautomator dump`` and of uiautomator2, and Appium's page source: UTF-8 or UTF-16,
    with or without byte-order mark and XML declaration, with text of tools around the XML, several windows.

    Args:
        data: the dump, not packed (`unpack` does that).
        name: where it comes from, for messages.

    Raises:
        DumpError: it is none, it is broken or cut off, or it exceeds a limit.
    """
    if isinstance(data, str):
        if len(data) > MAX_BYTES:
            raise DumpError(f"larger than {MAX_BYTES // 1024 // 1024} MiB: not a UI dump", name=name)
        text = data
    else:
        text = decode(data, name)
    root, before, notes = parse(text, name)
    return build(root, name=name, lines_before=before, notes=notes)


def read_dump(path: str | os.PathLike[str]) -> Tree:
    """The tree of a dump in a file, plain or gzip.

    Raises:
        DumpError: as `load_dump`, and broken gzip.
        OSError: unreadable.
    """
    return load_dump(read_bytes(path), name=str(path))
