"""Other real clients against the simulated phone: adbutils, an asynchronous one, one that speaks adbd's packets itself,
and the habits of older versions of uiautomator2."""

import asyncio
import json
import socket
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.phone.adb_peers import joined, pattern, real_server
from vsalang.phone.sim import SimulatedPhone, load

PACKAGE = "com.opentable"


@pytest.fixture(scope="module")
def simulated() -> Iterator[SimulatedPhone]:
    with SimulatedPhone.start(load("restaurant")) as running:
        yield running


@pytest.fixture(params=["server", "adbd"], scope="module")
def place(request: pytest.FixtureRequest, simulated: SimulatedPhone) -> Iterator[tuple[int, str]]:
    """Port and serial: of our own server, or of a real one that has connected to the phone's adbd."""
    if request.param == "server":
        yield simulated.port, simulated.serial
        return
    with real_server("wheel") as server:
        joined(server, simulated.daemon)
        yield server.port, simulated.daemon.serial


# ---- adbutils ------------------------------------------------------------------------------------------------


@pytest.fixture
def adbutils_device(place: tuple[int, str]) -> Any:
    adbutils = pytest.importorskip("adbutils")
    return adbutils.AdbClient("127.0.0.1", place[0]).device(place[1])


def test_adbutils(adbutils_device: Any, simulated: SimulatedPhone, tmp_path: Path) -> None:
    d, phone = adbutils_device, simulated.phone
    phone.stop_app(PACKAGE, clear=True)
    assert d.get_state() == "device"
    assert "shell_v2" in d.get_features()
    assert d.shell("echo a; nothere") == "a\n/system/bin/sh: nothere: inaccessible or not found"
    done = d.shell2("echo a; nothere", v2=True)
    assert (done.returncode, done.stdout, done.stderr[:15]) == (127, "a\n", "/system/bin/sh:")
    assert d.shell2("false").returncode == 1
    assert d.prop.model == "VSA Phone"
    assert tuple(d.window_size()) == (720, 1520)
    assert d.rotation() == 0
    assert d.is_screen_on()
    d.app_start(PACKAGE)
    assert d.app_current().package == PACKAGE
    assert d.app_info(PACKAGE).package_name == PACKAGE
    assert PACKAGE in d.list_packages()
    d.click(100, 490)
    assert phone.inputs[-1].target == "result_card"
    d.swipe(300, 1200, 300, 600, 0.2)
    assert phone.inputs[-1].kind == "swipe"
    d.keyevent("BACK")
    d.send_keys("what's & $up")
    assert phone.inputs[-1].text == "what's & $up"
    assert "<hierarchy" in d.dump_hierarchy()
    assert d.screenshot().size == (720, 1520)
    d.app_stop(PACKAGE)
    assert d.battery().level == 87

    (tmp_path / "f").write_bytes(pattern(700_000))
    d.sync.push(str(tmp_path / "f"), "/sdcard/f")
    assert d.sync.stat("/sdcard/f").size == 700_000
    assert d.sync.exists("/sdcard/f")
    assert not d.sync.exists("/sdcard/g")
    assert d.sync.read_bytes("/sdcard/f") == pattern(700_000)
    assert "f" in [entry.path for entry in d.sync.list("/sdcard")]
    d.sync.pull("/sdcard/f", str(tmp_path / "g"))
    assert (tmp_path / "g").read_bytes() == pattern(700_000)
    d.remove("/sdcard/f")
    assert not d.sync.exists("/sdcard/f")

    port = d.forward_port(9008)
    assert [each.remote for each in d.forward_list() if each.serial == d.serial] == ["tcp:9008"]
    assert d.forward_port(9008) == port
    d.open_transport().close()
    adbutils = pytest.importorskip("adbutils")
    d.reverse("tcp:6100", "tcp:7100")
    assert [(each.remote, each.local) for each in d.reverse_list()] == [("tcp:6100", "tcp:7100")]
    assert d.framebuffer().size == d.screenshot().size
    with pytest.raises(adbutils.AdbError):
        d.create_connection(adbutils.Network.TCP, 81)


def test_a_shell_that_stays_open(adbutils_device: Any) -> None:
    """`shell(stream=True)`, as pidcat and recorders use it."""
    stream = adbutils_device.shell("cat", stream=True)
    stream.send(b"one line\n")
    assert stream.read(9) == b"one line\n"
    stream.close()


def test_forty_threads(adbutils_device: Any) -> None:
    def one(number: int) -> str:
        return str(adbutils_device.shell(f"echo {number}"))

    with ThreadPoolExecutor(40) as pool:
        assert list(pool.map(one, range(120))) == [str(number) for number in range(120)]


# ---- asynchronous --------------------------------------------------------------------------------------------


def test_async_adbutils(place: tuple[int, str], simulated: SimulatedPhone, tmp_path: Path) -> None:
    async_adbutils = pytest.importorskip("async_adbutils")
    phone = simulated.phone
    phone.stop_app(PACKAGE, clear=True)
    (tmp_path / "f").write_bytes(pattern(100_000))

    async def use() -> None:
        client = async_adbutils.AdbClient("127.0.0.1", place[0])
        d = await client.device(place[1])
        assert await d.get_state() == "device"
        assert await d.shell("echo hello") == "hello"
        assert tuple(await d.window_size()) == (720, 1520)
        await d.app_start(PACKAGE)
        assert (await d.app_current()).package == PACKAGE
        await d.click(100, 490)
        assert phone.inputs[-1].target == "result_card"
        await d.swipe(300, 1200, 300, 600, 0.2)
        await d.keyevent("KEYCODE_BACK")
        assert "<hierarchy" in await d.dump_hierarchy()
        assert (await d.screenshot_bytes()).startswith(b"\x89PNG")
        await d.sync.push(str(tmp_path / "f"), "/sdcard/async")
        assert (await d.sync.stat("/sdcard/async")).size == 100_000
        assert await d.sync.read_bytes("/sdcard/async") == pattern(100_000)
        answers = await asyncio.gather(*(d.shell(f"echo {number}") for number in range(30)))
        assert answers == [str(number) for number in range(30)]

    asyncio.run(use())


# ---- adbd's packets in pure Python ---------------------------------------------------------------------------


def test_adb_shell(simulated: SimulatedPhone, tmp_path: Path) -> None:
    """It is of version 0x01000000: it looks at checksums, and expects each OKAY before the answer."""
    adb_device = pytest.importorskip("adb_shell.adb_device")
    d = adb_device.AdbDeviceTcp("127.0.0.1", simulated.daemon.port, default_transport_timeout_s=10.0)
    assert d.connect(auth_timeout_s=1.0)
    try:
        assert d.shell("echo TEST") == "TEST\n"
        assert d.exec_out("screencap -p", decode=False).startswith(b"\x89PNG")
        assert "".join(d.streaming_shell("echo a; echo b")) == "a\nb\n"
        (tmp_path / "f").write_bytes(pattern(900_000))
        d.push(str(tmp_path / "f"), "/sdcard/pure", mtime=1_000_000_000)
        assert d.stat("/sdcard/pure")[1:] == (900_000, 1_000_000_000)
        d.pull("/sdcard/pure", str(tmp_path / "g"))
        assert (tmp_path / "g").read_bytes() == pattern(900_000)
        assert b"pure" in [bytes(entry.filename) for entry in d.list("/sdcard")]
        before = len(simulated.phone.inputs)
        d.shell("input keyevent HOME")
        assert len(simulated.phone.inputs) == before + 1
        d.root(transport_timeout_s=10.0)
        assert d.shell("whoami") == "shell\n"
        assert d.shell("echo still here") == "still here\n"
    finally:
        d.close()


# ---- older versions of uiautomator2 --------------------------------------------------------------------------


def test_a_forwarded_port_as_uiautomator2_before_3_3_2(
    place: tuple[int, str], simulated: SimulatedPhone
) -> None:
    """``list-forward``, then ``forward:tcp:P;tcp:9008`` with a port of its own choice, then HTTP down that port."""
    port, serial = place
    stop = simulated.services.start_server(9008)
    assert stop is not None
    try:
        listed = ask(port, f"host-serial:{serial}:list-forward")
        assert listed.startswith(b"OKAY")
        with socket.create_server(("127.0.0.1", 0)) as probe:
            local = probe.getsockname()[1]
        assert ask(port, f"host-serial:{serial}:forward:tcp:{local};tcp:9008").startswith(b"OKAYOKAY")
        assert f"{serial} tcp:{local} tcp:9008".encode() in ask(port, f"host-serial:{serial}:list-forward")
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "deviceInfo", "params": {}}).encode()
        request = urllib.request.Request(
            f"http://127.0.0.1:{local}/jsonrpc/0", body, {"Content-Type": "application/json"}
        )
        for _ in range(3):
            with urllib.request.urlopen(request, timeout=60) as answer:
                assert json.load(answer)["result"]["displayWidth"] == 720
        with urllib.request.urlopen(f"http://127.0.0.1:{local}/screenshot/0", timeout=60) as answer:
            assert answer.read(2) == b"\xff\xd8"
        assert ask(port, f"host-serial:{serial}:killforward:tcp:{local}").startswith(b"OKAY")
    finally:
        stop()


def ask(port: int, request: str) -> bytes:
    with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
        connection.sendall(f"{len(request):04x}{request}".encode())
        parts = []
        while data := connection.recv(4096):
            parts.append(data)
        return b"".join(parts)
