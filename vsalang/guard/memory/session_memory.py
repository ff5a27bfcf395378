"""A session with a memory: each action's certificate is kept, and each look says what was tried on its screen before.

Neither can stop the session: if the file cannot be used nothing is remembered any more, and `problem` says why.
"""

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from vsalang.base.records import dataclass
from vsalang.base.source import Source
from vsalang.base.source.database import StoreError
from vsalang.guard import Contract, KnownWorld, ObservationResult, Verdict
from vsalang.guard.journal import Journal, Recorder
from vsalang.guard.memory.certificate import Certificate
from vsalang.guard.memory.certificate_keys import screen_hash
from vsalang.guard.memory.certificate_store import CertificateStore
from vsalang.guard.memory.certified_sessions import app_module
from vsalang.guard.memory.certifying import certify
from vsalang.guard.recorder import CommitQuestion
from vsalang.guard.world.clock import Times
from vsalang.program.delivery import LastLook
from vsalang.program.ir import Program
from vsalang.program.screen import Screen
from vsalang.screen.screen import TreeScreen


@dataclass(frozen=True, slots=True, eq=False)
class Running:
    """An action that was committed, the screen it was judged on, and whether it arrived; None: not known."""

    verdict: Verdict
    before: Screen | None
    delivered: bool | None = None


class SessionMemory:
    """What a session remembers.

    Args:
        store: where.
        program, sources: under which it is judged.

    Attributes:
        kept: how many certificates were kept that were not known.
        known: how many were known already.
        problem: why nothing is remembered any more; empty if it is.
        running: the action under way; None: there is none.
    """

    def __init__(self, store: CertificateStore, program: Program, sources: Mapping[str, Source]) -> None:
        self.store = store
        self.kept = self.known = 0
        self.problem = ""
        self.running: Running | None = None
        self._program = program
        self._sources = sources

    def recall(self, screen: Screen) -> Screen:
        """The screen with what was tried on it before, also just now."""
        if self.problem or not isinstance(screen, TreeScreen):
            return screen
        try:
            return screen.remembering(self.store.tried(screen, self._module(screen), self._arrived(screen)))
        except StoreError as error:
            self.problem = str(error)
            return screen

    def _arrived(self, screen: TreeScreen) -> Certificate | None:
        """The certificate of the action under way, if it arrived and what shows now is built like the screen before."""
        if self.running is None or self.running.delivered is not True:
            return None
        before = self.running.before
        if not isinstance(before, TreeScreen) or screen_hash(before.tree) != screen_hash(screen.tree):
            return None
        return self._certify(self.running.verdict, before, screen, (), True)

    def keep(
        self, done: Running, after: Screen | None, observed: ObservationResult, delivered: bool | None
    ) -> None:
        """Keep the certificate of an action, if its effect is certain."""
        if self.problem:
            return
        made = self._certify(done.verdict, done.before, after, observed.contracts, delivered)
        try:
            added = self.store.add(made, done.verdict.token)
        except StoreError as error:
            self.problem = str(error)
            return
        if added is not None:
            self.kept += added.new
            self.known += not added.new

    def _certify(
        self,
        verdict: Verdict,
        before: Screen | None,
        after: Screen | None,
        contracts: Sequence[Contract],
        delivered: bool | None,
    ) -> Certificate:
        return certify(
            verdict,
            before,
            after,
            self._program,
            contracts=contracts,
            delivered=delivered,
            module=self._module(before),
        )

    def _module(self, screen: Screen | None) -> str:
        return app_module(self._program, self._sources, screen)


class RememberingRecorder(Recorder):
    """Records a session in its journal, and then what each action did in a memory.

    Args:
        journal: where the session is recorded.
        memory: where certificates are kept; None: they are not.
        about: what else is recorded of the session; see `vsalang.guard.journal.Recorder`.
    """

    def __init__(self, journal: Journal, memory: SessionMemory | None = None, **about: Any) -> None:
        super().__init__(journal, **about)
        self.memory = memory
        self._seen: Screen | None = None

    def committed(self, answered: CommitQuestion) -> None:
        super().committed(answered)
        if self.memory is not None:
            self.memory.running = Running(answered.verdict, self._seen)

    def delivered(
        self,
        delivered: bool | None,
        problem: str = "",
        verdict: Verdict | None = None,
        look: LastLook | None = None,
        *,
        judged: bool = True,
    ) -> None:
        super().delivered(delivered, problem, verdict, look, judged=judged)
        running = self.memory.running if self.memory is not None else None
        if running is not None and self.memory is not None and verdict in (None, running.verdict):
            self.memory.running = replace(running, delivered=delivered)

    def observed(
        self,
        screen: Screen | None,
        delivered: bool | None,
        seen: KnownWorld | None,
        at: Times,
        *,
        today: dt.date,
        screens: frozenset[str],
        observed: ObservationResult,
    ) -> None:
        super().observed(screen, delivered, seen, at, today=today, screens=screens, observed=observed)
        if self.memory is not None and self.memory.running is not None:
            running, self.memory.running = self.memory.running, None
            self.memory.keep(running, screen, observed, delivered)
        self._seen = screen
