"""``vsac phone sim serve``: what it says is enough to reach the phone, and it ends cleanly."""

import contextlib
import json
import os
import re
import signal
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import processes
from tests.phone.adb_peers import ADBS, Adb, binary, real_server
from vsalang.phone.sim import SimulatedPhone, load
from vsalang.phone.wire import Upstream
from vsalang.tools.cli.common import Failure
from vsalang.tools.cli.sim import serve

PROGRAM = "import sys; from vsalang.tools.cli.sim import serve; serve(sys.argv[1:], standalone_mode=False)"


@contextlib.contextmanager
def served(*args: str) -> Iterator[subprocess.Popen[str]]:
    with processes.Process(
        ["-c", PROGRAM, "restaurant", *args],
        stderr=processes.STDOUT,
        env=dict(os.environ),
        text=True,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def tap(port: int, serial: str) -> None:
    with Upstream("127.0.0.1", port, serial).open("shell:input tap 5 6; input swipe 1 2 300 4") as stream:
        stream.read_all()


def test_it_says_how_to_connect_and_shows_inputs() -> None:
    with served() as process:
        assert process.stdout is not None
        said = ""
        while not said.endswith("What reaches the phone:\n"):
            line = process.stdout.readline()
            assert line, said
            said += line
        found = re.search(r"export ANDROID_ADB_SERVER_PORT=(\d+) ANDROID_SERIAL=(\S+)\n", said)
        assert found, said
        assert re.search(r"adb connect 127\.0\.0\.1:\d+ && export ANDROID_SERIAL=127\.0\.0\.1:\d+\n", said), (
            said
        )
        tap(int(found[1]), found[2])
        assert process.stdout.readline().strip() == "12:00:00 tap at 5,6"
        assert process.stdout.readline().strip() == "12:00:02 swipe at 1,2 to 300,4"
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=60) == 0
        assert process.stdout.read() == "\nended; 2 inputs reached the phone\n"


@pytest.mark.parametrize("which", ADBS)
def test_for_programs(which: str) -> None:
    with served("--json") as process:
        assert process.stdout is not None
        started = json.loads(process.stdout.readline())
        assert (started["event"], started["serial"], started["apps"]) == (
            "started",
            "sim-restaurant",
            ["com.opentable"],
        )
        adb = Adb(
            binary(which), int(started["env"]["ANDROID_ADB_SERVER_PORT"]), started["env"]["ANDROID_SERIAL"]
        )
        assert adb.out("shell", "echo", "hello") == b"hello\n"
        with socket.create_connection((started["adbd"]["host"], started["adbd"]["port"]), timeout=60):
            pass
        tap(started["server"]["port"], "")
        rows = [json.loads(process.stdout.readline()) for _ in range(2)]
        assert rows[0] == {"event": "input", "time": "2026-04-01T12:00:00", "kind": "tap", "x": 5, "y": 6}
        assert (rows[1]["kind"], rows[1]["x2"], rows[1]["y2"]) == ("swipe", 300, 4)
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=60) == 0
        assert json.loads(process.stdout.readline()) == {"event": "ended", "inputs": 2}


def test_ports_that_cannot_be_used(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        for option in ("--port", "--adbd-port"):
            with pytest.raises(Failure, match=f"cannot listen on port {port}: "):
                serve.main(["restaurant", option, port], standalone_mode=False)
        with pytest.raises(Failure, match="are the same"):
            serve.main(["restaurant", "--port", port, "--adbd-port", port], standalone_mode=False)
    assert capsys.readouterr().err == ""


def test_a_port_on_which_emulators_are_sought(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from vsalang.phone import sim

    def refuse(*_: object, **__: object) -> None:
        raise OSError(98, "Address already in use")

    monkeypatch.setattr(sim.SimulatedPhone, "start", refuse)
    with pytest.raises(Failure):
        serve.main(["restaurant", "--adbd-port", "5557"], standalone_mode=False)
    assert "also be listed as emulator-5556" in capsys.readouterr().err


def test_the_commands_of_the_reference(tmp_path: Path) -> None:
    """What the page says of `adb connect`, typed in a shell, with an adb server of our own."""
    page = Path(__file__).resolve().parents[3] / "docs" / "reference" / "simulator.md"
    blocks = re.findall(r"```console\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    (block,) = (each for each in blocks if "adb connect" in each)
    typed = [line[2:] for line in block.splitlines() if line.startswith("$ ")]
    told = [line for line in block.splitlines() if not line.startswith("$ ")]
    with real_server(ADBS[0]) as server, SimulatedPhone.start(load("restaurant")) as simulated:
        port = str(simulated.daemon.port)
        (tmp_path / "adb").write_text(f'#!/bin/sh\nexec "{server.path}" -P {server.port} "$@"\n')
        (tmp_path / "adb").chmod(0o755)
        done = subprocess.run(
            ["sh", "-e", "-c", "\n".join(typed).replace("PORT", port)],
            capture_output=True, text=True, cwd=tmp_path, timeout=60, check=False,
            env=os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}"},
        )  # fmt: skip
        assert done.returncode == 0, done
        assert done.stdout.replace(port, "PORT").splitlines() == told
        assert (tmp_path / "screen.png").read_bytes().startswith(b"\x89PNG")
