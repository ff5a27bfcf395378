"""`TreeScreen`: one observation of a device as the guard sees it, made from a UI tree."""

import datetime as dt
import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice
from types import MappingProxyType
from typing import Final, NamedTuple

from vsalang.core.screen import Cells
from vsalang.core.text import canonical
from vsalang.core.values import Value, same
from vsalang.device.tree.caption import band, caption, is_control
from vsalang.device.tree.model import Node, Tree
from vsalang.device.tree.relations import fitting, siblings, texts, whole
from vsalang.device.tree.target import resolve

MAX_ROWS: Final = 250_000
"""A relation with more rows than this is not given (309 real dumps have at most 12,000)."""

_NOTHING: Final[Mapping[str, Value]] = MappingProxyType({})


class TooManyRows(Exception):
    """A relation of a hostile tree has more than `MAX_ROWS` rows; the screen cannot be judged."""


class Notification(NamedTuple):
    """A posted notification; None is unknown."""

    package: str | None
    title: str | None
    text: str | None


class TreeScreen:
    """One observation of a device. Immutable; a `vsalang.core.screen.Screen`.

    Args:
        tree: what is shown.
        app: package and activity in the foreground; None (or an activity of None) is unknown.
        now: the device's clock, in its own zone; None is unknown.
        toasts: texts of short messages that popped up since the last look.
        notifications: what is posted: package, title, text.
        settled: whether this look agrees with the one before.
        partial: the capture is known to be cut off. Then nothing vouches for absence: ``Fits``, ``Whole`` and
            ``Bounds`` have no rows.
    """

    def __init__(
        self,
        tree: Tree,
        *,
        app: tuple[str, str | None] | None = None,
        now: dt.datetime | None = None,
        toasts: Iterable[str] = (),
        notifications: Iterable[tuple[str | None, str | None, str | None]] = (),
        settled: bool = False,
        partial: bool = False,
    ) -> None:
        self.tree = tree
        self.app = app
        self.now = now
        self.toasts = tuple(toasts)
        self.notifications = tuple(Notification(*item) for item in notifications)
        self.settled = settled
        self.partial = partial
        self._rows: dict[str, Sequence[Cells]] = {}

    def __repr__(self) -> str:
        return f"TreeScreen({self.tree.name!r}, {len(self.tree.nodes)} nodes, app={self.app!r})"

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 (hexadecimal) of the visible tree and the foreground app; not of the clock or toasts."""
        digest = hashlib.sha256(repr(self.app).encode("utf-8", "backslashreplace"))
        for window in self.tree.windows:
            digest.update(repr(window).encode())
        for node in self.tree.nodes:
            digest.update(repr(node).encode())
        return digest.hexdigest()

    def relations(self) -> frozenset[str]:
        """The relations this screen can give rows of; ``App`` and ``Clock`` only where they were observed."""
        names = set(_GIVEN)
        if self.app is None:
            names.discard("App")
        if self.now is None:
            names.discard("Clock")
        return frozenset(names)

    def rows(self, relation: str) -> Sequence[Cells]:
        """All rows of a relation, in a fixed order; none for a relation it does not know.

        Raises:
            TooManyRows: more than `MAX_ROWS`.
        """
        found = self._rows.get(relation)
        if found is None:
            found = self._rows[relation] = self._limited(relation, _NOTHING)
        return found

    def rows_for(self, relation: str, bound: Mapping[str, Value]) -> Sequence[Cells]:
        """The rows whose cells are those of `bound`, without making all the others.

        Raises:
            TooManyRows: more than `MAX_ROWS`.
        """
        if not bound:
            return self.rows(relation)
        return self._limited(relation, bound)

    def target(self, kind: str, args: Mapping[str, Value]) -> Cells:
        """The cells of a gesture on this screen; see `vsalang.core.screen.Screen.target`.

        Raises:
            Unresolved: no such node, several of them, or a point that lies on no window.
        """
        return resolve(self.tree, kind, args)

    def _limited(self, relation: str, bound: Mapping[str, Value]) -> Sequence[Cells]:
        make = _GIVEN.get(relation)
        if make is None:
            return ()
        kept = (row for row in make(self, bound) if all(same(row.get(name), bound[name]) for name in bound))
        rows = tuple(islice(kept, MAX_ROWS + 1))
        if len(rows) > MAX_ROWS:
            raise TooManyRows(f"{self.tree.name}: {relation} has more than {MAX_ROWS} rows on this screen")
        return rows

    @cached_property
    def _cells(self) -> Mapping[int, dict[str, Value]]:
        return {node.node: node.cells() for node in self.tree.nodes}

    @cached_property
    def _fits(self) -> frozenset[int]:
        return frozenset() if self.partial else fitting(self.tree)

    def _some(self, bound: Mapping[str, Value], name: str) -> Sequence[Node]:
        """The node that `bound` names by an attribute, or all nodes."""
        if name not in bound:
            return self.tree.nodes
        number = bound[name]
        if isinstance(number, bool) or not isinstance(number, int) or number not in self.tree.by_number:
            return ()
        return (self.tree.by_number[number],)

    # Each of these gives at least the rows that agree with `bound`, and looks no further than it must.

    def _node(self, bound: Mapping[str, Value]) -> Iterator[Cells]:
        return (self._cells[node.node] for node in self._some(bound, "node"))

    def _window(self, _: Mapping[str, Value]) -> Iterator[Cells]:
        return (window.cells() for window in self.tree.windows)

    def _app(self, _: Mapping[str, Value]) -> Iterator[Cells]:
        if self.app is not None:
            package, activity = self.app
            yield _known(package=package, activity=activity)

    def _toast(self, _: Mapping[str, Value]) -> Iterator[Cells]:
        return (_known(text=text) for text in self.toasts)

    def _notification(self, _: Mapping[str, Value]) -> Iterator[Cells]:
        return (_known(package=n.package, title=n.title, text=n.text) for n in self.notifications)

    def _clock(self, _: Mapping[str, Value]) -> Iterator[Cells]:
        if self.now is not None:
            yield {"now": self.now.time().replace(microsecond=0, fold=0), "today": self.now.date()}

    def _settled(self, _: Mapping[str, Value]) -> Iterator[Cells]:
        if self.settled:
            yield {}

    def _pairs(self, bound: Mapping[str, Value], inner: str) -> Iterator[tuple[Node, Node]]:
        """(outer, inner node inside it), itself included."""
        if "of" not in bound and inner in bound:
            for node in self._some(bound, inner):
                for outer in (*reversed(tuple(self.tree.around(node))), node):
                    yield outer, node
            return
        for outer in self._some(bound, "of"):
            for node in self.tree.inside(outer):
                yield outer, node

    def _part(self, bound: Mapping[str, Value]) -> Iterator[Cells]:
        return ({"of": outer.node, **self._cells[node.node]} for outer, node in self._pairs(bound, "node"))

    def _inside(self, bound: Mapping[str, Value]) -> Iterator[Cells]:
        return ({"node": node.node, "of": outer.node} for outer, node in self._pairs(bound, "node"))

    def _text_in(self, bound: Mapping[str, Value]) -> Iterator[Cells]:
        for outer in self._some(bound, "of"):
            for nth, node in texts(self.tree.inside(outer)):
                yield {"of": outer.node, "nth": nth, "text": node.text or "", "node": node.node}

    def _next(self, _: Mapping[str, Value]) -> Iterator[Cells]:
        return ({"node": node.node, "next": after.node} for node, after in siblings(self.tree))

    def _caption(self, bound: Mapping[str, Value]) -> Iterator[Cells]:
        for control in self._some(bound, "control"):
            if is_control(control) and (said := caption(self.tree, control)) is not None:
                yield {"control": control.node, "text": said}

    def _band(self, bound: Mapping[str, Value]) -> Iterator[Cells]:
        for control in self._some(bound, "control"):
            if is_control(control):
                for node in band(self.tree, control):
                    yield {"control": control.node, "node": node.node}

    def _fit(self, _: Mapping[str, Value]) -> Iterator[Cells]:
        return ({"node": node.node} for node in self.tree.nodes if node.node in self._fits)

    def _whole(self, _: Mapping[str, Value]) -> Iterator[Cells]:
        if not self.partial:
            for node in whole(self.tree, self._fits):
                yield {"node": node.node}

    def _bounds(self, _: Mapping[str, Value]) -> Iterator[Cells]:
        return (
            {"list": node.node, "top": True, "end": True}
            for node in self.tree.nodes
            if node.node in self._fits
        )

    def _scrolled(self, _: Mapping[str, Value]) -> Iterator[Cells]:
        """Dumps carry no scroll events and no collection info."""
        return iter(())


_GIVEN: Final[Mapping[str, Callable[[TreeScreen, Mapping[str, Value]], Iterator[Cells]]]] = MappingProxyType(
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


def _known(**cells: str | None) -> dict[str, Value]:
    """A row of texts, made canonical; unknown and empty ones are left out."""
    return {name: canonical(text) for name, text in cells.items() if text}
