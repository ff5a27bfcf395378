"""Many sessions of one program: compiled once, isolated, in threads and in asyncio; and code that is only ours."""

import ast
import asyncio
import datetime as dt
import gc
import linecache
import threading
import traceback
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from tests.engine.worlds import NOON, TODAY, ask, c, cmp, define, no, p, program
from vsalang.engine.api import Answer, EngineError
from vsalang.engine.compile import cache
from vsalang.engine.compile.cache import plan_of
from vsalang.engine.compile.codegen import source_of
from vsalang.engine.compile.program import compile_program
from vsalang.engine.incremental import IncrementalEvaluator
from vsalang.engine.run import maintain
from vsalang.engine.run.code import code_of
from vsalang.engine.run.engine_session import Session
from vsalang.engine.run.evaluate import Native
from vsalang.language.semantics import load
from vsalang.program.ir import NUMBER, Derive, Program, Relation, Rule
from vsalang.program.similarity import Similarity

DERIVED: dict[str, Any] = {"D": {"x": NUMBER}}
RULES = (define("D", p("Item", k="?x"), p("Flag", n="?x"), x="?x"), ask(p("D", x="?x"), no("Page", n="?x")))


def made_of(*rules: Rule, digest: str = "one") -> Program:
    return replace(program(*rules, derived=DERIVED), digest=digest)


# ---------------------------------------------------------------- the cache


def test_sessions_of_equal_programs_share_a_kernel() -> None:
    one, same = made_of(*RULES), made_of(*RULES)
    assert one is not same and plan_of(one) is plan_of(same)
    assert (
        IncrementalEvaluator(one, today=TODAY).state.plan
        is IncrementalEvaluator(same, today=TODAY).state.plan
    )


def test_different_programs_never_share_whatever_their_hash() -> None:
    one = made_of(ask(p("Flag", n=1)), digest="equal")
    other = made_of(ask(p("Flag", n=2)), digest="equal")
    assert plan_of(one) is not plan_of(other)
    sessions = [IncrementalEvaluator(made, today=TODAY) for made in (one, other)]
    for session in sessions:
        session.assign("Flag", [(None, 2, None)])
    assert [bool(session.answers("ask")) for session in sessions] == [False, True]


def test_the_cache_is_bounded() -> None:
    for number in range(cache.MOST + 20):
        plan_of(made_of(*RULES, digest=f"program {number}"))
    assert len(cache._PLANS) <= cache.MOST
    for number in range(20):
        plan_of(made_of(ask(p("Flag", n=number)), digest="equal"))
    assert len(cache._PLANS["equal"]) <= 4
    cache.forget()
    assert not cache._PLANS


def test_threads_that_compile_at_once_get_one_kernel() -> None:
    made = [made_of(*RULES, digest="threads") for _ in range(16)]
    with ThreadPoolExecutor(8) as pool:
        assert len({id(kernel) for kernel in pool.map(plan_of, made)}) == 1


# ---------------------------------------------------------------- threads and asyncio


def walk(made: Program, seed: int, steps: int = 150) -> list[frozenset[Answer]]:
    session = IncrementalEvaluator(made, today=TODAY)
    session.now(NOON)
    found = []
    for step in range(steps):
        session.update(
            "Item", [((step * seed) % 7, None, None, None)], [((step + seed) % 7, None, None, None)]
        )
        session.assign("Flag", [(None, (step * 3 + seed) % 7, None)])
        found.append(session.answers("ask"))
    return found


def test_sessions_in_many_threads_do_not_disturb_each_other() -> None:
    made = made_of(*RULES, digest="parallel")
    right = {seed: walk(made, seed) for seed in range(1, 9)}
    cache.forget()
    with ThreadPoolExecutor(8) as pool:
        found = dict(zip(right, pool.map(lambda seed: walk(made, seed), right), strict=True))
    assert found == right


class Slow(Similarity):
    """A backend that waits until the test has looked."""

    def __init__(self) -> None:
        self.inside, self.go_on = threading.Event(), threading.Event()

    def similar(self, left: str, right: str) -> bool:
        self.inside.set()
        assert self.go_on.wait(60)
        return True


def test_a_session_used_by_two_threads_refuses_one() -> None:
    slow = Slow()
    made = made_of(ask(p("Flag", c("who", "~=", "x"), n="?n")), digest="slow")
    session = IncrementalEvaluator(made, today=TODAY, similarity=slow)
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(session.assign, "Flag", [(None, 1, "y")])
        assert slow.inside.wait(60)
        for call in (
            lambda: session.assign("Flag", []),
            lambda: session.write("Flag", "n", 2),
            lambda: session.update("Flag", []),
            lambda: session.answers("ask"),
            lambda: session.rows("Flag"),
            session.savepoint,
            session.snapshot,
            lambda: session.point(1),
            lambda: session.now(NOON),
        ):
            with pytest.raises(EngineError, match="two threads"):
                call()
        slow.go_on.set()
        first.result(10)
    assert session.answers("ask") == {Answer((1,))}  # what was refused has changed nothing


def test_sessions_in_asyncio() -> None:
    made = made_of(*RULES, digest="asyncio")
    right = {seed: walk(made, seed, 40) for seed in range(1, 5)}

    async def steps(seed: int) -> list[frozenset[Answer]]:
        session = IncrementalEvaluator(made, today=TODAY)
        found = []
        for step in range(40):
            session.update(
                "Item", [((step * seed) % 7, None, None, None)], [((step + seed) % 7, None, None, None)]
            )
            await asyncio.sleep(0)
            session.assign("Flag", [(None, (step * 3 + seed) % 7, None)])
            await asyncio.sleep(0)
            found.append(session.answers("ask"))
        return found

    async def everything() -> dict[int, Any]:
        return dict(zip(right, await asyncio.gather(*map(steps, right)), strict=True))

    assert asyncio.run(everything()) == right


# ---------------------------------------------------------------- the code


HOSTILE = '"""\n\nimport os\\nos.abort()  # \u2028 \x0c \' {x} %s'


def test_nothing_of_a_program_becomes_code(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(maintain, "HOT", 1)
    name = "D" + HOSTILE
    relation = Relation(name, "derived", program(derived=DERIVED).relations["D"].attrs, doc=HOSTILE)
    odd = f"?{HOSTILE}"
    rules = (
        Rule(
            HOSTILE,
            Derive(replace(define("D", x=odd).head.atom, relation=name)),
            (p("Item", c("t", "=", HOSTILE), k=odd),),
        ),  # type: ignore[union-attr]
        ask(
            p(name, x="?class"), p("Flag", c("who", "contains", HOSTILE), n="?class"), cmp("?class", "!=", 5)
        ),
    )
    plain = program(*rules)
    made = replace(plain, main=HOSTILE, digest=HOSTILE, relations={**plain.relations, name: relation})
    session = IncrementalEvaluator(made, today=TODAY)
    session.assign("Item", [(2, None, HOSTILE, None), (3, None, "other", None)])
    session.assign("Flag", [(None, 2, HOSTILE.upper())])
    assert session.answers("ask") == {Answer((2,))} and session.rows(name) == {(2,)}
    text = source_of(session.state.plan)
    called = {
        node.func.id
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    assert called <= {"fold_case", "len", "notify", "equal", "unequal", "has"}
    assert not any(isinstance(node, ast.Import | ast.ImportFrom) for node in ast.walk(ast.parse(text)))


def test_values_of_different_types_are_different_constants(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(maintain, "HOT", 1)
    session = IncrementalEvaluator(
        program(ask(p("Flag", on=True), rule="true"), ask(p("Flag", n=1), rule="one")), today=TODAY
    )
    session.assign("Flag", [(True, 1, None)])
    assert session.answers("true") and session.answers("one")
    session.assign("Flag", [(False, 0, None)])
    assert not session.answers("true") and not session.answers("one")


def test_a_traceback_shows_the_line_of_generated_code(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(maintain, "HOT", 1)

    class Broken(Similarity):
        on = False

        def similar(self, left: str, right: str) -> bool:
            if self.on:
                raise RuntimeError("no answer")
            return False

    broken = Broken()
    session = IncrementalEvaluator(
        program(ask(p("Flag", c("who", "~=", "x"), n="?n"))), today=TODAY, similarity=broken
    )
    session.assign("Flag", [(None, 1, "y")])
    session.answers("ask")
    broken.on = True
    try:
        session.assign("Flag", [(None, 1, "z")])
    except RuntimeError as error:
        shown = "".join(traceback.format_exception(error))
    assert "def " not in shown and "similar(c2" in shown
    with pytest.raises(EngineError, match="begin a new one"):
        session.answers("ask")


@pytest.mark.slow
def test_code_that_nobody_uses_any_longer_leaves_nothing_behind() -> None:
    made = made_of(*RULES, digest="leaves nothing")
    plan = plan_of(made)
    filenames = code_of(plan, maintain.notify, min(plan.nets)).filenames
    assert filenames and all(filename in linecache.cache for filename in filenames)
    del plan
    cache.forget()
    gc.collect()
    assert not any(filename in linecache.cache for filename in filenames)


def test_only_what_is_maintained_gets_code(monkeypatch: pytest.MonkeyPatch) -> None:
    cache.forget()  # another test may have used this program
    monkeypatch.setattr(maintain, "HOT", 1)
    made = program(ask(p("Flag", on=True), rule="true"), ask(p("Flag", n=1), rule="one"))
    session = IncrementalEvaluator(made, today=TODAY)
    plan = session.state.plan
    session.assign("Flag", [(True, 1, None)])
    assert session.answers("true")
    assert set(plan.code.full) == {plan.answers["true"][0]}
    session.write("Flag", "n", 2)
    assert session.answers("true") and not session.answers("one")
    assert set(plan.code.full) == {plan.answers[name][0] for name in ("true", "one")}
    session.write("Flag", "n", 1)
    session.write("Flag", "on", False)
    assert session.answers("one") and not session.answers("true")


def test_the_command_prints_the_code(tmp_path: Any) -> None:
    from vsalang.tools.cli.export import command

    file = tmp_path / "m.vsa"
    file.write_text(
        'app m package "m"\n\nstate Form {day: Date, sure: Bool}\n\n'
        "define Ready() when Form(day = 2026-04-01, sure = true).\n"
    )
    done = CliRunner().invoke(command, [str(file), "--to", "python"], standalone_mode=False)
    assert done.exception is None, done.output
    assert "datetime.date(2026, 4, 1)" in done.stdout and "def rule_" in done.stdout
    ast.parse(done.stdout)
    out = tmp_path / "out.py"
    again = CliRunner().invoke(command, [str(file), "--to", "python", "-o", str(out)], standalone_mode=False)
    assert again.exception is None
    assert out.read_text() == done.stdout
    assert dt.date(2026, 4, 1).isoformat() not in done.output.replace("datetime.date(2026, 4, 1)", "")


# ---------------------------------------------------------------- specs of one app

APP = """app shop package "com.shop" "A shop"
state Item key (name) { name: Text  price: Number }
view Page { name: Text }
define Cheap(name = ?name) when Item(name = ?name, price < 5).
define Reach(name = ?name) when Cheap(name = ?name).
define Reach(name = ?name) when Reach(name = ?name), Page(name = ?name).
screen Shop when Node(id = "shop").
screen Cart when Node(id = "cart").
action Buy(name: Text)
recognize Buy(name = ?n) when tap(id = "buy") with Page(name = ?n).
"""
TASK = """spec {name} "Buy what is cheap"
import shop
define Wanted(name = ?name) when Cheap(name = ?name), not Page(name = ?name).
allow Buy(name = ?n) when {condition}.
done when Buy earlier, Wanted.
"""


def task(folder: Path, name: str, condition: str) -> Program:
    (folder / "shop.vsa").write_text(APP)
    (folder / f"{name}.vsa").write_text(TASK.format(name=name, condition=condition))
    return load(folder / f"{name}.vsa").checked()


def test_specs_of_one_app_share_its_plan(tmp_path: Path) -> None:
    cache.forget()
    one, two = task(tmp_path, "one", "Wanted(name = ?n)"), task(tmp_path, "two", "Reach(name = ?n)")
    first, second = plan_of(one), plan_of(two)
    assert len(cache._BASES) == 1
    shared = {id(alpha) for alpha in first.alphas} & {id(alpha) for alpha in second.alphas}
    assert shared
    assert len(shared) == len(cache._BASES[0].plan.alphas)
    assert first.program is one
    assert second.program is two


def test_what_is_shared_stays_as_it_was(tmp_path: Path) -> None:
    cache.forget()
    plan_of(task(tmp_path, "one", "Wanted(name = ?n)"))
    base = cache._BASES[0].plan
    before = repr((base.tables, base.strata, base.inputs, base.histories, base.answers.keys(), base.levels))
    plan_of(task(tmp_path, "two", "Reach(name = ?n), Cheap(name = ?n) earlier"))
    assert (
        repr((base.tables, base.strata, base.inputs, base.histories, base.answers.keys(), base.levels))
        == before
    )


def test_an_app_that_changed_is_compiled_again(tmp_path: Path) -> None:
    cache.forget()
    plan_of(task(tmp_path, "one", "Wanted(name = ?n)"))
    (tmp_path / "shop.vsa").write_text(APP.replace("price < 5", "price < 9"))
    changed = load(tmp_path / "one.vsa").checked()
    session = IncrementalEvaluator(changed, today=TODAY)
    session.assign("shop.Item", [("Tea", 7)])
    assert [row[0] for row in session.rows("shop.Cheap")] == ["Tea"]
    assert len(cache._BASES) == 2


@pytest.mark.parametrize("condition", ["Wanted(name = ?n)", "Reach(name = ?n)", "Cheap(name = ?n) earlier"])
def test_a_shared_part_gives_the_same_answers(tmp_path: Path, condition: str) -> None:
    program = task(tmp_path, "one", condition)
    found = []
    for plan in (plan_of(program), compile_program(program)):
        session = Session(plan, Native(), today=TODAY, maintains=False)
        session.now(NOON)
        session.assign("shop.Item", [("Tea", 3), ("Gin", 30), ("Cod", 4)])
        session.assign("shop.Page", [("Tea",)])
        session.assign("shop.Buy", [("Cod",), ("Tea",)])
        session.point(1)
        found.append(
            [
                {
                    name: session.rows(name)
                    for name, r in sorted(program.relations.items())
                    if r.sort == "derived"
                },
                {rule.id: session.answers(rule.id) for rule in program.rules},
            ]
        )
    assert found[0] == found[1]
    assert any(found[0][1].values())
