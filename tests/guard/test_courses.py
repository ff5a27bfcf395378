"""The outcomes of the same before is told again, exactly: sessions that share what was judged, next to ordinary ones.

Random sessions of several programs go on two guards at once, one of them with `Courses` that all sessions share. After
each call both must have given the same verdict or observation, and know the same.
"""

import datetime as dt
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.guard.programs import booking
from tests.guard.test_hostile_agent import PROPOSALS, SCREENS
from tests.models.risk.traces import dump
from tests.thorough import times
from tests.tools.fleet import journals
from vsalang.agents.walks import follow, read_walks
from vsalang.engine import EngineError, open_session
from vsalang.guard import Guard, NotAllowed, Proposal, Settings
from vsalang.guard.courses import Courses, believes, remembers, times_read
from vsalang.guard.examples import run_example
from vsalang.guard.judge.program_analysis import analysis
from vsalang.guard.say.verdict import Verdict
from vsalang.guard.world.observing import KnownWorld
from vsalang.language.semantics import load, load_text
from vsalang.program.action import Action
from vsalang.program.ir import Program
from vsalang.program.screen import Screen
from vsalang.program.values import Value
from vsalang.screen.screen import TreeScreen
from vsalang.screen.tree import load_tree

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "app_specs" / "examples"
BEGIN = dt.datetime(2026, 4, 1, 9)
MODES = (
    Settings(),
    Settings(overrides=1, verdict_life=None),
    Settings(mode="shadow"),
    Settings(unknown_screen="warn"),
)


@cache
def shop(*policies: str) -> Program:
    """The small shop: a spec with licences, a contract, a refusal that nobody sees, and what was done before."""
    with tempfile.TemporaryDirectory() as folder:
        spec = journals.rules(Path(folder))
        return load(spec, policies=[spec.with_name(f"{name}.vsa") for name in policies]).checked()


def texts_of(*rules: str) -> Program:
    """A policy of these rules."""
    lines = "\n".join(f'@id("R{number}") {rule}' for number, rule in enumerate(rules, 1))
    return load_text(f'policy p "Some rules"\nimport std.control\n{lines}\n', file="p.vsa").checked()


LABELS = ("Next", "Pay 5", "Pay 900", "Share data", "Send", "OK", "Paid", "Sorry")


def page(
    shown: tuple[str, ...], toast: str = "", app: str = "com.example.shop", partial: bool = False
) -> Screen:
    """Another object each time."""
    toasts = (toast,) if toast else ()
    return TreeScreen(load_tree(dump(*shown)), app=(app, None), toasts=toasts, partial=partial)


PAGES = st.builds(
    page,
    st.lists(st.sampled_from(LABELS), min_size=1, max_size=4, unique=True).map(tuple),
    st.sampled_from(("", "", "", "Hello")),
    st.sampled_from(("com.example.shop", "com.example.shop", "com.other")),
    st.sampled_from((False, False, True)),
)
TAPS = st.builds(
    lambda text, gesture: Proposal(Action(gesture, {"text": text})),
    st.sampled_from(LABELS),
    st.sampled_from(("tap", "tap", "tap", "long_press")),
)
TREES = st.one_of(
    TAPS,
    TAPS,
    st.sampled_from(
        (
            Proposal(Action("back")),
            Proposal(Action("tap", {"x": 540, "y": 50})),
            Proposal(Action("tap", {"x": 540, "y": 150})),
            Proposal(attempts=(Action("finish"),)),
            Proposal(Action("tap", {"text": "Pay 5"}), claims=(Action("Pay", {"what": "Pay 5"}),)),
            Proposal(),
        )
    ),
)


def steps(pages: Any, proposals: Any) -> Any:
    """What is done in a session, one after the other."""
    return st.lists(
        st.one_of(
            st.tuples(st.just("observe"), pages, st.sampled_from((True, True, False, None))),
            st.tuples(st.just("touched"), pages, st.sampled_from(("moved", "gone", ""))),
            st.tuples(st.just("propose"), proposals, st.sampled_from(("", "commit", "commit", "follow"))),
            st.tuples(st.just("turn"), proposals, pages),
            st.tuples(st.just("turn"), proposals, pages),
            st.tuples(st.just("pass"), st.sampled_from((0.2, 3, 90_000)), st.none()),
            st.tuples(st.just("give_back"), st.integers(0, 2), st.none()),
            st.tuples(st.just("blind"), st.none(), st.none()),
        ),
        min_size=2,
        max_size=9,
    )


SESSIONS = st.lists(steps(PAGES, TREES), min_size=2, max_size=4)
BOOKINGS = st.lists(steps(st.sampled_from(SCREENS), PROPOSALS), min_size=2, max_size=4)


class Clock:
    """Both guards have one that says the same."""

    def __init__(self) -> None:
        self.now = BEGIN

    def __call__(self) -> dt.datetime:
        return self.now


def untold(verdict: Verdict) -> tuple[Any, ...]:
    """All of a verdict, but how long it took."""
    return replace(verdict, took=0.0), verdict.times, verdict.read, verdict.touched, verdict.to_json()


def known(guard: Guard) -> Any:
    """All that a session knows; screens by what they say."""
    at = guard.session
    state = replace(at.state, compared=None, acted=None)
    seen = [
        s and getattr(s, "content", None) for s in (at.state.screen, at.state.acted and at.state.acted[0])
    ]
    compared = at.state.compared
    changes = compared and {name: list(compared.rows(name)) for name in ("Appeared", "Gone", "Delta")}
    rest = (at.tokens, at.proposals, at.warned, at.warned_of, at.finished, at.task_done, at.failed)
    running = at.running and replace(at.running, verdict=replace(at.running.verdict, took=0.0))
    return state, seen, at.state.acted and at.state.acted[1], changes, rest, running


def answers(guard: Guard, step: Any, clock: Clock) -> Iterator[Any]:
    """What a guard answers to a step of a session."""
    kind, first, second = step
    try:
        match kind:
            case "observe":
                yield guard.observe(first, second)
            case "touched":
                yield guard.observe(first, True, seen=KnownWorld(touched=second))
            case "blind":
                yield guard.observe(None)
            case "pass":
                clock.now += dt.timedelta(seconds=first)
            case "give_back":
                guard.give_back(first)
            case _:
                verdict = guard.propose(first)
                yield untold(verdict)
                how = second if kind == "propose" else "commit"
                if how == "follow":
                    guard.machine.follow(verdict)
                elif how == "commit":
                    guard.commit(verdict, approved=verdict.level == "confirm")
                if kind == "turn":
                    yield guard.observe(second)
    except (NotAllowed, ValueError) as refused:
        yield type(refused), str(refused)


def compare(program: Program, sessions: Any, how: Settings, courses: Courses) -> None:
    for number, session in enumerate(sessions):
        clocks = Clock(), Clock()
        day = BEGIN.date() + dt.timedelta(days=number % 2)
        plain = Guard(program, settings=how, clock=clocks[0], today=day)
        other = Guard(program, settings=how, clock=clocks[1], today=day, courses=courses)
        for step in session:
            one, two = (list(answers(*each)) for each in ((plain, step, clocks[0]), (other, step, clocks[1])))
            assert two == one
            assert known(other) == known(plain)
        assert [goal.whys for goal in other.roadmap()] == [goal.whys for goal in plain.roadmap()]


PROGRAMS = {
    "careful": lambda: load(EXAMPLES / "careful.vsa").checked(),
    "licences": lambda: shop("old", "new"),
    "changes": lambda: texts_of(
        'deny "It came: {?t}" when tap, Appeared(node = ?n), Node(node = ?n, text = ?t), ?t matches /Pay/.',
        'warn "Look: {?t}" when tap(text = ?t), ?t matches /Next|OK/.',
        'flag "Seen {?t}" when Toast(text = ?t).',
    ),
    "days": lambda: texts_of('confirm "Today" when tap(text = "Send"), today > 2026-04-01.'),
    "past": lambda: texts_of('deny "Twice" when tap(text = ?t), Node(text = "OK") earlier.'),
    "clock": lambda: texts_of('deny "Too early" when tap(text = "Send"), Clock(now < 10:00).'),
}
_MADE: dict[str, tuple[Program, Courses]] = {}


def made(name: str) -> tuple[Program, Courses]:
    """A program, and the courses of all its sessions here: what one example left the next one finds."""
    if name not in _MADE:
        _MADE[name] = PROGRAMS[name](), Courses(most=200)
    return _MADE[name]


@pytest.mark.parametrize("name", list(PROGRAMS))
@settings(max_examples=times(12, 1000), deadline=None)
@given(sessions=SESSIONS, how=st.sampled_from(MODES))
def test_the_same_as_alone(name: str, sessions: Any, how: Settings) -> None:
    program, courses = made(name)
    compare(program, sessions, how, courses)


@settings(max_examples=times(25, 1000), deadline=None)
@given(sessions=BOOKINGS, how=st.sampled_from(MODES))
def test_the_same_as_alone_with_what_is_believed(sessions: Any, how: Settings) -> None:
    if "booking" not in _MADE:
        _MADE["booking"] = booking().program(), Courses(most=200)
    program, courses = _MADE["booking"]
    compare(program, sessions, how, courses)


def test_what_is_read_of_time() -> None:
    read = {name: times_read(made(name)[0]) for name in PROGRAMS}
    assert {name for name, each in read.items() if each.clock} == {"clock"}
    assert {name for name, each in read.items() if each.past} == {"clock", "past"}
    assert {name for name, each in read.items() if each.days} == {"days"}
    assert {name for name, each in read.items() if each.changes} == {"changes"}


def test_a_history_needs_an_evaluator_of_its_own() -> None:
    for name in ("past", "clock"):
        program, courses = made(name)
        guard = Guard(program, clock=Clock(), courses=courses)
        assert guard.session.lane is None
    evaluator = open_session(made("past")[0], today=BEGIN.date())
    with pytest.raises(EngineError, match="keeps no history"):
        evaluator.rewind(0)  # type: ignore[attr-defined]


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.vsa")), ids=lambda path: path.stem)
def test_programs_that_share_an_evaluator_keep_no_history(path: Path) -> None:
    """What the rules say and what the engine keeps agree."""
    program = load(path).checked()
    read = analysis(program)
    evaluator = open_session(read.frontier.asked, today=BEGIN.date())
    keeps = bool(evaluator.state.plan.histories)  # type: ignore[attr-defined]
    times = times_read(program)
    assert not keeps or times.past or read.book.ordered


def test_what_is_known_is_not_asked_again() -> None:
    program, courses = shop("new"), Courses()
    for _ in range(3):
        guard = Guard(program, clock=Clock(), courses=courses)
        guard.observe(page(("Pay 5", "Pay 900")))
        for text in ("Pay 5", "Pay 900", "Pay 5"):
            verdict = guard.propose(Action("tap", {"text": text}))
            guard.machine.follow(verdict)
            guard.observe(page(("Pay 5", "Pay 900")))
        assert remembers(guard.snapshot) and guard.ledger and not believes(guard.snapshot.world)
    assert courses.unknown == 7 and courses.known == 14


def test_what_is_kept_is_bounded() -> None:
    program, courses = made("careful")[0], Courses(most=10)
    for number in range(60):
        guard = Guard(program, clock=Clock(), courses=courses)
        guard.observe(page((f"Button {number}",)))
        guard.propose(Action("tap", {"text": f"Button {number}"}))
    assert len(courses._kept) == 10


def test_an_internal_error_is_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    program, courses = made("careful")[0], Courses()
    guard = Guard(program, clock=Clock(), courses=courses)
    guard.observe(page(("OK",)))
    with monkeypatch.context() as broken:
        broken.setattr("vsalang.guard.judge.judging_steps.Judging.judge", lambda *_, **__: 1 / 0)
        assert guard.propose(Action("tap", {"text": "OK"})).level == "block"
    assert guard.propose(Action("tap", {"text": "OK"})).level != "block"
    with monkeypatch.context() as broken:
        broken.setattr("vsalang.guard.world.outcome.Outcomes.observe", lambda *_, **__: 1 / 0)
        with pytest.raises(Exception, match="ZeroDivisionError"):
            guard.observe(page(("Next",)))
    assert guard.propose(Action("tap", {"text": "OK"})).level == "block"
    later = Guard(program, clock=Clock(), courses=courses)
    later.observe(page(("Next",)))
    assert later.propose(Action("tap", {"text": "Next"})).level != "block"


def test_two_sessions_that_take_turns_do_not_mix() -> None:
    program, courses = shop("new"), Courses()
    guards = [Guard(program, clock=Clock(), courses=courses) for _ in range(2)]
    alone = [Guard(program, clock=Clock()) for _ in range(2)]
    for text in ("Pay 5", "Pay 900", "Next", "Pay 5"):
        for number in (0, 1):
            shown = page(("Pay 5", "Pay 900", "Next", f"Only {number}"))
            for guard in (guards[number], alone[number]):
                guard.observe(shown)
            one, two = (
                guard.propose(Action("tap", {"text": text})) for guard in (guards[number], alone[number])
            )
            assert untold(one) == untold(two)
            if number or text != "Next":
                for guard, verdict in ((guards[number], one), (alone[number], two)):
                    guard.machine.follow(verdict)
                    guard.observe(shown)


def test_words_read_late_are_of_their_look() -> None:
    program, courses = shop("new"), Courses()
    verdicts: list[tuple[Verdict, Verdict]] = []
    for label in ("Pay 900", "Next", "Pay 900", "Send"):
        guards = Guard(program, clock=Clock(), courses=courses), Guard(program, clock=Clock())
        shown = page((label, "Pay 5"))
        for guard in guards:
            guard.observe(shown)
        for text in (label, "Pay 5", label):
            verdicts.append(tuple(guard.propose(Action("tap", {"text": text})) for guard in guards))  # type: ignore[arg-type]
            for guard, verdict in zip(guards, verdicts[-1], strict=True):
                guard.machine.follow(verdict)
                guard.observe(shown)
    assert courses.known > 0 and any(one.reasons for one, _ in verdicts)
    for one, other in verdicts:
        assert untold(one) == untold(other)


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.vsa")), ids=lambda path: path.stem)
def test_shipped_stories_come_out_the_same(path: Path) -> None:
    loaded = load(path)
    courses = Courses()
    for _ in range(2):
        for example in loaded.own:
            one = run_example(loaded.checked(), example)
            two = run_example(loaded.checked(), example, courses=courses)
            assert two.passed == one.passed
            for mine, other in zip(two.steps, one.steps, strict=True):
                took = [each.verdict and untold(each.verdict) for each in (mine, other)]
                assert took[0] == took[1]
                assert mine.observed == other.observed and mine.problem == other.problem


@pytest.mark.parametrize("name", ["careful", "reserve_r", "dollars_for_five"])
def test_recorded_walks_come_out_the_same(name: str, shared_data: Path) -> None:
    files = sorted((shared_data / "trajectories" / "droidtask").glob("*.jsonl.gz"))
    walks = [walk for file in files for walk in read_walks(file)][: times(9, 200)]
    program, courses = load(EXAMPLES / f"{name}.vsa").checked(), Courses()
    for walk in (*walks, *walks[::3]):
        one, two = (list(follow(walk, program, **each)) for each in ({}, {"courses": courses}))  # type: ignore[arg-type]
        assert [untold(turn.verdict)[2:] for turn in two] == [untold(turn.verdict)[2:] for turn in one]
        assert [(turn.observed, turn.problem) for turn in two] == [
            (turn.observed, turn.problem) for turn in one
        ]
    assert courses.known > 0


def test_equal_values_of_different_types_are_different_looks() -> None:
    def told(value: Value) -> TreeScreen:
        rows = {"Setting": [{"name": "wifi", "value": value}]}
        return TreeScreen(load_tree(dump("OK")), app=("a", None), system=rows)

    assert len({told(value).content for value in (1, True, "1")}) == 3
    assert told("1").content == told("1").content
    later = TreeScreen(load_tree(dump("OK")), app=("a", None), settled=True)
    assert later.content != TreeScreen(load_tree(dump("OK")), app=("a", None)).content
    assert (
        later.since(told("1")).content is None
        and told("1").with_rows({"Setting": []}).content != told("1").content
    )
