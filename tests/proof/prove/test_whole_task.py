"""Questions about the whole task: what they show, that they are true, and what is proved where a task cannot end."""

import pytest

from tests.proof.prove.prove_programs import program
from vsalang.guard import run_example
from vsalang.language.semantics import load_text
from vsalang.program.example import Example, Fact, Part, Turn
from vsalang.program.ir import Program
from vsalang.proof.prove.filler import readable
from vsalang.proof.prove.whole_task import ALL_DONE, WholeTask, ending, refused, whole_task

HEADER = 'spec a "Reserve."\nimport apps.opentable\n'
RESERVE = 'allow Reserve(restaurant = "R", date = today, time = 19:00).\n'
TRUST = 'spec a "Save."\nimport apps.trusttest\n'


def made(text: str) -> Program:
    return load_text(text, file="a.vsa").checked()


def asked(whole: WholeTask) -> dict[str, str]:
    """The sentences by what is before them."""
    return dict(probe.sentence.split(": ", 1) for probe in whole.probes)


def test_a_task_with_one_act() -> None:
    spec = made(f"{HEADER}{RESERVE}done when Reserve earlier, ReserveResult(success = true).\n")
    whole = whole_task(spec, seconds=300)
    act = "Reserve (restaurant R, date today, time 19:00)"
    assert asked(whole) == {
        ALL_DONE: f"This would be allowed: finishing the task, after {act}, having seen ReserveResult (success true). "
        "Is that meant?",
        "A second time": f"This would be blocked: {act}, after {act}, having seen ReserveResult (success true). "
        "Is that meant?",
        "It is so already, and nothing was done": "This would be blocked: finishing the task, with nothing done "
        "before, having seen ReserveResult (success true). Is that meant?",
        "Another row": "This would be blocked: Reserve (restaurant another restaurant, date today, time 19:00), "
        "with nothing seen. Is that meant?",
    }
    assert (whole.unfinishable, whole.held) == ("", "")
    for probe in whole.probes:
        assert run_example(spec, probe.story).passed


def test_all_that_is_permitted_is_done() -> None:
    """Also what the end of the task does not ask for."""
    spec = made(
        f'{TRUST}allow LogIn(username = "admin").\nallow SaveSwitches(first = true).\ndone when SaveSwitches earlier.\n'
    )
    questions = asked(whole_task(spec, seconds=300))
    assert "after LogIn (username admin) and SaveSwitches (first true" in questions[ALL_DONE]


def test_another_order_is_told_in_its_order() -> None:
    spec = made(f"{TRUST}done when screen Login then screen Switches.\n")
    question = asked(whole_task(spec, seconds=300))["In another order"]
    assert question == (
        "This would be blocked: finishing the task, after, in this order: seeing the screen Switches; "
        "seeing the screen Login. Is that meant?"
    )


def test_an_order_of_rows_is_told() -> None:
    spec = made(f'{TRUST}done when Item(name = "Apple") then screen Switches.\n')
    questions = asked(whole_task(spec, seconds=300))
    assert "allowed: finishing the task" in questions[ALL_DONE]
    assert "row 1 of Item (name Apple)" in questions[ALL_DONE]


def test_positions_are_shown() -> None:
    spec = made(f"{TRUST}allow answer(text = ?n) when Item(at = 3, name = ?n).\ndone when answer earlier.\n")
    assert "having seen row 3 of Item (name " in asked(whole_task(spec, seconds=300))[ALL_DONE]


def test_a_task_that_can_never_end() -> None:
    spec = made(f'{HEADER}{RESERVE}deny "no" when Reserve.\ndone when Reserve earlier.\n')
    proof = "no run ends it: the solver looked at all with up to 1 action and up to 1 row of each relation"
    assert whole_task(spec, seconds=300).unfinishable == proof
    assert ending(made(f"{HEADER}{RESERVE}done when Reserve earlier.\n"), seconds=300).proof == ""


def test_all_was_done_and_it_may_not_end() -> None:
    """It ends only while something is not done that is permitted."""
    spec = made(
        f'{TRUST}allow LogIn(username = "admin").\nallow SaveSwitches.\n'
        'deny "not with a login" when finish, LogIn earlier.\ndone when SaveSwitches earlier.\n'
    )
    whole = whole_task(spec, seconds=300)
    assert whole.held.startswith(f"{ALL_DONE}: This would be blocked: finishing the task, after LogIn")
    assert whole.unfinishable == ""


@pytest.mark.parametrize(
    ("rule", "no_end"), [("", True), ('allow answer(text = "x").\ndone when answer earlier.\n', False)]
)
def test_what_a_refused_end_would_do_is_proved(rule: str, no_end: bool) -> None:
    spec = made(f"{HEADER}{RESERVE}done when Reserve earlier.\n{rule}")
    all_done, *others = whole_task(spec, seconds=300).probes
    without = refused(spec, all_done)
    assert without is not None and len(without.rules) == len(spec.rules) + 1
    assert bool(ending(without, seconds=300).proof) == no_end
    assert [refused(spec, probe) for probe in others if probe.level == "block"] != []
    assert all(refused(spec, probe) is None for probe in others if probe.level == "block")


def test_an_end_without_acts_is_not_taken_away() -> None:
    """That nothing was done says that the end is too early, not that there must be none."""
    spec = made(f"{HEADER}{RESERVE}done.\n")
    early = [probe for probe in whole_task(spec, seconds=300).probes if "nothing done" in probe.sentence]
    assert early and all(refused(spec, probe) is None for probe in early)


def test_a_refused_act_may_be_the_only_way() -> None:
    from vsalang.proof.prove.probes import probes

    spec = made(f"{HEADER}{RESERVE}done when Reserve earlier.\n")
    act = next(
        each
        for each in probes(spec, seconds=300)
        if each.level == "allow" and "finishing" not in each.sentence
    )
    without = refused(spec, act)
    assert without is not None and ending(without, seconds=300).proof.startswith("no run ends it")


def test_shipped_examples_have_true_questions() -> None:
    for name in ("reserve_r", "switch_one"):
        spec = program(name)
        whole = whole_task(spec, seconds=300)
        assert whole.probes[0].sentence.startswith(ALL_DONE) and whole.held == whole.unfinishable == ""
        assert all(run_example(spec, probe.story).passed for probe in whole.probes)


# ---- readable values -----------------------------------------------------------------------------------


def story(text: str) -> Example:
    return Example("a", "a", (Turn("turn", (Part("attempt", Fact("answer", {"text": text})),)),))


def text_of(example: Example) -> object:
    return example.turns[0].parts[0].fact.cells["text"]


@pytest.mark.parametrize("odd", ["D\u0000", " " * 10, "\x1b[31m", "", "(S_@", "a  b", "\U000200aa", "x\n"])
def test_odd_texts_are_replaced(odd: str) -> None:
    assert text_of(readable(story(odd), lambda each: True)) == "some text"


def test_the_condition_stays_true() -> None:
    def keeps(each: Example) -> bool:
        return len(str(text_of(each))) == 10 and "e" not in str(text_of(each))

    assert text_of(readable(story(" " * 10), keeps)) == "a" * 10
    assert text_of(readable(story("\u0000"), lambda each: False)) == "\u0000"


@pytest.mark.parametrize("plain", ["another text", "D1", "Ann Lee", "7:30", "red, blue"])
def test_plain_texts_and_those_of_the_spec_stay(plain: str) -> None:
    assert text_of(readable(story(plain), lambda each: True)) == plain
    assert text_of(readable(story("§ 5"), lambda each: True, ["§ 5"])) == "§ 5"


def test_no_control_character_comes_to_a_question() -> None:
    spec = made(
        f"{TRUST}allow answer(text = ?n) when Item(at = 1, name = ?n), ?n matches /^.{{3}}[^a-z]/.\n"
        "done when answer earlier.\n"
    )
    for probe in whole_task(spec, seconds=300).probes:
        assert probe.sentence.isascii() and probe.sentence.isprintable() and "\\u" not in probe.sentence
