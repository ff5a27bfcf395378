"""Shortest runs of a spec, and what was not found: for people, as JSON, tests and pictures."""

from collections.abc import Iterator
from typing import Any, Literal

from vsalang.base.diagnostics.display import count
from vsalang.base.records import dataclass
from vsalang.base.report import Report, Style
from vsalang.language.semantics import Loaded
from vsalang.language.semantics.places import place_of_rule
from vsalang.proof.prove.bounds import INSTANCES, Bounds
from vsalang.proof.prove.picture import graph, svg
from vsalang.proof.prove.printing import source
from vsalang.proof.prove.runs import Plan, PlanSearchResult
from vsalang.proof.prove.stories import apart
from vsalang.proof.prove.table import table
from vsalang.proof.prove.telling import Line, plan_lines

Planner = Literal["z3", "pddl", "route"]


@dataclass(frozen=True, slots=True)
class Plans(Report):
    """The runs that were found, and what was not.

    Attributes:
        loaded: the spec with all policies.
        notes_apart: whether what was not found is said on standard error, not after the runs; None: it is not said.
    """

    loaded: Loaded
    result: PlanSearchResult
    bounds: Bounds
    planner: Planner
    notes_apart: bool | None
    status: int

    def data(self) -> dict[str, Any]:
        program, by_z3 = self.loaded.checked(), self.planner == "z3"
        return {
            "version": 1,
            "spec": self.loaded.file,
            "level": self.bounds.level,
            "planner": self.planner,
            "plans": [
                {
                    "rule": plan.rule,
                    "length": plan.length,
                    "steps": [
                        {
                            "if": list(line.facts),
                            "then": line.does,
                            "means": line.means or None,
                            "verdict": line.verdict,
                        }
                        for line in plan_lines(program, plan)
                    ],
                    "supposed": list(plan.notes),
                    "test": source(program, [plan.story]),
                }
                for plan in self.result.plans
            ],
            "without": list(self.result.without),
            "undecided": list(self.result.undecided),
            "bound": {
                "asked": self.bounds.steps,
                "steps": self.result.steps if self.result.steps >= 0 else None,
                "rows": self.result.rows if by_z3 else None,
                "instances": INSTANCES if by_z3 else None,
            },
            "open": list(self.result.open),
        }

    def lines(self, style: Style) -> Iterator[str]:
        for number, (plan, (title, lines)) in enumerate(zip(self.result.plans, self._runs(), strict=True)):
            yield from ("",) * bool(number)
            yield f"{title}:"
            yield from table(lines)
            yield from (f"supposed: {note}" for note in plan.notes)
        if self.notes_apart is False:
            lacks = list(self._lacks())
            yield from ("",) * bool(lacks and self.result.plans)
            yield from lacks

    def notes(self, style: Style) -> Iterator[str]:
        if self.notes_apart:
            yield from self._lacks()

    def document(self, format: str, style: Style) -> str:
        if not self.result.plans:
            return ""
        program = self.loaded.checked()
        match format:
            case "test":
                return source(program, apart(plan.story for plan in self.result.plans))
            case "svg":
                return svg(self._runs())
            case _:
                return graph(program.main, self._runs())

    def _runs(self) -> list[tuple[str, list[Line]]]:
        """Each run with its title."""
        program = self.loaded.checked()
        return [(self._title(plan), plan_lines(program, plan)) for plan in self.result.plans]

    def _title(self, plan: Plan) -> str:
        return f"{plan.story.name} ({place_of_rule(self.loaded, plan.rule)})"

    def _lacks(self) -> Iterator[str]:
        """What was not found, and what was not looked at."""
        bound = f"no run was found {self._bound()}"
        for rule in self.result.without:
            yield f"{place_of_rule(self.loaded, rule)}: {rule}: {bound}; there may be one beyond it"
        for rule in self.result.undecided:
            yield f"{place_of_rule(self.loaded, rule)}: {rule}: not decided; {bound}"
        for why in self.result.open:
            yield f"not decided: {why}"

    def _bound(self) -> str:
        result = self.result
        if result.steps < 0:
            return "in the time that was given"
        if self.planner != "z3":
            return (
                "on the map of screens" if self.planner == "route" else "with the values that the rules name"
            )
        what = "gesture" if self.bounds.level == "gestures" else "action"
        rows = f"{count(result.rows, 'row')} of each relation" if result.rows else "no rows"
        steps = count(result.steps, what)
        return f"with up to {steps}, {rows} and {INSTANCES} instances of each clause at each point"
