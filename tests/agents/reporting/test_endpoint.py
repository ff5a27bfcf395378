"""The endpoint over real sockets: apps that know their token, and peers that mean no good."""

import asyncio
import contextlib
import http.client
import json
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import aiohttp
import pytest

from tests.agents.reporting.bank import ACCOUNT, BANK, DEAR, NOTES, READY, RENT, post, raw, reported
from tests.agents.reporting.conftest import client, given_up, pass_time, until
from vsalang.agents.reporting import ClientError, Endpoint, Limits, Service, Tokens, Update
from vsalang.agents.reporting.access import Bucket
from vsalang.guard import NotAllowed, Settings
from vsalang.guard.user.questions import Question
from vsalang.guard.world.fact_screen import FactScreen
from vsalang.program.action import Action

BODY = json.dumps({"updates": READY}).encode()


def token(endpoint: Endpoint, package: str = BANK) -> str:
    return endpoint.tokens.by_package[package]


def works(endpoint: Endpoint) -> bool:
    """Whether it still answers."""
    return client(endpoint).describe()["package"] == BANK


# ---------------------------------------------------------------- who is served


def test_a_report_over_http(guard, serve):
    endpoint = serve(guard)
    status, answer = post(endpoint.port, token(endpoint), "/v1/update_state", BODY)
    assert (status, answer["taken"]) == (200, "at once")
    assert guard.rows("bank.Session")[0]["signed_in"] is True


@pytest.mark.parametrize("given", [None, "", "wrong", "x" * 5000, "Ünïcödé"])
def test_a_wrong_token(guard, serve, given):
    endpoint = serve(guard)
    status, answer = post(endpoint.port, given, "/v1/update_state", BODY)
    assert status in (400, 401)
    assert guard.rows("bank.Account") == [] and works(endpoint)
    if status == 401:
        assert answer["error"]["message"] == "give the app's token: `Authorization: Bearer TOKEN`"


def test_another_scheme_and_two_tokens(guard, serve):
    endpoint = serve(guard)
    known = token(endpoint)
    assert post(endpoint.port, None, "/v1/update_state", BODY, Authorization=f"Basic {known}")[0] == 401
    two = f"Bearer x\r\nAuthorization: Bearer {known}"
    assert post(endpoint.port, None, "/v1/update_state", BODY, Authorization=two)[0] in (400, 401)
    assert guard.rows("bank.Account") == []


def test_guessing_tokens_is_slowed_down(guard, serve, monkeypatch):
    endpoint = serve(guard)
    monkeypatch.setattr(endpoint, "_strangers", Bucket(10, 20, clock=lambda: 0.0))
    statuses = [post(endpoint.port, f"guess{n}", "/v1/before", b"{}")[0] for n in range(40)]
    assert statuses[0] == 401 and 429 in statuses
    assert works(endpoint)  # a peer with the token does not wait for those who guess


def test_a_token_is_of_one_app(guard, serve):
    endpoint = serve(guard)
    status, answer = post(endpoint.port, token(endpoint, NOTES), "/v1/update_state", BODY)
    assert (status, answer["error"]["code"]) == (403, "foreign")


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:{port}", "127.0.0.1:1", "127.0.0.1", "127.0.0.1.evil.example:{port}", ""],
)
def test_a_page_that_bound_its_name_anew(guard, serve, host):
    endpoint = serve(guard)
    name = host.format(port=endpoint.port)
    status, _ = post(endpoint.port, token(endpoint), "/v1/update_state", BODY, Host=name)
    assert status in (400, 403) and guard.rows("bank.Account") == []


def test_two_hosts(guard, serve):
    endpoint = serve(guard)
    two = f"127.0.0.1:{endpoint.port}\r\nHost: evil.example"
    assert post(endpoint.port, token(endpoint), "/v1/update_state", BODY, Host=two)[0] in (400, 403)
    assert guard.rows("bank.Account") == []


def test_pages_of_browsers(guard, serve):
    endpoint = serve(guard)
    for origin in ("https://evil.example", "null", endpoint.url):
        status, answer = post(endpoint.port, token(endpoint), "/v1/update_state", BODY, Origin=origin)
        assert status == 403 and "Origin" in answer["error"]["message"]
    assert guard.rows("bank.Account") == []


def test_only_this_machine_unless_told(guard):
    for host in ("0.0.0.0", "::", "192.0.2.1", "example.org"):
        with pytest.raises(ValueError, match="is not this machine alone"):
            Endpoint(Service(guard), Tokens.new([BANK]), host=host)


# ---------------------------------------------------------------- peers that mean no good


@pytest.mark.parametrize(
    "data",
    [
        b"\x00" * 1000,
        b"GET / HTTP/9.9\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"POST /v1/before HTTP/1.1\r\nHost: x\r\nContent-Length: -5\r\n\r\n",
        b"POST /v1/before HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 5000 + b"\r\n",
        b"GET / HTTP/1.1\r\nHost: a\0b\r\n\r\n",
        b"\r\n" * 5000,
    ],
    ids=range(9),
)
def test_what_is_no_http(guard, serve, data):
    endpoint = serve(guard, limits=Limits(head_seconds=1000))
    answer = given_up(endpoint, data)
    assert answer == b"" or answer.startswith((b"HTTP/1.1 4", b"HTTP/1.0 4")), answer[:100]
    assert works(endpoint)


def test_a_huge_body(guard, serve):
    endpoint = serve(guard)
    status, answer = post(endpoint.port, token(endpoint), "/v1/update_state", b"x" * 300_000)
    assert (status, answer["error"]["code"]) == (413, "too_large")
    endless = (
        f"POST /v1/update_state HTTP/1.1\r\nHost: 127.0.0.1:{endpoint.port}\r\nAuthorization: Bearer "
        f"{token(endpoint)}\r\nTransfer-Encoding: chunked\r\n\r\n"
    ).encode() + (b"10000\r\n" + b"x" * 0x10000 + b"\r\n") * 5
    assert raw(endpoint.port, endless).startswith(b"HTTP/1.1 413")
    zipped = post(endpoint.port, token(endpoint), "/v1/update_state", b"x", Content_Encoding="gzip")
    assert zipped[0] == 400
    assert works(endpoint)


@pytest.mark.parametrize("part", ["nothing", "head", "body"])
def test_a_slow_peer(guard, serve, part):
    endpoint = serve(guard, limits=Limits(head_seconds=1000, body_seconds=1000, connections=3))
    data = {
        "nothing": b"",
        "head": b"POST /v1/before HTTP/1.1\r\nHost: 127.0.0.1\r\nX-",
        "body": (
            f"POST /v1/before HTTP/1.1\r\nHost: 127.0.0.1:{endpoint.port}\r\n"
            f"Authorization: Bearer {token(endpoint)}\r\nContent-Length: 100\r\n\r\n{{"
        ).encode(),
    }[part]
    answer = given_up(endpoint, data)
    assert answer == b"" or answer.startswith(b"HTTP/1.1 4")
    assert works(endpoint)


def test_drop_by_drop(guard, serve):
    """A peer that sends a byte now and then keeps nothing open."""
    endpoint = serve(guard, limits=Limits(head_seconds=1000))
    with socket.create_connection(("127.0.0.1", endpoint.port), timeout=60) as connection:
        ended = False
        for _ in range(3000):
            try:
                connection.sendall(b"G")
            except OSError:
                ended = True
                break
            pass_time(endpoint, 100)
            time.sleep(0.02)
        assert ended
    assert works(endpoint)


def held(endpoint, data=b"", count=20):
    """Connections that send a part of a request, and stay."""
    with contextlib.ExitStack() as stack:
        for _ in range(count):
            connection = socket.create_connection(("127.0.0.1", endpoint.port), timeout=60)
            stack.enter_context(connection).sendall(data)
        return stack.pop_all()


@pytest.mark.parametrize(
    "data", [b"", b"GET /v1 HTTP/1.1\r\nHost: 127.0.0.1\r\nX-"], ids=["nothing", "half a head"]
)
def test_peers_without_a_token_keep_nobody_out(guard, serve, data):
    endpoint = serve(guard, limits=Limits(strangers=5, head_seconds=100))
    with held(endpoint, data):
        for _ in range(3):
            assert works(endpoint)


def test_the_places_of_an_app_are_its_own(guard, serve):
    endpoint = serve(guard, limits=Limits(connections=2, strangers=5, body_seconds=100))
    half = (
        f"POST /v1/before HTTP/1.1\r\nHost: 127.0.0.1:{endpoint.port}\r\n"
        f"Authorization: Bearer {token(endpoint)}\r\nContent-Length: 100\r\n\r\n{{"
    ).encode()
    with held(endpoint, half, 2):

        def full() -> bool:
            try:
                client(endpoint).describe()
            except ClientError as error:
                assert error.code == "too_many"
                return True
            return False

        until(full)  # both have been read
        assert client(endpoint, NOTES).describe()["package"] == NOTES


def test_too_many_messages(guard, serve):
    endpoint = serve(guard, limits=Limits(rate=0.001, burst=3))
    statuses = [post(endpoint.port, token(endpoint), "/v1/update_state", BODY)[0] for _ in range(5)]
    assert statuses == [200, 200, 200, 429, 429]
    assert client(endpoint, NOTES).describe()["package"] == NOTES  # each app has its own measure


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/", 404),
        ("GET", "/v1/before", 405),
        ("POST", "/v1", 405),
        ("POST", "/v1/commit", 404),
        ("DELETE", "/v1/before", 405),
        ("GET", "/v1/socket", 400),
        ("GET", "/v1/../v1", 404),
        ("OPTIONS", "/v1/before", 405),
    ],
)
def test_other_addresses(guard, serve, method, path, status):
    endpoint = serve(guard)
    connection = http.client.HTTPConnection("127.0.0.1", endpoint.port, timeout=60)
    connection.request(method, path, headers={"Authorization": f"Bearer {token(endpoint)}"})
    response = connection.getresponse()
    assert response.status == status
    assert response.getheader("Access-Control-Allow-Origin") is None
    assert json.loads(response.read())["error"]["message"]
    connection.close()


def test_a_guard_that_failed_says_so(guard, serve, monkeypatch):
    endpoint = serve(guard)

    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("the disk is gone")

    monkeypatch.setattr("vsalang.guard.world.observing.Observing.reconcile", broken)
    with pytest.raises(ClientError, match="the session ended with an error") as failed:
        client(endpoint).update_state("Account", ACCOUNT)
    assert failed.value.code == "failed"
    answer = client(endpoint).before_action("Pay", RENT["values"])
    assert not answer and answer.level == "block"


# ---------------------------------------------------------------- WebSocket


def talk(endpoint: Endpoint, messages: list[Any], package: str = BANK, **headers: str) -> list[Any]:
    """Send messages one after the other; the answers, and the code of closing if it was closed."""

    async def run() -> list[Any]:
        head = {"Authorization": f"Bearer {token(endpoint, package)}", **headers}
        answers: list[Any] = []
        async with (
            aiohttp.ClientSession() as session,
            session.ws_connect(f"{endpoint.url}/v1/socket", headers=head) as connection,
        ):
            for message in messages:
                if isinstance(message, bytes):
                    await connection.send_bytes(message)
                else:
                    await connection.send_str(message if isinstance(message, str) else json.dumps(message))
                got = await connection.receive(timeout=60)
                if got.type is not aiohttp.WSMsgType.TEXT:
                    answers.append(connection.close_code)
                    break
                answers.append(json.loads(got.data))
        return answers

    return asyncio.run(run())


def test_messages_of_a_socket(guard, serve):
    endpoint = serve(guard)
    answers = talk(
        endpoint,
        [
            {"type": "describe"},
            {"type": "update_state", "ref": 1, "updates": READY},
            {"type": "before", "ref": "b", **RENT},
        ],
    )
    assert answers[0]["protocol"] == 1 and answers[0]["ref"] is None
    assert answers[1]["ok"] and answers[1]["ref"] == 1
    assert answers[2]["proceed"] and answers[2]["ref"] == "b"


def test_wrong_messages_of_a_socket(guard, serve):
    endpoint = serve(guard)
    deep = '{"type": ' + "[" * 50_000 + "]" * 50_000 + "}"
    foreign = {"ref": 9, "type": "update_state", "updates": [{"name": "Note"}]}
    wrong = ["", "[]", "{", deep, {"type": 7}, {"type": "before", "ref": {}}]
    answers = talk(endpoint, [*wrong, {"type": "x"}, '{"type": "a\\u0000"}', foreign])
    codes = [answer["error"]["code"] for answer in answers]
    assert codes == ["malformed"] * 6 + ["not_found", "not_found", "foreign"]
    assert answers[-1]["ref"] == 9 and answers[-1]["ok"] is False
    assert works(endpoint)


def test_a_socket_that_is_not_json_text(guard, serve):
    endpoint = serve(guard)
    assert talk(endpoint, [b"\x00\x01"]) == [1003]
    assert talk(endpoint, ["x" * 300_000]) == [1009]
    assert works(endpoint)


def test_a_socket_without_token_or_with_origin(guard, serve):
    endpoint = serve(guard)
    for headers, status in (
        ({"Authorization": "Bearer no"}, 401),
        ({"Origin": endpoint.url}, 403),
        ({"Host": "evil.example"}, 403),
    ):
        with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
            talk(endpoint, [], **headers)
        assert refused.value.status == status


def test_a_socket_that_floods(guard, serve):
    endpoint = serve(guard, limits=Limits(rate=0.001, burst=3))
    answers = talk(endpoint, [{"type": "describe"}] * 5)
    assert [a["ok"] if isinstance(a, dict) else a for a in answers] == [True, True, False, 1008]


# ---------------------------------------------------------------- with an agent, and other apps


def test_apps_and_an_agent_at_the_same_time(rent, serve):
    """Many reports, questions and proposals at once: one payment is made, by one of them."""
    guard = reported(rent, FactScreen())
    endpoint = serve(guard, limits=Limits(rate=10_000, burst=10_000))
    client(endpoint).update_state([Update("Account", ACCOUNT), Update("Session", {"signed_in": True})])
    paid: list[str] = []
    stop = threading.Event()

    def report(number: int) -> None:
        mine = client(endpoint)
        for count in range(15):
            mine.update_state("Account", {"iban": f"X{number}", "balance": count})

    def note() -> None:
        mine = client(endpoint, NOTES)
        for count in range(15):
            mine.update_state("Note", {"title": "t", "body": str(count)})

    def app() -> None:
        mine = client(endpoint)
        for _ in range(10):
            if permission := mine.before_action("Pay", RENT["values"]):
                paid.append("app")
                mine.after_action(permission)

    def agent() -> None:
        while not stop.is_set():
            verdict = guard.propose(Action("Pay", RENT["values"]))
            if verdict.allowed:
                try:
                    guard.commit(verdict)
                except NotAllowed:
                    continue
                paid.append("agent")
                guard.observe(FactScreen())

    running = threading.Thread(target=agent)
    running.start()
    with ThreadPoolExecutor(8) as pool:
        jobs = [pool.submit(report, n) for n in range(3)] + [
            pool.submit(note),
            pool.submit(app),
            pool.submit(app),
        ]
        for job in jobs:
            job.result(timeout=60)
    stop.set()
    running.join(timeout=60)
    assert len(paid) == 1 and len(guard.snapshot.commits) == 1
    assert {row["iban"]: row["balance"] for row in guard.rows("bank.Account")} == {
        "DE1": 900,
        "X0": 14,
        "X1": 14,
        "X2": 14,
    }
    assert not guard.failed


def test_reports_go_on_while_the_user_is_asked(rent, serve):
    asked = threading.Event()
    answers = [threading.Event(), threading.Event()]
    answers[1].set()
    left = iter(answers)

    def user(question: Question) -> bool:
        asked.set()
        return next(left).wait(60)

    guard = reported(rent, settings=Settings(mode="ask"), ask=user)
    endpoint = serve(guard)
    client(endpoint).update_state([Update("Account", ACCOUNT), Update("Session", {"signed_in": True})])
    with ThreadPoolExecutor(1) as pool:
        question = pool.submit(client(endpoint).before_action, "Pay", DEAR["values"])
        assert asked.wait(60)
        client(endpoint, NOTES).update_state("Note", {"title": "t"})
        # what was judged before the report is not committed after it
        assert not question.result(timeout=60)
        answers[0].set()
        assert client(endpoint).before_action("Pay", DEAR["values"])


def test_an_outcome_that_nobody_tells(guard, serve):
    endpoint = serve(guard, limits=Limits(outcome_seconds=1000))
    client(endpoint).update_state([Update("Account", ACCOUNT), Update("Session", {"signed_in": True})])
    permission = client(endpoint).before_action("Pay", RENT["values"])
    assert permission and guard.running
    pass_time(endpoint, 1001)
    until(lambda: not guard.running)
    assert len(guard.snapshot.commits) == 1
    with pytest.raises(ClientError, match="no action of this id is under way"):
        client(endpoint).after_action(permission)


def test_closing_lets_go_of_everybody(guard, serve):
    endpoint = serve(guard)
    idle = socket.create_connection(("127.0.0.1", endpoint.port), timeout=60)

    async def wait() -> int | None:
        head = {"Authorization": f"Bearer {token(endpoint)}"}
        async with (
            aiohttp.ClientSession() as session,
            session.ws_connect(f"{endpoint.url}/v1/socket", headers=head) as connection,
        ):
            threading.Thread(target=endpoint.close).start()
            await connection.receive(timeout=60)
            return connection.close_code

    assert asyncio.run(wait()) == 1001
    idle.settimeout(10)
    assert idle.recv(1) == b""
    idle.close()
    with pytest.raises(ClientError) as gone:
        client(endpoint).describe()
    assert gone.value.code == "unreachable"
    endpoint.close()  # twice is fine


def test_a_port_that_is_taken(guard, serve):
    endpoint = serve(guard)
    with pytest.raises(OSError):
        serve(guard, port=endpoint.port)
