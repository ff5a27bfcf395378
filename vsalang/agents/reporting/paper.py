"""Speaks with apps of the paper authors' Android library: one JSON object a line over TCP, on this machine only.

Written from a description of the protocol's messages, not from the library's code. What had to be inferred is marked
"inferred" and listed in the reference.
"""

import asyncio
import datetime as dt
import hmac
import json
import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import field
from typing import Any, Final

from vsalang.agents.reporting.access import Bucket
from vsalang.agents.reporting.changes import Change, attribute, gone, put
from vsalang.agents.reporting.definitions import compared, read_definitions
from vsalang.agents.reporting.errors import MessageRefused
from vsalang.agents.reporting.peers import Strangers
from vsalang.agents.reporting.reading import MAX_BYTES, MAX_ITEMS, clean, member, read_loosely, read_object
from vsalang.agents.reporting.schema import AppSchema
from vsalang.agents.reporting.service import Service
from vsalang.base.records import dataclass
from vsalang.engine.api import Cell
from vsalang.guard import GuardFailed
from vsalang.phone.wire.peers import Stranger, check_peer, own_user
from vsalang.program.action import Action
from vsalang.program.ir import Relation
from vsalang.program.text import safe

log = logging.getLogger("vsalang.agents.reporting.paper")

Call = Callable[..., Awaitable[Any]]

MAX_FIRST: Final = 1024
"""The line with the token has at most so many bytes."""
TOKEN_SECONDS: Final = 3.0
"""So long a peer may take to give the token."""
_CHUNK: Final = 64 * 1024
_NAMES: Final = ("Predicate", "stateName")
_RULES: Final = frozenset({"Add", "Update", "Delete"})


@dataclass(frozen=True, slots=True)
class PaperApp:
    """An app to listen for.

    Attributes:
        package: an app may report what the module of this package declares.
        port: where; 0: any that is free.
        token: the first line must be ``{"token": TOKEN}``. None: each peer that connects speaks for the app, since the
            library knows no token: any program of `users` could.
        facts: an update is what is so, and is not answered. Else it is a question before an action.
        verified_seconds: how long the answer "verified" is valid; then it is taken back.
        users: of this machine, who may connect without a token.
    """

    package: str
    port: int = 0
    token: str | None = None
    facts: bool = False
    verified_seconds: float = 5.0
    users: frozenset[int] = field(default_factory=own_user)
    quiet_seconds: float = 10.0


@dataclass(frozen=True, slots=True)
class PaperUpdate:
    """What an ``updateState`` message says, as the guard's words for it."""

    action: Action | None
    changes: tuple[Change, ...]


# ---------------------------------------------------------------- messages


def same_app(schema: AppSchema, name: str) -> bool:
    """Whether ``appName`` means the app: its package, or its module's name, whatever the case and blanks."""

    def folded(text: str) -> str:
        return "".join(text.casefold().split())

    return folded(name) in {folded(known) for known in (schema.package, *schema.modules)}


def read_update(
    schema: AppSchema, data: Mapping[str, Any], today: dt.date | None, *, facts: bool = False
) -> PaperUpdate:
    """The updates of a message. `facts`: they are what is so, not what an action would change.

    Raises:
        Refused: one of them is none, or is not the app's to report.
    """
    items = data.get("updates")
    if not isinstance(items, list) or not items:
        raise MessageRefused("malformed", "`updates` is a list that is not empty", "updates")
    if len(items) > MAX_ITEMS:
        raise MessageRefused("too_large", f"a message has at most {MAX_ITEMS} updates", "updates")
    action: Action | None = None
    changes: list[Change] = []
    for index, item in enumerate(items):
        where = f"updates[{index}]"
        if not isinstance(item, dict):
            raise MessageRefused("malformed", "an update is an object", where)
        values = dict(item)
        named = next((word for word in _NAMES if word in values), "name")
        name = member(values, named, str, where=where)
        rule = member(values, "Update_Rule", str, "Update", where)
        if rule not in _RULES:
            raise MessageRefused(
                "malformed", "`Update_Rule` is Add, Update or Delete", f"{where}.Update_Rule"
            )
        member(values, "Reasoning", str, "", where)
        for word in (named, "Update_Rule", "Reasoning"):
            values.pop(word, None)
        asked = [r for r in schema.actions() if name in (r.name, r.short)]
        relation = asked[0] if asked else schema.relation(name, where)
        cells = {
            key: read_loosely(value, attribute(relation, key, where).type, key, f"{where}.{key}", today)
            for key, value in values.items()
        }
        if asked:
            if action is not None:
                raise MessageRefused("malformed", "one action at a time", where)
            action = Action(relation.name, {key: v for key, v in cells.items() if v is not None})
        else:
            changes.append(_change(relation, rule, cells, facts, where))
    return PaperUpdate(action, tuple(changes))


def _change(relation: Relation, rule: str, cells: dict[str, Cell], facts: bool, where: str) -> Change:
    if rule == "Delete":
        missing = [name for name in relation.identity if cells.get(name) is None]
        if missing:
            raise MessageRefused(
                "incomplete", f"which {relation.short} goes? give {', '.join(missing)}", where
            )
        return gone(relation, {name: cells[name] for name in relation.identity}, where)
    # inferred: an update leaves the other attributes of a view as they are, and Add begins it again
    return put(relation, cells, facts and relation.sort == "view" and rule == "Update", where)


# ---------------------------------------------------------------- the listener


@dataclass
class PaperListener:
    """Listens for one app, and answers it.

    Args:
        app: which one.
        service: the session.
        most: so many connections at a time.
        strangers: so many besides that have not given the token.
    """

    app: PaperApp
    service: Service
    most: int = 64
    strangers: int = 64
    port: int = 0
    _open: set[asyncio.StreamWriter] = field(default_factory=set)

    def __post_init__(self) -> None:
        if self.app.package not in self.service.schemas:
            raise ValueError(f"no app of the program has the package {self.app.package}")
        self.schema = self.service.schemas[self.app.package]
        self._unknown = Strangers(self.strangers, min(self.app.quiet_seconds, TOKEN_SECONDS))

    async def listen(self, call: Call) -> asyncio.AbstractServer:
        """Listen on this machine. `call` runs what may take time outside the event loop."""
        self._call = call
        server = await asyncio.start_server(self._connection, "127.0.0.1", self.app.port, limit=_CHUNK)
        self.port = server.sockets[0].getsockname()[1]
        return server

    def close(self) -> None:
        for writer in list(self._open):
            writer.close()

    async def _connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        lines, conversation = _Lines(reader), _Conversation(self, writer)
        try:
            if not await self._admitted(lines, writer):
                return
            if len(self._open) >= self.most:
                log.warning("%s has too many connections: the new one is closed", self.app.package)
                return
            self._open.add(writer)
            await conversation.run(lines)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        except (_TooLong, TimeoutError):
            log.warning("%s: a line is too long or too slow: its connection is closed", self.app.package)
        finally:
            conversation.end()
            self._open.discard(writer)
            writer.close()

    def _is_of_users(self, writer: asyncio.StreamWriter) -> bool:
        try:
            check_peer(writer.get_extra_info("socket"), self.app.users)
        except Stranger as stranger:
            log.warning(
                "%s: a connection is refused: %s (--allow-user accepts a user)", self.app.package, stranger
            )
            return False
        return True

    async def _admitted(self, lines: "_Lines", writer: asyncio.StreamWriter) -> bool:
        """Whether a connection gives the app's token, if there is one. Of a stranger nothing else is read."""
        if self.app.token is None:
            return self._is_of_users(writer)
        self._unknown.add(writer, writer.transport)
        try:
            first = await lines.next(MAX_FIRST)
        finally:
            self._unknown.remove(writer)
        if not _knows(first, self.app.token):
            log.warning("%s: a connection without its token", self.app.package)
            return False
        return True

    async def answer(self, line: bytes) -> bool | None:
        """What a line asks: whether its action is verified; None if it asks nothing."""
        # outside the event loop: a long line must not keep others waiting
        answer: bool | None = await self._call(self._answered, line)
        return answer

    def _answered(self, line: bytes) -> bool | None:
        package = self.app.package
        data = read_object(line)
        kind = data.get("type")
        named = member(data, "appName", str, "")
        if named and not same_app(self.schema, named):
            raise MessageRefused(
                "foreign", f"{safe(named)} is not the app {package} that this port is for", "appName"
            )
        if kind == "defineState":
            differences = compared(self.schema, read_definitions(data.get("state", []), "state"))
            for state in differences["states"]:
                for problem in state["problems"]:
                    log.warning("%s defines %s: %s", package, safe(state["name"]), problem)
            return None
        if kind != "updateState":
            raise MessageRefused("malformed", "`type` is defineState or updateState", "type")
        update = read_update(self.schema, data, self.service.guard.today, facts=self.app.facts)
        if self.app.facts:
            if update.action is not None:
                raise MessageRefused(
                    "malformed", f"{update.action.name} is an action, and this app reports facts"
                )
            self.service.guard.report(package, update.changes)
            return None
        return self._verify(update)

    def _verify(self, update: PaperUpdate) -> bool:
        guard, package = self.service.guard, self.app.package
        answer = guard.before(package, update.action, update.changes)
        if not answer.proceed:
            for reason in answer.verdict.reasons:
                log.info("%s: %s: %s", package, answer.verdict.level, reason.message)
        elif answer.id:
            # inferred: no message says that the action ran, so it counts as done and its effects as predicted
            guard.given_up(answer.id)
        return answer.proceed


class _TooLong(Exception):
    """A line has more bytes than it may have."""


class _Lines:
    """The lines of a connection. Of one that has not ended no more is kept than it may have."""

    def __init__(self, reader: asyncio.StreamReader) -> None:
        self._reader, self._kept = reader, bytearray()

    async def next(self, most: int) -> bytes:
        """The next line, of at most `most` bytes.

        Raises:
            _TooLong: it has more.
            asyncio.IncompleteReadError: the connection ends before it does.
        """
        looked = 0
        while (end := self._kept.find(b"\n", looked)) < 0 and len(self._kept) < most:
            looked = len(self._kept)
            data = await self._reader.read(min(_CHUNK, most - looked))
            if not data:
                raise asyncio.IncompleteReadError(bytes(self._kept), None)
            self._kept += data
        if not 0 <= end < most:
            raise _TooLong
        line = bytes(self._kept[: end + 1])
        del self._kept[: end + 1]
        return line


class _Conversation:
    """One connection."""

    def __init__(self, listener: PaperListener, writer: asyncio.StreamWriter) -> None:
        self._listener, self._writer = listener, writer
        self._bucket = Bucket(50, 100)
        self._timer: asyncio.TimerHandle | None = None

    async def run(self, lines: "_Lines") -> None:
        """Answer line by line until the app goes."""
        app = self._listener.app
        await self._send({"Agent_Control": True})  # inferred: under a guard the app always asks
        while True:
            line = await lines.next(MAX_BYTES)
            if not line.strip():
                continue
            if not self._bucket.take():
                log.warning("%s sends too many messages: its connection is closed", app.package)
                return
            await self._answer(line)

    async def _answer(self, line: bytes) -> None:
        verified: bool | None = False
        try:
            verified = await self._listener.answer(line)
        except MessageRefused as refused:
            log.warning("%s: %s: %s", self._listener.app.package, refused.code, refused)
        except GuardFailed as error:
            log.error("the session ended with an error: %s", error)
        except Exception:
            log.exception("an internal error")
        if verified is None:
            return
        self.end()
        await self._send({"Action_Verified": verified})
        if verified:
            # inferred: the library allows every event while its last answer said so; so it gets the other answer again
            self._timer = asyncio.get_running_loop().call_later(
                self._listener.app.verified_seconds, self._take_back
            )

    def _take_back(self) -> None:
        if not self._writer.is_closing():
            self._writer.write(b'{"Action_Verified": false}\n')

    def end(self) -> None:
        """Nothing is taken back any more."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    async def _send(self, data: dict[str, Any]) -> None:
        self._writer.write(json.dumps(data).encode() + b"\n")
        async with asyncio.timeout(self._listener.app.quiet_seconds):
            await self._writer.drain()


def _knows(line: bytes, token: str) -> bool:
    try:
        token_text = read_object(line).get("token")
        return isinstance(token_text, str) and hmac.compare_digest(
            clean(token_text, "token").encode(), token.encode()
        )
    except MessageRefused:
        return False
