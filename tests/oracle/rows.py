"""Which rows fit an atom: seen rows in three readings, and under the possible reading rows that nobody saw."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product

from tests.oracle.moment import Moment
from tests.oracle.terms import Anything, Bound, Domain, Env, Fresh, Truth, fits
from tests.oracle.words import asked
from vsalang.engine.api import EngineError, Reading
from vsalang.program.ir import TEXT, Atom, Choice, Const, Constraint, Regex, Relation, Type, Var

Cells = tuple[Bound | None, ...]


@dataclass(frozen=True)
class Match:
    """A row that fits an atom under a binding.

    Attributes:
        timestamp: the greatest point at which a cell that the atom reads was written.
        unseen: nobody saw this row; it stands for any that may exist.
    """

    row: Cells
    env: Env
    timestamp: int = 0
    unseen: bool = False


def accepted(truth: Truth, reading: Reading) -> bool:
    """Whether a truth value counts under a reading: only True, or all but False under the possible one."""
    return truth is not False if reading == "possible" else truth is True


def matches(
    moment: Moment, atom: Atom, env: Env, reading: Reading, *, choices: bool = False
) -> Iterator[Match]:
    """Every row that fits the atom, with the binding that it makes.

    Args:
        moment: where rows are read.
        atom: positive, without a past operator.
        env: what is bound.
        reading: the reading; under ``possible`` unseen rows come last.
        choices: whether ``in {..}`` gives values as ``=`` does when completeness is asked.
    """
    rel = moment.setting.program.relation(atom.relation)
    if rel.sort in ("derived", "screen"):
        if atom.before:
            raise EngineError(f"before {rel.name}: only relations that are believed have a before")
        for row, timestamp in list(moment.derived(rel.name, reading).items()):
            for found in match_row(moment, rel, row, atom.constraints, env, reading):
                yield Match(row, found, timestamp)
        return
    proposal = rel.sort in ("gesture", "action")
    timestamps = {} if proposal else moment.timestamps(rel.name)
    for row in moment.base(rel.name, "before" if atom.before else "rows"):
        timestamp = (
            moment.proposal_timestamp
            if proposal
            else read_timestamp(rel, atom.constraints, timestamps.get(row))
        )
        for found in match_row(moment, rel, row, atom.constraints, env, reading):
            yield Match(row, found, timestamp)
    if reading == "possible":
        yield from _unseen(moment, rel, atom, env, choices)


def read_timestamp(rel: Relation, constraints: Iterable[Constraint], points: tuple[int, ...] | None) -> int:
    """The greatest timestamp of the cells that the constraints read; of all cells if there is no constraint."""
    if not points:
        return 0
    columns = {rel.column(constraint.attr) for constraint in constraints} or set(range(len(rel.attrs)))
    return max(points[column] for column in columns)


def match_row(
    moment: Moment, rel: Relation, row: Cells, constraints: Iterable[Constraint], env: Env, reading: Reading
) -> Iterator[Env]:
    """The bindings, extending `env`, under which the row fits all constraints.

    ``attr = ?x`` binds ?x to the cell; under the possible reading an unknown cell may hold any value.
    """
    moment.setting.meter.step()
    constraints = tuple(constraints)
    if reading != "possible" and _differs(rel, row, constraints, env):
        return
    for found in bind_row(moment, rel, row, constraints, env, reading):
        if all(accepted(_fits(moment, rel, row, c, found, reading), reading) for c in constraints):
            yield found


def _differs(rel: Relation, row: Cells, constraints: Iterable[Constraint], env: Env) -> bool:
    """Whether a cell is not what ``attr = 3`` or ``attr = ?x`` asks for: most rows are passed over for that alone."""
    for constraint in constraints:
        term = constraint.term
        if constraint.op != "=":
            continue
        if isinstance(term, Var) and term.name in env:
            wanted = env[term.name]
        elif isinstance(term, Const):
            wanted = term.value
        else:
            continue
        cell = row[rel.column(constraint.attr)]
        if cell is None or not Domain.same(cell, wanted):
            return True
    return False


def _fits(
    moment: Moment, rel: Relation, row: Cells, constraint: Constraint, env: Env, reading: Reading
) -> Truth:
    cell = row[rel.column(constraint.attr)]
    if constraint.op == "unknown" and reading == "plain":
        return cell is None
    return fits(moment.setting.clock, cell, constraint, env, moment)


def bind_row(
    moment: Moment, rel: Relation, row: Cells, constraints: Iterable[Constraint], env: Env, reading: Reading
) -> list[Env]:
    """What ``attr = ?x`` and the groups of ``attr matches /../`` make of the binding, before anything is tested."""
    found: list[Env] = [env]
    for constraint in constraints:
        cell = row[rel.column(constraint.attr)]
        if constraint.op == "=" and isinstance(constraint.term, Var):
            name, kind = constraint.term.name, rel.attr(constraint.attr).type
            found = [
                {**each, name: value}
                for each in found
                for value in ([each[name]] if name in each else _values(moment, cell, kind, reading))
            ]
        elif constraint.op == "matches" and isinstance(constraint.term, Regex) and constraint.term.groups:
            found = [
                more for each in found for more in bind_groups(moment, cell, constraint.term, each, reading)
            ]
    return found


def _values(moment: Moment, cell: Bound | None, kind: Type, reading: Reading) -> list[Bound]:
    if cell is not None:
        return [cell]
    return moment.domain.candidates(kind) if reading == "possible" else []


def bind_groups(
    moment: Moment, cell: Bound | Anything | None, regex: Regex, env: Env, reading: Reading
) -> Iterator[Env]:
    """What a match binds the pattern's groups to; a text that nobody saw may hold anything."""
    options: list[list[Bound]]
    pattern = asked(regex)
    if isinstance(cell, Fresh | Anything) or cell is None or pattern.is_open(cell):
        options = [moment.domain.candidates(TEXT) if reading == "possible" else [] for _ in regex.groups]
    else:
        captured = pattern.captures(cell)
        if captured is None:
            return
        options = [[captured[name]] for name in regex.groups]
    for values in product(*options):
        fixed = dict(zip(regex.groups, values, strict=True))
        if all(
            accepted(moment.domain.equal(env[name], value), reading)
            for name, value in fixed.items()
            if name in env
        ):
            yield {**fixed, **env}


# ---------------------------------------------------------------- rows that nobody saw


def _unseen(moment: Moment, rel: Relation, atom: Atom, env: Env, choices: bool) -> Iterator[Match]:
    """The virtual rows of an atom that may exist: its relation is not complete for what ``=`` gives."""
    for match, given in imagined(moment, rel, atom.constraints, env, choices=choices):
        if not moment.complete(rel, given, before=atom.before):
            yield match


def imagined(
    moment: Moment, rel: Relation, constraints: tuple[Constraint, ...], env: Env, *, choices: bool = False
) -> Iterator[tuple[Match, Mapping[str, Bound]]]:
    """Virtual rows, unknown but for what ``=`` gives, that no constraint refutes; each with what is given."""
    nothing: Cells = (None,) * len(rel.attrs)
    for found in bind_row(moment, rel, nothing, constraints, env, "possible"):
        moment.setting.meter.step()
        given = given_values(moment, constraints, found)
        options = _choices(moment, constraints, found, given) if choices else {}
        for values in product(*options.values()):
            here: dict[str, Bound] = {**given, **dict(zip(options, values, strict=True))}
            row = tuple(here.get(attr.name) for attr in rel.attrs)
            if all(_fits(moment, rel, row, c, found, "possible") is not False for c in constraints):
                yield Match(row, found, unseen=True), here


def given_values(moment: Moment, constraints: Iterable[Constraint], env: Env) -> dict[str, Bound]:
    """The values that constraints give by ``=``."""
    given: dict[str, Bound] = {}
    for constraint in constraints:
        if constraint.op == "=" and constraint.term is not None:
            value = moment.setting.clock.value(constraint.term, env, moment.now)
            if value is not None and not isinstance(value, Anything):
                given.setdefault(constraint.attr, value)
    return given


def _choices(
    moment: Moment, constraints: Iterable[Constraint], env: Env, given: Mapping[str, Bound]
) -> dict[str, list[Bound]]:
    options: dict[str, list[Bound]] = {}
    for constraint in constraints:
        if constraint.op == "in" and isinstance(constraint.term, Choice) and constraint.attr not in given:
            values = [moment.setting.clock.value(item, env, moment.now) for item in constraint.term.items]
            if all(value is not None and not isinstance(value, Anything) for value in values):
                options.setdefault(constraint.attr, values)  # type: ignore[arg-type]
    return options
