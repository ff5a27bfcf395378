"""Facts of small trees: what shows, what is unknown, labels, and the native relations."""

import datetime as dt
from xml.sax.saxutils import quoteattr

import pytest

from vsalang.program.screen import Screen
from vsalang.program.vocabulary import ANDROID, VOCABULARY
from vsalang.screen.screen import TreeScreen
from vsalang.screen.tree import load_dump
from vsalang.screen.tree.node import ATTRIBUTES


def node(bounds: str, *kids: str, cls: str = "android.view.View", **attrs: str) -> str:
    """A node with the flags that every source gives, unless `attrs` say otherwise."""
    left, top, right, bottom = bounds.split(",")
    flags = dict.fromkeys(
        ("clickable", "long-clickable", "checkable", "checked", "scrollable", "password"), "false"
    )
    values = {"class": cls, "enabled": "true", **flags, "bounds": f"[{left},{top}][{right},{bottom}]"}
    values |= {name.replace("_", "-"): value for name, value in attrs.items()}
    text = " ".join(f"{name}={quoteattr(value)}" for name, value in values.items())
    return f"<node {text}>{''.join(kids)}</node>"


def screen(*windows: str, **more) -> TreeScreen:
    return TreeScreen(load_dump(f"<hierarchy>{''.join(windows)}</hierarchy>"), **more)


def values(made: TreeScreen, relation: str, *names: str) -> list[tuple]:
    return [tuple(row.get(name) for name in names) for row in made.rows(relation)]


def one(*args, **attrs):
    (found,) = screen(node(*args, **attrs)).tree.nodes
    return found


EDIT = "android.widget.EditText"
FORMS = {"Amount", "Closes", "Field", "Form", "Row", "Selected", "Surface", "Role", "Ticked"}


def test_every_row_has_only_attributes_of_the_vocabulary() -> None:
    made = screen(
        node(
            "0,0,100,100",
            node("0,0,50,50", text="A", checkable="true"),
            node("50,0,99,50", cls=EDIT, text="b"),
        ),
        app=("a", "b"),
        now=dt.datetime(2026, 1, 2, 3, 4, 5, 6),
        toasts=["t"],
        notifications=[("p", None, "x")],
        settled=True,
    )
    typed: Screen = made
    assert typed.relations() <= set(VOCABULARY)
    assert tuple(attr.name for attr in ANDROID["Node"].attrs) == ATTRIBUTES
    for relation in made.relations() - {"Scrolled"}:
        assert made.rows(relation) or relation in FORMS, relation  # a page of two nodes has no form
        for row in made.rows(relation):
            assert set(row) <= {attr.name for attr in VOCABULARY[relation].attrs}, relation
            assert None not in row.values() and "" not in row.values()
    assert made.rows("Clock") == ({"now": dt.time(3, 4, 5), "today": dt.date(2026, 1, 2)},)
    assert made.rows("Notification") == ({"package": "p", "text": "x"},)
    assert made.rows("NoSuch") == ()
    assert not {"App", "Clock"} & screen(node("0,0,1,1")).relations()


def test_only_nodes_with_a_visible_part_are_facts() -> None:
    made = screen(
        node(
            "0,0,100,100",
            node(
                "0,100,100,200", node("0,90,100,95", text="below")
            ),  # outside its parent, and so is its child
            node("10,10,10,50"),
            node("50,10,20,50"),
            node("90,90,300,300", node("0,0,95,95", text="cut")),
            node("0,0,9,9", node("1,1,2,2", text="in"), visible_to_user="false"),
        )
    )
    assert values(made, "Node", "node", "parent", "left", "top", "right", "bottom") == [
        (1, None, 0, 0, 100, 100),
        (6, 1, 90, 90, 100, 100),
        (7, 6, 90, 90, 95, 95),
        (9, 1, 1, 1, 2, 2),
    ]
    assert made.tree.total == 9


def test_what_is_left_out_or_empty_is_unknown() -> None:
    found = load_dump(
        '<hierarchy><node bounds="[0,0][9,9]" text="" index="" checked="yes"/></hierarchy>'
    ).nodes[0]
    unknown = set(ATTRIBUTES) - set(found.cells())
    assert set(ATTRIBUTES) - unknown == {"node", "left", "top", "right", "bottom", "window"}


@pytest.mark.parametrize(
    ("attrs", "text", "length"),
    [
        ({"text": "abc"}, "abc", 3),
        ({"text": "Name", "hint": "Name"}, None, 0),
        ({"text": "It\u2019s", "hint": "It's"}, None, 0),
        ({"text": "Anna", "hint": "Name"}, "Anna", 4),
        ({"text": "Name", "showing_hint": "true"}, None, 0),
        ({"text": "s3cret", "password": "true"}, None, 6),
        ({"text": "Password", "hint": "Password", "password": "true"}, None, 0),
        ({"text": "", "password": "true"}, None, 0),
        ({"text": ""}, None, 0),
        ({}, None, None),
        ({"text": "", "cls": "android.widget.TextView"}, None, None),
        ({"text": "x\u00a0y \u2013 \u201cz\u201d\n"}, 'x y - "z"\n', 10),
    ],
)
def test_text_and_length(attrs: dict[str, str], text: str | None, length: int | None) -> None:
    found = one("0,0,9,9", **{"cls": EDIT, **attrs})
    assert (found.text, found.length) == (text, length)
    if "s3cret" in attrs.values():
        assert "s3cret" not in repr(found)


@pytest.mark.parametrize(
    ("resource", "short"),
    [
        ("com.a:id/title", "title"),
        ("android:id/text1", "text1"),
        ("web-id", "web-id"),
        ("a.b:id/", None),
        ("", None),
    ],
)
def test_short_ids(resource: str, short: str | None) -> None:
    assert one("0,0,9,9", resource_id=resource).id == short


@pytest.mark.parametrize(
    ("cls", "short", "editable"),
    [
        ("android.widget.EditText", "EditText", True),
        ("androidx.appcompat.widget.SearchView$SearchAutoComplete", "SearchView$SearchAutoComplete", True),
        ("android.widget.MultiAutoCompleteTextView", "MultiAutoCompleteTextView", True),
        ("android.widget.TextView", "TextView", False),
        ("", None, None),
    ],
)
def test_classes(cls: str, short: str | None, editable: bool | None) -> None:
    found = one("0,0,9,9", cls=cls)
    assert (found.cls, found.editable) == (short, editable)


def labels(*kids: str, **attrs: str) -> str | None:
    return screen(node("0,0,99,99", *kids, **attrs)).tree.nodes[0].label


def test_labels() -> None:
    a, b = node("0,0,9,9", text="A"), node("0,9,9,18", content_desc="B", text="no")
    assert labels(a, b, content_desc="Own", text="no") == "Own"
    assert labels(a, b, text="Own") == "Own"
    assert labels(a, node("0,0,99,99", b, node("0,0,1,1"))) == "A, B"
    assert labels(a, node("9,9,50,50", b, clickable="true")) == "A"
    assert labels(a, node("9,9,50,50", b, long_clickable="true")) == "A"
    assert labels(node("0,0,9,9", text="\ue001"), a) == "A"
    assert labels(a, content_desc="\ue001") == "A"
    assert labels(content_desc="\ue5c4, Home ") == "Home"
    assert labels(node("0,0,9,9", text=" \u200b")) is None
    assert labels(node("0,0,9,9", cls=EDIT, text="secret", password="true", hint="PIN")) == "PIN"
    assert labels(cls=EDIT, text="Search", hint="Search") == "Search"
    assert labels() is None


def test_a_label_that_grows_too_long_stays_unknown() -> None:
    made = screen(
        node("0,0,9,9", node("0,0,9,9", node("0,0,9,9", text="x" * 999), node("0,0,9,9", text="yy")))
    )
    assert [n.label is None for n in made.tree.nodes] == [True, True, False, False]
    assert len(screen(node("0,0,9,9", node("0,0,9,9", text="x" * 1000))).tree.nodes[0].label or "") == 1000


def row(top: int, title: str, *more: str, **attrs: str) -> str:
    return node(f"0,{top},100,{top + 20}", node(f"0,{top},50,{top + 9}", text=title), *more, **attrs)


def test_part_inside_text_in_and_next() -> None:
    icon = node("60,0,70,9", text="\ue001")
    made = screen(
        node("0,0,100,100", row(0, "A", icon), node("5,5,5,9"), row(20, "B")), node("0,0,10,10", text="W")
    )
    assert values(made, "Inside", "of", "node") == [
        *((1, n) for n in (1, 2, 3, 4, 6, 7)),
        *((2, n) for n in (2, 3, 4)),
        *((3, 3), (4, 4), (6, 6), (6, 7), (7, 7), (8, 8)),
    ]
    assert values(made, "Part", "of", "node") == values(made, "Inside", "of", "node")
    assert values(made, "TextIn", "of", "nth", "text", "node") == [
        *((1, 1, "A", 3), (1, 2, "B", 7), (2, 1, "A", 3), (3, 1, "A", 3), (6, 1, "B", 7), (7, 1, "B", 7)),
        (8, 1, "W", 8),
    ]
    assert values(made, "Next", "node", "next") == [(2, 6), (3, 4)]
    assert values(made, "Window", "window", "right") == [(1, 100), (2, 10)]


def test_the_forest_says_what_lies_inside_what() -> None:
    made = screen(node("0,0,100,100", row(0, "A"), row(20, "B", node("60,20,70,30", checkable="true"))))
    assert made.forest is not None
    pairs = {(n, outer) for n in made.forest.parents for outer in made.forest.around(n)}
    assert pairs == {(r["node"], r["of"]) for r in made.rows("Inside")}
    assert {n: list(made.forest.inside(n)) for n in made.forest.parents} == {
        n: [r["node"] for r in made.rows("Inside") if r["of"] == n] for n in made.forest.parents
    }


def test_a_screen_of_too_many_pairs_has_no_forest(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its rows have to be asked for, which is refused."""
    monkeypatch.setattr("vsalang.screen.screen.MAX_ROWS", 2)
    assert screen(node("0,0,100,100", row(0, "A"))).forest is None


def numbers(made: TreeScreen, relation: str) -> list:
    return [r[0] for r in values(made, relation, "node")]


def test_what_fits_is_whole() -> None:
    made = screen(node("0,0,100,100", row(0, "A"), row(20, "B", enabled="false")))
    assert numbers(made, "Fits") == [1, 2, 3, 5]
    assert numbers(made, "Whole") == [2, 3, 4]
    assert values(made, "Bounds", "list", "top", "end") == [(n, True, True) for n in (1, 2, 3, 5)]


def test_what_scrolls_and_what_is_around_does_not_fit() -> None:
    rows = (row(0, "cut above"), row(30, "whole"), row(80, "cut below"))
    made = screen(node("0,0,100,120", node("0,0,100,100", *rows, scrollable="true"), row(100, "button")))
    assert numbers(made, "Fits") == [9, 10]
    # 1 hangs in nothing; 5 and its text touch no edge of the list; 4 and 8 end where their row does
    assert numbers(made, "Whole") == [5, 6, 8, 10]


def test_a_node_that_does_not_say_may_scroll() -> None:
    made = screen(node("0,0,100,100", row(30, "A"), scrollable=""))
    assert numbers(made, "Fits") == numbers(made, "Whole") == []


def test_what_is_cut_off_does_not_fit() -> None:
    made = screen(node("0,0,100,100", node("0,0,100,90", row(80, "A"), row(10, "B"))))
    assert numbers(made, "Fits") == [4, 5, 6]
    assert numbers(made, "Whole") == [6]


def test_a_row_cut_by_scrolling_is_not_whole() -> None:
    card = node("10,80,40,99", node("20,85,30,90", text="A"))
    other = node("50,80,80,99")
    reel = node("0,80,100,99", card, other, scrollable="true", cls="android.widget.HorizontalScrollView")
    assert 3 in numbers(screen(node("0,0,100,200", reel, scrollable="true", cls="a.ListView")), "Whole")
    assert 3 not in numbers(screen(node("0,0,100,99", reel, scrollable="true", cls="a.ListView")), "Whole")


def test_a_partial_capture_vouches_for_nothing() -> None:
    scrolling = node("0,0,100,100", row(30, "A"), row(60, "B"), scrollable="true")
    for tree in (node("0,0,100,100", row(0, "A")), scrolling):
        assert screen(tree).rows("Whole")
        made = screen(tree, partial=True)
        assert not any(made.rows(name) for name in ("Fits", "Whole", "Bounds"))
        assert made.rows("Node")


def box(bounds: str, **attrs: str) -> str:
    return node(bounds, checkable="true", cls="android.widget.CheckBox", **attrs)


@pytest.mark.parametrize(
    ("tree", "said"),
    [
        (box("0,0,9,9", text="Own"), "Own"),
        (box("0,0,9,9", content_desc="Own"), "Own"),
        (node("0,0,9,9", text="Wi-Fi ON", checkable="true", cls="android.widget.Switch"), "Wi-Fi"),
        (box("0,0,9,9", text="ON"), None),
        (node("0,0,9,9", node("0,0,9,9", text="In"), checkable="true"), "In"),
        (node("0,0,9,9", cls=EDIT, text="typed", hint="Name"), "Name"),
        (row(0, "Row", box("60,0,70,9", text="OFF"), clickable="true"), "Row"),
        # two controls in the row: the line decides, the left side first
        (
            node(
                "0,0,100,100",
                node("0,60,40,69", text="left"),
                box("50,60,60,80"),
                node("70,60,99,69", text="right"),
                box("50,0,60,9", text="other"),
                clickable="true",
            ),
            "left",
        ),
        (
            node(
                "0,0,100,100", box("0,0,9,9"), node("20,0,99,5", text="right"), node("20,5,99,9", text="low")
            ),
            "right",
        ),
        # two controls in the row, and nothing on their lines: the row's text may belong to either
        (
            node(
                "0,0,100,100",
                node("0,0,99,9", text="row"),
                box("0,50,9,60"),
                node("0,80,9,90", cls=EDIT, hint="other"),
                clickable="true",
            ),
            None,
        ),
        # the text belongs to the control between
        (node("0,0,100,100", node("0,0,9,9", text="far"), box("20,0,29,9"), box("40,0,49,9")), "far"),
        (node("0,0,100,100", node("0,0,9,9", text="far"), box("20,0,29,9", text="b"), cls=EDIT), "far"),
        (node("0,0,100,100", box("0,0,9,9"), node("0,50,9,60", text="elsewhere")), None),
    ],
)
def test_captions(tree: str, said: str | None) -> None:
    made = screen(tree)
    control = next(n.node for n in made.tree.nodes if n.checkable or n.editable)
    assert dict(values(made, "Caption", "control", "text")).get(control) == said


def test_a_caption_stops_at_another_control() -> None:
    far, near, last = node("0,0,9,9", text="far"), box("20,0,29,9"), box("40,0,49,9")
    made = screen(node("0,0,100,100", far, near, last))
    assert values(made, "Caption", "control", "text") == [(3, "far")]
    assert values(made, "Band", "control", "node") == [(3, 2), (4, 2)]


def test_fingerprints() -> None:
    plain = screen(node("0,0,9,9", text="A"))
    assert (
        plain.fingerprint
        == screen(node("0,0,9,9", text="A"), now=dt.datetime(2026, 1, 1), toasts=["x"]).fingerprint
    )
    others = [
        screen(node("0,0,9,9", text="B")),
        screen(node("0,0,9,8", text="A")),
        screen(node("0,0,9,9", text="A"), app=("a", "b")),
        screen(node("0,0,9,9", text="A", checked="true")),
        screen(node("0,0,9,9"), node("0,0,9,9", text="A")),
    ]
    assert len({plain.fingerprint, *(other.fingerprint for other in others)}) == 6
    hidden = screen(node("0,0,9,9", node("20,20,30,30", text="hidden"), text="A"))
    assert hidden.rows("Node")[0]["text"] == "A" and len(hidden.rows("Node")) == 1
