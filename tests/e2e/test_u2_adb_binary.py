"""The real adb command (of adbutils' wheel), and uiautomator2 as a program starts it, against the simulator."""

import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from vsalang.phone.sim import SimulatedPhone, load

adbutils = pytest.importorskip("adbutils")
Adb = Callable[..., "subprocess.CompletedProcess[bytes]"]


@pytest.fixture(scope="module")
def simulated() -> Iterator[SimulatedPhone]:
    with SimulatedPhone.start(load("restaurant")) as running:
        running.phone.open_app("com.opentable")
        yield running


def _environment(simulated: SimulatedPhone) -> dict[str, str]:
    # ADB_LOCAL_TRANSPORT_MAX_PORT: should a server be started against expectation, it looks for no emulators.
    return {
        **os.environ,
        "ANDROID_ADB_SERVER_PORT": str(simulated.port),
        "ANDROID_SERIAL": simulated.serial,
        "ADB_LOCAL_TRANSPORT_MAX_PORT": "5553",
        "ADB_MDNS_AUTO_CONNECT": "",
    }


@pytest.fixture(scope="module")
def adb(simulated: SimulatedPhone) -> Adb:
    try:
        binary = adbutils.adb_path()
        subprocess.run([binary, "--version"], check=True, capture_output=True, timeout=60)
    except (OSError, subprocess.SubprocessError, RuntimeError) as error:
        pytest.skip(f"no adb command that runs here: {error}")

    def run(*args: str, stdin: bytes = b"") -> "subprocess.CompletedProcess[bytes]":
        return subprocess.run(
            [binary, *args], env=_environment(simulated), input=stdin, capture_output=True, timeout=60
        )

    return run


def test_devices(adb: Adb, simulated: SimulatedPhone) -> None:
    assert f"{simulated.serial}\tdevice" in adb("devices").stdout.decode()
    assert "model:VSA_Phone" in adb("devices", "-l").stdout.decode()
    assert adb("get-state").stdout.strip() == b"device"
    assert adb("get-serialno").stdout.strip().decode() == simulated.serial
    assert adb("wait-for-device").returncode == 0


def test_shell_with_exit_status_and_both_streams(adb: Adb) -> None:
    done = adb("shell", "echo out; nothere")
    assert done.returncode == 127
    assert done.stdout == b"out\n"
    assert b"nothere: inaccessible or not found" in done.stderr
    assert adb("shell", "-x", "echo $?").stdout == b"0\n"
    assert adb("shell", stdin=b"echo typed\nexit\n").stdout == b"typed\n"
    assert adb("shell", "getprop ro.product.model").stdout == b"VSA Phone\n"


def test_inputs_arrive_however_they_are_quoted(adb: Adb, simulated: SimulatedPhone) -> None:
    before = len(simulated.phone.inputs)
    adb("shell", "input tap 20 1500")
    adb("exec-out", "input", "tap", "21", "1500")
    adb("shell", "-x", "input", "touchscreen", "tap", "22", "1500")
    adb("shell", "input", "-d", "0", "swipe", "100", "1000", "100", "1001", "800")
    adb("shell", "input keyevent KEYCODE_BACK 3")
    kinds = [(item.kind, item.x, item.text) for item in simulated.phone.inputs[before:]]
    assert kinds == [
        ("tap", 20, ""), ("tap", 21, ""), ("tap", 22, ""), ("long_press", 100, ""),
        ("key", -1, "BACK"), ("key", -1, "HOME"),
    ]  # fmt: skip
    adb("shell", "monkey -p com.opentable -c android.intent.category.LAUNCHER 1")
    assert simulated.phone.package == "com.opentable"


def test_typed_text_reaches_the_focused_field(adb: Adb, simulated: SimulatedPhone) -> None:
    simulated.phone.tap_id("search_box")
    adb("shell", "input text 'sea%sfood'")
    assert simulated.phone.state("com.opentable")["query"] == "sea food"
    simulated.phone.clear_focused()


def test_screencap_and_dump(adb: Adb) -> None:
    assert adb("exec-out", "screencap", "-p").stdout.startswith(b"\x89PNG")
    dump = adb("exec-out", "uiautomator", "dump", "/dev/tty").stdout.decode()
    assert dump.startswith("<?xml")
    assert dump.rstrip().endswith("UI hierchary dumped to: /dev/tty")
    assert adb("shell", "uiautomator dump && cat /sdcard/window_dump.xml").stdout.count(b"<hierarchy") == 1


def test_push_pull_and_list(adb: Adb, tmp_path: Path) -> None:
    (tmp_path / "up").write_bytes(b"x" * 200_000)
    assert adb("push", str(tmp_path / "up"), "/sdcard/up").returncode == 0
    assert adb("pull", "/sdcard/up", str(tmp_path / "down")).returncode == 0
    assert (tmp_path / "down").read_bytes() == b"x" * 200_000
    assert b"up" in adb("ls", "/sdcard").stdout
    assert adb("pull", "/sdcard/absent", str(tmp_path / "no")).returncode != 0


def test_forward(adb: Adb, simulated: SimulatedPhone) -> None:
    port = int(adb("forward", "tcp:0", "tcp:9008").stdout)
    assert f"{simulated.serial} tcp:{port} tcp:9008" in adb("forward", "--list").stdout.decode()
    assert adb("forward", "--remove", f"tcp:{port}").returncode == 0
    adb("forward", "tcp:0", "tcp:9008")
    assert adb("forward", "--remove-all").returncode == 0
    assert adb("forward", "--list").stdout.strip() == b""


def test_what_is_not_offered_fails_with_a_message(adb: Adb) -> None:
    for command in (("tcpip", "5555"), ("usb",), ("connect", "127.0.0.1:1")):
        done = adb(*command)
        assert done.returncode != 0 or b"closed" in done.stdout + done.stderr, command
    assert adb("get-state").stdout.strip() == b"device"


def test_the_server_is_not_ended_by_its_clients(adb: Adb, simulated: SimulatedPhone) -> None:
    """`host:kill` is answered OKAY, as clients expect it, and the server stays, whichever version the command is."""
    with socket.create_connection(("127.0.0.1", simulated.port), timeout=60) as client:
        client.sendall(b"0009host:kill")
        said = b""
        while data := client.recv(1024):
            said += data
    assert said == b"OKAY"
    forwarded = int(adb("forward", "tcp:0", "tcp:9008").stdout)
    adb("kill-server")
    # it is the same server as before, not one that the command started again
    assert f"tcp:{forwarded} tcp:9008" in adb("forward", "--list").stdout.decode()
    assert adb("get-state").stdout.strip() == b"device"
    adb("forward", "--remove-all")


def test_uiautomator2_as_a_program_uses_it(simulated: SimulatedPhone) -> None:
    program = (
        "import uiautomator2 as u2\n"
        "device = u2.connect()\n"
        "device.app_start('com.opentable', stop=True)\n"
        "device(text='R').click()\n"
        "print(device(resourceId='com.opentable:id/restaurant_name').get_text(), device.serial)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=_environment(simulated),
        capture_output=True,
        timeout=120,
        text=True,
    )
    assert done.stdout.split() == ["R", simulated.serial], done.stderr
