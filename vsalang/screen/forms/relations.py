"""The native relations of `std.forms`, made from one tree."""

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from types import MappingProxyType
from typing import Final

from vsalang.program.screen import Cells
from vsalang.program.text import canonical
from vsalang.program.values import Value
from vsalang.screen.forms.amounts import Amounts
from vsalang.screen.forms.closing import Closings
from vsalang.screen.forms.content import Content
from vsalang.screen.forms.counts import Counts
from vsalang.screen.forms.fields import Fields
from vsalang.screen.forms.outline import outline
from vsalang.screen.forms.roles import Roles
from vsalang.screen.forms.rows import Rows
from vsalang.screen.forms.surfaces import surfaces
from vsalang.screen.tree import Tree


class Forms:
    """All that this room knows of one tree. Each part is made when it is asked for, and once.

    Args:
        tree: the tree of the screen.
    """

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.about = outline(tree)
        self.on = surfaces(tree)

    @cached_property
    def row_table(self) -> Rows:
        """The rows of lists."""
        return Rows(self.about)

    @cached_property
    def closings(self) -> Closings:
        """What closes what."""
        return Closings(self.about, self.on, self.row_table)

    @cached_property
    def roles(self) -> Roles:
        """What each control is."""
        return Roles(self.about, self.on, self.row_table, self.closings)

    @cached_property
    def fields(self) -> Fields:
        """What is filled in."""
        return Fields(self.about, self.on, self.closings, self.roles.of, self.row_table)

    @cached_property
    def amounts(self) -> Amounts:
        """Amounts of money."""
        return Amounts(self.about, self.on, self.row_table, self.closings)

    @cached_property
    def content(self) -> Content:
        """What forms and dialogs say."""
        return Content(self.about, self.on, self.closings, self.counts, self.roles.of)

    @cached_property
    def counts(self) -> Counts:
        """What is ticked."""
        return Counts(self.about, self.on, self.row_table, self.roles.of)


def forms(tree: Tree) -> Forms:
    """What this room knows of a tree, made once for it."""
    known: Forms | None = tree.memory.get("forms")
    if known is None:
        known = tree.memory["forms"] = Forms(tree)
    return known


def rows_of(relation: str, tree: Tree) -> Iterator[Cells]:
    """The rows of a relation of `std.forms`.

    Raises:
        KeyError: there is no such relation.
    """
    return RELATIONS[relation](forms(tree))


def _surface(made: Forms) -> Iterator[Cells]:
    taker_of = made.about.taker_of
    for node in made.tree.nodes:
        surface = made.on.of.get(node.node)
        if surface is not None and taker_of.get(node.node, node.node) == node.node:
            yield _known_cells(
                node=node.node,
                kind=surface.kind,
                root=surface.root.node,
                title=surface.title,
                message=surface.message,
            )


def _role(made: Forms) -> Iterator[Cells]:
    for node, role in made.roles.of.items():
        yield _known_cells(node=node, kind=role)


def _closes(made: Forms) -> Iterator[Cells]:
    for closer in made.closings.by_node.values():
        yield _known_cells(node=closer.node.node, root=closer.root, kind=closer.kind)
    for node in made.about.takers:
        surface = made.on.of.get(node.node)
        if surface is not None and surface.in_front and made.roles.of.get(node.node) == "choice":
            yield _known_cells(node=node.node, root=surface.root.node, kind=surface.kind)


def _field(made: Forms) -> Iterator[Cells]:
    for field in made.fields.all:
        yield _known_cells(
            root=field.root, node=field.node.node, name=field.name, value=field.value, kind=field.kind
        )


def _amount(made: Forms) -> Iterator[Cells]:
    for amount in made.amounts.all:
        yield _known_cells(
            node=amount.node.node,
            value=amount.value,
            currency=amount.currency,
            name=amount.name,
            total=amount.total,
        )


def _selected(made: Forms) -> Iterator[Cells]:
    for selection in made.counts.selections:
        yield _known_cells(root=selection.root, count=selection.count, all=selection.every)


def _ticked(made: Forms) -> Iterator[Cells]:
    for node, label in made.counts.ticked.items():
        yield _known_cells(node=node, label=label or None)


def _form(made: Forms) -> Iterator[Cells]:
    for root, text in made.content.all():
        yield _known_cells(root=root, text=text)


def _row(made: Forms) -> Iterator[Cells]:
    for node in made.about.takers:
        row = made.row_table.of.get(node.node)
        if row is not None:
            yield _known_cells(node=node.node, title=row.title, detail=row.detail or None)


RELATIONS: Final[Mapping[str, Callable[[Forms], Iterator[Cells]]]] = MappingProxyType(
    {
        "Surface": _surface,
        "Role": _role,
        "Closes": _closes,
        "Field": _field,
        "Amount": _amount,
        "Selected": _selected,
        "Ticked": _ticked,
        "Row": _row,
        "Form": _form,
    }
)
"""The relations of `std.forms`, and who makes their rows."""


def _known_cells(**cells: Value | None) -> Cells:
    """A row without its unknown cells; texts are made canonical."""
    return {
        name: canonical(value) if isinstance(value, str) else value
        for name, value in cells.items()
        if value is not None
    }
