"""Why a rule does not hold: every condition with its state, the value seen and the value wanted.

The engine decides; this module only explains, by looking for the binding of the rule's variables that comes nearest
to holding (a beam search over the body in its order; nearness is the sum of what fails). What cannot be told apart
from here (past time of other things than actions, order in time) is named when everything else holds.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

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
from vsalang.core.values import Value
from vsalang.core.walk import needed
from vsalang.guard.conditions import Words
from vsalang.guard.explaining import (
    asks_about_all,
    cells_of,
    folded,
    matched,
    merged,
    named_by_parameters,
    sourced,
)
from vsalang.guard.firsts import Firsts
from vsalang.guard.match import (
    Facts,
    given,
    is_complete,
    match_row,
    matches,
    of_the_row,
    possible,
    read_plainly,
)
from vsalang.guard.store import Row, known_cells
from vsalang.guard.terms import Binding, quoted, term_text, value_of, wanted_text
from vsalang.guard.texts import say
from vsalang.guard.verdict import Why

_BEAM = 24
_SHOWN = 5
_DEPTH = 5
_NO_ROW = 10
_OPAQUE_WORDS = {
    "earlier": "opaque.earlier",
    "within": "opaque.within",
    "for": "opaque.for",
    "since": "opaque.since",
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

    @cached_property
    def _defines(self) -> dict[str, list[Rule]]:
        """The rules of each derived relation; most moments need no words, so they are gathered when one does."""
        found: dict[str, list[Rule]] = {}
        for rule in self.program.rules:
            if isinstance(rule.head, Derive):
                found.setdefault(rule.head.atom.relation, []).append(rule)
        return found

    # ------------------------------------------------------------------ rules

    def clause(self, rule: Rule, instance: Row | None, *, guess: bool = False) -> tuple[Why, ...]:
        """Every condition of an `allow` or `done` rule that does not hold for an instance, those of the head first.

        Args:
            rule: the clause.
            instance: the proposed action; None: the head is not looked at.
            guess: it is not known that the rule does not hold: empty if nothing speaks against it.
        """
        return self.sides(rule, instance, guess=guess)[0]

    def sides(
        self, rule: Rule, instance: Row | None, *, guess: bool = False
    ) -> tuple[tuple[Why, ...], tuple[Why, ...]]:
        """What of an `allow` or `done` rule is not met (`clause`), and what is."""
        whys, met, binding = self._head(rule, instance)
        traces = self._traces(rule.body, binding, certain=True, depth=0)
        cells = cells_of(self.program, rule.body)
        unmet = [
            sourced(why, cells) for why in self._unmet(rule.body, traces, True, holds=bool(whys) or guess)
        ]
        best = traces[0].binding
        for literal in rule.body if instance is not None else ():
            nearest = self._literal(_Trace(0, best), literal, certain=True, depth=0)[0]
            if not nearest.whys and not nearest.opaque:
                met += matched(self.facts, self.words, literal, best)
        return tuple(named_by_parameters(rule, why) for why in (*whys, *unmet)), tuple(met)

    def licensing(self, rule: Rule, instance: Row) -> tuple[Why, ...]:
        """Every condition of an `allow` or `done` rule that holds for an instance, with the values seen."""
        _, met, binding = self._head(rule, instance)
        best = self._best(rule.body, binding, certain=True, depth=0).binding
        for literal in rule.body:
            met += matched(self.facts, self.words, literal, best)
        return tuple(met)

    def _head(self, rule: Rule, instance: Row | None) -> tuple[list[Why], list[Why], Binding]:
        """What the head asks of an instance: what it fails, what it meets, and the variables that it binds."""
        head = rule.head
        assert isinstance(head, License)
        if instance is None:
            return [], [], {}
        relation = self.program.relation(head.atom.relation)
        found = match_row(relation, head.atom, instance, {}, self.context)
        whys = [
            self.words.failed(relation, failure, instance, found.binding, False) for failure in found.failures
        ]
        failed = [failure.constraint for failure in found.failures]
        fitting = replace(head.atom, constraints=tuple(c for c in head.atom.constraints if c not in failed))
        return whys, self.words.fitting(relation, fitting, instance, found.binding), found.binding

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
        whys = self._unmet(
            body, self._traces(body, binding, certain=certain, depth=depth), certain, holds=holds
        )
        cells = cells_of(self.program, body)
        return tuple(sourced(why, cells) for why in whys)

    def _unmet(
        self, body: tuple[Literal, ...], traces: list[_Trace], certain: bool, *, holds: bool
    ) -> tuple[Why, ...]:
        nearest = [trace for trace in traces if trace.cost == traces[0].cost][:_SHOWN]
        best = nearest[0]
        whys = merged(why for trace in nearest for why in trace.whys)
        if whys or holds:
            return (*whys, *(replace(why, state="unknown") for why in best.opaque))
        if best.opaque:
            return best.opaque
        if certain:
            # As far as what was seen goes it holds: what was not seen speaks against what asks about all rows.
            asking = [item for item in body if asks_about_all(item)]
            if asking:
                whys = tuple(self.words.unproven(literal, best.binding) for literal in asking)
                return tuple(replace(why, incomplete=True) for why in whys)
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
            opens = derived and certain and not read_plainly(relation)
            if not (opens and depth < _DEPTH and relation.name in self._defines):
                return [trace.add(0, (), match.binding) for match in whole[:_BEAM]]
            opened = []
            for match in whole[:_SHOWN]:
                whys = self._definition(relation, match.row, certain, depth)
                opened.append(trace.add(len(whys), whys, match.binding))
            return opened
        if relation.sort == "screen" and literal.past is None:
            return [trace.add(_NO_ROW, (self.words.screen_why(relation, literal),))]
        if derived:
            why = self.words.row_why(relation, literal, trace.binding, "unmet", say("seen.not_holding"))
            opened_whys = self._definition(relation, given(self.facts, atom, trace.binding), certain, depth)
            return [trace.add(_NO_ROW, (why, *opened_whys))]
        if literal.past is None:
            # which row is meant is given, so what other rows hold does not matter
            found = of_the_row(self.facts, atom, trace.binding, found)
        if not found:
            done = literal.past is not None or is_complete(self.facts, atom, trace.binding)
            words = say(
                "seen.not_done" if literal.past is not None else "seen.no_row" if done else "seen.not_seen"
            )
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
                elif constraint.term is not None and not needed(constraint.term):
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
            if read_plainly(relation):
                pass  # it was looked at, and it is not so
            elif relation.sort == "derived":
                whys += self._possibly(relation, literal, trace.binding, depth)
            elif not is_complete(self.facts, atom, trace.binding):
                words = say("seen.not_all")
                why = self.words.row_why(relation, literal, trace.binding, "unknown", words)
                whys.append(replace(why, incomplete=True, wanted=say("wanted.all_none")))
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
        unbound = (needed(literal)) - trace.binding.keys()
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
            names=frozenset(needed((left, right))),
        )
        return [trace.add(2, (why,))]

    def _aggregate(self, trace: _Trace, literal: Aggregate, certain: bool) -> _Trace:
        atom = literal.lit.atom
        relation = self.program.relation(atom.relation)
        past = literal.lit.past is not None
        rows = list(self.facts.commits(relation.name) if past else self.facts.of(atom))
        binding = {k: v for k, v in trace.binding.items() if k in literal.group or k not in needed(atom)}
        found = matches(self.facts, atom, rows, binding)
        whole = [match for match in found if not match.failures]
        value = folded(relation, literal, [match.row for match in whole])
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
            why = replace(why, seen=say("of_them", value=quoted(value)))
        open_rows = [m for m in found if m.failures and possible(m)]
        if open_rows:
            unread, names = self.words.unread(relation, open_rows)
            seen = say("with_unread", value=why.seen, unread=unread) if value is not None else unread
            why = replace(why, seen=seen, names=why.names | names)
        if not holds:
            cost = 2 if isinstance(other, type(value)) or value is None or other is None else 3
            if isinstance(literal.right, Var) and literal.right.name not in trace.binding:
                if literal.op == "=" and value is not None:
                    return trace.add(0, (), {**trace.binding, literal.right.name: value})
                return trace
            if not whole and value is None and not past and not open_rows:
                complete = is_complete(self.facts, atom, binding)
                seen = say("seen.no_row" if complete else "seen.not_seen")
                why = replace(why, seen=seen, incomplete=not complete)
                why = replace(
                    why, attr="", state="unmet" if complete else "unknown", names=frozenset({literal.attr})
                )
            return trace.add(cost, (why,))
        lower_bound = literal.fn == "count" and literal.op in (">", ">=")
        if certain and not past and not lower_bound and self._open(relation, atom, binding, open_rows):
            unseen = not open_rows
            seen = say("seen.not_all") if unseen else why.seen
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
            whys.append(self.words.row_why(relation, as_lit, trace.binding, "unmet", say("seen.no_row")))
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
            why = self.words.row_why(relation, as_lit, trace.binding, "unknown", say("seen.not_all"))
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
        text = self.words.literal_text(literal, trace.binding)
        why = Why(
            "unmet",
            label=say("wanted.order"),
            seen=say("seen.order"),
            wanted=text,
            literal=text,
            names=frozenset(self.words.names(literal)),
        )
        why = replace(why, span=literal.span)
        return [replace(item, opaque=(*item.opaque, why)) for item in traces]

    def _spent(self, trace: _Trace, literal: Spent) -> _Trace:
        if self.facts.spent(literal.relation):
            return trace
        relation = self.program.relation(literal.relation)
        why = self.words.why(
            relation, "", "unmet", say("seen.not_yet"), say("wanted.often"), {}, literal.span
        )
        return trace.add(2, (replace(why, literal=f"all {relation.short}"),))

    def _opaque(self, trace: _Trace, literal: Lit) -> _Trace:
        assert literal.past is not None
        relation = self.program.relation(literal.atom.relation)
        words = say(_OPAQUE_WORDS[literal.past.op])
        why = self.words.row_why(
            relation, literal, trace.binding, "unmet", say("so" if literal.neg else "not_so")
        )
        names = frozenset(self.words.names(literal))
        why = replace(why, wanted=say("not", what=words) if literal.neg else words, names=names)
        return replace(trace, opaque=(*trace.opaque, why))
