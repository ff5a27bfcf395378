"""Screens through a framework's own connection, where a second connection next to it may break it.

On a phone one program at a time uses the automation service. Where a framework does (``uiautomator dump``, an
accessibility service), the guard had better see what the framework sees, than start a server of its own.
"""

import datetime as dt
import time
from collections.abc import Callable
from typing import Any, Final

from vsalang.base.records import dataclass
from vsalang.screen.screen import TreeScreen
from vsalang.screen.tree import Tree, load_tree

INTERVAL: Final = 0.2
TIMEOUT: Final = 5.0


@dataclass(frozen=True, slots=True)
class Glimpse:
    """What a framework saw.

    Attributes:
        tree: what `vsalang.screen.tree.load_tree` reads.
        app: package and activity in the foreground; None: the tree says it, or it is not known.
        now: the device's clock; None: not known.
    """

    tree: Any
    app: tuple[str, str | None] | None = None
    now: dt.datetime | None = None


def screens(
    glimpse: Callable[[], Glimpse], *, name: str, interval: float = INTERVAL, timeout: float = TIMEOUT
) -> Callable[[], TreeScreen]:
    """What takes screens, for a `vsalang.phone.gate.Gate`: it looks until two looks agree.

    A screen that still changes when the time is over is given as it is, and says that it is not settled.

    Args:
        glimpse: takes one look.
        name: of the screen, for messages.
        interval: seconds between two looks.
        timeout: seconds after which it is given as it is.

    The function that is returned raises `DumpError` for what is not a tree, and what `glimpse` raises.
    """
    last: list[Tree] = []

    def one() -> tuple[Tree, Glimpse]:
        seen = glimpse()
        tree = load_tree(seen.tree, name=name, after=last[0] if last else None)
        last[:] = [tree]
        return tree, seen

    def take() -> TreeScreen:
        deadline = time.monotonic() + timeout
        before, seen = one()
        while True:
            time.sleep(interval)
            tree, seen = one()
            settled = (tree.nodes, tree.windows) == (before.nodes, before.windows)
            if settled or time.monotonic() > deadline:
                break
            before = tree
        app = seen.app or tree.app
        return TreeScreen(
            tree, app=app, now=seen.now, settled=settled, partial=not tree.nodes or tree.partial
        )

    return take
