"""A process that a framework left in the background goes round the guard, and is found."""

import json
import socket
import tempfile
from pathlib import Path

import pytest

from vsalang.phone.gate.bypass import bypasses


def found(home: Path, **environment: str) -> list[str]:
    ways = bypasses("phone", reach=lambda *_: False, home=home, usb=home, environment=environment)
    return [way.where for way in ways if way.name == "mobilecli"]


@pytest.mark.skipif(not hasattr(socket, "AF_UNIX"), reason="there are no Unix sockets here")
def test_a_process_of_mobilecli_is_found() -> None:
    with tempfile.TemporaryDirectory() as name:  # the path of a socket must be short
        home = Path(name)
        (home / ".mobilecli").mkdir()
        path = home / ".mobilecli" / "daemon.sock"
        assert found(home) == []
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(str(path))
            server.listen()
            assert found(home) == [str(path)]
            assert found(home, MOBILECLI_HOME=str(home / "other")) == []
            assert found(home / "other", MOBILECLI_HOME=str(path.parent)) == [str(path)]
        assert found(home) == []  # the file is left, nobody listens


def daemons(home: Path, *open_ports: int, **environment: str) -> dict[str, str]:
    ways = bypasses(
        "phone",
        adb_port=6000,
        reach=lambda _, port: port in open_ports,
        home=home,
        usb=home,
        environment=environment,
    )
    return {f"{way.name} {way.where.rpartition(':')[2]}": way.remedy for way in ways if way.grade == "open"}


def test_a_daemon_of_agent_device_is_found(tmp_path: Path) -> None:
    folder = tmp_path / ".agent-device"
    folder.mkdir()
    path = folder / "daemon.json"
    name = f"agent-device {path}"
    assert daemons(tmp_path, 7100) == {}
    for text in ("[]", "{", json.dumps({"port": "7100"}), json.dumps({"port": True, "httpPort": -1})):
        path.write_text(text)
        assert daemons(tmp_path, 1, 7100) == {}
    path.write_text(json.dumps({"token": "t", "pid": 1, "port": 7099, "httpPort": 7100}))
    assert daemons(tmp_path) == {}  # it ended, the file is left
    assert "AGENT_DEVICE_STATE_DIR" in daemons(tmp_path, 7100)[name]
    assert daemons(tmp_path, 7100, AGENT_DEVICE_STATE_DIR=str(tmp_path / "other")) == {}


def test_what_listens_at_usual_ports_is_found(tmp_path: Path) -> None:
    """Appium's server, and an adb server where appium-adb always asks, though the user has another."""
    found = daemons(tmp_path, 4723, 5037)
    assert set(found) == {"appium 4723", "adb-server 5037"}
    assert "--isolate" in found["appium 4723"]
