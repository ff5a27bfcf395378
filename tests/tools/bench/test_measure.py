"""`vsalang.tools.bench`: what is driven and counted is right; how long anything takes is never asserted."""

import datetime as dt
import random
from pathlib import Path

import pytest

from tests.snapshots import golden
from vsalang.engine import open_session
from vsalang.guard import run_example
from vsalang.language.semantics import load_text
from vsalang.program.example import LEVELS
from vsalang.program.similarity import FoldedEquality
from vsalang.tools.bench import BenchError, Cost, Plan, Report, RuleCost, as_json, as_text, measure
from vsalang.tools.bench.measure import _record
from vsalang.tools.bench.stories import LENGTH, Inventor, from_tests
from vsalang.tools.bench.tape import Recorder, Tape, play, subjects

SOURCE = """
app shop package "com.shop"
view Bill { total: Number  paid: Bool  kind: enum {Card, Cash} }
list Item in (cart) { cart: Text  name: Text  price: Number }
state Box key (name) { name: Text  day: Date  at_: Time  tags: set of Text }
action Pay(total: Number)
define Cheap when Bill(total <= 20).
define Costly when Bill(total > 90), not Cheap.
define Far(name = ?a, to = ?b) when Box(name = ?a), Box(name = ?b), ?a != ?b.
deny "twice" when Pay, Pay earlier.
confirm "costly" when Pay, Costly.
warn "late" when Pay, Box(at_ >= 19:00).
test "a cheap bill is paid" for shop {
  observe Bill(total = 7, paid = false).
  attempt Pay(total = 7).
  attempt Pay(total = 7) => block.
}
test "a costly one is asked for" for shop {
  observe Bill(total = 100).
  attempt Pay(total = 100) => confirm.
  approve.
  attempt Pay(total = 1) => allow.
}
"""
GOLDEN = Path(__file__).resolve().parents[2] / "golden" / "bench" / "report.txt"
SMALL = Plan(events=4, rounds=2, sessions=2)


def loaded(text=SOURCE):
    made = load_text(text, file="shop.vsa")
    assert made.program is not None, [item.message for item in made.diagnostics]
    return made


@pytest.mark.slow
def test_report_of_tests():
    made = loaded()
    told = []
    report = measure(made.program, made.own, SMALL, load=0.5, progress=lambda share, what: told.append(share))
    assert (report.program, report.source, report.count, report.load) == (
        "shop",
        "tests",
        len(made.program.rules),
        0.5,
    )
    # both stories have a turn for each step but `approve`; each round runs until there are 4 turns
    assert report.turn.count == 2 * 6
    assert report.judged is not None
    assert report.judged.count == 2 * 4
    kinds = {rule.name: rule.kind for rule in report.rules}
    assert kinds["shop.Cheap"] == "define"
    assert sorted(kinds.values()) == ["confirm", "define", "define", "define", "deny", "warn"]
    assert [rule.seconds for rule in report.rules] == sorted((r.seconds for r in report.rules), reverse=True)
    # two weighings, which differ by some kilobytes
    assert report.memory > 0 and report.engine_memory > 0
    assert told == sorted(told)
    assert told[-1] == 1.0


def test_random_turns_are_a_function_of_the_seed():
    program = loaded().program
    stories = [Inventor(program, seed).story(0) for seed in (1, 1, 2)]
    assert stories[0] == stories[1] != stories[2]
    assert len(stories[0].turns) == LENGTH
    assert {turn.parts[0].kind for turn in stories[0].turns} == {"observe", "update", "attempt"}
    assert all(turn.expected.levels == LEVELS for turn in stories[0].turns)


def test_made_up_turns_can_be_run():
    """No made-up turn is one that the guard cannot take in: whatever the types of the cells."""
    program = loaded().program
    inventor = Inventor(program, 7)
    for number in range(20):
        result = run_example(program, inventor.story(number))
        assert result.passed, result.failure


def test_made_up_values_are_those_that_rules_compare_with():
    program = loaded().program
    inventor = Inventor(program, 3)
    cells = [
        part.fact.cells
        for number in range(40)
        for turn in inventor.story(number).turns
        for part in turn.parts
        if part.fact.relation == "shop.Bill"
    ]
    totals = {cell["total"] for cell in cells if "total" in cell}
    assert {19, 20, 21, 89, 90, 91, None} <= totals
    assert {cell["kind"] for cell in cells if "kind" in cell} == {"Card", "Cash", None}


@pytest.mark.soak
@pytest.mark.slow
def test_tests_go_on_whatever_they_expect():
    made = loaded(SOURCE.replace("attempt Pay(total = 7).", "attempt Pay(total = 7) => warn."))
    (first, second) = from_tests(made.own)
    assert not run_example(made.program, made.own[0]).passed
    assert run_example(made.program, first).passed
    assert run_example(made.program, second).passed
    assert len(first.turns) == len(made.own[0].turns)
    report = measure(made.program, made.own, SMALL)
    assert report.turn.count == 2 * 6


@pytest.mark.soak
@pytest.mark.slow
def test_approval_where_nothing_is_asked_is_passed_over():
    made = loaded(SOURCE.replace("total > 90", "total > 900"))
    report = measure(made.program, made.own, Plan(events=7, rounds=1, sessions=1, rules=False))
    assert report.rules == ()
    assert report.turn.count == 9  # the first story once more: it begins again when both were told


@pytest.mark.soak
@pytest.mark.slow
def test_program_without_tests_gets_made_up_turns():
    text = SOURCE.partition("test ")[0]
    made = loaded(text)
    report = measure(made.program, made.own, Plan(events=10, rounds=1, sessions=1))
    assert report.source == "random"
    assert report.turn.count >= 10
    assert {rule.name for rule in report.rules} >= {"shop.Cheap", "shop.Costly", "shop.Far"}


def test_nothing_to_measure():
    made = loaded("module words\nenum Day {Mon, Tue}\ndefine Late when Clock(now > 19:00).\n")
    with pytest.raises(BenchError, match="nothing can happen"):
        measure(made.program, made.own, SMALL)
    with pytest.raises(BenchError, match="no test"):
        measure(loaded().program, (), Plan(source="tests"))
    with pytest.raises(BenchError, match="at least 1"):
        measure(loaded().program, (), Plan(events=0))


# ---------------------------------------------------------------- the tape


def test_tape_says_the_same_again():
    """What is recorded, played to a fresh session of the same program, ends in the same rows."""
    made = loaded()
    tapes = _record(made.program, from_tests(made.own))
    assert [len([c for c in tape.turns if c]) for tape in tapes] == [4, 5]
    sessions = []
    seconds = play(made.program, tapes, keep=sessions)
    assert len(seconds) == sum(len(tape.turns) for tape in tapes)
    assert sessions[0].rows("shop.Bill") == {(7, False, None)}
    assert sessions[1].rows("shop.Bill") == {(100, None, None)}


def test_recorder_forwards_and_takes_back():
    made = loaded()
    tape = Tape(dt.date(2026, 4, 1), FoldedEquality())
    recorder = Recorder(open_session(made.program, today=tape.today), tape)
    recorder.assign("shop.Bill", iter([(7, None, None)]))
    savepoint = recorder.savepoint()
    recorder.assign("shop.Bill", [])
    assert recorder.rows("shop.Cheap") == frozenset()
    recorder.rollback(savepoint)
    assert recorder.rows("shop.Cheap") == {()}
    kept = []
    play(made.program, [tape], keep=kept)
    assert kept[0].rows("shop.Bill") == {(7, None, None)}


def test_subjects_hold_what_a_rule_rests_on():
    made = loaded()
    parts = {part.name: part for part in subjects(made.program, _record(made.program, from_tests(made.own)))}
    costly = parts["shop.Costly"]
    derived = [rule.head.atom.relation for rule in costly.program.rules]
    assert derived == ["shop.Cheap", "shop.Costly"]
    (confirm,) = [part for part in parts.values() if part.kind == "confirm"]
    assert len(confirm.program.rules) == 3
    assert confirm.asked == (confirm.name,)
    assert confirm.times > 0
    assert costly.program.digest != made.program.digest


# ---------------------------------------------------------------- figures and words


def test_cost_of_known_times():
    cost = Cost.of([[1.0, 2.0, 3.0], [3.0, 4.0, 5.0]])
    assert cost == Cost(count=6, median=3.0, p95=4.75, mean=3.0, noise=pytest.approx(2 / 3))
    rng = random.Random(1)
    times = [rng.random() for _ in range(1001)]
    cost = Cost.of([times])
    assert cost.median == sorted(times)[500]
    assert cost.p95 == sorted(times)[950]
    with pytest.raises(ValueError, match="nothing was timed"):
        Cost.of([[]])


def test_text():
    cost = Cost(10, 0.000_095, 0.001_25, 0.000_1, 0.12)
    report = Report(
        "shop",
        "tests",
        Cost(10, 0.000_4, 0.008_6, 0.001_2, 0.08),
        None,
        cost,
        (
            RuleCost("shop:1", "allow", "shop.vsa", 3, 0.000_012_6, 1.04),
            RuleCost("shop.Far", "define", "shop.vsa", 4, 0.000_000_9, 2.0),
            RuleCost("shop:2", "deny", "", 0, 0.0, 0.25),
        ),
        0.036,
        1.5,
        0.000_5,
        40_000,
        5_000,
        3,
    )
    shown = as_text(report) + "\n" + as_text(report, rules=1)
    golden(shown, GOLDEN)
    data = as_json(report)
    assert data["version"] == 1
    assert data["judged"] is None
    assert data["rules"][1]["name"] == "shop.Far"
    assert data["rule_count"] == 3
