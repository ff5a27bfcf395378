"""The native relations of `std.control`: the controls of a screen, and what changed since the last action.

The rows are made when they are asked for. `Control` and `UnitPart` follow from one tree, the others from two: the one
that was acted on, and the one that is shown now.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from types import MappingProxyType
from typing import Final

from vsalang.program.screen import Cells
from vsalang.program.text import canonical
from vsalang.program.values import Value
from vsalang.screen.control.delta import Delta, delta
from vsalang.screen.control.unit import Unit
from vsalang.screen.tree import Tree

ONE: Final = frozenset({"Control", "UnitPart"})
"""The relations of one screen."""


class Since:
    """What changed since the last action.

    Args:
        before: the tree that was acted on.
        after: the one that is shown now.
        scrolled: the action was a scroll: rows of lists are joined.
        cut: which of the two are cut off, so that they may have more nodes than they show.
    """

    def __init__(self, before: Tree, after: Tree, *, scrolled: bool, cut: tuple[bool, bool]) -> None:
        self.before = before
        self.after = after
        self.scrolled = scrolled
        self.cut = cut

    @cached_property
    def delta(self) -> Delta:
        """All that differs; see `vsalang.screen.control.delta`."""
        return delta(self.before, self.after, scrolled=self.scrolled)

    @property
    def otherwise(self) -> "Since | None":
        """The same in the other reading of both trees, those that have one; None: none has."""
        before, after = self.before.other, self.after.other
        if before is None and after is None:
            return None
        return Since(before or self.before, after or self.after, scrolled=self.scrolled, cut=self.cut)

    def relations(self) -> frozenset[str]:
        """The relations of which these screens can tell all rows.

        What the screen before may have had unseen has not certainly appeared, and what the new one may have is not
        certainly gone. What changes by itself does not certainly tell that the page changed.
        """
        return frozenset(filter(self.knows, CHANGES))

    def knows(self, relation: str) -> bool:
        """Whether a relation is one of `relations`; the screens are compared only where that decides it."""
        match relation:
            case "Appeared":
                return not self.cut[0]
            case "Gone":
                return not self.cut[1]
            case "Transition" | "Changed" if any(self.cut) and not self._differs:
                return False
            case "Changed":
                return self.delta.transition == "NoChange" or bool(self.delta.told)
        return relation in CHANGES

    @property
    def _differs(self) -> bool:
        """Whether something certainly changed, even if a screen is cut off.

        What is cut off is the rest of a screen, or what its source always leaves out: of two captures of one page the
        shorter one has nothing that the other lacks.
        """
        delta = self.delta
        return bool(delta.changed or delta.scrolled or (delta.appeared and delta.gone))

    def rows(self, relation: str, cells: Mapping[int, Cells]) -> Iterator[Cells]:
        """The rows of one of `relations`, none of another.

        Args:
            cells: the rows of ``Node`` of the new screen, by number.
        """
        if self.knows(relation):
            yield from CHANGES[relation](self, cells)


def rows_of_one(relation: str, units: Iterable[Unit]) -> Iterator[Cells]:
    """The rows of ``Control`` or ``UnitPart``."""
    for unit in units:
        if relation == "Control":
            yield _known_cells(
                node=unit.node.node,
                taker=unit.taker.node,
                unit=unit.key,
                kind=unit.kind,
                label=unit.label,
                value=unit.value,
                section=unit.section,
                certain=unit.certain,
                package=unit.node.package,
            )
        else:
            for part in unit.parts:
                yield _known_cells(
                    unit=unit.key, node=part.node.node, role=part.role, package=part.node.package
                )


def _kept(since: Since, cells: Mapping[int, Cells]) -> Iterator[Cells]:
    for before, after in since.delta.kept:
        yield {"was": before.node, **cells[after.node]}


def _delta(since: Since, cells: Mapping[int, Cells]) -> Iterator[Cells]:
    was = {after.node: before.node for before, after in since.delta.kept}
    for change in since.delta.changed:
        node = change.ref.node
        if node.node not in was:
            continue
        yield _known_cells(
            node=node.node,
            was=was[node.node],
            attribute=change.attribute,
            before=_text(change.before),
            after=_text(change.after),
            package=node.package,
        )


def _appeared(since: Since, cells: Mapping[int, Cells]) -> Iterator[Cells]:
    return (_known_cells(node=ref.node.node, package=ref.node.package) for ref in since.delta.appeared)


def _gone(since: Since, cells: Mapping[int, Cells]) -> Iterator[Cells]:
    return (_known_cells(was=ref.node.node, package=ref.node.package) for ref in since.delta.gone)


def _moved(since: Since, cells: Mapping[int, Cells]) -> Iterator[Cells]:
    for moved in since.delta.scrolled:
        yield _known_cells(node=moved.after.node, was=moved.before.node, package=moved.after.package)


def _changed(since: Since, cells: Mapping[int, Cells]) -> Iterator[Cells]:
    if since.delta.transition != "NoChange":
        yield {}


def _transition(since: Since, cells: Mapping[int, Cells]) -> Iterator[Cells]:
    # how much of a screen that is cut off changed is not known
    yield {} if any(since.cut) else {"kind": since.delta.transition}


CHANGES: Final[Mapping[str, Callable[[Since, Mapping[int, Cells]], Iterator[Cells]]]] = MappingProxyType(
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
"""The relations of what changed."""


def _text(value: str | bool | int | None) -> str | None:
    if isinstance(value, bool):
        return "true" if value else "false"
    return None if value is None else str(value)


def _known_cells(**cells: Value | None) -> Cells:
    """A row without its unknown cells; texts are made canonical."""
    return {
        name: canonical(value) if isinstance(value, str) else value
        for name, value in cells.items()
        if value is not None
    }
