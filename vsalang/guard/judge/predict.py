"""Predicts what a gesture writes by its app's rules, before anything else is asked about it (`guard.md#P2`)."""

import datetime as dt
from collections.abc import Mapping

from vsalang.engine.api import Row
from vsalang.engine.explain.terms import Context
from vsalang.guard.judge.judgement import NameJudgement, Tools
from vsalang.guard.judge.polarity import may_be, supposing
from vsalang.guard.judge.refining import find_certain
from vsalang.guard.say.reasons import conflict_reason
from vsalang.guard.say.verdict import Reason
from vsalang.guard.world.beliefs import Application, CellWrite, RowDelete, apply
from vsalang.guard.world.rule_effects import holding, instances, writes
from vsalang.guard.world.unread_rows import forgotten
from vsalang.program.example import Today
from vsalang.program.ir import Lit, Program, Rule, Write
from vsalang.program.phrases import say
from vsalang.program.screen import Cells, Screen, in_front
from vsalang.program.values import Value


def predict(judgement: NameJudgement) -> None:
    """P2 Predict: work out what inputs and the proposal write, all at once, and which actions are recognised before.

    From here on the moment is the judged one: the state with all that is written.
    """
    whole, tools = judgement.whole, judgement.whole.tools
    state, context, moments = whole.state, whole.context, tools.moments
    moments.clock(context.now, context.timeline)
    moments.overridden(whole.repeated)
    moments.gesture(judgement.gesture, judgement.cells)
    moments.actions({})
    moments.goto(())
    moments.licensed(())
    inputs = [
        rule
        for rule in tools.book.firing.rules("input", judgement.there)
        if reaches(tools.program, rule, judgement.cells)
    ]
    changed, deleted = writes(tools.answers, inputs, context)
    if state.screen is not None and (judgement.unread or state.screen.unread):
        telling = [rule for rule in inputs if isinstance(rule.head, Write) and not rule.head.delete]
        changed += forgotten(supposing(judgement), tools.answers, telling, state.world, changed, context)
    judgement.recognized = recognized(tools, judgement.there, judgement.cells, state.screen, context)
    judgement.spent = tools.licences.all_spent(state.grants)
    judgement.may_be = may_be(judgement)
    find_certain(judgement)
    if tools.watch is not None:
        moments.settle()
        facts = moments.facts(context, state.world, state.world, state.committed, judgement.spent)
        tools.watch("before", tools.evaluator, facts)
    for fact in whole.proposal.writes:
        values = _values(fact.cells, context)
        erased = frozenset(name for name, value in values.items() if value is None)
        changed.append(CellWrite(fact.relation, values, fact.keep, erased=erased))
    for fact in whole.proposal.deletes:
        deleted.append(RowDelete(fact.relation, _values(fact.cells, context)))
    judgement.changed, judgement.deleted = changed, deleted
    if changed or deleted:
        judgement.applied = apply(
            tools.program,
            state.world,
            changed,
            deleted,
            state.points + 2,
            observing=False,
            timed=tools.book.timed,
        )
        judgement.reasons += contradictions(tools.program, judgement.applied)
        moments.world(judgement.applied.world, state.world)


def reaches(program: Program, rule: Rule, cells: Cells) -> bool:
    """Whether a gesture is one in the rule's app: a touch in another app's window says nothing of it.

    As with `Node`, a rule that names the package itself is about other apps too.
    """
    package, packages = cells.get("package"), program.modules[rule.module].packages
    if package is None or "node" not in cells or not packages or package in packages:
        return True
    return any(
        isinstance(item, Lit)
        and program.relation(item.atom.relation).sort == "gesture"
        and any(constraint.attr == "package" for constraint in item.atom.constraints)
        for item in rule.body
    )


def recognized(
    tools: Tools, there: frozenset[str], cells: Cells, screen: Screen | None, context: Context
) -> dict[str, set[Row]]:
    """The instances of critical actions that `recognize` rules find in the moment that is assigned.

    Views of generic modules are of the app in front: they say nothing of a touch in a window of another one.
    """
    rows_by_action: dict[str, set[Row]] = {}
    rules = holding(tools.answers, tools.book.firing.rules("recognize", there))
    if not rules:
        return rows_by_action
    apart = tools.analysis.by_views if in_another_app(cells, screen) else frozenset()
    for rule in rules:
        rows = instances(tools.answers, rule, context, tools.program, extra=rule.id not in apart)
        if rows:
            rows_by_action.setdefault(rule.head.atom.relation, set()).update(rows)  # type: ignore[union-attr]
    return rows_by_action


def in_another_app(cells: Cells, screen: Screen | None) -> bool:
    """Whether what takes a gesture is in a window of another app than the one in front."""
    package, front = cells.get("package"), in_front(screen)
    return "node" in cells and package is not None and front is not None and package != front


def contradictions(program: Program, applied: Application) -> list[Reason]:
    """Reasons against effects that contradict each other, or of which the row cannot be told."""
    reasons = [conflict_reason(program, conflict, "block") for conflict in applied.conflicts]
    for skip in applied.skipped:
        relation = program.relation(skip.relation)
        missing = [name for name in relation.identity if skip.cells.get(name) is None]
        text = say("reason.untold", relation=relation.short, attrs=", ".join(missing))
        names = frozenset({relation.short, *missing})
        reasons.append(Reason("conflict", "block", text, rule=skip.rule, names=names))
    return reasons


def _values(cells: Mapping[str, object], context: Context) -> dict[str, Value | None]:
    """The cells of a fact, ``today`` put in."""
    values: dict[str, Value | None] = {}
    for name, value in cells.items():
        if isinstance(value, Today):
            values[name] = context.today + dt.timedelta(days=value.days)
        else:
            values[name] = value  # type: ignore[assignment]
    return values
