"""Many proposals judged at once: the same as each alone, and nothing of the session changes by it."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.guard.phones import Watch, details, receipt, search
from tests.guard.test_hostile_agent import PROPOSALS, SCREENS
from tests.guard.test_python_api import BOOK, ELSEWHERE, PROGRAM, SLOT
from tests.guard.test_step import Diary
from tests.thorough import times
from vsalang.guard import AsyncGuard, Guard, NotAllowed, Proposal, Settings
from vsalang.guard.say.verdict import Verdict
from vsalang.program.action import Action

GOOD = details(("18:30", True))
WALKS = st.lists(
    st.tuples(
        st.sampled_from(SCREENS), st.lists(PROPOSALS, min_size=1, max_size=4), PROPOSALS, st.booleans()
    ),
    min_size=1,
    max_size=3,
)
"""Of each step the screen, what is judged at once, what is proposed after it, and whether it is committed."""
MODES = st.sampled_from(
    (Settings(), Settings(overrides=1), Settings(unknown_screen="warn"), Settings(mode="shadow"))
)


def untold(verdict: Verdict) -> Verdict:
    """A verdict without its number and without how long it took."""
    return replace(verdict, token=0, took=0.0)


def kept(guard: Guard) -> tuple[Any, ...]:
    """All that a session knows."""
    at = guard.session
    return (
        at.state,
        at.pending,
        at.warned,
        at.warned_of,
        at.tokens,
        at.proposals,
        at.running,
        at.finished,
        at.failed,
    )


def alone(guard: Guard, proposal: Proposal) -> Verdict:
    """What a guard answers to a proposal; afterwards it remembers no more of it than before."""
    at = guard.session
    remembered = at.pending, at.warned, at.warned_of, at.proposals
    verdict = guard.propose(proposal)
    at.pending, at.warned, at.warned_of, at.proposals = remembered
    return verdict


@settings(max_examples=times(40, 2000), deadline=None)
@given(walk=WALKS, how=MODES)
def test_at_once_is_as_each_alone(walk: Any, how: Settings) -> None:
    asked, plain = (Guard(PROGRAM, clock=Watch(), settings=how) for _ in range(2))
    for screen, together, proposal, commits in walk:
        for guard in (asked, plain):
            guard.observe(screen)
        before = kept(asked)
        verdicts = asked.judge_all([*together, proposal, proposal])
        assert kept(asked) == before
        assert [untold(v) for v in verdicts] == [
            untold(alone(plain, p)) for p in (*together, proposal, proposal)
        ]
        one, other = (guard.propose(proposal) for guard in (asked, plain))
        assert untold(one) == untold(other) == untold(verdicts[-1])
        again = asked.judge_all([proposal])[0]  # a warning passes now
        assert untold(again) == untold(alone(plain, proposal))
        if commits and one.allowed:
            for guard in (asked, plain):
                guard.commit()
            assert {v.level for v in asked.judge_all(together)} == {"block"}
            for guard in (asked, plain):
                guard.observe(screen)
        assert asked.snapshot == plain.snapshot


def test_nothing_is_recorded_and_nobody_is_asked() -> None:
    class Nosy:
        about = None

        def __getattr__(self, name: str) -> Any:
            raise AssertionError(f"evidence was asked for: {name}")

    diary = Diary()

    def asked(question: Any) -> bool:
        raise AssertionError("the user was asked")

    guard = Guard(
        PROGRAM,
        clock=Watch(),
        recorder=diary,  # type: ignore[arg-type]
        ask=asked,
        settings=Settings(mode="ask"),
    )
    guard.observe(ELSEWHERE)
    guard.consult(Nosy())  # type: ignore[arg-type]
    diary.events.clear()
    verdicts = guard.judge_all([SLOT, Action("tap", {"id": "x"}), Action("finish")])
    assert "confirm" in {v.level for v in verdicts}
    assert not diary.events and guard.question is None


def test_none_of_them_can_be_committed() -> None:
    guard = Guard(PROGRAM, clock=Watch())
    guard.observe(GOOD)
    proposed = guard.propose(SLOT)
    (verdict,) = guard.judge_all([SLOT])
    assert verdict.allowed and verdict.token == 0
    with pytest.raises(NotAllowed, match="no fresh verdict"):
        guard.commit(verdict)
    guard.commit(proposed)  # the newest is still the one that was proposed
    assert guard.running


def test_an_error_in_one_blocks_that_one_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    guard = Guard(PROGRAM, clock=Watch())
    guard.observe(GOOD)
    judging = type(guard.session.parts.judging)
    judge = judging.judge

    def breaks(self: Any, state: Any, proposal: Proposal, *args: Any, **more: Any) -> Any:
        if proposal.gesture is not None and proposal.gesture.name == "home":
            raise RuntimeError("broken")
        return judge(self, state, proposal, *args, **more)

    monkeypatch.setattr(judging, "judge", breaks)
    first, broken, last = guard.judge_all([SLOT, Action("home"), Action("back")])
    assert first.allowed and last.allowed
    assert broken.level == "block" and [r.kind for r in broken.reasons] == ["error"]
    assert not guard.failed


def test_what_is_no_proposal_is_blocked() -> None:
    guard = Guard(PROGRAM, clock=Watch())
    assert {r.kind for v in guard.judge_all([SLOT]) for r in v.reasons} == {"no_screen"}
    guard.observe(search())
    assert [v.level for v in guard.judge_all(["tap", None, Proposal()])] == ["block"] * 3  # type: ignore[list-item]
    assert guard.judge_all([]) == ()


def test_the_same_without_blocking() -> None:
    async def both() -> None:
        async with AsyncGuard(PROGRAM, clock=Watch()) as guard:
            await guard.observe(GOOD)
            verdicts = await guard.judge_all([SLOT, BOOK])
            assert [v.level for v in verdicts] == ["allow", "block"]

    asyncio.run(both())


def test_a_finished_session_blocks_all() -> None:
    guard = Guard(PROGRAM, clock=Watch())
    guard.observe(receipt())
    guard.close()
    assert [v.level for v in guard.judge_all([SLOT, Action("finish")])] == ["block", "block"]
