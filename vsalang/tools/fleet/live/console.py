"""The console of a fleet server: pages, what they ask for, and the few things that people may do there.

Nothing here can allow an action: an answer to a question is handed to the guard that asked, which compares it with what
it asked, and takes it once, in time, if its owner named this server.
"""

import asyncio
from collections import Counter, OrderedDict
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qs

from aiohttp import web

from vsalang.base.source.opening import read_regular
from vsalang.guard.journal import JournalError
from vsalang.program.text import line
from vsalang.tools.fleet.live.access import EVERY_TENANT, AccessError, Holder, changing, write_access
from vsalang.tools.fleet.live.errors import RequestRefused
from vsalang.tools.fleet.live.events import EventHub
from vsalang.tools.fleet.live.intake import DeliveryRefused
from vsalang.tools.fleet.live.intake_store import FILTERS
from vsalang.tools.fleet.live.questions import AnswerRefused, OpenQuestion
from vsalang.tools.fleet.live.server import HEADERS, FleetServer, body_of, read_json, respond
from vsalang.tools.fleet.live.session_summary import SessionSummary
from vsalang.tools.fleet.live.session_view import SessionView
from vsalang.tools.fleet.live.trail import TRAIL_FILE, Trail
from vsalang.tools.fleet.live.visits import COOKIE, SECONDS, Visits

POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
)
_PAGE: Final = Path(__file__).with_name("page")
_KINDS: Final = {"html": "text/html", "css": "text/css", "js": "text/javascript"}
_BODY: Final = 4096
_VIEWS: Final = 16
_REASON: Final = 300


class Console:
    """The console of a server: made before it starts.

    Attributes:
        trail: of what people do.
        events: tell the pages what changes.

    Args:
        server: its routes are added to.
        trail_head: as of `Trail`.

    Raises:
        JournalError: the trail was changed, or another server writes it.
    """

    def __init__(self, server: FleetServer, trail_head: str | None = None) -> None:
        self.server = server
        self.trail = Trail(server.folder / TRAIL_FILE, trail_head)
        self.visits = Visits(server)
        self.events = EventHub(server)
        self._views: OrderedDict[tuple[str, str], SessionView] = OrderedDict()
        server.closers.append(self.trail.close)
        server.background.append(self.events.run)
        server.listeners.append(self.events.arrived)
        server.routes += [
            web.get("/", self._index),
            web.get("/login.css", self._public),
            web.get("/console.css", self._asset),
            web.get("/console.js", self._asset),
            web.get("/drawing.js", self._asset),
            web.post("/login", self._login),
            web.post("/logout", self._logout),
            web.get("/api/me", self._me),
            web.get("/api/events", self._stream),
            web.get("/api/session/{tenant}/{session}", self._session),
            web.get("/api/step/{tenant}/{session}/{line}", self._step),
            web.get("/api/map/{tenant}/{session}", self._map),
            web.get("/api/question/{tenant}/{hash}", self._question),
            web.get("/api/alarms", self._alarms),
            web.get("/api/figures", self._figures),
            web.get("/api/trail", self._trail),
            web.post("/api/answer", self._answer),
            web.post("/api/end", self._end),
            web.post("/api/revoke", self._revoke),
        ]

    # ------------------------------------------------------------------ pages

    async def _index(self, request: web.Request) -> web.StreamResponse:
        """The console; without a person's cookie only the field for a token."""
        if self.visits.visit(request) is None:
            return _page("login.html", 401)
        return _page("index.html")

    async def _public(self, request: web.Request) -> web.StreamResponse:
        return _page("login.css")

    async def _asset(self, request: web.Request) -> web.StreamResponse:
        if self.visits.visit(request) is None:
            self.server.stranger()
        return _page(request.path.removeprefix("/"))

    async def _login(self, request: web.Request) -> web.StreamResponse:
        self.visits.same_site(request)
        if request.content_type != "application/x-www-form-urlencoded":
            raise RequestRefused("invalid", "a form is expected")
        form = parse_qs((await body_of(request, _BODY)).decode("utf-8", "replace"))
        try:
            cookie, holder = self.visits.enter(form.get("token", [""])[0].strip())
        except RequestRefused as refused:
            if refused.code != "unauthorized":
                raise
            return _page("login.html", 401)
        await self._record("login", holder, {"tenant": holder.tenant})
        response = web.Response(status=303, headers={**HEADERS, "Location": "/"})
        secure = request.headers.get("X-Forwarded-Proto") == "https"
        response.set_cookie(
            COOKIE, cookie, max_age=int(SECONDS), httponly=True, samesite="Strict", path="/", secure=secure
        )
        return response

    async def _logout(self, request: web.Request) -> web.StreamResponse:
        self.visits.person(request)
        self.visits.leave(request)
        return respond({})

    # ------------------------------------------------------------------ looking

    async def _me(self, request: web.Request) -> web.StreamResponse:
        person = self.visits.person(request)
        known = self.visits.visit(request)
        return respond(
            {
                "name": person.name,
                "role": person.role,
                "tenant": person.tenant,
                "csrf": known[0].csrf if known is not None else "",
            }
        )

    async def _stream(self, request: web.Request) -> web.StreamResponse:
        person = self.visits.person(request)
        return await self.events.stream(request, person, lambda: self.visits.still(request, person))

    async def _session(self, request: web.Request) -> web.StreamResponse:
        summary, view = await self._viewed(request)
        before = _number(request.query.get("before", "0"))
        steps = await self._read(view.steps, before)
        return respond({"summary": self.events.rows([summary])[0], "alarms": self._of(summary), **steps})

    async def _step(self, request: web.Request) -> web.StreamResponse:
        _, view = await self._viewed(request)
        try:
            return respond(await self._read(view.step, _number(request.match_info["line"])))
        except KeyError as error:
            raise RequestRefused("not_found", "there is no such step") from error

    async def _map(self, request: web.Request) -> web.StreamResponse:
        _, view = await self._viewed(request)
        return respond(await self._read(view.map))

    async def _question(self, request: web.Request) -> web.StreamResponse:
        """A question with the screen that it is about."""
        person = self.visits.person(request)
        question = self._open(request.match_info["tenant"], person, request.match_info["hash"])
        view = await self._view(self._summary(question.tenant, question.session, person))
        screen = await self._read(view.at_screen, question.screen)
        return respond({**question.to_json(), "tenant": question.tenant, **screen})

    async def _alarms(self, request: web.Request) -> web.StreamResponse:
        person = self.visits.person(request)
        query = request.query
        filters = {name: query.get(name, "")[:200] for name in FILTERS}
        rows = await self._aside(
            lambda: self.server.store.alarms(
                person.tenant,
                filters,
                text=query.get("text", "")[:200],
                before=_number(query.get("before", "0")),
            )
        )
        return respond({"alarms": rows})

    async def _figures(self, request: web.Request) -> web.StreamResponse:
        tenant = self.visits.person(request).tenant
        sessions = [
            each for each in self.server.intake.sessions.values() if tenant in (EVERY_TENANT, each.tenant)
        ]
        levels: Counter[str] = Counter()
        for each in sessions:
            levels.update(each.levels)
        columns = ("rule", "category", "effect", "app", "device", "kind")
        counts = await self._aside(
            lambda: {name: self.server.store.alarm_counts(tenant, name) for name in columns}
        )
        return respond(
            {
                "sessions": Counter(self.events.state(each) for each in sessions),
                "steps": sum(each.steps for each in sessions),
                "levels": levels,
                "alarms": counts,
                "questions": sum(each.open for each in self.server.questions.all(tenant)),
            }
        )

    async def _trail(self, request: web.Request) -> web.StreamResponse:
        person = self.visits.person(request, "administer")
        holders = [
            {"name": one.name, "tenant": one.tenant, "role": one.role}
            for one in self.server.access.refresh().holders
            if person.tenant in (EVERY_TENANT, one.tenant)
        ]
        return respond(
            {"trail": self.trail.newest(person.tenant), "head": self.trail.head, "holders": holders}
        )

    # ------------------------------------------------------------------ doing

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        """Answer a question: once, in time, about the screen that was shown."""
        person = self.visits.person(request, "approve")
        data = await _data(request, "tenant", "question", "screen", "answer")
        if data["answer"] not in ("yes", "no"):
            raise RequestRefused("invalid", "an answer is yes or no")
        question = self._open(data["tenant"], person, data["question"])
        agreed = data["answer"] == "yes"
        summary = self.server.intake.sessions.get((question.tenant, question.session))
        try:
            self.server.questions.check(question, data["screen"])
            seen = summary is not None and summary.fingerprint == question.screen != ""
            if agreed and not seen:
                raise RequestRefused(
                    "unseen", "the screen that this is about has not arrived: it can only be refused"
                )
            with self.server.questions.claimed(question, person.name):
                about = {
                    "tenant": question.tenant,
                    "session": question.session,
                    "device": question.device,
                    "question": question.hash,
                    "screen": question.screen,
                    "answer": data["answer"],
                    "proposal": line(str(_verdict(question).get("proposal", "")), 300),
                }
                await self._record("answer", person, about)
                try:
                    self.server.questions.answer(question, agreed, person.name)
                except AnswerRefused:
                    await self._record("late", person, about)
                    raise
        except AnswerRefused as refused:
            raise RequestRefused(refused.code, str(refused)) from refused
        self.events.asked()
        return respond({"question": question.hash, "answer": data["answer"], "by": person.name})

    async def _end(self, request: web.Request) -> web.StreamResponse:
        """Have a session ended."""
        person = self.visits.person(request, "approve")
        data = await _data(request, "tenant", "session", "reason")
        summary = self._summary(data["tenant"], data["session"], person)
        reason = line(data["reason"], _REASON)
        about = {"tenant": summary.tenant, "session": summary.session, "device": summary.device}
        await self._record("end", person, {**about, "reason": reason})
        try:
            await self.server.intake.end(summary.key, f"{person.name}: {reason}")
        except DeliveryRefused as refused:
            raise RequestRefused(refused.code, str(refused)) from refused
        self.server.questions.withdraw(*summary.key)
        return respond({"ending": True})

    async def _revoke(self, request: web.Request) -> web.StreamResponse:
        """End somebody's token."""
        person = self.visits.person(request, "administer")
        data = await _data(request, "name")
        path = self.server.access.path
        holder = self.server.access.refresh().named(data["name"])
        if holder is None or person.tenant not in (EVERY_TENANT, holder.tenant):
            raise RequestRefused("not_found", "there is nobody of that name")
        await self._record("revoke", person, {"tenant": holder.tenant, "name": holder.name})
        try:
            await self._aside(_revoke, path, holder.name)
        except (AccessError, OSError) as error:
            raise RequestRefused("unkept", f"the tokens could not be written: {error}") from error
        return respond({"revoked": holder.name})

    # ------------------------------------------------------------------ how

    async def _record(self, kind: str, person: Holder, data: Mapping[str, Any]) -> None:
        """Add a line to the trail. Raises `RequestRefused`: what cannot be recorded may not happen."""
        try:
            await self._aside(self.trail.write, kind, person.name, data)
        except JournalError as error:
            raise RequestRefused("unkept", f"nothing was done: {error}") from error

    async def _viewed(self, request: web.Request) -> tuple[SessionSummary, SessionView]:
        person = self.visits.person(request)
        summary = self._summary(request.match_info["tenant"], request.match_info["session"], person)
        return summary, await self._view(summary)

    async def _view(self, summary: SessionSummary) -> SessionView:
        """The view of a session as it is kept now."""
        tenant, session = key = summary.key
        view = self._views.get(key)
        if view is None or view.number != summary.number:
            view = await self._read(
                lambda: SessionView(session[:16], self.server.store.lines(tenant, session))
            )
            self._views[key] = view
        self._views.move_to_end(key)
        while len(self._views) > _VIEWS:
            self._views.popitem(last=False)
        return view

    async def _read(self, function: Any, *args: Any) -> Any:
        """Run what reads a session. Raises `RequestRefused`: it is not one that can be shown."""
        try:
            return await self._aside(function, *args)
        except JournalError as error:
            raise RequestRefused(
                "unknown", f"the session cannot be shown: {line(str(error), 300)}"
            ) from error

    async def _aside(self, function: Any, *args: Any) -> Any:
        """Run what takes time next to the event loop."""
        return await asyncio.get_running_loop().run_in_executor(None, function, *args)

    def _summary(self, tenant: str, session: str, person: Holder) -> SessionSummary:
        """A session that a person may see. Raises `RequestRefused`."""
        summary = self.server.intake.sessions.get((tenant, session)) or self.server.store.summary(
            tenant, session
        )
        if summary is None or person.tenant not in (EVERY_TENANT, tenant):
            raise RequestRefused("not_found", "there is no such session")
        return summary

    def _open(self, tenant: str, person: Holder, name: str) -> OpenQuestion:
        """A question that a person may see. Raises `RequestRefused`."""
        question = self.server.questions.find(tenant, name)
        if question is None or person.tenant not in (EVERY_TENANT, tenant):
            raise RequestRefused("unknown", "there is no such question")
        return question

    def _of(self, summary: SessionSummary) -> list[dict[str, Any]]:
        return self.server.store.alarms(summary.tenant, {"session": summary.session}, most=100)


def _revoke(path: Path, name: str) -> None:
    """End a token. Raises `AccessError`, `OSError`."""
    with changing(path) as access:
        write_access(path, access.without(name))


def _verdict(question: OpenQuestion) -> Mapping[str, Any]:
    verdict = question.document.get("verdict")
    return verdict if isinstance(verdict, Mapping) else {}


async def _data(request: web.Request, *names: str) -> dict[str, str]:
    """The texts of a change. Raises `RequestRefused`."""
    if request.content_type != "application/json":
        raise RequestRefused("invalid", "JSON is expected")
    data = read_json(await body_of(request, _BODY))
    if set(data) != set(names) or not all(isinstance(text, str) for text in data.values()):
        raise RequestRefused("invalid", f"an object with these texts is expected: {', '.join(names)}")
    return data


def _number(text: str) -> int:
    """A number of a request. Raises `RequestRefused`."""
    if not (text.isascii() and text.isdecimal() and len(text) < 12):
        raise RequestRefused("invalid", "a number is expected")
    return int(text)


@cache
def _content(name: str) -> bytes:
    return read_regular(_PAGE / name, 1_000_000)


def _page(name: str, status: int = 200) -> web.Response:
    headers = {**HEADERS, "Content-Security-Policy": POLICY}
    kind = _KINDS[name.rpartition(".")[2]]
    return web.Response(
        body=_content(name), status=status, headers=headers, content_type=kind, charset="utf-8"
    )
