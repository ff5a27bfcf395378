"""`vsac run` and `vsac guard` take the same options of a session: what the user asked for, and one to go on with."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from tests.commands import vsac_and_programs

pytest.importorskip("uiautomator2")
EXAMPLES = Path(__file__).resolve().parents[3] / "app_specs" / "examples"
POLICY = """policy words "What the user did not say is asked"
import apps.opentable
deny "the user said no" when tap, Instruction(text contains "hands off").
"""
Vsac = Callable[..., CompletedProcess[str]]


@pytest.fixture
def spec(tmp_path: Path) -> list[str]:
    (tmp_path / "words.vsa").write_text(POLICY)
    (tmp_path / "agent.jsonl").write_text('{"action": "tap", "text": "R"}\n')
    return [str(EXAMPLES / "reserve_r.vsa"), "--policy", str(tmp_path / "words.vsa"), "--device", "sim:restaurant",
            "--open", "com.opentable", "--journal", str(tmp_path / "j.jsonl")]  # fmt: skip


def way(name: str, tmp_path: Path) -> tuple[list[str], list[str]]:
    """The words around the options: of an agent's file, or of a program that taps."""
    if name == "run":
        return ["run"], ["--agent", str(tmp_path / "agent.jsonl")]
    program = "import os, adbutils; adbutils.AdbClient(port=int(os.environ['ANDROID_ADB_SERVER_PORT'])).device(" \
        "os.environ['ANDROID_SERIAL']).shell('input tap 300 420')"  # fmt: skip
    return ["guard"], ["--", sys.executable, "-c", program]


def levels(tmp_path: Path) -> list[str]:
    records = [json.loads(line) for line in (tmp_path / "j.jsonl").read_text().splitlines()]
    return [
        each["verdict"]["level"]
        for each in records
        if each["kind"] == "propose" and "tap" in str(each["proposal"])
    ]


@pytest.mark.parametrize("name", ["run", "guard"])
def test_rules_read_the_instruction(tmp_path: Path, spec: list[str], name: str) -> None:
    first, last = way(name, tmp_path)
    run = vsac_and_programs(*first, *spec, "--instruction", "Look, but hands off!", *last)
    assert run.returncode == 1, run.stderr
    assert levels(tmp_path) == ["block"]
    header = json.loads((tmp_path / "j.jsonl").read_text().splitlines()[0])
    assert header["instruction"] == "Look, but hands off!"


@pytest.mark.parametrize("name", ["run", "guard"])
def test_without_one_the_spec_says_it(tmp_path: Path, spec: list[str], name: str) -> None:
    first, last = way(name, tmp_path)
    assert vsac_and_programs(*first, *spec, *last).returncode == 1
    assert levels(tmp_path) == ["allow"]


@pytest.mark.parametrize("name", ["run", "guard"])
def test_a_resumed_session_keeps_its_instruction(tmp_path: Path, spec: list[str], name: str) -> None:
    journal = str(tmp_path / "j.jsonl")
    wait = '{"action": "wait", "duration": "1s"}\n'
    (tmp_path / "wait.jsonl").write_text(wait)
    first, last = way(name, tmp_path)
    (tmp_path / "agent.jsonl").write_text(wait + (tmp_path / "agent.jsonl").read_text())
    begun = vsac_and_programs(
        "run", *spec, "--instruction", "hands off", "--agent", str(tmp_path / "wait.jsonl")
    )
    assert begun.returncode == 1 and levels(tmp_path) == [], begun.stderr
    lines = (tmp_path / "j.jsonl").read_text().splitlines(keepends=True)
    while json.loads(lines[-1])["kind"] in ("end", "close"):  # as if it had been interrupted
        lines.pop()
    (tmp_path / "j.jsonl").write_text("".join(lines))
    head = json.loads(lines[-1])["hash"]
    run = vsac_and_programs(
        *first, "--resume", journal, "--head", head, *last, XDG_STATE_HOME=str(tmp_path / "state")
    )
    assert levels(tmp_path) == ["block"], run.stderr


@pytest.mark.parametrize("name", ["run", "guard"])
@pytest.mark.parametrize("text", ["hands off", ""])
def test_the_journal_says_the_instruction(tmp_path: Path, name: str, text: str) -> None:
    first, last = way(name, tmp_path)
    run = vsac_and_programs(*first, "--resume", str(tmp_path / "j.jsonl"), "--instruction", text, *last)
    assert (
        run.returncode == 2
        and "--instruction and --resume exclude each other: the journal says it." in run.stderr
    )


def test_an_instruction_without_end_is_refused(vsac: Vsac, tmp_path: Path, spec: list[str]) -> None:
    run = vsac("run", *spec, "--agent", str(tmp_path / "agent.jsonl"), "--instruction", "x" * 20_001)
    assert run.returncode == 2 and "at most 20000 characters" in run.stderr
    assert not (tmp_path / "j.jsonl").exists()


@pytest.mark.parametrize("option", [("--on-block", "fail"), ("--isolate",)])
def test_what_is_for_a_program_only(
    vsac: Vsac, tmp_path: Path, spec: list[str], option: tuple[str, ...]
) -> None:
    run = vsac("run", *spec, "--agent", str(tmp_path / "agent.jsonl"), *option)
    assert run.returncode == 2 and f"No such option '{option[0]}'" in run.stderr
    assert option[0] not in vsac("run", "--help").stdout and option[0] in vsac("guard", "--help").stdout


@pytest.mark.parametrize("option", ["--instruction", "--resume", "--head", "--mode", "--policy", "--journal"])
def test_both_commands_take_the_options_of_a_session(vsac: Vsac, option: str) -> None:
    assert all(f"{option} " in vsac(name, "--help").stdout for name in ("run", "guard"))
