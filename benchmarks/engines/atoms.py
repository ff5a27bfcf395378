"""w2 for engines without all of its operators: Python says which atoms of the written cell hold, and hands over flips.

This favours them: a comparison in generated Python costs a tenth of a microsecond, in most of them several.
"""

import re
from collections.abc import Callable, Iterator
from typing import Any

from benchmarks.engines.python_ import test
from benchmarks.workloads.w2 import CellAtom, HeadAtom, Spec


def numbered(spec: Spec) -> dict[CellAtom, int]:
    """Each different atom over a cell has a number."""
    numbers: dict[CellAtom, int] = {}
    for clauses in spec.heads:
        for body in clauses:
            for atom in body:
                if isinstance(atom, CellAtom):
                    numbers.setdefault(atom, len(numbers))
    return numbers


def clauses(spec: Spec, atom: str, head: str, negated: str) -> Iterator[tuple[int, list[str]]]:
    """The clauses in the words of an engine: each head with the atoms of a body.

    Args:
        atom, head, negated: how an atom over a cell, a head and a head that must not hold are written, ``{}`` for
            their numbers.
    """
    numbers = numbered(spec)
    for number, bodies in enumerate(spec.heads):
        for body in bodies:
            yield (
                number,
                [
                    (negated if one.negated else head).format(one.head)
                    if isinstance(one, HeadAtom)
                    else atom.format(numbers[one])
                    for one in body
                ],
            )


def alphas(spec: Spec) -> tuple[list[bool], Callable[[Any], list[tuple[int, bool]]]]:
    """Whether each atom holds at first (all cells unknown), and the flips of an event."""
    numbers = numbered(spec)
    patterns = {atom.value: re.compile(atom.value).search for atom in numbers if atom.op.endswith("matches")}
    space: dict[str, Any] = {"re_search": lambda pattern, text: patterns[pattern](text) is not None}
    lines = []
    for cell in range(len(spec.kinds)):
        mine = [(test(atom, "c"), number) for atom, number in numbers.items() if atom.cell == cell]
        lines.append(f"def f{cell}(c): return ({''.join(f'({text}), ' for text, _ in mine)})")
        space[f"n{cell}"] = [number for _, number in mine]
    exec(compile("\n".join(lines), "<atoms>", "exec"), space)
    functions = [(space[f"f{cell}"], space[f"n{cell}"]) for cell in range(len(spec.kinds))]
    truth = [atom.op == "unknown" for atom in numbers]

    def flips(event: Any) -> list[tuple[int, bool]]:
        function, mine = functions[event[0]]
        found = []
        for number, holds in zip(mine, function(event[1]), strict=True):
            if truth[number] is not holds:
                truth[number] = holds
                found.append((number, holds))
        return found

    return truth.copy(), flips


def readers(spec: Spec) -> tuple[list[list[int]], list[list[int]]]:
    """For each atom, and for each head, the heads with a clause that reads it."""
    numbers = numbered(spec)
    of_atoms: list[list[int]] = [[] for _ in numbers]
    of_heads: list[list[int]] = [[] for _ in spec.heads]
    for head, clauses in enumerate(spec.heads):
        for atom in {atom for body in clauses for atom in body}:
            (of_heads[atom.head] if isinstance(atom, HeadAtom) else of_atoms[numbers[atom]]).append(head)
    return of_atoms, of_heads
