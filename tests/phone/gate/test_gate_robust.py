"""What is left when a guard is killed, and what happens when the phone goes away."""

import json
import signal
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import pytest

from tests import processes
from tests.commands import vsac_and_programs
from tests.phone.gate.test_gate_run import SPEC, _alive
from vsalang.phone import DeviceLost
from vsalang.phone.gate import watch
from vsalang.phone.gate.keeper import Keeper
from vsalang.phone.gate.watch import PhoneWatch
from vsalang.phone.sim import SimulatedPhone, load

pytest.importorskip("uiautomator2")
STAYS = """
    import adbutils, os, subprocess, sys, time
    phone = adbutils.adb.device()
    phone.shell("getprop")
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    print(os.getpid(), child.pid, flush=True)
    while True:
        try:
            phone.shell("getprop")
        except Exception:
            pass
        time.sleep(0.2)
"""


def program(tmp_path: Path, text: str) -> list[str]:
    file = tmp_path / "agent.py"
    file.write_text(textwrap.dedent(text))
    return [sys.executable, str(file)]


def ended(pids: list[int], seconds: float = 60) -> bool:
    until = time.monotonic() + seconds
    while time.monotonic() < until and any(map(_alive, pids)):
        time.sleep(0.05)
    return not any(map(_alive, pids))


@pytest.mark.parametrize("server", ["own", pytest.param("real", marks=pytest.mark.slow)])
def test_a_killed_guard_leaves_nothing_and_goes_on(tmp_path: Path, server: str) -> None:
    journal = tmp_path / "j.jsonl"
    args = ["-m", "vsalang.tools.cli.main", "guard", SPEC, "--device", "sim:restaurant", "--open", "com.opentable",
            "--journal", str(journal), "--adb-server", server, "--", *program(tmp_path, STAYS)]  # fmt: skip
    process = processes.Process(args, text=True)
    assert process.stdout is not None
    said = process.stdout.readline()
    if not said:
        assert process.stderr is not None and "there is no adb command" in process.stderr.read()
        pytest.skip("there is no adb command")
    pids = [int(word) for word in said.split()]
    started = subprocess.run(
        ["ps", "-ww", "-o", "pid=,args=", "--ppid", str(process.pid)],
        capture_output=True,
        text=True,
        check=False,
    ).stdout
    servers = [int(row.split()[0]) for row in started.splitlines() if "nodaemon" in row]
    assert bool(servers) == (server == "real") or not started
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert ended([*pids, *servers])
    again = vsac_and_programs(
        "run", "--resume", str(journal), "--device", "sim:restaurant", "--",
        sys.executable, "-c", "import adbutils; print(adbutils.adb.device().shell('getprop ro.product.model'))",
        cwd=tmp_path,
    )  # fmt: skip
    assert again.returncode == 1 and again.stdout == "VSA Phone\n", again.stderr


def test_a_keeper_that_is_closed_ends_nothing() -> None:
    process = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], process_group=0)
    keeper = Keeper(process.pid)
    keeper.close()
    keeper.close()
    assert process.poll() is None
    other = Keeper(process.pid)
    assert other._process is not None and other._process.stdin is not None
    other._process.stdin.close()  # as the end of this process does it
    assert process.wait(timeout=60) == -signal.SIGTERM
    other._process.wait(timeout=60)


# ---------------------------------------------------------------- a phone that is gone


class Server:
    """An adb server that answers what it is told to."""

    def __init__(self, *answers: str | Exception) -> None:
        self.answers = list(answers)
        self.asked = 0

    def ask(self, request: str) -> str:
        assert request == "get-state"
        self.asked += 1
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, Exception):
            raise answer
        return answer


def test_a_phone_that_comes_back_is_not_gone() -> None:
    gone: list[str] = []
    server = Server("device", DeviceLost("no device"), "offline", "device")
    with PhoneWatch(server, gone.append, limit=30, every=0.01):
        until = time.monotonic() + 60
        while server.asked < 6 and time.monotonic() < until:
            time.sleep(0.01)
    assert server.asked >= 6 and gone == []


@pytest.mark.parametrize("answer", ["offline", DeviceLost("no device")])
def test_a_phone_that_stays_away_is_gone_once(answer: str | Exception) -> None:
    gone: list[str] = []
    told = threading.Event()
    server = Server("device", answer)

    def tell(why: str) -> None:
        gone.append(why)
        told.set()

    with PhoneWatch(server, tell, limit=0.05, every=0.01):
        assert told.wait(60)
    assert len(gone) == 1 and ("offline" in gone[0] or "no device" in gone[0])


def test_a_phone_that_is_gone_ends_the_session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that tries again for ever is ended; what is lost is said, and the status is 2."""
    monkeypatch.setattr(watch.PhoneWatch.__init__, "__kwdefaults__", {"limit": 0.3, "every": 0.05})
    text = STAYS + "    # unplugged by the test"
    with SimulatedPhone.start(load("restaurant")) as phone:
        phone.phone.open_app("com.opentable")
        args = ["guard", SPEC, "--device", phone.serial, "--journal", str(tmp_path / "j.jsonl"), "--json", "--",
                *program(tmp_path, text)]  # fmt: skip
        unplug = threading.Timer(4, phone.server.detach, [phone.serial])
        unplug.start()
        said = vsac_and_programs(
            *args, cwd=tmp_path, ANDROID_ADB_SERVER_PORT=str(phone.port), HOME=str(tmp_path)
        )
        unplug.cancel()
    assert said.returncode == 2, said.stderr
    end = json.loads(said.stdout.splitlines()[-1])
    assert "it is gone for 0.3 seconds" in end["lost"] and end["completed"] is False
    assert ended([int(word) for word in said.stdout.splitlines()[0].split()])
