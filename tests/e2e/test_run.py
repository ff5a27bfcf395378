"""`vsac run`: the real command, the real client, the simulated phone."""

import functools
import json
import os
import re
from pathlib import Path

import pytest

from tests import commands, processes
from tests.snapshots import golden
from vsalang.guard.journal.file import read_journal

ROOT = Path(__file__).resolve().parents[2]
SPEC = "app_specs/examples/reserve_r.vsa"
AGENT = "app_specs/examples/reserve_r.agent.jsonl"
DEVICE = ["--device", "sim:restaurant", "--open", "com.opentable"]


vsac = functools.partial(commands.vsac, COLUMNS="110")


@pytest.mark.slow
def test_the_demo(tmp_path):
    """What the README shows: warned, blocked with every unmet condition, then right, and finished."""
    journal = tmp_path / "j.jsonl"
    result = vsac("run", SPEC, *DEVICE, "--agent", AGENT, "--journal", journal)
    assert result.returncode == 0, result.stderr
    shown = result.stdout.replace(str(journal), "JOURNAL")
    shown = re.sub(r"\AIn force: program .*\n", "IN FORCE\n", shown)
    shown = re.sub(r"Its head: [0-9a-f]{64}\n", "Its head: HASH\n", shown)
    golden(shown, "run/demo.txt")
    records = list(read_journal(journal))
    assert records[0].kind == "session"
    assert records[-1].data["completed"] is True
    levels = [r.data["verdict"]["level"] for r in records if r.kind == "propose"]
    assert levels.count("warn") == 2
    assert levels.count("block") == 1


@pytest.mark.slow
def test_json_lines_for_machines(tmp_path):
    result = vsac("run", SPEC, *DEVICE, "--agent", AGENT, "--journal", tmp_path / "j", "--format", "json")
    lines = [json.loads(line) for line in result.stdout.splitlines()]
    assert [line["kind"] for line in lines] == ["in_force", "begin", *["step"] * 12, "end"]
    assert lines[-1]["completed"] is True
    assert [leg["state"] for leg in lines[-1]["roadmap"]] == ["done", "ready", "open"]


def _agent(tmp_path, *proposals):
    path = tmp_path / "agent.jsonl"
    path.write_text("\n".join(json.dumps(p) for p in proposals), encoding="utf-8")
    return path


def test_an_unfinished_task_is_status_1(tmp_path):
    agent = _agent(tmp_path, {"action": "tap", "text": "R"}, {"action": "finish"})
    result = vsac("run", SPEC, *DEVICE, "--agent", agent, "--journal", tmp_path / "j")
    assert result.returncode == 1
    assert "The task was not completed" in result.stdout


def test_giving_up_is_not_completing(tmp_path):
    agent = _agent(tmp_path, {"action": "give_up", "reason": "too hard"})
    result = vsac("run", SPEC, *DEVICE, "--agent", agent, "--journal", tmp_path / "j")
    assert result.returncode == 1


def test_doing_nothing_is_right_when_nothing_is_free(tmp_path):
    """The scenario `full`: no free table before seven; the whole list is shown, so that is known."""
    agent = _agent(tmp_path, {"action": "finish"}, {"action": "tap", "text": "R"}, {"action": "finish"})
    device = ["--device", "sim:restaurant#full", "--open", "com.opentable"]
    result = vsac("run", SPEC, *device, "--agent", agent, "--journal", tmp_path / "j")
    assert result.returncode == 0, result.stdout
    assert "1 blocked" in result.stdout


def test_a_failed_booking_does_not_count(tmp_path):
    """The scenario `taken`: the app answers that the table is gone; the task is not done."""
    agent = _agent(
        tmp_path,
        {"action": "tap", "text": "R"},
        {"action": "tap", "text": "18:30"},
        {"action": "tap", "id": "reserve_button"},
        {"action": "finish"},
    )
    device = ["--device", "sim:restaurant#taken", "--open", "com.opentable"]
    result = vsac("run", SPEC, *device, "--agent", agent, "--journal", tmp_path / "j")
    assert result.returncode == 1
    assert "ReserveResult.success" in result.stdout


def test_a_policy_asks_first_and_nobody_answers(tmp_path):
    policy = tmp_path / "ask.vsa"
    rule = '@id("ASK") confirm "Book {?r}?" when Reserve(restaurant = ?r).'
    policy.write_text(f'policy ask "x"\nimport apps.opentable\n{rule}\n')
    agent = _agent(
        tmp_path,
        {"action": "tap", "text": "R"},
        {"action": "tap", "text": "18:30"},
        {"action": "tap", "id": "reserve_button"},
    )
    (tmp_path / "app_specs").symlink_to(ROOT / "app_specs")
    result = vsac("run", SPEC, *DEVICE, "--agent", agent, "--policy", policy, "--journal", tmp_path / "j")
    assert result.returncode == 1
    assert "Book R?" in result.stdout
    kinds = [r.kind for r in read_journal(tmp_path / "j")]
    assert "answer" in kinds


@pytest.mark.parametrize(
    ("args", "status", "words"),
    [
        (["none.vsa", *DEVICE, "--agent", AGENT], 2, "no such file"),
        ([SPEC, "--device", "sim:nothing", "--agent", AGENT], 2, "nothing"),
        ([SPEC, *DEVICE, "--agent", "none.jsonl"], 2, "cannot read none.jsonl"),
        (["app_specs/apps/opentable.vsa", *DEVICE, "--agent", AGENT], 2, "not a spec"),
        ([SPEC, "--agent", AGENT], 2, "--device"),
    ],
)
def test_what_cannot_be_run(args, status, words, tmp_path):
    result = vsac("run", *args, "--journal", tmp_path / "j")
    assert result.returncode == status
    assert words in result.stdout + result.stderr
    assert "Traceback" not in result.stderr


def test_a_journal_is_never_overwritten(tmp_path):
    journal = tmp_path / "j.jsonl"
    journal.write_text("mine\n")
    result = vsac("run", SPEC, *DEVICE, "--agent", AGENT, "--journal", journal)
    assert result.returncode == 2
    assert "never overwritten" in result.stderr
    assert journal.read_text() == "mine\n"


def test_blocked_taps_never_reach_the_phone():
    """The phone records every input it received: only what was allowed is among them."""
    from vsalang.agents import ScriptedAgent, run_agent
    from vsalang.guard import Guard
    from vsalang.language.semantics import load
    from vsalang.phone.open import open_device
    from vsalang.program.action import Action

    program = load(ROOT / SPEC).program
    app = {"package": "com.opentable"}
    with open_device("sim:restaurant") as device:
        device.perform(Action("open_app", app), app)
        before = len(device.phone.inputs)
        steps = list(run_agent(Guard(program), device, ScriptedAgent.read(ROOT / AGENT, program)))
        reached = len(device.phone.inputs) - before
        booked = device.phone.state("com.opentable")["booked"]
    gestures = [s for s in steps if s.performed and s.proposed.action.name != "finish"]
    assert reached == len(gestures)
    assert booked == ["R|2026-04-01|18:30"]


@pytest.mark.slow
def test_a_serial_of_the_adb_server(tmp_path):
    """A phone that another process serves is reached like a real one: through the adb server, by its serial."""
    serve = ["-m", "vsalang.tools.cli.main", "sim", "serve", "restaurant"]
    env = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"}
    with processes.Process(serve, env=env, stderr=processes.STDOUT, text=True) as phone:
        try:
            assert phone.stdout is not None
            found: dict[str, str] = {}
            for line in phone.stdout:
                for name in ("ANDROID_ADB_SERVER_PORT", "ANDROID_SERIAL"):
                    if f"{name}=" in line:
                        found[name] = line.split(f"{name}=")[1].split()[0].strip("'\"")
                if len(found) == 2:
                    break
            device = ["--device", found["ANDROID_SERIAL"], "--open", "com.opentable"]
            result = vsac(
                "run",
                SPEC,
                *device,
                "--agent",
                AGENT,
                "--journal",
                tmp_path / "j",
                "--today",
                "2026-04-01",
                **found,
            )
        finally:
            phone.terminate()
    assert result.returncode == 0, result.stdout + result.stderr
    assert "The task was completed" in result.stdout
