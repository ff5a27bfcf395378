"""What explaining a rule reads of its moment: with that kept, its words are made when somebody reads them."""

from collections.abc import Iterable
from typing import Final

from vsalang.base.records import dataclass
from vsalang.program.ir import Aggregate, Derive, Lit, Program, Quantified, Rule
from vsalang.program.ops import ASKING
from vsalang.program.reading import read_certainly
from vsalang.program.screen_rules import is_match
from vsalang.program.walk import parts, relations

_MOST: Final = 24
"""A rule that reads more relations is explained at once: to keep them all would take longer."""


@dataclass(frozen=True, slots=True)
class Reads:
    """What explaining a rule reads.

    Attributes:
        relations: all whose rows it may read, through definitions, too; None: it is explained at once, for it asks
            somebody (``~=``), or reads too much.
        incomplete: whether some of its conditions may fail only for rows that nobody has seen.
    """

    relations: tuple[str, ...] | None
    incomplete: bool


class ExplanationReads:
    """Says of the rules of a program what explaining them reads: found out once for each."""

    def __init__(self, program: Program) -> None:
        self._defines: dict[str, list[Rule]] = {}
        for rule in program.rules:
            if isinstance(rule.head, Derive):
                self._defines.setdefault(rule.head.atom.relation, []).append(rule)
        self._program = program
        self._known: dict[str, Reads] = {}

    def of(self, rule: Rule) -> Reads:
        """What explaining a rule of the program reads."""
        known = self._known.get(rule.id)
        if known is None:
            known = self._known[rule.id] = self._of(rule)
        return known

    def _of(self, rule: Rule) -> Reads:
        names: set[str] = set()
        screens: set[str] = set()
        asks, incomplete, todo = _asks(rule), False, [rule.body]
        while todo:
            body = todo.pop()
            incomplete = incomplete or _about_all(body)
            for name in relations(body) - names:
                names.add(name)
                defining = self._defines.get(name, ())
                asks = asks or any(map(_asks, defining))
                todo += [read_certainly(each).body for each in defining]
                if self._program.relation(name).sort == "screen":  # what shows instead is said
                    screens = screens or {
                        other
                        for other, relation in self._program.relations.items()
                        if relation.sort == "screen" or is_match(other)
                    }
        names |= screens
        return Reads(None if asks or len(names) > _MOST else tuple(sorted(names)), incomplete)


def _asks(rule: Rule) -> bool:
    return any(getattr(part, "op", None) in ASKING for part in parts(rule))


def _about_all(body: Iterable[object]) -> bool:
    return any(
        isinstance(part, Aggregate | Quantified) or (isinstance(part, Lit) and part.neg)
        for part in parts(tuple(body))
    )
