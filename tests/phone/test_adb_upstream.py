"""Services of a phone, opened through an adb server: ours, the real ones, an old one, and ones that misbehave."""

import contextlib
import socket
import struct
import threading
from collections.abc import Callable, Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.phone.adb_peers import ADBS, BANNER, Adb, EchoServices, echo_daemon, joined, pattern, real_server
from vsalang.phone.errors import DeviceError, DeviceLost, DeviceTimeout
from vsalang.phone.wire import AdbServer, Handler, ServiceRefused, SocketStream, Upstream, splice
from vsalang.phone.wire.sockets import Listener


@pytest.fixture(scope="module")
def servers() -> Iterator[Callable[[str], Adb]]:
    """The real adb servers, each started when it is first asked for."""
    started: dict[str, Adb] = {}
    with contextlib.ExitStack() as stack:

        def get(which: str) -> Adb:
            if which not in started:
                started[which] = stack.enter_context(real_server(which))
            return started[which]

        yield get


@pytest.fixture(params=["own", *ADBS])
def upstream(
    request: pytest.FixtureRequest, servers: Callable[[str], Adb]
) -> Iterator[tuple[Upstream, EchoServices]]:
    """The same services behind each kind of server."""
    if request.param == "own":
        services = EchoServices()
        with AdbServer.start({"one:5": (services, BANNER)}) as server:
            yield Upstream("127.0.0.1", server.port, "one:5"), services
            services.let_go.set()
        return
    adb = servers(request.param)
    with echo_daemon() as (daemon, services):
        joined(adb, daemon)
        yield Upstream("127.0.0.1", adb.port, daemon.serial), services
        adb.run("disconnect", daemon.serial)


def test_services(upstream: tuple[Upstream, EchoServices]) -> None:
    phone, services = upstream
    with phone.open("shell:echo it") as stream:
        assert stream.read_all() == b"echo it"
    with phone.open("echo:") as stream:
        assert stream.fileno() > 0
        for data in (b"a\0\xff", pattern(300_000)):
            writer = threading.Thread(target=stream.write, args=(data,))
            writer.start()
            assert stream.read_exactly(len(data)) == data
            writer.join()
    with phone.open("count:3000000") as stream:
        assert stream.read_all() == pattern(3_000_000)
    with phone.open("count:3000000") as stream, pytest.raises(DeviceError, match="more than 1000 bytes"):
        stream.read_all(1000)
    with pytest.raises(ServiceRefused):
        phone.open("nothing:")
    assert services.opened == ["shell:echo it", "echo:", "count:3000000", "count:3000000", "nothing:"]


def test_what_the_server_tells(upstream: tuple[Upstream, EchoServices]) -> None:
    phone, _ = upstream
    assert set(phone.features()) == {"shell_v2", "cmd"}
    assert phone.server_version() == 41
    assert phone.devices() == {phone.serial: "device"}
    assert phone.ask("get-state") == "device"
    assert Upstream(phone.host, phone.port, "").ask("get-serialno") == phone.serial
    with Upstream(phone.host, phone.port, "").open("shell:x") as stream:
        assert stream.read_all() == b"x"
    with pytest.raises(ServiceRefused):
        phone.ask("nothing-of-that-name")


def test_time_out(upstream: tuple[Upstream, EchoServices]) -> None:
    phone, _ = upstream
    with phone.open("echo:") as stream:
        stream.set_timeout(0.1)
        with pytest.raises(DeviceTimeout):
            stream.read(10)


def test_no_such_phone(upstream: tuple[Upstream, EchoServices]) -> None:
    phone, services = upstream
    other = Upstream(phone.host, phone.port, "other")
    with pytest.raises(DeviceLost, match=r"other at the adb server at 127\.0\.0\.1:\d+: .*'other' not found"):
        other.open("echo:")
    with pytest.raises(DeviceLost, match="not found"):
        other.features()
    assert services.opened == []


def test_a_refusal_of_any_length_is_told() -> None:
    class Wordy:
        def open(self, name: str) -> Handler:
            raise ServiceRefused("no é" * 30_000)

    with AdbServer.start({"a": (Wordy(), BANNER)}) as server, pytest.raises(ServiceRefused) as caught:
        Upstream("127.0.0.1", server.port, "a").open("shell:x")
    assert str(caught.value) == ("no é" * 30_000).encode()[:0xFFFF].decode()


def test_too_long(upstream: tuple[Upstream, EchoServices]) -> None:
    with pytest.raises(ValueError, match="too long for adb"):
        upstream[0].open("shell:" + "x" * 70_000)


def test_a_phone_that_goes_away_ends_its_streams() -> None:
    with AdbServer.start({"a": (EchoServices(), BANNER), "b": (EchoServices(), BANNER)}) as server:
        stays, goes = (Upstream("127.0.0.1", server.port, serial) for serial in "ab")
        with stays.open("echo:") as here, goes.open("echo:") as there:
            server.detach("b")
            server.detach("b")
            assert there.read(10) == b""
            here.write(b"x")
            assert here.read(10) == b"x"
        assert stays.devices() == {"a": "device"}
        with pytest.raises(DeviceLost):
            goes.open("echo:")
        server.attach("b", EchoServices(), BANNER)
        goes.open("echo:").close()
        with pytest.raises(DeviceLost, match="more than one device"):
            Upstream("127.0.0.1", server.port, "").open("echo:")
    with pytest.raises(DeviceLost, match="cannot be reached"):
        stays.open("echo:")


@pytest.mark.parametrize("which", ADBS)
def test_a_phone_that_goes_away_from_a_real_server(which: str, servers: Callable[[str], Adb]) -> None:
    adb = servers(which)
    with echo_daemon() as (daemon, _):
        joined(adb, daemon)
        phone = Upstream("127.0.0.1", adb.port, daemon.serial)
        stream = phone.open("echo:")
        daemon.close()
        assert stream.read(10) == b""
        stream.close()
        with pytest.raises(DeviceLost):
            for _ in range(3000):  # until the server has noticed
                phone.open("echo:").close()
                threading.Event().wait(0.02)


# ---- servers that are old, or none -----------------------------------------------------------------------------


@contextlib.contextmanager
def scripted(answer: Callable[[SocketStream, str], bytes | None]) -> Iterator[tuple[int, list[str]]]:
    """A server that answers each request as told; None ends the connection."""
    requests: list[str] = []

    def serve(connection: socket.socket) -> None:
        stream = SocketStream(connection)
        while True:
            request = stream.read_exactly(int(stream.read_exactly(4), 16)).decode()
            requests.append(request)
            data = answer(stream, request)
            if data is None:
                return
            stream.write(data)

    listener = Listener(0, serve)
    try:
        yield listener.port, requests
    finally:
        listener.close()


def fail(message: str) -> bytes:
    return f"FAIL{len(message):04x}{message}".encode()


def test_a_server_before_version_41() -> None:
    def answer(stream: SocketStream, request: str) -> bytes | None:
        return fail("unknown host service") if "tport" in request else b"OKAY"

    with scripted(answer) as (port, requests):
        phone = Upstream("127.0.0.1", port, "a:1")
        phone.open("echo:").close()
        phone.open("echo:").close()
        assert requests == [
            "host:tport:serial:a:1", "host:transport:a:1", "echo:", "host:transport:a:1", "echo:",
        ]  # fmt: skip


@pytest.mark.parametrize(
    "message",
    [
        "device 'x' not found",
        "device offline",
        "device unauthorized.\nThis adb server's $ADB_VENDOR_KEYS is not set",
    ],
)
@pytest.mark.parametrize("late", [False, True])
def test_states_in_which_a_phone_is_not_there(message: str, late: bool) -> None:
    def answer(stream: SocketStream, request: str) -> bytes:
        return b"OKAY" + struct.pack("<Q", 1) if late and "tport" in request else fail(message)

    with scripted(answer) as (port, _), pytest.raises(DeviceLost) as caught:
        Upstream("127.0.0.1", port, "x").open("echo:")
    assert message in str(caught.value)


@pytest.mark.parametrize(
    "data", [None, b"HTTP/1.1 400 Bad Request\r\n\r\n", b"FAILzzzz", b"OKAY12", b"FAIL00ffx"]
)
def test_what_is_no_adb_server(data: bytes | None) -> None:
    def answer(stream: SocketStream, request: str) -> bytes | None:
        if data is not None:
            stream.write(data)
        return None

    with scripted(answer) as (port, _):
        phone = Upstream("127.0.0.1", port, "x")
        with pytest.raises(DeviceLost, match="adb server"):
            phone.open("echo:")
        with pytest.raises(DeviceLost, match="adb server"):
            phone.server_version()


def test_a_server_that_does_not_answer() -> None:
    where = r"x at the adb server at 127.0.0.1:\d+: no answer within 0.1 s"
    with scripted(lambda stream, request: b"") as (port, _), pytest.raises(DeviceTimeout, match=where):
        Upstream("127.0.0.1", port, "x", answer_timeout=0.1).open("echo:")


@given(first=st.binary(max_size=30), second=st.binary(max_size=30))
@settings(max_examples=60, deadline=None)
def test_any_answer(first: bytes, second: bytes) -> None:
    """Whatever a server says, it is an answer, or one of the errors that are promised."""
    answers = iter([b"OKAY" * (first[:1] < b"\x80") + first, second])

    def answer(stream: SocketStream, request: str) -> bytes | None:
        stream.write(next(answers, b""))
        return None

    with scripted(answer) as (port, _):
        phone = Upstream("127.0.0.1", port, "x", answer_timeout=60)
        for ask in (lambda: phone.open("echo:").close(), phone.server_version, phone.devices):
            with contextlib.suppress(DeviceError, ServiceRefused):
                ask()


def test_a_refusal_that_speaks_of_devices_is_a_refusal() -> None:
    """A guarded device tells its reason; the words of the server's own messages may occur in it."""
    reason = "blocked: the table was not found, the device offline or closed"
    ok = b"OKAY" + struct.pack("<Q", 1)
    told = scripted(lambda stream, request: ok if "tport" in request else fail(reason))
    with told as (port, _), pytest.raises(ServiceRefused, match=reason):
        Upstream("127.0.0.1", port, "x").open("shell:input tap 1 2")


# ---- passing on ----------------------------------------------------------------------------------------------


class _Passing:
    """Each service of the phone behind, as a guarded device passes it on."""

    def __init__(self, phone: Upstream) -> None:
        self._phone = phone

    def open(self, name: str) -> Callable[[object], None]:
        far = self._phone.open(name)
        return lambda near: splice(near, far)  # type: ignore[arg-type]


def test_services_are_passed_on_both_ways(upstream: tuple[Upstream, EchoServices]) -> None:
    phone, services = upstream
    with AdbServer.start({"outer": (_Passing(phone), BANNER)}) as server:  # type: ignore[dict-item]
        outer = Upstream("127.0.0.1", server.port, "outer")
        with outer.open("count:2000000") as stream:
            assert stream.read_all() == pattern(2_000_000)
        with outer.open("echo:") as stream:
            stream.write(b"there and back")
            assert stream.read_exactly(14) == b"there and back"
        with pytest.raises(ServiceRefused):
            outer.open("nothing:")
        for _ in range(300):
            if not services.running:
                break
            threading.Event().wait(0.01)
        assert services.running == 0, "the far stream ends with the near one"
