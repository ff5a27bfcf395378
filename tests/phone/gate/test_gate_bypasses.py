"""Which ways around the guard are open is told, and told from what is there."""

import socket
from pathlib import Path

import pytest

from vsalang.phone.gate.bypass import Bypass, bypasses, reachable


def found(serial: str, *open_ports: int, tmp_path: Path, **more: object) -> dict[str, Bypass]:
    ways = bypasses(
        serial,
        reach=lambda host, port: port in open_ports,
        home=tmp_path,
        usb=tmp_path / "usb",
        environment={},
        **more,  # type: ignore[arg-type]
    )
    return {
        f"{way.name} {way.where.rpartition(':')[2]}" if ":" in way.where else way.name: way for way in ways
    }


def test_the_real_adb_server(tmp_path: Path) -> None:
    ways = found("R5CT", 5037, tmp_path=tmp_path, serials=["R5CT", "other"])
    assert ways["adb-server 5037"].grade == "open"
    assert (
        "adb -P 5037 -s R5CT shell" in ways["adb-server 5037"].means
        and "(and other)" in ways["adb-server 5037"].means
    )
    assert found("R5CT", tmp_path=tmp_path)["adb-server 5037"].grade == "closed"
    assert found("R5CT", 6000, tmp_path=tmp_path, adb_port=6000)["adb-server 6000"].grade == "open"


@pytest.mark.parametrize(
    ("serial", "port"), [("192.168.1.7:5555", 5555), ("[fe80::1]:41234", 41234), ("phone.lan:5556", 5556)]
)
def test_a_phone_on_the_network(tmp_path: Path, serial: str, port: int) -> None:
    ways = found(serial, port, tmp_path=tmp_path)
    assert ways[f"device-port {port}"].grade == "open"
    assert "usb" not in ways


def test_an_emulator(tmp_path: Path) -> None:
    ways = found("emulator-5556", 5556, 8556, tmp_path=tmp_path)
    assert {name: way.grade for name, way in ways.items()} == {
        "adb-server 5037": "closed", "emulator-console 5556": "open", "device-port 5557": "closed",
        "emulator-grpc 8556": "open", "adb-key": "closed",
    }  # fmt: skip


def test_keys_and_usb(tmp_path: Path) -> None:
    assert found("R5CT", tmp_path=tmp_path)["usb"].grade == "closed"
    (tmp_path / ".android").mkdir()
    (tmp_path / ".android" / "adbkey").write_text("secret")
    ways = found("R5CT", tmp_path=tmp_path)
    assert ways["adb-key"].grade == "open" and ways["adb-key"].where.endswith("adbkey")
    assert all(way.means and way.remedy for way in ways.values())


def test_what_listens_is_found() -> None:
    patient = 60.0  # a machine that is busy is not a reason to find nothing
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))  # nobody else can take the port
        port = server.getsockname()[1]
        assert not reachable("127.0.0.1", port, patient)
        server.listen()
        assert reachable("127.0.0.1", port, patient)
    assert not reachable("127.0.0.1", 99_999)


def test_a_connection_with_itself_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """TCP lets a connection to a free port come from the same port: then it meets itself, and nobody listens."""

    def from_the_same_port(address: tuple[str, int], timeout: float) -> socket.socket:
        connection.settimeout(timeout)
        connection.connect(address)
        return connection

    connection = socket.socket()
    connection.bind(("127.0.0.1", 0))
    monkeypatch.setattr(socket, "create_connection", from_the_same_port)
    assert not reachable("127.0.0.1", connection.getsockname()[1], 60)
    assert connection.fileno() == -1
