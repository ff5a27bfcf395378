"""The data of the room: kinds, units, and what a reduction keeps."""

from collections.abc import Mapping
from functools import cached_property
from typing import Final, Literal, TypeAlias, get_args

from vsalang.base.records import dataclass
from vsalang.screen.tree import Node

Kind: TypeAlias = Literal[
    "button", "link", "opener", "toggle", "choice", "tab", "field", "slider", "scroller"
]
"""What a control is for: see `vsalang.screen.control.kinds`."""

KINDS: Final[tuple[Kind, ...]] = get_args(Kind)

Level: TypeAlias = Literal["visible", "sparse", "control", "units"]
"""How much a reduction leaves out: see `vsalang.screen.control.reduce`."""

LEVELS: Final[tuple[Level, ...]] = get_args(Level)

Role: TypeAlias = Literal["target", "label", "value", "container"]
"""What a node is to its unit: the control itself, words that name it, words of its value, what takes the touch."""


@dataclass(frozen=True, slots=True)
class NodeKind:
    """The kind of a node, and the facts of the tree that decided."""

    kind: Kind
    why: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Part:
    """A node that belongs to a unit."""

    role: Role
    node: Node


@dataclass(frozen=True, slots=True)
class Unit:
    """A control with all that belongs to it.

    Attributes:
        key: its name, the same in the next dump if `certain`; see `vsalang.screen.control.keys`.
        node: the control itself.
        taker: the node that takes its touch: itself, or the row around it.
        kind, why: what it is, and the facts that decided.
        label: the words that name it; None: the tree shows none.
        value: what is typed, chosen, checked (``on``, ``off``), selected or slid to; None: unknown, or it has no value.
        section: the words with which its row begins, else those above it that head its part of the screen; None: there
            are none.
        parts: the nodes that belong to it, itself first.
        certain: whether no other node of the screen could have its key.
    """

    key: str
    node: Node
    taker: Node
    kind: Kind
    why: tuple[str, ...]
    label: str | None
    value: str | None
    section: str | None
    parts: tuple[Part, ...]
    certain: bool

    @property
    def enabled(self) -> bool | None:
        """Whether it can be used now."""
        return self.node.enabled


@dataclass(frozen=True, slots=True)
class Entry:
    """What a reduction keeps: a node, under the nearest node around it that is kept.

    Attributes:
        key: see `vsalang.screen.control.keys`.
        parent: the key of the nearest kept node around it.
        unit: the control that it is; None: it is none.
        text: what the node itself says; empty: nothing.
    """

    key: str
    node: Node
    parent: str | None
    unit: Unit | None
    text: str


@dataclass(frozen=True)
class ReducedTree:
    """A reduced tree.

    Attributes:
        level: how much was left out.
        entries: what is left, in the order of the document.
        total: how many nodes the source has.
        notes: what a reader should know.
    """

    level: Level
    entries: tuple[Entry, ...]
    total: int
    notes: tuple[str, ...] = ()

    @property
    def saved(self) -> float:
        """The share of the source's nodes that was left out, from 0 to 1."""
        return 1 - len(self.entries) / self.total if self.total else 0.0

    @cached_property
    def by_key(self) -> Mapping[str, Entry]:
        """Key -> entry."""
        return {entry.key: entry for entry in self.entries}
