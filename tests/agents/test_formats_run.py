"""One agent in the words of several formats: the same verdicts, the same inputs."""

import datetime as dt
import json
from pathlib import Path

import pytest

from vsalang.agents import Proposed, ScriptedAgent, run_agent
from vsalang.agents.script import proposals
from vsalang.guard import Guard
from vsalang.guard.world.clock import ScreenClock
from vsalang.language.semantics import load
from vsalang.phone.open import open_device
from vsalang.phone.vocabulary import Surface, write
from vsalang.program.action import POINTING, Action
from vsalang.tools.cli.main import run

EXAMPLES = Path(__file__).resolve().parents[2] / "app_specs" / "examples"
SPEC = EXAMPLES / "reserve_r.vsa"


@pytest.fixture(scope="module")
def pointed():
    """The shipped script with places instead of attributes, and the verdicts on it."""
    program = load(SPEC).program
    script = ScriptedAgent.read(EXAMPLES / "reserve_r.agent.jsonl", program)
    found, levels = [], []
    with open_device("sim:restaurant") as device:
        device.perform(Action("open_app", {"package": "com.opentable"}), {"package": "com.opentable"})
        clock = ScreenClock(live=False)
        clock.see(device.observe())
        guard = Guard(program, today=dt.date(2026, 4, 1), clock=clock)

        def proposals():
            for proposal in script:
                action = proposal.action
                if action.name in POINTING:
                    cells = device.observe().target(action.name, action.args)
                    action = Action(action.name, {"x": cells["x"], "y": cells["y"]})
                found.append(action)
                yield Proposed(action)

        levels = [step.verdict.level for step in run_agent(guard, device, proposals())]
    assert len(found) == len(levels) == 12
    assert {"allow", "block"} <= set(levels)
    return found, levels


@pytest.mark.sampled(2)
@pytest.mark.parametrize("format", ["adb", "androidworld", "mobile-use", "mobilerun", "uiautomator2"])
def test_the_same_agent_gets_the_same_verdicts(format, pointed, tmp_path, capsys):
    actions, levels = pointed
    lines = []
    for action in actions:
        if action.name == "finish":
            lines.append('{"action": "finish"}')
        else:
            said = write(format, action)
            lines.append(said if isinstance(said, str) else json.dumps(said))
    script = tmp_path / "agent.txt"
    script.write_text("\n".join(lines), encoding="utf-8")
    arguments = [
        "run", str(SPEC), "--device", "sim:restaurant", "--open", "com.opentable", "--agent", str(script),
        "--journal", str(tmp_path / "journal.jsonl"), "--format", "json",
    ]  # fmt: skip
    assert run(arguments) == 0
    steps = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    found = [step["verdict"]["level"] for step in steps if "verdict" in step]
    assert found == levels


def test_the_commands_formats_are_those_that_are_read():
    from vsalang.agents.script import CHOICES
    from vsalang.tools.cli.run import command

    (option,) = [p for p in command.params if p.name == "agent_format"]
    assert sorted(option.type.choices) == sorted(CHOICES)


def test_a_line_not_understood_stops_the_run_at_once(tmp_path, capsys):
    script = tmp_path / "agent.sh"
    script.write_text("input tap 1 2\ninput tap $x 2\n", encoding="utf-8")
    arguments = [
        "run",
        str(SPEC),
        "--device",
        "sim:restaurant",
        "--agent",
        str(script),
        "--agent-format",
        "adb",
    ]
    assert run(arguments) == 2
    assert f"{script}, line 2: not understood: `$`" in capsys.readouterr().err


def test_parts_of_the_screen_are_those_of_the_device(tmp_path, capsys):
    """The size is asked of the device; a journal does not hold it, so such a file cannot go on with one."""
    script, journal = tmp_path / "agent.txt", tmp_path / "j.jsonl"
    script.write_text('<think>R</think>do(action="Tap", element=[310, 294])\nfinish(message="no")\n')
    args = ["--agent", str(script), "--agent-format", "autoglm"]
    device = ["--device", "sim:restaurant", "--open", "com.opentable", "--journal", str(journal)]
    assert run(["run", str(SPEC), *device, *args, "--json"]) == 1
    steps = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    tap = next(step for step in steps if step.get("kind") == "step")
    assert "x = 223" in json.dumps(tap) and "y = 446" in json.dumps(tap)
    assert run(["run", "--resume", str(journal), *args]) == 2
    assert "places in parts of a screen" in capsys.readouterr().err


def test_ui_tars_may_think_on_several_lines():
    program = load(SPEC).program
    text = "Thought: R is first,\nso I take it.\nAction: click(start_box='(310,294)')\nAction: press_back()\n"
    found = list(proposals(text, program, "agent.txt", "auto", Surface(720, 1520)))
    assert [str(each.action) for each in found] == ["tap(x = 223, y = 446)", "back()"]
    assert found[0].note.startswith("R is first,")
