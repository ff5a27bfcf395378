"""What an app reports, as changes in order; and many reports as one observation."""

from collections.abc import Iterable, Mapping
from dataclasses import field
from typing import Any, Final

from vsalang.agents.reporting.errors import MessageRefused
from vsalang.agents.reporting.reading import MAX_ITEMS, member, only, read_value
from vsalang.agents.reporting.schema import AppSchema
from vsalang.base.records import dataclass
from vsalang.engine.api import Cell, Row
from vsalang.guard import KnownWorld
from vsalang.guard.world.beliefs import CellWrite, Ident, RowDelete, covers, row_of
from vsalang.program.example import Fact
from vsalang.program.ir import Relation
from vsalang.program.values import Value, same

_UPDATE: Final = frozenset({"name", "op", "values", "keep", "rows"})


@dataclass(frozen=True, slots=True)
class RowUpdate:
    """Cells of one row; its identity is known. `keep`: a view's other cells stay."""

    relation: Relation
    cells: Mapping[str, Cell]
    keep: bool = False

    @property
    def ident(self) -> Ident:
        """What identifies the row."""
        values = (self.cells.get(name) for name in self.relation.identity)
        return tuple(value for value in values if value is not None)


@dataclass(frozen=True, slots=True)
class RowDeletion:
    """Rows with these values are gone."""

    relation: Relation
    pattern: Mapping[str, Value]


@dataclass(frozen=True, slots=True)
class Complete:
    """Nothing is unseen for these values."""

    relation: Relation
    pattern: Mapping[str, Value]


Change = RowUpdate | RowDeletion | Complete


# ---------------------------------------------------------------- from JSON


def read_changes(schema: AppSchema, data: Any, where: str = "updates") -> list[Change]:
    """The changes of a message, in order.

    Raises:
        Refused: one of them is none, or is not the app's to report; then none counts.
    """
    if not isinstance(data, list):
        raise MessageRefused("malformed", "`updates` is a list", where)
    changes: list[Change] = []
    for index, item in enumerate(data):
        place = f"{where}[{index}]"
        if not isinstance(item, dict):
            raise MessageRefused("malformed", "an update is an object", place)
        changes += _read_update(schema, item, place)
        if len(changes) > MAX_ITEMS:
            raise MessageRefused("too_large", f"a message has at most {MAX_ITEMS} updates and rows", place)
    return changes


def _read_update(schema: AppSchema, data: dict[str, Any], where: str) -> list[Change]:
    only(data, _UPDATE, where)
    relation = schema.relation(member(data, "name", str, where=where), f"{where}.name")
    op = member(data, "op", str, "update", where)
    values = member(data, "values", dict, {}, where)
    keep = member(data, "keep", bool, False, where)
    if keep and (op != "update" or relation.sort != "view"):
        raise MessageRefused("malformed", "`keep` is for updates of views: states keep their cells", where)
    if "rows" in data and op != "all":
        raise MessageRefused("malformed", '`rows` is for the op "all"', where)
    match op:
        case "update":
            return [put(relation, _cells(relation, values, f"{where}.values"), keep, f"{where}.values")]
        case "delete":
            return [gone(relation, _cells(relation, values, f"{where}.values"), f"{where}.values")]
        case "complete":
            return [complete(relation, _cells(relation, values, f"{where}.values"), f"{where}.values")]
        case "all":
            return _all(relation, values, member(data, "rows", list, where=where), where)
    raise MessageRefused("malformed", "`op` is update, delete, complete or all", f"{where}.op")


def _cells(relation: Relation, values: Mapping[str, Any], where: str) -> dict[str, Cell]:
    cells: dict[str, Cell] = {}
    for name, value in values.items():
        cells[name] = read_value(value, attribute(relation, name, where).type, name, f"{where}.{name}")
    return cells


def attribute(relation: Relation, name: str, where: str) -> Any:
    """The attribute of that name.

    Raises:
        Refused: there is none.
    """
    for attr in relation.attrs:
        if attr.name == name:
            return attr
    from vsalang.base.source.suggest import did_you_mean
    from vsalang.program.text import safe

    hint = did_you_mean(name, [attr.name for attr in relation.attrs])
    raise MessageRefused(
        "unknown_name",
        f"{relation.short} has no attribute {safe(name)}" + (f"; {hint}" if hint else ""),
        where,
    )


def put(relation: Relation, cells: Mapping[str, Cell], keep: bool, where: str) -> RowUpdate:
    """A row that is as the app says.

    Raises:
        Refused: what identifies it is missing or unknown, or its position is none.
    """
    missing = [name for name in relation.identity if cells.get(name) is None]
    if missing:
        raise MessageRefused(
            "incomplete", f"{relation.short} needs {', '.join(missing)}, which identifies its rows", where
        )
    if relation.sort == "list" and "at" in cells:
        at = cells["at"]
        if isinstance(at, bool) or not isinstance(at, int) or at < 1:
            raise MessageRefused("wrong_type", "at is a position: 1, 2, 3 and so on", f"{where}.at")
    return RowUpdate(relation, cells, keep)


def gone(relation: Relation, cells: Mapping[str, Cell], where: str) -> RowDeletion:
    """Rows that are gone, by all or part of what identifies them.

    Raises:
        Refused: the pattern names something else.
    """
    return RowDeletion(relation, _pattern(relation, cells, relation.identity, where))


def complete(relation: Relation, cells: Mapping[str, Cell], where: str) -> Complete:
    """Nothing is unseen for these values.

    Raises:
        Refused: the pattern names something else, or the relation has one row only.
    """
    if not relation.identity:
        raise MessageRefused("malformed", f"{relation.short} has one row: report it", where)
    names = tuple(name for name in relation.identity if name != "at")
    return Complete(relation, _pattern(relation, cells, names, where))


def _pattern(
    relation: Relation, cells: Mapping[str, Cell], names: Iterable[str], where: str
) -> dict[str, Value]:
    allowed = list(names)
    values: dict[str, Value] = {}
    for name, value in cells.items():
        if name not in allowed:
            words = f"only {', '.join(allowed)}" if allowed else "no values"
            raise MessageRefused("malformed", f"here {relation.short} takes {words}", f"{where}.{name}")
        if value is None:
            raise MessageRefused("malformed", f"{name} is unknown: leave it out", f"{where}.{name}")
        values[name] = value
    return values


def _all(relation: Relation, values: Mapping[str, Any], rows: list[Any], where: str) -> list[Change]:
    """These are all rows for the values: the others go, and nothing is unseen."""
    whole = complete(relation, _cells(relation, values, f"{where}.values"), f"{where}.values")
    numbered = relation.sort == "list" and all(name in whole.pattern for name in relation.within)
    changes: list[Change] = [RowDeletion(relation, whole.pattern)]
    for index, row in enumerate(rows):
        place = f"{where}.rows[{index}]"
        if not isinstance(row, dict):
            raise MessageRefused("malformed", "a row is an object", place)
        cells = _cells(relation, row, place)
        for name, value in whole.pattern.items():
            if not same(cells.setdefault(name, value), value):
                raise MessageRefused("malformed", f"{name} is another than in `values`", f"{place}.{name}")
        if numbered:
            cells.setdefault("at", index + 1)
        changes.append(put(relation, cells, False, place))
    return [*changes, whole]


# ---------------------------------------------------------------- many as one


@dataclass
class Batch:
    """Changes that were applied one after the other, as one observation."""

    puts: dict[tuple[str, Ident], RowUpdate] = field(default_factory=dict)
    gones: dict[tuple[str, Row], RowDeletion] = field(default_factory=dict)
    completes: dict[tuple[str, Row], Complete] = field(default_factory=dict)

    def add(self, changes: Iterable[Change]) -> "Batch":
        """Take in more changes, after those that are there. Of two values for a cell the later one counts."""
        for change in changes:
            match change:
                case RowUpdate():
                    self._put(change)
                case RowDeletion():
                    self._gone(change)
                case Complete():
                    row = row_of(change.relation, change.pattern)
                    self.completes[change.relation.name, row] = change
        return self

    def _put(self, change: RowUpdate) -> None:
        relation = change.relation
        key = (relation.name, change.ident)
        old = self.puts.pop(key, None)
        stays = relation.sort == "state" or (relation.sort == "list" and bool(relation.key))
        if old is not None and (stays or change.keep):
            change = RowUpdate(relation, {**old.cells, **change.cells}, old.keep)
        self.puts[key] = change
        row = row_of(relation, change.cells)
        for name, pattern in list(self.completes):
            if old is None and name == relation.name and covers(pattern, row):
                del self.completes[name, pattern]  # a row that was not there when it was complete

    def _gone(self, change: RowDeletion) -> None:
        for key, item in list(self.puts.items()):
            if key[0] == change.relation.name and all(
                same(item.cells.get(name), value) for name, value in change.pattern.items()
            ):
                del self.puts[key]
        row = row_of(change.relation, change.pattern)
        self.gones[change.relation.name, row] = change

    def seen(self, screens: frozenset[str] | None = None) -> KnownWorld:
        """What is known without the screen. Observation rules do not run: no screen was looked at."""
        return KnownWorld(
            writes=tuple(
                CellWrite(p.relation.name, dict(p.cells), p.keep, rule="reported") for p in self.puts.values()
            ),
            gone=tuple(RowDelete(g.relation.name, dict(g.pattern), "reported") for g in self.gones.values()),
            complete=tuple((c.relation.name, dict(c.pattern)) for c in self.completes.values()),
            screens=screens,
            rules=False,
            while_shown=True,
        )


def predicted(changes: Iterable[Change]) -> tuple[tuple[Fact, ...], tuple[Fact, ...]]:
    """What an app says an action will change: the writes and the deletes of a proposal.

    Raises:
        Refused: it says that something will be complete, or that cells stay; only what is seen is and does.
    """
    batch = Batch().add(changes)
    if batch.completes:
        raise MessageRefused(
            "malformed", "what an action will do cannot be complete: say it after the action"
        )
    if any(item.keep for item in batch.puts.values()):
        raise MessageRefused(
            "malformed", "`keep` is for what is so: say all of the view that the action makes"
        )
    return (
        tuple(Fact(p.relation.name, dict(p.cells)) for p in batch.puts.values()),
        tuple(Fact(g.relation.name, dict(g.pattern)) for g in batch.gones.values()),
    )
