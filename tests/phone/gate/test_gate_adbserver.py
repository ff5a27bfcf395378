"""The adb command's own server behind the guard: other users of this machine do not get to it."""

import os
from pathlib import Path

import pytest

from tests.phone.gate.live import live
from tests.phone.test_peers import NOBODY, asked, linux, request, root
from vsalang.phone import DeviceError
from vsalang.phone.gate.adbserver import RealAdbServer, find_adb
from vsalang.phone.wire import peers


def _adb() -> str:
    try:
        return find_adb()
    except DeviceError as error:
        pytest.skip(str(error))


@linux
@root
def test_another_user_does_not_reach_the_adb_commands_server() -> None:
    adb = _adb()
    with live() as phone, RealAdbServer(phone.daemon.serial, adb=adb) as server:
        own = asked(server.port, request("host:devices"))
        assert own.startswith(b"OKAY") and server.serial.encode() in own
        other = asked(server.port, request("host:devices"), NOBODY)
        assert other.startswith(b"FAIL") and b"you are another (see --allow-user)" in other
        folder = Path(server._home.name)
        assert folder.stat().st_mode & 0o077 == 0  # nobody else gets to the socket in it
        home = str(folder)
    assert not os.path.lexists(home)


@linux
@root
def test_a_user_who_is_let_in_reaches_it() -> None:
    adb = _adb()
    with live() as phone, RealAdbServer(phone.daemon.serial, adb=adb, users={0, NOBODY}) as server:
        assert asked(server.port, request("host:devices"), NOBODY).startswith(b"OKAY")


@pytest.mark.parametrize("tells", [True, False])
def test_it_serves_its_own_user(tells: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    adb = _adb()
    if tells and not peers.CAN_TELL:
        pytest.skip("this system does not tell it")
    monkeypatch.setattr("vsalang.phone.gate.adbserver.CAN_TELL", tells)
    with live() as phone, RealAdbServer(phone.daemon.serial, adb=adb) as server:
        assert server.guarded is tells
        assert server._process is not None
        own = Path(f"/proc/{server._process.pid}/environ")
        if own.exists():  # it searches no phones by itself
            assert {b"ADB_USB=0", b"ADB_MDNS=0"} <= set(own.read_bytes().split(b"\0"))
        assert asked(server.port, request("host:version")).startswith(b"OKAY")


@linux
def test_a_client_that_ends_it_finds_it_again() -> None:
    """`adb kill-server`: what the client starts afterwards would know no phone."""
    adb = _adb()
    with live() as phone, RealAdbServer(phone.daemon.serial, adb=adb) as server:
        assert asked(server.port, request("host:kill")) == b"OKAY"
        assert server._process is not None and server._process.poll() is None
        assert server.serial.encode() in asked(server.port, request("host:devices"))
        server._process.kill()  # it ends in another way
        server._process.wait()
        assert server.serial.encode() in asked(server.port, request("host:devices"))


def test_too_long_a_path_for_sockets_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / ("long" * 25)
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    monkeypatch.setattr("vsalang.phone.gate.adbserver.CAN_TELL", True)
    with pytest.raises(
        DeviceError, match=r"too long.* at most 107 .*Set TMPDIR to a folder with a short path"
    ):
        RealAdbServer("127.0.0.1:1", adb="/no/such/adb")
    assert not list(folder.iterdir())
