"""How often each critical action may run: commits are assigned to the clauses that held for them, by matching.

A commit is licensed if it and all commits so far can be assigned to clauses that held for them when they were made,
none beyond its number; so neither the order of rules nor that of commits matters
(`semantics.md#licences-and-how-they-are-spent`). The assignment is a bipartite
b-matching, grown by augmenting paths (Kuhn, "The Hungarian method", 1955; Berge's lemma).
"""

from collections.abc import Sequence
from decimal import Decimal

from vsalang.base.records import dataclass
from vsalang.engine.api import Row
from vsalang.program.ir import Const, Constraint, License, Names, Program, Rule, Var
from vsalang.program.ops import holds
from vsalang.program.walk import needed


@dataclass(frozen=True, slots=True)
class Clause:
    """A licence: rules that share it, how often it may be used, and whether it permits one instance several times.

    Attributes:
        name: the rule's id, or of `either` rules the module and action.
        capacity: None is without bound.
        repeats: a number above 1 whose head fixes all parameters; for a command of the phone's shell also `each`.
    """

    name: str
    relation: str
    module: str
    capacity: int | None
    repeats: bool = False


@dataclass(frozen=True, slots=True)
class Grant:
    """A committed or proposed instance with the names of the clauses that held for it."""

    relation: str
    row: Row
    clauses: frozenset[str]


_NONE = frozenset[str]()
FREE = "*"
"""The name of a clause that bears anything: only where there is no task (`vsalang.guard.settings.Settings.task`)."""


class Licences:
    """The licences of a program; says whether they cover some commits. Immutable once made."""

    def __init__(self, program: Program) -> None:
        self.clauses: dict[str, Clause] = {FREE: Clause(FREE, "", "", None)}
        self.clause_of: dict[str, str] = {}
        self.rules: dict[str, list[Rule]] = {}
        self._parameters = {name: len(relation.attrs) for name, relation in program.relations.items()}
        self._columns = {
            name: {attr.name: number for number, attr in enumerate(program.relations[name].attrs)}
            for name in {rule.head.atom.relation for rule in program.rules if isinstance(rule.head, License)}
        }
        self._task = {name for name, module in program.modules.items() if module.kind != "policy"}
        for rule in program.rules:
            head = rule.head
            if not isinstance(head, License):
                continue
            action = head.atom.relation
            self.rules.setdefault(action, []).append(rule)
            quota = head.quota
            name = f"{rule.module} either {action}" if quota.kind == "either" else rule.id
            capacity = {"each": None, "count": quota.n}.get(quota.kind, 1)
            if action == "finish":
                capacity = None
            fixed = {
                c.attr
                for c in head.atom.constraints
                if c.op == "=" and c.term is not None and not needed(c.term) and not isinstance(c.term, Var)
            }
            repeats = quota.repeats(action) and all(
                attr.name in fixed for attr in program.relation(action).attrs
            )
            self.clauses[name] = Clause(name, action, rule.module, capacity, repeats)
            self.clause_of[rule.id] = name
        # by action, the task licences, each as often as it permits it; actions without such a limit are left out
        self._units: dict[str, tuple[str, ...]] = {}
        for action in self.rules:
            mine = [c for c in self.clauses.values() if c.relation == action and c.module in self._task]
            if mine and all(clause.capacity is not None for clause in mine):
                self._units[action] = tuple(c.name for c in mine for _ in range(c.capacity or 0))

    def grant(self, relation: str, row: Row, rules: frozenset[str], commits: Sequence[Grant]) -> Grant:
        """The instance with the clauses that it may be charged to: of a repeated instance only those that permit it.

        An unknown parameter could be anything, so instances are the same unless a known parameter differs.
        """
        names = frozenset(self.clause_of[rule] for rule in rules)
        if self._parameters[relation] and any(
            self.repeated(row, c.row) for c in commits if c.relation == relation
        ):
            names = frozenset(name for name in names if self.clauses[name].repeats)
        return Grant(relation, row, names)

    @staticmethod
    def repeated(row: Row, other: Row) -> bool:
        """Whether two instances may be one and the same."""
        return all(a is None or b is None or a == b for a, b in zip(row, other, strict=True))

    def bears(self, grants: Sequence[Grant]) -> bool:
        """Whether all these commits can be assigned to clauses, none beyond its number."""
        return self.unassigned(grants) is None

    def unassigned(self, grants: Sequence[Grant]) -> Grant | None:
        """The first commit that cannot be assigned together with those before it; None if all can."""
        users: dict[str, list[int]] = {}
        for index, grant in enumerate(grants):
            if not self._assign(index, grants, users, set()):
                return grant
        return None

    def _assign(
        self, index: int, grants: Sequence[Grant], users: dict[str, list[int]], tried: set[str]
    ) -> bool:
        for name in sorted(grants[index].clauses):
            if name in tried:
                continue
            tried.add(name)
            capacity = self.clauses[name].capacity
            using = users.setdefault(name, [])
            if capacity is None or len(using) < capacity:
                using.append(index)
                return True
            for place, other in enumerate(using):
                if self._assign(other, grants, users, tried):
                    using[place] = index
                    return True
        return False

    def left(self, rule: str, commits: Sequence[Grant]) -> bool:
        """Whether one more commit could be charged to the clause of this rule."""
        name = self.clause_of[rule]
        clause = self.clauses[name]
        if clause.capacity is None:
            return True
        return self.bears([*commits, Grant(clause.relation, (), frozenset({name}))])

    def exactly(self, grant: Grant) -> tuple[str, ...]:
        """The parameters that a clause which holds says are just this, by ``=`` or ``names``: numbers and texts."""
        parameters: list[str] = []
        for rule in self.rules.get(grant.relation, ()):
            if self.clause_of[rule.id] not in grant.clauses:
                continue
            assert isinstance(rule.head, License)
            for bound in rule.head.atom.constraints:
                term = bound.term
                wanted = (
                    term.name if isinstance(term, Names) else term.value if isinstance(term, Const) else None
                )
                if isinstance(wanted, bool) or not isinstance(wanted, int | Decimal | str):
                    continue
                value = grant.row[self._columns[grant.relation][bound.attr]]
                if bound.op in ("=", "names") and holds(bound.op, value, wanted):
                    parameters.append(bound.attr)
        return tuple(parameters)

    def says_more(self, grant: Grant) -> bool:
        """Whether each clause that permits an instance says more of it than its app, and `on` or `off`."""
        return all(any(map(_says_more, bounds)) for bounds in self.heads_of(grant))

    def heads_of(self, grant: Grant) -> list[tuple[Constraint, ...]]:
        """What each clause that permits an instance says of it."""
        rules = (
            rule for rule in self.rules.get(grant.relation, ()) if self.clause_of[rule.id] in grant.clauses
        )
        return [tuple(rule.head.atom.constraints) if isinstance(rule.head, License) else () for rule in rules]

    def all_spent(self, commits: Sequence[Grant]) -> frozenset[str]:
        """The actions of which every licence that the task gives is used up."""
        if not self._units:
            return _NONE
        return frozenset(action for action in self._units if self.spent(action, commits))

    def spent(self, relation: str, commits: Sequence[Grant]) -> bool:
        """Whether every licence of the action that the task gives is used up (``all A``).

        A matching that covers all commits and one that covers all units of the task's licences exist separately if
        and only if one covers both (Mendelsohn and Dulmage, 1958), so the units alone are matched here.
        """
        units = self._units.get(relation)
        if units is None:
            return False
        commits = [grant for grant in commits if grant.relation == relation]
        if len(commits) < len(units):
            return False
        owner: dict[int, int] = {}

        def match(unit: int, tried: set[int]) -> bool:
            for number, grant in enumerate(commits):
                if units[unit] in grant.clauses and number not in tried:
                    tried.add(number)
                    if number not in owner or match(owner[number], tried):
                        owner[number] = unit
                        return True
            return False

        return all(match(unit, set()) for unit in range(len(units)))


def _says_more(bound: Constraint) -> bool:
    term = bound.term
    return bound.attr != "app" and not (isinstance(term, Const) and term.value in ("on", "off"))
