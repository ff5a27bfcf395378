"""UI trees as JSON: the shapes of frameworks and portals, what they leave open, and text that is made to do harm."""

import dataclasses
import gzip
import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from vsalang.program.vocabulary import VOCABULARY
from vsalang.screen.screen import TreeScreen
from vsalang.screen.tree import DumpError, Tree, load_dump, load_tree, read_dump, read_tree, track

# ---------------------------------------------------------------------- the same screen in every shape

DUMP = """<hierarchy rotation="0">
<node class="android.widget.FrameLayout" package="com.app" bounds="[0,0][1080,2400]" enabled="true" clickable="false"
 scrollable="false" long-clickable="false" checkable="false" checked="false" focused="false" selected="false"
 password="false" text="" resource-id="" content-desc="">
 <node class="android.widget.TextView" package="com.app" text="Welcome" resource-id="com.app:id/title" content-desc=""
  bounds="[32,80][500,160]" enabled="true" clickable="false" scrollable="false" long-clickable="false"
  checkable="false" checked="false" focused="false" selected="false" password="false"/>
 <node class="android.widget.Switch" package="com.app" text="" resource-id="" content-desc="Wi-Fi"
  bounds="[900,220][1040,280]" enabled="true" clickable="true" scrollable="false" long-clickable="false"
  checkable="true" checked="true" focused="false" selected="false" password="false"/>
 <node class="android.widget.EditText" package="com.app" text="secret" resource-id="com.app:id/pin" content-desc=""
  bounds="[0,300][1080,400]" enabled="true" clickable="true" scrollable="false" long-clickable="true"
  checkable="false" checked="false" focused="true" selected="false" password="true"/>
</node></hierarchy>"""

FLAGS = ("clickable", "enabled", "scrollable", "checkable", "checked", "focused", "selected", "password")


def edges(element: Any) -> list[int]:
    first, second = element.get("bounds")[1:-1].split("][")
    return [int(n) for n in (*first.split(","), *second.split(","))]


def has(element: Any, name: str) -> bool | None:
    return {"true": True, "false": False}.get(element.get(name))


def as_forest(root: Any, *, snake: bool = True, defaults: bool = True) -> dict[str, Any]:
    """What `forest_to_...` gets: protocol buffers as `MessageToDict` writes them, with either kind of names."""

    def named(name: str) -> str:
        head, *rest = name.split("_")
        return name if snake else head + "".join(part.title() for part in rest)

    def box(element: Any) -> dict[str, int]:
        made = dict(zip(("left", "top", "right", "bottom"), edges(element), strict=True))
        return made if defaults else {key: value for key, value in made.items() if value}

    windows = []
    for number, top in enumerate(root):
        nodes, ids = [], {}
        for at, element in enumerate(top.iter("node")):
            ids[element] = at
        for element, at in ids.items():
            node: dict[str, Any] = {"unique_id": at, "bounds_in_screen": box(element)}
            node["child_ids"] = [ids[kid] for kid in element]
            node["is_visible_to_user"] = element.get("visible-to-user") != "false"
            for name in FLAGS:
                if has(element, name) is not None:
                    node[f"is_{name}"] = has(element, name)
            if has(element, "long-clickable") is not None:
                node["is_long_clickable"] = has(element, "long-clickable")
            for attr, name in (
                *(
                    ("class", "class_name"),
                    ("package", "package_name"),
                    ("text", "text"),
                    ("hint", "hint_text"),
                ),
                *(("content-desc", "content_description"), ("resource-id", "view_id_resource_name")),
            ):
                if element.get(attr) is not None:
                    node[name] = element.get(attr)
            if not defaults:  # what is not said is false then
                node["is_editable"] = element.get("class", "").endswith("EditText")
            if element.get("drawing-order"):
                node["drawing_order"] = int(element.get("drawing-order"))
            if not defaults:
                node = {key: value for key, value in node.items() if value}
            nodes.append({named(key): value for key, value in node.items()})
        windows.append(
            {named("window_type"): "TYPE_APPLICATION", "layer": 9 - number, "tree": {"nodes": nodes}}
        )
    return {"windows": windows}


def as_portal(root: Any) -> dict[str, Any]:
    """`state_full` of mobilerun's portal: the tree of the active window."""

    def node(element: Any) -> dict[str, Any]:
        made: dict[str, Any] = {
            "resourceId": element.get("resource-id") or "",
            "className": element.get("class") or "",
            "packageName": element.get("package") or "",
            "text": element.get("text") or "",
            "contentDescription": element.get("content-desc") or "",
            "hint": element.get("hint") or "",
            "boundsInScreen": dict(zip(("left", "top", "right", "bottom"), edges(element), strict=True)),
            "boundsInParent": {"left": 0, "top": 0, "right": 1, "bottom": 1},
            "isVisibleToUser": element.get("visible-to-user") != "false",
            "isLongClickable": has(element, "long-clickable"),
            "actionList": [{"id": 16, "label": "", "name": "CLICK"}],
            "childCount": len(element),
        }
        made |= {f"is{name.title()}": has(element, name) for name in FLAGS}
        if element.get("drawing-order"):
            made["drawingOrder"] = int(element.get("drawing-order"))
        made["children"] = [node(kid) for kid in element]
        return made

    (top,) = root
    state = {"currentApp": "App", "packageName": "com.app", "activityName": ".Main", "keyboardVisible": False}
    return {"a11y_tree": node(top), "phone_state": state, "device_context": {}}


def as_views(root: Any) -> list[dict[str, Any]]:
    """A view list of DroidBot."""
    (top,) = root
    places = {element: at for at, element in enumerate(top.iter("node"))}
    views = []
    for element, at in places.items():
        left, upper, right, lower = edges(element)
        view: dict[str, Any] = {
            "temp_id": at,
            "parent": places.get(element.getparent(), -1),
            "children": [places[kid] for kid in element],
            "bounds": [[left, upper], [right, lower]],
            "class": element.get("class"),
            "package": element.get("package"),
            "text": element.get("text") or None,
            "content_description": element.get("content-desc") or None,
            "resource_id": element.get("resource-id") or None,
            "visible": element.get("visible-to-user") != "false",
            "is_password": has(element, "password"),
            "long_clickable": has(element, "long-clickable"),
        }
        view |= {name: has(element, name) for name in FLAGS if name != "password"}
        views.append(view)
    return views


def facts(tree: Tree, *without: str) -> list[dict[str, Any]]:
    """All that is said of the nodes; places of sources do not count what they leave out in the same way."""
    return [
        {name: value for name, value in cells.items() if name not in without}
        for cells in TreeScreen(tree).rows("Node")
    ]


@pytest.mark.parametrize("snake", [True, False])
@pytest.mark.parametrize("defaults", [True, False])
def test_a_forest_says_what_the_dump_says(snake: bool, defaults: bool) -> None:
    made = as_forest(etree.fromstring(DUMP), snake=snake, defaults=defaults)
    tree = load_tree(json.dumps(made))
    assert facts(tree) == facts(load_dump(DUMP))
    assert not tree.partial
    assert tree.windows[0].kind == "application"
    assert load_tree(made).nodes == tree.nodes  # the value itself, too


@pytest.mark.parametrize("wrap", ["plain", "status", "result", "text", "row", "tree alone", "list", "bytes"])
def test_a_portal_says_what_the_dump_says(wrap: str) -> None:
    state = as_portal(etree.fromstring(DUMP))
    data: Any = json.dumps(state)
    if wrap == "status":
        data = json.dumps({"status": "success", "data": json.dumps(state)})
    elif wrap == "result":
        data = json.dumps({"status": "success", "result": state})
    elif wrap == "text":
        data = state | {"a11y_tree": json.dumps(state["a11y_tree"])}
    elif wrap == "row":
        data = f"Row: 0 result={json.dumps({'status': 'success', 'data': json.dumps(state)})}\n"
    elif wrap == "tree alone":
        data = state["a11y_tree"]
    elif wrap == "list":
        data = [state["a11y_tree"]]
    elif wrap == "bytes":
        data = json.dumps(state).encode("utf-16")
    tree = load_tree(data)
    assert facts(tree) == facts(load_dump(DUMP))
    assert not tree.partial
    assert tree.app == (None if wrap in ("tree alone", "list") else ("com.app", ".Main"))
    assert TreeScreen(tree).app == tree.app and TreeScreen(tree, app=("x", None)).app == ("x", None)


def test_a_view_list_says_what_the_dump_says() -> None:
    views = as_views(etree.fromstring(DUMP))
    assert facts(load_tree(views)) == facts(load_dump(DUMP))
    state = {"views": views, "foreground_activity": "com.app/.Main", "tag": "t"}
    assert load_tree(json.dumps(state)).app == ("com.app", ".Main")


@pytest.mark.slow
def test_all_real_dumps_say_the_same_as_json(shared_data) -> None:
    seen = 0
    for path in sorted((shared_data / "ui_dumps").glob("*.xml*")):
        wanted = read_dump(path)
        raw = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        if not raw.startswith(b"<"):
            continue
        try:
            root = etree.fromstring(raw)
        except etree.XMLSyntaxError:
            continue
        if root.tag != "hierarchy" or any(e.tag != "node" for e in root.iter() if e is not root):
            continue
        # `index` is in dumps only; without a class nothing says whether a node can be edited
        assert facts(load_tree(as_forest(root)), "index") == facts(wanted, "index"), path.name
        if len(root) == 1:
            assert facts(load_tree(as_portal(root)), "index", "length") == facts(wanted, "index", "length"), (
                path.name
            )
            if not any(e.get("drawing-order") or e.get("hint") for e in root.iter()):
                views = load_tree(as_views(root))
                assert facts(views, "index", "length") == facts(wanted, "index", "length"), path.name
        seen += 1
    assert seen > 200


# ---------------------------------------------------------------------- AndroidWorld


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


# ---------------------------------------------------------------------- what sources leave open


def test_the_layer_says_which_window_is_above() -> None:
    node = {"bounds_in_screen": {"right": 90, "bottom": 90}, "is_visible_to_user": True, "is_clickable": True}
    windows = [
        {"layer": 1, "title": "App", "tree": {"nodes": [node | {"text": "app"}]}},
        {"layer": 2, "title": "Dialog", "is_focused": True, "tree": {"nodes": [node | {"text": "dialog"}]}},
        {
            "layer": 3,
            "display_id": 1,
            "title": "elsewhere",
            "tree": {"nodes": [node | {"text": "elsewhere"}]},
        },
    ]
    tree = load_tree({"windows": windows})
    assert [(w.window, w.title, w.focused) for w in tree.windows] == [(1, "Dialog", True), (2, "App", False)]
    assert TreeScreen(tree).target("tap", {"x": 5, "y": 5})["label"] == "dialog"
    assert any("other displays" in note for note in tree.notes)


def test_a_window_without_nodes_may_take_any_touch() -> None:
    app = {
        "layer": 1,
        "bounds_in_screen": {"right": 90, "bottom": 90},
        "tree": {"nodes": [{"bounds_in_screen": {"right": 90, "bottom": 90}, "is_visible_to_user": True,
                            "is_clickable": True, "text": "Pay", "is_checked": False}]},
    }  # fmt: skip
    over = {
        "layer": 2,
        "window_type": "TYPE_INPUT_METHOD",
        "bounds_in_screen": {"top": 50, "right": 90, "bottom": 90},
    }
    screen = TreeScreen(load_tree({"windows": [app, over]}))
    assert screen.partial
    above = screen.target("tap", {"x": 5, "y": 5})
    assert (above["label"], above["covered"]) == ("Pay", False)
    assert screen.target("tap", {"x": 5, "y": 60})["covered"] is True


def test_a_portals_list_tells_neither_text_nor_touches() -> None:
    items = [
        {"index": 1, "resourceId": "a:id/root", "className": "FrameLayout", "text": "root", "bounds": "0, 0, 900, 900",
         "children": [
             {"index": 2, "resourceId": "", "className": "TextView", "text": "TextView", "bounds": "0, 0, 9, 9",
              "children": []},
             {"index": 3, "resourceId": "", "className": "Button", "text": "Pay", "bounds": "10, 0, 90, 90",
              "children": []},
         ]},
    ]  # fmt: skip
    for data in (items, {"a11y_tree": items, "phone_state": {"keyboardVisible": False, "packageName": "a"}}):
        tree = load_tree(data)
        assert tree.partial
        assert [(n.cls, n.text, n.label, n.clickable) for n in tree.nodes[1:]] == [
            ("FrameLayout", None, "Pay", None),
            ("TextView", None, None, None),
            ("Button", None, "Pay", None),
        ]
        hit = TreeScreen(tree).target("tap", {"x": 50, "y": 50})
        assert (hit["label"], hit["covered"]) == ("Pay", True)


def test_a_keyboard_that_shows_somewhere_covers_the_lower_half() -> None:
    state = as_portal(etree.fromstring(DUMP))
    state["phone_state"]["keyboardVisible"] = True
    bottom = {"isClickable": True, "boundsInScreen": {"left": 0, "top": 2200, "right": 1080, "bottom": 2300}}
    state["a11y_tree"]["children"].append(state["a11y_tree"]["children"][0] | bottom | {"text": "Pay"})
    tree = load_tree(state)
    assert tree.partial and tree.windows[0].kind == "input method"
    screen = TreeScreen(tree)
    assert screen.target("tap", {"x": 970, "y": 250})["covered"] is False
    assert screen.target("tap", {"x": 500, "y": 2250})["covered"] is True
    assert (
        screen.target("tap", {"text": "Pay"})["label"] == "Pay"
    )  # what it would hit, if it is not the keyboard


def test_missing_is_not_false() -> None:
    tree = load_tree(
        {"className": "a.View", "boundsInScreen": {"left": 0, "top": 0, "right": 9, "bottom": 9}}
    )
    assert {tree.nodes[0].clickable, tree.nodes[0].scrollable, tree.nodes[0].enabled} == {None}
    explicit = {"bounds_in_screen": {"right": 9, "bottom": 9}, "is_checked": False}
    assert load_tree({"nodes": [explicit]}).nodes[0].clickable is None
    assert (
        load_tree({"nodes": [explicit | {"is_checked": True, "is_visible_to_user": True}]}).nodes[0].clickable
        is False
    )


def test_llamatouch(shared_data) -> None:
    folder = shared_data / "trajectories"
    dump = read_dump(folder / "llamatouch_trace_68" / "xml_0.xml.gz")
    views = read_tree(folder / "llamatouch_trace_68" / "vh_0.vh.gz")
    assert len(views.nodes) > 100 and not views.partial
    said = {n.desc for n in dump.nodes if n.desc}
    assert len(said & {n.desc for n in views.nodes}) > len(said) // 2
    for path in sorted((folder / "llamatouch_eval").glob("*.gz")):
        tree = read_tree(path)
        assert tree.partial and len(tree.nodes) > 10
    with pytest.raises(DumpError, match="no known shape"):
        read_tree(folder / "aitz_example.json.gz")


@pytest.mark.slow
def test_droidbot_states(shared_data) -> None:
    paths = [p for p in (shared_data / "utg").rglob("*") if p.is_file()][:400]
    seen = 0
    for path in paths:
        raw = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        for line in raw.splitlines()[:40]:
            try:
                value = json.loads(line)
            except (ValueError, UnicodeDecodeError):
                continue
            if isinstance(value, dict) and isinstance(value.get("views"), list) and value["views"]:
                tree = load_tree(value, name=path.name)
                assert TreeScreen(tree).rows("Node") is not None
                seen += 1
    if not seen:
        pytest.skip("no states of DroidBot among the data")


NUMBERED = DUMP.replace("<node ", '<node index="3" ')


@pytest.mark.parametrize("made", [as_forest, as_portal, as_views])
def test_only_xml_tells_the_index(made: Any) -> None:
    root = etree.fromstring(NUMBERED)
    assert {node.index for node in load_dump(NUMBERED).nodes} == {3}
    state = made(root)
    for view in state if isinstance(state, list) else []:
        view["index"] = view["temp_id"]  # what counts the views of the whole list is no index
    assert {node.index for node in load_tree(state).nodes} == {None}
    page = (Path(__file__).resolve().parents[3] / "docs" / "reference" / "facts.md").read_text("utf-8")
    assert "`index` is unknown in all of them" in page
    (row,) = [line for line in page.splitlines() if line.startswith("| DroidBot, LlamaTouch |")]
    assert "`index`" in row.rsplit("|", 2)[1]


def test_no_real_view_of_droidbot_has_an_index(shared_data: Path) -> None:
    states = sorted((shared_data / "utg").glob("*/states.jsonl.gz"))
    views = [
        view
        for path in states
        for line in gzip.decompress(path.read_bytes()).splitlines()[:5]
        for view in json.loads(line)["views"]
    ]
    assert views and not any("index" in view for view in views)


# ---------------------------------------------------------------------- from look to look


def test_numbers_are_kept_over_json_and_xml_alike() -> None:
    root = etree.fromstring(DUMP)
    first = load_tree(as_forest(root))
    more = as_forest(root)
    more["windows"][0]["tree"]["nodes"][1]["text"] = "Hello"
    second = load_tree(more, after=first)
    assert second.nodes[2] is first.nodes[2] and second.nodes[1].text == "Hello"
    third = load_dump(DUMP, after=second)
    assert [n.node for n in third.nodes] == [n.node for n in second.nodes]
    assert track(second, load_dump(DUMP)).nodes == third.nodes


# ---------------------------------------------------------------------- harm

BOX = '{"bounds_in_screen":{"right":9,"bottom":9}'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        ("[", "broken JSON"),
        ('{"windows": [', "broken JSON"),
        ('[{"bbox_pixels": NaN}]', "NaN is no number of JSON"),
        ('[{"bbox_pixels": {"x_min": 1e999, "x_max": 1, "y_min": 0, "y_max": 1}}]', "must be a number"),
        ('{"a11y_tree": 1, "a11y_tree": 2}', "`a11y_tree` is given twice"),
        ('{"windows": [{"tree": {"nodes": [' + BOX + ', "text": "a\\u0000b"}]}}]}', "NUL character"),
        ('{"windows": [{"tree": {"nodes": [' + BOX + ', "text": "\\ud800"}]}}]}', "lone surrogate"),
        (
            '{"windows": [{"tree": {"nodes": [' + BOX + ', "text": 5}]}}]}',
            r"windows\[0\].tree.nodes\[0\].text is a number",
        ),
        (
            '{"windows": [{"tree": {"nodes": [' + BOX + ', "is_clickable": "yes"}]}}]}',
            "must be true or false",
        ),
        ('{"windows": 3}', "must be a list"),
        ('{"windows": [3]}', r"windows\[0\] is a number, but must be an object"),
        ('{"nodes": [{"unique_id": 1, "child_ids": [1]}]}', "in a circle"),
        ('{"nodes": [{"child_ids": [1]}, {"unique_id": 1}, {"unique_id": 1}]}', "another node"),
        (
            '{"nodes": [{"child_ids": [2, 1]}, {"unique_id": 1, "child_ids": [2]}, {"unique_id": 2}]}',
            "hangs in two",
        ),
        ('[{"temp_id": 0, "bounds": [[0,0],[9,9]], "children": [1], "parent": -1}]', "not there"),
        ('[{"temp_id": 0, "bounds": [[0,0],[9,9]], "children": [0], "parent": -1}]', "in a circle"),
        ('[{"temp_id": 0, "bounds": [[0,0],[9]], "children": [], "parent": -1}]', "unreadable bounds"),
        ('[{"temp_id": 0, "bounds": [[0,0],[9,99999999999]], "children": [], "parent": -1}]', "too large"),
        ('{"className": "x"}', "no bounds"),
        ('{"className": "x", "boundsInScreen": {"x": 1}}', "must have left"),
        ('[{"bbox_pixels": {"x_min": 1, "x_max": 2, "y_min": 3}}]', "no y_max"),
        ('[{"bbox": {"x_min": 0.1, "x_max": 0.2, "y_min": 0.3, "y_max": 1}}]', "bounds in pixels"),
        ('{"status": "error", "error": "Accessibility service not available"}', "service not available"),
        ('{"a": 1}', "no known shape"),
        ("{}", "no known shape"),
        ("[1]", "no UI tree"),
        ("12345", "no <hierarchy>"),
        ('"text"', "no <hierarchy>"),
        ('{"data": "' + "[" * 900 + '"}', "no known shape"),
        ("[" * 100_000, "too deep|broken"),
        ('{"a":' * 100_000, "too deep|broken"),
        ('{"x": ' + "9" * 5000 + "}", "broken JSON"),
    ],
)
def test_what_is_refused(text: str, message: str) -> None:
    with pytest.raises(DumpError, match=message):
        load_tree(text)


def deep(levels: int) -> dict[str, Any]:
    made: dict[str, Any] = {
        "className": "x",
        "boundsInScreen": {"left": 0, "top": 0, "right": 9, "bottom": 9},
    }
    for _ in range(levels - 1):
        made = {**made, "children": [made]}
    return made


def test_depth_and_size_have_limits() -> None:
    assert len(load_tree(deep(200)).nodes) == 200
    with pytest.raises(DumpError, match="deeper than 200"):
        load_tree(deep(201))
    with pytest.raises(DumpError, match="nested too deeply"):
        load_tree(deep(5000))
    many = [{"text": "x", "bbox_pixels": {"x_min": 0, "x_max": 1, "y_min": 0, "y_max": 1}}] * 20_001
    with pytest.raises(DumpError, match="20000 nodes"):
        load_tree(many)
    with pytest.raises(DumpError, match="8 MiB"):
        load_tree("[" + " " * (8 * 1024 * 1024) + "]")
    for data in (object(), 5, print, {"windows": {1, 2}}, [object()]):
        with pytest.raises(DumpError):
            load_tree(data)


@pytest.mark.slow
def test_a_large_list_is_read() -> None:
    nodes = [
        {"unique_id": n, "text": f"t{n}", "is_visible_to_user": True, "child_ids": [n + 1] if n % 150 else [],
         "bounds_in_screen": {"right": 9, "bottom": 9}}
        for n in range(1, 15_000)
    ]  # fmt: skip
    tree = load_tree(
        {"nodes": [{"child_ids": list(range(1, 15_000, 150)), "bounds_in_screen": {"right": 9}}, *nodes]}
    )
    assert tree.total == 15_000


WORDS = st.text(st.sampled_from("ab \u200b\u200e\u202e\u2066\u05d0\u0627\u0301\ufeff\ue001é"), max_size=8)


@given(WORDS, WORDS)
def test_texts_are_canonical_as_those_of_dumps(text: str, desc: str) -> None:
    tree = load_tree({"nodes": [{"text": text, "content_description": desc, "is_visible_to_user": True,
                                 "bounds_in_screen": {"right": 9, "bottom": 9}}]})  # fmt: skip
    other = etree.Element("node", text=text, bounds="[0,0][9,9]", **{"content-desc": desc})
    dump = load_dump(f"<hierarchy>{etree.tostring(other, encoding='unicode')}</hierarchy>")
    assert (tree.nodes[0].text, tree.nodes[0].desc) == (dump.nodes[0].text, dump.nodes[0].desc)
    assert tree.nodes[0].label == dump.nodes[0].label


JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "windows",
                    "tree",
                    "nodes",
                    "a11y_tree",
                    "phone_state",
                    "children",
                    "bounds",
                    "boundsInScreen",
                    "text",
                    "className",
                    "unique_id",
                    "child_ids",
                    "bbox_pixels",
                    "x_min",
                    "views",
                    "temp_id",
                    "parent",
                    "left",
                    "status",
                    "data",
                    "result",
                    "layer",
                    "window_type",
                    "is_clickable",
                    "isVisibleToUser",
                    "display_id",
                ]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(JUNK)
def test_no_value_whatsoever_raises_anything_but_dump_errors(value: Any) -> None:
    try:
        tree = load_tree(value)
    except DumpError as error:
        assert error.message
    else:
        TreeScreen(tree).rows("Part")


@given(st.text(max_size=200) | st.binary(max_size=200))
def test_no_text_whatsoever_raises_anything_but_dump_errors(data: str | bytes) -> None:
    begin = b"{" if isinstance(data, bytes) else "{"
    for each in (data, begin + data):
        try:
            load_tree(each)
        except DumpError as error:
            assert error.message


ERROR = '{"error": "Missing Data", "message": "a11y_tree not found in combined state data"}'


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (ERROR, "Missing Data: a11y_tree not found in combined state data"),
        (f'{{"status": "success", "result": {json.dumps(ERROR)}}}', "Missing Data: a11y_tree not found"),
        ('{"status": "error", "error": "Accessibility service not available"}', "service not available"),
        ('{"status": "error", "message": "No active window"}', "No active window"),
        ('{"success": false}', "no success"),
        ('{"a11y_tree": {"error": "No tree"}, "phone_state": {"packageName": "com.a"}}', "No tree"),
        (json.dumps({"a11y_tree": ERROR, "phone_state": {}}), "Missing Data"),
    ],
)
def test_an_error_in_place_of_a_tree_is_said(text: str, said: str) -> None:
    with pytest.raises(DumpError, match=f"d.json: holds no tree but an error: .*{said}.*ask the device"):
        load_tree(text, name="d.json")


def test_a_portal_without_elements_or_state_says_so() -> None:
    tree = load_tree('{"a11y_tree": [], "phone_state": {"error": "no window"}}')
    assert tree.partial and "holds no element" in tree.notes
    assert any("which app is in front is not known" in note and "no window" in note for note in tree.notes)
