"""From the core program to its query plan: rule by rule, then the derived relations that they need."""

from collections.abc import Sequence
from typing import Any

from vsalang.base.collector import no_collection
from vsalang.engine.api import EngineError, Reading
from vsalang.engine.compile.bodies import Planner, reorder
from vsalang.engine.compile.codegen import write_code
from vsalang.engine.compile.context import Context, PlannedBody
from vsalang.engine.compile.deltas import answer_net, derive_net
from vsalang.engine.compile.newest import given_read, reads_of
from vsalang.engine.compile.order import finish
from vsalang.engine.compile.ranges import Ranges
from vsalang.engine.plan import (
    DerivePlan,
    ExpectPlan,
    ExtraPlan,
    Plan,
    RulePlan,
    StratumSpec,
    TimestampPlan,
    WitnessPlan,
)
from vsalang.engine.steps import ROW, Body, Join
from vsalang.engine.terms import compile_term, in_layout, is_clocked
from vsalang.program.ir import (
    Derive,
    Expect,
    Judge,
    License,
    Lit,
    Program,
    Recognize,
    Relation,
    Rule,
    Var,
    Write,
)
from vsalang.program.ir import Literal as BodyLiteral
from vsalang.program.vocabulary import VOCABULARY
from vsalang.program.walk import binds, outer_variables, sources, variables


@no_collection()
def compile_program(program: Program, base: Context | None = None) -> Plan:
    """Compile a checked program.

    Args:
        program: the program.
        base: what `compile_rules` made of a part of it (`shared_part`): that is not made again.

    Raises:
        EngineError: the program is not stratified, or a body is not safe: the checker should have refused it.
    """
    plan = compile_rules(program, base).plan
    finish(plan)
    plan.generate = write_code
    return plan


@no_collection()
def compile_rules(program: Program, base: Context | None = None) -> Context:
    """Compile the rules that the base does not have, and what they need. The result can be the base of others.

    Raises:
        EngineError: the program is not stratified, or a body is not safe.
    """
    context = Context(program, Planner, base)
    before = set(context.compiled)
    for rule in program.rules:
        if rule.id in before:
            before.remove(rule.id)
            continue
        if rule.id in context.plan.variables:
            raise EngineError(f"two rules have the id {rule.id}")
        _rule(context, rule)
        _drain(context)
    for name in program.relations:
        if context.is_derived(name):
            context.derived(name, "plain")
    _drain(context)
    context.plains.clear()  # nothing else is made of it
    return context


def shared_part(program: Program) -> Program | None:
    """The apps and modules of a program, which other specs import too; None if there are none to share.

    Nothing that is compiled of their rules depends on the rest: specs and policies derive relations of their own only.
    """
    shared = {name for name, info in program.modules.items() if info.kind in ("app", "module")}
    rules = tuple(rule for rule in program.rules if rule.module in shared)
    relations = {
        name: relation
        for name, relation in program.relations.items()
        if name in VOCABULARY or not relation.module or relation.module in shared
    }
    own = (rule.head for rule in program.rules if rule.module not in shared)
    if not rules or any(isinstance(head, Derive) and head.atom.relation in relations for head in own):
        return None
    return Program("", {}, relations, rules, "")


def _drain(context: Context) -> None:
    """Compile the derived relations that something asked for, until nothing new is asked for."""
    while context.pending or context.pending_timestamps:
        if context.pending:
            _component(context, *context.pending.popleft())
        else:
            _timestamps(context, *context.pending_timestamps.popleft())


# ---------------------------------------------------------------- answers of rules


def _rule(context: Context, rule: Rule) -> None:
    head, plan = rule.head, context.plan
    names: tuple[str, ...] = ()
    if isinstance(head, Judge):
        names = tuple(sorted({part.name for part in head.message if isinstance(part, Var)}))
    elif isinstance(head, Expect):
        names = tuple(sorted({name for literal in head.literals for name in outer_variables(literal)}))
    elif isinstance(head, Derive | License | Recognize | Write) or hasattr(head, "atom"):
        names = tuple(sorted(variables(head.atom)))
    reading: Reading | None = None
    if isinstance(head, Derive):
        reading = "plain"
    elif isinstance(head, License):  # whatever a literal is marked: what licenses must hold certainly
        reading = "certain"
    plan.variables[rule.id] = names
    plan.answers[rule.id] = _answer_plan(context, rule, names, rule.body, reading)
    if isinstance(head, Recognize):
        plan.extras[rule.id] = _extra_plan(context, rule)
    if isinstance(head, Expect):
        stratum = context.stratum("answers", f"{rule.id} expected")
        bound = {name for literal in rule.body for name in binds(literal)}
        bound_names = tuple(name for name in names if name in bound)
        body = context.planner(stratum, None, bound=bound_names).plan(head.literals, ())
        plan.expects[rule.id] = (stratum, ExpectPlan(body, bound_names))


def _answer_plan(
    context: Context,
    rule: Rule,
    names: tuple[str, ...],
    literals: Sequence[BodyLiteral],
    reading: Reading | None,
) -> tuple[int, RulePlan]:
    stratum = context.stratum("answers", rule.id)
    head = rule.head.atom if isinstance(rule.head, License) else None
    try:
        if isinstance(rule.head, Derive):
            planned = _plain(context, rule, context.plan.strata[stratum])
        else:
            planner = context.planner(stratum, reading)
            planned = PlannedBody(planner, planner.plan(literals, names, license_head=head))
    except EngineError as error:
        raise EngineError(f"rule {rule.id}: {error}") from None
    body = planned.body
    positions = tuple(body.layout.index(name) if name in body.layout else None for name in names)
    row = body.layout.index(ROW) if ROW in body.layout else None
    if isinstance(rule.head, Judge | License) and literals is rule.body:
        bound = tuple(name for name in names if name in body.layout)
        context.plan.witnesses[rule.id] = WitnessPlan(bound, planned.planner.witness(bound))
    answer_net(
        context,
        stratum,
        rule.id,
        literals,
        reading,
        names=names,
        bound=body.layout,
        license_head=head,
        planned=planned,
    )
    return stratum, RulePlan(names, body, positions, row)


def _plain(context: Context, rule: Rule, spec: StratumSpec) -> PlannedBody:
    """What is planned of a rule that derives rows, read plainly: its answers and its relation share it.

    Args:
        spec: the stratum that evaluates it; it gets what the rule reads.
    """
    plan = context.plains.get(rule.id)
    if plan is None:
        planner = context.loose_planner(StratumSpec("answers", rule.id), "plain")
        needed = tuple(sorted(variables(rule.head.atom)))  # type: ignore[union-attr]
        plan = context.plains[rule.id] = PlannedBody(planner, planner.plan(rule.body, needed))
    reads = plan.planner.spec
    spec.alphas |= reads.alphas
    spec.tables |= reads.tables
    spec.timestamped |= reads.timestamped
    spec.inside |= reads.inside
    spec.clock = spec.clock or reads.clock
    return plan


def _extra_plan(context: Context, rule: Rule) -> ExtraPlan:
    """The plan of what is after ``with``: the conditions of all sources, then each source, with what all share."""
    assert isinstance(rule.head, Recognize)
    wanted = variables(rule.head.atom)
    groups = sources(rule)
    shared = {name for literal in rule.body for name in outer_variables(literal)} & (
        set(wanted) | {name for literal in rule.extra for name in outer_variables(literal)}
    )
    plans = []
    for source in ((), *groups.each):
        own = set(wanted) & {name for literal in source for name in outer_variables(literal)}
        names = (*sorted(shared), *sorted(own - shared))
        plans.append(_answer_plan(context, rule, names, (*rule.body, *groups.of_all, *source), None))
    return ExtraPlan(len(shared), tuple(plans))


# ---------------------------------------------------------------- derived relations


def _component(context: Context, name: str, reading: Reading) -> None:
    """Compile the rules of a component in one reading."""
    component, names = context.components[name]
    members = tuple(m for m in names if context.reading(m, reading) == reading)
    stratum = context.component_strata[component, reading]
    spec = context.plan.strata[stratum]
    spec.members = tuple(context.derived(member, reading) for member in members)
    for member in members:
        table = context.derived(member, reading)
        relation = context.relation(member)
        for rule in context.defining(member, reading):
            assert isinstance(rule.head, Derive)
            try:
                if reading == "possible":
                    spec.plans.append(Ranges(context, spec).possible_rule(rule, table, members))
                else:
                    spec.plans.append(
                        _derive(context, rule, relation, table, stratum, reading=reading, members=members)
                    )
            except EngineError as error:
                raise EngineError(f"rule {rule.id}: {error}") from None
        if relation.sort == "screen":
            alpha = context.given_alpha(member)
            spec.alphas.add(alpha)
            spec.plans.append(DerivePlan(table, Body([Join(alpha)], ()), lambda env, ctx: ()))
    if reading == "possible":
        spec.recursive = any(rule.recursive for rule in spec.plans)
    else:
        spec.recursive = any(plan.deltas for plan in spec.plans)
        derive_net(context, stratum, reading, members, spec.recursive)


def _derive(
    context: Context,
    rule: Rule,
    relation: Relation,
    table: int,
    stratum: int,
    *,
    reading: Reading,
    members: tuple[str, ...],
) -> DerivePlan:
    head = rule.head.atom  # type: ignore[union-attr]
    needed = tuple(sorted(variables(head)))
    inside = frozenset(members)
    if reading == "plain" and not any(use.atom.relation in inside for use in context.uses[rule.id]):
        body = _plain(context, rule, context.plan.strata[stratum]).body
    else:
        body = context.planner(stratum, reading, inside=inside).plan(rule.body, needed)
    make = _head_row(context, rule, relation, stratum)
    deltas = []
    for index, literal in enumerate(rule.body):
        positive = isinstance(literal, Lit) and not literal.neg and literal.past is None
        if positive and literal.atom.relation in members:  # type: ignore[union-attr]
            planner = context.planner(stratum, reading, delta=index, inside=inside)
            plan = planner.plan(rule.body, needed)
            if plan.layout != body.layout:
                plan = reorder(plan, body.layout)
            deltas.append((planner.delta_alpha, plan))
    return DerivePlan(table, body, make(body.layout), tuple(deltas))


def _head_row(context: Context, rule: Rule, relation: Relation, stratum: int) -> Any:
    """From a layout to the function that makes the head's row of a binding (None: a term is undefined)."""
    terms = {c.attr: c.term for c in rule.head.atom.constraints if c.term is not None}  # type: ignore[union-attr]
    missing = [attr.name for attr in relation.attrs if attr.name not in terms]
    if missing:
        raise EngineError(f"the head says nothing of {', '.join(missing)}")
    if any(is_clocked(term) for term in terms.values()):
        context.plan.strata[stratum].clock = True

    def make(layout: tuple[str, ...]) -> Any:
        where = {name: index for index, name in enumerate(layout)}
        gets = [compile_term(terms[attr.name], in_layout(where)) for attr in relation.attrs]

        def row(env: Any, ctx: Any) -> Any:
            cells = tuple([get(env, ctx) for get in gets])
            return None if None in cells else cells

        return row

    return make


def _timestamps(context: Context, table: int, name: str, reading: Reading) -> None:
    """Compile how the timestamps of a derived table's rows are found."""
    spec = context.plan.timestamps[table]
    relation, stratum = context.relation(name), context.plan.strata[spec.stratum]
    for rule in context.defining(name, reading):
        names = {n for literal in rule.body for n in binds(literal)}
        names |= variables(rule.head.atom)  # type: ignore[union-attr]
        body = context.planner(spec.stratum, reading).plan(rule.body, names)
        ask = reads_of(context, stratum, rule.body, reading)
        head = _head_row(context, rule, relation, spec.stratum)(body.layout)
        spec.plans.append(TimestampPlan(body, head, ask))
    if relation.sort == "screen":
        input_id = context.input(name, "shown", 0)
        alpha = context.given_alpha(name)
        stratum.alphas.add(alpha)
        body = Body([Join(alpha)], ())
        spec.plans.append(
            TimestampPlan(body, lambda env, ctx: (), given_read(context, stratum, input_id, name))
        )
