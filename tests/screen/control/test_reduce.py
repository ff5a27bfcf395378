"""What a reduction keeps, what it joins, and what names it gives: small screens, all trees, and 309 real dumps."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.screen.control.making import listed, node, page, row, screen, text
from tests.thorough import THOROUGH, some, times
from vsalang.screen.control import LEVELS, ReducedTree, controls, reduce
from vsalang.screen.control.relevance import actionable
from vsalang.screen.tree import Tree, load_tree, read_tree

SCREENS = sorted((Path(__file__).parent / "screens").glob("*.xml.gz"))
FLAG = st.sampled_from(["true", "false", "false", "none"])
CLASSES = "View Button TextView EditText CheckBox RadioButton Switch SeekBar Spinner RecyclerView ScrollView"
SAID = st.sampled_from(["", "", "A", "B", "On", "more options", "\u200b", "\ue001", "\ud800x"])


def some_node(kids: st.SearchStrategy[list[str]]) -> st.SearchStrategy[str]:
    def made(
        cls: str, inner: list[str], flags: list[str], box: tuple[int, int, int, int], said: list[str]
    ) -> str:
        names = ("clickable", "long_clickable", "checkable", "scrollable", "selected", "checked")
        attrs = {name: flag for name, flag in zip(names, flags, strict=True) if flag != "none"}
        attrs |= {
            "text": said[0],
            "content_desc": said[1],
            "resource_id": said[2] and f"com.app:id/{said[2]}",
        }
        return node(
            cls, *inner, at=box, **{name: value.replace("\ud800", "") for name, value in attrs.items()}
        )

    edge = st.integers(-2, 12)
    box = st.tuples(edge, edge, edge, edge)
    several = st.lists(SAID, min_size=3, max_size=3)
    return st.builds(
        made, st.sampled_from(CLASSES.split()), kids, st.lists(FLAG, min_size=6, max_size=6), box, several
    )


TREES = st.lists(
    st.recursive(some_node(st.just([])), lambda kids: some_node(st.lists(kids, max_size=4)), max_leaves=12),
    min_size=1,
    max_size=2,
).map(lambda windows: screen(*windows))


def held(reduced: ReducedTree) -> set[int]:
    """The numbers of the nodes that a reduction to units holds."""
    units = [entry.unit for entry in reduced.entries if entry.unit is not None]
    return {part.node.node for unit in units for part in unit.parts}


def assert_whole(tree: Tree) -> None:
    """No visible node that can be acted on is lost, no key is given twice, parents are kept nodes."""
    wanted = {each.node for each in tree.nodes if actionable(each)}
    for level in LEVELS:
        reduced = reduce(tree, level)
        assert len(reduced.by_key) == len(reduced.entries)
        assert {entry.parent for entry in reduced.entries} <= {None, *reduced.by_key}
        kept = {entry.node.node for entry in reduced.entries}
        assert wanted <= (held(reduced) if level == "units" else kept)
    parts = [part.node.node for unit in controls(tree) for part in unit.parts]
    assert len(parts) == len(set(parts))


@settings(max_examples=times(25, 2000))
@given(TREES)
def test_no_control_is_lost_on_any_tree(tree: Tree) -> None:
    assert_whole(tree)


@pytest.mark.parametrize("path", SCREENS, ids=lambda path: path.name)
def test_no_control_is_lost_on_these_screens(path: Path) -> None:
    assert_whole(read_tree(path))


def test_real_screens_shrink_by_two_thirds(shared_data: Path) -> None:
    """All 309 together lose at least 65 %; one in six of them, which are read by default, 63 %."""
    paths = some(sorted((shared_data / "ui_dumps").glob("*.xml.gz")), 6)
    nodes, kept = 0, 0
    for path in paths:
        tree = read_tree(path)
        assert_whole(tree)
        nodes, kept = nodes + tree.total, kept + len(reduce(tree).entries)
    assert len(paths) > 50 and 1 - kept / nodes >= (0.65 if THOROUGH else 0.62)


def test_a_row_with_a_box_is_one_control() -> None:
    box = node(
        "CheckBox", at=(800, 0, 900, 90), checkable="true", checked="true", resource_id="com.app:id/box"
    )
    (unit,) = controls(page(row("Wi-Fi", text("Connected", 40), box)))
    assert (unit.kind, unit.label, unit.value) == ("toggle", "Wi-Fi", "on")
    assert unit.node.id == "box" and unit.taker.cls == "LinearLayout"
    assert [part.role for part in unit.parts] == ["target", "container", "label", "value"]


def test_two_boxes_in_a_row_stay_two() -> None:
    boxes = [node("CheckBox", at=(x, 0, x + 90, 90), checkable="true", text=f"Box {x}") for x in (400, 600)]
    units = controls(page(row("Both", *boxes)))
    assert [(unit.kind, unit.label) for unit in units] == [
        ("link", "Both"),
        ("toggle", "Box 400"),
        ("toggle", "Box 600"),
    ]


def test_a_caption_beside_belongs_to_its_field() -> None:
    field = node(
        "EditText", at=(300, 100, 900, 190), text="Ann", clickable="true", resource_id="com.app:id/name"
    )
    name = node("TextView", at=(0, 100, 280, 190), text="First name")
    reduced = reduce(page(text("Profile"), name, field))
    assert [(entry.text, entry.unit and entry.unit.label) for entry in reduced.entries] == [
        ("Profile", None),
        ("Ann", "First name"),
    ]
    (unit,) = (entry.unit for entry in reduced.entries if entry.unit is not None)
    assert (unit.value, unit.section) == ("Ann", "Profile")


def test_a_button_in_a_row_names_its_row() -> None:
    units = controls(page(text("Files"), listed("a.txt", "b.txt")))
    assert [(unit.label, unit.section) for unit in units if unit.label == "Delete"] == [
        ("Delete", "a.txt"),
        ("Delete", "b.txt"),
    ]
    assert {unit.section for unit in units if unit.kind == "link"} == {"Files"}


def keys(tree: Tree) -> dict[tuple[str | None, str | None], str]:
    return {(unit.label, unit.section): unit.key for unit in controls(tree)}


def test_names_stay_while_a_list_scrolls() -> None:
    before = keys(page(listed("A", "B", "C")))
    after = keys(page(listed("B", "C", "D", top=30)))
    assert before["Delete", "B"] == after["Delete", "B"] and before["C", None] == after["C", None]
    assert after["Delete", "D"] not in before.values()
    assert len({*before.values(), *after.values()}) == 9


def test_names_do_not_hold_what_is_typed_or_checked() -> None:
    def made(typed: str, checked: str, slid: str) -> list[str]:
        field = node("EditText", text=typed, hint="Name", clickable="true", at=(0, 0, 900, 90))
        box = node("CheckBox", text="Agree", checkable="true", checked=checked, at=(0, 100, 900, 190))
        bar = node("SeekBar", text=slid, content_desc="Volume", at=(0, 200, 900, 290))
        return [unit.key for unit in controls(page(field, box, bar))]

    assert made("", "false", "1.0") == made("Ann", "true", "7.0")


def test_twins_are_numbered_and_not_certain() -> None:
    twin = node("Button", text="Add", clickable="true")
    one, other = controls(page(twin, twin))
    assert one.key.endswith("~1") and other.key.endswith("~2") and not (one.certain or other.certain)
    (alone,) = controls(page(twin))
    assert alone.certain and alone.key not in (one.key, other.key)


def test_glyphs_and_repeated_texts_are_no_entries() -> None:
    said = node("FrameLayout", text("Total"), content_desc="Total")
    reduced = reduce(page(said, text("\ue8b8", 100)))
    assert [entry.text for entry in reduced.entries] == ["Total"]


def test_json_of_agents_gives_the_same_controls() -> None:
    def view(cls: str, said: str, at: list[int], **more: object) -> dict[str, object]:
        left, top, right, bottom = at
        return {
            "class_name": f"android.widget.{cls}",
            "text": said,
            "bbox_pixels": {"x_min": left, "y_min": top, "x_max": right, "y_max": bottom},
            "is_clickable": False,
            "is_checkable": False,
            "is_scrollable": False,
            "is_editable": False,
            "is_visible": True,
            "package_name": "com.app",
            **more,
        }

    elements = [
        view("TextView", "Title", [0, 0, 900, 90]),
        view("Button", "Save", [0, 100, 900, 190], is_clickable=True),
        view("EditText", "Ann", [0, 200, 900, 290], is_editable=True, hint_text="Name"),
        view(
            "Switch", "", [0, 300, 900, 390], is_checkable=True, is_checked=True, content_description="Dark"
        ),
    ]
    found = [(unit.kind, unit.label, unit.value) for unit in controls(load_tree(json.dumps(elements)))]
    assert found == [("button", "Save", None), ("field", "Name", "Ann"), ("toggle", "Dark", "on")]
    state = {
        "a11y_tree": [
            {
                "index": 1,
                "resourceId": "com.app:id/save",
                "className": "Button",
                "text": "Save",
                "bounds": "0,0,900,90",
                "children": [],
            }
        ],
        "phone_state": {"currentApp": "App", "packageName": "com.app"},
    }
    (entry,) = reduce(load_tree(json.dumps(state))).entries
    assert entry.unit is not None and entry.unit.why[0] == "may take a touch: the source does not say"
    assert (entry.text, entry.unit.kind, entry.unit.label) == ("Save", "button", "Save")


def test_a_huge_screen_is_reduced_in_time() -> None:
    """Neighbours are looked at once, not once for each node: else these would take minutes."""
    many = node(
        "ListView", *[node("CheckedTextView", checkable="true", clickable="true")] * 2500, scrollable="true"
    )
    reduced = reduce(screen(many))
    assert len(reduced.entries) == 2501 and "only their own words" in reduced.notes[-1]
    assert len(reduced.by_key) == 2501
