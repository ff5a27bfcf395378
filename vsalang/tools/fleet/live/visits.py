"""People at the console: who has logged in, with a cookie that scripts cannot read and other sites do not send."""

import hmac
import secrets
import time
from collections.abc import Callable
from typing import Final

from aiohttp import web

from vsalang.base.records import dataclass
from vsalang.tools.fleet.live.access import Holder, Role
from vsalang.tools.fleet.live.errors import RequestRefused
from vsalang.tools.fleet.live.server import FleetServer, bearer

COOKIE: Final = "vsac_fleet"
CSRF: Final = "X-Fleet-Token"
SECONDS: Final = 12 * 3600.0
"""So long a person need not give the token again."""
_MOST: Final = 1000


@dataclass(frozen=True, slots=True)
class Visit:
    """A person who has logged in.

    Attributes:
        hash: of the token that they gave: it must still be theirs.
        csrf: what pages of this server send with each change, and other sites do not know.
        until: when they must log in again, by the monotonic clock.
    """

    name: str
    hash: str
    csrf: str
    until: float


class Visits:
    """Everybody who has logged in at a server."""

    def __init__(self, server: FleetServer, clock: Callable[[], float] = time.monotonic) -> None:
        self._server = server
        self._clock = clock
        self._visits: dict[str, Visit] = {}

    def enter(self, token: str) -> tuple[str, Holder]:
        """The value of the cookie for a person's token, and who they are. Raises `RequestRefused`."""
        holder = self._server.holder_of(token)
        if holder is None or holder.role is None:
            self._server.stranger()
        self._server.take(holder.name)
        now = self._clock()
        self._visits = {name: visit for name, visit in self._visits.items() if visit.until > now}
        if len(self._visits) >= _MOST:
            del self._visits[next(iter(self._visits))]
        cookie = secrets.token_urlsafe(32)
        self._visits[cookie] = Visit(holder.name, holder.hash, secrets.token_urlsafe(32), now + SECONDS)
        return cookie, holder

    def leave(self, request: web.Request) -> None:
        """Forget who sent a request."""
        self._visits.pop(request.cookies.get(COOKIE, ""), None)

    def visit(self, request: web.Request) -> tuple[Visit, Holder] | None:
        """Whose request it is by its cookie; None: nobody's who has a token now."""
        visit = self._visits.get(request.cookies.get(COOKIE, ""))
        if visit is None or visit.until <= self._clock():
            return None
        holder = self._server.access.refresh().named(visit.name)
        return (visit, holder) if holder is not None and holder.hash == visit.hash else None

    def person(self, request: web.Request, role: Role = "see") -> Holder:
        """The person that a request comes from, who may do what a role may.

        Raises:
            RequestRefused: nobody is known, they may not, or they send too much.
        """
        if token := bearer(request):
            holder = self._server.holder_of(token)
            if holder is None or holder.role is None or "Origin" in request.headers:
                self._server.stranger()
        else:
            known = self.visit(request)
            if known is None:
                self._server.stranger()
            visit, holder = known
            if request.method != "GET":
                self.same_site(request)
                sent = request.headers.get(CSRF, "")
                if not hmac.compare_digest(sent.encode("utf-8", "replace"), visit.csrf.encode()):
                    raise RequestRefused("forbidden", "the page is an old one: load it again")
        self._server.take(holder.name)
        if not holder.may(role):
            raise RequestRefused(
                "forbidden", f"this needs the role `{role}`, and {holder.name} has `{holder.role}`"
            )
        return holder

    def still(self, request: web.Request, person: Holder) -> bool:
        """Whether the person that a request came from is let in as then: not if they left, or their token ended."""
        if token := bearer(request):
            return self._server.holder_of(token) == person
        known = self.visit(request)
        return known is not None and known[1] == person

    def same_site(self, request: web.Request) -> None:
        """Refuse a change that a page of another site asks for. Raises `RequestRefused`."""
        origins = request.headers.getall("Origin", [])
        names = {f"{scheme}://{name}" for scheme in ("http", "https") for name in self._server.names}
        if len(origins) != 1 or origins[0].lower() not in names:
            raise RequestRefused("forbidden", "a change comes from a page of this server (Origin)")
        if request.headers.get("Sec-Fetch-Site", "same-origin") != "same-origin":
            raise RequestRefused("forbidden", "a change comes from a page of this server (Sec-Fetch-Site)")
