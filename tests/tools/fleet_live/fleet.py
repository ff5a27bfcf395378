"""What the tests of the live fleet share: servers, tokens, journals, and plain requests."""

import asyncio
import http.client
import json
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from vsalang.agents.proposed import read_action
from vsalang.agents.session import SessionOptions, open_guarded
from vsalang.guard.journal import Journal
from vsalang.tools.fleet.live.access import ACCESS_FILE, Access, write_access
from vsalang.tools.fleet.live.client import Client
from vsalang.tools.fleet.live.console import Console
from vsalang.tools.fleet.live.questions import OpenQuestion
from vsalang.tools.fleet.live.sending import Sender
from vsalang.tools.fleet.live.server import FleetServer, Limits

ROOT: Final = Path(__file__).resolve().parents[3]
EXAMPLES: Final = ROOT / "app_specs" / "examples"
DEVICES: Final = {"phone1": "main", "phone2": "main", "far": "other"}
PEOPLE: Final = {
    "sam": ("main", "see"),
    "ana": ("main", "approve"),
    "ada": ("main", "administer"),
    "eve": ("other", "administer"),
    "ops": ("*", "administer"),
}


@dataclass
class Fleet:
    """A server's folder, its tokens, and the server while it listens."""

    folder: Path
    tokens: dict[str, str] = field(default_factory=dict)
    server: FleetServer = None  # type: ignore[assignment]
    console: Console = None  # type: ignore[assignment]
    loop: asyncio.AbstractEventLoop = None  # type: ignore[assignment]

    def server_with(
        self, trail_head: str | None = None, hosts: tuple[str, ...] = (), **limits: Any
    ) -> Callable[[], FleetServer]:
        def make() -> FleetServer:
            server = FleetServer(
                self.folder, hosts=hosts, limits=Limits(**{"rate": 1000.0, "burst": 2000, **limits})
            )
            self.console = Console(server, trail_head)
            self.loop = asyncio.get_running_loop()
            return server

        return make

    def on_loop(self, function: Callable[[], Any]) -> Any:
        """Call something where the server runs."""

        async def call() -> Any:
            result = function()
            return await result if asyncio.iscoroutine(result) else result

        return asyncio.run_coroutine_threadsafe(call(), self.loop).result(20)

    def person(self, name: str) -> "Person":
        return Person(self, name)

    def client(self, name: str = "phone1") -> Client:
        return Client(self.server.url, self.tokens[name])

    def sender(self, journal: Path, name: str = "phone1") -> Sender:
        return Sender(self.client(name), journal)

    def send(self, journal: Path, name: str = "phone1") -> Sender:
        """Send all of a journal."""
        sender = self.sender(journal, name)
        while not sender.step():
            pass
        return sender

    def kept(self, session: str, tenant: str = "main") -> bytes:
        return self.server.store.lines(tenant, session)

    def request(
        self, method: str, path: str, body: bytes | str = b"", **headers: str
    ) -> tuple[int, dict[str, Any] | str, Mapping[str, str]]:
        """A request as it is; JSON is read."""
        connection = http.client.HTTPConnection("127.0.0.1", self.server.port, timeout=20)
        given = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request(method, path, body or None, given)
        response = connection.getresponse()
        text: Any = response.read().decode()
        connection.close()
        with suppress(ValueError):
            text = json.loads(text)
        return response.status, text, dict(response.getheaders())

    def bearer(self, name: str) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.tokens[name]}"}


@dataclass
class Person:
    """Somebody who speaks to the console by their token, without a browser."""

    fleet: Fleet
    name: str

    def get(self, path: str) -> tuple[int, Any]:
        return self.fleet.request("GET", path, **self.fleet.bearer(self.name))[:2]

    def post(self, path: str, data: Mapping[str, Any]) -> tuple[int, Any]:
        kind = {"Content-Type": "application/json"}
        return self.fleet.request("POST", path, json.dumps(data), **self.fleet.bearer(self.name), **kind)[:2]

    def answer(self, question: OpenQuestion, word: str, screen: str = "") -> tuple[int, Any]:
        about = {"tenant": question.tenant, "question": question.hash, "screen": screen or question.screen}
        return self.post("/api/answer", {**about, "answer": word})

    def end(self, session: str, reason: str, tenant: str = "main") -> tuple[int, Any]:
        return self.post("/api/end", {"tenant": tenant, "session": session, "reason": reason})


def fleet_in(folder: Path) -> Fleet:
    """A server's folder with tokens."""
    folder.mkdir(mode=0o700)
    access, tokens = Access(), {}
    for name, tenant in DEVICES.items():
        access, tokens[name] = access.with_new(name, tenant)
    for name, (tenant, role) in PEOPLE.items():
        access, tokens[name] = access.with_new(name, tenant, role)  # type: ignore[arg-type]
    write_access(folder / ACCESS_FILE, access)
    return Fleet(folder, tokens)


def recorded(path: Path, most: int = 9) -> None:
    """Record a session of the example of an evening."""
    options = SessionOptions(journal=path, app="org.example.settings", policies=(EXAMPLES / "careful.vsa",))
    lines = (EXAMPLES / "quiet_evening.agent.jsonl").read_text().splitlines()[:most]
    with open_guarded(EXAMPLES / "quiet_evening.vsa", "sim:settings", options) as session:
        for line in lines:
            data = json.loads(line)
            note = data.pop("note", "")
            session.step(read_action(data, session.guard.program), note=note)


def written(path: Path, records: Iterable[tuple[str, Mapping[str, Any]]]) -> Path:
    """A journal of records that no guard wrote."""
    with Journal(path, sync="none", resumable=False) as journal:
        for kind, data in records:
            journal.write(kind, {"at": "2026-04-01T12:00:00.000+00:00", **data})
    return path
