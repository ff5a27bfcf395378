"""A recorded session that tests break, and what must hold of a guard afterwards."""

import contextlib
import inspect
import operator
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.guard.phones import Watch, details, receipt
from tests.guard.programs import booking
from vsalang.guard import Guard, GuardFailed, NotAllowed, Settings, Verdict
from vsalang.guard.journal import Journal, Recorder, read_session, resume
from vsalang.program import ir
from vsalang.program.action import Action

TAP = Action("tap", {"node": 10})
RESERVE = Action("tap", {"id": "reserve_button"})
PROGRAM = replace(booking().program(), digest="0" * 64)


class Session:
    """A guard that is recorded, on the page with the free slot; the slot was chosen."""

    def __init__(
        self, folder: Path, program: ir.Program = PROGRAM, name: str = "session.jsonl", **options: Any
    ) -> None:
        self.path = folder / name
        self.watch = Watch()
        self.journal = Journal(self.path, sync="none")
        self.recorder = Recorder(self.journal)
        settings = options.pop("settings", Settings())
        self.program = program
        self.similarity = options.get("similarity")
        self.guard = Guard(
            program, clock=lambda: self.watch(), settings=settings, recorder=self.recorder, **options
        )
        self.page = details(("18:30", True))
        self.guard.observe(self.page)
        self.act(TAP)

    def act(self, action: Action) -> None:
        self.guard.commit(self.guard.propose(action))
        self.guard.observe(self.page)

    @property
    def kinds(self) -> list[str]:
        return [record.kind for record in read_session(self.path).records]

    @contextlib.contextmanager
    def resumed(self) -> Iterator[Guard]:
        """Another guard goes on from the journal."""
        self.journal.close()
        with resume(self.path, program=self.program, clock=self.watch, similarity=self.similarity) as found:
            yield found.guard

    def ends_well(self, guard: Guard | None = None) -> None:
        """The task can still be done, once: nothing was lost, and nothing stands that was not done."""
        guard = guard or self.guard
        guard.observe(self.page)
        assert guard.propose(Action("finish")).level == "block"  # it was not done meanwhile
        guard.commit(guard.propose(TAP))
        guard.observe(self.page)
        guard.commit(guard.propose(RESERVE))
        guard.observe(receipt())
        assert guard.propose(RESERVE).level == "block"
        guard.commit(guard.propose(Action("finish")))
        assert guard.finished


class Broken(Exception):
    """What the tests make fail."""


def broken(*_: object, **__: object) -> Any:
    raise Broken("it is broken")


def held_to(guard: Guard, verdict: Verdict) -> None:
    """A block for an internal error, and nothing comes of it."""
    assert verdict.level == "block" and not verdict.allowed
    assert {reason.kind for reason in verdict.reasons} == {"error"}
    before = guard.snapshot
    for approved in (False, True):
        with pytest.raises(NotAllowed):
            guard.commit(verdict, approved=approved)
    assert guard.snapshot is before and not guard.running


def ended(guard: Guard) -> None:
    """Everything is blocked from now on."""
    assert guard.failed
    for action in (TAP, Action("wait"), Action("give_up"), Action("finish")):
        held_to(guard, guard.propose(action))
    with pytest.raises(GuardFailed):
        guard.observe(details(("18:30", True)))


def breaks(made: Session, monkeypatch: pytest.MonkeyPatch, place: str, how: Any = broken) -> None:
    """Put something else in the place of a function: of a part of the guard (``_part.name``), or of a module."""
    if place.startswith("_"):
        rooms, _, name = place.rpartition(".")
        owner = operator.attrgetter(rooms[1:])(made.guard.session.parts)
        assert callable(getattr(owner, name))
        target = owner if hasattr(owner, "__dict__") and not inspect.isclass(owner) else type(owner)
        monkeypatch.setattr(target, name, how)
    else:
        monkeypatch.setattr(place, how)
