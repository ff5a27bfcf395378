"""What the owner wants to be asked about, or the agent warned of, where nothing licenses it (`guard.md#P5`).

It takes duty away, so it is read certainly: only what is known of the action counts, a parameter that nobody could read
must be named by the rule as unknown (``@unlicensed(unread)`` names all), and a parameter whose text hides something is
asked about by no rule.
"""

from collections.abc import Sequence

from vsalang.base.records import dataclass
from vsalang.engine.api import Row
from vsalang.engine.explain.match import match_row
from vsalang.guard.judge.judgement import NameJudgement
from vsalang.guard.judge.near import is_near
from vsalang.guard.say.reasons import unread_text
from vsalang.guard.say.verdict import Reason
from vsalang.guard.world.rule_effects import message
from vsalang.program.example import Level
from vsalang.program.grave import grave, lowered_action
from vsalang.program.ir import Judge, Lit, Rule
from vsalang.program.phrases import say


@dataclass(frozen=True, slots=True)
class Lowering:
    """Lowers the level of what nothing licenses, where a rule of the owner says so.

    Attributes:
        judgement: of the name of the gesture; its actions are found.
    """

    judgement: NameJudgement

    def reason(self, instances: Sequence[tuple[str, Row]], reasons: Sequence[Reason]) -> Reason | None:
        """The warning or question about an act that nothing licenses; None: it stays blocked.

        Args:
            instances: the act, by each of its names.
            reasons: why it is blocked.
        """
        tools, hidden = self.judgement.whole.tools, self.judgement.hidden
        if not tools.lowering or any(reason.kind != "unlicensed" for reason in reasons):
            return None
        relations = tools.program.relations
        if any(grave(relations, action) or action in hidden for action, _ in instances):
            return None
        return self._heard("warn", instances) or self._heard("confirm", instances)

    def _heard(self, level: Level, instances: Sequence[tuple[str, Row]]) -> Reason | None:
        """What the first rule of this level says of an act; None: none speaks."""
        program = self.judgement.whole.tools.program
        for action, row in instances:
            for rule in self.judgement.whole.tools.lowering:
                if not isinstance(rule.head, Judge) or rule.head.level != level:
                    continue
                asked = self._asked(rule, action, row)
                if asked is not None and (
                    level == "confirm" or is_near(self.judgement, rule, instances, (action, row))
                ):
                    text = unread_text(program, action, row)
                    return Reason(
                        "unlicensed",
                        level,
                        say("reason.lowered", message=asked, action=text),
                        rule=rule.id,
                        module=rule.module,
                        span=rule.head_span or rule.span,
                        names=frozenset(n for name, _ in instances for n in (name, name.rpartition(".")[2])),
                        annotations={**program.relations[action].annotations, **rule.annotations},
                    )
        return None

    def _asked(self, rule: Rule, action: str, row: Row) -> str | None:
        """What a rule says of an instance; None: it is not about it."""
        program = self.judgement.whole.tools.program
        if lowered_action(rule, program.relations) != action:
            return None
        item = rule.body[0]
        assert isinstance(item, Lit)
        relation = program.relation(action)
        asked_unknown = {each.attr for each in item.atom.constraints if each.op == "unknown"}
        all_unread = "unread" in rule.annotations.get("unlicensed", ())
        if any(
            cell is None and attr.name not in asked_unknown and not all_unread
            for attr, cell in zip(relation.attrs, row, strict=True)
        ):
            return None
        match = match_row(relation, item.atom, row, {}, self.judgement.whole.context)
        return None if match.failures else message(rule, match.binding)
