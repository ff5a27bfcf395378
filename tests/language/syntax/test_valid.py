"""What is valid parses, with exact places."""

import datetime as dt
from decimal import Decimal
from pathlib import Path

import pytest

from tests.language.syntax.printer import show
from tests.language.syntax.strategies import without_spans
from vsalang.base.diagnostics.terminal import render
from vsalang.base.source import Source, read_source
from vsalang.language.syntax import parse, tree
from vsalang.program.values import NONE

ROOT = Path(__file__).resolve().parents[3]
SHIPPED = sorted(
    path
    for folder in ("app_specs", "stdlib", "docs", "benchmarks")
    for path in (ROOT / folder).rglob("*.vsa")
)


def module_of(text: str, header: str = "spec s\n") -> tree.Module:
    source = Source.from_text(header + text)
    parsed = parse(source)
    assert not parsed.diagnostics, render(parsed.diagnostics, {source.file: source}, color=False)
    assert parsed.module is not None and not parsed.broken
    return parsed.module


def only(text: str) -> tree.Item:
    (item,) = module_of(text).items
    return item


def literal(text: str) -> tree.Literal:
    rule = only(f"define F when {text}.")
    assert isinstance(rule, tree.Rule)
    (found,) = rule.body
    return found


def value(text: str) -> tree.Expr:
    item = only(f"let X = {text}.")
    assert isinstance(item, tree.Let)
    return item.value


@pytest.mark.sampled(4)
@pytest.mark.slow
@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_shipped_files_parse_and_round_trip(path: Path) -> None:
    source = read_source(path)
    parsed = parse(source)
    assert not parsed.diagnostics, render(parsed.diagnostics, {source.file: source}, color=False)
    assert parsed.module is not None
    again = parse(Source.from_text(show(parsed.module)))
    assert not again.diagnostics
    assert without_spans(again.module) == without_spans(parsed.module)


def test_there_are_shipped_files() -> None:
    assert len(SHIPPED) >= 3


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("7", 7),
        ("-4.5", Decimal("-4.5")),
        ("4.50", Decimal("4.5")),
        ("10.0", 10),
        ("true", True),
        ("none", NONE),
        ("2026-04-01", dt.date(2026, 4, 1)),
        ("19:00", dt.time(19)),
        ("19:00:30", dt.time(19, 0, 30)),
        ("30s", dt.timedelta(seconds=30)),
        ("5min", dt.timedelta(minutes=5)),
        ("2h", dt.timedelta(hours=2)),
        ("1.5h", dt.timedelta(minutes=90)),
        ("3d", dt.timedelta(days=3)),
        ("-5s", dt.timedelta(seconds=-5)),
    ],
)
def test_scalars(raw: str, expected: object) -> None:
    found = value(raw)
    assert isinstance(found, tree.Scalar)
    assert found.value == expected and type(found.value) is type(expected)
    assert found.raw == raw


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (r'"a \"b\" \\ \u00e9\n"', 'a "b" \\ é\n'),
        (r'"\ud83d\ude00"', "😀"),
        ('"a // b"', "a // b"),
        ('""', ""),
        ('"""one\n   two\r\n\n  three"""', "one two three"),
        ('"""say "it" """', 'say "it"'),
        (r'"""a \""" b \n c"""', 'a """ b \\n c'),
    ],
)
def test_texts(raw: str, expected: str) -> None:
    found = value(raw)
    assert isinstance(found, tree.Text)
    assert found.value == expected
    assert found.block is raw.startswith('"""')


def test_operators_bind_as_in_arithmetic() -> None:
    found = value("1 + 2 * ?x - -3")
    assert isinstance(found, tree.Binary) and found.op == "-"
    assert isinstance(found.left, tree.Binary) and found.left.op == "+"
    assert isinstance(found.left.right, tree.Binary) and found.left.right.op == "*"
    assert isinstance(found.right, tree.Scalar) and found.right.value == -3


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Slot", tree.Lit),
        ("not Slot(a = 1) earlier", tree.Lit),
        ("no before Slot", tree.Lit),
        ("Slot within 30s", tree.Lit),
        ("Slot for Long", tree.Lit),
        ("Slot since Open(a = 1)", tree.Lit),
        ("screen Home", tree.Lit),
        ("before.Slot(a = 1)", tree.Lit),
        ('tap(id = "x")', tree.Lit),
        ("?x < 3", tree.Compare),
        ("today > ?d", tree.Compare),
        ("month(?d) in 1..3", tree.Compare),
        ("weekday(today) not in {Mon, Tue}", tree.Compare),
        ("(?x + 1) * 2 = 4", tree.Compare),
        ("?t matches /a\\/(?<c>b)/i", tree.Compare),
        ("?t known", tree.Compare),
        ("count(A earlier) = 3", tree.Aggregate),
        ("max(a of A(b = ?x)) = ?m", tree.Aggregate),
        ("every A(k in {1, 2}) has (ok = true, n > 3)", tree.Every),
        ("first 3 A(k = 1)", tree.First),
        ("not first N A has (n > 3)", tree.First),
        ("all A", tree.Spent),
        ("A then B then C", tree.Then),
        ("(A, ?x < 3) then B earlier", tree.Then),
    ],
)
def test_conditions(text: str, kind: type) -> None:
    found = literal(text)
    assert type(found) is kind
    assert show(found) == text


def test_any_word_names_an_attribute() -> None:
    found = literal("FileChanged(before = ?b, after = ?a, when != 1, in in {1}, not known)")
    assert isinstance(found, tree.Lit)
    assert [arg.attr.text for arg in found.atom.args] == ["before", "after", "when", "in", "not"]


def test_a_qualified_name_does_not_run_over_a_period() -> None:
    first, second = module_of("allow std.Reserve.\ndone when Reserve.").items
    assert isinstance(first, tree.Rule) and isinstance(first.head, tree.AtomHead)
    assert first.head.atom.name.text == "std.Reserve"
    assert isinstance(second, tree.Rule) and second.kind == "done"


def test_items_may_follow_on_one_line_and_comments_anywhere() -> None:
    text = "/* a */ import x // b\nallow/**/A /*c*/ ( /*d*/ a /*e*/ = /*f*/ 1 /*g*/ ) when B. allow C. enum E {A} done."
    module = module_of(text)
    assert [getattr(item, "kind", "enum") for item in module.items] == ["allow", "allow", "enum", "done"]


@pytest.mark.parametrize(
    "text", ["import x as y", "let A = {1, 2}.", "allow either A.", "allow 3 A(a = 1, b known)."]
)
def test_spans_are_exact(text: str) -> None:
    source = Source.from_text("spec s\n" + text + "   // after\n")
    module = parse(source).module
    assert module is not None
    (node,) = module.imports or module.items
    assert source.slice(node.span) == text


def test_every_span_is_the_text_of_its_node() -> None:
    seen = 0
    for path in SHIPPED:
        source = read_source(path)
        module = parse(source).module
        assert module is not None
        for node in walk(module.items):
            text = source.slice(node.span)
            seen += 1
            if isinstance(node, tree.Name) and not node.quoted:
                assert text == node.text
            elif isinstance(node, tree.Var):
                assert text == f"?{node.name}"
            elif isinstance(node, tree.Scalar):
                assert text == node.raw
            elif isinstance(node, tree.Ref):
                assert text == node.name
            elif isinstance(node, tree.Arg):
                assert text.startswith(node.attr.text)
                assert " ".join(source.slice(node.op_span).split()) == node.op
            elif isinstance(node, tree.Rule | tree.Step | tree.Let):
                assert text.endswith(".")
            else:
                assert text == text.strip()
    assert seen > 200


def walk(node: object) -> list:  # type: ignore[type-arg]
    """All nodes below."""
    if isinstance(node, tuple):
        return [found for part in node for found in walk(part)]
    if not hasattr(node, "__dataclass_fields__") or not hasattr(node, "span"):
        return []
    return [node, *(found for name in node.__dataclass_fields__ for found in walk(getattr(node, name)))]


def test_headers() -> None:
    module = module_of("", 'app std.text package "a.b", "c" """what\n  it is"""\nimport a.b as c\n')
    assert (module.kind, module.name.text) == ("app", "std.text")
    assert [package.value for package in module.packages] == ["a.b", "c"]
    assert module.doc is not None and module.doc.value == "what it is"
    assert module.imports[0].alias is not None
    assert parse(Source.from_text("\ufeff// c\r\nmodule m\r\n")).module is not None


def test_declarations() -> None:
    text = """
    list L in (a, b) key (c) "rows" { a: Text, b: set of Day "why"
      c: enum {"none", Two as ("2", "II")} }
    view V on S, x.T {}
    @risk(financial) action A(a: Text b: Date) "do it"
    """
    rows, view, action = module_of(text).items
    assert isinstance(rows, tree.Relation)
    assert [name.text for name in rows.within + rows.key] == ["a", "b", "c"]
    assert rows.attrs[1].type.elem is not None and rows.attrs[2].type.members is not None
    assert rows.attrs[2].type.members[0].name.quoted
    assert [text.value for text in rows.attrs[2].type.members[1].spellings] == ["2", "II"]
    assert isinstance(view, tree.Relation) and [name.text for name in view.on] == ["S", "x.T"]
    assert isinstance(action, tree.Action) and len(action.params) == 2


def test_a_module_called_screen() -> None:
    test = only('test "t" { observe screen.A(b known). observe no.B. }')
    assert isinstance(test, tree.Test)
    assert [(step.kind, step.atoms[0].name.text) for step in test.steps] == [
        ("observe", "screen.A"),
        ("observe", "no.B"),
    ]


def test_steps() -> None:
    text = """test "t" for s {
      clock 2026-04-01 12:00. clock 12:30. given A, B(a = 1).
      observe no A(a = unknown). observe complete L(k = 1). observe screen Home. observe A.
      tap(id = "x") => not allow or warn because licence, "PAY-1", Slot.time.
      finish => block. approve. refuse. assume "a" !~= "b".
      step { update A(a = 1). attempt B. claim C. back. finish. observe D. } => block.
    }"""
    test = only(text)
    assert isinstance(test, tree.Test)
    kinds = [step.kind for step in test.steps]
    assert kinds == (
        "clock,clock,given,observe no,observe complete,observe screen,observe,gesture,finish,approve,refuse,assume,step"
    ).split(",")
    verdict = test.steps[7].verdict
    assert verdict is not None
    assert [level.text for level in verdict.levels] == ["not allow", "warn"]
    assert [(reason.text, reason.quoted) for reason in verdict.because] == [
        ("licence", False),
        ("PAY-1", True),
        ("Slot.time", False),
    ]
    assert [
        part.kind for part in test.steps[-1].parts
    ] == "update,attempt,claim,gesture,finish,observe".split(",")
