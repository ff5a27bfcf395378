"""Checks that the conditions of `allow` and `done` can hold certainly (the reading `certain`)."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from vsalang.base.diagnostics import Edit, Fix, Label
from vsalang.base.diagnostics.display import some
from vsalang.base.source import Span
from vsalang.language.semantics.report import Report
from vsalang.language.semantics.strata import label
from vsalang.program import ir
from vsalang.program.vocabulary import ALWAYS_COMPLETE
from vsalang.program.walk import uses


@dataclass
class Readings:
    """Checks licence rules against the whole program."""

    rules: list[ir.Rule]
    relations: Mapping[str, ir.Relation]
    report: Report

    def __post_init__(self) -> None:
        self.derived: dict[str, list[ir.Rule]] = {}
        self.complete: dict[str, list[frozenset[str]]] = {}
        self.ends: set[str] = set()
        self.written: set[str] = set()
        self.unwritten: dict[str, dict[Span, str]] = {}
        """For each file, the conditions on relations that no rule writes, each with its relation."""
        for rule in self.rules:
            if isinstance(rule.head, ir.Derive):
                self.derived.setdefault(rule.head.atom.relation, []).append(rule)
            elif isinstance(rule.head, ir.Mark):
                name = rule.head.atom.relation
                if rule.head.kind == "complete":
                    self.complete.setdefault(name, []).append(
                        frozenset(c.attr for c in rule.head.atom.constraints)
                    )
                else:
                    self.ends.add(name)
            elif isinstance(rule.head, ir.Write):
                self.written.add(rule.head.atom.relation)

    def check(self, rule: ir.Rule) -> None:
        """All checks of one licence rule."""
        assert isinstance(rule.head, ir.License)
        done = rule.head.atom.relation == "finish"
        before = self.report.errors
        for literal in rule.body:
            self._begin()
            self._proposals(rule, literal, done)
            self._finish()
            self._begin()
            self._unknowns(literal, literal.span, inner=False)
            self._finish()
        if self.report.errors == before:
            seen: set[str] = set()
            for literal in rule.body:
                self._begin()
                self._certain(literal, literal.span, False, seen)
                self._finish()

    def tell_unwritten(self) -> None:
        """Report conditions on relations that no rule writes, one warning for each file: apps may report such state."""
        for places in self.unwritten.values():
            (first, of_first), *others = sorted(places.items(), key=lambda item: item[0].start)
            names = list(dict.fromkeys([of_first, *(name for _, name in others)]))
            many = f"these {len(places)} conditions are" if others else "this condition is"
            self.report.warning(
                "W0401",
                first,
                f"no rule writes {some(names)}: {many} decided by nothing but tests",
                label=f"on `{of_first}`" if len(names) > 1 else "",
                labels=[Label(span, f"on `{name}`" if len(names) > 1 else "") for span, name in others],
            )

    # Definitions are expanded with a work list, each once for a literal, so the time is linear in their number.

    def _begin(self) -> None:
        self._todo: list[Callable[[], None]] = []
        self._opened: set[tuple[str, str]] = set()

    def _finish(self) -> None:
        while self._todo:
            self._todo.pop()()

    def _open(self, purpose: str, name: str, look: Callable[[ir.Literal], None]) -> None:
        """Queue the rules of a derived relation, once for each purpose."""
        if name not in self.derived or (purpose, name) in self._opened:
            return
        self._opened.add((purpose, name))

        def visit() -> None:
            for rule in self.derived[name]:
                for item in rule.body:
                    look(item)

        self._todo.append(visit)

    # ------------------------------------------------------------ proposals and unknowns

    def _proposals(self, rule: ir.Rule, literal: ir.Literal, done: bool) -> None:
        """Report another critical action, or in `done` a gesture, without an operator on the past: it never holds."""
        for use in uses((literal,)):
            relation = self.relations.get(use.atom.relation)
            if (
                relation is None or use.past is not None or use.done
            ):  # what is done was asked of the history, not now
                continue
            span = use.literal.span
            if relation.sort == "action" or (relation.sort == "gesture" and done):
                kind = "allow" if not done else "done"
                if relation.sort == "gesture":
                    self.report.error(
                        "E0409",
                        span or rule.span,
                        f"when the task is finished no gesture is proposed: `{relation.short}` never holds in `done`",
                        help=f"write `{relation.short} earlier` for one that was made",
                        fixes=self._earlier(rule, use.atom),
                    )
                else:
                    own = isinstance(rule.head, ir.License) and rule.head.atom.relation == relation.name
                    self.report.error(
                        "E0409",
                        span or rule.span,
                        f"`{relation.short}` in the body of `{kind}` means the action being proposed"
                        + (", which the head names already" if own else ": two are never proposed at once"),
                        help=f"write `{relation.short} earlier` for one that was done"
                        + ("; put conditions on the proposed one into the head" if own else ""),
                        fixes=() if own else self._earlier(rule, use.atom),
                    )
            else:
                self._open("proposals", relation.name, lambda item: self._proposals(rule, item, done))

    @staticmethod
    def _earlier(rule: ir.Rule, atom: ir.Atom) -> tuple[Fix, ...]:
        """The fix that adds `earlier`, if the atom is in the rule itself."""
        span, whole = atom.span, rule.span
        if span is None or whole is None or span.file != whole.file:
            return ()
        if not (whole.start <= span.start and span.end <= whole.end):
            return ()
        return (Fix("write `earlier`", (Edit(Span(span.file, span.end, span.end), " earlier"),)),)

    def _unknowns(self, literal: ir.Literal, span: Span | None, *, inner: bool) -> None:
        constraints: list[ir.Constraint] = []
        for use in uses((literal,)):
            constraints += use.constraints
            self._open("unknowns", use.atom.relation, lambda item: self._unknowns(item, span, inner=True))
        for c in constraints:
            if c.op == "unknown":
                self.report.error(
                    "E0410",
                    c.span or span,
                    "`unknown` cannot be a condition of `allow` or `done`",
                    labels=[Label(span, "asked for here")] if inner and span else [],
                    help="permission never grows by not looking: ask for a value, `none` included",
                )

    # ------------------------------------------------------------ completeness

    def _certain(self, literal: ir.Literal, span: Span | None, inner: bool, seen: set[str]) -> None:
        """Check a literal that must hold certainly: what it negates must be able to be complete."""
        match literal:
            case ir.Lit() if literal.neg:
                if literal.past is not None:
                    self._negated_past(literal, span)
                else:
                    self._possible(literal.atom, span, inner, seen, "not")
            case ir.Lit():
                self._inside(literal.atom.relation, span, inner, seen)
            case ir.Aggregate():
                if literal.lit.past is not None:
                    if not self._is_action(literal.lit.atom.relation):
                        self._negated_past(literal.lit, span)
                elif literal.fn == "count" and literal.op in (">", ">="):
                    self._inside(literal.lit.atom.relation, span, inner, seen)
                else:
                    self._possible(literal.lit.atom, span, inner, seen, literal.fn)
            case ir.Quantified():
                also_in = not isinstance(literal, ir.First)
                self._possible(literal.atom, span, inner, seen, literal.word, also_in=also_in)
            case ir.Then():
                for part in literal.parts:
                    for item in part:
                        self._certain(item, span, inner, seen)
            case _:
                return

    def _inside(self, name: str, span: Span | None, inner: bool, seen: set[str]) -> None:
        if name in ALWAYS_COMPLETE or self.relations[name].sort == "screen":
            return
        self._open("certain", name, lambda item: self._certain(item, span, True, seen))

    def _is_action(self, name: str) -> bool:
        relation = self.relations.get(name)
        return relation is not None and relation.sort == "action"

    def _negated_past(self, lit: ir.Lit, span: Span | None) -> None:
        if not self._is_action(lit.atom.relation):
            self.report.error(
                "E0408",
                lit.span or span,
                f"that `{label(lit.atom.relation)}` never held cannot be known: only what was looked at is remembered",
                help="of the past only actions are known completely",
            )

    def _possible(
        self,
        atom: ir.Atom,
        span: Span | None,
        inner: bool,
        seen: set[str],
        what: str,
        *,
        also_in: bool = False,
    ) -> None:
        """Check that it can become known that the atom's relation has no further row."""
        relation = self.relations.get(atom.relation)
        if relation is None:
            return
        names = frozenset(
            c.attr
            for c in atom.constraints
            if c.op == "=" or (also_in and c.op == "in" and isinstance(c.term, ir.Choice))
        )
        if relation.sort in ("gesture", "action", "screen") or relation.name in ALWAYS_COMPLETE:
            return
        if relation.sort == "derived":
            self._open("possible", relation.name, lambda item: self._possible_literal(item, span, seen, what))
            return
        if relation.sort == "observed":
            self.report.error(
                "E0408",
                atom.span if not inner else span,
                f"`{what}` over `{relation.short}` can never be certain: what is not on the screen may still be there",
                help="ask a state, view or list that the app declares",
            )
            return
        self._believed(relation, names, atom, span, inner, seen=seen, what=what)

    def _believed(
        self,
        relation: ir.Relation,
        names: frozenset[str],
        atom: ir.Atom,
        span: Span | None,
        inner: bool,
        *,
        seen: set[str],
        what: str,
    ) -> None:
        place = atom.span if not inner else span
        if relation.name not in self.written:
            if relation.name not in seen and place is not None:
                seen.add(relation.name)
                self.unwritten.setdefault(place.file, {}).setdefault(place, relation.short)
            return
        if relation.sort == "view" or (relation.sort == "state" and not relation.key):
            return
        identity = set(relation.identity)
        if identity <= names:
            return
        if relation.sort == "list" and relation.key and {*relation.within, "at"} <= names:
            return
        rules = self.complete.get(relation.name, [])
        if any(attrs <= names for attrs in rules):
            return
        if relation.sort == "list":
            if relation.name not in seen and not set(relation.within) <= names:
                missing = [name for name in relation.within if name not in names]
                self.report.warning(
                    "W0402",
                    place,
                    f"`{what}` over all lists of `{relation.short}`: `{missing[0]}` is not given, so no list is known "
                    "to be complete",
                    help=f"give {', '.join(f'`{name}`' for name in missing)} by `=`",
                )
                seen.add(relation.name)
            elif what == "first":
                return  # the first rows are known once they and all above them were seen
            elif relation.name not in seen and not rules and relation.name not in self.ends:
                seen.add(relation.name)
                self.report.warning(
                    "W0403",
                    place,
                    f"no `complete` rule says when all of `{relation.short}` was seen",
                    help="it is known only after scrolling from its first to its last row",
                )
            return
        wanted = " or ".join("(" + ", ".join(sorted(attrs)) + ")" for attrs in rules)
        self.report.error(
            "E0408",
            place,
            f"`{what}` over `{relation.short}` can never be certain: nothing says when all its rows were seen",
            help=f"give the values that its `complete` rule binds by `=`: {wanted}"
            if rules
            else f"give the whole key ({', '.join(relation.key)}) by `=`, or let the app say "
            f"`complete {relation.short}(..) when ..`",
        )

    def _possible_literal(self, literal: ir.Literal, span: Span | None, seen: set[str], what: str) -> None:
        """Check a negated derived relation: its positive conditions must be refutable, its negations certain."""
        match literal:
            case ir.Lit() if literal.neg:
                self._inside(literal.atom.relation, span, True, seen)
            case ir.Lit():
                if literal.past is not None:
                    self._negated_past(literal, span)
                else:
                    self._possible(literal.atom, span, True, seen, what)
            case ir.Aggregate() if literal.fn == "count" and literal.op in ("<", "<="):
                # enough rows that are there refute it: `not Few` is `count >= 3`
                if literal.lit.past is None:
                    self._inside(literal.lit.atom.relation, span, True, seen)
            case ir.Aggregate():
                if literal.lit.past is None:
                    self._possible(literal.lit.atom, span, True, seen, literal.fn)
            case ir.Quantified():
                self._possible(literal.atom, span, True, seen, what)
            case ir.Then():
                for part in literal.parts:
                    for item in part:
                        self._possible_literal(item, span, seen, what)
            case _:
                return


def check_readings(rules: Iterable[ir.Rule], relations: Mapping[str, ir.Relation], report: Report) -> None:
    """Check every licence rule of a program."""
    rules = list(rules)
    readings = Readings(rules, relations, report)
    for rule in rules:
        if isinstance(rule.head, ir.License):
            readings.check(rule)
    readings.tell_unwritten()
