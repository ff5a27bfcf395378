"""Terms and comparisons on symbolic cells: the solver's counterpart of `vsalang.program.ops`."""

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import z3

from vsalang.program import ops
from vsalang.program.ir import (
    DATE,
    TEXT,
    Choice,
    Const,
    Fn,
    Term,
    TextPattern,
    Type,
    Var,
)
from vsalang.program.similarity import DEFAULT, similar
from vsalang.program.values import Value
from vsalang.proof.solver.results import UnsupportedConstruct
from vsalang.proof.solver.sorts import (
    FALSE,
    LAST_DAY,
    LONGEST,
    Cell,
    Sorts,
    conj,
    disj,
    equals,
    is_false,
    is_true,
    neg,
)
from vsalang.proof.solver.wordings import Comparison, Wordings, is_open

Env: TypeAlias = Mapping[str, Cell]

_DAYS = (dt.date(2000, 1, 1), dt.date(2099, 12, 31))
"""When instructions are given: far from the first and last day that a date can be, where `today - 1d` is undefined."""
_READERS = frozenset({"time", "date", "number", "duration", "bool", "currency", "member", "lower", "line"})


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """A reader applied to a text: the function with its other arguments, the text, whether and what it reads."""

    fn: Fn
    options: tuple[Any, ...]
    text: Any
    reads: Any
    gives: Any


class Terms:
    """Terms of one query.

    Attributes:
        wordings: what is asked of the inside of texts.
        today: the day of the instruction, one of `_DAYS`.
        facts: what holds of the functions that the solver does not look into, for the texts the program names.
        free: what was left free, in words.
        settled: what was left free, in words, but is as the language says in states of `realistic`.
        approximated: what has no exact form; any answer to it is taken to be possible.
        reads: where a reader was applied.
        similars: for each constant of ``~=`` the predicate that stands for it.
    """

    def __init__(self, sorts: Sorts) -> None:
        self.sorts = sorts
        self.wordings = Wordings(sorts)
        sorts.made = self.wordings.texts
        value, _ = sorts.fresh("today", DATE)
        self.today = Cell(DATE, value)
        self.facts: list[Any] = [*sorts.facts, value >= _DAYS[0].toordinal(), value <= _DAYS[1].toordinal()]
        self.free: dict[str, None] = {}
        self.similars: dict[str, Any] = {}
        self.compared: list[tuple[Any, str]] = []
        self.settled: dict[str, None] = {}
        self.approximated: dict[str, None] = {}
        self.reads: list[Reading] = []
        self._loose: list[Any] = []
        self._open: dict[TextPattern, list[Any]] = {}
        self._keys: dict[int, tuple[Any, ...]] = {
            one.ast.value: ("named", number) for number, one in enumerate(sorts.named)
        }
        self._functions: dict[tuple[Any, ...], tuple[Any, Any]] = {}

    @property
    def supposed(self) -> tuple[str, ...]:
        """Everything that a model may have supposed, in words."""
        return (*self.free, *self.settled, *self.approximated)

    # ------------------------------------------------------------ values of terms

    def value(self, term: Term | None, env: Env) -> Cell:
        """The value of a term.

        Raises:
            Unsupported: it has no exact encoding.
        """
        if isinstance(term, Const):
            return self.sorts.constant(term.value, term.type)
        if isinstance(term, Var):
            if term.name not in env:
                raise UnsupportedConstruct(f"`?{term.name}`, which nothing binds before it is used")
            return env[term.name]
        if isinstance(term, Fn):
            if term.name == "today":
                return self.today
            args = [self.value(arg, env) for arg in term.args]
            defined = conj([disj([conj([a.known, neg(a.none)]), a.open]) for a in args])
            try:
                cell = self._call(term, args)
            except UnsupportedConstruct as error:
                cell = self._anything(term, str(error))
            opened = disj([a.open for a in args])
            return Cell(term.type, cell.value, conj([defined, disj([cell.known, opened])]), FALSE, opened)
        raise UnsupportedConstruct(f"a term of kind {type(term).__name__}")

    def _anything(self, fn: Fn, why: str) -> Cell:
        """Any value, or none: for a function that has no exact form."""
        self.approximated[why] = None
        value, inside = self.sorts.fresh(fn.name, fn.type)
        self.facts.append(inside)
        return Cell(fn.type, value, self.sorts.flag(f"known {fn.name}"))

    def _call(self, fn: Fn, args: list[Cell]) -> Cell:
        name, kind = fn.name, fn.type
        if name in _READERS:
            return self._read(fn, args)
        values = [a.value for a in args]
        if name == "flip":
            return Cell(kind, neg(values[0]))
        if name == "weekday":
            return Cell(kind, (values[0] + 6) % 7)
        if name in ("month", "day"):
            month, day = _civil(values[0])
            return Cell(kind, z3.ToReal(month if name == "month" else day))
        if name == "neg":
            return Cell(kind, -values[0])
        if name in ("+", "-"):
            return self._sum(name, kind, args)
        if name == "*":
            return self._product(kind, args)
        raise UnsupportedConstruct(f"the function `{name}`")

    def _sum(self, name: str, kind: Type, args: list[Cell]) -> Cell:
        left, right = args
        a, b = left.value, right.value
        if kind.kind == "Number":
            return Cell(kind, a + b if name == "+" else a - b)
        if left.type.kind == "Date" and right.type.kind == "Duration":
            days = b / 86400
            total = a + days if name == "+" else a - days
            return Cell(kind, total, conj([b % 86400 == 0, total >= 1, total <= LAST_DAY]))
        total = a + b if name == "+" else a - b
        if kind.kind == "Time":
            return Cell(kind, total, conj([total >= 0, total < 86400]))
        if left.type.kind == "Date":
            return Cell(kind, total * 86400)
        return Cell(kind, total, conj([total >= -LONGEST, total <= LONGEST]))

    def _product(self, kind: Type, args: list[Cell]) -> Cell:
        left, right = args
        if kind.kind == "Number":
            return Cell(kind, left.value * right.value)
        length, factor = (left, right) if left.type.kind == "Duration" else (right, left)
        product = z3.ToReal(length.value) * factor.value
        whole = z3.ToInt(product)
        return Cell(kind, whole, conj([z3.IsInt(product), whole >= -LONGEST, whole <= LONGEST]))

    def _read(self, fn: Fn, args: list[Cell]) -> Cell:
        """A reader of texts: any partial function that reads the program's own texts as the language does."""
        options: tuple[Any, ...] = ()
        for arg in fn.args[1:]:
            if not isinstance(arg, Const):
                raise UnsupportedConstruct(f"`{fn.name}` whose second argument is not a constant")
            options += (arg.value,)
        self.settled[f"what `{fn.name}` reads from a text"] = None
        key = (fn.name, str(fn.type), *options)
        if key not in self._functions:
            number = len(self._functions)
            text, result = self.sorts.text_sort, self.sorts.sort(fn.type)
            reads = z3.Function(f"reads {fn.name} {number}", text, z3.BoolSort())
            gives = z3.Function(f"gives {fn.name} {number}", text, result)
            self._functions[key] = (reads, gives)
            self._fix(fn, options, reads, gives)
        reads, gives = self._functions[key]
        value_read = gives(args[0].value)
        self.reads.append(Reading(fn, options, args[0].value, reads(args[0].value), value_read))
        self.facts.append(self.sorts.range(fn.type, value_read))
        return Cell(fn.type, value_read, reads(args[0].value))

    def _fix(self, fn: Fn, options: tuple[Any, ...], reads: Any, gives: Any) -> None:
        for text in self.sorts.texts:
            values = [read(fn, text, options, today) for today in (dt.date(2026, 1, 5), dt.date(2031, 7, 20))]
            if values[0] != values[1]:  # it depends on the day: left free
                continue
            here = self.sorts.constant(text, Type("Text")).value
            if values[0] is None:
                self.facts.append(neg(reads(here)))
            elif not isinstance(values[0], str) or fn.type.kind == "enum" or values[0] in self.sorts.texts:
                constant = self.sorts.constant(values[0], fn.type)
                self.facts.append(conj([reads(here), gives(here) == constant.value]))
            else:  # a text that the program does not name
                named = (self.sorts.constant(name, fn.type).value for name in self.sorts.texts)
                self.facts.append(conj([reads(here), *(neg(gives(here) == value) for value in named)]))

    def realistic(self) -> list[Any]:
        """What makes a state one that there may be: texts that the program does not name say nothing.

        They can be read as nothing, are similar to nothing, and fit no pattern that has no exact form.
        """
        formulas = [disj([neg(condition), self.named(text)]) for condition, text in self._loose]
        formulas += [disj([neg(self.similars[c](text)), self.named(text)]) for text, c in self.compared]
        for constant, predicate in self.similars.items():
            for text in self.sorts.texts:
                here = predicate(self.sorts.constant(text, TEXT).value)
                formulas.append(here if similar(DEFAULT, text, constant) else neg(here))
        for one in self.reads:
            if one.fn.name in ("lower", "line"):
                formulas.append(disj([self.named(one.text), conj([one.reads, one.gives == one.text])]))
            else:
                formulas.append(disj([neg(one.reads), self.named(one.text)]))
        return formulas

    def settled_in(self, model: Any) -> bool:
        """Whether in a model every reader reads what the language says, and similar is only what is the same."""
        for one in self.reads:
            text = self._text_in(model, one.text)
            today = self.sorts.decode(model, self.today)
            assert isinstance(today, dt.date)
            value = read(one.fn, text, one.options, today)
            if (value is not None) != is_true(model.eval(one.reads, model_completion=True)):
                return False
            if value is not None:
                gives = self.sorts.value(model, one.gives, one.fn.type)
                if gives != value:
                    return False
        for text, constant in self.compared:
            is_similar = is_true(model.eval(self.similars[constant](text), model_completion=True))
            if is_similar != bool(similar(DEFAULT, self._text_in(model, text), constant)):
                return False
        return True

    def _text_in(self, model: Any, text: Any) -> str:
        return str(self.sorts.value(model, text, TEXT))

    def named(self, text: Any) -> Any:
        """Whether a text is one that the program names."""
        return self.sorts.is_named(text)

    # ------------------------------------------------------------ comparisons

    def is_key(self, cell: Cell, *slot: Any) -> None:
        """Notes that a cell alone tells a row from all others of its kind that are there: it equals none of theirs.

        Cells are only compared where their rows are there.

        Args:
            slot: the kind of rows, and which of them it is.
        """
        self._keys[cell.value.ast.value] = slot

    def same(self, left: Cell, right: Cell) -> Any:
        """Whether two cells are known to hold the same."""
        known = [cell.known for cell in (left, right)] + [neg(cell.open) for cell in (left, right)]
        return conj([*known, self.equal(left, right)])

    def equal(self, left: Cell, right: Cell) -> Any:
        """Whether two known values are the same."""
        if left.type.kind == "None":
            return right.none
        if right.type.kind == "None":
            return left.none
        both = conj([left.none, right.none])
        if left.type.kind == "set" or right.type.kind == "set":
            same = conj([equals(a, b) for a, b in zip(left.value, right.value, strict=True)])
            if left.type.elem is not None and left.type.elem.kind == "Text" and not _fixed(left, right):
                raise UnsupportedConstruct("two sets of texts compared with one another")
        else:
            same = FALSE if self._differ(left.value, right.value) else equals(left.value, right.value)
        return disj([both, conj([neg(left.none), neg(right.none), same])])

    def _differ(self, one: Any, other: Any) -> bool:
        """Whether two values are different constants, or keys of different rows of one relation."""
        if isinstance(one, z3.IntNumRef | z3.RatNumRef) and isinstance(other, z3.IntNumRef | z3.RatNumRef):
            return bool(one.ast.value != other.ast.value)
        slot = self._keys.get(one.ast.value)
        of_other = self._keys.get(other.ast.value) if slot is not None else None
        return slot is not None and of_other is not None and slot[:-1] == of_other[:-1] and slot != of_other

    def holds(self, left: Cell, op: str, right: Term | None, hi: Term | None, env: Env) -> tuple[Any, Any]:
        """``left op right``: whether it is true, and whether it is undecided because a side is unknown or open.

        Neither holds where it is false. What has no exact form may be true or not.
        """
        try:
            return self._holds(left, op, right, hi, env)
        except UnsupportedConstruct as error:
            return self._approximately(left, op, right, hi, env, str(error))

    def _approximately(
        self, left: Cell, op: str, right: Term | None, hi: Term | None, env: Env, why: str
    ) -> tuple[Any, Any]:
        self.approximated[why] = None
        positive = ops.POSITIVE.get(op, op)
        sides = [left, *(self.value(term, env) for term in (right, hi) if isinstance(term, Var | Const | Fn))]
        truth = self.sorts.flag("what has no exact form")
        return self._verdict(sides, truth, positive != op, [neg(side.none) for side in sides])

    def _undecided(self, pattern: TextPattern, left: Cell) -> Any:
        """Whether it is one of the texts that the program names of which neither is so."""
        if pattern not in self._open:
            known = zip(self.sorts.texts, self.sorts.named, strict=True)
            self._open[pattern] = [named for text, named in known if is_open(pattern, text)]
        return disj([conj([neg(left.none), left.value == named]) for named in self._open[pattern]])

    def _holds(self, left: Cell, op: str, right: Term | None, hi: Term | None, env: Env) -> tuple[Any, Any]:
        if op in ("known", "unknown"):
            known = conj([left.known, neg(left.open)])
            return (known if op == "known" else neg(left.known)), neg(known)
        positive = ops.POSITIVE.get(op, op)
        negated = positive != op
        if isinstance(right, Choice):
            return self._choice(left, negated, right, env)
        if isinstance(right, TextPattern):
            truth, undecided = self.wordings.atom(right, left.value), self._undecided(right, left)
            held, unknown = self._verdict([left], truth, negated, [neg(left.none), neg(undecided)])
            return held, disj([unknown, undecided])
        low = self.value(right, env)
        if hi is not None:
            high = self.value(hi, env)
            truth = conj([low.value <= left.value, left.value <= high.value])
            return self._verdict([left, low, high], truth, negated, [neg(c.none) for c in (left, low, high)])
        if positive == "=":
            return self._verdict([left, low], self.equal(left, low), negated, [])
        defined = [neg(left.none), neg(low.none)]
        return self._verdict([left, low], self._test(positive, left, low, right), negated, defined)

    def _verdict(self, sides: list[Cell], truth: Any, negated: bool, defined: list[Any]) -> tuple[Any, Any]:
        known = conj([conj([side.known, neg(side.open)]) for side in sides])
        return conj([known, *defined, neg(truth) if negated else truth]), neg(known)

    def _choice(self, left: Cell, negated: bool, right: Choice, env: Env) -> tuple[Any, Any]:
        items = [self.value(item, env) for item in right.items]
        same = [conj([item.known, self.equal(left, item)]) for item in items]
        here = conj([left.known, neg(left.open)])
        all_known = conj([item.known for item in items])
        if negated:
            return conj([here, all_known, neg(disj(same))]), neg(conj([here, disj([all_known, *same])]))
        return conj([here, disj(same)]), neg(conj([here, disj([all_known, *same])]))

    def _test(self, op: str, left: Cell, right: Cell, term: Term | None) -> Any:
        if op == "<":
            return left.value < right.value
        if op == "<=":
            return left.value <= right.value
        if op == "subset":
            if left.type.elem is not None and left.type.elem.kind == "Text" and not _fixed(left, right):
                raise UnsupportedConstruct("two sets of texts compared with one another")
            return conj([disj([neg(a), b]) for a, b in zip(left.value, right.value, strict=True)])
        if op == "contains":
            return self._contains(left, right, term)
        if op == "~=":
            return self._similar(left, term)
        if isinstance(term, Const) and isinstance(term.value, str):
            return self.wordings.atom(Comparison(op, term.value), left.value)
        raise UnsupportedConstruct(f"the operator `{op}`")

    def _contains(self, left: Cell, right: Cell, term: Term | None) -> Any:
        if left.type.kind == "set":
            names = self.sorts.elements(left.type)
            if isinstance(term, Const):
                return left.value[names.index(str(term.value))]
            if None in names:
                raise UnsupportedConstruct("`contains` of a set and a variable text")
            return disj([conj([bit, right.value == index]) for index, bit in enumerate(left.value)])
        if not isinstance(term, Const):
            return self._contains_any(left, right)
        return self.wordings.atom(str(term.value), left.value)

    def _contains_any(self, left: Cell, right: Cell) -> Any:
        """``contains`` with a variable: a text that is not named is hardly ever found within one that is."""
        truth = self.wordings.contains(left.value, right.value)
        self._loose.append((conj([truth, neg(equals(left.value, right.value))]), right.value))
        return truth

    def _similar(self, left: Cell, term: Term | None) -> Any:
        if not isinstance(term, Const):
            raise UnsupportedConstruct("`~=` with a variable")
        constant = str(term.value)
        self.settled[f'which texts are similar to "{constant}"'] = None
        if constant not in self.similars:
            predicate = z3.Function(f"similar {len(self.similars)}", self.sorts.text_sort, z3.BoolSort())
            self.similars[constant] = predicate
            for text in self.sorts.texts:
                here = predicate(self.sorts.constant(text, Type("Text")).value)
                if similar(DEFAULT, text, constant):
                    self.facts.append(here)
        self.compared.append((left.value, constant))
        return self.similars[constant](left.value)


def read(fn: Fn, text: str, options: tuple[Any, ...], today: dt.date) -> Value | None:
    """What a reader reads from a text, None where it reads nothing."""
    enum = {member.name: member.spellings for member in (fn.type.elem or fn.type).members} or None
    return ops.call(fn.name, (text, *options), ops.Environment(today, enum))


def _fixed(left: Cell, right: Cell) -> bool:
    """Whether one of two sets is a constant."""
    return any(all(is_true(bit) or is_false(bit) for bit in side.value) for side in (left, right))


def _civil(ordinal: Any) -> tuple[Any, Any]:
    """Month and day of a proleptic Gregorian ordinal (H. Hinnant, "chrono-compatible low-level date algorithms")."""
    shifted = ordinal + 305  # days since 0000-03-01
    day_of_era = shifted % 146097
    year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365
    day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100)
    part = (5 * day_of_year + 2) / 153
    day = day_of_year - (153 * part + 2) / 5 + 1
    return z3.If(part < 10, part + 3, part - 9), day
