"""What a look read of the system's trace, and so whether it is evidence that no row is there."""

from collections.abc import Iterable, Mapping

from vsalang.engine.explain.match import Facts, Match, matches, possible
from vsalang.engine.explain.terms import value_of
from vsalang.program.extent import TRACED, covered
from vsalang.program.ir import Atom, Derive, Literal, Term
from vsalang.program.screen import Screen, knows
from vsalang.program.values import Value
from vsalang.program.walk import uses


class Traces:
    """The trace of one look.

    Args:
        facts: of the moment after the action.
        screen: what was looked at; None: nothing was.
    """

    def __init__(self, facts: Facts, screen: Screen | None) -> None:
        self._facts = facts
        self._whole: dict[str, set[str]] = {}
        self._read = {name for name in TRACED if screen is not None and knows(screen, name)}
        if screen is None:
            return
        for row in screen.rows("Untraced") if knows(screen, "Untraced") else ():
            if "within" not in row:
                self._read.discard(str(row.get("relation")))
        for row in screen.rows("Traced") if knows(screen, "Traced") else ():
            within = row.get("within")
            if isinstance(within, str):
                self._whole.setdefault(str(row.get("relation")), set()).add(within)

    def none(self, atom: Atom, binding: Mapping[str, Value]) -> bool:
        """Whether it is certain that no row matches an atom of a relation of the trace."""
        return self._covers(atom, binding) and not any(map(possible, self._matches(atom, binding)))

    def show(self, literals: Iterable[Literal], binding: Mapping[str, Value]) -> bool:
        """Whether the trace of this look can be what conditions hold for.

        Rows must be of this look, and what is to be absent must have been read whole. Conditions that do not depend on
        the trace need nothing of it. Definitions are followed.
        """
        opened: set[tuple[str, bool]] = set()
        todo = [(use, use.monotone, binding) for use in uses(literals)]
        while todo:
            use, present, known = todo.pop()
            name = use.atom.relation
            if name in TRACED:
                if not self._shows(use.atom, known, present=present, past=use.past is not None or use.done):
                    return False
                continue
            if (name, present) in opened:
                continue
            opened.add((name, present))
            for rule in self._facts.program.rules:
                if isinstance(rule.head, Derive) and rule.head.atom.relation == name:
                    todo += [(each, present and each.monotone, {}) for each in uses(rule.body)]
        return True

    def _shows(self, atom: Atom, binding: Mapping[str, Value], *, present: bool, past: bool) -> bool:
        if past:
            return present
        if present:
            return atom.relation in self._read
        # a row that may match and does not certainly is as good as one that was not read
        return self._covers(atom, binding) and not any(
            match.failures and possible(match) for match in self._matches(atom, binding)
        )

    def _covers(self, atom: Atom, binding: Mapping[str, Value]) -> bool:
        def value(term: Term) -> object:
            return value_of(term, binding, self._facts.context)

        return covered(atom.relation, atom.constraints, self._whole.get(atom.relation, set()), value)

    def _matches(self, atom: Atom, binding: Mapping[str, Value]) -> list[Match]:
        rows = list(self._facts.of(atom))
        return matches(self._facts, atom, rows, binding, limit=len(rows))
