"""Why a condition on the first rows of a list does not hold: the row that breaks it, its place, or a gap above."""

from collections.abc import Mapping
from dataclasses import replace

from vsalang.core.ir import Atom, First, Lit
from vsalang.core.values import Value
from vsalang.guard.conditions import Words
from vsalang.guard.match import Facts, Match, is_complete, match_row, matches
from vsalang.guard.terms import constant
from vsalang.guard.texts import say
from vsalang.guard.verdict import Why


class Firsts:
    """The rows of one ``first n`` condition under a binding, by position."""

    def __init__(self, facts: Facts, words: Words, literal: First, binding: Mapping[str, Value]) -> None:
        self.facts = facts
        self.words = words
        self.literal = literal
        self.relation = facts.program.relation(literal.atom.relation)
        self.lit = Lit(literal.atom, span=literal.span)
        self.binding = binding
        self._at = self.relation.column("at")
        chosen = tuple(c for c in literal.atom.constraints if constant(c) or c.attr in self.relation.within)
        self.selecting: Atom = replace(literal.atom, constraints=chosen)
        found = matches(facts, self.selecting, facts.of(literal.atom), binding)
        self.fitting = sorted(
            (m for m in found if not m.failures and self._position(m) is not None),
            key=lambda m: self._position(m) or 0,
        )

    def _position(self, match: Match) -> int | None:
        at = match.row[self._at]
        return at if isinstance(at, int) else None

    def each(self) -> list[Why]:
        """Of ``first n .. has``: the rows among the first n that do not fit; what was not seen of them if all do."""
        has = Atom(self.literal.atom.relation, self.literal.has or ())
        whys: list[Why] = []
        for match in self.fitting[: self.literal.n]:
            tested = match_row(self.relation, has, match.row, match.binding, self.facts.context)
            whys += [
                self.words.failed(self.relation, failure, match.row, tested.binding, False, self.lit)
                for failure in tested.failures
            ]
        complete = is_complete(self.facts, self.selecting, self.binding)
        if not whys and not self.fitting and complete:
            whys.append(
                self.words.row_why(self.relation, self.lit, self.binding, "unmet", say("seen.no_row"))
            )
        if not whys and not complete:
            whys.append(self._gap(self._unknown() or say("seen.not_all")))
        elif not whys and self._placeless():
            whys.append(self._gap(say("seen.somewhere")))
        return whys

    def _placeless(self) -> bool:
        """Whether a row may fit of which it is not known where it stands."""
        found = matches(self.facts, self.selecting, self.facts.of(self.literal.atom), self.binding)
        return any(
            self._position(m) is None and all(failure.cell is None for failure in m.failures) for m in found
        )

    def _unknown(self) -> str:
        """What is not known of the first n: a row without position, a gap above the last of them; empty if nothing."""
        if self._placeless():
            return say("seen.somewhere")
        places = [place for m in self.fitting if (place := self._position(m)) is not None]
        if len(places) < self.literal.n:
            return ""
        seen = {row[self._at] for row in self.facts.of(self.literal.atom)}
        missing = [number for number in range(1, places[self.literal.n - 1]) if number not in seen]
        return say("seen.gap", position=missing[0]) if missing else ""

    def place(self, binding: Mapping[str, Value]) -> list[Why]:
        """Of ``first n``: why the row that the binding means is not known to be among the first n."""
        meant = [
            m
            for m in matches(self.facts, self.literal.atom, self.facts.of(self.literal.atom), binding)
            if not m.failures
        ]
        places = [place for m in meant if (place := self._position(m)) is not None]
        if not places:
            return [self._gap(say("seen.no_position"))]
        place = min(places)
        above = sum((self._position(m) or 0) < place for m in self.fitting)
        if above >= self.literal.n:
            why = self.words.why(
                self.relation,
                "at",
                "unmet",
                str(place),
                say("wanted.among_first", count=self.literal.n),
                {},
                self.literal.span,
            )
            return [replace(why, names=frozenset({"at", f"{self.relation.short}.at"}))]
        seen = {row[self._at] for row in self.facts.of(self.literal.atom)}
        missing = [number for number in range(1, place) if number not in seen]
        if above + len(missing) >= self.literal.n:
            return [self._gap(say("seen.gap", position=missing[0]))]
        if self._placeless():
            return [self._gap(say("seen.somewhere"))]
        return []

    def _gap(self, seen: str) -> Why:
        why = self.words.row_why(self.relation, self.lit, self.binding, "unknown", seen)
        return replace(
            why,
            wanted=say("wanted.first_seen", count=self.literal.n),
            incomplete=True,
            names=frozenset({"at"}),
        )
