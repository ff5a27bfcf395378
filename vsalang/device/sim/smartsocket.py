"""The adb server's side of the wire ("smart socket"), with the simulated phone as its only device.

Clients that speak to an adb server (adbutils and with it uiautomator2, the adb command itself) need no adb
binary and no other server: they connect to this one. Requests and answers: AOSP, adb/SERVICES.TXT and
adb/OVERVIEW.TXT, and what the clients were seen to send.
"""

import contextlib
import logging
import socket
import struct
import threading
from collections.abc import Callable
from types import TracebackType
from typing import Self

from vsalang.device.sim.services import FEATURES
from vsalang.device.wire.services import EndOfStream, Refused, Services

log = logging.getLogger(__name__)

VERSION = 41
MOST_REQUEST = 0xFFFF
MOST_CONNECTIONS = 256
MOST_FORWARDS = 64


class SocketStream:
    """A TCP connection as a `Stream`. It acknowledges at once: clients that send head and body apart would
    otherwise wait 40 ms for each request (Nagle's algorithm against delayed acknowledgement)."""

    def __init__(self, connection: socket.socket) -> None:
        self._socket = connection
        with contextlib.suppress(OSError):
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._acknowledge()

    def _acknowledge(self) -> None:
        option = getattr(
            socket, "TCP_QUICKACK", None
        )  # Linux only; the kernel takes it back, so set it again
        if option is not None:
            with contextlib.suppress(OSError):
                self._socket.setsockopt(socket.IPPROTO_TCP, option, 1)

    def read(self, most: int) -> bytes:
        """See `Stream.read`; a connection that was reset counts as finished."""
        try:
            data = self._socket.recv(most)
        except OSError:
            return b""
        self._acknowledge()
        return data

    def read_exactly(self, count: int) -> bytes:
        """See `Stream.read_exactly`."""
        parts: list[bytes] = []
        while count:
            data = self.read(min(count, 1 << 20))
            if not data:
                raise EndOfStream
            parts.append(data)
            count -= len(data)
        return b"".join(parts)

    def write(self, data: bytes) -> None:
        """See `Stream.write`."""
        try:
            self._socket.sendall(data)
        except OSError as error:
            raise EndOfStream from error

    def finish(self) -> None:
        """End it after the last answer: a connection closed with bytes unread could take that answer back."""
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_WR)
            self._socket.settimeout(0.2)
            for _ in range(64):
                if not self._socket.recv(1 << 16):
                    break

    def close(self) -> None:
        """End the connection; whoever reads on it wakes up."""
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()


class _Fail(Exception):
    """The request is answered by FAIL and this message; the connection ends."""


class Listener:
    """Accepts connections on a loopback port and runs a function on each, in a thread of its own."""

    def __init__(self, port: int, serve: Callable[[SocketStream], None], host: str = "127.0.0.1") -> None:
        self._serve = serve
        self._socket = socket.create_server((host, port), backlog=64)
        self.port: int = self._socket.getsockname()[1]
        self._open: set[SocketStream] = set()
        self._lock = threading.Lock()
        self._closed = False
        self._thread = threading.Thread(target=self._accept, name=f"sim-accept-{self.port}", daemon=True)
        self._thread.start()

    def _accept(self) -> None:
        while True:
            try:
                connection, _ = self._socket.accept()
            except OSError:
                return
            with self._lock:
                if self._closed or len(self._open) >= MOST_CONNECTIONS:
                    connection.close()
                    continue
                stream = SocketStream(connection)
                self._open.add(stream)
            threading.Thread(target=self._run, args=(stream,), name="sim-connection", daemon=True).start()

    def _run(self, stream: SocketStream) -> None:
        try:
            self._serve(stream)
        except EndOfStream:
            pass
        except Exception:  # a peer must never take the phone down with it
            log.exception("connection to the simulated phone failed")
        else:
            stream.finish()
        finally:
            stream.close()
            with self._lock:
                self._open.discard(stream)

    def close(self) -> None:
        """Stop accepting, end all connections. May be called twice."""
        with self._lock:
            self._closed = True
            streams = list(self._open)
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        for stream in streams:
            stream.close()
        if threading.current_thread() is not self._thread:
            self._thread.join(timeout=2)


class AdbServer:
    """An adb server with one device.

        with AdbServer(services, "sim-restaurant", model="Phone") as server:
            print(server.port)

    Args:
        services: what the device offers.
        serial: the device's name.
        port: to listen on; 0 takes a free one.

    Raises:
        OSError: the port is taken.
    """

    def __init__(
        self, services: Services, serial: str, *, model: str = "", product: str = "", port: int = 0
    ) -> None:
        self.services = services
        self.serial = serial
        self.model = model or "phone"
        self.product = product or "sim"
        self._forwards: dict[str, tuple[str, Listener]] = {}
        self._lock = threading.Lock()
        self._closed = threading.Event()
        self._listener = Listener(port, self._connection)
        self.port = self._listener.port

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Stop listening and drop all connections. May be called twice."""
        self._closed.set()
        self._listener.close()
        self._remove_forwards(list(self._forwards))

    # ---- requests ------------------------------------------------------------------------------------------

    def _connection(self, stream: SocketStream) -> None:
        """Requests of one client: host requests end the connection, a transport is followed by one more."""
        try:
            while self._request(stream, self._read_request(stream)):
                pass
        except _Fail as error:
            stream.write(b"FAIL" + _block(str(error)))

    def _read_request(self, stream: SocketStream) -> str:
        size = stream.read_exactly(4)
        try:
            length = int(size, 16) if size.isalnum() else -1
        except ValueError:
            length = -1
        if not 0 <= length <= MOST_REQUEST:
            raise _Fail("malformed request")
        return stream.read_exactly(length).decode("utf-8", "replace")

    def _request(self, stream: SocketStream, request: str) -> bool:
        """Answer one request; whether another may follow on this connection."""
        if not request.startswith("host"):
            return self._service(stream, request)
        if request.startswith(("host:transport", "host:tport:")):
            return self._transport(stream, request.removeprefix("host:"))
        return self._host(stream, self._without_prefix(request))

    def _without_prefix(self, request: str) -> str:
        """The request without ``host:``, ``host-serial:S:`` and the like; S may hold colons."""
        prefix, _, rest = request.partition(":")
        if prefix in ("host", "host-usb", "host-local"):
            return rest
        if prefix == "host-serial":
            if rest.startswith(self.serial + ":"):
                return rest[len(self.serial) + 1 :]
            raise _Fail(f"device '{rest.split(':')[0]}' not found")
        if prefix == "host-transport-id":
            number, _, rest = rest.partition(":")
            if number == "1":
                return rest
            raise _Fail(f"no device with transport id '{number}'")
        raise _Fail("unknown host service")

    def _transport(self, stream: SocketStream, request: str) -> bool:
        kind, _, which = request.partition(":")
        if kind == "tport":
            by, _, which = which.partition(":")
            which = which if by == "serial" else ""
        elif kind == "transport-id" and which == "1":
            which = ""
        if which not in ("", self.serial):
            raise _Fail(f"device '{which}' not found")
        stream.write(b"OKAY" + (struct.pack("<Q", 1) if kind == "tport" else b""))
        return True

    def _service(self, stream: SocketStream, request: str) -> bool:
        try:
            handler = self.services.open(request)
        except Refused as error:
            raise _Fail(str(error)) from error
        stream.write(b"OKAY")
        handler(stream)
        return False

    def _host(self, stream: SocketStream, request: str) -> bool:
        device = f"{self.serial}\tdevice\n"
        answers = {
            "version": f"{VERSION:04x}",
            "devices": device,
            "devices-l": (
                f"{self.serial:<22} device product:{self.product} model:{self.model.replace(' ', '_')} "
                f"device:{self.product} transport_id:1\n"
            ),
            "features": ",".join(FEATURES),
            "host-features": ",".join(FEATURES),
            "get-state": "device",
            "get-serialno": self.serial,
            "get-devpath": f"sim:{self.serial}",
            "list-forward": self._forward_list(),
        }
        if request in answers:
            stream.write(b"OKAY" + _block(answers[request]))
        elif request in ("track-devices", "track-devices-l"):
            text = answers["devices-l"] if request.endswith("-l") else device
            stream.write(b"OKAY" + _block(text))
            while stream.read(1024):  # nothing ever changes; wait for the peer to go
                pass
        elif request.startswith("wait-for-"):
            self._wait_for(stream, request)
        elif request.startswith("forward:"):
            self._forward(stream, request.removeprefix("forward:"))
        elif request.startswith("killforward"):
            self._kill_forward(request)
            stream.write(b"OKAYOKAY")
        elif request.startswith("connect:"):
            raise _Fail("the simulated phone's adb server has one device and connects to no other")
        elif request.startswith("disconnect:"):
            raise _Fail(f"no such device '{request.removeprefix('disconnect:')}'")
        elif request == "kill":
            raise _Fail("the simulated phone's adb server ends with the simulator, not on request")
        else:
            raise _Fail("unknown host service")
        return False

    def _wait_for(self, stream: SocketStream, request: str) -> None:
        stream.write(b"OKAY")
        if not request.endswith(("-device", "-any")):  # another state never comes
            while stream.read(1024):
                pass
            return
        stream.write(b"OKAY")

    # ---- forwarded ports -----------------------------------------------------------------------------------

    def _forward_list(self) -> str:
        with self._lock:
            return "".join(
                f"{self.serial} {local} {remote}\n" for local, (remote, _) in self._forwards.items()
            )

    def _forward(self, stream: SocketStream, request: str) -> None:
        keep = request.startswith("norebind:")
        local, semicolon, remote = request.removeprefix("norebind:").partition(";")
        number = local.removeprefix("tcp:")
        if not semicolon or not local.startswith("tcp:") or not (number.isascii() and number.isdigit()):
            raise _Fail("only tcp:PORT can be forwarded")
        if int(number[:6]) > 65535:
            raise _Fail("no such port")
        if keep and local in self._forwards:
            raise _Fail("cannot rebind existing socket")
        self._remove_forwards([local])
        if len(self._forwards) >= MOST_FORWARDS:
            raise _Fail("too many forwarded ports")

        def serve(forwarded: SocketStream) -> None:
            with contextlib.suppress(Refused):
                self.services.open(remote)(forwarded)

        try:
            listener = Listener(int(number), serve)
        except OSError as error:
            raise _Fail(f"cannot bind listener: {error.strerror}") from error
        with self._lock:
            self._forwards[f"tcp:{listener.port}"] = (remote, listener)
        stream.write(b"OKAYOKAY" + (_block(str(listener.port)) if number == "0" else b""))

    def _kill_forward(self, request: str) -> None:
        if request == "killforward-all":
            self._remove_forwards(list(self._forwards))
            return
        local = request.removeprefix("killforward:")
        if local not in self._forwards:
            raise _Fail(f"listener '{local}' not found")
        self._remove_forwards([local])

    def _remove_forwards(self, names: list[str]) -> None:
        with self._lock:
            gone = [self._forwards.pop(name) for name in names if name in self._forwards]
        for _, listener in gone:
            listener.close()


def _block(text: str) -> bytes:
    data = text.encode()
    return f"{len(data):04x}".encode() + data
