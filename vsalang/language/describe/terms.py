"""Describes variables and terms: a variable is named by the place where it gets its value (its home)."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace

from vsalang.base.records import dataclass
from vsalang.language.describe.elements import Elements
from vsalang.language.describe.nouns import Nouns, is_plural, plural
from vsalang.language.describe.values import duration_words, quoted, some_words, value_words
from vsalang.program.ir import (
    Aggregate,
    Atom,
    Choice,
    Compare,
    Const,
    Constraint,
    First,
    Fn,
    Lit,
    Literal,
    Names,
    Program,
    Regex,
    Term,
    Type,
    Var,
    Words,
)
from vsalang.program.show import pattern_source
from vsalang.program.text import join, line
from vsalang.program.vocabulary import ALWAYS_COMPLETE
from vsalang.program.walk import literals, mentions, uses, variables

_READERS = {
    "time": "the time", "date": "the date", "number": "the number", "duration": "the duration",
    "bool": "the yes or no", "currency": "the currency", "member": "the choice", "members": "the choices",
}  # fmt: skip
_WHETHER = re.compile(r"(whether .+) is (\w+)")
_OF = {"month": "the month of", "day": "the day of the month of", "weekday": "the weekday of"}


@dataclass(frozen=True, slots=True)
class Home:
    """The place where a variable gets its value, which gives the variable its name.

    Attributes:
        noun: ``time``; of an aggregate ``that number``.
        owner: ``action`` for the head of a permission, else the row (``slot``); empty for definitions and results.
        head: it is in the rule's head.
    """

    noun: str
    owner: str = ""
    head: bool = False


def atoms(body: Iterable[Literal]) -> Iterator[tuple[Atom, bool]]:
    """All atoms of a body, each with whether it binds its variables for the rest of the rule."""
    for use in uses(body):
        chosen = isinstance(use.literal, First) and use.literal.has is None
        yield use.atom, (use.monotone or chosen) and not use.after_since


class Homes:
    """The homes of one rule's variables.

    Args:
        head: the head's atom of an action or a definition; None if there is none.
        owner: the name of the head, for when two variables have the same noun.

    Attributes:
        full: give the owner of every variable, even if its noun alone is clear.
        elements: the elements of the screen that the rule mentions.
    """

    def __init__(
        self,
        program: Program,
        nouns: Nouns,
        head: Atom | None,
        owner: str,
        body: tuple[Literal, ...],
        more: Iterable[str] = (),
    ) -> None:
        self._program = program
        self._nouns = nouns
        self.homes: dict[str, Home] = {}
        self.uses: Counter[str] = Counter(more)
        self._homes: set[int] = set()
        self._twice = self._repeated(body)
        self.labels: dict[int, str] = {}
        self.full = False
        if head is not None:
            self._atom(head, owner, head=True)
        self.uses.update(mentions((head, body)))
        for item in literals(body):
            if isinstance(item, Aggregate):
                self._result(item)
        counted: Counter[str] = Counter()
        for atom, binds in atoms(body):
            if binds:
                self._place(atom, counted)
        for atom, _ in atoms(body):  # variables that are bound only inside `no` or an aggregate
            relation = self._program.relations.get(atom.relation)
            if relation is not None:
                self._atom(atom, self._nouns.row(relation), head=False)
        self.elements: Elements = Elements(program, atoms(body), self.is_home, self._name, self.uses)

    def _repeated(self, body: tuple[Literal, ...]) -> frozenset[str]:
        count = Counter(atom.relation for atom, binds in atoms(body) if binds and _has_variables(atom))
        return frozenset(name for name, n in count.items() if n > 1)

    def _place(self, atom: Atom, counted: Counter[str]) -> None:
        relation = self._program.relations.get(atom.relation)
        if relation is None:
            return
        owner = self._nouns.row(relation)
        if atom.relation in self._twice and _has_variables(atom) and relation.identity:
            counted[atom.relation] += 1
            owner = f"{owner} {counted[atom.relation]}"
            self.labels[id(atom)] = owner
        if relation.sort == "gesture":
            owner = "gesture"
        elif relation.sort == "action":
            owner = "action"
        if atom.before:
            owner += " before"
        self._atom(atom, owner, head=False)

    def _atom(self, atom: Atom, owner: str, *, head: bool) -> None:
        relation = self._program.relations.get(atom.relation)
        for c in atom.constraints:
            noun = self._nouns.attr(relation, c.attr) if relation is not None else c.attr
            if c.op == "=" and isinstance(c.term, Var) and c.term.name not in self.homes:
                self.homes[c.term.name] = Home(noun, owner, head)
                self._homes.add(id(c))
            elif c.op == "in" and isinstance(c.term, Var) and c.term.name not in self.homes:
                self.homes[c.term.name] = Home(noun, owner, head)
            elif isinstance(c.term, Regex):
                for group in c.term.groups:
                    self.homes.setdefault(group, Home(f'"{group}" part of the {noun}', "", head))

    def _result(self, item: Aggregate) -> None:
        if item.op != "=" or not isinstance(item.right, Var) or item.right.name in self.homes:
            return
        relation = self._program.relations.get(item.lit.atom.relation)
        noun = self._nouns.attr(relation, item.attr) if relation is not None and item.attr else ""
        names = {
            "count": "number",
            "sum": f"total {noun}",
            "min": f"smallest {noun}",
            "max": f"largest {noun}",
        }
        self.homes[item.right.name] = Home(names.get(item.fn, f"set of {noun}"))

    def is_home(self, constraint: Constraint) -> bool:
        """Whether a constraint gives its variable the value."""
        return id(constraint) in self._homes

    def label(self, atom: Atom) -> str:
        """``task 2`` if a rule mentions several rows of one relation; else empty."""
        return self.labels.get(id(atom), "")

    def name(self, variable: str) -> str:
        """The name of a variable: ``the time``, ``the title of song 2``, ``the text of "title"``."""
        return self.elements.name(variable)

    def called(self, variable: str) -> str:
        """``(call it "x")``, where its name says which of several it is by a letter; else empty."""
        lettered = variable not in self.elements.names and self._words(variable)[1]
        return f' (call it "{variable}")' if lettered else ""

    def _name(self, variable: str) -> str:
        words, lettered = self._words(variable)
        return f'{words} ("{variable}")' if lettered else words

    def _words(self, variable: str) -> tuple[str, bool]:
        """What a variable is called, and whether its letter must be added because others are called the same."""
        home = self.homes.get(variable)
        if home is None:
            return f'"{variable}"', False
        elements = getattr(self, "elements", None)
        named = elements.names if elements is not None else {}
        alike = [
            other
            for name, other in self.homes.items()
            if other.noun == home.noun and name != variable and name not in named
        ]
        if home.owner and self.full and not alike and not home.owner.endswith(" before"):
            return f"the {home.noun} of {'' if home.owner[-1:].isdigit() else 'the '}{home.owner}", False
        if not alike or not home.owner:
            return f"the {home.noun}", bool(alike)
        if any(other.owner == home.owner for other in alike):
            return f"the {home.noun} of the {home.owner}", True
        if home.owner.endswith(" before"):
            return f"the {home.noun} that it was before", False
        article = "" if home.owner[-1:].isdigit() else "the "
        return f"the {home.noun} of {article}{home.owner}", False

    def same(self, variable: str, noun: str) -> bool:
        """Whether ``the same time`` is clear: it is the variable's own noun, and no other variable has it."""
        home = self.homes.get(variable)
        return (
            home is not None
            and not self.full
            and variable not in self.elements.names
            and home.noun == noun
            and not any(other.noun == noun for name, other in self.homes.items() if name != variable)
        )

    def term(self, term: Term | None, type_: Type | None = None) -> str:
        """A term as a phrase."""
        match term:
            case None:
                return "unknown"
            case Var(name=name):
                return self.name(name)
            case Const(value=value, type=own):
                return value_words(value, own if own.kind in ("enum", "set") else type_ or own)
            case Choice(items=items):
                return join([self.term(item, type_) for item in items], "or")
            case Regex(source=source, flags=flags):
                case = " (small or capital letters)" if "i" in flags else ""
                return f"the pattern {line(pattern_source(Regex(source)), 2000)}{case}"
            case Words():
                whole = "as a whole " if term.whole else ""
                return f"{whole}a word of {term.short} ({some_words(term.forms)})"
            case Names():
                return quoted(term.name)
            case Fn():
                return self._function(term)
        raise AssertionError(term)

    def _function(self, term: Fn) -> str:
        name, args = term.name, term.args
        if name == "today" and not args:
            return "today"
        if name in ("+", "-") and len(args) == 2:
            moved = args[1]
            if (
                isinstance(moved, Const)
                and moved.type.kind == "Duration"
                and term.type.kind in ("Date", "Time")
            ):
                base = self.term(args[0])
                if base == "today" and name == "+":
                    return f"{duration_words(moved.value)} from today"  # type: ignore[arg-type]
                word = "after" if name == "+" else "before"
                return f"{duration_words(moved.value)} {word} {base}"  # type: ignore[arg-type]
            return f"{self._inner(args[0])} {'plus' if name == '+' else 'minus'} {self._inner(args[1])}"
        if name == "*":
            return f"{self._inner(args[0])} times {self._inner(args[1])}"
        if name == "neg":
            return f"minus {self._inner(args[0])}"
        first = self.term(args[0]) if args else ""
        more = f" (read with {join([self.term(a) for a in args[1:]])})" if len(args) > 1 else ""
        if name in _READERS:
            return f"{_READERS[name]} that {first} says{more}"
        if name in _OF:
            return f"{_OF[name]} {first}"
        if name == "flip":
            if (match := _WHETHER.fullmatch(first)) is not None:
                return f"{match.group(1)} is not {match.group(2)}"
            return f"the opposite of {first}"
        if name == "lower":
            return f"{first} in small letters"
        if name == "line":
            return f"{first} on one line"
        if name == "says":
            return f"whether {first} says {self.term(args[1])} as a whole"
        return f"{name} of {join([self.term(a) for a in args])}"

    def _inner(self, term: Term) -> str:
        text = self.term(term)
        return f"({text})" if isinstance(term, Fn) and term.name in ("+", "-", "*") else text


def written(body: tuple[Literal, ...]) -> tuple[Literal, ...]:
    """The body without the constraint that the checker adds: `Node` means nodes of the app's own packages."""
    return tuple(
        replace(
            item,
            atom=replace(
                item.atom, constraints=tuple(c for c in item.atom.constraints if c.span is not None)
            ),
        )
        if isinstance(item, Lit) and item.atom.relation == "Node"
        else item
        for item in body
    )


def merged(body: tuple[Literal, ...]) -> tuple[Literal, ...]:
    """The body with comparisons of a variable moved into the atom that binds it, if that is a single atom.

    ``R(a = ?x), ?x > 5`` means what ``R(a = ?x, a > 5)`` means, and that reads better.
    """
    items = list(body)
    for item in body:
        if not isinstance(item, Compare) or not isinstance(item.left, Var):
            continue
        for n, other in enumerate(items):
            if not isinstance(other, Lit) or other.neg or other.past is not None or other.atom.before:
                continue
            c = next((c for c in other.atom.constraints if c.op == "=" and c.term == item.left), None)
            if c is None or variables(item.right) & _bound(other.atom):
                continue
            more = Constraint(c.attr, item.op, item.right, item.hi, item.span)
            at = other.atom.constraints.index(c) + 1
            constraints = (*other.atom.constraints[:at], more, *other.atom.constraints[at:])
            items[n] = replace(other, atom=replace(other.atom, constraints=constraints))
            items.remove(item)
            break
    return tuple(items)


def _bound(atom: Atom) -> frozenset[str]:
    return frozenset(c.term.name for c in atom.constraints if isinstance(c.term, Var))


def _has_variables(atom: Atom) -> bool:
    return bool(variables(atom))


def completeness(program: Program, nouns: Nouns, atom: Atom, *, every: bool = False) -> str:
    """What must have been seen before a "no" or "all" about an atom is certain; empty if nothing."""
    relation = program.relations.get(atom.relation)
    if (
        relation is None
        or relation.sort in ("gesture", "action", "screen")
        or relation.name in ALWAYS_COMPLETE
    ):
        return ""
    if relation.sort == "derived":
        return "counts only once everything it depends on was seen"
    names = {c.attr for c in atom.constraints if c.op == "=" or (every and c.op == "in" and c.hi is None)}
    asked = {c.attr for c in atom.constraints}
    if not relation.identity:
        if not asked and not every:
            return "counts only once it was seen that there is none"
        noun = nouns.row(relation)
        return f"counts only once the {noun} {'were' if is_plural(noun) else 'was'} seen"
    keys: list[set[str]] = [set(relation.identity)]
    if relation.sort == "list":
        keys.append({*relation.within, "at"})
    whole = (
        "the whole list was read"
        if relation.sort == "list"
        else f"all {plural(nouns.row(relation))} were seen"
    )
    given_whole = [key for key in keys if key <= names]
    if not given_whole:
        return f"counts only once {whole}"
    if every:
        return "counts only once each of them was seen"
    if any(key == asked for key in given_whole):
        return f"counts only once {whole}"  # rows that are gone were not seen; the others were
    return f"counts only once that {nouns.row(relation)} was seen, or {whole}"
