"""Names of nodes that stay the same from one dump to the next, made of structure and words, never of bounds or chance.

A node has up to three marks, from the surest to the weakest:

1. its resource id, if it lies in no row of a list;
2. its resource id and the key of its row: the words with which the row begins, and those of the rows around;
3. its class path (the classes from the nearest node with an id down to it), its label, and the key of its row.

The first mark that no other visible node of the tree has is its name, as ten hexadecimal digits. Nodes that share all
their marks get ``~1``, ``~2`` .. in the order of the document: such a name holds within its dump only. What is typed,
checked or slid is not part of a mark.
"""

import hashlib
from collections import Counter
from collections.abc import Mapping
from typing import Final

from vsalang.base.records import dataclass
from vsalang.screen.control.relevance import holds_rows, is_slider, touchable, words
from vsalang.screen.tree import Node, Tree
from vsalang.screen.tree.caption import caption, is_control
from vsalang.screen.tree.face import wording

MAX_CAPTIONS: Final = 1_000_000
"""On a screen where the check boxes, switches and fields times the nodes are more, only their own words label them, not
those next to it: looking for those would take seconds (the largest of 309 real screens has 3,354)."""

_DIGITS: Final = 10


@dataclass(frozen=True, slots=True)
class Mark:
    """What identifies a node.

    Attributes:
        marks: the three marks; None where the node has none of that kind.
        key: its name.
        certain: whether no other node of its tree shares the mark that the name is made of.
        row: the number of the outermost node of its row; None: it lies in no row.
        row_key: the key of its row; None: it lies in no row, or the row says nothing.
        begins: the words with which its innermost row begins.
        label: the words that stand for it: of a check box or field its caption, of what takes touches the first words
            inside, else its own.
    """

    marks: tuple[str | None, str | None, str]
    key: str
    certain: bool
    row: int | None
    row_key: str | None
    begins: str | None
    label: str | None


def marked(tree: Tree) -> Mapping[int, Mark]:
    """The mark of each visible node, by its number. It is made once for a tree."""
    known: Mapping[int, Mark] | None = tree.memory.get("marks")
    if known is None:
        known = tree.memory["marks"] = _marked(tree)
    return known


def too_many_captions(tree: Tree) -> bool:
    """Whether it would take too long to look for the captions of all controls."""
    return sum(1 for node in tree.nodes if is_control(node)) * len(tree.nodes) > MAX_CAPTIONS


def _marked(tree: Tree) -> Mapping[int, Mark]:
    own = {node.node: _steady(node) for node in tree.nodes}
    first = _first_words(tree, own)
    rows, row_keys, begins = _rows(tree, first)
    labels = _labels(tree, own, first)
    paths: dict[int | None, str] = {None: ""}
    marks_by_node: dict[int, tuple[str | None, str | None, str]] = {}
    for node in tree.nodes:
        number = node.node
        row_key = row_keys.get(number)
        anchor = node.resource_id or ""
        paths[number] = _digest("path", node.package, node.cls, anchor or paths[node.parent])
        by_id = by_row = None
        if anchor and rows.get(number) is None:
            by_id = _digest("id", node.package, anchor)
        if anchor and row_key is not None:
            by_row = _digest("row", node.package, anchor, row_key)
        by_path = _digest("words", paths[number], paths[node.parent], labels.get(number), row_key)
        marks_by_node[number] = (by_id, by_row, by_path)
    seen: Counter[str] = Counter(
        mark for marks in marks_by_node.values() for mark in marks if mark is not None
    )
    names = {
        number: next((mark for mark in marks if mark is not None and seen[mark] == 1), marks[2])[:_DIGITS]
        for number, marks in marks_by_node.items()
    }
    shared = Counter(names.values())
    nth: Counter[str] = Counter()
    result: dict[int, Mark] = {}
    for number, marks in marks_by_node.items():
        name = names[number]
        certain = shared[name] == 1
        if not certain:
            nth[name] += 1
            name = f"{name}~{nth[name]}"
        result[number] = Mark(
            marks,
            name,
            certain,
            rows.get(number),
            row_keys.get(number),
            begins.get(number),
            labels.get(number),
        )
    return result


def _steady(node: Node) -> str:
    """Its own words that say what it is, not what state it is in."""
    if node.editable is True or is_slider(node):
        return next((label for text in (node.desc, node.hint) if text and (label := wording(text))), "")
    return words(node)


def _first_words(tree: Tree, own: Mapping[int, str]) -> Mapping[int, str]:
    """Of each node the first words, its own or inside."""
    first: dict[int, str] = dict(own)
    for node in reversed(tree.nodes):
        if node.parent is not None and first[node.node] and not own[node.parent]:
            first[node.parent] = first[node.node]  # the first child comes last
    return first


def _rows(
    tree: Tree, first: Mapping[int, str]
) -> tuple[Mapping[int, int], Mapping[int, str | None], Mapping[int, str]]:
    """Of each node in a row: the outermost node of that row, the row's key, and the words with which it begins; of rows
    in rows those of the inner one."""
    rows: dict[int, int] = {}
    keys: dict[int, str | None] = {}
    begins: dict[int, str] = {}
    for node in tree.nodes:
        if node.parent is None:
            continue
        parent = tree.by_number[node.parent]
        if holds_rows(parent):
            rows[node.node] = node.node
            text, outer = first[node.node], keys.get(parent.node)
            unknown = not text or (parent.node in rows and outer is None)
            keys[node.node] = None if unknown else _digest("begins", text, outer)
            begins[node.node] = text
        elif parent.node in rows:
            rows[node.node] = rows[parent.node]
            keys[node.node] = keys[parent.node]
            begins[node.node] = begins[parent.node]
    return rows, keys, begins


def _labels(tree: Tree, own: Mapping[int, str], first: Mapping[int, str]) -> Mapping[int, str | None]:
    captions = not too_many_captions(tree)
    labels: dict[int, str | None] = {}
    for node in tree.nodes:
        if is_control(node):
            text = caption(tree, node) if captions else own[node.node]
        elif touchable(node):
            text = first[node.node]
        else:
            text = own[node.node]
        labels[node.node] = text or None
    return labels


def _digest(*parts: str | None) -> str:
    # `repr` keeps the parts apart, whatever they contain
    return hashlib.blake2b(repr(parts).encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
