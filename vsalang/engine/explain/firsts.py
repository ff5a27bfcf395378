"""Why a condition on the first rows of a list does not hold: the row that breaks it, its place, or a gap above."""

from dataclasses import replace

from vsalang.engine.explain.finding import Finding, Seen, cells
from vsalang.engine.explain.match import Facts, Match, is_complete, match_row, matches
from vsalang.engine.explain.terms import Binding, constant
from vsalang.program.ir import Atom, First, Lit


class Firsts:
    """The rows of one ``first n`` condition under a binding, by position."""

    def __init__(self, facts: Facts, literal: First, binding: Binding) -> None:
        self.facts = facts
        self.literal = literal
        self.relation = facts.program.relation(literal.atom.relation)
        self.lit = Lit(literal.atom, span=literal.span)
        self.binding = binding
        self._at = self.relation.column("at")
        chosen = tuple(c for c in literal.atom.constraints if constant(c) or c.attr in self.relation.within)
        self.selecting: Atom = replace(literal.atom, constraints=chosen)
        candidates = matches(facts, self.selecting, facts.of(literal.atom), binding)
        self.fitting = sorted(
            (m for m in candidates if not m.failures and self._position(m) is not None),
            key=lambda m: self._position(m) or 0,
        )

    def _position(self, match: Match) -> int | None:
        at = match.row[self._at]
        return at if isinstance(at, int) else None

    def each(self) -> list[Finding]:
        """Of ``first n .. has``: the rows among the first n that do not fit; what was not seen of them if all do."""
        has = Atom(self.literal.atom.relation, self.literal.has or ())
        findings: list[Finding] = []
        for match in self.fitting[: self.literal.n]:
            tested = match_row(self.relation, has, match.row, match.binding, self.facts.context)
            findings += cells(self.lit, tested)
        if findings:
            return findings
        if not is_complete(self.facts, self.selecting, self.binding):
            return [self._unknown() or self._gap("not_all")]
        if not self.fitting:
            return [Finding("rows", "unmet", self.lit, self.binding, seen="no_row")]
        return [self._gap("somewhere")] if self._placeless() else []

    def _placeless(self) -> bool:
        """Whether a row whose position is not known may fit."""
        candidates = matches(self.facts, self.selecting, self.facts.of(self.literal.atom), self.binding)
        return any(
            self._position(m) is None and all(failure.cell is None for failure in m.failures)
            for m in candidates
        )

    def _unknown(self) -> Finding | None:
        """What is not known of the first n: a row without position, a gap above the last of them; None if nothing."""
        if self._placeless():
            return self._gap("somewhere")
        places = [place for m in self.fitting if (place := self._position(m)) is not None]
        if len(places) < self.literal.n:
            return None
        missing = self._missing(places[self.literal.n - 1])
        return self._gap("gap", missing[0]) if missing else None

    def _missing(self, place: int) -> list[int]:
        """The positions above a place of which no row was seen."""
        seen = {row[self._at] for row in self.facts.of(self.literal.atom)}
        return [number for number in range(1, place) if number not in seen]

    def place(self, binding: Binding) -> list[Finding]:
        """Of ``first n``: why the row that the binding means is not known to be among the first n."""
        meant = [
            m
            for m in matches(self.facts, self.literal.atom, self.facts.of(self.literal.atom), binding)
            if not m.failures
        ]
        places = [place for m in meant if (place := self._position(m)) is not None]
        if not places:
            return [self._gap("no_position")]
        place = min(places)
        above = sum((self._position(m) or 0) < place for m in self.fitting)
        if above >= self.literal.n:
            return [Finding("place", "unmet", self.literal, self.binding, place=place)]
        missing = self._missing(place)
        if above + len(missing) >= self.literal.n:
            return [self._gap("gap", missing[0])]
        return [self._gap("somewhere")] if self._placeless() else []

    def _gap(self, seen: Seen, place: int = 0) -> Finding:
        return Finding("gap", "unknown", self.literal, self.binding, seen=seen, place=place, incomplete=True)
