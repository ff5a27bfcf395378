"""What changes, as server-sent events for the console: at most a few times a second, each session once.

A page that reads slowly gets fewer, newer rows: what waits for it is a set of sessions, not a queue of changes.
"""

import asyncio
import json
import time
from collections.abc import Callable, Iterable
from operator import attrgetter
from typing import Any, Final

from aiohttp import web

from vsalang.tools.fleet.live.access import EVERY_TENANT, Holder
from vsalang.tools.fleet.live.intake import Arrival
from vsalang.tools.fleet.live.server import HEADERS, FleetServer
from vsalang.tools.fleet.live.session_summary import SessionSummary

TICK: Final = 0.2
"""Seconds between two messages to a page."""
_ALIVE: Final = 10.0
_SEND: Final = 10.0
_ALARMS: Final = 50
_PAGES: Final = 100
_PAGES_OF_ONE: Final = 20

COLUMNS: Final = (
    "tenant", "session", "device", "state", "spec", "app", "steps", "level", "action", "alarms", "asking", "at",
    "begun", "number", "levels", "screens", "hint", "phone", "mode", "ending",
)  # fmt: skip
"""What a row of a session holds, in order."""
_ASKING: Final = COLUMNS.index("asking")
_STATE: Final = COLUMNS.index("state")
_SCREENS: Final = COLUMNS.index("screens")
_VALUES: Final = attrgetter(*("over" if name == "asking" else name for name in COLUMNS))


class _Page:
    """One open page: which sessions it has not been told of."""

    def __init__(self, person: Holder) -> None:
        self.name, self.tenant = person.name, person.tenant
        self.changed: set[tuple[str, str]] = set()
        self.alarms: list[dict[str, Any]] = []
        self.questions = True

    def sees(self, tenant: str) -> bool:
        return self.tenant in (EVERY_TENANT, tenant)


class EventHub:
    """Tells all open pages of a server what changed."""

    def __init__(self, server: FleetServer) -> None:
        self._server = server
        self._pages: set[_Page] = set()
        self._states: dict[tuple[str, str], str] = {}

    def state(self, summary: SessionSummary) -> str:
        """The state of a session now: ``silent``, if it runs and nothing is heard of it."""
        heard = self._server.intake.heard.get(summary.key, self._server.began)
        if not summary.over and time.monotonic() - heard > self._server.limits.silent:
            return "silent"
        return "ending" if summary.ending and not summary.over else summary.state

    def rows(self, summaries: Iterable[SessionSummary]) -> list[list[Any]]:
        """Sessions for the list, by `COLUMNS`."""
        asking = {
            (each.tenant, each.session) for each in self._server.questions.all(EVERY_TENANT) if each.open
        }
        return [self._row(summary, summary.key in asking) for summary in summaries]

    def _row(self, summary: SessionSummary, asking: bool) -> list[Any]:
        row = list(_VALUES(summary))
        row[_STATE], row[_ASKING], row[_SCREENS] = self.state(summary), asking, ", ".join(summary.screens)
        return row

    def arrived(self, arrival: Arrival) -> None:
        """Something was kept."""
        summary = arrival.summary
        for page in self._pages:
            if page.sees(summary.tenant):
                if summary.session:
                    page.changed.add(summary.key)
                page.questions |= not arrival.records
                if arrival.alarms and len(page.alarms) < _ALARMS:
                    about = {"tenant": summary.tenant, "session": summary.session, "device": summary.device}
                    page.alarms += [
                        {**about, "level": one.level, "kind": one.kind, "rule": one.rule, "text": one.text,
                         "at": one.at, "number": one.number, "category": one.category,
                         "effect": one.effect, "app": one.app}
                        for one in arrival.alarms
                    ]  # fmt: skip

    def asked(self) -> None:
        """A question was put or answered."""
        for page in self._pages:
            page.questions = True

    async def run(self) -> None:
        """Notice what changes without a word: sessions that fall silent, questions that are too late."""
        while True:
            await asyncio.sleep(1.0)
            if not self._pages:
                continue
            for key, summary in self._server.intake.sessions.items():
                state = self.state(summary)
                if self._states.get(key) != state:
                    self._states[key] = state
                    for page in self._pages:
                        if page.sees(summary.tenant):
                            page.changed.add(key)
            for question in self._server.questions.all(EVERY_TENANT):
                if not question.outcome and not question.open:
                    question.expire()
                    self.asked()

    async def stream(
        self, request: web.Request, person: Holder, still: Callable[[], bool]
    ) -> web.StreamResponse:
        """Tell one page of everything, until it goes.

        Args:
            person: whose page it is.
            still: whether they may still see it.
        """
        response = web.StreamResponse(headers={**HEADERS, "Content-Type": "text/event-stream; charset=utf-8"})
        theirs = sum(page.name == person.name for page in self._pages)
        if len(self._pages) >= _PAGES or theirs >= _PAGES_OF_ONE:
            response.set_status(503)
            await response.prepare(request)
            return response
        await response.prepare(request)
        page = _Page(person)
        sessions = self._server.intake.sessions
        page.changed = {key for key in sessions if page.sees(key[0])}
        self._pages.add(page)
        alive = 0.0
        try:
            await self._send(response, "columns", list(COLUMNS))
            while still():
                now = time.monotonic()
                if page.changed:
                    changed, page.changed = page.changed, set()
                    # one that is over may not be held any more
                    held = [sessions[key] for key in changed if key in sessions]
                    await self._send(response, "sessions", self.rows(held))
                    alive = now
                if page.alarms:
                    alarms, page.alarms = page.alarms, []
                    await self._send(response, "alarms", alarms)
                if page.questions:
                    page.questions = False
                    asked = [
                        {**each.to_json(), "tenant": each.tenant, "reasons": []}
                        for each in self._server.questions.all(page.tenant)
                        if each.open
                    ]
                    await self._send(response, "questions", asked)
                if now - alive > _ALIVE:
                    await self._send(response, "alive", None)
                    alive = now
                await asyncio.sleep(TICK)
            await self._send(response, "leave", None)
        except (TimeoutError, ConnectionError):
            pass  # the page has gone, or reads nothing
        finally:
            self._pages.discard(page)
        return response

    async def _send(self, response: web.StreamResponse, kind: str, data: object) -> None:
        text = json.dumps(data, ensure_ascii=True, separators=(",", ":"))
        async with asyncio.timeout(_SEND):
            await response.write(f"event: {kind}\ndata: {text}\n\n".encode())
