"""The frontier: whether what a turn writes is on the way to what the task still needs (P6 of the semantics).

A write is off track when the clauses now enabled speak of its relation and none of them accepts the row as written:
it fits no demand, comes nearer to none, or the clause objects. Off track is a warning, never more; a clause whose
expansions could not be told apart blocks, for by it nothing can be judged.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence

from vsalang.core.ir import Atom, Program
from vsalang.engine.api import Evaluator
from vsalang.explain.match import match_row
from vsalang.explain.terms import Context
from vsalang.guard.choosing import FUEL
from vsalang.guard.demands import Clause, Demand, Part, Whole
from vsalang.guard.licences import Grant, Licences
from vsalang.guard.opening import needs, remembering
from vsalang.guard.store import Change
from vsalang.guard.texts import joined, say
from vsalang.guard.verdict import Reason, Why
from vsalang.guard.written import ASKED, OBJECTED, WELCOME, Written, accepts, met


class Frontier:
    """Judges written rows against the needs of a program's clauses. Holds no state.

    Attributes:
        asked: the program that the evaluator has to be opened with: with its past conditions.
    """

    def __init__(self, program: Program, licences: Licences) -> None:
        self.program = program
        self.licences = licences
        self.needs = needs(program)
        self.asked = remembering(program, self.needs)

    def enabled(self, commits: Sequence[Grant]) -> list[Clause]:
        """The clauses that have licence left. Which of their expansions wait for an action, `_Turn` sees."""
        return [clause for clause in self.needs.clauses if self.licences.left(clause.rule.id, commits)]

    def judge(
        self,
        changes: Iterable[Change],
        commits: Sequence[Grant],
        context: Context,
        evaluator: Evaluator,
    ) -> list[Reason]:
        """A warning for every change that is off track.

        Args:
            changes: what a turn writes.
            commits: what has been done.
            context: the day and the clock.
            evaluator: holds the moment; it was opened with the program `asked`.
        """
        written = [Written(self.program.relation(change.relation), change, context) for change in changes]
        written = [row for row in written if row.judged]
        if not written:
            return []
        clauses = self.enabled(commits)
        turn = _Turn(self.program, commits, context, lambda name: bool(evaluator.rows(name)))
        found = [_too_many(clause) for clause in clauses if clause.too_many]
        for row in written:
            reason = turn.reason(row, clauses)
            if reason is not None:
                found.append(reason)
        return found


def _too_many(clause: Clause) -> Reason:
    rule = clause.rule
    return Reason(
        "error",
        "block",
        say("reason.expansions", rule=rule.id, count=FUEL),
        rule=rule.id,
        module=rule.module,
        span=rule.head_span or rule.span,
        names=frozenset({"frontier"}),
    )


class _Turn:
    """What holds while one turn is judged, each thing looked up once."""

    def __init__(
        self, program: Program, commits: Sequence[Grant], context: Context, holds: Callable[[str], bool]
    ) -> None:
        self.program = program
        self.commits = commits
        self.context = context
        self._holds = holds
        self._held: dict[str, bool] = {}
        self._done: dict[int, bool] = {}

    def reason(self, row: Written, clauses: Iterable[Clause]) -> Reason | None:
        """Why a change is off track; None if it is not."""
        asking = [clause for clause in clauses if row.relation.name in clause.relations]
        if row.gone and not row.deleted:
            row.gone = {attr for attr in row.gone if self._counts(attr, row, asking)}
        if not row.judged:
            return None
        concerned: list[tuple[Clause, dict[int, set[int]]]] = []
        lost = False
        for clause in asking:
            marks = self._marks(clause, row)
            said = {one for one in _said(clause, marks) if one & (ASKED | OBJECTED | WELCOME)}
            if any(accepts(one, row) for one in said):
                return None
            lost = lost or any(met(one, row) for one in said)
            if said:
                concerned.append((clause, marks))
        if not concerned or (row.deleted and not lost):
            return None
        whys = self._whys(row, concerned)
        names = frozenset({row.relation.short, row.relation.name} | {why.attr for why in whys if why.attr})
        rule = concerned[0][0].rule
        shown = joined("; ", dict.fromkeys(why.text() for why in whys)) or say("reason.not_asked")
        kind = "reason.frontier_loss" if row.deleted else "reason.frontier_change"
        return Reason(
            "frontier",
            "warn",
            say("because", what=say(kind, relation=row.relation.short), why=shown),
            rule=rule.id,
            module=rule.module,
            span=rule.head_span or rule.span,
            whys=tuple(whys),
            names=names,
        )

    def _counts(self, attr: str, row: Written, clauses: Iterable[Clause]) -> bool:
        """Whether a cell that is lost counts as written unknown: the row met a demand on it."""
        alone = row.losing(attr)
        return any(met(one, alone) for clause in clauses for one in _said(clause, self._marks(clause, alone)))

    def _marks(self, clause: Clause, row: Written) -> dict[int, set[int]]:
        """What the expansions of each part of a clause say of a change; of none that is enabled, nothing."""
        name = row.relation.name
        found: dict[int, set[int]] = {}
        for part in clause.parts:
            if name not in part.relations and not part.waits:
                found[id(part)] = {0}
                continue
            if not all(map(self._committed, part.after)):
                found[id(part)] = set()
                continue
            said = row.says(*self._asking(part, name))
            for choice in part.choices:
                one_of = set[int]().union(*(found[id(alternative)] for alternative in choice))
                said = {one | other for one in said for other in one_of}
            found[id(part)] = said
        return found

    def _asking(self, part: Part, name: str) -> tuple[list[Demand], list[Demand], list[Whole]]:
        """What a part still asks of a relation."""
        return (
            [d for d in part.demands if d.atom.relation == name and not self._past(d.until)],
            [d for d in part.against if d.atom.relation == name and not self._past(d.until)],
            [w for w in part.every if w.every.atom.relation == name and not self._past(w.until)],
        )

    def _past(self, until: Iterable[str]) -> bool:
        """Whether what stood under these conditions is over."""
        for name in until:
            if name not in self._held:
                self._held[name] = self._holds(name)
            if self._held[name]:
                return True
        return False

    def _committed(self, atom: Atom) -> bool:
        """Whether an action was committed."""
        if id(atom) not in self._done:
            relation = self.program.relation(atom.relation)
            self._done[id(atom)] = any(
                grant.relation == atom.relation
                and not match_row(relation, atom, grant.row, {}, self.context).failures
                for grant in self.commits
            )
        return self._done[id(atom)]

    def _whys(self, row: Written, concerned: Iterable[tuple[Clause, dict[int, set[int]]]]) -> list[Why]:
        """What the change leads away from: what is objected to, else the cells that clauses want otherwise."""
        objections: list[Why] = []
        same_row: list[Why] = []
        others: list[Why] = []
        for clause, marks in concerned:
            for part in reversed(clause.parts):
                if not marks[id(part)]:
                    continue
                demands, against, every = self._asking(part, row.relation.name)
                refused = [c for d in against if not row.deleted and (c := row.refused(d)) is not None]
                objections += [row.why(c, negated=True) for c in refused]
                objections += [row.why(c) for w in every if (c := row.against_each(w)) is not None]
                for demand in demands:
                    off = row.off(demand)
                    # of a demand that means another row, what this one holds says nothing
                    another = [] if row.deleted else [w for w in off if w.attr in row.relation.identity]
                    into = others if another else same_row
                    into += [why for why in another or off if why not in into]
        return [*dict.fromkeys(objections), *same_row] or others


def _said(clause: Clause, marks: Mapping[int, set[int]]) -> set[int]:
    """What the expansions of a clause say."""
    return set[int]().union(*(marks[id(part)] for part in clause.alternatives))
