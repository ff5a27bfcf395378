"""Exports rules as plain Datalog with negation, for clingo and DLV: each rule exactly or not at all.

A rule is written only if it means the same there; any other becomes a comment with the reason. If one rule of a
relation cannot be written, none is: the relation becomes an input, so that no program reads only half of its rows.
"""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import field
from typing import Final

from vsalang.base.records import dataclass
from vsalang.language.notations.out.datalog_terms import (
    UNKNOWN,
    NoCounterpart,
    Predicates,
    Variables,
    compare,
    constant,
    text,
)
from vsalang.language.notations.out.exported import ExportResult, Omission
from vsalang.language.notations.out.meant_actions import said_of_actions
from vsalang.program import ir
from vsalang.program.show import title
from vsalang.program.text import comment
from vsalang.program.walk import needed

MOST_ALTERNATIVES: Final = 64
"""A rule whose sets would become more rules than this is not written."""

_HEADER: Final = """\
% Datalog of {what}, made by `vsac export`.
%
% What it says: what follows from the rows of one moment. What it does not say: effects of gestures and actions
% (update, delete, goto), what was seen to be complete (complete, top, end), contracts (expect), how often an action
% may be done, the text of messages, and what is marked below as `not expressed`. Never let it decide for a guard.
%
% A fact is one row, its cells in the order below. A cell that is not known is `{unknown}`, a cell seen to be absent
% is `none`. Text and enum members are quoted, in NFC with plain quotes, dashes and spaces; numbers are whole; true and
% false are words; a date is yyyymmdd, a time seconds since midnight, a duration seconds.
"""


@dataclass(slots=True)
class _Draft:
    """A rule that is being written: its body, and helper rules that its negations need."""

    variables: Variables = field(default_factory=Variables)
    body: list[list[str]] = field(default_factory=list)
    helpers: list[str] = field(default_factory=list)
    known: set[str] = field(default_factory=set)
    reads: set[tuple[str, str]] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class _RuleText:
    lines: tuple[str, ...]
    reads: frozenset[tuple[str, str]]


def to_datalog(program: ir.Program, *, main_only: bool = False) -> ExportResult:
    """The Datalog of a program.

    Args:
        program: a checked program.
        main_only: leave out the rules of imported modules; what they define is input.
    """
    return _Writer(program, main_only).write()


class _Writer:
    def __init__(self, program: ir.Program, main_only: bool) -> None:
        self.program = program
        self.main_only = main_only
        self.rules = [rule for rule in program.rules if not main_only or rule.module == program.main]
        self.predicates = Predicates()
        self.elsewhere = {
            name for rule in program.rules if rule not in self.rules and (name := _derives(rule))
        }

    def write(self) -> ExportResult:
        written: dict[str, _RuleText] = {}
        missing: dict[str, str] = {}
        for rule in self.rules:
            try:
                written[rule.id] = self._rule(rule)
            except NoCounterpart as problem:
                missing[rule.id] = str(problem)
        halves = self.elsewhere | {
            name for rule in self.rules if rule.id in missing and (name := _derives(rule))
        }
        for rule in self.rules:
            if rule.id in written and (name := _derives(rule)) in halves:
                del written[rule.id]
                missing[rule.id] = f"another rule of {name} has no counterpart: {name} is input"
        return self._text(written, missing)

    # ---- the document -----------------------------------------------------------------------------

    def _text(self, written: dict[str, _RuleText], missing: dict[str, str]) -> ExportResult:
        main = self.program.modules[self.program.main]
        defined = {name for rule in self.rules if rule.id in written and (name := _derives(rule))}
        inputs = {key for each in written.values() for key in each.reads if key[1] or key[0] not in defined}
        lines = [_HEADER.format(what=f"{main.kind} {main.name}", unknown=UNKNOWN)]
        if inputs:
            lines.append("% Input:")
            lines += [f"%   {self._declared(*key)}" for key in sorted(inputs)]
            lines.append("")
        omissions = []
        for rule in self.rules:
            label = f"{title(rule)} ({rule.id})"
            if rule.id in written:
                lines.append(f"% {comment(label)}{self._remark(rule)}")
                lines += written[rule.id].lines
            else:
                omissions.append(Omission(rule.id, title(rule), missing[rule.id], rule.span))
                lines.append(f"% not expressed: {comment(label)}: {comment(missing[rule.id])}")
        for each in said_of_actions(self.program, main_only=self.main_only):
            omissions.append(each)
            lines.append(f"% not expressed: {comment(each.what)}: {comment(each.reason)}")
        return ExportResult("\n".join(lines) + "\n", len(written), tuple(omissions))

    def _declared(self, relation: str, use: str) -> str:
        if relation == "today" and not use:
            return "today(date)   the day of the instruction"
        attrs = [each.name for each in self.program.relation(relation).attrs]
        arguments = f"({', '.join(attrs)})" if attrs else ""
        when = {
            "": self.program.relation(relation).sort,
            "earlier": "every row that was so at some point of the history, the last one included",
            "before": "the rows before the predicted inputs",
        }
        return f"{self.predicates.name(relation, use)}{arguments}   {when[use]}"

    def _remark(self, rule: ir.Rule) -> str:
        head = rule.head
        if isinstance(head, ir.License) and head.atom.relation != "finish":
            quota = head.quota
            word_of = {
                "one": "once",
                "either": "once, shared with the other `either` rules",
                "count": f"up to {quota.n} times",
                "each": "any number of different instances",
            }
            return f"; not expressed: {word_of[quota.kind]}"
        if isinstance(head, ir.Judge):
            return ": " + comment(
                "".join(part if isinstance(part, str) else f"{{{part}}}" for part in head.message)
            )
        return ""

    # ---- one rule ---------------------------------------------------------------------------------

    def _rule(self, rule: ir.Rule) -> _RuleText:
        draft = _Draft()
        body = list(rule.body)
        head = rule.head
        if isinstance(head, ir.License):
            body.insert(0, ir.Lit(head.atom, reading="certain"))
        elif isinstance(head, ir.Recognize) and rule.extra:
            raise NoCounterpart("parameters that may stay unknown (`with`)")
        elif not isinstance(head, ir.Derive | ir.Recognize | ir.Judge):
            raise NoCounterpart(f"`{title(rule).split()[0]}`")
        for literal in body:
            self._literal(draft, literal)
        alternatives = list(
            itertools.islice(itertools.product(*self._split(draft.body)), MOST_ALTERNATIVES + 1)
        )
        if len(alternatives) > MOST_ALTERNATIVES:
            raise NoCounterpart(f"sets that make more than {MOST_ALTERNATIVES} rules")
        start = self._head(draft, rule)
        lines = [*draft.helpers]
        for parts in alternatives:
            lines.append(_show(start, [part for each in parts for part in each]))
        return _RuleText(tuple(lines), frozenset(draft.reads))

    @staticmethod
    def _split(body: list[list[str]]) -> Iterator[list[list[str]]]:
        """The alternatives of each condition; a condition is a list of texts joined by ``\\n`` (all must hold)."""
        for options in body:
            yield [option.split("\n") for option in options]

    def _head(self, draft: _Draft, rule: ir.Rule) -> str:
        head = rule.head
        if isinstance(head, ir.License):
            if head.atom.relation == "finish":
                return f"{self.predicates.name('done', 'may_be')}({text(rule.id)})"
            name = self.predicates.name(head.atom.relation, "allow")
            return f"{name}({text(rule.id)})"
        if isinstance(head, ir.Judge):
            return f"{self.predicates.name(head.level, 'judge')}({text(rule.id)})"
        assert isinstance(head, ir.Derive | ir.Recognize)
        relation = self.program.relation(head.atom.relation)
        terms = {each.attr: each.term for each in head.atom.constraints}
        if set(terms) != {each.name for each in relation.attrs}:
            raise NoCounterpart("a head that leaves cells unknown")
        args = [self._term(draft, terms[each.name]) for each in relation.attrs]
        return _call(self.predicates.name(relation.name), args)

    # ---- conditions -------------------------------------------------------------------------------

    def _literal(self, draft: _Draft, literal: ir.Literal) -> None:
        if isinstance(literal, ir.Compare):
            draft.body.append(self._comparison(draft, literal.left, literal))
            return
        if not isinstance(literal, ir.Lit):
            words = {ir.Aggregate: "an aggregate", ir.Then: "`then`", ir.Spent: "`all`"}
            raise NoCounterpart(
                f"`{literal.word}`" if isinstance(literal, ir.Quantified) else words[type(literal)]
            )
        if literal.past is not None and literal.past.op != "earlier":
            raise NoCounterpart(f"`{literal.past.op}`")
        use = "earlier" if literal.past else "before" if literal.atom.before else ""
        if literal.past and literal.atom.before:
            raise NoCounterpart("`before` of the past")
        if literal.reading == "certain" and (literal.neg or not self._certain(literal, use)):
            raise NoCounterpart("a negation that must hold certainly, of what was not seen too")
        draft.reads.add((literal.atom.relation, use))
        if literal.neg:
            self._negated(draft, literal.atom, use)
        else:
            draft.body.append(self._atom(draft, literal.atom, use, draft.known))

    def _certain(self, literal: ir.Lit, use: str) -> bool:
        """Whether a positive literal holds certainly if it holds plainly: its definition has no negation."""
        if use:
            return self.program.relation(literal.atom.relation).sort != "derived"
        seen: set[str] = set()
        rest = [literal.atom.relation]
        while rest:
            name = rest.pop()
            if name in seen:
                continue
            seen.add(name)
            for rule in self.program.rules:
                if _derives(rule) != name:
                    continue
                if self.program.relation(name).sort not in ("derived", "screen", "observed"):
                    continue
                for inner in (*rule.body, *rule.extra):
                    if isinstance(inner, ir.Compare):
                        continue
                    if not isinstance(inner, ir.Lit) or inner.neg:
                        return False
                    if not inner.past:
                        rest.append(inner.atom.relation)
                    elif self.program.relation(inner.atom.relation).sort == "derived":
                        return False
        return True

    def _atom(self, draft: _Draft, atom: ir.Atom, use: str, bound: set[str]) -> list[str]:
        """The alternatives of a positive atom; the variables that it binds become known."""
        relation = self.program.relation(atom.relation)
        cells: list[str] = []
        guards: list[list[str]] = []
        for attr in relation.attrs:
            constraints = [each for each in atom.constraints if each.attr == attr.name]
            cell, more = self._cell(
                draft, attr.name, constraints, bound, never_unknown=relation.sort == "derived"
            )
            cells.append(cell)
            guards += more
        start = _call(self.predicates.name(relation.name, use), cells)
        return ["\n".join([start, *parts]) for parts in _product(guards)]

    def _cell(
        self,
        draft: _Draft,
        name: str,
        constraints: Sequence[ir.Constraint],
        bound: set[str],
        *,
        never_unknown: bool,
    ) -> tuple[str, list[list[str]]]:
        """The argument for one attribute, and further conditions."""
        if not constraints:
            return "_", []
        if all(each.op == "unknown" for each in constraints):
            return UNKNOWN, []
        if any(each.op == "unknown" for each in constraints):
            raise NoCounterpart("a cell that must be known and unknown")
        rest = list(constraints)
        first = next(
            (each for each in rest if each.op == "=" and isinstance(each.term, ir.Var | ir.Const)), None
        )
        guards: list[list[str]] = []
        if first is not None:
            rest.remove(first)
            cell = self._term(draft, first.term)
            if isinstance(first.term, ir.Var):
                if first.term.name not in bound and not never_unknown:
                    guards.append([f"{cell} != {UNKNOWN}"])
                bound.add(first.term.name)
            elif not rest:
                return cell, []
            if isinstance(first.term, ir.Const):  # there are further comparisons: give the cell a name
                fresh = draft.variables.fresh(name)
                guards.append([f"{fresh} = {cell}"])
                cell = fresh
        else:
            cell = draft.variables.fresh(name)
            if not never_unknown:
                guards.append([f"{cell} != {UNKNOWN}"])
        for each in rest:
            if each.op != "known":
                guards.append(self._compared(draft, cell, each.op, each.term, each.hi))
        return cell, guards

    def _comparison(self, draft: _Draft, left: ir.Term, literal: ir.Compare) -> list[str]:
        side = self._term(draft, left)
        texts = self._compared(draft, side, literal.op, literal.right, literal.hi)
        for term in (left, literal.right):
            if isinstance(term, ir.Var):
                draft.known.add(term.name)
        return texts

    def _compared(
        self, draft: _Draft, left: str, op: str, right: ir.Term | None, hi: ir.Term | None
    ) -> list[str]:
        """The alternatives of one comparison of a known cell."""
        if op in ("in", "not in"):
            if hi is not None:
                low, high = self._term(draft, right), self._term(draft, hi)
                if op == "in":
                    return ["\n".join([*compare(left, ">=", low), *compare(left, "<=", high)])]
                return ["\n".join(compare(left, "<", low)), "\n".join(compare(left, ">", high))]
            if not isinstance(right, ir.Choice):
                raise NoCounterpart(f"`{op}` of something else than a list of values")
            items = [self._term(draft, item) for item in right.items]
            if op == "in":
                return [f"{left} = {item}" for item in items]
            return ["\n".join(f"{left} != {item}" for item in items)]
        return ["\n".join(compare(left, op, self._term(draft, right)))]

    def _negated(self, draft: _Draft, atom: ir.Atom, use: str) -> None:
        """``not A(..)``: directly if each cell is fixed or free, else by a helper rule."""
        simple = all(
            each.op == "="
            and (
                isinstance(each.term, ir.Const)
                or (isinstance(each.term, ir.Var) and each.term.name in draft.known)
            )
            for each in atom.constraints
        ) and len({each.attr for each in atom.constraints}) == len(atom.constraints)
        if simple:
            (start,) = self._atom(draft, atom, use, set(draft.known))
            draft.body.append([f"not {start}"])
            return
        outer = sorted(needed(atom) & draft.known)
        inner = _Draft(draft.variables)
        known = set(draft.known)
        options = self._atom(inner, atom, use, known)
        if len(options) > MOST_ALTERNATIVES:
            raise NoCounterpart(f"sets that make more than {MOST_ALTERNATIVES} rules")
        name = self.predicates.fresh(f"some_{atom.relation.rpartition('.')[2]}")
        call = _call(name, [draft.variables.of(ir.Var(each)) for each in outer])
        unbound = [each for each in outer if not _binds(atom, each)]
        if unbound:
            raise NoCounterpart("a negation that compares with a variable of another condition")
        days = [part for each in inner.body for part in each]  # `today`, if it is compared with
        draft.helpers += [_show(call, [*days, *option.split("\n")]) for option in options]
        draft.reads |= inner.reads
        draft.body.append([f"not {call}"])

    def _term(self, draft: _Draft, term: ir.Term | None) -> str:
        if isinstance(term, ir.Const):
            return constant(term.value)
        if isinstance(term, ir.Var):
            return draft.variables.of(term)
        if isinstance(term, ir.Fn) and term.name == "today":
            draft.reads.add(("today", ""))
            day_term = f"today({draft.variables.today})"
            if [day_term] not in draft.body:
                draft.body.append([day_term])
            return draft.variables.today
        what = {ir.Fn: "a function", ir.Regex: "a regular expression", ir.Words: "a list of words"}.get(
            type(term), "a set"
        )
        raise NoCounterpart(f"{what}{f' ({term.name})' if isinstance(term, ir.Fn) else ''}")


def _derives(rule: ir.Rule) -> str:
    """The relation whose rows a rule gives."""
    return rule.head.atom.relation if isinstance(rule.head, ir.Derive | ir.Recognize) else ""


def _binds(atom: ir.Atom, name: str) -> bool:
    return any(
        each.op == "=" and isinstance(each.term, ir.Var) and each.term.name == name
        for each in atom.constraints
    )


def _call(name: str, cells: Sequence[str]) -> str:
    return f"{name}({', '.join(cells)})" if cells else name


def _show(head: str, body: Sequence[str]) -> str:
    conditions = list(dict.fromkeys(body))
    return f"{head} :- {', '.join(conditions)}." if conditions else f"{head}."


def _product(guards: list[list[str]]) -> Iterator[tuple[str, ...]]:
    return itertools.islice(itertools.product(*guards), MOST_ALTERNATIVES + 1)
