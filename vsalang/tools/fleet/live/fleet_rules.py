"""Rules over many devices: policies in `.vsa` over rows that the server gives, by the guard's own engine.

The rows of each tenant are judged for themselves. What a rule says raises an alarm once, for as long as it holds; that
is all that it can do.
"""

import asyncio
import datetime as dt
import itertools
import time
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

from vsalang.base.records import dataclass
from vsalang.base.resources import resource_dir
from vsalang.engine import EngineError, Evaluator, open_session
from vsalang.guard.world.rule_effects import bindings, message
from vsalang.language.semantics import load
from vsalang.program.ir import Judge, Program
from vsalang.program.text import line
from vsalang.tools.fleet.live.events import EventHub
from vsalang.tools.fleet.live.intake import Arrival, DeliveryRefused
from vsalang.tools.fleet.live.server import FleetServer
from vsalang.tools.fleet.live.session_summary import Alarm, SessionSummary

ROWS: Final = "apps.fleet"
"""The module whose relations the server gives rows of."""
SHIPPED: Final = "across_devices.vsa"
WINDOW: Final = 600.0
"""So many seconds an alarm stays a row."""
MOST: Final = 2000
"""So many alarms of one tenant are rows: the newest."""
TICK: Final = 1.0
SLOW: Final = 5
"""Rows of sessions are made again every so many ticks."""
_LEVELS: Final = {"flag": "flag", "warn": "warn", "confirm": "confirm", "block": "block"}


class RulesError(Exception):
    """A file of rules that cannot be used; says why."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """What a rule says of many devices.

    Attributes:
        key: which rule, and about what: while it says the same again, nothing new happened.
        category: as its ``@risk`` says.
    """

    key: tuple[str, ...]
    rule: str
    level: str
    category: str
    text: str


def read_rules(files: Iterable[Path]) -> tuple[Program, ...]:
    """The policies in files; the one that ships if there are none.

    Raises:
        RulesError: one has errors, or is not a policy.
    """
    programs = []
    for file in tuple(files) or (resource_dir("app_specs") / "examples" / SHIPPED,):
        loaded = load(str(file))
        if loaded.program is None:
            raise RulesError(f"{file} has errors: `vsac check {file}` says which")
        if loaded.program.modules[loaded.program.main].kind != "policy":
            raise RulesError(f"{file} is not a policy")
        programs.append(loaded.program)
    return tuple(programs)


class RuleBook:
    """The rules, for the rows of one tenant. Raises `RulesError`: they cannot be evaluated."""

    def __init__(self, programs: Sequence[Program]) -> None:
        try:
            self._sessions = [(one, open_session(one, today=dt.date.today())) for one in programs]
        except EngineError as error:
            raise RulesError(str(error)) from error

    def patterns(
        self, alarms: Sequence[Mapping[str, Any]], running: Sequence[Mapping[str, Any]] | None
    ) -> list[Pattern]:
        """What the rules say of these rows.

        Args:
            alarms: rows of `Alarm`.
            running: rows of `Running`; None: the same as the last time.

        Raises:
            EngineError: a bound was reached.
        """
        patterns: list[Pattern] = []
        for program, evaluator in self._sessions:
            evaluator.now(dt.datetime.now())
            _assign(program, evaluator, f"{ROWS}.Alarm", alarms)
            if running is not None:
                _assign(program, evaluator, f"{ROWS}.Running", running)
            patterns += _patterns(program, evaluator)
        return patterns


def _assign(program: Program, evaluator: Evaluator, name: str, rows: Sequence[Mapping[str, Any]]) -> None:
    relation = program.relations.get(name)
    if relation is not None:
        names = [attr.name for attr in relation.attrs]
        evaluator.assign(name, [tuple(row[each] for each in names) for row in rows])


def _patterns(program: Program, evaluator: Evaluator) -> Iterator[Pattern]:
    for rule in program.rules:
        if not isinstance(rule.head, Judge):
            continue
        risks = ", ".join(str(risk) for risk in rule.annotations.get("risk", ()))
        for binding in bindings(evaluator, rule):
            texts = sorted(f"{name}={value}" for name, value in binding.items() if isinstance(value, str))
            text = line(message(rule, binding), 400)
            yield Pattern((rule.id, *texts), rule.id, _LEVELS.get(rule.head.level, "flag"), risks, text)


class TenantWatch:
    """What the rules of one tenant are judged by, and what they said: a server holds one, a stream keeps its data.

    Args:
        alarms: rows of alarms so far, each with the time of its arrival in seconds, the oldest first.
        holding: the keys of patterns that held last.
    """

    def __init__(
        self,
        alarms: Iterable[tuple[float, dict[str, Any]]] = (),
        holding: Iterable[tuple[str, ...]] = (),
    ) -> None:
        self.alarms = deque(alarms, maxlen=MOST)
        self.holding = set(holding)

    def take(self, now: float, summary: SessionSummary, alarms: Iterable[Alarm]) -> None:
        """Alarms of a session have arrived: they become rows."""
        for nth, alarm in enumerate(alarms):
            row = {
                "session": summary.session,
                "number": Decimal(alarm.number) + Decimal(nth) / 1000,
                "device": summary.device,
                "app": alarm.app,
                "level": alarm.level,
                "kind": alarm.kind,
                "rule": alarm.rule,
                "category": alarm.category,
                "action": alarm.effect or summary.action,
            }
            self.alarms.append((now, row))

    def rows(self, now: float) -> list[dict[str, Any]]:
        """The rows of `Alarm` at a time; older ones are let go."""
        while self.alarms and now - self.alarms[0][0] > WINDOW:
            self.alarms.popleft()
        return [{**row, "age": Decimal(int(now - at))} for at, row in self.alarms]

    def fresh(self, patterns: Sequence[Pattern]) -> Iterator[Pattern]:
        """What holds now and did not before; it counts as told when the next one is taken."""
        self.holding &= {pattern.key for pattern in patterns}
        for pattern in patterns:
            if pattern.key not in self.holding:
                yield pattern
                self.holding.add(pattern.key)


def running_row(summary: SessionSummary, state: str) -> dict[str, Any]:
    """The row of `Running` of a session."""
    return {
        "session": summary.session,
        "device": summary.device,
        "app": summary.app,
        "state": state,
        "steps": Decimal(summary.steps),
        "blocked": Decimal(summary.levels.get("block", 0)),
    }


class FleetRules:
    """The rules of a server: made before it starts.

    Args:
        server: whose sessions are judged.
        hub: knows the states of sessions.
        programs: the rules.

    Attributes:
        problem: why they could not be evaluated last; empty: they could.
    """

    def __init__(self, server: FleetServer, hub: EventHub, programs: Sequence[Program]) -> None:
        self.problem = ""
        self._server, self._hub, self._programs = server, hub, programs
        self._books: dict[str, RuleBook] = {}
        self.watches: dict[str, TenantWatch] = {}
        server.listeners.append(self.arrived)
        server.background.append(self.run)

    def arrived(self, arrival: Arrival) -> None:
        """Something was kept: its alarms become rows."""
        summary = arrival.summary
        if summary.session and arrival.alarms:
            self._watch(summary.tenant).take(time.monotonic(), summary, arrival.alarms)

    async def run(self) -> None:
        """Judge what is new, until it is cancelled."""
        loop = asyncio.get_running_loop()
        for tick in itertools.count():
            await asyncio.sleep(TICK)
            slow = tick % SLOW == 0
            for tenant in {each.tenant for each in self._server.intake.sessions.values()}:
                if not (slow or self._watch(tenant).alarms):
                    continue
                # rows of sessions change with every step, and alarms are rare
                alarms, running = self.rows(tenant) if slow else (self.alarm_rows(tenant), None)
                try:
                    patterns = await loop.run_in_executor(None, self.judge, tenant, alarms, running)
                except (EngineError, RulesError) as error:
                    self.problem = line(str(error), 300)
                    continue
                self.problem = ""
                with suppress(DeliveryRefused):  # what could not be kept holds the next time, too
                    await self._raise(tenant, patterns)

    def alarm_rows(self, tenant: str) -> list[dict[str, Any]]:
        """The rows of `Alarm` of a tenant now."""
        return self._watch(tenant).rows(time.monotonic())

    def rows(self, tenant: str) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
        """The rows of a tenant now: `Alarm` and `Running`."""
        running = [
            running_row(each, self._hub.state(each))
            for each in self._server.intake.sessions.values()
            if each.tenant == tenant and not each.over
        ]
        return self.alarm_rows(tenant), running

    def judge(
        self, tenant: str, alarms: Sequence[Mapping[str, Any]], running: Sequence[Mapping[str, Any]] | None
    ) -> list[Pattern]:
        """What the rules say of a tenant's rows. Raises `EngineError`, `RulesError`."""
        book = self._books.get(tenant)
        if book is None:
            book = self._books[tenant] = RuleBook(self._programs)
        try:
            return book.patterns(alarms, running)
        except EngineError:
            del self._books[tenant]
            raise

    async def _raise(self, tenant: str, patterns: Sequence[Pattern]) -> None:
        """Raise an alarm for what did not hold before."""
        for pattern in self._watch(tenant).fresh(patterns):
            await self._server.intake.raise_for(
                tenant, pattern.level, pattern.text, pattern.rule, pattern.category
            )

    def _watch(self, tenant: str) -> TenantWatch:
        return self.watches.setdefault(tenant, TenantWatch())
