"""The gate: one action at a time, each judged on the screen as it is when it is sent on."""

import datetime as dt
import threading
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.guard.phones import Watch, details, receipt, screen, search
from tests.guard.programs import booking
from vsalang.guard import ActionBlocked, Guard, NotAllowed, Settings, Verdict
from vsalang.phone import DeviceError, DeviceLost, NotDelivered
from vsalang.phone.gate import ActionRefused, Gate, GateEvent
from vsalang.program.action import Action
from vsalang.program.screen import Screen

PROGRAM = booking().program()
SLOT = Action("tap", {"node": 10})
BOOK = Action("tap", {"id": "reserve_button"})
HOLD = Action("long_press", {"id": "reserve_button"})
LATE = Action("tap", {"node": 20})
GOOD = details(("18:30", True), ("20:00", True))
ELSEWHERE = screen({"id": "x", "clickable": True}, app="com.other")
X = Action("tap", {"id": "x"})


class FakePhone:
    """Shows a page, and another one after each input."""

    def __init__(self, *pages: Screen) -> None:
        self.pages = list(pages)
        self.looks = 0
        self.inputs = 0
        self.fails: Exception | None = None
        self.blind: Exception | None = None
        self.inside = 0
        self.most = 0

    def look(self) -> Screen:
        self.looks += 1
        if self.blind is not None:
            raise self.blind
        return self.pages[0]

    def input(self) -> str:
        self.inside += 1
        self.most = max(self.most, self.inside)
        time.sleep(0.001)
        if self.fails is None or getattr(self.fails, "delivered", None) is not False:
            self.inputs += 1
            if len(self.pages) > 1:
                self.pages.pop(0)
        self.inside -= 1
        if self.fails is not None:
            raise self.fails
        return "done"


class Made:
    def __init__(self, *pages: Screen, confirm: Any = None, stale: float = 60.0, **more: Any) -> None:
        self.phone = FakePhone(*pages)
        self.watch = Watch()
        self.guard = Guard(PROGRAM, clock=self.watch, settings=Settings(**more))
        self.events: list[GateEvent] = []
        extra = {"confirm": confirm} if confirm is not None else {}
        self.gate = Gate(self.guard, self.phone.look, listener=self.events.append, stale=stale, **extra)
        self.gate.begin()

    def act(self, *actions: Action, **more: Any) -> Any:
        return self.gate.act(actions, self.phone.input, **more)


# ---------------------------------------------------------------- passing and blocking


def test_the_whole_way() -> None:
    made = Made(GOOD, GOOD, receipt())
    assert made.act(SLOT) == "done"
    assert made.act(BOOK) == "done"
    assert made.gate.act([Action("finish")], made.phone.input) is None
    assert made.gate.finished
    assert made.phone.inputs == 2
    assert [(e.number, e.outcome, e.delivered) for e in made.events] == [
        (1, "passed", True), (2, "passed", True), (3, "passed", True),
    ]  # fmt: skip
    assert made.gate.feedback == ""


def test_what_is_blocked_says_why_and_touches_nothing() -> None:
    made = Made(GOOD)
    with pytest.raises(ActionBlocked) as caught:
        made.act(BOOK)
    assert "time" in caught.value.feedback
    assert made.gate.feedback == caught.value.feedback
    assert made.phone.inputs == 0 and not made.guard.running
    event = made.events[-1]
    assert (event.outcome, event.delivered, event.actions) == ("blocked", False, (BOOK,))
    assert event.verdict is not None and event.verdict.level == "block"


def test_after_finish_nothing_passes() -> None:
    made = Made(GOOD, GOOD, receipt())
    made.act(SLOT)
    made.act(BOOK)
    made.gate.act([Action("finish")], made.phone.input)
    with pytest.raises(ActionBlocked, match="nothing more can be done"):
        made.act(SLOT)
    assert made.phone.inputs == 2


def test_what_is_not_understood_is_told() -> None:
    made = Made(GOOD)
    error = made.gate.refuse("shell:input tap $(x)", "substitution is not understood")
    assert isinstance(error, ActionRefused) and isinstance(error, NotAllowed)
    assert error.feedback == "refused: substitution is not understood"
    assert made.events[-1].what == "shell:input tap $(x)" and made.events[-1].outcome == "refused"
    with pytest.raises(ActionRefused, match="nothing that could be judged"):
        made.act()


def test_what_listens_cannot_break_the_gate() -> None:
    made = Made(GOOD)
    made.gate._listener = lambda event: 1 / 0  # type: ignore[assignment, return-value]
    assert made.act(SLOT) == "done"


# ---------------------------------------------------------------- looks


class Turning(FakePhone):
    """Shows another page from one of its looks on."""

    def __init__(self, *pages: Screen, turns: int) -> None:
        super().__init__(*pages)
        self.turns = turns

    def look(self) -> Screen:
        if self.looks + 1 == self.turns and len(self.pages) > 1:
            self.pages.pop(0)
        return super().look()


def turning(turns: int, stale: float, age: float = 0.0) -> Made:
    made = Made(GOOD, look_age=dt.timedelta(seconds=age), stale=stale)
    made.phone = Turning(GOOD, search(), turns=turns)
    made.gate._look = made.phone.look
    return made


@pytest.mark.parametrize(
    ("stale", "turns"), [(-1.0, 3), (60.0, 2)], ids=["each look is new", "a look is kept for a minute"]
)
def test_what_was_committed_and_not_sent_is_blocked(stale: float, turns: int) -> None:
    """The look before the delivery is a new one, however long a look serves; what it shows is another screen."""
    made = turning(turns, stale)
    with pytest.raises(ActionBlocked, match="not delivered: the screen changed") as caught:
        made.act(SLOT)
    assert made.phone.inputs == 0 and made.phone.looks == turns and not made.guard.running
    event = made.events[-1]
    assert (event.outcome, event.delivered, event.feedback) == ("blocked", False, caught.value.feedback)
    assert event.problem == event.feedback  # the one who runs the agent is told, too
    assert made.act(Action("back")) == "done"  # on the screen as it is now


def test_a_phone_lost_before_delivery_is_an_error() -> None:
    made = turning(2, 60.0)

    def lost() -> Screen:
        if made.phone.looks == 1:
            raise DeviceLost("the cable")
        return made.phone.look()

    made.gate._look = lost
    with pytest.raises(ActionRefused, match="the cable"):
        made.act(SLOT)
    assert made.phone.inputs == 0
    assert (made.events[-1].outcome, made.events[-1].delivered) == ("refused", False)


def test_which_looks_are_made() -> None:
    made = Made(GOOD)
    assert made.phone.looks == 1
    made.act(SLOT)
    assert made.phone.looks == 3  # before it and after it
    made.act(SLOT, continued=True)
    assert made.phone.looks == 4  # the look after the one before serves
    with pytest.raises(ActionBlocked):
        made.act(LATE, LATE)
    assert made.phone.looks == 5


def test_an_aged_look_is_taken_again_before_the_input() -> None:
    made = Made(GOOD, stale=0.0)
    made.act(SLOT)
    assert made.phone.looks == 4  # begin, before judging, before the input, after it


def test_a_screen_that_changes_while_it_is_judged_blocks() -> None:
    made = Made(GOOD, stale=0.0)
    looks = iter([GOOD, search(), search()])
    made.gate._look = lambda: next(looks)
    with pytest.raises(ActionBlocked, match="the screen has changed"):
        made.act(SLOT)
    assert made.phone.inputs == 0
    assert made.guard.snapshot.screen is not None
    assert made.guard.snapshot.screen.fingerprint == search().fingerprint


def test_it_is_judged_on_the_present_screen() -> None:
    made = Made(GOOD)
    made.phone.pages = [receipt()]
    with pytest.raises(ActionBlocked):
        made.act(SLOT)  # there is no such node any more
    assert made.phone.inputs == 0


def test_a_phone_that_cannot_be_seen_gets_no_input() -> None:
    made = Made(GOOD)
    made.phone.blind = DeviceError("the screen cannot be read")
    with pytest.raises(ActionRefused, match="cannot be judged: the screen cannot be read"):
        made.act(SLOT)
    assert made.phone.inputs == 0 and not made.guard.running
    made.phone.blind = None
    assert made.act(SLOT) == "done"


# ---------------------------------------------------------------- the outcome


def test_what_did_not_arrive_may_be_tried_again() -> None:
    made = Made(GOOD, GOOD, receipt())
    made.act(SLOT)
    made.phone.fails = NotDelivered("the cable")
    with pytest.raises(NotDelivered):
        made.act(BOOK)
    assert made.events[-1].outcome == "failed" and made.events[-1].delivered is False
    made.phone.fails = None
    assert made.act(BOOK) == "done"


def test_what_may_have_arrived_counts_as_done() -> None:
    made = Made(GOOD)
    made.act(SLOT)
    made.phone.fails = DeviceLost("the cable")
    with pytest.raises(DeviceLost):
        made.act(BOOK)
    assert made.events[-1].delivered is None
    made.phone.fails = None
    with pytest.raises(ActionBlocked):
        made.act(BOOK)  # the licence may be used up
    assert made.phone.inputs == 2


def test_an_error_without_word_of_delivery_is_unknown() -> None:
    made = Made(GOOD)
    made.act(SLOT)
    made.phone.fails = ValueError("what")
    with pytest.raises(ValueError, match="what"):
        made.act(BOOK)
    assert not made.guard.running
    made.phone.fails = None
    with pytest.raises(ActionBlocked):
        made.act(BOOK)


def test_an_unseen_outcome_is_caught_up_with() -> None:
    made = Made(GOOD)
    made.phone.pages = [GOOD, GOOD, receipt()]
    made.act(SLOT)

    def lost_after() -> str:
        result = made.phone.input()
        made.phone.blind = DeviceLost("the cable")
        return result

    assert made.gate.act([BOOK], lost_after) == "done"
    assert made.events[-1].outcome == "failed" and made.events[-1].delivered is True
    assert made.guard.running
    with pytest.raises(ActionRefused):
        made.act(SLOT)
    made.phone.blind = None
    assert made.gate.act([Action("finish")], made.phone.input) is None
    assert made.gate.finished and not made.guard.running


def test_an_interrupted_input_may_have_arrived() -> None:
    made = Made(GOOD)
    made.act(SLOT)

    def interrupted() -> None:
        made.phone.input()
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        made.gate.act([BOOK], interrupted)
    with pytest.raises(ActionBlocked):
        made.act(BOOK)
    assert made.phone.inputs == 2


# ---------------------------------------------------------------- several readings


def test_every_reading_of_one_input_must_be_allowed() -> None:
    made = Made(GOOD)
    assert made.act(SLOT, Action("long_press", {"node": 10})) == "done"
    with pytest.raises(ActionBlocked):
        Made(GOOD).act(Action("long_press", {"id": "x"}), SLOT)
    with pytest.raises(ActionBlocked):
        Made(GOOD).act(SLOT, BOOK)


def test_the_licences_of_all_readings_are_charged() -> None:
    for order in ((BOOK, HOLD), (HOLD, BOOK)):
        made = Made(GOOD, GOOD, receipt())
        made.act(SLOT)
        assert made.act(*order) == "done"
        made.phone.pages = [GOOD]
        made.act(SLOT)
        with pytest.raises(ActionBlocked, match="done already"):
            made.act(BOOK)


# ---------------------------------------------------------------- warnings and confirmations


def test_a_warned_request_passes_when_it_is_repeated() -> None:
    made = Made(GOOD)
    with pytest.raises(ActionBlocked, match="time"):
        made.act(LATE)
    assert made.act(LATE) == "done"
    assert made.events[-1].verdict is not None and made.events[-1].verdict.overridden


def test_a_warned_request_of_several_readings_passes_repeated() -> None:
    hold = Action("long_press", {"node": 20})
    for order in ((LATE, hold), (hold, LATE)):
        made = Made(GOOD)
        with pytest.raises(ActionBlocked):
            made.act(*order)
        assert made.act(*order) == "done"


def test_another_screen_in_between_takes_a_warning_back() -> None:
    made = Made(GOOD)
    with pytest.raises(ActionBlocked):
        made.act(LATE)
    made.phone.pages = [search()]
    with pytest.raises(ActionBlocked):
        made.act(LATE)
    made.phone.pages = [GOOD]
    with pytest.raises(ActionBlocked):
        made.act(LATE)
    assert made.phone.inputs == 0


def test_nobody_agrees_unless_somebody_is_asked() -> None:
    with pytest.raises(ActionBlocked):
        Made(ELSEWHERE).act(X)
    asked: list[Verdict] = []
    made = Made(ELSEWHERE, confirm=lambda verdict: asked.append(verdict) or True)
    assert made.act(X) == "done"
    assert [verdict.level for verdict in asked] == ["confirm"]
    for answer in (False, None, "yes"):
        with pytest.raises(ActionBlocked):
            Made(ELSEWHERE, confirm=lambda verdict, said=answer: said).act(X)


def test_shadow_passes_everything_and_says_its_verdict() -> None:
    made = Made(GOOD, mode="shadow")
    assert made.act(BOOK) == "done"
    event = made.events[-1]
    assert event.outcome == "passed" and event.verdict is not None and event.verdict.level == "block"


def test_shadow_does_not_mind_a_screen_that_changed() -> None:
    made = Made(GOOD, stale=0.0, mode="shadow")
    looks = iter([GOOD, search(), search(), search(), search()])
    made.gate._look = lambda: next(looks)
    assert made.act(BOOK) == "done"


# ---------------------------------------------------------------- one at a time


def test_two_threads_are_never_both_under_way() -> None:
    made = Made(GOOD)
    failures: list[BaseException] = []

    def work() -> None:
        for _ in range(10):
            try:
                made.act(SLOT)
            except BaseException as error:
                failures.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    assert made.phone.most == 1
    assert made.phone.inputs == 40 == len(made.events)


def test_a_request_inside_another_one_is_refused() -> None:
    made = Made(GOOD)

    def inner() -> None:
        made.act(SLOT)

    with pytest.raises(ActionRefused, match="under way"):
        made.gate.act([SLOT], inner)
    assert made.phone.inputs == 0


# ---------------------------------------------------------------- whatever comes

ACTIONS = st.sampled_from(
    [SLOT, BOOK, HOLD, LATE, X, Action("back"), Action("finish"), Action("shell", {"command": "reboot"}),
     Action("tap"), Action("tap", {"node": "no"}), Action("input_text", {"value": "x"}), Action("Reserve", {}),
     Action("apps.opentable.Reserve", {"restaurant": "R"}), Action("wipe")]
)  # fmt: skip
PAGES = st.sampled_from([GOOD, search(), receipt(), ELSEWHERE, screen()])


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.lists(ACTIONS, max_size=3), PAGES, st.booleans(), st.sampled_from([None, True, False])),
                max_size=8), st.booleans())  # fmt: skip
def test_nothing_is_forwarded_without_an_allowing_verdict(
    stream: list[tuple[list[Action], Screen, bool, bool | None]], agrees: bool
) -> None:
    made = Made(GOOD, confirm=lambda verdict: agrees)
    for actions, page, blind, delivered in stream:
        made.phone.pages = [page]
        made.phone.blind = DeviceError("no") if blind else None
        running: list[bool] = []

        def forward(said: bool | None = delivered, seen: list[bool] = running) -> str:
            seen.append(made.guard.running)
            if said is not True:
                error = DeviceError("failed")
                error.delivered = said
                raise error
            return "done"

        count = len(made.events)
        passed = False
        try:
            made.gate.act(actions, forward)
            passed = True
        except NotAllowed:
            assert not running
        except DeviceError:
            passed = True
        assert len(made.events) == count + 1
        event = made.events[-1]
        assert len(running) <= 1 and all(running)
        if running:
            assert passed and event.verdict is not None
            assert event.verdict.allowed or (agrees and event.verdict.level == "confirm")
        assert (event.outcome in ("passed", "failed")) is passed
        assert bool(event.feedback) is (event.outcome != "passed")
