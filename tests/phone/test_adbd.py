"""adb's packets, spoken by a peer that follows the rules, one that does not, and one that sends anything."""

import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.phone.adb_peers import BANNER, HEADER, EchoServices, Peer, echo_daemon, pattern, word
from vsalang.phone.wire import AdbDaemon, Banner, Handler
from vsalang.phone.wire.adbd import MOST_STREAMS, READ_AHEAD

QUICK = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture
def echo() -> Iterator[tuple[AdbDaemon, EchoServices]]:
    with echo_daemon() as both:
        yield both


def eventually(test: Callable[[], bool]) -> bool:
    for _ in range(6000):
        if test():
            return True
        time.sleep(0.01)
    return test()


# ---- meeting -------------------------------------------------------------------------------------------------


def test_hello(echo: tuple[AdbDaemon, EchoServices]) -> None:
    with Peer(echo[0].port) as peer:
        assert (peer.their_version, peer.their_most) == (0x01000001, 1 << 20)
        assert peer.banner == (
            b"device::ro.product.name=echo;ro.product.model=Echo_One;ro.product.device=echo;features=shell_v2,cmd"
        )


def test_a_name_cannot_break_the_banner() -> None:
    text = Banner("a;features=evil", "b\nc:d", "é|" * 300, ("cmd",)).text()
    assert text.count("features=") == 1 or "features_evil" in text
    assert text.count(";") == 3
    assert "\n" not in text
    assert len(text) < 600


@pytest.mark.parametrize(
    ("version", "most"), [(0x01000000, 4096), (0x01000000, 1 << 20), (0x01000001, 64), (0x02000000, 1 << 30)]
)
def test_versions_and_sizes(echo: tuple[AdbDaemon, EchoServices], version: int, most: int) -> None:
    """`Peer.receive` looks at sizes, and at checksums where the version asks for them."""
    data = pattern(10_000)
    with Peer(echo[0].port, version=version, most=most) as peer:
        theirs = peer.open("count:10000", 7)
        got = b""
        while len(got) < len(data):
            command, first, second, payload = peer.receive()
            assert (command, first, second) == ("WRTE", theirs, 7)
            got += payload
            peer.send("OKAY", 7, theirs)
        assert got == data
        assert peer.receive()[:3] == ("CLSE", theirs, 7)


@pytest.mark.parametrize(
    ("version", "most"), [(0x00000001, 4096), (0, 4096), (0x01000001, 0), (0x01000001, 63)]
)
def test_a_hello_that_cannot_be(echo: tuple[AdbDaemon, EchoServices], version: int, most: int) -> None:
    with Peer(echo[0].port, hello=False) as peer:
        peer.send("CNXN", version, most, b"host::\0")
        assert peer.gone()


def test_checksums_of_old_peers_are_looked_at(echo: tuple[AdbDaemon, EchoServices]) -> None:
    with Peer(echo[0].port, version=0x01000000) as peer:
        peer.send("OPEN", 1, 0, b"echo:\0", check=1)
        assert peer.gone()
    with Peer(echo[0].port) as peer:
        peer.send("OPEN", 1, 0, b"echo:\0", check=0)
        assert peer.receive()[0] == "OKAY"
    with Peer(echo[0].port, hello=False) as peer:
        peer.send("CNXN", 0x01000000, 4096, b"host::\0", check=1)
        assert peer.gone()
    assert echo[1].opened == ["echo:"]


def test_nothing_counts_before_the_hello(echo: tuple[AdbDaemon, EchoServices]) -> None:
    with Peer(echo[0].port, hello=False) as peer:
        peer.send("OPEN", 1, 0, b"echo:\0")
        peer.send("AUTH", 1, 0, b"x")
        peer.send("CNXN", 0x01000001, 4096, b"host::\0")
        assert peer.receive()[0] == "CNXN"
    assert echo[1].opened == []


def test_a_second_hello_ends_the_streams(echo: tuple[AdbDaemon, EchoServices]) -> None:
    with Peer(echo[0].port) as peer:
        peer.open("echo:")
        assert eventually(lambda: echo[1].running == 1)
        peer.send("CNXN", 0x01000001, 4096, b"host::\0")
        assert peer.receive()[0] == "CNXN"
        assert eventually(lambda: echo[1].running == 0)
        peer.open("echo:", 2)


# ---- streams -------------------------------------------------------------------------------------------------


def test_echo_and_close(echo: tuple[AdbDaemon, EchoServices]) -> None:
    with Peer(echo[0].port) as peer:
        theirs = peer.open("echo:", 5)
        for data in (b"a", bytes(range(256)) * 100):
            peer.send("WRTE", 5, theirs, data)
            assert peer.receive() == ("OKAY", theirs, 5, b"")
            assert peer.receive() == ("WRTE", theirs, 5, data)
            peer.send("OKAY", 5, theirs)
        peer.send("CLSE", 5, theirs)
        assert peer.receive()[:3] == ("CLSE", theirs, 5)
        assert eventually(lambda: echo[1].running == 0)
        peer.send("WRTE", 5, theirs, b"late")  # of a stream that is gone: no answer, no harm
        peer.send("OKAY", 5, theirs)
        peer.send("CLSE", 5, theirs)
        assert peer.open("echo:", 6) == theirs + 1


def test_what_was_sent_before_the_close_is_read(echo: tuple[AdbDaemon, EchoServices]) -> None:
    with Peer(echo[0].port) as peer:
        theirs = peer.open("stuck:")
        peer.send("WRTE", 1, theirs, b"left")
        peer.receive()
        peer.send("CLSE", 1, theirs)
        assert peer.receive()[0] == "CLSE"
        assert eventually(lambda: echo[1].running == 1)
        echo[1].let_go.set()
        assert eventually(lambda: echo[1].running == 0)


@pytest.mark.parametrize("name", ["nothing:", "", "\udcff", "x" * 100_000])
def test_refused(echo: tuple[AdbDaemon, EchoServices], name: str) -> None:
    with Peer(echo[0].port) as peer:
        peer.send("OPEN", 3, 0, name.encode("utf-8", "surrogateescape") + b"\0")
        assert peer.receive()[:3] == ("CLSE", 0, 3)
        peer.open("echo:", 4)


def test_a_service_that_fails_ends_its_stream_only(
    echo: tuple[AdbDaemon, EchoServices], caplog: pytest.LogCaptureFixture
) -> None:
    with Peer(echo[0].port) as peer:
        other = peer.open("echo:", 1)
        failing = peer.open("boom:", 2)
        assert peer.receive()[:3] == ("CLSE", failing, 2)
        peer.send("WRTE", 1, other, b"x")
        assert peer.receive()[0] == "OKAY"
    assert "boom" in caplog.text


def test_names_end_at_their_last_character(echo: tuple[AdbDaemon, EchoServices]) -> None:
    with Peer(echo[0].port) as peer:
        peer.send("OPEN", 1, 0, b"echo:a\0b\0\0")
        peer.receive()
        peer.send("OPEN", 2, 0, b"echo:c")
        peer.receive()
    assert echo[1].opened == ["echo:a\0b", "echo:c"]


def test_many_streams_at_once(echo: tuple[AdbDaemon, EchoServices]) -> None:
    with Peer(echo[0].port) as peer:
        theirs = {local: peer.open("echo:", local) for local in range(1, 101)}
        for local, remote in theirs.items():
            peer.send("WRTE", local, remote, b"%d" % local)
        got: dict[int, bytes] = {}
        while len(got) < 100:
            command, remote, local, payload = peer.receive()
            assert theirs[local] == remote
            if command == "WRTE":
                got[local] = payload
        assert got == {local: b"%d" % local for local in theirs}


def test_a_service_slow_to_open_holds_nobody_up() -> None:
    go = threading.Event()

    class Slow(EchoServices):
        def open(self, name: str) -> Handler:
            if name == "echo:slow":
                assert go.wait(60)
            return super().open(name)

    with AdbDaemon.start(Slow(), BANNER) as daemon, Peer(daemon.port) as peer:
        peer.send("OPEN", 1, 0, b"echo:slow\0")
        quick = peer.open("echo:", 2)
        peer.send("WRTE", 2, quick, b"x")
        assert [peer.receive()[0] for _ in range(2)] == ["OKAY", "WRTE"]
        peer.send("OPEN", 3, 0, b"echo:slow\0")
        peer.send("CLSE", 3, quick + 1)  # of another stream, or gone before it was open: both end well
        go.set()
        assert peer.receive()[0] in ("OKAY", "CLSE")


def test_not_more_streams_than_allowed(echo: tuple[AdbDaemon, EchoServices]) -> None:
    with Peer(echo[0].port) as peer:
        for local in range(1, MOST_STREAMS + 1):
            peer.open("echo:", local)
        peer.send("OPEN", 9999, 0, b"echo:\0")
        assert peer.receive()[:3] == ("CLSE", 0, 9999)
        peer.send("CLSE", 1, 1)
        assert peer.receive()[:3] == ("CLSE", 1, 1)
        peer.open("echo:", 9999)


def test_messages_of_another_stream_are_not_taken(echo: tuple[AdbDaemon, EchoServices]) -> None:
    with Peer(echo[0].port) as peer:
        theirs = peer.open("echo:", 1)
        peer.send("WRTE", 2, theirs, b"not mine")
        peer.send("CLSE", 2, theirs)
        peer.send("OPEN", 0, 0, b"echo:\0")
        peer.send("WRTE", 1, theirs, b"mine")
        assert peer.receive()[0] == "OKAY"
        assert peer.receive()[3] == b"mine"


# ---- a slow side makes the other wait ------------------------------------------------------------------------


def test_the_device_waits_for_the_acknowledgement(echo: tuple[AdbDaemon, EchoServices]) -> None:
    with Peer(echo[0].port, most=1000) as peer:
        theirs = peer.open("count:5000")
        assert peer.receive()[3] == pattern(5000)[:1000]
        peer.socket.settimeout(0.2)
        with pytest.raises(TimeoutError):
            peer.receive()
        peer.socket.settimeout(20)
        peer.send("OKAY", 1, theirs)
        assert peer.receive()[3] == pattern(5000)[1000:2000]
        peer.send("CLSE", 1, theirs)
        assert peer.receive()[0] == "CLSE"
        assert eventually(lambda: echo[1].running == 0), "who writes wakes up"


def test_the_peer_waits_while_nobody_reads(echo: tuple[AdbDaemon, EchoServices]) -> None:
    piece = bytes(READ_AHEAD // 4)
    with Peer(echo[0].port) as peer:
        theirs = peer.open("stuck:")
        for _ in range(4):
            peer.send("WRTE", 1, theirs, piece)
            assert peer.receive()[0] == "OKAY"
        peer.send("WRTE", 1, theirs, piece)
        peer.socket.settimeout(0.2)
        with pytest.raises(TimeoutError):
            peer.receive()
        peer.socket.settimeout(20)
        other = peer.open("echo:", 2)  # other streams go on
        peer.send("CLSE", 2, other)
        assert peer.receive()[0] == "CLSE"
        echo[1].let_go.set()
        assert peer.receive() == ("OKAY", theirs, 1, b"")


def test_a_peer_that_does_not_wait_loses_its_stream(echo: tuple[AdbDaemon, EchoServices]) -> None:
    with Peer(echo[0].port) as peer:
        theirs = peer.open("stuck:")
        for _ in range(100):
            peer.send("WRTE", 1, theirs, bytes(READ_AHEAD))
        answers = [peer.receive()]
        while answers[-1][0] != "CLSE":
            answers.append(peer.receive())
        assert len(answers) < 5
        peer.open("echo:", 2)


def test_large_transfers_both_ways(echo: tuple[AdbDaemon, EchoServices]) -> None:
    with Peer(echo[0].port) as peer:
        theirs = peer.open("sink:")
        for _ in range(20):
            peer.send("WRTE", 1, theirs, bytes(1 << 20))
            assert peer.receive()[0] == "OKAY"
        peer.send("WRTE", 1, theirs, b"!")
        assert peer.receive()[0] == "OKAY"
        assert peer.receive()[3] == b"%d" % (20 * (1 << 20) + 1)


# ---- peers that break things ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "data",
    [
        b"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
        bytes(24),
        b"\xff" * 24,
        HEADER.pack(word("CNXN"), 0x01000001, 4096, 5000, 0, word("CNXN") ^ 0xFFFFFFFF),
        HEADER.pack(word("CNXN"), 0x01000001, 4096, 0xFFFFFFFF, 0, word("CNXN") ^ 0xFFFFFFFF),
    ],
)
def test_what_is_no_adb_ends_the_connection(echo: tuple[AdbDaemon, EchoServices], data: bytes) -> None:
    with Peer(echo[0].port, hello=False) as peer:
        peer.socket.sendall(data)
        assert peer.gone()
    with Peer(echo[0].port) as peer:
        peer.open("echo:")


def test_a_payload_beyond_the_agreement_ends_the_connection() -> None:
    with echo_daemon(most_payload=8192) as (daemon, _), Peer(daemon.port) as peer:
        assert peer.their_most == 8192
        peer.socket.sendall(HEADER.pack(word("WRTE"), 1, 1, 8193, 0, word("WRTE") ^ 0xFFFFFFFF))
        assert peer.gone()


@QUICK
@given(data=st.binary(max_size=200))
def test_any_bytes_as_first(data: bytes) -> None:
    with Peer(_shared().port, hello=False) as peer:
        try:
            peer.socket.sendall(data)
            peer.socket.shutdown(socket.SHUT_WR)
        except OSError as error:  # it may end the connection as soon as it has read enough
            assert not isinstance(error, TimeoutError)
        assert peer.gone()
    _alive()


_COMMANDS = st.one_of(
    st.sampled_from(
        [word(name) for name in ("CNXN", "OPEN", "OKAY", "WRTE", "CLSE", "AUTH", "STLS", "SYNC")]
    ),
    st.integers(0, 0xFFFFFFFF),
)
_NUMBERS = st.one_of(st.integers(0, 5), st.sampled_from([0x01000000, 0x01000001, 4096, 0xFFFFFFFF]))
_MESSAGES = st.lists(
    st.tuples(_COMMANDS, _NUMBERS, _NUMBERS, st.one_of(st.binary(max_size=40), st.just(b"echo:\0"))),
    max_size=20,
)


@QUICK
@given(messages=_MESSAGES, rest=st.binary(max_size=30))
def test_any_messages_after_the_hello(messages: list[tuple[int, int, int, bytes]], rest: bytes) -> None:
    with Peer(_shared().port) as peer:
        try:
            for command, first, second, payload in messages:
                check = sum(payload) & 0xFFFFFFFF
                peer.socket.sendall(
                    HEADER.pack(command, first, second, len(payload), check, command ^ 0xFFFFFFFF) + payload
                )
            peer.socket.sendall(rest)
            peer.socket.shutdown(socket.SHUT_WR)
        except OSError as error:  # it may end the connection as soon as it has read enough
            assert not isinstance(error, TimeoutError)
        assert peer.gone()
    _alive()


_running: list[AdbDaemon] = []


def _shared() -> AdbDaemon:
    """One daemon for all examples."""
    if not _running:
        _running.append(AdbDaemon.start(EchoServices(), BANNER))
    return _running[0]


def _alive() -> None:
    with Peer(_shared().port) as peer:
        peer.open("echo:")


def test_a_silent_peer_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("vsalang.phone.wire.adbd.HELLO_SECONDS", 0.2)
    with echo_daemon() as (daemon, _), Peer(daemon.port, hello=False) as peer:
        peer.socket.sendall(b"CNX")
        assert peer.gone()


@pytest.mark.slow
def test_a_peer_that_takes_nothing_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """It asks for more than it reads: once the kernel's buffers are full, sending fails after a while."""
    monkeypatch.setattr("vsalang.phone.wire.adbd.SEND_SECONDS", 1)
    with echo_daemon() as (daemon, services), Peer(daemon.port) as peer:
        for local in range(1, 41):
            peer.send("OPEN", local, 0, b"count:1000000\0")
        assert eventually(lambda: len(services.opened) == 40 and services.running == 0)


def test_a_peer_that_vanishes_ends_its_services(echo: tuple[AdbDaemon, EchoServices]) -> None:
    peer = Peer(echo[0].port)
    peer.open("echo:", 1)
    peer.open("sink:", 2)
    peer.socket.setsockopt(
        socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0)
    )  # a reset, no farewell
    peer.close()
    assert eventually(lambda: echo[1].running == 0)


def test_drop_and_close(echo: tuple[AdbDaemon, EchoServices]) -> None:
    daemon, services = echo
    with Peer(daemon.port) as peer:
        peer.open("echo:")
        daemon.drop()
        assert peer.gone()
    assert eventually(lambda: services.running == 0)
    with Peer(daemon.port) as peer:
        peer.open("echo:")
        daemon.close()
        daemon.close()
        assert peer.gone()
    with pytest.raises(OSError):
        socket.create_connection(("127.0.0.1", daemon.port), timeout=60)


def test_a_port_that_is_taken(echo: tuple[AdbDaemon, EchoServices]) -> None:
    with pytest.raises(OSError):
        AdbDaemon.start(EchoServices(), BANNER, port=echo[0].port)


def test_no_threads_stay_behind() -> None:
    """Those of this test alone: threads of other tests may still end meanwhile."""
    before = set(threading.enumerate())

    def ours() -> list[str]:
        found = set(threading.enumerate()) - before
        return [one.name for one in found if one.name.startswith("adbd") and one.is_alive()]

    with echo_daemon() as (daemon, _), Peer(daemon.port) as peer:
        for local in range(1, 11):
            peer.open("echo:", local)
        assert eventually(lambda: len(ours()) >= 12)
    assert eventually(lambda: not ours())
