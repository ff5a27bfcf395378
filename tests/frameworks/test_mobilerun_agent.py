"""The framework mobilerun with a scripted model: it drives the phone, is held back, learns why, and completes."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.frameworks.conftest import ROOT, reached
from tests.frameworks.scripted_model import ScriptedModel
from vsalang.phone.open.simulated import SimulatedDevice

SPEC = ROOT / "app_specs" / "examples" / "reserve_r.vsa"
AGENT = ROOT / "tests" / "frameworks" / "mobilerun_agent.py"
CONFIG = """_version: 7
agent: {{after_sleep_action: 0.0, wait_for_stable_ui: 0.0}}
device: {{portal_mode: disabled}}
telemetry: {{enabled: false}}
llm_profiles:
  fast_agent: &model
    provider: OpenAILike
    model: scripted
    api_base: {api}
    kwargs: {{api_key: none, is_chat_model: true}}
  app_opener: *model
"""


def call(name: str, **parameters: Any) -> str:
    """What a model of mobilerun says to call a tool."""
    inner = "".join(f'<parameter name="{key}">{value}</parameter>\n' for key, value in parameters.items())
    return f'So it is.\n<function_calls>\n<invoke name="{name}">\n{inner}</invoke>\n</function_calls>'


def click(state: str, wanted: str) -> str:
    """The call that clicks what a line of the screen shows."""
    found = re.search(rf"^(\d+)\. .*{re.escape(wanted)}.* - \(", state, re.MULTILINE)
    assert found is not None, f"the screen shows no {wanted}: {state}"
    return call("click", index=found[1])


def parts(prompt: str) -> tuple[str, str]:
    """The screen that a prompt shows, and what the last tool answered."""
    answers = re.findall(r"<function_results>(.*?)</function_results>", prompt, re.DOTALL)
    return prompt.rsplit("<device_state>", 1)[-1], answers[-1] if answers else ""


def wants_eight_oclock(prompt: str) -> str:
    """A model with a mind of its own: eight o'clock, until it reads why not; and done when it has clicked."""
    state, answer = parts(prompt)
    if "Near you tonight" in state:
        return click(state, '"R"')
    if "Reservation confirmed" in state:
        return call("complete", success="true", message="booked")
    if "the task is not done" in answer:
        return click(state, "reserve_button")
    if '"Marked"' in state:
        return call("complete", success="true", message="a time is marked")
    if "wanted &lt; 19:00" in answer or "wanted < 19:00" in answer:
        return click(state, '"18:30"')
    return click(state, '"20:00"')


def environment(home: Path, port: int, serial: str) -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "TMPDIR") if name in os.environ}
    return {
        **kept,
        "HOME": str(home),
        "ANDROID_ADB_SERVER_PORT": str(port),
        "ANDROID_SERIAL": serial,
        "MOBILERUN_TELEMETRY_ENABLED": "false",
        "PYTHONPATH": str(ROOT),
    }


def run(command: list[str], env: dict[str, str], home: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, env=env, cwd=home, capture_output=True, text=True, timeout=240, check=False
    )


def test_through_the_adapter(frameworks_python: Path, phone: SimulatedDevice, tmp_path: Path) -> None:
    with ScriptedModel(wants_eight_oclock) as model:
        serial = phone.info.serial
        command = [str(frameworks_python), str(AGENT), model.base_url, str(SPEC), serial]
        result = run(command, environment(tmp_path, phone.adb_port, serial), tmp_path)
    assert model.problems == [], result.stdout + result.stderr
    assert result.returncode == 0, result.stdout + result.stderr
    lines = [json.loads(line) for line in result.stdout.splitlines() if line.startswith("{")]
    assert lines[-1] == {"success": True, "reason": "booked", "finished": True}
    assert [(line["outcome"], line["what"].split("(")[0]) for line in lines[:-1]] == [
        ("passed", "tap"),
        ("blocked", "tap"),
        ("passed", "tap"),
        ("blocked", "finish"),
        ("passed", "tap"),
        ("passed", "finish"),
    ]
    assert reached(phone) == [("tap", "result_card"), ("tap", "slot"), ("tap", "reserve_button")]
    # the model was told why, in the result of the tool
    assert "Warned: tap(x = " in model.prompts[2] and "wanted < 19:00" in model.prompts[2]


def straight(
    python: Path, phone: SimulatedDevice, home: Path, answer: Callable[[str], str]
) -> tuple[subprocess.CompletedProcess[str], ScriptedModel]:
    """Run the framework's own command on the phone, without a guard."""
    with ScriptedModel(answer) as model:
        (home / "config.yaml").write_text(CONFIG.format(api=model.base_url))
        command = [
            str(python.parent / "mobilerun"),
            "run",
            "Reserve a table",
            "-c",
            str(home / "config.yaml"),
        ]
        result = run(command, environment(home, phone.adb_port, phone.info.serial), home)
    assert model.problems == [], result.stdout + result.stderr
    return result, model


def test_straight(frameworks_python: Path, phone: SimulatedDevice, tmp_path: Path) -> None:
    """Unchanged and without a guard it does what its model wants: the wrong thing, and says that it is done."""
    result, model = straight(frameworks_python, phone, tmp_path, wants_eight_oclock)
    assert result.returncode == 0, result.stdout + result.stderr
    assert reached(phone) == [("tap", "result_card"), ("tap", "slot")]
    assert phone.phone.state("com.opentable")["marked"] == "20:00"
    assert len(model.prompts) == 3


def sees_no_change(prompt: str) -> str:
    """A model that takes what did not change anything for impossible: adb's text is not shown to it."""
    state, answer = parts(prompt)
    if '"Marked"' in state:
        return click(state, "reserve_button")
    if "Near you tonight" in state or "Reservation confirmed" in state:
        return wants_eight_oclock(prompt)
    return click(state, '"18:30"' if "Clicked on Text: '20:00'" in answer else '"20:00"')


def reads_why(prompt: str) -> str:
    """A model that wants eight o'clock until its tool says why not, and then reserves."""
    state, answer = parts(prompt)
    if '"Marked"' in state:
        return click(state, "reserve_button")
    if "Near you tonight" in state or "Reservation confirmed" in state:
        return wants_eight_oclock(prompt)
    if "<error>" in answer and "the marked time (Choice.time): seen 20:00, wanted" in answer:
        return click(state, '"18:30"')
    return click(state, '"20:00"')


@pytest.mark.parametrize(
    ("on_block", "answer"), [("error", sees_no_change), ("fail", reads_why)], ids=["error", "fail"]
)
def test_guarded(
    frameworks_python: Path, tmp_path: Path, on_block: str, answer: Callable[[str], str]
) -> None:
    """Unchanged, started by ``vsac run SPEC --``: the wrong tap does not reach the phone, and it completes."""
    with ScriptedModel(answer) as model:
        (tmp_path / "config.yaml").write_text(CONFIG.format(api=model.base_url))
        guard = [
            sys.executable,
            "-m",
            "vsalang.tools.cli.main",
            "run",
            str(SPEC),
            "--device",
            "sim:restaurant",
        ]
        guard += ["--open", "com.opentable", "--feedback", "feedback.jsonl", "--on-block", on_block, "--"]
        agent = [str(frameworks_python.parent / "mobilerun"), "run", "Reserve a table", "-c", "config.yaml"]
        env = {name: value for name, value in environment(tmp_path, 0, "").items() if "ANDROID" not in name}
        result = run([*guard, *agent], env, tmp_path)
    assert model.problems == [], result.stdout + result.stderr
    assert result.returncode == 0, result.stdout + result.stderr
    assert "Goal achieved: booked" in result.stdout
    lines = [json.loads(line) for line in (tmp_path / "feedback.jsonl").read_text().splitlines()]
    taps = [line for line in lines if "input tap" in line.get("request", "")]
    assert [line["outcome"] for line in taps] == ["passed", "blocked", "passed", "passed"]
    assert "wanted < 19:00" in taps[1]["feedback"]
