"""A symbolic state: for each relation a few row slots, and what every state of the language satisfies."""

import datetime as dt
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import z3

from vsalang.program.ir import (
    DURATION,
    TEXT,
    Derive,
    License,
    Literal,
    Program,
    Refinement,
    Relation,
    Rule,
)
from vsalang.program.reading import read_certainly
from vsalang.program.values import Value
from vsalang.program.vocabulary import ALWAYS_COMPLETE
from vsalang.program.walk import relations
from vsalang.proof.solver.results import Commit, UnsupportedConstruct, World
from vsalang.proof.solver.scan import licences_of, refining, revocable, units
from vsalang.proof.solver.sorts import FALSE, TRUE, Cell, Sorts, conj, disj, neg, true_in
from vsalang.proof.solver.terms import Terms

MOST_COMMITS = 24
"""More commits of one action than this are not told apart, even where that many are licensed."""


@dataclass(frozen=True, slots=True, eq=False)
class Slot:
    """A row that may be there: `cells` in the order of the relation's attributes; of a commit also its age."""

    present: Any
    cells: tuple[Cell, ...]
    age: Cell | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Free:
    """What was left free of the past.

    Attributes:
        flag: whether it was so.
        cells: what the variables are that it gives values to.
        kept: the cells that it was asked of, whose identity must not be used again.
        now: whether it is so now, where that can be said and is one way in which it was so.
    """

    flag: Any
    cells: Mapping[str, Cell]
    kept: tuple[Cell, ...]
    now: Any = None


@dataclass(eq=False)
class State:
    """The slots of one query, made when they are first asked for.

    Attributes:
        rows: how many slots a relation has that may have several rows.
        facts: what holds of every state.
        matches: what a condition says that depends on the cells of its variables alone, by reading and cells: what was
            made of it, what was cut off (see `AtomReader`) and has no exact form, and what the key names.
        bodies: those of rules as they are read certainly, by the rule's id.
        definitions: the rules of each derived relation.
        past: what was left free of the past, by what is asked (see `smt.past`): the same on both sides of a comparison.
        counted: actions of which somebody asks whether all licences are used up: they have a slot for each.
        spent_flags: for each of these that was asked about, whether it is so.
    """

    program: Program
    sorts: Sorts
    terms: Terms
    rows: int
    facts: list[Any] = field(default_factory=list)
    made: dict[tuple[str, str], tuple[Slot, ...]] = field(default_factory=dict)
    screens: dict[str, Any] = field(default_factory=dict)
    matches: dict[tuple[Any, ...], tuple[Any, ...]] = field(default_factory=dict)
    bodies: dict[str, tuple[Literal, ...]] = field(default_factory=dict)
    definitions: dict[str, list[Rule]] = field(init=False)
    past: dict[tuple[Any, ...], Free] = field(default_factory=dict)
    commit_rows: int = 0
    counted: frozenset[str] = frozenset()
    spent_flags: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._reached: dict[str, frozenset[str]] = {}
        self.definitions = {}
        for rule in self.program.rules:
            if isinstance(rule.head, Derive):
                self.definitions.setdefault(rule.head.atom.relation, []).append(rule)

    def certain_body(self, rule: Rule) -> tuple[Literal, ...]:
        """The body of a rule as it is read certainly: the same objects each time."""
        if rule.id not in self.bodies:
            self.bodies[rule.id] = read_certainly(rule).body
        return self.bodies[rule.id]

    def path_to(self, names: Iterable[str], path: tuple[str, ...]) -> tuple[str, ...]:
        """The part of a path through definitions that matters for what these relations say: where it comes back."""
        if not path:
            return path
        reached = frozenset().union(*map(self._reach, names))
        return tuple(name for name in path if name in reached)

    def _reach(self, name: str) -> frozenset[str]:
        """A relation and all that it is defined by."""
        if name not in self._reached:
            names, waiting = {name}, [name]
            while waiting:
                for rule in self.definitions.get(waiting.pop(), ()):
                    new = relations(rule.body) - names
                    names |= new
                    waiting += new
            self._reached[name] = frozenset(names)
        return self._reached[name]

    # ------------------------------------------------------------ slots

    def slots(self, kind: str, name: str) -> tuple[Slot, ...]:
        """The slots of a relation: `kind` is ``now``, ``before``, ``commits`` or ``complete``."""
        if (kind, name) not in self.made:
            rel = self.program.relation(name)
            if any(a.type.kind == "set" and a.type.elem is None for a in rel.attrs):
                raise UnsupportedConstruct(f"sets without a type in `{rel.short}`")
            made = self._complete(rel) if kind == "complete" else self._rows(kind, rel)
            self.made[kind, name] = made
            if kind in ("now", "before"):
                self._distinct(rel, made)
                for index, slot in enumerate(made if len(rel.identity) == 1 else ()):
                    self.terms.is_key(slot.cells[rel.column(rel.identity[0])], kind, name, index)
            if kind == "now" and rel.sort == "gesture":
                self._one_gesture(name)
            if kind in ("now", "commits") and rel.refines is not None:
                self._as_effect(kind, rel, rel.refines, made)
        return self.made[kind, name]

    def count(self, kind: str, rel: Relation) -> int:
        """How many slots the relation has."""
        if kind == "commits":
            wanted = self.total_licence(rel.name) if rel.name in self.counted else 0
            names = 1 + len(refining(self.program, rel.name))
            return max(self.rows, self.commit_rows, min(wanted or 0, MOST_COMMITS)) * names
        single = rel.sort in ("view", "gesture") or (rel.sort == "state" and not rel.key)
        single = single or rel.name in ("App", "Clock", "Instruction") or not rel.attrs
        return 1 if single else self.rows

    def cell(self, label: str, kind: Any, *, known: bool = False) -> Cell:
        """A new cell of any value."""
        value, inside = self.sorts.fresh(label, kind)
        self.facts.append(inside)
        return Cell(
            kind,
            value,
            TRUE if known else self.sorts.flag(f"known {label}"),
            self.sorts.flag(f"none {label}"),
        )

    def _rows(self, kind: str, rel: Relation) -> tuple[Slot, ...]:
        made = []
        for index in range(self.count(kind, rel)):
            label = f"{kind} {rel.name} {index + 1}"
            present = self.sorts.flag(f"present {label}")
            cells = tuple(
                self.cell(
                    f"{label} {attr.name}",
                    attr.type,
                    known=kind in ("now", "before") and attr.name in rel.key,
                )
                for attr in rel.attrs
            )
            age = None
            if kind == "commits":
                value, inside = self.sorts.fresh(f"age {label}", DURATION)
                self.facts += [inside, value >= 0, value < 86400 * 3650]
                age = Cell(DURATION, value)
            made.append(Slot(present, cells, age))
        for one, other in pairwise(made):
            self.facts.append(disj([neg(other.present), one.present]))
        return tuple(made)

    def _distinct(self, rel: Relation, made: tuple[Slot, ...]) -> None:
        """Rows of one key are one row; rows without a key that say the same are one row."""
        if rel.sort == "list":
            at = rel.column("at")
            for slot in made:
                cell = slot.cells[at]
                self.facts += [neg(cell.none), cell.value >= 1, z3.IsInt(cell.value)]
                self.facts += [slot.cells[rel.column(name)].known for name in rel.within]
        keys = [rel.identity] if rel.identity else []
        if rel.sort == "list":
            keys.append((*rel.within, "at"))
        for index, one in enumerate(made):
            for other in made[:index]:
                for key in keys:
                    columns = [rel.column(name) for name in key]
                    self.facts.append(neg(conj([one.present, other.present, self.same(one, other, columns)])))
                if not keys:
                    self.facts.append(neg(conj([one.present, other.present, self.alike(one, other)])))

    def same(self, one: Slot, other: Slot, columns: Iterable[int]) -> Any:
        """Whether two rows have the same known values in these columns."""
        parts = []
        for column in columns:
            a, b = one.cells[column], other.cells[column]
            parts += [a.known, b.known, self.terms.equal(a, b)]
        return conj(parts)

    def alike(self, one: Slot, other: Slot) -> Any:
        """Whether two rows are the same in every cell, unknown ones included."""
        return conj([self._like(a, b) for a, b in zip(one.cells, other.cells, strict=True)])

    def _like(self, a: Cell, b: Cell) -> Any:
        """Whether two cells are unknown, or have the same value."""
        if a.type.kind == "set" and a.type.elem is not None and a.type.elem.kind == "Text":
            same = conj([x == y for x, y in zip(a.value, b.value, strict=True)])
        else:
            same = self.terms.equal(a, b)
        return disj([conj([neg(a.known), neg(b.known)]), conj([a.known, b.known, same])])

    def _as_effect(self, kind: str, rel: Relation, refines: Refinement, made: tuple[Slot, ...]) -> None:
        """What is proposed, or done, of an action that refines an effect is proposed, or done, as this effect."""
        for slot in made:
            ways = (self._is_effect(rel, refines, slot, other) for other in self.slots(kind, refines.action))
            self.facts.append(disj([neg(slot.present), *ways]))

    def _is_effect(self, rel: Relation, refines: Refinement, slot: Slot, other: Slot) -> Any:
        """Whether an instance of an effect is there and is what an instance of an action is as this effect."""
        arguments = dict(refines.arguments)
        env = dict(zip((attr.name for attr in rel.attrs), slot.cells, strict=True))
        parts = [other.present]
        if slot.age is not None and other.age is not None:
            parts.append(slot.age.value == other.age.value)
        for attr, mine in zip(self.program.relation(refines.action).attrs, other.cells, strict=True):
            if attr.name not in arguments:
                parts.append(neg(mine.known))
                continue
            try:
                parts.append(self._like(mine, self.terms.value(arguments[attr.name], env)))
            except UnsupportedConstruct as error:  # it may be anything
                self.terms.approximated[str(error)] = None
        return conj(parts)

    def done_by(self, effect: str, slot: Slot) -> Any:
        """Whether an action that refines an effect was done, and is this instance of it."""
        ways = []
        for name in refining(self.program, effect):
            rel = self.program.relation(name)
            assert rel.refines is not None
            ways += [
                conj([mine.present, self._is_effect(rel, rel.refines, mine, slot)])
                for mine in self.slots("commits", name)
            ]
        return disj(ways)

    def _complete(self, rel: Relation) -> tuple[Slot, ...]:
        """What is known to be complete: any part of the key, or of a list's ``in``.

        A `complete` rule gives it, and whatever else shows it: rows seen to be gone, both ends of a list.
        """
        shape = {*rel.key, *rel.within}
        slots = self._rows("complete", rel)
        for slot in slots:
            for attr, cell in zip(rel.attrs, slot.cells, strict=True):
                if attr.name not in shape:
                    self.facts.append(neg(cell.known))
        return slots

    def _one_gesture(self, name: str) -> None:
        mine = self.made["now", name][0].present
        for kind, other in self.made:
            if kind == "now" and other != name and self.program.relation(other).sort == "gesture":
                self.facts.append(neg(conj([mine, self.made[kind, other][0].present])))

    # ------------------------------------------------------------ what is asked besides rows

    def shows(self, screen: str) -> Any:
        """Whether a screen shows; at most one of an app does."""
        if screen not in self.screens:
            self.screens[screen] = flag = self.sorts.flag(f"shows {screen}")
            app = screen.partition(":")[0]
            for other, other_flag in self.screens.items():
                if other != screen and other.partition(":")[0] == app:
                    self.facts.append(neg(conj([flag, other_flag])))
        return self.screens[screen]

    def complete(self, rel: Relation, cells: dict[str, Cell], *, before: bool) -> Any:
        """Whether a relation can have no row but those seen that has these values."""
        if rel.sort in ("gesture", "screen", "action") or rel.name in ALWAYS_COMPLETE:
            return TRUE
        if rel.sort == "observed":
            return FALSE
        options = [
            conj([slot.present, *(disj([neg(cell.known), self._cell_condition(cells, attr.name, cell)])
                                  for attr, cell in zip(rel.attrs, slot.cells, strict=True))])
            for slot in self.slots("complete", rel.name)
        ]  # fmt: skip
        seen = self.slots("before" if before else "now", rel.name)
        if rel.sort in ("state", "view") and not rel.key:
            return disj([*options, seen[0].present])
        keys = [rel.identity] + ([(*rel.within, "at")] if rel.sort == "list" else [])
        for key in keys:
            if key and all(name in cells for name in key):
                columns = [(name, rel.column(name)) for name in key]
                for slot in seen:
                    parts = [
                        conj([slot.cells[c].known, self._cell_condition(cells, n, slot.cells[c])])
                        for n, c in columns
                    ]
                    options.append(conj([slot.present, *parts]))
        return disj(options)

    def _cell_condition(self, cells: dict[str, Cell], attr: str, cell: Cell) -> Any:
        if attr not in cells:
            return FALSE
        value = cells[attr]
        return conj([value.known, neg(value.open), self.terms.equal(value, cell)])

    def total_licence(self, action: str) -> int | None:
        """How many commits all clauses of an action license together; None if without bound."""
        total, shared = 0, set[str]()
        own = [rule for name in refining(self.program, action) for rule in licences_of(self.program, name)]
        for rule in (*licences_of(self.program, action), *own):
            assert isinstance(rule.head, License)
            quota = rule.head.quota
            if quota.kind == "each":
                return None
            if quota.kind == "either":
                shared.add(rule.module)
            else:
                total += quota.n if quota.kind == "count" else 1
        return total + len(shared)

    def spent(self, action: str) -> Any:
        """Whether every licence that the task gives for an action is used up (``all A``).

        Then there is a commit for each; but one whose contract was violated is charged and yet was not done.
        """
        if action not in self.spent_flags:
            self.spent_flags[action] = flag = self.sorts.flag(f"all of {action} spent")
            total = sum(number for _, number in units(self.program, action))
            slots = self.slots("commits", action)[:total]
            if not total:
                self.facts.append(neg(flag))
            elif not revocable(self.program, action):
                self.facts += [disj([neg(flag), slot.present]) for slot in slots]
            if total > len(slots):
                self.terms.free[f"more than {len(slots)} commits of one action"] = None
        return self.spent_flags[action]

    # ------------------------------------------------------------ from a model

    def world(self, model: Any) -> World:
        """The state of a model, in values of the language.

        Raises:
            Unsupported: one of its values is none of the language.
        """
        day = self.sorts.decode(model, self.terms.today)
        assert isinstance(day, dt.date)
        kinds: dict[str, dict[str, frozenset[tuple[Value | None, ...]]]] = {
            "now": {},
            "before": {},
            "complete": {},
        }
        commits: dict[str, tuple[Commit, ...]] = {}
        for (kind, name), slots in self.made.items():
            there = [slot for slot in slots if true_in(model, slot.present)]
            rows = [tuple(self.sorts.decode(model, cell) for cell in slot.cells) for slot in there]
            if kind == "commits":
                ages = [self.sorts.decode(model, slot.age) for slot in there if slot.age is not None]
                commits[name] = tuple(
                    Commit(row, age)
                    for row, age in zip(rows, ages, strict=True)
                    if isinstance(age, dt.timedelta)
                )
            elif kind in kinds:
                kinds[kind][name] = frozenset(rows)
        for name, done in list(commits.items()):
            refines = self.program.relation(name).refines
            if refines is not None and refines.action in commits:
                when = {commit.age for commit in done}
                commits[refines.action] = tuple(c for c in commits[refines.action] if c.age not in when)
        for name in [name for name, rows in kinds["now"].items() if rows]:
            refines = self.program.relation(name).refines
            if refines is not None:  # the effect is proposed by it, and not for itself
                kinds["now"].pop(refines.action, None)
        pairs = {}
        for value, constant in self.terms.compared:
            text = self.sorts.value(model, value, TEXT)
            answer = true_in(model, self.terms.similars[constant](value))
            pairs[str(text), constant] = answer
        return World(
            today=day,
            rows=kinds["now"],
            before=kinds["before"],
            complete=kinds["complete"],
            commits=commits,
            spent=frozenset(name for name, flag in self.spent_flags.items() if true_in(model, flag)),
            screens=frozenset(name for name, flag in self.screens.items() if true_in(model, flag)),
            similar=tuple((text, constant, answer) for (text, constant), answer in pairs.items()),
            assumed=(*self.terms.free, *self.terms.approximated),
        )
