"""Leaves out what does not count for control, and joins controls with the nodes that belong to them.

No visible node that can be acted on is ever left out: at level ``units`` it is a unit, or a part of one.
"""

from collections.abc import Mapping
from typing import Final

from vsalang.program.text import fold_case
from vsalang.screen.control.keys import Mark, marked, too_many_captions
from vsalang.screen.control.kinds import Groups, kind_of
from vsalang.screen.control.relevance import actionable, semantic, sparse, structural, touchable, words
from vsalang.screen.control.unit import Entry, Kind, Level, NodeKind, Part, ReducedTree, Role, Unit
from vsalang.screen.tree import Node, Tree
from vsalang.screen.tree.caption import is_control
from vsalang.screen.tree.face import wording

_HELD: Final[frozenset[Kind]] = frozenset({"scroller"})
"""Kinds that hold other controls and texts, which are not parts of them."""


def reduce(tree: Tree, level: Level = "units") -> ReducedTree:
    """The tree with less: all ``visible`` nodes; the ``sparse`` tree of AndroidLab (level 1); the nodes that count for
    ``control`` (`vsalang.screen.control.relevance`); or ``units``: each control with its labels as one entry, and the
    texts that belong to no control."""
    marks = marked(tree)
    units = controls(tree)
    by_node = {unit.node.node: unit for unit in units}
    if level == "units":
        parts = {part.node.node for unit in units for part in unit.parts}
        kept = {unit.node.node for unit in units}
        kept |= {node.node for node in tree.nodes if semantic(node) and node.node not in parts}
        kept -= _repeated(tree, kept, by_node)
    else:
        kept = {node.node for node in tree.nodes if _keeps(node, level)}
    entries = []
    for node in tree.nodes:
        if node.node in kept:
            outer = next((one for one in tree.around(node) if one.node in kept), None)
            parent = None if outer is None else marks[outer.node].key
            entries.append(Entry(marks[node.node].key, node, parent, by_node.get(node.node), words(node)))
    notes = tree.notes
    if too_many_captions(tree):
        notes = (
            *notes,
            "too many boxes, switches and fields: only their own words label them",
        )
    return ReducedTree(level, tuple(entries), tree.total, notes)


def controls(tree: Tree) -> tuple[Unit, ...]:
    """The controls of a screen, in the order of the document. They are looked for once in a tree."""
    known: tuple[Unit, ...] | None = tree.memory.get("units")
    if known is None:
        known = tree.memory["units"] = tuple(_units(tree, marked(tree)))
    return known


def _keeps(node: Node, level: Level) -> bool:
    if level == "visible":
        return True
    if level == "sparse":
        return sparse(node)
    return actionable(node) or semantic(node) or structural(node)


def _repeated(tree: Tree, kept: set[int], units: Mapping[int, Unit]) -> set[int]:
    """The texts that only repeat what a kept node around them says."""
    numbers = set()
    for number in kept - units.keys():
        node = tree.by_number[number]
        text = words(node)
        outer = next((one for one in tree.around(node) if one.node in kept), None)
        if outer is not None and outer.node not in units and words(outer) == text:
            numbers.add(number)
    return numbers


def _units(tree: Tree, marks: Mapping[int, Mark]) -> list[Unit]:
    checkables = _inner_checkables(tree)
    groups = Groups(tree)
    typed: dict[int, NodeKind] = {}
    takers: dict[int, Node] = {}
    inner = {node.node for node in checkables.values()}
    for node in tree.nodes:
        if node.node in inner:
            continue
        target = checkables.get(node.node, node)
        kind = kind_of(tree, groups, node, checkables.get(node.node))
        if kind is None:
            continue
        typed[target.node] = kind
        takers[target.node] = node
    owners = _owners(tree, typed, takers)
    outside = _captions_beside(tree, marks, typed, owners)
    sections = _sections(tree, owners, outside)
    members: dict[int, list[Node]] = {}
    for number, owner in owners.items():
        members.setdefault(owner, []).append(tree.by_number[number])
    units = []
    for number, kind in typed.items():
        node = tree.by_number[number]
        caption = outside.get(number)
        inside = [one for one in members.get(number, ()) if one is not node]
        parts = _parts(node, takers[number], inside, caption, kind.kind)
        label = _label(node, takers[number], marks[number], kind.kind)
        value = _value(node, parts, kind.kind)
        mark = marks[number]
        row = mark.begins if mark.row not in (node.node, takers[number].node) else None
        section = row if row and row != label else sections.get(takers[number].node)
        units.append(
            Unit(
                mark.key,
                node,
                takers[number],
                kind.kind,
                kind.why,
                label,
                value,
                section,
                parts,
                mark.certain,
            )
        )
    return sorted(units, key=lambda unit: unit.node.place)


def _inner_checkables(tree: Tree) -> Mapping[int, Node]:
    """What takes touches -> the one node inside that can be checked and takes no touch itself."""
    outer_nodes: dict[int, list[Node]] = {}
    for node in tree.nodes:
        if node.checkable is not True or touchable(node) or node.editable is True:
            continue
        outer = next((one for one in tree.around(node) if touchable(one)), None)
        if outer is not None and outer.checkable is not True and outer.editable is not True:
            outer_nodes.setdefault(outer.node, []).append(node)
    return {number: nodes[0] for number, nodes in outer_nodes.items() if len(nodes) == 1}


def _owners(tree: Tree, typed: Mapping[int, NodeKind], takers: Mapping[int, Node]) -> Mapping[int, int]:
    """Node -> the number of the control that it is a part of: the innermost around it, if that holds none itself."""
    target = {taker.node: number for number, taker in takers.items()}
    around: dict[int, int | None] = {}
    owners: dict[int, int] = {}
    for node in tree.nodes:
        number = node.node
        outer = None if node.parent is None else around.get(node.parent)
        mine = target.get(number, number if number in typed else None)
        if mine is None:
            mine = outer
            if mine is not None and (semantic(node) or actionable(node)):
                owners[number] = mine
        else:
            owners[number] = mine
        around[number] = None if mine is not None and typed[mine].kind in _HELD else mine
        if number in typed and takers[number] is not node:
            around[number] = number
    return owners


def _captions_beside(
    tree: Tree, marks: Mapping[int, Mark], typed: Mapping[int, NodeKind], owners: Mapping[int, int]
) -> Mapping[int, Node]:
    """Control -> the text outside of it that labels it, where only one text says its label and only it has that."""
    wanted: dict[str, list[int]] = {}
    for number in typed:
        node, label = tree.by_number[number], marks[number].label
        if label is not None and is_control(node) and words(node) != label:
            wanted.setdefault(label, []).append(number)
    if not wanted:
        return {}
    texts: dict[str, list[Node]] = {}
    for node in tree.nodes:
        if node.node not in owners and node.text is not None and (text := wording(node.text)) in wanted:
            texts.setdefault(text, []).append(node)
    return {
        numbers[0]: texts[label][0]
        for label, numbers in wanted.items()
        if len(numbers) == 1 and len(texts.get(label, ())) == 1
    }


def _sections(tree: Tree, owners: Mapping[int, int], outside: Mapping[int, Node]) -> Mapping[int, str]:
    """Node -> the text that heads its part of the screen: the last one before it that stands above it, next to it or
    next to a node around it, and belongs to no control."""
    taken = {node.node for node in outside.values()}
    heads: dict[int, str] = {}
    for siblings in tree.children.values():
        last: Node | None = None
        for node in siblings:
            if last is not None and last.bottom <= node.top and last.window == node.window:
                heads[node.node] = words(last)
            text = node.text is not None and bool(words(node)) and not actionable(node)
            if text and node.node not in owners and node.node not in taken:
                last = node
    sections: dict[int, str] = {}
    for node in tree.nodes:
        head = heads.get(node.node)
        if head is None and node.parent is not None:
            head = sections.get(node.parent)
        if head is not None:
            sections[node.node] = head
    return sections


def _parts(node: Node, taker: Node, inside: list[Node], caption: Node | None, kind: Kind) -> tuple[Part, ...]:
    parts = [Part("target", node)]
    if taker is not node:
        parts.append(Part("container", taker))
    if caption is not None:
        parts.append(Part("label", caption))
    labelled = caption is not None or bool(words(node) and kind not in ("field", "slider"))
    for one in inside:
        if one is taker:
            continue
        role: Role = "label" if not labelled or kind not in ("opener", "link", "toggle") else "value"
        parts.append(Part(role, one))
        labelled = True
    return tuple(parts)


def _label(node: Node, taker: Node, mark: Mark, kind: Kind) -> str | None:
    if mark.label is not None or is_control(node):
        return mark.label
    return taker.label if kind != "scroller" else None


def _value(node: Node, parts: tuple[Part, ...], kind: Kind) -> str | None:
    if kind == "field":
        return node.text if node.text is not None or node.length != 0 else ""
    if kind in ("toggle", "choice") and node.checked is not None and node.checkable is not False:
        return "on" if node.checked else "off"
    if kind in ("tab", "choice") and node.selected is not None:
        return "on" if node.selected else "off"
    if kind == "slider":
        return node.text
    texts = [words(part.node) for part in parts if part.role == "value" and semantic(part.node)]
    label = fold_case(words(node))
    return ", ".join(text for text in dict.fromkeys(texts) if fold_case(text) != label) or None
