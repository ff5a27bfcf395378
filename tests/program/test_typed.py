"""Values of declared types out of JSON data: each has one meaning or none."""

import datetime as dt
import json
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vsalang.program.ir import Member, Type
from vsalang.program.typed import typed
from vsalang.program.values import NONE

ANSWER = Type("enum", members=(Member("Yes"), Member("No")))
TYPES = [Type(kind) for kind in ("Text", "Number", "Bool", "Date", "Time", "Duration")]
TYPES += [ANSWER, Type("set", elem=Type("Text")), Type("set", elem=ANSWER)]


@pytest.mark.parametrize(
    ("data", "kind", "value"),
    [
        (True, "Bool", True),
        (1, "Bool", None),
        (True, "Number", None),
        (Decimal("4.50"), "Number", Decimal("4.5")),
        ({"number": "4.50"}, "Number", Decimal("4.5")),
        ({"number": "4.00"}, "Number", 4),
        ({"number": "NaN"}, "Number", None),
        ({"number": "9" * 200}, "Number", None),
        ({"number": 4}, "Number", None),
        ({"number": "4"}, "Text", None),
        ({"none": True}, "Date", NONE),
        ({"none": 1}, "Date", None),
        ({"none": True, "more": 1}, "Date", None),
        ("2026-04-01", "Date", dt.date(2026, 4, 1)),
        ("2026-W14-3", "Date", None),
        ("2026-02-30", "Date", None),
        ("19:05", "Time", dt.time(19, 5)),
        ("19:05:09", "Time", dt.time(19, 5, 9)),
        ("19", "Time", None),
        ("25:00", "Time", None),
        ("-90min", "Duration", dt.timedelta(minutes=-90)),
        ("999999999d", "Duration", dt.timedelta(days=999999999)),
        ("1.5h", "Duration", dt.timedelta(hours=1.5)),
        ("0.6s", "Duration", dt.timedelta(seconds=0.6)),
        ("0.0000001s", "Duration", None),
        ("it\u2019s", "Text", "it's"),
        (3, "Text", None),
        (None, "Text", None),
    ],
)
def test_data_of_one_type(data: object, kind: str, value: object) -> None:
    found = typed(data, Type(kind))
    assert found == value and type(found) is type(value)


def test_members_and_sets() -> None:
    assert typed("Yes", ANSWER) == "Yes"
    assert typed("yes", ANSWER) is None
    assert typed(["Yes", "No", "Yes"], Type("set", elem=ANSWER)) == frozenset({"Yes", "No"})
    assert typed(["Yes", "yes"], Type("set", elem=ANSWER)) is None
    assert typed([["a"]], Type("set", elem=Type("Text"))) is None


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.text()
    | st.decimals(allow_nan=False, allow_infinity=False),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["none", "number", "x"]), inner)
    ),
    max_leaves=6,
)


@given(JSON, st.sampled_from(TYPES))
def test_any_data_is_a_value_or_none(data: object, type_: Type) -> None:
    typed(data, type_)


@given(st.text(), st.sampled_from(TYPES))
def test_texts_of_json_too(text: str, type_: Type) -> None:
    try:
        data = json.loads(text, parse_float=Decimal)
    except (ValueError, ArithmeticError, RecursionError):
        data = text
    typed(data, type_)
