"""Which strata can be maintained by differences, and the plans for it: one for each position of each body.

A rule can be maintained if its body has positive atoms, plain negations, comparisons and counts of the rows of one key
only, and nothing in it depends on the clock. Its derivations are counted: a tuple that is inserted or deleted at one
position is joined with the rest of the body as it is then, and each binding found is one derivation more or less. Where
rows are counted, a change of the number is one tuple that is deleted and one that is inserted (Gupta, Mumick and
Subrahmanian 1993, section 4). The derivations of recursive rules cannot be counted over cyclic data; see
`vsalang.engine.run.recursion` for what is done instead.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from vsalang.engine.api import EngineError, Reading
from vsalang.engine.compile.atoms import plan_alpha
from vsalang.engine.compile.context import Context, PlannedBody
from vsalang.engine.compile.items import RowCount
from vsalang.engine.plan import Delta, RuleNet, StratumNet, StratumSpec
from vsalang.engine.steps import Anti, Bind, Body, Captures, Enumerate, Filter, Join, Project, Tally
from vsalang.engine.terms import is_clocked
from vsalang.program.ir import Aggregate, Compare, Const, Constraint, Fn, Lit, Relation, Term, Var
from vsalang.program.ops import ASKING, FUNCTIONS
from vsalang.program.walk import outer_variables, parts, variables

MOST_LITERALS: Final = 15
"""Bodies of more literals are not maintained: Python nests at most 20 blocks."""


def answer_net(
    context: Context,
    stratum: int,
    rule: str,
    literals: Sequence[Any],
    reading: Reading | None,
    *,
    names: tuple[str, ...],
    bound: Sequence[str],
    license_head: Any,
    planned: PlannedBody | None = None,
) -> None:
    """Note how the answers of a rule are maintained, if they can be; `planned` is what there is of it already."""
    head = tuple(Var(name) if name in bound else None for name in names)
    if license_head is not None:
        literals = (Lit(license_head), *literals)
    row = license_head is not None
    net = _rule(
        context,
        rule,
        literals,
        reading,
        names=names,
        table=-1,
        head=head,
        row=row,
        inside=frozenset(),
        planned=None if row else planned,
    )
    if net is not None:
        context.plan.nets[stratum] = StratumNet(stratum, "answers", (net,))


def derive_net(
    context: Context, stratum: int, reading: Reading, members: Sequence[str], recursive: bool
) -> None:
    """Note how a component of derived relations is maintained, if it can be."""
    if reading == "possible" or (len(members) > 1 and not recursive):
        return
    inside = frozenset(members) if recursive else frozenset()
    rules: list[RuleNet] = []
    for member in members:
        table = context.derived(member, reading)
        relation = context.relation(member)
        for rule in context.defining(member, reading):
            atom = rule.head.atom  # type: ignore[union-attr]
            terms = {c.attr: c.term for c in atom.constraints}
            head = tuple(terms[attr.name] for attr in relation.attrs)
            names = tuple(sorted(variables(head)))
            net = _rule(
                context,
                rule.id,
                rule.body,
                reading,
                names=names,
                table=table,
                head=head,
                row=False,
                inside=inside,
                planned=context.plains.get(rule.id) if reading == "plain" else None,
            )
            if net is None:
                return
            rules.append(net)
        if relation.sort == "screen":
            if recursive:
                return
            rules.append(_given_net(context, member, table))
    context.plan.nets[stratum] = StratumNet(stratum, "recursive" if recursive else "derived", tuple(rules))


def _given_net(context: Context, screen: str, table: int) -> RuleNet:
    alpha = context.given_alpha(screen)
    body = Body([Join(alpha)], ())
    delta = Delta(alpha, 1, Body([Join(alpha, delta=True)], ()))
    return RuleNet(f"given {screen}", table, (), False, body, (delta,))


def _rule(
    context: Context,
    rule: str,
    literals: Sequence[Any],
    reading: Reading | None,
    *,
    names: tuple[str, ...],
    table: int,
    head: tuple[Term | None, ...],
    row: bool,
    inside: frozenset[str],
    planned: PlannedBody | None,
) -> RuleNet | None:
    counts = not inside and any(isinstance(item, Aggregate) for item in literals)
    if counts:
        literals = _with_counts(context, literals, reading, names)
    if len(literals) > MOST_LITERALS or not all(
        isinstance(item, Lit | Compare | RowCount) for item in literals
    ):
        return None
    if not all(_is_compilable(term) for term in head):
        return None
    if inside and any(isinstance(term, Fn) for term in head):
        return None
    literals = [_whole(context, item, inside) for item in literals]

    def plan(bound: tuple[str, ...] = ()) -> PlannedBody:
        spec = StratumSpec("answers", rule)  # what is read is noted by the plans that compute from nothing
        planner = context.loose_planner(spec, reading, bound=bound, inside=inside, counted=True)
        return PlannedBody(planner, planner.plan(literals, names, row=row))

    try:
        if planned is None or inside or counts or planned.planner.repeats:
            planned = plan()
        body, deltas = planned.body, _deltas(planned)
        if deltas is None:
            return None
        support = None
        if inside:
            support = plan(names).body
            if not _countable(support):
                return None
    except EngineError:
        return None  # the plan that computes from nothing says what is wrong, if something is
    rows = tuple(_rows(context, literals, deltas, inside))
    return RuleNet(rule, table, head, row, body, deltas, support, rows)


def _with_counts(
    context: Context, literals: Sequence[Any], reading: Reading | None, names: Sequence[str]
) -> list[Any]:
    """The literals, with two for each count that can be maintained: the number, and the comparison with it.

    Of counts of the same rows only one can: a change reaches them all at once.
    """
    expanded: list[Any] = []
    counted: set[tuple[str, bool]] = set()
    for index, item in enumerate(literals):
        others = (*literals[:index], *literals[index + 1 :])
        shared = frozenset(names).union(*map(outer_variables, others))
        if isinstance(item, Aggregate) and _is_tally(context, item, reading, shared):
            rows = (item.lit.atom.relation, item.lit.atom.before)
            if rows in counted:
                return list(literals)
            counted.add(rows)
            number = context.fresh("number")
            expanded.append(RowCount(item.lit.atom, item.group, number))
            expanded.append(Compare(Var(number), item.op, item.right, item.hi))
        else:
            expanded.append(item)
    return expanded


def _is_tally(context: Context, item: Aggregate, reading: Reading | None, shared: frozenset[str]) -> bool:
    """Whether a count is read plainly and each row says by itself by which values it is counted.

    Args:
        context: of the program.
        item: an aggregate.
        reading: how all literals are read; None: each as it is marked.
        shared: the variables that the rest of the rule has.
    """
    atom, group = item.lit.atom, set(item.group)
    if (
        item.fn != "count"
        or (reading or item.reading) != "plain"
        or item.lit.neg
        or item.lit.past is not None
    ):
        return False
    columns = context.columns[atom.relation]
    constraints = atom.constraints
    if any(c.attr not in columns or c.op in ASKING for c in constraints):
        return False
    if not all(_is_compilable(term) for c in constraints for term in (c.term, c.hi)):
        return False
    if shared & (variables(atom) - group):
        return False  # it is local to the count
    plan = plan_alpha(columns, constraints, lambda name: name in group)
    if not group or plan.residual or set(plan.names) != group or plan.make()[1].captures:
        return False
    # (without a key there is one row, whose cells are written one by one)
    return context.is_derived(atom.relation) or bool(context.relation(atom.relation).key)


def _deltas(planned: PlannedBody) -> tuple[Delta, ...] | None:
    """The plans by position; None if some binding cannot be counted.

    Raises:
        EngineError: some position has no plan.
    """
    if not planned.tried:
        planned.tried = True
        planned.deltas = _counted(planned)
    return planned.deltas


def _counted(planned: PlannedBody) -> tuple[Delta, ...] | None:
    if not _countable(planned.body):
        return None
    deltas = []
    for literal, number, body in planned.planner.deltas():
        if not _countable(body):
            return None
        if isinstance(literal, RowCount):
            deltas.append(Delta(-1, 1, body, number))
        else:
            deltas.append(Delta(number, -1 if literal.neg else 1, body))
    return tuple(deltas)


def _rows(context: Context, literals: Sequence[Any], deltas: Sequence[Delta], inside: frozenset[str]) -> Any:
    atoms = [item for item in literals if isinstance(item, Lit)]
    for item, delta in zip(atoms, [each for each in deltas if each.alpha >= 0], strict=True):
        if item.atom.relation in inside and not item.neg and item.past is None:
            equal = {c.attr: c.term for c in item.atom.constraints if c.op == "=" and _simple(c.term)}
            relation: Relation = context.relation(item.atom.relation)
            terms = tuple(equal[attr.name] for attr in relation.attrs)
            yield delta.alpha, context.plan.alphas[delta.alpha].table, terms


def _simple(term: Term | None) -> bool:
    return isinstance(term, Var | Const)


def _whole(context: Context, item: Any, inside: frozenset[str]) -> Any:
    """A literal on the component's own relation with a variable for each cell that it says nothing of."""
    if not isinstance(item, Lit) or item.neg or item.past is not None or item.atom.relation not in inside:
        return item
    attributes = {c.attr for c in item.atom.constraints if c.op == "=" and _simple(c.term)}
    relation = context.relation(item.atom.relation)
    more = tuple(
        Constraint(attr.name, "=", Var(context.fresh("whole").replace("#", "?")))
        for attr in relation.attrs
        if attr.name not in attributes
    )
    return replace(item, atom=replace(item.atom, constraints=item.atom.constraints + more))


def _is_compilable(term: Term | None) -> bool:
    """Whether code can be made of a term: it does not read the clock, and its functions exist."""
    return all(
        (part.name == "today" or part.name in FUNCTIONS) and not is_clocked(part)
        for part in parts(term)
        if isinstance(part, Fn)
    )


def _countable(body: Body) -> bool:
    """Whether code can be made of a plan, and its bindings counted."""
    for step in body.steps:
        if isinstance(step, Anti):
            if step.tests or set(step.columns) != set(range(len(step.names))):
                return False
        elif isinstance(step, Filter):
            source = step.source
            terms = (
                (source.left, source.right, source.hi)
                if isinstance(source, Compare)
                else (source[1].term, source[1].hi)
                if source is not None
                else None
            )
            if terms is None or not all(_is_compilable(term) for term in terms):
                return False
        elif isinstance(step, Bind | Enumerate):
            if not _is_compilable(step.source[1]):
                return False
        elif isinstance(step, Captures) or not isinstance(step, Join | Project | Tally):
            return False
    return True
