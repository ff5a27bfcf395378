"""The failure contract: every row of docs/reference/failures.md is made to fail, and the guard is held to its word."""

import contextlib
import datetime as dt
import inspect
import operator
import os
import re
import resource
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.guard.breakable import PROGRAM, RESERVE, TAP, Broken, Session, broken, ended, held_to
from tests.guard.phones import Watch, details, receipt, screen
from tests.guard.programs import R, booking, lit
from vsalang.agents import run_agent
from vsalang.agents.script import Proposed
from vsalang.core import ir
from vsalang.core.action import Action
from vsalang.core.example import Fact
from vsalang.device.errors import DeviceError, DeviceLost, NotDelivered
from vsalang.device.tree import DumpError
from vsalang.engine.api import Budget, EngineError
from vsalang.guard import Guard, GuardFailed, NotAllowed, Proposal, Settings, Verdict
from vsalang.guard.feedback import verdict_text
from vsalang.journal import Journal, JournalError, Recorder, read_session

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "failures.md"

Row = Callable[..., None]
ROWS: dict[str, list[Row]] = {}


def row(name: str) -> Callable[[Row], Row]:
    """Marks the test of a row of the table."""

    def mark(test: Row) -> Row:
        ROWS.setdefault(name, []).append(test)
        return test

    return mark


def test_every_row_has_a_test_and_every_test_a_row() -> None:
    stated = re.findall(r"^\| `([\w-]+)` \|", PAGE.read_text(encoding="utf-8"), re.M)
    assert len(stated) == len(set(stated)) > 20
    assert set(stated) == set(ROWS)
    module = sys.modules[__name__]
    for test in (test for tests in ROWS.values() for test in tests):
        assert getattr(module, test.__name__) is test and test.__name__.startswith("test_")


def test_every_row_says_everything() -> None:
    for line in PAGE.read_text(encoding="utf-8").splitlines():
        if re.match(r"\| `", line):
            cells = [cell.strip() for cell in line.strip("|").split("|")]
            assert len(cells) == 5
            assert all(cells) or cells[0] == "`killed`"  # a guard that is dead answers nothing


@pytest.fixture
def made(tmp_path: Path) -> Iterator[Session]:
    session = Session(tmp_path)
    yield session
    session.journal.close()


# ------------------------------------------------------------------ while judging


@row("rule")
def test_a_rule_that_raises(made: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    clauses = {rule.id for rule in PROGRAM.rules if isinstance(rule.head, ir.License)}
    kind = type(made.guard._evaluator)
    real = kind.answers

    def answers(evaluator: Any, rule: str) -> Any:
        if rule in clauses:
            raise EngineError(f"rule {rule} cannot be evaluated")
        return real(evaluator, rule)

    monkeypatch.setattr(kind, "answers", answers)
    before = made.guard.snapshot
    held_to(made.guard, made.guard.propose(RESERVE))
    assert made.guard.snapshot is before and not made.guard.failed
    monkeypatch.undo()
    made.ends_well()
    assert "failed" not in made.kinds


@row("budget")
@pytest.mark.parametrize("budget", [Budget(rows=3), Budget(steps=1)])
def test_a_bound_that_is_reached(made: Session, monkeypatch: pytest.MonkeyPatch, budget: Budget) -> None:
    before = made.guard.snapshot
    monkeypatch.setattr(made.guard._evaluator, "budget", budget)
    verdict = made.guard.propose(Proposal(RESERVE, writes=_slots(5)))
    assert "BudgetExceeded" in verdict.reasons[0].message
    held_to(made.guard, verdict)
    monkeypatch.undo()
    goes_on(made, before)


@row("time")
def test_judging_that_takes_too_long(made: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    before = made.guard.snapshot
    monkeypatch.setattr("vsalang.engine.run.evaluate.SLICE", 1)
    monkeypatch.setattr(made.guard._evaluator, "budget", Budget(seconds=0.0))
    verdict = made.guard.propose(Proposal(RESERVE, writes=_slots(2000)))
    assert "BudgetExceeded" in verdict.reasons[0].message, verdict.reasons[0].message
    held_to(made.guard, verdict)
    monkeypatch.undo()
    goes_on(made, before)


def _slots(count: int) -> tuple[Fact, ...]:
    cells = {"restaurant": "R", "date": dt.date(2026, 4, 1), "available": True, "time": dt.time(18, 30)}
    return tuple(Fact(f"{R}Slot", {**cells, "at": number}) for number in range(1, count + 1))


def goes_on(made: Session, before: object) -> None:
    """The session goes on, or another guard goes on with it."""
    assert made.guard.snapshot is before
    if made.guard.failed:
        ended(made.guard)
        with made.resumed() as again:
            made.ends_well(again)
    else:
        made.ends_well()


@row("judging")
@pytest.mark.parametrize(
    "place",
    [
        "_judging.judge",
        "_judging._way",
        "_judging._ways",
        "_judging._given",
        "_judging._recognized",
        "_judging._judges",
        "_judging.licensing.judge",
        "_judging._screens",
        "_judging._effects",
        "_evaluator.mark",
        "_evaluator.assign",
        "_evaluator.answers",
        "_evaluator.rows",
        "_moments.gesture",
        "_moments.actions",
        "_moments.world",
        "_moments.facts",
        "_licences.bears",
        "_licences.grant",
        "_licences.spent",
        "vsalang.guard.judging.writes",
        "vsalang.guard.judging.apply",
        "vsalang.guard.licensing.licensed_reasons",
        "vsalang.guard.judging.Explainer",
        "vsalang.guard.why.match_row",
        "vsalang.guard.machine.known_cells",
    ],
)
def test_an_internal_error_while_judging(made: Session, monkeypatch: pytest.MonkeyPatch, place: str) -> None:
    breaks(made, monkeypatch, place)
    before = made.guard.snapshot
    held_to(made.guard, made.guard.propose(RESERVE))
    monkeypatch.undo()
    goes_on(made, before)


@row("judging")
@pytest.mark.parametrize(
    ("place", "action"),
    [
        ("_frontier.judge", Action("tap", {"node": 10})),
        ("vsalang.guard.frontier.Written", Action("tap", {"node": 10})),
        ("vsalang.guard.licensing.licence_reasons", Action("finish")),
        ("vsalang.guard.why.Explainer.sides", Action("finish")),
    ],
)
def test_an_internal_error_of_what_only_some_proposals_need(
    made: Session, monkeypatch: pytest.MonkeyPatch, place: str, action: Action
) -> None:
    breaks(made, monkeypatch, place)
    held_to(made.guard, made.guard.propose(action))
    monkeypatch.undo()
    made.ends_well()


def breaks(made: Session, monkeypatch: pytest.MonkeyPatch, place: str, how: Any = broken) -> None:
    if place.startswith("_"):
        rooms, _, name = place.rpartition(".")
        owner = operator.attrgetter(rooms)(made.guard)
        assert callable(getattr(owner, name))
        target = owner if hasattr(owner, "__dict__") and not inspect.isclass(owner) else type(owner)
        monkeypatch.setattr(target, name, how)
    else:
        monkeypatch.setattr(place, how)


@row("rollback")
def test_a_rollback_that_fails(made: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    breaks(made, monkeypatch, "_evaluator.rollback")
    before = made.guard.snapshot
    held_to(made.guard, made.guard.propose(RESERVE))
    assert made.guard.snapshot is before and not made.guard.failed
    monkeypatch.undo()
    made.ends_well()


@row("restore")
def test_a_rollback_that_cannot_be_mended(made: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    breaks(made, monkeypatch, "_evaluator.rollback")
    breaks(made, monkeypatch, "_outcomes.assign")
    held_to(made.guard, made.guard.propose(RESERVE))
    monkeypatch.undo()
    ended(made.guard)
    with made.resumed() as again:
        made.ends_well(again)


@row("clock")
def test_a_clock_that_fails(made: Session) -> None:
    clock = made.watch
    verdict = made.guard.propose(RESERVE)
    assert verdict.allowed
    made.watch = broken  # type: ignore[assignment]
    with pytest.raises(NotAllowed, match="clock"):
        made.guard.commit(verdict)
    assert not made.guard.running
    held_to(made.guard, made.guard.propose(RESERVE))
    with pytest.raises(GuardFailed):
        made.guard.observe(made.page)
    made.watch = clock
    ended(made.guard)
    assert "failed" in made.kinds
    with made.resumed() as again:
        made.ends_well(again)


@row("proposal")
@pytest.mark.parametrize(
    "proposal",
    [None, 3, "tap", object(), Action("fly"), Action("tap"), Action("tap", {"id": []}), Proposal()],  # type: ignore[dict-item]
)
def test_what_is_no_proposal(made: Session, proposal: Any) -> None:
    verdict = made.guard.propose(proposal)
    assert verdict.level == "block"
    with pytest.raises(NotAllowed):
        made.guard.commit(verdict, approved=True)
    made.ends_well()


@row("roadmap")
@pytest.mark.parametrize("place", ["_evaluator.mark", "_evaluator.rollback", "_judging.goals"])
def test_a_roadmap_that_fails(made: Session, monkeypatch: pytest.MonkeyPatch, place: str) -> None:
    verdict = made.guard.propose(RESERVE)
    breaks(made, monkeypatch, place)
    before = made.guard.snapshot
    with pytest.raises(Broken):
        made.guard.roadmap()
    monkeypatch.undo()
    assert made.guard.snapshot is before and not made.guard.failed
    assert verdict.allowed
    made.ends_well()


@row("template")
@pytest.mark.parametrize(
    "text", ["{{", "{{ nothing.at.all }}", "{% include 'gone.j2' %}", "{{ 1 / 0 }}", b"\xff"]
)
def test_a_template_that_fails(made: Session, tmp_path: Path, text: str | bytes) -> None:
    (tmp_path / "verdict.j2").write_bytes(text if isinstance(text, bytes) else text.encode())
    verdict = made.guard.propose(Action("finish"))
    shown = verdict_text(verdict, folder=tmp_path)
    assert "verdict.j2" in shown and "Blocked" in shown
    assert verdict.level == "block"
    allowed = made.guard.propose(RESERVE)
    assert "verdict.j2" in verdict_text(allowed, folder=tmp_path)
    made.guard.commit(allowed)
    assert made.guard.running


# ------------------------------------------------------------------ `~=`


def _alike() -> ir.Program:
    """The booking app, its licence only for a restaurant that is similar to another."""
    rules = [
        replace(
            rule,
            body=(*rule.body, lit(f"{R}Slot", ("restaurant", "~=", "Trattoria Romana"), reading="certain")),
        )
        if isinstance(rule.head, ir.License) and rule.head.atom.relation == f"{R}Reserve"
        else rule
        for rule in PROGRAM.rules
    ]
    return replace(PROGRAM, rules=tuple(rules))


def alike(like: Any, folder: Path, name: str = "session.jsonl", **settings: Any) -> Session:
    return Session(folder, _alike(), name, similarity=like, settings=Settings(**settings))


class Like:
    """A backend that does what it is told."""

    def __init__(self, answer: Callable[[], bool | None]) -> None:
        self.answer = answer

    def similar(self, text: str, constant: str) -> bool | None:
        return self.answer()


def another(name: str) -> Proposal:
    """A slot of a restaurant that was not seen yet: the backend is asked about its name."""
    cells = {"restaurant": name, "date": dt.date(2026, 4, 1), "time": dt.time(18, 30)}
    return Proposal(writes=(Fact(f"{R}Slot", {**cells, "available": True, "at": 1}),))


@row("similar-silent")
def test_a_backend_without_an_answer(tmp_path: Path) -> None:
    backend = Like(lambda: None)
    made = alike(backend, tmp_path)
    verdict = made.guard.propose(RESERVE)
    assert verdict.level == "block" and not verdict.because("error") and verdict.because("restaurant")
    backend.answer = lambda: True
    made.guard.observe(details(("18:30", False)))
    made.guard.observe(made.page)
    assert made.guard.propose(RESERVE).level == "block"  # what it said of a pair holds for the session
    with made.resumed() as again:
        again.observe(made.page)
        assert again.propose(RESERVE).level == "block"
    fresh = alike(backend, tmp_path, name="fresh.jsonl")
    fresh.ends_well()
    fresh.journal.close()


@row("similar-raises")
def test_a_backend_that_raises(tmp_path: Path) -> None:
    backend = Like(lambda: True)
    made = alike(backend, tmp_path)
    backend.answer = broken
    verdict = made.guard.propose(another("Trattoria"))
    assert "it is broken" in verdict.reasons[0].message
    held_to(made.guard, verdict)
    ended(made.guard)
    backend.answer = lambda: True
    with made.resumed() as again:
        made.ends_well(again)


@row("similar-hangs")
def test_a_backend_that_hangs(tmp_path: Path) -> None:
    backend = Like(lambda: True)
    made = alike(backend, tmp_path, budget=Budget(seconds=0.2))
    come_back = threading.Event()
    backend.answer = come_back.wait
    verdict = made.guard.propose(another("Trattoria"))
    assert "no answer" in verdict.reasons[0].message
    held_to(made.guard, verdict)
    ended(made.guard)
    come_back.set()
    backend.answer = lambda: True
    with made.resumed() as again:
        made.ends_well(again)


# ------------------------------------------------------------------ committing and observing


@row("observing")
@pytest.mark.parametrize(
    "place",
    [
        "_observing.reconcile",
        "_outcomes.observe",
        "_outcomes._point_of_commit",
        "_outcomes._base",
        "_outcomes._contracts",
        "_judging.recorded",
        "_evaluator.point",
        "_evaluator.assign",
        "_moments.clock",
        "_moments.screen",
        "_moments.shown",
        "vsalang.guard.observing.apply",
        "vsalang.guard.outcome.Explainer",
        "vsalang.guard.observing.writes",
    ],
)
def test_an_internal_error_while_observing(
    made: Session, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    made.guard.commit(made.guard.propose(RESERVE))
    breaks(made, monkeypatch, place)
    with pytest.raises(GuardFailed):
        made.guard.observe(receipt())
    monkeypatch.undo()
    ended(made.guard)
    assert made.kinds[-1] != "observe" and "failed" in made.kinds
    with made.resumed() as again:
        assert again.running  # it was committed, and is not forgotten
        assert again.propose(RESERVE).because("running")
        again.observe(receipt())
        assert again.propose(RESERVE).level == "block"  # nor done twice
        again.commit(again.propose(Action("finish")))


@row("screen")
def test_a_screen_that_cannot_be_taken(made: Session) -> None:
    made.guard.observe(None)
    for action in (TAP, RESERVE, Action("wait"), Action("finish")):
        verdict = made.guard.propose(action)
        assert verdict.level == "block" and verdict.because("no_screen")
    assert made.guard.propose(Action("give_up")).allowed
    made.ends_well()


@row("interrupt-propose")
@pytest.mark.parametrize("place", ["_judging.judge", "_evaluator.answers", "_licences.bears", "recorder"])
def test_an_interrupt_while_judging(made: Session, monkeypatch: pytest.MonkeyPatch, place: str) -> None:
    made.guard.propose(RESERVE)  # a verdict that could be committed

    def stop(*_: object, **__: object) -> Any:
        raise KeyboardInterrupt

    if place == "recorder":
        monkeypatch.setattr(made.recorder, "proposed", stop)
    else:
        breaks(made, monkeypatch, place, stop)
    before = made.guard.snapshot
    with pytest.raises(KeyboardInterrupt):
        made.guard.propose(RESERVE)
    monkeypatch.undo()
    with pytest.raises(NotAllowed):
        made.guard.commit()
    assert made.guard.snapshot is before and not made.guard.running
    if not made.guard.failed:
        made.ends_well()
    else:
        with made.resumed() as again:
            made.ends_well(again)


@row("interrupt-commit")
@pytest.mark.parametrize("written", [True, False])
def test_an_interrupt_while_committing(made: Session, monkeypatch: pytest.MonkeyPatch, written: bool) -> None:
    real = made.recorder.committed

    def stop(asked: Any) -> None:
        if written:
            real(asked)
        raise KeyboardInterrupt

    monkeypatch.setattr(made.recorder, "committed", stop)
    verdict = made.guard.propose(RESERVE)
    with pytest.raises(KeyboardInterrupt):
        made.guard.commit(verdict)
    monkeypatch.undo()
    ended(made.guard)
    with made.resumed() as again:
        assert again.running is written
        again.observe(receipt() if written else made.page)
        assert again.propose(RESERVE).level == ("block" if written else "allow")


@row("interrupt-observe")
@pytest.mark.parametrize("place", ["_observing.reconcile", "_evaluator.point"])
def test_an_interrupt_while_observing(made: Session, monkeypatch: pytest.MonkeyPatch, place: str) -> None:
    made.guard.commit(made.guard.propose(RESERVE))

    def stop(*_: object, **__: object) -> Any:
        raise KeyboardInterrupt

    breaks(made, monkeypatch, place, stop)
    with pytest.raises(KeyboardInterrupt):
        made.guard.observe(receipt())
    monkeypatch.undo()
    ended(made.guard)
    with made.resumed() as again:
        assert again.running
        again.observe(receipt())
        assert again.propose(RESERVE).level == "block"


@row("asking")
def test_asking_that_fails(tmp_path: Path) -> None:
    build = booking()
    build.rule("payments", ir.Judge("confirm", ("sure?",)), lit("tap"), id="ASK")
    settings = Settings(mode="ask", ask_timeout=dt.timedelta(seconds=0.2))
    slow = threading.Event()
    for number, asker in enumerate((broken, lambda *_: slow.wait(), lambda *_: "yes")):
        folder = tmp_path / str(number)
        folder.mkdir()
        with Journal(folder / "j.jsonl", sync="none") as journal:
            recorder = Recorder(journal)
            asked: Any = asker
            guard = Guard(build.program(), clock=Watch(), settings=settings, recorder=recorder, ask=asked)
            guard.observe(details(("18:30", True)))
            verdict = guard.propose(TAP)
            assert verdict.level == "confirm"
            with pytest.raises(NotAllowed):
                guard.commit(verdict)
            assert not guard.running and guard.propose(TAP).level == "confirm"
    slow.set()


# ------------------------------------------------------------------ the device


class Phone:
    """A device on the page with the slot; it fails as it is told."""

    info: Any = None

    def __init__(self, fails: BaseException | None = None, blind: Exception | None = None) -> None:
        self.fails = fails
        self.blind = blind
        self.done: list[Action] = []

    def observe(self) -> Any:
        if self.blind is not None and self.done:
            raise self.blind
        return screen({"id": "a_moment"}) if self.done else details(("18:30", True))

    def perform(self, action: Action, target: Any) -> None:
        self.done.append(action)
        if self.fails is not None:
            raise self.fails


def carried_out(made: Session, phone: Any, action: Action = RESERVE) -> Any:
    [step] = run_agent(made.guard, phone, [Proposed(action)], recorder=made.recorder)
    return step


def reserving(made: Session, guard: Guard) -> Verdict:
    """The verdict on reserving, the slot being chosen."""
    guard.observe(made.page)
    guard.commit(guard.propose(TAP))
    guard.observe(made.page)
    return guard.propose(RESERVE)


@row("device-before")
def test_a_device_lost_before_delivery(made: Session) -> None:
    step = carried_out(made, Phone(NotDelivered("no route")))
    assert not step.performed and step.problem
    outcome = next(r for r in reversed(read_session(made.path).records) if r.kind == "outcome")
    assert outcome.data["delivered"] is False
    made.ends_well()  # it may be reserved still


@row("device-after")
@pytest.mark.parametrize("error", [DeviceLost("gone"), DeviceError("broken pipe")])
def test_a_device_lost_after_delivery(made: Session, error: DeviceError) -> None:
    carried_out(made, Phone(error))
    assert reserving(made, made.guard).because("licence")
    with made.resumed() as again:
        assert reserving(made, again).because("licence")


@row("device-gone")
def test_a_device_that_cannot_be_looked_at(made: Session) -> None:
    with pytest.raises(DeviceLost):
        carried_out(made, Phone(DeviceLost("gone"), blind=DeviceLost("gone")))
    assert made.guard.running
    assert made.guard.propose(RESERVE).because("running")
    assert "commit" in made.kinds and "outcome" in made.kinds
    with made.resumed() as again:
        assert again.running
        again.observe(screen({"id": "a_moment"}))
        assert reserving(made, again).because("licence")


@row("dump")
@pytest.mark.parametrize("cut", [0.0, 0.3, 0.9, 0.999, "garbage"])
def test_a_dump_that_is_no_dump(made: Session, tmp_path: Path, cut: Any) -> None:
    from vsalang.device.tree import read_dump

    nodes = "".join(f'<node index="{n}" text="18:30" bounds="[0,0][9,9]" />' for n in range(20))
    whole = f'<?xml version="1.0"?><hierarchy rotation="0">{nodes}</hierarchy>'.encode()
    text = b"\x00\xff<node" * 9 if cut == "garbage" else whole[: int(len(whole) * cut)]
    (tmp_path / "whole.xml").write_bytes(whole)
    (tmp_path / "cut.xml").write_bytes(text)
    read_dump(tmp_path / "whole.xml")
    with pytest.raises(DumpError) as raised:
        read_dump(tmp_path / "cut.xml")
    before = made.guard.rows(f"{R}Slot")
    with pytest.raises(DeviceError):
        carried_out(made, Phone(blind=DeviceError(str(raised.value))))
    assert made.guard.running and made.guard.rows(f"{R}Slot") == before
    made.guard.observe(receipt())
    made.guard.commit(made.guard.propose(Action("finish")))


# ------------------------------------------------------------------ the journal


@row("journal-open")
def test_a_journal_that_cannot_be_made(tmp_path: Path) -> None:
    taken = tmp_path / "taken"
    taken.touch()
    for path in (taken, taken / "j.jsonl", tmp_path):
        with pytest.raises(JournalError):
            Journal(path)
    assert taken.read_bytes() == b""


@contextlib.contextmanager
def full_disk(path: Path) -> Iterator[None]:
    """No file can grow beyond what this one is and a few bytes."""
    old = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (path.stat().st_size + 20, old[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, old)
        signal.signal(signal.SIGXFSZ, handler)


@row("disk-propose")
def test_a_full_disk_at_a_proposal(made: Session) -> None:
    size = made.path.stat().st_size
    with full_disk(made.path):
        held_to(made.guard, made.guard.propose(RESERVE))
    assert made.path.stat().st_size == size
    made.ends_well()


@row("disk-commit")
def test_a_full_disk_at_a_commit(made: Session) -> None:
    verdict = made.guard.propose(RESERVE)
    with full_disk(made.path), pytest.raises(NotAllowed, match="recorded"):
        made.guard.commit(verdict)
    assert not made.guard.running and made.kinds[-1] == "propose"
    made.ends_well()


@row("disk-observe")
def test_a_full_disk_at_an_observation(made: Session) -> None:
    made.guard.commit(made.guard.propose(RESERVE))
    with full_disk(made.path), pytest.raises(GuardFailed):
        made.guard.observe(receipt())
    ended(made.guard)
    with made.resumed() as again:
        assert again.running
        again.observe(receipt())
        again.commit(again.propose(Action("finish")))


@row("head")
def test_a_head_that_cannot_be_kept(made: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    verdict = made.guard.propose(RESERVE)
    with monkeypatch.context() as patched:
        patched.setattr("vsalang.journal.heads.private.write", broken_disk)
        with pytest.raises(NotAllowed, match="recorded"):
            made.guard.commit(verdict)
    assert not made.guard.running and made.kinds[-1] == "propose"
    made.ends_well()


def broken_disk(*_: object, **__: object) -> None:
    raise OSError(28, "No space left on device")


@row("cut")
def test_a_journal_whose_end_is_gone(made: Session) -> None:
    whole = made.path.read_bytes()
    made.guard.commit(made.guard.propose(RESERVE))
    made.path.write_bytes(whole)
    with pytest.raises(JournalError, match="its end is missing"), made.resumed():
        pass
    assert made.path.read_bytes() == whole


@row("killed")
def test_a_guard_that_is_gone(made: Session) -> None:
    made.guard.commit(made.guard.propose(RESERVE))
    made.journal.close()  # what the operating system does for a process that was killed
    with made.path.open("ab") as file:
        file.write(b'{"half": "a li')
    with made.resumed() as again:
        assert again.running
        again.observe(receipt())
        assert again.propose(RESERVE).level == "block"
        again.commit(again.propose(Action("finish")))


@row("pydatalog")
@pytest.mark.parametrize("how", ["dies", "hangs"])
def test_a_process_of_the_engine_that_fails(how: str) -> None:
    guard = Guard(PROGRAM, clock=Watch(), engine="pydatalog", settings=Settings(budget=Budget(seconds=0.5)))
    guard.observe(details(("18:30", True)))
    worker: Any = guard._evaluator
    os.kill(worker.pid, signal.SIGKILL if how == "dies" else signal.SIGSTOP)
    held_to(guard, guard.propose(TAP))
    ended(guard)


def test_screens_of_other_apps_are_no_failure(made: Session) -> None:
    made.guard.observe(screen({"id": "x"}, app="com.other"))
    assert made.guard.propose(Action("tap", {"id": "x"})).level == "confirm"
