"""How many candidates are left under a spec with app modules: at each step of the recorded agents of `vsac demo`."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from vsalang import Guard, SessionOptions, open_guarded
from vsalang.agents import run_agent
from vsalang.agents.proposed import Proposed
from vsalang.agents.rank.recorded import gold_of
from vsalang.agents.script import ScriptedAgent
from vsalang.models.rank import Situation
from vsalang.models.rank.enumerating import apps_of, candidates
from vsalang.models.rank.judging import allowed
from vsalang.screen.screen import TreeScreen

EXAMPLES: Final = Path(__file__).resolve().parents[2] / "app_specs" / "examples"
DEMOS: Final = (
    ("reserve_r", "sim:restaurant", "com.opentable"),
    ("quiet_evening", "sim:settings", "org.example.settings"),
)


@dataclass(frozen=True, slots=True)
class DemoStep:
    """One step: how many candidates the guard leaves, whether what was done is a candidate, and is left."""

    left: int
    found: bool
    kept: bool


def demo_steps(name: str, device: str, package: str) -> list[DemoStep]:
    """The steps of a recorded agent, its proposals judged and carried out."""
    steps: list[DemoStep] = []
    with open_guarded(EXAMPLES / f"{name}.vsa", device, SessionOptions(app=package)) as session:
        script = ScriptedAgent.read(EXAMPLES / f"{name}.agent.jsonl", session.guard.program)

        def proposals() -> Iterator[Proposed]:
            for proposed in script:
                steps.append(_step(session.guard, proposed))
                yield proposed

        for _ in run_agent(session.guard, session.device, proposals()):
            pass
    return steps


def _step(guard: Guard, proposed: Proposed) -> DemoStep:
    screen = guard.snapshot.screen
    assert isinstance(screen, TreeScreen)
    enumeration = candidates(Situation("", screen, apps=apps_of(guard.program)))
    left = allowed(guard.judge_all, guard.program, enumeration).candidates
    found = gold_of(screen, proposed.action, enumeration.candidates)
    return DemoStep(len(left), bool(found), bool(gold_of(screen, proposed.action, left)))
