"""Maps as JSON, pictures and graphs: read back equal, within the schema, and hostile labels stay labels."""

import json
import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from lxml import etree

from tests.agents.maps import making
from tests.agents.maps.making import edge, screen
from tests.thorough import times
from vsalang.agents.maps import EMPTY, UTG, Edge, Reader, Screen, UTGError, Widget
from vsalang.agents.maps.drawing import dot, svg, text_lines
from vsalang.agents.maps.gestures import atom
from vsalang.agents.maps.jsonform import from_json, to_json
from vsalang.agents.maps.layout import SMALL, laid_out
from vsalang.agents.maps.recording import record
from vsalang.agents.walks import WalkStep
from vsalang.program.action import Action
from vsalang.program.ir import Atom
from vsalang.screen.screen import TreeScreen
from vsalang.screen.tree import load_tree

REFERENCE = Path(__file__).parents[3] / "docs" / "reference"
HOSTILE = 'x"]; evil [label="\\<script>\u202e&</text>\x1b[31m\n' + "y" * 500


def schema() -> Any:
    own, core = (
        json.loads((REFERENCE / f"{name}.schema.json").read_text(encoding="utf-8"))
        for name in ("utg", "core")
    )
    return jsonschema_rs.Draft202012Validator(own, retriever=lambda uri: core)


TEXTS = st.text(max_size=12)
SCREENS = st.builds(
    Screen,
    name=st.sampled_from("ABCD"),
    kind=st.sampled_from(["screen", "unnamed", "state", "static"]),
    app=TEXTS,
    activity=TEXTS,
    widgets=st.lists(st.builds(Widget, TEXTS, TEXTS, st.just(("click",))), max_size=2).map(tuple),
    texts=st.lists(TEXTS, max_size=3).map(tuple),
    seen=st.integers(0, 9),
)


@st.composite
def utgs(draw: Any) -> UTG:
    screens = {each.name: each for each in draw(st.lists(SCREENS, min_size=1, max_size=4))}
    ends = st.sampled_from(sorted(screens))
    tried = draw(st.integers(0, 3))
    made = st.builds(
        Edge,
        source=ends | st.just("*"),
        gesture=st.just(Atom("back")) | TEXTS.map(lambda text: atom("tap", {"label": text})),
        target=ends,
        tried=st.just(tried),
        worked=st.integers(0, tried),
        origin=st.sampled_from(["rule", "journal", "log", "static"]),
        rule=TEXTS,
    )
    edges = {each.key: each for each in draw(st.lists(made, max_size=5))}
    return UTG(screens, tuple(edges.values()))


@settings(max_examples=times(25, 300))
@given(utgs())
def test_what_is_written_is_read_back(utg):
    text = to_json(utg)
    assert from_json(text) == utg
    assert schema().is_valid(json.loads(text))


def test_rules_with_conditions_are_read_back():
    utg = UTG.from_program(making.program())
    assert from_json(to_json(utg)) == utg
    schema().validate(json.loads(to_json(utg)))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda data: data.update(version=2), "version 1 only"),
        (lambda data: data.update(more=1), "more is not a key"),
        (lambda data: data["edges"][0].update(worked=9), "worked more often than it was tried"),
        (lambda data: data["edges"][0].update(target="Q"), "leads to 'Q', and there is no such screen"),
        (lambda data: data["edges"][0].pop("when"), r"edges\[0\].when is missing"),
        (
            lambda data: data["edges"][0]["gesture"].update(node="Lit"),
            r"edges\[0\].gesture.node: expected Atom",
        ),
        (lambda data: data["screens"][0].update(texts=["x" * 81]), "at most 80 characters"),
        (lambda data: data["screens"][0].update(kind="x"), "one of screen, unnamed"),
        (lambda data: data["screens"].append(data["screens"][0]), "two have the same name"),
        (lambda data: data["screens"][0].update(seen=True), "a whole number"),
    ],
)
def test_a_spoilt_document_is_refused(change, message):
    data = json.loads(to_json(UTG({name: screen(name) for name in "AB"}, (edge("A", "B", "a", 2, 1),))))
    change(data)
    with pytest.raises(UTGError, match=message):
        from_json(json.dumps(data))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"format": "vsa-utg",\n "version"', "line 2, column 11: not JSON: expecting ':' delimiter"),
        ('{"format": ' + "[" * 100_000, "nested too deeply"),
        ('{"version": 1' + "0" * 6000 + "}", "a number is too long"),
    ],
    ids=["cut", "deep", "long"],
)
def test_what_is_no_json_is_said_plainly(text: str, message: str):
    with pytest.raises(UTGError, match=message):
        from_json(text)


def hostile() -> UTG:
    screens = {
        HOSTILE[:300]: Screen(HOSTILE[:300], "state", HOSTILE, HOSTILE, texts=(HOSTILE[:80],)),
        "B": screen("B"),
    }
    return UTG(screens, (edge(HOSTILE[:300], "B", atom("tap", {"label": HOSTILE})),))


def test_hostile_labels_stay_labels_in_pictures():
    """They are cut, end no quotation, and hide nothing."""
    root = etree.fromstring(svg(hostile(), HOSTILE).encode())
    assert {etree.QName(each).localname for each in root.iter()} <= {
        *("svg", "defs", "marker", "path", "rect", "text", "title", "g")
    }
    words = "".join(root.itertext())
    assert "\x1b" not in words and "\u202e" not in words
    assert max(map(len, words.splitlines())) < 400


def test_hostile_labels_stay_labels_in_graphs():
    text = dot(hostile())
    assert "\x1b" not in text and "\u202e" not in text
    bare = re.sub(r'"(?:[^"\\]|\\.)*"', '""', text)  # without what is quoted nothing of them is left
    assert "evil" not in bare and "script" not in bare
    assert "\x1b" not in "".join(text_lines(hostile())) and "\x1b" not in to_json(hostile())


@settings(max_examples=times(15, 200))
@given(st.lists(st.text(max_size=500), min_size=4, max_size=4), st.booleans())
@example(["x" * 500] * 4, True)
def test_maps_of_hostile_screens_are_read_back(texts, twice):
    """However long and odd the names and texts of a screen are, what is written of it can be read."""
    label, ident, cls, activity = (text.replace("\x00", "") for text in texts)
    nodes = [
        {
            "class": cls * 20,
            "resource_name": ident * 20,
            "text": label,
            "is_clickable": True,
            "bbox_pixels": box,
        }
        for box in [
            {"x_min": 0, "x_max": 50, "y_min": n * 50, "y_max": n * 50 + 50} for n in range(1 + twice)
        ]
    ]
    look = TreeScreen(load_tree(json.dumps(nodes)), app=("a.b" * 300, activity * 20))
    tap = Action("tap", {"x": 10, "y": 10})
    utg = EMPTY.learn(record([WalkStep(look, (tap,)), WalkStep(look)], Reader(), "x" * 300), "log")
    assert utg.edges and from_json(to_json(utg)) == utg
    schema().validate(json.loads(to_json(utg)))
    etree.fromstring(svg(utg, label).encode())
    assert "\x1b" not in dot(utg)


def chained(count: int) -> UTG:
    """A tree in which each screen leads to two, and back to the first."""
    names = [f"S{n}" for n in range(count)]
    edges = [edge(names[(n - 1) // 2], names[n], f"to{n}", 3, 3) for n in range(1, count)]
    edges += [edge(name, "S0", Atom("back"), 2, 2) for name in names[1:]]
    return UTG({name: screen(name) for name in names}, tuple(edges))


@pytest.mark.parametrize("count", [1, 20, 300])
def test_no_two_screens_stand_in_one_place(count):
    plan = laid_out(chained(count))
    places = [(spot.column, spot.row) for spot in plan.spots.values()]
    assert len({*places}) == count
    for column in {column for column, _ in places}:
        rows = sorted(row for at, row in places if at == column)
        assert all(below - above >= 1 for above, below in pairwise(rows))
    assert plan.columns <= 12 and plan.small is (count <= SMALL)


def test_small_pictures_name_the_gestures():
    small, large = (svg(chained(count), "x") for count in (20, 300))
    assert small.count(">tap to") == 19
    assert ">tap to" not in large and "lines across the page are left out" in large
    assert large.count("<rect") == 301 and large.count(">from S") > 0  # each screen is there


def test_screens_without_a_rule_show_their_text():
    names = {"unnamed:ab": ("", "Sort <by>", "x"), "unnamed:cd": ("W" * 80,), "a:Home": ("Hello",)}
    screens = {
        name: Screen(name, "unnamed" if ":a" in name or ":c" in name else "screen", texts=texts)
        for name, texts in names.items()
    }
    root = etree.fromstring(svg(UTG(screens, ()), "x").encode())
    words = [text.text for text in root.iter("{*}text")]
    assert '"Sort <by>"' in words and f'"{"W" * 23}…"' in words and "Home" in words
    assert not [each for each in words if each and "Hello" in each]


def test_columns_say_how_far_screens_are():
    plan = laid_out(chained(300))
    for name, spot in plan.spots.items():
        above = [(row, column, depth) for column, row, depth in plan.heads if row <= spot.row]
        band = max(row for row, _, _ in above)
        near = [(column, depth) for row, column, depth in above if row == band and column <= spot.column]
        assert max(near)[1] == (int(name[1:]) + 1).bit_length() - 1
