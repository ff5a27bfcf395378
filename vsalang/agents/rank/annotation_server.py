"""Serves the annotation page on this machine: one person answers, each answer is in the file before the next page.

It listens on 127.0.0.1 only. Its address holds a secret, so that neither other users nor pages of other sites can read
or send anything.
"""

import hmac
import secrets
import threading
from collections.abc import Sequence
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Final
from urllib.parse import parse_qs

from vsalang.agents.rank.annotation_page import page, policy, question_of
from vsalang.agents.rank.annotations import AnswerFile, OpenChoice, PersonAnswer
from vsalang.base.diagnostics.display import count

MAX_BODY: Final = 4096
"""A longer answer of a browser is refused."""
_HEADERS: Final = {
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}


class AnnotationServer:
    """Asks about choices, one page each.

    Args:
        asked: in which order.
        file: where answers are written.
        port: to listen on; 0: a free one.

    Attributes:
        address: of the first page.

    Raises:
        OSError: the port cannot be listened on.
    """

    def __init__(self, asked: Sequence[OpenChoice], file: AnswerFile, port: int = 0) -> None:
        self._asked = tuple(asked)
        self._file = file
        self._lock = threading.Lock()
        self._stopped = threading.Event()
        self._secret = secrets.token_urlsafe(24)
        self._server = ThreadingHTTPServer(("127.0.0.1", port), _handler(self))
        self._server.daemon_threads = True
        self.port = int(self._server.server_address[1])
        self.address = f"http://127.0.0.1:{self.port}/{self._secret}/"
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True, name="annotate")

    def __enter__(self) -> "AnnotationServer":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()

    def wait(self) -> None:
        """Wait until the person presses Stop. Raises `KeyboardInterrupt` at Ctrl-C."""
        while not self._stopped.wait(0.2):
            pass

    @property
    def left(self) -> int:
        """How many choices nobody has answered."""
        return sum(one.name not in self._file.answers for one in self._asked)

    # ------------------------------------------------------------------ requests

    def path_of(self, path: str) -> str | None:
        """What follows the secret in a request's path; None: it is not there."""
        first, _, rest = path.removeprefix("/").partition("/")
        return rest if hmac.compare_digest(first.encode(), self._secret.encode()) else None

    def ours(self, host: str | None, origin: str | None) -> bool:
        """Whether a request was meant for this server, and comes from no page of another site."""
        names = (f"127.0.0.1:{self.port}", f"localhost:{self.port}")
        return host in names and (origin is None or origin in tuple(f"http://{name}" for name in names))

    def page_at(self, place: str) -> str | None:
        """The page at a place; None: there is none.

        Args:
            place: empty for the first choice that nobody has answered, else its number from 1.
        """
        with self._lock:
            nth = self._next(0) if place == "" else _number(place, len(self._asked))
            if nth is None:
                return self._last() if place in ("", "end") else None
            asked = self._asked[nth]
            earlier = self._file.answers.get(asked.name)
            return page(question_of(asked, str(nth + 1), nth + 1, len(self._asked), earlier))

    def took(self, place: str, form: dict[str, list[str]]) -> str | None:
        """Take an answer; where to go next, or None if it does not answer the choice."""
        if place == "stop":
            self._stopped.set()
            return "end"
        with self._lock:
            nth = _number(place, len(self._asked))
            kind = form.get("said", [""])[0] or "right"
            if nth is None or kind not in ("right", "none", "skip"):
                return None
            asked = self._asked[nth]
            ranked = asked.run.choices[asked.number].ranking.ranked
            head, number = asked.name
            key = text = ""
            if kind == "right":
                chosen = _number(form.get("candidate", [""])[0], len(ranked))
                if chosen is None:
                    return None
                key, text = ranked[chosen].candidate.key, ranked[chosen].candidate.text
            self._file.add(PersonAnswer(head, number, kind, key, text, asked.margin))  # type: ignore[arg-type]
            following = self._next(nth + 1)
            return "end" if following is None else str(following + 1)

    def _next(self, begin: int) -> int | None:
        """The next choice that nobody has answered, from one on and then from the first."""
        order = (*range(begin, len(self._asked)), *range(begin))
        return next((nth for nth in order if self._asked[nth].name not in self._file.answers), None)

    def _last(self) -> str:
        summary_text = f"{count(len(self._file.answers), 'answer')} in {self._file.path}."
        return page(None, summary_text + " You may close this page.")


def _number(text: str, most: int) -> int | None:
    """A number from 1 to `most`, from 0; None: it is not such a number."""
    if not (text.isascii() and text.isdecimal() and len(text) < 7):
        return None
    return int(text) - 1 if 1 <= int(text) <= most else None


def _handler(server: AnnotationServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        timeout = 30

        def do_GET(self) -> None:
            place = self._place()
            if place is None:
                return
            text = server.page_at(place)
            if text is None:
                self._refuse(HTTPStatus.NOT_FOUND, "there is no such page")
            else:
                self._send(HTTPStatus.OK, text)

        def do_POST(self) -> None:
            place = self._place()
            if place is None:
                return
            length = self.headers.get("Content-Length", "")
            kind = self.headers.get("Content-Type", "").partition(";")[0].strip().lower()
            if not length.isdecimal() or int(length) > MAX_BODY:
                self.close_connection = True
                self._refuse(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "the answer is too long")
                return
            body = self.rfile.read(int(length))
            if kind != "application/x-www-form-urlencoded":
                self._refuse(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "a form is expected")
                return
            try:
                following = server.took(place, parse_qs(body.decode("ascii"), max_num_fields=10))
            except ValueError:
                following = None
            except OSError as error:
                self._refuse(HTTPStatus.INSUFFICIENT_STORAGE, f"the answer was not written: {error}")
                return
            if following is None:
                self._refuse(
                    HTTPStatus.BAD_REQUEST, "that does not answer this choice: go back and choose one"
                )
                return
            self.send_response(HTTPStatus.SEE_OTHER)
            self.send_header("Location", following)
            self._headers(0)

        def _place(self) -> str | None:
            place = server.path_of(self.path.partition("?")[0])
            if place is None or not server.ours(self.headers.get("Host"), self.headers.get("Origin")):
                self.close_connection = True
                self._refuse(HTTPStatus.NOT_FOUND, "there is no such page")
                return None
            return place

        def _refuse(self, status: HTTPStatus, why: str) -> None:
            self._send(status, page(None, why, "That is not possible"))

        def _send(self, status: HTTPStatus, text: str) -> None:
            data = text.encode("utf-8", "replace")
            self.send_response(status)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self._headers(len(data))
            self.wfile.write(data)

        def _headers(self, length: int) -> None:
            self.send_header("Content-Length", str(length))
            self.send_header("Content-Security-Policy", policy())
            for name, value in _HEADERS.items():
                self.send_header(name, value)
            self.end_headers()

        def log_message(self, format: str, *args: Any) -> None:
            return None

    return Handler
