"""What specs are worth: gold tests by level and strictly, objections to a run, confusion tables by hand."""

from dataclasses import replace

import pytest

from benchmarks.measure.encode import (
    Confusion,
    Figures,
    GoldOutcome,
    InstructionScores,
    Order,
    Outcome,
    confusion,
    gold_outcome,
    objection,
    outcome,
)
from tests.measure.encode.cases import answer, case, encoded
from vsalang.language.semantics import load_text
from vsalang.program.example import Example
from vsalang.program.shares import Share

NAME = "list_other_row"
HEADER = 'spec task "x"\nimport apps.trusttest\n'


def spec(number: int, body: str) -> Outcome:
    """A spec for an instruction of the case about rows."""
    order = Order(case(NAME), number, 1)  # type: ignore[arg-type]
    return outcome(order, encoded(order, HEADER + body))


def test_a_right_spec_lets_the_run_pass() -> None:
    right = spec(1, "allow answer(text = ?n) when Item(at = 3, name = ?n).\ndone when answer earlier.")
    assert right.written and right.objection is None
    assert right.is_right(None) and not right.is_right(3)
    assert all(test.level and test.strict for test in right.tests)


def test_an_objection_has_its_step() -> None:
    other = spec(2, "allow answer(text = ?n) when Item(at = 2, name = ?n).\ndone when answer earlier.")
    assert other.objection is not None and (other.objection.step, other.objection.judged) == (3, True)
    assert "block (unmet" in other.objection.why
    assert other.is_right(3) and not other.is_right(2) and not other.is_right(None)


def test_a_spec_that_never_ends_objects_late() -> None:
    late = spec(2, 'allow answer(text = ?n) when Item(name = ?n).\ndone when answer(text = "none") earlier.')
    assert late.objection is not None and late.objection.step == 4
    assert not late.is_right(3)


def test_without_a_spec_everything_is_wrong() -> None:
    order = Order(case(NAME), 1, 1)
    for made in (encoded(order, "", accepted=False), encoded(order, "spec task")):
        none = outcome(order, made)
        assert not none.written and not none.is_right(None) and not none.is_right(3)
        assert not any(test.level or test.strict for test in none.tests)


def test_an_app_that_was_not_imported_is_judged() -> None:
    """A spec that allows nothing in an app need not import it, and still refuses its actions."""
    text = answer("location_then_permission", 2).split("```")[1].removeprefix("vsa\n")
    assert "apps.permissions" not in text
    order = Order(case("location_then_permission"), 2, 1)
    found = outcome(order, encoded(order, text))
    assert found.objection is not None and found.objection.judged and found.objection.step == 4


TEST = """
test "t" {{
  observe Panel(first = true, second = true, third = true).
  {step}
}}
"""


RESET = "allow ResetButtons.\ndone when ResetButtons earlier.\n"


def outcomes(step: str, body: str) -> tuple[bool, bool]:
    """Whether a gold test passes by level, and strictly, with a spec."""
    gold = load_text(f"{HEADER}{RESET}{TEST.format(step=step)}", file="gold.vsa").own[0]
    found = gold_outcome(load_text(f"{HEADER}{body}", file="t.vsa").checked(), gold)
    return found.level, found.strict


@pytest.mark.parametrize(
    ("step", "body", "level", "strict"),
    [
        ("attempt SaveSwitches(first = true) => block because unlicensed.", RESET, True, True),
        ("attempt SaveSwitches(first = true) => block because third.", RESET, True, False),
        ("attempt SaveSwitches(first = true) => confirm.", RESET, False, False),
        ("attempt SaveSwitches(first = true).", RESET, False, False),
        ("attempt ResetButtons => warn.", f'confirm "sure?" when ResetButtons.\n{RESET}', True, False),
        ("attempt ResetButtons => block.", f'confirm "sure?" when ResetButtons.\n{RESET}', False, False),
    ],
)
def test_levels_are_three(step: str, body: str, level: bool, strict: bool) -> None:
    assert outcomes(step, body) == (level, strict)


def test_a_failure_is_told_with_its_step() -> None:
    found = gold_outcome(load_text(f"{HEADER}{RESET}").checked(), run())
    assert found.why.startswith("step 3 (attempt answer): wanted allow, got block (unlicensed: ")


def run() -> Example:
    return case(NAME).run


def test_what_a_run_expects_is_no_objection() -> None:
    """A step of the run that must be blocked is not an objection; a stricter verdict than the run's is one."""
    program = load_text(f"{HEADER}{RESET}").checked()
    last = run().turns[2]
    blocked = replace(last, expected=replace(last.expected, levels=("block",)))
    warned = replace(last, expected=replace(last.expected, levels=("warn",)))
    assert objection(program, replace(run(), turns=(*run().turns[:2], blocked))) is None
    found = objection(program, replace(run(), turns=(*run().turns[:2], warned)))
    assert found is not None and found.step == 3


def test_a_step_about_something_unknown_cannot_be_judged() -> None:
    program = load_text('spec t "x"\nallow answer(text = "x").\ndone when answer earlier.\n').checked()
    found = objection(program, run())
    assert found is not None and not found.judged and found.step == 1


# ---------------------------------------------------------------- figures


def scored(number: int, *votes: bool, tests: tuple[tuple[bool, bool], ...] = ()) -> InstructionScores:
    """Samples that decide about the run rightly or not; `tests` pass by level, and strictly, in all of them."""
    about = case(NAME)
    deadline = about.deadline if number == 2 else None
    ran = tuple(GoldOutcome(f"t{n}", level, strict, "why") for n, (level, strict) in enumerate(tests))
    right = objection(about.gold[1].checked(), about.run) if deadline is not None else None
    wrong = None if deadline is not None else objection(about.gold[1].checked(), about.run)
    return InstructionScores(
        about,
        number,
        tuple(
            Outcome(encoded(Order(about, number, n), "x"), True, right if vote else wrong, ran)  # type: ignore[arg-type]
            for n, vote in enumerate(votes, 1)
        ),
    )


def test_the_confusion_table_by_hand() -> None:
    found = [
        scored(1, True), scored(1, True), scored(1, False),
        scored(2, True), scored(2, True), scored(2, True), scored(2, False), scored(2, False),
    ]  # fmt: skip
    assert confusion(found, 1) == Confusion(tp=3, fp=1, tn=2, fn=2)
    figures = Figures.of(found, 1)
    assert figures.confusion.accuracy == Share(5, 8)
    assert figures.confusion.accepted == Share(2, 3)
    assert figures.confusion.f1 == pytest.approx(6 / 9)


def test_the_majority_of_samples_decides() -> None:
    found = [scored(1, False, True, True), scored(2, True, False, False)]
    assert confusion(found, 1) == Confusion(tp=1, fp=1)
    assert confusion(found, 3) == Confusion(tn=1, fn=1)
    assert confusion(found, 2) == Confusion(fp=1, fn=1), "half is not a majority"


def test_gold_tests_are_counted_both_ways() -> None:
    found = [scored(1, True, tests=((True, True), (True, False))), scored(2, True, tests=((False, False),))]
    figures = Figures.of(found, 1)
    assert (figures.level, figures.strict) == (Share(2, 3), Share(1, 3))
    assert (figures.all_level, figures.all_strict) == (Share(1, 2), Share(0, 2))


def test_costs_are_summed_where_all_are_known() -> None:
    found = scored(1, True, True)
    priced = [
        replace(each, encoded=replace(each.encoded, cost=0.25, rounds=n, calls=n, input=10, output=5))
        for n, each in enumerate(found.outcomes, 1)
    ]
    figures = Figures.of([replace(found, outcomes=tuple(priced))], 2)
    assert (figures.cost, figures.rounds, figures.calls) == (0.5, (1.5, 1.5), 3)
    assert (figures.input, figures.output) == (20, 10)
    unknown = replace(found, outcomes=(priced[0], found.outcomes[1]))
    assert Figures.of([unknown], 2).cost is None
