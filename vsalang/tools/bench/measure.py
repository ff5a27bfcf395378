"""Measures: drives the guard through stories, records what it asks the engine, and asks that again rule by rule."""

import gc
import time
import tracemalloc
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import cycle, islice
from typing import Any

from vsalang.base.source import Span
from vsalang.engine import open_session
from vsalang.guard.examples import Story, StoryError
from vsalang.guard.frontier.expanding import remembering
from vsalang.guard.say.verdict import NotAllowed, Verdict
from vsalang.program.example import Example
from vsalang.program.ir import Program
from vsalang.tools.bench.cost import BenchError, Cost, Events, Plan, Report, RuleCost
from vsalang.tools.bench.stories import Inventor, from_tests
from vsalang.tools.bench.tape import Recorder, Tape, play, subjects

Progress = Callable[[float, str], None]
"""Told how much is done (0 to 1) and what comes next."""

Where = Callable[[Span], tuple[str, int]]
"""The file and line (from 1) of a place."""

LONGEST_TAPE = 300
"""Turns that are recorded for the engine's share and for single rules."""


def measure(
    program: Program,
    tests: Sequence[Example],
    plan: Plan | None = None,
    *,
    load: float = 0.0,
    where: Where | None = None,
    progress: Progress | None = None,
) -> Report:
    """Measure a program.

    Args:
        program: checked.
        tests: its own.
        plan: how.
        load: seconds that reading and checking took, for the report.
        where: the file and line of a place.
        progress: called with how far it is.

    Raises:
        BenchError: there is nothing to drive it with, or its plan asks for nothing.
        EngineError: the program cannot be evaluated.
    """
    plan = plan or Plan()
    tell = progress or (lambda share, what: None)
    if min(plan.events, plan.rounds, plan.sessions) < 1:
        raise BenchError("events, rounds and sessions are at least 1")
    source, stories = _stories(program, tests, plan)
    tell(0.0, "compiling")
    compiling, opening = _compile(program, stories[0])
    tell(0.02, "recording")
    tapes = _record(program, stories)
    turns, judged = [], []
    for number in range(plan.rounds):
        tell(0.05 + 0.35 * number / plan.rounds, "running turns")
        all_turns, proposals = _run(program, stories, plan.events)
        turns.append(all_turns)
        judged.append(proposals)
    tell(0.40, "running the engine alone")
    asked = remembering(program)
    play(asked, tapes[:1])
    engine = [play(asked, tapes) for _ in range(plan.rounds)]
    tell(0.45, "running each rule")
    rules = _rules(program, tapes, plan, tell, where or _nowhere) if plan.rules else ()
    tell(0.90, "weighing sessions")
    with _traced():
        memory = _weigh([lambda: _kept(program, stories[0])] * plan.sessions)
        engine_memory = _weigh([lambda: play_and_keep(program, tapes[0])] * plan.sessions)
    tell(1.0, "done")
    return Report(
        program.main,
        source,
        Cost.of(turns),
        Cost.of(judged) if any(judged) else None,
        Cost.of(engine),
        rules,
        load,
        compiling,
        opening,
        memory,
        engine_memory,
        len(program.rules),
    )


def _nowhere(span: Span) -> tuple[str, int]:
    return span.file, 0


def _stories(program: Program, tests: Sequence[Example], plan: Plan) -> tuple[Events, list[Example]]:
    examples = from_tests(tests)
    if plan.source == "tests" and not examples:
        raise BenchError("there is no test with a turn in the file: measure it with random events")
    if examples and plan.source != "random":
        return "tests", examples
    inventor = Inventor(program, plan.seed)
    if inventor.empty:
        raise BenchError(
            "the program has no test, no state and no action of its own: nothing can happen in it"
        )
    return "random", [inventor.story(number) for number in range(max(1, min(40, plan.events // 25)))]


# ---------------------------------------------------------------- the guard


def _each(story: Story, example: Example) -> Iterator[float | None]:
    """Run a story; the seconds of each turn, None for other steps."""
    clock = time.perf_counter
    for turn in example.turns:
        begin = clock()
        try:
            story.step(turn)
        except (StoryError, NotAllowed):  # an approval where nothing was asked after all
            yield None
        else:
            yield clock() - begin if turn.kind == "turn" else None


def _run(program: Program, stories: Sequence[Example], events: int) -> tuple[list[float], list[float]]:
    """Seconds of each turn, and of each proposal until its verdict; stories are repeated until there are enough."""
    turns: list[float] = []
    proposals: list[float] = []
    clock = time.perf_counter
    for example in cycle(stories):
        story = Story.begin(program, example)
        propose = story.guard.propose

        def timed(*args: Any, _propose: Callable[..., Verdict] = propose, **named: Any) -> Verdict:
            begin = clock()
            verdict = _propose(*args, **named)
            proposals.append(clock() - begin)
            return verdict

        setattr(story.guard, "propose", timed)  # noqa: B010 - the type checker forbids to assign to a method
        turns += [seconds for seconds in _each(story, example) if seconds is not None]
        if len(turns) >= events:
            return turns, proposals
    raise AssertionError("stories have turns")


def _kept(program: Program, example: Example) -> Story:
    story = Story.begin(program, example)
    for _ in _each(story, example):
        pass
    return story


# ---------------------------------------------------------------- the engine


def _record(program: Program, stories: Sequence[Example]) -> list[Tape]:
    """The guard's inputs and questions to the engine, for as many stories as make a tape."""
    tapes: list[Tape] = []
    length = 0
    for example in stories:
        made: list[Recorder] = []

        def recording(
            asked: Program, *, today: Any, similarity: Any, budget: Any, _made: list[Recorder] = made
        ) -> Any:
            inner = open_session(asked, today=today, similarity=similarity, budget=budget)
            _made.append(Recorder(inner, Tape(today, similarity)))
            return _made[0]

        story = Story.begin(program, example, engine=recording)
        tape = made[0].tape
        for turn in example.turns:
            tape.cut()
            try:
                story.step(turn)
            except (StoryError, NotAllowed):
                continue
        tape.cut()
        tapes.append(tape)
        length += len(tape.turns)
        if length >= LONGEST_TAPE:
            break
    return tapes


def _rules(
    program: Program, tapes: Sequence[Tape], plan: Plan, tell: Progress, where: Where
) -> tuple[RuleCost, ...]:
    """Each rule with what it depends on and nothing else, with all inputs of the engine; minus what no rule costs."""
    turns = sum(len(tape.turns) for tape in tapes)
    parts = subjects(program, tapes)
    empty = replace(program, rules=(), digest=f"{program.digest}/none")
    best: dict[str, list[float]] = {}
    base: list[float] = []
    play(empty, tapes[:1], asked=())
    for number in range(plan.rounds):
        base = _least(base, play(empty, tapes, asked=()))
        for index, part in enumerate(parts):
            if number == 0:  # what is made on first use is not a rule's
                play(part.program, tapes[:1], asked=part.asked, rows=part.rows)
            seconds = play(part.program, tapes, asked=part.asked, rows=part.rows)
            best[part.name] = _least(best.get(part.name, []), seconds)
            tell(0.45 + 0.45 * (number + (index + 1) / len(parts)) / plan.rounds, "running each rule")
    costs = []
    for part in parts:
        seconds_added = max(0.0, sum(best[part.name]) - sum(base)) / turns
        file, line = where(part.span) if part.span is not None else ("", 0)
        costs.append(RuleCost(part.name, part.kind, file, line, seconds_added, part.times / turns))
    return tuple(sorted(costs, key=lambda cost: (-cost.seconds, cost.name)))


def _least(best: list[float], seconds: list[float]) -> list[float]:
    """Turn by turn the lesser: other work of the machine only ever adds."""
    return [min(pair) for pair in zip(best, seconds, strict=True)] if best else seconds


def play_and_keep(program: Program, tape: Tape) -> Any:
    """The session that a tape was played to."""
    kept: list[Any] = []
    play(remembering(program), [tape], keep=kept)
    return kept


def _compile(program: Program, example: Example) -> tuple[float, float]:
    """Seconds from a checked program to its first session, and to one more."""
    fresh = replace(program, digest=f"{program.digest}/fresh")  # nothing that was made for it before fits
    clock = time.perf_counter
    begin = clock()
    story = Story.begin(fresh, example)
    first = clock() - begin
    again = []
    for _ in range(5):
        begin = clock()
        story = Story.begin(fresh, example)
        again.append(clock() - begin)
    assert story.guard.program is fresh
    opening = min(again)
    return max(0.0, first - opening), opening


# ---------------------------------------------------------------- memory


@contextmanager
def _traced() -> Iterator[None]:
    if tracemalloc.is_tracing():
        yield
        return
    tracemalloc.start()
    try:
        yield
    finally:
        tracemalloc.stop()


def _weigh(makers: Iterable[Callable[[], Any]]) -> int:
    """Bytes that one more of these things holds, on average; the first one makes what all of them share."""
    made = list(makers)
    shared = made[0]()
    gc.collect()
    before = tracemalloc.get_traced_memory()[0]
    kept = [make() for make in islice(made, len(made))]
    gc.collect()
    after = tracemalloc.get_traced_memory()[0]
    weight = (after - before) // len(kept)
    del kept, shared
    return max(0, weight)
