"""Talks to the adb server with adbutils: every request has a time limit, and no server is started."""

import contextlib
import socket
import time
from collections.abc import Iterator
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Final

from vsalang.base.installing import install_extra
from vsalang.phone.errors import DeviceError
from vsalang.phone.wire import server_address
from vsalang.program.delivery import leaving

if TYPE_CHECKING:
    from collections.abc import Buffer  # type: ignore[attr-defined]

LONGEST_ANSWER: Final = 60.0
"""How many seconds one request may take in total; the library's own limit is ten minutes or none."""
LONGEST_LOOK = 20.0
"""The same for requests that only read; after that the server on the device is assumed to hang."""
MOST_ANSWER: Final = 64 << 20
"""How many bytes one request may bring."""
_PARTING: Final = 0.01
"""How many seconds a closed connection waits for the other side to close it too."""
SERVER_STREAM: Final = "com.wetest.uia2.Main"
"""A part of the command line that runs the server on the device; its stream stays open."""


_looking: ContextVar[bool] = ContextVar("looking", default=False)


@contextlib.contextmanager
def looking() -> Iterator[None]:
    """Requests of this thread only read, and have the limit `LONGEST_LOOK`, while this context is open."""
    token = _looking.set(True)
    try:
        yield
    finally:
        _looking.reset(token)


class _LimitedConnection(socket.socket):
    """A connection with a limit on the total time and on the bytes that are read.

    Otherwise a peer that sends slowly or without end would block its reader forever.
    """

    _until: float | None = None
    _left = MOST_ANSWER

    def settimeout(self, value: float | None) -> None:
        """Limit the total time from now on; None removes the limit."""
        self._until = None if value is None else time.monotonic() + value
        if value is None:
            self._left = 1 << 62
        super().settimeout(value)

    def _wait(self) -> None:
        if self._until is not None:
            left = self._until - time.monotonic()
            if left <= 0:
                raise TimeoutError("timed out")
            super().settimeout(left)

    def _count(self, size: int) -> None:
        self._left -= size
        if self._left < 0:
            raise ConnectionError(f"the answer is longer than {MOST_ANSWER >> 20} MiB")

    def recv(self, bufsize: int, flags: int = 0, /) -> bytes:
        self._wait()
        data = super().recv(bufsize, flags)
        self._count(len(data))
        return data

    def recv_into(self, buffer: "Buffer", nbytes: int = 0, flags: int = 0) -> int:
        self._wait()
        size = super().recv_into(buffer, nbytes, flags)
        self._count(size)
        return size

    def send(self, data: "Buffer", flags: int = 0, /) -> int:
        self._wait()
        leaving()
        return super().send(data, flags)

    def sendall(self, data: "Buffer", flags: int = 0, /) -> None:
        self._wait()
        leaving()
        super().sendall(data, flags)


def adb_client(host: str | None = None, port: int | None = None) -> Any:
    """An adbutils client that never starts an adb server.

    Raises:
        DeviceError: adbutils is not installed, or the port in the environment is none.
    """
    adbutils = library("adbutils")
    base: Any = adbutils.AdbConnection
    if not hasattr(base, "_safe_connect") or not hasattr(base, "_create_socket"):
        raise DeviceError("this version of adbutils cannot be kept from starting an adb server: install 2.x")

    class Connection(base):  # type: ignore[misc]
        def _safe_connect(self) -> Any:
            connection = _LimitedConnection(fileno=self._create_socket().detach())
            # else the body of a request waits 40 ms until its head is acknowledged
            with contextlib.suppress(OSError):
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return connection

        def close(self) -> None:
            """Close the connection when the other side has closed it; the library always waits for a fixed time."""
            if not self.closed:
                with contextlib.suppress(OSError):
                    self.conn.shutdown(socket.SHUT_WR)
                    self.conn.settimeout(_PARTING)
                    while self.conn.recv(1 << 14):
                        pass
                self.conn.close()
            super().close()

    class Client(adbutils.AdbClient):  # type: ignore[misc, name-defined]
        _version: int | None = None

        def server_version(self) -> int:
            """The adb server's version, asked for once: the library asks before each request of a device."""
            if self._version is None:
                self._version = int(super().server_version())
            return self._version

        def make_connection(self, timeout: float | None = None) -> Any:
            connection = Connection(self.host, self.port)
            longest = min(LONGEST_LOOK, LONGEST_ANSWER) if _looking.get() else LONGEST_ANSWER
            connection.conn.settimeout(min(timeout or longest, longest))
            return connection

    its_host, its_port = server_address()
    return Client(host or its_host, its_port if port is None else port)


def adb_device(client: Any, serial: str) -> Any:
    """A device of an adb server, as in adbutils; it need not be connected.

    The only difference: the stream that keeps the server on the device alive has no time limit.
    """
    adbutils = library("adbutils")

    class Device(adbutils.AdbDevice):  # type: ignore[misc, name-defined]
        def open_shell(self, cmdargs: Any) -> Any:
            connection = super().open_shell(cmdargs)
            if isinstance(cmdargs, str) and SERVER_STREAM in cmdargs:
                connection.conn.settimeout(None)
            return connection

    return Device(client, serial=serial)


def library(name: str) -> Any:
    """An optional library.

    Raises:
        DeviceError: it is not installed (the message says how to install it), or the variables that these libraries
            read when they are imported hold no address of an adb server.
    """
    import importlib

    server_address()
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise DeviceError(
            f"devices need the library uiautomator2 ({error}): {install_extra('device')}"
        ) from error


def read_shell(device: Any, command: str, *, seconds: float, most: int) -> tuple[str, bool]:
    """Run a command line with limits; return what it printed, and whether that is complete.

    Args:
        device: of adbutils.
        seconds: after these the stream is closed, which ends the command.
        most: bytes that are read at most.

    Raises:
        Exception: what adbutils raises when the device cannot be reached.
    """
    connection = device.open_shell(command)
    parts: list[bytes] = []
    size = 0
    whole = False
    try:
        connection.conn.settimeout(seconds)
        while size <= most:
            piece = connection.conn.recv(1 << 16)
            if not piece:
                whole = True
                break
            parts.append(piece)
            size += len(piece)
    except TimeoutError:
        pass
    finally:
        connection.close()
    return b"".join(parts)[:most].decode("utf-8", "replace").replace("\r\n", "\n"), whole
