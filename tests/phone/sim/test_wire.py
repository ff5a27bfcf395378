"""Peers that speak nonsense, or half of something: the simulated phone answers an error and stays up."""

import json
import socket
import struct
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from vsalang.phone.sim import SimulatedPhone, load
from vsalang.phone.sim.rpc import Automator
from vsalang.phone.sim.rpc_signatures import SIGNATURES
from vsalang.phone.sim.services import PhoneServices
from vsalang.phone.sim.sh import ShellSyntax, parse
from vsalang.phone.wire.services import ServiceRefused

QUICK = settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.fixture(scope="module")
def simulated() -> Iterator[SimulatedPhone]:
    with SimulatedPhone.start(load("restaurant")) as running:
        yield running


def talk(port: int, data: bytes) -> bytes:
    """Send bytes, read all that comes back."""
    with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
        parts = []
        try:
            connection.sendall(data)
            connection.shutdown(socket.SHUT_WR)
            while chunk := connection.recv(65536):
                parts.append(chunk)
        except OSError as error:  # it may end the connection as soon as it has read enough
            assert not isinstance(error, TimeoutError)
        return b"".join(parts)


def request(text: str) -> bytes:
    data = text.encode()
    return f"{len(data):04x}".encode() + data


def alive(simulated: SimulatedPhone) -> bool:
    return talk(simulated.port, request("host:version")) == b"OKAY00040029"


def service(simulated: SimulatedPhone, name: str, data: bytes = b"") -> bytes:
    return talk(simulated.port, request(f"host:transport:{simulated.serial}") + request(name) + data)


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("host:version", b"OKAY00040029"),
        ("host:devices", b"OKAY0016sim-restaurant\tdevice\n"),
        ("host:features", b"OKAY0034shell_v2,cmd,stat_v2,ls_v2,fixed_push_mkdir,abb_exec"),
        ("host-serial:sim-restaurant:get-state", b"OKAY0006device"),
        ("host-transport-id:1:get-state", b"OKAY0006device"),
        ("host:wait-for-any-device", b"OKAYOKAY"),
        ("host:tport:any", b"OKAY" + struct.pack("<Q", 1)),
        ("host:tport:serial:sim-restaurant", b"OKAY" + struct.pack("<Q", 1)),
        ("host:transport-any", b"OKAY"),
        ("host:transport-id:1", b"OKAY"),
    ],
)
def test_host_requests(simulated: SimulatedPhone, text: str, answer: bytes) -> None:
    assert talk(simulated.port, request(text)) == answer


@pytest.mark.parametrize(
    "text",
    [
        "host:nonsense", "host:transport:other", "host:tport:serial:other", "host-serial:other:get-state",
        "host:transport-id:2", "host-transport-id:9:get-state", "host:connect:127.0.0.1:1", "host:disconnect:x",
        "host:forward:tcp:x;tcp:1", "host:forward:udp:1;tcp:1", "host:forward:tcp:99999;tcp:1", "hostile:x",
        "host:killforward:tcp:1", "shell:echo", "host",
    ],
)  # fmt: skip
def test_what_is_refused_fails_with_a_message(simulated: SimulatedPhone, text: str) -> None:
    answer = talk(simulated.port, request(text))
    if text == "shell:echo":  # without a transport: the only device is meant
        assert answer.startswith(b"OKAY")
    else:
        assert answer.startswith(b"FAIL")
        assert int(answer[4:8], 16) == len(answer) - 8 > 0
    assert alive(simulated)


def test_the_server_says_that_it_ends_and_stays(simulated: SimulatedPhone) -> None:
    """Clients restart a server that they do not trust; what they restart is this one."""
    assert talk(simulated.port, request("host:kill")) == b"OKAY"
    assert talk(simulated.port, request("host:version")) == b"OKAY00040029"


SERVICES = [
    "sync:", "shell,v2:", "shell,v2,pty:", "shell:", "tcp:9008", "exec:", "exec:cat", "shell,v2,raw:grep a",
    "abb_exec:package\0install\0-S\x0020", "exec:cmd package install -S 9",
]  # fmt: skip


@QUICK
@given(data=st.binary(max_size=300))
def test_any_bytes_on_the_smart_socket(simulated: SimulatedPhone, data: bytes) -> None:
    talk(simulated.port, data)
    assert alive(simulated)


@QUICK
@given(name=st.sampled_from(SERVICES), data=st.binary(max_size=300))
def test_any_bytes_on_a_service(simulated: SimulatedPhone, name: str, data: bytes) -> None:
    service(simulated, name, data)
    assert alive(simulated)


@QUICK
@given(line=st.text(max_size=60))
def test_any_command_line(simulated: SimulatedPhone, line: str) -> None:
    answer = service(simulated, "shell,v2:true;" + line.encode("utf-8", "replace").decode())
    assert answer.startswith(b"OKAY")
    assert answer[-6] == 3, "the last packet is the exit status"
    assert alive(simulated)


def test_services_that_are_not_offered(simulated: SimulatedPhone) -> None:
    services = PhoneServices(simulated.phone)
    for name in (
        "tcp:9008",
        "tcp:80",
        "tcp:",
        "tcp:x",
        "tcpip:5555",
        "usb:",
        "jdwp:1",
        "local:x",
        "",
    ):
        with pytest.raises(ServiceRefused):
            services.open(name)


def test_one_uiautomator_server_at_a_time(simulated: SimulatedPhone) -> None:
    services = PhoneServices(simulated.phone)
    stop = services.start_server(9008)
    assert stop is not None
    assert services.start_server(9009) is None
    services.open("tcp:9008")
    stop()
    with pytest.raises(ServiceRefused):
        services.open("tcp:9008")
    assert services.start_server(9009) is not None


# ---- HTTP ------------------------------------------------------------------------------------------------


@pytest.fixture
def http(simulated: SimulatedPhone) -> Iterator[Any]:
    """Sends bytes to the HTTP server of the phone; the server runs while the test does."""
    stop = simulated.services.start_server(9008)
    assert stop is not None
    yield lambda data: service(simulated, "tcp:9008", data).removeprefix(b"OKAY" * 2)
    stop()


def test_http(http: Any) -> None:
    ping = b"GET /ping HTTP/1.1\r\nHost: x\r\n\r\n"
    assert http(ping).endswith(b"\r\n\r\npong")
    assert http(ping + ping).count(b"pong") == 2, "the connection stays open"
    assert http(b"GET /screenshot/0 HTTP/1.1\r\n\r\n").split(b"\r\n\r\n", 1)[1].startswith(b"\xff\xd8")
    assert http(b"GET /absent HTTP/1.1\r\n\r\n").startswith(b"HTTP/1.1 404")
    assert http(b"POST /jsonrpc/0 HTTP/1.1\r\nContent-Length: 9\r\n\r\n{not json").endswith(b'"data": null}}')


@pytest.mark.parametrize(
    ("data", "status"),
    [
        (b"nonsense\r\n\r\n", b"400"),
        (b"GET /ping HTTP/1.1\r\nno colon\r\n\r\n", b"400"),
        (b"POST /jsonrpc/0 HTTP/1.1\r\nContent-Length: -1\r\n\r\n", b"400"),
        (b"POST /jsonrpc/0 HTTP/1.1\r\nContent-Length: 99999999999\r\n\r\n", b"413"),
        (b"POST /jsonrpc/0 HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", b"411"),
        (b"GET /" + b"x" * 70_000, b"431"),
    ],
)
def test_http_that_is_none(http: Any, data: bytes, status: bytes) -> None:
    assert http(data).startswith(b"HTTP/1.1 " + status)


# ---- JSON-RPC --------------------------------------------------------------------------------------------


def call(server: Automator, method: Any, params: Any) -> Any:
    return json.loads(
        server.answer(json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).encode())
    )


@pytest.mark.parametrize(
    ("body", "code"),
    [
        (b"", -32700),
        (b"\xff", -32700),
        (b"[" * 100_000, -32700),
        (b"[]", -32600),
        (b"5", -32600),
        (b'{"method": 5}', -32600),
        (b'{"method": "__init__"}', -32601),
        (b'{"method": "click", "params": [1]}', -32602),
        (b'{"method": "click", "params": {"x": 1}}', -32602),
        (b'{"method": "click", "params": [1e999, 1]}', -32602),
    ],
)
def test_json_rpc_errors(simulated: SimulatedPhone, body: bytes, code: int) -> None:
    assert json.loads(Automator(simulated.phone).answer(body))["error"]["code"] == code


def test_json_rpc_batch(simulated: SimulatedPhone) -> None:
    body = b'[{"id": 1, "method": "ping"}, {"id": 2, "method": "nothing"}]'
    first, second = json.loads(Automator(simulated.phone).answer(body))
    assert (first["id"], first["result"]) == (1, "pong")
    assert (second["id"], second["error"]["code"]) == (2, -32601)


def test_every_signature_has_its_method() -> None:
    for method in SIGNATURES:
        assert callable(getattr(Automator, f"_do_{method}"))


_JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-5, 5), st.floats(allow_nan=False), st.text(max_size=5)),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=6,
)
_SELECTOR = st.fixed_dictionaries(
    {"mask": st.one_of(st.integers(0, 0x1FFFFFF), _JSON)},
    optional={
        "text": _JSON, "textMatches": st.text(max_size=5), "instance": _JSON, "index": _JSON, "childOrSibling": _JSON,
        "childOrSiblingSelector": _JSON, "className": _JSON,
    },
)  # fmt: skip
_QUIET = sorted(set(SIGNATURES) - {"waitForExists", "waitUntilGone", "waitForWindowUpdate", "takeScreenshot"})


@QUICK
@given(method=st.sampled_from(_QUIET), params=st.lists(st.one_of(_JSON, _SELECTOR), max_size=5))
def test_any_call_gets_an_answer(simulated: SimulatedPhone, method: str, params: list[Any]) -> None:
    reply = call(Automator(simulated.phone), method, params)
    assert reply["id"] == 1
    assert ("result" in reply) != ("error" in reply)


def test_waiting_ends_when_the_screen_changes(simulated: SimulatedPhone) -> None:
    import threading

    simulated.phone.key("HOME")
    simulated.phone.stop_app("com.opentable")
    server = Automator(simulated.phone)
    selector = {"mask": 1, "text": "Search restaurants"}
    assert call(server, "waitForExists", [selector, 10])["result"] is False
    later = threading.Timer(0.05, simulated.phone.open_app, ["com.opentable"])
    later.start()
    assert call(server, "waitForExists", [selector, 20_000])["result"] is True
    later.join()


# ---- the shell's syntax ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("a b", [["a", "b"]]),
        ("a 'b  c' \"d $? e\" f\\ g", [["a", "b  c", "d \x00? e", "f g"]]),
        ("a;b && c || d", [["a"], ["b"], ["c"], ["d"]]),
        ("A=1 B=x cmd C=2", [["cmd", "C=2"]]),
        ("a > /f 2>/dev/null", [["a"]]),
        ("a >>/f; b 2>&1", [["a"], ["b"]]),
        ("a ''", [["a", ""]]),
        ("a # comment", [["a"]]),
        ("", []),
    ],
)
def test_shell_words(line: str, words: list[list[str]]) -> None:
    assert [command.words for command in parse(line)] == words


@pytest.mark.parametrize(
    "line",
    [
        "a & b",
        "a |",
        "| a",
        "a &&",
        "A=1 | b",
        "$(a)",
        "`a`",
        "${IFS}",
        "$HOME",
        "a '",
        'a "',
        "(a)",
        "a < f",
        "a >",
        "&& a",
        "a\x00b",
    ],
)
def test_shell_syntax_that_is_refused(line: str) -> None:
    with pytest.raises(ShellSyntax):
        parse(line)


def test_refused_syntax_runs_nothing(simulated: SimulatedPhone) -> None:
    before = simulated.phone.inputs
    answer = service(simulated, "shell:input tap 1 1 & input tap 2 2")
    assert b"syntax error" in answer
    assert simulated.phone.inputs == before


def test_redirection_and_lists(simulated: SimulatedPhone) -> None:
    def run(line: str) -> bytes:
        return service(simulated, "shell:" + line).removeprefix(b"OKAYOKAY")

    assert run("echo one > /sdcard/t; echo two >> /sdcard/t; cat /sdcard/t") == b"one\ntwo\n"
    assert run("nothere 2>/dev/null; echo $?") == b"127\n"
    assert run("false && echo no; true || echo no; false || echo yes") == b"yes\n"
    assert (
        run("CLASSPATH=/nothing app_process / com.wetest.uia2.Main -p 9008")
        == b"Error: no such jar /nothing\n"
    )
    assert run("settings put secure a 'b c'; settings get secure a; settings get secure z") == b"b c\nnull\n"
    assert run("am start -n com.opentable/.NoSuch; echo $?").endswith(b"does not exist.\n1\n")
    assert run("monkey -p com.opentable 500; echo $?").endswith(b"\n1\n")
    assert run("wm size 100x100; echo $?").endswith(b"255\n")
    assert run("rm -rf /sdcard; ls /sdcard/t; echo $?").endswith(b"1\n")


def test_a_closed_phone_drops_its_clients() -> None:
    simulated = SimulatedPhone.start(load("restaurant"))
    with socket.create_connection(("127.0.0.1", simulated.port), timeout=60) as waiting:
        waiting.sendall(request("host:track-devices"))
        assert waiting.recv(100).startswith(b"OKAY")
        simulated.close()
        simulated.close()
        assert waiting.recv(100) == b""
    with pytest.raises(OSError):
        socket.create_connection(("127.0.0.1", simulated.port), timeout=60)
