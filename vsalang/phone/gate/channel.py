"""A side channel for agents that know the guard: verdicts and the roadmap, claims, and the end of the task.

HTTP with JSON on the loopback interface, with a token that only the agent gets (``Authorization: Bearer``). No input is
sent here: what is proposed here does not reach the phone.
"""

import collections
import hmac
import json
import secrets
import threading
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Final, Self

from vsalang.guard import NotAllowed
from vsalang.phone.gate.events import GateEvent
from vsalang.phone.gate.gate import Gate
from vsalang.program.action import Action

Read = Callable[[object, bool], Action]
"""Reads an action from JSON data; the second argument says whether it is a claim. Raises `ValueError` or the like."""
ENDS: Final = frozenset({"finish", "answer", "give_up"})
"""The actions that may be proposed here: those that do not reach a phone."""
MOST_BODY: Final = 64 << 10
MOST_EVENTS: Final = 1000

_UNKNOWN: Final = {
    "error": "there are GET /v1/state, /v1/last, /v1/roadmap, /v1/events and POST /v1/propose, /v1/claim"
}


class SideChannel:
    """Serves the side channel of one session. A context manager.

    Attributes:
        url: of the channel.
        token: the agent must send it.

    Args:
        gate: of the session.
        read: reads actions.
        listener: an event as JSON data.
        failures: the errors of `read` for bad data.
    """

    def __init__(
        self,
        gate: Gate,
        read: Read,
        listener: Callable[[GateEvent], Mapping[str, Any]],
        failures: tuple[type[Exception], ...] = (ValueError,),
    ) -> None:
        self.token = secrets.token_urlsafe(24)
        self._gate = gate
        self._read = read
        self._listener = listener
        self._failures = failures
        self._events: collections.deque[Mapping[str, Any]] = collections.deque(maxlen=MOST_EVENTS)
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, name="gate-channel", daemon=True)
        self._thread.start()

    def tell(self, event: GateEvent) -> None:
        """Store an event for later questions."""
        self._events.append(self._listener(event))

    # ------------------------------------------------------------------ requests

    def get(self, path: str, query: Mapping[str, str]) -> tuple[int, Mapping[str, Any]]:
        """Answer a question: status and data."""
        gate = self._gate
        events = list(self._events)
        last = events[-1] if events else None
        match path:
            case "/v1/state":
                return 200, {"finished": gate.finished, "last": last, "roadmap": gate.roadmap()}
            case "/v1/last":
                hint = gate.hint
                return 200, {"last": last, "feedback": gate.feedback, **({"hint": hint} if hint else {})}
            case "/v1/roadmap":
                return 200, {"roadmap": gate.roadmap()}
            case "/v1/events":
                after = query.get("after", "0")
                if not (after.isascii() and after.isdecimal() and len(after) < 12):
                    return 400, {"error": "`after` is the number of an event"}
                return 200, {"events": [event for event in events if event["number"] > int(after)]}
        return 404, _UNKNOWN

    def post(self, path: str, data: object) -> tuple[int, Mapping[str, Any]]:
        """Handle a request that acts: status and data."""
        if path not in ("/v1/propose", "/v1/claim"):
            return 404, _UNKNOWN
        try:
            if path == "/v1/claim":
                claims = data.get("claims") if isinstance(data, Mapping) else None
                if not isinstance(claims, list) or len(claims) > 20:
                    return 400, {"error": "`claims` is a list of actions"}
                self._gate.claim([self._read(claim, True) for claim in claims])
                return 200, {"claimed": len(claims)}
            action = self._read(data, False)
        except self._failures as error:
            return 400, {"error": str(error)[:1000]}
        if action.name not in ENDS:
            return 400, {
                "error": f"`{action.name}` is done on the phone; what is proposed here is {', '.join(sorted(ENDS))}"
            }
        try:
            self._gate.act([action], _nothing)
        except NotAllowed as error:
            feedback = str(getattr(error, "feedback", error))
            return 409, {"allowed": False, "feedback": feedback, "finished": self._gate.finished}
        return 200, {"allowed": True, "feedback": "", "finished": self._gate.finished}

    def allows(self, header: str | None, host: str | None) -> bool:
        """Whether a request has the token, and does not come from a page in a browser."""
        kind, _, shown_digest = (header or "").partition(" ")
        right = hmac.compare_digest(shown_digest.strip().encode("utf-8", "replace"), self.token.encode())
        return (
            kind.lower() == "bearer"
            and right
            and (host or "").rpartition(":")[0] in ("127.0.0.1", "localhost")
        )

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(timeout=2)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _nothing() -> None:
    """The action on the phone: nothing."""


def _handler(channel: SideChannel) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        timeout = 30
        server_version = "vsalang"
        sys_version = ""

        def log_message(self, format: str, *args: Any) -> None:
            """Write nothing to the agent's terminal."""

        def do_GET(self) -> None:
            from urllib.parse import parse_qsl, urlsplit

            if self._allowed():
                parts = urlsplit(self.path)
                self._send(*channel.get(parts.path, dict(parse_qsl(parts.query))))

        def do_POST(self) -> None:
            if not self._allowed():
                return
            length = self.headers.get("Content-Length", "")
            if not (length.isascii() and length.isdecimal() and len(length) < 9 and int(length) <= MOST_BODY):
                self._send(413, {"error": f"the body has a length, of at most {MOST_BODY} bytes"})
                return
            try:
                data = json.loads(self.rfile.read(int(length)))
            except (ValueError, RecursionError):
                self._send(400, {"error": "the body is not JSON"})
                return
            self._send(*channel.post(self.path, data))

        def _allowed(self) -> bool:
            browsed = "Origin" in self.headers
            if not browsed and channel.allows(self.headers.get("Authorization"), self.headers.get("Host")):
                return True
            self._send(401, {"error": "the token of VSA_GUARD_TOKEN is missing (Authorization: Bearer ...)"})
            return False

        def _send(self, status: int, data: Mapping[str, Any]) -> None:
            body = json.dumps(data, default=str).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    return Handler
