"""The data of a UI transition graph: screens, the gestures that lead from one to another, and how often each worked."""

import math
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Final, Literal, TypeAlias, get_args

from vsalang.base.records import dataclass
from vsalang.program.ir import Atom
from vsalang.program.ir import Literal as Condition

Origin: TypeAlias = Literal["rule", "journal", "log", "static"]
"""Where an edge is from: a `goto` rule, a journal of ours, a log of another tool, an app's files."""
ORIGINS: Final[tuple[Origin, ...]] = get_args(Origin)

Kind: TypeAlias = Literal["screen", "unnamed", "state", "static"]
"""What a screen is known by: a `screen` rule, its usable widgets, the state of a log, an app's files."""
KINDS: Final[tuple[Kind, ...]] = get_args(Kind)

ABILITIES: Final = ("click", "long", "check", "edit", "scroll")
"""What can be done with a widget."""

ANY: Final = "*"
"""The source of an edge that starts wherever one is; ``APP:*`` starts on any screen of an app."""

MAX_TEXTS: Final = 60
MAX_TEXT: Final = 80
MAX_SAMPLES: Final = 5

UNCOUNTED: Final = 1.0
"""The cost of an edge that nobody tried."""
_ENOUGH: Final = 5
"""So often an edge was tried of which it may be said that it seldom works."""


class UTGError(Exception):
    """A graph that cannot be made or read; the message says why, `hint` what to do."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


def anywhere(app: str) -> str:
    """The source of edges that start on any screen of an app."""
    return f"{app}:{ANY}"


@dataclass(frozen=True, slots=True, order=True)
class Widget:
    """A widget that can be used, without its text. Empty texts: the source does not say."""

    cls: str
    id: str
    abilities: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Screen:
    """A screen of the graph.

    Attributes:
        name: the qualified name of its `screen` rule; else a name made of what it is known by.
        kind: what it is known by.
        app: the module, or else the package, that it belongs to; empty: not known.
        activity: the last part of the activity's name; empty: not known.
        widgets: what can be used on it; of an unnamed screen all, and they are what it is known by.
        texts: some of what was read on it. Untrusted: apps and strangers write them.
        samples: some places where it was seen.
        over: the screens that it covers.
        seen: how often it was seen.
    """

    name: str
    kind: Kind
    app: str = ""
    activity: str = ""
    widgets: tuple[Widget, ...] = ()
    texts: tuple[str, ...] = ()
    samples: tuple[str, ...] = ()
    over: tuple[str, ...] = ()
    seen: int = 0

    @property
    def title(self) -> str:
        """A short name for people."""
        if self.kind == "screen":
            return self.name.rpartition(":")[2]
        if self.kind == "unnamed":
            where = self.activity.removesuffix("Activity") or self.app.rpartition(".")[2] or "screen"
            return f"{where} {self.name.rpartition(':')[2][:4]}"
        return self.activity or self.name

    def joined(self, other: "Screen") -> "Screen":
        """This screen, with what another sight of it shows."""
        return Screen(
            self.name,
            self.kind,
            self.app or other.app,
            self.activity or other.activity,
            _union(self.widgets, other.widgets),
            _union(self.texts, other.texts)[:MAX_TEXTS],
            _union(self.samples, other.samples)[:MAX_SAMPLES],
            _union(self.over, other.over),
            self.seen + other.seen,
        )


def _union(some: tuple[Widget, ...] | tuple[str, ...], more: tuple[Widget, ...] | tuple[str, ...]) -> tuple:  # type: ignore[type-arg]
    return some if some == more else tuple(dict.fromkeys((*some, *more)))


@dataclass(frozen=True, slots=True)
class Edge:
    """A gesture that leads from a screen to a screen. Several may lead from one to the same.

    Attributes:
        source: a screen's name, `ANY`, or `anywhere` of an app.
        gesture: what is done: a pattern over a gesture, or over a critical action.
        target: a screen's name.
        when: what else must hold.
        tried: how often the gesture was made there; 0: nobody counted.
        worked: how often it led to the target.
        origin: where the edge is from.
        rule: the id of its `goto` rule, or the place of an app's file; empty: it was observed.
        returned: how often, of the times that it worked, the target was what lay beneath the source: the screen from
            which one had come there.
    """

    source: str
    gesture: Atom
    target: str
    when: tuple[Condition, ...] = ()
    tried: int = 0
    worked: int = 0
    origin: Origin = "log"
    rule: str = ""
    returned: int = 0

    @property
    def cost(self) -> float:
        """What a way pays for it: the less likely it works, the more; never 0, so that short ways are preferred."""
        if not self.tried:
            return UNCOUNTED
        return -math.log((self.worked + 1) / (self.tried + 2)) + 0.1

    @property
    def refuted(self) -> bool:
        """Whether it was tried and never worked."""
        return self.tried > 0 and self.worked == 0

    @property
    def rare(self) -> bool:
        """Whether it worked at most once in five tries: on what that depends nobody knows, so it is on no way."""
        return self.tried >= _ENOUGH and _ENOUGH * self.worked <= self.tried

    @property
    def key(self) -> tuple[str, Atom, str, tuple[Condition, ...]]:
        """What no two edges of a graph have in common."""
        return self.source, self.gesture, self.target, self.when


@dataclass(frozen=True)
class Graph:
    """Screens by name, and edges between them; what `vsalang.agents.maps.UTG` is made of.

    Raises:
        UTGError: an edge has no end, or two have the same key.
    """

    screens: Mapping[str, Screen]
    edges: tuple[Edge, ...]

    def __post_init__(self) -> None:
        keys = set()
        for edge in self.edges:
            if edge.target not in self.screens:
                raise UTGError(f"an edge leads to {edge.target!r}, and there is no such screen")
            if edge.source not in self.screens and not is_anywhere(edge.source):
                raise UTGError(f"an edge starts at {edge.source!r}, and there is no such screen")
            keys.add(edge.key)
        if len(keys) != len(self.edges):
            raise UTGError("two edges have the same source, gesture, conditions and target")

    @cached_property
    def by_source(self) -> Mapping[str, tuple[Edge, ...]]:
        """The edges of each source."""
        edges_by_source: dict[str, list[Edge]] = {}
        for edge in self.edges:
            edges_by_source.setdefault(edge.source, []).append(edge)
        return {source: tuple(edges) for source, edges in edges_by_source.items()}

    def leaving(self, screen: str) -> Iterator[Edge]:
        """The edges that can be taken on a screen, those from anywhere last."""
        for source in sources_at(self.screens, screen):
            yield from self.by_source.get(source, ())


def sources_at(screens: Mapping[str, Screen], name: str) -> Iterator[str]:
    """The sources of edges that can be taken on a screen: it, any of its app, any."""
    yield name
    known = screens.get(name)
    if known is not None and known.app:
        yield anywhere(known.app)
    yield ANY


def is_anywhere(source: str) -> bool:
    """Whether edges with this source start on any screen, of one app or of all."""
    return source == ANY or source.endswith(f":{ANY}")
