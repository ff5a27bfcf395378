"""Opens the clauses of a program through `define` and `then`: from rules to the expansions of
`vsalang.guard.frontier.demands`.

Which of their choices depend on one another `vsalang.guard.frontier.expansion_choices` decides. A clause that needs
more work than is allowed is marked, and the guard blocks what it would have to judge by it.
"""

from collections import Counter
from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import field, replace
from typing import Any, Final, TypeAlias

from vsalang.base.records import dataclass
from vsalang.engine.explain.terms import constant
from vsalang.guard.frontier.contradiction import contradict
from vsalang.guard.frontier.demands import (
    Clause,
    Demand,
    Equation,
    Needs,
    Part,
    TooManyExpansions,
    Whole,
    in_order,
)
from vsalang.guard.frontier.expansion_choices import FUEL, Choices, by_name
from vsalang.guard.frontier.renaming import Asked, limited_body, renamed
from vsalang.guard.world.beliefs import BELIEVED
from vsalang.program.ir import (
    Atom,
    Compare,
    Constraint,
    Derive,
    Every,
    License,
    Lit,
    Literal,
    Past,
    Program,
    Recognize,
    Relation,
    Rule,
    Then,
    Var,
)
from vsalang.program.walk import mentions, needed, present

_Task: TypeAlias = "Generator[Any, Any, tuple[Part, ...]]"


@dataclass(frozen=True, slots=True)
class _Place:
    """The place of a body in a clause.

    Attributes:
        moment: of its views and lists.
        lasting: of its states: what the left side of a `then` says of a state must still be so.
        earlier: past conditions that replace it once they have held.
        left: past conditions that replace its views and lists.
        chain: the parts before it of the `then` it belongs to.
        since: the past condition that these parts have held; what comes after them is not asked before.
    """

    moment: int = 0
    lasting: int = 0
    earlier: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
    chain: tuple[tuple[Literal, ...], ...] = ()
    since: str = ""


@dataclass
class _Opener:
    program: Program
    defines: Mapping[str, list[Rule]]
    past: dict[tuple[Literal, ...], str] = field(default_factory=dict)
    moments: int = 0
    instances: int = 0
    cuts: int = 0
    known: dict[tuple[object, ...], tuple[Part, ...]] = field(default_factory=dict)
    choices: Choices = field(init=False)
    recognized: dict[str, list[Rule]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.choices = Choices(self.program)
        for rule in self.program.rules:
            if isinstance(rule.head, Recognize):
                self.recognized.setdefault(rule.head.atom.relation, []).append(rule)

    def clause(self, rule: Rule) -> Clause:
        """A clause with its expansions."""
        head = rule.head
        assert isinstance(head, License)
        self.choices.fuel = FUEL
        copied = [self.choices.one(atom, 0, ()) for atom in self.copied(head)]
        try:
            parts = _run(self.body(rule.body, _Place(), {}, copied))
        except TooManyExpansions:
            return Clause(rule, too_many=True)
        relations = frozenset[str]().union(*(part.relations for part in parts))
        return Clause(rule, parts, in_order(parts), relations)

    def alone(self, body: Sequence[Literal]) -> tuple[Part, ...] | None:
        """What a body asks that stands in no clause; None: its expansions could not be told apart."""
        self.choices.fuel = FUEL
        try:
            return _run(self.body(body, _Place(), {}))
        except TooManyExpansions:
            return None

    def copied(self, head: License) -> list[Atom]:
        """What is demanded of the cells from which `recognize` copies the parameters that the head constrains."""
        atoms: list[Atom] = []
        for rule in self.recognized.get(head.atom.relation, ()):
            assert isinstance(rule.head, Recognize)
            sources = {c.term.name: c.attr for c in rule.head.atom.constraints if isinstance(c.term, Var)}
            for literal in present((*rule.body, *rule.extra)):
                if self.program.relation(literal.atom.relation).sort not in BELIEVED:
                    continue
                asked = [
                    replace(wanted, attr=cell.attr)
                    for cell in literal.atom.constraints
                    if cell.op == "=" and isinstance(cell.term, Var) and cell.term.name in sources
                    for wanted in head.atom.constraints
                    if wanted.attr == sources[cell.term.name]
                ]
                if asked:
                    demand = Atom(literal.atom.relation, tuple(asked), span=head.atom.span)
                    if demand not in atoms:
                        atoms.append(demand)
        return atoms

    # ------------------------------------------------------------------ literals

    def body(
        self,
        literals: Sequence[Literal],
        place: _Place,
        stack: Mapping[tuple[object, ...], None],
        demands: Iterable[Demand] = (),
        equations: Iterable[Equation] = (),
    ) -> _Task:
        """All expansions of a body. (A generator that yields the bodies it needs first: `_run`.)"""
        all_demands = list(demands)
        asked = _equations(literals, equations)
        literals = limited_body(literals, by_name(asked))
        against: list[Demand] = []
        every: list[Whole] = []
        after: list[Atom] = []
        choices: list[tuple[Part, ...]] = []
        for literal in literals:
            if isinstance(literal, Every):
                if self.program.relation(literal.atom.relation).sort in BELIEVED:
                    rows = self.demand(literal.atom, place)
                    every.append(Whole(literal, rows.until, rows.since))
                    all_demands += self.each(literal, place)
            elif isinstance(literal, Then):
                choices.append((yield self.then(literal, place, stack)))
            elif isinstance(literal, Lit):
                sort = self.program.relation(literal.atom.relation).sort
                if literal.neg:
                    if literal.past is None and sort in BELIEVED:
                        against.append(self.demand(literal.atom, place))
                    continue
                if sort == "action":
                    if literal.past is not None and literal.past.op == "earlier":
                        after.append(literal.atom)
                    continue
                where = place
                if literal.past is not None and literal.past.op in ("earlier", "within"):
                    where = self.remembered(literal, place)
                if sort in BELIEVED:
                    all_demands.append(self.demand(literal.atom, where))
                elif sort in ("derived", "screen"):
                    choices.append((yield self.opened(literal.atom, where, stack)))
        made = Part(
            tuple(all_demands), tuple(against), tuple(every), tuple(after), tuple(asked), tuple(choices)
        )
        return self.choices.decided(made)

    def demand(self, atom: Atom, place: _Place) -> Demand:
        """A row that is wanted at a place."""
        state = self.program.relation(atom.relation).sort == "state"
        moment = -1 if atom.before else place.lasting if state else place.moment
        until = place.earlier if state else (*place.earlier, *place.left)
        return self.choices.one(atom, moment, until, place.since)

    def each(self, literal: Every, place: _Place) -> list[Demand]:
        """The demand of ``every R(key in {..}) has (..)``: these rows are there, and so."""
        identity = set(self.program.relation(literal.atom.relation).identity)
        key = {c.attr for c in literal.atom.constraints if c.op == "in" and c.hi is None}
        if not key or not key <= identity:
            return []
        wanted = replace(literal.atom, constraints=literal.atom.constraints + literal.has)
        return [self.demand(wanted, place)]

    def remembered(self, literal: Lit, place: _Place) -> _Place:
        """The place of a condition under ``earlier``: at a moment of its own, until it has held."""
        assert literal.past is not None
        counts = Counter(mentions(literal.atom.constraints))
        own: list[Constraint] = []
        for c in literal.atom.constraints:
            if constant(c):
                own.append(c)
            elif c.op == "=" and isinstance(c.term, Var):
                # Which value it was does not matter, so that not all of them have to be remembered.
                own.append(c if counts[c.term.name] > 1 else replace(c, op="known", term=None))
        condition = replace(literal, atom=replace(literal.atom, constraints=tuple(own)))
        self.moments += 1
        return replace(
            place,
            moment=self.moments,
            lasting=self.moments,
            earlier=(*place.earlier, self.condition((condition,))),
        )

    def condition(self, literals: tuple[Literal, ...]) -> str:
        """The relation that says whether literals have held."""
        return self.past.setdefault(literals, f"past condition {len(self.past) + 1}")

    def then(self, literal: Then, place: _Place, stack: Mapping[tuple[object, ...], None]) -> _Task:
        """All expansions of a chain: of each part but the last, until the chain up to it has held; of each but the
        first, since the chain before it has held."""
        choices: list[tuple[Part, ...]] = []
        since = place.since
        for index, part in enumerate(literal.parts):
            where = replace(place, chain=(*place.chain, *literal.parts[:index]), since=since)
            if index < len(literal.parts) - 1:
                whole = (*place.chain, *literal.parts[: index + 1])
                body = whole[0] if len(whole) == 1 else (Then(whole, literal.reading, literal.span),)
                self.moments += 1
                since = self.condition(tuple(body))
                where = replace(where, moment=self.moments, left=(*place.left, since))
            choices.append((yield self.body(part, where, stack)))
        return self.choices.decided(Part(choices=tuple(choices)))

    def opened(self, atom: Atom, place: _Place, stack: Mapping[tuple[object, ...], None]) -> _Task:
        """All expansions of a defined relation. One that depends on itself is left out: others ask what it asks."""
        rules = self.defines.get(atom.relation)
        if not rules:
            return (Part(),)  # nobody defines it: the device tells
        asking = frozenset((c.attr, c.op, c.term, c.hi) for c in atom.constraints if constant(c))
        call = (atom.relation, asking)
        if call in stack:
            self.cuts += 1
            return ()
        mine = needed(atom.constraints)
        plain = not mine
        if plain and (*call, place) in self.known:
            return self.known[*call, place]
        before = (self.cuts, self.moments)
        parts: dict[object, Part] = {}
        for rule in rules:
            self.choices.spend()
            entered = self.entered(rule, atom)
            if entered is None:
                continue
            body, equations = entered
            for part in (yield self.body(body, place, {**stack, call: None}, equations=equations)):
                kept = tuple(e for e in part.equations if e.name in mine)
                if len(kept) < len(part.equations):
                    part = self.choices.made(replace(part, equations=kept))
                parts.setdefault(part.content, part)
        result = tuple(parts.values())
        if plain and before == (self.cuts, self.moments):
            self.known[*call, place] = result
        return result

    def entered(self, rule: Rule, atom: Atom) -> tuple[tuple[Literal, ...], list[Equation]] | None:
        """The body of a rule as an atom asks for it, and what its head says of the atom's variables; None: it never
        answers the atom."""
        assert isinstance(rule.head, Derive)
        names: dict[str, str] = {}
        limits: dict[str, list[Asked]] = {}
        equations: list[Equation] = []
        for constraint in rule.head.atom.constraints:
            for asked in atom.constraints:
                if asked.attr != constraint.attr:
                    continue
                if isinstance(constraint.term, Var):
                    if asked.op == "=" and isinstance(asked.term, Var):
                        names.setdefault(constraint.term.name, asked.term.name)
                    elif constant(asked):
                        limits.setdefault(constraint.term.name, []).append((asked.op, asked.term, asked.hi))
                elif constant(constraint):
                    if constant(asked):
                        if contradict(constraint, asked):
                            return None
                    elif asked.op == "=" and isinstance(asked.term, Var):
                        equations.append(Equation(asked.term.name, "=", constraint.term))
        for literal in rule.body:
            for own in _equation(literal) if isinstance(literal, Compare) else ():
                one = Constraint("", own.op, own.term, own.hi)
                if any(contradict(one, Constraint("", *limit)) for limit in limits.get(own.name, ())):
                    return None
        self.instances += 1
        return renamed(limited_body(rule.body, limits), names, self.instances), equations


def _run(task: _Task) -> tuple[Part, ...]:
    """The result of a task; what it yields is run before it goes on. (So that no chain of definitions is too long.)"""
    tasks = [task]
    value: tuple[Part, ...] | None = None
    while True:
        try:
            tasks.append(tasks[-1].send(value))
            value = None
        except StopIteration as done:
            tasks.pop()
            value = done.value
            if not tasks:
                return done.value  # type: ignore[no-any-return]


def _equation(literal: Compare) -> list[Equation]:
    """What a comparison asks of a variable, whatever the other variables are."""
    left, right = literal.left, literal.right
    if isinstance(left, Var) and right is not None and not needed((right, literal.hi)):
        return [Equation(left.name, literal.op, right, literal.hi)]
    if isinstance(right, Var) and literal.op in _TURNED and not needed(left):
        return [Equation(right.name, _TURNED[literal.op], left)]
    return []


def _equations(literals: Sequence[Literal], equations: Iterable[Equation]) -> list[Equation]:
    """What the comparisons of a body ask of variables; two that are equal are asked the same."""
    all_equations = [
        *equations,
        *(e for item in literals if isinstance(item, Compare) for e in _equation(item)),
    ]
    equal = [
        (item.left.name, item.right.name)
        for item in literals
        if isinstance(item, Compare)
        and item.op == "="
        and isinstance(item.left, Var)
        and isinstance(item.right, Var)
    ]
    for _ in equal:
        for pair in (*equal, *((b, a) for a, b in equal)):
            more = [replace(e, name=pair[1]) for e in all_equations if e.name == pair[0]]
            all_equations += [equation for equation in more if equation not in all_equations]
    return all_equations


_TURNED: Final = {"=": "=", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}


# ---------------------------------------------------------------- programs


def _opener(program: Program) -> _Opener:
    defines: dict[str, list[Rule]] = {}
    for rule in program.rules:
        if isinstance(rule.head, Derive):
            defines.setdefault(rule.head.atom.relation, []).append(rule)
    return _Opener(program, defines)


def needs(program: Program) -> Needs:
    """What every `allow` and `done` clause of a program asks."""
    opener = _opener(program)
    clauses = tuple(opener.clause(rule) for rule in program.rules if isinstance(rule.head, License))
    used: set[str] = set()
    for part in (part for clause in clauses for part in clause.parts):
        timed: Iterable[Demand | Whole] = (*part.demands, *part.against, *part.every)
        used.update(name for one in timed for name in (*one.until, one.since))
    return Needs(clauses, {name: body for body, name in opener.past.items() if name in used})


def opened(program: Program, bodies: Iterable[Sequence[Literal]]) -> list[tuple[Part, ...] | None]:
    """What bodies ask that stand in no clause, each for itself; None: its expansions could not be told apart."""
    opener = _opener(program)
    return [opener.alone(body) for body in bodies]


def remembering(program: Program, known_needs: Needs | None = None) -> Program:
    """The program as the engine is to be given it: with a relation for each past condition of a demand.

    Such a relation holds a row as soon as the condition has held. The guard asks it and nothing else reads it.
    """
    past = (known_needs or needs(program)).past
    if not past or past.keys() <= program.relations.keys():
        return program
    relations: dict[str, Relation] = {}
    rules: list[Rule] = []
    for name, body in past.items():
        first = body[0]
        if not (len(body) == 1 and isinstance(first, Lit) and first.past is not None):
            held = f"{name} now"
            relations[held] = Relation(held, "derived", (), module=program.main)
            rules.append(Rule(held, Derive(Atom(held)), body, module=program.main))
            body = (Lit(Atom(held), past=Past("earlier")),)
        relations[name] = Relation(name, "derived", (), module=program.main)
        rules.append(Rule(name, Derive(Atom(name)), body, module=program.main))
    return replace(
        program,
        relations={**program.relations, **relations},
        rules=(*program.rules, *rules),
        digest=f"{program.digest} remembering",
    )
