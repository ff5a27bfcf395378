"""Dead rules: bodies that no state can make true, with the conditions that clash."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from vsalang.program.ir import Atom, Constraint, License, Program, Recognize, Relation, Rule, Var
from vsalang.program.walk import Sources, needed, sources, variables
from vsalang.proof.solver.bodies import Reader
from vsalang.proof.solver.query import NoAnswer, Query
from vsalang.proof.solver.results import Alive, Clash, Dead, OpenPoint, Replay, UnsupportedConstruct
from vsalang.proof.solver.scan import MOST_ROWS, licences_of, occurrences, size
from vsalang.proof.solver.show import WRITTEN
from vsalang.proof.solver.sorts import conj, disj, neg
from vsalang.proof.solver.state import Slot
from vsalang.proof.solver.ways import Branch


@dataclass(eq=False)
class Queries:
    """Queries about each of some rules, of which nobody wants to see a state: one for each number of rows.

    What is asked quickly has queries of its own: in these nothing tells which conditions clash.
    """

    program: Program
    rules: Sequence[Rule]
    timeout: int
    made: dict[tuple[int, bool], Query] = field(default_factory=dict)

    def of(self, rows: int, *, quick: bool = False) -> Query:
        """The query with so many rows."""
        if (rows, quick) not in self.made:
            timeout = min(self.timeout, _QUICK) if quick else self.timeout
            self.made[rows, quick] = Query(self.program, self.rules, rows, timeout)
        return self.made[rows, quick]


WHAT = "whether its conditions can hold together"
_FEW_ROWS = (1, 2)
"""Most rules hold in some state with so few rows, whatever number a proof would need that they hold in none."""
_QUICK = 2000
"""Milliseconds for a question about a state with few rows."""


def dead_rule(
    program: Program,
    rule: Rule,
    *,
    rows: int = 0,
    timeout: int = 10_000,
    witness: bool = False,
    replay: Replay | None = None,
    queries: Queries | None = None,
) -> Dead | Alive | OpenPoint:
    """Whether a rule's body can hold in any state.

    Where nobody wants to see the state, one with few rows is sought first.

    Args:
        rows: slots per relation; 0 makes as many as the rule's atoms need, up to `scan.MOST_ROWS`.
        timeout: milliseconds for each question to the solver.
        witness: whether to make a state out of the solver's model where the body can hold.
        replay: the interpreter; it decides where conditions have no exact form for the solver.
        queries: those of other rules: what these read, too, is encoded once.
    """
    queries = queries or Queries(program, [rule], timeout)
    few = [] if witness else [number for number in _FEW_ROWS if not rows or number <= rows]
    if any(_holds_in_few(queries.of(number, quick=True), rule, replay) for number in few):
        return Alive(rule.id, None)
    needed = size(program, rule)
    slots = rows or min(needed.rows, MOST_ROWS)
    bound = None if needed.exact and slots >= needed.rows else slots
    query = queries.of(slots)
    cut: list[str] = []
    query.terms.approximated = {}
    try:
        holds = _holds(query, rule, cut)
        solver = query.solver([holds])
        marks = [mark for mark, _ in query.tracker.marks.values()]
        if query.check(solver, marks):
            if query.terms.approximated:
                return _tried(query, rule, holds, marks, replay, witness=witness)
            if not witness:
                return Alive(rule.id, None)
            try:
                return Alive(rule.id, query.example(solver, marks))
            except UnsupportedConstruct:
                return Alive(rule.id, None)
        if cut:
            return OpenPoint(rule.id, WHAT, "unsupported", f"`{cut[0].rpartition('.')[2]}` is recursive: no state was "
                             "found within 3 rounds, which proves nothing")  # fmt: skip
        core = query.core(solver, marks)
        clashes = [query.tracker.marks[str(mark)][1] for mark in core]
        return Dead(
            rule.id, tuple(c for c in clashes if not any(_holds_inside(c, d) for d in clashes)), bound
        )
    except UnsupportedConstruct as error:
        return OpenPoint(rule.id, WHAT, "unsupported", str(error))
    except NoAnswer as error:
        return error.undecided(rule.id, WHAT)


def _holds_in_few(query: Query, rule: Rule, replay: Replay | None) -> bool:
    """Whether a state with few rows was found in which a rule's body holds; if not, nothing is known.

    No condition is marked, and every slot is tried for every atom: so all rules share what they read.
    """
    query.terms.approximated = {}
    try:
        holds = conj([_holds(query, rule, [], tracked=False, used=None), *_licensed(query, tracked=False)])
        inexact = bool(query.terms.approximated)
        if inexact and replay is None:
            return False
        solver = query.solver([holds], realistic=inexact, simple=True)
        if not query.check(solver):
            return False
    except (UnsupportedConstruct, NoAnswer):
        return False
    return replay is None or not inexact or _holds_in_any(query, rule, solver, replay)


def _tried(
    query: Query, rule: Rule, holds: Any, marks: list[Any], replay: Replay | None, *, witness: bool
) -> Alive | OpenPoint:
    """Whether the interpreter finds that the rule holds in a state of the solver's, which it cannot vouch for.

    Where nobody wants to see the state, the first one that the solver finds will do; a nicer one is sought only
    if the rule does not hold in that.
    """
    why = next(iter(query.terms.approximated))
    solver = query.solver([holds], realistic=True)
    if replay is not None and query.check(solver, marks):
        if not witness and _holds_in_any(query, rule, solver, replay):
            return Alive(rule.id, None)
        world = query.example(solver, marks)
        if rule.id in replay(world, (rule.id,)):
            return Alive(rule.id, world)
    return OpenPoint(rule.id, WHAT, "unsupported", why)


def _holds_in_any(query: Query, rule: Rule, solver: Any, replay: Replay) -> bool:
    try:
        return rule.id in replay(query.any_example(solver), (rule.id,))
    except UnsupportedConstruct:
        return False


def _holds_inside(outer: Clash, inner: Clash) -> bool:
    """Whether a condition is an atom of which a constraint is named: then the constraint says enough."""
    if (
        outer.span is None
        or inner.span is None
        or outer.span == inner.span
        or outer.span.file != inner.span.file
    ):
        return False
    return outer.span.start <= inner.span.start and inner.span.end <= outer.span.end and not outer.noun


def _holds(
    query: Query,
    rule: Rule,
    cut: list[str],
    *,
    tracked: bool = True,
    used: Mapping[str, int] | None = MappingProxyType({}),
) -> Any:
    """The formula that the rule's body holds, its head's pattern included.

    Where it is to be denied its conditions must not be tracked.

    Args:
        used: as of `Branch`.
    """
    state = query.state
    reader = Reader(state, tracker=query.tracker if tracked else None, cut=cut, counts=occurrences(rule))
    start = Branch({}, used=used)
    if isinstance(rule.head, License):
        atom = rule.head.atom
        rel = query.program.relation(atom.relation)
        slot = state.slots("now", atom.relation)[0]
        binding, testing = split(atom)
        first = None if used is None else {f"now {atom.relation}": 1}
        start = replace(start.when(slot.present), used=first)
        body = replace(reader, mode="certain")
        ways = [
            fitted.guard
            for begun in reader.fit(rel, slot.cells, binding, start)
            for way in body.body(rule.body, begun, variables(testing))
            for fitted in reader.fit(rel, slot.cells, testing, way)
        ]
    else:
        groups = sources(rule) if isinstance(rule.head, Recognize) else Sources((), ())
        # sources are read each for itself: two that never hold together may each hold
        ways = [
            way.guard
            for source in groups.each or ((),)
            for way in reader.body((*rule.body, *groups.of_all, *source), start, frozenset())
        ]
    return conj([disj(ways), *_licensed(query, tracked=True)]) if tracked else disj(ways)


def split(atom: Atom) -> tuple[tuple[Constraint, ...], tuple[Constraint, ...]]:
    """The constraints of a licence's head that give the variables of its body, and those that may need the body's."""
    binding = tuple(c for c in atom.constraints if c.op == "=" and isinstance(c.term, Var))
    return binding, tuple(c for c in atom.constraints if c not in binding)


def licensing(query: Query, rule: Rule, cut: list[str], *, tracked: bool = True) -> Any:
    """The formula that an `allow` permits the proposal, and, where conditions are tracked, that what was done before
    was allowed."""
    return _holds(query, rule, cut, tracked=tracked)


def _licensed(query: Query, *, tracked: bool) -> list[Any]:
    """What was committed was allowed: in a spec's program each commit fits the head of a clause."""
    program = query.program
    if program.modules[program.main].kind != "spec":
        return []
    formulas = []
    for kind, name in list(query.state.made):
        if kind != "commits":
            continue
        rel = program.relation(name)
        licences = licences_of(program, name)
        mark = Clash(
            f"`{rel.short}` is only allowed as {_patterns(licences)}"
            if licences
            else f"no clause allows `{rel.short}`",
            licences[0].span if licences else None,
            f"what allows `{rel.short}`" if licences else f"the lack of a clause that allows `{rel.short}`",
        )
        for slot in query.state.slots("commits", name):
            fits = disj([licensed(Reader(query.state), rel, slot, licence) for licence in licences])
            other = query.state.done_by(name, slot)
            allowed = disj([neg(slot.present), fits, other])
            formulas.append(query.tracker.wrap(allowed, mark) if tracked else allowed)
    return formulas


def licensed(reader: Reader, rel: Relation, slot: Slot, licence: Rule) -> Any:
    """Whether a committed instance fits the head of a clause, as far as the head alone says it."""
    assert isinstance(licence.head, License)
    binding, testing = split(licence.head.atom)
    names = frozenset(c.term.name for c in binding if isinstance(c.term, Var))
    alone = tuple(c for c in testing if needed(c) <= names)
    fits = reader.fit(rel, slot.cells, (*binding, *alone), Branch({}))
    return disj([branch.guard for branch in fits])


def _patterns(licences: Sequence[Rule]) -> str:
    patterns = [f"`{WRITTEN.atom(r.head.atom)}`" for r in licences if isinstance(r.head, License)]
    return " or ".join(patterns)


def analysed(program: Program, modules: frozenset[str]) -> list[Rule]:
    """The rules of these modules that a person wrote and that have conditions."""
    return [
        rule
        for rule in program.rules
        if rule.module in modules and rule.span is not None and (rule.body or isinstance(rule.head, License))
    ]
