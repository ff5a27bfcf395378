"""The pyDatalog back end: the same tables and plans, joined, negated and recursed over by pyDatalog.

Every atom occurrence is one predicate of ground, tagged tuples of its variables; what single rows, operators,
functions, aggregates, certain readings and the past say is decided by our code, as primitive predicates. Facts are
asserted and retracted only where an atom's tuples changed. Recursion runs in pyDatalog where it is left-linear in one
relation; on anything else pyDatalog may never answer, so such strata are computed by our engine and handed over as
facts.

A query cannot be interrupted: sessions of users and of the guard live in a process of their own
(`vsalang.engine.pydatalog.worker`); this class in the same process is for tests of agreement. Each session has a logic
of its own, put in place for the thread that asks and taken away afterwards.
"""

import datetime as dt
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import count
from typing import Any, Final

from vsalang.engine.api import Budget, EngineError
from vsalang.engine.compile.program import compile_program
from vsalang.engine.plan import AlphaSpec, DerivePlan, Plan, StratumSpec
from vsalang.engine.run import evaluate
from vsalang.engine.run.engine_session import Session
from vsalang.engine.run.maintain import replace
from vsalang.engine.run.state import State
from vsalang.engine.run.steps import run_body, run_step
from vsalang.engine.steps import Anti, Ask, Bind, Body, Captures, Enumerate, Join, Project, Step
from vsalang.engine.terms import Tuple
from vsalang.program.ir import Program
from vsalang.program.similarity import Similarity
from vsalang.program.values import tag

MISSING: Final = (
    "the engine pydatalog needs the package pyDatalog, which is not installed: pip install "
    "'vsalang[pydatalog]'"
)


def load() -> Any:
    """pyDatalog's engine module.

    Raises:
        EngineError: the package is not installed.
    """
    try:
        from pyDatalog import pyEngine
        from pyDatalog.Logic import Logic
    except ImportError as error:
        raise EngineError(MISSING) from error
    return pyEngine, Logic


def tagged(value: Any) -> Tuple:
    """A value with its type: pyDatalog takes True, 1 and Decimal(1) for one value, and looks into texts and tuples."""
    if isinstance(value, tuple):
        return ("row", tuple([tagged(cell) for cell in value]))
    if isinstance(value, dt.datetime):
        return ("datetime", value)
    return (tag(value), value)


def untagged(value: Tuple) -> Any:
    """The value that was tagged."""
    if value[0] == "row":
        return tuple([untagged(cell) for cell in value[1]])
    return value[1]


class PyDatalogEvaluator(Session):
    """See `vsalang.engine.api.Evaluator`; the arguments are those of `IncrementalEvaluator`.

    Raises:
        EngineError: pyDatalog is not installed, the program is not stratified, or a body is not safe.
    """

    __slots__ = ("executor",)

    def __init__(
        self,
        program: Program,
        *,
        today: dt.date,
        similarity: Similarity | None = None,
        budget: Budget | None = None,
    ) -> None:
        plan = compile_program(program)
        self.executor = PyDatalogExecutor(plan)
        super().__init__(
            plan, self.executor, today=today, similarity=similarity, budget=budget, maintains=False
        )


class PyDatalogExecutor:
    """Runs the bodies and fixpoints of one session by pyDatalog. See `vsalang.engine.run.state.Executor`.

    Args:
        plan: of the session's program.

    Raises:
        EngineError: pyDatalog is not installed.
    """

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.engine, self._logic_class = load()
        self._names = count()
        self._predicates: list[Any] = [None] * len(plan.alphas)
        self._mirrored: list[dict[Tuple, Any]] = [{} for _ in plan.alphas]
        self._mirror_versions = [-1] * len(plan.alphas)
        self._bodies: dict[int, tuple[Any, list[int]]] = {}
        self.recursions: dict[int, tuple[Any, list[int]]] = {}
        self._kept: list[Any] = []  # predicates live only as long as something refers to them
        self._native = False
        local = self._logic_class.tl
        before = getattr(local, "logic", None)
        self._logic = self._logic_class()
        local.logic = before
        if before is None:
            del local.logic

    @contextmanager
    def _own_logic(self) -> Iterator[None]:
        """This session's logic is the thread's for a while; it is left as it was whatever happens."""
        local, fresh = self._logic_class.tl, self.engine.Fresh_var.tl
        before = getattr(local, "logic", None)
        if not hasattr(fresh, "counter"):
            fresh.counter = 0
        logic = self._logic
        local.logic = logic
        try:
            yield
        finally:
            # `ask` does not clean up after an exception
            logic.Tasks = logic.Recursive_Tasks = logic.Goal = None
            logic.Subgoals, logic.Recursive = {}, False
            if before is None:
                del local.logic
            else:
                local.logic = before

    # ------------------------------------------------------------ clauses

    def _predicate(self, arity: int) -> Any:
        """A new declared predicate (negating one without clauses would raise)."""
        predicate = self.engine.Pred(f"p{next(self._names)}", arity)
        predicate.prearity = arity
        return self.engine.insert(predicate)

    def _alpha(self, number: int) -> Any:
        if self._predicates[number] is None:
            self._predicates[number] = self._predicate(len(self.plan.alphas[number].names))
        return self._predicates[number]

    def _literal(self, predicate: Any, terms: list[Any]) -> Any:
        return self.engine.Literal(predicate, list(terms))

    def _variable(self) -> Any:
        return self.engine.Var(f"V{next(self._names)}")

    def _primitive(
        self, extend: Callable[[list[Tuple]], list[Tuple]], env: list[Any], width: int
    ) -> tuple[Any, list[Any]]:
        """A literal that extends ground bindings by our own code, and the variables that it binds."""
        new = [self._variable() for _ in range(width)]
        predicate = self._predicate(len(env) + width)
        literal_of, constant = self.engine.Literal, self.engine.Const
        known = len(env)

        def primitive(literal: Any, subgoal: Any) -> None:
            ground = literal.terms[:known]
            if not all(term.is_const() for term in ground):
                raise EngineError("a condition was asked before its variables were bound")
            for out in extend([tuple([untagged(term.id) for term in ground])]):
                cells = [constant(tagged(value)) for value in out[known:]]
                # the new variables may stand bound in the literal: what does not agree is not a fact of it
                if all(
                    not t.is_const() or t.id == c.id
                    for t, c in zip(literal.terms[known:], cells, strict=True)
                ):
                    subgoal.fact(literal_of(predicate, [*ground, *cells]) if literal.terms else True)

        predicate.prim = primitive
        return self._literal(predicate, env + new), new

    def _negation(self, step: Anti, env: list[Any]) -> tuple[Any, list[int]]:
        """A negated literal: of the atom's tuples projected to what is bound."""
        engine, alpha = self.engine, self._alpha(step.alpha)
        wanted = [env[index] for index in step.key]
        projected = self._predicate(len(wanted))
        terms = [self._variable() for _ in range(len(self.plan.alphas[step.alpha].names))]
        engine.assert_(
            engine.Clause(
                self._literal(projected, [terms[column] for column in step.columns]),
                [self._literal(alpha, terms)],
            )
        )
        negated = engine.Pred(f"~{projected.name}", len(wanted))
        negated.prearity, negated.base_pred = len(wanted), projected
        self._kept.append(negated)
        return self._literal(negated, wanted), [step.alpha]

    def _translate(
        self, state: State, steps: list[Step], env: list[Any]
    ) -> tuple[list[Any], list[Any], list[int]]:
        """The literals of steps, the terms of their results, and the alphas that they read. Negations come last."""
        literals: list[Any] = []
        negations: list[Any] = []
        alphas: list[int] = []
        for step in steps:
            if isinstance(step, Project):
                env = [env[index] for index in step.keep]
            elif isinstance(step, Join):
                terms: list[Any] = [None] * len(self.plan.alphas[step.alpha].names)
                for position, column in zip(step.key, step.columns, strict=True):
                    terms[column] = env[position]
                new = []
                for column in step.new:
                    terms[column] = self._variable()
                    new.append(terms[column])
                literals.append(self._literal(self._alpha(step.alpha), terms))
                alphas.append(step.alpha)
                env = env + new
            elif isinstance(step, Anti) and not step.tests:
                literal, read = self._negation(step, env)
                negations.append(literal)
                alphas.extend(read)
            else:
                literal, new = self._primitive(partial(run_step, state, step), env, _width(step))
                literals.append(literal)
                env = env + new
        return literals + negations, env, alphas

    def _sync(self, state: State, alphas: list[int]) -> None:
        """Assert and retract what changed in the alpha memories that are about to be read."""
        engine = self.engine
        for number in alphas:
            alpha = state.alphas[number]
            if self._mirror_versions[number] == alpha.version:
                continue
            mirror, predicate = self._mirrored[number], self._alpha(number)
            for gone in [t for t in mirror if t not in alpha.counts]:
                engine.retract(mirror.pop(gone))
            for t in alpha.counts:
                if t not in mirror:
                    terms = [engine.Const(tagged(value)) for value in t]
                    mirror[t] = engine.assert_(engine.Clause(self._literal(predicate, terms), []))
            self._mirror_versions[number] = alpha.version

    # ------------------------------------------------------------ asking

    def run(self, state: State, body: Body, envs: list[Tuple] | None) -> list[Tuple]:
        """The bindings of a body, found by pyDatalog. See `Executor`."""
        if self._native or not body.steps:
            return run_body(state, body, envs)
        if self._logic is getattr(self._logic_class.tl, "logic", None):
            return run_body(state, body, envs)  # asked by one of our own primitives, while pyDatalog runs
        if envs is not None and not envs:
            return []
        width = 0 if envs is None else len(envs[0])
        with self._own_logic():
            known = self._bodies.get(id(body))
            if known is None:
                variables = [self._variable() for _ in range(width)]
                literals, out, alphas = self._translate(state, body.steps, list(variables))
                predicate = self._predicate(width + len(out))
                self.engine.assert_(self.engine.Clause(self._literal(predicate, variables + out), literals))
                known = self._bodies[id(body)] = (predicate, alphas)
            predicate, alphas = known
            self._sync(state, alphas)
            answers: list[Tuple] = []
            for env in [()] if envs is None else envs:
                terms = [self.engine.Const(tagged(value)) for value in env]
                terms += [self._variable_for(i) for i in range(predicate.arity - width)]
                answer = self._literal(predicate, terms).ask()
                rows = [()] if answer is True else answer
                state.spend(len(rows))
                if answer is True:
                    answers.append(())
                else:
                    answers.extend(tuple([untagged(cell) for cell in row[width:]]) for row in rows)
        return answers

    def _variable_for(self, index: int) -> Any:
        return self.engine.Var(f"Q{index}")

    def fixpoint(self, state: State, spec: StratumSpec) -> None:
        """A recursive component: by pyDatalog where that is safe, else by our engine."""
        if not self.runs_recursion(spec):
            self._native = True
            try:
                evaluate.fixpoint(state, spec)
            finally:
                self._native = False
            return
        table = spec.members[0]
        width = self.plan.tables[table].arity
        with self._own_logic():
            known = self.recursions.get(table)
            if known is None:
                known = self.recursions[table] = self._recursion(state, spec, width)
            predicate, alphas = known
            self._sync(state, alphas)
            answer = self._literal(predicate, [self._variable_for(i) for i in range(width)]).ask()
        rows = [()] if answer is True else [tuple([untagged(cell) for cell in row]) for row in answer]
        state.spend(len(rows))
        replace(state, table, dict.fromkeys(rows))

    @staticmethod
    def runs_recursion(spec: StratumSpec) -> bool:
        """Whether pyDatalog answers on a component whatever the data: one relation, one recursive atom in a rule."""
        return len(spec.members) == 1 and all(len(plan.deltas) <= 1 for plan in spec.plans)

    def _recursion(self, state: State, spec: StratumSpec, width: int) -> tuple[Any, list[int]]:
        """The clauses of a left-linear recursion: the recursive atom stands first."""
        engine = self.engine
        predicate = self._predicate(width)
        alphas: list[int] = []
        for plan in spec.plans:
            before: list[Any] = []
            if plan.deltas:
                (number, body) = plan.deltas[0]
                row = [self._variable() for _ in range(width)]
                before.append(self._literal(predicate, row))
                alpha = self.plan.alphas[number]
                literal, env = self._primitive(partial(_through, state, alpha), row, len(alpha.names))
                before.append(literal)
                steps = body.steps[1:]
            else:
                env, steps = [], plan.body.steps
            literals, out, read = self._translate(state, steps, env)
            head, cells = self._primitive(partial(_heads, state, plan), out, width)
            negations = [literal for literal in literals if literal.pred.name.startswith("~")]
            others = [literal for literal in literals if not literal.pred.name.startswith("~")]
            # the head's terms are computed last but for negations, whose variables are all bound by then
            engine.assert_(
                engine.Clause(self._literal(predicate, cells), [*before, *others, head, *negations])
            )
            alphas.extend(read)
        return predicate, alphas


def _width(step: Step) -> int:
    """How many values a step that is not a join appends."""
    if isinstance(step, Bind | Enumerate):
        return 1
    if isinstance(step, Captures):
        return len(step.names)
    return step.width if isinstance(step, Ask) else 0


def _through(state: State, alpha: AlphaSpec, rows: list[Tuple]) -> list[Tuple]:
    """Appends to each row its tuple in an alpha memory."""
    pairs = [(row, alpha.fn(row, state.ctx)) for row in rows]
    return [row + out for row, out in pairs if out is not None]


def _heads(state: State, plan: DerivePlan, envs: list[Tuple]) -> list[Tuple]:
    """Appends to each binding the row that a rule derives from it."""
    state.spend(len(envs))
    pairs = [(env, plan.head(env, state.ctx)) for env in envs]
    return [env + row for env, row in pairs if row is not None]
