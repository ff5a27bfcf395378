"""The fleet server: HTTP for devices that send their journals and ask, and for people at the console.

Needs the extra ``server``. It listens on this machine only, unless that is asked for; encryption is a proxy's task.
"""

import asyncio
import json
import logging
import os
import threading
import time
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import Any, Final, NoReturn

from aiohttp import web
from aiohttp.hdrs import METH_ALL
from multidict import CIMultiDict

from vsalang.agents.reporting.access import Bucket, host_names, is_loopback
from vsalang.base.records import dataclass
from vsalang.base.source.locking import held
from vsalang.base.source.strict_json import no_constant, object_once
from vsalang.program.text import safe
from vsalang.tools.fleet.live.access import ACCESS_FILE, AccessFile, Holder
from vsalang.tools.fleet.live.errors import RequestRefused
from vsalang.tools.fleet.live.intake import MOST_BODY, Arrival, DeliveryRefused, Intake, Receipt
from vsalang.tools.fleet.live.intake_store import STORE_FILE, IntakeError, IntakeStore
from vsalang.tools.fleet.live.metrics import Counters, Figure, figures, metrics_text
from vsalang.tools.fleet.live.questions import AnswerRefused, Questions

log = logging.getLogger("vsalang.tools.fleet")

HEADERS: Final = {
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
_JSON: Final = CIMultiDict(
    {**HEADERS, "Content-Security-Policy": "default-src 'none'", "Content-Type": "application/json"}
)
_ASKED: Final = 200_000
"""Bytes of a question; what people cannot read whole is not asked about."""
_TOKEN: Final = 200
LOCK_FILE: Final = "server.lock"


@dataclass(frozen=True, slots=True)
class Limits:
    """What peers may take up.

    Attributes:
        rate: requests a second of one device or person, on average; `burst` at once.
        strangers: requests a second without a token that is known, of all together.
        poll_seconds: so long a question waits in one request.
        waiting: bytes of lines that may wait to be kept.
        silent: seconds after which a session of which nothing is heard counts as silent.
        device_bytes: of lines that are kept of one device.
        device_sessions: sessions that are kept of one device.
    """

    rate: float = 50.0
    burst: int = 200
    strangers: float = 5.0
    poll_seconds: float = 20.0
    waiting: int = 64_000_000
    silent: float = 30.0
    device_bytes: int = 10 * 2**30
    device_sessions: int = 100_000


@dataclass(frozen=True, slots=True)
class WorkSpan:
    """A request that was answered, or a transaction that has ended.

    Attributes:
        name: method and route of a request, such as ``POST /v1/journal/{session}``.
        began, ended: in nanoseconds since 1970.
        attributes: numbers and texts that name nobody.
        headers: of a request: it may say to which trace it belongs.
        failed: whether an internal error ended it.
        server: whether it is a request.
    """

    name: str
    began: int
    ended: int
    attributes: Mapping[str, int | str]
    headers: Mapping[str, str]
    failed: bool = False
    server: bool = True


class FleetServer:
    """One server, in the event loop that calls `start`.

    Args:
        folder: where it keeps everything; it belongs to this user alone.
        host: where to listen.
        port: 0: any that is free.
        expose: allow a host that other machines can reach. Nothing is encrypted.
        hosts: further names by which it may be called (``Host``).
        limits: what peers may take up.

    Attributes:
        listeners: hear what was kept.
        observers: hear of each request that was answered, and of each transaction.
        background: what runs while it listens.
        closers: are called when it stops.
        routes: what it answers.
        names: the values of ``Host`` that mean this server.
        counters: of requests.

    Raises:
        ValueError: the host is not this machine, and `expose` is not set.
        AccessError: the file of tokens cannot be used.
        IntakeError: what is kept cannot be read.
    """

    def __init__(
        self,
        folder: Path,
        *,
        host: str = "127.0.0.1",
        port: int = 0,
        expose: bool = False,
        hosts: Iterable[str] = (),
        limits: Limits | None = None,
    ) -> None:
        if not expose and not is_loopback(host):
            raise ValueError(
                f"{host} is not this machine alone: say that the server is to be exposed (--expose)"
            )
        self.folder, self.host, self.port = folder, host, port
        self.limits = limits or Limits()
        self.store = IntakeStore(folder / STORE_FILE)
        self.access = AccessFile(folder / ACCESS_FILE)
        self.questions = Questions()
        self.listeners: list[Callable[[Arrival], None]] = []
        self.observers: list[Callable[[WorkSpan], None]] = []
        self.counters = Counters()
        quota = (self.limits.device_bytes, self.limits.device_sessions)
        self.intake = Intake(self.store, self._arrived, self.limits.waiting, self._committed, quota)
        self.began = time.monotonic()
        self._more_hosts = tuple(hosts)
        self.names: frozenset[str] = frozenset()
        self._buckets: dict[str, Bucket] = {}
        self._strangers = Bucket(self.limits.strangers, int(4 * self.limits.strangers))
        self._runner: web.AppRunner | None = None
        self._tasks: list[asyncio.Task[None]] = []
        self._held = -1
        self.background: list[Callable[[], Any]] = []
        self.closers: list[Callable[[], None]] = []
        self.routes: list[web.AbstractRouteDef] = [
            web.post("/v1/journal/{session}", self._journal),
            web.post("/v1/ask/{session}", self._ask),
            web.post("/v1/withdraw/{session}", self._withdraw),
            web.get("/health", self._health),
            web.get("/metrics", self._metrics),
        ]

    @property
    def url(self) -> str:
        """Where it is."""
        return f"http://{f'[{self.host}]' if ':' in self.host else self.host}:{self.port}"

    async def start(self) -> None:
        """Listen. Raises OSError if the port is taken, `IntakeError` if another server uses the folder."""
        try:
            self._held = held(self.folder / LOCK_FILE, 0.0)
        except TimeoutError as error:
            raise IntakeError(f"another server uses {self.folder}: each has a folder of its own") from error
        app = web.Application(middlewares=[self._guarded], client_max_size=MOST_BODY)
        app.add_routes(self.routes)
        self._runner = web.AppRunner(
            app,
            access_log=None,
            auto_decompress=False,
            keepalive_timeout=75.0,
            max_line_size=4096,
            max_field_size=4096,
            logger=log,
            shutdown_timeout=0.3,
        )
        await self._runner.setup()
        site = web.TCPSite(self._runner, self.host, self.port, backlog=2048)
        await site.start()
        assert self._runner.addresses
        self.port = self._runner.addresses[0][1]
        self.names = host_names(self.host, self.port) | names_of_proxy(self._more_hosts)
        for work in (self.intake.run, *self.background):
            self._tasks.append(asyncio.create_task(work()))

    async def stop(self) -> None:
        """Answer what was asked, and let everything go. May be called twice."""
        if self._runner is not None:
            await self._runner.cleanup()
            self._runner = None
        for task in self._tasks:
            task.cancel()
        for task in self._tasks:
            with suppress(asyncio.CancelledError, Exception):
                await task
        self._tasks.clear()
        self.intake.close()
        for close in (*self.closers, self.store.close):
            close()
        if self._held >= 0:
            os.close(self._held)
            self._held = -1

    @asynccontextmanager
    async def serving(self) -> AsyncIterator["FleetServer"]:
        """It listens inside of the block."""
        try:
            await self.start()
            yield self
        finally:
            await self.stop()

    # ------------------------------------------------------------------ every request

    @web.middleware
    async def _guarded(
        self, request: web.Request, handler: Callable[[web.Request], Any]
    ) -> web.StreamResponse:
        self.counters.requests += 1
        if not self.observers:
            return await self._answered(request, handler)
        began = time.time_ns()
        response = await self._answered(request, handler)
        resource = request.match_info.route.resource
        method = request.method if request.method in METH_ALL else "_OTHER"  # strangers name no spans
        name = f"{method} {resource.canonical if resource is not None else 'unknown'}"
        attributes: dict[str, int | str] = {
            "http.request.method": method,
            "http.response.status_code": response.status,
        }
        self._observed(
            WorkSpan(name, began, time.time_ns(), attributes, request.headers, response.status >= 500)
        )
        return response

    async def _answered(
        self, request: web.Request, handler: Callable[[web.Request], Any]
    ) -> web.StreamResponse:
        try:
            named = request.headers.getall("Host", [])
            if len(named) != 1 or named[0].lower() not in self.names:
                raise RequestRefused("forbidden", "this server is not called by that name (Host)")
            response: web.StreamResponse = await handler(request)
        except RequestRefused as refused:
            self.counters.refused += 1
            log.info("%s %s: %s: %s", request.method, safe(request.path), refused.code, refused)
            return respond(refused.to_json(), refused.status)
        except web.HTTPException as error:
            self.counters.refused += 1
            code = {404: "not_found", 405: "wrong_method", 413: "too_large"}.get(error.status, "invalid")
            return respond(RequestRefused(code, error.reason).to_json(), error.status)
        except (asyncio.CancelledError, ConnectionError):
            raise
        except Exception:
            self.counters.failed += 1
            log.exception("an internal error")
            return respond(RequestRefused("unkept", "an internal error; nothing was done").to_json(), 500)
        return response

    def device(self, request: web.Request) -> Holder:
        """The device that a request comes from. Raises `RequestRefused`."""
        if "Origin" in request.headers or "Cookie" in request.headers:
            raise RequestRefused("forbidden", "pages of browsers do not speak for devices")
        holder = self.holder_of(bearer(request))
        if holder is None or holder.role is not None:
            self.stranger()
        self.take(holder.name)
        return holder

    def holder_of(self, token: str) -> Holder | None:
        """Who holds a token now."""
        return self.access.refresh().holder(token) if 0 < len(token) <= _TOKEN else None

    def stranger(self) -> NoReturn:
        """Refuse a request without a token that is known. Raises `RequestRefused`."""
        if not self._strangers.take():
            raise RequestRefused("too_many", "too many requests without a token that is known")
        raise RequestRefused(
            "unauthorized",
            "give a token that this server knows, a device's for journals, a person's for the rest",
        )

    def take(self, name: str) -> None:
        """Count a request of somebody. Raises `RequestRefused`: there are too many."""
        bucket = self._buckets.get(name)
        if bucket is None:
            bucket = self._buckets[name] = Bucket(self.limits.rate, self.limits.burst)
        if not bucket.take():
            raise RequestRefused("too_many", f"more than {self.limits.rate:g} requests a second")

    # ------------------------------------------------------------------ devices

    async def _journal(self, request: web.Request) -> web.StreamResponse:
        device = self.device(request)
        began = time.perf_counter()
        try:
            receipt = await self.intake.accept(device, request.match_info["session"], await body_of(request))
        except DeliveryRefused as refused:
            raise RequestRefused(
                refused.code, str(refused), number=refused.number, head=refused.head
            ) from refused
        self.counters.took(time.perf_counter() - began)
        return respond(_receipt(receipt))

    async def _ask(self, request: web.Request) -> web.StreamResponse:
        """Put a question, and wait for its outcome for a while; asked again, it waits again."""
        device = self.device(request)
        data = read_json(await body_of(request, _ASKED))
        question, left = data.get("question"), data.get("left")
        summary = self.intake.sessions.get((device.tenant, request.match_info["session"]))
        if summary is None or summary.device != device.name:
            raise RequestRefused("not_found", "there is no such session")
        if not isinstance(question, dict) or not isinstance(left, int | float) or summary.ending:
            raise RequestRefused("invalid", "this is not a question, or the session is being ended")
        try:
            asked = self.questions.ask(device.tenant, summary.session, device.name, question, left)
            self._arrived(Arrival(summary, (), ()))
            outcome = await self.questions.outcome(asked, self.limits.poll_seconds)
        except AnswerRefused as refused:
            raise RequestRefused(refused.code, str(refused)) from refused
        if outcome:
            self._arrived(Arrival(summary, (), ()))
        return respond({"hash": asked.hash, "answer": outcome, "screen": asked.screen})

    async def _withdraw(self, request: web.Request) -> web.StreamResponse:
        """A guard does not wait for the answer to a question any more."""
        device = self.device(request)
        name = read_json(await body_of(request, _ASKED)).get("question")
        summary = self.intake.sessions.get((device.tenant, request.match_info["session"]))
        if summary is None or summary.device != device.name or not isinstance(name, str) or not name:
            raise RequestRefused("not_found", "there is no such question")
        self.questions.withdraw(device.tenant, summary.session, name)
        self._arrived(Arrival(summary, (), ()))
        return respond({"question": name})

    # ------------------------------------------------------------------ operations

    async def _health(self, request: web.Request) -> web.StreamResponse:
        """Whether it works: what is sent is kept. Needs no token, and tells nothing of anybody."""
        waiting = self.intake.waiting
        good = waiting <= self.limits.waiting // 2 and not any(task.done() for task in self._tasks)
        return respond({"status": "ok" if good else "overloaded", "waiting": waiting}, 200 if good else 503)

    async def _metrics(self, request: web.Request) -> web.StreamResponse:
        """Prometheus' text format, for a person's token that may see all tenants."""
        holder = self.holder_of(bearer(request))
        if holder is None or not holder.may("see") or holder.tenant != "*":
            self.stranger()
        up = time.monotonic() - self.began
        text = metrics_text(self.counters, self.intake, self.questions, up)
        return web.Response(text=text, headers=HEADERS, content_type="text/plain", charset="utf-8")

    def figures(self) -> tuple[Figure, ...]:
        """What is counted, now."""
        return figures(self.counters, self.intake, self.questions, time.monotonic() - self.began)

    def _committed(self, began: int, deliveries: int, size: int, failed: bool) -> None:
        if self.observers:
            attributes: dict[str, int | str] = {"vsalang.deliveries": deliveries, "vsalang.bytes": size}
            self._observed(WorkSpan("keep", began, time.time_ns(), attributes, {}, failed, server=False))

    def _observed(self, what: WorkSpan) -> None:
        for observer in self.observers:
            observer(what)

    def _arrived(self, arrival: Arrival) -> None:
        if arrival.summary.over:
            self.questions.withdraw(*arrival.summary.key)
        for listener in self.listeners:
            listener(arrival)


def names_of_proxy(hosts: Iterable[str]) -> frozenset[str]:
    """The values of ``Host`` for names under which a proxy is reached: with the port, which browsers leave out if it is
    the usual one."""
    names = {name.lower() for name in hosts}
    usual = {name.rpartition(":")[0] for name in names if name.endswith((":443", ":80"))}
    return frozenset(names | usual)


def bearer(request: web.BaseRequest) -> str:
    """The token of a request; empty: it gives none, or more than one."""
    headers = request.headers.getall("Authorization", [])
    scheme, _, token = headers[0].partition(" ") if len(headers) == 1 else ("", "", "")
    return token.strip() if scheme.lower() == "bearer" else ""


async def body_of(request: web.Request, most: int = MOST_BODY) -> bytes:
    """The body of a request. Raises `RequestRefused`: it is too long, or compressed."""
    if "Content-Encoding" in request.headers:
        raise RequestRefused("invalid", "a body is sent as it is, without Content-Encoding")
    if (request.content_length or 0) > most:
        raise RequestRefused("too_large", f"a body has at most {most} bytes")
    try:
        if request.content.is_eof():  # all of it has come
            body = await request.content.read()
        else:
            async with asyncio.timeout(30.0):
                body = await _read(request, most)
    except TimeoutError as error:
        raise RequestRefused("invalid", "the body did not come in time") from error
    if len(body) > most:
        raise RequestRefused("too_large", f"a body has at most {most} bytes")
    return body


async def _read(request: web.Request, most: int) -> bytes:
    """A body, or a little more of it than it may be long."""
    parts, size = [], 0
    async for part in request.content.iter_any():
        parts.append(part)
        size += len(part)
        if size > most:
            break
    return b"".join(parts)


def read_json(body: bytes) -> dict[str, Any]:
    """An object of JSON in which each name stands once. Raises `RequestRefused`."""
    try:
        data = json.loads(body, object_pairs_hook=object_once, parse_constant=no_constant)
    except (ValueError, RecursionError) as error:
        raise RequestRefused("invalid", f"the body is not JSON: {error}") from error
    if not isinstance(data, dict):
        raise RequestRefused("invalid", "the body is not an object")
    return data


def respond(data: object, status: int = 200) -> web.Response:
    """An answer in JSON."""
    body = json.dumps(data, ensure_ascii=True).encode()
    return web.Response(body=body, status=status, headers=_JSON.copy())


def _receipt(receipt: Receipt) -> dict[str, Any]:
    end = {"end": receipt.ending} if receipt.ending else {}
    return {"number": receipt.number, "head": receipt.head, **end}


@contextmanager
def running(make: Callable[[], FleetServer]) -> Iterator[FleetServer]:
    """A server that listens in a thread of its own inside of the block.

    Args:
        make: makes it, in that thread.

    Raises:
        Exception: what making or starting it raises.
    """
    loop = asyncio.new_event_loop()
    stopped = asyncio.Event()
    ready = threading.Event()
    result: list[FleetServer | BaseException] = []

    async def serve() -> None:
        try:
            server = make()
            async with server.serving():
                result.append(server)
                ready.set()
                await stopped.wait()
        except BaseException as error:
            result.append(error)
            ready.set()

    thread = threading.Thread(target=loop.run_until_complete, args=(serve(),), daemon=True, name="fleet")
    thread.start()
    ready.wait()
    first = result[0]
    if isinstance(first, BaseException):
        thread.join()
        loop.close()
        raise first
    try:
        yield first
    finally:
        loop.call_soon_threadsafe(stopped.set)
        thread.join()
        loop.close()
