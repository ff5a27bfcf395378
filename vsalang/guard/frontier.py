"""The frontier: whether what a turn writes is on the way to what the task still needs (P6 of the semantics).

A write is off track when the clauses now enabled speak of its relation and none of them accepts the row as written:
it fits no demand, comes nearer to none, or the clause objects. Off track is a warning, never more.
"""

import datetime as dt
from collections.abc import Iterable
from decimal import Decimal

from vsalang.core.ir import Choice, Const, Constraint, Program, Relation, Type
from vsalang.core.ops import ORDERED, holds
from vsalang.core.similarity import fold, folded_equal
from vsalang.core.values import Value, same, tag
from vsalang.guard.demands import Demand, Need, needs
from vsalang.guard.licences import Grant, Licences
from vsalang.guard.match import Facts, match_row
from vsalang.guard.store import Cell, Change, Row, known_cells
from vsalang.guard.terms import Context, constant, fits, quoted, value_of, wanted_text
from vsalang.guard.texts import joined, say
from vsalang.guard.verdict import Reason, Why
from vsalang.guard.why import Explainer


class Frontier:
    """Judges written rows against the needs of a program's clauses. Remembers which past conditions have held."""

    def __init__(self, program: Program, licences: Licences) -> None:
        self.program = program
        self.licences = licences
        self.needs = needs(program)
        self._held: set[int] = set()

    def point(self, facts: Facts) -> None:
        """Take note of the past conditions that hold at a history point."""
        waiting = {number: body for number, body in self.needs.past.items() if number not in self._held}
        if waiting:
            explainer = Explainer(facts)
            self._held |= {
                number
                for number, body in waiting.items()
                if not explainer.unmet(body, {}, certain=False, holds=True)
            }

    def enabled(self, commits: list[Grant], context: Context) -> list[Need]:
        """The clauses that have licence left and whose earlier actions are done."""
        found = []
        for need in self.needs.clauses:
            if not self.licences.left(need.rule.id, commits):
                continue
            if all(
                any(
                    grant.relation == atom.relation
                    and not match_row(
                        self.program.relation(atom.relation), atom, grant.row, {}, context
                    ).failures
                    for grant in commits
                )
                for atom in need.after
            ):
                found.append(need)
        return found

    def demands(self, need: Need, relation: Relation) -> list[Demand]:
        """What a clause wants of a relation now; of a relation without key it is one row."""
        found = [
            demand
            for demand in need.demands
            if demand.atom.relation == relation.name
            and (demand.until is None or demand.until not in self._held)
        ]
        if found and relation.sort != "list" and not relation.key:
            return self._merged(found)
        return found

    def _merged(self, demands: list[Demand]) -> list[Demand]:
        """The demands on one row as one; cells that cannot be both at once are wanted one after the other."""
        apart: set[str] = set()
        groups: list[list[Demand]] = []
        for demand in demands:
            home = None
            for group in groups:
                clash = {a for other in group if other.until != demand.until for a in _exclude(other, demand)}
                apart |= clash
                if not clash and home is None:
                    home = group
            if home is None:
                groups.append([demand])
            else:
                home.append(demand)
        always = [c for demand in demands for c in demand.atom.constraints if c.attr not in apart]
        found = []
        for group in groups:
            own = [c for demand in group for c in demand.atom.constraints if c.attr in apart]
            first = group[0].atom
            constraints = tuple(dict.fromkeys([*always, *own]))
            found.append(Demand(type(first)(first.relation, constraints, span=first.span)))
        return found

    def judge(self, changes: Iterable[Change], commits: list[Grant], context: Context) -> list[Reason]:
        """A warning for every change that is off track."""
        clauses = self.enabled(commits, context)
        found: list[Reason] = []
        for change in changes:
            reason = self._change(change, clauses, context)
            if reason is not None:
                found.append(reason)
        return found

    def _change(self, change: Change, clauses: list[Need], context: Context) -> Reason | None:
        relation = self.program.relation(change.relation)
        row = _Written(relation, change, context)
        if not row.changed and not row.gone:
            return None
        asking = [(need, self.demands(need, relation)) for need in clauses]
        met = any(row.met(demand) for _, demands in asking for demand in demands)
        if not row.new_values and not met:
            return None
        concerned = [(n, demands, row.objection(n)) for n, demands in asking if demands or row.objection(n)]
        if not concerned:
            return None
        for need, demands, objection in concerned:
            if objection is None and (
                row.welcome(need) or any(row.fits(d) or row.nearer(d) for d in demands)
            ):
                return None
        whys = [objection for _, _, objection in concerned if objection is not None]
        others: list[Why] = []
        for demand in (demand for _, demands, _ in concerned for demand in demands):
            off = row.off(demand)
            another = [] if row.deleted else [why for why in off if why.attr in relation.identity]
            # of a demand that means another row, what this one holds says nothing
            into = others if another else whys
            into += [why for why in another or off if why not in into]
        # what this change wrote comes first; what else is missing of the row only if that is all there is
        written = [why for why in whys if why.attr in row.changed | row.gone]
        whys = written or whys or others
        names = frozenset({relation.short, relation.name} | {why.attr for why in whys if why.attr})
        clause = concerned[0][0].rule
        shown = joined("; ", dict.fromkeys(why.text() for why in whys)) or say("reason.not_asked")
        kind = "reason.frontier_change" if change.new else "reason.frontier_loss"
        return Reason(
            "frontier",
            "warn",
            say("because", what=say(kind, relation=relation.short), why=shown),
            rule=clause.id,
            module=clause.module,
            span=clause.head_span or clause.span,
            whys=tuple(whys),
            names=names,
        )


def _exclude(one: Demand, other: Demand) -> set[str]:
    """The attributes of which one demand gives the cell by a constant that the other refuses."""
    return {
        a.attr
        for left, right in ((one, other), (other, one))
        for a in left.atom.constraints
        for b in right.atom.constraints
        if a.attr == b.attr
        and a.op == "="
        and isinstance(a.term, Const)
        and isinstance(b.term, Const)
        and b.op in ("=", "!=", "<", "<=", ">", ">=")
        and not holds(b.op, a.term.value, b.term.value)
    }


class _Written:
    """One change, as the frontier looks at it."""

    def __init__(self, relation: Relation, change: Change, context: Context) -> None:
        self.relation = relation
        self.context = context
        blank: Row = tuple(None for _ in relation.attrs)
        self.deleted = change.new is None
        self.old: Row = change.old.cells if change.old else blank
        self.new: Row = change.new.cells if change.new else blank
        names = [attr.name for attr in relation.attrs]
        pairs = list(zip(names, self.old, self.new, strict=True))
        self.changed = {name for name, old, new in pairs if new is not None and not same(old, new)}
        self.gone = {name for name, old, new in pairs if new is None and old is not None}
        self.new_values = bool(self.changed) and not self.deleted

    def _cell(self, row: Row, attr: str) -> Cell:
        return row[self.relation.column(attr)]

    def _holds(self, constraint: Constraint, cell: Cell) -> bool:
        return not constant(constraint) or fits(constraint, cell, {}, self.context)

    def met(self, demand: Demand) -> bool:
        """Whether the row as it was met the demand, so that losing it counts."""
        constraints = demand.atom.constraints
        return bool(constraints) and all(
            self._cell(self.old, c.attr) is not None and self._holds(c, self._cell(self.old, c.attr))
            for c in constraints
        )

    def _lost(self, demand: Demand) -> bool:
        return self.met(demand) and any(c.attr in self.gone for c in demand.atom.constraints)

    def fits(self, demand: Demand) -> bool:
        """Whether every constraint on a cell that the row has holds."""
        if self.deleted or self._lost(demand):
            return False
        return all(
            self._cell(self.new, c.attr) is None or self._holds(c, self._cell(self.new, c.attr))
            for c in demand.atom.constraints
        )

    def nearer(self, demand: Demand) -> bool:
        """Whether every written cell fits or comes nearer, the key fitting."""
        if self.deleted or self._lost(demand) or not self.changed:
            return False
        for constraint in demand.atom.constraints:
            old, new = self._cell(self.old, constraint.attr), self._cell(self.new, constraint.attr)
            if new is None or self._holds(constraint, new):
                continue
            if constraint.attr in self.relation.identity:
                return False
            if constraint.attr in self.changed and not comes_nearer(
                constraint, old, new, self.context, self.relation.attr(constraint.attr).type
            ):
                return False
        return True

    def welcome(self, need: Need) -> bool:
        """Whether the row is deleted and the clause wants no such row."""
        return self.deleted and any(
            atom.relation == self.relation.name
            and all(self._holds(c, self._cell(self.old, c.attr)) for c in atom.constraints)
            for atom in need.against
        )

    def objection(self, need: Need) -> Why | None:
        """What the clause has against the row as it will be."""
        if self.deleted:
            return None
        for atom in need.against:
            constants = [c for c in atom.constraints if constant(c)]
            if (
                atom.relation == self.relation.name
                and any(c.attr in self.changed for c in constants)
                and all(fits(c, self._cell(self.new, c.attr), {}, self.context) for c in constants)
            ):
                chosen = next(c for c in constants if c.attr in self.changed)
                return self._why(chosen, negated=True)
        for every in need.every:
            if every.atom.relation == self.relation.name and all(
                self._holds(c, self._cell(self.new, c.attr)) for c in every.atom.constraints
            ):
                for c in every.has:
                    if c.attr in self.changed and not self._holds(c, self._cell(self.new, c.attr)):
                        return self._why(c)
        return None

    def off(self, demand: Demand) -> list[Why]:
        """The constraints of a demand that the row does not fit."""
        return [
            self._why(c)
            for c in demand.atom.constraints
            if constant(c)
            and (
                (self.deleted or c.attr in self.gone)
                or (
                    self._cell(self.new, c.attr) is not None
                    and not self._holds(c, self._cell(self.new, c.attr))
                )
            )
        ]

    def _why(self, constraint: Constraint, negated: bool = False) -> Why:
        attr = self.relation.attr(constraint.attr)
        wanted = wanted_text(constraint, {}, self.context, attr.type)
        return Why(
            "unmet",
            self.relation.name,
            attr.name,
            attr.doc or attr.name,
            quoted(self._cell(self.new, attr.name), attr.type),
            say("wanted.not", wanted=wanted) if negated else wanted,
            row=known_cells(self.relation, self.new),
            span=constraint.span,
        )


def comes_nearer(constraint: Constraint, old: Cell, new: Value, context: Context, type_: Type) -> bool:
    """Whether a cell that does not fit a constraint moves towards it."""
    wanted = value_of(constraint.term, {}, context)
    high = value_of(constraint.hi, {}, context)
    if isinstance(new, str):
        if type_.kind != "Text":
            return False
        if constraint.op not in ("=", "~=") or not isinstance(wanted, str):
            return new == "" and old is not None and constraint.op in ("in", "contains", "matches")
        if constraint.op == "~=":
            return _typed_towards(new, wanted) and not (isinstance(old, str) and folded_equal(old, wanted))
        return wanted.startswith(new) and not (isinstance(old, str) and same(old, wanted))
    if old is None:
        return False
    if isinstance(new, frozenset):
        if constraint.op != "=" or not isinstance(wanted, frozenset) or not isinstance(old, frozenset):
            return False
        return len(new ^ wanted) < len(old ^ wanted)
    before, after = (_distance(constraint, cell, wanted, high) for cell in (old, new))
    return before is not None and after is not None and after < before


def _typed_towards(text: str, wanted: str) -> bool:
    """Whether a text is the beginning of one that is similar: compared as `~=` does where nobody is asked."""
    folded = fold(text)
    return wanted.startswith(text) or (folded != "" and fold(wanted).startswith(folded))


def _distance(constraint: Constraint, cell: Cell, wanted: object, high: object) -> Decimal | None:
    """How far a cell is from the nearest value that fits; None where that has no measure."""
    if cell is None or tag(cell) not in ORDERED:
        return None
    targets: list[object] = []
    if constraint.op == "in" and isinstance(constraint.term, Choice):
        targets = list(wanted) if isinstance(wanted, tuple) else []
    elif constraint.op == "in":
        targets = [wanted, high]
    elif constraint.op in ("=", "<", "<=", ">", ">="):
        targets = [wanted]
    if holds(constraint.op, cell, wanted, high):  # type: ignore[arg-type]
        return Decimal(0)
    known = [_measure(target) for target in targets]
    here = _measure(cell)
    distances = [abs(here - there) for there in known if there is not None and here is not None]
    return min(distances, default=None)


def _measure(value: object) -> Decimal | None:
    """A point on a line for numbers, dates (days), times and durations (seconds)."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int | Decimal):
        return Decimal(value)
    if isinstance(value, dt.date):
        return Decimal(value.toordinal())
    if isinstance(value, dt.time):
        return Decimal(value.hour * 3600 + value.minute * 60 + value.second)
    if isinstance(value, dt.timedelta):
        return Decimal(round(value.total_seconds()))
    return None
