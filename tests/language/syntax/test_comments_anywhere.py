"""Comments and line breaks are written between any two words, and change nothing."""

import pytest

from tests.language.syntax.printer import show
from vsalang.base.diagnostics.terminal import render
from vsalang.base.source import Source
from vsalang.language.syntax import parse

GAPS = ["/* c */", "/**/", " // c\n", "\n", "/* a */ // b\n /* c */", "/* * / ** */", "\r\n\t"]
TEXTS = """
define F when S(a not%sin {1}).
define F when S(a not%ssubset {A}).
define F when S(a%snot%scontains "x").
define F when S(a%snot%sin%s1%s..%s3%s,%sb%sknown).
define F when ?t not%smatches /a/.
define F when today%s> ?d.
define F when today%sknown.
define F when weekday(today)%snot%sin {Mon}.
define F when month%s(%s?d) = 4, S(d = ?d).
define F when a%s(%s1) = 2.
define F when flip%s(?x) = ?y.
define F when count%s(%sA%searlier%s)%s=%s3.
define F when sum%s(a%sof%sA) = 3.
define F when set%s(a of A) = {B}.
define F when no%sX.
define F when not%sbefore%sX.
define F when A%sthen%sB%searlier.
define F when every%sA%shas%s(a%s=%s1).
define F when first%sN%sA.
define F when screen%sHome.
define F when A%sfor%s3s.
define F when all%sA.
define%sF%s:-%sX%s.
allow N%sA.
allow 3%sA.
allow either%sA.
update A(a = 1%s,%s..%s)%s.
screen%sA%sclosed%sover%sB%s.
let X =%s- %s3%s+%stoday.
state S { a: set%sof%sset%sof%sText }
enum%sE%s{A%sas%s("x")%s}
list L%sin%s(a)%skey%s(b)%s"x"%s{}
view V%son%sA%s{a:%senum%s{A}%s"x"}
@id%s("x")%sallow A.
test%s"t"%sfor%ss%s{ observe%sno%sX.%s}
test "t" { observe%scomplete%sX. observe%sscreen%sH. observe%sA. }
test "t" { finish%s=>%snot%sallow%sor%swarn%sbecause%sA.b%s,%s"x"%s. }
test "t" { step%s{%sfinish.%s}%s=> block%s. clock%s2026-01-01%s12:00%s. assume%s"a"%s!~=%s"b"%s. }
""".strip().split("\n")


@pytest.mark.sampled(3)
@pytest.mark.parametrize("gap", GAPS, ids=ascii)
@pytest.mark.parametrize("text", TEXTS)
def test_gap(text: str, gap: str) -> None:
    source = Source.from_text("spec s\n" + text.replace("%s", gap))
    parsed = parse(source)
    assert not parsed.diagnostics, render(parsed.diagnostics, {source.file: source}, color=False)
    plain = parse(Source.from_text("spec s\n" + text.replace("%s", " ")))
    assert parsed.module is not None and plain.module is not None
    assert show(parsed.module) == show(plain.module)


def test_comments_do_not_hide_nesting() -> None:
    parsed = parse(Source.from_text("spec s\nstate S { a: " + "set /* of */ of " * 40 + "Text }"))
    assert [finding.code for finding in parsed.diagnostics] == ["E0104"]
    parsed = parse(Source.from_text("spec s\nlet X = 1" + " + {1} /* . */" * 2_000 + "."))
    assert [finding.code for finding in parsed.diagnostics] == ["E0117"]
