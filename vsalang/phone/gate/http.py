"""Requests to servers on the phone (uiautomator2's, a helper app's), one at a time, each judged before it is sent.

The request that is sent is written again from what was judged, never the received bytes: a short head of our own, a
body in ASCII, one request for each connection. So no parser on the phone can find another request in it.
"""

import contextlib
import json
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Final, Protocol

import h11

from vsalang.guard import NotAllowed
from vsalang.phone.classify import Actions, Allowance, Pass, classify_http
from vsalang.phone.classify import Refuse as Refusal
from vsalang.phone.errors import DeviceError, DeviceLost, DeviceTimeout, NotDelivered
from vsalang.phone.gate import answers
from vsalang.phone.gate.answers import OnBlock
from vsalang.phone.gate.carrying import MOST_ANSWER
from vsalang.phone.gate.finger import METHOD, accepted, event_of
from vsalang.phone.gate.gate import Gate
from vsalang.phone.gate.helper_states import STATES
from vsalang.phone.gate.phone import FarStream, Phone
from vsalang.phone.gate.requests import MOST_HEAD, BadRequest, Reader, Request
from vsalang.phone.gate.selecting import placed
from vsalang.phone.gate.showing import LOOKS, Showing
from vsalang.phone.gate.touching import touch_of_call, touch_of_gesture
from vsalang.phone.wire import EndOfStream, ServiceRefused, Stream
from vsalang.program.action import Action
from vsalang.program.delivery import leaving, reading
from vsalang.program.screen import Cells

MOST_SHORT: Final = 1 << 20
"""Bytes of an answer that is read completely: to a call that acts, or whose answer is changed."""
SILENCE: Final = 330.0
"""How many seconds to wait for data of an answer; clients wait for five minutes."""
FRESH: Final = 2.0
"""Seconds for which a new connection may wait for its request; servers close idle connections."""
MOST_TARGET: Final = 512
_TOKEN: Final = re.compile(rb"[A-Za-z]{1,16} [A-Za-z0-9._~+/=-]{1,512}")
"""The token for a helper app's server: the only header of the agent that is passed on."""


class Hook(Protocol):
    """Handles calls to uiautomator2's server that concern the guard's own use of it."""

    def before(self, method: str) -> bytes | None:
        """Called before a reading call is passed on: None, or the complete answer, if it is not to be passed on."""
        ...

    def changed(self, method: str, answer: bytes) -> bytes | None:
        """The answer's body for the agent; None: unchanged. Only called for methods of `whole`."""
        ...

    @property
    def whole(self) -> frozenset[str]:
        """The methods whose answers are read completely."""
        ...

    def pasted(self, actions: Sequence[Action]) -> Sequence[Action]:
        """The actions of a call, with what is known about them. Called while the gate is locked."""
        ...

    def open(self) -> bool:
        """Whether the agent sees the server running."""
        ...

    def touch(self, action: Action, target: Cells) -> bool:
        """Make a touch only if the judged node is still there. False: nothing was done, the caller must make it.

        Raises DeviceError: it was not made, or that is not known.
        """
        ...


class Plain:
    """Does nothing."""

    whole: frozenset[str] = frozenset()

    def before(self, method: str) -> bytes | None:
        return None

    def changed(self, method: str, answer: bytes) -> bytes | None:
        return None

    def pasted(self, actions: Sequence[Action]) -> Sequence[Action]:
        return actions

    def open(self) -> bool:
        return True

    def touch(self, action: Action, target: Cells) -> bool:
        return False


class HttpService:
    """Serves streams to one server on the phone.

    Args:
        gate: judges each call.
        phone: where the server is.
        service: its port, as a service of adbd.
        protocol: ``uiautomator2`` or ``portal``.
        allowed: what is known of the phone.
        on_block: how a blocked request is answered.
        hook: see `Hook`.
        showing: marks what the agent sees; None: nothing does.
    """

    def __init__(
        self,
        gate: Gate,
        phone: Phone,
        service: str,
        protocol: str,
        allowed: Allowance,
        on_block: OnBlock,
        *,
        hook: Hook | None = None,
        showing: Showing | None = None,
    ) -> None:
        self._showing = showing
        self._gate = gate
        self._phone = phone
        self._service = service
        self._protocol = protocol
        self._allowed = allowed
        self._on_block = on_block
        self._hook: Hook = hook or Plain()

    def open(self) -> Callable[[Stream], None]:
        """Connect to the server on the phone; return the handler of a stream.

        Raises:
            Refused, DeviceError: it cannot be reached.
        """
        if not self._hook.open():
            raise ServiceRefused("closed")
        far = self._phone.open(self._service)
        return lambda near: self._serve(near, far)

    def _serve(self, near: Stream, far: FarStream) -> None:
        session = _Session(near, far, lambda: self._phone.open(self._service))
        with contextlib.closing(session):
            reader = Reader(near)
            while True:
                try:
                    request = reader.request()
                except BadRequest as error:
                    self._gate.refuse(f"{self._service} request", str(error))
                    session.answer(
                        error.status, f"vsalang: refused: {error}".encode(), "text/plain", keep=False
                    )
                    return
                if request is None:
                    return
                if not (self._answer(session, request) and request.keep):
                    return

    def _answer(self, session: "_Session", request: Request) -> bool:
        """Answer a request; return whether the stream can be used further."""
        text = f"{self._service} {request.method} {request.target}"
        headers = {n.decode("latin-1"): v.decode("latin-1") for n, v in request.headers}
        verdict = classify_http(
            "uiautomator2" if self._protocol == "uiautomator2" else "portal",
            request.method,
            request.target,
            request.body,
            headers,
            self._allowed,
        )
        if len(request.target) > MOST_TARGET:
            verdict = Refusal("the target is too long")
        if isinstance(verdict, Pass | Actions):
            request = replace(request, body=verdict.body)
        rpc = self._protocol == "uiautomator2" and request.method == "POST"
        method = answers.rpc_method(request.body) if rpc else ""
        if method:
            text = f"{self._service} {method}"
        try:
            if isinstance(verdict, Pass):
                ready = self._hook.before(method) if method else None
                if ready is not None:
                    session.answer(200, ready, "application/json", keep=request.keep)
                    return True
                change = None
                if method in self._hook.whole:

                    def change(body: bytes) -> bytes | None:
                        return self._hook.changed(method, body)

                if (mark := self._mark(method, request)) is not None:
                    return session.exchange(request, *mark, most=MOST_ANSWER)
                return session.exchange(request, change)
            if isinstance(verdict, Actions) and method == METHOD:
                return self._event(session, request, verdict, text)
            if isinstance(verdict, Actions):
                actions = partial(self._hook.pasted, verdict.actions)
                sent = request

                def forward() -> bool:
                    touch = touch_of_call(sent.body, verdict.actions) if rpc else None
                    if touch is not None and self._touched(touch):
                        session.set_answer(accepted(sent.body), keep=request.keep)
                        return True
                    call = sent.body
                    if rpc:
                        with reading():
                            call = placed(sent.body, verdict.actions, self._gate.target, session.ask)
                    return session.act(replace(sent, body=call), rpc)

                done = self._gate.act(actions, forward, what=text)
                session.tell()
                return done
            reason = verdict.reason if isinstance(verdict, Refusal) else "it is not understood"
            raise self._gate.refuse(text, reason)
        except NotAllowed as error:
            return self._blocked(session, request, error, rpc)
        except _RequestFailed as failed:
            session.tell()
            return failed.usable
        except DeviceError as error:
            if session.begun:
                return False  # a part of the answer was sent: the agent sees that it is cut off
            return self._blocked(session, request, error, rpc, silent=False)

    def _mark(self, method: str, request: Request) -> tuple[Callable[[bytes], bytes | None], str] | None:
        """How the answer to a look is changed for the agent, and what kind of data it is; None: it is not."""
        showing = self._showing
        if showing is None or not showing.reason:
            return None
        if method in LOOKS:
            return partial(showing.changed, method), "application/json"
        if request.method != "GET":
            return None
        path = request.target.partition("?")[0].strip("/")
        if self._protocol == "portal":
            change = (
                showing.wrapped_picture if path == "screenshot" else showing.state if path in STATES else None
            )
            return (change, "image/png") if change is not None else None
        return (showing.picture, "image/jpeg") if path.startswith("screenshot/") else None

    def _touched(self, touch: Action) -> bool:
        """Make a touch if the judged node is still there; return whether it was made. Raises as `Hook.touch`."""
        watches = self._gate.guard.settings.mode == "shadow"  # nothing is blocked then
        return not watches and self._hook.touch(touch, self._gate.target(touch))

    def _event(self, session: "_Session", request: Request, actions: Actions, text: str) -> bool:
        """One event of a finger: it waits until the finger is lifted."""

        def make() -> None:
            # with its own connection: the agent's may be closed when the finger is lifted
            with contextlib.closing(_Session(None, None, lambda: self._phone.open(self._service))) as own:
                own.ask(request.body)

        taken = self._gate.finger.takes(*event_of(request.body), make)
        if taken is True:
            session.answer(200, accepted(request.body), "application/json", keep=request.keep)
            return True
        if taken is False:
            done = self._gate.act(actions.actions, lambda: session.act(request, True), what=text)
        else:

            def forward() -> bool:
                touch = touch_of_gesture(taken)
                if touch is not None and self._touched(touch):
                    session.set_answer(accepted(request.body), keep=request.keep)
                    return True
                return taken.make(lambda: session.act(request, True))

            done = self._gate.act(taken.actions, forward, what=f"{text} x {len(taken.events)}")
        session.tell()
        return done

    def _blocked(
        self, session: "_Session", request: Request, error: Exception, rpc: bool, *, silent: bool = True
    ) -> bool:
        quiet = silent and self._on_block == "silent" and isinstance(error, NotAllowed)
        if rpc:
            body = answers.rpc_silent(request.body) if quiet else answers.rpc_error(request.body, error)
            session.answer(200, body, "application/json", keep=request.keep)
        elif quiet:
            session.answer(200, answers.portal_silent(), "application/json", keep=request.keep)
        else:
            status = 403 if isinstance(error, NotAllowed) else 502
            session.answer(status, answers.portal_error(error), "application/json", keep=request.keep)
        return True


def ask(phone: Phone, service: str, request: Request) -> bytes:
    """Make a request of the guard itself; return the body of the answer.

    Raises:
        DeviceError: there is none.
    """
    try:
        far = phone.open(service)
    except ServiceRefused as error:
        raise DeviceLost(f"the server on the phone cannot be reached: {error}") from error
    with contextlib.closing(_Session(None, far, lambda: phone.open(service))) as session:
        return session.own(request)


class _Session:
    """A stream of the agent, and the matching one to the server on the phone."""

    def __init__(self, near: Stream | None, far: FarStream | None, again: Callable[[], FarStream]) -> None:
        self._agent = near
        self._far = far
        self._again = again
        self._since = time.monotonic()
        self._answered = b""
        self._keeps = True
        self.begun = False

    @property
    def _near(self) -> Stream:
        assert self._agent is not None  # the guard's own requests have no agent
        return self._agent

    def own(self, request: Request) -> bytes:
        """The body of the answer to a request of the guard itself. Raises `DeviceError`."""
        return self._whole(self._send(request))[1]

    def ask(self, call: bytes) -> bytes:
        """The answer to a JSON-RPC call of the guard itself. Raises `DeviceError`."""
        return self.own(Request("POST", "/jsonrpc/0", (), call, True))

    def close(self) -> None:
        if self._far is not None:
            self._far.close()
            self._far = None

    def answer(self, status: int, body: bytes, kind: str, *, keep: bool) -> None:
        self._near.write(_written(status, body, kind, keep=keep))

    def exchange(
        self,
        request: Request,
        change: Callable[[bytes], bytes | None] | None,
        kind: str = "application/json",
        *,
        most: int = MOST_SHORT,
    ) -> bool:
        """Pass a reading request on, and its answer back; return whether the stream can be used further.

        Args:
            request: the request.
            change: gives another body; None for the body that arrived.
            kind: of data that a changed body is, if it is not JSON.
            most: bytes of an answer that is changed.

        Raises:
            DeviceError: the server on the phone did not answer.
        """
        parser = self._send(request)
        if change is None:
            return self._relay(parser)
        status, body, raw = self._whole(parser, most)
        changed = change(body) if status == 200 else None
        if changed is None:
            self._near.write(raw)
        else:
            is_json = changed[:1] in (b"{", b"[")
            self.answer(200, changed, "application/json" if is_json else kind, keep=request.keep)
            return True
        return self._keeps

    def act(self, request: Request, rpc: bool) -> bool:
        """Pass an acting request on; return whether the stream can be used further. `tell` passes its answer back.

        Raises:
            NotDelivered: it was not sent.
            DeviceError: its outcome is not known.
            _Failed: the server on the phone says that it did not do it.
        """
        status, body, self._answered = self._whole(self._send(request))
        problem = _problem(status, body, rpc)
        if problem is not None:
            raise _RequestFailed(problem[0], problem[1], usable=self._keeps)
        return self._keeps

    def set_answer(self, body: bytes, *, keep: bool) -> None:
        """Set the answer that `tell` passes back, for a request that was made without this connection."""
        self._answered = _written(200, body, "application/json", keep=keep)

    def tell(self) -> None:
        """Pass the answer of an acting request back. Not while the gate is locked: the agent may not read it."""
        answered, self._answered = self._answered, b""
        with contextlib.suppress(EndOfStream):  # it was done, even if the agent does not read the answer
            self._near.write(answered)

    def _send(self, request: Request) -> h11.Connection:
        if time.monotonic() - self._since > FRESH:
            self.close()  # it may be dead, and an acting request is sent only once
        if self._far is None:
            try:
                with reading():  # opening a connection does nothing yet
                    self._far = self._again()
            except (ServiceRefused, DeviceError) as error:
                raise NotDelivered(f"the server on the phone cannot be reached: {error}") from error
            self._since = time.monotonic()
        parser = h11.Connection(h11.CLIENT, max_incomplete_event_size=MOST_HEAD)
        fields = [(n, v) for n, v in request.headers if n == b"authorization" and _TOKEN.fullmatch(v)]
        fields += [(b"Connection", b"close")]
        if request.body:
            fields += [
                (b"Content-Type", b"application/json; charset=utf-8"),
                (b"Content-Length", str(len(request.body)).encode()),
            ]
        head = h11.Request(
            method=request.method, target=request.target, headers=[(b"Host", b"127.0.0.1"), *fields]
        )
        data = [parser.send(head)]
        if request.body:
            data.append(parser.send(h11.Data(data=request.body)))
        data.append(parser.send(h11.EndOfMessage()))
        self._far.set_timeout(SILENCE)
        leaving()
        try:
            self._far.write(b"".join(part for part in data if part))
        except EndOfStream as error:
            self.close()
            raise DeviceLost("the server on the phone closed the connection") from error
        return parser

    def _read(self) -> bytes:
        assert self._far is not None
        try:
            return self._far.read(256 << 10)
        except DeviceTimeout as error:
            self.close()
            raise DeviceTimeout(f"the server on the phone did not answer within {SILENCE:g} s") from error

    def _relay(self, parser: h11.Connection) -> bool:
        """Pass an answer back while it arrives. Raises `DeviceError` only before anything was passed back."""
        self.begun = False
        head: bytes | None = b""
        while True:
            data = self._read()
            if not data and not self.begun:
                self.close()
                raise DeviceLost("the server on the phone closed the connection without an answer")
            parser.receive_data(data)
            try:
                ended = _ended(parser)
            except h11.RemoteProtocolError as error:
                self.close()
                if not self.begun:
                    raise DeviceLost(f"the server on the phone answered nonsense: {error}") from error
                return False
            if data:
                self.begun = True
                if head is not None:
                    head += data
                    data = head
                    if b"\r\n\r\n" in head:
                        data, head = self._for_agent(head), None
                if head is None:
                    self._near.write(data)
            if ended:
                return self._after()
            if not data:
                return False

    def _after(self) -> bool:
        """Close the phone's connection after its one request; return whether the agent's can be used further."""
        self.close()
        self.begun = False
        return self._keeps

    def _for_agent(self, answer: bytes) -> bytes:
        """An answer with its complete head, for the agent's connection, which is not the phone's."""
        head, end, body = answer.partition(b"\r\n\r\n")
        lines = [
            line
            for line in head.split(b"\r\n")
            if line.partition(b":")[0].strip().lower() not in (b"connection", b"keep-alive")
        ]
        names = {line.partition(b":")[0].strip().lower() for line in lines[1:]}
        self._keeps = bool(
            names & {b"content-length", b"transfer-encoding"}
        )  # else it ends when the connection ends
        lines.append(b"Connection: " + (b"keep-alive" if self._keeps else b"close"))
        return b"\r\n".join(lines) + end + body

    def _whole(self, parser: h11.Connection, most: int = MOST_SHORT) -> tuple[int, bytes, bytes]:
        """A complete answer: its status, its body, and all bytes."""
        raw = b""
        body = b""
        status = 0
        while True:
            data = self._read()
            raw += data
            if len(raw) > most:
                self.close()
                raise DeviceError("the server's answer is too long")
            try:
                parser.receive_data(data)
                while True:
                    event = parser.next_event()
                    if isinstance(event, h11.Response):
                        status = event.status_code
                    elif isinstance(event, h11.Data):
                        body += event.data
                    elif isinstance(event, h11.EndOfMessage):
                        raw = self._for_agent(raw)
                        self._after()
                        return status, body, raw
                    elif event is h11.NEED_DATA:
                        break
                    else:
                        raise h11.RemoteProtocolError("no answer")
            except h11.RemoteProtocolError as error:
                self.close()
                raise DeviceLost(f"the server on the phone gave no answer: {error}") from error


def _written(status: int, body: bytes, kind: str, *, keep: bool) -> bytes:
    words = {200: "OK", 403: "Forbidden", 413: "Payload Too Large", 502: "Bad Gateway"}
    head = (
        f"HTTP/1.1 {status} {words.get(status, 'Refused')}\r\nContent-Type: {kind}\r\n"
        f"Content-Length: {len(body)}\r\nConnection: {'keep-alive' if keep else 'close'}\r\n\r\n"
    )
    return head.encode() + body


class _RequestFailed(Exception):
    """The server on the phone answered that it did not do what it was asked."""

    def __init__(self, message: str, delivered: bool | None, *, usable: bool) -> None:
        super().__init__(message)
        self.delivered = delivered
        self.usable = usable


def _ended(parser: h11.Connection) -> bool:
    while True:
        event = parser.next_event()
        if isinstance(event, h11.EndOfMessage):
            return True
        if event is h11.NEED_DATA or isinstance(event, h11.ConnectionClosed):
            return False


def _problem(status: int, body: bytes, rpc: bool) -> tuple[str, bool | None] | None:
    """The problem that an answer reports, and whether the input was made; None: there is no problem."""
    if status != 200:
        return f"the server on the phone answered {status}", None
    if not rpc:
        return None
    try:
        data = json.loads(body)
    except (ValueError, RecursionError):
        return "the server on the phone answered something that is not JSON", None
    if not isinstance(data, Mapping):
        return "the server on the phone answered something that is not an object", None
    error = data.get("error")
    if error is not None:
        text = str(error.get("message", "")) if isinstance(error, Mapping) else str(error)
        # also one that ends by "not found" may have clicked or scrolled before
        return text[:400] or "an error", None
    return ("the phone did not accept the input", None) if data.get("result") is False else None
