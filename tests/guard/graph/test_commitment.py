"""Commitments: they stop where something is not as planned, and deliver nothing that single steps would not."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.guard.graph.phone import MAIL, MailPhone, invite
from vsalang import load
from vsalang.guard import Guard, Settings
from vsalang.guard.graph import CommitmentResult, PlannedAction, commit_all
from vsalang.program.action import Action
from vsalang.program.screen import Cells, Screen

TO = Action("input_text", {"id": "to", "value": "Ann"})
SUBJECT = Action("input_text", {"id": "subject", "value": "Lunch"})
COPY = Action("tap", {"id": "copy"})
CHECK = Action("tap", {"id": "check"})
SEND = Action("tap", {"id": "send"})
MORE = Action("tap", {"id": "more"})
FINISH = Action("finish")
GIVE_UP = Action("give_up", {"reason": "enough"})
PLAN = [TO, SUBJECT, COPY, CHECK, SEND]


def started(phone: Any, **chosen: Any) -> Guard:
    guard = Guard(invite(), phone, settings=Settings(**chosen))
    guard.observe(phone.observe())
    return guard


def outcome(phone: Any, *actions: Any, **more: Any) -> CommitmentResult:
    return commit_all(started(phone), actions, **more)


def ids(phone: MailPhone) -> list[str]:
    return [id_ for _, id_ in phone.delivered]


def test_a_plan_is_done_to_its_end() -> None:
    phone = MailPhone()
    done = outcome(phone, *PLAN)
    assert done and not done.remains
    assert [each.verdict.level for each in done.done] == ["allow"] * 5
    assert ids(phone) == ["to", "subject", "copy", "check", "send"]


def test_the_first_look_is_taken() -> None:
    phone = MailPhone()
    assert commit_all(Guard(invite(), phone), [TO])


def test_what_is_refused_remains() -> None:
    phone = MailPhone()
    done = outcome(phone, TO, SEND, COPY)
    assert not done and done.stopped is not None
    assert done.stopped.kind == "refused" and "block" in done.stopped.why
    assert [each.action for each in done.remains] == [SEND, COPY]
    assert ids(phone) == ["to"]


def test_a_warning_passes_when_repeated() -> None:
    phone = MailPhone()
    guard = started(phone)
    wrong = Action("input_text", {"id": "to", "value": "Bob"})
    first = commit_all(guard, [wrong, CHECK])
    assert first.stopped is not None and first.stopped.acted is not None
    assert first.stopped.acted.verdict.level == "warn" and first.remains[0].action == wrong
    assert [each.action for each in commit_all(guard, first.remains).done] == [wrong]


def test_what_is_confirmed_is_asked_in_single_steps() -> None:
    stranger = Action("tap", {"id": "menu"})  # no module describes a tap on it
    for ask, carried in ((lambda question: True, 1), (lambda question: False, 0)):
        phone = MailPhone(menu=True)
        program = load_closed()
        guard = Guard(program, phone, settings=Settings(mode="ask"), ask=ask)
        guard.observe(phone.observe())
        assert len(commit_all(guard, [stranger]).done) == carried


def load_closed() -> Any:
    """The program with the screen Menu closed: a tap there must be confirmed."""
    program = invite()
    closed = {
        name: replace(relation, closed=relation.closed or relation.short == "Menu")
        for name, relation in program.relations.items()
    }
    return replace(program, relations=closed, digest="closed")


def test_cut_text_stops_it() -> None:
    phone = MailPhone(cut=2)
    done = outcome(phone, *PLAN)
    assert done.stopped is not None and done.stopped.kind == "differs"
    assert '"An"' in done.stopped.why and ids(phone) == ["to"]
    assert [each.action for each in done.done] == [TO] and len(done.remains) == 4


def test_a_lost_touch_stops_it() -> None:
    phone = MailPhone(lost=frozenset({"copy"}))
    done = outcome(phone, COPY, TO)
    assert done.stopped is not None and done.stopped.kind == "differs"
    assert ids(phone) == ["copy"]


EXPECTING = """
spec careful "Check it."
import mail
allow Check.
done when Check earlier.
"""


@pytest.mark.parametrize(
    ("expected", "kind", "go_on"),
    [
        ("screen Menu", "violated", False),
        ('Draft(to = "Ann")', "violated", False),
        ('Outbox(subject = "Lunch")', "inconclusive", True),
        ("screen Compose", "", True),
    ],
)
def test_contracts_decide_whether_to_go_on(tmp_path: Any, expected: str, kind: str, go_on: bool) -> None:
    app = (MAIL / "mail.vsa").read_text(encoding="utf-8")
    (tmp_path / "mail.vsa").write_text(f"{app}\nexpect {expected} when Check.\n", encoding="utf-8")
    (tmp_path / "careful.vsa").write_text(EXPECTING, encoding="utf-8")
    program = load(tmp_path / "careful.vsa").checked()
    for way in ("stop", "go on"):
        phone = MailPhone()
        guard = Guard(program, phone)
        guard.observe(phone.observe())
        done = commit_all(guard, [CHECK, MORE], inconclusive=way)  # type: ignore[arg-type]
        goes = not kind or (way == "go on" and go_on)
        assert bool(done) is goes
        assert ids(phone) == (["check", "more"] if goes else ["check"])
        if not goes:
            assert done.stopped is not None and done.stopped.kind == kind
            assert done.done[-1].contracts[0].outcome == kind


def test_the_end_of_the_session_ends_it() -> None:
    phone = MailPhone()
    done = outcome(phone, TO, GIVE_UP, COPY)
    assert done.stopped is not None and done.stopped.kind == "over"
    assert [each.action for each in done.done] == [TO, GIVE_UP] and ids(phone) == ["to"]
    assert outcome(MailPhone(), *PLAN, GIVE_UP)
    early = outcome(MailPhone(), FINISH)
    assert early.stopped is not None and early.stopped.kind == "refused"


# ---------------------------------------------------------------- what an action points at


def number(guard: Guard, id_: str) -> int:
    screen = guard.snapshot.screen
    assert screen is not None
    (found,) = [row["node"] for row in screen.rows("Node") if row.get("id") == id_]
    assert isinstance(found, int)
    return found


def test_numbers_of_nodes_follow_their_controls() -> None:
    phone = MailPhone(moving=True)
    guard = started(phone)
    fields = [number(guard, id_) for id_ in ("to", "subject")]
    planned = [
        Action("input_text", {"node": fields[0], "value": "Ann"}),
        Action("input_text", {"node": fields[1], "value": "Lunch"}),
    ]
    done = commit_all(guard, planned)
    assert done and ids(phone) == ["to", "subject"]
    assert done.done[1].action.args["node"] != fields[1]


def test_what_took_a_touch_must_be_known() -> None:
    done = outcome(MailPhone(moving=True), COPY, TO)
    assert done.stopped is not None and done.stopped.kind == "uncertain"
    assert "what took the touch" in done.stopped.why and len(done.remains) == 1


def test_a_place_where_something_else_is_by_now() -> None:
    phone = MailPhone(moving=True)
    done = outcome(phone, TO, Action("tap", {"x": 500, "y": 250}), COPY)
    assert done.stopped is not None and done.stopped.kind == "gone"
    assert ids(phone) == ["to"] and len(done.remains) == 2


def test_a_control_that_is_gone_stops_it() -> None:
    guard = started(MailPhone())
    copy = Action("tap", {"node": number(guard, "copy")})
    done = commit_all(guard, [MORE, copy])
    assert done.stopped is not None and done.stopped.kind == "gone"
    done = commit_all(started(MailPhone()), [MORE, COPY])
    assert done.stopped is not None and done.stopped.kind == "refused"  # the guard finds none of that id
    missing = commit_all(started(MailPhone()), [MORE, Action("tap", {"node": 99})])
    assert missing.stopped is not None and "on the screen on which it was planned" in missing.stopped.why


# ---------------------------------------------------------------- safety

POOL = [*PLAN, MORE, FINISH, GIVE_UP, Action("clear_text", {"id": "to"}), Action("tap", {"id": "gone"})]
PHONES = st.builds(
    MailPhone,
    lost=st.frozensets(st.sampled_from(["to", "copy"]), max_size=1),
    cut=st.sampled_from([None, None, 2]),
    moving=st.booleans(),
)


@settings(max_examples=20)
@given(
    actions=st.lists(st.sampled_from(POOL), max_size=7), phone=PHONES, way=st.sampled_from(["stop", "go on"])
)
def test_nothing_is_delivered_that_single_steps_would_not(
    actions: list[Action], phone: Any, way: Any
) -> None:
    other = MailPhone(lost=phone.lost, cut=phone.cut, moving=phone.moving)
    guard = started(other)
    for action in actions:
        guard.step(action)
    done = outcome(phone, *actions, inconclusive=way)
    assert phone.delivered == other.delivered[: len(phone.delivered)]
    assert [each.action for each in (*done.done, *done.remains)] == actions


def test_each_action_is_a_guarded_step(monkeypatch: pytest.MonkeyPatch) -> None:
    phone = MailPhone()
    guard = started(phone)
    steps: list[Action] = []
    own = guard.step
    monkeypatch.setattr(
        guard, "step", lambda action, *args, **more: steps.append(action) or own(action, *args, **more)
    )
    commit_all(guard, [TO, PlannedAction(SEND, note="at last")])
    assert steps == [TO, SEND]


def test_an_error_says_how_far_it_came() -> None:
    class Dying(MailPhone):
        def perform(self, action: Action, target: Cells) -> None:
            if self.delivered:
                raise RuntimeError("the cable")
            super().perform(action, target)

        def observe(self) -> Screen:
            return super().observe()

    guard = started(Dying())
    with pytest.raises(RuntimeError, match="the cable") as caught:
        commit_all(guard, PLAN)
    assert "action 2 of 5" in "".join(caught.value.__notes__)
    assert guard.running
