"""What apps report becomes what is believed: when, with which authority, and never more."""

import datetime as dt
import random
from typing import Any

import pytest

from tests.agents.reporting.bank import ACCOUNT, BANK, DEAR, NOTES, NOW, READY, RENT, TODAY, reported
from vsalang.agents.reporting import MessageRefused, ReportedGuard, Service
from vsalang.guard import KnownWorld, NotAllowed, Settings
from vsalang.guard.journal import Journal, Recorder, resume
from vsalang.guard.user.questions import Question
from vsalang.guard.world.fact_screen import FactScreen
from vsalang.language.semantics import load
from vsalang.phone import DeviceError, NotDelivered
from vsalang.program.action import Action

ACTION = Action("bank.Pay", {"payee": "Ann", "amount": 50})


def screen(*nodes: str) -> FactScreen:
    """A settled screen of the bank with these nodes."""
    rows = tuple(
        {"node": number, "id": name, "package": BANK, "clickable": True, "enabled": True, "scrollable": False}
        for number, name in enumerate(nodes, 1)
    )
    return FactScreen({"Node": rows, "App": ({"package": BANK},), "Settled": ({},)})


def update(guard: Any, *updates: dict[str, Any], package: str = BANK, **more: Any) -> dict[str, Any]:
    return Service(guard).handle(package, "update_state", {"updates": list(updates), **more})


def test_a_report_is_a_history_point_of_its_own(guard):
    before = guard.snapshot.points
    assert update(guard, *READY) == {"taken": "at once", "point": before + 1, "conflicts": []}
    assert guard.rows("bank.Account") == [
        {
            "iban": "DE1",
            "balance": 900,
            "kind": "Current",
            "closed": False,
            "opened": dt.date(2020, 2, 29),
            "labels": frozenset({"joint"}),
        }
    ]
    assert guard.rows("bank.Session") == [
        {"signed_in": True, "since": dt.time(11, 30), "limit": dt.timedelta(minutes=10)}
    ]


def test_a_state_keeps_cells_that_are_not_named(guard):
    update(guard, {"name": "Account", "values": ACCOUNT})
    update(guard, {"name": "Account", "values": {"iban": "DE1", "balance": None, "kind": {"none": True}}})
    (row,) = guard.rows("bank.Account")
    assert "balance" not in row and str(row["kind"]) == "none" and row["closed"] is False


def test_what_was_reported_licenses_and_the_unknown_does_not(guard):
    assert guard.propose(ACTION).level == "block"
    update(guard, *READY)
    assert guard.propose(ACTION).level == "allow"
    update(guard, {"name": "Account", "values": {"iban": "DE1", "closed": None}})
    assert guard.propose(ACTION).level == "block"


def test_deleted_and_complete(guard):
    finish = Action("finish")
    update(guard, {"name": "Account", "values": {"iban": "DE1", "balance": 10}})
    assert guard.propose(finish).because("incomplete")
    update(guard, {"name": "Account", "op": "complete"})
    assert guard.propose(finish).level == "allow"
    update(guard, {"name": "Account", "values": {"iban": "DE2", "balance": 9}})  # another one appears
    assert guard.propose(finish).because("incomplete")
    update(guard, {"name": "Account", "op": "all", "rows": [{"iban": "DE3", "balance": 3}]})
    assert [row["iban"] for row in guard.rows("bank.Account")] == ["DE3"]
    assert guard.propose(finish).level == "allow"
    update(guard, {"name": "Account", "op": "delete", "values": {"iban": "DE3"}})
    assert guard.rows("bank.Account") == []


def test_a_whole_list_is_numbered(guard):
    rows = [{"what": "rent", "amount": 500}, {"what": "gas"}]
    update(guard, {"name": "Booking", "op": "all", "values": {"iban": "DE1"}, "rows": rows})
    assert guard.rows("bank.Booking") == [
        {"iban": "DE1", "what": "rent", "amount": 500, "at": 1},
        {"iban": "DE1", "what": "gas", "at": 2},
    ]
    update(guard, {"name": "Booking", "values": {"iban": "DE1", "at": 2, "what": "tax"}})
    assert [row["what"] for row in guard.rows("bank.Booking")] == ["rent", "tax"]


def test_the_last_of_two_updates_in_one_message_counts(guard):
    one = {"name": "Account", "values": {"iban": "DE1", "balance": 1, "closed": True}}
    two = {"name": "Account", "values": {"iban": "DE1", "balance": 2}}
    assert update(guard, one, two)["conflicts"] == []
    assert guard.rows("bank.Account") == [{"iban": "DE1", "balance": 2, "closed": True}]
    gone = {"name": "Account", "op": "delete", "values": {"iban": "DE1"}}
    update(guard, two, gone)
    assert guard.rows("bank.Account") == []
    update(guard, one, gone, two)
    assert guard.rows("bank.Account") == [{"iban": "DE1", "balance": 2}]


# ---------------------------------------------------------------- views and screens


def test_a_view_goes_with_its_screen(rent):
    guard = reported(rent, screen("accounts"))
    payment = {"name": "Payment", "values": {"payee": "Ann", "amount": 5}}
    with pytest.raises(
        MessageRefused, match="Payment is a view on Form, and no such screen shows now"
    ) as refused:
        update(guard, payment)
    assert refused.value.status == 409
    guard.observe(screen("pay_form", "pay"))
    update(guard, payment)
    assert guard.rows("bank.Payment") == [{"payee": "Ann", "amount": 5}]
    update(guard, {"name": "Payment", "values": {"amount": 7}, "keep": True})
    assert guard.rows("bank.Payment") == [{"payee": "Ann", "amount": 7}]
    update(guard, {"name": "Payment", "values": {"amount": 8}})  # a view is replaced as a whole
    assert guard.rows("bank.Payment") == [{"amount": 8}]
    guard.observe(screen("accounts"))
    assert guard.rows("bank.Payment") == []


def test_a_waiting_view_drops_without_its_screen(rent):
    for after, rows in (("accounts", []), ("pay_form", [{"payee": "Ann"}])):
        guard = reported(rent, screen("accounts"))
        guard.commit(guard.propose(Action("wait")))
        update(guard, {"name": "Payment", "values": {"payee": "Ann"}})
        guard.observe(screen(after))
        assert guard.rows("bank.Payment") == rows


def test_without_screens_the_app_says_which_show(rent, guard):
    payment = {"name": "Payment", "values": {"payee": "Ann"}}
    update(guard, payment, screens=["Form"])
    assert guard.rows("bank.Payment") == [{"payee": "Ann"}]
    update(guard, screens=["Overview"])
    assert guard.rows("bank.Payment") == []
    seen = reported(rent, screen("accounts"))
    with pytest.raises(MessageRefused, match="which screens show is seen on the device"):
        update(seen, payment, screens=["Form"])


# ---------------------------------------------------------------- with an agent


def test_a_report_makes_older_verdicts_stale(guard):
    update(guard, *READY)
    verdict = guard.propose(ACTION)
    update(guard, {"name": "Account", "values": {"iban": "DE1", "balance": 900}})
    with pytest.raises(NotAllowed, match="propose it again"):
        guard.commit(verdict)


def test_reports_during_an_action_are_part_of_its_outcome(guard):
    update(guard, *READY)
    guard.commit(guard.propose(ACTION))
    points = guard.snapshot.points
    taken = update(guard, {"name": "Receipt", "values": {"success": False}})
    assert taken == {"taken": "with the outcome of the action under way", "point": None, "conflicts": []}
    update(guard, {"name": "Receipt", "values": {"success": True}})
    assert guard.rows("bank.Receipt") == [] and guard.running
    observed = guard.observe(FactScreen())
    assert observed.point == points + 2  # the commit, and the outcome with both reports
    assert guard.rows("bank.Receipt") == [{"success": True}]
    assert guard.propose(Action("finish")).level == "allow"


def test_a_report_has_no_more_authority_than_the_screen(rent):
    guard = reported(rent, screen("accounts"))
    guard.commit(guard.propose(Action("wait")))
    update(guard, {"name": "Session", "values": {"since": "10:00"}})
    since = {"node": 2, "id": "since", "text": "11:00", "package": BANK}
    shown = screen("accounts")
    observed = guard.observe(FactScreen({**shown.facts, "Node": (*shown.facts["Node"], since)}))
    assert [reason.kind for reason in observed.conflicts] == ["conflict"]
    assert guard.rows("bank.Session") == [{}]  # two values for one cell: unknown


def test_before_the_first_observation_reports_wait(rent):
    guard = ReportedGuard(rent, today=dt.date(2026, 4, 1))
    assert update(guard, *READY)["point"] is None
    guard.observe(FactScreen())
    assert guard.rows("bank.Account") != []


def test_too_much_cannot_wait(guard, monkeypatch):
    monkeypatch.setattr("vsalang.agents.reporting.reporting.MOST_WAITING", 3)
    update(guard, *READY)
    guard.commit(guard.propose(ACTION))
    update(guard, *READY)
    with pytest.raises(MessageRefused, match="too many reports wait") as refused:
        update(guard, *READY)
    assert refused.value.status == 503


# ---------------------------------------------------------------- questions


def ask(guard: Any, package: str = BANK, **data: Any) -> dict[str, Any]:
    return Service(guard).handle(package, "before", data)


def after(guard: Any, package: str = BANK, **data: Any) -> dict[str, Any]:
    return Service(guard).handle(package, "after", data)


def test_a_possible_action_is_committed_till_the_app_tells(guard):
    update(guard, *READY)
    answer = ask(guard, **RENT)
    assert (answer["proceed"], answer["level"], answer["message"]) == (True, "allow", "")
    assert guard.running
    assert ask(guard, **RENT)["verdict"]["reasons"][0]["kind"] == "running"
    after(guard, id=answer["id"], updates=[{"name": "Receipt", "values": {"success": True}}])
    assert not guard.running
    again = ask(guard, **RENT)
    assert not again["proceed"] and again["verdict"]["reasons"][0]["kind"] == "licence"
    assert guard.propose(Action("finish")).level == "allow"


def test_what_certainly_did_not_happen_leaves_its_licence(guard):
    update(guard, *READY)
    after(guard, id=ask(guard, **RENT)["id"], performed=False)
    assert ask(guard, **RENT)["proceed"]
    guard.observe(FactScreen(), delivered=False)  # an agent's loop knows nothing of the app's own action
    assert not ask(guard, **RENT)["proceed"]


def test_an_outcome_is_told_once_by_the_asker(guard):
    update(guard, *READY)
    id = ask(guard, **RENT)["id"]
    with pytest.raises(MessageRefused, match="no action of this id is under way"):
        after(guard, NOTES, id=id)
    with pytest.raises(MessageRefused, match="no action of this id is under way"):
        after(guard, id=id + 1)
    after(guard, id=id, performed=None)
    with pytest.raises(MessageRefused, match="no action of this id is under way"):
        after(guard, id=id)


def test_policies_judge_what_apps_ask(guard):
    update(guard, *READY)
    blocked = ask(guard, action="Pay", values={"payee": "Mallory", "amount": 1})
    assert blocked["level"] == "block" and "not to Mallory" in blocked["message"]


def test_what_an_app_says_will_change_only_adds_duty(guard):
    update(guard, *READY)
    overdrawn = {"name": "Account", "values": {"iban": "DE1", "balance": -1}}
    answer = ask(guard, **RENT, updates=[overdrawn])
    assert answer["level"] == "block" and "overdrawn" in answer["message"]
    assert guard.rows("bank.Account")[0]["balance"] == 900  # judging changes nothing
    with pytest.raises(MessageRefused, match="cannot be complete"):
        ask(guard, **RENT, updates=[{"name": "Account", "op": "complete"}])


@pytest.mark.parametrize(("answer", "proceeds"), [(True, True), (False, False), (1, False)])
def test_the_user_is_asked(rent, answer, proceeds):
    asked = []

    def user(question: Question) -> Any:
        asked.append(question.verdict.reasons[0].message)
        return answer

    guard = reported(rent, settings=Settings(mode="ask"), ask=user)
    update(guard, *READY)
    assert ask(guard, **DEAR)["proceed"] is proceeds
    assert asked == ["pay 500?"]


def test_nobody_is_asked_where_nobody_is(guard):
    update(guard, *READY)
    answer = ask(guard, **DEAR)
    assert (answer["level"], answer["message"]) == ("confirm", "pay 500?")


def test_an_agreement_is_void_after_a_change(rent):
    def user(question: Question) -> bool:
        update(guard, {"name": "Session", "values": {"signed_in": False}})
        return True

    guard = reported(rent, settings=Settings(mode="ask"), ask=user)
    update(guard, *READY)
    assert not ask(guard, **DEAR)["proceed"] and not guard.running


def test_in_shadow_everything_passes_and_is_recorded(rent):
    guard = reported(rent, settings=Settings(mode="shadow"))
    answer = ask(guard, action="Pay", values={"payee": "Mallory", "amount": 1})
    assert answer["proceed"] and answer["level"] == "block" and not answer["verdict"]["binding"]
    after(guard, id=answer["id"])


def test_the_agents_action_accounts_for_one_question(rent):
    guard = reported(rent, screen("pay_form", "pay"))
    update(guard, *READY, {"name": "Payment", "values": {"payee": "Ann", "amount": 50}})
    verdict = guard.propose(Action("tap", {"id": "pay"}))
    assert verdict.level == "allow", verdict.reasons
    guard.commit(verdict)
    other = ask(guard, action="Pay", values={"payee": "Ann", "amount": 51})
    assert not other["proceed"] and guard.running
    fine = {"action": "Pay", "values": {"payee": "Ann", "amount": 50}}
    assert not ask(guard, **fine, updates=[READY[0]])["proceed"]  # with what it changes it was not judged
    first, second = ask(guard, **fine), ask(guard, **fine)
    assert first["proceed"] and first["joined"] and first["id"] is None
    assert not second["proceed"]  # paid once is not paid twice
    guard.observe(screen("accounts"))
    assert len(guard.snapshot.commits) == 1


def test_a_harmless_gesture_is_over_when_the_app_asks(rent):
    guard = reported(rent, screen("accounts"))
    update(guard, *READY)
    guard.commit(guard.propose(Action("back")))
    update(guard, {"name": "Receipt", "values": {"success": True}})
    answer = ask(guard, action="Pay", values={"payee": "Ann", "amount": 50})
    assert answer["proceed"] and not answer["joined"]
    assert guard.rows("bank.Receipt") == [{"success": True}]  # what waited was seen first
    guard.observe(screen("accounts"), delivered=False)  # the loop means its gesture, not the payment
    assert len(guard.snapshot.commits) == 1
    assert not ask(guard, action="Pay", values={"payee": "Ann", "amount": 50})["proceed"]


def test_an_app_that_says_no_word_is_given_up(guard):
    update(guard, *READY)
    id = ask(guard, **RENT)["id"]
    assert not guard.given_up(id + 1) and guard.running
    assert guard.given_up(id) and not guard.running
    assert not ask(guard, **RENT)["proceed"]


def paying(rent: Any, **options: Any) -> ReportedGuard:
    """A guard whose agent's tap is judged as the payment, and under way."""
    guard = reported(rent, screen("pay_form", "pay"), **options)
    update(guard, *READY, {"name": "Payment", "values": {"payee": "Ann", "amount": 50}})
    guard.commit(guard.propose(Action("tap", {"id": "pay"})))
    return guard


def test_the_agents_input_does_not_undo_an_apps_go(rent):
    guard = paying(rent)
    assert ask(guard, **RENT)["joined"]
    guard.observe(screen("pay_form", "pay"), delivered=False)  # of the tap: the app pays anyway
    assert len(guard.snapshot.commits) == 1
    assert not ask(guard, **RENT)["proceed"]


class Lost:
    """A phone that asks for the app while it is touched, and is lost then: nothing left, and no look can be taken."""

    def __init__(self, asks):
        self.asks, self.lost = asks, False

    def observe(self):
        if self.lost:
            raise DeviceError("the phone is lost")
        return screen("pay_form", "pay")

    def perform(self, action, target):
        assert self.asks()["joined"]
        self.lost = True
        raise NotDelivered("no connection")


def test_nor_by_a_phone_that_is_lost_then(rent):
    guard = reported(rent, screen("pay_form", "pay"))
    guard.use(Lost(lambda: ask(guard, **RENT)))
    update(guard, *READY, {"name": "Payment", "values": {"payee": "Ann", "amount": 50}})
    with pytest.raises(DeviceError):
        guard.step(Action("tap", {"id": "pay"}))
    guard.observe(screen("pay_form", "pay"), False)
    assert [charge.outcome for charge in guard.ledger] == ["unknown"]
    assert guard.propose(Action("tap", {"id": "pay"})).level != "allow" and not ask(guard, **RENT)["proceed"]


def test_a_moved_touch_says_nothing_of_the_apps_action(rent):
    guard = reported(rent, screen("accounts"))
    update(guard, *READY)
    guard.commit(guard.propose(Action("back")))
    assert ask(guard, **RENT)["proceed"]
    guard.observe(screen("accounts"), True, seen=KnownWorld(touched="moved"))
    assert [charge.outcome for charge in guard.ledger] == ["unknown"]


@pytest.mark.parametrize("waits", [False, True])
def test_a_report_that_waits_hides_no_touch_that_moved(rent, waits):
    guard = paying(rent)
    if waits:
        update(guard, {"name": "Session", "values": {"signed_in": True}})
    guard.observe(screen("pay_form", "pay"), True, seen=KnownWorld(touched="moved"))
    assert [charge.outcome for charge in guard.ledger] == ["moved"]


def test_without_screens_a_slow_record_holds_up_nothing(rent):
    """There is nothing to look at again."""
    guard = reported(rent, settings=Settings(look_age=dt.timedelta(0)))
    update(guard, *READY)
    assert ask(guard, **RENT)["proceed"]
    assert update(guard, *READY)["taken"] == "at once" and not guard.running


@pytest.mark.parametrize("order", ["join first", "word first", "no join"])
def test_a_crash_does_not_undo_it_either(rent, tmp_path, order):
    path = tmp_path / "j.jsonl"
    with Journal(path) as journal:
        guard = paying(rent, recorder=Recorder(journal))
        assert guard.recorder is not None and guard.session.running is not None
        if order == "join first":
            assert ask(guard, **RENT)["joined"]
        guard.recorder.delivered(False, "not delivered", guard.session.running.verdict)
        if order == "word first":
            assert ask(guard, **RENT)["joined"]
    with resume(path, program=rent, clock=lambda: NOW, guard_type=ReportedGuard) as resumed:
        assert resumed.in_flight is not None
        assert resumed.in_flight.delivered is (False if order == "no join" else None)
        resumed.guard.observe(screen("pay_form", "pay"))
        assert len(resumed.guard.snapshot.commits) == (order != "no join")


def test_an_app_needs_a_record_to_go_on(rent, tmp_path):
    journal = Journal(tmp_path / "j.jsonl")
    guard = paying(rent, recorder=Recorder(journal))
    journal.close()
    answer = ask(guard, **RENT)
    assert not answer["proceed"] and not answer["joined"]


def test_an_app_cannot_go_on_with_a_claim(rent):
    guard = reported(rent, screen("accounts", "x"))
    update(guard, *READY)
    verdict = guard.propose(Action("tap", {"id": "x"}), [ACTION])
    assert verdict.level == "allow" and verdict.actions == (ACTION,)
    guard.commit(verdict)
    assert (
        guard.session.running is not None and not guard.session.running.judged.runs
    )  # it would not be in the history
    answer = ask(guard, **RENT)
    assert not answer["proceed"] and not answer["joined"]


def test_after_a_crash_gestures_are_not_the_apps_action(rent, tmp_path):
    """The app asks while the gesture is on its way; the gesture fails, and the process dies before it looks."""
    path = tmp_path / "j.jsonl"
    asked = []

    class Dying:
        looks = 0

        def observe(self) -> FactScreen:
            self.looks += 1
            if self.looks == 3:
                raise OSError("dead")
            return screen("accounts", "x")

        def perform(self, *_: Any) -> None:
            asked.append(ask(guard, **RENT)["proceed"])
            error = DeviceError("input failed")
            error.delivered = False
            raise error

    phone = Dying()
    with Journal(path) as journal:
        guard = ReportedGuard(rent, phone, today=TODAY, clock=lambda: NOW, recorder=Recorder(journal))
        guard.observe(phone.observe())
        update(guard, *READY)
        with pytest.raises(OSError, match="dead"):
            guard.step(Action("tap", {"id": "x"}))
    assert asked == [True]
    with resume(path, program=rent, clock=lambda: NOW, guard_type=ReportedGuard) as resumed:
        assert resumed.in_flight is not None and resumed.in_flight.proposed.attempts == (ACTION,)
        assert resumed.in_flight.delivered is None
        resumed.guard.observe(screen("accounts", "x"))
        assert len(resumed.guard.snapshot.commits) == 1
        assert not ask(resumed.guard, **RENT)["proceed"]


# ---------------------------------------------------------------- lists that apps and screens report at once

SHOP = {
    "shop.vsa": """
app shop package "com.example.shop" "A shelf"
import std.lists
screen Shelf when Node(id = "shelf").
list Thing key (what) "What stands there" { what: Text  price: Number }
update Thing(row = ?r, what = ?w) when Node(id = "row", node = ?r, text = ?w).
action Buy(what: Text) "Buy it"
""",
    "buy.vsa": """
spec buy "Buy the first thing, if there is no tea."
import shop
allow Buy(what = "fig") when no Thing(what = "tea"), Thing(at = 1, what = "fig").
done when Buy earlier.
""",
}


def shelf(*texts: str) -> FactScreen:
    frame = {"package": "com.example.shop", "scrollable": False, "enabled": True}
    rows = [{"node": 1, "id": "shelf", **frame}]
    rows += [{"node": n, "parent": 1, "id": "row", "text": t, **frame} for n, t in enumerate(texts, 2)]
    return FactScreen({"Node": tuple(rows), "App": ({"package": "com.example.shop"},), "Settled": ({},)})


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Any:
    folder = tmp_path_factory.mktemp("shop")
    for name, text in SHOP.items():
        (folder / name).write_text(text, encoding="utf-8")
    return load(str(folder / "buy.vsa")).program


def tell(guard: Any, *updates: dict[str, Any]) -> None:
    Service(guard).handle("com.example.shop", "update_state", {"updates": list(updates)})


def test_a_row_displaced_while_it_is_told_of(shop):
    """It stays, and its position is not known; this once ended the session with an error."""
    guard = reported(shop, shelf("fig", "nut"))
    guard.commit(guard.propose(Action("wait")))
    tell(guard, {"name": "Thing", "values": {"what": "fig", "price": 3}})
    guard.observe(FactScreen({**shelf("tea").facts}))
    assert {"what": "tea", "at": 1} in guard.rows("shop.Thing")
    assert not any(row["what"] == "fig" and "at" in row for row in guard.rows("shop.Thing"))
    assert not guard.failed


def test_two_things_at_one_position_have_none(shop):
    buy = Action("Buy", {"what": "fig"})
    guard = reported(shop, shelf("fig"))
    assert guard.propose(buy).level == "allow"
    guard.commit(guard.propose(Action("wait")))
    tell(guard, {"name": "Thing", "op": "all", "rows": [{"what": "nut"}]})
    observed = guard.observe(shelf("fig"))
    assert [reason.kind for reason in observed.conflicts] == ["conflict"]
    assert not any(row.get("at") == 1 for row in guard.rows("shop.Thing"))
    assert guard.propose(buy).level == "block"
    guard.observe(shelf("fig"))
    assert guard.propose(buy).level == "allow"


@pytest.mark.slow
def test_reports_and_screens_of_a_list_in_any_order(shop):
    """No position is held twice, and nothing of it is an error."""
    for seed in range(150):
        draw = random.Random(seed)
        guard = reported(shop, shelf())
        for _ in range(12):
            texts = [draw.choice(["fig", "nut", "tea"]) for _ in range(draw.randint(0, 3))]
            values = {"what": draw.choice(["fig", "nut", "tea"])}
            match draw.randint(0, 6):
                case 0:
                    guard.observe(shelf(*texts))
                case 1:
                    verdict = guard.propose(Action("wait"))
                    if verdict.allowed:
                        guard.commit(verdict)
                case 2:
                    tell(guard, {"name": "Thing", "values": {**values, "at": draw.randint(1, 3)}})
                case 3:
                    tell(guard, {"name": "Thing", "values": {**values, "price": 1}})
                case 4:
                    tell(guard, {"name": "Thing", "op": "delete", "values": values})
                case 5:
                    tell(guard, {"name": "Thing", "op": "complete"})
                case _:
                    rows = [{"what": text} for text in dict.fromkeys(texts)]
                    tell(guard, {"name": "Thing", "op": "all", "rows": rows})
            places = [row["at"] for row in guard.rows("shop.Thing") if "at" in row]
            assert len(places) == len(set(places)) and not guard.failed, seed


@pytest.mark.parametrize(("second", "proceeds"), [("accounts", True), ("pay_form", False)])
def test_an_app_goes_on_only_on_young_looks(rent, second, proceeds):
    guard = reported(rent, screen("accounts", "x"), settings=Settings(look_age=dt.timedelta(0)))
    update(guard, *READY)
    shown = iter([screen("accounts", "x"), *[screen(second, "x")] * 3])
    guard.look = lambda: next(shown)
    assert ask(guard, **RENT)["proceed"] is proceeds
    assert guard.running is proceeds
    assert not guard.snapshot.commits
