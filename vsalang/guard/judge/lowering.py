"""What the owner wants to be asked about where nothing licenses it, instead of a block (`guard.md#P5`).

It takes duty away, so it is read certainly: only what is known of the action counts, a parameter that nobody could read
must be named by the rule as unknown (``@unlicensed(unread)`` names all), and a parameter whose text hides something is
asked about by no rule.
"""

from collections.abc import Mapping, Sequence

from vsalang.base.records import dataclass
from vsalang.engine.api import Row
from vsalang.engine.explain.match import match_row
from vsalang.engine.explain.terms import Context
from vsalang.guard.say.reasons import unread_text
from vsalang.guard.say.verdict import Reason
from vsalang.guard.world.rule_effects import message
from vsalang.program.grave import grave, lowered_action
from vsalang.program.ir import Lit, Program, Rule
from vsalang.program.phrases import say


@dataclass(frozen=True, slots=True)
class Lowering:
    """Lowers the level of what nothing licenses, where a rule of the owner says so.

    Attributes:
        rules: that may be heard.
        hidden: of an action the parameters whose text hides something.
        context: the day and the clock.
    """

    program: Program
    rules: Sequence[Rule]
    hidden: Mapping[str, frozenset[str]]
    context: Context

    def reason(self, instances: Sequence[tuple[str, Row]], reasons: Sequence[Reason]) -> Reason | None:
        """The question about an act that nothing licenses; None: it stays blocked.

        Args:
            instances: the act, by each of its names.
            reasons: why it is blocked.
        """
        if not self.rules or any(reason.kind != "unlicensed" for reason in reasons):
            return None
        relations = self.program.relations
        if any(grave(relations, action) or action in self.hidden for action, _ in instances):
            return None
        for action, row in instances:
            for rule in self.rules:
                asked = self._asked(rule, action, row)
                if asked is not None:
                    text = unread_text(self.program, action, row)
                    return Reason(
                        "unlicensed",
                        "confirm",
                        say("reason.lowered", message=asked, action=text),
                        rule=rule.id,
                        module=rule.module,
                        span=rule.head_span or rule.span,
                        names=frozenset(n for name, _ in instances for n in (name, name.rpartition(".")[2])),
                        annotations={**relations[action].annotations, **rule.annotations},
                    )
        return None

    def _asked(self, rule: Rule, action: str, row: Row) -> str | None:
        """What a rule asks about an instance; None: it is not about it."""
        if lowered_action(rule, self.program.relations) != action:
            return None
        item = rule.body[0]
        assert isinstance(item, Lit)
        relation = self.program.relation(action)
        asked_unknown = {each.attr for each in item.atom.constraints if each.op == "unknown"}
        all_unread = "unread" in rule.annotations.get("unlicensed", ())
        if any(
            cell is None and attr.name not in asked_unknown and not all_unread
            for attr, cell in zip(relation.attrs, row, strict=True)
        ):
            return None
        match = match_row(relation, item.atom, row, {}, self.context)
        return None if match.failures else message(rule, match.binding)
