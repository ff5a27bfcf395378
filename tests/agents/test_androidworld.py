"""AndroidWorld's environment behind the guard, on the simulated phone, with an agent that swallows errors."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import adbutils
import pytest

from tests.agents.androidworld_types import M3A, AdbEnv, JSONAction, UIElement
from vsalang import Guard, load, open_device
from vsalang.agents.adapters.androidworld import GuardedAgent, GuardedEnv, look
from vsalang.guard import ActionBlocked
from vsalang.phone.gate import ActionRefused, Gate
from vsalang.phone.open.simulated import SimulatedDevice
from vsalang.program.action import Action
from vsalang.program.ir import Program

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Setting:
    device: SimulatedDevice
    bare: AdbEnv
    gate: Gate

    @property
    def env(self) -> GuardedEnv:
        return GuardedEnv(self.bare, self.gate)

    def reached(self) -> list[tuple[str, str]]:
        return [(made.kind, made.target) for made in self.device.phone.inputs[1:]]


@pytest.fixture(scope="module")
def program() -> Program:
    loaded = load(ROOT / "app_specs" / "examples" / "reserve_r.vsa")
    assert loaded.program is not None, loaded.diagnostics
    return loaded.program


@pytest.fixture
def setting(program: Program) -> Iterator[Setting]:
    with open_device("sim:restaurant") as device:
        assert isinstance(device, SimulatedDevice)
        device.perform(Action("open_app", {"package": "com.opentable"}), {"package": "com.opentable"})
        adb = adbutils.AdbClient(host="127.0.0.1", port=device.adb_port).device(device.info.serial)
        size = (device.info.width, device.info.height)
        env = AdbEnv(lambda command: str(adb.shell(command)), size, forest=True)
        yield Setting(device, env, Gate(Guard(program), device.observe))


def index(elements: list[UIElement], *wanted: str) -> int:
    for number, element in enumerate(elements):
        if {element.text, (element.resource_name or "").split("/")[-1]} & set(wanted):
            return number
    raise LookupError(wanted)


def saying(
    plan: list[Callable[[str, list[UIElement]], dict[str, Any]]],
) -> Callable[[str, list[UIElement]], str]:
    """A model that goes through a plan."""
    left = iter(plan)
    return lambda prompt, elements: f"Reason: so\nAction: {json.dumps(next(left)(prompt, elements))}"


def click(*wanted: str) -> Callable[[str, list[UIElement]], dict[str, Any]]:
    return lambda prompt, elements: {"action_type": "click", "index": index(elements, *wanted)}


def done(status: str = "complete") -> Callable[[str, list[UIElement]], dict[str, Any]]:
    return lambda prompt, elements: {"action_type": "status", "goal_status": status}


def test_an_agent_that_swallows_errors_learns_why_and_completes(setting: Setting) -> None:
    def other_time(prompt: str, elements: list[UIElement]) -> dict[str, Any]:
        assert "wanted < 19:00" in prompt and prompt.startswith("Reserve a table")
        return {"action_type": "click", "index": index(elements, "18:30")}

    def not_yet(prompt: str, elements: list[UIElement]) -> dict[str, Any]:
        assert "the task is not done" in prompt
        return {"action_type": "click", "index": index(elements, "reserve_button")}

    env = setting.env
    model = saying([click("R"), click("20:00"), other_time, done(), not_yet, done()])
    agent = GuardedAgent(M3A(env, model), env)
    agent.reset()
    results = []
    while not results or not results[-1].done:
        results.append(agent.step("Reserve a table"))
    assert len(results) == 6
    assert setting.gate.finished
    assert setting.reached() == [("tap", "result_card"), ("tap", "slot"), ("tap", "reserve_button")]
    # what was refused stands in the agent's own history, which it would have left out, and nowhere twice
    assert ["Refused" in step["summary"] for step in agent.history] == [
        False,
        True,
        False,
        True,
        False,
        False,
    ]
    prompts = agent.prompts
    assert (
        "A guard checks" not in prompts[1]
        and "A guard checks" in prompts[2]
        and "A guard checks" not in prompts[3]
    )
    assert "Warned: tap" in prompts[3]  # out of the history


def test_the_task_seen_through_its_own_eyes(setting: Setting, program: Program) -> None:
    """The guard sees the forest that the environment gives, and needs no other way to the phone."""
    today = setting.device.phone.clock.date()
    gate = Gate(Guard(program, today=today), look(setting.bare))
    env = GuardedEnv(setting.bare, gate)
    plan = [click("R"), click("20:00"), click("18:30"), click("reserve_button"), done()]
    agent = GuardedAgent(M3A(env, saying(plan)), env)
    results = [agent.step("Reserve a table") for _ in plan]
    assert [result.done for result in results] == [False, False, False, False, True], agent._message
    assert setting.reached() == [("tap", "result_card"), ("tap", "slot"), ("tap", "reserve_button")]


def test_elements_alone_are_not_enough_to_reserve(setting: Setting, program: Program) -> None:
    """Without the forest nobody knows what is around an element: the guard holds back rather than guesses."""
    setting.bare._forest = False
    today = setting.device.phone.clock.date()
    setting.device.phone.tap_id("result_card")
    setting.device.phone.tap_id("slot#2")
    env = GuardedEnv(setting.bare, Gate(Guard(program, today=today), look(setting.bare)))
    number = index(env.get_state().ui_elements, "reserve_button")
    with pytest.raises((ActionBlocked, ActionRefused)):
        env.execute_action(JSONAction("click", index=number))
    assert len(setting.reached()) == 2


def test_giving_up_ends_it(setting: Setting) -> None:
    env = setting.env
    agent = GuardedAgent(M3A(env, saying([done("infeasible")])), env)
    assert agent.step("Reserve a table").done
    assert setting.gate.last is not None
    assert [action.name for action in setting.gate.last.actions] == ["give_up"]


def test_an_end_without_action_is_judged_as_end(setting: Setting) -> None:
    class Plain:
        env = setting.env

        def step(self, goal: str) -> Any:
            from tests.agents.androidworld_types import AgentInteractionResult

            return AgentInteractionResult(True, {})

    agent = Plain()
    result = GuardedAgent(agent, agent.env).step("Reserve a table")
    assert not result.done and result.data == {}


def test_an_index_means_the_list_that_the_agent_saw(setting: Setting) -> None:
    """The environment would look the index up in its newest list, and tap something else."""
    env = setting.env
    seen = env.get_state().ui_elements
    setting.device.phone.tap_id("search_box")
    setting.device.phone.type_text("Q")  # the list is another now
    number = index(seen, "R")
    assert setting.bare.get_state().ui_elements[number].text != "R"
    env.execute_action(JSONAction("click", index=number))
    (sent,) = setting.bare.executed
    box = seen[number].bbox_pixels
    assert box is not None and sent.index is None and (sent.x, sent.y) == tuple(map(int, box.center))


@pytest.mark.parametrize("kind", ["double_tap", "long_press"])
def test_touches_by_place_and_by_index(setting: Setting, kind: str) -> None:
    env = setting.env
    number = index(env.get_state().ui_elements, "results_title")
    env.execute_action(JSONAction(kind, index=number))
    assert setting.bare.executed[0].index is None
    x, y = setting.bare.executed[0].x, setting.bare.executed[0].y
    env.execute_action(JSONAction(kind, x=x, y=y))
    assert setting.bare.executed[1] == setting.bare.executed[0]


def test_typing_is_judged_as_tap_text_and_enter(setting: Setting) -> None:
    env = setting.env
    number = index(env.get_state().ui_elements, "search_box")
    env.execute_action(JSONAction("input_text", index=number, text="Roma"))
    assert setting.gate.last is not None
    assert [action.name for action in setting.gate.last.actions] == ["input_text", "press_key"]
    # the environment's own tap is judged on the screen that the first one left
    assert [kind for kind, _ in setting.reached()] == ["tap", "tap", "text", "key"]
    env.execute_action(JSONAction("input_text", index=number, text=""))  # it only warns there
    assert len(setting.reached()) == 4


def test_a_field_with_the_focus_is_not_tapped_beforehand(setting: Setting) -> None:
    env = setting.env
    setting.gate.begin()
    number = index(env.get_state().ui_elements, "search_box")
    env.execute_action(JSONAction("click", index=number))
    env.execute_action(JSONAction("input_text", index=number, text="Roma"))
    assert [kind for kind, _ in setting.reached()] == ["tap", "tap", "text", "key"]


def test_nothing_is_typed_into_a_page_just_opened(setting: Setting) -> None:
    """The environment taps, types and presses Enter in one go, no matter what the tap did."""
    env = setting.env
    number = index(env.get_state().ui_elements, "R")
    with pytest.raises(ActionRefused, match="nothing was typed"):
        env.execute_action(JSONAction("input_text", index=number, text="Roma"))
    assert setting.reached() == [("tap", "result_card")]
    assert "nothing was typed" in env.feedback
    assert setting.gate.last is not None and setting.gate.last.delivered is False


def test_what_is_sent_are_the_pixels_that_were_judged(setting: Setting) -> None:
    env = setting.env
    env.execute_action(JSONAction("click", x=100.7, y=500.2))  # type: ignore[arg-type]
    assert [(sent.x, sent.y) for sent in setting.bare.executed] == [(100, 500)]


def test_a_scroll_needs_the_element_as_it_was(setting: Setting) -> None:
    env = setting.env
    number = index(env.get_state().ui_elements, "results")
    env.execute_action(JSONAction("scroll", direction="down", index=number))
    assert [kind for kind, _ in setting.reached()] == ["swipe"]
    env.get_state()
    setting.device.phone.tap_id("result_card")
    with pytest.raises(ActionRefused, match="the screen has changed"):
        env.execute_action(JSONAction("scroll", direction="down", index=number))
    assert env.feedback.startswith("refused: the screen has changed")


def test_the_rest_of_the_actions(setting: Setting) -> None:
    env = setting.env
    for action in (
        JSONAction("scroll", direction="down"),
        JSONAction("wait"),
        JSONAction("keyboard_enter"),
        JSONAction("answer", text="none"),
    ):
        try:
            env.execute_action(action)
        except ActionBlocked as blocked:
            assert action.action_type == "answer", blocked.feedback  # the task allows none
    assert env.feedback.startswith("Blocked: answer(")
    assert [action.action_type for action in setting.bare.executed] == ["scroll", "wait", "keyboard_enter"]


def test_an_answer_that_is_allowed_is_kept(setting: Setting, tmp_path: Path) -> None:
    (tmp_path / "s.vsa").write_text(
        'spec s "Which is the cheapest?"\nallow answer.\ndone when answer earlier.\n'
    )
    program = load(tmp_path / "s.vsa").program
    assert program is not None
    env = GuardedEnv(setting.bare, Gate(Guard(program), setting.device.observe))
    env.execute_action(JSONAction("answer", text="R"))
    assert env.interaction_cache == "R" and len(setting.bare.executed) == 1


@pytest.mark.parametrize(
    "action",
    [
        JSONAction("click", index=999),
        JSONAction("click", index=-1),
        JSONAction("click"),
        JSONAction("click", x=5),
        JSONAction("click", x=1.5j),  # type: ignore[arg-type]
        JSONAction("scroll", direction="sideways"),
        JSONAction("open_app"),
        JSONAction("input_text", text="x"),
    ],
    ids=str,
)
def test_what_is_no_action_is_refused(setting: Setting, action: JSONAction) -> None:
    env = setting.env
    with pytest.raises(ActionRefused) as refused:
        env.execute_action(action)
    assert env.feedback == refused.value.feedback
    assert setting.bare.executed == []


def test_an_unknown_action_is_a_command(setting: Setting) -> None:
    with pytest.raises(ActionBlocked, match="shell"):
        setting.env.execute_action(JSONAction("unknown"))
    assert setting.bare.executed == []


def test_what_was_judged_is_what_is_sent(setting: Setting) -> None:
    env = setting.env
    number = index(env.get_state().ui_elements, "R")
    action = JSONAction("click", index=number)
    original = setting.bare.execute_action

    def changed(sent: JSONAction) -> None:
        action.index = 0
        original(sent)

    setting.bare.execute_action = changed  # type: ignore[method-assign]
    env.execute_action(action)
    assert setting.reached() == [("tap", "result_card")]


def test_everything_else_is_the_environments(setting: Setting) -> None:
    env = setting.env
    assert env.logical_screen_size == (720, 1520) and env.controller is setting.bare.controller
    env.interaction_cache = "an answer"
    assert setting.bare.interaction_cache == "an answer" == env.interaction_cache
    assert env.reset(go_home=True).ui_elements == setting.bare.get_state().ui_elements
    assert env.interaction_cache == ""
    with pytest.raises(ValueError, match="give it the guarded one"):
        GuardedAgent(M3A(setting.bare, saying([])), env)
