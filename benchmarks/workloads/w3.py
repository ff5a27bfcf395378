"""w3: four questions about an accessibility tree of about 200 nodes, of which about 5 % change per event."""

import random
from typing import Any, TypeAlias

from benchmarks.workloads import Work, checked

SEED = 3
COLUMNS = (
    "node", "parent", "index", "class", "id", "text", "desc", "clickable", "enabled", "checked", "selected", "focused",
)  # fmt: skip
RELATIONS = ("Marked", "Rows", "Twice", "Stuck")
WORDS = (
    "pay",
    "order",
    "cart",
    "home",
    "list",
    "item",
    "price",
    "total",
    "new",
    "old",
    "done",
    "edit",
    "help",
)
LEAVES = ("TextView", "Button", "Switch", "ImageView", "CheckBox")

Row: TypeAlias = tuple[Any, ...]
Change: TypeAlias = tuple[Row | None, Row | None]
"""The row before and after: None where it did not exist, or does not exist any more."""


def text(rng: random.Random) -> str:
    return f"{rng.choice(WORDS)} {rng.choice(WORDS)} {rng.randrange(12)}"


class Tree:
    """A tree that changes: rows by node."""

    def __init__(self, seed: int, size: int = 200) -> None:
        self.rng = random.Random(seed)
        self.low, self.high = round(size * 0.925), round(size * 1.075)
        self.rows: dict[int, Row] = {}
        self.children: dict[int, list[int]] = {}
        self.free = 1
        root = self.add(None, "FrameLayout")
        lists = 0
        while len(self.rows) < size:
            panel = self.add(
                self.add(root, "LinearLayout"), "RecyclerView" if lists % 2 == 0 else "LinearLayout"
            )
            lists += 1
            for _ in range(self.rng.randrange(4, 9)):
                row = self.add(panel, "ViewGroup")
                inner = self.add(row, "LinearLayout") if self.rng.random() < 0.5 else row
                for _ in range(self.rng.randrange(1, 4)):
                    self.add(inner, self.rng.choice(LEAVES))

    def add(self, parent: int | None, kind: str) -> int:
        rng = self.rng
        node, self.free = self.free, self.free + 1
        leaf = kind in LEAVES
        known_text = rng.random() < (0.8 if leaf else 0.15)
        index = len(self.children[parent]) if parent is not None else 0
        self.rows[node] = (
            node,
            parent,
            index,
            kind,
            f"id_{rng.randrange(40)}" if rng.random() < 0.6 else None,
            text(rng) if known_text else None,
            rng.choice(WORDS) if rng.random() < 0.2 else None,
            rng.random() < (0.5 if leaf else 0.25),
            rng.random() < 0.95,
            rng.random() < 0.5 if kind in ("Switch", "CheckBox") else None,
            rng.random() < 0.1,
            False,
        )
        self.children[node] = []
        if parent is not None:
            self.children[parent].append(node)
        return node

    def remove(self, node: int) -> int:
        parent = self.rows.pop(node)[1]
        del self.children[node]
        self.children[parent].remove(node)
        return node

    def set(self, node: int, column: str, value: Any) -> set[int]:
        """Write a cell; the node if that changed it."""
        row = list(self.rows[node])
        row[COLUMNS.index(column)] = value
        before, self.rows[node] = self.rows[node], tuple(row)
        return {node} if self.rows[node] != before else set()

    def change(self) -> list[Change]:
        """About 5 % of the nodes change: leaves come and go, texts and flags are written again."""
        rng, before = self.rng, dict(self.rows)
        touched: set[int] = set()
        while len(touched) < len(before) // 20:
            kind = rng.random()
            nodes = list(self.rows)
            leaves = [node for node in nodes if not self.children[node] and self.rows[node][3] in LEAVES]
            if kind < 0.15 and len(self.rows) > self.low and len(leaves) > 10:
                touched.add(self.remove(rng.choice(leaves)))
            elif kind < 0.30 and len(self.rows) < self.high:
                inside = [node for node in nodes if self.rows[node][3] in ("ViewGroup", "LinearLayout")]
                touched.add(self.add(rng.choice(inside), rng.choice(LEAVES)))
            elif kind < 0.65:
                touched |= self.set(rng.choice(leaves), "text", text(rng))
            elif kind < 0.75:
                touched |= self.set(rng.choice(nodes), "enabled", rng.random() < 0.95)
            elif kind < 0.90:
                touched |= self.set(rng.choice(leaves), "checked", rng.random() < 0.5)
            else:
                touched |= self.set(rng.choice(nodes), "selected", rng.random() < 0.1)
        both = before.keys() | self.rows.keys()
        pairs = ((before.get(node), self.rows.get(node)) for node in sorted(both))
        return [(old, new) for old, new in pairs if old != new]


def work(count: int = 500, size: int = 200) -> Work:
    """`spec` is the list of the first rows; an event is a list of changes."""
    tree = Tree(SEED, size)
    first = list(tree.rows.values())
    return Work("w3", checked("w3"), RELATIONS, [tree.change() for _ in range(count)], first)
