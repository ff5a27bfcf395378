"""Licences are a ledger: what was sent stays charged, whatever is seen of it; and no task ends on what nobody saw."""

import asyncio
import datetime as dt
from pathlib import Path
from typing import Any

import pytest

from tests.guard.test_gesture_names import page as shop_page
from vsalang.guard import AsyncGuard, Guard, NotAllowed, Settings
from vsalang.guard.world.fact_screen import FactScreen
from vsalang.language.semantics import load
from vsalang.program.action import Action
from vsalang.program.ir import Program
from vsalang.program.values import Value
from vsalang.program.vocabulary import VOCABULARY

APP = """
app bank package "com.bank" "A bank"
state Order key (number) "An order" {{ number: Number  paid: Bool "whether it is paid" }}
state Wifi "The radio" {{ on: Bool "Wi-Fi is on"  name: Text "network" }}
screen Home when Node(id = "home").
{annotation}
action Pay(number: Number) "Pay an order"
recognize Pay(number = number(?n)) when tap(id = "pay", text = ?n).
update Order(number = ?n, paid = true) when Pay(number = ?n).
update Order(number = 1, paid = true) when Node(id = "paid").
update Order(number = 1, paid = false) when Node(id = "unpaid").
expect Order(number = ?n, paid = true) when Pay(number = ?n).
action Switch "Turn Wi-Fi on"
recognize Switch when tap(id = "switch").
update Wifi(on = true, name = "home") when tap(id = "switch").
update Wifi(on = ?c) when Node(id = "state", checked = ?c).
update Wifi(name = ?t) when Node(id = "name", text = ?t).
expect Wifi(on = true) when Switch.
"""
SPEC = """
spec t "Pay order 1, once, and turn Wi-Fi on"
import bank
allow Pay(number = 1).
allow Switch.
done when Pay earlier.
done when Wifi(on = true, name = "home").
"""
PAY = Action("tap", {"id": "pay"})
SWITCH = Action("tap", {"id": "switch"})
FINISH = Action("finish")


def page(*more: dict[str, Value], number: str = "1", package: str = "com.bank") -> FactScreen:
    screen = FactScreen().seen(VOCABULARY["App"], {"package": package})
    nodes: list[dict[str, Value]] = [{"id": "home"}, {"id": "pay", "text": number}, {"id": "switch"}, *more]
    for place, node in enumerate(nodes, 1):
        cells = {"node": place, "package": package, "clickable": True, "enabled": True, "scrollable": False}
        screen = screen.seen(VOCABULARY["Node"], {**cells, **node})
    return screen


def session(program: Program) -> Guard:
    return Guard(program, clock=lambda: dt.datetime(2026, 4, 1, 12))


HOME, UNPAID, PAID = page(), page({"id": "unpaid"}), page({"id": "paid"})


def made(tmp_path: Path, annotation: str = "", spec: str = SPEC) -> Guard:
    (tmp_path / "bank.vsa").write_text(APP.format(annotation=annotation))
    (tmp_path / "t.vsa").write_text(spec)
    guard = session(load(tmp_path / "t.vsa").checked())
    guard.observe(HOME)
    return guard


def does(
    guard: Guard, action: Action, after: FactScreen | None, delivered: bool | None = True, **yes: bool
) -> Any:
    guard.commit(guard.propose(action), **yes)
    return guard.observe(after, delivered)


def test_a_question_names_all_that_a_yes_gives_back(tmp_path: Path) -> None:
    """What is typed without naming a field may become several texts, each of which may have been sent already."""
    (tmp_path / "shop.vsa").write_text(
        'app shop package "com.shop" "A shop"\naction Send(text: Text) "Send a text"\n'
        'recognize Send(text = ?t) when input_text(value = ?t), ?t != "-".\n'
    )
    (tmp_path / "t.vsa").write_text(
        'spec t "Send texts"\nimport shop\nallow each Send(text = ?t).\ndone when Send earlier.\n'
    )
    guard = Guard(
        load(tmp_path / "t.vsa").checked(),
        clock=lambda: dt.datetime(2026, 4, 1, 12),
        settings=Settings(unknown_screen="allow"),
    )
    guard.observe(shop_page(note="A", editable=True))
    for text in ("AB", "BA"):
        does(
            guard,
            Action("input_text", {"id": "note", "value": text}),
            shop_page(note="A", editable=True),
            None,
        )
    verdict = guard.propose(Action("input_text", {"value": "B"}))
    asked = " ".join(reason.message for reason in verdict.reasons if reason.kind == "licence")
    assert verdict.level == "confirm"
    assert '"AB"' in asked and '"BA"' in asked
    guard.commit(verdict, approved=True)
    assert [charge.returned for charge in guard.ledger[:2]] == [
        False,
        False,
    ]  # given back when it is observed
    guard.observe(shop_page(note="A", editable=True))
    assert [charge.returned for charge in guard.ledger[:2]] == [True, True]


# ---------------------------------------------------------------- violated, unknown, unseen


def test_a_violated_contract_takes_back_the_success_only(tmp_path: Path) -> None:
    guard = made(tmp_path)
    observed = does(guard, PAY, UNPAID)
    assert [action.name for action in observed.taken_back] == ["bank.Pay"]
    assert guard.propose(FINISH).level == "block"  # `Pay earlier` holds no longer
    verdict = guard.propose(PAY)
    assert verdict.level == "confirm" and verdict.because("licence")
    assert "may have been done already" in verdict.reasons[0].message
    with pytest.raises(NotAllowed):
        guard.commit(verdict)


def test_a_yes_gives_the_licence_once(tmp_path: Path) -> None:
    guard = made(tmp_path)
    does(guard, PAY, UNPAID)
    does(guard, PAY, UNPAID, approved=True)
    assert [charge.returned for charge in guard.ledger] == [True, False]
    assert guard.propose(PAY).level == "confirm"
    does(guard, PAY, PAID, approved=True)
    assert guard.propose(PAY).level == "block" and guard.propose(FINISH).allowed


def test_what_may_not_have_arrived_needs_a_yes(tmp_path: Path) -> None:
    guard = made(tmp_path)
    does(guard, PAY, HOME, None)
    assert guard.propose(PAY).level == "confirm"
    assert guard.propose(FINISH).allowed  # so far as is known it was done


def test_an_unseen_arrival_waits_for_the_user(tmp_path: Path) -> None:
    guard = made(tmp_path)
    does(guard, PAY, HOME)
    verdict = guard.propose(PAY)
    assert verdict.level == "block" and verdict.because("licence")
    assert "only the user can give its licence back" in verdict.reasons[0].message
    guard.give_back(0)
    assert guard.propose(PAY).allowed and guard.propose(FINISH).level == "block"


def test_what_did_not_leave_costs_nothing(tmp_path: Path) -> None:
    guard = made(tmp_path)
    does(guard, PAY, HOME, delivered=False)
    assert guard.ledger == () and guard.propose(PAY).allowed


def test_a_late_answer_is_seen(tmp_path: Path) -> None:
    """It was violated, then it arrived: it counts as done, and may not be done again."""
    guard = made(tmp_path)
    does(guard, PAY, UNPAID)
    observed = guard.observe(PAID)
    assert [action.name for action in observed.came_late] == ["bank.Pay"]
    assert guard.propose(FINISH).allowed
    verdict = guard.propose(PAY)
    assert verdict.level == "block" and verdict.because("licence")


def test_the_possibly_later_one_says_nothing_of_the_earlier(tmp_path: Path) -> None:
    spec = SPEC.replace("allow Pay(number = 1).", "allow 2 Pay(number = 1).")
    guard = made(tmp_path, spec=spec)
    does(guard, PAY, UNPAID)
    does(guard, PAY, PAID)
    assert [charge.outcome for charge in guard.ledger] == ["violated", "done"]
    assert len(guard.snapshot.commits) == 1
    assert guard.propose(PAY).level == "confirm"  # both are charged


def test_another_instance_does_not_take_its_place(tmp_path: Path) -> None:
    guard = made(tmp_path, spec=SPEC.replace("allow Pay(number = 1).", "allow Pay(number < 9)."))
    does(guard, PAY, UNPAID)
    guard.observe(page(number="2"))
    verdict = guard.propose(PAY)
    assert verdict.level == "block" and verdict.because("licence")


# ---------------------------------------------------------------- @idempotent


def test_an_idempotent_action_repeats_until_known_done(tmp_path: Path) -> None:
    guard = made(tmp_path, "@idempotent")
    for after, delivered in ((UNPAID, True), (HOME, None), (HOME, True)):
        does(guard, PAY, after, delivered)
        assert guard.propose(PAY).allowed
    assert [charge.returned for charge in guard.ledger] == [True, True, False]
    does(guard, PAY, PAID)
    assert guard.propose(PAY).level == "block"
    assert len(guard.snapshot.commits) == 1


@pytest.mark.parametrize(
    "source",
    [
        'app a package "a.b" "A"\n@idempotent state S { on: Bool }\naction X "x"\nrecognize X when tap(id = "x").\n',
        'app a package "a.b" "A"\n@idempotent let One = 1.\n',
        'spec a "A"\n@idempotent allow answer(text = "x").\ndone when answer earlier.\n',
        'policy a "A"\n@idempotent deny "No" when shell.\n',
        'app a package "a.b" "A"\n@idempotent("x") action X "x"\nrecognize X when tap(id = "x").\n',
    ],
)
def test_idempotent_stands_before_an_action_only(tmp_path: Path, source: str) -> None:
    (tmp_path / "a.vsa").write_text(source)
    errors = [d for d in load(tmp_path / "a.vsa").diagnostics if d.severity.value == "error"]
    assert [d.code for d in errors] in (["E0507"], ["E0213"])


# ---------------------------------------------------------------- the user gives it back


def test_what_cannot_be_given_back(tmp_path: Path) -> None:
    guard = made(tmp_path)
    with pytest.raises(ValueError, match="no entry 0"):
        guard.give_back(0)
    guard.commit(guard.propose(PAY))
    with pytest.raises(ValueError, match="no entry 0"):
        guard.give_back(0)
    guard.observe(UNPAID)
    verdict = guard.propose(PAY)
    guard.give_back(0)
    with pytest.raises(NotAllowed):  # what was judged before it is overtaken
        guard.commit(verdict, approved=True)
    with pytest.raises(ValueError, match="already"):
        guard.give_back(0)


def test_an_asynchronous_guard_takes_it_back_too(tmp_path: Path) -> None:
    async def main() -> None:
        made(tmp_path)  # writes the files
        guard = AsyncGuard(load(tmp_path / "t.vsa").checked(), clock=lambda: dt.datetime(2026, 4, 1, 12))
        await guard.observe(HOME)
        await guard.commit(await guard.propose(PAY))
        await guard.observe(UNPAID)
        await guard.give_back(0)
        assert (await guard.propose(PAY)).allowed
        await guard.close()

    asyncio.run(main())


# ---------------------------------------------------------------- what was set and not seen since


def said(guard: Guard) -> str:
    return " ".join(reason.message for reason in guard.propose(FINISH).reasons)


def test_no_task_ends_on_something_unseen(tmp_path: Path) -> None:
    guard = made(tmp_path)
    does(guard, SWITCH, HOME)  # a dialog took the touch, for all that is known
    assert guard.rows("bank.Wifi") == [{"on": True, "name": "home"}]
    assert "was set but has not been seen since" in said(guard)
    goal = next(
        goal for goal in guard.roadmap() if "Wifi" in {w.relation.rpartition(".")[2] for w in goal.whys}
    )
    assert not goal.holds
    guard.observe(page({"id": "state", "checked": True}))
    assert "network (Wifi.name) was set but has not been seen since" in said(guard)
    assert "Wi-Fi is on" not in said(guard)
    guard.observe(page({"id": "name", "text": "home"}))
    assert guard.propose(FINISH).allowed


def test_what_was_seen_otherwise_is_not_as_predicted(tmp_path: Path) -> None:
    guard = made(tmp_path)
    does(guard, SWITCH, HOME)
    guard.observe(page({"id": "state", "checked": False}, {"id": "name", "text": "home"}))
    assert guard.propose(FINISH).level == "block" and "not been seen since" not in said(guard)


def test_a_met_contract_leaves_nothing_open(tmp_path: Path) -> None:
    guard = made(tmp_path)
    does(guard, SWITCH, page({"id": "state", "checked": True}))
    assert guard.propose(FINISH).allowed


def test_what_was_predicted_to_go_may_still_be_there(tmp_path: Path) -> None:
    (tmp_path / "notes.vsa").write_text(
        'app notes package "com.bank" "Notes"\n'
        'screen Home when Node(id = "home").\nstate Note "The note" { text: Text }\n'
        'action Clear "Delete it"\nrecognize Clear when tap(id = "switch").\ndelete Note when Clear.\n'
        'update Note(text = ?t) when Node(id = "note", text = ?t).\n'
        "expect no Note when Clear.\n"
    )
    (tmp_path / "t.vsa").write_text(
        'spec t "Delete the note"\nimport notes\nallow Clear.\ndone when no Note.\n'
    )
    guard = session(load(tmp_path / "t.vsa").checked())
    guard.observe(page({"id": "note", "text": "x"}))
    guard.commit(guard.propose(SWITCH))
    observed = guard.observe(page())
    assert [contract.outcome for contract in observed.contracts] == ["inconclusive"]
    assert guard.rows("notes.Note") == []
    assert guard.propose(FINISH).level == "block"
    guard.observe(page({"id": "note", "text": "x"}))
    assert guard.propose(FINISH).level == "block"


# ---------------------------------------------------------------- screens that nobody described


def test_opening_the_tasks_app_needs_no_known_screen(tmp_path: Path) -> None:
    guard = made(tmp_path)
    guard.observe(page(package="com.launcher"))
    assert guard.propose(Action("open_app", {"package": "com.bank"})).allowed
    assert guard.propose(Action("open_app", {"package": "com.other"})).level == "confirm"
    assert guard.propose(Action("open_app", {"name": "Bank"})).level == "confirm"
    assert guard.propose(Action("swipe", {"direction": "up"})).level == "confirm"
