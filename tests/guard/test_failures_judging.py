"""The failure contract: what fails while the guard judges, or answers."""

import datetime as dt
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.guard.breakable import PROGRAM, RESERVE, Broken, Session, breaks, broken, ended, held_to
from tests.guard.contract import row
from tests.guard.phones import details
from tests.guard.programs import R, lit
from vsalang.engine.api import Budget, EngineError
from vsalang.guard import GuardFailed, NotAllowed, Proposal, Settings
from vsalang.guard.say.feedback import verdict_text
from vsalang.program import ir
from vsalang.program.action import Action
from vsalang.program.example import Fact


@row("rule")
def test_a_rule_that_raises(made: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    clauses = {rule.id for rule in PROGRAM.rules if isinstance(rule.head, ir.License)}
    kind = type(made.guard.session.parts.evaluator)
    real = kind.answers

    def answers(evaluator: Any, rule: str) -> Any:
        if rule in clauses:
            raise EngineError(f"rule {rule} cannot be evaluated")
        return real(evaluator, rule)

    monkeypatch.setattr(kind, "answers", answers)
    before = made.guard.snapshot
    held_to(made.guard, made.guard.propose(RESERVE))
    assert made.guard.snapshot is before and not made.guard.failed
    monkeypatch.undo()
    made.ends_well()
    assert "failed" not in made.kinds


@row("budget")
@pytest.mark.parametrize("budget", [Budget(rows=3), Budget(steps=1)])
def test_a_bound_that_is_reached(made: Session, monkeypatch: pytest.MonkeyPatch, budget: Budget) -> None:
    before = made.guard.snapshot
    monkeypatch.setattr(made.guard.session.parts.evaluator.state, "budget", budget)
    verdict = made.guard.propose(Proposal(RESERVE, writes=_slots(5)))
    assert "BudgetExceeded" in verdict.reasons[0].message
    held_to(made.guard, verdict)
    monkeypatch.undo()
    goes_on(made, before)


@row("time")
def test_judging_that_takes_too_long(made: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    before = made.guard.snapshot
    monkeypatch.setattr("vsalang.engine.run.state.SLICE", 1)
    monkeypatch.setattr(made.guard.session.parts.evaluator.state, "budget", Budget(seconds=0.0))
    verdict = made.guard.propose(Proposal(RESERVE, writes=_slots(2000)))
    assert "BudgetExceeded" in verdict.reasons[0].message, verdict.reasons[0].message
    held_to(made.guard, verdict)
    monkeypatch.undo()
    goes_on(made, before)


def _slots(count: int) -> tuple[Fact, ...]:
    cells = {"restaurant": "R", "date": dt.date(2026, 4, 1), "available": True, "time": dt.time(18, 30)}
    return tuple(Fact(f"{R}Slot", {**cells, "at": number}) for number in range(1, count + 1))


def goes_on(made: Session, before: object) -> None:
    """The session goes on, or another guard goes on with it."""
    assert made.guard.snapshot is before
    if made.guard.failed:
        ended(made.guard)
        with made.resumed() as again:
            made.ends_well(again)
    else:
        made.ends_well()


@row("judging")
@pytest.mark.parametrize(
    "place",
    [
        "_judging.judge",
        "vsalang.guard.judge.several_names.NameJudgement.of",
        "vsalang.guard.judge.resolve.names_that_matter",
        "vsalang.guard.judge.resolve.instances_given",
        "vsalang.guard.judge.predict.recognized",
        "vsalang.guard.judge.judging_rules.holding",
        "vsalang.guard.judge.licensing.licences_of",
        "vsalang.guard.judge.whereabouts.reasons_of_screen",
        "vsalang.guard.judge.consequences.contradictions",
        "_evaluator.savepoint",
        "_evaluator.assign",
        "_evaluator.answers",
        "_evaluator.rows",
        "_moments.gesture",
        "_moments.actions",
        "_moments.settle",
        "_moments.facts",
        "_licences.bears",
        "_licences.grant",
        "_licences.spent",
        "vsalang.guard.judge.predict.writes",
        "vsalang.guard.judge.consequences.apply",
        "vsalang.guard.judge.licensing.licensed_reasons",
        "vsalang.guard.judge.licensing.Explainer",
        "vsalang.guard.say.why.match_row",
        "vsalang.guard.verdicts.known_cells",
    ],
)
def test_an_internal_error_while_judging(made: Session, monkeypatch: pytest.MonkeyPatch, place: str) -> None:
    breaks(made, monkeypatch, place)
    before = made.guard.snapshot
    held_to(made.guard, made.guard.propose(RESERVE))
    monkeypatch.undo()
    goes_on(made, before)


@row("judging")
@pytest.mark.parametrize(
    ("place", "action"),
    [
        ("_frontier.judge", Action("tap", {"node": 10})),
        (
            "vsalang.guard.frontier.frontier.RowChange",
            Action("tap", {"node": 10}),
        ),
        ("vsalang.guard.judge.licensing.licence_reasons", Action("finish")),
        ("vsalang.guard.say.why.Explainer.sides", Action("finish")),
    ],
)
def test_an_internal_error_of_what_only_some_proposals_need(
    made: Session, monkeypatch: pytest.MonkeyPatch, place: str, action: Action
) -> None:
    breaks(made, monkeypatch, place)
    held_to(made.guard, made.guard.propose(action))
    monkeypatch.undo()
    made.ends_well()


@row("rollback")
def test_a_rollback_that_fails(made: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    evaluator: Any = made.guard.session.parts.evaluator
    rollback, tried = type(evaluator).rollback, []

    def once(self: Any, savepoint: int) -> None:
        tried.append(savepoint)
        if len(tried) == 1:
            raise Broken("once")
        rollback(self, savepoint)

    breaks(made, monkeypatch, "_evaluator.rollback", once)
    before = made.guard.snapshot
    held_to(made.guard, made.guard.propose(RESERVE))
    assert made.guard.snapshot is before and not made.guard.failed
    assert not evaluator.state.savepoints, "no savepoint stays open, of which the undo log would grow"
    monkeypatch.undo()
    made.ends_well()


@row("restore")
def test_a_rollback_that_always_fails(made: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is assigned after it would stand on a savepoint that is still open."""
    breaks(made, monkeypatch, "_evaluator.rollback")
    held_to(made.guard, made.guard.propose(RESERVE))
    monkeypatch.undo()
    ended(made.guard)
    with made.resumed() as again:
        made.ends_well(again)


@row("restore")
def test_a_rollback_that_cannot_be_mended(made: Session, monkeypatch: pytest.MonkeyPatch) -> None:
    breaks(made, monkeypatch, "_evaluator.rollback")
    breaks(made, monkeypatch, "_outcomes.assign")
    held_to(made.guard, made.guard.propose(RESERVE))
    monkeypatch.undo()
    ended(made.guard)
    with made.resumed() as again:
        made.ends_well(again)


@row("clock")
def test_a_clock_that_fails(made: Session) -> None:
    clock = made.watch
    verdict = made.guard.propose(RESERVE)
    assert verdict.allowed
    made.watch = broken  # type: ignore[assignment]
    with pytest.raises(NotAllowed, match="clock"):
        made.guard.commit(verdict)
    assert not made.guard.running
    held_to(made.guard, made.guard.propose(RESERVE))
    with pytest.raises(GuardFailed):
        made.guard.observe(made.page)
    made.watch = clock
    ended(made.guard)
    assert "failed" in made.kinds
    with made.resumed() as again:
        made.ends_well(again)


@row("proposal")
@pytest.mark.parametrize(
    "proposal",
    [None, 3, "tap", object(), Action("fly"), Action("tap"), Action("tap", {"id": []}), Proposal()],  # type: ignore[dict-item]
)
def test_what_is_no_proposal(made: Session, proposal: Any) -> None:
    verdict = made.guard.propose(proposal)
    assert verdict.level == "block"
    with pytest.raises(NotAllowed):
        made.guard.commit(verdict, approved=True)
    made.ends_well()


@row("roadmap")
@pytest.mark.parametrize("place", ["_moments.savepoint", "_moments.rollback", "_judging.goals"])
def test_a_roadmap_that_fails(made: Session, monkeypatch: pytest.MonkeyPatch, place: str) -> None:
    verdict = made.guard.propose(RESERVE)
    breaks(made, monkeypatch, place)
    before = made.guard.snapshot
    with pytest.raises(Broken):
        made.guard.roadmap()
    monkeypatch.undo()
    assert made.guard.snapshot is before and not made.guard.failed
    assert verdict.allowed
    made.ends_well()


@row("template")
@pytest.mark.parametrize(
    "text", ["{{", "{{ nothing.at.all }}", "{% include 'gone.j2' %}", "{{ 1 / 0 }}", b"\xff"]
)
def test_a_template_that_fails(made: Session, tmp_path: Path, text: str | bytes) -> None:
    (tmp_path / "verdict.j2").write_bytes(text if isinstance(text, bytes) else text.encode())
    verdict = made.guard.propose(Action("finish"))
    shown = verdict_text(verdict, folder=tmp_path)
    assert "verdict.j2" in shown and "Blocked" in shown
    assert verdict.level == "block"
    allowed = made.guard.propose(RESERVE)
    assert "verdict.j2" in verdict_text(allowed, folder=tmp_path)
    made.guard.commit(allowed)
    assert made.guard.running


# ------------------------------------------------------------------ `~=`


def _alike() -> ir.Program:
    """The booking app, its licence only for a restaurant that is similar to another."""
    rules = [
        replace(
            rule,
            body=(*rule.body, lit(f"{R}Slot", ("restaurant", "~=", "Trattoria Romana"), reading="certain")),
        )
        if isinstance(rule.head, ir.License) and rule.head.atom.relation == f"{R}Reserve"
        else rule
        for rule in PROGRAM.rules
    ]
    return replace(PROGRAM, rules=tuple(rules))


def alike(like: Any, folder: Path, name: str = "session.jsonl", **settings: Any) -> Session:
    return Session(folder, _alike(), name, similarity=like, settings=Settings(**settings))


class Like:
    """A backend that does what it is told."""

    problem = ""

    def __init__(self, answer: Callable[[], bool | None]) -> None:
        self.answer = answer

    def similar(self, text: str, constant: str) -> bool | None:
        return self.answer()


def another(name: str) -> Proposal:
    """A slot of a restaurant that was not seen yet: the backend is asked about its name."""
    cells = {"restaurant": name, "date": dt.date(2026, 4, 1), "time": dt.time(18, 30)}
    return Proposal(writes=(Fact(f"{R}Slot", {**cells, "available": True, "at": 1}),))


@row("similar-silent")
def test_a_backend_without_an_answer(tmp_path: Path) -> None:
    backend = Like(lambda: None)
    made = alike(backend, tmp_path)
    verdict = made.guard.propose(RESERVE)
    assert verdict.level == "block" and not verdict.because("error") and verdict.because("restaurant")
    backend.answer = lambda: True
    made.guard.observe(details(("18:30", False)))
    made.guard.observe(made.page)
    assert made.guard.propose(RESERVE).level == "block"  # what it said of a pair holds for the session
    with made.resumed() as again:
        again.observe(made.page)
        assert again.propose(RESERVE).level == "block"
    fresh = alike(backend, tmp_path, name="fresh.jsonl")
    fresh.ends_well()
    fresh.journal.close()


@row("similar-failed")
def test_a_backend_that_says_why(tmp_path: Path) -> None:
    backend = Like(lambda: None)
    made = alike(backend, tmp_path)
    assert not made.guard.propose(RESERVE).because("unanswered"), "it does not know, but it did not fail"
    backend.problem = "the line is cut"
    verdict = made.guard.propose(RESERVE)
    assert verdict.level == "block" and "the line is cut" in verdict.reasons[0].message
    with pytest.raises(NotAllowed):
        made.guard.commit(verdict)


@row("similar-raises")
def test_a_backend_that_raises(tmp_path: Path) -> None:
    backend = Like(lambda: True)
    made = alike(backend, tmp_path)
    backend.answer = broken
    verdict = made.guard.propose(another("Trattoria"))
    assert "it is broken" in verdict.reasons[0].message
    held_to(made.guard, verdict)
    ended(made.guard)
    backend.answer = lambda: True
    with made.resumed() as again:
        made.ends_well(again)


@row("similar-hangs")
def test_a_backend_that_hangs(tmp_path: Path) -> None:
    backend = Like(lambda: True)
    made = alike(backend, tmp_path, budget=Budget(seconds=0.2))
    come_back = threading.Event()
    backend.answer = come_back.wait
    verdict = made.guard.propose(another("Trattoria"))
    assert "no answer" in verdict.reasons[0].message
    held_to(made.guard, verdict)
    ended(made.guard)
    come_back.set()
    backend.answer = lambda: True
    with made.resumed() as again:
        made.ends_well(again)
