"""Peers for the tests of adb's wire: services that echo, a bare packet peer, real adb servers of our own."""

import contextlib
import os
import socket
import struct
import subprocess
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from vsalang.phone.wire import AdbDaemon, Banner, Handler, ServiceRefused, Stream

BANNER = Banner("echo", "Echo One", "echo", ("shell_v2", "cmd"))
HEADER = struct.Struct("<6I")


class EchoServices:
    """``echo:`` gives back what it gets, ``count:N`` sends N bytes, ``sink:`` tells at the end how many came (it
    never ends by itself), ``stuck:`` reads nothing until it is let go, ``boom:`` fails. Else refused."""

    def __init__(self) -> None:
        self.opened: list[str] = []
        self.let_go = threading.Event()
        self.running = 0
        self._lock = threading.Lock()

    def open(self, name: str) -> Handler:
        self.opened.append(name)
        kind, _, rest = name.partition(":")
        if kind not in ("echo", "count", "sink", "stuck", "boom", "shell"):
            raise ServiceRefused(f"no {kind}")

        def run(stream: Stream) -> None:
            with self._lock:
                self.running += 1
            try:
                serve(stream)
            finally:
                with self._lock:
                    self.running -= 1

        def serve(stream: Stream) -> None:
            if kind == "count":
                stream.write(pattern(int(rest)))
            elif kind == "boom":
                raise RuntimeError("boom")
            elif kind == "stuck":
                assert self.let_go.wait(60)
                while stream.read(100):
                    pass
            elif kind == "shell":
                stream.write(rest.encode())
            else:
                total = 0
                while data := stream.read(1 << 16):
                    total += len(data)
                    if kind == "echo":
                        stream.write(data)
                    elif data.endswith(b"!"):
                        stream.write(str(total).encode())

        return run


def pattern(size: int) -> bytes:
    """Bytes that show when a piece is lost or doubled."""
    return b"".join(b"%08x" % index for index in range(size // 8 + 1))[:size]


def word(name: str) -> int:
    """A command as a number."""
    return int.from_bytes(name.encode(), "little")


class Peer:
    """An adb server reduced to its packets."""

    def __init__(
        self, port: int, *, version: int = 0x01000001, most: int = 1 << 20, hello: bool = True
    ) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=60)
        self.version = version
        self.most = most
        if hello:
            self.send("CNXN", version, most, b"host::features=shell_v2\0")
            command, self.their_version, self.their_most, self.banner = self.receive()
            assert command == "CNXN"

    def send(
        self, command: str, first: int, second: int, payload: bytes = b"", check: int | None = None
    ) -> None:
        number = word(command)
        if check is None:
            check = sum(payload) & 0xFFFFFFFF
        head = HEADER.pack(number, first, second, len(payload), check, number ^ 0xFFFFFFFF)
        self.socket.sendall(head + payload)

    def exactly(self, count: int) -> bytes:
        data = b""
        while len(data) < count:
            piece = self.socket.recv(count - len(data))
            if not piece:
                raise EOFError
            data += piece
        return data

    def receive(self) -> tuple[str, int, int, bytes]:
        number, first, second, length, check, magic = HEADER.unpack(self.exactly(24))
        assert number ^ magic == 0xFFFFFFFF
        payload = self.exactly(length)
        name = number.to_bytes(4, "little").decode()
        assert length <= (1 << 20 if name == "CNXN" else self.most)
        if self.version < 0x01000001 or name == "CNXN":
            assert check == sum(payload) & 0xFFFFFFFF
        return name, first, second, payload

    def gone(self) -> bool:
        """Whether the device ends the connection, whatever it still sends before."""
        try:
            while self.socket.recv(65536):
                pass
        except ConnectionError:
            pass
        return True

    def open(self, name: str, local: int = 1) -> int:
        """Open a service; the device's number of the stream."""
        self.send("OPEN", local, 0, name.encode() + b"\0")
        command, theirs, mine, _ = self.receive()
        assert (command, mine) == ("OKAY", local)
        return theirs

    def close(self) -> None:
        self.socket.close()

    def __enter__(self) -> "Peer":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


@contextlib.contextmanager
def echo_daemon(most_payload: int = 1 << 20) -> Iterator[tuple[AdbDaemon, EchoServices]]:
    """A daemon over `EchoServices`."""
    services = EchoServices()
    with AdbDaemon.start(services, BANNER, most_payload=most_payload) as daemon:
        yield daemon, services
        services.let_go.set()


# ---- real adb ------------------------------------------------------------------------------------------------


def binaries() -> dict[str, Path]:
    """The adb programs of this machine: the one in adbutils' wheel, and the system's."""
    found = {}
    with contextlib.suppress(ImportError):
        import adbutils

        bundled = Path(adbutils.__file__).parent / "binaries" / "adb"
        if bundled.is_file():
            found["wheel"] = bundled
    system = Path("/usr/bin/adb")
    if system.is_file():
        found["system"] = system
    return found


ADBS = ("wheel", "system")


def binary(which: str) -> str:
    """The path of an adb program; skips the test if there is none."""
    found = binaries().get(which)
    if found is None:
        pytest.skip(f"there is no adb program here ({which}); Debian: apt-get install adb")
    return str(found)


@dataclass(frozen=True)
class Adb:
    """An adb program that talks to one server."""

    path: str
    port: int
    serial: str = ""

    def run(self, *args: str, data: bytes = b"", timeout: float = 60) -> subprocess.CompletedProcess[bytes]:
        chosen = ["-s", self.serial] if self.serial else []
        return subprocess.run(
            [self.path, "-P", str(self.port), *chosen, *args],
            input=data, capture_output=True, timeout=timeout, env=environment(), check=False,
        )  # fmt: skip

    def out(self, *args: str, data: bytes = b"") -> bytes:
        done = self.run(*args, data=data)
        assert done.returncode == 0, done
        return done.stdout


def environment() -> dict[str, str]:
    """So that a server finds no emulator and no phone by itself, and no setting of the developer gets in."""
    keep = {key: value for key, value in os.environ.items() if not key.startswith(("ADB_", "ANDROID_"))}
    own = {
        "ADB_LOCAL_TRANSPORT_MAX_PORT": "5553",
        "ADB_MDNS_AUTO_CONNECT": "",
        "ADB_MDNS": "0",
        "ADB_USB": "0",
    }
    return keep | own


@contextlib.contextmanager
def real_server(which: str) -> Iterator[Adb]:
    """A real adb server on a port of its own, ended afterwards."""
    path = binary(which)
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port = probe.getsockname()[1]
    server = subprocess.Popen(
        [path, "-P", str(port), "nodaemon", "server"],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment(),
    )  # fmt: skip
    adb = Adb(path, port)
    try:
        for _ in range(1200):
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=60):
                break
            threading.Event().wait(0.05)
        else:
            raise AssertionError("the adb server does not listen")
        yield adb
    finally:
        server.terminate()
        try:
            server.wait(60)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait(60)


def joined(adb: Adb, daemon: AdbDaemon) -> Adb:
    """Let the server connect to the daemon; the program for that device."""
    answer = adb.run("connect", daemon.serial)
    assert b"connected to" in answer.stdout, answer
    adb.run("-s", daemon.serial, "wait-for-device")
    return Adb(adb.path, adb.port, daemon.serial)
