"""L0015: a judgement that does not look at what is proposed."""

from collections.abc import Iterable, Mapping

from vsalang.base.diagnostics import Diagnostic, warning
from vsalang.language.lint.lint_rule import Context, Rule
from vsalang.program import ir
from vsalang.program.vocabulary import OPINIONS, PROPOSED
from vsalang.program.walk import uses


def find(context: Context) -> Iterable[Diagnostic]:
    """`deny`, `confirm` and `warn` whose conditions hold or not whatever the agent proposes."""
    derived: dict[str, list[ir.Rule]] = {}
    for rule in context.program.rules:
        if isinstance(rule.head, ir.Derive):
            derived.setdefault(rule.head.atom.relation, []).append(rule)
    for rule in context.rules:
        if not isinstance(rule.head, ir.Judge) or rule.head.level == "flag":
            continue
        if _speaks(rule.body, context.program.relations, derived, set()):
            continue
        effect = {
            "deny": "it blocks everything, also going back; only giving up is left",
            "confirm": "the human is asked before every gesture, also before going back",
            "warn": "every gesture is warned of, also going back",
        }[rule.head.level]
        yield warning(
            RULE.code,
            rule.head_span,
            f"this `{rule.head.level}` does not look at the proposal: while it holds, {effect}",
            label="no condition names an action, a gesture or `goto`",
            help="name what must not happen: `when Pay, ..` or `when tap(..), ..`",
        )


def _speaks(
    body: Iterable[ir.Literal],
    relations: Mapping[str, ir.Relation],
    derived: Mapping[str, list[ir.Rule]],
    path: set[str],
) -> bool:
    """Whether the conditions depend on what is proposed."""
    for use in uses(body):
        name = use.atom.relation
        if use.atom.before or name in PROPOSED | OPINIONS:
            return True
        if use.past is None and relations[name].sort in ("action", "gesture"):
            return True
        if name in derived and name not in path:
            path.add(name)
            if any(_speaks(rule.body, relations, derived, path) for rule in derived[name]):
                return True
    return False


RULE = Rule(
    "L0015",
    "state-only-judgement",
    "judgement that does not look at the proposal",
    "A policy's `deny`, `confirm` or `warn` is asked for every proposal. One whose conditions are about "
    "the state or the "
    "screen alone answers the same to all of them: a `deny` then blocks `back` too, and the agent can "
    "only give up. Name "
    "the action or gesture that must not happen; `flag` is exempt, because it only records.",
    'policy careful "Nothing at night"\ndeny "It is late" when Clock(now >= 23:00).\n',
    'policy careful "Nothing at night"\nimport apps.opentable\ndeny "It is late" when Reserve, Clock(now >= 23:00).\n',
    find,
    fix="none: what must not happen then is not known",
)
