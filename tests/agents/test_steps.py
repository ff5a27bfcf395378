"""The plain loop: an agent that is a function sees the screen, the verdict on its last step, and the way to go."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from vsalang import Guard, load, open_device
from vsalang.agents import Proposed
from vsalang.agents.steps import Observation, run_steps
from vsalang.guard.journal import Journal, Recorder, read_journal
from vsalang.phone.open.simulated import SimulatedDevice
from vsalang.program.action import Action
from vsalang.program.ir import Program

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def program() -> Program:
    loaded = load(ROOT / "app_specs" / "examples" / "reserve_r.vsa")
    assert loaded.program is not None, loaded.diagnostics
    return loaded.program


@pytest.fixture
def device() -> Iterator[SimulatedDevice]:
    with open_device("sim:restaurant") as device:
        assert isinstance(device, SimulatedDevice)
        device.perform(Action("open_app", {"package": "com.opentable"}), {"package": "com.opentable"})
        yield device


def test_it_learns_why_and_completes(program: Program, device: SimulatedDevice) -> None:
    """An agent with no plan for a refusal: it takes another time when it reads that its first is too late."""
    seen: list[Observation] = []

    def step(now: Observation) -> Action | Proposed:
        seen.append(now)
        labels = {row.get("label") for row in now.screen.rows("Node")}
        if "Near you tonight" in labels:
            return Action("tap", {"text": "R"})
        if "wanted < 19:00" in now.feedback:
            return Proposed(Action("tap", {"text": "18:30"}), note="the guard says it is too late")
        if "Reservation confirmed" in labels:
            return Action("finish")
        if now.number == 2:
            return Action("tap", {"text": "20:00"})
        return Action("tap", {"id": "reserve_button"})

    steps = list(run_steps(Guard(program), device, step))
    assert [(done.number, done.verdict.level, done.performed) for done in steps] == [
        (1, "allow", True), (2, "warn", False), (3, "allow", True), (4, "allow", True), (5, "allow", True),
    ]  # fmt: skip
    assert [now.number for now in seen] == [1, 2, 3, 4, 5]
    assert seen[0].verdict is None and not seen[0].performed and seen[0].feedback == ""
    assert [bool(now.feedback) for now in seen] == [False, False, True, False, False]
    assert [now.performed for now in seen[1:]] == [True, False, True, True]
    assert "Reserve" in seen[0].roadmap and seen[0].roadmap != seen[4].roadmap
    assert steps[2].proposed.note == "the guard says it is too late"
    assert device.phone.state("com.opentable")["booked"]


def test_it_ends_when_the_agent_has_no_more(program: Program, device: SimulatedDevice) -> None:
    def step(now: Observation) -> Action | None:
        return Action("wait") if now.number < 3 else None

    assert [done.number for done in run_steps(Guard(program), device, step)] == [1, 2]


def test_it_asks_no_more_often_than_it_is_told(program: Program, device: SimulatedDevice) -> None:
    steps = run_steps(Guard(program), device, lambda now: Action("finish"), most=4)
    assert [(done.number, done.performed) for done in steps] == [(n, False) for n in (1, 2, 3, 4)]


def test_after_a_refusal_it_sees_the_screen_anew(program: Program, device: SimulatedDevice) -> None:
    labels: list[bool] = []

    def step(now: Observation) -> Action | None:
        labels.append("Near you tonight" in {row.get("label") for row in now.screen.rows("Node")})
        if now.number == 1:
            device.phone.tap_id("result_card")  # somebody else's hand
            return Action("finish")
        return None

    list(run_steps(Guard(program), device, step))
    assert labels == [True, False]


def test_what_was_warned_can_be_repeated(program: Program, device: SimulatedDevice) -> None:
    plan = iter([Action("tap", {"text": "R"}), *(Action("tap", {"text": "20:00"}),) * 2])
    steps = list(run_steps(Guard(program), device, lambda now: next(plan, None)))
    assert [(done.verdict.level, done.performed) for done in steps] == [
        ("allow", True),
        ("warn", False),
        ("allow", True),
    ]


def test_it_is_recorded(program: Program, device: SimulatedDevice, tmp_path: Path) -> None:
    with Journal(tmp_path / "j.jsonl") as journal:
        recorder = Recorder(journal)
        guard = Guard(program, recorder=recorder)
        plan = iter([Action("tap", {"text": "R"})])
        assert len(list(run_steps(guard, device, lambda now: next(plan, None), recorder=recorder))) == 1
    kinds = [record.kind for record in read_journal(tmp_path / "j.jsonl")]
    assert "propose" in kinds and kinds[0] == "session" and kinds.count("commit") == 1


def test_what_the_agent_raises_ends_the_loop(program: Program, device: SimulatedDevice) -> None:
    def step(now: Observation) -> Action:
        raise RuntimeError("the model is gone")

    with pytest.raises(RuntimeError, match="the model is gone"):
        list(run_steps(Guard(program), device, step))
    assert [made.kind for made in device.phone.inputs] == ["open_app"]


def test_what_is_told_once_reaches_the_guard(program: Program, device: SimulatedDevice) -> None:
    """A toast after a refusal: the screen is as it was, and nobody will tell it again."""
    guard = Guard(program)
    told: list[str] = []
    observe = guard.observe

    def listening(screen: Any, *rest: Any, **more: Any) -> Any:
        told.extend(str(row["text"]) for row in screen.rows("Toast"))
        return observe(screen, *rest, **more)

    guard.observe = listening  # type: ignore[method-assign]

    def step(now: Observation) -> Action | None:
        if now.number == 1:
            return Action("tap", {"text": "R"})
        if now.number == 2:
            return Action("tap", {"text": "20:00"})  # it is warned of
        return None

    for done in run_steps(guard, device, step):
        if not done.performed:
            device.phone.last_toast = "Only two tables left"
    assert told == ["Only two tables left"]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("tap", r"gave the str 'tap'; it is to return an Action, such as Action\('tap', \{..\}\)"),
        ({"action": "tap"}, r"gave the dict \{'action': 'tap'\}; .* such as Action\(\"tap\", "),
        (Proposed("tap"), "gave the str 'tap'"),  # type: ignore[arg-type]
        (False, "gave the bool False"),
    ],
)
def test_a_function_that_returns_something_else_is_told(
    program: Program, device: SimulatedDevice, given: Any, message: str
) -> None:
    guard = Guard(program)
    with pytest.raises(TypeError, match=message):
        list(run_steps(guard, device, lambda now: given))
    assert [one.kind for one in device.phone.inputs] == ["open_app"]


@pytest.mark.filterwarnings("error")
def test_an_async_function_is_told_so(program: Program, device: SimulatedDevice) -> None:
    async def step(now: Observation) -> Action:
        return Action("back")

    with pytest.raises(TypeError, match="async def"):
        list(run_steps(Guard(program), device, step))  # type: ignore[arg-type]


def test_an_action_that_is_none_names_likely_ones(program: Program, device: SimulatedDevice) -> None:
    feedback: list[str] = []

    def step(now: Observation) -> Action | None:
        feedback.append(now.feedback)
        return (Action("tapp", {"text": "R"}), Action("Reserv"), None)[now.number - 1]

    steps = list(run_steps(Guard(program), device, step))
    assert [done.verdict.level for done in steps] == ["block", "block"]
    assert "`tapp` is not an action: did you mean `tap`?" in feedback[1]
    assert "`Reserv` is not an action: did you mean `Reserve`?" in feedback[2]
