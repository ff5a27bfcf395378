"""Checks judge what a condition means, through definitions: wrapping changes nothing."""

import pytest

from vsalang.language.semantics import load_text

APP = """app shop package "com.shop" "x"
import std.lists
state Cart { n: Number  at: Number }
action Pay
define Heading(index = ?i) when Node(class = "H", index = ?i).
define Gone when not Node(id = "x").
define There when not Gone.
define Empty when count(Node(id = "row")) = 0.
"""


def _errors(text):
    return [(d.code, d) for d in load_text(text).diagnostics if d.severity.value == "error"]


@pytest.mark.parametrize(
    ("body", "codes"),
    [
        ("max(index of Heading) = ?m", []),
        ('max(index of Node(class = "H")) = ?m', []),
        ("?m = 1, There", []),
        ("?m = 1, Gone", ["E0407"]),
        ("?m = 1, Empty", ["E0407"]),
        ('?m = 1, count(Node(id = "row")) = 0', ["E0407"]),
        ('?m = 1, count(Node(id = "row")) < 3', ["E0407"]),
        ('?m = 1, count(Node(id = "row")) >= 3', []),
        ("?m = 1, not There", ["E0407"]),
    ],
)
def test_absence_by_what_it_means(body, codes):
    assert [code for code, _ in _errors(APP + f"update Cart(n = ?m) when {body}.\n")] == codes


def test_absence_is_reported_once_where_it_is_asked():
    text = APP + "update Cart(n = 1) when Gone.\nupdate Cart(at = 2) when Gone.\n"
    [(_, finding)] = _errors(text)
    assert text[finding.span.start : finding.span.end] == 'not Node(id = "x")'


ITEMS = """app shop package "com.shop" "x"
state Item key (name) { name: Text }
update Item(name = ?t) when Node(id = "item", text = ?t).
action Pay
"""


@pytest.mark.parametrize(
    ("condition", "codes"),
    [
        ("not Few", []),
        ("count(Item) >= 3", []),
        ("Few", ["E0408"]),
        ("count(Item) < 3", ["E0408"]),
        ("not Some", ["E0408"]),
    ],
)
def test_not_few_is_enough(condition, codes, tmp_path):
    (tmp_path / "shop.vsa").write_text(ITEMS)
    text = f"""spec s "x"
import shop
define Few when count(Item) < 3.
define Some when count(Item) > 1.
allow Pay when {condition}.
done when Pay earlier.
"""
    found = load_text(text, path=tmp_path / "s.vsa").diagnostics
    assert [d.code for d in found if d.severity.value == "error"] == codes


LIGHT = """app light package "com.light" "x"
state Light { on: Bool }
screen A when Node(id = "a").
screen B when Node(id = "b").
"""


@pytest.mark.parametrize(
    ("one", "other", "codes"),
    [
        ('Node(id = "s")', 'Node(id = "t")', ["W0404"]),
        ('Node(id = "s", checked = true)', 'Node(id = "s", checked = false)', []),
        ('Node(id = "s", selected = true)', 'Node(id = "t", selected = true)', []),
        ("screen A", "screen B", []),
        ('Node(id = "s")', 'Node(id = "s", checked = true)', ["W0404"]),
    ],
)
def test_two_observations_of_one_cell(one, other, codes):
    text = f"{LIGHT}update Light(on = true) when {one}.\nupdate Light(on = false) when {other}.\n"
    assert [d.code for d in load_text(text).diagnostics if d.code != "W0202"] == codes
