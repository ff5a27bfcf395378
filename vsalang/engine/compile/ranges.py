"""Which rows a literal ranges over, and the goals of literals that are not joins, for one stratum of the plan."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from vsalang.engine.api import EngineError, Reading
from vsalang.engine.compile.context import Context
from vsalang.engine.compile.past import whole_rows
from vsalang.engine.matching import Matcher
from vsalang.engine.plan import (
    StratumSpec,
)
from vsalang.engine.run.certain import Completeness, Possible, Source, TimeWindow
from vsalang.engine.run.firsts import FirstGoal
from vsalang.engine.run.goals import AggregateGoal
from vsalang.engine.run.possible import (
    CertainAny,
    PossibleAggregate,
    PossibleCompare,
    PossibleEvery,
    PossibleFirst,
    PossibleRule,
)
from vsalang.engine.terms import compile_term, from_mapping, is_clocked, no_variables
from vsalang.program.ir import (
    Aggregate,
    Atom,
    Compare,
    Constraint,
    Every,
    First,
    Lit,
    Past,
    Rule,
    Spent,
    Var,
)
from vsalang.program.walk import bound_by_row, variables


class Ranges:
    """Makes goals for a stratum and notes what the stratum reads.

    Args:
        context: gives tables their numbers.
        spec: the stratum.
    """

    def __init__(self, context: Context, spec: StratumSpec) -> None:
        self.context = context
        self.spec = spec

    def is_commit(self, atom: Atom, past: Past | None) -> bool:
        """Whether a past literal is about committed actions."""
        return (
            past is not None
            and past.op in ("earlier", "within")
            and self.context.relation(atom.relation).sort == "action"
        )

    def matcher(self, atom: Atom, constraints: Sequence[Constraint] | None = None) -> Matcher:
        """A matcher of an atom's rows (of some constraints on them)."""
        columns = self.context.columns[atom.relation]
        chosen = atom.constraints if constraints is None else constraints
        for c in chosen:
            if c.attr not in columns:
                raise EngineError(f"{atom.relation} has no attribute {c.attr}")
            if is_clocked(c):
                self.spec.clock = True
        return Matcher(columns, chosen)

    def possible(self, atom: Atom, past: Past | None, reading: Reading) -> Possible:
        """What may match the atom, seen or not."""
        context, matcher = self.context, self.matcher(atom)
        relation = context.relation(atom.relation)
        if past is not None and not self.is_commit(atom, past):
            return Possible(matcher, None, None)
        if past is not None:
            source = self.rows_of(atom, past, reading)
            return Possible(
                matcher, source, Completeness(relation, matcher.columns, source.table, -1, commits=True)
            )
        if context.is_derived(atom.relation):
            table = context.derived(atom.relation, "possible")
            certain = context.derived(atom.relation, "certain")
            self.spec.tables |= {table, certain}
            stratum = None
            if context.reading(atom.relation, "possible") == "possible":
                stratum = context.plan.tables[table].stratum
                assert stratum is not None
                self.spec.inside.add(stratum)
            return Possible(matcher, Source(table), None, certain, stratum)
        table = context.base(atom)
        complete = context.input(relation.name, "complete", len(relation.attrs))
        self.spec.tables |= {table, complete}
        completeness = Completeness(relation, matcher.columns, table, complete, commits=False)
        return Possible(matcher, Source(table), completeness)

    def rows_of(self, atom: Atom, past: Past | None, reading: Reading) -> Source:
        """The rows that an atom ranges over in a two-valued reading."""
        if past is None:
            table = self.context.source(atom, "plain" if reading == "plain" else "certain")
            self.spec.tables.add(table)
            return Source(table)
        if self.is_commit(atom, past):
            table = self.context.commits(atom.relation)
            self.spec.tables.add(table)
            window = None
            if past.op == "within":
                assert past.duration is not None
                window = TimeWindow(compile_term(past.duration, no_variables))
                self.spec.clock = True
            return Source(table, window)
        return whole_rows(self.context, self.spec, atom, past, reading)

    def aggregate_goal(
        self, item: Aggregate, source: Source, matcher: Matcher, possible: Possible | None
    ) -> AggregateGoal:
        """The goal of an aggregate whose group variables are all bound."""
        column = -1 if item.fn == "count" else self.context.columns[item.lit.atom.relation].get(item.attr, -2)
        if column == -2:
            raise EngineError(f"{item.lit.atom.relation} has no attribute {item.attr}")
        if is_clocked((item.right, item.hi)):
            self.spec.clock = True
        right = compile_term(item.right, from_mapping)
        hi = None if item.hi is None else compile_term(item.hi, from_mapping)
        return AggregateGoal(item.fn, column, source, matcher, (), item.op, right, hi, False, possible)

    def first_goal(self, item: First, reading: Reading) -> FirstGoal:
        """The goal of a `first`; what it binds is filled in when its place is known."""
        atom = item.atom
        relation = self.context.relation(atom.relation)
        if relation.sort != "list":
            raise EngineError(f"first ranges over lists, and {relation.short} is none")
        columns = self.context.columns[atom.relation]
        chosen: list[Constraint] = []
        others: list[Constraint] = []
        for c in atom.constraints:
            constant = not variables(c) - bound_by_row([c])
            constant = constant and not (c.op == "=" and isinstance(c.term, Var))
            (chosen if constant or c.attr in relation.within else others).append(c)
        source = self.rows_of(atom, None, reading)
        has = None if item.has is None else self.matcher(atom, item.has)
        possible, seen = None, -1
        if reading != "plain":
            possible = self.possible(atom, None, reading)
            seen = self.context.input(relation.name, "last_seen", len(relation.attrs))
            self.spec.tables.add(seen)
        return FirstGoal(
            item.n,
            source,
            self.matcher(atom, chosen),
            self.matcher(atom, others),
            has,
            tuple(columns[name] for name in relation.within),
            columns["at"],
            (),
            possible,
            seen,
        )

    # ------------------------------------------------------------ the possible reading of a rule

    def possible_rule(self, rule: Rule, table: int, members: tuple[str, ...]) -> PossibleRule:
        """A rule of a derived relation in the possible reading (see `vsalang.engine.run.possible`)."""
        head = rule.head.atom  # type: ignore[union-attr]
        relation = self.context.relation(head.relation)
        usage = Counter(name for literal in rule.body for name in variables(literal))
        usage.update(variables(head))
        names = tuple(
            sorted(name for name, uses in usage.items() if uses > 1)
        )  # others are local to a literal
        positives: list[tuple[Possible, tuple[str, ...]]] = []
        recursive: list[tuple[int, int]] = []
        compares: list[PossibleCompare] = []
        firsts: list[PossibleFirst] = []
        aggregates: list[PossibleAggregate] = []
        everies: list[PossibleEvery] = []
        negations: list[CertainAny] = []
        exhausted: list[int] = []
        for literal in rule.body:
            if isinstance(literal, Lit) and not literal.neg:
                possible = self.possible(literal.atom, literal.past, "possible")
                if possible.source is None:
                    continue  # never complete: whatever its variables are, it may have been so
                if literal.past is None and literal.atom.relation in members:
                    recursive.append((len(positives), possible.source.table))
                positives.append((possible, ()))
            elif isinstance(literal, Lit):
                if literal.past is not None and literal.past.op == "since":
                    continue  # what is remembered are bindings: read as what may not have been so
                source = self.rows_of(literal.atom, literal.past, "certain")
                local = {n for n in variables(literal) if usage[n] == 1}
                negations.append(CertainAny(source, self.matcher(literal.atom), frozenset(local)))
            elif isinstance(literal, Compare):
                if is_clocked(literal):
                    self.spec.clock = True
                compares.append(PossibleCompare(literal))
            elif isinstance(literal, Every):
                everies.append(
                    PossibleEvery(
                        self.possible(literal.atom, None, "possible"),
                        self.rows_of(literal.atom, None, "certain"),
                        self.matcher(literal.atom),
                        self.matcher(literal.atom, literal.has),
                    )
                )
            elif isinstance(literal, First):
                firsts.append(
                    PossibleFirst(
                        self.first_goal(literal, "certain"), self.possible(literal.atom, None, "possible")
                    )
                )
            elif isinstance(literal, Aggregate):
                ask = self.aggregate_goal(
                    literal,
                    self.rows_of(literal.lit.atom, literal.lit.past, "certain"),
                    self.matcher(literal.lit.atom),
                    self.possible(literal.lit.atom, literal.lit.past, "possible"),
                )
                bind = literal.right.name if literal.op == "=" and isinstance(literal.right, Var) else None
                aggregates.append(PossibleAggregate(replace(ask, groups=tuple(literal.group)), bind))
            elif isinstance(literal, Spent):
                table_of = self.context.input(literal.relation, "exhausted", 0)
                self.spec.tables.add(table_of)
                exhausted.append(table_of)
            # a `then` may always have been so: not all of its evidence is remembered; so may a kind that is not above
        terms = {c.attr: c.term for c in head.constraints if c.term is not None}
        missing = [attr.name for attr in relation.attrs if attr.name not in terms]
        if missing:
            raise EngineError(f"the head says nothing of {', '.join(missing)}")
        return PossibleRule(
            table,
            names,
            positives,
            tuple(recursive),
            compares,
            firsts,
            aggregates,
            everies,
            negations,
            tuple(exhausted),
            [compile_term(terms[attr.name], from_mapping) for attr in relation.attrs],
            tuple(t.name if isinstance(t := terms[attr.name], Var) else None for attr in relation.attrs),
        )
