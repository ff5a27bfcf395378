"""What the guard needs of a screen, from any source: facts, identity, and which node takes a touch.

The wing `screen` implements `Screen` over UI trees; tests of the language implement it over facts given in
`observe` steps. The guard and the engine know only this protocol.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final, Protocol, TypeAlias

from vsalang.program.nested import Forest
from vsalang.program.values import Value

Cells: TypeAlias = Mapping[str, Value]
"""One row as attribute -> value; an attribute that is left out is unknown."""


FINGERPRINTS: Final = 2
"""The version of fingerprints: screens that show the same have the same one under one version. Journals say it."""


class UnresolvedTarget(Exception):
    """The gesture has no target on this screen; the message says why, for the agent.

    Attributes:
        delivered: False: who does not know where to tap has sent nothing (see `vsalang.program.delivery`).
    """

    delivered: bool | None = False


class Screen(Protocol):
    """One observation of the device. Immutable."""

    @property
    def fingerprint(self) -> str:
        """Equal for two observations that show the same (hash of the visible tree and the foreground app)."""
        ...

    def relations(self) -> frozenset[str]:
        """The observed relations this screen can give rows of (``Node``, ``App``, ``Part``, ``Fits``, ...)."""
        ...

    def rows(self, relation: str) -> Iterable[Cells]:
        """All rows of an observed relation; computed when asked for, empty for one it does not know."""
        ...

    @property
    def forest(self) -> Forest | None:
        """Which node hangs in which, if ``Inside`` and ``Part`` are just what follows from that and from ``Node``.

        None: they have to be asked for as `rows`.
        """
        ...

    @property
    def unread(self) -> Mapping[int, frozenset[str]]:
        """The attributes of each node that nobody read, by its number; they may have any value.

        An attribute without a value that is not listed was read, and there is none: the node has no id, no text. Such
        an attribute may also be listed if it has a value of which the screen is not sure (``label``).
        """
        ...

    def since(self, acted_on: "Screen | None", *, scrolled: bool = False) -> "Screen":
        """This screen with the relations of what changed since the last action (``Changed``, ``Kept``, ..).

        A screen that cannot compare itself with the other one returns itself: these relations have no rows then.

        Args:
            acted_on: the screen on which the last action was done.
            scrolled: the action was a scroll.
        """
        ...

    def with_rows(self, rows: Mapping[str, Iterable[Cells]]) -> "Screen":
        """This screen with the rows of relations that somebody else tells (``Judged``), in place of those it had.

        It shows the same: the fingerprint is the same.
        """
        ...

    def target(self, kind: str, args: Mapping[str, Value]) -> Cells:
        """The cells of gesture `kind` on this screen: for pointing gestures the attributes of the node that takes
        the touch, plus ``x``, ``y``, ``leaf``, ``covered``; `args` are what the agent gave (a point ``x, y``, or
        attributes that select one node such as ``node`` or ``id``).

        Raises:
            Unresolved: no such node, several nodes, a point off the screen.
        """
        ...

    @property
    def otherwise(self) -> "Screen | None":
        """The same look in its other reading; None: there is only one.

        There are two where boxes cannot be right: they are empty or inverted, or lie outside of what is around them.
        """
        ...

    @property
    def counting(self) -> frozenset[int]:
        """The numbers of the nodes of which the source counts a child that it does not give: it may lie anywhere."""
        ...

    def perhaps(self, kind: str, cells: Cells) -> Sequence[Cells]:
        """The cells that a gesture may have in the other reading: of its taker, and of each node that may lie there.

        There are none if there is only one reading.

        Args:
            cells: what `target` gave.
        """
        ...


def knows(screen: Screen, relation: str) -> bool:
    """Whether a relation is one of those that a screen can give rows of (`Screen.relations`).

    A screen may have a method `knows` that says so of one relation: it has less to find out.
    """
    asked: Callable[[str], bool] | None = getattr(screen, "knows", None)
    return relation in screen.relations() if asked is None else asked(relation)


def in_front(screen: Screen | None) -> str | None:
    """The package of the app in front; None if the screen does not tell one."""
    if screen is None or not knows(screen, "App"):
        return None
    packages = {row.get("package") for row in screen.rows("App")}
    package = packages.pop() if len(packages) == 1 else None
    return package if isinstance(package, str) else None
