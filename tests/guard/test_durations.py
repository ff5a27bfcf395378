"""Durations are measured on a timeline that no setting of the phone's clock moves: zones, summer time, dead guards."""

import datetime as dt
import itertools
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.oracle import engine_of
from vsalang.guard import Guard, NotAllowed
from vsalang.guard.journal import Recorder, read_session, replay, resume
from vsalang.guard.journal.file import Journal
from vsalang.guard.world.clock import APART, HandClock, ScreenClock, Timeline, Times
from vsalang.guard.world.fact_screen import FactScreen
from vsalang.language.semantics import load
from vsalang.program.action import Action
from vsalang.program.ir import Program
from vsalang.program.vocabulary import VOCABULARY

APP = """
app bank package "com.bank" "A bank"
screen Home when Node(id = "home").
action Pay(number: Number) "Pay an order"
recognize Pay(number = number(?n)) when tap(id = ?i, text = ?n), ?i contains "pay".
"""
SPEC = """
spec t "Pay orders 1 and 2"
import bank
allow 1 Pay(number = 1).
allow 1 Pay(number = 2).
deny "one payment within an hour" when Pay, Pay within 1h.
done when Pay(number = 2) earlier.
"""
NOON = dt.datetime(2026, 3, 29, 12)
SECOND, MINUTE, HOUR = dt.timedelta(seconds=1), dt.timedelta(minutes=1), dt.timedelta(hours=1)
FIRST, NEXT = Action("tap", {"id": "pay1"}), Action("tap", {"id": "pay2"})


class World:
    """A phone and a host: time passes on both, and the phone's clock can be set."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.ran = 1000.0
        self.shown = NOON
        monkeypatch.setattr("vsalang.guard.world.clock.time", SimpleNamespace(monotonic=lambda: self.ran))

    def passes(self, time: dt.timedelta) -> None:
        self.ran += time.total_seconds()
        self.shown += time

    def page(self) -> FactScreen:
        """The screen, with the phone's clock."""
        made = FactScreen().seen(VOCABULARY["App"], {"package": "com.bank"})
        clock = {"now": self.shown.time().replace(microsecond=0), "today": self.shown.date()}
        made = made.seen(VOCABULARY["Clock"], clock)  # type: ignore[arg-type]
        nodes: list[dict[str, Any]] = [
            {"id": "home"},
            {"id": "pay1", "text": "1"},
            {"id": "pay2", "text": "2"},
        ]
        for place, node in enumerate(nodes, 1):
            cells = {"node": place, "package": "com.bank", "clickable": True, "enabled": True}
            made = made.seen(VOCABULARY["Node"], {**cells, "scrollable": False, **node})
        return made

    def pays(self, guard: Guard) -> None:
        guard.commit(guard.propose(FIRST))
        self.passes(SECOND)
        guard.observe(self.page())


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> World:
    return World(monkeypatch)


@pytest.fixture
def program(tmp_path: Path) -> Program:
    (tmp_path / "bank.vsa").write_text(APP)
    (tmp_path / "t.vsa").write_text(SPEC)
    return load(tmp_path / "t.vsa").checked()


def paid(world: World, program: Program, **more: Any) -> Guard:
    guard = Guard(program, **more)
    guard.observe(world.page())
    world.pays(guard)
    return guard


def look(world: World, guard: Guard) -> str:
    """What is said to the second payment after a look."""
    guard.observe(world.page())
    return guard.propose(NEXT).level


# ---------------------------------------------------------------- the phone's clock is set


@pytest.mark.parametrize("engine", ["incremental", "reference", "pydatalog"])
def test_a_change_of_the_zone_lifts_no_limit(world: World, program: Program, engine: Any) -> None:
    guard = paid(world, program, engine=engine_of(engine))
    world.passes(MINUTE)
    world.shown += HOUR  # the phone is in the next zone now, or summer time began
    assert look(world, guard) == "block"
    world.passes(57 * MINUTE)
    assert look(world, guard) == "block"
    world.passes(3 * MINUTE)
    assert look(world, guard) == "allow"  # the hour is over


@pytest.mark.parametrize("jump", [HOUR, 9 * HOUR, 400 * 24 * HOUR, -HOUR, -9 * HOUR, 50 * SECOND])
def test_an_hour_is_an_hour_whatever_the_clock(world: World, program: Program, jump: dt.timedelta) -> None:
    guard = paid(world, program)
    for _ in range(10):
        world.passes(5 * MINUTE)
        world.shown += jump
        assert look(world, guard) == "block"
    world.passes(10 * MINUTE)
    if jump > dt.timedelta(0):
        assert look(world, guard) == "allow"
    else:  # at each of the ten looks the phone's clock had not gone on at all
        assert look(world, guard) == "block"
        world.passes(HOUR)
        assert look(world, guard) == "allow"


@pytest.mark.slow
def test_a_clock_set_back_once_costs_one_look(world: World, program: Program) -> None:
    guard = paid(world, program)
    world.passes(MINUTE)
    world.shown -= 8 * HOUR
    assert look(world, guard) == "block"
    world.passes(HOUR)
    assert look(world, guard) == "allow"


def test_a_phone_that_slept_while_the_host_ran(world: World, program: Program) -> None:
    guard = paid(world, program)
    world.ran += 2 * 3600
    assert look(world, guard) == "block"


def test_what_rules_see_of_the_clock_is_the_phones(world: World, program: Program) -> None:
    guard = paid(world, program)
    before = guard.session.clock.read().timeline
    world.shown += HOUR
    guard.observe(world.page())
    verdict = guard.propose(NEXT)
    assert verdict.at == NOON + HOUR + SECOND and verdict.times is not None
    assert verdict.times.timeline == before


def test_a_clock_that_is_set_back_lengthens_no_verdict(world: World, program: Program) -> None:
    clock = ScreenClock()
    guard = Guard(program, clock=clock)
    guard.observe(world.page())
    verdict = guard.propose(FIRST)
    world.passes(20 * SECOND)
    world.shown -= 18 * SECOND
    screen = world.page()
    clock.see(screen)  # as who takes screens for the guard does
    with pytest.raises(NotAllowed, match="too old"):
        guard.commit(verdict)


def test_a_clock_that_tests_move_moves_durations(world: World, program: Program) -> None:
    """The host's time is nothing to it."""
    now = [NOON]
    guard = paid(world, program, clock=lambda: now[0])
    world.passes(2 * HOUR)
    assert look(world, guard) == "block"
    now[0] += 61 * MINUTE
    assert look(world, guard) == "allow"


def test_a_simulated_phone_moves_durations(world: World, program: Program) -> None:
    guard = paid(world, program, clock=ScreenClock(live=False))
    world.ran += 7200
    assert look(world, guard) == "block"
    world.shown += 61 * MINUTE
    assert look(world, guard) == "allow"


def test_waiting_ends_within_the_minute_that_a_screen_shows(world: World) -> None:
    clock = ScreenClock(live=False)
    clock.see(world.page())
    for _ in range(40):
        clock.wait(2 * SECOND)
        clock.see(world.page())  # the same time once more
    assert clock() == world.shown + MINUTE - SECOND
    world.shown += HOUR
    clock.see(world.page())
    assert clock() == world.shown
    world.shown = dt.datetime(9999, 12, 31, 23, 59, 59)  # a walk may say so
    clock.see(world.page())
    clock.wait(2 * SECOND)
    assert clock() >= world.shown


def test_what_the_user_pondered_is_old_as_its_commit(world: World, program: Program, tmp_path: Path) -> None:
    (tmp_path / "t.vsa").write_text(SPEC + 'confirm "a payment" when Pay.\n')
    guard = Guard(load(tmp_path / "t.vsa").checked())
    guard.observe(world.page())
    verdict = guard.propose(FIRST)
    assert verdict.level == "confirm"
    world.passes(50 * MINUTE)
    guard.commit(verdict, approved=True)
    world.passes(15 * MINUTE)
    assert look(world, guard) == "block"
    world.passes(46 * MINUTE)
    assert look(world, guard) == "confirm"


# ---------------------------------------------------------------- the journal


def test_a_session_is_judged_again_as_it_was(world: World, program: Program, tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    levels = []
    with Journal(path) as journal:
        guard = paid(world, program, recorder=Recorder(journal))
        for time, jump in (
            (MINUTE, HOUR),
            (40 * MINUTE, -2 * HOUR),
            (18 * MINUTE, 9 * HOUR),
            (2 * MINUTE, HOUR),
        ):
            world.passes(time)
            world.shown += jump
            levels.append(look(world, guard))
            guard.roadmap()  # reads the clocks, and is not recorded
        snapshot, times = guard.snapshot, guard.session.clock.read()
    session = read_session(path)
    assert levels[:3] == ["block"] * 3
    judged = replay(session, program).judgements
    assert [found.step.level for found in judged][1:] == levels
    assert not any(found.flipped or found.moved for found in judged)
    with resume(path, program=program) as resumed:
        assert resumed.guard.snapshot == snapshot
        assert resumed.guard.session.clock.read().timeline <= times.timeline + SECOND


def gap(monkeypatch: pytest.MonkeyPatch, passed: dt.timedelta) -> None:
    """The host's clock says that so much has passed since the journal was written."""

    class Later(dt.datetime):
        @classmethod
        def now(cls, tz: dt.tzinfo | None = None) -> Any:
            return dt.datetime.now(tz) + passed

    fake = SimpleNamespace(datetime=Later, date=dt.date, UTC=dt.UTC, timedelta=dt.timedelta)
    monkeypatch.setattr("vsalang.guard.journal.enact.dt", fake)


@pytest.mark.parametrize(
    ("host", "phone", "looks", "level"),
    [
        (10 * MINUTE, 5 * HOUR, True, "block"),  # the zone changed while no guard was there
        (2 * HOUR, dt.timedelta(0), True, "block"),  # the phone did not run
        (2 * HOUR, -3 * HOUR, True, "block"),
        (-2 * HOUR, 2 * HOUR, True, "block"),  # the host's clock was set back
        (2 * HOUR, 2 * HOUR, True, "allow"),  # both say so
        (2 * HOUR, 2 * HOUR, False, "block"),  # the phone was not asked
    ],
)
def test_the_time_without_a_guard_is_the_smaller_too(
    world: World,
    program: Program,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    host: dt.timedelta,
    phone: dt.timedelta,
    looks: bool,
    level: str,
) -> None:
    path = tmp_path / "j.jsonl"
    with Journal(path) as journal:
        paid(world, program, recorder=Recorder(journal))
    world.ran = 5.0  # the host began again
    world.shown += phone
    gap(monkeypatch, host)
    with resume(path, program=program) as resumed:
        if not looks:
            assert resumed.guard.propose(NEXT).level == level
            assert look(world, resumed.guard) == level  # nor does it grow old by what is seen later
        else:
            assert look(world, resumed.guard) == level
        world.passes(HOUR)
        assert look(world, resumed.guard) == "allow"
    assert not any(found.flipped for found in replay(read_session(path), program).judgements)


def test_old_journals_know_one_clock(world: World, program: Program, tmp_path: Path) -> None:
    """Where all clocks say the same a record holds one, and a record that holds one is read so."""
    path = tmp_path / "j.jsonl"
    now = [NOON]
    with Journal(path) as journal:
        guard = paid(world, program, clock=lambda: now[0], recorder=Recorder(journal))
        now[0] += 61 * MINUTE
        assert look(world, guard) == "allow"
    session = read_session(path)
    assert not any({"timeline", "steady"} & record.data.keys() for record in session.records)
    assert not any(found.flipped for found in replay(session, program).judgements)


# ---------------------------------------------------------------- the timeline

_STEPS = st.lists(
    st.tuples(st.integers(-4000, 4000) | st.integers(-70, 70), st.integers(0, 4000) | st.integers(0, 70)),
    max_size=30,
)


@given(_STEPS)
def test_the_timeline_goes_no_further_than_either_clock(steps: list[tuple[int, int]]) -> None:
    line = Timeline(Times.all_at(NOON))
    clock, steady, all_ = NOON, NOON, [line.last]
    ahead = [dt.timedelta(0)]
    for step, ran in steps:
        clock, steady = clock + step * SECOND, steady + ran * SECOND
        all_.append(line.to(clock, steady))
        ahead.append(ahead[-1] + max(step, 0) * SECOND)
    for (one, gone), (other, went) in itertools.combinations(zip(all_, ahead, strict=True), 2):
        assert dt.timedelta(0) <= other.timeline - one.timeline <= other.steady - one.steady
        assert one is not all_[0] or other.timeline - one.timeline <= went - gone


@given(st.lists(st.tuples(st.integers(0, 300), st.integers(-25, 25)), max_size=40))
def test_looks_that_take_time_cost_no_more_than_once(steps: list[tuple[int, int]]) -> None:
    """The phone's clock is read a little before or after the steady one: that does not add up."""
    line, steady = Timeline(Times.all_at(NOON)), NOON
    for ran, late in steps:
        steady += ran * SECOND
        line.to(steady + late * SECOND, steady)
    assert steady - line.last.timeline <= APART


@given(st.lists(st.integers(-4000, 4000), max_size=20))
def test_a_clock_moved_by_hand_moves_all(steps: list[int]) -> None:
    now = [NOON]
    clock = HandClock(lambda: now[0])
    assert clock.read() == Times.all_at(NOON)
    for step in steps:
        now[0] += step * SECOND
        times = clock.read()
        assert times.clock == now[0] and times.timeline == times.steady
    assert clock.read().timeline == NOON + sum(max(step, 0) for step in steps) * SECOND
