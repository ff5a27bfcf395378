"""Why a rule does not hold: every condition with its state, the value seen and the value wanted.

The engine decides; this module only explains, by looking for the binding of the rule's variables that comes nearest
to holding (a beam search over the body in its order; nearness is the sum of what fails). What cannot be told apart
from here (past time of other things than actions, order in time) is named when everything else holds.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from vsalang.core import ops
from vsalang.core.ir import (
    Aggregate,
    Atom,
    Choice,
    Compare,
    Constraint,
    Derive,
    Every,
    First,
    License,
    Lit,
    Literal,
    Relation,
    Rule,
    Spent,
    Then,
    Var,
)
from vsalang.core.values import Value, tag
from vsalang.guard.conditions import Words
from vsalang.guard.firsts import Firsts
from vsalang.guard.match import Facts, given, is_complete, match_row, matches, possible
from vsalang.guard.store import Row, known_cells
from vsalang.guard.terms import Binding, quoted, term_text, value_of, variables, wanted_text
from vsalang.guard.verdict import Why

_BEAM = 24
_SHOWN = 5
_DEPTH = 5
_NO_ROW = 10
_OPAQUE_WORDS = {
    "earlier": "that it held earlier",
    "within": "that it held within that time",
    "for": "that it held all that time",
    "since": "that it has held since",
}


@dataclass(frozen=True, slots=True)
class _Trace:
    cost: int
    binding: Mapping[str, Value]
    whys: tuple[Why, ...] = ()
    opaque: tuple[Why, ...] = ()

    def add(self, cost: int, whys: Iterable[Why], binding: Mapping[str, Value] | None = None) -> "_Trace":
        return replace(
            self,
            cost=self.cost + cost,
            whys=(*self.whys, *whys),
            binding=self.binding if binding is None else binding,
        )


class Explainer:
    """Explains rules against the facts of one moment."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.program = facts.program
        self.context = facts.context
        self.words = Words(facts)
        self._defines: dict[str, list[Rule]] = {}
        for rule in facts.program.rules:
            if isinstance(rule.head, Derive):
                self._defines.setdefault(rule.head.atom.relation, []).append(rule)

    # ------------------------------------------------------------------ rules

    def clause(self, rule: Rule, instance: Row | None, *, guess: bool = False) -> tuple[Why, ...]:
        """Every condition of an `allow` or `done` rule that does not hold for an instance, those of the head first.

        Args:
            rule: the clause.
            instance: the proposed action; None: the head is not looked at.
            guess: it is not known that the rule does not hold: empty if nothing speaks against it.
        """
        head = rule.head
        assert isinstance(head, License)
        binding: Mapping[str, Value] = {}
        whys: list[Why] = []
        if instance is not None:
            relation = self.program.relation(head.atom.relation)
            found = match_row(relation, head.atom, instance, {}, self.context)
            binding = found.binding
            whys = [
                self.words.failed(relation, failure, instance, binding, False) for failure in found.failures
            ]
        found_whys = (*whys, *self.unmet(rule.body, binding, certain=True, holds=bool(whys) or guess))
        return tuple(_joined(rule, why) for why in found_whys)

    def head_fits(self, rule: Rule, instance: Row) -> bool:
        """Whether the head's pattern fits the instance."""
        head = rule.head
        assert isinstance(head, License)
        relation = self.program.relation(head.atom.relation)
        return not match_row(relation, head.atom, instance, {}, self.context).failures

    def unmet(
        self,
        body: tuple[Literal, ...],
        binding: Binding,
        *,
        certain: bool,
        holds: bool = False,
        depth: int = 0,
    ) -> tuple[Why, ...]:
        """Every condition of a body that is not met, under the binding that comes nearest.

        Args:
            body: the literals.
            binding: variables that are bound from outside.
            certain: it must hold certainly (`allow`, `done`).
            holds: False: the body is known not to hold, so something must be named.
            depth: how many definitions have been opened.
        """
        traces = self._traces(body, binding, certain=certain, depth=depth)
        nearest = [trace for trace in traces if trace.cost == traces[0].cost][:_SHOWN]
        best = nearest[0]
        whys = _merged(why for trace in nearest for why in trace.whys)
        if whys or holds:
            return (*whys, *(replace(why, state="unknown") for why in best.opaque))
        if best.opaque:
            return best.opaque
        return tuple(self.words.unproven(literal, best.binding) for literal in body)

    def holding(self, body: tuple[Literal, ...], binding: Binding) -> tuple[Why, ...]:
        """The conditions of a body that holds, with the values seen: what a judging rule's reason shows."""
        found = [_Trace(0, dict(binding))]
        for literal in body:
            found = self._step(found, literal, certain=False, depth=_DEPTH)
        best = min(found, key=lambda trace: trace.cost)
        whys: list[Why] = []
        for literal in body:
            whys += self.words.witness(literal, best.binding)
        return tuple(whys)

    def _traces(
        self, body: tuple[Literal, ...], binding: Binding, *, certain: bool, depth: int
    ) -> list[_Trace]:
        """The ways through a body, the nearest to holding first."""
        traces = [_Trace(0, dict(binding))]
        for literal in body:
            traces = self._step(traces, literal, certain=certain, depth=depth)
        return sorted(traces, key=lambda trace: trace.cost)

    def _best(self, body: tuple[Literal, ...], binding: Binding, *, certain: bool, depth: int) -> _Trace:
        return self._traces(body, binding, certain=certain, depth=depth)[0]

    # ------------------------------------------------------------------ literals

    def _step(self, traces: list[_Trace], literal: Literal, *, certain: bool, depth: int) -> list[_Trace]:
        found: list[_Trace] = []
        for trace in traces:
            found += self._literal(trace, literal, certain=certain, depth=depth)
        found.sort(key=lambda trace: trace.cost)
        return found[:_BEAM]

    def _literal(self, trace: _Trace, literal: Literal, *, certain: bool, depth: int) -> list[_Trace]:
        if isinstance(literal, Lit):
            relation = self.program.relation(literal.atom.relation)
            if literal.past is not None and not (literal.past.op == "earlier" and relation.sort == "action"):
                return [self._opaque(trace, literal)]
            rows = (
                self.facts.commits(relation.name) if literal.past is not None else self.facts.of(literal.atom)
            )
            if literal.neg:
                return [self._absent(trace, literal, rows, certain, depth)]
            return self._present(trace, literal, rows, certain, depth)
        if isinstance(literal, Compare):
            return self._compare(trace, literal)
        if isinstance(literal, Aggregate):
            return [self._aggregate(trace, literal, certain)]
        if isinstance(literal, Every):
            return [self._every(trace, literal, certain)]
        if isinstance(literal, First):
            return self._first(trace, literal, certain, depth)
        if isinstance(literal, Then):
            return self._then(trace, literal, certain, depth)
        return [self._spent(trace, literal)]

    def _present(
        self, trace: _Trace, literal: Lit, rows: Iterable[Row], certain: bool, depth: int
    ) -> list[_Trace]:
        atom = literal.atom
        relation = self.program.relation(atom.relation)
        found = matches(self.facts, atom, rows, trace.binding)
        derived = relation.sort in ("derived", "screen") and literal.past is None
        whole = [match for match in found if not match.failures]
        if whole:
            if not (derived and certain and depth < _DEPTH and relation.name in self._defines):
                return [trace.add(0, (), match.binding) for match in whole[:_BEAM]]
            opened = []
            for match in whole[:_SHOWN]:
                whys = self._definition(relation, match.row, certain, depth)
                opened.append(trace.add(len(whys), whys, match.binding))
            return opened
        if relation.sort == "screen" and literal.past is None:
            return [trace.add(_NO_ROW, (self.words.screen_why(relation, literal),))]
        if derived:
            why = self.words.row_why(relation, literal, trace.binding, "unmet", "does not hold")
            opened_whys = self._definition(relation, given(self.facts, atom, trace.binding), certain, depth)
            return [trace.add(_NO_ROW, (why, *opened_whys))]
        if not found:
            done = literal.past is not None or is_complete(self.facts, atom, trace.binding)
            words = "not done yet" if literal.past is not None else "no such row" if done else "not seen"
            why = self.words.row_why(relation, literal, trace.binding, "unmet" if done else "unknown", words)
            return [trace.add(_NO_ROW, (replace(why, names=frozenset(self.words.names(literal))),))]
        nearest = [match for match in found if match.cost == found[0].cost][:_SHOWN]
        return [
            trace.add(
                match.cost,
                [
                    self.words.failed(
                        relation, failure, match.row, match.binding, literal.past is not None, literal
                    )
                    for failure in match.failures
                ],
                match.binding,
            )
            for match in nearest
        ]

    def _definition(
        self, relation: Relation, wanted: Row | Mapping[str, Value], certain: bool, depth: int
    ) -> tuple[Why, ...]:
        """What is not met of each rule that defines a relation; nothing if one of them is met."""
        if depth >= _DEPTH:
            return ()
        cells = wanted if isinstance(wanted, Mapping) else known_cells(relation, wanted)
        collected: list[Why] = []
        for rule in self._defines.get(relation.name, ()):
            assert isinstance(rule.head, Derive)
            binding: dict[str, Value] = {}
            clash: list[Why] = []
            for constraint in rule.head.atom.constraints:
                value = cells.get(constraint.attr)
                if value is None:
                    continue
                if isinstance(constraint.term, Var):
                    binding.setdefault(constraint.term.name, value)
                elif constraint.term is not None and not variables(constraint.term):
                    own = value_of(constraint.term, {}, self.context)
                    if not ops.holds("=", own, value):
                        clash.append(
                            self.words.why(
                                relation,
                                constraint.attr,
                                "unmet",
                                quoted(own),
                                f"= {quoted(value)}",
                                {},
                                rule.span,
                            )
                        )
            best = self._best(rule.body, binding, certain=certain, depth=depth + 1)
            unmet = (*clash, *best.whys)
            if not unmet and not best.opaque and isinstance(wanted, tuple):
                return ()
            collected += unmet or best.opaque
        return tuple(collected)

    def _absent(self, trace: _Trace, literal: Lit, rows: Iterable[Row], certain: bool, depth: int) -> _Trace:
        atom = literal.atom
        relation = self.program.relation(atom.relation)
        found = matches(self.facts, atom, rows, trace.binding)
        whys: list[Why] = []
        for match in found:
            if not match.failures:
                whys.append(self.words.against(relation, literal, match, trace.binding))
            elif certain and literal.past is None and possible(match):
                whys += [
                    self.words.failed(relation, failure, match.row, match.binding, False, literal)
                    for failure in match.failures
                ]
            if len(whys) >= _SHOWN:
                break
        if certain and literal.past is None and not whys:
            if relation.sort in ("derived", "screen"):
                whys += self._possibly(relation, literal, trace.binding, depth)
            elif not is_complete(self.facts, atom, trace.binding):
                words = "not all of these were seen"
                why = self.words.row_why(relation, literal, trace.binding, "unknown", words)
                whys.append(
                    replace(why, incomplete=True, wanted="all of them seen, and none of these among them")
                )
        return trace.add(sum(4 if why.state == "unmet" else 2 for why in whys), whys)

    def _possibly(self, relation: Relation, literal: Lit, binding: Binding, depth: int) -> list[Why]:
        """Why a derived relation could hold for all that is known: what is open in the rules that define it."""
        if depth >= _DEPTH:
            return []
        cells = given(self.facts, literal.atom, binding)
        whys: list[Why] = []
        for rule in self._defines.get(relation.name, ()):
            assert isinstance(rule.head, Derive)
            inner = {
                c.term.name: cells[c.attr]
                for c in rule.head.atom.constraints
                if isinstance(c.term, Var) and c.attr in cells
            }
            refuted = False
            open_: list[Why] = []
            for part in rule.body:
                if isinstance(part, Lit) and part.past is None and not part.neg:
                    probe = replace(part, neg=True)
                    rows = self.facts.of(part.atom)
                    against = self._absent(_Trace(0, inner), probe, rows, True, depth + 1).whys
                    open_ += [replace(why, state="unknown") for why in against]
                    refuted = refuted or not against
            if not refuted:
                whys += open_
        return whys

    def _compare(self, trace: _Trace, literal: Compare) -> list[_Trace]:
        left, right = literal.left, literal.right
        if isinstance(left, Var) and left.name not in trace.binding:
            if literal.op == "=":
                value = value_of(right, trace.binding, self.context)
                if value is not None and not isinstance(value, tuple):
                    return [trace.add(0, (), {**trace.binding, left.name: value})]
            if literal.op == "in" and isinstance(right, Choice) and literal.hi is None:
                values = [value_of(item, trace.binding, self.context) for item in right.items]
                return [
                    trace.add(0, (), {**trace.binding, left.name: v}) for v in values if v is not None
                ] or [trace]
        unbound = (variables(left) | variables(right) | variables(literal.hi)) - trace.binding.keys()
        if unbound:
            return [trace]
        value = value_of(left, trace.binding, self.context)
        other = value_of(right, trace.binding, self.context)
        high = value_of(literal.hi, trace.binding, self.context)
        if ops.holds(literal.op, value, other, high, similarity=self.context.similarity):
            return [trace]
        constraint = Constraint("", literal.op, right, literal.hi)
        why = Why(
            "unmet" if value is not None and (other is not None or right is None) else "unknown",
            label=term_text(left, {}, self.context),
            seen=quoted(value) if not isinstance(value, tuple) else "",
            wanted=wanted_text(constraint, trace.binding, self.context),
            literal=f"{term_text(left, {}, self.context)} {wanted_text(constraint, {}, self.context)}",
            span=literal.span,
            names=frozenset(variables(left) | variables(right)),
        )
        return [trace.add(2, (why,))]

    def _aggregate(self, trace: _Trace, literal: Aggregate, certain: bool) -> _Trace:
        atom = literal.lit.atom
        relation = self.program.relation(atom.relation)
        past = literal.lit.past is not None
        rows = list(self.facts.commits(relation.name) if past else self.facts.of(atom))
        binding = {
            k: v for k, v in trace.binding.items() if k in literal.group or k not in _atom_variables(atom)
        }
        found = matches(self.facts, atom, rows, binding)
        whole = [match for match in found if not match.failures]
        value = _folded(relation, literal, [match.row for match in whole])
        other = value_of(literal.right, trace.binding, self.context)
        high = value_of(literal.hi, trace.binding, self.context)
        holds = ops.holds(literal.op, value, other, high, similarity=self.context.similarity)
        wanted = wanted_text(
            Constraint("", literal.op, literal.right, literal.hi), trace.binding, self.context
        )
        asked = f"{literal.attr} of " if literal.attr else ""
        text = f"{literal.fn}({asked}{self.words.atom_text(atom, binding)})"
        why = self.words.why(relation, literal.attr, "unmet", quoted(value), wanted, {}, literal.span)
        why = replace(why, label=text, literal=f"{text} {wanted}")
        if not literal.attr:
            why = replace(why, seen=f"{quoted(value)} of them")
        open_rows = [m for m in found if m.failures and possible(m)]
        if open_rows:
            unread, names = self.words.unread(relation, open_rows)
            seen = f"{why.seen}, and {unread}" if value is not None else unread
            why = replace(why, seen=seen, names=why.names | names)
        if not holds:
            cost = 2 if isinstance(other, type(value)) or value is None or other is None else 3
            if isinstance(literal.right, Var) and literal.right.name not in trace.binding:
                if literal.op == "=" and value is not None:
                    return trace.add(0, (), {**trace.binding, literal.right.name: value})
                return trace
            if not whole and value is None and not past and not open_rows:
                complete = is_complete(self.facts, atom, binding)
                why = replace(why, seen="no such row" if complete else "not seen", incomplete=not complete)
                why = replace(
                    why, attr="", state="unmet" if complete else "unknown", names=frozenset({literal.attr})
                )
            return trace.add(cost, (why,))
        lower_bound = literal.fn == "count" and literal.op in (">", ">=")
        if certain and not past and not lower_bound and self._open(relation, atom, binding, open_rows):
            unseen = not open_rows
            seen = "not all of these were seen" if unseen else why.seen
            return trace.add(2, (replace(why, state="unknown", seen=seen, incomplete=unseen),))
        return trace

    def _open(
        self, relation: Relation, atom: Atom, binding: Mapping[str, Value], rows: Sequence[object]
    ) -> bool:
        """Whether a row that was not wholly read, or not seen, may change what an aggregate gives."""
        return bool(rows) or (relation.sort != "derived" and not is_complete(self.facts, atom, binding))

    def _every(self, trace: _Trace, literal: Every, certain: bool) -> _Trace:
        relation = self.program.relation(literal.atom.relation)
        found = matches(self.facts, literal.atom, self.facts.of(literal.atom), trace.binding)
        as_lit = Lit(literal.atom, span=literal.span)
        whys: list[Why] = []
        if not any(not match.failures for match in found):
            whys.append(self.words.row_why(relation, as_lit, trace.binding, "unmet", "no such row"))
        has = Atom(literal.atom.relation, literal.has)
        for match in found:
            if match.failures and not (certain and possible(match)):
                continue
            tested = match_row(relation, has, match.row, match.binding, self.context)
            whys += [
                self.words.failed(relation, failure, match.row, tested.binding, False, as_lit)
                for failure in tested.failures
            ]
            if len(whys) >= _SHOWN:
                break
        if (
            certain
            and not whys
            and relation.sort != "derived"
            and not is_complete(self.facts, literal.atom, trace.binding)
        ):
            why = self.words.row_why(relation, as_lit, trace.binding, "unknown", "not all of these were seen")
            whys.append(replace(why, incomplete=True))
        return trace.add(2 * len(whys), whys)

    def _first(self, trace: _Trace, literal: First, certain: bool, depth: int) -> list[_Trace]:
        firsts = Firsts(self.facts, self.words, literal, trace.binding)
        if literal.has is not None:
            whys = firsts.each()
            return [trace.add(2 * len(whys), whys)]
        found = self._present(trace, firsts.lit, self.facts.of(literal.atom), certain, depth)
        return [
            item if item.cost > trace.cost else item.add(len(places), places)
            for item in found
            for places in [firsts.place(item.binding) if item.cost == trace.cost else []]
        ]

    def _then(self, trace: _Trace, literal: Then, certain: bool, depth: int) -> list[_Trace]:
        traces = [trace]
        for part in literal.parts[-1]:
            traces = self._step(traces, part, certain=certain, depth=depth)
        first = " then ".join(
            ", ".join(self.words.literal_text(part, trace.binding) for part in parts)
            for parts in literal.parts
        )
        names = frozenset(
            name for parts in literal.parts for part in parts for name in self.words.names(part)
        )
        why = Why(
            "unmet", label="in this order", seen="not in this order", wanted=first, literal=first, names=names
        )
        why = replace(why, span=literal.span)
        return [replace(item, opaque=(*item.opaque, why)) for item in traces]

    def _spent(self, trace: _Trace, literal: Spent) -> _Trace:
        if self.facts.spent(literal.relation):
            return trace
        relation = self.program.relation(literal.relation)
        why = self.words.why(
            relation, "", "unmet", "not yet", "done as often as it is allowed", {}, literal.span
        )
        return trace.add(2, (replace(why, literal=f"all {relation.short}"),))

    def _opaque(self, trace: _Trace, literal: Lit) -> _Trace:
        assert literal.past is not None
        relation = self.program.relation(literal.atom.relation)
        words = _OPAQUE_WORDS[literal.past.op]
        why = self.words.row_why(relation, literal, trace.binding, "unmet", "so" if literal.neg else "not so")
        names = frozenset(self.words.names(literal))
        why = replace(why, wanted=f"not {words}" if literal.neg else words, names=names)
        return replace(trace, opaque=(*trace.opaque, why))


def _joined(rule: Rule, why: Why) -> Why:
    """A condition on a variable that a parameter of the action binds may be named by that parameter too."""
    assert isinstance(rule.head, License)
    if why.span is None:
        return why
    short = rule.head.atom.relation.rpartition(".")[2]
    parameters = {
        c.term.name: c.attr for c in rule.head.atom.constraints if c.op == "=" and isinstance(c.term, Var)
    }
    used: set[str] = set()
    for literal in rule.body:
        if isinstance(literal, Compare) and literal.span == why.span:
            used |= variables(literal.left) | variables(literal.right) | variables(literal.hi)
        elif isinstance(literal, Lit):
            for c in literal.atom.constraints:
                if c.span == why.span:
                    used |= variables(c.term) | variables(c.hi)
    names = {
        name for var in used if var in parameters for name in (parameters[var], f"{short}.{parameters[var]}")
    }
    return replace(why, names=why.names | names) if names else why


def _atom_variables(atom: Atom) -> frozenset[str]:
    found: set[str] = set()
    for constraint in atom.constraints:
        found |= variables(constraint.term) | variables(constraint.hi)
    return frozenset(found)


def _folded(relation: Relation, literal: Aggregate, rows: list[Row]) -> Value | None:
    """The aggregate's value over rows; None where it is undefined."""
    if literal.fn == "count":
        return len(rows)
    cells = [row[relation.column(literal.attr)] for row in rows]
    known = [cell for cell in cells if cell is not None]
    if not rows or len(known) < len(cells):
        return None
    if literal.fn == "set":
        return frozenset(cell for cell in known if isinstance(cell, str))
    result = known[0]
    for cell in known[1:]:
        if literal.fn == "sum":
            total = ops.call("+", (result, cell))
            if total is None:
                return None
            result = total
        elif tag(cell) == tag(result) and ops.holds("<" if literal.fn == "min" else ">", cell, result):
            result = cell
    return result


def _merged(whys: Iterable[Why]) -> tuple[Why, ...]:
    """The conditions, those that differ only in what was seen made one: rows that are equally near."""
    found: dict[tuple[object, ...], Why] = {}
    for why in whys:
        key = (why.state, why.relation, why.attr, why.wanted, why.literal, why.incomplete, why.span)
        old = found.get(key)
        if old is None:
            found[key] = why
        elif why.seen not in old.seen.split(" or "):
            found[key] = replace(old, seen=f"{old.seen} or {why.seen}")
    return tuple(found.values())
