"""pyDatalog as its manual shows: `load` the rules, `assert_fact`, `retract_fact`, `ask` as text."""

from collections.abc import Callable
from typing import Any

from pyDatalog import pyDatalog
from pyDatalog.Logic import Logic

from benchmarks.engines import pydatalog_best as best
from benchmarks.engines.atoms import alphas
from benchmarks.workloads import Work

NAME = "pyDatalog, as its manual shows"
CANNOT = best.CANNOT
Step = Callable[[Any], Any]


def start(rules: str, arities: dict[str, int]) -> None:
    Logic()
    for name, arity in arities.items():
        pyDatalog.assert_fact(name, *["x"] * arity)
        pyDatalog.retract_fact(name, *["x"] * arity)
    pyDatalog.load(rules)


def answers(question: str) -> Any:
    found = pyDatalog.ask(question)
    return found.answers if found is not None else ()


def w1(work: Work) -> Step:
    start(best.W1, {"form": 2, "common": 1, "may": 1, "done": 1, "nothing": 1})
    questions = [(name, f"{name.lower()}('x')") for name in work.relations]
    kept: list[Any] = [None] * 5

    def step(event: Any) -> Any:
        cell, value = event
        if kept[cell] is not None:
            pyDatalog.retract_fact("form", best.FORM[cell], kept[cell])
        kept[cell] = None if value is None else best.plain_value(value)
        if kept[cell] is not None:
            pyDatalog.assert_fact("form", best.FORM[cell], kept[cell])
        return [name for name, question in questions if pyDatalog.ask(question)]

    return best.owned(step)


def w2(work: Work) -> Step:
    truth, flips = alphas(work.spec)
    names = [f"h{head}" for head in range(len(work.spec.heads))]
    start(best.w2_rules(work.spec), dict.fromkeys([*names, *(f"a{n}" for n in range(len(truth)))], 1))
    for number, holds in enumerate(truth):
        if holds:
            pyDatalog.assert_fact(f"a{number}", "x")
    questions = [(name.upper(), f"{name}('x')") for name in names]

    def step(event: Any) -> Any:
        for number, holds in flips(event):
            if holds:
                pyDatalog.assert_fact(f"a{number}", "x")
            else:
                pyDatalog.retract_fact(f"a{number}", "x")
        return [name for name, question in questions if pyDatalog.ask(question)]

    return best.owned(step)


def w3(work: Work) -> Step:
    start(best.W3, {**best.ITEM, "above": 2, "marked": 1, "row": 2, "twice": 1, "stuck": 1})
    pyDatalog.load("(rows[L] == len_(C)) <= recycler(L) & parent(C, L) & group(C)")
    for item in work.spec:
        for fact in best.features(item):
            pyDatalog.assert_fact(*fact)

    def step(event: Any) -> Any:
        for old, new in event:
            for fact in best.features(old) if old else ():
                pyDatalog.retract_fact(*fact)
            for fact in best.features(new) if new else ():
                pyDatalog.assert_fact(*fact)
        counts = dict(answers("rows[L] == N"))
        for (one,) in answers("recycler(L)"):  # the count of an empty group is not a row
            counts.setdefault(one, 0)
        return answers("marked(N)"), counts.items(), answers("twice(T)"), answers("stuck(N)")

    return best.owned(step)


def w4(work: Work) -> Step:
    start(best.W4, {"start": 1, "edge": 2, "reach": 1})
    for edge in work.spec:
        pyDatalog.assert_fact("edge", *edge)
    pyDatalog.assert_fact("start", 0)
    begin = 0

    def step(event: Any) -> Any:
        nonlocal begin
        kind, a, b = event
        if kind == "+":
            pyDatalog.assert_fact("edge", a, b)
        elif kind == "-":
            pyDatalog.retract_fact("edge", a, b)
        else:
            pyDatalog.retract_fact("start", begin)
            begin = a
            pyDatalog.assert_fact("start", a)
        return answers("reach(N)")

    return best.owned(step)


def w6(work: Work) -> Step:
    made = [w1(work) for _ in range(work.spec)]

    def step(event: Any) -> Any:
        return made[event[0]](event[1])

    return step
