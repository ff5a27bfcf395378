"""The device behind real adb servers: it goes offline and comes back, the server is started again, faults happen."""

import socket
import subprocess
import threading
from collections.abc import Callable

import pytest

from tests.phone import adb_peers as peers
from vsalang.phone import DeviceError, NotDelivered
from vsalang.phone.open import open_device
from vsalang.phone.open.simulated import SimulatedDevice
from vsalang.phone.sim import SimulatedPhone, load
from vsalang.phone.uiautomator import UiAutomatorDevice, connect
from vsalang.phone.uiautomator.adb import adb_client, adb_device
from vsalang.phone.wire import AdbServer
from vsalang.program.action import Action

pytest.importorskip("uiautomator2")
PACKAGE = "com.opentable"


@pytest.mark.parametrize("which", peers.ADBS)
def test_a_connection_that_drops_is_made_again(which: str) -> None:
    with peers.real_server(which) as adb, SimulatedPhone.start(load("restaurant")) as phone:
        peers.joined(adb, phone.daemon)
        serial = phone.daemon.serial
        with connect(serial, adb_port=adb.port, settle_interval=0.0, reconnect=20.0) as device:
            phone.phone.open_app(PACKAGE)
            before = device.observe()
            device.perform(Action("tap", {"text": "R"}), before.target("tap", {"text": "R"}))
            inputs = phone.phone.inputs
            phone.daemon.drop()
            after = device.observe()
            assert after.fingerprint != before.fingerprint
            assert phone.phone.inputs == inputs
            adb.run("disconnect", serial)  # the user pulls it out
            assert device.observe().fingerprint == after.fingerprint
            assert phone.phone.inputs == inputs


def test_the_adb_server_is_started_again() -> None:
    with SimulatedPhone.start(load("restaurant")) as phone:
        serial = phone.daemon.serial
        with peers.real_server("wheel") as adb:
            peers.joined(adb, phone.daemon)
            device = connect(serial, adb_port=adb.port, settle_interval=0.0, reconnect=20.0)
            phone.phone.open_app(PACKAGE)
            before = device.observe()
        target = before.target("tap", {"text": "R"})
        device_gone(device, target, phone)
        done = threading.Event()

        def again() -> None:
            server = subprocess.Popen(
                [adb.path, "-P", str(adb.port), "nodaemon", "server"],
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=peers.environment(),
            )  # fmt: skip
            done.wait(60)
            server.terminate()
            server.wait(60)

        thread = threading.Timer(0.5, again)
        thread.start()
        try:
            assert device.observe().fingerprint == before.fingerprint
            device.perform(Action("tap", {"text": "R"}), target)
            assert [item.kind for item in phone.phone.inputs] == ["open_app", "tap"]
            device.close()
        finally:
            done.set()
            thread.join()


def device_gone(device: UiAutomatorDevice, target: object, phone: SimulatedPhone) -> None:
    """While there is no server, an input is not delivered, and says so."""
    device.link._reconnect = 0.1
    with pytest.raises(NotDelivered):
        device.perform(Action("tap", {"text": "R"}), target)  # type: ignore[arg-type]
    assert [item.kind for item in phone.phone.inputs] == ["open_app"]
    device.link._reconnect = 20.0


def test_a_phone_in_bad_shape_gets_each_input_once() -> None:
    """Lost and late taps, old and empty screens, a server that dies, a device that goes offline."""
    sent = 0
    with open_device("sim:restaurant#flaky") as device:
        assert isinstance(device, SimulatedDevice)
        counted: list[str] = []
        real = device.phone.tap_at

        def count(place: Callable[[], tuple[int, int]]) -> None:
            counted.append("tap")
            real(place)

        device.phone.tap_at = count  # type: ignore[method-assign]
        device.perform(Action("open_app"), {"package": PACKAGE})
        for _ in range(12):
            try:
                screen = device.observe()
                rows = [row for row in screen.rows("Node") if row.get("clickable") and row.get("enabled")]
                if not rows:
                    continue
                target = screen.target("tap", {"node": rows[-1]["node"]})
                before = len(counted)
                device.perform(Action("tap", {"node": rows[-1]["node"]}), target)
                sent += 1
                assert len(counted) == before + 1
            except NotDelivered:
                assert len(counted) == before  # what was judged was not there any more
            except DeviceError as error:
                assert error.delivered is None
                assert len(counted) <= before + 1
    assert sent >= 4


def test_only_a_network_serial_is_connected_to_again() -> None:
    """A name without a port is nothing that adb could connect to."""
    with SimulatedPhone.start(load("restaurant")) as phone:
        device = connect(phone.serial, adb_port=phone.port, settle_interval=0.0, reconnect=0.5)
        phone.server.detach(phone.serial)
        with pytest.raises(DeviceError, match="not among its devices"):
            device.observe()
        device.close()


def test_nothing_listens_where_the_device_was() -> None:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    with AdbServer.start({}) as server, pytest.raises(DeviceError, match="vsac phone doctor"):
        connect(f"127.0.0.1:{port}", adb_port=server.port)


def test_the_body_of_a_request_does_not_wait() -> None:
    """A server that acknowledges late, as the adb command's does, would hold it back for 40 ms."""
    with (
        SimulatedPhone.start(load("restaurant")) as phone,
        adb_client("127.0.0.1", phone.port).make_connection() as connection,
    ):
        assert connection.conn.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


def test_the_version_is_asked_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """One connection for each request, not two; and none is left half closed for a time that is waited out."""
    with SimulatedPhone.start(load("restaurant")) as phone:
        client = adb_client("127.0.0.1", phone.port)
        device = adb_device(client, phone.serial)
        made: list[float | None] = []
        real = type(client).make_connection
        monkeypatch.setattr(
            type(client), "make_connection", lambda self, *a, **k: made.append(None) or real(self, *a, **k)
        )
        monkeypatch.setattr("adbutils._adb.time.sleep", lambda seconds: pytest.fail("it waits blindly"))
        assert [device.shell("echo a"), device.shell("echo b")] == ["a", "b"]
        assert len(made) == 3
