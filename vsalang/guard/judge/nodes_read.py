"""Which nodes of the screen the rules read that recognised an action and licensed it.

If one of them changes before the touch, something else is done than was judged. So the device gets them with the touch
(`vsalang.program.delivery.about`).
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from vsalang.engine.api import BudgetExceeded, Row
from vsalang.engine.explain.finding import head_binding
from vsalang.engine.explain.match import Facts, fitting, known_cells, match_row
from vsalang.engine.explain.nearest import DEEPEST, Nearest, inner_binding
from vsalang.engine.explain.terms import Binding
from vsalang.engine.matching import Matcher, columns_of, matcher_of
from vsalang.guard.judge.judgement import NameJudgement
from vsalang.guard.world.about_actions import NodesRead
from vsalang.guard.world.beliefs import covers, row_of
from vsalang.guard.world.rule_effects import binding_of, bindings, head_cells
from vsalang.program.action import POINTING
from vsalang.program.ir import (
    Aggregate,
    Atom,
    Const,
    License,
    Lit,
    Literal,
    Quantified,
    Recognize,
    Relation,
    Rule,
    Write,
)
from vsalang.program.values import Value, row_order, same
from vsalang.program.walk import sources

_NUMBERS: Final = frozenset({"node", "of", "control", "next", "taker", "leaf", "parent"})
"""Attributes of observed relations that say which node is meant."""
_OF_ONE_LOOK: Final = frozenset({*_NUMBERS, "index", "nth", "window"})
"""Numbers that hold for one look only, so that they are not compared."""
_OWN: Final = frozenset({"Node", "Part"})
"""Relations whose attributes are those of the node."""
MOST_STEPS: Final = 20_000
"""So many rows are tried for the conditions of a rule; of one that needs more each row counts that it may have read."""


def nodes_read(judgement: NameJudgement) -> NodesRead:
    """The nodes that gave the parameters of what is proposed, and those that its licences needed.

    A condition that holds in several ways was read in one of them. What is not there (``no R``), what was seen on
    earlier screens, and what no node shows (a toast, a setting) is not among them.
    """
    used = judgement.used
    if used is None or not used.grants:
        return {}
    grants = [grant for grant in used.grants if grant.relation != "finish"]
    attributes: dict[int, set[str]] = {}
    gesture, taker = judgement.whole.proposal.gesture, judgement.cells.get("node")
    if gesture is not None and gesture.name not in POINTING and isinstance(taker, int):
        attributes[taker] = {"focused"}  # a key goes to what has the focus
    if judgement.changed or judgement.deleted:  # actions are recognised before and after what is predicted
        state, moments = judgement.whole.state, judgement.whole.tools.moments
        savepoint = moments.savepoint()
        try:
            moments.world(state.world)
            context, spent = judgement.whole.context, judgement.spent
            facts = moments.facts(context, state.world, state.world, state.committed, spent)
            before = _Reader(judgement, facts, attributes)
            for grant in grants:
                before.recognized(grant.relation, grant.row)
        finally:
            moments.rollback(savepoint)
    reader = _Reader(judgement, judgement.explained(), attributes)
    for grant in grants:
        reader.recognized(grant.relation, grant.row)
        reader.licensed(grant.relation, grant.row, grant.clauses)
    return {number: frozenset(names) for number, names in attributes.items()}


class _Reader:
    """Goes through rules that hold in the moment that is assigned, and notes the nodes that they read.

    Args:
        judgement: of the proposal.
        facts: of the moment.
        attributes: where to.
    """

    def __init__(self, judgement: NameJudgement, facts: Facts, attributes: dict[int, set[str]]) -> None:
        self._tools = judgement.whole.tools
        self._program = self._tools.program
        self._there = judgement.there
        self._facts = facts
        self._attributes = attributes
        self._nearest = Nearest(self._facts)
        self._matching: dict[int, list[Row]] = {}
        self._sorted: dict[int, list[Row]] = {}
        self._by_cell: dict[tuple[int, int], dict[Value | None, list[Row]]] = {}
        self._steps = 0
        self._followed: set[tuple[str, Row, frozenset[str]]] = set()
        self._screen = judgement.whole.state.screen

    # ------------------------------------------------------------------ where it begins

    def recognized(self, action: str, row: Row) -> None:
        """What the rules read that recognise an instance."""
        answering = self._tools.answers
        relation = self._program.relation(action)
        for rule in self._tools.book.firing.rules("recognize", self._there):
            assert isinstance(rule.head, Recognize)
            if rule.head.atom.relation != action:
                continue
            answers = answering.answers(rule.id)
            for answer in answers | answering.extra_answers(rule.id) if rule.extra else answers:
                binding = binding_of(answering, rule, answer)
                if row_of(relation, head_cells(rule, binding, self._facts.context)) != row:
                    continue
                extended_binding = self._body(rule.body, binding) or binding
                parts = sources(rule)
                for source in (parts.of_all, *parts.each):
                    self._body(source, extended_binding)

    def licensed(self, action: str, row: Row, clauses: frozenset[str]) -> None:
        """What the clauses read that a licence is charged to."""
        licences = self._tools.licences
        for rule in licences.rules.get(action, ()):
            if licences.clause_of[rule.id] not in clauses:
                continue
            assert isinstance(rule.head, License)
            atom, context = rule.head.atom, self._facts.context
            binding = match_row(self._program.relation(action), atom, row, {}, context).binding
            witness = self._facts.witness(rule.id, binding, row)
            self._body(rule.body, {**binding, **(witness or {})})

    # ------------------------------------------------------------------ how it goes on

    def _body(self, body: tuple[Literal, ...], binding: Binding) -> Binding | None:
        """What conditions read that hold together; a binding under which they do, None: they do not."""
        self._steps = 0
        try:
            way = next(self._ways(body, binding), None)
        except BudgetExceeded:
            # too many rows to find those that hold together: each that may have been read counts
            for literal in body:
                if (atom := _present(literal)) is not None:
                    for row in self._candidates(atom):
                        self._row(self._program.relation(atom.relation), row, _names(atom))
            return None
        if way is None:
            return None
        extended_binding, rows = way
        for atom, row in rows:
            self._row(self._program.relation(atom.relation), row, _names(atom))
        for literal in body:
            self._of_all(literal, extended_binding)
        return extended_binding

    def _ways(
        self, body: tuple[Literal, ...], binding: Binding
    ) -> Iterator[tuple[Binding, tuple[tuple[Atom, Row], ...]]]:
        """The bindings under which conditions hold, each with the rows that meet them.

        Raises:
            BudgetExceeded: there are too many rows to try.
        """
        if not body:
            yield binding, ()
            return
        literal, *rest = body
        atom = _present(literal)
        if atom is None:
            ways = self._nearest.ways((literal,), binding, certain=False, depth=DEEPEST)
            for way in ways:
                if not way.cost:
                    yield from self._ways(tuple(rest), way.binding)
            return
        matcher = matcher_of(self._program.relation(atom.relation), atom.constraints)
        for row in self._bound(atom, matcher, binding):
            self._steps += 1
            if self._steps > MOST_STEPS:
                raise BudgetExceeded("too many rows may have been read")
            bindings, *failed = matcher.failing(row, binding, self._facts.context)
            if not any(failed):
                for end, rows in self._ways(tuple(rest), bindings):
                    yield end, ((atom, row), *rows)

    def _bound(self, atom: Atom, matcher: Matcher, binding: Binding) -> Sequence[Row]:
        """The rows that an atom may match under a binding, in a fixed order: those with a cell that it gives."""
        cells = matcher.bound_cells(binding, self._facts.context)
        if not cells:
            return self._candidates(atom)
        column, value = next(iter(cells.items()))
        index = self._by_cell.get((id(atom), column))
        if index is None:
            index = self._by_cell[id(atom), column] = {}
            for row in self._constant(atom):
                index.setdefault(row[column], []).append(row)
        rows = index.get(value, [])
        return sorted(rows, key=row_order) if len(rows) > 1 else rows

    def _candidates(self, atom: Atom) -> list[Row]:
        """The rows that an atom matches as far as its constants say, in a fixed order."""
        known = self._sorted.get(id(atom))
        if known is None:
            known = self._sorted[id(atom)] = sorted(self._constant(atom), key=row_order)
        return known

    def _constant(self, atom: Atom) -> list[Row]:
        """The rows that an atom matches as far as its constants say."""
        known = self._matching.get(id(atom))
        if known is None:
            columns = columns_of(self._program.relation(atom.relation))
            cells = [
                (columns[c.attr], c.term.value)
                for c in atom.constraints
                if c.op == "=" and isinstance(c.term, Const)
            ]
            rows = self._tools.answers.rows(atom.relation)
            known = self._matching[id(atom)] = [
                row for row in rows if all(same(row[column], value) for column, value in cells)
            ]
        return known

    def _of_all(self, literal: Literal, binding: Binding) -> None:
        """What a condition read that is about more than one row."""
        also = frozenset[str]()
        match literal:
            case Quantified():
                atom, also = literal.atom, frozenset(c.attr for c in literal.has or ())
            case Aggregate() if literal.lit.past is None and not literal.lit.neg:
                atom, also = literal.lit.atom, frozenset((literal.attr,) if literal.attr else ())
                binding = inner_binding(literal, binding)
            case _:
                return
        if not atom.before:
            for row in fitting(self._facts, atom, self._candidates(atom), binding):
                self._row(self._program.relation(atom.relation), row, _names(atom) | also)

    def _row(self, relation: Relation, row: Row, names: frozenset[str]) -> None:
        """What was read for some cells of a row."""
        key = relation.name, row, names
        if key in self._followed:
            return
        self._followed.add(key)
        if relation.sort == "observed":
            self._observed(relation, row, names)
        elif relation.sort in ("derived", "screen"):
            for rule in self._tools.book.definitions.rules.get(relation.name, ()):
                binding, clashes = head_binding(rule, known_cells(relation, row), self._facts.context)
                if not clashes and self._body(rule.body, binding) is not None:
                    break
        else:
            self._believed(relation, row, names)

    def _observed(self, relation: Relation, row: Row, names: frozenset[str]) -> None:
        cells, own = known_cells(relation, row), relation.name in _OWN
        for name in _NUMBERS & cells.keys() & {*names, "node"}:
            number = cells[name]
            if isinstance(number, int):
                read = names - _OF_ONE_LOOK if own and name == "node" else ()
                self._attributes.setdefault(number, set()).update(read)
        of_others = names & {"label"} if own else names
        self._showing(value for name in of_others if isinstance(value := cells.get(name), str) and value)

    def _showing(self, texts: Iterable[str]) -> None:
        """The nodes that show texts which a relation gives of other nodes: the caption of a field, a label."""
        wanted = frozenset(texts)
        rows = self._screen.rows("Node") if wanted and self._screen is not None else ()
        for row in rows:
            number = row.get("node")
            if isinstance(number, int) and (row.get("text") in wanted or row.get("desc") in wanted):
                self._attributes.setdefault(number, set())

    def _believed(self, relation: Relation, row: Row, names: frozenset[str]) -> None:
        """What the rules read that gave cells of a row in the last look: they still do."""
        cells = known_cells(relation, row)
        telling = (names & cells.keys()) - frozenset(relation.identity)
        for rule in self._writers(relation):
            for binding in bindings(self._tools.answers, rule):
                written_cells: dict[str, Value | None] = {
                    name: value
                    for name, value in head_cells(rule, binding, self._facts.context).items()
                    if name in cells
                }
                agrees = covers(row_of(relation, written_cells), row)
                if agrees and (telling & written_cells.keys() or not telling):
                    self._body(rule.body, binding)

    def _writers(self, relation: Relation) -> Iterable[Rule]:
        return (
            rule
            for group in self._tools.book.observations
            for rule in group
            if isinstance(rule.head, Write)
            and rule.head.atom.relation == relation.name
            and not rule.head.delete
        )


def _present(literal: Literal) -> Atom | None:
    """The atom of a condition that one row of now meets; None: it is about more, or other, than that."""
    if isinstance(literal, Lit) and not literal.neg and literal.past is None and not literal.atom.before:
        return literal.atom
    return None


def _names(atom: Atom) -> frozenset[str]:
    return frozenset(c.attr for c in atom.constraints)
