"""A language model that says what a test tells it to: OpenAI's chat completions on loopback, streamed or not."""

import json
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self

Answer = Callable[[str], str]
"""Gives what the model says to a prompt (all messages, one after another)."""


class ScriptedModel:
    """A server on a free port of 127.0.0.1. A context manager.

    Attributes:
        prompts: what it was asked, in order; each is the text of all messages.
        problems: errors of the script; a test fails on them, for clients try again and again.
    """

    def __init__(self, answer: Answer) -> None:
        self.prompts: list[str] = []
        self.problems: list[str] = []
        model = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_: Any) -> None:
                """Keep quiet."""

            def do_POST(self) -> None:
                request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                if not self.path.endswith("/chat/completions"):
                    model.problems.append(f"asked for {self.path}")
                    self.send_error(404)
                    return
                prompt = "\n".join(_text(message.get("content")) for message in request["messages"])
                model.prompts.append(prompt)
                try:
                    said = answer(prompt)
                except Exception as error:
                    model.problems.append(f"{type(error).__name__}: {error}")
                    said = ""
                body, kind = _stream(said) if request.get("stream") else _whole(said)
                self.send_response(200)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()

    @property
    def base_url(self) -> str:
        """What clients take as the base of the API."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def close(self) -> None:
        """Stop serving."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(part.get("text", "") for part in content or ())


def _whole(said: str) -> tuple[bytes, str]:
    choice = {"index": 0, "message": {"role": "assistant", "content": said}, "finish_reason": "stop"}
    return json.dumps(_about("chat.completion", choice)).encode(), "application/json"


def _stream(said: str) -> tuple[bytes, str]:
    first = {"index": 0, "delta": {"role": "assistant", "content": said}, "finish_reason": None}
    last = {"index": 0, "delta": {}, "finish_reason": "stop"}
    parts = [json.dumps(_about("chat.completion.chunk", choice)) for choice in (first, last)]
    return "".join(f"data: {part}\n\n" for part in (*parts, "[DONE]")).encode(), "text/event-stream"


def _about(kind: str, choice: dict[str, Any]) -> dict[str, Any]:
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    return {
        "id": "scripted",
        "object": kind,
        "created": 0,
        "model": "scripted",
        "choices": [choice],
        "usage": usage,
    }
