"""A list is complete only if each of its rows was read whole; what was read is believed as long as it can be read."""

import pytest

from vsalang.guard import Guard, Settings, run_example
from vsalang.language.semantics import load_text
from vsalang.program.action import Action
from vsalang.screen.screen import TreeScreen
from vsalang.screen.tree import load_tree

APP = """app shop package "com.shop" "x"
import std.tree
import std.lists
screen Menu when Node(id = "dishes").
screen Form when Node(id = "form").
list Dish in (page) key (name) { page: Text  name: Text  price: Number  mild: Bool }
define DishRow(row = ?r) when Node(id = "dishes", node = ?l), Node(parent = ?l, node = ?r, id = "dish").
update Dish(row = ?r, page = ?p, name = ?n, price = number(?c))
  when DishRow(row = ?r), Node(id = "page", text = ?p),
       Part(of = ?r, id = "name", text = ?n), Part(of = ?r, id = "price", text = ?c).
update Dish(row = ?r, page = ?p, name = ?n, mild = false)
  when DishRow(row = ?r), Node(id = "page", text = ?p), Part(of = ?r, id = "name", text = ?n),
       Whole(node = ?r), not Part(of = ?r, id = "hot").
complete Dish(page = ?p) when Node(id = "page", text = ?p), Node(id = "dishes", node = ?l), Fits(node = ?l).
list Line { text: Text  done: Bool }
define LineRow(row = ?r, text = ?t)
  when Node(id = "dishes", node = ?l), Node(parent = ?l, node = ?r, id = "dish"), Part(of = ?r, id = "name", text = ?t).
update Line(row = ?r, text = ?t) when LineRow(row = ?r, text = ?t).
state Alarm key (name) { name: Text  price: Number }
update Alarm(name = ?n, price = number(?c))
  when Node(id = "dishes", node = ?l), Node(parent = ?l, node = ?r, id = "dish"),
       Part(of = ?r, id = "name", text = ?n), Part(of = ?r, id = "price", text = ?c).
complete Alarm when Node(id = "dishes", node = ?l), Fits(node = ?l).
state Switch key (name) { name: Text  on: Bool }
update Switch(name = ?n, on = ?c) when Node(id = "switch", desc = ?n, checked = ?c).
complete Switch when Node(id = "dishes", node = ?l), Fits(node = ?l), not Node(id = "loading").
view Card on Form { name: Text  kept: Bool }
update Card(kept = ?c) when Node(id = "keep", checked = ?c).
update Card(name = ?t) when Node(id = "card", text = ?t).
update Card(name = ?v, ..) when input_text(id = "card", value = ?v).
view Picked on Menu { name: Text }
update Picked(name = ?n)
  when tap(node = ?b), DishRow(row = ?r), Inside(node = ?b, of = ?r), Part(of = ?r, id = "name", text = ?n).
action Save
"""
HEAD = """
    observe Node(node = 1, id = "page", text = "Today").
    observe Node(node = 2, id = "dishes", enabled = true, scrollable = false).
    observe Node(node = 3, parent = 2, id = "dish").
    observe Node(node = 4, parent = 3, id = "name", text = "Tea").
    observe Node(node = 5, parent = 3, id = "price", text = "4").
"""


def result(tmp_path, condition: str, steps: str):
    (tmp_path / "shop.vsa").write_text(APP, encoding="utf-8")
    text = f'spec s "x"\nimport shop\nallow Save when {condition}.\ndone when Save earlier.\ntest "t" {{ {steps} }}\n'
    loaded = load_text(text, path=tmp_path / "s.vsa")
    return run_example(loaded.checked(), loaded.own[0]).failure


def row(
    head: str = 'id = "dish"',
    name: str = 'id = "name", text = "Soup"',
    price: str = 'id = "price", text = "9"',
):
    """A second row of the menu; what is empty is not there."""
    return (
        f"observe Node(node = 6, parent = 2, {head})."
        + (f"observe Node(node = 7, parent = 6, {name})." if name else "")
        + (f"observe Node(node = 8, parent = 6, {price})." if price else "")
    )


WHOLE = {"whole": row(), "another kind of row": row('id = "header"', "", "")}
LESS = {
    "no price": row(price=""),
    "no name": row(name=""),
    "nothing in it": row(name="", price=""),
    "a text not read": row(price='id = "price", text = unknown'),
    "an id not read": row(price='id = unknown, text = "9"'),
    "the row's id not read": row("id = unknown"),
    "nothing of the row read": row(
        "id = unknown", "id = unknown, text = unknown", "id = unknown, text = unknown"
    ),
}


@pytest.mark.parametrize("rows", WHOLE.values(), ids=WHOLE)
@pytest.mark.parametrize("condition", ['no Dish(page = "Today", price > 20)', "no Alarm(price > 20)"])
def test_rows_read_whole_are_all_there_are(tmp_path, condition, rows) -> None:
    assert result(tmp_path, condition, f"step {{ {HEAD} {rows} }}. attempt Save => allow.") is None


@pytest.mark.parametrize("rows", LESS.values(), ids=LESS)
@pytest.mark.parametrize("condition", ['no Dish(page = "Today", price > 20)', "no Alarm(price > 20)"])
def test_absence_needs_every_row_read_whole(tmp_path, condition, rows) -> None:
    assert result(tmp_path, condition, f"step {{ {HEAD} {rows} }}. attempt Save => block.") is None


def test_other_pages_stay_complete(tmp_path) -> None:
    late = f"{HEAD.replace('Today', 'Late')} observe no Node(node = 8). {row(price='')}"
    steps = f"step {{ {HEAD} {row()} }}. step {{ {late} }}."
    assert result(tmp_path, 'no Dish(page = "Today", price > 20)', f"{steps} attempt Save => allow.") is None
    assert result(tmp_path, 'no Dish(page = "Late", price > 20)', f"{steps} attempt Save => block.") is None


@pytest.mark.parametrize("rows", [row(name=""), row("id = unknown")], ids=["no name", "id not read"])
def test_a_definition_that_reads_is_opened(tmp_path, rows) -> None:
    for facts, level in ((row(), "allow"), (rows, "block")):
        steps = f"step {{ {HEAD} {facts} }}. attempt Save => {level}."
        assert result(tmp_path, 'every Line(text != "") has (text != "Fish")', steps) is None


@pytest.mark.parametrize(
    "relation", ['Dish(page = "Today", name = "Soup", price <= 9)', 'Alarm(name = "Soup", price <= 9)']
)
@pytest.mark.parametrize("name", ["no price", "a text not read"])
def test_a_cell_no_longer_read_is_unknown(tmp_path, relation, name) -> None:
    steps = f"step {{ {HEAD} {row()} }}. step {{ {HEAD} observe no Node(node = 8). {LESS[name]} }}."
    assert result(tmp_path, relation, f"{steps} attempt Save => block.") is None


def test_a_row_without_children_is_not_whole(tmp_path) -> None:
    switch = 'observe Node(node = 9, id = "switch", desc = "News", checked = {}).'
    for checked, level in (("false", "allow"), ("unknown", "block")):
        steps = f"step {{ {HEAD} {switch.format(checked)} }}. attempt Save => {level}."
        assert result(tmp_path, "no Switch(on = true)", steps) is None
    again = f"step {{ {HEAD} {switch.format('false')} }}. step {{ {switch.format('unknown')} }}."
    assert result(tmp_path, 'Switch(name = "News", on = false)', f"{again} attempt Save => block.") is None


@pytest.mark.parametrize(
    ("node", "level"), [('id = "x"', "allow"), ("id = unknown", "block"), ('id = "hot"', "block")]
)
def test_what_may_be_there_is_not_absent(tmp_path, node, level) -> None:
    whole = row('id = "dish", enabled = true, scrollable = false')
    steps = f"step {{ {HEAD} {whole} observe Node(node = 9, parent = 6, {node}). }}. attempt Save => {level}."
    assert result(tmp_path, 'Dish(page = "Today", name = "Soup", mild = false)', steps) is None


@pytest.mark.parametrize(
    ("node", "level"), [('id = "x"', "allow"), ("id = unknown", "block"), ('id = "loading"', "block")]
)
def test_what_may_still_load_is_not_complete(tmp_path, node, level) -> None:
    steps = f"step {{ {HEAD} {row()} observe Node(node = 9, {node}). }}. attempt Save => {level}."
    assert result(tmp_path, "no Switch(on = true)", steps) is None


CHOSEN = """
view Chosen on Menu { page: Text  spicy: Bool }
update Chosen(page = ?t, ..) when Node(id = "page", text = ?t).
update Chosen(spicy = ?c, ..) when Node(id = "spicy", checked = ?c).
"""


@pytest.mark.parametrize(
    ("absent", "node", "level"),
    [
        ("not Chosen(spicy = true)", 'id = "spicy", checked = false', "allow"),
        ("not Chosen(spicy = true)", 'id = "spicy", checked = unknown', "block"),
        ("not Chosen(spicy = true)", 'id = "x"', "block"),
        ('Node(id = "hint", node = ?h), not TextIn(of = ?h)', 'parent = 10, id = "x"', "allow"),
        ('Node(id = "hint", node = ?h), not TextIn(of = ?h)', "parent = 10, text = unknown", "block"),
        ('Node(id = "hint", node = ?h), count(TextIn(of = ?h)) < 1', "parent = 10, text = unknown", "block"),
    ],
)
def test_complete_needs_all_that_it_denies_known(tmp_path, monkeypatch, absent, node, level) -> None:
    monkeypatch.setitem(globals(), "APP", APP.replace('not Node(id = "loading")', absent) + CHOSEN)
    nodes = f'{HEAD} {row()} observe Node(node = 10, id = "hint"). observe Node(node = 11, {node}).'
    steps = f"step {{ {nodes} }}. attempt Save => {level}."
    assert result(tmp_path, "no Switch(on = true)", steps) is None


@pytest.mark.parametrize(
    "asked", ["TextIn(of = ?h)", "TextIn(of = ?h, nth = 1)", "count(TextIn(of = ?h)) > 0"]
)
def test_a_text_not_read_may_be_there(tmp_path, monkeypatch, asked) -> None:
    denies = f'deny "says something" when Save, Node(id = "hint", node = ?h), {asked}.\n'
    monkeypatch.setitem(globals(), "APP", APP + denies)
    for node, level in (("text = unknown", "block"), ('id = "x"', "allow")):
        nodes = f'{HEAD} observe Node(node = 10, id = "hint"). observe Node(node = 11, parent = 10, {node}).'
        steps = f"step {{ {nodes} }}. attempt Save => {level}."
        assert result(tmp_path, 'Node(id = "hint")', steps) is None


# ---------------------------------------------------------------------- views

FORM = 'observe Node(node = 1, id = "form"). observe Node(node = 2, parent = 1, id = "card", text = "{}").'
KEEP = 'observe Node(node = 3, parent = 1, id = "keep", checked = {}).'
GONE = "step { observe no Node(node = 2). observe no Node(node = 3). }."


def test_what_a_view_no_longer_shows_is_unknown(tmp_path) -> None:
    seen = f"step {{ {FORM.format('Lena')} {KEEP.format('false')} }}."
    assert result(tmp_path, "Card(kept = false)", f"{seen} attempt Save => allow.") is None
    assert result(tmp_path, "Card(kept = false)", f"{seen} {GONE} attempt Save => block.") is None
    assert result(tmp_path, 'Card(name = "Lena")', f"{seen} {GONE} attempt Save => block.") is None


def test_what_was_typed_and_is_hidden_stays(tmp_path) -> None:
    typed = f'step {{ {FORM.format("")} }}. step {{ input_text(id = "card", value = "Lena"). {FORM.format("Lena")} }}.'
    assert result(tmp_path, 'Card(name = "Lena")', f"{typed} {GONE} attempt Save => allow.") is None


def test_what_was_typed_and_shows_unread_is_unknown(tmp_path) -> None:
    typed = f'step {{ {FORM.format("")} }}. step {{ input_text(id = "card", value = "Lena"). {FORM.format("Lena")} }}.'
    unread = 'step { observe Node(node = 2, parent = 1, id = "card", text = unknown). }.'
    assert result(tmp_path, 'Card(name = "Lena")', f"{typed} {unread} attempt Save => block.") is None


@pytest.mark.parametrize(("name", "level"), [('text = "Tea"', "allow"), ("text = unknown", "warn")])
def test_a_touch_of_what_was_not_read_ends_belief(tmp_path, name, level) -> None:
    shows = f'step {{ {HEAD} observe Node(node = 6, parent = 2, id = "dish"). }}. tap(node = 4).'
    again = f'step {{ observe Node(node = 7, parent = 6, id = "name", {name}). }}. tap(node = 7) => {level}.'
    assert result(tmp_path, 'Picked(name = "Tea")', f"{shows} attempt Save => allow. ") is None
    assert result(tmp_path, 'Picked(name = "Tea")', f"{shows} {again}") is None


# ---------------------------------------------------------------------- what the source counts, and what was typed

SEARCH = """app shop package "c" "x"
import std.tree
import std.lists
list Item in (query) key (name) { query: Text  name: Text }
update Item(row = ?r, query = ?q, name = ?t)
  when Node(id = "search", text = ?q), Node(id = "items", node = ?l), Node(parent = ?l, node = ?r, text = ?t).
complete Item(query = ?q) when Node(id = "search", text = ?q), Node(id = "items", node = ?l), Fits(node = ?l).
action Save
"""


def node(inner="", *, text="", name="", index=0, top=0, bottom=900) -> str:
    told = (
        f'text="{text}" resource-id="c:id/{name}" index="{index}"'
        if name
        else f'text="{text}" index="{index}"'
    )
    return (
        f'<node {told} class="a.EditText" package="c" content-desc="" clickable="false" scrollable="false"'
        f' enabled="true" password="false" bounds="[0,{top}][100,{bottom}]">{inner}</node>'
    )


def items(query: str, *rows: tuple[int, str], settled: bool = True) -> TreeScreen:
    inner = "".join(node(text=text, index=at, top=100 + 100 * at, bottom=200 + 100 * at) for at, text in rows)
    search = node(text=query, name="search", bottom=100)
    shown = node(search + node(inner, name="items", index=1, top=100), name="root")
    return TreeScreen(load_tree(f"<hierarchy>{shown}</hierarchy>"), app=("c", ".Main"), settled=settled)


def searching(tmp_path, query: str) -> Guard:
    (tmp_path / "shop.vsa").write_text(SEARCH, encoding="utf-8")
    text = f'spec s "x"\nimport shop\ndone when no Item(query = "{query}", name = "Cake").\n'
    return Guard(
        load_text(text, path=tmp_path / "s.vsa").checked(), settings=Settings(unknown_screen="allow")
    )


def test_a_child_skipped_by_index_is_missing(tmp_path) -> None:
    for rows, level in ((((0, "Tea"), (1, "Soup")), "allow"), (((0, "Tea"), (2, "Soup")), "block")):
        guard = searching(tmp_path, "so")
        guard.observe(items("so", *rows))
        assert guard.propose(Action("finish")).level == level


@pytest.mark.parametrize(
    ("settled", "again", "level"), [(True, False, "allow"), (False, False, "block"), (False, True, "allow")]
)
def test_nothing_is_complete_right_after_typing(tmp_path, settled, again, level) -> None:
    guard = searching(tmp_path, "so")
    guard.observe(items("", (0, "Tea"), (1, "Cake")))
    guard.commit(guard.propose(Action("input_text", {"id": "search", "value": "so"})))
    guard.observe(items("so", (0, "Tea"), settled=settled))
    if again:
        guard.observe(items("so", (0, "Tea"), settled=False))
    assert guard.propose(Action("finish")).level == level


@pytest.mark.parametrize(("count", "fits"), [(None, True), (1, True), (2, False)])
def test_a_child_that_is_only_counted_is_missing(count, fits) -> None:
    box = {
        "bounds": [[0, 0], [90, 90]],
        "class": "a.V",
        "scrollable": False,
        "enabled": True,
        "visible": True,
    }
    view = {**box, "temp_id": 0, "parent": -1, "children": [1]} | (
        {} if count is None else {"child_count": count}
    )
    inner = {**box, "temp_id": 1, "parent": 0, "children": []}
    screen = TreeScreen(load_tree([view, inner]))
    assert ({"node": 1} in screen.rows("Fits")) is fits
    assert [item.why for item in screen.tree.lost] == ([] if fits else ["counted"])
