"""Which nodes can be kept up to date by differences, and the plans for it: one for each position of each body.

A rule is of this kind if its body has positive atoms, plain negations and comparisons only, and nothing of it depends
on the clock. Its derivations are then counted: a tuple that came to or went from one position is joined with the rest
of the body as it is at that moment, and each binding found is one derivation more or less. What depends on itself
cannot be counted over cyclic data; see `vsalang.engine.run.recursion` for what is done instead.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, Literal

from vsalang.core.ir import Compare, Const, Constraint, Fn, Lit, Relation, Term, Var
from vsalang.core.ops import FUNCTIONS
from vsalang.core.walk import parts, variables
from vsalang.engine.api import EngineError
from vsalang.engine.compile.bodies import Planner
from vsalang.engine.matching import ROW
from vsalang.engine.plan import Body, NodeSpec, Version
from vsalang.engine.run.steps import Anti, Bind, Captures, Enumerate, Filter, Join, Project
from vsalang.engine.run.tables import ASKING
from vsalang.engine.terms import is_clocked

if TYPE_CHECKING:
    from vsalang.engine.compile.program import Compiler

MOST_LITERALS: Final = 15
"""Bodies of more literals are computed anew: Python nests at most 20 blocks."""


@dataclass(frozen=True, slots=True)
class Delta:
    """The plan for tuples of `alpha` that come or go; `sign` is -1 where the literal is negated."""

    alpha: int
    sign: int
    body: Body


@dataclass(frozen=True, slots=True)
class RuleNet:
    """One rule that is kept up to date by differences.

    Attributes:
        rule: its id.
        table: the table of its head; -1 if it is answered.
        head: the terms of the row, or of the answer's values (None: nothing binds it).
        row: of a licence: the answer has the row of the action.
        body: the plan from nothing.
        deltas: the plans by position.
        support: in a recursive component: the plan that looks for a derivation of a given row.
        rows: of the alphas of the component's own atoms: the terms of the whole row.
    """

    rule: str
    table: int
    head: tuple[Term | None, ...]
    row: bool
    body: Body
    deltas: tuple[Delta, ...]
    support: Body | None = None
    rows: tuple[tuple[int, int, tuple[Term, ...]], ...] = ()


@dataclass(slots=True)
class NodeNet:
    """A node that is kept up to date by differences: answers, a derived relation, or a recursive component.

    `asks` if a rule compares by ``~=`` beside what its atoms say.
    """

    node: int
    kind: Literal["answers", "derived", "recursive"]
    rules: tuple[RuleNet, ...]
    asks: bool = False

    def __post_init__(self) -> None:
        self.asks = any(
            isinstance(step, Filter) and step.source is not None and _operator(step.source) in ASKING
            for rule in self.rules
            for step in rule.body.steps
        )


def _operator(source: Any) -> str:
    found: str = source.op if isinstance(source, Compare) else source[1].op
    return found


def answer_net(
    compiler: "Compiler",
    node: int,
    rule: str,
    literals: Sequence[Any],
    version: Version | None,
    names: tuple[str, ...],
    bound: Sequence[str],
    license_head: Any,
) -> None:
    """Note how the answers of a rule are kept up to date, if they can be."""
    head = tuple(Var(name) if name in bound else None for name in names)
    if license_head is not None:
        literals = (Lit(license_head), *literals)
    net = _rule(compiler, rule, literals, version, names, -1, head, license_head is not None, frozenset())
    if net is not None:
        compiler.kernel.nets[node] = NodeNet(node, "answers", (net,))


def derive_net(
    compiler: "Compiler", node: int, version: Version, members: Sequence[str], recursive: bool
) -> None:
    """Note how a component of derived relations is kept up to date, if it can be."""
    if version == "possible" or (len(members) > 1 and not recursive):
        return
    inside = frozenset(members) if recursive else frozenset()
    rules: list[RuleNet] = []
    for member in members:
        table = compiler.derived(member, version)
        relation = compiler.relation(member)
        for rule in compiler.derive_rules.get(member, ()):
            atom = rule.head.atom  # type: ignore[union-attr]
            terms = {c.attr: c.term for c in atom.constraints}
            head = tuple(terms[attr.name] for attr in relation.attrs)
            names = tuple(sorted(variables(head)))
            net = _rule(compiler, rule.id, rule.body, version, names, table, head, False, inside)
            if net is None:
                return
            rules.append(net)
        if relation.sort == "screen":
            if recursive:
                return
            rules.append(_given(compiler, member, table))
    compiler.kernel.nets[node] = NodeNet(node, "recursive" if recursive else "derived", tuple(rules))


def _given(compiler: "Compiler", screen: str, table: int) -> RuleNet:
    alpha = compiler.given_alpha(screen)
    body = Body([Join(alpha, (), ())], ())
    delta = Delta(alpha, 1, Body([Join(alpha, (), (), delta=True)], ()))
    return RuleNet(f"given {screen}", table, (), False, body, (delta,))


def _rule(
    compiler: "Compiler",
    rule: str,
    literals: Sequence[Any],
    version: Version | None,
    names: tuple[str, ...],
    table: int,
    head: tuple[Term | None, ...],
    row: bool,
    inside: frozenset[str],
) -> RuleNet | None:
    if len(literals) > MOST_LITERALS or not all(isinstance(item, Lit | Compare) for item in literals):
        return None
    if not all(_known(term) for term in head):
        return None
    if inside and any(isinstance(term, Fn) for term in head):
        return None
    literals = [_whole(compiler, item, inside) for item in literals]

    def plan(given: tuple[str, ...] = (), delta: int | None = None) -> tuple[Planner, Body]:
        spec = NodeSpec("answers", rule)  # what is read is noted by the plans that compute from nothing
        planner = Planner(compiler, spec, version, given=given, delta=delta, inside=inside, counted=True)
        return planner, planner.plan(literals, names, row=row)

    try:
        _, body = plan()
        if not _countable(body):
            return None
        deltas = []
        for index, item in enumerate(literals):
            if isinstance(item, Lit):
                planner, delta_body = plan(delta=index)
                if not _countable(delta_body):
                    return None
                deltas.append(Delta(planner.delta_alpha, -1 if item.neg else 1, delta_body))
        support = None
        if inside:
            _, support = plan(given=names)
            if not _countable(support):
                return None
    except EngineError:
        return None  # the plan that computes from nothing says what is wrong, if something is
    rows = tuple(_rows(compiler, literals, deltas, inside))
    return RuleNet(rule, table, head, row, body, tuple(deltas), support, rows)


def _rows(
    compiler: "Compiler", literals: Sequence[Any], deltas: Sequence[Delta], inside: frozenset[str]
) -> Any:
    atoms = [item for item in literals if isinstance(item, Lit)]
    for item, delta in zip(atoms, deltas, strict=True):
        if item.atom.relation in inside and not item.neg and item.past is None:
            equal = {c.attr: c.term for c in item.atom.constraints if c.op == "=" and _simple(c.term)}
            relation: Relation = compiler.relation(item.atom.relation)
            terms = tuple(equal[attr.name] for attr in relation.attrs)
            yield delta.alpha, compiler.kernel.alphas[delta.alpha].table, terms


def _simple(term: Term | None) -> bool:
    return isinstance(term, Var | Const)


def _whole(compiler: "Compiler", item: Any, inside: frozenset[str]) -> Any:
    """A literal on the component's own relation with a variable for each cell that it says nothing of."""
    if not isinstance(item, Lit) or item.neg or item.past is not None or item.atom.relation not in inside:
        return item
    said = {c.attr for c in item.atom.constraints if c.op == "=" and _simple(c.term)}
    relation = compiler.relation(item.atom.relation)
    more = tuple(
        Constraint(attr.name, "=", Var(compiler.fresh("whole").replace("#", "?")))
        for attr in relation.attrs
        if attr.name not in said
    )
    return replace(item, atom=replace(item.atom, constraints=item.atom.constraints + more))


def _known(term: Term | None) -> bool:
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
            if terms is None or not all(_known(term) for term in terms):
                return False
        elif isinstance(step, Bind | Enumerate):
            if step.source is None or not _known(step.source[1]):
                return False
        elif isinstance(step, Captures) or not isinstance(step, Join | Project):
            return False
    return True


__all__ = ["ROW", "Delta", "NodeNet", "RuleNet", "answer_net", "derive_net"]
