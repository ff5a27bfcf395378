"""Step P6 of judging (docs/reference/guard.md) read literally, on small random tasks: every expansion is written out,
every question is asked of the whole history. It shares no code with the guard."""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from tests.guard.frontier_tasks import (
    KINDS,
    RELATIONS,
    WORDS,
    Ask,
    Atom,
    Body,
    Call,
    Chain,
    Cmp,
    Did,
    Each,
    Is,
    Not,
    Row,
    Step,
    Task,
    Var,
    Was,
)

# ---------------------------------------------------------------- one cell


def holds(ask: Ask, cell: Any) -> bool:
    """Whether a constraint holds of a known cell; one with a variable always."""
    value = ask.value
    if isinstance(value, Var):
        return True
    match ask.op:
        case "=":
            return bool(cell == value)
        case "!=":
            return bool(cell != value)
        case "<":
            return bool(cell < value)
        case "<=":
            return bool(cell <= value)
        case ">":
            return bool(cell > value)
        case ">=":
            return bool(cell >= value)
        case "contains":
            return value in cell
        case _:
            return cell in value[0] if isinstance(value[0], tuple) else value[0] <= cell <= value[1]


def nearer(ask: Ask, old: Any, new: Any) -> bool:
    """Whether a cell that does not fit comes nearer."""
    if isinstance(new, bool) or ask.attr == "k":
        return False
    if isinstance(new, str):
        if ask.op == "=":
            return bool(ask.value.startswith(new) and old != ask.value)
        return new == "" and old is not None and ask.op in ("contains", "in")
    if old is None or ask.op in ("!=", "contains"):
        return False
    points = [ask.value]
    if ask.op == "in":
        points = list(ask.value[0]) if isinstance(ask.value[0], tuple) else list(ask.value)

    def far(cell: Any) -> Any:
        return 0 if holds(ask, cell) else min(abs(cell - point) for point in points)

    return bool(far(new) < far(old))


DOMAIN = (*WORDS, *KINDS, "Item", True, False, *(Decimal(n) / 2 for n in range(-4, 30)))


def clash(one: Ask, other: Ask) -> bool:
    """Whether no value fits both."""
    if isinstance(one.value, Var) or isinstance(other.value, Var):
        return False

    def fits(ask: Ask, cell: Any) -> bool:
        sample = ask.value
        while isinstance(sample, tuple):
            sample = sample[0]
        if isinstance(cell, bool) != isinstance(sample, bool) or isinstance(cell, str) != isinstance(
            sample, str
        ):
            return False
        return holds(ask, cell)

    return not any(fits(one, cell) and fits(other, cell) for cell in DOMAIN)


# ---------------------------------------------------------------- expansions


@dataclass(frozen=True)
class Want:
    """A demand, or with `kind` ``not`` and ``each`` an objection.

    Attributes:
        moment: of a state the moment in which it must be so; of a view that of its part of the chain.
        until: what has held once it is no longer asked: bodies.
        since: the body that must have held before it is asked; empty: it is asked from the beginning.
    """

    kind: str
    atom: Atom
    moment: int = 0
    until: tuple[Body, ...] = ()
    has: tuple[Ask, ...] = ()
    since: Body = ()


@dataclass(frozen=True)
class Place:
    moment: int = 0
    lasting: int = 0
    earlier: tuple[Body, ...] = ()
    left: tuple[Body, ...] = ()
    chain: tuple[Body, ...] = ()
    since: Body = ()

    def want(self, kind: str, atom: Atom, has: tuple[Ask, ...] = ()) -> Want:
        if atom.relation == "Form":
            return Want(kind, atom, self.moment, (*self.earlier, *self.left), has, self.since)
        return Want(kind, atom, self.lasting, self.earlier, has, self.since)


class Expander:
    """Writes out every expansion of a task's clauses: flat lists of wants, actions waited for, and equations."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self.counter = itertools.count(1)

    def body(self, body: Body, place: Place) -> list[list[Any]]:
        each = [self.literal(item, place) for item in body]
        return [list(itertools.chain(*combination)) for combination in itertools.product(*each)]

    def literal(self, item: Any, place: Place) -> list[list[Any]]:
        match item:
            case Is(atom):
                return [[place.want("is", atom)]]
            case Not(atom):
                return [[place.want("not", atom)]]
            case Each(atom, has):
                found: list[Any] = [place.want("each", atom, has)]
                if any(ask.attr == "name" and ask.op == "in" for ask in atom.asks):
                    found.append(place.want("is", Atom(atom.relation, atom.asks + has)))
                return [found]
            case Was(atom):
                moment = next(self.counter)
                where = Place(moment, moment, (*place.earlier, (Is(atom),)), place.left, since=place.since)
                return [[where.want("is", atom)]]
            case Did() | Cmp():
                return [[item]]
            case Call(name, value):
                return self.call(name, value, place)
            case Chain(parts):
                lists = []
                for index, part in enumerate(parts):
                    before = (*place.chain, *parts[:index])
                    since = (Chain(before),) if index else place.since
                    where = Place(place.moment, place.lasting, place.earlier, place.left, before, since)
                    if index < len(parts) - 1:
                        done = (Chain((*before, part)),)
                        where = Place(
                            next(self.counter),
                            place.lasting,
                            place.earlier,
                            (*place.left, done),
                            before,
                            since,
                        )
                    lists.append(self.body(part, where))
                return [list(itertools.chain(*combination)) for combination in itertools.product(*lists)]
            case _:
                return [[]]

    def call(self, name: str, value: Any, place: Place) -> list[list[Any]]:
        found = []
        for head, body in self.task.defines[name]:
            number = next(self.counter)
            equations: list[Any] = []
            names: dict[str, str] = {}
            if isinstance(head, Var):
                if isinstance(value, Var):
                    names[head.name] = value.name
                elif value is not None:
                    equations.append(Cmp(f"{head.name}.{number}", "=", value))
            elif isinstance(value, Var):
                equations.append(Cmp(value.name, "=", head))
            elif value is not None and value != head:
                continue
            found += [[*equations, *more] for more in self.body(_renamed(body, names, number), place)]
        return found


def _renamed(body: Body, names: dict[str, str], number: int) -> Body:
    def of(name: str) -> str:
        return names.get(name, f"{name}.{number}")

    def asks(items: tuple[Ask, ...]) -> tuple[Ask, ...]:
        return tuple(
            Ask(a.attr, a.op, Var(of(a.value.name)) if isinstance(a.value, Var) else a.value) for a in items
        )

    def literal(item: Any) -> Any:
        match item:
            case Is(atom) | Not(atom) | Was(atom):
                return type(item)(Atom(atom.relation, asks(atom.asks)))
            case Each(atom, has):
                return Each(Atom(atom.relation, asks(atom.asks)), asks(has))
            case Call(name, Var(value)):
                return Call(name, Var(of(value)))
            case Cmp(name, op, value):
                return Cmp(of(name), op, value)
            case Chain(parts):
                return Chain(tuple(tuple(map(literal, part)) for part in parts))
            case _:
                return item

    return tuple(map(literal, body))


def solved(expansion: list[Any]) -> tuple[list[Want], list[str]] | None:
    """The wants with what is asked of variables asked of their cells, and the actions waited for; None if constants
    contradict."""
    equations = [item for item in expansion if isinstance(item, Cmp)]
    for one, other in itertools.combinations(equations, 2):
        if one.name == other.name and clash(Ask("", one.op, one.value), Ask("", other.op, other.value)):
            return None

    def asks(items: tuple[Ask, ...]) -> tuple[Ask, ...]:
        more = [
            Ask(ask.attr, equation.op, equation.value)
            for ask in items
            for equation in equations
            if ask.op == "=" and ask.value == Var(equation.name)
        ]
        return (*items, *more)

    wants = [
        Want(w.kind, Atom(w.atom.relation, asks(w.atom.asks)), w.moment, w.until, asks(w.has), w.since)
        for w in expansion
        if isinstance(w, Want)
    ]
    rows: dict[Any, list[Ask]] = {}
    for number, want in enumerate(wants):
        if want.kind != "is":
            continue
        names = [ask.value for ask in want.atom.asks if ask.attr == "name" and ask.op == "="]
        names = [name for name in names if not isinstance(name, Var)]
        key: Any = number if want.atom.relation == "Item" and not names else tuple(names[:1])
        rows.setdefault((want.atom.relation, key, want.moment), []).extend(want.atom.asks)
    for asked in rows.values():
        for a, b in itertools.combinations(asked, 2):
            if a.attr == b.attr and clash(a, b):
                return None
    return wants, [item.action for item in expansion if isinstance(item, Did)]


# ---------------------------------------------------------------- history


@dataclass
class Point:
    """What was believed at a point of history: rows with the points at which their cells were written."""

    number: int
    rows: dict[str, list[tuple[Row, dict[str, int]]]]


class Past:
    """What held when, by going through the whole history."""

    def __init__(self, task: Task, points: list[Point], done: dict[str, int]) -> None:
        self.task = task
        self.points = points
        self.done = done

    def has_held(self, body: Body) -> bool:
        """Whether a body held at some point."""
        return any(next(self.ways(body, {}, point), None) is not None for point in self.points)

    def ways(self, body: Body, env: Row, point: Point) -> Iterator[tuple[Row, int]]:
        """Every way in which a body holds at a point, with the age of what it depends on."""
        ordered = sorted(body, key=lambda item: (isinstance(item, Cmp), isinstance(item, Not)))
        states: list[tuple[Row, int]] = [(env, 0)]
        for item in ordered:
            states = [
                (more, max(age, other))
                for known, age in states
                for more, other in self.one(item, known, point)
            ]
        yield from states

    def one(self, item: Any, env: Row, point: Point) -> Iterator[tuple[Row, int]]:
        match item:
            case Is(atom):
                yield from self.rows(atom, env, point)
            case Not(atom):
                if next(self.rows(atom, env, point), None) is None:
                    yield env, 0
            case Cmp(name, op, value):
                if name in env and holds(Ask("", op, value), env[name]):
                    yield env, 0
            case Call(name, value):
                for head, body in self.task.defines[name]:
                    wanted = env.get(value.name) if isinstance(value, Var) else value
                    inner: Row = {}
                    if isinstance(head, Var) and wanted is not None:
                        inner = {head.name: wanted}
                    elif wanted is not None and wanted != head:
                        continue
                    for found, age in self.ways(body, inner, point):
                        given = found[head.name] if isinstance(head, Var) else head
                        yield ({**env, value.name: given} if isinstance(value, Var) else env), age
            case Was(atom):
                for earlier in self.points:
                    if earlier.number <= point.number:
                        for found, _ in self.rows(atom, env, earlier):
                            yield found, earlier.number
            case Did(action):
                if self.done.get(action, point.number + 1) <= point.number:
                    yield env, self.done[action]
            case Each(atom, has):
                found = list(self.rows(atom, env, point))
                fits = list(self.rows(Atom(atom.relation, atom.asks + has), env, point))
                if found and len(found) == len(fits):
                    yield env, max(age for _, age in fits)
            case Chain(parts):
                yield from self.chain(parts, point)
            case _:
                raise AssertionError(item)

    def rows(self, atom: Atom, env: Row, point: Point) -> Iterator[tuple[Row, int]]:
        for row, timestamps in point.rows.get(atom.relation, []):
            known = dict(env)
            for ask in atom.asks:
                cell = row.get(ask.attr)
                wanted = ask
                if isinstance(ask.value, Var):
                    if ask.value.name not in known and cell is not None:
                        known[ask.value.name] = cell
                    wanted = Ask(ask.attr, "=", known.get(ask.value.name))
                if cell is None or not holds(wanted, cell):
                    break
            else:
                read = [ask.attr for ask in atom.asks] or list(timestamps)
                yield known, max((timestamps[attr] for attr in read), default=0)

    def chain(self, parts: tuple[Body, ...], point: Point) -> Iterator[tuple[Row, int]]:
        if len(parts) == 1:
            yield from self.ways(parts[0], {}, point)
            return
        left = parts[:-1]
        firsts = [
            p.number for p in self.points if p.number <= point.number and next(self.chain(left, p), None)
        ]
        if not firsts:
            return
        lasting = [item for part in left for item in part if self.of_states(item)]
        if all(next(self.one(item, {}, point), None) is not None for item in lasting):
            for found, age in self.ways(parts[-1], {}, point):
                if age > firsts[0]:
                    yield found, age

    def of_states(self, item: Any) -> bool:
        """Whether a condition is about lasting state and nothing else."""
        match item:
            case Is(atom) | Not(atom) | Each(atom, _):
                return bool(atom.relation != "Form")
            case Call(name, _):
                inside = [inner for _, body in self.task.defines[name] for inner in body]
                inside = [inner for inner in inside if not isinstance(inner, Cmp)]
                return bool(inside) and all(map(self.of_states, inside))
            case _:
                return False


# ---------------------------------------------------------------- the paragraph


def changes(step: Step, rows: list[Row]) -> list[tuple[Row, Row | None]]:
    """How each row changes: as it was (empty: it was not there), and as it will be (None: it is gone)."""
    if step.delete:
        return [
            (row, None) for row in rows if all(row.get(name) == cell for name, cell in step.cells.items())
        ]
    known = {name: cell for name, cell in step.cells.items() if cell is not None}
    old = next((row for row in rows if step.relation != "Item" or row["name"] == step.cells["name"]), {})
    if step.relation == "Form":
        return [(old, known)]
    kept = {name: cell for name, cell in old.items() if name not in step.cells}
    return [(old, {**kept, **known})]


class Reference:
    """Says whether a step is off track."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self.clauses = [(action, Expander(task).body(body, Place())) for action, body in task.clauses]

    def warns(self, step: Step, points: list[Point], done: dict[str, int]) -> bool:
        """Whether a step is warned of.

        Args:
            step: what is proposed.
            points: the history.
            done: the committed actions, with the point of their commit.
        """
        past = Past(self.task, points, done)
        rows = [row for row, _ in points[-1].rows.get(step.relation, [])]
        expansions: list[list[Want]] = []
        for action, found in self.clauses:
            if action and action in done:
                continue  # no licence is left
            for expansion in found:
                clause = solved(expansion)
                if clause is not None and all(name in done for name in clause[1]):
                    expansions.append(clause[0])
        current = [
            [
                w
                for w in wants
                if w.atom.relation == step.relation
                and (not w.since or past.has_held(w.since))
                and not any(map(past.has_held, w.until))
            ]
            for wants in expansions
        ]
        return any(self.off(old, new, step, current) for old, new in changes(step, rows))

    def off(self, old: Row, new: Row | None, step: Step, clauses: list[list[Want]]) -> bool:
        wanted = [self.demands(wants, step.relation) for wants in clauses]

        def was_met(asks: tuple[Ask, ...]) -> bool:
            return all(ask.attr in old and holds(ask, old[ask.attr]) for ask in asks)

        if new is None:
            lost = any(was_met(asks) for demands in wanted for asks in demands)
            welcome = any(w.kind == "not" and was_met(w.atom.asks) for wants in clauses for w in wants)
            return lost and not welcome
        changed = {name for name in new if new[name] != old.get(name)}
        gone = {name for name in old if name not in new and name not in step.cells}
        counted = {
            ask.attr
            for demands in wanted
            for asks in demands
            if was_met(asks)
            for ask in asks
            if ask.attr in gone
        }
        if not changed | counted:
            return False

        def right(ask: Ask) -> bool:
            if ask.attr in counted:
                return False
            if ask.attr not in new or holds(ask, new[ask.attr]):
                return True
            if ask.attr == "name":
                return False
            return ask.attr not in changed or nearer(ask, old.get(ask.attr), new[ask.attr])

        def accepts(asks: tuple[Ask, ...]) -> bool:
            if was_met(asks) and any(ask.attr in counted for ask in asks):
                return False
            fits = all(ask.attr not in new or holds(ask, new[ask.attr]) for ask in asks)
            return fits or all(map(right, asks))

        def objects(want: Want) -> bool:
            if want.kind == "not":
                constants = [ask for ask in want.atom.asks if not isinstance(ask.value, Var)]
                return all(a.attr in new and holds(a, new[a.attr]) for a in constants) and any(
                    a.attr in changed for a in constants
                )
            if want.kind == "each":
                fits = all(a.attr not in new or holds(a, new[a.attr]) for a in want.atom.asks)
                return fits and any(a.attr in changed and not right(a) for a in want.has)
            return False

        concerned = False
        for wants, demands in zip(clauses, wanted, strict=True):
            objection = any(map(objects, wants))
            if demands or objection:
                concerned = True
                if not objection and any(map(accepts, demands)):
                    return False
        return concerned

    def demands(self, wants: list[Want], relation: str) -> list[tuple[Ask, ...]]:
        """The demands of one clause; on a relation without key they are one, but for cells that a chain wants in
        different values one after the other."""
        mine = [want for want in wants if want.kind == "is"]
        if relation == "Item" or not mine:
            return [want.atom.asks for want in mine]
        options: list[list[tuple[Ask, ...]]] = []
        for attr in RELATIONS[relation]:
            by_moment: dict[int, tuple[Ask, ...]] = {}
            for want in mine:
                asks = tuple(ask for ask in want.atom.asks if ask.attr == attr)
                if asks:
                    by_moment[want.moment] = by_moment.get(want.moment, ()) + asks
            apart = any(
                clash(a, b)
                for one, other in itertools.combinations(by_moment.values(), 2)
                for a in one
                for b in other
            )
            together = tuple(itertools.chain(*by_moment.values()))
            options.append(list(by_moment.values()) if apart else [together])
        return [tuple(itertools.chain(*combination)) for combination in itertools.product(*options)]
