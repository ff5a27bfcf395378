"""Rules of types: which may be compared, arithmetic and functions on them, and the types of a rule's variables."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from vsalang.base.diagnostics import Edit, Fix, Label
from vsalang.base.source import Span
from vsalang.language.semantics.report import Report
from vsalang.language.semantics.wording import an
from vsalang.language.syntax import tree as t
from vsalang.program.ir import BOOL, DATE, DURATION, NUMBER, TEXT, TIME, Const, Term, Type
from vsalang.program.languages import LANGUAGES, READERS
from vsalang.program.native.android import WEEKDAY

NONE_TYPE = Type("None")
ORDERED = ("Number", "Date", "Time", "Duration")

# what other languages write for these values
WORDS = {
    "true": "true",
    "yes": "true",
    "on": "true",
    "false": "false",
    "no": "false",
    "off": "false",
    "none": "none",
    "null": "none",
    "nil": "none",
}

# reader: argument type, result type; None as a result means the enum that is expected there
FUNCTIONS: dict[str, tuple[Type, Type | None]] = {
    "time": (TEXT, TIME),
    "date": (TEXT, DATE),
    "number": (TEXT, NUMBER),
    "duration": (TEXT, DURATION),
    "bool": (TEXT, BOOL),
    "currency": (TEXT, TEXT),
    "lower": (TEXT, TEXT),
    "line": (TEXT, TEXT),
    "says": (TEXT, BOOL),
    "flip": (BOOL, BOOL),
    "month": (DATE, NUMBER),
    "day": (DATE, NUMBER),
    "weekday": (DATE, WEEKDAY),
    "member": (TEXT, None),
    "members": (TEXT, None),
}

# op -> (left type, right type) -> result type
ARITHMETIC: dict[tuple[str, str, str], Type] = {
    ("+", "Number", "Number"): NUMBER,
    ("-", "Number", "Number"): NUMBER,
    ("*", "Number", "Number"): NUMBER,
    ("+", "Date", "Duration"): DATE,
    ("-", "Date", "Duration"): DATE,
    ("+", "Time", "Duration"): TIME,
    ("-", "Time", "Duration"): TIME,
    ("-", "Date", "Date"): DURATION,
    ("-", "Time", "Time"): DURATION,
    ("+", "Duration", "Duration"): DURATION,
    ("-", "Duration", "Duration"): DURATION,
    ("*", "Duration", "Number"): DURATION,
    ("*", "Number", "Duration"): DURATION,
}


def same_type(left: Type | None, right: Type | None) -> bool:
    """Whether values of the two types may be compared; an unknown type (None) fits all, so does ``none``."""
    if left is None or right is None or left.kind == "None" or right.kind == "None":
        return True
    if left.kind != right.kind:
        return False
    if left.kind == "enum":
        if left.name or right.name:
            return left.name == right.name
        return {m.name for m in left.members} == {m.name for m in right.members}
    if left.kind == "set":
        return same_type(left.elem, right.elem)
    return True


@dataclass
class Variables:
    """The variables of one rule: their types as far as known, and where each was first seen."""

    types: dict[str, Type | None] = field(default_factory=dict)
    spans: dict[str, Span] = field(default_factory=dict)
    uses: dict[str, int] = field(default_factory=dict)
    clashed: set[str] = field(default_factory=set)

    def copy(self) -> "Variables":
        """A copy, for a trial that must change nothing."""
        return Variables(dict(self.types), dict(self.spans), dict(self.uses), set(self.clashed))

    def use(self, var: t.Var, type_: Type | None, report: Report) -> Type | None:
        """Record a use of a variable with a type (None: any), and return the type that is known now."""
        self.uses[var.name] = self.uses.get(var.name, 0) + 1
        known = self.types.get(var.name)
        self.spans.setdefault(var.name, var.span)
        if known is None:
            self.types[var.name] = type_
            return type_
        if type_ is not None and not same_type(known, type_) and var.name not in self.clashed:
            self.clashed.add(var.name)
            report.error(
                "E0302",
                var.span,
                f"`?{var.name}` cannot be {an(known)} and {an(type_)}",
                label=f"here it is {an(type_)}",
                labels=[Label(self.spans[var.name], f"here it is {an(known)}")],
                help=reader_hint(known, type_, f"?{var.name}"),
                fixes=_reader_fix(known, type_, var),
            )
        return known


_READERS = {
    "Time": "time",
    "Date": "date",
    "Number": "number",
    "Duration": "duration",
    "Bool": "bool",
    "enum": "member",
}


def _reader_fix(known: Type, type_: Type, var: t.Var) -> list[Fix]:
    """The fix that reads a value from a Text where one is expected."""
    if known.kind != "Text" or type_.kind not in _READERS:
        return []
    text = f"{_READERS[type_.kind]}(?{var.name})"
    return [Fix(f"write `{text}`", (Edit(var.span, text),))]


def reader_hint(left: Type, right: Type, what: str) -> str:
    """The reader that turns a Text into a value of the other type; empty if neither type is Text."""
    other = right if left.kind == "Text" else left if right.kind == "Text" else None
    if other is not None and other.kind in _READERS:
        return f"{_READERS[other.kind]}({what}) reads {an(other)} from a Text"
    return ""


def in_languages(reader: str, args: Sequence[Term], imported: Iterable[str]) -> list[Term]:
    """The further arguments of a reader: `args`, and the languages whose modules are imported."""
    names = {name.removeprefix("std.text.") for name in imported if name.startswith("std.text.")} & set(
        LANGUAGES
    )
    if reader not in READERS or not names:
        return list(args)
    order = [str(item.value) for item in args if isinstance(item, Const)]
    return [Const(" ".join([*order, *sorted(names)]), TEXT)]
