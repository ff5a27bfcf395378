"""The elements of AndroidWorld as UI trees: objects, JSON, its state, and protocol buffers."""

import dataclasses
import json
from types import SimpleNamespace
from typing import Any

import pytest

from vsalang.program.vocabulary import VOCABULARY
from vsalang.screen.screen import TreeScreen
from vsalang.screen.tree import load_tree


@dataclasses.dataclass
class BoundingBox:
    x_min: float
    x_max: float
    y_min: float
    y_max: float


@dataclasses.dataclass
class UIElement:
    """The published fields of AndroidWorld's class of that name."""

    text: str | None = None
    content_description: str | None = None
    class_name: str | None = None
    bbox: BoundingBox | None = None
    bbox_pixels: BoundingBox | None = None
    hint_text: str | None = None
    is_checked: bool | None = None
    is_checkable: bool | None = None
    is_clickable: bool | None = None
    is_editable: bool | None = None
    is_enabled: bool | None = None
    is_focused: bool | None = None
    is_focusable: bool | None = None
    is_long_clickable: bool | None = None
    is_scrollable: bool | None = None
    is_selected: bool | None = None
    is_visible: bool | None = None
    package_name: str | None = None
    resource_name: str | None = None
    tooltip: str | None = None
    resource_id: str | None = None


def element(x: int, y: int, x2: int, y2: int, **fields: Any) -> UIElement:
    share = BoundingBox(x / 1080, x2 / 1080, y / 2400, y2 / 2400)
    return UIElement(bbox=share, bbox_pixels=BoundingBox(x, x2, y, y2), package_name="com.app", **fields)


ELEMENTS = [
    element(
        32,
        80,
        500,
        160,
        text="Welcome",
        class_name="android.widget.TextView",
        is_clickable=False,
        is_visible=True,
    ),
    element(0, 200, 1080, 300, content_description="Go", is_clickable=True, resource_name="com.app:id/go"),
    element(0, 300, 1080, 400, text="gone", is_visible=False),
]


@pytest.mark.parametrize("form", ["objects", "json", "state", "tuple"])
def test_androidworlds_elements(form: str) -> None:
    data: Any = ELEMENTS
    if form == "json":
        data = json.dumps([dataclasses.asdict(e) for e in ELEMENTS])
    elif form == "state":
        data = {"ui_elements": [dataclasses.asdict(e) for e in ELEMENTS]}
    elif form == "tuple":
        data = tuple(ELEMENTS)
    tree = load_tree(data)
    screen = TreeScreen(tree)
    assert tree.partial and screen.partial and tree.notes
    assert [(n.parent, n.label, n.clickable) for n in tree.nodes] == [
        (None, None, None),
        (1, "Welcome", False),
        (1, "Go", True),
    ]
    assert (
        tree.windows[0].right == 1080 and tree.windows[0].bottom == 2400
    )  # from bounds as shares of the screen
    assert (tree.nodes[2].id, tree.nodes[2].enabled) == ("go", None)
    assert not screen.rows("Fits") and not screen.rows("Whole") and not screen.rows("Bounds")
    for row in screen.rows("Node"):
        assert set(row) <= {attr.name for attr in VOCABULARY["Node"].attrs}


def test_what_is_around_an_element_may_take_its_touch() -> None:
    screen = TreeScreen(load_tree(ELEMENTS))
    sure = screen.target("tap", {"x": 540, "y": 250})
    assert (sure["label"], sure["covered"]) == ("Go", False)
    text = screen.target("tap", {"x": 100, "y": 100})
    assert (text["covered"], text["leaf"], text["node"], "label" in text) == (True, 2, 1, False)


def test_another_packages_elements_are_a_window() -> None:
    key = dataclasses.replace(
        element(0, 1500, 100, 1600, text="q", is_clickable=True), package_name="com.keys"
    )
    under = element(0, 1400, 1080, 1700, text="Pay", is_clickable=True)
    tree = load_tree([key, *ELEMENTS, under])
    assert [w.package for w in tree.windows] == [None, None] and {n.window for n in tree.nodes} == {1, 2}
    hit = TreeScreen(tree).target("tap", {"x": 50, "y": 1550})
    assert (hit["label"], hit["covered"]) == ("q", True)


def test_nothing_at_all() -> None:
    tree = load_tree([])
    assert tree.partial and not tree.nodes and not tree.windows


def test_protocol_buffers_as_they_are() -> None:
    def message(kinds: dict[str, Any], **values: Any) -> SimpleNamespace:
        fields = [SimpleNamespace(name=name, enum_type=kind) for name, kind in kinds.items()]
        return SimpleNamespace(DESCRIPTOR=SimpleNamespace(fields=fields), **values)

    plain = dict.fromkeys(("left", "top", "right", "bottom"))
    box = message(plain, left=0, top=0, right=90, bottom=90)
    node = message(
        dict.fromkeys(("unique_id", "bounds_in_screen", "text", "is_clickable", "is_visible_to_user", "child_ids")),
        unique_id=0, bounds_in_screen=box, text="Keys", is_clickable=True, is_visible_to_user=True, child_ids=(),
    )  # fmt: skip
    kinds = SimpleNamespace(values_by_number={2: SimpleNamespace(name="TYPE_INPUT_METHOD")})
    window = message(
        {"window_type": kinds, "layer": None, "tree": None, "is_focused": None},
        window_type=2, layer=3, is_focused=False, tree=message({"nodes": None}, nodes=[node]),
    )  # fmt: skip
    tree = load_tree(message({"windows": None}, windows=[window]))
    assert (tree.nodes[0].label, tree.windows[0].kind, tree.windows[0].focused) == (
        "Keys",
        "input method",
        False,
    )
