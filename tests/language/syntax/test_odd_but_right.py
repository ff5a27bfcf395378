"""What looks odd and is right parses, prints, and is read again as the same."""

import pytest

from tests.language.syntax.printer import show
from tests.language.syntax.strategies import without_spans
from vsalang.base.diagnostics.terminal import render
from vsalang.base.source import Source
from vsalang.language.syntax import parse
from vsalang.program.text import quote

TEXTS = [
    r"""allow either either.""",
    r"""allow each.A(a known). allow either.B. allow each each.C.""",
    r"""allow count(a = 1).""",
    r"""define F when count(count) = 1.""",
    r"""define F when S(or = 1, and != 2, if known, null = none, like contains "x").""",
    r"""define F when every every.X has (of = 1).""",
    r"""define F when sum(of of A) = 3.""",
    r"""define F when A(a = -1), ?x - -1 = 3, ?x -1 = 2, ?x-1 = 2.""",
    r"""define F when S(a in {}), S(b in -3..-1), S(c in today..today + 3d).""",
    r"""define F when S(a = {{1, 2}, {}}).""",
    r"""define F when S(a matches /\/\/x/i).""",
    r"""define F when S(url = "http://x/*").""",
    r'''let X = """ a "quoted" // no comment """.''',
    r"""let X = today + 3d.""",
    r"""let all_of_them = {Mon, "all", Tue}.""",
    r"""test "t" {}""",
    r"""test "" { finish=>block because"a". }""",
    r'''test """a
 b""" for with.x { step { } => allow. step{back.}. }''',
    r"""test "t" { attempt attempt(attempt = 1) => allow or not allow or warn. }""",
    r"""enum E "doc" {A as ("x", "y"), "B b", _c}""",
    r"""state S key (key) "d" { key: Text "k", on: set of enum {A, "b"} in: Number }""",
    r"""list L in (in) key (key) { in: Text key: Text }""",
    r"""view V on on.S, S2 { on: Bool }""",
    r'''action A(when: Text, with: Date "d" not: Time) "x"''',
    r"""action B()""",
    r"""@id("x") @severity(high) @risk(financial, privacy) deny "x {?a} {{}}" when A(a = ?a).""",
    r"""screen Home closed over Other, x.Y "doc" when Node(id = "a").""",
    r"""recognize A(when = ?x) when tap(id = "y") with B(c = ?x).""",
    r"""update S(a = 1, ..) when T.""",
    r"""update S(..) when T.""",
    r"""delete S when T.""",
    r"""expect A, not B, ?x = 1 when C(a = ?x).""",
    r"""goto Home.""",
    r"""done. done when all A, all x.B.""",
    r"""define F when not before every A has (a = 1).""",
    r"""define F when A since B(c = 1), A for 1h, A within Long.""",
    r"""define F when (?a + 1) * 2 >= -(?b), A(a = ?a, b = ?b).""",
    r"""define F when flip(true) = ?x, member("a") = ?x.""",
    r"""define F when screen screen.X, goto Y.""",
    r"""define F:-A.""",
    r"""define F when (A, B earlier) then C then D(a = ?x).""",
    r"""define F when S(a matches /[^\/]/, b = 2) .""",
]


@pytest.mark.parametrize("text", TEXTS)
def test_odd_but_right(text: str) -> None:
    source = Source.from_text("spec s\n" + text)
    parsed = parse(source)
    assert not parsed.diagnostics, render(parsed.diagnostics, {source.file: source}, color=False)
    assert parsed.module is not None
    again = parse(Source.from_text(show(parsed.module)))
    assert without_spans(again.module) == without_spans(parsed.module)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ('a "b"\n', '"a \\"b\\"\\n"'),
        ("é 東 😀", '"é 東 😀"'),
        ("\u202e\U000e0041\u200b", '"\\u202e\\udb40\\udc41\\u200b"'),
        ("\x7f\ufeff", '"\\u007f\\ufeff"'),
    ],
)
def test_quote(text: str, shown: str) -> None:
    assert quote(text) == shown
    parsed = parse(Source.from_text(f"spec s {shown}"))
    assert parsed.module is not None and parsed.module.doc is not None
    assert parsed.module.doc.value == text
