"""The frontier: whether what a turn writes is on the way to what the task still needs (`guard.md#P6`).

A write is off track when the clauses now enabled mention its relation and none of them accepts the row as written:
it fits no demand, comes nearer to none, or the clause objects. Off track is a warning, never more; a clause whose
expansions could not be told apart blocks, for by it nothing can be judged.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from vsalang.engine.api import Answering
from vsalang.engine.explain.match import match_row
from vsalang.engine.explain.terms import Context
from vsalang.guard.frontier.demands import Clause, Part
from vsalang.guard.frontier.expanding import needs, remembering
from vsalang.guard.frontier.expansion_choices import FUEL
from vsalang.guard.frontier.written_row import ASKED, OBJECTED, WELCOME, RowChange, RowDemands, accepts, met
from vsalang.guard.judge.licences import Grant, Licences
from vsalang.guard.say.verdict import Reason, Why
from vsalang.guard.world.beliefs import Change
from vsalang.program.ir import Atom, Program, Relation
from vsalang.program.phrases import joined, say


@dataclass(frozen=True, slots=True, eq=False)
class Concern:
    """What a clause asks of one relation.

    Attributes:
        parts: each part of the clause, after those it has as alternatives, with what it asks; None: nothing, and it
            waits for no action either.
        attrs: the attributes that it may want to have a value.
    """

    clause: Clause
    parts: tuple[tuple[Part, RowDemands | None], ...]
    attrs: frozenset[str]

    @classmethod
    def of(cls, relation: Relation, clause: Clause) -> "Concern":
        """What a clause asks of a relation."""
        name = relation.name
        parts = tuple(
            (part, RowDemands.of(relation, part) if name in part.relations or part.waits else None)
            for part in clause.parts
        )
        asked = (asked for _, asked in parts if asked is not None)
        return cls(clause, parts, frozenset(t.attr for a in asked for w in a.demands for t in w.tests))


class Frontier:
    """Judges written rows against the needs of a program's clauses. Of its own it only remembers what each clause asks
    of a relation, which never changes.

    Attributes:
        asked: the program that the evaluator has to be opened with: with its past conditions.
    """

    def __init__(self, program: Program, licences: Licences) -> None:
        self.program = program
        self.licences = licences
        self.needs = needs(program)
        self.asked = remembering(program, self.needs)
        self._open = [clause for clause in self.needs.clauses if clause.too_many]
        self._concerns: dict[str, tuple[Concern, ...]] = {}

    def judge(
        self,
        changes: Iterable[Change],
        commits: Sequence[Grant],
        context: Context,
        answers: Answering,
    ) -> list[Reason]:
        """A warning for every change that is off track: by the clauses that have licence left. Which of their
        expansions wait for an action, `_Turn` sees.

        Args:
            changes: what a turn writes.
            commits: what has been done.
            context: the day and the clock.
            answers: of the moment, by an evaluator that was opened with the program `asked`.
        """
        written = [RowChange(self.program.relation(change.relation), change, context) for change in changes]
        written = [row for row in written if row.judged]
        if not written:
            return []
        left = self.licences.left
        reasons = [_too_many(clause) for clause in self._open if left(clause.rule.id, commits)]
        turn: _Turn | None = None
        for row in written:
            asking = [each for each in self._of(row.relation) if left(each.clause.rule.id, commits)]
            if not asking:
                continue
            turn = turn or _Turn(self.program, commits, context, lambda name: bool(answers.rows(name)))
            reason = turn.reason(row, asking)
            if reason is not None:
                reasons.append(reason)
        return reasons

    def _of(self, relation: Relation) -> tuple[Concern, ...]:
        """What each clause asks of a relation; clauses that ask nothing of it are left out."""
        concerns = self._concerns.get(relation.name)
        if concerns is None:
            clauses = [clause for clause in self.needs.clauses if relation.name in clause.relations]
            concerns = self._concerns[relation.name] = tuple(Concern.of(relation, each) for each in clauses)
        return concerns


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

    def reason(self, row: RowChange, asking: Sequence[Concern]) -> Reason | None:
        """Why a change is off track; None if it is not."""
        if row.gone and not row.deleted:
            row.gone = {attr for attr in row.gone if self._counts(attr, row, asking)}
        if not row.judged:
            return None
        concerned: list[tuple[Concern, dict[int, set[int]]]] = []
        lost = False
        for concern in asking:
            marks = self._marks(concern, row, row.gone)
            own_marks = {one for one in _concern_marks(concern, marks) if one & (ASKED | OBJECTED | WELCOME)}
            for one in own_marks:
                if accepts(one, row):
                    return None
                lost = lost or met(one, row)
            if own_marks:
                concerned.append((concern, marks))
        if not concerned or (row.deleted and not lost):
            return None
        whys = self._whys(row, concerned)
        names = frozenset({row.relation.short, row.relation.name} | {why.attr for why in whys if why.attr})
        rule = concerned[0][0].clause.rule
        text = joined("; ", dict.fromkeys(why.text() for why in whys)) or say("reason.not_asked")
        kind = "reason.frontier_loss" if row.deleted else "reason.frontier_change"
        return Reason(
            "frontier",
            "warn",
            say("because", what=say(kind, relation=row.relation.short), why=text),
            rule=rule.id,
            module=rule.module,
            span=rule.head_span or rule.span,
            whys=tuple(whys),
            names=names,
        )

    def _counts(self, attr: str, row: RowChange, asking: Iterable[Concern]) -> bool:
        """Whether a cell that is lost counts as written unknown: the row met a demand on it."""
        alone = (attr,)
        return any(
            attr in concern.attrs
            and any(met(one, row) for one in _concern_marks(concern, self._marks(concern, row, alone)))
            for concern in asking
        )

    def _marks(self, concern: Concern, row: RowChange, gone: Collection[str]) -> dict[int, set[int]]:
        """What the expansions of each part of a clause say of a change; of none that is enabled, nothing."""
        marks_of: dict[int, set[int]] = {}
        for part, asked in concern.parts:
            if asked is None:
                marks_of[id(part)] = {0}
                continue
            if part.after and not all(map(self._committed, part.after)):
                marks_of[id(part)] = set()
                continue
            marks = row.says(self._left(asked, row), gone)
            for choice in part.choices:
                one_of = set[int]().union(*(marks_of[id(alternative)] for alternative in choice))
                marks = {one | other for one in marks for other in one_of}
            marks_of[id(part)] = marks
        return marks_of

    def _left(self, asked: RowDemands, row: RowChange) -> RowDemands:
        """What a part asks of a relation now."""
        return asked.now(row.relation, self._past) if asked.timed else asked

    def _past(self, condition: str) -> bool:
        """Whether a past condition has held."""
        if condition not in self._held:
            self._held[condition] = self._holds(condition)
        return self._held[condition]

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

    def _whys(self, row: RowChange, concerned: Iterable[tuple[Concern, dict[int, set[int]]]]) -> list[Why]:
        """What the change leads away from: what is objected to, else the cells that clauses want otherwise."""
        objections: list[Why] = []
        same_row: list[Why] = []
        others: list[Why] = []
        for concern, marks in concerned:
            for part, asked in reversed(concern.parts):
                if asked is None or not marks[id(part)]:
                    continue
                asked = self._left(asked, row)
                refused = [c for w in asked.against if not row.deleted and (c := row.refused(w)) is not None]
                objections += [row.why(c, negated=True) for c in refused]
                objections += [row.why(c) for e in asked.every if (c := row.against_each(e)) is not None]
                for wanted in asked.demands:
                    off = row.off(wanted)
                    # of a demand that means another row, what this one holds says nothing
                    another = [] if row.deleted else [w for w in off if w.attr in row.relation.identity]
                    into = others if another else same_row
                    into += [why for why in another or off if why not in into]
        return [*dict.fromkeys(objections), *same_row] or others


def _concern_marks(concern: Concern, marks: Mapping[int, set[int]]) -> set[int]:
    """What the expansions of a clause say."""
    return set[int]().union(*(marks[id(part)] for part in concern.clause.alternatives))
