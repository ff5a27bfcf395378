"""The native relations of `std.control`: the controls of a screen, and what changed since the last action.

The rows are made when they are asked for. `Control` and `UnitPart` follow from one tree, the others from two: the one
that was acted on, and the one that is shown now.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from types import MappingProxyType
from typing import Final

from vsalang.control.delta import Delta, delta
from vsalang.control.reduce import controls
from vsalang.core.screen import Cells
from vsalang.core.text import canonical
from vsalang.core.values import Value
from vsalang.tree import Tree

ONE: Final = frozenset({"Control", "UnitPart"})
"""The relations of one screen."""


class Since:
    """What changed since the last action.

    Args:
        before: the tree that was acted on.
        after: the one that is shown now.
        scrolled: the action was a scroll, or nothing that moves anything: rows of lists are joined.
    """

    def __init__(self, before: Tree, after: Tree, *, scrolled: bool) -> None:
        self.before = before
        self.after = after
        self.scrolled = scrolled

    @cached_property
    def delta(self) -> Delta:
        """All that differs; see `vsalang.control.delta`."""
        return delta(self.before, self.after, scrolled=self.scrolled)


def rows_of_one(relation: str, tree: Tree) -> Iterator[Cells]:
    """The rows of ``Control`` or ``UnitPart``."""
    for unit in controls(tree):
        if relation == "Control":
            yield _known(
                node=unit.node.node,
                taker=unit.taker.node,
                unit=unit.key,
                kind=unit.kind,
                label=unit.label,
                value=unit.value,
                section=unit.section,
                certain=unit.certain,
            )
        else:
            for part in unit.parts:
                yield {"unit": unit.key, "node": part.node.node, "role": part.role}


def rows_since(relation: str, since: Since, cells: Mapping[int, Cells], *, partial: bool) -> Iterator[Cells]:
    """The rows of a relation of `CHANGES`.

    Args:
        cells: the rows of ``Node`` of the new screen, by number.
        partial: one of the screens is cut off: what it does not show is not gone, and may have changed.
    """
    yield from CHANGES[relation](since, cells, partial)


def _kept(since: Since, cells: Mapping[int, Cells], partial: bool) -> Iterator[Cells]:
    for before, after in since.delta.matched:
        yield {"was": before.node, **cells[after.node]}


def _delta(since: Since, cells: Mapping[int, Cells], partial: bool) -> Iterator[Cells]:
    was = {after.node: before.node for before, after in since.delta.matched}
    for change in since.delta.changed:
        number = change.ref.node.node
        yield _known(
            node=number,
            was=was[number],
            attribute=change.attribute,
            before=_text(change.before),
            after=_text(change.after),
        )


def _appeared(since: Since, cells: Mapping[int, Cells], partial: bool) -> Iterator[Cells]:
    return ({"node": ref.node.node} for ref in since.delta.appeared)


def _gone(since: Since, cells: Mapping[int, Cells], partial: bool) -> Iterator[Cells]:
    if not partial:
        for ref in since.delta.gone:
            yield {"was": ref.node.node}


def _moved(since: Since, cells: Mapping[int, Cells], partial: bool) -> Iterator[Cells]:
    return ({"node": moved.after.node, "was": moved.before.node} for moved in since.delta.scrolled)


def _changed(since: Since, cells: Mapping[int, Cells], partial: bool) -> Iterator[Cells]:
    if since.delta.transition != "NoChange":
        yield {}


def _transition(since: Since, cells: Mapping[int, Cells], partial: bool) -> Iterator[Cells]:
    if not (partial and since.delta.transition == "NoChange"):
        yield {"kind": since.delta.transition}


CHANGES: Final[Mapping[str, Callable[[Since, Mapping[int, Cells], bool], Iterator[Cells]]]] = (
    MappingProxyType(
        {
            "Kept": _kept,
            "Delta": _delta,
            "Appeared": _appeared,
            "Gone": _gone,
            "Moved": _moved,
            "Changed": _changed,
            "Transition": _transition,
        }
    )
)
"""The relations of what changed."""


def _text(value: str | bool | int | None) -> str | None:
    if isinstance(value, bool):
        return "true" if value else "false"
    return None if value is None else str(value)


def _known(**cells: Value | None) -> Cells:
    """A row without its unknown cells; texts are made canonical."""
    return {
        name: canonical(value) if isinstance(value, str) else value
        for name, value in cells.items()
        if value is not None
    }
