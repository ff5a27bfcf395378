"""`parse(source(x)) == x` for conditions of every kind, with every operator and values of every type."""

import datetime as dt
import typing
from dataclasses import replace
from decimal import Decimal
from functools import cache
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy, composite

from tests.program.test_show import without_places
from vsalang.language.semantics import load_text
from vsalang.program import ir
from vsalang.program.example import Today
from vsalang.program.ops import OPERATORS
from vsalang.program.show import quoted, row_source, row_text, source, title
from vsalang.program.text import canonical
from vsalang.program.walk import rewrite

MODULE = """app a package "p" "A"
enum E { Red, "not", "two words", true_ }
state S {
  text: Text
  number: Number
  flag: Bool
  day: Date
  hour: Time
  length: Duration
  colour: E
  colours: set of E
  words: set of Text
}
list L { text: Text, number: Number }
action Act(text: Text, number: Number)
screen Home "home" when Node(text = "home").
"""


@cache
def relations() -> dict[str, ir.Relation]:
    loaded = load_text(MODULE, file="a.vsa")
    assert loaded.program is not None, loaded.diagnostics
    return dict(loaded.program.relations)


def read(condition: str) -> ir.Literal:
    """The one condition of a definition; a variable that only this condition has is bound before it."""
    loaded = load_text(f"{MODULE}define D when {condition}.\n", file="a.vsa")
    assert loaded.program is not None, (condition, [d.message for d in loaded.diagnostics])
    (rule,) = (rule for rule in loaded.program.rules if source(rule).startswith("define D"))
    (literal,) = rule.body
    return literal


TEXTS = st.text(max_size=8).map(lambda text: "".join(c for c in text if not "\ud800" <= c <= "\udfff")) | (
    st.sampled_from(['"', "\\", "a/b", "{?n}", "\u202e", "line\nbreak", "not", ""])
)
NUMBERS = st.integers(-(10**6), 10**6) | st.sampled_from([Decimal("0.5"), Decimal("-2.25")])
VALUES: dict[str, SearchStrategy[Any]] = {
    "Text": TEXTS.map(canonical),
    "Number": NUMBERS,
    "Bool": st.booleans(),
    "Date": st.dates(dt.date(1990, 1, 1), dt.date(2090, 1, 1)),
    "Time": st.times().map(lambda time: time.replace(microsecond=0)),
    "Duration": st.integers(0, 10**7).map(lambda seconds: dt.timedelta(seconds=seconds)),
}
PATTERNS = st.sampled_from(["a/b", r"\d+", "[/]", "(?:x|y)z", r"\\"])

NAMES = TEXTS.map(canonical).filter(lambda text: any(map(str.isalnum, text)))


def values(type_: ir.Type) -> SearchStrategy[Any]:
    if type_.kind == "enum":
        return st.sampled_from([member.name for member in type_.members])
    if type_.kind == "set":
        assert type_.elem is not None
        return st.frozensets(values(type_.elem), min_size=1, max_size=3)
    return VALUES[type_.kind]


def operators(type_: ir.Type) -> list[str]:
    sample = {"enum": "text", "Text": "text", "set": "set"}.get(type_.kind, type_.kind.lower())
    texts_only = {"contains", "not contains", "matches", "not matches", "names", "not names", "~=", "!~="}
    return [
        symbol
        for symbol, operator in OPERATORS.items()
        if sample in operator.types and not (type_.kind == "enum" and symbol in texts_only)
    ]


@composite
def constraints(draw: st.DrawFn, attr: ir.Attr) -> ir.Constraint:
    type_, op = attr.type, draw(st.sampled_from(operators(attr.type)))
    constant = values(type_).map(lambda value: ir.Const(value, type_))
    if op in ("known", "unknown"):
        return ir.Constraint(attr.name, op)
    if op in ("in", "not in"):
        if type_.kind in ("Number", "Date", "Time", "Duration") and draw(st.booleans()):
            low, high = sorted((draw(values(type_)), draw(values(type_))))
            return ir.Constraint(attr.name, op, ir.Const(low, type_), ir.Const(high, type_))
        items = draw(st.lists(constant, min_size=1, max_size=3, unique_by=lambda c: repr(c.value)))
        return ir.Constraint(attr.name, op, ir.Choice(tuple(items)))
    if op in ("matches", "not matches"):
        return ir.Constraint(attr.name, op, ir.Regex(draw(PATTERNS), draw(st.sampled_from(["", "i"]))))
    if op in ("names", "not names"):
        return ir.Constraint(attr.name, op, ir.Names(draw(NAMES)))
    if type_.kind == "set" and op in ("contains", "not contains"):
        assert type_.elem is not None
        return ir.Constraint(attr.name, op, ir.Const(draw(values(type_.elem)), type_.elem))
    if type_.kind == "Date" and draw(st.booleans()):
        days = ir.Const(dt.timedelta(days=draw(st.integers(1, 60))), ir.DURATION)
        moved = ir.Fn(draw(st.sampled_from(["+", "-"])), (ir.Fn("today", (), ir.DATE), days), ir.DATE)
        return ir.Constraint(attr.name, op, moved)
    return ir.Constraint(attr.name, op, draw(constant))


@composite
def atoms(draw: st.DrawFn, name: str, least: int = 0) -> ir.Atom:
    attrs = [attr for attr in relations()[name].attrs if attr.name != "at"]
    chosen = draw(st.lists(st.sampled_from(attrs), min_size=least, max_size=3, unique_by=lambda a: a.name))
    return ir.Atom(name, tuple(draw(constraints(attr)) for attr in chosen))


DURATIONS = st.integers(1, 10**6).map(lambda n: ir.Const(dt.timedelta(seconds=n), ir.DURATION))


@composite
def pasts(draw: st.DrawFn, ops: tuple[str, ...]) -> ir.Past:
    op: Any = draw(st.sampled_from(ops))
    if op in ("within", "for"):
        return ir.Past(op, draw(DURATIONS))
    return ir.Past(op, other=draw(atoms("a.Act"))) if op == "since" else ir.Past(op)


@composite
def literals(draw: st.DrawFn, kind: type) -> ir.Literal:
    if kind is ir.Lit:
        shape = draw(st.sampled_from(["plain", "past", "before", "screen", "done"]))
        if shape == "screen":
            return ir.Lit(ir.Atom("a:Home"), draw(st.booleans()))
        if shape == "done":
            return ir.Lit(draw(atoms("a.Act")), draw(st.booleans()), draw(pasts(("earlier", "within"))))
        atom = draw(atoms("a.S"))
        if shape == "past":
            return ir.Lit(atom, draw(st.booleans()), draw(pasts(("earlier", "within", "for", "since"))))
        return ir.Lit(ir.Atom(atom.relation, atom.constraints, before=shape == "before"), draw(st.booleans()))
    if kind is ir.Compare:
        term: ir.Term = ir.Fn("today", (), ir.DATE)
        if draw(st.booleans()):
            return ir.Compare(
                term, draw(st.sampled_from(["=", "!=", "<", ">="])), ir.Const(draw(VALUES["Date"]), ir.DATE)
            )
        return ir.Compare(draw(numbers()), draw(st.sampled_from(["=", "!=", "<", ">="])), draw(numbers()))
    if kind is ir.Aggregate:
        fn: Any = draw(st.sampled_from(["count", "sum", "min", "max"]))
        right = ir.Const(draw(NUMBERS) if fn != "count" else draw(st.integers(0, 99)), ir.NUMBER)
        op = draw(st.sampled_from(["=", "<", ">="]))
        return ir.Aggregate(fn, "" if fn == "count" else "number", ir.Lit(draw(atoms("a.S"))), op, right)
    if kind is ir.Every:
        return ir.Every(draw(atoms("a.L")), draw(atoms("a.L", 1)).constraints)
    if kind is ir.First:
        has = draw(atoms("a.L", 1)).constraints if draw(st.booleans()) else None
        return ir.First(draw(st.integers(1, 9)), draw(atoms("a.L")), has)
    if kind is ir.Then:
        part = st.lists(literals(ir.Every), min_size=1, max_size=2).map(tuple)
        return ir.Then((draw(part), draw(part), (draw(literals(ir.Every)),)))
    assert kind is ir.Spent
    return ir.Spent("a.Act")


@composite
def numbers(draw: st.DrawFn, depth: int = 0) -> ir.Term:
    if depth == 3 or draw(st.booleans()):
        return ir.Const(draw(st.integers(0, 99)), ir.NUMBER)
    name = draw(st.sampled_from(["+", "-", "*", "neg"]))
    operands = tuple(draw(numbers(depth + 1)) for _ in range(1 if name == "neg" else 2))
    return ir.Fn(name, operands, ir.NUMBER)


@pytest.mark.parametrize("kind", typing.get_args(ir.Literal), ids=lambda kind: kind.__name__)
@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_every_condition_parses_back(kind: type, data: st.DataObject) -> None:
    literal = data.draw(literals(kind))
    again = read(source(literal))
    assert plain(again) == plain(literal), source(literal)


def plain(item: Any) -> Any:
    """Without places, and as every condition reads before the checker decides which reading it has."""
    return rewrite(
        without_places(item),
        lambda part: replace(part, reading="plain") if hasattr(part, "reading") else part,
    )


def test_a_row_prints_as_an_atom() -> None:
    colours = frozenset({"two words", "Red"})
    cells: dict[str, Any] = {"colours": colours, "day": Today(-2), "text": None, "hour": dt.time(19)}
    relation = relations()["a.S"]
    assert row_source(relation, cells, end="..") == (
        'S(colours = {Red, "two words"}, day = today - 2d, text = unknown, hour = 19:00, ..)'
    )
    assert row_source(relation, {}, name="a.S") == "a.S"
    assert row_text(relation, {"text": "x" * 200}).endswith('x…")')
    assert quoted("\u202e") == '"\\u{202E}"'


@pytest.mark.parametrize(
    ("head", "wanted"),
    [
        (ir.Derive(ir.Atom("a.D", (ir.Constraint("n", "=", ir.Var("n")),))), "define D"),
        (ir.Derive(ir.Atom("match a:Home")), "screen Home"),
        (ir.Derive(ir.Atom("a:Home")), "show Home"),
        (ir.Recognize(ir.Atom("a.Act")), "recognize Act"),
        (ir.Mark("complete", ir.Atom("a.L")), "complete L"),
        (ir.Write(ir.Atom("a.S"), keep=True), "update S"),
        (ir.Write(ir.Atom("a.S"), delete=True), "delete S"),
        (ir.Goto("a:Home"), "goto Home"),
        (ir.License(ir.Atom("a.Act"), ir.Quota("count", 3)), "allow 3 Act"),
        (ir.License(ir.Atom("finish")), "done"),
        (ir.Judge("deny", ("no",)), "deny"),
        (ir.Expect(()), "expect"),
    ],
)
def test_a_title_names_the_head(head: ir.Head, wanted: str) -> None:
    assert title(ir.Rule("a:1", head)) == wanted
