"""Which licences the actions of a proposal use, and why there may be none for them (`guard.md#P5`).

Licences are a ledger: one that was used stays used, also if the action did not come out as expected, for what was sent
may still arrive. It comes free for the same action once more if that is harmless (`@idempotent`), or if the user agrees
where nobody knows whether it arrived, or it did not come out as expected.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from vsalang.engine.api import Row
from vsalang.engine.explain.terms import Context
from vsalang.guard.judge.judgement import LicenceUse, MayBe, NameJudgement, Tools
from vsalang.guard.judge.licences import FREE, Grant, Licences
from vsalang.guard.judge.lowering import Lowering
from vsalang.guard.judge.meant_actions import NO_EFFECTS, Effects, Instance
from vsalang.guard.judge.unseen import not_seen_since, set_not_seen, without_unseen
from vsalang.guard.say.reasons import action_text, licence_reasons, licensed_reasons, maybe_done, used_up
from vsalang.guard.say.verdict import Reason, Why, worst
from vsalang.guard.say.why import Explainer
from vsalang.guard.world.beliefs import World
from vsalang.guard.world.session_state import Charge, JudgedProposal, Snapshot
from vsalang.program.example import LEVELS, Level
from vsalang.program.grave import asked_again
from vsalang.program.ir import License, Rule
from vsalang.program.meaning import TEXTS, UNREAD
from vsalang.program.phrases import say


def ask_licences(judgement: NameJudgement) -> None:
    """P5 Licence: find a licence for each action that is proposed, and whether the task may end."""
    whole = judgement.whole
    tools, state, instances = whole.tools, whole.state, judgement.instances
    assert judgement.facts is not None
    used = LicenceUse()
    if instances:
        lowering = Lowering(judgement)
        used = licences_of(tools, state, instances, Explainer(judgement.facts), judgement.effects, lowering)
    if "finish" in instances:
        used += licence_to_finish(
            tools, state, judgement.applied.world, instances["finish"], whole.context, judgement.spent
        )
    judgement.used = used
    judgement.reasons += [_with_doubts(judgement, reason) for reason in used.reasons]
    judgement.reasons += may_be_reasons(tools, judgement.may_be)


def _with_doubts(judgement: NameJudgement, reason: Reason) -> Reason:
    """A reason with the parameters that are unknown because their text hides something."""
    program = judgement.whole.tools.program
    unknown = {
        f"{program.relation(action).short}.{name}"
        for action, names in judgement.hidden.items()
        if action in reason.names
        for name in names
    }
    if not unknown:
        return reason
    words = say("reason.hidden", reason=reason.message, cells=", ".join(sorted(unknown)))
    return replace(reason, message=words, change=TEXTS)


def may_be_reasons(tools: Tools, actions: Sequence[MayBe]) -> list[Reason]:
    """Why a proposal that may be an action is not allowed: no clause fits what is not known to be one.

    Of several instances of an action with the same doubts one is told.
    """
    reasons: dict[tuple[str, str], Reason] = {}
    for each in actions:
        if not tools.needs_licence(each.action):
            continue
        relation = tools.program.relation(each.action)
        text = action_text(tools.program, each.action, each.row)
        reason = Reason(
            "unlicensed",
            "block",
            say("reason.may_be", action=text, why=each.words),
            rule=each.rule.id,
            module=each.rule.module,
            span=each.rule.head_span or each.rule.span,
            whys=each.whys,
            names=frozenset({relation.short, each.action}),
            annotations={**relation.annotations, **each.rule.annotations},
            change=UNREAD,
        )
        reasons.setdefault((each.action, each.words), reason)
    return list(reasons.values())


def licences_of(
    tools: Tools,
    state: Snapshot,
    rows: Mapping[str, Sequence[Row]],
    explainer: Explainer,
    effects: Effects = NO_EFFECTS,
    lowering: Lowering | None = None,
) -> LicenceUse:
    """The licences for all actions but `finish`; the moment is the judged one.

    An action and the effect that it refines are one act: a licence for either of them permits it.
    """
    used = LicenceUse()
    for action in sorted(rows.keys() - {"finish"}):
        for row in rows[action]:
            if (action, row) in effects.of:
                found_one = _either(tools, state, (action, row), effects, explainer=explainer, used=used)
                used += _lowered(((action, row), effects.of[action, row]), effects, found_one, lowering)
            elif (action, row) not in effects.alone:
                found_one = _licence(tools, state, action, row, explainer=explainer, used=used)
                used += _lowered(((action, row),), effects, found_one, lowering)
    return used


def _lowered(
    instances: Sequence[Instance], effects: Effects, used: LicenceUse, lowering: Lowering | None
) -> LicenceUse:
    """What is found of an act, where the owner is asked about, or the agent warned of, what nothing licenses."""
    asked = lowering.reason(instances, used.reasons) if lowering is not None and used.reasons else None
    if asked is None:
        return used
    free = [each for number, each in enumerate(instances) if number == 0 or each in effects.alone]
    return LicenceUse(tuple(Grant(*each, frozenset({FREE})) for each in free), (asked,))


def _licence(
    tools: Tools, state: Snapshot, action: str, row: Row, *, explainer: Explainer, used: LicenceUse
) -> LicenceUse:
    """The licence for one instance."""
    rules = tools.licences.rules.get(action, [])
    if not tools.needs_licence(action):
        return LicenceUse((Grant(action, row, frozenset({FREE})),))
    holding = frozenset(
        rule.id for rule in rules if any(answer.instance == row for answer in tools.answers.answers(rule.id))
    )
    if not holding:
        return LicenceUse(
            reasons=tuple(licence_reasons(tools.program, action, row, rules, explainer, tools.book.explained))
        )
    return _instance(tools, state, action, row, holding=holding, explainer=explainer, used=used)


def _either(
    tools: Tools,
    state: Snapshot,
    instance: Instance,
    effects: Effects,
    *,
    explainer: Explainer,
    used: LicenceUse,
) -> LicenceUse:
    """The licence for an action that refines an effect: its own, or that of the effect. Both count as done then."""
    effect = effects.of[instance]
    ways: list[tuple[Instance, LicenceUse]] = []
    for each, other in ((instance, effect), (effect, instance)):
        if tools.licences.rules.get(each[0]):
            use = _licence(tools, state, *each, explainer=explainer, used=used)
            if each == effect and effect not in effects.alone:
                # it is proposed for itself, too: what it needs is asked there, and it uses its licence there
                charged = any((grant.relation, grant.row) == effect for grant in used.grants)
                use = LicenceUse() if charged else replace(use, grants=(), returns=frozenset())
            ways.append((other, use))
    if not ways:
        ways.append((effect, _licence(tools, state, *instance, explainer=explainer, used=used)))
    other, best = min(ways, key=lambda way: LEVELS.index(_level(way[1])))
    if _level(best) == "block":
        return LicenceUse(reasons=tuple(reason for _, use in ways for reason in use.reasons))
    free = Grant(*other, frozenset({FREE}))
    if other == effect and (effect not in effects.alone or free in used.grants):
        return best
    return best + LicenceUse((free,), returns=same_acts(tools, state, best.returns, explainer.facts.context))


def _level(used: LicenceUse) -> Level:
    return worst([reason.level for reason in used.reasons])


def same_acts(tools: Tools, state: Snapshot, numbers: frozenset[int], context: Context) -> frozenset[int]:
    """The entries of the ledger that are the same acts by the name of an effect, or of what refines it."""
    meant = tools.analysis.meant
    if meant is None or not numbers:
        return frozenset()
    done = [(charge.commit.point, (charge.grant.relation, charge.grant.row)) for charge in state.ledger]
    return frozenset(other for number in numbers for other in meant.same_act(done, number, context))


def _instance(
    tools: Tools,
    state: Snapshot,
    action: str,
    row: Row,
    *,
    holding: frozenset[str],
    explainer: Explainer,
    used: LicenceUse,
) -> LicenceUse:
    """The licence for an action that clauses allow, if there is one left."""
    program = tools.program
    allowing = [rule for rule in tools.licences.rules[action] if rule.id in holding]
    grant, returns = _charge(tools, state, action, row, holding, used)
    if returns is None:
        before = [
            *((charge.grant, charge.commit.number > 0) for charge in state.ledger if not charge.returned),
            *((other, True) for other in used.grants),
        ]
        text = action_text(program, action, row)
        doubtful = [state.ledger[number] for number in state.doubtful(action, row)]
        return LicenceUse(
            (grant,), tuple(used_up(program, action, text, allowing, grant, before, doubtful=doubtful))
        )
    using = [rule for rule in allowing if tools.licences.clause_of[rule.id] in grant.clauses]
    doubtful = [state.ledger[number] for number in sorted(returns - used.returns)]
    reasons: list[Reason] = []
    if not _harmless_again(tools, action, row, doubtful):
        reasons = maybe_done(program, action, row, using, doubtful)
    licensed = licensed_reasons(program, action, row, using, explainer)
    return LicenceUse((grant,), tuple(reasons), tuple(licensed), returns)


def _charge(
    tools: Tools, state: Snapshot, action: str, row: Row, holding: frozenset[str], used: LicenceUse
) -> tuple[Grant, frozenset[int] | None]:
    """The licence that an instance uses, and whose place in the ledger it takes; None: none is left.

    A licence that is used comes free only for the same action, and only if nobody knows whether that was done.
    """

    def granted(returns: frozenset[int]) -> tuple[Grant, bool]:
        others = [*state.charged(returns), *used.grants]
        grant = tools.licences.grant(action, row, holding, others)
        return grant, tools.licences.bears([*others, grant])

    returns = used.returns
    grant, borne = granted(returns)
    if borne:
        return grant, returns
    for number in state.doubtful(action, row):
        charge = state.ledger[number]
        if charge.outcome == "unseen" and not _harmless_again(tools, action, row, [charge]):
            continue  # it arrived: only the user, who may know that it had no effect, gives its licence back
        returns |= {number}
        again, borne = granted(returns)
        if borne:
            return again, returns
    return grant, None


def _harmless_again(tools: Tools, action: str, row: Row, doubtful: Sequence[Charge]) -> bool:
    """Whether an action may be done once more unasked: the app refused it, or nothing more would change by it."""
    relations = tools.program.relations
    again = "idempotent" in relations[action].annotations and None not in row
    free = not asked_again(relations, action)
    return all((free and one.outcome == "refused") or (again and one.grant.row == row) for one in doubtful)


# ---------------------------------------------------------------------- the end of the task


def licence_to_finish(
    tools: Tools,
    state: Snapshot,
    world: World,
    rows: Sequence[Row],
    context: Context,
    spent: frozenset[str],
) -> LicenceUse:
    """Whether the task may end: what was predicted and not seen since counts as unknown."""
    rules = tools.licences.rules.get("finish", [])
    if not rules and not tools.task:
        return LicenceUse(tuple(Grant("finish", row, frozenset({FREE})) for row in rows))
    savepoint = tools.moments.savepoint()
    try:
        explainer = doubting(tools, state, world, context, spent)
        holding = [rule for rule in rules if tools.answers.answers(rule.id)]
        if holding:
            clauses = frozenset(tools.licences.clause_of[rule.id] for rule in holding)
            licensed = licensed_reasons(tools.program, "finish", (), holding, explainer)
            grants = tuple(Grant("finish", row, clauses) for row in rows)
            return LicenceUse(grants, licensed=tuple(licensed))
        refused = licence_reasons(tools.program, "finish", (), rules, explainer, tools.book.explained)
        if state.unseen:
            refused = [not_seen_since(reason, state.unseen) for reason in refused]
        return LicenceUse(reasons=tuple(refused))
    finally:
        tools.moments.rollback(savepoint)


def doubting(
    tools: Tools, state: Snapshot, world: World, context: Context, spent: frozenset[str]
) -> Explainer:
    """Bring about the moment that `done` is read in; explains what is missing there.

    What was predicted and not seen since is unknown there, and actions whose touch something else may have taken
    were not done.
    """
    sure = state.sure
    if sure is not state:
        spent = tools.licences.all_spent(sure.grants)
        tools.moments.commits(sure.committed, spent)
    doubted = without_unseen(tools.program, world, state.unseen)
    before = without_unseen(tools.program, state.world, state.unseen)
    tools.moments.world(doubted, before)
    return Explainer(tools.moments.facts(context, doubted, before, sure.committed, spent, state.sent))


# ---------------------------------------------------------------------- which clauses hold


def goals(tools: Tools, state: Snapshot, context: Context) -> list[tuple[Rule, bool, tuple[Why, ...]]]:
    """For each clause of the task whether its body holds now, and if not every condition that is not met."""
    savepoint = tools.moments.savepoint()
    try:
        tools.moments.clock(context.now, context.timeline)
        spent = tools.licences.all_spent(state.grants)
        facts = tools.moments.facts(context, state.world, state.world, state.committed, spent, state.sent)
        explainer = Explainer(facts)
        clauses = tools.book.licences
        whys = {rule.id: explainer.clause(rule, None, guess=True) for rule in clauses if not _ends(rule)}
        explainer = doubting(tools, state, state.world, context, spent)
        for rule in clauses:
            if _ends(rule):
                missing = explainer.clause(rule, None, guess=True)
                whys[rule.id] = tuple(set_not_seen(why, state.unseen) for why in missing)
        return [(rule, not whys[rule.id], whys[rule.id]) for rule in clauses]
    finally:
        tools.moments.rollback(savepoint)


def _ends(rule: Rule) -> bool:
    return isinstance(rule.head, License) and rule.head.atom.relation == "finish"


# ---------------------------------------------------------------------- what runs although it was not allowed


def outside(judged: JudgedProposal, state: Snapshot, licences: Licences) -> JudgedProposal:
    """What was judged, as it is committed whatever the verdict was: it ran, so it is in the history.

    Of its critical actions those that the licences bear are charged to them. The others ran outside every licence, and
    use none up. Of what was refused before its effects were worked out none are known.
    """
    if not judged.world.tables:
        judged = replace(judged, world=state.world)
    if judged.level != "allow":
        judged = replace(judged, returns=frozenset())  # nobody was asked
    charged = state.charged(judged.returns)
    grants: list[Grant] = []
    for grant in judged.grants:
        borne = licences.bears([*charged, *grants, grant])
        grants.append(grant if borne else replace(grant, clauses=frozenset({FREE})))
    granted = {(grant.relation, grant.row) for grant in judged.grants}
    grants += [
        Grant(name, row, frozenset({FREE}))
        for name, rows in judged.instances.items()
        for row in rows
        if (name, row) not in granted
    ]
    return replace(judged, grants=tuple(grants))
