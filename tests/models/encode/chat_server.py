"""A server on this machine that speaks the chat-completions protocol, with answers of the test's choice."""

import json
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Reply:
    """One HTTP response.

    `hold` is waited for before it, `pause` (seconds) lies between its `pieces`. With `late` its headers never end.
    """

    body: bytes
    status: int = 200
    headers: dict[str, str] = field(default_factory=lambda: {"Content-Type": "application/json"})
    hold: threading.Event | None = None
    pieces: int = 1
    pause: float = 0.0
    late: bool = False


def says(text: Any, *, finish: str = "stop", **message: Any) -> Reply:
    """A completion whose one choice is `text`."""
    data = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "canned-1",
        "choices": [
            {
                "index": 0,
                "finish_reason": finish,
                "message": {"role": "assistant", "content": text, **message},
            }
        ],
        "usage": {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15},
    }
    return Reply(json.dumps(data).encode())


def streams(*pieces: str, finish: str | None = "stop", end: bool = True) -> Reply:
    """A completion in pieces, as server-sent events."""
    events: list[dict[str, Any]] = [
        {"model": "canned-1", "choices": [{"index": 0, "delta": {"role": "assistant", "content": piece}}]}
        for piece in pieces
    ]
    events.append({"choices": [{"index": 0, "delta": {}, "finish_reason": finish}]})
    events.append({"choices": [], "usage": {"total_tokens": 15}})
    lines = [f"data: {json.dumps(event)}\n\n" for event in events] + ["data: [DONE]\n\n"] * end
    body = ": a comment\n\n" + "".join(lines)
    return Reply(body.encode(), headers={"Content-Type": "text/event-stream; charset=utf-8"})


def fails(status: int, message: str = "no", **headers: str) -> Reply:
    """An error as OpenAI's service writes it."""
    body = json.dumps({"error": {"message": message, "type": "t", "code": "c"}}).encode()
    return Reply(body, status, {"Content-Type": "application/json", **headers})


@dataclass
class Chat:
    """The server: what it was sent, and what it answers next (the last answer is repeated)."""

    url: str
    replies: list[Reply | Callable[[dict[str, Any]], Reply]]
    requests: list[dict[str, Any]] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)

    def messages(self, round_: int) -> list[dict[str, str]]:
        """The messages of a round (from 1)."""
        found: list[dict[str, str]] = self.requests[round_ - 1]["messages"]
        return found


@contextmanager
def serve(*replies: Reply | Callable[[dict[str, Any]], Reply]) -> Iterator[Chat]:
    chat = Chat("", list(replies))

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            chat.requests.append(body)
            chat.headers.append({k.lower(): v for k, v in self.headers.items()})
            chat.paths.append(self.path)
            reply = chat.replies[min(len(chat.requests), len(chat.replies)) - 1]
            if callable(reply):
                reply = reply(body)
            if reply.hold is not None:
                reply.hold.wait(30)
            try:
                self.send_response(reply.status)
                for name, value in reply.headers.items():
                    self.send_header(name, value)
                while reply.late:
                    self.send_header("X-More", "x")
                    self.flush_headers()
                    time.sleep(reply.pause)
                self.send_header("Content-Length", str(len(reply.body)))
                self.end_headers()
                step = -(-len(reply.body) // reply.pieces) or 1
                for at in range(0, len(reply.body), step):
                    self.wfile.write(reply.body[at : at + step])
                    self.wfile.flush()
                    time.sleep(reply.pause)
            except OSError:
                self.close_connection = True  # the client went away

        def log_message(self, format: str, *args: Any) -> None:
            pass

    class Server(ThreadingHTTPServer):
        def handle_error(self, request: Any, client_address: Any) -> None:
            if not isinstance(sys.exc_info()[1], OSError):  # else the client went away
                super().handle_error(request, client_address)

    server = Server(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    chat.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    try:
        yield chat
    finally:
        for reply in chat.replies:
            if isinstance(reply, Reply) and reply.hold is not None:
                reply.hold.set()
        server.shutdown()
        server.server_close()
        thread.join()
