"""What is believed at a point of a story, and the condition that a state of the solver's keeps it."""

import datetime as dt
from collections.abc import Mapping, Sequence
from typing import Any

from vsalang.base.records import dataclass
from vsalang.guard.examples import Story
from vsalang.program.ir import Program, Relation
from vsalang.program.ir import Write as WriteHead
from vsalang.program.values import NONE, Value, same
from vsalang.proof.prove.stories import key_of, texts_in
from vsalang.proof.solver.joint import Joint
from vsalang.proof.solver.results import Commit, Row
from vsalang.proof.solver.sorts import Cell, conj, disj, neg

_BELIEVED = ("state", "view", "list")


@dataclass(frozen=True, slots=True)
class Belief:
    """What a guard knows after some steps.

    Attributes:
        rows: by relation, of those that are believed.
        complete: rows whose known cells name what has no unseen rows.
        done: the actions that count as done.
        finished: whether the task was finished or given up.
    """

    today: dt.date
    now: dt.time
    rows: Mapping[str, tuple[Row, ...]]
    complete: Mapping[str, frozenset[Row]]
    done: Mapping[str, Sequence[Commit]]
    finished: bool = False

    @classmethod
    def of(cls, story: Story) -> "Belief":
        """What the guard of a story knows now."""
        snapshot = story.guard.snapshot
        done: dict[str, list[Commit]] = {}
        for action, commit in snapshot.committed:
            done.setdefault(action, []).append(Commit(commit.row))
        tables = snapshot.world.tables
        return cls(
            story.guard.today,
            story.clock.now.time(),
            {name: tuple(snapshot.world.rows(name)) for name in tables},
            {name: table.complete for name, table in tables.items() if table.complete},
            done,
            story.guard.finished,
        )

    def rows_shown(self, program: Program) -> dict[str, dict[Row, Row]]:
        """The rows of each relation, by what tells them apart."""
        return {
            name: {key_of(program.relation(name), row): row for row in rows}
            for name, rows in self.rows.items()
        }

    @property
    def key(self) -> tuple[str, str]:
        """What tells it from other beliefs, whatever the time is."""
        return repr(sorted(self.rows.items())), repr(sorted(self.done.items()))

    def most(self) -> int:
        """The greatest number of rows of one relation, or of times that one action was done."""
        return max([0, *map(len, self.rows.values()), *map(len, self.done.values())])

    def texts(self) -> set[str]:
        """The texts in all that is known."""
        rows = [row for known in self.rows.values() for row in known]
        rows += [row for known in self.complete.values() for row in known]
        rows += [commit.row for done in self.done.values() for commit in done]
        return {text for row in rows for text in texts_in(row)}

    def keeps(self, query: Joint, *, moved: bool, free: frozenset[str] = frozenset()) -> list[Any]:
        """That the state holds what is believed; asked last.

        Args:
            moved: something was done since: of a relation that no effect writes, the app may show other rows.
            free: relations that are not kept.
        """
        formulas = [*query.history(self.done), query.on_day(self.today)]
        program = query.state.program
        declared = written_by_actions(program)
        for kind, name in list(query.state.made):
            rel = program.relation(name)
            if kind == "now" and name == "Clock":
                formulas += self._clock(query, rel)
            if kind not in ("now", "complete") or rel.sort not in _BELIEVED or name in free:
                continue
            if moved and name not in declared:
                continue
            slots = query.state.slots("now", name)
            rows = self.rows.get(name, ())
            formulas += [
                disj([conj([slot.present, says(query, rel, slot.cells, row)]) for slot in slots])
                for row in rows
            ]
            for pattern in self.complete.get(name, ()):
                for slot in slots:
                    inside = conj([slot.present, says(query, rel, slot.cells, pattern)])
                    known = disj([says(query, rel, slot.cells, row) for row in rows])
                    formulas.append(disj([neg(inside), known]))
        return formulas

    def _clock(self, query: Joint, rel: Relation) -> list[Any]:
        """That it is the day of the instruction, and not earlier than it was."""
        (slot,) = query.state.slots("now", rel.name)
        time, date = slot.cells[0], slot.cells[1]
        now = self.now.hour * 3600 + self.now.minute * 60 + self.now.second
        return [
            disj([neg(slot.present), conj([time.known, neg(time.none), time.value >= now])]),
            disj([neg(slot.present), neg(date.known), date.value == self.today.toordinal()]),
        ]


def written_by_actions(program: Program) -> frozenset[str]:
    """The relations of which the program says what actions do to them."""
    return frozenset(
        rule.head.atom.relation
        for rule in program.rules
        if isinstance(rule.head, WriteHead) and rule.trigger == "consequence"
    )


def says(query: Joint, rel: Relation, cells: Sequence[Cell], row: Row) -> Any:
    """Whether cells hold the values that are known in a row."""
    return conj(
        conj([cell.known, cell.none])
        if value is NONE
        else conj(
            [cell.known, neg(cell.none), query.terms.equal(cell, query.sorts.constant(value, attr.type))]
        )
        for attr, cell, value in zip(rel.attrs, cells, row, strict=True)
        if value is not None
    )


def row_of(story: Story, rel: Relation, cells: Mapping[str, Value]) -> dict[str, Value]:
    """The row that is believed of what cells name; empty if there is none."""
    for row in story.guard.snapshot.world.rows(rel.name):
        known = {a.name: v for a, v in zip(rel.attrs, row, strict=True) if v is not None}
        if all(same(known.get(key), cells.get(key)) for key in rel.identity):
            return known
    return {}


def believed(story: Story, rel: Relation, cells: Mapping[str, Value]) -> bool:
    """Whether a story's guard believes that a row holds these cells."""
    row = row_of(story, rel, cells)
    return bool(row) and all(same(row.get(name), value) for name, value in cells.items())
