"""Which node a gesture reaches: points, selectors, focus, and trees where it cannot be told."""

from decimal import Decimal
from pathlib import Path

import pytest

from vsalang.program.action import GESTURES, POINTING
from vsalang.program.screen import UnresolvedTarget
from vsalang.program.values import NONE
from vsalang.screen.screen import TreeScreen
from vsalang.screen.tree import load_dump, read_dump


def node(bounds: str, *kids: str, **attrs: str) -> str:
    left, top, right, bottom = bounds.split(",")
    values = {"class": "a.View", "clickable": "false", "scrollable": "false", **attrs}
    text = " ".join(f'{name.replace("_", "-")}="{value}"' for name, value in values.items())
    return f'<node bounds="[{left},{top}][{right},{bottom}]" {text}>{"".join(kids)}</node>'


def screen(*windows: str) -> TreeScreen:
    return TreeScreen(load_dump(f"<hierarchy>{''.join(windows)}</hierarchy>"))


def taken(made: TreeScreen, x: int, y: int) -> tuple:
    cells = made.target("tap", {"x": x, "y": y})
    return cells.get("node"), cells.get("leaf"), cells["covered"]


CLICK = {"clickable": "true"}


def test_the_clickable_node_drawn_last_takes_the_touch() -> None:
    button = node("10,10,90,30", node("20,12,80,28", text="Pay"), **CLICK)
    made = screen(node("0,0,100,100", button, node("0,50,100,100")))
    assert taken(made, 50, 20) == (2, 3, False)
    assert taken(made, 12, 11) == (2, 2, False)
    assert taken(made, 90, 20) == (1, 1, False)  # the right edge is outside: the deepest node there
    assert taken(made, 50, 60) == (4, 4, False)
    cells = made.target("tap", {"x": 50, "y": 20})
    assert cells["label"] == "Pay" and (cells["x"], cells["y"]) == (50, 20)


def test_not_the_clickable_node_around_the_leaf() -> None:
    row = node("0,0,100,50", node("0,0,100,50"), **CLICK)
    overlay = node("0,0,100,50", text="transparent")
    assert taken(screen(node("0,0,100,100", row, overlay)), 5, 5) == (2, 4, True)
    assert taken(screen(node("0,0,100,100", row, node("0,0,100,50", **CLICK))), 5, 5) == (4, 4, False)


def test_drawing_order_decides_where_all_siblings_have_one() -> None:
    def two(first: str, second: str) -> TreeScreen:
        return screen(
            node(
                "0,0,9,9",
                node("0,0,9,9", **CLICK, drawing_order=first),
                node("0,0,9,9", **CLICK, drawing_order=second),
            )
        )

    assert taken(two("2", "1"), 1, 1) == (2, 2, False)
    assert taken(two("1", "2"), 1, 1) == (3, 3, False)
    assert taken(two("2", ""), 1, 1) == (3, 3, False)
    assert taken(two("0", "0"), 1, 1) == (3, 3, False)


def test_disabled_nodes_take_touches_and_checkable_do_not() -> None:
    kids = [
        node("0,0,10,10", long_clickable="true"),
        node("10,0,20,10", **CLICK, enabled="false"),
        node("20,0,30,10", checkable="true"),
    ]
    made = screen(node("0,0,30,10", *kids, **CLICK))
    assert [taken(made, x, 5)[0] for x in (5, 15, 25)] == [2, 3, 1]


def test_an_unsaid_clickable_makes_the_target_uncertain() -> None:
    made = screen(node("0,0,9,9", node("0,0,9,9", clickable=""), **CLICK))
    assert taken(made, 1, 1) == (1, 2, True)
    assert taken(screen(node("0,0,9,9", clickable="")), 1, 1) == (1, 1, True)


def test_the_topmost_window_takes_the_touch() -> None:
    page = node("0,0,100,100", node("0,0,100,40", **CLICK))
    assert taken(screen(node("0,0,100,10"), page), 5, 5) == (3, 1, True)
    assert taken(screen(node("0,0,100,10", **CLICK), page), 5, 5) == (1, 1, True)
    assert taken(screen(node("0,0,100,10", **CLICK), page), 5, 15) == (3, 3, False)
    assert taken(screen(node("0,0,100,10", **CLICK), page), 5, 50) == (2, 2, False)


def test_what_is_cut_off_takes_no_touch() -> None:
    made = screen(node("0,0,100,100", node("0,0,100,50", node("0,0,100,90", **CLICK))))
    assert taken(made, 5, 60) == (1, 1, False)
    assert made.target("tap", {"node": 3})["y"] == 25


TWO = screen(
    node(
        "0,0,100,100",
        node("0,0,100,20", node("0,0,50,20", text="Total"), **CLICK, resource_id="a:id/row"),
        node("0,20,100,40", text="Total", **CLICK, resource_id="a:id/row"),
        node("0,40,100,60", text="It\u2019s", resource_id="a:id/note"),
        node("0,200,100,300", text="hidden", resource_id="a:id/gone"),
    )
)


def test_selecting_one_node() -> None:
    assert TWO.target("tap", {"text": "Total", "id": "row"})["node"] == 4
    assert TWO.target("double_tap", {"node": 3}) | {} == {**TWO.target("tap", {"x": 25, "y": 10})}
    # what takes the touch in the middle of the node is the target, not the node
    assert TWO.target("tap", {"node": 3})["node"] == 2
    # where nothing is known to take it, the deepest node does: a slider need not say that it is clickable
    note = {"x": 50, "y": 50, "leaf": 5, "covered": False, "node": 5, "id": "note", "clickable": False}
    assert TWO.target("tap", {"text": "It's"}).items() >= note.items()
    assert TWO.target("tap", {"text": "It\u2019s"})["leaf"] == 5
    assert TWO.target("tap", {"node": 4, "x": 3, "y": 21})["x"] == 3
    assert TWO.target("tap", {"x": Decimal("3.9"), "y": Decimal("20.5")})["y"] == 20
    assert TWO.target("input_text", {"node": 4, "value": "caf\u2019e"})["value"] == "caf'e"


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ({}, "tap needs a target"),
        ({"text": "Total"}, '2 nodes have text = "Total": node 3 View "Total" at (25, 10); node 4'),
        ({"id": "row"}, "2 nodes have"),
        ({"id": "note "}, 'no node that shows has id = "note "; did you mean id = "note"?'),
        ({"id": "gone"}, "no node that shows"),
        ({"node": 6}, "no part of it is visible"),
        ({"node": 7}, "nodes go from 1 to 6"),
        ({"node": 0}, "nodes go from 1 to 6"),
        ({"node": True}, "no node that shows has node = true"),
        ({"node": "4"}, 'no node that shows has node = "4"'),
        ({"node": 4, "text": "Other"}, "no node that shows"),
        ({"text": NONE}, "no node that shows has text = none"),
        ({"desc": "x"}, 'has desc = "x"'),
        ({"x": 5}, "both x and y"),
        ({"x": 5, "y": 100}, "lies on no window; the screen goes from (0, 0) to (99, 99)"),
        ({"x": -1, "y": 5}, "lies on no window"),
        ({"x": Decimal("-0.5"), "y": 5}, "lies on no window"),
        ({"x": "5", "y": 5}, "x is a number of pixels"),
        ({"x": True, "y": 5}, "x is a number of pixels"),
        ({"x": 5, "y": 5, "node": 4}, "does not lie in node 4"),
        ({"leaf": 4}, "no argument leaf"),
        ({"node": 4, "covered": False}, "no argument covered"),
        ({"node": 4, "value": "x"}, "no argument value"),
        ({"colour\x1b": "red"}, "no argument colour\\u{001B}"),
    ],
)
def test_what_cannot_be_resolved_says_why(args: dict, message: str) -> None:
    with pytest.raises(UnresolvedTarget) as caught:
        TWO.target("tap", args)
    assert message in str(caught.value)
    assert "\x1b" not in str(caught.value)


def test_an_empty_tree_has_no_targets() -> None:
    for args in ({"x": 0, "y": 0}, {"node": 1}, {"id": "a"}):
        with pytest.raises(UnresolvedTarget):
            screen().target("tap", args)


def test_candidates_are_quoted_and_few() -> None:
    made = screen(
        node("0,0,99,99", *(node(f"0,{y},9,{y + 1}", text="a&#10;&quot;b", cls="X") for y in range(20)))
    )
    with pytest.raises(UnresolvedTarget) as caught:
        made.target("tap", {"text": 'a\n"b'})
    assert "and 15 more" in str(caught.value) and "\n" not in str(caught.value)


def test_gestures_without_target_give_their_arguments() -> None:
    for kind in sorted(GESTURES - POINTING):
        assert TWO.target(kind, {}) == {}
    assert TWO.target("open_app", {"package": "a"}) == {"package": "a"}
    assert TWO.target("swipe", {"direction": "up"}) == {"direction": "up"}
    with pytest.raises(UnresolvedTarget, match="wink is not a gesture"):
        TWO.target("wink", {})


EDIT = {"class": "a.EditText", "clickable": "true"}


def test_typing_without_target_goes_to_the_focused_field() -> None:
    web = node("0,0,100,50", node("0,0,100,20", **EDIT, focused="true"), focused="true")
    other = node("0,60,100,80", **EDIT)
    made = screen(node("0,0,100,100", web, other))
    cells = made.target("input_text", {"value": "hi"})
    assert (cells["node"], cells["value"], cells["x"], cells["y"], cells["covered"]) == (
        3,
        "hi",
        50,
        10,
        False,
    )
    assert made.target("clear_text", {})["node"] == 3
    assert made.target("input_text", {"node": 4, "value": "hi"})["node"] == 4
    with pytest.raises(UnresolvedTarget, match="no node has the focus"):
        screen(other).target("input_text", {"value": "hi"})
    with pytest.raises(UnresolvedTarget, match="2 nodes have the focus"):
        screen(node("0,0,9,9", **EDIT, focused="true"), node("9,9,19,19", **EDIT, focused="true")).target(
            "clear_text", {}
        )


def test_scroll_reaches_what_scrolls_and_swipe_what_is_touched() -> None:
    rows = node("0,0,100,20", **CLICK), node("0,20,100,100", **CLICK)
    made = screen(
        node("0,0,100,200", node("0,0,100,100", *rows, scrollable="true"), node("0,100,100,200", **CLICK))
    )
    assert made.target("scroll", {"node": 2, "direction": "down"})["node"] == 2
    assert made.target("scroll", {"x": 5, "y": 5, "direction": "down"})["node"] == 2
    assert made.target("scroll", {"node": 3, "direction": "down"})["node"] == 2
    assert made.target("scroll", {"x": 5, "y": 150})["node"] == 5
    swipe = {"x": 5, "y": 5, "x2": 5, "y2": 90}
    assert made.target("swipe", swipe) | {} == {**made.target("tap", {"x": 5, "y": 5}), **swipe}


# ---------------------------------------------------------------- a control and its text


def test_a_control_and_its_text_are_one_target() -> None:
    chip = node("10,10,90,30", node("20,12,60,28", node("20,12,60,28", text="300 ml")), **CLICK)
    other = node("10,40,90,60", node("20,42,80,58", text="700 ml"), **CLICK)
    cells = screen(node("0,0,100,100", chip, other)).target("tap", {"label": "300 ml"})
    assert (cells["node"], cells["label"], cells["x"], cells["y"]) == (2, "300 ml", 50, 20)


@pytest.mark.parametrize(
    "made",
    [
        [node("0,0,50,20", node("0,0,50,20", text="A"), **CLICK), node("0,30,50,50", text="A")],
        [node("0,0,50,20", text="A", **CLICK), node("0,30,50,50", node("0,30,50,50", text="A"), **CLICK)],
        [node("0,0,50,20", node("0,0,20,20", text="A", **CLICK), content_desc="A", **CLICK)],
        [
            node(
                "0,0,50,20",
                node("0,0,20,20", node("0,0,20,20", text="A"), content_desc="B", **CLICK),
                content_desc="A",
                **CLICK,
            )
        ],
        [node("0,0,50,20", node("0,0,50,20", text="A"), text="A")],
    ],
    ids=["text elsewhere", "two controls", "a control in it", "the text of a control in it", "no control"],
)
def test_what_is_not_one_control_stays_ambiguous(made: list[str]) -> None:
    with pytest.raises(UnresolvedTarget, match=r"\d nodes have"):
        screen(node("0,0,100,100", *made)).target("tap", {"label": "A"})


def test_real_chips_are_tapped_by_what_they_say(shared_data: Path) -> None:
    made = TreeScreen(read_dump(shared_data / "ui_dumps" / "252_com.viwa.android.xml.gz"))
    cells = made.target("tap", {"label": "300 мл"})
    assert (cells["class"], cells["label"], cells["clickable"]) == ("View", "300 мл", True)
    assert made.target("tap", {"text": "300 мл"})["node"] == cells["node"]
