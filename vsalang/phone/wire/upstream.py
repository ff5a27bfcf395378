"""A client of the user's own adb server: opens services on a phone. It never starts a server, and needs no adb binary.

Requests and answers: AOSP, packages/modules/adb, ``SERVICES.TXT``.
"""

import os
import re
import socket

from vsalang.phone.errors import DeviceError, DeviceLost, DeviceTimeout
from vsalang.phone.wire.services import EndOfStream, ServiceRefused
from vsalang.phone.wire.sockets import SocketStream, acknowledge
from vsalang.program.delivery import leaving, reading
from vsalang.program.text import safe

CONNECT_SECONDS = 5.0
ANSWER_SECONDS = 15.0
MOST_ANSWER = 0xFFFF
_GONE = re.compile(
    r"device .*(not found|offline|unauthorized|authorizing|connecting|not ready)|no devices|no device with"
)
"""The beginning of the server's message if the phone is not connected; a guard's refusal begins differently."""


def server_address() -> tuple[str, int]:
    """Host and port of the user's adb server, from the variables that adb itself reads.

    Raises:
        DeviceError: their value is not an address.
    """
    host = os.environ.get("ANDROID_ADB_SERVER_HOST") or "127.0.0.1"
    port = os.environ.get("ANDROID_ADB_SERVER_PORT", "5037")
    if not re.fullmatch(r"[0-9]{1,5}", port, re.ASCII) or not 1 <= int(port) <= 65535:
        raise DeviceError(
            f"ANDROID_ADB_SERVER_PORT is {safe(port)}: it must be a port number (5037 if it is unset)"
        )
    return host, int(port)


class UpstreamStream(SocketStream):
    """An open service on the phone.

    `read` returns b"" at its end; with a time-out it raises `DeviceTimeout` if nothing arrived in that time.
    """

    def read(self, most: int) -> bytes:
        try:
            data = self._socket.recv(most)
        except TimeoutError as error:
            raise DeviceTimeout("the phone sent nothing in time") from error
        except OSError:
            return b""
        acknowledge(self._socket)
        return data

    def write(self, data: bytes) -> None:
        leaving()
        super().write(data)

    def set_timeout(self, seconds: float | None) -> None:
        """How long `read` and `write` wait; None: for ever."""
        self._socket.settimeout(seconds)

    def read_all(self, most: int = 64 << 20) -> bytes:
        """Everything until the service ends.

        Raises:
            DeviceError: more than `most` bytes arrived.
            DeviceTimeout: see `read`.
        """
        parts, size = [], 0
        while data := self.read(1 << 16):
            parts.append(data)
            size += len(data)
            if size > most:
                raise DeviceError(f"the phone sent more than {most} bytes")
        return b"".join(parts)

    def __enter__(self) -> "UpstreamStream":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Upstream:
    """A phone behind an adb server. May be used from several threads; it holds no connection of its own.

    Args:
        host: of the adb server.
        port: of the adb server.
        serial: of the phone; "" means the only one.
        connect_timeout: seconds for the connection to the server.
        answer_timeout: seconds for each answer of the server until the service is open.
    """

    def __init__(
        self,
        host: str,
        port: int,
        serial: str,
        *,
        connect_timeout: float = CONNECT_SECONDS,
        answer_timeout: float = ANSWER_SECONDS,
    ) -> None:
        self.host = host
        self.port = port
        self.serial = serial
        self._connect_timeout = connect_timeout
        self._answer_timeout = answer_timeout
        self._old = False  # a server before version 41 knows host:transport only

    def open(self, service: str) -> UpstreamStream:
        """Open a service on the phone, such as ``shell:ls`` or ``tcp:9008``.

        Returns:
            The stream, without a time-out. Close it.

        Raises:
            Refused: the phone does not open it.
            DeviceLost: no adb server answers there, or it does not have the phone (any more).
            DeviceTimeout: no answer in time.
            ValueError: the name is too long for a request.

        The attribute `delivered` of a `DeviceError` is False if the service was certainly not asked for: nothing of the
        request has left.
        """
        try:
            with reading():  # choosing the phone does not act on it
                stream = self._transport()
        except DeviceError as error:
            error.delivered = False
            raise
        try:
            _send(stream, service)
            failure = self._answer(stream)
            if failure is None:
                stream.set_timeout(None)
                return stream
        except BaseException:
            stream.close()
            raise
        stream.close()
        if _GONE.match(failure):
            raise DeviceLost(f"{self._name()}: {failure}")
        raise ServiceRefused(failure)

    def ask(self, request: str) -> str:
        """The text that answers a request to the server about the phone, such as ``features`` or ``get-state``.

        Raises:
            DeviceLost, DeviceTimeout: as `open`.
            Refused: the server does not answer it.
        """
        prefix = f"host-serial:{self.serial}" if self.serial else "host"
        return self._ask(f"{prefix}:{request}", phone=True)

    def features(self) -> tuple[str, ...]:
        """The features that both the phone and the server have. Raises as `ask`."""
        return tuple(name for name in self.ask("features").split(",") if name)

    def server_version(self) -> int:
        """The version of the server. Raises as `ask`."""
        text = self._ask("host:version", phone=False)
        try:
            return int(text, 16)
        except ValueError:
            raise DeviceLost(f"{self._where()} does not answer as an adb server") from None

    def devices(self) -> dict[str, str]:
        """The devices of the server: serial -> state (``device``, ``offline``, ``unauthorized``, ...)."""
        rows = (row.partition("\t") for row in self._ask("host:devices", phone=False).split("\n"))
        return {serial: state for serial, _, state in rows if serial}

    # ---- one connection ------------------------------------------------------------------------------------

    def _where(self) -> str:
        return f"the adb server at {self.host}:{self.port}"

    def _name(self) -> str:
        return f"{self.serial or 'the phone'} at {self._where()}"

    def _connect(self) -> UpstreamStream:
        try:
            connection = socket.create_connection((self.host, self.port), timeout=self._connect_timeout)
        except TimeoutError as error:
            raise DeviceTimeout(f"{self._where()} does not answer") from error
        except OSError as error:
            raise DeviceLost(f"{self._where()} cannot be reached ({error.strerror or error})") from error
        connection.settimeout(self._answer_timeout)
        return UpstreamStream(connection)

    def _answer(self, stream: UpstreamStream) -> str | None:
        """None for OKAY, else the message of FAIL."""
        try:
            status = stream.read_exactly(4)
            if status == b"OKAY":
                return None
            if status == b"FAIL":
                return _text(stream)
        except EndOfStream:
            raise DeviceLost(f"{self._where()} closed the connection") from None
        except ValueError:
            status = b""
        except DeviceTimeout:
            raise DeviceTimeout(f"{self._name()}: no answer within {self._answer_timeout:g} s") from None
        raise DeviceLost(f"{self._where()} does not answer as an adb server")

    def _transport(self) -> UpstreamStream:
        """A connection that is switched to the phone."""
        old = self._old
        stream = self._connect()
        try:
            if old:
                _send(stream, f"host:transport:{self.serial}" if self.serial else "host:transport-any")
            else:
                _send(stream, f"host:tport:serial:{self.serial}" if self.serial else "host:tport:any")
            failure = self._answer(stream)
            if failure is None:
                if not old:
                    self._number(stream)
                return stream
        except BaseException:
            stream.close()
            raise
        stream.close()
        if not old and "unknown host service" in failure:
            self._old = True
            return self._transport()
        raise DeviceLost(f"{self._name()}: {failure}")

    def _number(self, stream: UpstreamStream) -> None:
        """The number of the transport, which follows the OKAY of ``tport``."""
        try:
            stream.read_exactly(8)
        except EndOfStream:
            raise DeviceLost(f"{self._where()} closed the connection") from None

    def _ask(self, request: str, *, phone: bool) -> str:
        with self._connect() as stream:
            _send(stream, request)
            failure = self._answer(stream)
            if failure is None:
                try:
                    return _text(stream)
                except EndOfStream:
                    raise DeviceLost(f"{self._where()} closed the connection") from None
                except ValueError:
                    raise DeviceLost(f"{self._where()} does not answer as an adb server") from None
        if phone and _GONE.match(failure):
            raise DeviceLost(f"{self._name()}: {failure}")
        raise ServiceRefused(failure)


def _send(stream: UpstreamStream, request: str) -> None:
    data = request.encode()
    if len(data) > MOST_ANSWER:
        raise ValueError(f"a request of {len(data)} bytes is too long for adb (at most {MOST_ANSWER})")
    try:
        stream.write(f"{len(data):04x}".encode() + data)
    except EndOfStream:
        raise DeviceLost("the adb server closed the connection") from None


def _text(stream: UpstreamStream) -> str:
    return stream.read_exactly(int(stream.read_exactly(4), 16)).decode("utf-8", "replace")
