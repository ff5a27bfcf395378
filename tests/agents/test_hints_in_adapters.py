"""Every adapter tells the agent its next steps where it reads what the guard says."""

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.agents.session.notes import LOOKS, NOW, NotesPhone, guard, tap, written
from vsalang.agents.adapters.androidworld import GuardedAgent, GuardedEnv
from vsalang.agents.driver import GuardedDriver
from vsalang.agents.maps import UTG, Edge, Navigator
from vsalang.agents.mcp import Answer, PhoneSession
from vsalang.agents.reporting import ReportedGuard, Service
from vsalang.agents.session.step_hints import Hints
from vsalang.base.names import LANGUAGES
from vsalang.guard import ActionBlocked, Guard
from vsalang.language.semantics import Loaded
from vsalang.phone.gate import Gate, GateEvent
from vsalang.phone.gate.telling import event_document
from vsalang.program.action import Action
from vsalang.program.ir import Atom

BACK = 'Next, by the map (it permits nothing): 2 steps left: back, tap(id = "row"), to Note; not counted yet'
ROW = 'Next, by the map (it permits nothing): 1 step left: tap(id = "row"), to Note; not counted yet'


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> Loaded:
    return written(tmp_path_factory.mktemp("notes"))


def hints(loaded: Loaded, goal: str = "Note") -> Hints:
    utg = UTG.from_program(loaded.checked())
    back = Edge("notes:Trash", Atom("back"), "notes:Notes")
    return Hints(Navigator(UTG(utg.screens, (*utg.edges, back)), [f"notes:{goal}"]))


def gated(loaded: Loaded, phone: NotesPhone, heard: list[GateEvent] | None = None) -> Gate:
    told = heard.append if heard is not None else None
    gate = Gate(guard(loaded, hints(loaded).recording()), phone.observe, listener=told)
    gate.begin()
    return gate


def act(gate: Gate, phone: NotesPhone, action: Action) -> None:
    gate.act([action], lambda: phone.perform(action, dict(action.args)))


def test_a_gate_says_it_with_each_refusal(loaded: Loaded) -> None:
    phone, heard = NotesPhone(), list[GateEvent]()
    phone.here = "Notes"
    gate = gated(loaded, phone, heard)
    assert gate.hint == ROW
    act(gate, phone, tap("More"))
    assert (gate.feedback, gate.hint) == ("", BACK)  # it passed: nothing is wrong
    with pytest.raises(ActionBlocked) as blocked:
        act(gate, phone, Action("finish"))
    assert blocked.value.feedback.endswith(f"\n{BACK}\n") and str(blocked.value).endswith(BACK)
    assert blocked.value.feedback.startswith("Blocked: finish")
    assert gate.feedback == blocked.value.feedback
    passed, refused = (event_document(event, language="de") for event in heard)
    assert "hint" in passed["verdict"] and passed["feedback"] == ""
    assert refused["hint"].startswith("Weiter, nach der Karte (sie erlaubt nichts): noch 2 Schritte: back,")
    assert refused["verdict"]["hint"]["left"] == 2


def test_a_driver_behind_the_gate(loaded: Loaded) -> None:
    phone = NotesPhone()
    phone.here = "Trash"
    gate = gated(loaded, phone)
    driver = GuardedDriver(SimpleNamespace(shell=lambda command: "done"), gate)
    with pytest.raises(ActionBlocked, match="Next, by the map"):
        driver.shell("rm -rf /")


def test_androidworld_has_it_in_the_goal(loaded: Loaded) -> None:
    phone, goals = NotesPhone(), list[str]()
    gate = gated(loaded, phone)
    env = GuardedEnv(SimpleNamespace(), gate)

    def step(goal: str) -> Any:
        goals.append(goal)
        return SimpleNamespace(done=len(goals) == 2, data={})

    agent = GuardedAgent(SimpleNamespace(env=env, step=step), env)
    for _ in range(3):
        agent.step("Empty the trash.")
    assert goals[0] == goals[1] == f"Empty the trash.\n\n{ROW}"
    assert "Your last action was not carried out" in goals[2]  # the end of the task was refused
    assert goals[2].rstrip().endswith(ROW)


@pytest.mark.parametrize("language", LANGUAGES)
def test_tools_say_it_in_each_language(loaded: Loaded, language: str, golden: Callable[..., None]) -> None:
    phone: Any = NotesPhone()
    session = PhoneSession(guard(loaded, hints(loaded, "Trash").recording()), phone, language=language)
    session.begin()
    said = []
    for tool, arguments in [
        ("observe", {}),
        ("tap", {"text": "More"}),
        ("propose", {"action": "finish"}),
        ("tap", {"text": "Nothing"}),
        ("tap", {"text": "Trash"}),
        ("tap", {"id": "empty"}),
        ("finish", {}),
    ]:
        answer = session.call(tool, arguments)
        assert isinstance(answer, Answer)
        said.append(f"# {tool} {arguments}\n{answer.text.rstrip()}\n")
        data = answer.data.get("verdict", answer.data)
        assert ("hint" in data) == (tool != "finish")
    golden("\n".join(said), f"agents/tools_with_hints.{language}.txt")


def test_without_hints_tools_say_what_they_said(loaded: Loaded) -> None:
    phone: Any = NotesPhone()
    session = PhoneSession(guard(loaded), phone)
    session.begin()
    answer = session.call("tap", {"text": "More"})
    assert isinstance(answer, Answer)
    assert "Next" not in answer.text and "hint" not in answer.data["verdict"]


def test_an_app_gets_it_with_its_verdict(loaded: Loaded) -> None:
    own: Guard = ReportedGuard(
        loaded.checked(), today=NOW.date(), clock=lambda: NOW, recorder=hints(loaded).recording()
    )
    assert isinstance(own, ReportedGuard)
    own.observe(LOOKS["Notes"])
    answer = Service(own).handle("a.b", "before", {"action": "Share"})
    assert answer["proceed"] is False
    assert answer["verdict"]["hint"]["steps"][0]["gesture"] == 'tap(id = "row")'
    assert "Next" not in answer["message"]  # that is for the app's users


def test_side_channel_has_it(loaded: Loaded, tmp_path: Path) -> None:
    from vsalang.phone.gate.channel import SideChannel

    gate = gated(loaded, NotesPhone())
    with SideChannel(gate, lambda data, claim: Action("finish"), lambda event: {}, (ValueError,)) as channel:
        assert channel.get("/v1/last", {}) == (200, {"last": None, "feedback": "", "hint": ROW})
