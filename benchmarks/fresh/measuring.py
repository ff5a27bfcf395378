"""Judges the items of a fresh set, in one process or several."""

import multiprocessing
import tempfile
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from copy import copy
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from benchmarks.effects.answers import RecordedModel, Tally
from benchmarks.fresh import JudgingSet
from benchmarks.fresh.charters import NotAnswered, WrittenCharter, written
from benchmarks.fresh.judging import NOBODY, Asked, Judged, charter_program, judge, policies_program
from benchmarks.fresh.make.charters import text_of
from benchmarks.fresh.make.source import Item
from benchmarks.fresh.totals import InstructionAlarm, Result
from vsalang.models.effects.kept import AnswerFile
from vsalang.program.ir import Program

CHUNK = 8
"""So many items are judged at a time."""


@dataclass(frozen=True, slots=True)
class Setup:
    """How items are judged.

    Attributes:
        place: the folder with the walks.
        with_policies: under the policies.
        with_charters: under their charters.
        joined: the charter and the policies are one program; the policies alone are not measured.
        writer: the set with whose answers a model wrote the charters; None: the author wrote them.
        model: is asked about controls that nobody knows, under charters; None: nobody is.
        judged: it also judges what carries a text, where a person has accepted its answers about controls.
        review: whether charters are those of after a reader looked at them.
    """

    place: Path
    with_policies: bool
    with_charters: bool
    joined: bool = False
    writer: JudgingSet | None = None
    model: RecordedModel | None = None
    judged: bool = False
    review: bool = False


@dataclass(frozen=True, slots=True)
class Measured:
    """What was judged.

    Attributes:
        results: without answers about controls.
        answered: with them, and nobody has accepted them; without a model the same.
        accepted: after a person has accepted all that were given in this walk; without a model the same.
        judged: the same, with a judge of texts; without one none.
        unwritten: how many items have no charter yet; they are in neither.
        stale: how many answers with charters were given after another prompt.
        tally: what the model was asked.
    """

    results: tuple[Result, ...] = ()
    answered: tuple[Result, ...] = ()
    accepted: tuple[Result, ...] = ()
    judged: tuple[Result, ...] = ()
    unwritten: int = 0
    stale: int = 0
    tally: Tally = field(default_factory=Tally)

    def with_all(self, other: "Measured") -> "Measured":
        """Both together."""
        return Measured(
            self.results + other.results,
            self.answered + other.answered,
            self.accepted + other.accepted,
            self.judged + other.judged,
            self.unwritten + other.unwritten,
            self.stale + other.stale,
            self.tally.with_all(other.tally),
        )


@cache
def _policies() -> Program:
    return policies_program()


def measured(chosen: Sequence[Item], setup: Setup, *, jobs: int = 1) -> Measured:
    """Judge items, in their order.

    Args:
        chosen: what is judged.
        setup: how.
        jobs: so many processes.

    Raises:
        ModelError: recorded answers cannot be read.
    """
    works = [(chosen[start : start + CHUNK], setup) for start in range(0, len(chosen), CHUNK)]
    made = Measured()
    if jobs < 2:
        for work in works:
            made = made.with_all(_job(work))
        return made
    with ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn")) as pool:
        for part in pool.map(_job, works):
            made = made.with_all(part)
    return made


def _job(work: tuple[Sequence[Item], Setup]) -> Measured:
    chosen, setup = work
    made = Measured()
    for item in chosen:
        made = made.with_all(_measured(item, setup))
    return made


def _measured(item: Item, setup: Setup) -> Measured:
    walk = setup.place / f"{'unsafe' if item.unsafe else 'safe'}_fresh" / item.walk
    if setup.joined:  # what the policies say is in what the charter's program says
        policies: Judged | None = Judged(item.name, None)
    else:
        policies = judge(item, walk, _policies(), charter=False) if setup.with_policies else None
    if not setup.with_charters:
        result = Result(item, policies, None)
        return Measured((result,), (result,), (result,))
    try:
        charter = _charter(item, setup)
    except NotAnswered:
        return Measured(unwritten=1)
    model = copy(setup.model)
    if model is None:
        result = _result(item, walk, policies, charter, setup)
        return Measured((result,), (result,), (result,), stale=charter.stale)
    model.tally = Tally()
    with tempfile.TemporaryDirectory() as folder:
        file = AnswerFile(Path(folder) / "answers.sqlite")
        answered = _result(item, walk, policies, charter, setup, Asked(model, file))
        result = accepted = answered
        if model.tally != Tally():  # something was asked
            result = _result(item, walk, policies, charter, setup)
            file.accept(file.all())
            accepted = _result(item, walk, policies, charter, setup, Asked(file=file))
        judged = ()
        if setup.judged:
            judged = (_result(item, walk, policies, charter, setup, Asked(file=file, texts=model)),)
    return Measured((result,), (answered,), (accepted,), judged, stale=charter.stale, tally=model.tally)


def _charter(item: Item, setup: Setup) -> WrittenCharter:
    """The charter of an item. Raises `NotAnswered`, `ModelError`."""
    if setup.writer is not None:
        return written(item.query, setup.writer, review=setup.review)
    text = text_of(item)
    return WrittenCharter(text, text)


def _result(
    item: Item,
    walk: Path,
    policies: Judged | None,
    charter: WrittenCharter,
    setup: Setup,
    asked: Asked = NOBODY,
) -> Result:
    if setup.writer is None:
        return Result(item, policies, _under(item, walk, charter.text, setup, asked))
    concerns = charter.judgement.concerns if charter.judgement is not None else ()
    raises = charter.judgement is not None and charter.judgement.raises
    said = InstructionAlarm(raises, concerns, bool(charter.refused))
    if charter.refused or charter.problem:
        return Result(item, policies, Judged(item.name, None, problem=charter.problem), judgement=said)
    judged = _under(item, walk, charter.text, setup, asked)
    in_force = None
    if charter.in_force != charter.text:
        in_force = _under(item, walk, charter.in_force, setup, asked)
    return Result(item, policies, judged, in_force, said)


def _under(item: Item, walk: Path, text: str, setup: Setup, asked: Asked) -> Judged:
    """What is said of a walk under a charter."""
    try:
        program = charter_program(item, text, joined=setup.joined, judged=asked.texts is not None)
    except ValueError:
        return Judged(item.name, None, problem="the charter does not compile")
    return judge(item, walk, program, charter=True, asked=asked)
