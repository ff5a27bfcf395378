"""The endpoint: HTTP and WebSocket on this machine, for apps that know their token. Needs the extra ``server``."""

import asyncio
import json
import logging
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Final, Self

from aiohttp import WSCloseCode, WSMsgType, web

from vsalang.agents.reporting.access import Bucket, Tokens, host_names, is_loopback
from vsalang.agents.reporting.errors import MessageRefused
from vsalang.agents.reporting.paper import PaperApp, PaperListener
from vsalang.agents.reporting.peers import Places, Strangers
from vsalang.agents.reporting.reading import MAX_BYTES, read_object
from vsalang.agents.reporting.service import KINDS, Service
from vsalang.base.records import dataclass
from vsalang.program.text import safe

log = logging.getLogger("vsalang.agents.reporting")

_POSTS: Final = {f"/v1/{kind}": kind for kind in KINDS if kind != "describe"}
_HEADERS: Final = {
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "default-src 'none'",
}


@dataclass(frozen=True, slots=True)
class Limits:
    """What peers may take up.

    Attributes:
        connections: of one app, open at a time.
        strangers: connections open at a time whose peers have not given a token; the oldest ones make room.
        rate: messages a second of one app, on average; `burst` at once.
        head_seconds: until the head of a request, with the token, must have come.
        body_seconds: until its body must have come.
        send_seconds: until a peer must have taken an answer.
        heartbeat: seconds after which a silent WebSocket is asked whether it lives.
        outcome_seconds: an app that was allowed an action and says no word of its outcome is given up: it counts as
            done.
    """

    connections: int = 64
    strangers: int = 64
    rate: float = 100.0
    burst: int = 200
    head_seconds: float = 3.0
    body_seconds: float = 10.0
    send_seconds: float = 10.0
    heartbeat: float = 30.0
    outcome_seconds: float = 60.0


class Endpoint:
    """Serves a session to apps, in a thread of its own.

        with Endpoint(Service(guard), Tokens.new(["com.opentable"])) as endpoint:
            print(endpoint.url)

    Args:
        service: what answers.
        tokens: who may speak.
        host: where to listen.
        port: 0: any that is free.
        expose: allow a host that is not this machine. There is no encryption: everybody who can listen gets the token.
        hosts: further names by which this endpoint may be called (``Host``).
        limits: what peers may take up.
        paper: apps of the paper's library to listen for.

    Raises:
        ValueError: the host is not this machine, and `expose` is not set; a token is of an unknown app.
    """

    def __init__(
        self,
        service: Service,
        tokens: Tokens,
        *,
        host: str = "127.0.0.1",
        port: int = 0,
        expose: bool = False,
        hosts: Iterable[str] = (),
        limits: Limits | None = None,
        paper: Iterable[PaperApp] = (),
    ) -> None:
        if not expose and not is_loopback(host):
            raise ValueError(f"{host} is not this machine alone: say that the endpoint is to be exposed")
        for package in tokens.by_package:
            if package not in service.schemas:
                raise ValueError(f"no app of the program has the package {package}")
        self.service = service
        self.tokens = tokens
        self.host = host
        self.port = port
        self.limits = limits or Limits()
        self._more_hosts = tuple(hosts)
        self._names: frozenset[str] = frozenset()
        self._buckets = {p: Bucket(self.limits.rate, self.limits.burst) for p in tokens.by_package}
        self._strangers = Bucket(10, 20)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._server: web.Server | None = None
        self._listeners: list[asyncio.AbstractServer] = []
        self._paper = [
            PaperListener(app, service, self.limits.connections, self.limits.strangers) for app in paper
        ]
        self._unknown = Strangers(self.limits.strangers, self.limits.head_seconds)
        self._places = Places(self.limits.connections)
        self._sockets: set[web.WebSocketResponse] = set()
        # The guard takes one message after the other; while a human is asked, the others need not wait.
        self._worker: ThreadPoolExecutor | None = None

    @property
    def url(self) -> str:
        return f"http://{f'[{self.host}]' if ':' in self.host else self.host}:{self.port}"

    @property
    def paper_ports(self) -> dict[str, int]:
        """Where apps of the paper's library connect to, by package."""
        return {listener.app.package: listener.port for listener in self._paper}

    # ------------------------------------------------------------------ begin and end

    def start(self) -> Self:
        """Listen. Raises OSError if the port is taken."""
        ready: Future[None] = Future()
        self._worker = ThreadPoolExecutor(8, "vsalang-server")
        self._thread = threading.Thread(target=self._run, args=(ready,), name="vsalang-endpoint", daemon=True)
        self._thread.start()
        try:
            ready.result()
        except BaseException:
            self._thread.join()
            self._worker.shutdown()
            self._thread = None
            raise
        return self

    def close(self) -> None:
        """Stop: take no new connections, answer what was asked, close the others."""
        if self._thread is None or self._loop is None:
            return
        loop, thread = self._loop, self._thread
        self._thread = None
        asyncio.run_coroutine_threadsafe(self._stop(), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        assert self._worker is not None
        self._worker.shutdown()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.close()

    def _run(self, ready: "Future[None]") -> None:
        loop = asyncio.new_event_loop()
        try:
            loop.run_until_complete(self._listen())
        except BaseException as error:
            loop.close()
            ready.set_exception(error)
            return
        self._loop = loop
        ready.set_result(None)
        try:
            loop.run_forever()
        finally:
            loop.run_until_complete(loop.shutdown_asyncgens())
            loop.close()

    async def _listen(self) -> None:
        limits = self.limits
        self._server = _Server(
            self._unknown,
            self._answer,
            keepalive_timeout=limits.head_seconds,
            max_line_size=4096,
            max_field_size=4096,
            max_headers=50,
            access_log=None,
            auto_decompress=False,
            lingering_time=1.0,
            logger=log,
        )
        loop = asyncio.get_running_loop()
        listening = await loop.create_server(self._server, self.host, self.port, backlog=128)
        self._listeners.append(listening)
        self.port = listening.sockets[0].getsockname()[1]
        self._names = host_names(self.host, self.port, self._more_hosts)
        for paper in self._paper:
            self._listeners.append(await paper.listen(self._call))

    async def _stop(self) -> None:
        for listener in self._listeners:
            listener.close()
        for paper in self._paper:
            paper.close()
        for socket in list(self._sockets):
            await socket.close(code=WSCloseCode.GOING_AWAY, message=b"the session is closed")
        assert self._server is not None
        self._server.pre_shutdown()  # who waits for a request need not
        await self._server.shutdown(5.0)
        for task in asyncio.all_tasks() - {asyncio.current_task()}:
            task.cancel()

    async def _call(self, function: Callable[..., Any], *args: Any) -> Any:
        """Run what may take time outside the event loop."""
        return await asyncio.get_running_loop().run_in_executor(self._worker, function, *args)

    # ------------------------------------------------------------------ HTTP

    async def _answer(self, request: web.BaseRequest) -> web.StreamResponse:
        try:
            package = self._admit(request)
            with self._places.take(package):
                self._unknown.remove(request.protocol)
                return await self._asked(request, package)
        except MessageRefused as refused:
            self._note(request, refused)
            more = {"WWW-Authenticate": "Bearer"} if refused.code == "unauthorized" else {}
            return _respond(refused.status, _error(refused), more)
        except (asyncio.CancelledError, ConnectionError):
            raise
        except Exception:
            log.exception("an internal error")
            return _respond(
                503, _error(MessageRefused("failed", "an internal error; nothing is allowed by it"))
            )

    async def _asked(self, request: web.BaseRequest, package: str) -> web.StreamResponse:
        """The answer to an app.

        Raises:
            Refused: what it asks is not taken in.
        """
        if request.path == "/v1/socket":
            return await self._socket(request, package)
        kind = _POSTS.get(request.path, "describe" if request.path == "/v1" else "")
        if not kind:
            raise MessageRefused("not_found", "there is nothing here; what there is begins at /v1")
        wanted = "GET" if kind == "describe" else "POST"
        if request.method != wanted:
            return _respond(405, _error(MessageRefused("not_found", f"use {wanted}")), {"Allow": wanted})
        data = read_object(await self._body(request)) if kind != "describe" else {}
        return _respond(200, await self._handle(package, kind, data))

    def _admit(self, request: web.BaseRequest) -> str:
        """Whose request it is.

        Raises:
            Refused: it comes from a page of another site, has no token that is known, or sends too many requests.
        """
        named = request.headers.getall("Host", [])
        if len(named) != 1 or named[0].lower() not in self._names:
            raise MessageRefused("forbidden", "this endpoint is not called by that name (Host)")
        if "Origin" in request.headers:
            raise MessageRefused("forbidden", "pages of browsers are not served (Origin)")
        headers = request.headers.getall("Authorization", [])
        scheme, _, token = headers[0].partition(" ") if len(headers) == 1 else ("", "", "")
        package = self.tokens.package(token.strip()) if scheme.lower() == "bearer" else None
        if package is None:
            if not self._strangers.take():
                raise MessageRefused("too_many", "too many requests without a token that is known")
            raise MessageRefused("unauthorized", "give the app's token: `Authorization: Bearer TOKEN`")
        self._pass(package)
        return package

    def _pass(self, package: str) -> None:
        if not self._buckets[package].take():
            raise MessageRefused("too_many", f"more than {self.limits.rate:g} messages a second")

    async def _body(self, request: web.BaseRequest) -> bytes:
        if "Content-Encoding" in request.headers:
            raise MessageRefused("malformed", "a body is sent as it is, without Content-Encoding")
        if (request.content_length or 0) > MAX_BYTES:
            raise MessageRefused("too_large", f"a message has at most {MAX_BYTES} bytes")
        parts, size = [], 0
        try:
            async with asyncio.timeout(self.limits.body_seconds):
                async for part in request.content.iter_any():
                    parts.append(part)
                    size += len(part)
                    if size > MAX_BYTES:
                        raise MessageRefused("too_large", f"a message has at most {MAX_BYTES} bytes")
        except TimeoutError as error:
            raise MessageRefused("timeout", "the body did not come in time") from error
        except web.RequestPayloadError as error:
            raise MessageRefused("malformed", "the body is broken") from error
        return b"".join(parts)

    async def _handle(self, package: str, kind: str, data: dict[str, Any]) -> dict[str, Any]:
        answer: dict[str, Any] = await self._call(self.service.handle, package, kind, data)
        if kind == "before" and answer["id"] is not None:
            id: int = answer["id"]
            loop = asyncio.get_running_loop()
            loop.call_later(self.limits.outcome_seconds, self._give_up, package, id)
        return answer

    def _give_up(self, package: str, id: int) -> None:
        async def give_up() -> None:
            try:
                if await self._call(self.service.guard.given_up, id):
                    log.warning("%s said no word of its action %d: it counts as done", package, id)
            except Exception as error:
                log.error("the session ended with an error: %s", error)

        self._task = asyncio.ensure_future(give_up())

    def _note(self, request: web.BaseRequest, refused: MessageRefused) -> None:
        log.warning("%s %s: %s: %s", request.method, safe(request.path), refused.code, refused)

    # ------------------------------------------------------------------ WebSocket

    async def _socket(self, request: web.BaseRequest, package: str) -> web.StreamResponse:
        limits = self.limits
        socket = web.WebSocketResponse(
            timeout=2.0, heartbeat=limits.heartbeat, max_msg_size=MAX_BYTES, compress=False
        )
        if not socket.can_prepare(request).ok:
            raise MessageRefused("malformed", "this is for WebSockets (Upgrade: websocket)")
        await socket.prepare(request)
        self._sockets.add(socket)
        try:
            async for message in socket:
                if message.type is not WSMsgType.TEXT:
                    await socket.close(code=WSCloseCode.UNSUPPORTED_DATA, message=b"send JSON as text")
                    break
                answer = await self._reply(package, message.data)
                async with asyncio.timeout(limits.send_seconds):
                    await socket.send_str(json.dumps(answer))
                if answer.get("error", {}).get("code") == "too_many":
                    await socket.close(code=WSCloseCode.POLICY_VIOLATION, message=b"too many messages")
                    break
        except (TimeoutError, ConnectionError):
            log.warning("%s takes no answers: its connection is closed", package)
        finally:
            self._sockets.discard(socket)
        return socket

    async def _reply(self, package: str, text: str) -> dict[str, Any]:
        """The answer to one message of a WebSocket; `ref` of the message comes back with it."""
        ref: Any = None
        try:
            self._pass(package)
            data = read_object(text)
            ref = data.pop("ref", None)
            if not isinstance(ref, str | int | None) or (isinstance(ref, str) and len(ref) > 100):
                ref = None
                raise MessageRefused("malformed", "`ref` is a short text or a whole number", "ref")
            kind = data.pop("type", None)
            if not isinstance(kind, str):
                raise MessageRefused("malformed", f"`type` is one of {', '.join(KINDS)}", "type")
            return {"ref": ref, "ok": True, **await self._handle(package, kind, data)}
        except MessageRefused as refused:
            log.warning("%s: %s: %s", package, refused.code, refused)
            return {"ref": ref, "ok": False, **_error(refused)}
        except Exception:
            log.exception("an internal error")
            return {"ref": ref, "ok": False, **_error(MessageRefused("failed", "an internal error"))}


class _Server(web.Server):
    """Counts each connection among the strangers until its token is known."""

    def __init__(self, strangers: Strangers, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self._strangers = strangers

    def connection_made(self, handler: web.RequestHandler, transport: asyncio.Transport) -> None:
        super().connection_made(handler, transport)
        self._strangers.add(handler, transport)

    def connection_lost(self, handler: web.RequestHandler, exc: BaseException | None = None) -> None:
        self._strangers.remove(handler)
        super().connection_lost(handler, exc)


def _error(refused: MessageRefused) -> dict[str, Any]:
    return {"error": refused.to_json()}


def _respond(status: int, data: dict[str, Any], more: dict[str, str] | None = None) -> web.Response:
    response = web.Response(
        status=status,
        body=json.dumps(data).encode(),
        content_type="application/json",
        headers={**_HEADERS, **(more or {})},
    )
    response.force_close()  # one request a connection: nothing half sent stays open
    return response
