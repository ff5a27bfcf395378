"""What is written of values, proposals and screens is what is read again, types and all."""

import datetime as dt
import json
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vsalang.guard import KnownWorld, Proposal, Settings
from vsalang.guard.journal.file import JournalError
from vsalang.guard.journal.screens_json import read_screen, screen_json
from vsalang.guard.journal.settings_json import read_settings, settings_json
from vsalang.guard.journal.values_json import (
    proposal_json,
    read_proposal,
    read_seen,
    read_value,
    seen_json,
    value_json,
)
from vsalang.guard.world.beliefs import CellWrite, RowDelete
from vsalang.program.action import Action
from vsalang.program.example import Fact
from vsalang.program.values import NONE, normal_number, same
from vsalang.screen.screen import TreeScreen
from vsalang.screen.tree import load_dump

VALUES = st.one_of(
    st.text(),
    st.integers(),
    st.booleans(),
    st.decimals(allow_nan=False, allow_infinity=False, places=3, min_value=-(10**9), max_value=10**9).map(
        normal_number
    ),
    st.dates(),
    st.times().map(lambda time: time.replace(microsecond=0)),
    st.integers(-(10**9), 10**9).map(lambda seconds: dt.timedelta(seconds=seconds)),
    st.frozensets(st.text()),
    st.just(NONE),
)


@given(VALUES)
def test_values(value):
    read = read_value(json.loads(json.dumps(value_json(value))))
    assert same(read, value) and type(read) is type(value)


@pytest.mark.parametrize(
    "data",
    [
        1.5,
        {"date": "2026-13-01"},
        {"number": "x"},
        {"number": "NaN"},
        {"set": [1]},
        {"x": 1},
        {},
        [1],
        {"none": 1},
    ],
)
def test_what_is_no_value(data):
    with pytest.raises(JournalError):
        read_value(data)


@pytest.mark.parametrize("value", [dt.datetime(2026, 1, 1), 1.5, object()])
def test_what_cannot_be_written(value):
    with pytest.raises(JournalError):
        value_json(value)


CELLS = st.dictionaries(st.text(max_size=5), VALUES, max_size=3)
ACTIONS = st.builds(Action, st.text(max_size=5), CELLS)
FACTS = st.builds(
    Fact, st.text(max_size=5), st.dictionaries(st.text(max_size=5), st.none() | VALUES, max_size=3)
)


@given(
    st.builds(
        Proposal,
        st.none() | ACTIONS,
        *(st.lists(items, max_size=2).map(tuple) for items in (ACTIONS, ACTIONS, FACTS, FACTS)),
    )
)
def test_proposals(proposal):
    assert read_proposal(json.loads(json.dumps(proposal_json(proposal)))).key() == proposal.key()


def test_what_was_seen_beside_the_screen():
    seen = KnownWorld(
        (CellWrite("a.R", {"x": Decimal("1.5"), "y": None}, True, 3, "a:1"),),
        (RowDelete("a.R", {"x": 1}),),
        (("a.R", {"x": dt.date(2026, 1, 1)}),),
        frozenset({"a:S"}),
        False,
    )
    assert read_seen(json.loads(json.dumps(seen_json(seen)))) == seen
    assert read_seen(seen_json(None)) is None


def test_settings():
    told = Settings(overrides=None, verdict_life=dt.timedelta(seconds=1.5), unknown_screen="block")
    assert read_settings(json.loads(json.dumps(settings_json(told)))) == told
    with pytest.raises(JournalError, match="no setting x"):
        read_settings({"x": 1})
    with pytest.raises(JournalError, match="overrides is not of type int"):
        read_settings({"overrides": "3"})


DUMP = """<hierarchy rotation="0"><node index="0" text="" resource-id="a:id/list" class="android.widget.ListView"
 package="com.a" clickable="false" scrollable="true" enabled="true" bounds="[0,0][720,1280]"><node index="0"
 text="Tea &lt;b&gt;" resource-id="a:id/row" class="android.widget.Button" package="com.a" clickable="true"
 enabled="true" checked="true" bounds="[0,0][720,100]"/></node></hierarchy>"""


def tree_screen(**more):
    return TreeScreen(load_dump(DUMP, name="d"), app=("com.a", None), settled=True, **more)


def test_trees():
    screen = tree_screen(
        now=dt.datetime(2026, 4, 1, 12, 0, 3),
        toasts=("hello",),
        notifications=[("com.b", None, "text")],
        partial=True,
    )
    shown = screen_json(screen)
    body, look = json.loads(json.dumps([shown.body, shown.look]))
    again = read_screen(shown.form, body, look)
    assert again.fingerprint == screen.fingerprint
    assert again.tree == screen.tree
    assert {name: list(again.rows(name)) for name in again.relations()} == {
        name: list(screen.rows(name)) for name in screen.relations()
    }
    assert again.target("tap", {"text": "Tea <b>"}) == screen.target("tap", {"text": "Tea <b>"})


def test_the_same_picture_has_the_same_name():
    one, other = tree_screen(now=dt.datetime(2026, 4, 1)), tree_screen(now=dt.datetime(2026, 4, 2))
    assert screen_json(one).id == screen_json(other).id
    assert screen_json(one).look != screen_json(other).look


@pytest.mark.parametrize(
    ("name", "value"),
    [("text", 3), ("left", "0"), ("clickable", 1), ("node", True), ("parent", 7), ("color", 1)],
)
def test_a_tree_that_is_none(name, value):
    body = json.loads(json.dumps(screen_json(tree_screen()).body))
    columns = body["nodes"]["columns"]
    if name in columns:
        body["nodes"]["rows"][1][columns.index(name)] = value
    else:
        columns[0] = name
    with pytest.raises(JournalError):
        read_screen("tree", body, {})


def test_screens_of_other_kinds_are_refused():
    with pytest.raises(JournalError, match="cannot be recorded"):
        screen_json(object())
    with pytest.raises(JournalError, match="unknown form"):
        read_screen("photo", {}, {})
