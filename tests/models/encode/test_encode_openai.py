"""The real `openai` client against a server on this machine: what is sent, and what every failure says."""

import itertools
import json
import socket
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.models.encode.chat_server import Reply, fails, says, serve, streams
from vsalang.models.client import openai_model
from vsalang.models.encode import Message, ModelError, OpenAIModel

KEY = "sk-test-0123456789abcdef"
MESSAGES = (Message("system", "Be brief."), Message("user", "Hello \u202e ü"))


@pytest.fixture(autouse=True)
def clean(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (
        "OPENAI_API_KEY",
        "OPENAI_BASE_URL",
        "OPENAI_ORG_ID",
        "OPENAI_PROJECT_ID",
        "OPENAI_ADMIN_KEY",
    ):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1,localhost")


def model(url: str, **options: Any) -> OpenAIModel:
    return OpenAIModel("m", base_url=url, **({"retries": 0, "timeout": 10.0, "api_key": KEY} | options))


def failure(*replies: Reply, **options: Any) -> ModelError:
    with serve(*replies) as chat, pytest.raises(ModelError) as failed:
        model(chat.url, **options).ask(MESSAGES)
    assert KEY not in str(failed.value) + failed.value.hint
    return failed.value


# ---- what is sent ------------------------------------------------------------------------------------


def test_the_conversation_is_sent_and_the_answer_read() -> None:
    with serve(says("hi")) as chat:
        answer = model(chat.url, temperature=0.0, seed=7).ask(MESSAGES)
    assert (answer.text, answer.model, answer.usage["total_tokens"]) == ("hi", "canned-1", 15)
    assert chat.paths == ["/v1/chat/completions"]
    assert chat.requests[0] == {
        "model": "m",
        "temperature": 0.0,
        "seed": 7,
        "messages": [{"role": m.role, "content": m.content} for m in MESSAGES],
    }
    assert chat.headers[0]["authorization"] == f"Bearer {KEY}"
    assert chat.headers[0]["accept-encoding"] == "identity"


def test_what_is_not_chosen_is_not_sent() -> None:
    with serve(says("hi")) as chat:
        model(chat.url).ask(MESSAGES)
    assert set(chat.requests[0]) == {"model", "messages"}


def test_key_and_endpoint_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    with serve(says("hi")) as chat:
        monkeypatch.setenv("OPENAI_BASE_URL", chat.url)
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        asked = OpenAIModel("m", retries=0)
        assert asked.ask(MESSAGES).text == "hi"
    assert asked.endpoint == chat.url
    assert chat.headers[0]["authorization"] == f"Bearer {KEY}"


def test_a_local_server_needs_no_key() -> None:
    with serve(says("hi")) as chat:
        assert OpenAIModel("m", base_url=chat.url, retries=0).ask(MESSAGES).text == "hi"


def test_without_key_and_endpoint_nothing_is_asked() -> None:
    with pytest.raises(ModelError, match="no API key") as failed:
        OpenAIModel("m")
    assert "OPENAI_API_KEY" in failed.value.hint


@pytest.mark.parametrize(
    "url", ["ftp://x/v1", "localhost:1/v1", "http://", "http://x:99999/", "http://a\nb/"]
)
def test_an_endpoint_that_is_no_address(url: str) -> None:
    with pytest.raises(ModelError, match="not an address"):
        OpenAIModel("m", base_url=url, api_key=KEY)


@pytest.mark.parametrize("key", ["sk-ä", "a b", "a\nb"])
def test_a_key_that_is_none(key: str) -> None:
    with pytest.raises(ModelError, match="characters that no key has") as failed:
        OpenAIModel("m", api_key=key)
    assert key not in str(failed.value)


def test_secrets_in_the_address_are_not_shown() -> None:
    asked = model("http://alice:hunter2hunter2@127.0.0.1:9/v1?token=t0ken")
    assert asked.endpoint == "http://127.0.0.1:9/v1"
    assert asked.redact("x hunter2hunter2 y") == "x [key] y"
    with pytest.raises(ModelError) as failed:
        asked.ask(MESSAGES)
    assert "hunter2" not in str(failed.value) and "t0ken" not in str(failed.value)


@pytest.mark.parametrize(
    ("url", "exposed"),
    [
        ("http://192.168.1.5:8000/v1", True),
        ("http://example.com/v1", True),
        ("http://127.0.0.1:1/v1", False),
        ("http://[::1]:1/v1", False),
        ("http://localhost:1/v1", False),
        ("https://example.com/v1", False),
    ],
)
def test_a_key_in_the_clear_is_noticed(url: str, exposed: bool) -> None:
    assert model(url).exposes_key is exposed
    assert not model(url, api_key="").exposes_key


# ---- failures ----------------------------------------------------------------------------------------


def test_nobody_listens() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}/v1"
        with pytest.raises(ModelError, match="cannot reach http") as failed:
            model(url).ask(MESSAGES)
    assert "refused" in str(failed.value)
    assert "running" in failed.value.hint


def test_a_key_that_is_not_accepted() -> None:
    error = failure(fails(401, f"Incorrect API key provided: {KEY[:7]}****cdef."))
    assert "not accepted (status 401)" in str(error)
    assert "sk-test" not in str(error) and "[key]" in str(error)
    assert error.hint == "check OPENAI_API_KEY"


def test_a_key_that_is_missing() -> None:
    assert "an API key is needed" in str(failure(fails(401), api_key=""))


@pytest.mark.parametrize(
    ("after", "hint"),
    [
        ("7", "try again in 7 seconds"),
        ("1", "try again in 1 second"),
        ("Wed, 21 Oct 2026 07:28:00 GMT", "try again after Wed, 21 Oct 2026 07:28:00 GMT"),
        ("\x1b[31msoon", "try again later"),
    ],
)
def test_too_many_requests(after: str, hint: str) -> None:
    error = failure(fails(429, "Rate limit reached", **{"Retry-After": after}))
    assert "asked too often" in str(error) and "Rate limit reached" in str(error)
    assert error.hint == hint


@pytest.mark.parametrize(
    ("status", "text"),
    [(400, "options"), (403, "may this key"), (404, "have a model m"), (500, "later"), (503, "later")],
)
def test_other_statuses(status: int, text: str) -> None:
    error = failure(fails(status, "the server's words \x1b[31m"))
    assert f"status {status}: the server's words <U+001B>[31m" in str(error)
    assert text in error.hint


def test_a_busy_server_is_asked_again() -> None:
    with serve(fails(503, **{"retry-after-ms": "1"}), says("hi")) as chat:
        assert model(chat.url, retries=1).ask(MESSAGES).text == "hi"
    assert len(chat.requests) == 2


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_nobody_else_is_asked(status: int) -> None:
    """A server that sends us to another one does not get it what was meant for itself."""
    with (
        serve(says("yes")) as other,
        serve(Reply(b"", status, {"Location": f"{other.url}/chat"})) as chat,
        pytest.raises(ModelError, match=f"sends us elsewhere .status {status}.: {other.url}/chat"),
    ):
        OpenAIModel("m", base_url=chat.url, timeout=3, retries=0).ask([Message("user", "hello")])
    assert not other.requests and len(chat.requests) == 1


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"<html>It works!</html>", "did not answer with JSON: <html>It works!</html>"),
        (b"", "did not answer with JSON: (nothing)"),
        (b"\xff\xfe", "did not answer with JSON"),
        (b"[" * 100_000, "did not answer with JSON"),
        (b"[1]", "is not a chat completion"),
        (b"null", "is not a chat completion"),
        (b'{"choices": []}', "is not a chat completion"),
        (b'{"choices": [7]}', "is not a chat completion"),
        (b'{"choices": [{"message": "hi"}]}', "is not a chat completion"),
        (b'{"error": {"message": "model not loaded"}}', "model not loaded"),
        (b'{"choices": [{"message": {}}]}', "answer is empty"),
        (b'{"choices": [{"message": {"content": 7}}]}', "answer is empty"),
    ],
)
@pytest.mark.parametrize("kind", ["application/json", "text/html"])
def test_responses_that_are_no_completion(body: bytes, message: str, kind: str) -> None:
    assert message in str(failure(Reply(body, headers={"Content-Type": kind})))


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        (says("spec a", finish="length"), "cut off"),
        (says("", finish="length"), "cut off"),
        (says(None, finish="content_filter"), "content filter"),
        (says(None, refusal="I can't help."), "refused: I can't help."),
        (says("  \n"), "empty"),
        (says(None, finish="tool_calls"), "empty"),
        (says(f"the key is {KEY}"), "holds the API key"),
    ],
)
def test_answers_that_cannot_be_used(reply: Reply, message: str) -> None:
    assert message in str(failure(reply))


def test_half_a_surrogate_pair_is_no_character() -> None:
    with serve(Reply(json.dumps({"choices": [{"message": {"content": "a\ud800b"}}]}).encode())) as chat:
        assert model(chat.url).ask(MESSAGES).text == "a?b"


# ---- bounds ------------------------------------------------------------------------------------------


def test_a_server_that_hangs() -> None:
    error = failure(Reply(b"", hold=threading.Event()), timeout=0.3)
    assert "within 0.3 seconds" in str(error)
    assert "--timeout" in error.hint


def test_headers_that_never_end() -> None:
    error = failure(Reply(b"", late=True, pause=0.05), timeout=0.3)
    assert "did not answer within 0.3 seconds" in str(error)
    assert "--timeout" in error.hint


def test_a_connection_is_used_again_under_its_deadline() -> None:
    with serve(says("hi"), Reply(b"", late=True, pause=0.05)) as chat:
        asked = model(chat.url, timeout=60)
        assert asked.ask(MESSAGES).text == "hi"
        asked._timeout = 0.5
        with pytest.raises(ModelError, match=r"within 0\.5 seconds"):
            asked.ask(MESSAGES)


def slow_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Half a minute passes for the model from look to look at the clock."""
    monkeypatch.setattr(openai_model, "time", SimpleNamespace(monotonic=itertools.count(0, 30).__next__))


def test_a_server_that_trickles(monkeypatch: pytest.MonkeyPatch) -> None:
    slow_clock(monkeypatch)
    error = failure(Reply(says("x" * 400).body, pieces=400, pause=0.001), timeout=100)
    assert "not complete within 100 seconds" in str(error)


@pytest.mark.parametrize("status", [200, 500])
def test_a_response_without_end(status: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(openai_model, "MAX_RESPONSE", 1024 * 1024)
    error = failure(Reply(b" " * (2 * 1024 * 1024), status))
    assert "larger than 1 MiB" in str(error)


def test_a_compressed_response() -> None:
    error = failure(Reply(b"x", headers={"Content-Encoding": "gzip", "Content-Type": "application/json"}))
    assert "compressed" in str(error)


# ---- streams -----------------------------------------------------------------------------------------


def test_pieces_are_shown_and_put_together() -> None:
    seen: list[str] = []
    with serve(streams("spec ", "a", " ä")) as chat:
        answer = model(chat.url, show=seen.append).ask(MESSAGES)
    assert (answer.text, answer.model, answer.usage) == ("spec a ä", "canned-1", {"total_tokens": 15})
    assert seen == ["spec ", "a", " ä"]
    assert chat.requests[0]["stream"] is True


def test_a_server_may_answer_whole_or_in_pieces() -> None:
    seen: list[str] = []
    with serve(says("whole")) as chat:
        assert model(chat.url, show=seen.append).ask(MESSAGES).text == "whole"
    assert seen == []
    with serve(streams("in ", "pieces")) as chat:
        assert model(chat.url).ask(MESSAGES).text == "in pieces"
    assert "stream" not in chat.requests[0]


@pytest.mark.parametrize(
    ("reply", "message"),
    [
        (streams("spec", finish="length"), "cut off"),
        (streams("spec", finish=None, end=False), "ended before the answer was complete"),
        (streams(), "empty"),
        (streams(f"the key is {KEY}"), "holds the API key"),
        (Reply(b"data: {\n\n", headers={"Content-Type": "text/event-stream"}), "not JSON"),
        (Reply(b"data: [1]\n\n", headers={"Content-Type": "text/event-stream"}), "not a completion"),
        (
            Reply(b'data: {"error": {"message": "busy"}}\n\n', headers={"Content-Type": "text/event-stream"}),
            "busy",
        ),
        (
            Reply(
                b'data: {"choices": [7]}\n\ndata: [DONE]\n\n', headers={"Content-Type": "text/event-stream"}
            ),
            "empty",
        ),
    ],
)
def test_streams_that_cannot_be_used(reply: Reply, message: str) -> None:
    assert message in str(failure(reply, show=lambda piece: None))


def test_a_stream_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(openai_model, "MAX_RESPONSE", 1024)
    assert "larger than" in str(failure(streams(*["x" * 100] * 50), show=lambda piece: None))
    slow = streams(*["x"] * 100)
    slow.pieces, slow.pause = 100, 0.001
    monkeypatch.setattr(openai_model, "MAX_RESPONSE", 1024 * 1024)
    slow_clock(monkeypatch)
    assert "not complete within 100 seconds" in str(failure(slow, timeout=100, show=lambda piece: None))


def test_the_key_is_not_shown_in_pieces() -> None:
    seen: list[str] = []
    with serve(streams(f"a {KEY} b")) as chat, pytest.raises(ModelError):
        model(chat.url, show=seen.append).ask(MESSAGES)
    assert KEY not in "".join(seen)


def test_a_key_in_pieces_is_not_shown() -> None:
    seen: list[str] = []
    with serve(streams("a ", KEY[:5], KEY[5:9], KEY[9:], " b ", KEY[:2])) as chat, pytest.raises(ModelError):
        model(chat.url, show=seen.append).ask(MESSAGES)
    assert "".join(seen) == "a [key] b sk"


def test_a_key_is_not_cut_but_hidden() -> None:
    key = "0123456789abcdef" * 2
    # the middle of a long message is left out
    replies = [fails(400, "x" * before + key + "y" * 300) for before in range(130, 160)]
    with serve(*replies) as chat:
        asked = model(chat.url, api_key=key)
        for _ in replies:
            with pytest.raises(ModelError) as failed:
                asked.ask(MESSAGES)
            assert "x0123" not in str(failed.value)
        assert len(chat.requests) == len(replies)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_other_breaks_do_not_end_an_event(end: str) -> None:
    events = [
        json.dumps({"choices": [{"delta": {"content": text}}]}, ensure_ascii=False)
        for text in ("a\u2028", "b\x85ä")
    ]
    body = "".join(f"data: {event}{end}{end}" for event in [*events, "[DONE]"])
    reply = Reply(body.encode(), headers={"Content-Type": "text/event-stream"}, pieces=len(body.encode()))
    with serve(reply) as chat:
        assert model(chat.url, show=lambda piece: None).ask(MESSAGES).text == "a\u2028b\x85ä"


def test_certificates_are_read_once(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """And again where the environment names others."""
    library = OpenAIModel("m", base_url="http://localhost:1/v1", api_key=KEY)._http
    read: list[Any] = []

    def reads() -> Any:
        read.append(made())
        return read[-1]

    made = library.create_ssl_context
    monkeypatch.setattr(library, "create_ssl_context", reads)
    openai_model._trusted.cache_clear()
    for _ in range(2):
        OpenAIModel("m", base_url="https://localhost:1/v1", api_key=KEY)
    assert len(read) == 1
    monkeypatch.setenv("SSL_CERT_DIR", str(tmp_path))
    OpenAIModel("m", base_url="https://localhost:1/v1", api_key=KEY)
    assert len(read) == 2
