"""Servers that die, devices that go away, answers that do not come: looks recover, inputs are sent once."""

import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from vsalang.phone import DeviceError, DeviceLost, DeviceTimeout, NotDelivered
from vsalang.phone.open import open_device
from vsalang.phone.open.simulated import SimulatedDevice
from vsalang.phone.sim.faults import ServerDied
from vsalang.phone.uiautomator import adb, adb_client, connect
from vsalang.phone.uiautomator.link import Link
from vsalang.phone.wire import AdbServer, Banner
from vsalang.program.action import Action

pytest.importorskip("uiautomator2")
PACKAGE = "com.opentable"


@pytest.fixture
def device() -> Iterator[SimulatedDevice]:
    with open_device("sim:restaurant") as opened:
        assert isinstance(opened, SimulatedDevice)
        opened.phone.open_app(PACKAGE)
        yield opened


def kinds(device: SimulatedDevice) -> list[str]:
    return [item.kind for item in device.phone.inputs]


def kill_server(device: SimulatedDevice) -> None:
    """The server's process is gone, as after `kill -9`; its stream may stay."""
    for server in list(device._simulated.services._servers.values()):
        server.die()


def test_a_killed_server_is_started_for_the_next_look(device: SimulatedDevice) -> None:
    before = device.observe()
    kill_server(device)
    assert device.observe().fingerprint == before.fingerprint
    kill_server(device)
    device.perform(Action("tap", {"text": "R"}), before.target("tap", {"text": "R"}))
    assert kinds(device) == ["open_app", "tap"]


@pytest.mark.parametrize("method", ["dumpWindowHierarchy", "getLastToast", "deviceInfo"])
def test_a_server_that_dies_during_a_look(device: SimulatedDevice, method: str) -> None:
    (server,) = device._simulated.services._servers.values()
    real = getattr(server, f"_do_{method}")
    died: list[bool] = []

    def once(*args: Any) -> Any:
        if not died:
            died.append(True)
            raise ServerDied(after=False)
        return real(*args)

    setattr(server, f"_do_{method}", once)
    assert device.observe().settled if method != "deviceInfo" else device.info.width == 720
    assert died


@pytest.mark.parametrize("done", [True, False])
def test_a_server_that_dies_during_an_input(device: SimulatedDevice, done: bool) -> None:
    target = device.observe().target("tap", {"text": "R"})
    tap = device.phone.tap_at

    def tap_and_die(place: Any) -> None:
        if done:
            tap(place)
        raise ServerDied(after=done)

    device.phone.tap_at = tap_and_die  # type: ignore[method-assign]
    with pytest.raises(DeviceLost, match=r"unknown|lost") as raised:
        device.perform(Action("tap", {"text": "R"}), target)
    assert raised.value.delivered is None
    device.phone.tap_at = tap  # type: ignore[method-assign]
    assert kinds(device) == ["open_app"] + ["tap"] * done
    assert device.observe().settled  # for looking it is started again
    assert kinds(device) == ["open_app"] + ["tap"] * done


def test_a_device_that_comes_back_is_waited_for(device: SimulatedDevice) -> None:
    before = device.observe()
    simulated = device._simulated
    server, services, spec = simulated.server, simulated.services, device.phone.spec
    server.detach(simulated.serial)
    kill_server(device)
    back = threading.Timer(
        0.5, lambda: server.attach(simulated.serial, services, Banner(spec.name, spec.model, spec.name, ()))
    )
    back.start()
    assert device.observe().fingerprint == before.fingerprint
    back.join()


def test_a_device_that_stays_away_is_lost(device: SimulatedDevice) -> None:
    target = device.observe().target("tap", {"text": "R"})
    device._simulated.server.detach(device._simulated.serial)
    with pytest.raises(DeviceLost, match="not among its devices"):
        device.observe()
    with pytest.raises(NotDelivered, match="cannot be checked"):
        device.perform(Action("tap", {"text": "R"}), target)
    assert kinds(device) == ["open_app"]


def test_an_adb_server_that_is_started_again_is_found(device: SimulatedDevice) -> None:
    before = device.observe()
    simulated = device._simulated
    port, spec = simulated.port, device.phone.spec
    simulated.server.close()
    banner = Banner(spec.name, spec.model, spec.name, ())
    started: list[AdbServer] = []
    again = threading.Timer(
        0.4,
        lambda: started.append(AdbServer.start({simulated.serial: (simulated.services, banner)}, port=port)),
    )
    again.start()
    try:
        assert device.observe().fingerprint == before.fingerprint
    finally:
        again.join()
        for server in started:
            server.close()


def test_what_a_phone_wants_first_is_said(device: SimulatedDevice, monkeypatch: pytest.MonkeyPatch) -> None:
    serial = device._simulated.serial
    monkeypatch.setattr(Link, "_states", lambda self: {serial: "unauthorized"})
    monkeypatch.setattr(device._device._eyes, "dump", lambda: (_ for _ in ()).throw(OSError("gone")))
    with pytest.raises(DeviceLost, match="Allow USB debugging"):
        device.observe()
    with pytest.raises(DeviceLost, match=r"is unauthorized.*Allow USB debugging.*vsac phone doctor"):
        connect(serial, adb_port=device.adb_port)


def test_an_answer_that_trickles_in_is_a_timeout(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each byte comes in time, but the answer never ends."""
    import socket

    monkeypatch.setattr(adb, "LONGEST_ANSWER", 0.4)
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def drip() -> None:
            connection, _ = listener.accept()
            with connection:
                try:
                    connection.sendall(b"OKAYffff")
                    for _ in range(100):
                        connection.sendall(b"x")
                        time.sleep(0.05)
                except OSError:
                    return

        thread = threading.Thread(target=drip, daemon=True)
        thread.start()
        with pytest.raises(Exception, match=r"timeout|timed out"):
            adb_client("127.0.0.1", listener.getsockname()[1]).list()
        thread.join(60)
        assert not thread.is_alive()


def test_a_peer_without_end_is_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    import socket

    monkeypatch.setattr(adb._LimitedConnection, "_left", 1000)
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def flood() -> None:
            connection, _ = listener.accept()
            with connection:
                try:
                    connection.sendall(b"OKAYffff" + b"x" * 65535)
                except OSError:
                    return

        thread = threading.Thread(target=flood, daemon=True)
        thread.start()
        with pytest.raises(ConnectionError, match="longer than"):
            adb_client("127.0.0.1", listener.getsockname()[1]).list()
        thread.join(60)


def test_a_server_that_hangs_is_started_for_a_look(
    device: SimulatedDevice, monkeypatch: pytest.MonkeyPatch
) -> None:
    (server,) = device._simulated.services._servers.values()
    released = threading.Event()
    monkeypatch.setattr(server, "_do_getLastToast", lambda: released.wait(10) and None)
    monkeypatch.setattr(adb, "LONGEST_LOOK", 0.5)
    assert device.observe().settled
    assert list(device._simulated.services._servers.values()) != [server]
    released.set()


def test_a_phone_that_hangs_is_a_timeout(device: SimulatedDevice, monkeypatch: pytest.MonkeyPatch) -> None:
    from vsalang.phone.sim.rpc import Automator

    released = threading.Event()
    with monkeypatch.context() as patch:
        patch.setattr(Automator, "_do_getLastToast", lambda self: released.wait(10) and None)
        patch.setattr(adb, "LONGEST_LOOK", 0.5)
        with pytest.raises(DeviceTimeout):
            device.observe()
        released.set()
    assert device.observe().settled


def test_another_program_that_uses_uiautomation_is_named() -> None:
    import uiautomator2.core as core
    from uiautomator2.exceptions import AccessibilityServiceAlreadyRegisteredError

    from vsalang.phone.uiautomator.link import failures

    assert core.AccessibilityServiceAlreadyRegisteredError is AccessibilityServiceAlreadyRegisteredError
    with pytest.raises(DeviceError, match="Android allows one at a time"), failures("connecting"):
        raise AccessibilityServiceAlreadyRegisteredError("already registered")


# ---------------------------------------------------------------------- the target is still the judged one


def swap(device: SimulatedDevice) -> None:
    """Something else comes to the front, as a dialog does."""
    device.phone.tap_id("more_button")


@pytest.mark.parametrize("name", ["tap", "double_tap", "long_press"])
def test_a_target_that_another_thing_covers_is_not_touched(device: SimulatedDevice, name: str) -> None:
    target = device.observe().target(name, {"text": "R"})
    swap(device)
    before = device.phone.inputs
    with pytest.raises(NotDelivered, match="target"):
        device.perform(Action(name, {"x": target["x"], "y": target["y"]}), target)
    assert device.phone.inputs == before


def test_a_target_that_moved_or_changed_is_not_touched(device: SimulatedDevice) -> None:
    screen = device.observe()
    for id, args in (("results", {"direction": "down"}), ("search_box", {})):
        name = "scroll" if args else "tap"
        target = {**screen.target(name, {"id": id, **args}), "label": "Cancel"}
        with pytest.raises(NotDelivered, match="its label was"):
            device.perform(Action(name, {"id": id, **args}), target)
    target = {**screen.target("tap", {"text": "R"})}
    device.perform(Action("scroll"), screen.target("scroll", {"id": "results", "direction": "down"}))
    before = device.phone.inputs
    with pytest.raises(NotDelivered, match="target"):
        device.perform(Action("tap", {"text": "R"}), target)
    assert device.phone.inputs == before


def test_text_goes_to_the_judged_field(device: SimulatedDevice, monkeypatch: pytest.MonkeyPatch) -> None:
    target = device.observe().target("input_text", {"id": "search_box"})
    judged = {**target, "resource_id": "com.opentable:id/card_number", "value": "4111"}
    monkeypatch.setattr("vsalang.phone.uiautomator.acting.still_there", lambda *_: None)
    monkeypatch.setattr("vsalang.phone.uiautomator.acting.FOCUS", 0.1)
    with pytest.raises(DeviceError, match="another field has the focus; nothing was typed"):
        device.perform(Action("input_text", {"value": "4111"}), judged)
    assert device.phone.state(PACKAGE)["query"] == ""
    assert kinds(device)[-1] == "tap"


@pytest.mark.parametrize(
    "text", ["Žluťoučký kůň", "日本語テキスト", "مطعم", "👩‍🍳🍣", "e\u0301", "%s $HOME `id` \\ \"'", "a\tb"]
)
def test_any_text_is_typed_as_it_is(device: SimulatedDevice, text: str) -> None:
    target = device.observe().target("input_text", {"id": "search_box"})
    device.perform(Action("input_text", {"id": "search_box", "value": text}), {**target, "value": text})
    assert device.phone.state(PACKAGE)["query"] == text


def test_a_field_the_keyboard_moved_is_still_judged(
    device: SimulatedDevice, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has the focus, its id is the only one, it is as wide as it was; only its height on the screen differs."""
    monkeypatch.setattr("vsalang.phone.uiautomator.acting.still_there", lambda *_: None)
    judged = {
        **device.observe().target("input_text", {"id": "search_box"}),
        "focused": True,
        "value": "ramen",
    }
    device.phone.tap_id("search_box")
    moved = {**judged, "top": judged["top"] + 700, "bottom": judged["bottom"] + 700, "y": judged["y"] + 700}
    device.perform(Action("input_text", {"value": "ramen"}), moved)
    assert device.phone.state(PACKAGE)["query"] == "ramen"
    with pytest.raises(DeviceError, match="another field has the focus"):
        device.perform(
            Action("input_text", {"value": "x"}), {**moved, "left": judged["left"] + 1, "value": "x"}
        )
    assert device.phone.state(PACKAGE)["query"] == "ramen"


@pytest.mark.parametrize("known", [True, False])
def test_a_focused_page_is_not_its_field(
    device: SimulatedDevice, monkeypatch: pytest.MonkeyPatch, known: bool
) -> None:
    """In a web page both may have the focus; the server takes the first one of which the selector is true."""
    client = device.connection.link.u2
    real = client.jsonrpc_call
    target = device.observe().target("input_text", {"id": "search_box"})
    device.perform(Action("tap", {"id": "search_box"}), target)
    page = {"bounds": {"left": 0, "top": 0, "right": 720, "bottom": 1520}}
    typed: list[Any] = []

    def call(method: str, params: Any = None, timeout: float = 10) -> Any:
        if method == "objInfoOfAllInstances":
            return [page, *real(method, params, timeout)] if known else [page, page]
        if method == "setText":
            typed.append(params[0]["instance"])
            params = [{**params[0], "instance": 0}, *params[1:]]
        return real(method, params, timeout)

    monkeypatch.setattr(client, "jsonrpc_call", call)
    judged = {**device.observe().target("input_text", {"id": "search_box"}), "value": "ramen"}
    action = Action("input_text", {"id": "search_box", "value": "ramen"})
    if known:
        device.perform(action, judged)
        assert typed == [1]
    else:
        with pytest.raises(DeviceError, match="several fields have the focus; nothing was typed"):
            device.perform(action, judged)
        assert typed == []


def test_a_key_whose_command_ended_may_be_pressed(
    device: SimulatedDevice, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = device.connection.link.u2
    real = client.shell

    def ended(*args: Any, **more: Any) -> Any:
        answer = real(*args, **more)
        return type(answer)("Terminated", 143)

    monkeypatch.setattr(client, "shell", ended)
    with pytest.raises(DeviceError, match="may not have been pressed") as raised:
        device.perform(Action("press_key", {"key": "VOLUME_UP"}), {"key": "VOLUME_UP"})
    assert raised.value.delivered is None
    assert kinds(device)[-1] == "key"
