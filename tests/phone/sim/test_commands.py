"""``vsac phone sim`` and ``vsac phone list``."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from vsalang.phone.sim import SimulatedPhone, load
from vsalang.tools.cli import devices, sim


def run(command: object, *args: str, env: dict[str, str] | None = None) -> Result:
    return CliRunner().invoke(command, args, env=env)  # type: ignore[arg-type]


def test_screenshot_after_taps(tmp_path: Path) -> None:
    pytest.importorskip("PIL")
    file = tmp_path / "a.png"
    done = run(sim.screenshot, "restaurant", "-o", str(file), "--tap", "R", "--tap", "slot_button#2")
    assert done.exit_code == 0, done.output
    assert file.read_bytes().startswith(b"\x89PNG")
    other = tmp_path / "b.png"
    assert run(sim.screenshot, "sim:restaurant", "-o", str(other), "--home").exit_code == 0
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
    done = run(sim.screenshot, *args)
    assert done.exit_code == 2
    assert message in done.output
    assert list(tmp_path.iterdir()) == []


def test_devices_with_and_without_an_adb_server() -> None:
    pytest.importorskip("adbutils")
    with SimulatedPhone.start(load("restaurant")) as simulated:
        env = {"ANDROID_ADB_SERVER_PORT": str(simulated.port), "ANDROID_ADB_SERVER_HOST": "127.0.0.1"}
        there = run(devices.command, env=env)
        listed = json.loads(run(devices.command, "--format", "json", env=env).output)
    assert "sim-restaurant  device  VSA_Phone" in there.output
    (there_is,) = listed["adb"]
    assert (there_is["name"], there_is["state"], there_is["model"]) == (
        "sim-restaurant",
        "device",
        "VSA_Phone",
    )
    phones = {phone["name"]: phone["scenarios"] for phone in listed["simulated"]}
    assert {"sim:restaurant", "sim:settings", "sim:editor"} <= set(phones)
    assert {"flaky", "taken"} <= set(phones["sim:restaurant"])
    gone = run(devices.command, env=env)
    assert gone.exit_code == 0
    assert "no adb server answers at 127.0.0.1:" in gone.output
    assert "sim:restaurant#taken" in gone.output


def test_devices_says_what_is_wrong_with_the_port() -> None:
    pytest.importorskip("adbutils")
    assert "must be a port number" in run(devices.command, env={"ANDROID_ADB_SERVER_PORT": "x"}).output
