"""Asks a question of a program in a state: the rows, why each is there, and what is missing if there are none."""

import datetime as dt
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from vsalang.base.names import DEFAULT_ENGINE, EngineName
from vsalang.engine import Budget, EngineError, Evaluator, open_session
from vsalang.engine.api import Row
from vsalang.engine.explain.match import Facts, in_order
from vsalang.engine.explain.proof import Probes
from vsalang.engine.explain.terms import Context
from vsalang.guard import GuardFailed
from vsalang.guard.judge.licences import Licences
from vsalang.program.ir import Program
from vsalang.program.similarity import DEFAULT, Similarity
from vsalang.program.values import Value, row_order, show, tag, without_unknown
from vsalang.tools.ask.answer import Clause, Condition
from vsalang.tools.ask.engines import AskError, Recorder, rows_by
from vsalang.tools.ask.missing import Missing
from vsalang.tools.ask.probes import probed
from vsalang.tools.ask.proof import ProofWriter
from vsalang.tools.ask.question import Place, Question
from vsalang.tools.ask.rows_asked import RowsAsked, rows_asked
from vsalang.tools.ask.state import Player, Situation

DEFAULT_TIMEOUT = 30.0
"""The time limit of a worker process, in seconds."""


@dataclass
class Moment:
    """A session in the state of the question, whose program contains the question.

    Attributes:
        player: the session.
        probes: the rules that were added to the program.
        evaluator: the session's.
    """

    player: Player
    probes: Probes
    evaluator: Recorder

    @cached_property
    def facts(self) -> Facts:
        """What can be evaluated outside the engine."""
        guard, program = self.player.guard, self.probes.program
        snapshot = guard.snapshot
        licences = Licences(program)
        return Facts(
            program,
            Context(self.player.guard.today, self.player.now, self.evaluator.similarity),
            in_order(self.evaluator.rows),
            in_order(snapshot.world.rows),
            lambda name: snapshot.world.table(name).complete,
            lambda name: [commit.row for relation, commit in snapshot.committed if relation == name],
            lambda name: licences.spent(name, snapshot.grants),
            sent=snapshot.sent,
        )

    @cached_property
    def prover(self) -> ProofWriter:
        return ProofWriter(self.probes, self.evaluator, self.facts)

    @cached_property
    def missing(self) -> Missing:
        return Missing(self.probes, self.evaluator, self.facts, self.prover)


@dataclass
class Reply:
    """The answer to a question.

    Attributes:
        question: the question.
        rows: the values of its variables, sorted; one empty row if it has none and holds.
        engine: which evaluator gave the rows.
        moment: the state in which it was asked.
    """

    question: Question
    rows: tuple[Row, ...]
    engine: EngineName
    moment: Moment
    _why: dict[int, tuple[Condition, ...]] = field(default_factory=dict)

    @property
    def holds(self) -> bool:
        """Whether there is a row."""
        return bool(self.rows)

    def values(self, number: int) -> Mapping[str, Value]:
        """The variables of a row."""
        return without_unknown(zip(self.question.variables, self.rows[number], strict=True))

    def why(self, number: int) -> tuple[Condition, ...]:
        """Why a row is there: the conditions of the body with the facts that meet them, down to observations."""
        if number not in self._why:
            prover = self.moment.prover
            # all variables of the body, also those inside conditions, as the engine binds them
            instances = self._instances.get(self.rows[number], [])
            binding = instances[0] if instances else self.values(number)
            self._why[number] = prover.prove(self.question.rule, binding).conditions
        return self._why[number]

    @cached_property
    def _instances(self) -> dict[Row, list[Mapping[str, Value]]]:
        name, names = self.moment.probes.instances[self.question.rule.id]
        instances: dict[Row, list[Mapping[str, Value]]] = {}
        for row in sorted(self.moment.evaluator.rows(name), key=row_order):
            binding = without_unknown(zip(names, row, strict=True))
            instances.setdefault(tuple(binding.get(n) for n in self.question.variables), []).append(binding)
        return instances

    @cached_property
    def why_not(self) -> Clause:
        """The body under the binding that is nearest to holding."""
        return self.moment.missing.clause(self.question.rule, {})

    @cached_property
    def rows_asked(self) -> tuple[RowsAsked, ...]:
        """The rows that there are of what the question asks for."""
        return rows_asked(self.moment.facts, self.question.rule.body)


def ask(
    place: Place,
    situation: Situation,
    question: Question,
    *,
    engine: EngineName = DEFAULT_ENGINE,
    timeout: float = DEFAULT_TIMEOUT,
) -> Reply:
    """Ask a question in a situation.

    Args:
        place: the program.
        situation: how its session reaches the state of the question.
        question: the question, checked in the same place.
        engine: which evaluator gives the rows; pydatalog runs in its own process.
        timeout: the time limit of that process, in seconds.

    Raises:
        AskError: the situation cannot be reached, or the evaluator fails or takes too long.
    """
    moment = bring_about(place, situation, question)
    try:
        own = moment.evaluator.rows(question.relation.name)
    except EngineError as error:
        raise AskError(f"the question cannot be answered: {error}") from error
    if engine != DEFAULT_ENGINE:
        bare = probed(place.program, [question], explain=False).program
        rows = rows_by(engine, bare, moment.evaluator, question.relation.name, timeout)
        if rows != own:
            raise AskError(
                f"the engines disagree: {engine} gives {len(rows)} rows, incremental {len(own)}; "
                "please report this with the file and the question"
            )
    return Reply(question, tuple(sorted(own, key=_order)), engine, moment)


def bring_about(place: Place, situation: Situation, *questions: Question) -> Moment:
    """The moment to which a situation leads, with the questions added to the program.

    Raises:
        AskError: it cannot be reached.
    """
    probes = probed(place.program, questions)
    made: list[Recorder] = []

    def recording(
        program: Program, *, today: dt.date, similarity: Similarity | None, budget: Budget
    ) -> Evaluator:
        """Questions may take time: the usual bounds hold, not those of a recorded session."""
        answers = similarity or DEFAULT
        made.append(Recorder(open_session(program, today=today, similarity=answers), today, answers))
        return made[0]

    return Moment(
        guarded(lambda: Player(probes.program, situation, recording, place.similarity)), probes, made[0]
    )


def guarded(make: Callable[[], Player]) -> Player:
    """Open a session; errors of the engine and the guard become `AskError`."""
    try:
        return make()
    except (EngineError, GuardFailed) as error:
        raise AskError(f"the state cannot be reached: {error}") from error


def _order(row: Row) -> tuple[tuple[str, object], ...]:
    """Rows sorted by value; values without an order by their text."""
    keys: list[tuple[str, object]] = []
    for cell in row:
        plain = tag(cell) in ("text", "number", "date", "time", "duration", "bool")
        keys.append((tag(cell), cell if plain else show(cell)))
    return tuple(keys)
