"""A hostile map can mislead an agent, never the guard: with any map a session's verdicts are those without one."""

import json
import random
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import vsalang.guard
from tests.agents.session.notes import BACK, NotesPhone, guard, tap, written
from vsalang.agents.loop import Step, run_agent
from vsalang.agents.maps import ANY, UTG, Edge, GuardPolicies, Navigator, Screen, anywhere
from vsalang.agents.maps.gestures import atom
from vsalang.agents.maps.jsonform import from_json, to_json
from vsalang.agents.proposed import Proposed
from vsalang.agents.session.step_hints import Hints
from vsalang.agents.steps import Observation, run_steps
from vsalang.guard.journal import Journal, Recorder, read_session
from vsalang.guard.say.verdict_document import document
from vsalang.language.semantics import Loaded
from vsalang.program.action import Action
from vsalang.program.ir import Atom

SCRIPT = (
    tap("row"), tap("share"), tap("share"), BACK, Action("finish"), tap("More"), Action("tap", {"text": "Nothing"}),
    Action("shell", {"command": "rm -rf /"}), tap("Trash"), tap("empty"), tap("empty"), Action("finish"),
)  # fmt: skip
"""Allowed steps, refused ones, one that has no widget, one twice, and the end."""


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> Loaded:
    return written(tmp_path_factory.mktemp("notes"))


def session(loaded: Loaded, path: Path, given: Hints | None, script: Sequence[Action] = SCRIPT) -> list[Step]:
    path.unlink(missing_ok=True)
    phone: Any = NotesPhone()
    with Journal(path, sync="none") as journal:
        recorder = Recorder(journal, sources=loaded.sources)
        judge = guard(loaded, given.recording(recorder) if given is not None else recorder)
        found = list(run_agent(judge, phone, [Proposed(action) for action in script]))
    assert script is not SCRIPT or phone.done == ["tap", "back", "tap", "tap", "tap"]
    return found


def said(steps: Sequence[Step], path: Path) -> tuple[str, str]:
    """All that the guard said, and all that it recorded, but for times of this machine, and hints."""
    verdicts = []
    for step in steps:
        data = document(step.verdict)
        del data["timing"]
        observed = repr(step.observed)
        verdicts.append([data, step.verdict.to_json(), step.performed, step.problem, observed])
    records = []
    for record in read_session(path).records:
        if record.kind != "hint":
            own = {
                key: value for key, value in record.data.items() if key not in ("at", "propose", "look_age")
            }
            records.append([record.kind, own])
    return json.dumps(verdicts, default=str), json.dumps(records, default=str, sort_keys=True)


@pytest.fixture(scope="module")
def plain(loaded: Loaded, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, str]:
    path = tmp_path_factory.mktemp("plain") / "j.jsonl"
    return said(session(loaded, path, None), path)


TEXTS = st.one_of(
    st.sampled_from(
        ["share", "empty", "row", "Trash", "More", "notes", 'x", finish', "a\x1b[2Jb", "\u202eevil", ""]
    ),
    st.text(max_size=20),
)
GESTURES = st.one_of(
    st.builds(
        lambda key, text: atom("tap", {key: text}), st.sampled_from(["id", "label", "text", "node"]), TEXTS
    ),
    st.sampled_from(
        [Atom("back"), Atom("home"), Atom("tap"), Atom("notes.Share"), Atom("notes.Empty"), Atom("finish")]
    ),
    st.builds(lambda command: atom("shell", {"command": command}), TEXTS),
    TEXTS.filter(bool).map(Atom),
)


@st.composite
def maps(draw: st.DrawFn) -> tuple[UTG, list[str]]:
    """Screens of the task and others, and edges of any kind between them."""
    own = [f"notes:{name}" for name in ("Notes", "Note", "Menu", "Trash")]
    names = list(dict.fromkeys([*own, *draw(st.lists(TEXTS.filter(bool), max_size=4))]))
    kinds = st.sampled_from(["screen", "unnamed"])
    texts = st.lists(TEXTS, max_size=2).map(tuple)
    screens = {name: Screen(name, draw(kinds), "notes", texts=draw(texts)) for name in names}
    edges = {}
    for _ in range(draw(st.integers(0, 14))):
        tried = draw(st.integers(0, 50))
        edge = Edge(
            draw(st.sampled_from([*names, ANY, anywhere("notes")])),
            draw(GESTURES),
            draw(st.sampled_from(names)),
            (),
            tried,
            draw(st.integers(0, tried)),
            draw(st.sampled_from(["rule", "journal", "log", "static"])),
        )
        edges[edge.key] = edge
    return UTG(screens, tuple(edges.values())), draw(st.lists(st.sampled_from(names), min_size=1, max_size=3))


def rewired() -> tuple[UTG, list[str]]:
    names = [f"notes:{name}" for name in ("Notes", "Note", "Menu", "Trash")]
    edges = tuple(
        Edge(one, atom("tap", {"id": what}), other, (), 99, 99, "rule")
        for one in names
        for other in names
        for what in ("share", "empty", "row")
    )
    return UTG({name: Screen(name, "screen", "notes") for name in names}, edges), ["notes:Trash"]


@pytest.mark.slow
@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(case=maps())
@example(case=rewired())
def test_verdicts_are_those_without_a_map(
    loaded: Loaded, plain: tuple[str, str], tmp_path: Path, case: tuple[UTG, list[str]]
) -> None:
    utg, goals = case
    avoid = GuardPolicies(loaded.checked()) if len(goals) > 1 else None
    given_hints = Hints(Navigator(utg, goals, avoid=avoid))
    steps = session(loaded, tmp_path / "j.jsonl", given_hints)
    assert said(steps, tmp_path / "j.jsonl") == plain
    for step in steps:
        if step.hint is not None:
            assert step.hint.line().isprintable() and len(step.hint.line()) <= 1200
            json.dumps(step.hint.to_json())
    corrected = given_hints.corrected()
    assert from_json(to_json(corrected)) == corrected


@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(case=maps(), script=st.lists(st.sampled_from(SCRIPT), min_size=1, max_size=8))
def test_any_session_is_judged_as_without_a_map(
    loaded: Loaded, tmp_path: Path, case: tuple[UTG, list[str]], script: list[Action]
) -> None:
    path = tmp_path / "j.jsonl"
    without = said(session(loaded, path, None, script), path)
    assert said(session(loaded, path, Hints(Navigator(*case)), script), path) == without


@pytest.mark.slow
def test_verdicts_are_those_without_a_huge_map(
    loaded: Loaded, plain: tuple[str, str], tmp_path: Path
) -> None:
    rng = random.Random(7)
    names = [f"notes:{name}" for name in ("Notes", "Note", "Menu", "Trash")] + [
        f"S{number}" for number in range(2000)
    ]
    edges = {}
    for number in range(6000):
        edge = Edge(
            rng.choice(names), atom("tap", {"id": f"w{number}"}), rng.choice(names), (), 9, rng.randint(0, 9)
        )
        edges[edge.key] = edge
    utg = UTG({name: Screen(name, "screen", "notes") for name in names}, tuple(edges.values()))
    steps = session(loaded, tmp_path / "j.jsonl", Hints(Navigator(utg, ["S77"])))
    assert said(steps, tmp_path / "j.jsonl") == plain
    assert steps[0].hint is not None


def test_nothing_that_judges_knows_of_hints() -> None:
    """In the guard only the document that shows a verdict reads them."""
    guards = Path(vsalang.guard.__file__).parent
    reading = {
        path.stem
        for path in guards.rglob("*.py")
        if re.search(
            r"^\s*(?:from|import) vsalang\.guard\.say\.agent_hints", path.read_text(encoding="utf-8"), re.M
        )
    }
    assert reading == {"verdict_document"}
    assert not [
        path for path in guards.rglob("*.py") if "vsalang.agents.maps" in path.read_text(encoding="utf-8")
    ]


def test_agent_that_follows_a_hostile_map_is_stopped(loaded: Loaded) -> None:
    """The map says that sharing leads to the trash. The agent does all that it is told; the guard does not."""
    utg = UTG.from_program(loaded.checked())
    bait = Edge("notes:Note", atom("tap", {"id": "share"}), "notes:Trash", (), 99, 99)
    given_hints = Hints(Navigator(UTG(utg.screens, (*utg.edges, bait)), ["notes:Trash"]))
    judge = guard(loaded, given_hints.recording())
    phone: Any = NotesPhone()
    phone.here = "Note"
    told: list[str] = []

    def agent(now: Observation) -> Action | None:
        told.append(now.hint)
        return tap("share") if "share" in now.hint else None

    steps = list(run_steps(judge, phone, agent))
    assert [(step.verdict.level, step.performed) for step in steps] == [("block", False)]
    assert phone.done == [] and phone.here == "Note"
    assert "share" not in told[-1]
