"""Why a body does not hold: the binding of its variables that comes nearest to holding, and what is missing under it.

The engine answers under which bindings a body holds; here none does, and the question is which one comes nearest. That
is found by a beam search over the body in its order: the distance of a way is the sum of what fails. What a row, a
term or an aggregate gives is decided by the engine's functions. The past of other things than actions, and order in
time, cannot be told from the facts of one moment: a caller that can ask the engine about it gives `past`, else it is
named when everything else holds.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Final, TypeAlias

from vsalang.base.records import dataclass
from vsalang.engine.api import Row
from vsalang.engine.explain.finding import Finding, State, cells, head_binding
from vsalang.engine.explain.firsts import Firsts
from vsalang.engine.explain.match import (
    Facts,
    bound_values,
    is_complete,
    known_cells,
    match_row,
    matches,
    of_the_row,
    possible,
    read_plainly,
)
from vsalang.engine.explain.terms import Binding, value_of
from vsalang.engine.matching import captures
from vsalang.engine.terms import fold
from vsalang.program import ops
from vsalang.program.ir import (
    Aggregate,
    Atom,
    Choice,
    Compare,
    Derive,
    First,
    Lit,
    Literal,
    Quantified,
    Regex,
    Relation,
    Rule,
    Spent,
    Then,
    Var,
)
from vsalang.program.reading import read_certainly
from vsalang.program.values import Value
from vsalang.program.walk import needed

DEEPEST: Final = 5
"""How many definitions are opened, one within the other."""
SHOWN: Final = 5
"""How many rows are named that come equally near."""
_BEAM: Final = 24
_NO_ROW: Final = 10
_NEVER: Final = 8

Past: TypeAlias = Callable[[Literal, Binding], Sequence[Binding] | None]
"""The bindings under which a condition on the past holds (without its negation); None if that cannot be asked."""


@dataclass(frozen=True, slots=True)
class Way:
    """A way through conditions: how far it is from holding, its binding, and what is missing.

    Attributes:
        ends: for each condition of the body, how many findings there were after it.
    """

    cost: int
    binding: Binding
    findings: tuple[Finding, ...] = ()
    ends: tuple[int, ...] = ()

    def add(self, cost: int, findings: Iterable[Finding], binding: Binding | None = None) -> "Way":
        """The way after a condition."""
        bound = self.binding if binding is None else binding
        return Way(self.cost + cost, bound, (*self.findings, *findings), self.ends)

    @property
    def certain_findings(self) -> tuple[Finding, ...]:
        """What is missing as far as the facts tell."""
        return tuple(item for item in self.findings if not item.untold)

    @property
    def untold(self) -> tuple[Finding, ...]:
        """What the facts cannot tell."""
        return tuple(item for item in self.findings if item.untold)

    def of_each(self) -> list[tuple[Finding, ...]]:
        """What is missing of each condition."""
        return [self.findings[start:end] for start, end in zip((0, *self.ends), self.ends, strict=False)]


class Nearest:
    """Looks for the nearest ways through bodies, in the facts of one moment."""

    def __init__(self, facts: Facts, past: Past | None = None) -> None:
        self.facts = facts
        self.program = facts.program
        self.context = facts.context
        self._past = past

    @cached_property
    def _defines(self) -> dict[str, list[Rule]]:
        """The rules of each derived relation; most moments need no words, so they are gathered when one does."""
        rules: dict[str, list[Rule]] = {}
        for rule in self.program.rules:
            if isinstance(rule.head, Derive):
                rules.setdefault(rule.head.atom.relation, []).append(rule)
        return rules

    def ways(self, body: Sequence[Literal], binding: Binding, *, certain: bool, depth: int = 0) -> list[Way]:
        """The ways through a body, the nearest to holding first.

        Args:
            body: the conditions.
            binding: variables that are bound from outside.
            certain: it must hold certainly (`allow`, `done`).
            depth: how many definitions have been opened; from `DEEPEST` on none is.
        """
        ways = [Way(0, dict(binding))]
        for literal in body:
            ways = [
                replace(way, ends=(*way.ends, len(way.findings)))
                for way in self._step(ways, literal, certain=certain, depth=depth)
            ]
        return sorted(ways, key=lambda way: way.cost)

    def holds(self, literal: Literal, binding: Binding, *, certain: bool) -> bool:
        """Whether nothing is missing of a condition."""
        return not self._literal(Way(0, binding), literal, certain, 0)[0].findings

    # ------------------------------------------------------------------ conditions

    def _step(self, ways: list[Way], literal: Literal, *, certain: bool, depth: int) -> list[Way]:
        further: list[Way] = []
        for way in ways:
            further += self._literal(way, literal, certain, depth)
        further.sort(key=lambda way: way.cost)
        return further[:_BEAM]

    def _literal(self, way: Way, literal: Literal, certain: bool, depth: int) -> list[Way]:
        asked = self._past(literal, way.binding) if self._past is not None else None
        if asked is not None:
            if bool(asked) != (isinstance(literal, Lit) and literal.neg):
                return [way.add(0, (), binding) for binding in asked[:_BEAM]] or [way]
            return [way.add(_NEVER, (Finding("never", "unmet", literal, way.binding),))]
        match literal:
            case Lit():
                relation = self.program.relation(literal.atom.relation)
                if literal.past is not None and not (
                    literal.past.op == "earlier" and relation.sort == "action"
                ):
                    return [way.add(0, (Finding("past", "unmet", literal, way.binding),))]
                past = literal.past is not None
                rows = self.facts.commits(relation.name) if past else self.facts.of(literal.atom)
                if literal.neg:
                    return [self._absent(way, literal, rows, certain, depth)]
                return self._present(way, literal, rows, certain, depth)
            case Compare():
                return self._compare(way, literal)
            case Aggregate():
                return [self._aggregate(way, literal, certain)]
            case First():
                return self._first(way, literal, certain, depth)
            case Quantified():
                return [self._of_all(way, literal, certain)]
            case Then():
                ways = [way]
                for part in literal.parts[-1]:
                    ways = self._step(ways, part, certain=certain, depth=depth)
                order = Finding("order", "unmet", literal, way.binding)
                return [item.add(0, (order,)) for item in ways]
            case Spent():
                if self.facts.spent(literal.relation):
                    return [way]
                return [way.add(2, (Finding("often", "unmet", literal, way.binding),))]

    def _present(self, way: Way, literal: Lit, rows: Iterable[Row], certain: bool, depth: int) -> list[Way]:
        atom = literal.atom
        relation = self.program.relation(atom.relation)
        candidates = matches(self.facts, atom, rows, way.binding)
        derived = relation.sort in ("derived", "screen") and literal.past is None
        whole = [match for match in candidates if not match.failures]
        if whole:
            opens = derived and certain and not read_plainly(relation)
            if not (opens and depth < DEEPEST and relation.name in self._defines):
                return [way.add(0, (), match.binding) for match in whole[:_BEAM]]
            opened = []
            for match in whole[:SHOWN]:
                missing = self._definition(relation, match.row, certain, depth)
                opened.append(way.add(len(missing), missing, match.binding))
            return opened
        if relation.sort == "screen" and literal.past is None:
            return [way.add(_NO_ROW, (Finding("screen", "unmet", literal, way.binding),))]
        if derived:
            finding = Finding("underived", "unmet", literal, way.binding, seen="not_holding")
            wanted = bound_values(self.facts, atom, way.binding)
            return [way.add(_NO_ROW, (finding, *self._definition(relation, wanted, certain, depth)))]
        if literal.past is None:
            # which row is meant is given, so what other rows hold does not matter
            candidates = of_the_row(self.facts, atom, way.binding, candidates)
        else:
            for row, known in reversed(list(self.facts.sent(relation.name))):
                match = match_row(relation, atom, row, way.binding, self.context)
                if not match.failures:
                    item = Finding("absent", "unmet", literal, way.binding, row, seen="not_done", known=known)
                    return [way.add(_NO_ROW, (item,), match.binding)]
        if not candidates:
            if literal.past is not None:
                finding = Finding("absent", "unmet", literal, way.binding, seen="not_done")
            elif is_complete(self.facts, atom, way.binding):
                finding = Finding("absent", "unmet", literal, way.binding, seen="no_row")
            else:
                finding = Finding("absent", "unknown", literal, way.binding, seen="not_seen")
            return [way.add(_NO_ROW, (finding,))]
        nearest = [match for match in candidates if match.cost == candidates[0].cost][:SHOWN]
        return [way.add(match.cost, cells(literal, match), match.binding) for match in nearest]

    def _definition(
        self, relation: Relation, wanted: Row | Mapping[str, Value], certain: bool, depth: int
    ) -> tuple[Finding, ...]:
        """What is not met of each rule that defines a relation; nothing if one of them is met."""
        if depth >= DEEPEST:
            return ()
        row = wanted if isinstance(wanted, Mapping) else known_cells(relation, wanted)
        collected: list[Finding] = []
        for rule in self._defines.get(relation.name, ()):
            binding, clashes = head_binding(rule, row, self.context)
            body = read_certainly(rule).body if certain else rule.body
            best = self.ways(body, binding, certain=certain, depth=depth + 1)[0]
            unmet = (*clashes, *best.certain_findings)
            if not unmet and not best.untold and isinstance(wanted, tuple):
                return ()
            collected += unmet or best.untold
        return tuple(collected)

    def _absent(self, way: Way, literal: Lit, rows: Iterable[Row], certain: bool, depth: int) -> Way:
        atom = literal.atom
        relation = self.program.relation(atom.relation)
        certain = certain and literal.past is None
        findings: list[Finding] = []
        for match in matches(self.facts, atom, rows, way.binding):
            if not match.failures:
                findings.append(Finding("present", "unmet", literal, way.binding, match.row))
            elif certain and possible(match):
                findings += cells(literal, match)
            if len(findings) >= SHOWN:
                break
        if certain and not findings and not read_plainly(relation):
            if relation.sort == "derived":
                findings += self._possibly(relation, literal, way.binding, depth)
            elif not is_complete(self.facts, atom, way.binding):
                findings.append(_unseen(literal, way.binding))
        return way.add(sum(4 if item.state == "unmet" else 2 for item in findings), findings)

    def _possibly(self, relation: Relation, literal: Lit, binding: Binding, depth: int) -> list[Finding]:
        """Why a derived relation could hold for all that is known: what is open in the rules that define it."""
        if depth >= DEEPEST:
            return []
        wanted = bound_values(self.facts, literal.atom, binding)
        findings: list[Finding] = []
        for rule in self._defines.get(relation.name, ()):
            assert isinstance(rule.head, Derive)
            inner = {
                c.term.name: wanted[c.attr]
                for c in rule.head.atom.constraints
                if isinstance(c.term, Var) and c.attr in wanted
            }
            refuted = False
            open_: list[Finding] = []
            for part in read_certainly(rule).body:
                if isinstance(part, Lit) and part.past is None and not part.neg:
                    probe = replace(part, neg=True)
                    against = self._absent(Way(0, inner), probe, self.facts.of(part.atom), True, depth + 1)
                    open_ += [item.doubtful() for item in against.findings]
                    refuted = refuted or not against.findings
            if not refuted:
                findings += open_
        return findings

    def _compare(self, way: Way, literal: Compare) -> list[Way]:
        left, right = literal.left, literal.right
        if literal.op == "=":
            for side, other in ((left, right), (right, left)):
                if isinstance(side, Var) and side.name not in way.binding:
                    value = value_of(other, way.binding, self.context)
                    if value is not None and not isinstance(value, tuple):
                        return [way.add(0, (), {**way.binding, side.name: value})]
        among = literal.op == "in" and isinstance(right, Choice) and literal.hi is None
        if among and isinstance(left, Var) and left.name not in way.binding:
            values = value_of(right, way.binding, self.context)
            return [way.add(0, (), {**way.binding, left.name: v}) for v in values if v is not None] or [way]
        if needed(literal) - way.binding.keys():
            return [way]
        value = value_of(left, way.binding, self.context)
        other = value_of(right, way.binding, self.context)
        if literal.op == "matches" and isinstance(right, Regex) and right.groups:
            captured = captures(right, value, way.binding)
            if captured is not None:
                return [way.add(0, (), {**way.binding, **captured})]
        elif ops.holds(
            literal.op,
            value,
            other,
            value_of(literal.hi, way.binding, self.context),
            similarity=self.context.similarity,
        ):
            return [way]
        known = value is not None and (other is not None or right is None)
        state: State = "unmet" if known else "unknown"
        return [way.add(2, (Finding("comparison", state, literal, way.binding, value=value),))]

    def _aggregate(self, way: Way, literal: Aggregate, certain: bool) -> Way:
        atom = literal.lit.atom
        relation = self.program.relation(atom.relation)
        past = literal.lit.past is not None
        rows = list(self.facts.commits(relation.name) if past else self.facts.of(atom))
        binding = inner_binding(literal, way.binding)
        candidates = matches(self.facts, atom, rows, binding)
        whole = [match for match in candidates if not match.failures]
        value = folded(relation, literal, [match.row for match in whole])
        other = value_of(literal.right, way.binding, self.context)
        high = value_of(literal.hi, way.binding, self.context)
        unread = tuple(match for match in candidates if match.failures and possible(match))
        finding = Finding("aggregate", "unmet", literal, way.binding, value=value, unread=unread)
        if not ops.holds(literal.op, value, other, high, similarity=self.context.similarity):
            cost = 2 if isinstance(other, type(value)) or value is None or other is None else 3
            if isinstance(literal.right, Var) and literal.right.name not in way.binding:
                if literal.op == "=" and value is not None:
                    return way.add(0, (), {**way.binding, literal.right.name: value})
                return way
            if not whole and value is None and not past and not unread:
                if is_complete(self.facts, atom, binding):
                    finding = replace(finding, seen="no_row")
                else:
                    finding = replace(finding, seen="not_seen", state="unknown", incomplete=True)
            return way.add(cost, (finding,))
        lower_bound = literal.fn == "count" and literal.op in (">", ">=")
        if not certain or past or lower_bound:
            return way
        # a row that was not wholly read, or not seen, may change the value
        if unread:
            return way.add(2, (finding.doubtful(),))
        if relation.sort != "derived" and not is_complete(self.facts, atom, binding):
            return way.add(2, (replace(finding, seen="not_all", state="unknown", incomplete=True),))
        return way

    def _of_all(self, way: Way, literal: Quantified, certain: bool) -> Way:
        relation = self.program.relation(literal.atom.relation)
        candidates = matches(self.facts, literal.atom, self.facts.of(literal.atom), way.binding)
        as_lit = Lit(literal.atom, span=literal.span)
        missing: list[Finding] = []
        some = any(not match.failures for match in candidates)
        if not some:
            missing.append(Finding("rows", "unmet", as_lit, way.binding, seen="no_row"))
        has = Atom(literal.atom.relation, literal.has or ())
        fits: list[bool] = []
        for match in candidates:
            if match.failures and not (certain and possible(match)):
                continue
            tested = match_row(relation, has, match.row, match.binding, self.context)
            fits.append(not tested.failures)
            if len(missing) < SHOWN:
                missing += cells(as_lit, tested)
        if some and literal.holds(fits):
            missing = []
        certain = certain and relation.sort != "derived"
        if certain and not missing and not is_complete(self.facts, literal.atom, way.binding):
            missing.append(_unseen(as_lit, way.binding))
        return way.add(2 * len(missing), missing)

    def _first(self, way: Way, literal: First, certain: bool, depth: int) -> list[Way]:
        firsts = Firsts(self.facts, literal, way.binding)
        if literal.has is not None:
            missing = firsts.each()
            return [way.add(2 * len(missing), missing)]
        ways = self._present(way, firsts.lit, self.facts.of(literal.atom), certain, depth)
        return [
            item if item.cost > way.cost else item.add(len(missing), missing)
            for item in ways
            for missing in [firsts.place(item.binding) if item.cost == way.cost else []]
        ]


def _unseen(literal: Literal, binding: Binding) -> Finding:
    return Finding("rows", "unknown", literal, binding, seen="not_all", incomplete=True)


def inner_binding(literal: Aggregate, binding: Binding) -> dict[str, Value]:
    """The binding that the rows of an aggregate see: of its own variables only those that group it."""
    own = needed(literal.lit.atom) - frozenset(literal.group)
    return {name: value for name, value in binding.items() if name not in own}


def folded(relation: Relation, literal: Aggregate, rows: list[Row]) -> Value | None:
    """The aggregate's value over rows; None where it is undefined."""
    column = relation.column(literal.attr) if literal.attr else -1
    value: Value | None = fold(literal.fn, [row[column] for row in rows] if column >= 0 else rows)
    return value


def asks_about_all(literal: Literal) -> bool:
    """Whether rows that were not seen may speak against the condition."""
    return isinstance(literal, Aggregate | Quantified) or (isinstance(literal, Lit) and literal.neg)
