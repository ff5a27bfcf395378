"""Reads the list of touches, and prints them for a person: ``python -m benchmarks.effects.touches show 12 20-31``.

A touch is shown on its screen as text: what is nested is indented, ``•`` takes touches, ``>>12>>`` marks touch 12. What
the next recorded screen shows comes only with ``--after``: a label must be decidable without it.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Final

from benchmarks.effects.screens import DATA, Recorded, read_screens
from vsalang.screen.tree import Node, Tree

LIST: Final = Path(__file__).with_name("touches.tsv")
FAR: Final = 28
"""On a long screen, so many lines around a touch are shown."""
LONG: Final = 90
MOST: Final = 100
"""So many characters of a text are shown."""


@dataclass(frozen=True, slots=True)
class Touch:
    """A touch of a control of a recorded screen.

    Attributes:
        touch: its number, from 1.
        split: ``open`` or ``closed``: whether it may be looked at while rules are written.
        app: the package.
        language: of the app's texts.
        screen: the digest of the screen's source.
        place: the place of the touched node in its tree (`vsalang.screen.tree.Node.place`).
        control: the place of the node that takes the touch.
        cls, id, bounds: of the touched node, to check that it is the right one.
        kind: the kind of control, by its structure, as the lot saw it.
        next: the digest of the screen that was recorded after the touch; ``-``: not recorded.
    """

    touch: int
    split: str
    app: str
    language: str
    screen: str
    place: int
    control: int
    cls: str
    id: str
    bounds: str
    kind: str
    next: str

    def line(self) -> str:
        """The touch as a line of the list, without line break."""
        return "\t".join(str(getattr(self, name)) for name in COLUMNS)


COLUMNS: Final = tuple(column.name for column in fields(Touch))
_NUMBERS: Final = frozenset({"touch", "place", "control"})


class ListError(Exception):
    """The list is not what it should be, or the data is not that of the list."""


def read_touches(file: Path = LIST) -> tuple[Touch, ...]:
    """The touches of a list.

    Raises:
        ListError: a line has not the columns of a touch.
        OSError: it cannot be read.
    """
    lines = [line for line in file.read_text("utf-8").splitlines() if not line.startswith("#")]
    if not lines or tuple(lines[0].split("\t")) != COLUMNS:
        raise ListError(f"{file}: the first line does not name the columns {' '.join(COLUMNS)}")
    found = []
    for number, line in enumerate(lines[1:], 2):
        cells = dict(zip(COLUMNS, line.split("\t"), strict=False))
        if len(line.split("\t")) != len(COLUMNS):
            raise ListError(f"{file}: line {number} without the comments has not {len(COLUMNS)} columns")
        found.append(Touch(**{k: int(v) if k in _NUMBERS else v for k, v in cells.items()}))  # type: ignore[arg-type]
    return tuple(found)


def locate(touch: Touch, screens: Mapping[str, Recorded]) -> tuple[Tree, Node]:
    """The screen of a touch, and the node that is touched.

    Raises:
        ListError: the data lacks the screen, or another node stands there.
    """
    if touch.screen not in screens:
        raise ListError(f"touch {touch.touch}: the data has no screen {touch.screen}")
    tree = screens[touch.screen].tree()
    node = next((node for node in tree.nodes if node.place == touch.place), None)
    if node is None or (node.cls or "-") != touch.cls or (node.id or "-") != touch.id:
        raise ListError(f"touch {touch.touch}: another node stands at place {touch.place}")
    return tree, node


def chosen(words: Iterable[str], touches: Sequence[Touch]) -> list[Touch]:
    """The touches with these numbers; ``20-31`` are those from 20 to 31. Raises `ListError`."""
    wanted: set[int] = set()
    for word in words:
        first, _, last = word.partition("-")
        if not first.isdigit() or not (last or first).isdigit():
            raise ListError(f"{word!r} is not the number of a touch, nor two with a dash between")
        wanted.update(range(int(first), int(last or first) + 1))
    found = [touch for touch in touches if touch.touch in wanted]
    if not found:
        raise ListError("there are no touches with these numbers")
    return found


def shown(touches: Sequence[Touch], screens: Mapping[str, Recorded], *, after: bool = False) -> str:
    """Touches as text, each screen once.

    Args:
        touches: in the order of the list.
        screens: the recorded screens, by digest.
        after: also say what the next recorded screen shows that this one does not, and the other way round.

    Raises:
        ListError: see `locate`.
    """
    pages = []
    for (digest, app), group in groupby(touches, key=lambda touch: (touch.screen, touch.app)):
        here = list(group)
        trees = [locate(touch, screens)[0] for touch in here]
        pages.append(f"=== {app} ({here[0].language}) screen {digest}")
        pages.append(page(trees[0], {touch.place: touch.touch for touch in here}))
        if after:
            pages += [_difference(touch, trees[0], screens) for touch in here if touch.next in screens]
    return "\n".join(pages) + "\n"


def page(tree: Tree, marks: Mapping[int, int]) -> str:
    """A screen as text.

    Args:
        tree: the screen.
        marks: place of a touched node -> number of its touch.
    """
    depth: dict[int, int] = {}
    lines: list[str] = []
    at: list[int] = []
    window = 0
    for node in tree.nodes:
        told = _said(node, node.place in marks)
        level = depth.get(node.parent, 0) if node.parent is not None else 0
        depth[node.node] = level + bool(told)
        if node.window != window and len(tree.windows) > 1:
            window = node.window
            lines.append(f"-- window {window}")
        if not told:
            continue
        if node.place in marks:
            at.append(len(lines))
            told = f">>{marks[node.place]}>> {told}"
        lines.append(" " * level + told)
    if len(lines) <= LONG:
        return "\n".join(lines)
    near = [n < FAR // 2 or any(abs(n - mark) <= FAR for mark in at) for n in range(len(lines))]
    return "\n".join(lines[n] if near[n] else "   ..." for n in range(len(lines)) if near[n] or near[n - 1])


def _said(node: Node, marked: bool) -> str:
    """What a line says of a node; empty where it has nothing to say."""
    texts = [text for text in (node.text, node.desc) if text]
    if node.hint and node.hint not in texts:
        texts.append(f"hint: {node.hint}")
    own = " | ".join(_short(text) for text in dict.fromkeys(texts))
    if not (own or node.id or node.clickable or node.checkable or node.editable or marked):
        return ""
    flags = [
        name
        for name, holds in (
            ("CHECKED" if node.checked else "unchecked", node.checkable),
            ("selected", node.selected),
            ("disabled", node.enabled is False),
            ("field", node.editable),
            ("password", node.password),
            ("scrolls", node.scrollable),
        )
        if holds
    ]
    place = (
        ""
        if not (node.clickable or marked)
        else " @{},{} {}x{}".format(*node.centre, node.right - node.left, node.bottom - node.top)
    )
    name = f" #{node.id}" if node.id else ""
    text = f' "{own}"' if own else ""
    told = f" ({', '.join(flags)})" if flags else ""
    return f"{'•' if node.clickable else '-'}{node.cls}{name}{text}{told}{place}"


def _short(text: str) -> str:
    text = text.replace("\n", "/")
    return text if len(text) <= MOST else text[: MOST - 1] + "…"


def _difference(touch: Touch, tree: Tree, screens: Mapping[str, Recorded]) -> str:
    """What the screen after a touch shows that the one before does not, and the other way round."""
    before, after = (Counter(filter(None, map(_words, t.nodes))) for t in (tree, screens[touch.next].tree()))
    came = ", ".join(_short(text) for text in list(after - before)[:25]) or "nothing"
    went = ", ".join(_short(text) for text in list(before - after)[:12]) or "nothing"
    return f"    after {touch.touch}: there comes {came}; there goes {went}"


def _words(node: Node) -> str:
    """What a node shows: its text, and whether it is checked."""
    text = node.text or node.desc or ""
    return f"{text} [{'x' if node.checked else ' '}]" if node.checkable else text


@cache
def _screens(data: Path) -> Mapping[str, Recorded]:
    return read_screens(data)


def main(arguments: Sequence[str] | None = None) -> int:
    """Show touches."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, default=DATA, help="the folder of recordings")
    parser.add_argument("--list", type=Path, default=LIST, help="the list of touches")
    commands = parser.add_subparsers(dest="command", required=True)
    show = commands.add_parser("show", help="print touches on their screens")
    show.add_argument("numbers", nargs="+", metavar="N", help="the number of a touch, or FIRST-LAST")
    show.add_argument("--after", action="store_true", help="also what the next recorded screen shows")
    options = parser.parse_args(arguments)
    try:
        touches = chosen(options.numbers, read_touches(options.list))
        sys.stdout.write(shown(touches, _screens(options.data), after=options.after))
    except (ListError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
