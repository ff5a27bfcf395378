"""`vsac run` on the settings phone: under the policy of signs of harm, and in scenarios in which things go wrong."""

import functools
import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests import commands
from tests.snapshots import golden

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = "app_specs/examples"
SETTINGS = (
    f"{EXAMPLES}/quiet_evening.vsa", "--policy", f"{EXAMPLES}/careful.vsa", "--open", "org.example.settings",
    "--agent", f"{EXAMPLES}/quiet_evening.agent.jsonl",
)  # fmt: skip
RESTAURANT = (
    f"{EXAMPLES}/reserve_r.vsa", "--open", "com.opentable", "--agent", f"{EXAMPLES}/reserve_r.agent.jsonl"
)  # fmt: skip


vsac = functools.partial(commands.vsac, COLUMNS="110")


def steps(journal: Path, device: str, *args: str) -> list[dict[str, Any]]:
    result = vsac("run", *args, "--device", device, "--journal", journal, "--format", "json")
    assert result.returncode in (0, 1), result.stderr
    return [json.loads(line) for line in result.stdout.splitlines()]


@pytest.mark.slow
def test_the_settings_demo(tmp_path: Path) -> None:
    """Two switches are allowed; other switches, a permission and an erasing button are not."""
    journal = tmp_path / "j.jsonl"
    result = vsac("run", *SETTINGS, "--device", "sim:settings", "--journal", journal)
    assert result.returncode == 0, result.stderr
    shown = result.stdout.replace(str(journal), "JOURNAL")
    shown = re.sub(r"\AIn force: program .*\n", "IN FORCE\n", shown)
    shown = re.sub(r"Its head: [0-9a-f]{64}\n", "Its head: HASH\n", shown)
    golden(shown, "run/settings.txt")


@pytest.mark.slow
def test_a_session_in_a_scenario_repeats_exactly(tmp_path: Path) -> None:
    first, second = (steps(tmp_path / f"{n}.jsonl", "sim:restaurant#flaky", *RESTAURANT) for n in (1, 2))
    levels = [[(step.get("verdict") or {}).get("level") for step in run] for run in (first, second)]
    assert levels[0] == levels[1]
    assert "allow" in levels[0]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("scenario", "completed"), [("interrupted", False), ("otherwise", False), ("full", True)]
)
def test_whatever_comes_only_the_task_is_done(tmp_path: Path, scenario: str, completed: bool) -> None:
    """No other table is booked, and the task is done only where the screen says so: nothing is left, or booked."""
    lines = steps(tmp_path / "j.jsonl", f"sim:restaurant#{scenario}", *RESTAURANT)
    assert lines[-1]["completed"] is completed
    booked = [
        line["verdict"]["proposed"]["attempts"]
        for line in lines
        if line["kind"] == "step" and line["performed"] and line["verdict"]["proposed"]["attempts"]
    ]
    assert len(booked) <= 1
    assert '"Q"' not in json.dumps(booked)
