"""Takes out of what a proposal is what is meant otherwise, and adds what it is as an effect (`guard.md#P3`)."""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace

from vsalang.engine.api import Row
from vsalang.guard.judge.judgement import MayBe, NameJudgement
from vsalang.guard.judge.meant_actions import Effects, Instance, MeantActions
from vsalang.guard.judge.polarity import supposing
from vsalang.guard.world.rule_effects import instances_by, readable
from vsalang.program.ir import Recognize
from vsalang.program.values import row_order
from vsalang.program.walk import needed


def find_certain(judgement: NameJudgement) -> None:
    """Add what certainly is recognised in the moment that is assigned, of actions that say something of others.

    `recognize` adds duty, so its conditions hold of what is known. What takes the place of another action takes duty
    away: its conditions must hold whatever nobody read.
    """
    meant = judgement.whole.tools.analysis.meant
    if meant is not None:
        judgement.certain |= certainly_recognized(judgement, meant.says_something, judgement.certain)


def certainly_recognized(
    judgement: NameJudgement, wanted: Callable[[str], bool], known: Collection[Instance] = ()
) -> set[Instance]:
    """The instances of wanted actions that are recognised in the moment that is assigned, whatever nobody read.

    Args:
        wanted: says it of an action.
        known: those that need not be asked about again.
    """
    tools, context = judgement.whole.tools, judgement.whole.context
    instances: set[Instance] = set()
    asked = None
    for rule in tools.book.firing.rules("recognize", judgement.there):
        assert isinstance(rule.head, Recognize)
        action = rule.head.atom.relation
        if action not in judgement.recognized or not wanted(action):
            continue
        asked = asked or supposing(judgement)
        for row, binding in instances_by(tools.answers, rule, context, tools.program):
            if (action, row) in known or (action, row) in instances:
                continue
            extra = [literal for literal in rule.extra if not needed(literal) - binding.keys()]
            if asked.certain((*rule.body, *extra), binding):
                instances.add((action, row))
    return instances


def drop(judgement: NameJudgement, meant: MeantActions) -> None:
    """Take out of what is recognised, or may be, what is meant as another action."""
    whole = judgement.whole
    other = meant.meant(
        judgement.recognized, judgement.cells, whole.state.screen, whole.context, judgement.certain
    )
    judgement.may_be = [each for each in judgement.may_be if not other.takes(each.action, each.row)]


def add_effects(judgement: NameJudgement, meant: MeantActions) -> None:
    """Add what the proposed actions are as effects to all that is proposed, and to what it may be."""
    context = judgement.whole.context
    before = {(action, row) for action, rows in judgement.instances.items() for row in rows}
    of = {
        (action, row): meant.effect(action, row, context) for action, row in before if action in meant.effects
    }
    if of:
        ran = [
            of[action, row] for action, rows in judgement.runs.items() for row in rows if (action, row) in of
        ]
        judgement.instances = _with(judgement.instances, of.values())
        judgement.runs = _with(judgement.runs, ran)
        judgement.effects = Effects(of, frozenset(of.values()) - before)
    known = {(each.action, each.row) for each in judgement.may_be} | {*before, *of.values()}
    more: list[MayBe] = []
    for each in judgement.may_be:
        if each.action in meant.effects:
            action, row = meant.effect(each.action, readable(each.row), context)
            if (action, row) not in known:
                known.add((action, row))
                more.append(replace(each, action=action, row=row))
    judgement.may_be += more


def _with(instances: Mapping[str, list[Row]], more: Iterable[Instance]) -> dict[str, list[Row]]:
    merged = {action: dict.fromkeys(rows) for action, rows in instances.items()}
    for action, row in more:
        merged.setdefault(action, {})[row] = None
    return {action: sorted(rows, key=row_order) for action, rows in merged.items()}
