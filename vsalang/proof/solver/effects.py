"""Effects that can conflict: two values for one cell in one step, which the guard blocks."""

from collections.abc import Iterator
from itertools import combinations_with_replacement
from typing import Any, Final

from vsalang.program.ir import Constraint, Program, Rule, Write
from vsalang.program.walk import present
from vsalang.proof.solver.bodies import Reader
from vsalang.proof.solver.query import NoAnswer, Query
from vsalang.proof.solver.results import Conflict, Disagreement, OpenPoint, Replay, UnsupportedConstruct
from vsalang.proof.solver.scan import MOST_ROWS, occurrences, size
from vsalang.proof.solver.sorts import conj, disj, neg
from vsalang.proof.solver.ways import Branch

WHAT: Final = "whether it can write another value than `{}` into one cell"
_TRIGGERS: Final = ("gesture", "action")
_MOST_PAIRS: Final = 2000


def conflicting_effects(
    program: Program, replay: Replay, *, rows: int = 0, timeout: int = 10_000
) -> Iterator[Conflict | OpenPoint]:
    """For each two effects of the main module on one gesture or action a state in which they write two values.

    Observations are not asked: of what a screen shows twice, the guard believes neither.

    Args:
        replay: the interpreter; every state is put to it before it is given.
        rows: slots per relation; 0 makes as many as the rules' atoms need, up to `scan.MOST_ROWS`.
        timeout: milliseconds for each question to the solver.

    Raises:
        Disagreement: in a state of the solver's the interpreter finds that one of the two does not hold.
    """
    effects = [
        rule
        for rule in program.rules
        if rule.module == program.main
        and isinstance(rule.head, Write)
        and rule.trigger in ("input", "consequence")
    ]
    for one, other in combinations_with_replacement(effects, 2):
        attrs = _shared(one, other)
        if not attrs or not _triggers(program, one) & _triggers(program, other):
            continue
        try:
            result: Conflict | OpenPoint | None = _conflict(
                program, one, other, attrs, replay, rows=rows, timeout=timeout
            )
        except UnsupportedConstruct:
            continue  # said of the rule itself: it was not analysed
        except NoAnswer as error:
            result = error.undecided(one.id, WHAT.format(other.id))
        if result is not None:
            yield result


def _triggers(program: Program, rule: Rule) -> frozenset[str]:
    """The gestures and actions that set off an effect."""
    atoms = (lit.atom.relation for lit in present(rule.body))
    return frozenset(name for name in atoms if program.relations[name].sort in _TRIGGERS)


def _written(rule: Rule) -> dict[str, Constraint]:
    assert isinstance(rule.head, Write)
    return {c.attr: c for c in rule.head.atom.constraints if c.term is not None and c.attr != "row"}


def _shared(one: Rule, other: Rule) -> list[str]:
    """The attributes that two effects on one relation both write."""
    assert isinstance(one.head, Write)
    assert isinstance(other.head, Write)
    if one.head.atom.relation != other.head.atom.relation or one.head.delete or other.head.delete:
        return []
    return [attr for attr in _written(one) if attr in _written(other)]


def _conflict(
    program: Program, one: Rule, other: Rule, attrs: list[str], replay: Replay, *, rows: int, timeout: int
) -> Conflict | None:
    assert isinstance(one.head, Write)
    rel = program.relation(one.head.atom.relation)
    keys = [name for name in rel.identity if name in attrs]
    cells = [name for name in attrs if name not in keys]
    if len(keys) < len(rel.identity) or not cells:
        return None
    slots = rows or min(size(program, one).rows + size(program, other).rows, MOST_ROWS)
    query = Query(program, [one, other], slots, timeout)
    ways = [
        Reader(query.state, cut=[], counts=occurrences(rule)).body(rule.body, Branch({}))
        for rule in (one, other)
    ]
    if len(ways[0]) * len(ways[1]) > _MOST_PAIRS:
        raise UnsupportedConstruct("two effects with too many ways to hold")
    terms, written = query.terms, (_written(one), _written(other))

    def values(attr: str, first: Branch, second: Branch) -> tuple[Any, Any, Any]:
        a, b = (terms.value(w[attr].term, way.env) for w, way in zip(written, (first, second), strict=True))
        return conj([a.known, b.known]), a, b

    differs: dict[str, list[Any]] = {attr: [] for attr in cells}
    for first in ways[0]:
        for second in ways[1]:
            same = []
            for key in keys:
                known, a, b = values(key, first, second)
                same.append(conj([known, terms.equal(a, b)]))
            for attr in cells:
                known, a, b = values(attr, first, second)
                differs[attr].append(conj([first.guard, second.guard, *same, known, neg(terms.equal(a, b))]))
    alone = [  # of one gesture and one instance of an action
        neg(slot.present)
        for (kind, name), made in query.state.made.items()
        if kind == "now" and program.relation(name).sort == "action"
        for slot in made[1:]
    ]
    for attr in cells:
        solver = query.solver([disj(differs[attr]), *alone], realistic=True)
        if not query.check(solver):
            continue
        world = query.example(solver)
        if world.assumed:
            continue  # it depends on what the solver does not look into: it may never come about
        both = tuple(dict.fromkeys((one.id, other.id)))
        if replay(world, both) != frozenset(both):
            raise Disagreement(
                f"the solver says that {' and '.join(both)} hold together, the interpreter says they do not",
                world,
                both,
            )
        return Conflict(one.id, other.id, attr, world)
    return None
