"""Ports without a token: who connects is who started what listens, or who was let in."""

import os
import socket
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from vsalang.phone.sim import SimulatedPhone, load
from vsalang.phone.wire import peers, sockdiag
from vsalang.phone.wire.sockets import Listener

linux = pytest.mark.skipif(
    not peers.CAN_TELL, reason="this system does not say which user opened a connection"
)
root = pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can be somebody else for a moment"
)
NOBODY = 65534

ASKS = """
import socket, sys
with socket.create_connection(("127.0.0.1", int(sys.argv[1])), timeout=60) as connection:
    connection.sendall(bytes.fromhex(sys.argv[2]))
    connection.settimeout(10)
    said = b""
    try:
        while data := connection.recv(4096):
            said += data
            if sys.argv[3] and len(said) >= int(sys.argv[3]):
                break
    except ConnectionError:
        pass
    sys.stdout.buffer.write(said)
"""


def asked(port: int, said: bytes, user: int | None = None, enough: int | None = None) -> bytes:
    """What a program of a user is answered."""
    command = [sys.executable, "-I", "-S", "-c", ASKS, str(port), said.hex(), str(enough or "")]
    if user is not None:
        command[0] = "/usr/bin/python3" if Path("/usr/bin/python3").exists() else sys.executable
    done = subprocess.run(command, capture_output=True, timeout=60, check=False, user=user, cwd="/")
    if done.returncode and b"Permission denied" in done.stderr:
        pytest.skip("another user cannot start Python here")
    assert done.returncode == 0, done.stderr
    return done.stdout


def request(text: str) -> bytes:
    return f"{len(text):04x}{text}".encode()


@linux
@root
def test_another_user_does_not_drive_the_phone(caplog: pytest.LogCaptureFixture) -> None:
    with SimulatedPhone.start(load("restaurant")) as phone:
        own = asked(phone.port, request("host:devices"))
        assert own.startswith(b"OKAY") and b"sim-restaurant" in own
        other = asked(phone.port, request("host:devices"), NOBODY)
        assert other.startswith(b"FAIL") and b"you are another (see --allow-user)" in other
        hello = struct.pack("<6I", 0x4E584E43, 0x01000001, 4096, 0, 0, 0x4E584E43 ^ 0xFFFFFFFF)
        assert asked(phone.daemon.port, hello, enough=4)[:4] == b"CNXN"
        assert asked(phone.daemon.port, hello, NOBODY) == b""
        forward = asked(phone.port, request("host-serial:sim-restaurant:forward:tcp:0;tcp:9008"))
        port = int(forward[12:])
        assert asked(port, b"GET / HTTP/1.1\r\n\r\n", NOBODY) == b""
    told = [record.getMessage() for record in caplog.records]
    assert any("is refused: it belongs to user nobody (65534)" in text for text in told), told


@linux
@root
def test_a_user_who_is_let_in() -> None:
    with SimulatedPhone.start(load("restaurant"), users={0, NOBODY}) as phone:
        assert asked(phone.port, request("host:devices"), NOBODY).startswith(b"OKAY")


@linux
def test_whose_a_connection_is() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        for family, host in ((socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::ffff:127.0.0.1")):
            with socket.socket(family) as near:
                near.connect((host, port))
                far, _ = listening.accept()
                with far:
                    for user_of in (peers.user_of, sockdiag.user_of_socket):
                        assert user_of(far.getpeername(), far.getsockname()) == os.geteuid()
                    near.shutdown(socket.SHUT_WR)
                    for user_of in (peers.user_of, sockdiag.user_of_socket):
                        assert user_of(far.getpeername(), far.getsockname()) == os.geteuid()


@linux
def test_one_socket_is_asked_for() -> None:
    """The kernel is asked for one socket; the tables, which list all sockets of the machine, stay unread."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        near = socket.create_connection(listening.getsockname())
        far, _ = listening.accept()
        with near, far, pytest.MonkeyPatch.context() as patch:
            patch.setattr(peers, "user_of", lambda *_: pytest.fail("the tables are read"))
            peers.check_peer(far, {os.geteuid()})
            with pytest.raises(peers.Stranger, match="it belongs to"):
                peers.check_peer(far, {os.geteuid() + 1})


@linux
def test_the_tables_are_read_where_sockets_cannot_be_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sockdiag, "_ask", lambda request: b"")
    with socket.create_server(("127.0.0.1", 0)) as listening:
        near = socket.create_connection(listening.getsockname())
        far, _ = listening.accept()
        with near, far:
            peers.check_peer(far, {os.geteuid()})


@linux
def test_a_socket_that_listens_is_nobodys_connection() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        assert sockdiag.user_of_socket(("127.0.0.1", port), ("127.0.0.1", 1)) is None
        assert sockdiag.user_of_socket(("127.0.0.1", port), ("0.0.0.0", 0)) is None
        assert sockdiag.user_of_socket(("::1", port), ("::1", 1)) is None


@linux
def test_a_connection_nobody_holds_is_a_strangers() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        near = socket.create_connection(listening.getsockname())
        near.sendall(b"x")
        far, _ = listening.accept()
        near.close()  # the system says now that it was root's
        with far, pytest.raises(peers.Stranger, match="its owner is not known"):
            peers.check_peer(far, {0})


@linux
def test_tables_stay_unread_if_the_kernel_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(peers, "user_of", lambda *_: pytest.fail("the tables are read"))
    with socket.create_server(("127.0.0.1", 0)) as listening:
        near = socket.create_connection(listening.getsockname())
        far, _ = listening.accept()
        near.close()
        with far, pytest.raises(peers.Stranger, match="its owner is not known"):
            peers.check_peer(far, {0, os.geteuid()})


def test_what_cannot_be_read_is_a_strangers(tmp_path: Path) -> None:
    for content in (None, "", "head\nodd\n", "head\n" + "x " * 12 + "\n"):
        table = tmp_path / "tcp"
        if content is not None:
            table.write_text(content)
        assert peers.user_of(("127.0.0.1", 1), ("127.0.0.1", 2), [str(table)]) is None


@linux
def test_nobody_is_let_in_where_the_tables_say_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(peers, "user_of_socket", lambda near, far: None)
    monkeypatch.setattr(peers, "user_of", lambda near, far: None)
    served: list[socket.socket] = []
    listener = Listener(0, served.append, refusal=b"no")
    try:
        with socket.create_connection(("127.0.0.1", listener.port), timeout=60) as near:
            assert near.recv(10) == b"no"
    finally:
        listener.close()
    assert served == []


def test_systems_that_do_not_tell_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    from vsalang.tools.cli.phones import warn_of_strangers

    monkeypatch.setattr(peers, "CAN_TELL", False)
    assert "Every user of this machine can connect to this port" in warn_of_strangers("this port")
    monkeypatch.setattr(peers, "CAN_TELL", True)
    assert warn_of_strangers("this port") == ""


def test_a_user_is_named_by_name_or_number() -> None:
    assert peers.user_named("12") == 12 and peers.user_named("root") == 0
    with pytest.raises(ValueError, match="there is no user 'nobody-at-all'"):
        peers.user_named("nobody-at-all")
