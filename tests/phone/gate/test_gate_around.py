"""A program that gets to the phone around the guard: the run says so, ends with status 2, and takes no `finish`."""

import json
import os
import subprocess
import sys
import textwrap
import time
from pathlib import Path
from typing import Any

import pytest

from tests import processes
from tests.commands import vsac_and_programs
from vsalang.agents.session.inforce import SessionError
from vsalang.agents.session.one_guard import one_guard, one_guard_on_phone
from vsalang.agents.session.transparent import reached_inside
from vsalang.base.resources import resource_dir
from vsalang.phone.gate.around import CHANGED, SILENT, differs
from vsalang.phone.sim import SimulatedPhone, load
from vsalang.phone.sim.shell.shell import COMMANDS as SHELL_COMMANDS
from vsalang.phone.wire import Upstream
from vsalang.screen.screen import TreeScreen
from vsalang.screen.tree import load_tree

pytest.importorskip("uiautomator2")
ANYTHING = """
spec look "Look at the phone, whatever it shows."
import apps.opentable
allow Reserve(restaurant = "R", date = today, time = ?t, time < 19:00).
done when screen Details.
"""
SENDS = """
import socket, sys, time
def ask(port, serial, service):
    with socket.create_connection(("127.0.0.1", port)) as adb:
        for request in ("host:transport:" + serial, service):
            adb.sendall(f"{len(request):04x}{request}".encode())
            assert adb.recv(4) == b"OKAY"
        said = b""
        while data := adb.recv(4096):
            said += data
        return said
def guarded(service):
    import os
    return ask(int(os.environ["ANDROID_ADB_SERVER_PORT"]), os.environ["ANDROID_SERIAL"], service)
def real(service):
    return ask(int(sys.argv[1]), sys.argv[2], service)
"""


@pytest.fixture
def phone() -> Any:
    with SimulatedPhone.start(load("restaurant")) as started:
        yield started


def run(tmp_path: Path, phone: SimulatedPhone, text: str, *options: str) -> Any:
    """Guard a phone of an adb server, with a program that has the address of that server."""
    phone.phone.open_app("com.opentable")
    spec, agent = tmp_path / "look.vsa", tmp_path / "agent.py"
    spec.write_text(ANYTHING)
    agent.write_text(SENDS + textwrap.dedent(text))
    args = ["guard", str(spec), "--device", phone.serial, "--journal", str(tmp_path / "j.jsonl"), *options]
    args += ["--", sys.executable, str(agent), str(phone.port), phone.serial]
    environment = {"ANDROID_ADB_SERVER_PORT": str(phone.port), "HOME": str(tmp_path)}
    return vsac_and_programs(*args, cwd=tmp_path, **environment)


def sentence(said: Any) -> str:
    """What was said, in one line."""
    return " ".join(said.stderr.split())


LOOKS = 'guarded("shell:dumpsys window | grep mCurrentFocus")\n'
TAKEN = 'real("shell:input tap 360 446")\n'


def test_a_run_without_a_request_is_not_completed(tmp_path: Path, phone: SimulatedPhone) -> None:
    """All that the program does, it does at the real server; what the task needs is on the screen in the end."""
    feedback = tmp_path / "f.jsonl"
    said = run(tmp_path, phone, TAKEN, "--feedback", str(feedback), "--json")
    assert said.returncode == 2
    end = json.loads(said.stdout.splitlines()[-1])
    assert end["around"] == SILENT and end["completed"] is False
    events = [json.loads(line) for line in feedback.read_text().splitlines()]
    assert [event["kind"] for event in events] == ["begin", "event", "end"]
    assert events[1]["outcome"] == "refused" and SILENT in events[1]["feedback"]
    assert '"completed":false' in (tmp_path / "j.jsonl").read_text().replace(" ", "")


@pytest.mark.parametrize("mode", ["enforce", pytest.param("shadow", marks=pytest.mark.slow)])
def test_a_change_that_no_act_made_is_said(tmp_path: Path, phone: SimulatedPhone, mode: str) -> None:
    said = run(tmp_path, phone, LOOKS + TAKEN, "--mode", mode)
    assert said.returncode == 2 and sentence(said).count(CHANGED) >= 1
    assert "The task was completed" not in said.stderr


BLOCKED = 'guarded("shell:input keyevent 26")\n'


@pytest.mark.parametrize("text", [BLOCKED + TAKEN, TAKEN + BLOCKED])
def test_a_change_beside_a_block_is_said(tmp_path: Path, phone: SimulatedPhone, text: str) -> None:
    """Also where the next proposal was judged on the changed screen already."""
    said = run(tmp_path, phone, text)
    assert said.returncode == 2 and CHANGED in sentence(said)


@pytest.mark.parametrize("text", [LOOKS, LOOKS + 'guarded("shell:input tap 360 446")\n'])
def test_reads_and_acts_that_passed_are_not_suspected(
    tmp_path: Path, phone: SimulatedPhone, text: str
) -> None:
    said = run(tmp_path, phone, text)
    assert said.returncode == (0 if "tap" in text else 1), said.stderr
    assert "around the guard" not in sentence(said)


def test_the_side_channel_takes_no_finish_either(tmp_path: Path, phone: SimulatedPhone) -> None:
    text = """
        import os, urllib.request, urllib.error
        def finish():
            request = urllib.request.Request(os.environ["VSA_GUARD_URL"] + "/v1/propose", b'{"action": "finish"}',
                                             {"Authorization": "Bearer " + os.environ["VSA_GUARD_TOKEN"]})
            try:
                return urllib.request.urlopen(request).status
            except urllib.error.HTTPError as error:
                return error.code, error.read().decode()
        real("shell:input tap 360 446")
        print(finish())
        guarded("shell:getprop")
        print(finish())
    """
    said = run(tmp_path, phone, text)
    assert said.returncode == 2
    first, second = said.stdout.splitlines()
    assert first.startswith("(409") and "No request for the phone" in first
    assert second.startswith("(409") and "no act passed the guard" in second


def test_what_fails_before_it_asks_is_said(tmp_path: Path, phone: SimulatedPhone) -> None:
    said = run(tmp_path, phone, "raise SystemExit(7)")
    assert said.returncode == 2
    assert "ended with exit status 7" in said.stderr and SILENT in sentence(said)


# ---------------------------------------------------------------- what counts as another screen


def screen(*nodes: str, now: str = "2026-04-01 12:00", toasts: tuple[str, ...] = ()) -> TreeScreen:
    import datetime as dt

    tree = load_tree(f'<hierarchy rotation="0">{"".join(nodes)}</hierarchy>')
    return TreeScreen(tree, now=dt.datetime.fromisoformat(now), toasts=toasts)


def node(text: str, package: str = "com.a", top: int = 0) -> str:
    return f'<node text="{text}" class="Text" package="{package}" bounds="[0,{top}][700,{top + 50}]"/>'


BAR = "com.android.systemui"


@pytest.mark.parametrize(
    ("before", "after", "wanted"),
    [
        ((node("12:00"),), (node("12:03"),), False),  # the phone's clock is at 12:03 then
        ((node("12:00 PM"),), (node("12:03 PM"),), False),
        ((node("18:30"),), (node("20:00"),), True),  # a time that was chosen
        ((node("12:00"),), (node("20:00"),), True),
        ((node("12:03", BAR),), (node("12:04", BAR), node("Ann: hello", BAR, 60)), False),
        ((node("Cart 0"),), (node("Cart 1"),), True),
        ((), (node("Done"),), True),
        ((node("a"), node("b", top=60)), (node("a"), node("b", top=60)), False),
    ],
)
def test_a_clock_is_not_another_screen(before: tuple[str, ...], after: tuple[str, ...], wanted: bool) -> None:
    assert differs(screen(*before), screen(*after, now="2026-04-01 12:03")) is wanted


def test_a_message_that_popped_up_is_a_change() -> None:
    assert differs(screen(node("a")), screen(node("a"), toasts=("Added",)))


# ---------------------------------------------------------------- a network of its own


def test_the_real_server_is_never_reached_from_inside() -> None:
    real = Upstream("127.0.0.1", 5037, "phone")
    assert reached_inside([("10.0.0.1", 8000)], 6000, 7000, real) == {
        8000: ("10.0.0.1", 8000),
        5037: ("127.0.0.1", 6000),
        6000: ("127.0.0.1", 6000),
        7000: ("127.0.0.1", 7000),
    }
    for reach in (("127.0.0.1", 5037), ("localhost", 5037), ("10.0.0.1", 5037), ("127.0.0.1", 6000)):
        with pytest.raises(SessionError):
            reached_inside([reach], 6000, 7000, real)


ALWAYS_5037 = """
    import socket
    with socket.create_connection(("127.0.0.1", 5037)) as adb:
        adb.sendall(b"000chost:devices")
        print(adb.recv(100).decode())
        request = "host:transport:sim-restaurant"
    with socket.create_connection(("127.0.0.1", 5037)) as adb:
        for asked in (request, "shell:input tap 360 446"):
            adb.sendall(f"{len(asked):04x}{asked}".encode())
            assert adb.recv(4) == b"OKAY"
        adb.recv(100)
"""


def test_inside_the_usual_port_is_the_guards(tmp_path: Path) -> None:
    """What knows no port but 5037 acts through the guard."""
    agent = tmp_path / "agent.py"
    agent.write_text(textwrap.dedent(ALWAYS_5037))
    spec = resource_dir("app_specs") / "examples" / "reserve_r.vsa"
    args = ["-m", "vsalang.tools.cli.main", "guard", str(spec), "--device", "sim:restaurant", "--open", "com.opentable",
            "--journal", str(tmp_path / "j.jsonl"), "--isolate", "--", sys.executable, str(agent)]  # fmt: skip
    said = processes.run(args, cwd=tmp_path, env=dict(os.environ))
    if "user namespaces are not allowed" in said.stderr:
        pytest.skip("user namespaces are not allowed here")
    assert "sim-restaurant\tdevice" in said.stdout, said.stderr
    assert "shell:input tap 360 446" in said.stderr and said.returncode == 1


# ---------------------------------------------------------------- one guard for a phone


def test_a_second_guard_of_a_phone_is_noticed(
    tmp_path: Path, phone: SimulatedPhone, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Until the first one has ended, whatever ended it."""
    monkeypatch.setenv("ANDROID_ADB_SERVER_PORT", str(phone.port))
    with one_guard(phone.serial):
        said = run(tmp_path, phone, LOOKS)
        assert said.returncode == 2
        assert f"another guard has the phone {phone.serial}: process {os.getpid()}" in sentence(said)
        assert not (tmp_path / "j.jsonl").exists()
        with one_guard("another phone"):
            pass
    with one_guard(phone.serial):
        pass


def test_another_users_guard_is_noticed_on_the_phone(
    tmp_path: Path, phone: SimulatedPhone, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A user has files of their own; the phone is the same for all, by whatever name and connection."""
    monkeypatch.setenv("ANDROID_ADB_SERVER_PORT", str(phone.port))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "other"))
    with one_guard(phone.serial), one_guard_on_phone(phone.serial, asked=True) as held:
        assert held
        monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "own"))
        said = run(tmp_path, phone, LOOKS)
        assert said.returncode == 2
        assert f"another guard has the phone {phone.serial}: process {os.getpid()} on " in sentence(said)
        assert not (tmp_path / "j.jsonl").exists()
    assert run(tmp_path, phone, LOOKS).returncode != 2


def test_a_guard_that_was_killed_holds_nothing(
    tmp_path: Path, phone: SimulatedPhone, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANDROID_ADB_SERVER_PORT", str(phone.port))
    code = (
        "import sys, time; from vsalang.agents.session.one_guard import one_guard_on_phone\n"
        "with one_guard_on_phone(sys.argv[1], asked=True) as held: print(held, flush=True); time.sleep(60)"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, phone.serial], stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout is not None and other.stdout.readline() == "True\n"
        with (
            pytest.raises(SessionError, match=f"process {other.pid}"),
            one_guard_on_phone(phone.serial, asked=True),
        ):
            pass
        other.kill()
    until = time.monotonic() + 30
    while True:
        try:
            with one_guard_on_phone(phone.serial, asked=True) as held:
                assert held
                return
        except SessionError:
            assert time.monotonic() < until
            time.sleep(0.02)


def test_a_phone_without_locks_is_said(
    phone: SimulatedPhone, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("ANDROID_ADB_SERVER_PORT", str(phone.port))
    monkeypatch.delitem(SHELL_COMMANDS, "flock")
    with one_guard_on_phone(phone.serial, asked=True) as held:
        assert not held
    assert "whether another guard has the phone" in caplog.text and "not found" in caplog.text
    with one_guard_on_phone("another phone", asked=False) as held:
        assert not held
    assert caplog.text.count("whether another guard") == 1
