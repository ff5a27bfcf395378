"""``vsac sim`` and ``vsac devices``."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from vsalang.cli import devices, sim
from vsalang.device.sim import SimulatedPhone, load


def run(command: object, *args: str, env: dict[str, str] | None = None) -> Result:
    return CliRunner().invoke(command, args, env=env)  # type: ignore[arg-type]


def test_screenshot_after_taps(tmp_path: Path) -> None:
    pytest.importorskip("PIL")
    file = tmp_path / "a.png"
    done = run(
        sim.command, "screenshot", "restaurant", "-o", str(file), "--tap", "R", "--tap", "slot_button#2"
    )
    assert done.exit_code == 0, done.output
    assert file.read_bytes().startswith(b"\x89PNG")
    other = tmp_path / "b.png"
    assert run(sim.command, "screenshot", "sim:restaurant", "-o", str(other), "--home").exit_code == 0
    assert other.read_bytes() != file.read_bytes()


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (("absent", "-o", "x.png"), "no simulated phone 'absent'"),
        (("restaurant", "-o", "x.png", "--tap", "absent"), "nothing on the screen is called 'absent'"),
        (("restaurant", "-o", "x.png", "--scenario", "absent"), "no scenario is called 'absent'"),
        (("restaurant", "-o", "x.png", "--open", "absent"), "the phone has no app 'absent'"),
        (("restaurant", "-o", "/nowhere/x.png"), "cannot be written"),
    ],
)
def test_screenshot_that_cannot_be_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, args: tuple[str, ...], message: str
) -> None:
    pytest.importorskip("PIL")
    monkeypatch.chdir(tmp_path)
    done = run(sim.command, "screenshot", *args)
    assert done.exit_code == 2
    assert message in done.output
    assert list(tmp_path.iterdir()) == []


def test_serve_says_how_to_connect_and_shows_inputs() -> None:
    program = "import sys; from vsalang.cli.sim import command; command(sys.argv[1:], standalone_mode=False)"
    with subprocess.Popen(
        [sys.executable, "-u", "-c", program, "serve", "restaurant"],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=dict(os.environ),
    ) as process:
        assert process.stdout is not None
        try:
            lines = [process.stdout.readline() for _ in range(7)]
            found = re.search(
                r"export ANDROID_ADB_SERVER_PORT=(\d+) ANDROID_SERIAL=sim-restaurant", "".join(lines)
            )
            assert found, lines
            with socket.create_connection(("127.0.0.1", int(found[1])), timeout=10) as connection:
                connection.sendall(b"001dhost:transport:sim-restaurant0013shell:input tap 5 6")
                while connection.recv(100):
                    pass
            assert process.stdout.readline().strip() == "12:00:00 tap at 5,6"
            process.send_signal(signal.SIGINT)
            assert process.wait(timeout=20) == 0
        finally:
            process.kill()


def test_devices_with_and_without_an_adb_server() -> None:
    pytest.importorskip("adbutils")
    with SimulatedPhone.start(load("restaurant")) as simulated:
        env = {"ANDROID_ADB_SERVER_PORT": str(simulated.port), "ANDROID_ADB_SERVER_HOST": "127.0.0.1"}
        there = run(devices.command, env=env)
        listed = json.loads(run(devices.command, "--format", "json", env=env).output)
    assert "sim-restaurant  device  VSA_Phone" in there.output
    assert listed["adb"] == [{"name": "sim-restaurant", "state": "device", "model": "VSA_Phone"}]
    assert listed["simulated"][0]["name"] == "sim:restaurant"
    gone = run(devices.command, env=env)
    assert gone.exit_code == 0
    assert "no adb server answers at 127.0.0.1:" in gone.output
    assert "sim:restaurant#taken" in gone.output


def test_devices_says_what_is_wrong_with_the_port() -> None:
    pytest.importorskip("adbutils")
    assert "must be a port number" in run(devices.command, env={"ANDROID_ADB_SERVER_PORT": "x"}).output
