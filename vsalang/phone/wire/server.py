"""An adb server ("smart socket") for devices in this process.

Clients that speak to an adb server (adbutils and with it uiautomator2, the adb command itself) need no adb
binary and no other server: they connect to this one. Requests and answers: AOSP, packages/modules/adb,
``SERVICES.TXT`` and ``OVERVIEW.TXT``, and what the clients were seen to send.
"""

import contextlib
import socket
import struct
import threading
from collections.abc import Iterable, Mapping
from types import TracebackType
from typing import Self

from vsalang.base.records import dataclass
from vsalang.phone.wire.adbd import Banner, clean
from vsalang.phone.wire.services import EndOfStream, ServiceRefused, Services
from vsalang.phone.wire.sockets import Listener, SocketStream

VERSION = 41
MOST_REQUEST = 0xFFFF
MOST_FORWARDS = 64
_STRANGER = "this adb server serves the user who started it, and you are another (see --allow-user)"


class _Fail(Exception):
    """The request is answered by FAIL and this message; the connection ends."""


@dataclass(frozen=True, slots=True)
class _AttachedDevice:
    """A device of the server."""

    serial: str
    number: int
    services: Services
    banner: Banner

    @property
    def row(self) -> str:
        """Its line of ``host:devices``."""
        return f"{self.serial}\tdevice\n"

    @property
    def long_row(self) -> str:
        """Its line of ``host:devices-l``."""
        banner = self.banner
        return (
            f"{self.serial:<22} device product:{clean(banner.product)} model:{clean(banner.model)} "
            f"device:{clean(banner.device)} transport_id:{self.number}\n"
        )


class AdbServer:
    """An adb server. A context manager; leaving it ends it.

        with AdbServer.start({"sim-restaurant": (services, banner)}) as server:
            print(server.port)

    Attributes:
        port: on 127.0.0.1, where it listens.
    """

    def __init__(
        self, devices: Mapping[str, tuple[Services, Banner]], port: int, users: Iterable[int] | None = None
    ) -> None:
        self._users = frozenset(users) if users is not None else None
        self._devices: dict[str, _AttachedDevice] = {}
        self._last = 0
        self._changed = threading.Condition()
        self._forwards: dict[str, tuple[str, str, Listener]] = {}
        self._streams: dict[SocketStream, int] = {}
        self._closed = False
        for serial, (services, banner) in devices.items():
            self.attach(serial, services, banner)
        self._listener = Listener(
            port, self._connection, name="adb-server", users=self._users, refusal=b"FAIL" + _block(_STRANGER)
        )
        self.port = self._listener.port

    @classmethod
    def start(
        cls,
        devices: Mapping[str, tuple[Services, Banner]],
        *,
        port: int = 0,
        users: Iterable[int] | None = None,
    ) -> Self:
        """Begin to listen on 127.0.0.1.

        Args:
            devices: what each device offers, by its serial.
            port: 0 takes a free one.
            users: who may connect, to this port and to forwarded ones; None: this process's user.

        Raises:
            OSError: the port is taken.
        """
        return cls(devices, port, users)

    @property
    def serials(self) -> tuple[str, ...]:
        """The devices that are attached now."""
        with self._changed:
            return tuple(self._devices)

    def attach(self, serial: str, services: Services, banner: Banner) -> None:
        """Add a device; it replaces one of the same serial. Clients that track devices are notified."""
        with self._changed:
            self._last += 1
            self._devices[serial] = _AttachedDevice(serial, self._last, services, banner)
            self._changed.notify_all()

    def detach(self, serial: str) -> None:
        """Remove a device, as if its cable was pulled: its streams and forwarded ports end, clients are notified."""
        with self._changed:
            device = self._devices.pop(serial, None)
            if device is None:
                return
            self._changed.notify_all()
            gone = [local for local, (owner, _, _) in self._forwards.items() if owner == serial]
            cut = [stream for stream, number in self._streams.items() if number == device.number]
        self._remove_forwards(gone)
        for stream in cut:
            stream.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Stop listening and drop all connections. May be called twice."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        self._listener.close()
        self._remove_forwards(list(self._forwards))

    # ---- requests ------------------------------------------------------------------------------------------

    def _connection(self, connection: socket.socket) -> None:
        """Requests of one client: host requests end the connection, a transport is followed by one more."""
        stream = SocketStream(connection)
        device: _AttachedDevice | None = None
        try:
            while True:
                request = self._read_request(stream)
                if request.startswith(("host:transport", "host:tport:")):
                    device = self._transport(stream, request.removeprefix("host:"))
                    continue
                if request.startswith("host"):
                    chosen, request = self._without_prefix(request, device)
                    self._host(stream, request, chosen)
                else:
                    self._service(stream, request, device or self._only())
                break
        except _Fail as error:
            stream.write(b"FAIL" + _block(str(error)))
        stream.finish()

    def _read_request(self, stream: SocketStream) -> str:
        size = stream.read_exactly(4)
        try:
            length = int(size, 16) if size.isalnum() else -1
        except ValueError:
            length = -1
        if not 0 <= length <= MOST_REQUEST:
            raise _Fail("malformed request")
        try:
            return stream.read_exactly(length).decode()
        except UnicodeDecodeError:
            raise _Fail("the request is not UTF-8") from None

    def _only(self) -> _AttachedDevice:
        """The device that is meant when none is named."""
        with self._changed:
            devices = list(self._devices.values())
        if len(devices) == 1:
            return devices[0]
        raise _Fail("more than one device/emulator" if devices else "no devices/emulators found")

    def _by_serial(self, serial: str) -> _AttachedDevice:
        with self._changed:
            device = self._devices.get(serial)
        if device is None:
            raise _Fail(f"device '{serial[:200]}' not found")
        return device

    def _by_number(self, number: str) -> _AttachedDevice:
        with self._changed:
            device = next((one for one in self._devices.values() if str(one.number) == number), None)
        if device is None:
            raise _Fail(f"no device with transport id '{number[:20]}'")
        return device

    def _without_prefix(
        self, request: str, device: _AttachedDevice | None
    ) -> tuple[_AttachedDevice | None, str]:
        """The request without ``host:``, ``host-serial:S:`` and the like, and the device it names.

        S may hold colons. After a transport the device is known already.
        """
        prefix, _, rest = request.partition(":")
        if prefix == "host":
            return device, rest
        if prefix in ("host-usb", "host-local"):
            return device or self._only(), rest
        if prefix == "host-serial":
            with self._changed:
                known = [serial for serial in self._devices if rest.startswith(serial + ":")]
            if known:
                serial = max(known, key=len)
                return self._by_serial(serial), rest[len(serial) + 1 :]
            if (place := rest.find(":wait-for-")) >= 0:  # the device may appear later
                return None, f"{rest[place + 1 :]}:{rest[:place]}"
            raise _Fail(f"device '{rest.rpartition(':')[0] or rest}' not found")
        if prefix == "host-transport-id":
            number, _, rest = rest.partition(":")
            return self._by_number(number), rest
        raise _Fail("unknown host service")

    def _transport(self, stream: SocketStream, request: str) -> _AttachedDevice:
        kind, _, which = request.partition(":")
        if kind == "tport":
            by, _, which = which.partition(":")
            if by not in ("serial", "any", "usb", "local"):
                raise _Fail("unknown kind of transport")
            device = self._by_serial(which) if by == "serial" else self._only()
        elif kind == "transport-id":
            device = self._by_number(which)
        elif kind == "transport":
            device = self._by_serial(which)
        elif kind in ("transport-any", "transport-usb", "transport-local"):
            device = self._only()
        else:
            raise _Fail("unknown host service")
        stream.write(b"OKAY" + (struct.pack("<Q", device.number) if kind == "tport" else b""))
        return device

    def _service(self, stream: SocketStream, request: str, device: _AttachedDevice) -> None:
        try:
            handler = device.services.open(request)
        except ServiceRefused as error:
            raise _Fail(str(error)) from error
        with self._changed:
            self._streams[stream] = device.number
            cut = self._devices.get(device.serial) is not device
        if cut:
            stream.close()
        with contextlib.suppress(EndOfStream):
            stream.write(b"OKAY")
        try:
            handler(stream)  # even if the client is gone: the service may hold resources
        finally:
            with self._changed:
                self._streams.pop(stream, None)

    def _host(self, stream: SocketStream, request: str, device: _AttachedDevice | None) -> None:
        verb, _, rest = request.partition(":")
        if verb in ("version", "devices", "devices-l", "host-features", "list-forward"):
            stream.write(b"OKAY" + _block(self._of_host(verb, device)))
        elif verb in ("features", "get-state", "get-serialno", "get-devpath"):
            stream.write(b"OKAY" + _block(_of_device(verb, device or self._only())))
        elif verb in ("track-devices", "track-devices-l"):
            self._track(stream, "devices-l" if verb.endswith("-l") else "devices")
        elif verb.startswith("wait-for-"):
            self._wait_for(stream, verb, device.serial if device else rest)
        elif verb == "forward":
            self._forward(stream, rest, device or self._only())
        elif verb in ("killforward", "killforward-all"):
            self._kill_forward(verb, rest, device)
            stream.write(b"OKAYOKAY")
        elif verb == "connect":
            raise _Fail("this adb server has devices of its own and connects to no other")
        elif verb == "disconnect":
            raise _Fail(f"no such device '{rest[:200]}'")
        elif verb == "kill":
            # clients restart a server that they do not trust; this one ends with the program that started it
            stream.write(b"OKAY")
        else:
            raise _Fail("unknown host service")

    def _of_host(self, verb: str, device: _AttachedDevice | None) -> str:
        with self._changed:
            if verb == "devices":
                return "".join(one.row for one in self._devices.values())
            if verb == "devices-l":
                return "".join(one.long_row for one in self._devices.values())
            if verb == "list-forward":
                return "".join(
                    f"{owner} {local} {remote}\n"
                    for local, (owner, remote, _) in self._forwards.items()
                    if device is None or device.serial == owner
                )
            if verb == "version":
                return f"{VERSION:04x}"
            every = (one.banner.features for one in self._devices.values())
            return ",".join(dict.fromkeys(feature for features in every for feature in features))

    def _track(self, stream: SocketStream, verb: str) -> None:
        """Send the list of devices now and whenever it changes, until the client goes."""
        start = b"OKAY"
        gone = self._watched(stream)
        sent: str | None = None
        while not gone.is_set():
            with self._changed:
                while not self._closed and not gone.is_set() and (now := self._of_host(verb, None)) == sent:
                    self._changed.wait()
                if self._closed or gone.is_set():
                    return
            stream.write(start + _block(now))
            start, sent = b"", now

    def _wait_for(self, stream: SocketStream, verb: str, serial: str) -> None:
        """Answer when a device is there, or (``-disconnect``) is not; another state never comes."""
        state = verb.rpartition("-")[2]
        gone = threading.Event()

        def met() -> bool:
            there = serial in self._devices if serial else bool(self._devices)
            return (
                self._closed
                or gone.is_set()
                or (state in ("device", "any") and there)
                or (state == "disconnect" and not there)
            )

        with self._changed:
            if met():
                stream.write(b"OKAYOKAY")
                return
        stream.write(b"OKAY")
        gone = self._watched(stream)
        with self._changed:
            self._changed.wait_for(met)
            answer = not (self._closed or gone.is_set())
        if answer:
            stream.write(b"OKAY")

    def _watched(self, stream: SocketStream) -> threading.Event:
        """Set when the client is gone, so that waiting threads wake up."""
        gone = threading.Event()

        def watch() -> None:
            while stream.read(1024):
                pass
            gone.set()
            with self._changed:
                self._changed.notify_all()

        threading.Thread(target=watch, name="adb-server-watch", daemon=True).start()
        return gone

    # ---- forwarded ports -----------------------------------------------------------------------------------

    def _forward(self, stream: SocketStream, request: str, device: _AttachedDevice) -> None:
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

        def serve(connection: socket.socket) -> None:
            forwarded = SocketStream(connection)
            with contextlib.suppress(ServiceRefused):
                device.services.open(remote)(forwarded)
            forwarded.finish()

        try:
            listener = Listener(int(number), serve, name="adb-forward", users=self._users)
        except OSError as error:
            raise _Fail(f"cannot bind listener: {error.strerror}") from error
        with self._changed:
            self._forwards[f"tcp:{listener.port}"] = (device.serial, remote, listener)
        stream.write(b"OKAYOKAY" + (_block(str(listener.port)) if number == "0" else b""))

    def _kill_forward(self, verb: str, local: str, device: _AttachedDevice | None) -> None:
        with self._changed:
            names = [
                name
                for name, (owner, _, _) in self._forwards.items()
                if (verb == "killforward-all" or name == local) and (device is None or device.serial == owner)
            ]
        if verb == "killforward" and not names:
            raise _Fail(f"listener '{local[:200]}' not found")
        self._remove_forwards(names)

    def _remove_forwards(self, names: list[str]) -> None:
        with self._changed:
            gone = [self._forwards.pop(name) for name in names if name in self._forwards]
        for _, _, listener in gone:
            listener.close()


def _of_device(verb: str, device: _AttachedDevice) -> str:
    if verb == "features":
        return ",".join(device.banner.features)
    if verb == "get-state":
        return "device"
    return device.serial if verb == "get-serialno" else "unknown"  # as for any device that is not on USB


def _block(text: str) -> bytes:
    """The text after its length, cut where the length would need more than its four digits."""
    data = text.encode()
    if len(data) > 0xFFFF:
        data = data[:0xFFFF].decode(errors="ignore").encode()
    return f"{len(data):04x}".encode() + data
