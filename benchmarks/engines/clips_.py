"""CLIPS (`clipspy`): facts with logical support, so that conclusions go when their reasons go; flips call Python."""

from collections.abc import Callable
from typing import Any

import clips

from benchmarks.engines.atoms import alphas, clauses
from benchmarks.engines.pydatalog_best import FORM, features, plain_value
from benchmarks.workloads import Work

NAME = "CLIPS"
CANNOT = {
    "w4": "logical support is wrong on cycles: facts that support each other stay",
    "w5": "it has no time",
    "w5_data": "it has no time",
}
SESSIONS = 200  # an environment each, of more than a megabyte
Step = Callable[[Any], Any]


ALIVE: list[clips.Environment] = []
"""Facts and functions do not keep their environment alive."""


def environment() -> clips.Environment:
    ALIVE.append(clips.Environment())
    return ALIVE[-1]


def watched(env: clips.Environment, names: list[str]) -> set[str]:
    """A set that rules keep up to date through two Python functions: which 0-ary facts there are."""
    holding: set[str] = set()

    def came(name: str) -> None:
        holding.add(str(name))

    def went(name: str) -> None:
        holding.discard(str(name))

    env.define_function(came)
    env.define_function(went)
    for name in names:
        env.build(f"(defrule on-{name} (head {name}) => (came {name}))")
        env.build(f"(defrule off-{name} (not (head {name})) => (went {name}))")
    return holding


def w1(work: Work) -> Step:
    env = environment()
    common = '(restaurant "R") (date 20260401) (time ?t&:(< ?t 1140))'
    for name, last in (("May", "(available yes)"), ("Done", "(success yes)"), ("Nothing", "(available no)")):
        env.build(f"(defrule {name} (logical {common} {last}) => (assert (head {name})))")
    holding = watched(env, list(work.relations))
    env.run()
    kept: list[Any] = [None] * 5
    texts: dict[Any, str] = {}
    fact, run = env.assert_string, env.run

    def step(event: Any) -> Any:
        cell, value = event
        if kept[cell] is not None:
            kept[cell].retract()
            kept[cell] = None
        if value is not None:
            text = texts.get(event)
            if text is None:
                made = plain_value(value)
                text = texts[event] = f'({FORM[cell]} "{made}")' if cell == 0 else f"({FORM[cell]} {made})"
            kept[cell] = fact(text)
        run()
        return holding

    return step


def w2(work: Work) -> Step:
    truth, flips = alphas(work.spec)
    env = environment()
    written = clauses(work.spec, "(a{})", "(head H{})", "(not (head H{}))")
    for number, (head, body) in enumerate(written):
        env.build(f"(defrule c{number} (logical {' '.join(body)}) => (assert (head H{head})))")
    holding = watched(env, list(work.relations))
    fact, run = env.assert_string, env.run
    texts = [f"(a{number})" for number in range(len(truth))]
    kept = [fact(texts[number]) if holds else None for number, holds in enumerate(truth)]
    run()

    def step(event: Any) -> Any:
        for number, holds in flips(event):
            if holds:
                kept[number] = fact(texts[number])
            else:
                kept[number].retract()
        run()
        return holding

    return step


W3 = (
    "(defrule above (logical (parent ?n ?a)) => (assert (above ?n ?a)))",
    "(defrule above2 (logical (above ?n ?m) (parent ?m ?a)) => (assert (above ?n ?a)))",
    "(defrule marked (logical (clickable ?n) (enabled ?n) (above ?n ?a) (ordered ?a)) => (assert (marked ?n)))",
    "(defrule row (logical (recycler ?l) (parent ?c ?l) (group ?c)) => (assert (row ?l ?c)))",
    "(defrule twice (logical (text ?a ?t) (text ?b&~?a ?t)) => (assert (twice ?t)))",
    "(defrule stuck (logical (clickable ?n) (above ?n ?a) (disabled ?a)) => (assert (stuck ?n)))",
)


def w3(work: Work) -> Step:
    env = environment()
    for rule in W3:
        env.build(rule)
    fact, run = env.assert_string, env.run
    facts: dict[Any, Any] = {}

    def text(one: tuple[Any, ...]) -> str:
        cells = (f'"{cell}"' if isinstance(cell, str) else str(cell) for cell in one[1:])
        return f"({one[0]} {' '.join(cells)})"

    for row in work.spec:
        for one in features(row):
            facts[one] = fact(text(one))
    run()
    lists = [
        row[0] for row in work.spec if row[3] == "RecyclerView"
    ]  # no list comes or goes in this workload
    templates = {template.name: template for template in env.templates()}

    def step(event: Any) -> Any:
        for old, new in event:
            before, after = features(old) if old else [], features(new) if new else []
            for one in before:
                if one not in after:
                    facts.pop(one).retract()
            for one in after:
                if one not in before:
                    facts[one] = fact(text(one))
        run()
        counts = dict.fromkeys(lists, 0)
        for row in templates["row"].facts():
            counts[row[0]] += 1
        marked, twice, stuck = (
            [row[0] for row in templates[name].facts()] for name in ("marked", "twice", "stuck")
        )
        return marked, counts.items(), twice, stuck

    return step


def w6(work: Work) -> Step:
    steps = [w1(work) for _ in range(work.spec)]

    def step(event: Any) -> Any:
        return steps[event[0]](event[1])

    return step
