"""P7: plans for shipped specs, and ways between screens of shipped apps, run again by the guard under policies."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final

from benchmarks.planning.rows import Row, tell
from benchmarks.planning.specs import module
from tests.oracle import engine_of
from vsalang.agents.maps import pddl, routed
from vsalang.guard import run_example
from vsalang.language.semantics import load, load_text
from vsalang.program.example import Fact, Part, Turn
from vsalang.program.ir import Judge, Program
from vsalang.proof.prove.bounds import Bounds, Level
from vsalang.proof.prove.plan import plan as by_z3
from vsalang.proof.prove.runs import PlanSearchResult

EXAMPLES: Final = Path(__file__).resolve().parents[2] / "app_specs" / "examples"
SPECS: Final = ("quiet_evening", "reserve_r", "switch_one", "dollars_for_five")
POLICIES: Final[tuple[tuple[str, ...], ...]] = ((), ("payments",), ("careful",), ("payments", "careful"))
LEVELS: Final[tuple[Level, ...]] = ("gestures", "actions")
ROUTED: Final = ("apps.settings", "apps.opentable", "apps.trusttest")
Planner = Callable[[Program, Level], PlanSearchResult]


class _Count:
    """Plans that were shown, and what the guard says of them."""

    def __init__(self) -> None:
        self.plans = self.passed = self.denied = self.refused = self.none = 0

    def add(self, program: Program, found: PlanSearchResult) -> None:
        denies = {
            rule.id for rule in program.rules if isinstance(rule.head, Judge) and rule.head.level == "deny"
        }
        self.refused += sum("the guard refused a plan" in why for why in found.open)
        self.none += not found.plans
        for one in found.plans:
            self.plans += 1
            results = [
                run_example(program, one.story, engine="incremental"),
                run_example(program, one.story, engine=engine_of("reference")),
            ]
            self.passed += all(result.passed for result in results)
            self.denied += any(
                reason.rule in denies
                for result in results
                for step in result.steps
                for reason in step.reasons
            )

    def row(self, asked: str) -> Row:
        measured = (
            f"{self.passed} of {self.plans} pass, {self.denied} denied; {self.refused} others were refused by the "
            f"guard and not shown, {self.none} times there was none"
        )
        good = self.passed == self.plans > 0 and not self.denied
        return Row("P7", asked, "all pass, 0 denied", measured, good)


def plans() -> Iterator[Row]:
    """By Z3 and by Fast Downward."""
    planners: Sequence[tuple[str, Planner]] = (
        ("Z3", lambda program, level: by_z3(program, bounds=Bounds(level=level))),
        ("Fast Downward", lambda program, level: pddl.plan(program, bounds=Bounds(level=level)).planned),
    )
    for name, planner in planners:
        count = _Count()
        asked = (
            f"plans by {name} for {len(SPECS)} shipped specs, each with {len(POLICIES)} sets of policies, of gestures "
            "and of actions, run again by two engines"
        )
        try:
            for spec in SPECS:
                tell(f"P7: {name} for {spec}")
                for policies in POLICIES:
                    files = [str(EXAMPLES / f"{policy}.vsa") for policy in policies]
                    program = load(EXAMPLES / f"{spec}.vsa", policies=files).checked()
                    for level in LEVELS:
                        count.add(program, planner(program, level))
        except pddl.NotInstalled as error:
            yield Row("P7", asked, "all pass, 0 denied", f"not measured: {error}")
            continue
        yield count.row(asked)


def routes() -> Iterator[Row]:
    """By `route`: from each screen of an app to each other."""
    count = _Count()
    for app in ROUTED:
        names = sorted(name for name, rel in module(app).relations.items() if rel.sort == "screen")
        tell(f"P7: ways between {len(names)} screens of {app}")
        for policies in POLICIES:
            files = [str(EXAMPLES / f"{policy}.vsa") for policy in policies]
            for end in names:
                short = end.rpartition(":")[2]
                text = f'spec task "Go to a screen"\nimport {app}\ndone when screen {short}.\n'
                program = load_text(text, file="task.vsa", policies=files).checked()
                for begin in names:
                    if begin != end:
                        shown = Turn("turn", (Part("observe screen", Fact(begin)),))
                        count.add(program, routed.plan(program, start=(shown,)))
    yield count.row(
        f"ways by `route` between the screens of {len(ROUTED)} shipped apps, each with {len(POLICIES)} sets of "
        "policies, run again by two engines"
    )
