"""Scripts of proposals: every line is understood or refused with its place."""

import contextlib
import datetime as dt
import json
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vsalang.agents import AgentError, ScriptedAgent
from vsalang.agents.proposed import read_proposal
from vsalang.agents.script import proposals
from vsalang.language.semantics import load, load_text
from vsalang.program.action import Action

EXAMPLES = Path(__file__).resolve().parents[2] / "app_specs" / "examples"
PROGRAM = load(EXAMPLES / "reserve_r.vsa").program


def test_the_shipped_script_reads():
    agent = ScriptedAgent.read(EXAMPLES / "reserve_r.agent.jsonl", PROGRAM)
    assert [p.action.name for p in agent][-1] == "finish"
    assert next(iter(agent)).action == Action("tap", {"text": "R"})


def test_values_are_typed_by_the_program():
    claim = '{"action": "Reserve", "date": "2026-04-01", "time": "18:30"}'
    line = f'{{"action": "tap", "x": 1.50, "y": 7, "claims": [{claim}]}}'
    found = read_proposal(line, PROGRAM, "here")
    assert found.action.args == {"x": Decimal("1.5"), "y": 7}
    (claim,) = found.claims
    assert claim.name == "apps.opentable.Reserve"
    assert claim.args == {"date": dt.date(2026, 4, 1), "time": dt.time(18, 30)}


def test_numbers_in_quotes_are_numbers():
    found = read_proposal('{"action": "swipe", "x": "540", "y": "0", "x2": 7, "y2": "1900"}', PROGRAM, "here")
    assert found.action == Action("swipe", {"x": 540, "y": 0, "x2": 7, "y2": 1900})
    assert all(type(value) is int for value in found.action.args.values())


@pytest.mark.parametrize("number", ["0", "7", "-3", "4.50", "-0.5", "120"])
def test_amounts_in_quotes_are_exact(number):
    program = load_text(
        'app bank package "b" "A bank"\n@risk(financial)\naction Pay(amount: Number "how much")\n'
        'recognize Pay when tap(id = "pay").\n'
    ).program
    found = read_proposal(
        f'{{"action": "back", "claims": [{{"action": "Pay", "amount": "{number}"}}]}}', program, "here"
    )
    assert found.claims[0].args == {"amount": Decimal(number)}
    assert found == read_proposal(
        f'{{"action": "back", "claims": [{{"action": "Pay", "amount": {number}}}]}}', program, "here"
    )


@pytest.mark.parametrize("key", ["x", "y", "node"])
@pytest.mark.parametrize(
    "text",
    ["", " ", "5e2", "1.5", " 7", "7 ", "+7", "007", "0x10", "1,000", "1_000", "NaN", "Infinity", "true",
     "\uff17", "540px", "9" * 500],
)  # fmt: skip
def test_texts_that_are_not_whole_numbers(key, text):
    with pytest.raises(AgentError, match=f"tap.{key} is .*, which is not a whole number in plain digits"):
        read_proposal(json.dumps({"action": "tap", key: text}), PROGRAM, "here")


def test_texts_stay_texts():
    found = read_proposal('{"action": "input_text", "value": "540", "text": "7"}', PROGRAM, "here")
    assert found.action.args == {"value": "540", "text": "7"}


def test_a_claim_of_something_unknown_reaches_the_guard():
    found = read_proposal('{"action": "back", "claims": ["Fly"]}', PROGRAM, "here")
    assert found.claims == (Action("Fly"),)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "not JSON"),
        ("[1]", "a proposal is an object"),
        ('{"note": "x"}', 'there is no "action"'),
        ('{"action": "tpa"}', "did you mean `tap`"),
        ('{"action": "tap", "colour": 1}', "has no argument `colour`"),
        ('{"action": "tap", "txt": "PAY"}', "has no argument `txt`; did you mean `text`?"),
        ('{"action": "tap", "x": "1a"}', 'tap.x is "1a", which is not a whole number in plain digits'),
        ('{"action": "tap", "x": ["1"]}', "which is not of type Number"),
        ('{"action": "tap", "x": true}', "which is not of type Number"),
        ('{"action": "tap", "x": NaN}', "NaN is not a number of JSON"),
        ('{"action": "tap", "x": 1e999999}', "which is not of type Number"),
        ('{"action": "tap", "checked": 1}', "which is not of type Bool"),
        ('{"action": "back", "action": "tap"}', "`action` is given twice in one object"),
        ('{"action": "Reserve", "date": "2026-02-30"}', "which is not of type Date"),
        ('{"action": "wait", "duration": "5"}', "which is not of type Duration"),
        ('{"action": "scroll", "direction": "sideways"}', "which is no"),
        ('{"action": "back", "note": 5}', "`note` is a text"),
        ('{"action": "back", "claims": 5}', "`claims` is a list"),
        ('{"action": "tap", "text": "' + "a" * 200_000 + '"}', "longer than"),
    ],
)
def test_bad_lines_say_what_is_wrong(line, message):
    with pytest.raises(AgentError) as caught:
        read_proposal(line, PROGRAM, "agent.jsonl, line 3")
    assert message in str(caught.value)
    assert str(caught.value).startswith("agent.jsonl, line 3: ")


LIKELY = st.from_regex(r'\{"action": "(tap|finish)"(, "\w+": (1|"a"|null|\[\]|\{\}))*\}', fullmatch=True)


@pytest.mark.slow
@given(st.text(max_size=60) | LIKELY)
def test_nothing_else_is_raised(line):
    with contextlib.suppress(AgentError):
        read_proposal(line, PROGRAM, "here")


def test_files(tmp_path):
    empty = tmp_path / "empty.jsonl"
    empty.write_text("\n\n")
    with pytest.raises(AgentError, match="proposes nothing"):
        ScriptedAgent.read(empty, PROGRAM)
    with pytest.raises(AgentError, match="cannot read"):
        ScriptedAgent.read(tmp_path / "none.jsonl", PROGRAM)
    binary = tmp_path / "binary.jsonl"
    binary.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(AgentError, match="not UTF-8"):
        ScriptedAgent.read(binary, PROGRAM)


@pytest.mark.parametrize("char", ["\u2028", "\u2029", "\x85"], ids=ascii)
@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=ascii)
def test_only_line_feeds_end_a_line(char, end):
    lines = (
        '{"action": "tap", "text": "R"}',
        f'{{"action": "answer", "text": "a{char}b"}}',
        '{"action": "back"}',
    )
    found = list(proposals(end.join(lines) + end, PROGRAM, "s.jsonl"))
    assert [(p.action.name, p.line) for p in found] == [("tap", 1), ("answer", 2), ("back", 3)]
    m3a = f'Reason: it says{char} no{end}Action: {{"action_type": "navigate_back"}}{end}'
    assert [p.action.name for p in proposals(m3a, PROGRAM, "s.txt")] == ["back"]
