"""What the formatter's style is, by examples."""

import pytest

from vsalang.base.source import Source
from vsalang.language.syntax import formatting
from vsalang.language.syntax.formatting import FormatFault, NotFormatted, format_source


def formatted(text: str) -> str:
    return format_source(Source.from_text(text, "a.vsa"))


def item(text: str) -> str:
    """An item formatted, in the file of a spec."""
    head, rest = formatted("spec s\n" + text).split("\n", 1)
    assert head == "spec s"
    return rest.removesuffix("\n")


LONG = 'Slot(restaurant = "Da Mario", date = today, time = ?t, available = true)'


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("allow  Pay( amount<10 ) :- Bill(open=true).", "allow Pay(amount < 10) when Bill(open = true)."),
        (
            f"done when {LONG}, A earlier, not B(x not  in {{1,2}}).",
            f"done\n  when {LONG}, A earlier,\n       not B(x not in {{1, 2}}).",
        ),
        ("let X=- 4+?a -2*3.", "let X = - 4 + ?a - 2 * 3."),
        ("let X = -4 - -4.", "let X = -4 - -4."),
        ("let R={ 07:00 , 08:30 }.", "let R = {07:00, 08:30}."),
        ("@id( \"A\" )\n\n@risk(financial) deny\"no\"when A.", '@id("A") @risk(financial)\ndeny "no" when A.'),
        ("state S{a:Text b:Number}", "state S { a: Text, b: Number }"),
        ('state S key(a){a:Text,b:Number "n"}', 'state S key (a) {\n  a: Text\n  b: Number "n"\n}'),
        ("state S {\n\n}", "state S {}"),
        ("action A( x:Text )over B ,m.C\"d\"", 'action A(x: Text) over B, m.C "d"'),
        ("action A refines m.E( a=?x,b = 1 )", "action A refines m.E(a = ?x, b = 1)"),
        (f"action A(total: Number \"{'t' * 70}\") refines every.Order(amount = ?total, item = \"tea\") \"Buy it\"",
         f'action A(total: Number "{"t" * 70}")\n  refines every.Order(amount = ?total, item = "tea") "Buy it"'),
        ("enum E{A,\n\"b c\"}", 'enum E {A, "b c"}'),
        ("update S(a=1,..)when tap.", "update S(a = 1, ..) when tap."),
        ("define A when ( B,C )then D then E(x in 1..3).", "define A when (B, C) then D then E(x in 1..3)."),
        ("define A when every B(x=1) has(y>2), first 3 L(a=1)has(b=2).",
         "define A when every B(x = 1) has (y > 2), first 3 L(a = 1) has (b = 2)."),
        ("define A when count( B earlier )=3,sum( a  of B )<=?x.",
         "define A when count(B earlier) = 3, sum(a of B) <= ?x."),
        ("define A when ?t matches /a b\\/c/i, B within 30s.", "define A when ?t matches /a b\\/c/i, B within 30s."),
        ("test\"t\"for s{clock 2026-04-01   12:00. finish=>block   because A.b ,\"C\" .}",
         'test "t" for s {\n  clock 2026-04-01 12:00.\n  finish => block because A.b, "C".\n}'),
        ("test\"t\"{step{tap. observe A.}=>allow or warn.}",
         'test "t" {\n  step {\n    tap.\n    observe A.\n  } => allow or warn.\n}'),
        ('test "t" {}', 'test "t" {}'),
        ('test "t" { finish( ). assume"a"~="b". }', 'test "t" {\n  finish().\n  assume "a" ~= "b".\n}'),
    ],
)  # fmt: skip
def test_item(text: str, wanted: str) -> None:
    if LONG in text:
        wanted = f"done when {LONG}, A earlier, not B(x not in {{1, 2}})."
        if len(wanted) > formatting.WIDTH:
            wanted = f"done\n  when {LONG},\n       A earlier,\n       not B(x not in {{1, 2}})."
    assert item(text) == wanted
    assert item(wanted) == wanted


def test_clauses_have_lines_and_conditions_are_aligned() -> None:
    text = item(f'recognize Reserve(time = ?t) when tap(id = "a"), tap(id = "b") with {LONG}, {LONG}.')
    assert text == (
        f'recognize Reserve(time = ?t)\n  when tap(id = "a"), tap(id = "b")\n  with {LONG},\n       {LONG}.'
    )


def test_long_constraints_are_filled_and_aligned() -> None:
    text = item("define A when Node(" + ", ".join(f'attribute{n} = "value {n}"' for n in range(8)) + ").")
    lines = text.split("\n")
    assert lines[0] == "define A"
    assert all(line.startswith(" " * 12 + "attribute") for line in lines[2:])
    assert max(map(len, lines)) <= formatting.WIDTH


def test_parameters_that_do_not_fit_stand_one_a_line() -> None:
    params = [f'parameter{n}: Text "the parameter number {n}"' for n in range(3)]
    assert item(f'action A({", ".join(params)}) "doc"') == (
        "action A(\n" + "".join(f"  {param}\n" for param in params) + ') "doc"'
    )


def test_comments_stay_where_they_are() -> None:
    text = (
        "// top\n\n/* two\n   lines */\nspec s // after the header\n// of the import\nimport a /* x */ as b\n\n\n\n"
        "allow A(x = 1, // first\n  y = 2)\n  // why\n  when B, /* c */ C. // end of the rule\n\n// last\n"
    )
    assert formatted(text) == (
        "// top\n\n/* two\n   lines */\nspec s // after the header\n// of the import\nimport a /* x */ as b\n\n"
        "allow A(x = 1, // first\n        y = 2)\n  // why\n  when B, /* c */ C. // end of the rule\n\n// last\n"
    )


def test_comments_in_declarations() -> None:
    text = (
        "spec s\nstate S { // open\n\n  // of a\n  a: Text, // after a\n\n\n  /* b */ b: Text\n\n  // end\n\n}\n"
        'test "t" {\n\n  // first\n  tap. // done\n\n\n  // last\n}\n'
    )
    assert formatted(text) == (
        "spec s\nstate S { // open\n\n  // of a\n  a: Text // after a\n\n  /* b */ b: Text\n\n  // end\n}\n"
        'test "t" {\n  // first\n  tap. // done\n\n  // last\n}\n'
    )


def test_empty_lines_stay_but_for_more_than_one() -> None:
    assert formatted("\n\nspec s\nlet A = 1.\n\n\n\nlet B = 2.\n\n\n") == "spec s\nlet A = 1.\n\nlet B = 2.\n"


def test_literals_keep_their_spelling() -> None:
    text = 'let A = {"\\u0041/\\/", """a\n   b""", 1.50, 0.0, 90min, 2026-04-01, 19:00:00}.'
    assert '{"\\u0041/\\/", """a\n   b""", 1.50, 0.0, 90min, 2026-04-01, 19:00:00}' in item(text).replace(
        "\n           ", " "
    )


def test_a_description_moves_only_where_it_helps() -> None:
    name = "A" * 40
    assert item(f'action {name} "{"b" * 60}"') == f'action {name}\n  "{"b" * 60}"'
    assert item(f'action {name} "{"b" * 100}"') == f'action {name} "{"b" * 100}"'


def test_the_header_is_one_line() -> None:
    assert formatted(f'spec a\n  "{"b" * 96}"') == f'spec a "{"b" * 96}"\n'
    assert formatted(f'app a package "b",\n "c"\n"{"d" * 96}"') == f'app a package "b", "c" "{"d" * 96}"\n'


def test_line_breaks_are_those_of_the_file() -> None:
    assert formatted("spec s\r\nlet A=1.\r\n") == "spec s\r\nlet A = 1.\r\n"
    assert formatted("spec s\nlet A=1.\r\n") == "spec s\nlet A = 1.\n"


@pytest.mark.parametrize(
    "text", ["", "spec", 'spec s "a', "spec s\nallow A", "spec s\nlet A = 01.", "spec s\nstate S on T {}"]
)
def test_what_does_not_parse_is_refused(text: str) -> None:
    with pytest.raises(NotFormatted) as caught:
        formatted(text)
    assert caught.value.diagnostics


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (lambda text: text.replace("A", "B"), "not mean the same"),
        (lambda text: text.replace("// c", ""), "other comments"),
        (lambda text: text.replace("(", "(("), "does not parse"),
        (lambda text: text + "\n", "each time it is formatted"),
    ],
)
def test_a_wrong_result_is_never_given_out(monkeypatch: pytest.MonkeyPatch, wrong: object, says: str) -> None:
    render = formatting.render
    counter = iter(range(100))
    monkeypatch.setattr(
        formatting,
        "render",
        lambda doc: wrong(render(doc)) + "\n" * next(counter),  # type: ignore[operator]
    )
    with pytest.raises(FormatFault, match=says):
        formatted("spec s\nallow A(x = 1). // c")


def test_deep_and_long_programs() -> None:
    nested = "(" * 20 + "1" + ")" * 20
    assert item(f"let A = {nested}.") == f"let A = {nested}."
    total = " + ".join(["?a"] * 190)
    assert item(f"define A when ?b = {total}.").count("?a") == 190
    chain = " then ".join(["A"] * 190)
    assert item(f"define B when {chain}.").count("then A") == 189


def test_header_of_a_generic_module() -> None:
    assert formatted('app  every   any   "Every app"') == 'app every any "Every app"\n'
    assert (
        formatted('app every any // in every app\n"Every app"')
        == 'app every any // in every app\n  "Every app"\n'
    )
