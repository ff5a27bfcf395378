"""Windows of the past: `within` and `for` are kept up to date by deadlines, and say what the reference says."""

import datetime as dt
import json
import random
from typing import Any

import pytest

from tests.engine.worlds import NOON, TODAY, a, ask, c, const, define, lasting, no, p, program, since, within
from tests.oracle import ReferenceEvaluator
from tests.thorough import times
from vsalang.engine.incremental import IncrementalEvaluator, restore
from vsalang.engine.run import maintain
from vsalang.program.ir import NUMBER, Lit, Past, Rule

SEC = dt.timedelta(seconds=1)
RULES: tuple[Rule, ...] = (
    ask(within(10 * SEC, "Flag", n="?x"), rule="lately"),
    ask(lasting(5 * SEC, "Flag", n="?x"), rule="lasting"),
    ask(
        p("Pair", b="?x"),
        Lit(a("Flag", n="?x"), neg=True, past=Past("within", const(10 * SEC))),
        rule="not lately",
    ),
    ask(
        p("Pair", b="?x"),
        Lit(a("Flag", n="?x"), neg=True, past=Past("for", const(5 * SEC))),
        rule="not lasting",
    ),
    ask(within(10 * SEC, "Flag", c("n", ">", "?y")), p("Pair", b="?y"), rule="greater"),
    define("D", within(10 * SEC, "Flag", n="?x"), no("Pair", b="?x"), x="?x", rule="D"),
    ask(within(4 * SEC, "D", x="?x"), rule="derived"),
    ask(since(a("Flag", n="?x", on=True), a("Flag", n="?x")), rule="since"),
    ask(within(dt.timedelta.max, "Flag", n="?x"), rule="ever"),
    ask(lasting(dt.timedelta(0), "Flag", n="?x"), rule="at once"),
)
PROGRAM = program(*RULES, derived={"D": {"x": NUMBER}})
NAMES = [rule.id for rule in RULES]


def told(session: Any) -> dict[str, Any]:
    return {name: session.answers(name) for name in NAMES}


def random_step(rng: random.Random, now: dt.datetime) -> tuple[str, Any]:
    kind = rng.choice(["now", "now", "now", "back", "Flag", "Flag", "Pair"])
    if kind == "now":
        return "now", now + rng.choice([SEC, SEC, 4 * SEC, 5 * SEC, 10 * SEC, 11 * SEC])
    if kind == "back":
        return "now", now - rng.choice([SEC, 5 * SEC, 20 * SEC])
    if kind == "Flag":
        return "Flag", [
            (rng.choice([True, False, None]), n, None) for n in (1, 2, 3, None) if rng.random() < 0.4
        ]
    return "Pair", [("A", n, None) for n in (1, 2, 3) if rng.random() < 0.5]


def do(session: Any, kind: str, value: Any) -> None:
    if kind == "now":
        session.now(value)
    else:
        session.assign(kind, value)


@pytest.mark.parametrize("seed", range(times(5, 12)))
def test_windows_agree_with_the_reference(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether what is asked becomes live at once, or when it is asked for the second time."""
    rng = random.Random(seed)
    live = {warm: IncrementalEvaluator(PROGRAM, today=TODAY) for warm in (1, 2)}
    other = ReferenceEvaluator(PROGRAM, today=TODAY)
    sessions: list[Any] = [*live.values(), other]
    now = NOON

    def agree(right: dict[str, Any] | None = None) -> None:
        right = told(other) if right is None else right
        for warm, session in live.items():
            monkeypatch.setattr(maintain, "HOT", warm)
            assert told(session) == right

    for each in sessions:
        each.now(now)
    for point in range(1, 61):
        if rng.random() < 0.15:  # a tentative change, with a point in it, is as if it had not been
            savepoints = [(each, each.savepoint()) for each in sessions]
            before = told(other)
            for _ in range(rng.randrange(1, 5)):
                kind, value = random_step(rng, now)
                for each in sessions:
                    do(each, kind, value)
                if rng.random() < 0.5:
                    for each in sessions:
                        each.point(point)
                    agree()
                    break
            for each, savepoint in savepoints:
                each.rollback(savepoint)
            agree(before)
        kind, value = random_step(rng, now)
        now = value if kind == "now" else now
        for each in sessions:
            do(each, kind, value)
        if rng.random() < 0.3:
            agree()
        for each in sessions:
            each.point(point)
        agree()
    for warm, session in live.items():
        live[warm] = restore(PROGRAM, json.loads(json.dumps(session.snapshot())))
    agree()
    for each in (*live.values(), other):
        each.now(now + 6 * SEC)
    agree()


def test_the_clock_costs_nothing_until_a_deadline(monkeypatch: pytest.MonkeyPatch) -> None:
    session = IncrementalEvaluator(PROGRAM, today=TODAY)
    session.now(NOON)
    session.assign("Flag", [(True, 1, None)])
    session.point(1)
    session.assign("Flag", [])
    session.point(2)
    for name in NAMES:
        session.answers(name)
        session.answers(name)
    assert {x.values for x in session.answers("lately")} == {(1,)}
    before = session.answers("lately")
    for second in range(1, 11):
        session.now(NOON + second * SEC)
        assert session.answers("lately") is before
    session.now(NOON + 11 * SEC)
    assert session.answers("lately") == frozenset()
    session.now(NOON)
    assert session.answers("lately") == before
