"""Screens as records, and back: a guard that is shown a screen out of a journal judges as on the screen itself."""

import dataclasses
import datetime as dt
import hashlib
import json
from collections.abc import Mapping
from functools import cache
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
from vsalang.screen.tree.node import Node

NODE_COLUMNS: Final = tuple(field.name for field in dataclasses.fields(Node) if field.name != "place")
"""What is recorded of a node, in order. Its place is used as its number, which is valid for one look only."""
WINDOW_COLUMNS: Final = tuple(field.name for field in dataclasses.fields(Window))
"""What is recorded of a window, in order."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A screen in two parts: `body`, the same for as long as the picture is the same, and `look`, of this look."""

    form: str
    body: Mapping[str, Any]
    look: Mapping[str, Any]

    @property
    def id(self) -> str:
        """A name for the body: equal bodies have the same."""
        text = json.dumps([self.form, self.body], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]


def screen_json(screen: Screen) -> Shown:
    """A screen as data.

    Raises:
        JournalError: a kind of screen that cannot be recorded.
    """
    if isinstance(screen, TreeScreen):
        return _tree_json(screen)
    if isinstance(screen, FactScreen):
        facts = {name: [cells_json(row) for row in rows] for name, rows in screen.facts.items()}
        return Shown("facts", {"facts": facts}, {})
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
            return FactScreen(MappingProxyType(facts))
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise JournalError(f"a screen that is none: {type(error).__name__}: {error}") from error
    raise JournalError(f"a screen of an unknown form: {form[:80]}")


def _tree_json(screen: TreeScreen) -> Shown:
    tree = screen.tree
    body: dict[str, Any] = {
        "app": None if screen.app is None else list(screen.app),
        "name": tree.name,
        "total": tree.total,
        "notes": list(tree.notes),
        "windows": {"columns": WINDOW_COLUMNS, "rows": [dataclasses.astuple(w) for w in tree.windows]},
        "nodes": {"columns": NODE_COLUMNS, "rows": [_row(node, tree) for node in tree.nodes]},
    }
    look: dict[str, Any] = {"settled": screen.settled}
    if any(node.node != node.place for node in tree.nodes):
        look["numbers"] = [node.node for node in tree.nodes]
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
    return Shown("tree", body, look)


def _row(node: Node, tree: Tree) -> tuple[Any, ...]:
    parent = None if node.parent is None else tree.by_number[node.parent].place
    own = {"node": node.place, "parent": parent}
    return tuple(own[name] if name in own else getattr(node, name) for name in NODE_COLUMNS)


def _number(rows: list[dict[str, Any]], numbers: Any) -> None:
    """Give the nodes the numbers that they had in one look."""
    numbers = want(numbers, list, "numbers")
    if len(numbers) != len(rows) or len(set(numbers)) != len(rows):
        raise JournalError("not one number for each node")
    given = {row["place"]: want(number, int, "a number") for row, number in zip(rows, numbers, strict=True)}
    for row in rows:
        row["node"] = given[row["place"]]
        if row["parent"] is not None:
            row["parent"] = given[row["parent"]]


def _read_tree(body: Mapping[str, Any], look: Mapping[str, Any]) -> TreeScreen:
    rows = table(body["nodes"], Node)
    places = {row["node"]: row.setdefault("place", row["node"]) for row in rows}
    for row in rows:
        if row["parent"] is not None and places[row["parent"]] >= row["place"]:
            raise JournalError("a node that hangs in a later one")
    if "numbers" in look:
        _number(rows, look["numbers"])
    nodes = tuple(Node(**row) for row in rows)
    windows = tuple(Window(**row) for row in table(body["windows"], Window))
    total = want(body["total"], int, "total")
    highest = want(look.get("highest", 0), int, "highest")
    tree = Tree(nodes, windows, total, body["name"], tuple(body["notes"]), highest=highest)
    app = body["app"]
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
    found = []
    for row in rows:
        if len(row) != len(columns):
            raise JournalError("a row of another length than the columns")
        cells = dict(zip(columns, row, strict=True))
        for name, value in cells.items():
            wanted = fields.get(name)
            if wanted is None:
                raise JournalError(f"a column of an unknown name: {str(name)[:80]}")
            if type(value) not in wanted:
                raise JournalError(f"{name} is no {wanted[0].__name__}")
        found.append(cells)
    return found


@cache
def _fields(kind: type) -> Mapping[str, tuple[type, ...]]:
    """The types that each field of a class may have; the first is not None."""
    found = {}
    for field in dataclasses.fields(kind):
        wanted = field.type.__name__ if isinstance(field.type, type) else str(field.type)
        first = _KINDS[wanted.split(" ")[0]]
        found[field.name] = (first, type(None)) if "None" in wanted else (first,)
    return found
