"""Boxes that cannot be right: a node of which it is not known where it is never vanishes silently."""

import dataclasses
import json

import pytest

from vsalang.screen.screen import TreeScreen
from vsalang.screen.tree import Tree, load_dump, load_tree, track

SCREEN = (0, 0, 1080, 1920)
GROUP = (66, 1600, 1014, 1800)
PAY = (66, 1700, 1014, 1800)


def element(name, box, *children, text="", **flags):
    return {"class": name, "box": box, "text": text, "flags": flags, "children": children}


def xml(*roots, **attrs):
    def one(node):
        left, top, right, bottom = node["box"]
        flags = {"clickable": False, "scrollable": False, "enabled": True} | node["flags"]
        said = " ".join(f'{key}="{str(value).lower()}"' for key, value in flags.items())
        return (
            f'<node class="{node["class"]}" text="{node["text"]}" package="com.shop" {said}'
            f' bounds="[{left},{top}][{right},{bottom}]">{"".join(map(one, node["children"]))}</node>'
        )

    said = " ".join(f'{key}="{value}"' for key, value in attrs.items())
    return f"<hierarchy {said}>{''.join(map(one, roots))}</hierarchy>"


def portal(root):
    def one(node):
        flags = {"clickable": False, "scrollable": False, "enabled": True} | node["flags"]
        names = {"clickable": "isClickable", "scrollable": "isScrollable", "enabled": "isEnabled"}
        return {
            "className": node["class"],
            "text": node["text"],
            "packageName": "com.shop",
            "boundsInScreen": dict(zip(("left", "top", "right", "bottom"), node["box"], strict=True)),
            "children": [one(child) for child in node["children"]],
        } | {names.get(key, key): value for key, value in flags.items()}

    return json.dumps({"a11y_tree": one(root), "phone_state": {"packageName": "com.shop"}})


SOURCES = pytest.mark.parametrize("source", [xml, portal])

WRONG = {
    "inverted": ((1014, 1800, 66, 1700), "inverted"),
    "inverted down": ((66, 1800, 1014, 1700), "inverted"),
    "flat": ((66, 1700, 1014, 1700), "empty"),
    "narrow": ((66, 1700, 66, 1800), "empty"),
    "zero": ((0, 0, 0, 0), "empty"),
    "beside": ((1020, 1700, 1070, 1800), "outside"),
    "below": ((66, 1810, 1014, 1900), "outside"),
    "off the screen": ((66, 2100, 1014, 2200), "outside"),
}
WRONGS = pytest.mark.parametrize(("box", "why"), WRONG.values(), ids=WRONG)


def page(group, pay, **group_flags):
    return element(
        "FrameLayout",
        SCREEN,
        element("Button", (0, 1690, 1080, 1820), text="Continue", clickable=True),
        element("View", group, element("Button", pay, text="Pay now", clickable=True), **group_flags),
    )


def texts(tree: Tree) -> list[str]:
    return [node.text for node in tree.nodes if node.text]


@SOURCES
def test_boxes_that_can_be_right_have_one_reading(source) -> None:
    tree = load_tree(source(page(GROUP, PAY)))
    assert texts(tree) == ["Continue", "Pay now"]
    assert (tree.other, tree.lost, tree.doubtful, tree.notes) == (None, (), (), ())


@SOURCES
@WRONGS
def test_a_node_with_a_wrong_box_is_anywhere(source, box, why) -> None:
    tree = load_tree(source(page(GROUP, box)))
    assert texts(tree) == ["Continue"]
    assert [(item.text, item.why) for item in tree.lost] == [("Pay now", why)]
    assert len(tree.notes) == 1 and "both ways are judged" in tree.notes[0]
    (node,) = tree.doubtful
    assert (node.text, node.box) == ("Pay now", SCREEN)
    assert tree.other is not None and texts(tree.other) == ["Continue", "Pay now"]


@SOURCES
@WRONGS
def test_such_a_box_does_not_cut_what_is_inside(source, box, why) -> None:
    tree = load_tree(source(page(box, PAY)))
    assert tree.lost[-1].text == "Pay now"
    (pay,) = [node for node in tree.doubtful if node.text == "Pay now"]
    assert pay.holds(500, 1750)
    if why != "outside":
        assert [(item.text, item.why) for item in tree.lost] == [(None, why), ("Pay now", "around")]
        assert pay.box == PAY


@SOURCES
def test_a_node_that_reaches_out_of_its_parent(source) -> None:
    tree = load_tree(source(page((66, 1600, 1014, 1750), PAY)))
    assert [(node.text, node.bottom) for node in tree.nodes if node.text == "Pay now"] == [("Pay now", 1750)]
    assert not tree.lost and not tree.notes
    assert [(node.text, node.box) for node in tree.doubtful] == [("Pay now", PAY)]


@SOURCES
@pytest.mark.parametrize(
    "away", [(66, 1777, 1014, 1664), (66, 100, 1014, 50), (1100, 200, 1014, 300), (66, 200, 10, 300)]
)
def test_what_was_scrolled_away_does_not_show(source, away) -> None:
    rows = element(
        "ListView",
        (66, 100, 1014, 1664),
        element("Button", (66, 100, 1014, 300), text="Tea", clickable=True),
        element("View", away, element("Button", away, text="Pay now", clickable=True)),
        scrollable=True,
    )
    tree = load_tree(source(element("FrameLayout", SCREEN, rows)))
    assert texts(tree) == ["Tea"] and tree.other is None and not tree.notes
    assert tree.lost[0].why == "scrolled"


@SOURCES
@pytest.mark.parametrize(
    "row",
    [
        (66, 1777, 66, 1664),
        (0, 0, 0, 0),
        (66, 1500, 1014, 1200),
        (66, 1664, 1014, 1664),
        (66, 1700, 1014, 1800),
        (1020, 200, 1070, 300),
    ],
)
def test_a_wrong_box_in_something_that_scrolls(source, row) -> None:
    rows = element(
        "ListView",
        (66, 100, 1014, 1664),
        element("Button", (66, 100, 1014, 300), text="Tea", clickable=True),
        element("Button", row, text="Pay now", clickable=True),
        scrollable=True,
    )
    (node,) = load_tree(source(element("FrameLayout", SCREEN, rows))).doubtful
    assert (node.text, node.box) == ("Pay now", (66, 100, 1014, 1664))


@SOURCES
@pytest.mark.parametrize("box", [box for box, why in WRONG.values() if why != "outside"])
def test_a_window_with_a_wrong_box(source, box) -> None:
    tree = load_tree(
        source(element("FrameLayout", box, element("Button", PAY, text="Pay now", clickable=True)))
    )
    assert not tree.nodes and len(tree.lost) == 2
    assert ("Pay now", PAY) in [(node.text, node.box) for node in tree.doubtful]


def test_a_node_that_the_source_hides_is_listed() -> None:
    hidden = element("Button", PAY, text="Pay now", **{"visible-to-user": False})
    tree = load_dump(xml(element("FrameLayout", SCREEN, hidden)))
    assert [(item.text, item.why) for item in tree.lost] == [("Pay now", "hidden")]
    assert tree.other is None and not tree.notes


# ---------------------------------------------------------------- lists


def slots(row):
    return element(
        "FrameLayout",
        SCREEN,
        element(
            "FrameLayout",
            (66, 136, 1014, 1664),
            element("TextView", (66, 200, 1014, 400), text="19:30"),
            element("View", (66, 400, 1014, 600), element("TextView", row, text="18:30")),
        ),
    )


def fitting(screen: TreeScreen) -> set[int]:
    return {row["node"] for row in screen.rows("Fits")}


@SOURCES
def test_a_list_fits_whose_rows_show(source) -> None:
    screen = TreeScreen(load_tree(source(slots((66, 400, 1014, 600)))))
    assert fitting(screen) == {1, 2, 3, 4, 5}
    assert {row["node"] for row in screen.rows("Whole")} == {2, 3, 4, 5}
    assert len(list(screen.rows("Bounds"))) == 5


@SOURCES
@pytest.mark.parametrize(
    "row",
    [
        *(box for box, _ in WRONG.values()),
        (66, 1777, 1014, 1664),  # cut at the lower edge of a list that does not say that it scrolls
        (1020, 400, 1070, 600),
        (66, 1700, 1014, 1800),
    ],
)
def test_a_list_that_hides_a_row_does_not_fit(source, row) -> None:
    screen = TreeScreen(load_tree(source(slots(row))))
    assert fitting(screen) == {3}
    assert [row["node"] for row in screen.rows("Whole")] == []
    assert [row["list"] for row in screen.rows("Bounds")] == [3]


def test_nor_where_the_source_hides_a_row() -> None:
    hidden = element("TextView", (66, 400, 1014, 600), text="18:30", **{"visible-to-user": False})
    screen = TreeScreen(load_dump(xml(element("FrameLayout", SCREEN, hidden))))
    assert fitting(screen) == set()


# ---------------------------------------------------------------- the turn of the screen


def two(first, second):
    return xml(element("FrameLayout", first), element("FrameLayout", second))


@pytest.mark.parametrize(
    ("dump", "stale"),
    [
        (two((0, 0, 1080, 1920), (0, 0, 1920, 1080)), True),
        (two((0, 0, 1080, 1920), (0, 0, 1080, 100)), False),
        (two((0, 0, 1080, 1080), (0, 0, 1080, 1080)), False),
        (xml(element("FrameLayout", (0, 0, 1080, 1920)), rotation=1, width=1920, height=1080), True),
        (xml(element("FrameLayout", (0, 0, 1920, 1080)), rotation=1, width=1920, height=1080), False),
        (xml(element("FrameLayout", (100, 100, 900, 500)), rotation=0, width=1080, height=1920), False),
    ],
)
def test_windows_older_than_a_turn_of_the_screen(dump, stale) -> None:
    tree = load_dump(dump)
    assert tree.partial is stale
    assert any("turn of the screen" in note for note in tree.notes) is stale
    assert (fitting(TreeScreen(tree)) == set()) is stale


def test_windows_that_did_not_turn_with_the_screen() -> None:
    upright = element("FrameLayout", (0, 0, 1080, 1920), element("Button", PAY, text="Pay now"))
    lying = element(
        "FrameLayout", (0, 0, 1920, 1080), element("Button", (66, 900, 1014, 1000), text="Pay now")
    )
    first = load_dump(xml(upright, rotation=0))
    stale = load_dump(xml(upright, rotation=1), after=first)
    still = load_dump(xml(upright, rotation=1), after=stale)
    turned = load_dump(xml(lying, rotation=1), after=still)
    back = load_dump(xml(upright, rotation=0), after=turned)
    assert [tree.partial for tree in (first, stale, still, turned, back)] == [False, True, True, False, False]


def turned_portal(width, height, right, bottom):
    state = json.loads(
        portal(
            element(
                "FrameLayout",
                (0, 0, right, bottom),
                element("Button", (300, 800, 900, 950), text="Deny", clickable=True),
            )
        )
    )
    state["device_context"] = {"screen_bounds": {"width": width, "height": height}}
    return json.dumps(state)


def test_a_portal_that_filtered_before_a_turn() -> None:
    whole = load_tree(turned_portal(2688, 1216, 2688, 1216))
    assert not whole.partial and not whole.notes
    stale = load_tree(turned_portal(1216, 2688, 2688, 1216))
    assert stale.partial and "turned" in stale.notes[0]
    screen = TreeScreen(stale)
    assert not list(screen.rows("Fits"))
    # what lay beyond the old edge was left out: it may take the touch
    assert screen.target("tap", {"x": 2000, "y": 900})["covered"] is True
    assert screen.target("tap", {"x": 400, "y": 900})["covered"] is True


# ---------------------------------------------------------------- numbers


def test_the_other_reading_has_the_same_numbers() -> None:
    first = load_dump(xml(page(GROUP, PAY)))
    second = load_dump(xml(page(GROUP, (0, 0, 0, 0))), after=first)
    third = load_dump(xml(page(GROUP, (0, 0, 0, 0))), after=second)
    assert [node.node for node in second.nodes] == [1, 2, 3] == [node.node for node in third.nodes]
    for tree in (second, third):
        assert tree.other is not None
        assert [node.node for node in tree.other.nodes if node.text != "Pay now"] == [1, 2, 3]
    (one,), (other,) = second.doubtful, third.doubtful
    assert {one.node, other.node}.isdisjoint({1, 2, 3, 4}) and one.node != other.node
    assert third.highest == other.node


@pytest.mark.parametrize("pay", [PAY, *(box for box, _ in WRONG.values())])
def test_a_tree_that_is_tracked_is_the_same(pay) -> None:
    first = load_dump(xml(page(GROUP, PAY)))
    again, built = (
        track(first, load_dump(xml(page(GROUP, pay)))),
        load_dump(xml(page(GROUP, pay)), after=first),
    )
    assert dataclasses.replace(again, name="") == dataclasses.replace(built, name="")


@SOURCES
@pytest.mark.parametrize("turned", ["left", "right"])
def test_boxes_of_before_a_turn_may_be_anywhere(source, turned) -> None:
    """A quarter of the node is outside of its parent, and turned back it would lie inside, with all in it."""

    def old(box):
        left, top, right, bottom = box
        if turned == "left":
            return top, 1080 - right, bottom, 1080 - left
        return 1920 - bottom, left, 1920 - top, right

    bar, card, label = (0, 180, 1080, 420), (32, 200, 1048, 400), (60, 220, 800, 380)

    def shown(box, inside):
        text = element("TextView", inside, text="Pay now")
        return element(
            "FrameLayout", SCREEN, element("View", bar, element("View", box, text, clickable=True))
        )

    assert load_tree(source(shown(card, label))).other is None
    tree = load_tree(source(shown(old(card), old(label))))
    assert tree.other is not None
    assert [node.box for node in tree.other.nodes] == [SCREEN, bar, SCREEN, SCREEN]
    screen = TreeScreen(tree)
    assert [row["node"] for row in screen.rows("Fits")] == []
    assert list(screen.rows("Whole")) == []


@SOURCES
def test_what_reaches_out_a_little_was_not_turned(source) -> None:
    badge = element("View", (939, 119, 1065, 207), text="3", clickable=True)
    bar = element("View", (137, 128, 1080, 1900), badge)
    away = element("View", (1000, 300, 1500, 400), text="Next", clickable=True)
    for node in (bar, element("View", (0, 0, 1080, 1900), away)):
        tree = load_tree(source(element("FrameLayout", SCREEN, node)))
        assert (tree.other or tree).nodes[-1].box != SCREEN
