"""The words of reasons are made when somebody reads them, of what was kept of their moment: what came since changes
nothing of them."""

import datetime as dt
from pathlib import Path

import pytest

from benchmarks.guard_step import cells_session, reserve_r, screen, session
from benchmarks.same import plain
from benchmarks.workloads import TODAY
from vsalang.guard import Guard, Proposal, Verdict
from vsalang.guard.journal import Journal, Recorder
from vsalang.guard.say.verdict import Reason
from vsalang.guard.world.beliefs import CellWrite
from vsalang.guard.world.fact_screen import FactScreen
from vsalang.guard.world.observing import KnownWorld
from vsalang.language.semantics import load_text
from vsalang.program.action import Action

RESERVE = Proposal(
    attempts=(Action("w1_app.Reserve", {"restaurant": "R", "date": TODAY, "time": dt.time(18)}),)
)
SPEC = """spec late "Wait."
deny "no {?r}" when tap(node = ?n), Node(node = ?n, id = ?r), Labelled(id = ?r).
define Labelled(id = ?r) when Node(id = ?r, text = ?t).
done when ON.
"""


def seen(guard: Guard, **cells: object) -> None:
    guard.observe(FactScreen(), seen=KnownWorld(writes=(CellWrite("w1_app.Form", cells),)))  # type: ignore[arg-type]


def late(verdict: Verdict) -> list[bool]:
    """Of each reason whether its words are still to be made."""
    return [reason.words is not None for reason in verdict.reasons]


def test_words_are_those_of_their_moment() -> None:
    told = []
    for reads_at_once in (True, False):
        guard = cells_session()
        seen(guard, restaurant="R", date=TODAY, time=dt.time(18), available=False)
        verdict = guard.propose(RESERVE)
        assert verdict.level == "block"
        assert late(verdict) == [True]
        if reads_at_once:
            told.append(plain(verdict.reasons))
        seen(guard, restaurant="Q", date=None, time=dt.time(20), available=True)
        guard.propose(RESERVE)
        seen(guard, available=None)
        if not reads_at_once:
            told.append(plain(verdict.reasons))
        assert late(verdict) == [False]
    assert told[0] == told[1]
    assert "Form.available" in repr(told[0])


def test_a_rule_that_holds_shows_what_was_seen_then() -> None:
    loaded = load_text(SPEC.replace("ON", 'Node(id = "ok")'))
    assert loaded.program is not None, loaded.diagnostics
    guard = session(loaded.program)
    verdict = guard.propose(Action("tap", {"node": 2}))
    denied = next(reason for reason in verdict.reasons if reason.kind == "deny")
    assert denied.words is not None
    assert (denied.message, denied.level) == ("no day_chip", "block")
    guard.observe(screen(True).gone("Node", {}))
    assert [(why.attr, why.seen) for why in denied.whys if why.attr == "id"] == [("id", '"day_chip"')] * 2


def test_who_records_reads_at_once(tmp_path: Path) -> None:
    with Journal(tmp_path / "session.jsonl", sync="none", resumable=False) as journal:
        program = reserve_r()
        guard = Guard(program, clock=lambda: dt.datetime(2026, 4, 1, 12), recorder=Recorder(journal))
        guard.observe(screen(False))
        verdict = guard.propose(Proposal(attempts=(Action("finish", {}),)))
    assert verdict.level == "block"
    assert not any(late(verdict))


def test_who_reads_gets_what_failed() -> None:
    rule = reserve_r().rules[0]
    calls = []

    def words() -> tuple[str, tuple[()], tuple[()]]:
        calls.append(1)
        if len(calls) == 1:
            raise KeyError("gone")
        return "said", (), ()

    reason = Reason.later("unmet", "block", words, rule=rule, annotations={})
    with pytest.raises(KeyError, match="gone"):
        reason.message  # noqa: B018 - it is made when it is read
    assert (reason.kind, reason.level, reason.rule) == ("unmet", "block", rule.id)
    assert (reason.message, reason.whys, reason.met, len(calls)) == ("said", (), (), 2)
    with pytest.raises(AttributeError, match="no attribute 'words_of'"):
        reason.words_of  # type: ignore[attr-defined]  # noqa: B018


def test_what_was_not_kept_is_not_read() -> None:
    guard = cells_session()
    seen(guard, restaurant="R")
    parts = guard.session.parts
    state = guard.snapshot
    facts = parts.moments.facts(guard.session.context(), state.world, state.world, (), frozenset()).kept(
        ["w1_app.Form"]
    )
    assert len(list(facts.rows("w1_app.Form"))) == 1
    with pytest.raises(KeyError):
        facts.rows("w1_app.Reserve")
