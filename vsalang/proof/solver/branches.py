"""Missing branches: states in which no clause of a spec can apply, whatever the agent does.

∃ environment ∀ agent ¬(some clause). What input effects and consequences write is the agent's, and so is what the
screen shows, since the agent chooses where to go; what only observations write is the environment's. The inner ∀ needs
no quantifier: the agent's relations are taken to be as each clause wants them, which can only hide a state, never
report one that has a way out.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import field, replace
from itertools import islice, product
from typing import Any, Final

from vsalang.base.records import dataclass
from vsalang.program import ir, ops
from vsalang.program.ir import Const, Fn, Goto, License, Lit, Program, Relation, Rule, Term, Write
from vsalang.program.show import short_name, value_source
from vsalang.program.values import Value
from vsalang.program.walk import binds, outer_variables, parts, relations
from vsalang.proof.solver.bodies import Reader
from vsalang.proof.solver.dead import licensed, split
from vsalang.proof.solver.query import NoAnswer, Query
from vsalang.proof.solver.results import (
    BlockedClause,
    Disagreement,
    Missing,
    OpenPoint,
    Replay,
    Row,
    UnsupportedConstruct,
    World,
)
from vsalang.proof.solver.scan import (
    MOST_ROWS,
    licences_of,
    occurrences,
    refining,
    size,
    units,
    with_definitions,
)
from vsalang.proof.solver.sorts import TRUE, conj, disj, neg, true_in
from vsalang.proof.solver.state import Slot
from vsalang.proof.solver.ways import Branch

WHAT: Final = "whether some clause always applies"
_BELIEVED: Final = ("state", "view", "list")
_CHOSEN: Final = ("Text", "Date", "enum")
"""Types of what tells which thing is shown: on a view that no action leads to, the agent chooses it."""
_MOST_INSTANCES: Final = 300


@dataclass(frozen=True, slots=True)
class Sides:
    """Whose relations are whose.

    Attributes:
        environment: believed relations that only observations write.
        favourable: all others that the clauses read.
        results: for each view that an action leads to, the actions; such a view shows their result.
        chosen: attributes (relation, attribute) of the environment's views that the agent chooses.
    """

    environment: frozenset[str]
    favourable: frozenset[str]
    results: Mapping[str, frozenset[str]]
    chosen: frozenset[tuple[str, str]]


def sides(program: Program, clauses: Sequence[Rule]) -> Sides:
    """Divide the relations that the clauses read."""
    writers: dict[str, set[str]] = {}
    leads: dict[str, set[str]] = {}
    for rule in program.rules:
        actions = {n for n in relations(rule.body) if program.relations[n].sort == "action"}
        if isinstance(rule.head, Write):
            writers.setdefault(rule.head.atom.relation, set()).add(rule.trigger)
        elif isinstance(rule.head, Goto):
            leads.setdefault(rule.head.screen, set()).update(actions)
        elif isinstance(rule.head, ir.Expect):
            for name in relations(rule.head.literals):
                if program.relations[name].sort == "screen":
                    leads.setdefault(name, set()).update(actions)
    read = relations(tuple((r.head, r.body) for r in with_definitions(program, clauses)))
    environment, favourable, chosen = set(), set(), set()
    results: dict[str, frozenset[str]] = {}
    for name in read:
        rel = program.relations[name]
        if rel.sort in ("derived", "screen") and name != "Screen":
            if rel.sort == "screen":
                favourable.add(name)
            continue
        if rel.sort not in _BELIEVED or writers.get(name, set()) != {"observation"}:
            favourable.add(name)
            continue
        environment.add(name)
        causes = frozenset(action for screen in rel.on for action in leads.get(screen, ()))
        if rel.sort == "view" and causes:
            results[name] = causes
        elif rel.sort == "view":
            chosen |= {(name, attr.name) for attr in rel.attrs if attr.type.kind in _CHOSEN}
    return Sides(frozenset(environment), frozenset(favourable), results, frozenset(chosen))


@dataclass(eq=False)
class Situation:
    """One question: after the action `after` (none: from the start), can every clause fail at once?"""

    program: Program
    clauses: Sequence[Rule]
    sides: Sides
    after: str | None
    rows: int
    timeout: int
    dead: frozenset[str] = frozenset()
    query: Query = field(init=False)
    licensed: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        self.query = Query(self.program, self.clauses, self.rows, self.timeout)
        names = [r.head.atom.relation for r in self.clauses if isinstance(r.head, License)]
        self.licensed = tuple(name for name in dict.fromkeys(names) if name != "finish")
        totals = [self.query.state.total_licence(name) or 1 for name in self.licensed]
        self.query.state.commit_rows = min(max([1, *totals]), MOST_ROWS)

    # ------------------------------------------------------------ the state

    def reader(self) -> Reader:
        """Reads clauses as the agent would like them."""
        return Reader(self.query.state, favourable=self.sides.favourable, depth=1)

    def facts(self) -> list[Any]:
        """What is supposed of the environment: all that clauses ask of it was seen, and only possible commits."""
        state = self.query.state
        formulas: list[Any] = []
        counts = {name: self.commits(name) for name in self.all_actions()}
        if self.after is None:
            formulas += [neg(slot.present) for slots in counts.values() for slot in slots]
        else:
            formulas.append(disj([slot.present for slot in counts[self.after]]))
            for name, slots in counts.items():
                formulas += [self.reachable(name, slot) for slot in slots]
                total = state.total_licence(name)
                if total is not None:
                    formulas += [neg(slot.present) for slot in slots[total:]]
        for name in sorted(state.counted):  # no contract was violated
            total = sum(number for _, number in units(self.program, name))
            slots = self.commits(name)
            if total:
                formulas.append(state.spent(name) == conj(slot.present for slot in slots[:total]))
        mentioned, with_none = self.mentioned()
        before = self.read_before()
        for name in sorted(self.sides.environment):
            rel = self.program.relation(name)
            slots = self.open_choices(rel)
            if name in before:  # no input writes it: it is as it was
                self.query.state.made["before", name] = slots
            if name in self.sides.results:
                done = [
                    slot.present
                    for cause in self.sides.results[name]
                    if cause in counts
                    for slot in counts[cause]
                ]
                formulas.append(slots[0].present == disj(done))
            elif not rel.identity:
                formulas.append(slots[0].present)
            for slot in slots:
                for attr, cell in zip(rel.attrs, slot.cells, strict=True):
                    if (name, attr.name) in mentioned or attr.name == "at":
                        formulas.append(disj([neg(slot.present), cell.known]))
                    if (name, attr.name) not in with_none:
                        formulas.append(neg(cell.none))
        return formulas

    def all_actions(self) -> list[str]:
        """The actions whose commits matter: those that are licensed and those that clauses ask about."""
        read = relations(tuple(r.body for r in with_definitions(self.program, self.clauses)))
        asked = [n for n in sorted(read) if self.program.relations[n].sort == "action"]
        asked += [other for name in asked for other in refining(self.program, name)]
        return list(dict.fromkeys((*self.licensed, *asked)))

    def commits(self, name: str) -> tuple[Slot, ...]:
        """The slots of an action's commits."""
        return self.query.state.slots("commits", name)

    def reachable(self, name: str, slot: Slot) -> Any:
        """A commit fits a clause's head, and what that clause wants done before was done."""
        rel = self.program.relation(name)
        reader = Reader(self.query.state)
        options = []
        for licence in licences_of(self.program, name):
            if licence.id in self.dead:
                continue
            before = [
                disj([branch.guard for branch in reader.positive(replace_open(literal), Branch({}))])
                for literal in licence.body
                if isinstance(literal, Lit) and not literal.neg and literal.past is not None
                if literal.past.op == "earlier"
                and self.program.relation(literal.atom.relation).sort == "action"
            ]
            options.append(conj([licensed(reader, rel, slot, licence), *before]))
        return disj([neg(slot.present), disj(options), self.query.state.done_by(name, slot)])

    def open_choices(self, rel: Relation) -> tuple[Slot, ...]:
        """The slots of an environment's relation; what the agent chooses to look at is open."""
        state = self.query.state
        slots = state.slots("now", rel.name)
        if any((rel.name, attr.name) in self.sides.chosen for attr in rel.attrs):
            slots = tuple(
                replace(
                    slot,
                    cells=tuple(
                        replace(cell, open=TRUE) if (rel.name, attr.name) in self.sides.chosen else cell
                        for attr, cell in zip(rel.attrs, slot.cells, strict=True)
                    ),
                )
                for slot in slots
            )
            state.made["now", rel.name] = slots
        return slots

    def read_before(self) -> frozenset[str]:
        """The relations that clauses read as they were before the inputs."""
        read = parts(tuple(rule.body for rule in with_definitions(self.program, self.clauses)))
        return frozenset(part.relation for part in read if isinstance(part, ir.Atom) and part.before)

    def mentioned(self) -> tuple[set[tuple[str, str]], set[tuple[str, str]]]:
        """Cells that clauses ask for, and those that they compare with ``none``."""
        asked: set[tuple[str, str]] = set()
        with_none: set[tuple[str, str]] = set()
        for rule in with_definitions(self.program, self.clauses):
            for part in parts((rule.head, rule.body)):
                atoms: list[tuple[str, tuple[ir.Constraint, ...]]] = []
                if isinstance(part, ir.Atom):
                    atoms.append((part.relation, part.constraints))
                elif isinstance(part, ir.Quantified):
                    atoms.append((part.atom.relation, part.has or ()))
                elif isinstance(part, ir.Aggregate) and part.attr:
                    asked.add((part.lit.atom.relation, part.attr))
                for relation, constraints in atoms:
                    for c in constraints:
                        asked.add((relation, c.attr))
                        if any(isinstance(p, Const) and p.type.kind == "None" for p in parts(c)):
                            with_none.add((relation, c.attr))
        return asked, with_none

    # ------------------------------------------------------------ clauses

    def left(self, clause: Rule) -> Any:
        """Whether the clause's action has licence left."""
        assert isinstance(clause.head, License)
        name = clause.head.atom.relation
        total = self.query.state.total_licence(name)
        if name == "finish" or total is None:
            return TRUE
        slots = self.commits(name)
        return neg(slots[total - 1].present) if total <= len(slots) else TRUE

    def applies(self, clause: Rule) -> Any:
        """Whether the clause can apply if the agent does its best."""
        assert isinstance(clause.head, License)
        cut: list[str] = []
        reader = replace(self.reader(), counts=occurrences(clause), cut=cut)
        ways = reader.body(self.ordered(clause), Branch({}))
        atom = clause.head.atom
        rel = self.program.relation(atom.relation)
        as_proposed = replace(reader, favourable=self.sides.favourable | {rel.name})
        fitted = [
            branch.guard
            for way in ways
            for branch, _, _ in as_proposed.imagined(rel, atom, way, complete=False, choices=False)
        ]
        if cut:
            raise UnsupportedConstruct(f"the recursive relation `{short_name(cut[0])}`")
        return conj([self.left(clause), disj(fitted)])

    def ordered(self, clause: Rule) -> list[ir.Literal]:
        """What the environment says comes first, so that variables take its values; then the agent's; then tests.

        Variables of the head that nothing else binds are bound by the action that the agent proposes: any value.
        """
        assert isinstance(clause.head, License)
        positive = [
            lit for lit in clause.body if isinstance(lit, Lit | ir.First | ir.Then) and not _negated(lit)
        ]
        mine = [lit for lit in positive if relations(lit) & self.sides.favourable]
        theirs = [lit for lit in positive if lit not in mine]
        rest = [lit for lit in clause.body if lit not in positive]
        free = split(clause.head.atom)[0]
        proposed = [Lit(ir.Atom(clause.head.atom.relation, free))] if free else []
        waiting: list[ir.Literal] = [*theirs, *mine, *proposed, *rest]
        ordered: list[ir.Literal] = []
        bound: frozenset[str] = frozenset()
        while waiting:  # the first that has what it needs
            ready = (lit for lit in waiting if not outer_variables(lit) - bound - binds(lit))
            chosen = next(ready, waiting[0])
            waiting.remove(chosen)
            ordered.append(chosen)
            bound |= binds(chosen)
        return ordered

    # ------------------------------------------------------------ the answer

    def ask(self) -> World | None:
        """A state in which no clause can apply, None if there is none; `blocked` may be asked after it."""
        facts = self.facts()
        self._applies = {clause.id: self.applies(clause) for clause in self.clauses}
        formulas = [*facts, *(neg(formula) for formula in self._applies.values())]
        solver = self.query.solver(formulas, realistic=True)
        if not self.query.check(solver):
            return None
        world = self.query.example(solver)
        self.model = self.query.model
        complete = {
            name: frozenset({(None,) * len(self.program.relation(name).attrs)})
            for name in self.sides.environment
            if self.program.relation(name).identity
        }
        return replace(world, complete=complete)

    def blocked(self) -> tuple[BlockedClause, ...]:
        """Why each clause cannot apply in the model."""
        return tuple(self.why(clause) for clause in self.clauses)

    def why(self, clause: Rule) -> BlockedClause:
        """The first condition of the clause that fails, alone."""
        if not true_in(self.model, self.left(clause)):
            return BlockedClause(clause.id, "its licence is used up", clause.head_span or clause.span)
        reader = self.reader()
        for literal in clause.body:
            try:
                ways = list(reader.literal(literal, Branch({})))
            except UnsupportedConstruct:  # a variable that other conditions bind
                continue
            if not any(true_in(self.model, way.guard) for way in ways):
                return BlockedClause(clause.id, self.seen(literal), literal.span or clause.span)
        return BlockedClause(
            clause.id, "no row meets its conditions together", clause.head_span or clause.span
        )

    def seen(self, literal: ir.Literal) -> str:
        """What is so instead of the condition."""
        if isinstance(literal, Lit) and not literal.neg and literal.past is None:
            rel = self.program.relation(literal.atom.relation)
            slots = self.query.state.made.get(("now", rel.name), ())
            if len(slots) == 1 and not true_in(self.model, slots[0].present):
                return f"there is no {rel.short}"
            if len(slots) == 1:
                reader = self.reader()
                for c in literal.atom.constraints:
                    cell = slots[0].cells[rel.column(c.attr)]
                    if isinstance(c.term, ir.Var) or true_in(self.model, reader.constraint(cell, c, {})):
                        continue
                    value = self.query.sorts.decode(self.model, cell)
                    return f"`{c.attr}` is {value_source(value, cell.type)}"
            return f"there is no such {rel.short}"
        if isinstance(literal, Lit) and literal.past is not None:
            if self.program.relation(literal.atom.relation).sort != "action":
                return "it was so" if literal.neg else "it was never so"
            return "it was done" if literal.neg else "it was not done"
        if isinstance(literal, Lit):
            return f"there is such a {short_name(literal.atom.relation)}"
        return "this does not hold"


def replace_open(literal: Lit) -> Lit:
    """The literal with its constraints on constants only: what it joins with is not looked at."""
    kept = tuple(c for c in literal.atom.constraints if not any(isinstance(p, ir.Var) for p in parts(c)))
    return replace(literal, atom=replace(literal.atom, constraints=kept))


def _negated(literal: ir.Literal) -> bool:
    return isinstance(literal, Lit) and literal.neg


# ---------------------------------------------------------------- the analysis


def missing_branches(
    program: Program, replay: Replay, *, rows: int = 0, timeout: int = 10_000, dead: Collection[str] = ()
) -> Iterator[Missing | OpenPoint]:
    """States in which no clause of the program's spec can apply: from the start, and after each action it allows.

    Args:
        replay: the interpreter; every state is put to it before it is given.
        rows: slots per relation; 0: as many as the clauses' atoms need, up to `scan.MOST_ROWS`.
        timeout: milliseconds for each question to the solver.
        dead: rules that are known never to hold: nothing was ever done by their leave.

    Raises:
        Disagreement: the interpreter finds that a clause does apply in a state of the solver's.
    """
    clauses = [r for r in program.rules if isinstance(r.head, License) and r.module == program.main]
    if not clauses:
        return
    whose = sides(program, clauses)
    slots = rows or min(max(size(program, clause).rows for clause in clauses), MOST_ROWS)
    alive = [clause for clause in clauses if clause.id not in dead]
    actions = dict.fromkeys(c.head.atom.relation for c in alive if isinstance(c.head, License))
    seen: set[tuple[str, ...]] = set()
    for after in (None, *(name for name in actions if name != "finish")):
        what = f"{WHAT} {'from the start' if after is None else f'after `{short_name(after)}`'}"
        try:
            situation = Situation(program, clauses, whose, after, slots, timeout, frozenset(dead))
            world = situation.ask()
            if world is None:
                continue
            if world.assumed:
                yield OpenPoint("", what, "assumed", "; ".join(world.assumed))
                continue
            done = tuple(name for name, commits in sorted(world.commits.items()) if commits)
            if done in seen:
                continue
            seen.add(done)
            _replayed(program, situation, world, replay)
            yield Missing(done, world, situation.blocked(), tuple(sorted(whose.favourable)), slots)
        except UnsupportedConstruct as error:
            yield OpenPoint("", what, "unsupported", str(error))
        except NoAnswer as error:
            yield error.undecided("", what)


def _replayed(program: Program, situation: Situation, world: World, replay: Replay) -> None:
    """Ask the interpreter: with licence left, no clause holds, for any instance made of the state's values."""
    model = situation.model
    asked = tuple(c.id for c in situation.clauses if true_in(model, situation.left(c)))
    offered = replace(world, rows={**world.rows, **instances(program, situation.clauses, world)})
    holding = replay(offered, asked)
    if holding:
        raise Disagreement(
            f"the interpreter says that {', '.join(sorted(holding))} applies in a state in which the solver says that "
            "nothing does",
            world,
            asked,
        )


def instances(program: Program, clauses: Sequence[Rule], world: World) -> dict[str, frozenset[Row]]:
    """Proposals to try: for each clause the instances that its constants and the values of the state can make."""
    values: dict[str, list[Value]] = {}
    for name, rows in world.rows.items():
        for row in rows:
            for attr, cell in zip(program.relation(name).attrs, row, strict=True):
                if cell is not None:
                    values.setdefault(str(attr.type), []).append(cell)
    tried_rows: dict[str, set[Row]] = {}
    for clause in clauses:
        assert isinstance(clause.head, License)
        rel = program.relation(clause.head.atom.relation)
        fixed: dict[str, list[Value | None]] = {}
        for c in clause.head.atom.constraints:
            constant = _constant(c.term, world) if c.op == "=" else None
            if constant is not None:
                fixed[c.attr] = [constant]
        columns = [
            fixed.get(attr.name) or [*dict.fromkeys(values.get(str(attr.type), [])), None]
            for attr in rel.attrs
        ]
        tried_rows.setdefault(rel.name, set()).update(islice(product(*columns), _MOST_INSTANCES))
    return {name: frozenset(made) for name, made in tried_rows.items()}


def _constant(term: Term | None, world: World) -> Value | None:
    if isinstance(term, Const):
        return term.value
    if isinstance(term, Fn):
        if term.name == "today":
            return world.today
        args = [_constant(arg, world) for arg in term.args]
        return None if None in args else ops.call(term.name, args)
    return None
