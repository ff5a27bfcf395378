"""The failure contract: what fails while the guard commits, looks or records, and on the phone."""

import contextlib
import datetime as dt
import os
import resource
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.guard.breakable import PROGRAM, RESERVE, TAP, Session, breaks, broken, ended, held_to
from tests.guard.contract import row
from tests.guard.phones import Watch, details, receipt, screen
from tests.guard.programs import R, booking, lit
from vsalang.agents import run_agent
from vsalang.agents.proposed import Proposed
from vsalang.guard import Guard, GuardFailed, NotAllowed, Settings, Verdict
from vsalang.guard.journal import Journal, JournalError, Recorder, read_session
from vsalang.phone.errors import DeviceError, DeviceLost, NotDelivered
from vsalang.program import ir
from vsalang.program.action import Action
from vsalang.screen.tree import DumpError

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
        "_moments.showing_screens",
        "vsalang.guard.world.observing.apply",
        "vsalang.guard.world.outcome.Explainer",
        "vsalang.guard.world.observing.writes",
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
    from vsalang.screen.tree import read_dump

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
        patched.setattr("vsalang.guard.journal.journal_heads.private.create", broken_disk)
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
    guard = Guard(PROGRAM, clock=Watch(), engine="pydatalog")
    guard.observe(details(("18:30", True)))
    worker: Any = guard.session.parts.evaluator
    worker._seconds = 0.5  # from now on
    os.kill(worker.pid, signal.SIGKILL if how == "dies" else signal.SIGSTOP)
    held_to(guard, guard.propose(TAP))
    ended(guard)


def test_screens_of_other_apps_are_no_failure(made: Session) -> None:
    made.guard.observe(screen({"id": "x"}, app="com.other"))
    assert made.guard.propose(Action("tap", {"id": "x"})).level == "confirm"
