"""One question to the solver: the symbols of a state, the limit of time, and models that people like to read."""

import datetime as dt
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import z3

from vsalang.program.ir import Program, Rule
from vsalang.proof.solver.results import Disagreement, OpenPoint, Replay, World
from vsalang.proof.solver.scan import SLOWER, samples_of, spent_by, texts_of, with_licences
from vsalang.proof.solver.sorts import Cell, Sorts, conj, disj, is_true, neg, true_in
from vsalang.proof.solver.state import State
from vsalang.proof.solver.terms import Terms
from vsalang.proof.solver.ways import Tracker

DAY = dt.date(2026, 1, 5)
"""The day that examples like to have; any will do."""
MEGABYTES = 2000
"""How much memory one call of the solver may take, besides what all questions of the process hold already."""
UNITS = 2000
"""So many units of the solver's work (its ``rlimit``) stand for a millisecond: what it does in one, more or less. The
limit of work ends a question at the same point on every machine, however busy it is."""
_WISH = 100
"""Milliseconds for a question whether one more wish can be had."""
_MOST_WISHED = 150
"""So many questions about wishes are asked of one model."""
_MOST_UNKNOWN = 5
_MOST_REFINED = 400
"""So many models are looked at in which texts would have to be what no text is."""
_CORE = 2000


class NoAnswer(Exception):
    """The solver does not know.

    Attributes:
        reason: ``time``, ``memory``, ``incomplete`` or ``unsupported``.
        detail: the limit that it reached, its own words, or what it does not look into.
    """

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(f"{reason}: {detail}")
        self.reason = reason
        self.detail = detail

    @property
    def sentence(self) -> str:
        """Why there is no answer, for people."""
        if self.reason == "incomplete":
            return f"the solver gave up ({self.detail})"
        if self.reason == "unsupported":
            return f"the solver does not look into {self.detail}"
        return f"the {self.reason} was not enough"

    def undecided(self, rule: str, what: str) -> OpenPoint:
        """The result of the analysis that asked about a rule."""
        return OpenPoint(rule, what, self.reason, self.detail)


def limited(solver: Any, milliseconds: int) -> None:
    """Bound the work of each call of a solver, and after that its time."""
    solver.set(timeout=SLOWER * milliseconds, rlimit=UNITS * milliseconds)


@dataclass(eq=False)
class Query:
    """A state of which the given rules are asked.

    Attributes:
        timeout: milliseconds for each call of the solver; see `UNITS`.
        newest_model: the last model.
    """

    program: Program
    rules: Sequence[Rule]
    rows: int
    timeout: int
    tracker: Tracker = field(default_factory=Tracker)
    megabytes: ClassVar[int] = MEGABYTES

    def __post_init__(self) -> None:
        reached = with_licences(self.program, self.rules)
        self.sorts = Sorts([*texts_of(self.program, reached), *samples_of(reached)])
        self.terms = Terms(self.sorts)
        self.model: Any = None
        self.newest_model: Any = None
        self.state = State(self.program, self.sorts, self.terms, self.rows, counted=spent_by(reached))

    def solver(self, formulas: Iterable[Any], *, realistic: bool = False, simple: bool = False) -> Any:
        """A solver that holds what every state satisfies, and the formulas.

        Args:
            realistic: of texts see `Terms.realistic`.
            simple: it does not make formulas simpler before it starts: faster where most answers are yes.
        """
        formulas = [*formulas, *(self.terms.realistic() if realistic else ())]
        solver = z3.SimpleSolver() if simple else z3.Solver()
        solver.asked = formulas
        solver.set("max_memory", _megabytes_in_use() + self.megabytes)
        limited(solver, self.timeout)
        _add(solver, [*formulas, *self.state.facts, *self.terms.facts])
        return solver

    def check(self, solver: Any, assumptions: Iterable[Any] = ()) -> bool:
        """Whether there is a model, with a text for each of its numbers that is as the model says.

        Raises:
            NoAnswer: the solver does not know, or did not find such texts.
        """
        assumptions = list(assumptions)
        wordings = self.terms.wordings
        end = time.thread_time() + SLOWER * self.timeout / 1000
        for _ in range(_MOST_REFINED):
            doubted = bool(wordings.doubts)
            if not self._answer(solver, [*assumptions, wordings.sure] if doubted else assumptions):
                if doubted and self._answer(solver, assumptions):
                    raise NoAnswer(*next((reason, why) for why, reason in wordings.doubts.items()))
                return False
            model = solver.model()
            lemmas = wordings.lemmas(model, [*solver.asked, *assumptions])
            if not lemmas:
                self.newest_model = model
                return True
            _add(solver, lemmas)
            self.terms.facts += lemmas
            if time.thread_time() > end:
                break
        raise NoAnswer("time", f"{self.timeout / 1000:g} s")

    def _answer(self, solver: Any, assumptions: Iterable[Any]) -> bool:
        answer, why = z3.unknown, ""
        try:
            answer = _solver_answer(solver, assumptions)
            why = solver.reason_unknown() if answer == z3.unknown else ""
        except z3.Z3Exception as error:
            why = str(error)
            if "memory" not in why:
                raise
        if answer != z3.unknown:
            return bool(answer == z3.sat)
        if "memory" in why:
            raise NoAnswer("memory", f"{self.megabytes} MB")
        if "timeout" in why or "canceled" in why or "resource" in why:
            raise NoAnswer("time", f"{self.timeout / 1000:g} s")
        raise NoAnswer("incomplete", why.removeprefix("(").removesuffix(")"))

    def core(self, solver: Any, assumptions: Sequence[Any]) -> list[Any]:
        """Assumptions that contradict each other, none of them superfluous. The solver just answered no."""
        core = list(solver.unsat_core())
        limited(solver, min(self.timeout, _CORE))
        for one in list(core):
            rest = [other for other in core if not other.eq(one)]
            try:
                if not self.check(solver, rest):
                    core = rest
            except NoAnswer:
                continue
        return [one for one in assumptions if any(one.eq(other) for other in core)]

    def of_both(self, solver: Any, both: tuple[str, str], replay: Replay) -> World | None:
        """A state in which two rules hold together, by their ids; None if there is none that is sure to come about.

        Raises:
            NoAnswer: the solver could not tell.
            Disagreement: the interpreter says that one of them does not hold.
        """
        marks = [mark for mark, _ in self.tracker.marks.values()]
        if not self.check(solver, marks):
            return None
        world = self.example(solver, marks)
        if replay(world, both) == frozenset(both):
            return world
        if world.assumed:
            return None  # it depends on what the solver does not look into: it may never come about
        raise Disagreement(
            f"the solver says that {' and '.join(both)} hold together, the interpreter says they do not",
            world,
            both,
        )

    def example(self, solver: Any, assumptions: Sequence[Any] = ()) -> World:
        """A model as a state: small, and of everyday values where that is possible. The solver just answered yes.

        Raises:
            Unsupported: the model's values are none of the language.
        """
        return self._world(self.liked(solver, assumptions, self.wishes()))

    def any_example(self, solver: Any) -> World:
        """The first model as a state, however it looks. The solver just answered yes.

        Raises:
            Unsupported: the model's values are none of the language.
        """
        return self._world(self.newest_model)

    def _world(self, model: Any) -> World:
        self.model = model
        world = self.state.world(model)
        return (
            world
            if self.terms.settled_in(model)
            else replace(world, assumed=(*world.assumed, *self.terms.settled))
        )

    def liked(self, solver: Any, assumptions: Sequence[Any], wishes: Sequence[Any]) -> Any:
        """A model in which many wishes come true, rather the first ones. The solver just answered yes."""
        model = self.newest_model
        limited(solver, min(self.timeout, _WISH))
        end = time.monotonic() + SLOWER * self.timeout / 1000
        chosen, waiting = list(assumptions), [list(wishes)]
        asked = unknown = 0
        # as assumptions, not pushed: `push` obeys no limit, and can take minutes where texts are looked into
        while waiting and asked < _MOST_WISHED and unknown < _MOST_UNKNOWN and time.monotonic() < end:
            wanted = waiting.pop()
            if not all(true_in(model, wish) for wish in wanted):
                asked += 1
                try:
                    fits = self.check(solver, [*chosen, *wanted])
                except NoAnswer:
                    fits, unknown = False, unknown + 1
                if not fits:
                    middle = len(wanted) // 2
                    waiting += [wanted[middle:], wanted[:middle]] if middle else []
                    continue
                model = self.newest_model
            chosen += wanted
        return model

    def wishes(self) -> list[Any]:
        """What makes a state easy to read: first few rows, then no ``none``, all cells of a row known, round values."""
        rows: list[Any] = []
        cells: list[Any] = []
        values: list[Any] = []
        for (kind, name), slots in self.state.made.items():
            rel = self.program.relation(name)
            for slot in slots:
                rows.append(neg(slot.present))
                for attr, cell in zip(rel.attrs, slot.cells, strict=True):
                    cells.append(neg(cell.none))
                    wanted = kind == "commits" or (kind == "now" and attr.name in rel.identity)
                    cells.append(cell.known if wanted else neg(cell.known))
                    values += self.everyday(cell)
        rows += [neg(flag) for flag in self.state.screens.values()]
        day = self.terms.today.value == DAY.toordinal()
        return [wish for wish in (day, *reversed(rows), *cells, *values) if not is_true(wish)]

    def everyday(self, cell: Cell) -> list[Any]:
        """Round values."""
        value, kind = cell.value, cell.type.kind
        match kind:
            case "Number":
                return [z3.IsInt(value), conj([value >= 0, value <= 100])]
            case "Time":
                return [value % 900 == 0, conj([value >= 8 * 3600, value <= 20 * 3600])]
            case "Date":
                today = self.terms.today.value
                return [value == today, conj([value >= today - 7, value <= today + 7])]
            case "Duration":
                return [value % 60 == 0, conj([value >= 0, value <= 7200])]
            case "Text":
                others = [value == other for other in self.sorts.others]
                return [others[0], disj([self.sorts.is_named(value), *others])]
        return []


def _solver_answer(solver: Any, assumptions: Iterable[Any]) -> Any:
    """What `z3.Solver.check` answers, without its look at the sort of each assumption: all of them are Bools."""
    assumed = [one.ast for one in assumptions]
    array = (z3.Ast * len(assumed))(*assumed)
    return z3.CheckSatResult(
        z3.Z3_solver_check_assumptions(solver.ctx.ref(), solver.solver, len(assumed), array)
    )


def _add(solver: Any, formulas: Iterable[Any]) -> None:
    """As `z3.Solver.add`, without its look at the sort of each formula."""
    context = solver.ctx.ref()
    for formula in formulas:
        z3.Z3_solver_assert(context, solver.solver, formula.ast)


def _megabytes_in_use() -> int:
    """How much memory the solver holds now: its limit counts all questions of the process."""
    return int(z3.Z3_get_estimated_alloc_size()) >> 20
