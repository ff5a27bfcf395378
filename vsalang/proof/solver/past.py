"""The past as far as the solver does not look into it: the same condition about the same values is the same flag."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from vsalang.program import ir
from vsalang.program.ir import Atom, Lit, Relation, Var
from vsalang.program.walk import outer_variables
from vsalang.proof.solver.atoms import AtomReader
from vsalang.proof.solver.canonical import Canonical
from vsalang.proof.solver.sorts import Cell, disj
from vsalang.proof.solver.state import Free
from vsalang.proof.solver.ways import SEEN, Branch


def anything(reader: AtomReader, lit: Lit, rel: Relation, branch: Branch) -> Branch:
    """A condition about the past: it may have held or not, and bind any values."""
    atom = lit.atom
    item = Lit(atom, False, lit.past)
    fresh = _fresh(rel, atom, branch)
    key = _key(reader, item, branch, lit if fresh else None)
    if key not in reader.state.past:
        free = _free(reader, "past", rel, fresh, branch)
        if lit.past is not None and lit.past.op == "earlier" and reader.mode in SEEN:
            here = Branch({**branch.env, **free.cells})
            free = replace(free, now=disj([way.guard for way in reader.at_some_time(atom, here)]))
        reader.state.past[key] = free
    past_fact = reader.state.past[key]
    return _bound(past_fact.cells, branch).when(past_fact.flag)


def order(reader: AtomReader, literal: ir.Then, way: Branch) -> Branch:
    """That the parts of a `then` held one after the other, for these values of its variables."""
    key = _key(reader, literal, way, None)
    if key not in reader.state.past:
        before = [item for part in literal.parts[:-1] for item in part]
        now = None
        if reader.mode in SEEN and all(_is_seen(reader, item) for item in before):
            now = disj([one.guard for one in reader.body(before, Branch(way.env))])
        flag = reader.state.sorts.flag("then")
        reader.state.past[key] = Free(flag, {}, tuple(way.env.values()), now)
    return way.when(reader.state.past[key].flag)


def _is_seen(reader: AtomReader, item: ir.Literal) -> bool:
    """Whether a condition asks for a row that a test can show before it proposes something."""
    return (
        isinstance(item, Lit) and item.past is None and reader.relation(item.atom.relation).sort != "action"
    )


def once(reader: AtomReader, literal: ir.Then, item: Lit, branch: Branch) -> Branch:
    """The branch with any values for the variables that a part of a `then` bound when it held."""
    rel = reader.relation(item.atom.relation)
    fresh = _fresh(rel, item.atom, branch)
    if not fresh:
        return branch
    key = ("once", *_key(reader, literal, branch, item), *_key(reader, item, branch, item))
    if key not in reader.state.past:
        reader.state.past[key] = _free(reader, "once", rel, fresh, branch)
    return _bound(reader.state.past[key].cells, branch)


def _fresh(rel: Relation, atom: Atom, branch: Branch) -> dict[str, str]:
    """The variables that an atom gives values to, with the attribute that does."""
    return {
        c.term.name: c.attr
        for c in reversed(atom.constraints)
        if c.op == "=" and isinstance(c.term, Var) and c.term.name not in branch.env
    }


def _free(reader: AtomReader, label: str, rel: Relation, fresh: Mapping[str, str], branch: Branch) -> Free:
    state = reader.state
    cells = {
        name: state.cell(f"{label} {attr}", rel.attr(attr).type, known=True) for name, attr in fresh.items()
    }
    return Free(state.sorts.flag(label), cells, tuple(branch.env.values()))


def _bound(cells: Mapping[str, Cell], branch: Branch) -> Branch:
    for name, cell in cells.items():
        branch = branch.bind(name, cell)
    return branch


def _key(reader: AtomReader, item: ir.Literal, branch: Branch, place: Lit | None) -> tuple[Any, ...]:
    """What is asked: the condition, how it is read, and of which cells.

    What gives values is not the same in two places of one rule: they may be two rows. Inside definitions, which may be
    read several times in one rule, nothing of that kind is shared.
    """
    mode = "plain" if reader.mode in SEEN else reader.mode
    names = {name: _identity(branch.env[name]) for name in outer_variables(item) if name in branch.env}
    key = Canonical(reader.state.program).condition(item, names)
    if place is None:
        return (key, mode)
    if reader.path:
        return (key, mode, object())
    return (key, mode, _number(reader.places, key, place.span))


def _number(places: dict[tuple[Any, ...], int], name: str, span: Any) -> int:
    """Which of the places in a rule that say the same this is."""
    if (name, span) not in places:
        places[name, span] = sum(other == name for other, _ in places)
    return places[name, span]


def _identity(cell: Cell) -> str:
    values: Iterable[Any] = cell.value if isinstance(cell.value, tuple) else (cell.value,)
    return " ".join(str(part.get_id()) for part in (*values, cell.known, cell.none, cell.open))
