"""Learns what varies on a screen that was seen several times: texts and check marks, and lists of rows."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from vsalang.agents.maps.drafted import Field, Part, Rows
from vsalang.agents.maps.samples import Look
from vsalang.screen.control.keys import marked
from vsalang.screen.tree import Node

_MOST_CELLS: Final = 12
_MOST_PARTS: Final = 8
_BUTTON: Final = re.compile(r"(Button|Chip|Switch|CheckBox)$")
"""What is disabled takes no touch, so its class tells that it is a control."""
_CHOOSER: Final = re.compile(
    r"(Spinner|Chip|Tab|TabView|TabLayout|TabWidget|SearchView|RadioButton|ToggleButton)$"
)
"""What chooses, by its class, which rows of a list show."""


def texts(looks: Sequence[Look]) -> tuple[str, ...]:
    """Some of what can be read. Untrusted."""
    words = (
        node.text for look in looks[:3] for node in look.screen.tree.nodes if node.text and not node.editable
    )
    return tuple(dict.fromkeys(words))[:8]


def fields(looks: Sequence[Look]) -> Iterator[Field]:
    """Cells that vary: ids outside of rows that one node of each look has."""
    values: dict[tuple[str, str], Counter[object]] = {}
    several: set[str] = set()
    for look in looks:
        marks = marked(look.screen.tree)
        count = Counter(node.id for node in look.screen.tree.nodes if node.id)
        several |= {id for id, number in count.items() if number > 1}
        for node in look.screen.tree.nodes:
            if not node.id or marks[node.node].row is not None or node.password:
                continue
            if node.package not in (None, look.screen.app[0] if look.screen.app else None):
                continue
            if node.checkable and node.checked is not None:
                values.setdefault((node.id, "checked"), Counter())[node.checked] += 1
            elif node.text and not node.takes_touch:
                values.setdefault((node.id, "text"), Counter())[node.text] += 1
            elif node.editable:
                values.setdefault((node.id, "text"), Counter())[node.text or ""] += 1
    fields = [
        Field(id, kind, len(seen), seen.total())
        for (id, kind), seen in sorted(values.items())
        if id not in several and (len(seen) > 1 or kind == "checked")
    ]
    yield from sorted(fields, key=lambda each: (-each.values, each.id))[:_MOST_CELLS]


def lists(looks: Sequence[Look]) -> Iterator[Rows]:
    """Nodes with an id whose children are rows, and what in these differs: texts, marks, whether a button works."""
    values: dict[str, dict[Part, Counter[object]]] = {}
    most: Counter[str] = Counter()
    seen: Counter[str] = Counter()
    filtered: set[str] = set()
    for look in looks:
        for id, rows in _rows(look).items():
            seen[id] += 1
            most[id] = max(most[id], len(rows))
            filtered |= {id} if _filtered(look, rows) else set()
            own = values.setdefault(id, {})
            for row in rows:
                for part, value in _parts(look, row):
                    own.setdefault(part, Counter())[value] += 1
    for id in sorted(most):
        varying_parts = sorted(
            part
            for part, count in values[id].items()
            if count.total() >= 2 and (part.attribute in ("text", "checked") or len(count) > 1)
        )
        inside = [part for part in varying_parts if part.id]
        if most[id] >= 2 and varying_parts:
            parts = tuple(inside[:_MOST_PARTS] or varying_parts)
            yield Rows(id, parts, most[id], seen[id], filtered=id in filtered)


def _filtered(look: Look, rows: Sequence[Node]) -> bool:
    """Whether something outside of a list may choose which of its rows show."""
    tree = look.screen.tree
    own = {node.node for node in tree.inside(tree.by_number[rows[0].parent or 0])}
    return any(
        node.editable or node.selected or _CHOOSER.search(node.cls or "")
        for node in tree.nodes
        if node.node not in own
    )


def _rows(look: Look) -> dict[str, list[Node]]:
    """The rows of each list: of what scrolls or is a list by its class, and children that all have the same id."""
    tree = look.screen.tree
    marks = marked(tree)
    nodes: dict[str, list[Node]] = {}
    for number in sorted({mark.row for mark in marks.values() if mark.row is not None}):
        parent = tree.by_number.get(tree.by_number[number].parent or -1)
        if parent is not None and parent.id:
            nodes.setdefault(parent.id, []).append(tree.by_number[number])
    children: dict[int, list[Node]] = {}
    for node in tree.nodes:
        if node.parent is not None and marks[node.node].row is None:
            children.setdefault(node.parent, []).append(node)
    for number, rows in children.items():
        parent = tree.by_number[number]
        if parent.id and len(rows) >= 2 and rows[0].id and {row.id for row in rows} == {rows[0].id}:
            nodes.setdefault(parent.id, rows)
    return nodes


def _parts(look: Look, row: Node) -> Iterator[tuple[Part, object]]:
    """What a row says: of each id the first node in it, and the row itself."""
    passed: set[str] = set()
    for node in look.screen.tree.inside(row):
        id = "" if node is row else node.id
        if id is None or id in passed or node.password:
            continue
        passed.add(id)
        if node.text:
            yield Part(id, "text"), node.text
        if node.checkable and node.checked is not None:
            yield Part(id, "checked"), node.checked
        if node.takes_touch or _BUTTON.search(node.cls or ""):
            yield Part(id, "enabled"), node.enabled
        yield Part(id, "selected"), node.selected
