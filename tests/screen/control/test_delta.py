"""What a delta says of two screens: small ones, all random ones, and all recorded transitions."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings

from tests.screen.control.making import listed, node, page, row, screen, text
from tests.screen.control.test_reduce import TREES
from tests.thorough import THOROUGH, times
from vsalang.screen.control import Delta, delta
from vsalang.screen.tree import Tree, load_tree

TOUCH = {"clickable": "true"}


def labels(found: Delta) -> tuple[list[str | None], list[str | None]]:
    return [ref.label for ref in found.appeared], [ref.label for ref in found.gone]


def changes(found: Delta) -> list[tuple[str | None, str, object, object]]:
    return [(change.ref.label, change.attribute, change.before, change.after) for change in found.changed]


def form(typed: str = "", box: str = "false", *more: str, shift: int = 0) -> Tree:
    field = node(
        "EditText",
        at=(0, 100 + shift, 900, 190 + shift),
        text=typed,
        hint="Name",
        resource_id="com.app:id/name",
    )
    agree = node(
        "CheckBox",
        at=(0, 200 + shift, 900, 290 + shift),
        text="Agree",
        checked=box,
        checkable="true",
        **TOUCH,
    )
    return page(text("Profile", shift), field, agree, node("Button", text="Save", **TOUCH), *more)


def test_nothing_changed_though_everything_moved() -> None:
    found = delta(form("Ann"), form("Ann", shift=300))
    assert (found.transition, found.ratio, found.changed) == ("NoChange", 1.0, ())


def test_what_was_typed_and_checked() -> None:
    found = delta(form(), form("Ann", "true"))
    assert changes(found) == [("Name", "text", None, "Ann"), ("Agree", "checked", False, True)]
    assert (found.transition, found.appeared, found.gone) == ("PartialChange", (), ())


def test_a_password_changes_by_its_length() -> None:
    def made(typed: str) -> Tree:
        return page(node("EditText", text=typed, password="true", resource_id="com.app:id/pin"))

    assert changes(delta(made("12"), made("1234"))) == [(None, "length", 2, 4)]


def test_what_appeared_and_what_went() -> None:
    error = text("Too short", 800)
    assert labels(delta(form(), form("", "false", error))) == (["Too short"], [])
    back = delta(form("", "false", error), form())
    assert labels(back) == ([], ["Too short"]) and back.transition == "PartialChange"
    assert back.ratio == delta(form(), form("", "false", error)).ratio == 8 / 9


def test_another_page_is_a_new_page_both_ways() -> None:
    small, large = page(text("Done")), form("Ann")
    assert delta(small, large).transition == delta(large, small).transition == "NewPage"
    empty = screen()
    assert delta(empty, large).ratio == 0 and delta(empty, empty).transition == "NoChange"


def test_a_page_with_much_more_is_new() -> None:
    """All nodes before are there after, but they are few among the new ones."""
    more = page(text("Title"), *[text(f"Line {number}") for number in range(9)])
    assert delta(page(text("Title")), more).transition == "NewPage"


def test_an_id_in_rows_goes_by_row() -> None:
    def made(first: str, second: str) -> Tree:
        state = {"resource_id": "com.app:id/state"}
        rows = [row("Wi-Fi", text(first, 40, **state)), row("Bluetooth", text(second, 140, **state), y=100)]
        return page(node("RecyclerView", *rows, scrollable="true", resource_id="com.app:id/list"))

    assert changes(delta(made("Off", "Off"), made("Off", "On"))) == [("On", "text", "Off", "On")]


def test_twins_are_not_matched_and_not_changed() -> None:
    twin = node("Button", text="Add", **TOUCH)
    assert delta(page(twin, twin), page(twin, twin)).transition == "NoChange"
    found = delta(page(twin, twin), page(twin, twin, twin))
    assert [(ref.label, ref.certain) for ref in found.appeared] == [("Add", False)]
    twins = {one.node for one, _ in found.matched if one.text == "Add"}
    assert not twins


def test_an_id_of_another_class_is_another_node() -> None:
    name = {"resource_id": "com.app:id/x"}
    found = delta(page(node("Button", text="A", **name)), page(node("TextView", text="A", **name)))
    assert labels(found) == (["A"], ["A"]) and not found.changed


def test_a_list_that_was_scrolled() -> None:
    names = [f"File {number}" for number in range(9)]
    found = delta(
        page(text("Files"), listed(*names[:6])),
        page(text("Files"), listed(*names[2:8], top=60)),
        scrolled=True,
    )
    (window,) = found.scrolled
    assert (window.shift, len(window.rows)) == (2, 4)
    assert {"File 6", "File 7"} <= set(labels(found)[0]) and {"File 0", "File 1"} <= set(labels(found)[1])
    assert (found.transition, found.ratio, found.changed) == ("PartialChange", 1.0, ())
    back = delta(page(listed(*names[2:8])), page(listed(*names[:6])), scrolled=True)
    assert [window.shift for window in back.scrolled] == [-2]


def rows(*said: tuple[int, tuple[str, ...]]) -> Tree:
    """A list from 100 to 500 whose rows begin at these heights, cut to what shows of them, as dumps are."""
    tops = [*(max(100, top) for top, _ in said), 500]
    made = [
        node("LinearLayout", *(text(word, top) for word in words), at=(0, top, 900, end), clickable="true")
        for (_, words), top, end in zip(said, tops, tops[1:], strict=False)
    ]
    holder = {"scrollable": "true", "resource_id": "com.app:id/list"}
    return page(node("RecyclerView", *made, at=(0, 100, 900, 500), **holder))


def test_a_row_that_is_cut_may_begin_otherwise() -> None:
    before = rows((100, ("A", "one")), (200, ("B", "two")), (300, ("C",)), (400, ("D",)))
    after = rows((60, ("two",)), (160, ("C",)), (260, ("D",)), (360, ("E",)))
    (window,) = delta(before, after, scrolled=True).scrolled
    assert (window.shift, len(window.rows)) == (1, 3)
    whole = rows((100, ("two",)), (200, ("C",)), (300, ("D",)), (400, ("E",)))
    assert not delta(before, whole, scrolled=True).scrolled  # all of it shows, and it begins otherwise


def test_rows_that_look_alike_are_joined() -> None:
    def button(found: Delta) -> set[tuple[int, int]]:
        return {(one.top, other.top) for one, other in found.matched if one.text == "Delete"}

    before, after = (
        page(listed("A", "Pause", "B", "Pause", "C")),
        page(listed("Pause", "B", "Pause", "C", "D")),
    )
    found = delta(before, after, scrolled=True)
    assert [window.shift for window in found.scrolled] == [1]
    assert button(found) == {(top + 100, top) for top in (100, 200, 300, 400)}


def test_a_deleted_row_is_no_scroll() -> None:
    before, after = page(listed("A", "B", "C")), page(listed("B", "C"))
    found = delta(before, after)
    assert not found.scrolled and "A" in labels(found)[1] and found.ratio < 1
    twins = delta(page(listed("A", "Pause", "Pause")), page(listed("Pause", "Pause")))
    assert not {one.node for one, _ in twins.matched if one.text == "Pause"}


@pytest.mark.parametrize(
    "after",
    [("B", "A", "C"), ("A", "X", "C"), ("X", "Y", "C"), ("Pause", "Pause", "Pause")],
    ids=["reordered", "one replaced", "one left", "all alike"],
)
def test_no_join_where_no_single_shift_agrees(after: tuple[str, ...]) -> None:
    found = delta(page(listed("A", "B", "C")), page(listed(*after)), scrolled=True)
    assert not found.scrolled


@pytest.mark.slow
@settings(max_examples=times(20, 1500))
@given(TREES, TREES)
def test_every_node_is_in_one_place(before: Tree, after: Tree) -> None:
    """Matched one to one, and appeared and gone swap with the screens; a screen does not differ from itself."""
    there, back = delta(before, after), delta(after, before)
    assert delta(before, before).transition == "NoChange" and delta(before, before).ratio == 1
    olds, news = [one.node for one, _ in there.matched], [other.node for _, other in there.matched]
    assert len(set(olds)) == len(olds) and len(set(news)) == len(news)
    assert not set(olds) & {ref.node.node for ref in there.gone}
    assert not set(news) & {ref.node.node for ref in there.appeared}
    assert 0 <= there.ratio <= 1 and there.ratio == back.ratio and there.transition == back.transition
    assert {ref.node.node for ref in there.gone} == {ref.node.node for ref in back.appeared}


def lines(path: Path) -> list[Any]:
    return [json.loads(line) for line in gzip.decompress(path.read_bytes()).splitlines()]


def test_recorded_transitions_agree_with_the_recorder(shared_data: Path) -> None:
    """Where both states were kept, NoChange is said of those with one state hash, but for 0.12 % of the events."""
    runs = [path.parent for path in sorted((shared_data / "utg").glob("*/events.jsonl.gz"))]
    small = ("anupam.acrylic", "ch.abertschi.adfree", "org.totschnig.myexpenses", "tw.qtlin.mac.airunlocker")
    events = seen = wrong = 0
    for run in runs if THOROUGH else [run for run in runs if run.name in small]:
        states = {state["state_str"]: state["views"] for state in lines(run / "states.jsonl.gz")}
        trees: dict[str, Tree] = {}
        said: dict[tuple[str, str, bool], str] = {}
        for event in lines(run / "events.jsonl.gz"):
            events += 1
            pair = event["start_state"], event["stop_state"]
            if not states.keys() >= set(pair):
                continue
            for name in pair:
                if name not in trees:
                    trees[name] = load_tree(states[name])
            key = *pair, event["event"]["event_type"] == "scroll"
            if key not in said:
                said[key] = delta(trees[pair[0]], trees[pair[1]], scrolled=key[2]).transition
            seen += 1
            wrong += (pair[0] == pair[1]) != (said[key] == "NoChange")
    assert seen > 1500 and wrong / seen <= (0.0013 if THOROUGH else 0.002)
    assert not THOROUGH or events == 16_709


def without(tree_of: str, *left_out: str) -> Tree:
    for name in left_out:
        tree_of = tree_of.replace(f' {name}="', f' data-{name}="')
    return load_tree(tree_of)


def whole(*kids: str) -> str:
    return f"<hierarchy>{node('FrameLayout', *kids)}</hierarchy>"


@pytest.mark.parametrize("left_out", ["clickable", "package", "class", "text"])
@pytest.mark.parametrize("look", [0, 1])
def test_what_one_look_did_not_read_is_no_change(left_out: str, look: int) -> None:
    """Nodes look different for it, and nothing says that they are."""
    button = node("View", at=(0, 500, 90, 590), **TOUCH)
    shown = whole(button, text("Hello", 100))
    looks = [load_tree(shown), load_tree(shown)]
    assert not delta(*looks).told
    looks[look] = without(shown, left_out)
    assert not delta(*looks).told


def test_what_both_looks_read_is_a_change() -> None:
    one, other = whole(text("Hello")), whole(text("Hello"), text("Sent", 300))
    assert delta(load_tree(one), load_tree(other)).told
    for left_out in ("package", "clickable"):  # neither gives it
        assert delta(without(one, left_out), without(other, left_out)).told
