"""UI trees as JSON: they say what the dump of the same screen says, and leave open what their source leaves open."""

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from lxml import etree

from tests.screen.tree.json_shapes import DUMP, as_forest, as_portal, as_views, facts
from tests.thorough import some, times
from vsalang.screen.screen import TreeScreen
from vsalang.screen.tree import DumpError, load_dump, load_tree, read_dump, read_tree, track


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
    for path in some(sorted((shared_data / "ui_dumps").glob("*.xml*")), 9):
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
    assert seen > times(25, 200)


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
        for line in raw.splitlines()[: times(10, 40)]:
            try:
                value = json.loads(line)
            except (ValueError, UnicodeDecodeError):
                continue
            if isinstance(value, dict) and isinstance(value.get("views"), list) and value["views"]:
                tree = load_tree(value, name=path.name)
                assert TreeScreen(tree).rows("Node")
                seen += 1
    assert seen > times(40, 100)


NUMBERED = DUMP.replace("<node ", '<node index="3" ')


@pytest.mark.parametrize("made", [as_forest, as_portal, as_views])
def test_only_xml_tells_the_index(made: Any) -> None:
    root = etree.fromstring(NUMBERED)
    assert {node.index for node in load_dump(NUMBERED).nodes} == {3}
    state = made(root)
    for view in state if isinstance(state, list) else []:
        view["index"] = view["temp_id"]  # what counts the views of the whole list is not an index
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


def test_droidbot_ids_of_2017() -> None:
    """They were written without a package, and its views had neither a package nor the size of the screen."""
    button = {"temp_id": 1, "parent": 0, "children": [], "class": "android.widget.Button", "text": "OK"}
    root = {
        "temp_id": 0,
        "parent": -1,
        "children": [1],
        "class": "android.widget.FrameLayout",
        "resource_id": None,
    }
    flags = {
        "bounds": [[0, 0], [100, 50]],
        "enabled": True,
        "focused": False,
        "clickable": True,
        "size": "100*50",
    }
    state = {
        "tag": "2017-06-28",
        "state_str": "s",
        "foreground_activity": "com.app/.Main",
        "activity_stack": [],
    }
    for owner in ({}, {"package": "com.app"}):
        views = [root | flags, button | flags | owner | {"resource_id": "id/ok"}]
        tree = load_tree(state | {"views": views})
        assert [node.id for node in tree.nodes] == [None, "ok"]
        assert tree.nodes[1].resource_id == "com.app:id/ok"
    assert (
        load_tree([root | flags | {"children": [], "resource_id": "id/ok"}]).nodes[0].resource_id == "id/ok"
    )
