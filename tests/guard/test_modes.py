"""What a guard does with its verdicts: enforce, shadow, ask."""

import datetime as dt
import threading
import time
from typing import Any

import pytest

from tests.guard.phones import Watch, details, receipt, screen, search
from tests.guard.programs import booking
from vsalang.engine.api import EngineError
from vsalang.guard import AnswerRefused, Guard, NotAllowed, Proposal, Question, Settings, Verdict
from vsalang.guard.say.feedback import verdict_text
from vsalang.program.action import Action

SLOT = Action("tap", {"node": 10})
BOOK = Action("tap", {"id": "reserve_button"})
UNKNOWN = Action("tap", {"id": "x"})
GOOD = details(("18:30", True))
LATE = details(("20:00", True))
ELSEWHERE = screen({"id": "x", "clickable": True}, app="com.other")
SOON = dt.timedelta(milliseconds=50)


def made(mode: Any, watch: Watch | None = None, **more: Any) -> Guard:
    ask = more.pop("ask", None)
    program = booking(policy=more.pop("policy", True)).program()
    settings = Settings(mode=mode, **more)
    return Guard(program, clock=watch or Watch(), settings=settings, ask=ask)


def act(guard: Guard, action: Action, after: Any) -> Verdict:
    verdict = guard.propose(action)
    guard.commit(verdict)
    guard.observe(after)
    return verdict


def booked(guard: Guard) -> list[Any]:
    return [grant.clauses for grant, _ in guard.snapshot.commits]


# ---------------------------------------------------------------- the modes


def test_a_mode_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="enforce, shadow, ask"):
        made("off")


def test_every_verdict_says_its_mode() -> None:
    for mode in ("enforce", "shadow", "ask"):
        guard = made(mode)
        guard.observe(GOOD)
        data = guard.propose(SLOT).to_json()
        assert (data["mode"], data["binding"]) == (mode, mode != "shadow")


@pytest.mark.parametrize("mode", ["enforce", "ask"])
def test_what_is_denied_passes_by_no_way(mode: Any) -> None:
    guard = made(mode, ask=(lambda question: True) if mode == "ask" else None)
    guard.observe(LATE)
    verdict = guard.propose(BOOK)
    assert verdict.level == "block" and not verdict.allowed
    assert not guard.ask(verdict)
    for approved in (False, True):
        with pytest.raises(NotAllowed):
            guard.commit(approved=approved)


# ---------------------------------------------------------------- shadow


def test_in_shadow_everything_passes_and_is_judged_as_ever() -> None:
    strict, guard = made("enforce"), made("shadow")
    for page in (search(), GOOD, LATE, ELSEWHERE, receipt()):
        for action in (SLOT, BOOK, UNKNOWN, Action("back"), Action("shell", {"command": "x"})):
            strict.observe(page)
            guard.observe(page)
            expected, verdict = strict.propose(action), guard.propose(action)
            assert (verdict.level, verdict.reasons) == (expected.level, expected.reasons)
            assert verdict.allowed and not verdict.binding and verdict.mode == "shadow"
            guard.commit(verdict)
            guard.observe(page, delivered=False)


def test_what_shadow_runs_unlicensed_uses_no_licence() -> None:
    guard = made("shadow", policy=False)
    guard.observe(LATE)
    act(guard, SLOT, LATE)
    assert act(guard, BOOK, receipt(False)).level == "block"
    assert booked(guard) == [frozenset({"*"})]  # outside every licence, and in the history
    guard.observe(GOOD)
    act(guard, SLOT, GOOD)
    verdict = guard.propose(BOOK)
    assert verdict.level == "allow", verdict.reasons
    guard.commit(verdict)
    guard.observe(receipt())
    assert booked(guard)[-1] != frozenset({"*"})
    guard.observe(details(("18:00", True)))
    act(guard, SLOT, details(("18:00", True)))
    assert guard.propose(BOOK).because("licence")  # that one is used up now
    act(guard, BOOK, receipt())
    assert booked(guard)[-1] == frozenset({"*"})
    assert guard.propose(Action("finish")).level == "allow"


def test_what_runs_beyond_a_licence_does_not_spoil_others() -> None:
    guard = made("shadow", policy=False)
    for _ in range(3):
        guard.observe(GOOD)
        act(guard, SLOT, GOOD)
        act(guard, BOOK, receipt())
    assert guard.session.parts.licences.bears(guard.snapshot.grants)


def test_shadow_has_one_action_under_way_at_once() -> None:
    guard = made("shadow")
    guard.observe(GOOD)
    guard.commit(guard.propose(SLOT))
    verdict = guard.propose(BOOK)
    assert verdict.because("running") and not verdict.allowed and verdict.binding
    with pytest.raises(NotAllowed):
        guard.commit(verdict)


def test_in_shadow_the_session_has_an_end() -> None:
    guard = made("shadow")
    guard.observe(search())
    assert act(guard, Action("finish"), search()).level == "block"
    assert guard.finished
    verdict = guard.propose(SLOT)
    assert verdict.because("finished") and not verdict.allowed
    with pytest.raises(NotAllowed):
        guard.commit()


def test_in_shadow_a_verdict_is_still_about_one_screen() -> None:
    watch = Watch()
    guard = made("shadow", watch)
    guard.observe(LATE)
    with pytest.raises(NotAllowed, match="the screen has changed"):
        guard.commit(guard.propose(BOOK), screen=GOOD)
    verdict = guard.propose(BOOK)
    watch.now += dt.timedelta(seconds=6)
    with pytest.raises(NotAllowed, match="too old"):
        guard.commit(verdict)
    verdict = guard.propose(BOOK)
    guard.propose(SLOT)
    with pytest.raises(NotAllowed, match="no fresh verdict"):
        guard.commit(verdict)
    forged = Verdict("block", (), Proposal(BOOK), 99, watch.now, mode="shadow", binding=False)
    with pytest.raises(NotAllowed):
        guard.commit(forged)


def test_in_shadow_an_error_is_held_back(monkeypatch: pytest.MonkeyPatch) -> None:
    guard = made("shadow")
    guard.observe(GOOD)

    def broken(*_: object, **__: object) -> Any:
        raise EngineError("too many rows")

    monkeypatch.setattr(guard.session.parts.judging, "judge", broken)
    verdict = guard.propose(SLOT)
    assert verdict.because("error") and not verdict.allowed and verdict.binding
    with pytest.raises(NotAllowed):
        guard.commit(verdict)


def test_a_binding_verdict_cannot_be_talked_out_of_it() -> None:
    """`binding` and `allowed` are what the guard says, and are not asked for at a commit of another verdict."""
    guard = made("enforce")
    guard.observe(LATE)
    verdict = guard.propose(BOOK)
    object.__setattr__(verdict, "mode", "shadow")
    with pytest.raises(NotAllowed):
        guard.commit(verdict)


def test_feedback_says_that_nothing_is_held_back() -> None:
    guard = made("shadow")
    guard.observe(LATE)
    assert "shadow" in verdict_text(guard.propose(BOOK)).lower()
    guard = made("enforce")
    guard.observe(LATE)
    assert "shadow" not in verdict_text(guard.propose(BOOK)).lower()


# ---------------------------------------------------------------- ask


def asking(answer: Any, **more: Any) -> tuple[Guard, list[Question]]:
    asked: list[Question] = []

    def ask(question: Question) -> Any:
        asked.append(question)
        return answer(question) if callable(answer) else answer

    guard = made("ask", ask=ask, **more)
    guard.observe(ELSEWHERE)
    return guard, asked


def test_a_yes_is_good_for_one_commit() -> None:
    guard, asked = asking(True)
    verdict = guard.propose(UNKNOWN)
    assert verdict.level == "confirm" and not verdict.allowed
    guard.commit(verdict)
    assert guard.running and [question.verdict for question in asked] == [verdict]
    guard.observe(ELSEWHERE)
    with pytest.raises(NotAllowed):
        guard.commit(verdict)
    guard.commit(guard.propose(UNKNOWN))
    assert len(asked) == 2


def test_asked_beforehand_it_is_not_asked_again() -> None:
    guard, asked = asking(True)
    verdict = guard.propose(UNKNOWN)
    assert guard.ask(verdict)
    guard.commit(verdict, screen=ELSEWHERE)
    assert guard.running and len(asked) == 1


@pytest.mark.parametrize("answer", [False, "yes", 1, object()])
def test_anything_but_true_is_a_no(answer: Any) -> None:
    guard, _ = asking(answer)
    with pytest.raises(NotAllowed, match="the user said no"):
        guard.commit(guard.propose(UNKNOWN))
    assert not guard.running


def test_the_callers_word_is_not_the_users() -> None:
    guard, asked = asking(False)
    with pytest.raises(NotAllowed):
        guard.commit(guard.propose(UNKNOWN), approved=True)
    assert len(asked) == 1


def test_whoever_cannot_ask_gets_a_no() -> None:
    def ask(question: Question) -> bool:
        raise RuntimeError("no display")

    guard, _ = asking(ask)
    with pytest.raises(NotAllowed):
        guard.commit(guard.propose(UNKNOWN))


def test_nobody_answers_in_time() -> None:
    guard = made("ask", ask_timeout=SOON)
    guard.observe(ELSEWHERE)
    with pytest.raises(NotAllowed, match="nobody answered in time"):
        guard.commit(guard.propose(UNKNOWN))
    with pytest.raises(AnswerRefused, match="too late"):
        guard.answer(True)
    assert not guard.running
    with pytest.raises(NotAllowed):
        guard.commit()  # the late yes does not count for the verdict either


def test_a_late_answer_of_the_asker_does_not_count() -> None:
    go = threading.Event()
    done = threading.Event()

    def ask(question: Question) -> bool:
        go.wait(60)
        done.set()
        return True

    guard, _ = asking(ask, ask_timeout=SOON)
    verdict = guard.propose(UNKNOWN)
    assert not guard.ask(verdict)
    go.set()
    assert done.wait(60)
    time.sleep(0.02)
    assert guard.questions.agreed is None and guard.questions.newest is not None
    assert guard.questions.newest.outcome == "timeout"


def in_thread(guard: Guard, verdict: Verdict) -> tuple[threading.Thread, list[Any]]:
    """Commit in a thread; gives what was raised, or None."""
    found: list[Any] = []

    def run() -> None:
        try:
            guard.commit(verdict)
            found.append(None)
        except NotAllowed as refused:
            found.append(refused)

    thread = threading.Thread(target=run)
    thread.start()
    while guard.question is None and thread.is_alive():
        time.sleep(0.001)
    return thread, found


def test_an_answer_from_elsewhere_counts_once() -> None:
    guard = made("ask")
    guard.observe(ELSEWHERE)
    with pytest.raises(AnswerRefused, match="nothing was asked"):
        guard.answer(True)
    thread, found = in_thread(guard, guard.propose(UNKNOWN))
    guard.answer(True)
    for again in (True, False):
        with pytest.raises(AnswerRefused, match="already"):
            guard.answer(again)
    thread.join(60)
    assert found == [None] and guard.running


def test_a_no_cannot_be_made_a_yes() -> None:
    guard = made("ask")
    guard.observe(ELSEWHERE)
    thread, found = in_thread(guard, guard.propose(UNKNOWN))
    guard.answer(False)
    with pytest.raises(AnswerRefused):
        guard.answer(True)
    thread.join(60)
    assert isinstance(found[0], NotAllowed) and not guard.running


@pytest.mark.parametrize("what", ["propose", "observe", "close"])
def test_what_is_overtaken_needs_no_answer(what: str) -> None:
    guard = made("ask")
    guard.observe(ELSEWHERE)
    thread, found = in_thread(guard, guard.propose(UNKNOWN))
    if what == "propose":
        guard.propose(UNKNOWN)
    elif what == "observe":
        guard.observe(ELSEWHERE)
    else:
        guard.close()
    thread.join(60)
    assert isinstance(found[0], NotAllowed) and not guard.running
    with pytest.raises(AnswerRefused, match="overtaken"):
        guard.answer(True)


def test_one_question_at_a_time() -> None:
    guard = made("ask")
    guard.observe(ELSEWHERE)
    verdict = guard.propose(UNKNOWN)
    thread, _ = in_thread(guard, verdict)
    assert not guard.ask(verdict)
    with pytest.raises(NotAllowed):
        guard.commit(verdict)
    guard.answer(True)
    thread.join(60)


def test_the_user_is_asked_once_about_a_verdict() -> None:
    guard, asked = asking(False)
    verdict = guard.propose(UNKNOWN)
    for _ in range(3):
        assert not guard.ask(verdict)
        with pytest.raises(NotAllowed, match="the user said no"):
            guard.commit(verdict)
    assert len(asked) == 1
    with pytest.raises(NotAllowed):
        guard.commit(guard.propose(UNKNOWN))
    assert len(asked) == 2


def test_only_confirmations_are_asked_about() -> None:
    guard, asked = asking(True)
    guard.observe(GOOD)
    guard.commit(guard.propose(SLOT))
    assert not asked


def test_what_came_up_meanwhile_must_be_asked_too() -> None:
    """The answer is to what was asked: it is judged again, by the clock of the answer."""
    watch = Watch()
    guard = made("ask", watch, ask=lambda question: True)
    guard.observe(ELSEWHERE)
    verdict = guard.propose(UNKNOWN)
    assert guard.ask(verdict)
    with pytest.raises(NotAllowed, match="the screen has changed"):
        guard.commit(verdict, screen=GOOD)
    with pytest.raises(NotAllowed):  # and the yes went with it
        guard.commit(verdict)


def test_an_asker_is_for_the_mode_ask() -> None:
    with pytest.raises(ValueError, match='mode "ask"'):
        made("enforce", ask=lambda question: True)
