"""Random clauses of the paper's notation: read as a spec, written as clauses, read again, the same program."""

import dataclasses
import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from tests.thorough import times
from vsalang.base.source import Source, Span
from vsalang.language.notations.into import App, ImportedSpec, ImportFailed, import_rules
from vsalang.language.notations.out import export
from vsalang.language.semantics import load
from vsalang.program.ir import Program

APP = """\
app shop package "org.example.shop" "A shop"
state Cart "What is bought" { item: Text count: Number gift: Bool }
view Tab { tab: enum {Home, "All on", "today"} }
list Row in (name) { name: Text price: Number due: Date at_time: Time }
state Kept { tags: set of Text length: Duration }
action Buy(item: Text, count: Number)
action Share(name: Text)
action Wipe
"""
FOLDER = Path(tempfile.gettempdir()) / "nowhere"

texts = st.text(st.sampled_from("ab 1.-:&^∧→#'\"\\“’é/\n"), max_size=6)
numbers = st.integers(-999, 999).map(str) | st.sampled_from(["0.5", "-2.25"])
ORDER = ("<", "<=", ">", ">=", "==", "!=", "≥", "≤", "≠")


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


VALUES: dict[str, tuple[st.SearchStrategy[str], tuple[str, ...]]] = {
    "Text": (texts.map(_quoted), ("==", "!=", "≃")),
    "Number": (numbers, ORDER),
    "Bool": (st.sampled_from(["True", "False", "true"]), ("==", "!=")),
    "Enum": (st.sampled_from(['"Home"', "home", '"All on"', '"today"']), ("==", "!=")),
    "Date": (st.sampled_from(['"2026-04-01"', "2026-4-1", "today"]), ORDER),
    "Time": (st.sampled_from(['"19:00"', "7 PM", "07:05:09"]), ORDER),
    "Set": (
        st.lists(texts.map(_quoted), min_size=1, max_size=2).map(lambda e: f"{{{', '.join(e)}}}"),
        ("⊆", "⊈", "=="),
    ),
    "Duration": (st.sampled_from(["5min", '"90s"', "1 h 30 min"]), ORDER),
}
RELATIONS = {
    "Cart": {"item": "Text", "count": "Number", "gift": "Bool"},
    "Tab": {"tab": "Enum"},
    "Row": {"name": "Text", "price": "Number", "due": "Date", "at_time": "Time", "at": "Number"},
    "Kept": {"tags": "Set", "length": "Duration"},
    "shop.Cart": {"item": "Text", "count": "Number"},
}
ACTIONS = {"Buy": {"item": "Text", "count": "Number"}, "Share": {"name": "Text"}, "Wipe": {}}
OBJECTIVES = ("Prepare", "Check")


@st.composite
def arguments(draw: st.DrawFn, attrs: dict[str, str]) -> str:
    parts = []
    for attr in draw(st.lists(st.sampled_from(sorted(attrs)), max_size=3)) if attrs else []:
        values, ops = VALUES[attrs[attr]]
        value = draw(values)
        op = draw(st.sampled_from(ops))
        parts.append(
            draw(st.sampled_from([f"{attr}=({value}, {op})", f"{attr} {op} {value}", f"{attr} = {value}"]))
        )
    return draw(st.sampled_from([", ", ",", " , "])).join(parts)


@st.composite
def conditions(draw: st.DrawFn) -> str:
    kind = draw(st.sampled_from(["relation", "relation", "relation", "action", "objective"]))
    if kind == "objective":
        return draw(st.sampled_from(OBJECTIVES)) + "()"
    table = RELATIONS if kind == "relation" else ACTIONS
    name = draw(st.sampled_from(sorted(table)))
    repeat = draw(st.sampled_from(["", "", "Repeat2"])) if kind == "action" else ""
    return f"{name}{repeat}({draw(arguments(table[name]))})"


@st.composite
def clauses(draw: st.DrawFn) -> str:
    body = draw(st.lists(conditions(), max_size=3)) or ["True"]
    head = draw(
        st.sampled_from(
            [
                "Buy",
                "Buy",
                "BuyRepeat3",
                "Share",
                "ShareAll",
                "Wipe",
                "Prepare",
                "PrepareRepeat2",
                "Check",
                "Done",
            ]
        )
    )
    base = next((name for name in ACTIONS if head.startswith(name)), "")
    args = draw(arguments(ACTIONS[base])) if base and draw(st.booleans()) else ""
    joint = draw(st.sampled_from([" ∧ ", " & ", " and ", "^", " && ", " ∧\n   ", "\n  ∧ "]))
    arrow = draw(st.sampled_from([" → ", "->", " => ", " ⇒\n "]))
    lead = draw(st.sampled_from(["", "1. ", "- ", "  ", "# a remark\n"]))
    return f"{lead}{joint.join(body)}{arrow}{head}({args}){draw(st.sampled_from(['', '.', '  # said']))}"


def _read(text: str) -> ImportedSpec:
    return import_rules(
        Source.from_text(text, "task.txt"), [App(FOLDER / "shop.vsa", APP)], place=FOLDER / "task.vsa"
    )


def _program(text: str) -> Program:
    overlay = {(FOLDER / "shop.vsa").resolve(): APP, (FOLDER / "task.vsa").resolve(): text}
    loaded = load(FOLDER / "task.vsa", overlay=overlay)
    assert loaded.program is not None, [item.message for item in loaded.diagnostics]
    return loaded.program


def _bare(item: Any) -> Any:
    """A part of the core without its places."""
    if isinstance(item, Span):
        return None
    if isinstance(item, tuple):
        return tuple(map(_bare, item))
    if isinstance(item, frozenset):
        return sorted(item)
    if dataclasses.is_dataclass(item):
        return (
            type(item).__name__,
            *(
                (f.name, _bare(getattr(item, f.name)))
                for f in dataclasses.fields(item)
                if f.name not in ("id", "doc")
            ),
        )
    return repr(item)


def _rules(program: Program) -> list[Any]:
    return [_bare(rule) for rule in program.rules if rule.module == program.main]


@pytest.mark.slow
@settings(
    suppress_health_check=[HealthCheck.filter_too_much, HealthCheck.too_slow], max_examples=times(20, 200)
)
@given(st.lists(clauses(), min_size=1, max_size=5))
def test_clauses_survive(lines: list[str]) -> None:
    lines = [*lines, "Cart() → Done()"]  # a spec needs something that it permits
    text = "\n".join(lines)
    try:
        first = _read(text)
    except ImportFailed as problem:
        assert problem.diagnostics
        assume(False)
        raise
    assert first.clauses + first.left == len(lines)
    program = _program(first.text)  # what is made passes the checker
    written = export(program, "paper")
    assert "not expressed" not in written.text
    second = _read(written.text)
    assert second.left == 0
    again = _program(second.text)
    assert _rules(again) == _rules(program)
    assert export(again, "paper").text.splitlines()[1:] == written.text.splitlines()[1:]


PIECES = [
    *"Cart Tab Buy Done True item count tab Home 3 RepeatN Repeat2 All and or not é ?x".split(),
    *"( ) { } , = == >= => -> → ∧ & ¬ | . ; # // <CHC> </CHC> ``` “ ” ' \" \\".split(),
    *('"a"', "\n", " ", "\t", "- ", "1. ", "\u2028", "\u202e", "0" * 40),
]


@settings(suppress_health_check=[HealthCheck.too_slow], max_examples=150)
@given(st.lists(st.sampled_from(PIECES), max_size=25).map("".join) | st.text(max_size=30))
def test_any_text_is_read_or_reported(text: str) -> None:
    """No text makes the reader fail, and whatever it makes of one passes the checker."""
    source = Source.from_text(text, "task.txt")
    try:
        spec = import_rules(source, [App(FOLDER / "shop.vsa", APP)], place=FOLDER / "task.vsa")
    except ImportFailed as problem:
        found = problem.diagnostics
        assert found
    else:
        _program(spec.text)
        found = list(spec.diagnostics)
        assert len(found) == spec.left
    for item in found:
        assert item.code in ("E0013", "E0014", "E0503")
        if item.span:
            assert 0 <= item.span.start <= item.span.end <= len(source.text)


@pytest.mark.slow
@settings(
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much], max_examples=times(25, 200)
)
@given(st.lists(clauses(), min_size=1, max_size=3), st.data())
def test_one_edit_is_never_passed_over(lines: list[str], data: st.DataObject) -> None:
    """A clause with a letter less is read, or reported: it does not vanish, and no other clause vanishes with it."""
    text = "\n".join([*lines, "Cart() → Done()"])
    at = data.draw(st.integers(0, len(text) - 1))
    try:
        before, after = _read(text), _read(text[:at] + text[at + 1 :])
    except ImportFailed:
        assume(False)
        raise
    assert after.clauses + after.left >= before.clauses + before.left - 1
