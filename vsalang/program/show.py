"""Core programs as source text: terms, conditions and rules as they are written in a `.vsa` file.

What `source` prints is read back as the same core (a property test holds it to that)::

    source(rule)                              # allow Reserve(time < 19:00) when Slot(available = true).
    Notation(term=...).condition(literal)     # with the values of a binding put in
"""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import Final, TypeAlias

from vsalang.base.records import dataclass
from vsalang.program import ir
from vsalang.program.example import Today
from vsalang.program.reserved_words import RESERVED
from vsalang.program.screen_rules import is_match, screen_of
from vsalang.program.text import quote, safe
from vsalang.program.values import Value, show

Quoting: TypeAlias = Callable[[str], str]
"""How texts are put in quotes: `quote` for source that is read back, `safe` for messages (it cuts)."""

_STRENGTH: Final = {"+": 1, "-": 1, "*": 2}
_WORD: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def source(item: ir.Rule | ir.Literal | ir.Atom | ir.Constraint | ir.Term) -> str:
    """An item as it is written in a file; names without their module."""
    if isinstance(item, ir.Rule):
        return Notation().rule(item)
    if isinstance(item, ir.Atom):
        return Notation().atom(item)
    if isinstance(item, ir.Constraint):
        return Notation().constraint(item)
    if isinstance(item, ir.Var | ir.Const | ir.Fn | ir.Choice | ir.TextPattern):
        return term_source(item)
    return Notation().condition(item)


def short_name(name: str) -> str:
    """A relation's or screen's name without its module: ``Slot`` for ``opentable.Slot``."""
    return screen_of(name).replace(":", ".").rpartition(".")[2]


def member_source(name: str, quoting: Quoting = quote) -> str:
    """A member of an enum: in quotes where it is not a plain word, or a word that means something else."""
    return name if _WORD.fullmatch(name) and name not in RESERVED else quoting(name)


def value_source(value: object, type_: ir.Type | None = None, quoting: Quoting = quote) -> str:
    """A constant of a type: texts in quotes, members of enums bare where that is possible, sets in the enum's order."""
    if isinstance(value, str):
        is_member = type_ is not None and type_.kind == "enum"
        return member_source(value, quoting) if is_member else quoting(value)
    if isinstance(value, frozenset):
        elem = type_.elem if type_ is not None else None
        order = {member.name: place for place, member in enumerate(elem.members)} if elem is not None else {}
        items = sorted(value, key=lambda item: (order.get(item, len(order)), item))
        return "{" + ", ".join(value_source(item, elem, quoting) for item in items) + "}"
    return str(value) if isinstance(value, Today) else show(value)  # type: ignore[arg-type]


def quoted(value: Value | None, type_: ir.Type | None = None) -> str:
    """A value for messages: as in source, but long texts are cut and nothing in a text is invisible."""
    return value_source(value, type_, safe)


def row_source(
    relation: ir.Relation,
    cells: Mapping[str, Value | Today | None],
    *,
    name: str = "",
    end: str = "",
    quoting: Quoting = quote,
) -> str:
    """A row or an action: ``Slot(time = 19:00, free = true)``, only the name without cells.

    Args:
        cells: in the order in which they are printed; None prints as ``unknown``.
        name: how the relation is called; empty: by its short name.
        end: printed after the last cell.
    """
    types = {attr.name: attr.type for attr in relation.attrs} | {"row": ir.NUMBER}
    cell_texts = [f"{attr} = {value_source(cell, types.get(attr), quoting)}" for attr, cell in cells.items()]
    inner = ", ".join([*cell_texts, end] if end else cell_texts)
    return (name or relation.short) + (f"({inner})" if inner else "")


row_text = partial(row_source, quoting=safe)
"""The same for messages."""


def term_source(
    term: ir.Term | None,
    type_: ir.Type | None = None,
    *,
    value_of: Callable[[ir.Term], Value | None] | None = None,
    quoting: Quoting = quote,
) -> str:
    """A term; None prints as ``unknown``.

    Args:
        type_: the type of that place, for terms that do not say their own.
        value_of: the value of a variable or a function, which is printed instead of it; None: it is not known.
    """
    match term:
        case None:
            return "unknown"
        case ir.Const():
            own = term.type if term.type.kind in ("enum", "set") else type_
            return value_source(term.value, own, quoting)
        case ir.Var():
            value = value_of(term) if value_of is not None else None
            return f"?{term.name}" if value is None else value_source(value, type_, quoting)
        case ir.Choice():
            return (
                "{"
                + ", ".join(
                    term_source(item, type_, value_of=value_of, quoting=quoting) for item in term.items
                )
                + "}"
            )
        case ir.Regex():
            return pattern_source(term)
        case ir.Words():
            return term.short
        case ir.Names():
            return quoting(term.name)
        case ir.Fn():
            value = value_of(term) if value_of is not None else None
            if value is not None:
                return value_source(value, term.type, quoting)
            return _call(term, value_of, quoting)


def _call(term: ir.Fn, value_of: Callable[[ir.Term], Value | None] | None, quoting: Quoting) -> str:
    arguments = [term_source(arg, value_of=value_of, quoting=quoting) for arg in term.args]
    calls = [  # those arguments that are printed as calls
        arg.name if isinstance(arg, ir.Fn) and (value_of is None or value_of(arg) is None) else ""
        for arg in term.args
    ]
    if term.name in _STRENGTH:
        left, right = (
            f"({text})" if _weaker(call, term.name, place) else text
            for place, (call, text) in enumerate(zip(calls, arguments, strict=True))
        )
        return f"{left} {term.name} {right}"
    if term.name == "neg":
        (inner,) = arguments
        if calls[0] in (*_STRENGTH, "neg"):
            inner = f"({inner})"
        return f"- {inner}" if inner[:1] in "-0123456789" else f"-{inner}"
    return f"{term.name}({', '.join(arguments)})" if term.args or term.name != "today" else term.name


def _weaker(operand: str, op: str, place: int) -> bool:
    """Whether the call of a function needs brackets: it binds less tightly, or as tightly on the right."""
    if operand not in _STRENGTH:
        return False
    mine, its = _STRENGTH[op], _STRENGTH[operand]
    return its < mine or (place == 1 and its == mine)


def pattern_source(term: ir.Regex) -> str:
    """A regular expression between slashes."""
    body = re.sub(r"\\.|/", lambda m: "\\/" if m[0] == "/" else m[0], term.source, flags=re.DOTALL)
    return f"/{body}/{term.flags}"


def written_operator(op: str, right: ir.Term | None) -> str:
    """An operator as it is written before its right side: ``in`` asks whether the whole text is one of some words."""
    whole = isinstance(right, ir.Words) and right.whole
    return {"matches": "in", "not matches": "not in"}.get(op, op) if whole else op


@dataclass(frozen=True, slots=True)
class Notation:
    """How the parts of conditions are written. As it is, the text is read back as the same core.

    Attributes:
        term: prints a term, given the type of the attribute next to it where that is known.
        name: prints the name of a relation or screen.
        type_of: the type of an attribute of a relation; None where it is not known.
        implied: also print what the checker put in: the app's own package, a node of the app in a `screen` rule.
        none: the word before an atom that has no row: ``not`` or ``no``.
    """

    term: Callable[[ir.Term | None, ir.Type | None], str] = term_source
    name: Callable[[str], str] = short_name
    type_of: Callable[[str, str], ir.Type | None] = lambda relation, attr: None
    implied: bool = True
    none: str = "not"

    def comparison(
        self, op: str, right: ir.Term | None, hi: ir.Term | None = None, type_: ir.Type | None = None
    ) -> str:
        """An operator with its right side: ``< 19:00``, ``in 1..5``, ``known``."""
        if op in ("known", "unknown"):
            return op
        text = f"{written_operator(op, right)} {self.term(right, type_)}"
        return text if hi is None else f"{text}..{self.term(hi, type_)}"

    def constraint(self, item: ir.Constraint, type_: ir.Type | None = None) -> str:
        """A constraint on an attribute."""
        return f"{item.attr} {self.comparison(item.op, item.term, item.hi, type_)}"

    def constraints(self, relation: str, items: Iterable[ir.Constraint]) -> str:
        """Constraints on the attributes of a relation, with commas between them."""
        constraints = [
            item for item in items if self.implied or item.span is not None or item.attr != "package"
        ]
        return ", ".join(self.constraint(item, self.type_of(relation, item.attr)) for item in constraints)

    def atom(self, item: ir.Atom, end: str = "") -> str:
        """An atom; `end` is printed after the last constraint."""
        if item.relation == "Goto" and len(item.constraints) == 1:
            (target,) = item.constraints
            if target.op == "=" and isinstance(target.term, ir.Const):
                return f"goto {self.name(str(target.term.value))}"
        inner = ", ".join(filter(None, (self.constraints(item.relation, item.constraints), end)))
        screen = "screen " if ":" in item.relation else ""
        before = "before " if item.before else ""
        return before + screen + self.name(item.relation) + (f"({inner})" if inner else "")

    def condition(self, item: ir.Literal) -> str:
        """A condition of a body."""
        match item:
            case ir.Lit():
                return self._lit(item)
            case ir.Compare():
                return f"{self.term(item.left, None)} {self.comparison(item.op, item.right, item.hi)}"
            case ir.Aggregate():
                of = f"{item.attr} of " if item.attr else ""
                return f"{item.fn}({of}{self._lit(item.lit)}) {self.comparison(item.op, item.right, item.hi)}"
            case ir.Quantified():
                return self._ranging(item.words, item.atom, item.has)
            case ir.Then():
                return " then ".join(map(self._group, item.parts))
            case ir.Spent():
                return f"all {self.name(item.relation)}"

    def conditions(self, items: Iterable[ir.Literal]) -> str:
        """Conditions with commas between them."""
        return ", ".join(map(self.condition, items))

    def _lit(self, item: ir.Lit) -> str:
        text = self.atom(item.atom)
        if item.past is not None:
            text += f" {item.past.op}"
            if item.past.duration is not None:
                text += f" {self.term(item.past.duration, None)}"
            if item.past.other is not None:
                text += f" {self.atom(item.past.other)}"
        rows = item.past is None and not text.startswith(("screen ", "goto "))
        word = self.none if rows else "not"
        return f"{word} {text}" if item.neg else text

    def _ranging(self, words: str, atom: ir.Atom, has: tuple[ir.Constraint, ...] | None) -> str:
        before = "before " if atom.before else ""
        text = f"{before}{words} {self.atom(replace(atom, before=False))}"
        return text if has is None else f"{text} has ({self.constraints(atom.relation, has)})"

    def _group(self, part: tuple[ir.Literal, ...]) -> str:
        text = self.conditions(part)
        return text if len(part) == 1 and not isinstance(part[0], ir.Then) else f"({text})"

    def head(self, head: ir.Head) -> str:
        """The head of a rule with its keyword."""
        match head:
            case ir.Derive(atom):
                return self.atom(atom) if ":" in atom.relation else f"define {self.atom(atom)}"
            case ir.Recognize(atom):
                return f"recognize {self.atom(atom)}"
            case ir.Mark(kind, atom):
                return f"{kind} {self.atom(atom)}"
            case ir.Write():
                return f"{'delete' if head.delete else 'update'} {self.atom(head.atom, '..' * head.keep)}"
            case ir.Goto(screen):
                return f"goto {self.name(screen)}"
            case ir.License(atom, quota):
                if atom.relation == "finish":
                    return "done"
                words = {"one": "", "either": "either ", "each": "each ", "count": f"{quota.n} "}
                return f"allow {words[quota.kind]}{self.atom(atom)}"
            case ir.Judge(level, message):
                return f"{level} {quote(''.join(map(_message_part, message)))}"
            case ir.Expect(literals):
                return f"expect {self.conditions(literals)}"

    def rule(self, rule: ir.Rule) -> str:
        """A rule with its annotations and its period."""
        text = "".join(f"{_annotation(name, values)}\n" for name, values in rule.annotations.items())
        text += self.head(rule.head) + (f" {quote(rule.doc)}" if rule.doc else "")
        for word, body in (("when", rule.body), ("with", rule.extra)):
            conditions = [item for item in body if self.implied or not _put_in(item)]
            if conditions:
                text += f" {word} {self.conditions(conditions)}"
        return f"{text}."


def title(rule: ir.Rule) -> str:
    """The head of a rule without its constraints: ``allow Reserve``, ``screen Details``, ``deny``."""
    head = rule.head
    match head:
        case ir.Derive(atom) if is_match(atom.relation):
            return f"screen {short_name(atom.relation)}"
        case ir.Derive(atom) if (
            atom.relation == "Screen"
        ):  # made by the checker: the screen that shows, by its name
            return f"show {short_name(rule.id)}"
        case ir.Derive(atom):
            return f"{'show' if ':' in atom.relation else 'define'} {short_name(atom.relation)}"
        case ir.Judge(level):
            return level
        case ir.Expect():
            return "expect"
        case ir.Goto():
            return Notation().head(head)
        case ir.Write(atom):
            head = replace(head, atom=replace(atom, constraints=()), keep=False)
        case ir.Recognize(atom) | ir.Mark(_, atom) | ir.License(atom):
            head = replace(head, atom=replace(atom, constraints=()))
    return Notation().head(head)


def _annotation(name: str, values: tuple[Value, ...]) -> str:
    arguments = [
        quote(str(value)) if name in ("id", "source", "rationale") else show(value, bare=True)
        for value in values
    ]
    return f"@{name}({', '.join(arguments)})" if arguments else f"@{name}"


def _put_in(item: ir.Literal) -> bool:
    return isinstance(item, ir.Lit) and item.span is None and item.atom.span is None


def _message_part(part: str | ir.Var) -> str:
    return f"{{?{part.name}}}" if isinstance(part, ir.Var) else part.replace("{", "{{").replace("}", "}}")
