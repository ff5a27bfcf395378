"""`TreeScreen`: one observation of a device, made from a UI tree, as the guard reads it."""

import copy
import datetime as dt
import hashlib
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from functools import cached_property
from itertools import islice
from operator import attrgetter
from types import MappingProxyType
from typing import Final, NamedTuple

from vsalang.program.nested import Forest
from vsalang.program.screen import FINGERPRINTS, Cells
from vsalang.program.text import canonical
from vsalang.program.values import Value
from vsalang.program.vocabulary import ANSWERS, MEMORIES, OPINIONS
from vsalang.screen.control import Unit, controls
from vsalang.screen.control.relations import CHANGES, ONE, Since, rows_of_one
from vsalang.screen.forms import RELATIONS, rows_of
from vsalang.screen.tree.caption import band, caption, is_control
from vsalang.screen.tree.node import Node, Tree
from vsalang.screen.tree.relations import fitting, siblings, texts, whole
from vsalang.screen.tree.target import perhaps, resolve

MAX_ROWS: Final = 250_000
"""A relation with more rows than this is not given (309 real dumps have at most 12,000)."""

SYSTEM: Final = ("File", "FileChanged", "Permission", "Network", "Setting", "Traced", "Untraced")
"""The relations of the system's trace: only those that were read have rows; ``Traced`` says what was read whole."""

_TOLD: Final = (*SYSTEM, *sorted(MEMORIES), *sorted(OPINIONS), *sorted(ANSWERS))
"""Relations whose rows come with the screen, from elsewhere than its tree."""

_NO_SYSTEM: Final[Mapping[str, Sequence[Cells]]] = MappingProxyType({})


class TooManyRows(Exception):
    """A relation of a hostile tree has more than `MAX_ROWS` rows; the screen cannot be judged."""


class Notification(NamedTuple):
    """A posted notification; None is unknown."""

    package: str | None
    title: str | None
    text: str | None


class TreeScreen:
    """One observation of a device. Immutable; a `vsalang.program.screen.Screen`.

    Args:
        tree: the UI tree.
        app: package and activity in the foreground; None: as the source of the tree says (either may be unknown).
        now: the device's clock, in its own zone; None is unknown.
        toasts: texts of short messages that popped up since the last look.
        notifications: what is posted: package, title, text.
        system: rows of the relations of the system's trace that were read (`SYSTEM`), and of those of memory.
        settled: whether this look agrees with the one before.
        partial: the capture is known to be cut off, or the source of the tree leaves out nodes. Then absence is never
            certain: ``Fits``, ``Whole`` and ``Bounds`` have no rows.
    """

    def __init__(
        self,
        tree: Tree,
        *,
        app: tuple[str, str | None] | None = None,
        now: dt.datetime | None = None,
        toasts: Iterable[str] = (),
        notifications: Iterable[tuple[str | None, str | None, str | None]] = (),
        system: Mapping[str, Sequence[Cells]] = _NO_SYSTEM,
        settled: bool = False,
        partial: bool = False,
    ) -> None:
        self.tree = tree
        self.app = app if app is not None else tree.app
        self.now = now
        self.toasts = tuple(toasts)
        self.notifications = tuple(Notification(*item) for item in notifications)
        self.system = MappingProxyType({name: tuple(system[name]) for name in _TOLD if name in system})
        self.settled = settled
        self.partial = partial or tree.partial
        self._rows: dict[str, Sequence[Cells]] = {}
        self._since: Since | None = None
        self._after: weakref.ref[TreeScreen] | None = None
        """The earlier observation whose one-time events this one reports too."""

    def __repr__(self) -> str:
        return f"TreeScreen({self.tree.name!r}, {len(self.tree.nodes)} nodes, app={self.app!r})"

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 (hexadecimal) of the visible tree and the foreground app; not of the clock or toasts.

        Nodes are compared by content and position, not by number: screens that show the same are equal.
        """
        seen = self.tree.memory.get("seen")
        if seen is None:
            seen = self.tree.memory["seen"] = _seen(self.tree)
        return hashlib.sha256(
            repr((FINGERPRINTS, self.app, seen)).encode("utf-8", "backslashreplace")
        ).hexdigest()

    @cached_property
    def content(self) -> str | None:
        """Equal for screens whose rows, targets and readings are equal, the device's clock aside: a clock has its own.

        None: it says what changed since an action, so that it is not a look alone.
        """
        if self._since is not None:
            return None
        tree, other = self.tree, self.otherwise
        numbers = tree.memory.get("numbers")
        if numbers is None:
            counts = (tree.total, tree.highest, tree.lost, tree.notes)
            numbers = repr(([node.node for node in tree.nodes], self.unread, *counts))
            tree.memory["numbers"] = numbers
        system = {name: [dict(row) for row in rows] for name, rows in self.system.items()}
        look = (self.settled, self.partial, self.toasts, self.notifications, system, other and other.content)
        return f"{self.fingerprint} {numbers} {look!r}"

    def relations(self) -> frozenset[str]:
        """The relations for which this screen has rows; ``App`` and ``Clock`` only if they were observed."""
        names = {*_GIVEN, *ONE, *RELATIONS, *CHANGES, *self.system}
        if self.app is None:
            names.discard("App")
        if self.now is None:
            names.discard("Clock")
        names -= CHANGES.keys() - (self._since.relations() if self._since is not None else frozenset())
        return frozenset(names)

    def knows(self, relation: str) -> bool:
        """Whether this screen has rows of a relation (`relations`); only what that needs is compared."""
        if relation in CHANGES:
            return self._since is not None and self._since.knows(relation)
        if relation in ("App", "Clock"):
            return (self.app if relation == "App" else self.now) is not None
        return relation in _GIVEN or relation in ONE or relation in RELATIONS or relation in self.system

    def rows(self, relation: str) -> Sequence[Cells]:
        """All rows of a relation, in a fixed order; none for a relation it does not know.

        Raises:
            TooManyRows: more than `MAX_ROWS`.
        """
        rows = self._rows.get(relation)
        if rows is None:
            rows = self._rows[relation] = self._limited(relation)
        return rows

    @cached_property
    def forest(self) -> Forest | None:
        """Which node hangs in which: the same object as on the screen before where that did not change."""
        known: Forest | None = self.tree.memory.get("forest")
        parents = {node.node: node.parent for node in self.tree.nodes}
        if known is None or known.parents != parents:
            known = Forest(parents)
            self.tree.memory["forest"] = known
        return known if known.pairs <= MAX_ROWS else None

    @cached_property
    def otherwise(self) -> "TreeScreen | None":
        """The same look in its other reading (`vsalang.screen.tree.placing`); None: all boxes can be right.

        What changed since the last action is read in the other reading of both looks, also where only that of the
        action has one.
        """
        since = None if self._since is None else self._since.otherwise
        if self.tree.other is None and since is None:
            return None
        made = TreeScreen(
            self.tree.other or self.tree,
            app=self.app,
            now=self.now,
            toasts=self.toasts,
            notifications=self.notifications,
            system=self.system,
            settled=self.settled,
            partial=self.partial,
        )
        made._since = since
        return made

    @cached_property
    def unread(self) -> Mapping[int, frozenset[str]]:
        return {node.node: node.unread for node in self.tree.nodes if node.unread}

    def also(self, earlier: object) -> "TreeScreen":
        """This screen with the one-time events of an earlier observation: toasts, and files that changed."""
        if not isinstance(earlier, TreeScreen) or (self._after is not None and self._after() is earlier):
            return self
        changed = _changed(earlier.system.get("FileChanged", ()), self.system.get("FileChanged", ()))
        changes = {"FileChanged": changed} if changed or "FileChanged" in self.system else {}
        changes |= _read_twice(earlier.system, self.system)
        if not earlier.toasts and all(
            rows == list(self.system.get(name, ())) for name, rows in changes.items()
        ):
            return self  # nothing was reported before
        joined = TreeScreen(
            self.tree,
            app=self.app,
            now=self.now,
            toasts=(*earlier.toasts, *self.toasts),
            notifications=self.notifications,
            system={**self.system, **changes},
            settled=self.settled,
            partial=self.partial,
        )
        joined._since = self._since
        joined._after = weakref.ref(earlier)
        return joined

    def since(self, acted_on: object, *, scrolled: bool = False) -> "TreeScreen":
        """This screen with what changed since the last action; see `vsalang.program.screen.Screen.since`."""
        if not isinstance(acted_on, TreeScreen):
            return self
        known, cut = self._since, (acted_on.partial, self.partial)
        if (
            known is not None
            and known.before is acted_on.tree
            and (known.scrolled, known.cut) == (scrolled, cut)
        ):
            return self
        made = copy.copy(self)
        made.__dict__.pop("otherwise", None)
        made.__dict__.pop("content", None)
        made._since = Since(acted_on.tree, self.tree, scrolled=scrolled, cut=cut)
        made._rows = {name: rows for name, rows in self._rows.items() if name not in CHANGES}
        return made

    def remembering(self, tried: Iterable[Cells]) -> "TreeScreen":
        """This screen with what is remembered of gestures on it: the rows of ``Tried``. It is the same otherwise."""
        return self.with_rows({"Tried": tried})

    def with_rows(self, rows: Mapping[str, Iterable[Cells]]) -> "TreeScreen":
        """This screen with rows that somebody else tells; see `vsalang.program.screen.Screen.told`.

        Raises:
            ValueError: a relation that is read of the tree.
        """
        if strange := rows.keys() - set(_TOLD):
            raise ValueError(f"nobody else tells {', '.join(sorted(strange))}")
        made = copy.copy(self)
        made.__dict__.pop("otherwise", None)
        made.__dict__.pop("content", None)
        made.system = MappingProxyType(
            {**self.system, **{name: tuple(cells) for name, cells in rows.items()}}
        )
        made._rows = {name: known for name, known in self._rows.items() if name not in rows}
        return made

    def target(self, kind: str, args: Mapping[str, Value]) -> Cells:
        """The cells of a gesture on this screen; see `vsalang.program.screen.Screen.target`.

        Raises:
            Unresolved: no such node, several of them, or a point that lies on no window.
        """
        return resolve(self.tree, kind, args)

    @property
    def counting(self) -> frozenset[int]:
        return frozenset(
            item.parent for item in self.tree.lost if item.why == "counted" and item.parent is not None
        )

    def perhaps(self, kind: str, cells: Cells) -> Sequence[Cells]:
        """What may take a gesture in the other reading; see `vsalang.program.screen.Screen.perhaps`."""
        return perhaps(self.tree, kind, cells)

    def _limited(self, relation: str) -> Sequence[Cells]:
        make = _GIVEN.get(relation)
        rows_read: Iterable[Cells] = self.system.get(relation, ())
        if make is not None:
            rows_read = make(self)
        elif relation in ONE:
            rows_read = rows_of_one(relation, self._units)
        elif relation in RELATIONS:
            rows_read = rows_of(relation, self.tree)
        elif relation in CHANGES and self._since is not None:
            rows_read = self._since.rows(relation, self._cells)
        rows = tuple(islice(rows_read, MAX_ROWS + 1))
        if len(rows) > MAX_ROWS:
            raise TooManyRows(f"{self.tree.name}: {relation} has more than {MAX_ROWS} rows on this screen")
        return rows

    @cached_property
    def _cells(self) -> Mapping[int, dict[str, Value]]:
        """The row of each node; the same object as on the screen before if the node did not change."""
        known = self.tree.memory.get("cells", {})
        made: dict[int, tuple[Node, dict[str, Value]]] = {}
        for node in self.tree.nodes:
            got = known.get(node.node)
            made[node.node] = got if got is not None and got[0] is node else (node, node.cells())
        self.tree.memory["cells"] = made
        return {number: cells for number, (_, cells) in made.items()}

    @cached_property
    def _units(self) -> tuple[Unit, ...]:
        return controls(self.tree)

    @cached_property
    def _fits(self) -> frozenset[int]:
        return frozenset() if self.partial else fitting(self.tree)

    def _node(self) -> Iterator[Cells]:
        return (self._cells[node.node] for node in self.tree.nodes)

    def _window(self) -> Iterator[Cells]:
        return (window.cells() for window in self.tree.windows)

    def _app(self) -> Iterator[Cells]:
        if self.app is not None:
            package, activity = self.app
            yield _text_row(package=package, activity=activity)

    def _toast(self) -> Iterator[Cells]:
        return (_text_row(text=text) for text in self.toasts)

    def _notification(self) -> Iterator[Cells]:
        return (_text_row(package=n.package, title=n.title, text=n.text) for n in self.notifications)

    def _clock(self) -> Iterator[Cells]:
        if self.now is not None:
            yield {"now": self.now.time().replace(microsecond=0, fold=0), "today": self.now.date()}

    def _settled(self) -> Iterator[Cells]:
        if self.settled:
            yield {}

    def _pairs(self) -> Iterator[tuple[Node, Node]]:
        """(outer, inner node inside it), itself included."""
        return ((outer, node) for outer in self.tree.nodes for node in self.tree.inside(outer))

    def _part(self) -> Iterator[Cells]:
        """All rows of `Part`; the same objects as on the screen before if nothing of them changed."""
        cells, known = self._cells, self.tree.memory.get("parts", {})
        made: dict[tuple[int, int], tuple[Cells, Cells]] = {}
        for outer, node in self._pairs():
            own, key = cells[node.node], (outer.node, node.node)
            got = known.get(key)
            if got is None or got[0] is not own:
                got = (own, {"of": outer.node, **own})
            if len(made) <= MAX_ROWS:
                made[key] = got
            yield got[1]
        self.tree.memory["parts"] = made

    def _inside(self) -> Iterator[Cells]:
        return ({"node": node.node, "of": outer.node} for outer, node in self._pairs())

    def _text_in(self) -> Iterator[Cells]:
        for outer in self.tree.nodes:
            for nth, node in texts(self.tree.inside(outer)):
                yield {"of": outer.node, "nth": nth, "text": node.text or "", "node": node.node}

    def _next(self) -> Iterator[Cells]:
        return ({"node": node.node, "next": after.node} for node, after in siblings(self.tree))

    def _caption(self) -> Iterator[Cells]:
        for control in self.tree.nodes:
            if is_control(control) and (text := caption(self.tree, control)) is not None:
                yield {"control": control.node, "text": text}

    def _band(self) -> Iterator[Cells]:
        for control in self.tree.nodes:
            if is_control(control):
                for node in band(self.tree, control):
                    yield {"control": control.node, "node": node.node}

    def _fit(self) -> Iterator[Cells]:
        return ({"node": node.node} for node in self.tree.nodes if node.node in self._fits)

    def _whole(self) -> Iterator[Cells]:
        if not self.partial:
            for node in whole(self.tree, self._fits):
                yield {"node": node.node}

    def _bounds(self) -> Iterator[Cells]:
        return (
            {"list": node.node, "top": True, "end": True}
            for node in self.tree.nodes
            if node.node in self._fits
        )

    def _scrolled(self) -> Iterator[Cells]:
        """Dumps carry no scroll events and no collection info."""
        return iter(())


_GIVEN: Final[Mapping[str, Callable[[TreeScreen], Iterator[Cells]]]] = MappingProxyType(
    {
        "Node": TreeScreen._node,
        "Window": TreeScreen._window,
        "App": TreeScreen._app,
        "Toast": TreeScreen._toast,
        "Notification": TreeScreen._notification,
        "Clock": TreeScreen._clock,
        "Settled": TreeScreen._settled,
        "Scrolled": TreeScreen._scrolled,
        "Part": TreeScreen._part,
        "Inside": TreeScreen._inside,
        "TextIn": TreeScreen._text_in,
        "Next": TreeScreen._next,
        "Caption": TreeScreen._caption,
        "Band": TreeScreen._band,
        "Fits": TreeScreen._fit,
        "Whole": TreeScreen._whole,
        "Bounds": TreeScreen._bounds,
    }
)


_SAYS: Final = attrgetter(
    *(field.name for field in fields(Node) if field.repr and field.name not in ("node", "parent"))
)
"""What a node shows: all of it but its number and its parent's."""


def _seen(tree: Tree) -> str:
    """SHA-256 (hexadecimal) of what shows of a tree; the words of a node that did not change are those of before."""
    nodes, earlier = tree.nodes, tree.memory.get("said")
    if earlier is None:
        texts = [repr(_SAYS(node)) for node in nodes]
    else:
        known = {node.node: (node, text) for node, text in zip(*earlier, strict=True)}
        texts = [
            got[1] if (got := known.get(node.node)) is not None and got[0] is node else repr(_SAYS(node))
            for node in nodes
        ]
    tree.memory["said"] = (nodes, texts)
    places: dict[int | None, int] = {node.node: node.place for node in nodes}
    place = places.get
    words = [repr(tree.windows)]
    words += [f"{node.place} {place(node.parent)} {text}" for node, text in zip(nodes, texts, strict=True)]
    words += [f"doubtful {node.place} {_SAYS(node)!r}" for node in tree.doubtful]
    return hashlib.sha256("\n".join(words).encode("utf-8", "backslashreplace")).hexdigest()


def _changed(earlier: Sequence[Cells], later: Sequence[Cells]) -> list[Cells]:
    """The changes of two steps as those of one."""
    rows_before = {row["path"]: row for row in earlier}
    for row in later:
        first = rows_before.get(row["path"])
        if first is None:
            rows_before[row["path"]] = row
        else:
            cells = {"path": row["path"]}
            cells |= {"before": first["before"]} if "before" in first else {}
            cells |= {"after": row["after"]} if "after" in row else {}
            rows_before[row["path"]] = cells
    return [row for row in rows_before.values() if "before" not in row or row["before"] != row.get("after")]


def _read_twice(
    earlier: Mapping[str, Sequence[Cells]], later: Mapping[str, Sequence[Cells]]
) -> dict[str, list[Cells]]:
    """``Traced`` and ``Untraced`` of two steps as of one: changes are known only where both looks know them."""
    if "Traced" not in later:
        return {}

    def changes(system: Mapping[str, Sequence[Cells]], name: str) -> list[Cells]:
        return [row for row in system.get(name, ()) if row["relation"] == "FileChanged"]

    both = [row for row in changes(later, "Traced") if row in changes(earlier, "Traced")]
    missing = [row for row in changes(earlier, "Untraced") if row not in later.get("Untraced", ())]
    others = [row for row in later["Traced"] if row["relation"] != "FileChanged"]
    return {"Traced": [*others, *both], "Untraced": [*later.get("Untraced", ()), *missing]}


def _text_row(**cells: str | None) -> dict[str, Value]:
    """A row of texts, made canonical; unknown and empty ones are left out."""
    return {name: canonical(text) for name, text in cells.items() if text}
