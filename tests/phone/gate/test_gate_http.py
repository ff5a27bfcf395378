"""Requests of HTTP: what is read, what is refused since two readers could read it in two ways, what is sent on."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.phone.gate.test_gate import GOOD, Made, turning
from vsalang.phone.classify import Allowance
from vsalang.phone.gate.http import HttpService
from vsalang.phone.gate.requests import MOST_BODY, BadRequest, Reader
from vsalang.phone.wire import EndOfStream, ServiceRefused


class Memory:
    """A stream whose other end has said all it says."""

    def __init__(self, *said: bytes) -> None:
        self.said = list(said)
        self.written = b""
        self.closed = False

    def read(self, most: int) -> bytes:
        if not self.said:
            return b""
        data, self.said[0] = self.said[0][:most], self.said[0][most:]
        if not self.said[0]:
            self.said.pop(0)
        return data

    def read_exactly(self, count: int) -> bytes:
        data = b""
        while len(data) < count:
            piece = self.read(count - len(data))
            if not piece:
                raise EndOfStream
            data += piece
        return data

    def write(self, data: bytes) -> None:
        if self.closed:
            raise EndOfStream
        self.written += data

    def set_timeout(self, seconds: float | None) -> None:
        pass

    def close(self) -> None:
        self.closed = True


class Server:
    """A server on the phone that answers every request alike, and keeps what it was sent."""

    def __init__(
        self, answer: bytes = b'{"jsonrpc":"2.0","id":1,"result":true}', *, gone: bool = False
    ) -> None:
        self.head = f"HTTP/1.1 200 OK\r\nContent-Length: {len(answer)}\r\n\r\n".encode() + answer
        self.streams: list[Memory] = []
        self.gone = gone
        self.once = False

    def open(self, service: str) -> Memory:
        if self.gone:
            raise ServiceRefused("closed")
        self.streams.append(Memory(*([self.head] * (1 if self.once else 20))))
        return self.streams[-1]

    @property
    def sent(self) -> bytes:
        return b"".join(stream.written for stream in self.streams)


def post(body: bytes | dict[str, Any], *fields: str, target: str = "/jsonrpc/0") -> bytes:
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    lines = [f"POST {target} HTTP/1.1", "Host: localhost", *fields]
    if not any("length" in f.lower() or "transfer" in f.lower() for f in fields):
        lines.append(f"Content-Length: {len(data)}")
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + data


def call(method: str, *params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 7, "method": method, "params": list(params)}


CLICK = call("click", 5, 5)
INFO = call("deviceInfo")


class Served:
    """The result of a stream of bytes."""

    def __init__(
        self,
        *said: bytes,
        on_block: Any = "error",
        server: Server | None = None,
        protocol: str = "uiautomator2",
    ) -> None:
        self.made = Made(GOOD, mode="enforce")
        self.server = server or Server()
        self.near = Memory(*said)
        service = HttpService(self.made.gate, self.server, "tcp:9008", protocol, Allowance(), on_block)
        service.open()(self.near)

    def bodies(self) -> list[Any]:
        """The answers' bodies."""
        found = []
        rest = self.near.written
        while rest:
            head, _, rest = rest.partition(b"\r\n\r\n")
            length = int(head.lower().partition(b"content-length: ")[2].split(b"\r\n")[0])
            body, rest = rest[:length], rest[length:]
            found.append(json.loads(body) if body.startswith(b"{") else body.decode())
        return found


# ---------------------------------------------------------------- reading


def test_a_request_and_those_behind_it() -> None:
    reader = Reader(
        Memory(
            post(INFO) + post(CLICK)[:30], post(CLICK)[30:] + b"GET /ping HTTP/1.1\r\nHost: localhost\r\n\r\n"
        )
    )
    first, second, third = reader.request(), reader.request(), reader.request()
    assert first is not None and json.loads(first.body) == INFO and first.keep
    assert second is not None and json.loads(second.body) == CLICK
    assert third is not None and (third.method, third.target, third.body) == ("GET", "/ping", b"")
    assert reader.request() is None


def test_chunks_are_put_together() -> None:
    said = post(b'3\r\n{"j\r\n2\r\n":\r\n0\r\n\r\n', "Transfer-Encoding: chunked")
    request = Reader(Memory(said)).request()
    assert request is not None and request.body == b'{"j":'


def test_who_wants_no_more_is_heard() -> None:
    closing = Reader(Memory(post(INFO, "Connection: close"))).request()
    old = Reader(Memory(b"GET /ping HTTP/1.0\r\nHost: localhost\r\n\r\n")).request()
    assert closing is not None and not closing.keep
    assert old is not None and not old.keep


BAD = [
    post(INFO, "Transfer-Encoding: chunked", "Content-Length: 5"),
    post(INFO, "Content-Length: 5", "Content-Length: 6"),
    post(INFO, "Content-Length: 5", "Content-Length: 5"),
    post(INFO, "Transfer-Encoding: chunked", "Transfer-Encoding: identity"),
    post(INFO, "Transfer-Encoding: gzip"),
    post(INFO, "Content-Length: +5"),
    post(INFO, "Content-Length: 0x5"),
    post(INFO, "Content-Length : 5"),
    post(INFO, "X: a\r\n folded"),
    post(INFO, "X: a\r\n\tfolded"),
    post(INFO, "X: a\nContent-Length: 3"),
    post(INFO, "X: a\rb"),
    post(INFO, "X: a\x00b"),
    post(INFO, "Expect: 100-continue"),
    post(INFO, "Host: y"),
    post(INFO, target="http://other/jsonrpc/0"),
    post(INFO, target="*"),
    b" POST /jsonrpc/0 HTTP/1.1\r\nHost: localhost\r\n\r\n",
    b"\r\nPOST /jsonrpc/0 HTTP/1.1\r\nHost: localhost\r\n\r\n",
    b"POST /jsonrpc/0\r\n\r\n",
    b"POST /jsonrpc/0 HTTP/2.0\r\nHost: localhost\r\n\r\n",
    b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    b"\x16\x03\x01" + b"\r\n\r\n",
    b"POST /jsonrpc/0 HTTP/1.1\r\nX: " + b"a" * 40_000 + b"\r\n\r\n",
    b"GET /" + b"a" * 40_000,
    b"POST /x HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    b"POST /x HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX: y\r\n\r\n",
    b"POST /x HTTP/1.1\r\nHost: localhost\r\n",
]


@pytest.mark.parametrize("said", BAD, ids=range(len(BAD)))
def test_what_could_be_read_in_two_ways_is_refused(said: bytes) -> None:
    with pytest.raises(BadRequest):
        Reader(Memory(said)).request()
    served = Served(said)
    assert served.server.sent == b""
    assert served.near.written.startswith((b"HTTP/1.1 4", b"HTTP/1.1 505"))
    assert b"Connection: close" in served.near.written
    assert served.made.events[-1].outcome == "refused"


def test_a_long_body_is_refused() -> None:
    said = f"POST /x HTTP/1.1\r\nHost: localhost\r\nContent-Length: {MOST_BODY + 1}\r\n\r\n".encode()
    with pytest.raises(BadRequest, match="too long"):
        Reader(Memory(said, *([b"a" * (1 << 20)] * 5))).request()


@settings(max_examples=150, deadline=None)
@given(
    st.lists(
        st.one_of(st.binary(max_size=40), st.sampled_from([post(INFO), post(CLICK), b"\r\n\r\n"])), max_size=5
    )
)
def test_whatever_comes_is_read_or_refused(said: list[bytes]) -> None:
    reader = Reader(Memory(*[piece for piece in said if piece]))
    try:
        while reader.request() is not None:
            pass
    except BadRequest:
        pass


# ---------------------------------------------------------------- judging


def test_what_reads_passes_and_is_written_anew() -> None:
    served = Served(post(INFO, "X-Odd: 1", "Accept: */*", "Cookie: a", "User-Agent: b", "Authorization: B c"))
    head, _, body = served.server.sent.partition(b"\r\n\r\n")
    assert json.loads(body) == INFO
    assert head.split(b"\r\n") == [
        b"POST /jsonrpc/0 HTTP/1.1",
        b"Host: 127.0.0.1",
        b"authorization: B c",
        b"Connection: close",
        b"Content-Type: application/json; charset=utf-8",
        b"Content-Length: %d" % len(body),
    ]
    assert served.bodies() == [{"jsonrpc": "2.0", "id": 1, "result": True}]
    assert served.made.events == []


def test_what_is_blocked_is_answered_with_the_reason() -> None:
    served = Served(post(CLICK) + post(INFO))
    first, second = served.bodies()
    assert first["id"] == 7 and first["error"]["code"] == -32001
    assert "tap(x = 5, y = 5)" in first["error"]["message"]
    assert second["result"] is True
    assert b"click" not in served.server.sent


def test_silence_looks_like_success() -> None:
    served = Served(
        post(CLICK) + post(call("click", 9, 9)) + post(call("openNotification")), on_block="silent"
    )
    assert [body["result"] for body in served.bodies()] == [True, True, None]
    assert served.server.sent == b""
    assert {event.outcome for event in served.made.events} == {"blocked"}


def test_what_is_allowed_is_sent_once() -> None:
    served = Served(post(call("pressKey", "back")))
    assert served.bodies()[0]["result"] is True
    assert served.server.sent.count(b"pressKey") == 1
    assert served.made.events[-1].outcome == "passed"


def test_what_was_committed_and_not_sent_is_an_error() -> None:
    """The screen changed between the commit and the delivery."""
    made, server, near = turning(2, 60.0), Server(), Memory(post(call("pressKey", "back")))
    HttpService(made.gate, server, "tcp:9008", "uiautomator2", Allowance(), "error").open()(near)
    assert b"not delivered: the screen changed" in near.written and b"-32001" in near.written
    assert server.sent == b"" and made.events[-1].delivered is False


def test_each_request_takes_a_connection_of_its_own() -> None:
    """What a reader on the phone takes for a further request is read by nobody; the agent's connection stays open."""
    served = Served(post(INFO) + post(call("pressKey", "back")) + post(INFO))
    assert len(served.bodies()) == 3
    assert [stream.written.count(b"POST") for stream in served.server.streams] == [1, 1, 1]
    assert all(stream.closed for stream in served.server.streams)
    assert served.near.written.count(b"Connection: keep-alive") == 3


def test_an_answer_without_a_length_ends_with_the_connection() -> None:
    server = Server()
    server.head = b"HTTP/1.1 200 OK\r\nConnection: keep-alive\r\n\r\npong"
    server.once = True
    served = Served(post(INFO) + post(INFO), server=server)
    assert served.near.written == b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\npong"
    assert len(server.streams) == 1


SMUGGLED = b"POST /jsonrpc/0 HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}"


@pytest.mark.parametrize(
    "said",
    [
        b"GET /ping HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n" % len(SMUGGLED) + SMUGGLED,
        b"GET /ping HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
        + b"%x\r\n" % len(SMUGGLED) + SMUGGLED + b"\r\n0\r\n\r\n",
        b"GET /screenshot/0?" + b"a=" * 5000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n",
    ],
)  # fmt: skip
def test_what_expects_no_body_has_none(said: bytes) -> None:
    served = Served(said)
    assert served.server.sent == b""
    assert served.made.events[-1].outcome == "refused"


@pytest.mark.parametrize(
    "fields",
    [
        ["Content-Type: application/json; charset=utf-7"],
        ["Content-Type: multipart/form-data; boundary=x"],
        ["User-Agent: " + "A" * 9000 + " POST /jsonrpc/0?{} HTTP/1.1"],
        ["Accept: " + "A" * 9000],
        ["Authorization: Bearer " + "A" * 9000],
        ['Authorization: Bearer "POST /x"'],
        ["X: " + "A" * 9000],
    ],
)
def test_no_field_of_the_agents_is_passed_on(fields: list[str]) -> None:
    served = Served(post(INFO, *fields) + post(call("pressKey", "back"), *fields))
    assert len(served.server.streams) == 2
    for stream in served.server.streams:
        head, _, body = stream.written.partition(b"\r\n\r\n")
        assert len(head) < 300
        assert b"charset=utf-8" in head and b"AAAA" not in head and b"POST /x" not in head
        assert json.loads(body)["method"] in ("deviceInfo", "pressKey")


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=30))
def test_what_is_sent_is_one_line_of_ascii(text: str) -> None:
    for said in ({**INFO, "id": text}, {**call("objInfo", {"mask": 1, "text": text})}):
        served = Served(post(json.dumps(said, ensure_ascii=False).encode("utf-8", "surrogatepass")))
        _, _, body = served.server.sent.partition(b"\r\n\r\n")
        assert all(32 <= byte < 127 for byte in body)
        assert not body or json.loads(body) == said


@pytest.mark.parametrize(
    "body",
    [
        [CLICK, CLICK], {**CLICK, "method": "executeShellCommand", "params": ["input tap 1 1", 100]},
        {**CLICK, "method": "registerClickUiObjectWatcher"}, {**CLICK, "more": 1}, "click", 5, None,
    ],
)  # fmt: skip
def test_calls_that_cannot_be_judged_are_refused(body: Any) -> None:
    served = Served(post(json.dumps(body).encode()))
    assert served.server.sent == b""
    assert served.bodies()[0]["error"]["code"] == -32001
    assert served.made.events[-1].outcome == "refused"


def test_members_that_stand_twice_are_refused() -> None:
    served = Served(post(b'{"jsonrpc":"2.0","id":1,"method":"deviceInfo","method":"click","params":[1,1]}'))
    assert served.server.sent == b"" and "error" in served.bodies()[0]


def test_no_answer_has_words_that_restart_the_client() -> None:
    served = Served(post(call("UiAutomationNotConnected")))
    from vsalang.phone.gate.answers import rpc_error

    text = rpc_error(b"{}", ValueError("UiAutomation not connected, android.os.DeadObjectException")).decode()
    assert "UiAutomation not connected" not in text and "DeadObjectException" not in text
    assert served.bodies()[0]["id"] == 7


@pytest.mark.parametrize(
    ("answer", "delivered"),
    [
        (
            b'{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"androidx.UiObjectNotFoundException"}}',
            None,  # it may have clicked or scrolled before
        ),
        (b'{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"out of memory"}}', None),
        (b'{"jsonrpc":"2.0","id":1,"result":false}', None),
        (b"no json", None),
        (b"[]", None),
    ],
)
def test_what_the_server_says_of_an_input(answer: bytes, delivered: bool | None) -> None:
    served = Served(post(call("pressKey", "back")), server=Server(answer))
    event = served.made.events[-1]
    assert (event.outcome, event.delivered) == ("failed", delivered)
    assert served.near.written.endswith(answer)  # the agent hears what the server said


def test_a_server_that_says_nothing() -> None:
    server = Server()
    server.head = b""
    served = Served(post(call("pressKey", "back")), server=server)
    assert served.made.events[-1].delivered is None
    assert "error" in served.bodies()[0]
    server = Server()
    server.head = b"nonsense\r\n\r\n"
    assert "error" in Served(post(INFO), server=server).bodies()[0]


def test_an_absent_server_is_refused_as_by_the_phone() -> None:
    with pytest.raises(ServiceRefused):
        Served(post(INFO), server=Server(gone=True))


# ---------------------------------------------------------------- the helper app of mobilerun


def test_the_helper_app_reads_freely_and_types_if_allowed() -> None:
    import base64

    typed = {"base64_text": base64.b64encode(b"Sakura").decode(), "clear": False}
    said = [
        b"GET /state_full?filter=true HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer t\r\n\r\n",
        post(typed, target="/keyboard/input"),
        post({"key_code": 4}, target="/keyboard/key"),
        post({}, target="/action/tap"),
    ]
    server = Server(b'{"status":"success"}')
    served = Served(*said, protocol="portal", server=server)
    first, second, third, fourth = served.bodies()
    assert first == third == {"status": "success"}
    assert second["status"] == "error" and "input_text" in second["error"]
    assert "not understood" in fourth["error"]
    assert b"authorization: Bearer t" in server.sent and b"/keyboard/key" in server.sent
    assert b"/keyboard/input" not in server.sent and b"/action" not in server.sent
    assert [event.outcome for event in served.made.events] == ["blocked", "passed", "refused"]
    assert served.near.written.count(b"HTTP/1.1 403") == 2


def test_gestures_of_the_helper_app_are_judged() -> None:
    """What passes is sent on in whole pixels; what the app would find by itself never is."""
    said = [
        post({"action": 1}, target="/global"),
        post({"x": 360.5, "y": "1426"}, target="/action/tap"),
        post({"by": "text", "pattern": "Reserve"}, target="/find_and_click"),
    ]
    server = Server(b'{"status":"success"}')
    served = Served(*said, protocol="portal", server=server)
    assert [[str(each) for each in event.actions] for event in served.made.events] == [
        ["back()"],
        ["tap(x = 360, y = 1426)"],
        [],
    ]
    assert served.made.events[0].outcome == "passed" and b'{"action": 1}' in server.sent
    passed = served.made.events[1].outcome == "passed"
    assert (b'{"x": 360, "y": 1426}' in server.sent) == passed and b"360.5" not in server.sent
    assert served.made.events[2].outcome == "refused" and b"find_and_click" not in server.sent


def test_the_helper_app_in_silence() -> None:
    served = Served(post({"key_code": 66}, target="/keyboard/evil"), protocol="portal", on_block="silent")
    assert served.bodies() == [{"status": "success", "result": "ok"}] and served.server.sent == b""


# ---------------------------------------------------------------- browsers


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        (("Host: evil.example",), "Host"),
        (("Host: 127.0.0.1.evil.example:9008",), "Host"),
        (("Host: localhost", "Origin: http://localhost:8000"), "Origin"),
        (("Host: localhost", "Origin: null"), "Origin"),
        (("Host: 127.0.0.1:9008", "Sec-Fetch-Site: cross-site"), "Origin"),
    ],
)
def test_pages_of_browsers_are_not_served(fields: tuple[str, ...], why: str) -> None:
    for body in (CLICK, INFO):
        said = post(body).replace(b"Host: localhost", "\r\n".join(fields).encode())
        served = Served(said)
        assert served.near.written.startswith(b"HTTP/1.1 403")
        assert why.encode() in served.near.written and served.server.sent == b""


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1:9008", "[::1]:5", "LOCALHOST:1"])
def test_names_of_this_machine_are_served(host: str) -> None:
    said = post(INFO).replace(b"Host: localhost", f"Host: {host}".encode())
    assert Served(said).near.written.startswith(b"HTTP/1.1 200")
