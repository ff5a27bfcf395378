"""vsalang's naive reference, the oracle: it only knows whole slots and single questions, so deltas are kept here."""

from collections.abc import Iterable
from typing import Any

NAME = "reference"


class Assigning:
    """The calls that the workloads use, on any evaluator: rows are kept here and assigned whole."""

    def __init__(self, evaluator: Any) -> None:
        self.assign_whole = evaluator.assign
        self.rows, self.now, self.point = evaluator.rows, evaluator.now, evaluator.point
        self.relations = evaluator.program.relations
        self.kept: dict[str, dict[Any, None]] = {}

    def assign(self, slot: str, rows: Iterable[Any]) -> None:
        self.kept[slot] = dict.fromkeys(rows)
        self.assign_whole(slot, self.kept[slot])

    def update(self, slot: str, added: Iterable[Any], removed: Iterable[Any]) -> None:
        kept = self.kept.setdefault(slot, {})
        for row in removed:
            kept.pop(row, None)
        kept.update(dict.fromkeys(added))
        self.assign_whole(slot, kept)

    def write(self, slot: str, attr: str, value: Any) -> None:
        attrs = self.relations[slot].attrs
        row = list(next(iter(self.kept.get(slot, ())), (None,) * len(attrs)))
        row[[one.name for one in attrs].index(attr)] = value
        self.assign(slot, (tuple(row),))

    def watch(self, names: Iterable[str]) -> "Watching":
        return Watching(self, list(names))


class Watching:
    """Which of the names hold, asked again each time."""

    def __init__(self, session: Assigning, names: list[str]) -> None:
        self.session, self.names = session, names

    @property
    def holding(self) -> "Watching":
        return self

    def __iter__(self) -> Any:
        rows = self.session.rows
        return iter([name for name in self.names if rows(name)])
