"""Scripts in the words of other agents and tools."""

import contextlib
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vsalang.agents import AgentError, ScriptedAgent
from vsalang.agents.script import CHOICES, proposals
from vsalang.language.semantics import load
from vsalang.program.action import Action

EXAMPLES = Path(__file__).resolve().parents[2] / "app_specs" / "examples"
PROGRAM = load(EXAMPLES / "reserve_r.vsa").program


def read(text, format="auto"):
    return list(proposals(text, PROGRAM, "agent.txt", format))


def test_lines_of_every_format_in_one_file():
    script = """
{"action": "tap", "text": "R", "note": "ours"}
{"action_type": "click", "x": 1, "y": 2}
{"action": "swipe", "coordinate": [1, 900], "coordinate2": [1, 100], "duration": 2.0}
{"action": "wait", "duration": 2.0}
{"name": "tap", "args": {"agent_thought": "there", "target": {"text": "R"}}}
{"jsonrpc": "2.0", "id": 1, "method": "pressKey", "params": ["back"]}
{"type": "navigate_home"}
adb shell input tap 3 4
input text 'a b' && input keyevent 66
Reason: it is free
Action: {"action_type": "click", "x": 5, "y": 6}
Reason: it is
done, I think
Action: ```json
{"action_type": "status", "goal_status": "complete"}
```
"""
    found = read(script)
    assert [str(p.action) for p in found] == [
        'tap(text = "R")', "tap(x = 1, y = 2)", "swipe(x = 1, y = 900, x2 = 1, y2 = 100, duration = 2s)",
        "wait(duration = 2s)", 'tap(text = "R")', "back()", "home()", "tap(x = 3, y = 4)", 'input_text(value = "a b")',
        'press_key(key = "ENTER")', "tap(x = 5, y = 6)", "finish()",
    ]  # fmt: skip
    assert [p.line for p in found] == [2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 11, 13]
    assert [p.note for p in found if p.note] == ["ours", "there", "it is free", "it is\ndone, I think"]


def test_a_script_of_the_language_reads_as_before():
    path = EXAMPLES / "reserve_r.agent.jsonl"
    assert ScriptedAgent.read(path, PROGRAM) == ScriptedAgent.read(path, PROGRAM, "vsalang")


def test_names_that_the_language_has_too_are_its_own():
    """`index` is an attribute of nodes; only the format says that it is a number in a list."""
    (found,) = read('{"action": "long_press", "index": 5}')
    assert found.action == Action("long_press", {"index": 5})
    with pytest.raises(AgentError, match="the agent's own list"):
        read('{"action": "long_press", "index": 5}', "mobilerun")


def test_adb_scripts_have_comments():
    (found,) = read("# open it\n\nmonkey -p com.opentable -c android.intent.category.LAUNCHER 1\n", "adb")
    assert found.action == Action("open_app", {"package": "com.opentable"})


def test_what_is_not_understood_is_a_shell_command():
    (found,) = read("svc wifi disable", "adb")
    assert found.action == Action("shell", {"command": "svc wifi disable"})


@pytest.mark.parametrize(
    ("script", "format", "message"),
    [
        ("x\n", "auto", "agent.txt, line 1: not JSON"),
        ('\n{"action_type": "click"}', "auto", "agent.txt, line 2: androidworld: click needs an index"),
        ('{"action_type": "click", "x": 1, "x": 2, "y": 3}', "auto", "line 1: not JSON: `x` is given twice"),
        ("input tap 1 2 &", "auto", "line 1: not understood: `&`"),
        ("Reason: x\nAction: {", "auto", "line 1: an answer begins with `Reason:`"),
        ('{"action": "tap", "x": 1, "y": 2}', "adb", "line 1: not understood"),
        ('{"action_type": "wait"}', "vsalang", 'there is no "action"'),
        ('{"type": "click", "index": 3}', "auto", "give the place"),
        ("x", "smoke", "there is no format 'smoke'; there are auto, vsalang, adb"),
        ('{"action_type": "' + "x" * 200_000 + '"}', "auto", "longer than"),
    ],
)  # fmt: skip
def test_errors_name_the_line(script, format, message):
    with pytest.raises(AgentError) as error:
        read(script, format)
    assert message in str(error.value)


@given(st.lists(st.text(max_size=30), max_size=4).map("\n".join), st.sampled_from(CHOICES))
def test_any_script_is_read_or_refused(script, format):
    with contextlib.suppress(AgentError):
        assert all(isinstance(found.action, Action) for found in read(script, format))


@given(
    st.dictionaries(
        st.sampled_from(["action", "action_type", "type", "name", "method", "index", "x"]), st.text()
    )
)
def test_any_object_is_read_or_refused(data):
    with contextlib.suppress(AgentError):
        read(json.dumps(data))


@pytest.mark.parametrize(
    ("format", "quoted", "plain"),
    [
        ("auto", '{"action_type": "click", "x": "1", "y": "2"}', '{"action_type": "click", "x": 1, "y": 2}'),
        ("auto", '{"action": "click_at", "x": "1", "y": "2"}', '{"action": "click_at", "x": 1, "y": 2}'),
        ("mobilerun", '{"action": "wait", "duration": "2.0"}', '{"action": "wait", "duration": 2.0}'),
        ("auto", '{"action": "tap", "x": "1", "y": "2"}', '{"action": "tap", "x": 1, "y": 2}'),
    ],
)
def test_numbers_in_quotes_are_read_alike(format, quoted, plain):
    assert [each.action for each in read(quoted, format)] == [each.action for each in read(plain, format)]


@pytest.mark.parametrize("number", ["5e2", " 7", "+7", "seven", "", "true", "NaN"])
@pytest.mark.parametrize(
    "said",
    [
        {"action_type": "click", "y": 2, "x": "?"},
        {"action": "click_at", "y": 2, "x": "?"},
        {"action": "wait", "duration": "?"},
        {"action": "tap", "y": 2, "x": "?"},
    ],
)
def test_texts_that_are_no_numbers_are_refused(said, number):
    line = json.dumps({key: number if value == "?" else value for key, value in said.items()})
    with pytest.raises(AgentError, match=r"agent\.txt, line 1: "):
        read(line)
