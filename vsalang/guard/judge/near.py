"""Whether an act that nothing licenses is near to what the task allows, so that the agent is only warned of it.

A rule with `@unlicensed @near(..) warn` takes duty away, so all of it is read certainly. The act is certainly what it
is read as, and nothing else, whatever nobody read. No clause is about it. The task still allows one of the actions that
the rule names, and what that clause asks of parameters that both have fits. And the act is mild (`@severity(low)`), on
this page, too: the module that declares it may say where it is not, by a definition `NotMild(node)`.
"""

from collections.abc import Sequence
from dataclasses import replace

from vsalang.engine.api import BudgetExceeded, Row
from vsalang.engine.explain.match import match_row
from vsalang.guard.judge.judgement import NameJudgement
from vsalang.guard.judge.meant_actions import Instance
from vsalang.guard.judge.polarity import supposing
from vsalang.guard.judge.refining import certainly_recognized
from vsalang.guard.judge.unknown_touch import EFFECTS
from vsalang.guard.world.rule_effects import most_specific
from vsalang.program.grave import mild, near_actions
from vsalang.program.ir import NUMBER, Atom, Const, Constraint, License, Lit, Rule
from vsalang.program.walk import needed

_OTHER_NAMES = f"{EFFECTS}.AlsoCalled"
_NOT_MILD = "NotMild"
_THING = ("kind", "what")


def is_near(judgement: NameJudgement, rule: Rule, instances: Sequence[Instance], asked: Instance) -> bool:
    """Whether a rule only warns of an act.

    Args:
        judgement: of the name of the gesture; its actions are found.
        rule: has `@unlicensed`, and is a `warn`.
        instances: the act, by each of its names.
        asked: the one that the rule is about, which fits it.
    """
    tools = judgement.whole.tools
    limit = tools.overrides
    if limit is not None and judgement.whole.state.overrides >= limit:
        return False  # no repetition passes any more: the user is asked
    if any(tools.licences.rules.get(action) for action, _ in instances):
        return False  # of what a clause is about, what does not fit is not a step on the way
    return _is_allowed_beside(judgement, rule, *asked) and _is_plain(judgement)


def _is_allowed_beside(judgement: NameJudgement, rule: Rule, action: str, row: Row) -> bool:
    """Whether a clause of the task is about an action that the rule names, has licence left, and may be about this."""
    tools = judgement.whole.tools
    return any(
        tools.program.modules[clause.module].kind == "spec" and _fits(judgement, clause, action, row)
        for other in near_actions(rule, tools.program.relations)
        if other not in judgement.spent
        for clause in tools.licences.rules.get(other, ())
    )


def _fits(judgement: NameJudgement, clause: Rule, action: str, row: Row) -> bool:
    """Whether what a clause asks of its action holds of another one, as far as they have parameters of one name."""
    assert isinstance(clause.head, License)
    relation = judgement.whole.tools.program.relation(action)
    names = {attr.name for attr in relation.attrs}
    # A setting has a name, as a thing has a kind or is called something.
    for name in [each for each in _THING if each in names] or [""]:
        bounds = [
            replace(each, attr=name) if name and each.attr == "name" else each
            for each in clause.head.atom.constraints
        ]
        shared = tuple(each for each in bounds if each.attr in names)
        if name and not any(each.attr in _THING for each in shared):
            return (
                False  # the clause does not say of what, and of anything else nobody knows what it is worth
            )
        if any(needed(each.term) for each in shared):
            return False  # it depends on more than the act itself
        if not match_row(relation, Atom(action, shared), row, {}, judgement.whole.context).failures:
            return True
    return False


def _is_plain(judgement: NameJudgement) -> bool:
    """Whether all that is proposed is certainly recognised, is mild, and may be nothing else."""
    tools = judgement.whole.tools
    relations = tools.program.relations
    if judgement.may_be or judgement.hidden or any(judgement.whole.given.values()):
        return False
    if not all(mild(relations, action) for action in judgement.instances):
        return False
    try:
        certain = certainly_recognized(judgement, judgement.recognized.__contains__)
        if any(
            (name, row) not in certain
            for name, rows in judgement.recognized.items()
            for row in most_specific(rows)
        ):
            return False
        doubts = {f"{relations[action].module}.{_NOT_MILD}" for action in judgement.instances}
        return not any(_may_be_so(judgement, name) for name in (_OTHER_NAMES, *doubts))
    except BudgetExceeded:
        return False


def _may_be_so(judgement: NameJudgement, name: str) -> bool:
    """Whether a definition of a node holds of what takes the gesture, or would if what nobody read were so."""
    relation, node = judgement.whole.tools.program.relations.get(name), judgement.cells.get("node")
    if relation is None or node is None:
        return False
    column = relation.column("node")
    if any(row[column] in (node, None) for row in judgement.explained().rows(name)):
        return True
    of_node = Lit(Atom(name, (Constraint("node", "=", Const(node, NUMBER)),)))
    return bool(supposing(judgement).ways((of_node,)))
