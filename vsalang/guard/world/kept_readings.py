"""What observation rules made of the same things before: a look at what did not change derives nothing again.

What the rules of a group write depends on their answers, on what is believed of their relations, on where the nodes of
lists are, and on little else (`Reading`). All of that is compared by identity, or is small. What nobody read, and
texts that hide something, are not among it: where something may be in doubt, nothing is kept.
"""

import datetime as dt
from collections.abc import Hashable, Mapping, Sequence
from typing import Final, Generic, TypeVar

from vsalang.base.records import dataclass
from vsalang.engine.api import Answer, Row
from vsalang.guard.say.verdict import Reason
from vsalang.guard.world.beliefs import Ident, SkippedWrite, Table
from vsalang.guard.world.joining import Motion, WindowState
from vsalang.guard.world.list_windows import Arrangement
from vsalang.guard.world.row_rules import RowRule
from vsalang.guard.world.rule_book import RuleBook
from vsalang.program.ir import Mark, Program, Rule, Write
from vsalang.program.screen import Screen

_SCREENS: Final = 4
"""Of so many screens it is known where their nodes are."""
_MOST: Final = 256
"""So many results are kept in a session; when there are more, all are forgotten."""


@dataclass(frozen=True, slots=True)
class ReadGroup:
    """A group of observation rules, and what is asked for it.

    Attributes:
        names: the relations that they write.
        rules: the group, and the `top` and `end` rules of its lists.
        ids: of all rules whose answers it is made of.
        lists: whether one of the relations is a list.
        keeps: whether the same answers give the same rows, whenever they come.
    """

    names: tuple[str, ...]
    rules: tuple[Rule, ...]
    ids: tuple[str, ...]
    lists: bool
    keeps: bool

    @classmethod
    def of(cls, program: Program, book: RuleBook, group: Sequence[Rule]) -> "ReadGroup":
        """What is asked for a group."""
        names = tuple(dict.fromkeys(r.head.atom.relation for r in group if isinstance(r.head, Write)))
        marks = [
            rule
            for rule in book.marks
            if isinstance(rule.head, Mark)
            and rule.head.kind != "complete"
            and rule.head.atom.relation in names
        ]
        own = {rule.id for rule in group}
        rows: list[RowRule] = [each for each in book.rows if each.rule.id in own]
        rules = (*group, *marks)
        parts = [part.id for each in rows for part in each.rules]
        return cls(
            names,
            rules,
            tuple(dict.fromkeys([*(rule.id for rule in rules), *parts])),
            any(program.relation(name).sort == "list" for name in names),
            book.timed.isdisjoint(names),
        )


@dataclass(frozen=True, slots=True)
class Reading:
    """What the rules of a group write, or a `complete` rule makes known, besides what was believed.

    Attributes:
        answers, tables, arrangement: what it depends on and is compared by identity; they are kept, so that no other
            object gets their identity.
        after: the tables of the relations.
        written, completed, windows, skipped, conflicts: see `vsalang.guard.world.observing`.
    """

    answers: Sequence[frozenset[Answer]]
    tables: Sequence[Table]
    arrangement: Arrangement | None
    after: Sequence[tuple[str, Table]]
    written: Mapping[str, dict[Ident, frozenset[str]]]
    completed: frozenset[tuple[str, Row]]
    windows: Mapping[tuple[str, Ident], WindowState]
    skipped: Sequence[SkippedWrite]
    conflicts: Sequence[Reason]


@dataclass(frozen=True, slots=True)
class Circumstances:
    """What else a group depends on; compared by value.

    Attributes:
        hidden: its views that no screen shows.
        screens: that show.
        proves: whether what is not on the screen is not there.
        days: of the instruction, and today.
        motion: what came since the last look.
        last: the windows of its lists as last shown.
    """

    hidden: frozenset[str]
    screens: frozenset[str]
    proves: bool
    days: tuple[dt.date, dt.date]
    motion: Motion | None
    last: tuple[tuple[Ident, WindowState], ...]


Kept = TypeVar("Kept")


class KeptReadings(Generic[Kept]):
    """The newest results, by what they depend on."""

    def __init__(self) -> None:
        self._known: dict[Hashable, Kept] = {}
        self._arranged: list[tuple[Screen | None, Arrangement]] = []
        self._tables: dict[str, list[Table]] = {}

    def get(self, key: Hashable) -> Kept | None:
        """A result that is kept."""
        return self._known.get(key)

    def keep(self, key: Hashable, result: Kept) -> None:
        """Keep a result; it must hold all objects whose identities are in its key."""
        if len(self._known) >= _MOST:
            self._known.clear()
        self._known[key] = result

    def table(self, name: str, table: Table) -> Table:
        """A table of that relation, or one of the last ones, if it has the same contents."""
        tables = self._tables.get(name, [])
        for known in tables:
            if known is table or known.alike(table):
                return known
        self._tables[name] = [table, *tables[: _SCREENS - 1]]
        return table

    def arrangement(self, screen: Screen | None) -> Arrangement:
        """Where the nodes of a screen are; the same object as of one of the screens before if nothing moved."""
        for known, arrangement in self._arranged:
            if known is screen:
                return arrangement
        made = Arrangement.of(screen)
        made = next((arrangement for _, arrangement in self._arranged if arrangement == made), made)
        self._arranged = [(screen, made), *self._arranged[: _SCREENS - 1]]
        return made
