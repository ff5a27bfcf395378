"""Three planners and exhaustive search on small programs: the same answer, the same least length, valid PDDL."""

from collections.abc import Iterator
from itertools import product

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.agents.maps.pddl_oracle import needs_planner, oracle
from tests.oracle import engine_of
from tests.thorough import times
from vsalang.agents.maps.pddl import plan as planned
from vsalang.agents.maps.pddl import problems
from vsalang.guard import run_example
from vsalang.guard.examples import Story
from vsalang.guard.say.verdict import Proposal
from vsalang.language.semantics import load_text
from vsalang.program.action import Action
from vsalang.program.example import Example, Fact, Part, Turn
from vsalang.program.ir import Program
from vsalang.proof.prove.bounds import Bounds
from vsalang.proof.prove.pinned import Belief
from vsalang.proof.prove.plan import plan as proved

APP = """app box package "x.box" "A box"
enum Id {a, b}
enum Level {low, mid, high}
state Lamp key (id) "A lamp" { id: Id "which" on: Bool "whether it shines" }
state Mode "The mode" { mode: Level "the mode" }
action Set(id: Id "which", on: Bool "whether") "Switch a lamp"
action Turn(mode: Level "the mode") "Change the mode"
update Lamp(id = ?i, on = ?o) when Set(id = ?i, on = ?o).
update Mode(mode = ?m) when Turn(mode = ?m).
"""
LAMPS, SHINES, MODES = ("a", "b"), ("true", "false"), ("low", "mid", "high")
STEPS = 4

sets = st.builds(
    lambda lamp, on: f"Set(id = {lamp}{on})",
    st.sampled_from(LAMPS),
    st.sampled_from(("", ", on = true", ", on = false")),
)
turns = st.sampled_from(("Turn", "Turn(mode = high)", "Turn(mode != low)", "Turn(mode in {low, mid})"))
acts = st.one_of(sets, turns)
states = st.one_of(
    st.builds(
        lambda lamp, on: f"Lamp(id = {lamp}, on = {on})", st.sampled_from(LAMPS), st.sampled_from(SHINES)
    ),
    st.builds(
        lambda op, mode: f"Mode(mode {op} {mode})", st.sampled_from(("=", "!=")), st.sampled_from(MODES)
    ),
)
conditions = st.one_of(
    states,
    states.map(lambda text: f"not {text}"),
    acts.filter(lambda text: "!=" not in text and "in {" not in text).map(lambda text: f"{text} earlier"),
)
allows = st.builds(
    lambda number, act, when: f"allow {number} {act}{f' when {when}' if when else ''}.",
    st.sampled_from(("1", "2")),
    acts,
    st.one_of(st.just(""), conditions),
)
denies = st.builds(lambda act, state: f'deny "no" when {act}, {state}.', acts, states)
dones = st.lists(conditions, min_size=1, max_size=3, unique=True).map(
    lambda items: f"done when {', '.join(items)}."
)
starts = st.tuples(*[st.sampled_from(SHINES)] * 2, st.sampled_from(MODES))


def started(begin: tuple[str, str, str]) -> tuple[Turn, ...]:
    one, two, mode = begin
    lamps = [
        Part("observe", Fact("box.Lamp", {"id": name, "on": on == "true"}))
        for name, on in zip(LAMPS, (one, two), strict=True)
    ]
    return (Turn("turn", (*lamps, Part("observe", Fact("box.Mode", {"mode": mode})))),)


def program(lines: list[str], tmp: str) -> Program | None:
    text = 'spec task "x"\nimport box\n' + "\n".join(dict.fromkeys(lines)) + "\n"
    from pathlib import Path

    return load_text(text, file="task.vsa", path=Path(tmp) / "task.vsa").program


def instances() -> Iterator[Action]:
    for lamp, on in product(LAMPS, (True, False)):
        yield Action("box.Set", {"id": lamp, "on": on})
    for mode in MODES:
        yield Action("box.Turn", {"mode": mode})


def exhaustive(made: Program, start: tuple[Turn, ...]) -> int | None:
    """The least number of actions to the end, by the guard with the reference engine alone."""
    runs = [start]
    known = set()
    for length in range(STEPS + 1):
        further = []
        for turns_ in runs:
            story = Story.begin(made, Example("", made.main, turns_), engine=engine_of("reference"))
            for turn in turns_:
                assert story.step(turn).passed
            key = (Belief.of(story).key, repr(story.guard.snapshot.ledger))
            if key in known:
                continue
            known.add(key)
            if story.guard.propose(Proposal(None, (Action("finish", {}),), (), (), ())).level == "allow":
                return length
            for action in instances():
                if story.guard.propose(Proposal(None, (action,), (), (), ())).level == "allow":
                    further.append(
                        (*turns_, Turn("turn", (Part("attempt", Fact(action.name, dict(action.args))),)))
                    )
        runs = further
    return None


@pytest.mark.slow
@needs_planner
@settings(max_examples=times(3, 60), deadline=None)
@given(st.lists(allows, min_size=1, max_size=3), st.lists(denies, max_size=1), dones, starts)
def test_planners_and_exhaustive_search_agree(
    tmp_path_factory: pytest.TempPathFactory,
    allowed: list[str],
    denied: list[str],
    done: str,
    begin: tuple[str, str, str],
) -> None:
    folder = tmp_path_factory.getbasetemp() / "box"
    folder.mkdir(exist_ok=True)
    (folder / "box.vsa").write_text(APP, encoding="utf-8")
    made = program([*allowed, *denied, done], str(folder))
    assume(made is not None)
    assert made is not None
    start = started(begin)
    bounds = Bounds(STEPS, "actions", 60.0, 20.0)
    least = exhaustive(made, start)
    for _, problem in problems(made, start=start, bounds=bounds):
        assert not problem.dropped
        oracle(problem.domain, problem.problem)
    by_planner = planned(made, start=start, bounds=bounds).planned
    by_solver = proved(made, start=start, bounds=bounds)
    for found in (by_planner, by_solver):
        lengths = [one.length for one in found.plans]
        assert lengths == ([least] if least is not None else []), found
        assert all(run_example(made, one.story).passed for one in found.plans)
