"""Messages that must not be taken in, and what is said of them; values of every type."""
# ruff: noqa: E501 (a refusal is read best on the line of what is refused)

import contextlib
import datetime as dt
import json
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.agents.reporting.bank import ACCOUNT, BANK, NOTES
from vsalang.agents.reporting import MessageRefused, Service
from vsalang.agents.reporting.changes import Batch, Change, read_changes
from vsalang.agents.reporting.reading import MAX_BYTES, read_object
from vsalang.agents.reporting.schema import AppSchema
from vsalang.program.values import NONE


@pytest.fixture(scope="module")
def schema(rent: Any) -> AppSchema:
    return AppSchema(rent, BANK)


def refusal(schema: AppSchema, update: Any) -> str:
    with pytest.raises(MessageRefused) as refused:
        read_changes(schema, [update])
    return f"{refused.value.code} {refused.value.where}: {refused.value}"


def of(name: str, **values: Any) -> dict[str, Any]:
    return {"name": name, "values": values}


REFUSED = [
    (of("Acount"), "unknown_name updates[0].name: bank declares no state, view or list \"Acount\"; did you mean `Account`?"),
    (of("Note", title="x"), "foreign updates[0].name: \"Note\" is not declared by an app of the package com.example.bank, and an app reports only about itself"),
    (of("notes.Note", title="x"), "foreign updates[0].name: \"notes.Note\" is not declared by an app of the package com.example.bank, and an app reports only about itself"),
    (of("Node", id="x"), "foreign updates[0].name: \"Node\" is not declared by an app of the package com.example.bank, and an app reports only about itself"),
    (of("Rich", iban="x"), "unknown_name updates[0].name: Rich is not a state, view or list: it follows from rules; report what they read"),
    (of("Pay", payee="x"), "unknown_name updates[0].name: Pay is not a state, view or list: it is an action: ask before it, with `before`"),
    (of("Form"), "unknown_name updates[0].name: Form is not a state, view or list: it is a screen: name it in `screens`"),
    (of("Account", balance=1), "incomplete updates[0].values: Account needs iban, which identifies its rows"),
    (of("Account", iban=None), "incomplete updates[0].values: Account needs iban, which identifies its rows"),
    (of("Account", iban="x", ballance=1), "unknown_name updates[0].values: Account has no attribute \"ballance\"; did you mean `balance`?"),
    (of("Account", iban=7), 'wrong_type updates[0].values.iban: iban is a Text, not the number 7; it is written as "Milan"'),
    (of("Account", iban="x", balance="7"), 'wrong_type updates[0].values.balance: balance is a Number, not the text "7"; it is written as 7, or {"number": "4.50"}'),
    (of("Account", iban="x", balance=True), "wrong_type updates[0].values.balance: balance is a Number, not a truth value; it is written as 7, or {\"number\": \"4.50\"}"),
    (of("Account", iban="x", closed=0), "wrong_type updates[0].values.closed: closed is a Bool, not the number 0; it is written as true"),
    (of("Account", iban="x", kind="Giro"), 'wrong_type updates[0].values.kind: kind is a Kind, not the text "Giro"; it is written as one of "Current", "Savings"'),
    (of("Account", iban="x", opened="2021-02-29"), 'wrong_type updates[0].values.opened: opened is a Date, not the text "2021-02-29"; it is written as "2026-04-01"'),
    (of("Account", iban="x", labels=["a", 1]), 'wrong_type updates[0].values.labels: labels is a set of Text, not a list; it is written as a list of texts, ["a", "b"]'),
    (of("Session", since="24:00"), 'wrong_type updates[0].values.since: since is a Time, not the text "24:00"; it is written as "19:05"'),
    (of("Session", limit=5), 'wrong_type updates[0].values.limit: limit is a Duration, not the number 5; it is written as "90min"'),
    (of("Booking", iban="x", at=0), "wrong_type updates[0].values.at: at is a position: 1, 2, 3 and so on"),
    (of("Booking", iban="x", what="y"), "incomplete updates[0].values: Booking needs at, which identifies its rows"),
    (of("Account", iban="a\0b"), 'malformed updates[0].values.iban: the text holds the control character "\\u{0000}"'),
    (of("Account", iban="x" * 10_001), "too_large updates[0].values.iban: a text has at most 10000 characters"),
    ({"name": "Account", "op": "destroy"}, "malformed updates[0].op: `op` is update, delete, complete or all"),
    ({"name": "Account", "value": {}}, 'malformed updates[0]: "value" means nothing here; did you mean `values`?'),
    ({"name": "Account", "op": "delete", "values": {"balance": 1}}, "malformed updates[0].values.balance: here Account takes only iban"),
    ({"name": "Session", "op": "delete", "values": {"signed_in": True}}, "malformed updates[0].values.signed_in: here Session takes no values"),
    ({"name": "Session", "op": "complete"}, "malformed updates[0].values: Session has one row: report it"),
    ({"name": "Account", "values": ACCOUNT, "keep": True}, "malformed updates[0]: `keep` is for updates of views: states keep their cells"),
    ({"name": "Booking", "op": "all", "values": {"iban": "a"}, "rows": [{"iban": "b"}]}, "malformed updates[0].rows[0].iban: iban is another than in `values`"),
    ("Account", "malformed updates[0]: an update is an object"),
]  # fmt: skip


@pytest.mark.parametrize(("update", "words"), REFUSED, ids=lambda item: item if isinstance(item, str) else "")
def test_refused(schema, update, words):
    assert refusal(schema, update) == words


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "the message is not JSON"),
        (b"[1]", "the message is not a JSON object"),
        (b'{"a": 1', "the message is not JSON"),
        (b'{"a": NaN}', "NaN is not a number of JSON"),
        (b'{"a": 1e999999999}', "not JSON"),
        (b'{"a": ' + b"9" * 5000 + b"}", "at most 100 digits"),
        (b'{"a": 1, "a": 2}', "`a` is given twice in one object"),
        (b"\xff\xfe{}", "not UTF-8"),
        (b'{"a": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", "nested at most 10 deep"),
        (b'{"a": ' * 11 + b"1" + b"}" * 11, "nested at most 10 deep"),
        (b'{"a": "' + b"x" * MAX_BYTES + b'"}', "at most 262144 bytes"),
    ],
    ids=range(11),
)
def test_what_is_no_message(data, words):
    with pytest.raises(MessageRefused, match=words):
        read_object(data)


def test_brackets_in_texts_are_no_nesting():
    assert read_object(json.dumps({"a": "[{" * 50 + '\\"'}).encode()) == {"a": "[{" * 50 + '\\"'}


@given(st.binary(max_size=300) | st.text(max_size=300).map(lambda t: t.encode("utf-8", "surrogatepass")))
def test_any_bytes_are_an_object_or_refused(data):
    with contextlib.suppress(MessageRefused):
        assert isinstance(read_object(data), dict)


_JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.text(max_size=5)
    | st.sampled_from(["DE1", "2026-04-01", "Current"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from([*ACCOUNT, "name", "op", "values", "rows", "none", "number"]), inner, max_size=4
        )
    ),
    max_leaves=12,
)


@pytest.mark.slow
@given(_JSON, st.sampled_from(["describe", "define_state", "update_state", "before", "after", "x"]))
def test_any_message_is_answered_or_refused(rent, data, kind):
    from tests.agents.reporting.bank import reported

    guard = reported(rent)
    bodies = [
        data,
        {"updates": data},
        {"updates": [data]},
        {"states": [data]},
        {"action": "Pay", "values": data},
    ]
    bodies += [
        {"updates": [{"name": "Account", "values": data}]},
        {"id": data},
        {"states": [{"name": "Account", "variables": data}]},
    ]
    for body in bodies:
        if isinstance(body, dict):
            try:
                json.dumps(Service(guard).handle(BANK, kind, body))
            except MessageRefused as refused:
                assert 400 <= refused.status < 600
    assert not guard.failed


@pytest.mark.parametrize(
    ("kind", "data", "words"),
    [
        ("update_state", {}, "there is nothing in it"),
        ("update_state", {"updates": {}}, "`updates` is a list"),
        ("update_state", {"update": []}, '"update" means nothing here; did you mean `updates`?'),
        ("before", {}, "there is nothing in it"),
        ("before", {"values": {"payee": "x"}}, "name the `action`"),
        ("before", {"action": "Account"}, "Account is not an action"),
        ("before", {"action": "finish"}, "is not declared by an app of the package"),
        ("before", {"action": "Pay", "values": {"payee": 1}}, "payee is a Text"),
        ("before", {"action": "Pay", "values": {"who": "x"}}, 'Pay has no attribute "who"'),
        ("after", {}, "`id` is missing"),
        ("after", {"id": True}, "`id` is a whole number, not a truth value"),
        ("after", {"id": 1, "performed": "yes"}, "`performed` is true, false, or null"),
        ("update_state", {"screens": ["Nowhere"]}, 'bank declares no screen "Nowhere"'),
        ("commit", {}, 'there is no message "commit"'),
    ],
)
def test_wrong_messages(guard, kind, data, words):
    points = guard.snapshot
    with pytest.raises(MessageRefused) as refused:
        Service(guard).handle(BANK, kind, data)
    assert words in str(refused.value)
    assert guard.snapshot == points  # nothing of it was taken in


def test_one_wrong_update_and_none_counts(guard):
    good, bad = {"name": "Account", "values": ACCOUNT}, {"name": "Account", "values": {"iban": 1}}
    with pytest.raises(MessageRefused):
        Service(guard).handle(BANK, "update_state", {"updates": [good, bad]})
    assert guard.rows("bank.Account") == []


def test_an_app_reports_only_itself(guard):
    service = Service(guard)
    service.handle(NOTES, "update_state", {"updates": [of("Note", title="a", body="b")]})
    with pytest.raises(MessageRefused, match="an app reports only about itself") as refused:
        service.handle(NOTES, "update_state", {"updates": [of("Account", iban="a")]})
    assert refused.value.status == 403
    with pytest.raises(MessageRefused, match="an app reports only about itself"):
        service.handle(NOTES, "before", {"action": "Pay"})
    with pytest.raises(MessageRefused, match="no app of the program"):
        service.handle("com.other", "describe", {})


def test_values(schema):
    values = {
        "iban": "Ａ\u00a0b\u2019s",
        "balance": {"number": "4.50"},
        "kind": {"none": True},
        "closed": None,
        "opened": "2024-02-29",
        "labels": ["x", "y", "x"],
    }
    (change,) = read_changes(schema, [of("Account", **values)])
    assert change.cells == {
        "iban": "Ａ b's",
        "balance": Decimal("4.5"),
        "kind": NONE,
        "closed": None,
        "opened": dt.date(2024, 2, 29),
        "labels": frozenset({"x", "y"}),
    }
    (change,) = read_changes(schema, [of("Session", since="07:05:09", limit="-3d")])
    assert change.cells == {"since": dt.time(7, 5, 9), "limit": dt.timedelta(days=-3)}


def test_definitions(guard):
    def define(*states: Any) -> Any:
        return Service(guard).handle(BANK, "define_state", {"states": list(states)})

    fits = define(
        {
            "name": "Account",
            "variables": [{"name": "iban", "type": "Text"}, {"name": "balance", "type": "Number"}],
        },
        {"name": "Session", "description": "", "variables": [{"signed_in": "Boolean"}, {"since": "String"}]},
    )
    assert fits["fits"] and [state["read"] for state in fits["states"]] == [
        'variables as {"name", "type"}',
        "variables as {attribute: type}",
    ]
    wrong = define(
        {"name": "Account", "variables": [{"balance": "String", "colour": "Text"}]},
        {"name": "Note", "variables": []},
    )
    assert not wrong["fits"]
    assert [state["problems"] for state in wrong["states"]] == [
        [
            'Account.balance is declared Number, and the app says "String"',
            'Account has no attribute "colour"',
            "Account: iban identifies its rows and must be reported",
        ],
        [
            '"Note" is not declared by an app of the package com.example.bank, and an app reports only about itself'
        ],
    ]


def test_describe(guard):
    found = Service(guard).handle(BANK, "describe", {})
    assert found["protocol"] == 1 and found["package"] == BANK and found["screens"] == ["Form", "Overview"]
    assert [state["name"] for state in found["states"]] == [
        "Account",
        "Session",
        "Payment",
        "Booking",
        "Receipt",
    ]
    assert found["states"][2]["screens"] == ["Form"]
    kind = next(v for v in found["states"][0]["variables"] if v["name"] == "kind")
    assert kind == {
        "name": "kind",
        "type": "Enum",
        "enum_values": ["Current", "Savings"],
        "description": "what it is",
    }
    assert "Note" not in json.dumps(found)


# ---------------------------------------------------------------- many reports come to what one after the other does

_IBANS = st.sampled_from(["A", "B"])
_OPS = st.one_of(
    st.builds(lambda i, b: of("Account", iban=i, balance=b), _IBANS, st.none() | st.integers(0, 2)),
    st.builds(lambda i, c: of("Account", iban=i, closed=c), _IBANS, st.booleans()),
    st.builds(lambda i: {"name": "Account", "op": "delete", "values": {"iban": i}}, _IBANS),
    st.just({"name": "Account", "op": "delete"}),
    st.builds(lambda b: of("Session", signed_in=b), st.booleans()),
    st.just({"name": "Session", "op": "delete"}),
    st.builds(lambda i: {"name": "Account", "op": "all", "rows": [{"iban": i}]}, _IBANS),
)


@pytest.mark.slow
@given(st.lists(_OPS, max_size=8), st.lists(_OPS, max_size=4))
def test_many_reports_at_once_are_as_a_sequence(rent, schema, updates, first):
    from tests.agents.reporting.bank import reported

    slow, fast = reported(rent), reported(rent)
    for guard in (slow, fast):
        if first:
            guard.report(BANK, read_changes(schema, first))
    for update in updates:
        slow.report(BANK, read_changes(schema, [update]))
    if updates:
        fast.report(BANK, read_changes(schema, updates))

    def rows(guard: Any) -> Any:
        return [sorted(map(repr, guard.rows(name))) for name in ("bank.Account", "bank.Session")]

    assert rows(slow) == rows(fast)


def test_a_batch_forgets_completeness_when_another_row_comes(schema):
    changes: list[Change] = read_changes(
        schema, [{"name": "Account", "op": "complete"}, of("Account", iban="A")]
    )
    assert Batch().add(changes).seen().complete == ()
    assert Batch().add(reversed(changes)).seen().complete == (("bank.Account", {}),)
