"""Atoms as quantifier-free formulas: every row slot of a symbolic state that may fit, now and among the commits."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import z3

from vsalang.program import ir
from vsalang.program.ir import TEXT, Atom, Const, Constraint, Fn, Lit, Regex, Relation, Rule, Term, Var
from vsalang.program.walk import relations, variables
from vsalang.proof.solver.results import Clash, UnsupportedConstruct
from vsalang.proof.solver.scan import occurrences
from vsalang.proof.solver.show import condition
from vsalang.proof.solver.sorts import FALSE, TRUE, Cell, conj, disj, is_false, is_true, neg
from vsalang.proof.solver.state import Slot, State
from vsalang.proof.solver.ways import DUAL, OPEN, Branch, Mode, Tracker

_Made = TypeVar("_Made")


def _identity(cell: Cell | None) -> tuple[Any, ...] | None:
    """Equal only for cells of the same terms, as long as these are kept: Z3 has each term once."""
    if cell is None:
        return None
    rest = cell.known.ast.value, cell.none.ast.value, cell.open.ast.value
    if isinstance(cell.value, list | tuple):
        return id(cell.type), *(bit.ast.value for bit in cell.value), *rest
    return id(cell.type), cell.value.ast.value, *rest


def _branch_key(branch: Branch) -> tuple[Any, ...]:
    """Equal for branches that differ by their condition alone."""
    used = None if branch.used is None else tuple(sorted(branch.used.items()))
    return used, *((name, _identity(cell)) for name, cell in sorted(branch.env.items()))


def merged(branches: Iterable[Branch], kept: frozenset[str]) -> list[Branch]:
    """The branches with these variables alone; those that are the same then are one."""
    by_key: dict[tuple[Any, ...], list[Branch]] = {}
    for branch in branches:
        if not branch.env.keys() <= kept:
            branch = replace(branch, env={n: cell for n, cell in branch.env.items() if n in kept})
        by_key.setdefault(_branch_key(branch), []).append(branch)
    return [
        replace(same[0], guard=disj([one.guard for one in same])) if len(same) > 1 else same[0]
        for same in by_key.values()
    ]


@dataclass(eq=False)
class AtomReader(ABC):
    """Reads atoms in one state; what reads whole bodies derives from it.

    Attributes:
        mode: see `Mode`.
        tracker: marks conditions; only where all of them are positive.
        favourable: relations that are as the reader needs them (the agent's).
        negative: inside an odd number of negations (for `favourable`).
        places: where in the rule what is said of the past stands, by what it says.
        depth: how often a recursive relation is unrolled.
        cut: gets the names of those that were not unrolled to the end.
    """

    state: State
    mode: Mode = "plain"
    tracker: Tracker | None = None
    favourable: frozenset[str] = frozenset()
    negative: bool = False
    depth: int = 3
    cut: list[str] | None = None
    path: tuple[str, ...] = ()
    counts: Mapping[str, int] | None = None
    places: dict[tuple[Any, ...], int] = field(default_factory=dict)

    def dual(self) -> "AtomReader":
        """The reading under a negation."""
        return replace(self, mode=DUAL[self.mode], negative=not self.negative, tracker=None)

    @abstractmethod
    def body(
        self, literals: Iterable[ir.Literal], start: Branch, kept: frozenset[str] | None = None
    ) -> list[Branch]:
        """Every way in which all literals hold together."""

    @abstractmethod
    def anything(self, lit: Lit, rel: Relation, branch: Branch) -> Branch:
        """The branch with a condition about the past that is left free."""

    def mark(self, formula: Any, span: Any, text: str, of: ir.Literal | ir.Constraint | None = None) -> Any:
        """The formula, marked where conditions are tracked."""
        if self.tracker is None:
            return formula
        return self.tracker.wrap(formula, Clash(condition(of) if of is not None else text, span))

    # ------------------------------------------------------------ atoms

    def positive(self, lit: Lit, branch: Branch) -> Iterator[Branch]:
        """Every way in which the literal's atom holds; `neg` is not looked at."""
        rel = self.relation(lit.atom.relation)
        if lit.past is not None:
            yield from self.past(lit, rel, branch)
            return
        for next_branch, _, _ in self.matches(lit.atom, branch):
            yield next_branch

    def relation(self, name: str) -> Relation:
        """The relation of that name."""
        return self.state.program.relation(name)

    def matches(
        self, atom: Atom, branch: Branch, *, choices: bool = False
    ) -> Iterator[tuple[Branch, tuple[Cell, ...], bool]]:
        """Every row that fits the atom: the branch, the row, and whether nobody saw it."""
        rel = self.relation(atom.relation)
        if rel.name in self.favourable:
            if not self.negative:
                yield from self.imagined(rel, atom, branch, complete=False, choices=False)
            return
        if rel.sort == "screen":
            shows = self.state.shows(rel.name)
            yield branch.when(self.mark(shows, atom.span, f"screen {rel.short}", Lit(atom))), (), False
            return
        if rel.name == "Screen":
            yield from self.screen_names(atom, rel, branch)
            return
        if rel.sort == "derived":
            for next_branch, row in self.derived(atom, rel, branch):
                yield next_branch, row, False
            return
        kind = "before" if atom.before else "now"
        slots = self.state.slots(kind, rel.name)
        for slot, start in self.chosen(slots, f"{kind} {rel.name}", branch):
            there = self.mark(slot.present, atom.span, "", Lit(atom))
            for next_branch in self.fit(rel, slot.cells, atom.constraints, start.when(there)):
                yield next_branch, slot.cells, False
        if self.mode == "possible":
            yield from self.imagined(rel, atom, branch, complete=True, choices=choices)

    def chosen(self, slots: tuple[Slot, ...], key: str, branch: Branch) -> Iterator[tuple[Slot, Branch]]:
        """The slots to try. Where slots are interchangeable, of those that were not chosen yet one is enough."""
        if branch.used is None:
            yield from ((slot, branch) for slot in slots)
            return
        used = branch.used.get(key, 0)
        for index, slot in enumerate(slots[: used + 1]):
            yield slot, replace(branch, used={**branch.used, key: max(used, index + 1)})

    def fit(
        self, rel: Relation, cells: tuple[Cell, ...], constraints: tuple[Constraint, ...], branch: Branch
    ) -> list[Branch]:
        """The branches in which a row fits all constraints; ``attr = ?x`` binds."""
        narrowed_branch = branch
        tests: list[Constraint] = []
        for constraint in constraints:
            cell = cells[rel.column(constraint.attr)]
            term = constraint.term
            if constraint.op == "=" and isinstance(term, Var) and not self.bound(term.name, narrowed_branch):
                if self.may_hold(rel):
                    if self.mode == "possible":
                        self.single_use(term.name, cell)
                    opened = disj([neg(cell.known), cell.open])
                    narrowed_branch = narrowed_branch.bind(term.name, replace(cell, known=TRUE, open=opened))
                else:
                    narrowed_branch = narrowed_branch.bind(term.name, replace(cell, known=TRUE))
                    narrowed_branch = narrowed_branch.when(
                        self.mark(cell.known, constraint.span, "", constraint)
                    )
            else:
                tests.append(constraint)
                if constraint.op == "matches" and isinstance(term, Regex) and term.groups:
                    narrowed_branch = self.captures(term, narrowed_branch)
        for constraint in tests:
            cell = cells[rel.column(constraint.attr)]
            held = self.constraint(cell, constraint, narrowed_branch.env)
            if self.mode == "supposed":
                if not self.may_hold(rel) and constraint.op != "unknown":
                    held = conj([cell.known, held])
                if constraint.op == "=" and isinstance(constraint.term, Var):
                    narrowed_branch = self.refined(constraint.term.name, cell, narrowed_branch)
            narrowed_branch = narrowed_branch.when(self.mark(held, constraint.span, "", constraint))
        return [narrowed_branch] if narrowed_branch.possible else []

    def may_hold(self, rel: Relation) -> bool:
        """Whether an unknown cell of a row may hold anything; what a screen shows is taken to have been read."""
        if self.mode != "supposed":
            return self.mode in OPEN
        return rel.sort in ("state", "view", "list", "action", "derived") or rel.name == "App"

    def refined(self, name: str, cell: Cell, branch: Branch) -> Branch:
        """The branch in which a variable that may be anything has the value that another condition gives it."""
        old = branch.env[name]
        if is_false(old.open):
            return branch
        known = conj([cell.known, neg(cell.open)])
        takes = conj([old.open, known])
        if isinstance(old.value, tuple):
            value: Any = tuple(z3.If(takes, new, was) for new, was in zip(cell.value, old.value, strict=True))
        else:
            value = z3.If(takes, cell.value, old.value)
        none = z3.If(takes, cell.none, old.none)
        return branch.bind(name, replace(old, value=value, none=none, open=conj([old.open, neg(known)])))

    def bound(self, name: str, branch: Branch) -> bool:
        """Whether a variable has a definite value; an open one of the agent's takes the first that it meets."""
        if name not in branch.env:
            return False
        return not (self.favourable and is_true(branch.env[name].open))

    def constraint(self, cell: Cell, constraint: Constraint, env: Mapping[str, Cell]) -> Any:
        """Whether a cell fits a constraint in this reading."""
        true, undecided = self.state.terms.holds(cell, constraint.op, constraint.term, constraint.hi, env)
        if self.mode in OPEN:
            return disj([true, undecided])
        if self.favourable and not self.negative:
            return disj([true, self.opened([cell, *self.values((constraint.term, constraint.hi), env)])])
        return true

    def values(self, terms: Iterable[Term | None], env: Mapping[str, Cell]) -> list[Cell]:
        """The values of terms that are values."""
        return [self.state.terms.value(term, env) for term in terms if isinstance(term, Var | Const | Fn)]

    def opened(self, cells: Iterable[Cell]) -> Any:
        """Whether nothing definite is known of one of the cells."""
        return disj([cell.open for cell in cells])

    def captures(self, regex: Regex, branch: Branch) -> Branch:
        """What named groups capture: any texts. As the agent would like it, what is wanted of them."""
        opened = TRUE if self.favourable else FALSE
        if not self.favourable:
            self.state.terms.free["what the groups of a pattern capture"] = None
        for name in regex.groups:
            if name not in branch.env:
                cell = self.state.cell(f"group {name}", TEXT, known=True)
                branch = branch.bind(name, replace(cell, none=FALSE, open=opened))
        return branch

    def single_use(self, name: str, cell: Cell) -> None:
        """A variable of a row that may be unseen stands for any value; joined to more than one thing, that is no
        longer exact."""
        definite = is_true(cell.known) and is_false(cell.open)
        if not definite and (self.counts or {}).get(name, 2) > 2:
            raise UnsupportedConstruct(
                f"`?{name}`, which an unseen row gives to several conditions under a negation"
            )

    # ------------------------------------------------------------ rows that nobody saw

    def imagined(
        self, rel: Relation, atom: Atom, branch: Branch, *, complete: bool, choices: bool
    ) -> Iterator[tuple[Branch, tuple[Cell, ...], bool]]:
        """A row of which only what ``=`` gives is known; with `complete`, only where the relation is not complete."""
        cells: dict[str, Cell] = {}
        extended_branch = branch
        for constraint in atom.constraints:
            term = constraint.term
            if constraint.op != "=" or term is None:
                continue
            if isinstance(term, Var) and not self.bound(term.name, extended_branch):
                attr = rel.attr(constraint.attr)
                unknown = self.state.cell(f"any {attr.name}", attr.type)
                if not self.favourable:
                    self.single_use(term.name, replace(unknown, known=FALSE))
                extended_branch = extended_branch.bind(term.name, replace(unknown, known=TRUE, open=TRUE))
            elif isinstance(term, Var | Const | Fn):  # what is given several times is compared below
                cells.setdefault(constraint.attr, self.state.terms.value(term, extended_branch.env))
        for constraint in atom.constraints:
            if isinstance(constraint.term, Regex) and constraint.term.groups:
                extended_branch = self.captures(constraint.term, extended_branch)
        for combination in self.combinations(rel, atom, cells) if choices else [cells]:
            row = tuple(
                combination.get(attr.name)
                or replace(self.state.cell("unseen", attr.type), known=FALSE, open=TRUE)
                for attr in rel.attrs
            )
            reader = replace(self, mode="possible", tracker=None)
            fits = [
                reader.constraint(row[rel.column(c.attr)], c, extended_branch.env)
                for c in atom.constraints
                if not (
                    c.op == "=" and isinstance(c.term, Var) and is_true(extended_branch.env[c.term.name].open)
                )
                and c.op != "unknown"
            ]
            if complete:
                fits.append(neg(self.state.complete(rel, combination, before=atom.before)))
            more = extended_branch.when(*fits)
            if more.possible:
                yield more, row, True

    def combinations(self, rel: Relation, atom: Atom, cells: dict[str, Cell]) -> list[dict[str, Cell]]:
        """What is given where ``in {..}`` gives values as ``=`` does."""
        combinations = [cells]
        for constraint in atom.constraints:
            if (
                constraint.op == "in"
                and isinstance(constraint.term, ir.Choice)
                and constraint.attr not in cells
            ):
                items = self.values(constraint.term.items, {})
                combinations = [{**one, constraint.attr: item} for one in combinations for item in items]
        return combinations

    # ------------------------------------------------------------ derived relations

    def derived(self, atom: Atom, rel: Relation, branch: Branch) -> Iterator[tuple[Branch, tuple[Cell, ...]]]:
        """The rules of a derived relation in place of its atom."""
        if self.path.count(rel.name) > self.depth:
            if self.favourable and not self.negative:  # nothing is said of where further steps could lead
                for next_branch, row, _ in self.imagined(rel, atom, branch, complete=False, choices=False):
                    yield next_branch, row
            elif not self.favourable:
                self.cut_off([rel.name])
            return
        if not rel.attrs and branch.used is None and self.tracker is None:
            whole = disj([guard for _, guard in self.rows_of(atom, rel, branch)])
            yield branch.when(whole), ()
            return
        if branch.used is not None or self.favourable:
            yield from self.rules_of(atom, rel, branch)
            return
        for row, guard in self.rows_of(atom, rel, branch):
            for fitted in self.fit(rel, row, atom.constraints, branch.when(guard)):
                yield fitted, row

    def rows_of(self, atom: Atom, rel: Relation, branch: Branch) -> list[tuple[tuple[Cell, ...], Any]]:
        """The rows of a derived relation, each with its condition, that have the values which the branch gives an atom.

        They are made once for all atoms with the same values.
        """
        constraints = tuple(
            c
            for c in atom.constraints
            if c.op == "="
            and (isinstance(c.term, Const) or (isinstance(c.term, Var) and self.bound(c.term.name, branch)))
        )
        cells = [(c.attr, self.state.terms.value(c.term, branch.env)) for c in constraints]
        path = self.state.path_to((rel.name,), self.path)
        values = tuple((name, *(_identity(cell) or ())) for name, cell in cells)
        tracked = self.tracker is not None
        key = ("rows", rel.name, tracked, self.mode, self.negative, self.depth, path, values)
        if key not in self.state.matches:
            start = Branch(dict(cells))
            asked = Atom(rel.name, tuple(Constraint(name, "=", Var(name)) for name, _ in cells))
            noted = self.noted(
                lambda mine: [(row, way.guard) for way, row in mine.rules_of(asked, rel, start)]
            )
            self.state.matches[key] = (*noted, cells)
        return self.recalled(key)  # type: ignore[no-any-return]

    def shared(
        self, kind: str, literal: Any, branch: Branch, make: Callable[["AtomReader", Branch], _Made]
    ) -> _Made:
        """What `make` gives for a condition: made once for all branches in which its variables are the same cells.

        Where some relations are as the reader needs them, what is left free differs from place to place.
        """
        inner = replace(branch, guard=TRUE, used=None)
        if self.favourable:
            return make(self, inner)
        cells = tuple(branch.env.get(name) for name in sorted(variables(literal)))
        path = self.state.path_to(relations(literal), self.path)
        read = (kind, id(literal), self.tracker is not None, self.mode, self.negative, self.depth, path)
        key = (*read, *map(_identity, cells))
        if key not in self.state.matches:
            # literal and cells are kept, so that nothing else can have their identity
            self.state.matches[key] = (*self.noted(lambda mine: make(mine, inner)), literal, cells)
        return self.recalled(key)  # type: ignore[no-any-return]

    def noted(self, make: Callable[["AtomReader"], _Made]) -> tuple[_Made, list[str], dict[str, None]]:
        """What is made, with what was cut off and what has no exact form in it."""
        reader, terms = replace(self, cut=[]), self.state.terms
        outside, terms.approximated = terms.approximated, {}
        try:
            made = make(reader)
        finally:
            inside, terms.approximated = terms.approximated, outside
            terms.approximated.update(inside)
        return made, reader.cut or [], inside

    def recalled(self, key: tuple[Any, ...]) -> Any:
        """What was made before, and what was noted of it."""
        made, cut, inexact, *_ = self.state.matches[key]
        self.cut_off(cut)
        self.state.terms.approximated.update(inexact)
        return made

    def cut_off(self, relations: Iterable[str]) -> None:
        """Note recursive relations that were not unrolled to the end."""
        if self.cut is not None:
            self.cut += [name for name in relations if name not in self.cut]

    def rules_of(
        self, atom: Atom, rel: Relation, branch: Branch
    ) -> Iterator[tuple[Branch, tuple[Cell, ...]]]:
        """Each rule of a derived relation in place of its atom."""
        by_key: dict[tuple[Any, ...], tuple[Branch, tuple[Cell, ...]]] = {}
        for rule in self.state.definitions.get(rel.name, ()):
            assert isinstance(rule.head, ir.Derive)
            for next_branch, row in self.one_rule(rule, rule.head.atom, atom, rel, branch):
                key = (*_branch_key(next_branch), *map(_identity, row))
                if key in by_key:
                    next_branch = replace(next_branch, guard=disj([by_key[key][0].guard, next_branch.guard]))
                by_key[key] = next_branch, row
        yield from by_key.values()

    def one_rule(
        self, rule: Rule, head: Atom, atom: Atom, rel: Relation, branch: Branch
    ) -> Iterator[tuple[Branch, tuple[Cell, ...]]]:
        """One rule in place of the atom."""
        mode: Mode = "plain" if rel.sort == "screen" else self.mode
        inner = replace(self, mode=mode, path=(*self.path, rel.name), counts=occurrences(rule))
        terms = {c.attr: c.term for c in head.constraints}
        env: dict[str, Cell] = {}
        for constraint in atom.constraints:
            term, target = constraint.term, terms.get(constraint.attr)
            definite = isinstance(term, Const) or (isinstance(term, Var) and self.bound(term.name, branch))
            if constraint.op != "=" or not definite:
                continue
            if isinstance(target, Var) and target.name not in env:
                env[target.name] = self.state.terms.value(term, branch.env)
            elif isinstance(target, Const) and is_false(self._equal(term, target, branch)):
                return  # it defines other rows
        start = Branch(env, branch.guard, branch.used)
        body = rule.body if mode == "plain" else self.state.certain_body(rule)
        for next_branch in inner.body(body, start, variables(head)):
            row = []
            for attr in rel.attrs:
                term = terms.get(attr.name)
                if term is None:
                    raise UnsupportedConstruct(f"a rule of `{rel.short}` that leaves `{attr.name}` out")
                cell = self.state.terms.value(term, next_branch.env)
                next_branch = next_branch.when(disj([cell.known, cell.open]))
                row.append(cell)
            outer = Branch(branch.env, next_branch.guard, next_branch.used)
            for fitted in self.fit(rel, tuple(row), atom.constraints, outer):
                yield fitted, tuple(row)

    def _equal(self, one: Term | None, other: Term, branch: Branch) -> Any:
        """Whether two terms have the same value, where both have one."""
        left, right = (self.state.terms.value(term, branch.env) for term in (one, other))
        return disj([left.open, self.state.terms.equal(left, right)])

    def screen_names(
        self, atom: Atom, rel: Relation, branch: Branch
    ) -> Iterator[tuple[Branch, tuple[Cell, ...], bool]]:
        """``Screen(name = ..)``: one row for each screen that shows."""
        names = [r for r in self.state.program.relations.values() if r.sort == "screen"]
        for screen in names:
            if screen.short.rpartition(":")[2] not in self.state.sorts.texts:
                raise UnsupportedConstruct("the names of screens")
            cell = self.state.sorts.constant(screen.short.rpartition(":")[2], TEXT)
            for next_branch in self.fit(
                rel, (cell,), atom.constraints, branch.when(self.state.shows(screen.name))
            ):
                yield next_branch, (cell,), False

    # ------------------------------------------------------------ the past

    def past(self, lit: Lit, rel: Relation, branch: Branch) -> Iterator[Branch]:
        """``A earlier`` and ``A within d`` of actions look at commits; anything else about the past is free.

        As the agent would like it, the past is what it could have brought about, the rest being as it is now.
        """
        assert lit.past is not None
        if rel.sort != "action" or lit.past.op not in ("earlier", "within"):
            if not self.favourable:
                self.state.terms.free[f"`{rel.short} {lit.past.op}`"] = None
                yield self.anything(lit, rel, branch)
            elif not (self.negative and lit.past.op == "for"):  # what must not last: the agent acts at once
                for next_branch in self.at_some_time(lit.atom, branch):
                    yield from (
                        self.at_some_time(lit.past.other, next_branch) if lit.past.other else (next_branch,)
                    )
            return
        for next_branch, _ in self.commits(lit, rel, branch):
            yield next_branch

    def commits(self, lit: Lit, rel: Relation, branch: Branch) -> Iterator[tuple[Branch, Slot]]:
        """The commits that fit an action's atom."""
        for slot, start in self.chosen(self.state.slots("commits", rel.name), f"commits {rel.name}", branch):
            recent = TRUE
            if lit.past is not None and lit.past.op == "within":
                span = self.state.terms.value(lit.past.duration, branch.env)
                assert slot.age is not None
                recent = conj([span.known, slot.age.value <= span.value])
                if self.favourable:  # the agent may act at once, or wait
                    recent = FALSE if self.negative else TRUE
            here = start.when(self.mark(conj([slot.present, recent]), lit.span, "", lit))
            for next_branch in self.fit(rel, slot.cells, lit.atom.constraints, here):
                yield next_branch, slot

    def at_some_time(self, atom: Atom, branch: Branch) -> Iterator[Branch]:
        """Every way in which an atom holds now; an action, in which it was done."""
        rel = self.relation(atom.relation)
        if rel.sort == "action":
            yield from (next_branch for next_branch, _ in self.commits(Lit(atom), rel, branch))
        else:
            yield from (next_branch for next_branch, _, _ in self.matches(atom, branch))
