"""Values and trees as JSON data, and back."""

import datetime as dt
import json
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vsalang.program.codec import NoSuchKind, Trees, pack, read, unpack, value_document
from vsalang.program.values import NONE

VALUES = st.one_of(
    st.text(),
    st.booleans(),
    st.integers(),
    st.decimals(allow_nan=False, allow_infinity=False, places=3),
    st.dates(),
    st.times().map(lambda time: time.replace(microsecond=0)),
    st.timedeltas(),
    st.frozensets(st.text()),
    st.just(NONE),
)


@dataclass(frozen=True)
class Leaf:
    name: str
    note: str = ""


@dataclass(frozen=True)
class Branch:
    parts: tuple[Any, ...]
    more: dict[str, Any]


TREES = Trees((Leaf, Branch), lambda kind, field: field == "note")


@given(VALUES)
def test_values_come_back(value: Any) -> None:
    kind, data = json.loads(json.dumps(pack(value)))
    back = unpack(kind, data)
    assert back == value and isinstance(back, Decimal if kind == "number" else type(value))


@given(VALUES)
def test_documents_keep_values(value: Any) -> None:
    assert read(json.loads(json.dumps(value_document(value)))) == value


@given(st.recursive(VALUES | st.none(), lambda inner: st.lists(inner, max_size=4).map(tuple)))
def test_trees_come_back(value: Any) -> None:
    tree = Branch((value, Leaf("a", "left out")), {"key": value})
    back = TREES.decode(json.loads(json.dumps(TREES.encode(tree))))
    assert back == Branch((value, Leaf("a")), {"key": value})


def test_given_makes_the_objects() -> None:
    made = TREES.decode(TREES.encode(Leaf("a")), {Leaf: lambda name: Leaf(name, "put in")})
    assert made == Leaf("a", "put in")


@pytest.mark.parametrize("value", [object(), b"x", 1.5, float("nan"), frozenset({1}), [1], {"a": 1}])
def test_other_things_are_no_values(value: Any) -> None:
    with pytest.raises(ValueError, match="not a value of the language"):
        pack(value)


@pytest.mark.parametrize(
    "data",
    [None, [], {}, {"a": 1, "b": 2}, {"date": 3}, {"seconds": True}, {"moment": "2026-04-01"}, {"set": [1]}],
)
def test_other_data_is_refused(data: Any) -> None:
    with pytest.raises(NoSuchKind):
        read(data)


@pytest.mark.parametrize(
    "data",
    [
        {"date": "tomorrow"},
        {"date": "2026-W14-3"},
        {"date": "20260401"},
        {"number": "many"},
        {"number": "NaN"},
        {"time": "25:00"},
        {"time": "19:00:00+02:00"},
        {"time": "19:00:00Z"},
        {"time": "T19:00:00"},
        {"seconds": 10**30},
    ],
)
def test_wrong_data_of_a_kind_is_refused(data: Any) -> None:
    with pytest.raises((ValueError, ArithmeticError)):
        read(data)


@pytest.mark.parametrize(
    ("kind", "data"),
    [
        ("number", "NaN"),
        ("number", "-Infinity"),
        ("moment", "2026-04-01T19:00:00+02:00"),
        ("date", "2026-W14-3"),
        ("time", "19:00:00+00:00"),
    ],
)
def test_trees_hold_values_of_the_language_only(kind: str, data: str) -> None:
    value = TREES.encode(dt.date(2026, 4, 1))[0]  # the number before a value
    with pytest.raises(ValueError, match=r"not a number of the language|without an offset"):
        TREES.decode([value, kind, data])


def test_a_tree_that_is_nested_too_deeply_is_refused() -> None:
    group = TREES.encode(())[0]
    deep: list[Any] = [group]
    for _ in range(5000):
        deep = [group, deep]
    with pytest.raises(ValueError, match="nested too deeply"):
        TREES.decode(deep)
