"""What a task asks for that policies forbid or ask about: for people and as JSON."""

from collections.abc import Iterator, Sequence
from typing import Any

from vsalang.base.diagnostics.display import count
from vsalang.base.records import dataclass
from vsalang.base.report import Report, Style
from vsalang.language.semantics import Loaded
from vsalang.language.semantics.places import place_of_rule
from vsalang.program.show import short_name, title
from vsalang.program.text import join
from vsalang.proof.prove.printing import source
from vsalang.proof.prove.results import Conflict, Idle, LoweredLevel, OpenConflict, SkippedRule

_WORDS = {"deny": "forbids it", "confirm": "asks about it", "warn": "warns about it"}


@dataclass(frozen=True, slots=True)
class Conflicts(Report):
    """What speaks against a task, what cannot, and what is not known.

    Attributes:
        guarded: the task with the policies in force.
        policies: as they were named.
    """

    guarded: Loaded
    policies: tuple[str, ...]
    conflicts: Sequence[Conflict]
    idle: Sequence[Idle]
    unasked: Sequence[SkippedRule]
    lowered: Sequence[LoweredLevel]
    undecided: Sequence[OpenConflict]
    status: int

    def data(self) -> dict[str, Any]:
        return {
            "version": 1,
            "spec": self.guarded.file,
            "policies": list(self.policies),
            "conflicts": [
                {
                    "clause": each.clause,
                    "rule": each.rule,
                    "level": each.level,
                    "how": each.how,
                    "bound": each.bound,
                    "test": source(self.guarded.checked(), [each.story]),
                }
                for each in self.conflicts
            ],
            "idle": [{"rule": each.rule, "why": each.why} for each in self.idle],
            "unasked": [{"rule": each.rule, "why": each.why} for each in self.unasked],
            "lowered": [
                {
                    "rule": each.rule,
                    "action": each.action,
                    "asked": each.asked,
                    **({"near": list(each.near_actions)} if each.near_actions else {}),
                }
                for each in self.lowered
            ],
            "open": [{"clause": each.clause, "rule": each.rule, "why": each.why} for each in self.undecided],
        }

    def lines(self, style: Style) -> Iterator[str]:
        yield from self._conflicts()
        for low in self.lowered:
            what = f"asks about {low.asked} where nothing licenses it, instead of a block"
            if low.near_actions:
                others = join([short_name(each) for each in low.near_actions], "or")
                what = f"warns of {low.asked} where only {others} is licensed, instead of a block"
            yield f"{self._place(low.rule)}: {low.rule} {what}"
        for idle in self.idle:
            yield f"{self._place(idle.rule)}: {idle.rule} cannot apply: {idle.why}"
        for unasked in self.unasked:
            yield f"{self._place(unasked.rule)}: {unasked.rule} was not compared: {unasked.why}"
        for each in self.undecided:
            yield f"{self._place(each.rule)}: not decided for {self._place(each.clause)}: {each.why}"
        if not (self.conflicts or self.undecided):
            yield f"no rule speaks against what {self.guarded.file} asks for"

    def _conflicts(self) -> Iterator[str]:
        program = self.guarded.checked()
        rules = {rule.id: rule for rule in program.rules}
        last = ""
        for each in self.conflicts:
            if each.clause != last:
                yield f"{self._place(each.clause)}: {title(rules[each.clause])}"
                last = each.clause
            yield f"  {each.rule} {_how(each)} ({self._place(each.rule)}):"
            for line in source(program, [each.story]).rstrip("\n").split("\n"):
                yield f"    {line}"

    def _place(self, rule: str) -> str:
        return place_of_rule(self.guarded, rule)


def _how(conflict: Conflict) -> str:
    if conflict.how == "sometimes":
        return f"{_WORDS[conflict.level]} in some states"
    bound = "" if conflict.bound is None else f", with up to {count(conflict.bound, 'row')} per relation"
    return f"always {_WORDS[conflict.level]}{bound}"
