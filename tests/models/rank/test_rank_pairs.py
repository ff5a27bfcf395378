"""Pairs of a better and a worse action, and where their labels come from."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from tests.models.rank.screens import button, compose, decision_on, mail_guard, node, screen_of
from vsalang.guard import Guard
from vsalang.language.semantics import load
from vsalang.models.rank import Decision, Situation
from vsalang.models.rank.enumerating import candidates
from vsalang.models.rank.judging import allowed
from vsalang.models.rank.pairs import RunStep, answered, flagged, labels, pairs, proof_of, write_pairs
from vsalang.models.rank.prompts import prompts
from vsalang.program.action import Action

FORM = screen_of(
    node("EditText", "[0,0][400,100]", clickable="true", content_desc="Name", text="x"),
    node("EditText", "[0,100][400,200]", clickable="true", content_desc="Number", text="x"),
    button("Save", 200),
)
MENU = screen_of(button("New", 0), button("Old", 100))
LIST = screen_of(button("First", 0), button("Second", 100), button("Third", 200))


def step(screen, text: str, **more) -> RunStep:
    """A step that does the candidate of this text."""
    decision = decision_on(screen, "Add Ann")
    return RunStep(decision, next(one.key for one in decision.candidates if one.text == text), **more)


def end(screen) -> RunStep:
    return step(screen, "finish: the task is done")


def test_a_run_that_was_proved_needs_no_person() -> None:
    run = [
        step(MENU, 'press "New"'),
        step(FORM, 'type into "Name"'),
        step(FORM, 'type into "Number"'),
        step(FORM, 'press "Save"', actions=frozenset({"shop.Add"})),
        end(MENU),
    ]
    found = labels(run, frozenset({"shop.Add"}))
    assert [one.why for one in found] == ["proof"] * 5 and not any(one.open for one in found)
    name, number = found[1], found[2]
    assert name.equal == (number.right,) and number.right not in name.wrong
    assert number.equal == () and name.right in number.wrong


def test_a_run_without_an_end_proves_nothing() -> None:
    run = [step(MENU, 'press "New"'), step(FORM, 'press "Save"', actions=frozenset({"shop.Add"}))]
    assert all(one.open for one in labels(run))


def test_loops_and_what_was_taken_back_are_not_right() -> None:
    run = [
        step(MENU, 'press "Old"'),
        step(LIST, "go back"),
        step(MENU, 'press "New"'),
        step(FORM, 'press "Save"', actions=frozenset({"shop.Add"}), undone=True),
        step(LIST, "go back", undoes=True),
        step(FORM, 'press "Save"', actions=frozenset({"shop.Add"})),
        end(MENU),
    ]
    found = labels(run, frozenset({"shop.Add"}))
    assert [one.why for one in found] == [None, None, "proof", None, "undo", "proof", "proof"]
    assert found[4].equal == () and len(found[4].wrong) == len(run[4].decision.candidates) - 1


def test_what_came_after_the_end_is_open() -> None:
    def with_end(one: RunStep, done: bool) -> RunStep:
        return replace(
            one, decision=replace(one.decision, situation=replace(one.decision.situation, done=done))
        )

    run = [step(MENU, 'press "New"'), step(LIST, 'press "First"'), step(FORM, 'press "Save"'), end(MENU)]
    proof = frozenset({"shop.Stock"})
    late = [with_end(one, nth > 1) for nth, one in enumerate(run)]
    assert [one.why for one in labels(late, proof)] == ["proof", "proof", None, "proof"]
    always = [with_end(one, True) for one in run]
    assert all(one.open for one in labels(always, proof))


def test_a_walk_in_a_form_is_no_loop() -> None:
    run = [
        step(FORM, 'type into "Name"'),
        step(LIST, 'press "Second"'),
        step(FORM, 'press "Save"', actions=frozenset({"shop.Add"})),
        end(MENU),
    ]
    assert [one.why for one in labels(run, frozenset({"shop.Add"}))] == ["proof"] * 4


def blocked_run() -> list[RunStep]:
    """A step under the invitation, which blocks to send."""
    guard = mail_guard()
    situation = Situation("Invite Ann", compose())
    judged = allowed(guard.judge_all, guard.program, candidates(situation))
    decision = Decision(situation, judged.candidates)
    return [RunStep(decision, judged.candidates[0].key, judged.dropped, gold=True)]


def test_what_is_blocked_is_wrong_for_certain() -> None:
    run = blocked_run()
    rows = list(pairs(run, labels(run)))
    hard = [one for one in rows if one.label == "blocked"]
    assert {one.rejected.split(" [")[0] for one in hard} == {
        'Action: press "Check"',
        'Action: press "Send"',
    } | {"Action: answer the user\nAnswer:"}
    assert sum(one.weight for one in rows) == pytest.approx(1)


def test_pairs_have_the_words_of_the_prompts(tmp_path: Path) -> None:
    run = [step(MENU, 'press "New"', gold=True)]
    file = tmp_path / "pairs.jsonl"
    count = write_pairs(file, pairs(run, labels(run)))
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    asked = prompts(run[0].decision)
    assert len(rows) == count == len(run[0].decision.candidates) - 1
    assert {row["prompt"] + row["chosen"] for row in rows} == {asked.text(0)}
    assert {row["prompt"] + row["rejected"] for row in rows} == {
        asked.text(nth) for nth in range(1, count + 1)
    }
    # the columns of a preference data set with explicit prompt, as TRL's trainers read it: three texts
    assert all(
        isinstance(row[name], str) and row[name] for row in rows for name in ("prompt", "chosen", "rejected")
    )
    assert file.stat().st_mode & 0o077 == 0


def test_a_person_says_what_is_right() -> None:
    run = [step(MENU, 'press "New"')]
    (open_,) = labels(run)
    assert open_.open and not list(pairs(run, [open_]))
    told = answered(open_, run[0].decision, run[0].did)
    assert told.why == "gold" and len(list(pairs(run, [told]))) == len(told.wrong)
    with pytest.raises(ValueError, match=r"step 1 has no candidate nothing"):
        answered(open_, run[0].decision, "nothing")


def test_those_in_doubt_are_looked_at_first() -> None:
    assert flagged({0: 0.9, 1: 0.1, 2: 0.5, 3: 0.0}) == (3, 1)
    assert flagged({0: 0.9, 1: 0.1}, share=1) == (1, 0) and flagged({}) == ()


SWITCH = """
app shop package "org.example.mail"
action Check "Check the address"
recognize Check when tap(id = "check").
"""
TWICE = """
spec once "Check it"
import shop
allow Check.
done when Check earlier.
"""


def test_the_proof_of_an_end_names_what_was_done(tmp_path: Path) -> None:
    (tmp_path / "shop.vsa").write_text(SWITCH, encoding="utf-8")
    (tmp_path / "once.vsa").write_text(TWICE, encoding="utf-8")
    guard = Guard(load(str(tmp_path / "once.vsa")).checked())
    guard.observe(compose())
    assert proof_of(guard.propose(Action("finish"))) == frozenset()  # it is blocked: nothing is proved
    checked = guard.propose(Action("tap", {"id": "check"}))
    guard.commit(checked, approved=True)
    guard.observe(compose())
    proof = proof_of(guard.propose(Action("finish")))
    assert {one.name for one in checked.actions} & proof == {"shop.Check"}


def test_a_step_with_no_candidate_done_is_open() -> None:
    run = [replace(step(MENU, 'press "New"', gold=True), did="gone.tap")]
    assert labels(run)[0].open
