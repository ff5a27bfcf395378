"""Which atoms make formulas true in a model: whatever the others are, the formulas stay true (an implicant).

D. Déharbe, P. Fontaine, D. Le Berre, B. Mazure, "Computing prime implicants", FMCAD 2013; ours need not be prime.
"""

from collections.abc import Callable, Iterable
from typing import Any, Final

import z3

from vsalang.proof.solver.sorts import true_in

_KINDS: Final = {
    z3.Z3_OP_AND: "and",
    z3.Z3_OP_OR: "or",
    z3.Z3_OP_NOT: "not",
    z3.Z3_OP_ITE: "ite",
    z3.Z3_OP_IMPLIES: "implies",
}


class Formulas:
    """What formulas are made of; each part is taken apart once."""

    def __init__(self) -> None:
        self._parts: dict[int, tuple[str, tuple[Any, ...]]] = {}
        self._kept: list[Any] = []

    def parts(self, node: Any) -> tuple[str, tuple[Any, ...]]:
        """How a term is made, and of what; a term of no Bools is made of all its arguments."""
        key = node.ast.value
        if key not in self._parts:
            kind = _KINDS.get(node.decl().kind(), "atom") if z3.is_app(node) else "atom"
            children = tuple(node.children())
            if kind == "atom" and children and all(z3.is_bool(child) for child in children):
                kind = "same" if z3.is_bool(node) else kind
            self._parts[key] = kind, children
            self._kept.append(node)  # nothing else may get its place
        return self._parts[key]

    def needed(self, formulas: Iterable[Any], model: Any) -> set[int]:
        """The places of the atoms that suffice for formulas which are true in a model."""
        return _Implicant(self, model).of(formulas)


class _Implicant:
    def __init__(self, formulas: Formulas, model: Any) -> None:
        self.parts: Callable[[Any], tuple[str, tuple[Any, ...]]] = formulas.parts
        self.model = model
        self.values: dict[int, bool] = {}

    def of(self, formulas: Iterable[Any]) -> set[int]:
        seen: set[int] = set()
        waiting = list(formulas)
        while waiting:
            node = waiting.pop()
            if node.ast.value not in seen:
                seen.add(node.ast.value)
                waiting += self.reasons(node)
        return seen

    def reasons(self, node: Any) -> Iterable[Any]:
        """The parts that give a term its value."""
        kind, children = self.parts(node)
        if kind == "ite":
            condition, yes, no = children
            return condition, yes if self.value(condition) else no
        if kind in ("and", "or"):
            decides = kind == "or"
            if self.value(node) is decides:
                return (next(child for child in children if self.value(child) is decides),)
        if kind == "implies" and self.value(node):
            return (children[1],) if self.value(children[1]) else (children[0],)
        return children

    def value(self, node: Any) -> bool:
        """Whether a formula is true in the model."""
        key = node.ast.value
        if key not in self.values:
            self.values[key] = self._value(node)
        return self.values[key]

    def _value(self, node: Any) -> bool:
        kind, children = self.parts(node)
        match kind:
            case "and":
                return all(map(self.value, children))
            case "or":
                return any(map(self.value, children))
            case "not":
                return not self.value(children[0])
            case "implies":
                return not self.value(children[0]) or self.value(children[1])
            case "ite":
                return self.value(children[1] if self.value(children[0]) else children[2])
        return true_in(self.model, node)
