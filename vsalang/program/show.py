"""Core programs as source text: terms, conditions and rules as they are written in a `.vsa` file.

What `source` prints is read back as the same core (a property test holds it to that)::

    source(rule)                              # allow Reserve(time < 19:00) when Slot(available = true).
    Notation(term=...).condition(literal)     # with the values of a binding put in
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Final

from vsalang.base.records import dataclass
from vsalang.program import ir
from vsalang.program.reserved_words import RESERVED
from vsalang.program.text import quote
from vsalang.program.values import Value, show
from vsalang.program.vocabulary import screen_of

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
    if isinstance(item, ir.Var | ir.Const | ir.Fn | ir.Choice | ir.Regex):
        return term_source(item)
    return Notation().condition(item)


def short_name(name: str) -> str:
    """A relation's or screen's name without its module: ``Slot`` for ``opentable.Slot``."""
    return screen_of(name).replace(":", ".").rpartition(".")[2]


def member_source(name: str) -> str:
    """A member of an enum: in quotes where it is not a plain word, or a word that means something else."""
    return name if _WORD.fullmatch(name) and name not in RESERVED else quote(name)


def value_source(value: object, type_: ir.Type | None) -> str:
    """A constant of a type; texts in quotes, members of enums bare where that is possible."""
    if isinstance(value, str):
        return member_source(value) if type_ is not None and type_.kind == "enum" else quote(value)
    if isinstance(value, frozenset):
        elem = type_.elem if type_ is not None else None
        return "{" + ", ".join(value_source(item, elem) for item in sorted(value)) + "}"
    return show(value)  # type: ignore[arg-type]


def term_source(term: ir.Term | None, type_: ir.Type | None = None) -> str:
    """A term; None prints as ``unknown``. `type_` is the type of that place, for terms that do not say their own."""
    match term:
        case None:
            return "unknown"
        case ir.Var():
            return f"?{term.name}"
        case ir.Const():
            return value_source(term.value, term.type if term.type.kind in ("enum", "set") else type_)
        case ir.Choice():
            return "{" + ", ".join(term_source(item, type_) for item in term.items) + "}"
        case ir.Regex():
            return pattern_source(term)
        case ir.Fn():
            return call_source(term, [term_source(arg) for arg in term.args])


def call_source(term: ir.Fn, arguments: list[str]) -> str:
    """A function applied to arguments that are printed already."""
    if term.name in _STRENGTH:
        left, right = (
            f"({text})" if _weaker(arg, term.name, place) else text
            for place, (arg, text) in enumerate(zip(term.args, arguments, strict=True))
        )
        return f"{left} {term.name} {right}"
    if term.name == "neg":
        (inner,) = arguments
        if isinstance(term.args[0], ir.Fn) and term.args[0].name in (*_STRENGTH, "neg"):
            inner = f"({inner})"
        return f"- {inner}" if inner[:1] in "-0123456789" else f"-{inner}"
    return f"{term.name}({', '.join(arguments)})" if term.args or term.name != "today" else term.name


def _weaker(operand: ir.Term, op: str, place: int) -> bool:
    """Whether an operand needs brackets: it binds less tightly, or as tightly on the right."""
    if not isinstance(operand, ir.Fn) or operand.name not in _STRENGTH:
        return False
    mine, its = _STRENGTH[op], _STRENGTH[operand.name]
    return its < mine or (place == 1 and its == mine)


def pattern_source(term: ir.Regex) -> str:
    """A regular expression between slashes."""
    body = re.sub(r"\\.|/", lambda m: "\\/" if m[0] == "/" else m[0], term.source, flags=re.DOTALL)
    return f"/{body}/{term.flags}"


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
        text = f"{op} {self.term(right, type_)}"
        return text if hi is None else f"{text}..{self.term(hi, type_)}"

    def constraint(self, item: ir.Constraint, type_: ir.Type | None = None) -> str:
        """A constraint on an attribute."""
        return f"{item.attr} {self.comparison(item.op, item.term, item.hi, type_)}"

    def constraints(self, relation: str, items: Iterable[ir.Constraint]) -> str:
        """Constraints on the attributes of a relation, with commas between them."""
        shown = [item for item in items if self.implied or item.span is not None or item.attr != "package"]
        return ", ".join(self.constraint(item, self.type_of(relation, item.attr)) for item in shown)

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
            shown = [item for item in body if self.implied or not _put_in(item)]
            if shown:
                text += f" {word} {self.conditions(shown)}"
        return f"{text}."


def _annotation(name: str, values: tuple[Value, ...]) -> str:
    shown = [
        quote(str(value)) if name in ("id", "source", "rationale") else show(value, bare=True)
        for value in values
    ]
    return f"@{name}({', '.join(shown)})" if shown else f"@{name}"


def _put_in(item: ir.Literal) -> bool:
    return isinstance(item, ir.Lit) and item.span is None and item.atom.span is None


def _message_part(part: str | ir.Var) -> str:
    return f"{{?{part.name}}}" if isinstance(part, ir.Var) else part.replace("{", "{{").replace("}", "}}")
