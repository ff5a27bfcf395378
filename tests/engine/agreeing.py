"""Whether evaluators agree: a program and a stream of updates through all of them, all compared at every step."""

from collections import Counter, deque
from pathlib import Path
from typing import Any

from tests.engine.generators import Step, apply
from tests.engine.worlds import NOON, TODAY, listing
from tests.oracle import open_session
from vsalang.engine.api import Answer, Evaluator
from vsalang.engine.pydatalog.backend import PyDatalogEvaluator
from vsalang.engine.pydatalog.codec import dumps, loads
from vsalang.program.ir import Derive, Expect, First, License, Lit, Program, Recognize, Rule
from vsalang.program.values import tag
from vsalang.program.walk import uses

OTHERS = ("incremental", "pydatalog")


class Disagreement(AssertionError):
    """Two evaluators answer differently."""


def evaluator(made: Program, engine: str, **more: Any) -> Evaluator:
    """A session in this process (what users get of pyDatalog lives in another one)."""
    if engine == "pydatalog":
        return PyDatalogEvaluator(made, today=TODAY, **more)
    return open_session(made, engine=engine, today=TODAY, **more)


def tagged(row: Any) -> Any:
    """A row in which True and 1 differ."""
    return tuple((tag(cell), cell) for cell in row)


def told(engine: Evaluator, made: Program, asked: "deque[tuple[str, Answer]]") -> dict[str, Any]:
    """All that an evaluator says of the present."""
    found: dict[str, Any] = {}
    for rule in made.rules:
        answers = engine.answers(rule.id)
        found[f"answers {rule.id}"] = frozenset((tagged(x.values), tagged(x.instance)) for x in answers)
        if isinstance(rule.head, Recognize):
            more = engine.extra_answers(rule.id)
            found[f"extra {rule.id}"] = frozenset((tagged(x.values), tagged(x.instance)) for x in more)
    for name, rel in made.relations.items():
        if rel.sort in ("derived", "screen"):
            found[f"rows {name}"] = frozenset(map(tagged, engine.rows(name)))
    for number, (rule_id, answer) in enumerate(asked):
        found[f"expected {rule_id} {number} {answer.values}"] = engine.expected(rule_id, answer)
    return found


def is_exact(made: Program, rule: Rule) -> bool:
    """Whether a licence must have the very same answers everywhere.

    Where it reads a derived relation possibly, counts the rows above a row of a list certainly, or denies something
    of the past, an evaluator may know less than the reference of what could be unseen; then it may answer less, never
    more.
    """
    waiting, seen = [rule], set()
    while waiting:
        for literal in waiting.pop().body:
            if isinstance(literal, First) or (isinstance(literal, Lit) and literal.neg and literal.past):
                return False
            for use in uses((literal,)):
                atom = use.atom
                if made.relation(atom.relation).sort != "derived":
                    continue
                if not use.monotone:
                    return False
                if atom.relation not in seen:
                    seen.add(atom.relation)
                    waiting += [
                        r
                        for r in made.rules
                        if isinstance(r.head, Derive) and r.head.atom.relation == atom.relation
                    ]
    return True


def differences(made: Program, right: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    """Where two evaluators differ in a way that they must not."""
    loose = {f"answers {r.id}" for r in made.rules if isinstance(r.head, License) and not is_exact(made, r)}
    return {
        key: (right[key], other[key])
        for key in right
        if not (other[key] <= right[key] if key in loose else other[key] == right[key])
    }


def check_agreement(made: Program, steps: list[Step], others: tuple[str, ...] = OTHERS) -> "Counter[str]":
    """Run the stream through all evaluators and compare after every step; how much was compared.

    Raises:
        Disagreement: with the program, the steps so far, and the answers.
    """
    engines = {name: evaluator(made, name) for name in ("reference", *others)}
    savepoints: dict[str, list[int]] = {name: [] for name in engines}
    asked: deque[tuple[str, Answer]] = deque(maxlen=4)
    compared: Counter[str] = Counter()
    for engine in engines.values():
        engine.now(NOON)
    for number, step in enumerate(steps):
        said = {}
        for name, engine in engines.items():
            apply(engine, step, savepoints[name])
            said[name] = told(engine, made, asked)
        compared["steps"] += 1
        compared["questions"] += len(said["reference"])
        compared["answers"] += sum(
            len(found) if isinstance(found, frozenset) else 1 for found in said["reference"].values()
        )
        for name in others:
            different = differences(made, said["reference"], said[name])
            if different:
                done = "\n".join(map(str, steps[: number + 1]))
                raise Disagreement(
                    f"{name} differs from the reference (right, {name}): {different}\n{listing(made)}\n{done}"
                )
        for rule in made.rules:
            if isinstance(rule.head, Expect):
                asked.extend(
                    (rule.id, answer)
                    for answer in sorted(engines["reference"].answers(rule.id), key=repr)[:2]
                )
    return compared


# ---------------------------------------------------------------- what disagreed once


def keep(file: Path, made: Program, steps: list[Step]) -> None:
    """Write a program and its stream to a file, so that they can be tried again after the generators changed."""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(dumps((made, steps)) + b"\n")


def kept(file: Path) -> tuple[Program, list[Step]]:
    """The program and the stream of a file."""
    made, steps = loads(file.read_bytes())
    return made, list(steps)
