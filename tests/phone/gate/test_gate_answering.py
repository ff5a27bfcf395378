"""The program that started ``vsac guard`` answers for the user, as the guide shows it, over real processes."""

import json
import os
import re
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import click
import pytest

from tests.commands import vsac_and_programs
from vsalang.base.resources import resource_dir
from vsalang.tools.cli import completing, guard

pytest.importorskip("uiautomator2")
pytest.importorskip("adbutils")
SPEC = str(resource_dir("app_specs") / "examples" / "reserve_r.vsa")
GUIDE = Path(__file__).resolve().parents[3] / "docs" / "guides" / "transparent-guard.md"
POLICY = """policy careful "Somebody looks at each tap"
import apps.opentable
confirm "somebody looks at each tap" when tap.
deny "nobody goes back" when back.
"""
AGENT = """
import json, os, sys
import adbutils
phone = adbutils.AdbClient(port=int(os.environ["ANDROID_ADB_SERVER_PORT"])).device(os.environ["ANDROID_SERIAL"])
said = [phone.shell(command) for command in sys.argv[1:]]
held = [name for name in os.listdir("/proc/self/fd") if int(name) > 2 and os.path.exists(f"/proc/self/fd/{name}")]
links = [os.readlink(f"/proc/self/fd/{name}") for name in held]
sockets = [each for each in links if "socket" in each]
print(json.dumps({"said": said, "sockets": sockets, "environment": dict(os.environ)}))
"""
TAP, BACK = "input tap 300 420", "input keyevent 4"


@pytest.fixture
def arguments(tmp_path: Path) -> list[str]:
    (tmp_path / "careful.vsa").write_text(POLICY)
    (tmp_path / "agent.py").write_text(AGENT)
    return [SPEC, "--policy", str(tmp_path / "careful.vsa"), "--device", "sim:restaurant", "--open", "com.opentable",
            "--journal", str(tmp_path / "j.jsonl")]  # fmt: skip


def agent(tmp_path: Path, *commands: str) -> list[str]:
    return ["--", sys.executable, str(tmp_path / "agent.py"), *commands]


def answers(tmp_path: Path) -> list[dict[str, object]]:
    lines = (tmp_path / "j.jsonl").read_text().splitlines()
    return [record for line in lines if (record := json.loads(line))["kind"] == "answer"]


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks at /proc")
@pytest.mark.parametrize("word", ["yes", "maybe"])
def test_the_program_of_the_guide_answers(tmp_path: Path, arguments: list[str], word: str) -> None:
    found = re.search(r"```python\n(# starter.py\n.*?)```", GUIDE.read_text(), re.DOTALL)
    assert found is not None and len(found[1].strip().splitlines()) <= 16
    main = f'[{sys.executable!r}, "-m", "vsalang.tools.cli.main", '
    (tmp_path / "starter.py").write_text(found[1].replace('["vsac", ', main))
    run = subprocess.run(
        [sys.executable, str(tmp_path / "starter.py"), *arguments, *agent(tmp_path, TAP, BACK)],
        input=f"{word}\n", capture_output=True, text=True, timeout=120, cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(GUIDE.parents[2])},
    )  # fmt: skip
    assert run.stdout.count("[yes/no]") == 1, run.stderr  # what is blocked is not asked
    assert "somebody looks at each tap" in run.stdout
    told = json.loads(run.stdout[run.stdout.index('{"said"') :])
    tapped, back = told["said"]
    assert (tapped == "") is (word == "yes") and "Blocked: back()" in back
    assert told["sockets"] == [] and not [each for each in told["environment"].values() if "fd:" in each]
    (answer,) = answers(tmp_path)
    assert answer["approved"] is (word == "yes") and re.fullmatch("[0-9a-f]{64}", str(answer["question"]))
    number = str(answer["by"]).removeprefix("the program on fd ")
    assert number.isdecimal() and f"Questions are answered by the program on fd {number}." in run.stderr
    assert "answer for itself" in run.stderr


Answering = Callable[[socket.socket, dict[str, object]], object]


def guarded(
    arguments: list[str], program: list[str], answering: Answering, *options: str
) -> "subprocess.CompletedProcess[str]":
    """`vsac guard` in this process, with a thread that answers."""
    ours, theirs = socket.socketpair()

    def answer() -> None:
        for line in ours.makefile():
            said = json.loads(line)
            if said["kind"] == "question":
                answering(ours, said)

    threading.Thread(target=answer, daemon=True).start()
    number = theirs.detach()
    try:
        return vsac_and_programs("guard", *arguments, "--on-confirm", f"fd:{number}", *options, *program)
    finally:
        ours.close()


def says(word: str, mark: str = "") -> Answering:
    def answer(end: socket.socket, said: dict[str, object]) -> object:
        return end.sendall(json.dumps({"hash": mark or said["hash"], "answer": word}).encode() + b"\n")

    return answer


@pytest.mark.sampled(2)
@pytest.mark.parametrize("mode", ["enforce", "ask"])
@pytest.mark.parametrize(
    ("answering", "approved", "reason"),
    [
        (says("yes"), True, None),
        (says("no"), False, None),
        (says("yes", "0" * 64), False, "names another question"),
        (lambda end, said: None, False, "did not answer in time"),
        (lambda end, said: end.shutdown(socket.SHUT_RDWR), False, "closed its end"),
    ],
)
def test_each_answer_is_recorded(
    tmp_path: Path, arguments: list[str], mode: str, answering: Answering, approved: bool, reason: str | None
) -> None:
    options = ("--mode", mode, "--ask-timeout", "1" if reason and "time" in reason else "30")
    run = guarded(arguments, agent(tmp_path, TAP), answering, *options)
    (answer,) = answers(tmp_path)
    assert answer["approved"] is approved, run.stderr
    assert str(answer["by"]).startswith("the program on fd ")
    if reason is not None:
        assert reason in run.stderr and "The answer is no." in run.stderr
        if mode == "enforce":  # in the mode `ask` the time may be over before the reason is known
            assert reason in str(answer["reason"])
    said = json.loads(run.stdout.splitlines()[-1])["said"][0]
    assert (said == "") is approved
    shown = vsac_and_programs("journal", "show", str(tmp_path / "j.jsonl")).stdout
    assert ("agreed" in shown and str(answer["by"]) in " ".join(shown.split())) is approved


@pytest.mark.parametrize(("option", "warned"), [((), True), (("--allow-user", "nobody"), False)])
def test_it_says_where_the_agent_could_answer(
    tmp_path: Path, arguments: list[str], option: tuple[str, ...], warned: bool
) -> None:
    run = guarded(arguments, agent(tmp_path), says("yes"), *option)
    assert ("answer for itself" in run.stderr) is warned


@pytest.mark.parametrize(
    ("way", "words"),
    [
        ("fd:0", "standard streams"),
        ("fd:999", "is not open"),
        ("fd:-1", "is not one of"),
        ("fd:", "is not one of"),
        ("fd:1e3", "is not one of"),
        ("fd:٣", "is not one of"),
        ("program", "is not one of"),
    ],
)
def test_what_is_no_socket_starts_nothing(tmp_path: Path, arguments: list[str], way: str, words: str) -> None:
    run = vsac_and_programs("guard", *arguments, "--on-confirm", way, *agent(tmp_path))
    assert run.returncode == 2 and words in run.stderr
    assert not (tmp_path / "j.jsonl").exists()


def test_the_ways_are_completed() -> None:
    completing.prepare(guard.command, "guard")
    (option,) = [each for each in guard.command.params if each.name == "on_confirm"]
    found = option.shell_complete(click.Context(guard.command), "")
    assert [each.value for each in found] == ["ask", "no", "stdin", "fleet", "fd:"]


def test_a_pipe_is_refused(tmp_path: Path, arguments: list[str]) -> None:
    """Every program of the user could open it at /proc/PID/fd."""
    read, write = os.pipe()
    try:
        run = vsac_and_programs("guard", *arguments, "--on-confirm", f"fd:{read}", *agent(tmp_path))
        assert run.returncode == 2 and "is not a socket" in run.stderr
    finally:
        os.close(read)
        os.close(write)
