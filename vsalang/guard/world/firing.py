"""Which rules may fire at a gesture and critical actions: all others need not be asked."""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Final, Literal, TypeAlias

from vsalang.program.ir import Derive, Program, Rule, Sort
from vsalang.program.ir import Literal as Condition
from vsalang.program.walk import present

_SORTS: Final = frozenset({"gesture", "action"})
_MOST: Final = 512
"""So many combinations of a gesture and actions are remembered: who proposes may think of any number."""

Kind: TypeAlias = Literal["input", "consequence", "recognize", "judge", "expect", "goto"]

Asked: TypeAlias = tuple[frozenset[str], ...]
"""What the conditions of a rule ask for: of each set one gesture or action has to be there."""


class Firing:
    """Says of the rules of a program which of them may fire, by what they ask for directly or through `define`.

    Args:
        program: whose rules they are.
        rules: of several kinds, in the order in which they are given back.
    """

    def __init__(self, program: Program, rules: Mapping[Kind, Iterable[Rule]]) -> None:
        asked = _Asked(program)
        self._rules = {kind: [(rule, asked.by(rule.body)) for rule in group] for kind, group in rules.items()}
        self._found = lru_cache(_MOST)(self._find)

    def rules(self, kind: Kind, there: frozenset[str]) -> tuple[Rule, ...]:
        """The rules of a kind that may fire when these gestures and actions have rows, and no others have."""
        return self._found(kind, there)

    def _find(self, kind: Kind, there: frozenset[str]) -> tuple[Rule, ...]:
        return tuple(
            rule for rule, asked in self._rules[kind] if all(not one.isdisjoint(there) for one in asked)
        )


class _Asked:
    """What conditions ask for, by the definitions of a program."""

    def __init__(self, program: Program) -> None:
        self._program = program
        bodies: dict[str, list[tuple[Condition, ...]]] = {}
        for rule in program.rules:
            # (a screen may also be known to show although no rule says so)
            if isinstance(rule.head, Derive) and self._sort(rule.head.atom.relation) == "derived":
                bodies.setdefault(rule.head.atom.relation, []).append(rule.body)
        # A derived relation has rows only if a rule of it fires. What may bring that about grows from nothing to a
        # fixed point; None: it may have rows without a gesture and an action.
        self._derived: dict[str, frozenset[str] | None] = dict.fromkeys(bodies, frozenset())
        changed = True
        while changed:
            changed = False
            for name, group in bodies.items():
                before, found = self._derived[name], self._any(group)
                if before is not None and (found is None or not found <= before):
                    self._derived[name] = None if found is None else before | found
                    changed = True

    def by(self, body: Iterable[Condition]) -> Asked:
        """What the conditions of a body ask for."""
        atoms = (literal.atom for literal in present(body))
        found = (self._relation(atom.relation) for atom in atoms if not atom.before)
        return tuple(dict.fromkeys(one for one in found if one is not None))

    def _any(self, bodies: Iterable[tuple[Condition, ...]]) -> frozenset[str] | None:
        """One of what may let some of the bodies hold; None: nothing is needed."""
        found = frozenset[str]()
        for body in bodies:
            asked = self.by(body)
            if not asked:
                return None
            found |= min(asked, key=len)
        return found

    def _relation(self, name: str) -> frozenset[str] | None:
        if name in self._derived:
            return self._derived[name]
        return frozenset({name}) if self._sort(name) in _SORTS else None

    def _sort(self, name: str) -> Sort:
        return self._program.relation(name).sort
