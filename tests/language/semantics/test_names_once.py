"""Names that are unknown: said once with every place, suggested in bounded time, fixed together."""

import pytest

from vsalang.base.diagnostics.fixes import apply_edits, apply_fixes
from vsalang.base.source.suggest import Work, edit_distance, nearest
from vsalang.language.semantics import load_text

APP = 'app shop package "com.shop" "x"\n'


def _found(text):
    return [(d.code, d) for d in load_text(text).diagnostics if d.severity.value == "error"]


@pytest.mark.parametrize(
    ("text", "wrong", "right"),
    [
        (
            "state Cart { n: Number }\ndefine A when Crt(n = 3).\ndefine B when Crt(n = 4), no Crt(n = 5).\n",
            "Crt",
            "Cart",
        ),
        (
            "state Cart { total: Number }\ndefine A when Cart(totl = 3).\ndefine B when Cart(totl = 4).\n",
            "totl",
            "total",
        ),
        (
            'screen Checkout when Node(id = "c").\nview V on Chekout { n: Number }\ndefine A when screen Chekout.\n',
            "Chekout",
            "Checkout",
        ),
        (
            "let Hello = 3.\nstate S { n: Number }\ndefine A when S(n = Helo).\ndefine B when S(n = Helo).\n",
            "Helo",
            "Hello",
        ),
    ],
)
def test_one_finding_and_one_fix_for_all_places(text, wrong, right):
    """`--fix` once fixed nothing: each place had a finding, or only the first had one."""
    [(_, finding)] = _found(APP + text)
    assert len(finding.labels) + 1 == text.count(wrong)
    [fix] = finding.fixes
    assert apply_edits(APP + text, fix.edits) == (APP + text).replace(wrong, right)
    fixed = apply_fixes(APP + text, "<text>", lambda t: load_text(t).diagnostics)
    assert fixed.text == (APP + text).replace(wrong, right)


@pytest.mark.parametrize(
    ("rule", "near"),
    [
        ('screen Other when Node(content_desc = "x").', "desc"),
        ('goto Checkout when tap(contentDescription = "x").', "desc"),
    ],
)
def test_attributes_that_others_call_otherwise(rule, near):
    [(code, finding)] = _found(APP + f'screen Checkout when Node(id = "c").\n{rule}\n')
    assert code == "E0206"
    assert finding.label == f"did you mean `{near}`?"


def test_a_misspelt_screen_in_a_relations_place():
    [(code, finding)] = _found(APP + 'screen Checkout when Node(id = "c").\ndeny "x" when Chekout.\n')
    assert code == "E0204"
    assert "did you mean the screen `Checkout`?" in finding.help


def test_a_view_of_unknown_type_has_its_screen_reported():
    assert [code for code, _ in _found(APP + "view V on Shop { a: Boolean }\n")] == ["E0211", "E0208"]


def test_an_enum_that_does_not_parse_has_no_followers():
    text = """enum Size Small, Big
state Cart { size: Size }
define A(s = ?s) when Cart(size = ?s).
define B when A(s = Small).
update Cart(size = member(?t)) when Node(text = ?t).
define E when Cart(size = member(?t)), Node(text = ?t).
define F(s = ?s) when A(s = ?s).
"""
    assert len(_found(APP + text)) == 1


def test_suggestions_end_when_the_work_is_used_up():
    names = [f"RelationWithALongName{number:05d}" for number in range(300)]
    work = Work(100)
    assert nearest("RelationWithALongNam00001", names, work=work) == []
    assert work.left < 0


def test_a_hundred_near_misses_use_one_budget(monkeypatch):
    """A hundred near misses among a hundred names took 20 seconds."""
    asked = []

    def counting(left, right, limit):
        asked.append(left)
        return edit_distance(left, right, limit)

    monkeypatch.setattr("vsalang.base.source.suggest.edit_distance", counting)
    name = "RelationWithQuiteALongNameForTheTest"
    text = "".join(f"state {name}{n:03d}x {{ a: Text }}\n" for n in range(100))
    text += "".join(f"define D{n}(a = ?a) when {name[:-1]}{n:03d}x(a = ?a).\n" for n in range(100))
    assert len(_found(APP + text)) == 100
    assert len(asked) < 30_000  # 200,000 without a budget


@pytest.mark.parametrize(
    ("left", "right", "distance"),
    [
        ("", "", 0),
        ("ab", "ba", 1),
        ("checkout", "chekout", 1),
        ("abc", "xyz", 3),
        ("abcd", "", 4),
        ("ca", "abc", 3),
    ],
)
def test_edit_distance(left, right, distance):
    assert edit_distance(left, right, 4) == edit_distance(right, left, 4) == distance


def test_only_actions_are_suggested_where_one_is_needed():
    """`allow Save` was offered the state `Saved`."""
    text = APP + 'state Saved { at: Number }\naction Send(to: Text) "Send it"\n'
    ((code, found),) = _found(text + 'recognize Save when tap(id = "save").\n')
    assert code == "E0204" and not found.fixes and "Send" in found.help and "Saved" not in found.help
