"""JSON that is not a screen, or a hostile one: it is refused by name, never read as an empty screen."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lxml import etree

from vsalang.screen.screen import TreeScreen
from vsalang.screen.tree import DumpError, load_dump, load_tree

BOX = '{"bounds_in_screen":{"right":9,"bottom":9}'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        ("[", "broken JSON"),
        ('{"windows": [', "broken JSON"),
        ('[{"bbox_pixels": NaN}]', "NaN is not a number of JSON"),
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
        ("[1]", "not a UI tree"),
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
