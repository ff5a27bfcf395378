"""What is done to a screen: attributes and nodes left out, boxes made wrong, values made other ones."""

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal, TypeAlias

from benchmarks.seeing.trees import ATTRIBUTES, FLAGS, ROOT, Box, Format, Page, bounds, without

Kind: TypeAlias = Literal["a", "b", "c", "d", "e", "f"]
KINDS: Final[dict[Kind, str]] = {
    "a": "attributes left out",
    "b": "boxes inverted, empty, outside the parent, or older than the rotation",
    "c": "cells of a row of a list left out",
    "d": "a child of a list left out while its node counts or shows one more",
    "e": "whole nodes left out (nobody can know)",
    "f": "sane but wrong values (nobody can know)",
}
BOUND: Final[frozenset[Kind]] = frozenset({"a", "b", "c", "d"})
"""The kinds by which no verdict may become more permissive."""

Role: TypeAlias = Literal["touched", "ancestor", "descendant", "list", "other", "all", "screen"]

LISTS: Final = frozenset({"dishes", "slots", "rows"})
"""Ids of the lists that the programs of simulated screens know."""

_LIKELY: Final = (
    *("text", "resource-id", "class", "package", "content-desc", "clickable", "enabled", "checked"),
    *("focused", "scrollable", "password", "checkable", "long-clickable", "selected"),
)
_HOW: Final = ("inverted", "inverted", "empty", "empty", "outside", "outside", "rotated")


@dataclass(frozen=True, slots=True)
class Edit:
    """One change of one node.

    Attributes:
        do: ``drop`` an attribute, ``set`` one, ``remove`` the node; ``hide`` it: what else tells of it stays; ``app``:
            the app in front is not known.
        at: position of the node on the page that nothing was done to.
    """

    do: Literal["drop", "set", "remove", "hide", "app"]
    at: int = ROOT
    attr: str = ""
    value: str = ""


@dataclass(frozen=True, slots=True)
class Change:
    """Edits that have one cause.

    Attributes:
        cause: in a word or two, such as the attribute.
        role: what the node is to the one that is touched.
    """

    cause: str
    role: Role
    edits: tuple[Edit, ...]


def changed(page: Page, changes: Iterable[Change]) -> Page:
    """The page after these changes."""
    edits = [edit for change in changes for edit in change.edits]
    attrs = [dict(each) for each in page.attrs]
    app = page.app
    for edit in edits:
        if edit.do == "drop":
            attrs[edit.at].pop(edit.attr, None)
        elif edit.do == "set":
            attrs[edit.at][edit.attr] = edit.value
        elif edit.do == "app":
            app = None
    page = replace(page, attrs=tuple(attrs), app=app)
    hidden = {edit.at for edit in edits if edit.do == "hide"}
    removed = {edit.at for edit in edits if edit.do == "remove"}
    if removed:
        page = without(page, removed, told=False)
    if hidden:
        page = without(page, {at for at, place in enumerate(page.places) if place in hidden}, told=True)
    return page


# ---------------------------------------------------------------------- which nodes


def lists(page: Page) -> list[int]:
    """The nodes that hold rows: those that programs know, else those with three alike children or more."""
    children = page.children()
    known = [at for at in range(len(page.attrs)) if page.short_id(at) in LISTS and children.get(at)]
    if known:
        return known
    found = []
    for at, mine in children.items():
        if at != ROOT and len(mine) >= 3:
            alike = {(page.attrs[child].get("class"), page.attrs[child].get("resource-id")) for child in mine}
            if len(alike) <= 1 + len(mine) // 4:
                found.append(at)
    return found


def _nodes(rng: random.Random, page: Page, touched: int) -> tuple[Role, list[int]]:
    """Nodes to change, and what they are to the touched one (`ROOT`: none is touched)."""
    everything = list(range(len(page.attrs)))
    roles: dict[Role, list[int]] = {"other": everything}
    if touched != ROOT:
        roles["touched"] = [touched]
        roles["ancestor"] = list(page.around(touched))
        roles["descendant"] = page.inside(touched)
    in_lists = [node for at in lists(page) for node in (at, *page.inside(at))]
    roles["list"] = in_lists
    weights: dict[Role, int] = {"touched": 40, "ancestor": 13, "descendant": 12, "list": 15, "other": 12}
    usable: list[Role] = [role for role, nodes in roles.items() if nodes]
    role = rng.choices(usable, [weights[role] for role in usable])[0]
    count = min(len(roles[role]), rng.choices((1, 2, 3), (8, 1, 1))[0])
    return role, rng.sample(roles[role], count)


# ---------------------------------------------------------------------- the kinds


def draw(
    kind: Kind, rng: random.Random, page: Page, touched: int, form: Format, prefer: Sequence[tuple[int, str]]
) -> tuple[Change, ...]:
    """Changes of a kind; none: there is nothing on this page that could be changed so.

    Args:
        touched: the node at the point or with the attributes of the proposal; `ROOT`: none.
        prefer: nodes and attributes that differ from the look before.
    """
    if kind == "a":
        return _left_out(rng, page, touched, prefer)
    if kind == "b":
        return _boxes(rng, page, touched)
    if kind == "c":
        return _cells(rng, page)
    if kind == "d":
        return _child(rng, page, form)
    if kind == "e":
        role, nodes = _nodes(rng, page, touched)
        return tuple(Change("node", role, (Edit("remove", at),)) for at in nodes[:2])
    return _wrong(rng, page, touched)


def _left_out(
    rng: random.Random, page: Page, touched: int, prefer: Sequence[tuple[int, str]]
) -> tuple[Change, ...]:
    if prefer and rng.random() < 0.5:
        at, attr = rng.choice(prefer)
        if attr in page.attrs[at]:
            return (Change(attr, "touched" if at == touched else "other", (Edit("drop", at, attr),)),)
    how = rng.random()
    if how < 0.04:
        return (Change("app", "screen", (Edit("app"),)),)
    if how < 0.14:
        attr = rng.choice(_LIKELY)
        edits = tuple(Edit("drop", at, attr) for at, has in enumerate(page.attrs) if attr in has)
        return (Change(attr, "all", edits),) if edits else ()
    role, nodes = _nodes(rng, page, touched)
    there = sorted({attr for at in nodes for attr in page.attrs[at] if attr in ATTRIBUTES})
    likely = [attr for attr in _LIKELY if attr in there]
    pool = likely if likely and rng.random() < 0.85 else there
    if not pool:
        return ()
    attrs = rng.sample(pool, min(len(pool), rng.choices((1, 2, 3), (8, 1, 1))[0]))
    return tuple(
        Change(attr, role, (Edit("drop", at, attr),))
        for attr in attrs
        for at in nodes
        if attr in page.attrs[at]
    )


def _boxes(rng: random.Random, page: Page, touched: int) -> tuple[Change, ...]:
    role, nodes = _nodes(rng, page, touched)
    found = []
    for at in nodes[:2]:
        how = rng.choice(_HOW)
        if how == "rotated":
            edits = rotated(page, at)
            if edits and not _sane(page, edits):
                found.append(Change("bounds rotated", role, edits))
                continue
            how = "empty"
        box = page.box(at)
        outer = page.box(page.parents[at]) if page.parents[at] != ROOT else None
        if how == "outside" and outer is None:
            how = "inverted"
        found.append(
            Change(f"bounds {how}", role, (Edit("set", at, "bounds", bounds(_bad(rng, how, box, outer))),))
        )
    return tuple(found)


def _bad(rng: random.Random, how: str, box: Box, outer: Box | None) -> Box:
    left, top, right, bottom = box
    if how == "inverted" and left < right and top < bottom:
        return rng.choice(
            ((right, bottom, left, top), (right, top, left, bottom), (left, bottom, right, top))
        )
    if how == "outside" and outer is not None:
        width, height = max(right - left, 1), max(bottom - top, 1)
        return rng.choice(
            (
                (outer[2], top, outer[2] + width, bottom),
                (left, outer[3], right, outer[3] + height),
                (left, outer[1] - height, right, outer[1]),
            )
        )
    return rng.choice(
        ((0, 0, 0, 0), (left, top, left, top), (left, top, right, top), (left, top, left, bottom))
    )


def rotated(page: Page, at: int) -> tuple[Edit, ...]:
    """A node and all inside of it with the boxes of the other orientation."""
    width = max((page.box(root)[2] for root in page.children().get(ROOT, [])), default=0)

    def turned(box: Box) -> Box:
        return box[1], width - box[2], box[3], width - box[0]

    return tuple(
        Edit("set", node, "bounds", bounds(turned(page.box(node)))) for node in (at, *page.inside(at))
    )


def _sane(page: Page, edits: Sequence[Edit]) -> bool:
    """Whether every changed box lies in that of its parent, so that nobody can know that it is wrong."""
    new = changed(page, [Change("", "other", tuple(edits))])
    for edit in edits:
        box, parent = new.box(edit.at), new.parents[edit.at]
        if box[0] >= box[2] or box[1] >= box[3]:
            return False
        if parent == ROOT:
            if box != page.box(edit.at):
                return False
            continue
        outer = new.box(parent)
        if box[0] < outer[0] or box[1] < outer[1] or box[2] > outer[2] or box[3] > outer[3]:
            return False
    return True


def _rows(rng: random.Random, page: Page) -> tuple[list[int], dict[int, list[int]]]:
    """The rows of one list, and the cells in each."""
    found = lists(page)
    if not found:
        return [], {}
    rows = page.children()[rng.choice(found)]
    return rows, {row: page.inside(row) or [row] for row in rows}


_CELLS: Final = (
    "text",
    "text",
    "resource-id",
    "checked",
    "checked",
    "enabled",
    "content-desc",
    "class",
    "node",
)


def _cells(rng: random.Random, page: Page) -> tuple[Change, ...]:
    rows, cells = _rows(rng, page)
    if not rows:
        return ()
    model = rng.choice(rows)
    nth = rng.randrange(len(cells[model]))
    name = page.short_id(cells[model][nth])
    there = page.attrs[cells[model][nth]]
    attr = rng.choice([attr for attr in _CELLS if attr == "node" or _tells(there, attr)])
    chosen = [model] if rng.random() < 0.5 else rows
    edits = []
    for row in chosen:
        for cell in cells[row] if name else cells[row][nth : nth + 1]:
            if name and page.short_id(cell) != name:
                continue
            if attr == "node" and cell != row:
                edits.append(Edit("remove", cell))
            elif attr in page.attrs[cell]:
                edits.append(Edit("drop", cell, attr))
    return (Change(f"cell {attr}", "list", tuple(edits)),) if edits else ()


def _tells(attrs: Mapping[str, str], attr: str) -> bool:
    """Whether an attribute may give a cell."""
    if attr == "checked":
        return attrs.get("checkable") == "true" and attr in attrs
    return bool(attrs.get(attr)) and not (attr == "selected" and attrs[attr] == "false")


def _child(rng: random.Random, page: Page, form: Format) -> tuple[Change, ...]:
    rows, cells = _rows(rng, page)
    if len(rows) < 2:
        return ()
    chosen = [rng.choice(rows)] if rng.random() < 0.6 else rows[:-1]
    indexed = form == "dump" and rows[-1] not in chosen and all("index" in page.attrs[each] for each in rows)
    if (form == "views" or indexed) and rng.random() < 0.5:
        said = "child_count" if form == "views" else "index"
        return (Change(f"child, {said} stays", "list", tuple(Edit("hide", row) for row in chosen)),)
    if rng.random() < 0.5:
        attrs = ("resource-id", "class")
        edits = [Edit("drop", row, attr) for row in chosen for attr in attrs if attr in page.attrs[row]]
        return (Change("row without id and class", "list", tuple(edits)),) if edits else ()
    keep = {"bounds", "index", "drawing-order", "clickable", "scrollable"}
    edits = [
        Edit("drop", node, attr)
        for node in dict.fromkeys(node for row in chosen for node in (row, *cells[row]))
        for attr in page.attrs[node]
        if attr in ATTRIBUTES and attr not in keep
    ]
    return (Change("row without what it says", "list", tuple(edits)),) if edits else ()


def _wrong(rng: random.Random, page: Page, touched: int) -> tuple[Change, ...]:
    role, nodes = _nodes(rng, page, touched)
    found = []
    for at in nodes[:2]:
        edit = other_value(rng, page, at)
        if edit is not None:
            found.append(Change(edit.attr, role, (edit,)))
    return tuple(found)


def other_value(rng: random.Random, page: Page, at: int, *, telling: bool = False) -> Edit | None:
    """One attribute of a node with another value that might be right.

    Args:
        telling: only one that rules are likely to read.
    """
    has = page.attrs[at]
    pool = [
        attr for attr in (*FLAGS, "text", "resource-id", "class", "content-desc", "bounds") if attr in has
    ]
    if telling:
        pool = [attr for attr in ("text", "checked", "enabled", "focused", "selected") if _tells(has, attr)]
        if not pool:
            return None
    attr = rng.choice(pool)
    if attr in FLAGS:
        return Edit("set", at, attr, "false" if has[attr] == "true" else "true")
    if attr == "bounds":
        left, top, right, bottom = page.box(at)
        return Edit("set", at, attr, bounds((left, top, (left + right + 1) // 2, (top + bottom + 1) // 2)))
    others = sorted({each[attr] for each in page.attrs if each.get(attr)} - {has[attr]})
    return Edit("set", at, attr, rng.choice(others)) if others else None
