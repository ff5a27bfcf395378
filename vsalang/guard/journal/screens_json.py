"""Screens as records, and back: a guard that is shown a screen out of a journal judges as on the screen itself."""

import dataclasses
import datetime as dt
import hashlib
import json
from collections.abc import Mapping
from functools import cache
from operator import attrgetter
from types import MappingProxyType
from typing import Any, Final

from vsalang.base.records import dataclass
from vsalang.guard.journal.file import JournalError
from vsalang.guard.journal.values_json import cells_json, moment, read_cells, want
from vsalang.guard.world.fact_screen import FactScreen
from vsalang.program.screen import Screen
from vsalang.program.values import without_unknown
from vsalang.screen.screen import TreeScreen
from vsalang.screen.tree import Tree, Window
from vsalang.screen.tree.node import HiddenElement, Node

NODE_COLUMNS: Final = tuple(
    field.name for field in dataclasses.fields(Node) if field.name not in ("place", "unread")
)
"""What is recorded of a node, in order. Its place is used as its number, which is valid for one look only."""
_AFTER_PARENT: Final = attrgetter(*NODE_COLUMNS[2:])
"""The values of the columns after `node` and `parent`."""
WINDOW_COLUMNS: Final = tuple(field.name for field in dataclasses.fields(Window))
"""What is recorded of a window, in order."""
LOST_COLUMNS: Final = tuple(field.name for field in dataclasses.fields(HiddenElement) if field.name != "text")
"""What is recorded of an element without a visible area, in order; of its parent the place. Nothing judges its text."""


@dataclass(frozen=True, slots=True)
class ScreenParts:
    """A screen in two parts: `body`, the same for as long as the picture is the same, and `look`, of this look."""

    form: str
    body: Mapping[str, Any]
    look: Mapping[str, Any]

    @property
    def id(self) -> str:
        """A name for the body: equal bodies have the same."""
        text = json.dumps([self.form, self.body], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]


class KeptBody(dict[str, Any]):
    """The record of a screen that many sessions share: its trees are kept with it. Nobody changes it.

    Attributes:
        trees: by what a look says of the numbers of nodes.
    """

    def __init__(self, data: Mapping[str, Any]) -> None:
        super().__init__(data)
        self.trees: dict[str, Tree] = {}


_MOST_TREES: Final = 8
"""So many trees of a body are kept: a node may have another number in each look."""


def screen_json(screen: Screen) -> ScreenParts:
    """A screen as data.

    Raises:
        JournalError: a kind of screen that cannot be recorded.
    """
    if isinstance(screen, TreeScreen):
        return _tree_json(screen)
    if isinstance(screen, FactScreen):
        facts = {name: [cells_json(row) for row in rows] for name, rows in screen.facts.items()}
        return ScreenParts("facts", {"facts": facts, **_unread_json(screen.unread)}, {})
    raise JournalError(
        f"a {type(screen).__name__} cannot be recorded: give the guard a TreeScreen or a FactScreen"
    )


def read_screen(form: str, body: Mapping[str, Any], look: Mapping[str, Any]) -> Screen:
    """The screen that `screen_json` wrote.

    Raises:
        JournalError: it is none.
    """
    try:
        if form == "tree":
            return _read_tree(body, look)
        if form == "facts":
            facts = {
                name: tuple(without_unknown(read_cells(row).items()) for row in rows)
                for name, rows in body["facts"].items()
            }
            return FactScreen(MappingProxyType(facts), MappingProxyType(_read_unread(body)))
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise JournalError(f"an invalid screen: {type(error).__name__}: {error}") from error
    raise JournalError(f"a screen of an unknown form: {form[:80]}")


def _tree_json(screen: TreeScreen) -> ScreenParts:
    tree = screen.tree
    body: dict[str, Any] = {
        "app": None if screen.app is None else list(screen.app),
        "name": tree.name,
        "total": tree.total,
        "notes": list(tree.notes),
        "windows": {"columns": WINDOW_COLUMNS, "rows": [dataclasses.astuple(w) for w in tree.windows]},
        "nodes": {"columns": NODE_COLUMNS, "rows": [_row(node, tree) for node in tree.nodes]},
    }
    unread = {node.place: node.unread for node in tree.nodes}
    body |= _unread_json(unread)
    if tree.lost:
        body["lost"] = {"columns": LOST_COLUMNS, "rows": [_lost_row(item, tree) for item in tree.lost]}
    other = tree.other
    if other is not None:
        known = {_row(node, tree) for node in tree.nodes}
        differing = [row for node in other.nodes if (row := _row(node, other)) not in known]
        body["otherwise"] = {
            "windows": {"columns": WINDOW_COLUMNS, "rows": [dataclasses.astuple(w) for w in other.windows]},
            "nodes": {"columns": NODE_COLUMNS, "rows": differing},
        }
        there = {node.place: node.unread for node in other.nodes}
        differs = {n: sorted(names) for n, names in there.items() if names != unread.get(n, frozenset())}
        if differs:
            body["otherwise"]["unread"] = {str(number): names for number, names in sorted(differs.items())}
    look: dict[str, Any] = {"settled": screen.settled}
    if any(node.node != node.place for node in tree.nodes):
        look["numbers"] = [node.node for node in tree.nodes]
        if other is not None:
            look["numbers"] += [node.node for node in other.nodes if node.node not in tree.by_number]
    if tree.highest != tree.total:
        look["highest"] = tree.highest
    if screen.now is not None:
        look["now"] = screen.now.isoformat()
    if screen.partial:
        look["partial"] = True
    if screen.toasts:
        look["toasts"] = list(screen.toasts)
    if screen.notifications:
        look["notifications"] = [list(item) for item in screen.notifications]
    if screen.system:
        look["system"] = {name: [cells_json(row) for row in rows] for name, rows in screen.system.items()}
    return ScreenParts("tree", body, look)


def _unread_json(unread: Mapping[int, frozenset[str]]) -> dict[str, Any]:
    """What was not read of nodes, by number; nothing if all was read."""
    unread_names = {str(node): sorted(names) for node, names in sorted(unread.items()) if names}
    return {"unread": unread_names} if unread_names else {}


def _read_unread(body: Mapping[str, Any]) -> dict[int, frozenset[str]]:
    return {
        int(node): frozenset(
            want(name, str, "an attribute") for name in want(names, list, "a list of attributes")
        )
        for node, names in body.get("unread", {}).items()
    }


def _row(node: Node, tree: Tree) -> tuple[Any, ...]:
    parent = None if node.parent is None else tree.by_number[node.parent].place
    return (node.place, parent, *_AFTER_PARENT(node))


def _lost_row(item: HiddenElement, tree: Tree) -> tuple[Any, ...]:
    parent = None if item.parent is None else tree.by_number[item.parent].place
    return tuple(parent if name == "parent" else getattr(item, name) for name in LOST_COLUMNS)


def _numbered(places: list[int], numbers: Any) -> dict[int, int]:
    """The numbers that nodes had in one look, by their places."""
    numbers = want(numbers, list, "numbers")
    if len(numbers) != len(places) or len(set(numbers)) != len(places):
        raise JournalError("not one number for each node")
    return {place: want(number, int, "a number") for place, number in zip(places, numbers, strict=True)}


def _nodes(
    rows: list[dict[str, Any]], numbers: Mapping[int, int], unread: Mapping[int, frozenset[str]]
) -> tuple[Node, ...]:
    """The nodes of rows that have places for numbers, which are those of `unread`, too."""
    places = {row["node"] for row in rows}
    for row in rows:
        if row["parent"] is not None and not (row["parent"] in places and row["parent"] < row["node"]):
            raise JournalError("a node that hangs in a later one, or in none that is there")
    return tuple(
        Node(
            **{
                **row,
                "node": numbers[row["node"]],
                "parent": None if row["parent"] is None else numbers[row["parent"]],
                "place": row["node"],
                "unread": unread.get(row["node"], frozenset()),
            }
        )
        for row in rows
    )


def _tree(body: Mapping[str, Any], look: Mapping[str, Any]) -> Tree:
    """The tree of a screen; the same object where the body is kept and the look says the same of it."""
    if not isinstance(body, KeptBody):
        return _made_tree(body, look)
    key = repr((look.get("numbers"), look.get("highest")))
    tree = body.trees.get(key)
    if tree is None:
        tree = _made_tree(body, look)
        if len(body.trees) >= _MOST_TREES:
            body.trees.clear()
        body.trees[key] = tree
    return tree


def _made_tree(body: Mapping[str, Any], look: Mapping[str, Any]) -> Tree:
    rows = table(body["nodes"], Node)
    mine = [row["node"] for row in rows]
    more: list[dict[str, Any]] = []
    if "otherwise" in body:
        differing = {row["node"]: row for row in table(body["otherwise"]["nodes"], Node)}
        both = {row["node"]: row for row in rows} | differing
        more = [both[place] for place in sorted(both)]
    places = [*mine, *(row["node"] for row in more if row["node"] not in set(mine))]
    numbers = _numbered(places, look.get("numbers", places))
    unread = _read_unread(body)
    total = want(body["total"], int, "total")
    highest = want(look.get("highest", 0), int, "highest")
    tree = Tree(
        _nodes(rows, numbers, unread),
        tuple(Window(**row) for row in table(body["windows"], Window)),
        total,
        body["name"],
        tuple(body["notes"]),
        highest=highest,
        lost=tuple(
            HiddenElement(
                **{**row, "text": None, "parent": None if row["parent"] is None else numbers[row["parent"]]}
            )
            for row in (table(body["lost"], HiddenElement) if "lost" in body else ())
        ),
    )
    if "otherwise" in body:
        windows = tuple(Window(**row) for row in table(body["otherwise"]["windows"], Window))
        there = _nodes(more, numbers, unread | _read_unread(body["otherwise"]))
        other = Tree(there, windows, total, body["name"], highest=tree.highest, lost=tree.lost)
        tree = dataclasses.replace(tree, other=other)
    return tree


def _read_tree(body: Mapping[str, Any], look: Mapping[str, Any]) -> TreeScreen:
    tree, app = _tree(body, look), body["app"]
    now: dt.datetime | None = moment(look["now"]) if "now" in look else None
    return TreeScreen(
        tree,
        app=None if app is None else (want(app[0], str, "a package"), app[1]),
        now=now,
        toasts=look.get("toasts", ()),
        notifications=[tuple(item) for item in look.get("notifications", ())],
        system={
            name: [without_unknown(read_cells(row).items()) for row in rows]
            for name, rows in look.get("system", {}).items()
        },
        settled=look.get("settled", False) is True,
        partial=look.get("partial", False) is True,
    )


_KINDS: Final[Mapping[str, type]] = {"int": int, "str": str, "bool": bool}


def table(data: Mapping[str, Any], kind: type) -> list[dict[str, Any]]:
    """The rows of a table as name -> value, their types as the fields of the class say.

    Raises:
        JournalError: a value of another type, or a row that is too short.
    """
    fields = _fields(kind)
    columns = want(data["columns"], list, "columns")
    rows = want(data["rows"], list, "rows")
    table_rows = []
    for row in rows:
        if len(row) != len(columns):
            raise JournalError("a row of another length than the columns")
        cells = dict(zip(columns, row, strict=True))
        for name, value in cells.items():
            wanted = fields.get(name)
            if wanted is None:
                raise JournalError(f"a column of an unknown name: {str(name)[:80]}")
            if type(value) not in wanted:
                raise JournalError(f"{name} is not of type {wanted[0].__name__}")
        table_rows.append(cells)
    return table_rows


@cache
def _fields(kind: type) -> Mapping[str, tuple[type, ...]]:
    """The types that each field of a class may have; the first is not None."""
    fields = {}
    for field in dataclasses.fields(kind):
        if field.name == "unread":  # it is recorded next to the table
            continue
        wanted = field.type.__name__ if isinstance(field.type, type) else str(field.type)
        first = _KINDS[wanted.split(" ")[0]]
        fields[field.name] = (first, type(None)) if "None" in wanted else (first,)
    return fields
