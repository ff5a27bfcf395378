"""An adb daemon: any adb server can connect to it over TCP, as to a phone.

Messages have a header of six little-endian numbers (command, two arguments, length and checksum of the payload,
the command's complement). A stream is opened by OPEN, carries WRTE both ways; each of these the other side
acknowledges by OKAY before the next may follow, and ends by CLSE. Source: AOSP, packages/modules/adb,
``protocol.txt`` and ``adb.cpp``. There is no AUTH: who may connect is decided by the user of the process.
"""

import contextlib
import logging
import socket
import struct
import threading
from collections import deque
from collections.abc import Iterable
from types import TracebackType
from typing import Self

from vsalang.base.records import dataclass
from vsalang.phone.wire.services import EndOfStream, ServiceRefused, Services, read_whole
from vsalang.phone.wire.sockets import Listener, acknowledge, limit_sending, tune

log = logging.getLogger(__name__)

VERSION = 0x01000001
NO_CHECKSUM = 0x01000001
"""From this version on, checksums are ignored."""
OLDEST = 0x01000000
MOST_PAYLOAD = 1 << 20
FIRST_PAYLOAD = 4096
"""The longest payload before the two sides have agreed on a length."""
LEAST_PAYLOAD = 64
MOST_STREAMS = 256
READ_AHEAD = 256 << 10
"""Bytes that may be buffered for one stream; then its sender must wait."""
MOST_WAITING = 64 << 20
"""Bytes that may be buffered for all streams of one connection; streams that send more are ended."""
HELLO_SECONDS = 10.0
SEND_SECONDS = 60


def _word(name: bytes) -> int:
    return int.from_bytes(name, "little")


CNXN, OPEN, OKAY, WRTE, CLSE = (_word(name) for name in (b"CNXN", b"OPEN", b"OKAY", b"WRTE", b"CLSE"))
HEADER = struct.Struct("<6I")


@dataclass(frozen=True, slots=True)
class Banner:
    """The description that a device sends when a connection opens.

    Attributes:
        product: as ``adb devices -l`` shows it, like the next two.
        model: of the phone.
        device: the name of the hardware.
        features: what the device's services can do, such as ``shell_v2``; clients choose their requests by it.
    """

    product: str
    model: str
    device: str
    features: tuple[str, ...] = ()

    def text(self) -> str:
        """The banner as the device sends it; characters that would break its syntax become underscores."""
        pairs = (
            ("product.name", self.product),
            ("product.model", self.model),
            ("product.device", self.device),
        )
        named = "".join(f"ro.{key}={clean(value)};" for key, value in pairs)
        return f"device::{named}features={','.join(self.features)}"


def clean(text: str) -> str:
    """A name for lists of devices: letters, digits and ``-.``; anything else becomes an underscore."""
    return "".join(c if c.isalnum() or c in "-." else "_" for c in text)[:100]


class AdbDaemon:
    """A device that adb servers connect to: ``adb connect HOST:PORT``. A context manager; leaving it ends it.

    Attributes:
        host: where it listens.
        port: where it listens.
    """

    def __init__(
        self,
        services: Services,
        banner: Banner,
        host: str,
        port: int,
        most_payload: int,
        users: Iterable[int] | None = None,
    ) -> None:
        self._services = services
        self._banner = banner
        self._most = most_payload
        self._lock = threading.Lock()
        self._peers: set[_Peer] = set()
        self._listener = Listener(port, self._serve, host, "adbd", users)
        self.host = host
        self.port = self._listener.port

    @classmethod
    def start(
        cls,
        services: Services,
        banner: Banner,
        *,
        host: str = "127.0.0.1",
        port: int = 0,
        most_payload: int = MOST_PAYLOAD,
        users: Iterable[int] | None = None,
    ) -> Self:
        """Start listening.

        Args:
            services: what the device offers; ``open`` and the handlers run in a thread for each stream.
            port: 0 takes a free one. On the odd ones from 5555 to 5585 every adb server of this machine finds
                the device by itself, as an emulator.
            most_payload: bytes in one message; the peer's own limit holds too.
            users: of this machine, who may connect; None: this process's user.

        Raises:
            OSError: the port is taken.
        """
        return cls(services, banner, host, port, most_payload, users)

    @property
    def serial(self) -> str:
        """The device's name at an adb server that has connected to it."""
        return f"{self.host}:{self.port}"

    def drop(self) -> None:
        """End all connections, as a phone out of range would; new ones are accepted."""
        with self._lock:
            peers = list(self._peers)
        for peer in peers:
            peer.drop()

    def close(self) -> None:
        """Stop listening, end all connections and streams. May be called twice."""
        self._listener.close()
        self.drop()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _serve(self, connection: socket.socket) -> None:
        peer = _Peer(connection, self._services, self._banner, self._most)
        with self._lock:
            self._peers.add(peer)
        try:
            peer.run()
        finally:
            with self._lock:
                self._peers.discard(peer)


class _Nonsense(Exception):
    """The peer does not speak adb, or breaks its rules: the connection ends."""


class _Peer:
    """One adb server that is connected, and its streams."""

    def __init__(self, connection: socket.socket, services: Services, banner: Banner, most: int) -> None:
        self._socket = connection
        self._services = services
        self._banner = banner
        self._offered = most
        self._most_in = FIRST_PAYLOAD
        self.most_out = FIRST_PAYLOAD
        self._version = OLDEST
        self._online = False
        self._sending = threading.Lock()
        self._lock = threading.Lock()
        self._streams: dict[int, _Stream] = {}
        self._last = 0
        tune(connection)
        limit_sending(connection, SEND_SECONDS)

    # ---- messages ------------------------------------------------------------------------------------------

    def send(self, command: int, first: int, second: int, payload: bytes = b"") -> None:
        """Send one message.

        Raises:
            EndOfStream: the peer is gone, or no longer reads.
        """
        check = 0 if self._version >= NO_CHECKSUM else sum(payload) & 0xFFFFFFFF
        head = HEADER.pack(command, first, second, len(payload), check, command ^ 0xFFFFFFFF)
        try:
            with self._sending:
                self._socket.sendall(head + payload)
        except OSError as error:
            self.drop()  # a part of the message may have been sent, so the connection cannot be used further
            raise EndOfStream from error

    def _read(self, count: int) -> bytes:
        parts: list[bytes] = []
        while count:
            data = self._socket.recv(min(count, 1 << 20))
            if not data:
                raise EndOfStream
            acknowledge(self._socket)
            parts.append(data)
            count -= len(data)
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def _receive(self) -> tuple[int, int, int, bytes]:
        command, first, second, length, check, magic = HEADER.unpack(self._read(HEADER.size))
        if command ^ magic != 0xFFFFFFFF:
            raise _Nonsense("a message without adb's header")
        if length > self._most_in:
            raise _Nonsense(f"a payload of {length} bytes; at most {self._most_in} were agreed")
        payload = self._read(length) if length else b""
        if command == CNXN:
            needed = first < NO_CHECKSUM
        else:
            needed = self._version < NO_CHECKSUM
        if needed and sum(payload) & 0xFFFFFFFF != check:
            raise _Nonsense("wrong checksum")
        return command, first, second, payload

    def run(self) -> None:
        """Answer messages until the connection ends."""
        try:
            self._socket.settimeout(HELLO_SECONDS)
            while not self._online:
                self._message(*self._receive())
            self._socket.settimeout(None)
            while True:
                self._message(*self._receive())
        except _Nonsense as error:
            log.info("an adb connection was ended: %s", error)
        except (OSError, EndOfStream):
            pass
        finally:
            self.drop()
            self._end_streams()

    def drop(self) -> None:
        """End the connection; `run` returns."""
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)

    def _end_streams(self) -> None:
        with self._lock:
            streams = list(self._streams.values())
            self._streams.clear()
        for stream in streams:
            stream.ended()

    def _message(self, command: int, first: int, second: int, payload: bytes) -> None:
        if command == CNXN:
            self._connect(first, second)
        elif not self._online:
            pass  # as adbd does: messages before the handshake are ignored
        elif command == OPEN:
            self._open(first, payload)
        elif command in (OKAY, WRTE, CLSE):
            with self._lock:
                stream = self._streams.get(second)
            if stream is None or (first != stream.theirs and not (command == CLSE and first == 0)):
                return  # for a stream that has just ended here
            if command == OKAY:
                stream.acknowledged()
            elif command == WRTE:
                stream.received(payload)
            else:
                stream.closed_there()

    def _connect(self, version: int, most: int) -> None:
        if version < OLDEST or most < LEAST_PAYLOAD:
            raise _Nonsense(f"version {version:#x} with payloads of {most} bytes")
        self._end_streams()
        self._version = OLDEST  # the banner itself always carries its checksum
        self._most_in = self._offered
        self.most_out = min(self._offered, most)
        self.send(CNXN, VERSION, self._offered, self._banner.text().encode())
        self._version = min(version, VERSION)
        self._online = True

    # ---- streams -------------------------------------------------------------------------------------------

    def _open(self, theirs: int, payload: bytes) -> None:
        if theirs == 0:
            return
        try:
            name = payload.rstrip(b"\0").decode()
        except UnicodeDecodeError:  # a name that cannot be decoded exactly is not opened
            self.send(CLSE, 0, theirs)
            return
        with self._lock:
            full = len(self._streams) >= MOST_STREAMS
            if not full:
                self._last = self._last % 0xFFFFFFFF + 1
                stream = self._streams[self._last] = _Stream(self, self._last, theirs)
        if full:
            self.send(CLSE, 0, theirs)
            return
        threading.Thread(target=self._serve, args=(stream, name), name="adbd-stream", daemon=True).start()

    def _serve(self, stream: "_Stream", name: str) -> None:
        try:
            handler = self._services.open(name)
            with contextlib.suppress(EndOfStream):
                stream.opened()
            handler(stream)  # even if the peer is gone: the service may hold resources
        except EndOfStream:
            pass
        except ServiceRefused as error:
            log.debug("service refused: %s: %s", name[:200], error)
        except Exception:  # an error of one peer must not end the others
            log.exception("the service %s failed", name[:200])
        finally:
            stream.close()

    def forget(self, number: int) -> None:
        """The stream has ended."""
        with self._lock:
            self._streams.pop(number, None)

    def too_much(self, more: int) -> bool:
        """Whether so many further bytes are too many for the buffers of this connection."""
        with self._lock:
            streams = list(self._streams.values())
        return sum(stream.waiting for stream in streams) + more > MOST_WAITING


class _Stream:
    """One open service, as a `Stream`."""

    def __init__(self, peer: _Peer, ours: int, theirs: int) -> None:
        self._peer = peer
        self._ours = ours
        self.theirs = theirs
        self._changed = threading.Condition(threading.Lock())
        self._incoming: deque[memoryview] = deque()
        self.waiting = 0
        self._owed = False  # OKAY must be sent for received data
        self._clear = False  # the peer has acknowledged what was sent
        self._open = False
        self._over = False  # nothing more is received or sent

    # ---- from the connection's thread ----------------------------------------------------------------------

    def acknowledged(self) -> None:
        """The peer is ready for more data."""
        with self._changed:
            self._clear = True
            self._changed.notify_all()

    def received(self, payload: bytes) -> None:
        """Buffer what the peer has sent, and let it send more if the buffer is not full."""
        excess = len(payload) > READ_AHEAD // 4 and self._peer.too_much(len(payload))
        with self._changed:
            if self._over or not self._open:
                return
            excess = excess or self._owed  # it did not wait for its OKAY
            owed = self._owed = not excess and self.waiting + len(payload) > READ_AHEAD
        if excess:
            self.close()
            return
        if not owed:  # before the service can answer: some clients expect this order
            self._peer.send(OKAY, self._ours, self.theirs)
        with self._changed:
            if payload and not self._over:
                self._incoming.append(memoryview(payload))
                self.waiting += len(payload)
                self._changed.notify_all()

    def closed_there(self) -> None:
        """The peer has ended the stream; what it sent can still be read."""
        self._end(tell=True)

    def ended(self) -> None:
        """The connection is gone."""
        self._end(tell=False)

    def _end(self, *, tell: bool) -> None:
        with self._changed:
            if self._over:
                return
            self._over = True
            self._changed.notify_all()
        self._peer.forget(self._ours)
        if tell:
            with contextlib.suppress(EndOfStream):
                self._peer.send(CLSE, self._ours if self._open else 0, self.theirs)

    # ---- from the service's threads ------------------------------------------------------------------------

    def opened(self) -> None:
        """The service is there: tell the peer."""
        with self._changed:
            if self._over:
                raise EndOfStream
            self._open = self._clear = True
        self._peer.send(OKAY, self._ours, self.theirs)

    def read(self, most: int) -> bytes:
        with self._changed:
            while not self._incoming:
                if self._over:
                    return b""
                self._changed.wait()
            piece = self._incoming.popleft()
            if len(piece) > most:
                self._incoming.appendleft(piece[most:])
                piece = piece[:most]
            data = bytes(piece)
            self.waiting -= len(data)
            owed = self._owed and self.waiting <= READ_AHEAD // 2 and not self._over
            if owed:
                self._owed = False
        if owed:
            with contextlib.suppress(EndOfStream):
                self._peer.send(OKAY, self._ours, self.theirs)
        return data

    def read_exactly(self, count: int) -> bytes:
        return read_whole(self.read, count)

    def write(self, data: bytes) -> None:
        most = self._peer.most_out
        for start in range(0, len(data), most):
            with self._changed:
                while not (self._clear or self._over):
                    self._changed.wait()
                if self._over:
                    raise EndOfStream
                self._clear = False
            self._peer.send(WRTE, self._ours, self.theirs, data[start : start + most])

    def close(self) -> None:
        with self._changed:
            self._incoming.clear()
            self.waiting = 0
        self._end(tell=True)
