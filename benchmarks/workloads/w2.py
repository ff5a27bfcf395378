"""w2: 200 clauses of three atoms over 60 cells, 100 heads that depend on each other; made by a seeded generator."""

import random
from dataclasses import dataclass
from typing import Any, TypeAlias

from benchmarks.workloads import Work, checked

SEED = 2
STATES, WIDTH = 12, 5
KINDS = ("Number",) * 20 + ("Text",) * 15 + ("Enum",) * 10 + ("Bool",) * 15
WORDS = ("anchor", "basil", "cedar", "delta", "ember", "fjord", "grove", "harbor", "iris", "juniper")
MEMBERS = ("Red", "Green", "Blue", "Amber", "Violet")
OPERATORS = {
    "Number": ("=", "!=", "<", "<=", ">", ">=", "in..", "not in..", "in", "not in", "known", "unknown"),
    "Text": (
        "=",
        "!=",
        "in",
        "not in",
        "contains",
        "not contains",
        "matches",
        "not matches",
        "known",
        "unknown",
    ),
    "Enum": ("=", "!=", "in", "not in", "known", "unknown"),
    "Bool": ("=", "!=", "known", "unknown"),
}
PATTERNS = ("^a.*r$", "(cedar|delta) ", "[fgh].*r", "i.i", "b$|r b")

Event: TypeAlias = tuple[int, Any]


@dataclass(frozen=True)
class CellAtom:
    """`cell op value`; of ranges `value` is the pair of both ends, of sets a sorted tuple."""

    cell: int
    op: str
    value: Any


@dataclass(frozen=True)
class HeadAtom:
    """An earlier head, or its negation."""

    head: int
    negated: bool


Atom: TypeAlias = CellAtom | HeadAtom


@dataclass(frozen=True)
class Spec:
    """What the generator made: for each cell its kind, for each head its clauses."""

    kinds: tuple[str, ...]
    heads: tuple[tuple[tuple[Atom, ...], ...], ...]

    def name(self, head: int) -> str:
        return f"H{head}"


def value(rng: random.Random, kind: str) -> Any:
    if kind == "Number":
        return rng.randrange(0, 21)
    if kind == "Text":
        return f"{rng.choice(WORDS)} {rng.choice(WORDS)}"
    if kind == "Enum":
        return rng.choice(MEMBERS)
    return rng.random() < 0.5


def atom(rng: random.Random, kinds: tuple[str, ...]) -> CellAtom:
    cell = rng.randrange(len(kinds))
    kind = kinds[cell]
    op = rng.choice(OPERATORS[kind])
    if op in ("known", "unknown"):
        return CellAtom(cell, op, None)
    if op in ("in..", "not in.."):
        low = rng.randrange(0, 14)
        return CellAtom(cell, op, (low, low + 6))
    if op in ("in", "not in"):
        return CellAtom(
            cell, op, tuple(sorted({value(rng, kind) for _ in range(4 if kind == "Number" else 3)}))
        )
    if op.endswith("contains"):
        return CellAtom(cell, op, rng.choice(WORDS))
    if op.endswith("matches"):
        return CellAtom(cell, op, rng.choice(PATTERNS))
    return CellAtom(cell, op, value(rng, kind))


def generate(
    heads: int = 100,
    clauses: int = 2,
    atoms: int = 3,
    seed: int = SEED,
    cells: int = len(KINDS),
    block: int | None = None,
) -> Spec:
    """60 % of the heads depend on an earlier head in one of their clauses, a quarter of these on its negation.

    With `block`, on one of the same block of so many heads: what a cell touches then does not grow with the program.
    """
    rng = random.Random(seed)
    kinds = list(KINDS * -(-cells // len(KINDS)))
    rng.shuffle(kinds)
    del kinds[cells:]
    made: list[tuple[tuple[Atom, ...], ...]] = []
    for head in range(heads):
        bodies: list[tuple[Atom, ...]] = []
        first = 0 if block is None else head - head % block
        depends = head > first and rng.random() < 0.6
        for number in range(clauses):
            body: list[Atom] = [atom(rng, tuple(kinds)) for _ in range(atoms)]
            if depends and number == 0:
                body[-1] = HeadAtom(rng.randrange(first, head), rng.random() < 0.25)
            bodies.append(tuple(body))
        made.append(tuple(bodies))
    return Spec(tuple(kinds), tuple(made))


def written(kind: str, item: Any) -> str:
    if kind == "Text":
        return f'"{item}"'
    return str(item).lower() if kind == "Bool" else str(item)


def literal(spec: Spec, item: Atom) -> str:
    """An atom as the language writes it."""
    if isinstance(item, HeadAtom):
        return f"{'not ' if item.negated else ''}{spec.name(item.head)}"
    kind = spec.kinds[item.cell]
    name = f"c{item.cell}"
    if item.op in ("known", "unknown"):
        right = item.op
    elif item.op.endswith(".."):
        right = f"{item.op[:-2]} {item.value[0]}..{item.value[1]}"
    elif item.op in ("in", "not in"):
        right = f"{item.op} {{{', '.join(written(kind, one) for one in item.value)}}}"
    elif item.op.endswith("matches"):
        right = f"{item.op} /{item.value}/"
    else:
        right = f"{item.op} {written(kind, item.value)}"
    return f"S{item.cell // WIDTH}({name} {right})"


def source(spec: Spec) -> str:
    """The specification as a `.vsa` file."""
    lines = [
        'app w2 package "com.example.w2" "Many clauses over many cells"',
        "",
        f"enum Color {{{', '.join(MEMBERS)}}}",
    ]
    for state in range(len(spec.kinds) // WIDTH):
        cells = range(state * WIDTH, (state + 1) * WIDTH)
        attributes = " ".join(f"c{cell}: {spec.kinds[cell].replace('Enum', 'Color')}" for cell in cells)
        lines.append(f'state S{state} "Some cells" {{ {attributes} }}')
    for head, clauses in enumerate(spec.heads):
        for body in clauses:
            lines.append(f"define {spec.name(head)} when {', '.join(literal(spec, item) for item in body)}.")
    return "\n".join(lines) + "\n"


def events(spec: Spec, count: int, seed: int = SEED) -> list[Event]:
    """One random cell each; one in ten becomes unknown."""
    rng = random.Random(seed + 1)
    made: list[Event] = []
    for _ in range(count):
        cell = rng.randrange(len(spec.kinds))
        made.append((cell, None if rng.random() < 0.1 else value(rng, spec.kinds[cell])))
    return made


def work(count: int = 5000) -> Work:
    return of(generate(), count)


def growing(rules: int, count: int = 2000) -> Work:
    """So many rules, over cells in proportion."""
    return of(generate(max(5, rules // 2), cells=max(5, rules * 3 // 50 * 5), block=10), count)


def of(spec: Spec, count: int) -> Work:
    names = tuple(spec.name(head) for head in range(len(spec.heads)))
    return Work("w2", checked("w2", source(spec)), names, events(spec, count), spec)
