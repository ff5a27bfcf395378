"""The transition system: what may be committed when, and what observing does."""

import datetime as dt
from typing import Any

import pytest

from tests.guard.phones import Watch, details, guard, receipt, screen, search
from tests.guard.programs import R, atom, booking, lit
from vsalang.engine import open_session
from vsalang.guard import Guard, GuardFailed, NotAllowed, Proposal
from vsalang.guard.say.verdict import Verdict
from vsalang.guard.world.beliefs import World
from vsalang.program import ir
from vsalang.program.action import Action
from vsalang.program.example import Fact

TAP_SLOT = Action("tap", {"node": 10})
TAP_RESERVE = Action("tap", {"id": "reserve_button"})
FINISH = Action("finish")
T630 = dt.time(18, 30)


def rows(session: Guard, relation: str) -> list[tuple[Any, ...]]:
    return sorted(session.snapshot.world.rows(R + relation), key=repr)


def kinds(verdict: Verdict) -> set[str]:
    return {reason.kind for reason in verdict.reasons}


def at_choice(**settings: Any) -> Guard:
    """A guard on the page of R with the slot of 18:30 chosen."""
    session = guard(**settings)
    session.observe(details(("18:30", True), ("20:00", True)))
    session.commit(session.propose(TAP_SLOT))
    session.observe(details(("18:30", True), ("20:00", True)))
    return session


def test_a_screen_is_read_into_views_and_lists() -> None:
    session = guard()
    session.observe(details(("18:30", True), ("20:00", False)))
    day = dt.date(2026, 4, 1)
    assert rows(session, "Info") == [("R", day)]
    assert rows(session, "Slot") == [("R", day, T630, True, 1), ("R", day, dt.time(20), False, 2)]
    assert session.snapshot.world.table(f"{R}Slot").complete == {("R", day, None, None, None)}
    assert session.snapshot.screens == {f"{R}Details"}


def test_rows_of_a_scrolling_list_have_no_position() -> None:
    session = guard()
    session.observe(details(("18:30", False), fits=False))
    assert rows(session, "Slot") == [("R", dt.date(2026, 4, 1), T630, False, None)]
    assert not session.snapshot.world.table(f"{R}Slot").complete
    verdict = session.propose(FINISH)
    assert verdict.level == "block"
    assert verdict.because("incomplete")


def test_the_whole_way_to_a_table() -> None:
    session = at_choice()
    assert rows(session, "Choice") == [(T630,)]
    verdict = session.propose(TAP_RESERVE)
    assert verdict.level == "allow"
    assert [str(action) for action in verdict.actions] == [
        f'{R}Reserve(restaurant = "R", date = 2026-04-01, time = 18:30)'
    ]
    assert verdict.screens == (f"{R}Receipt",)
    session.commit(verdict)
    observed = session.observe(receipt())
    assert [contract.outcome for contract in observed.contracts] == ["met"]
    assert rows(session, "Booking") == [("R", dt.date(2026, 4, 1), T630)]
    assert rows(session, "Choice") == []  # gone with its screen
    verdict = session.propose(FINISH)
    assert verdict.allowed
    session.commit(verdict)
    assert session.finished
    assert session.propose(Action("back")).because("finished")
    assert session.propose(Action("give_up", {"reason": "x"})).level == "block"


def test_a_wrong_slot_is_off_track_and_passes_repeated() -> None:
    session = guard(overrides=1)
    page = details(("18:30", True), ("20:00", True))
    session.observe(page)
    verdict = session.propose(Action("tap", {"node": 20}))
    assert verdict.level == "warn"
    assert verdict.because("Choice.time")
    assert "20:00" in verdict.reasons[0].message and "< 19:00" in verdict.reasons[0].message
    with pytest.raises(NotAllowed):
        session.commit(verdict)
    again = session.propose(Action("tap", {"node": 20}))
    assert again.level == "allow" and again.overridden
    session.commit(again)
    session.observe(page)
    assert session.propose(TAP_RESERVE).level == "block"  # 20:00 is not allowed
    other = Action("tap", {"node": 20})
    session.commit(session.propose(TAP_SLOT))
    session.observe(page)
    assert session.propose(other).level == "warn"
    assert session.propose(other).level == "warn"  # the budget is spent


def test_repeating_never_passes_a_block_or_a_confirm() -> None:
    session = guard()
    session.observe(details(("18:30", True)))
    for _ in range(5):
        assert session.propose(TAP_RESERVE).level == "block"
    session.observe(screen({"id": "x"}, app="com.other"))
    for _ in range(5):
        assert session.propose(Action("tap", {"id": "x"})).level == "confirm"


def test_unread_parameters_fit_no_constraint() -> None:
    session = guard()
    session.observe(details(("18:30", True)))
    verdict = session.propose(TAP_RESERVE)
    assert verdict.level == "block"
    # the time was never chosen; what the page says is known anyway
    assert [str(a) for a in verdict.actions] == [f'{R}Reserve(restaurant = "R", date = 2026-04-01)']
    assert verdict.because("Reserve.time")
    claimed = session.propose(TAP_RESERVE, [Action("Reserve", {"restaurant": "R", "time": T630})])
    assert claimed.level == "block"  # claiming does not fill them in


def test_a_claim_adds_duty() -> None:
    session = guard()
    session.observe(details(("18:30", True)))
    assert session.propose(TAP_SLOT).level == "allow"
    assert session.propose(TAP_SLOT, [Action("Reserve")]).level == "block"
    verdict = session.propose(TAP_SLOT, [Action("Fly")])
    assert verdict.level == "block" and verdict.because("claim")


def test_a_claim_of_something_recognised_does_not_count() -> None:
    session = at_choice()
    claim = Action("Reserve", {"restaurant": "R", "date": dt.date(2026, 4, 1), "time": T630})
    verdict = session.propose(Action("home"), [claim])
    assert verdict.level == "allow"  # the task allows it
    session.commit(verdict)
    session.observe(receipt())
    assert rows(session, "Booking") == []
    assert session.propose(FINISH).because("done-reserved")  # nothing was reserved
    session.observe(details(("18:30", True), ("20:00", True)))
    session.commit(session.propose(TAP_SLOT))
    session.observe(details(("18:30", True), ("20:00", True)))
    assert session.propose(TAP_RESERVE).because("licence")  # and the claim used the licence up


def test_a_claim_never_makes_a_doubtful_gesture_pass() -> None:
    session = guard()
    session.observe(details(("18:30", True), ("20:00", True)))
    claim = Action("Reserve", {"restaurant": "R", "date": dt.date(2026, 4, 1), "time": T630})
    wrong = Action("tap", {"node": 20})
    assert session.propose(wrong, [claim]).because("frontier")
    menu = screen({"id": "overflow_menu"}, {"id": "delete_all", "clickable": True})
    session.observe(menu)
    assert session.propose(Action("tap", {"id": "delete_all"}), [claim]).because("closed")


def test_nothing_runs_without_a_fresh_verdict() -> None:
    watch = Watch()
    session = guard(watch=watch)
    session.observe(details(("18:30", True)))
    old = session.propose(TAP_SLOT)
    new = session.propose(TAP_SLOT)
    with pytest.raises(NotAllowed, match="fresh"):
        session.commit(old)
    watch.now += dt.timedelta(seconds=6)
    with pytest.raises(NotAllowed, match="old"):
        session.commit(new)
    new = session.propose(TAP_SLOT)
    watch.now -= dt.timedelta(seconds=1)
    with pytest.raises(NotAllowed, match="old"):
        session.commit(new)
    new = session.propose(TAP_SLOT)
    with pytest.raises(NotAllowed, match="changed"):
        session.commit(new, screen=search())
    new = session.propose(TAP_SLOT)
    session.observe(details(("18:30", True)))
    with pytest.raises(NotAllowed, match="fresh"):
        session.commit(new)


def test_a_forged_verdict_is_refused() -> None:
    session = guard()
    session.observe(details(("18:30", True)))
    real = session.propose(TAP_RESERVE)
    forged = Verdict("allow", (), real.proposal, real.token, real.at, real.fingerprint)
    with pytest.raises(NotAllowed):
        session.commit(forged)


def test_one_action_at_a_time() -> None:
    session = guard()
    session.observe(details(("18:30", True)))
    first = session.propose(TAP_SLOT)
    session.commit(first)
    assert session.running
    assert session.propose(TAP_SLOT).because("running")
    with pytest.raises(NotAllowed):
        session.commit(first)
    session.observe(details(("18:30", True)))
    assert not session.running


def test_an_action_that_was_not_delivered_did_not_happen() -> None:
    session = at_choice()
    before = session.snapshot
    session.commit(session.propose(TAP_RESERVE))
    session.observe(details(("18:30", True), ("20:00", True)), delivered=False)
    after = session.snapshot
    assert after.commits == () and after.world.rows(f"{R}Booking") == []
    assert after.points == before.points + 1
    assert session.propose(TAP_RESERVE).allowed


def test_an_action_of_unknown_fate_counts() -> None:
    session = at_choice()
    session.commit(session.propose(TAP_RESERVE))
    observed = session.observe(details(("18:30", True), ("20:00", True)), delivered=None)
    # The receipt does not show, but the booking may still be under way: taking it back would license a second one.
    assert [contract.outcome for contract in observed.contracts] == ["inconclusive"]
    assert session.propose(TAP_RESERVE).because("licence")
    assert len(session.snapshot.commits) == 1
    assert rows(session, "Booking") == [("R", dt.date(2026, 4, 1), T630)]


def test_a_violated_contract_takes_the_success_back() -> None:
    session = at_choice()
    session.commit(session.propose(TAP_RESERVE))
    observed = session.observe(details(("18:30", True), ("20:00", True)))
    assert [contract.outcome for contract in observed.contracts] == ["violated"]
    assert [action.name for action in observed.taken_back] == [f"{R}Reserve"]
    assert rows(session, "Booking") == []
    assert session.propose(FINISH).level == "block"
    assert rows(session, "Choice") == [(T630,)]
    # what was sent may still arrive: its licence stays used
    verdict = session.propose(TAP_RESERVE)
    assert verdict.level == "confirm" and verdict.because("licence")


def test_what_was_not_seen_is_inconclusive() -> None:
    session = at_choice()
    session.commit(session.propose(TAP_RESERVE))
    observed = session.observe(screen({"id": "spinner"}))
    assert [contract.outcome for contract in observed.contracts] == ["inconclusive"]
    assert len(session.snapshot.commits) == 1


def test_a_confirm_passes_with_a_yes_to_exactly_this() -> None:
    build = booking()
    body = lit(f"{R}Choice", time=ir.Var("t"))
    build.rule(
        "payments", ir.Judge("confirm", ("Book at ", ir.Var("t"), "?")), lit(f"{R}Reserve"), body, id="ASK"
    )
    session = guard(build.program())
    page = details(("18:30", True))
    session.observe(page)
    session.commit(session.propose(TAP_SLOT))
    session.observe(page)
    verdict = session.propose(TAP_RESERVE)
    assert verdict.level == "confirm" and verdict.reasons[0].message == "Book at 18:30?"
    with pytest.raises(NotAllowed):
        session.commit(verdict)
    session.commit(verdict, approved=True, screen=page)
    session.observe(receipt())
    assert len(session.snapshot.commits) == 1


def test_approval_does_not_cover_what_came_up_since() -> None:
    watch = Watch(dt.datetime(2026, 4, 1, 21, 59))
    build = booking()
    build.rule("payments", ir.Judge("confirm", ("sure?",)), lit(f"{R}Reserve"), id="ASK")
    session = guard(build.program(), watch)
    page = details(("18:30", True))
    session.observe(page)
    session.commit(session.propose(TAP_SLOT))
    session.observe(page)
    verdict = session.propose(TAP_RESERVE)
    watch.now += dt.timedelta(minutes=2)
    with pytest.raises(NotAllowed, match="something else") as caught:
        session.commit(verdict, approved=True)
    assert caught.value.verdict is not None and caught.value.verdict.because("PAY-2")


def test_screens_nobody_knows_and_closed_ones_ask() -> None:
    session = guard()
    session.observe(screen({"id": "x"}, app="com.other"))
    assert session.propose(Action("tap", {"id": "x"})).because("unknown_screen")
    assert session.propose(Action("back")).allowed
    session.observe(screen({"id": "x"}))
    assert kinds(session.propose(Action("tap", {"id": "x"}))) == {"unknown_screen"}
    session.observe(screen({"id": "overflow_menu"}, {"id": "delete_all", "clickable": True}))
    assert kinds(session.propose(Action("tap", {"id": "delete_all"}))) == {"closed"}


def test_a_screen_over_another_hides_it() -> None:
    session = guard()
    session.observe(screen({"id": "restaurant_name", "text": "R"}, {"id": "overflow_menu"}))
    assert session.snapshot.screens == {f"{R}Menu"}
    assert rows(session, "Info") == []  # it lives on Details


def test_targets_that_are_not_there() -> None:
    session = guard()
    assert session.propose(TAP_SLOT).because("no_screen")
    session.observe(details(("18:30", True)))
    assert session.propose(Action("tap", {"id": "nowhere"})).because("unresolved")
    assert session.propose(Action("tap", {"colour": "red"})).because("unresolved")
    assert session.propose(Action("dance")).because("unresolved")
    assert session.propose().because("unresolved")


def test_a_covered_target_is_judged_both_ways() -> None:
    box = {"left": 0, "top": 0, "right": 100, "bottom": 100}
    page = screen(
        {"id": "harmless", "clickable": True, **box},
        {"id": "reserve_button", "clickable": False, **box},
        {"id": "restaurant_name", "text": "R"},
    )

    class Covered(type(page)):  # type: ignore[misc]
        def target(self, kind: str, args: Any) -> Any:
            return {**super().target(kind, args), "x": 5, "y": 5, "covered": True}

    session = guard()
    session.observe(page)
    assert session.propose(Action("tap", {"node": 1})).level == "allow"
    session.observe(Covered(page.facts))
    verdict = session.propose(Action("tap", {"node": 1}))
    assert verdict.level == "block" and verdict.because("Reserve")


def test_give_up_always_passes() -> None:
    build = booking()
    build.rule("payments", ir.Judge("deny", ("never",)), id="NO")
    session = guard(build.program())
    assert session.propose(Action("give_up", {"reason": "stuck"})).allowed
    session.observe(search())
    assert session.propose(Action("back")).level == "block"
    verdict = session.propose(Action("give_up", {"reason": "stuck"}))
    session.commit(verdict)
    assert session.finished


def test_two_values_for_one_cell_block() -> None:
    build = booking()
    for value in (1, 2):
        time = dt.time(value)
        build.rule("opentable", ir.Write(atom(f"{R}Choice", time=time)), lit("back"), trigger="input")
    session = guard(build.program())
    session.observe(search())
    verdict = session.propose(Action("back"))
    assert verdict.level == "block" and verdict.because("conflict") and verdict.because("Choice.time")


def test_observations_that_disagree_leave_the_cell_unknown() -> None:
    session = guard()
    observed = session.observe(
        screen({"id": "restaurant_name", "text": "R"}, {"id": "restaurant_name", "text": "Q"})
    )
    assert rows(session, "Info") == [(None, None)]
    assert [reason.kind for reason in observed.conflicts] == ["conflict"]


def test_predictions_that_turn_out_otherwise_are_reported() -> None:
    build = booking()
    text = lit("Node", ("text", "=", ir.Var("t")), id="chosen")
    time = ir.Fn("time", (ir.Var("t"),), ir.TIME)
    build.rule("opentable", ir.Write(atom(f"{R}Choice", time=time)), text, trigger="observation")
    session = guard(build.program())
    page = details(("18:30", True))
    session.observe(page)
    session.commit(session.propose(TAP_SLOT))
    from vsalang.program.vocabulary import VOCABULARY

    observed = session.observe(page.seen(VOCABULARY["Node"], {"id": "chosen", "text": "17:00"}))
    assert [(why.attr, why.seen, why.wanted) for why in observed.differences] == [
        ("time", "17:00", "18:30, as predicted")
    ]
    assert rows(session, "Choice") == [(dt.time(17),)]


class Faulty:
    """An evaluator that fails when it is asked for the answers of one rule."""

    def __init__(self, inner: Any, rule: str) -> None:
        self.inner, self.rule = inner, rule

    def answers(self, rule: str) -> Any:
        if rule == self.rule:
            raise RuntimeError("broken")
        return self.inner.answers(rule)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)


def faulty(rule: str) -> Guard:
    program = booking().program()

    def opens(asked: ir.Program, **_: object) -> Faulty:
        return Faulty(open_session(asked, today=dt.date(2026, 4, 1)), rule)

    return Guard(program, clock=Watch(), engine=opens)


def test_an_error_in_judging_is_a_block() -> None:
    session = faulty("")
    session.observe(details(("18:30", True)))
    session.session.parts.evaluator.rule = "PAY-3"  # type: ignore[attr-defined]
    before = session.snapshot
    for _ in range(3):
        verdict = session.propose(Action("Reserve", {"restaurant": "R"}))
        assert verdict.level == "block" and verdict.because("error")
        assert "broken" in verdict.reasons[0].message
    assert session.snapshot is before


def test_an_error_in_observing_ends_the_session() -> None:
    session = faulty("opentable:5")  # the first observation rule
    with pytest.raises(GuardFailed):
        session.observe(details(("18:30", True)))
    assert session.failed
    assert session.propose(Action("back")).because("error")
    with pytest.raises(GuardFailed):
        session.observe(search())


def test_judging_changes_nothing() -> None:
    session = at_choice()
    before = session.snapshot
    engine = {name: session.session.parts.evaluator.rows(name) for name in session.program.relations}
    for proposal in (
        TAP_SLOT,
        TAP_RESERVE,
        FINISH,
        Action("back"),
        Proposal(writes=(Fact(f"{R}Booking", {"restaurant": "Q", "date": dt.date(2026, 1, 1)}),)),
        Proposal(deletes=(Fact(f"{R}Slot", {}),)),
    ):
        session.propose(proposal)
    assert session.snapshot is before
    assert {name: session.session.parts.evaluator.rows(name) for name in session.program.relations} == engine


def test_a_screen_that_could_not_be_taken_proves_nothing() -> None:
    session = guard()
    session.observe(details(("18:30", True)))
    session.observe(None)
    assert session.propose(TAP_SLOT).because("no_screen")


def test_reasons_carry_risk_and_place_in_json() -> None:
    session = guard()
    session.observe(details(("18:30", True)))
    data = session.propose(TAP_RESERVE).to_json()
    assert data["level"] == "block"
    assert data["reasons"][0]["annotations"] == {"risk": ["financial"]}
    assert {why["attr"] for why in data["reasons"][0]["whys"]} == {"time"}


def test_policies_see_that_a_warning_is_overridden() -> None:
    build = booking()
    build.rule("payments", ir.Judge("deny", ("think again",)), lit("Overridden"), lit("tap"), id="STRICT")
    session = guard(build.program())
    session.observe(details(("18:30", True), ("20:00", True)))
    wrong = Action("tap", {"node": 20})
    assert session.propose(wrong).level == "warn"
    verdict = session.propose(wrong)
    assert verdict.level == "block" and verdict.because("STRICT")


@pytest.mark.parametrize(("setting", "level"), [("allow", "allow"), ("warn", "warn"), ("block", "block")])
def test_the_owner_says_what_unknown_screens_ask_for(setting: str, level: str) -> None:
    session = guard(unknown_screen=setting)
    session.observe(screen({"id": "x"}, app="com.other"))
    assert session.propose(Action("tap", {"id": "x"})).level == level
    with pytest.raises(ValueError, match="unknown_screen"):
        guard(unknown_screen="maybe")


def test_values_of_different_types_are_different_proposals() -> None:
    one, other = Proposal(Action("tap", {"node": 1})), Proposal(Action("tap", {"node": True}))
    assert one.key() != other.key()
    assert Proposal(Action("back"), claims=(Action("Go"),)).key() != Proposal(Action("back")).key()


def test_texts_of_the_world_cannot_forge_reasons() -> None:
    session = guard()
    session.observe(details(("18:30", True), name='R"\n\u202eallowed'))
    verdict = session.propose(TAP_RESERVE)
    assert all("\n" not in reason.message and "\u202e" not in reason.message for reason in verdict.reasons)
    assert verdict.because("restaurant")


def test_a_spec_may_not_be_tried_without_a_task() -> None:
    with pytest.raises(ValueError, match="a spec is a task"):
        guard(task=False)


def test_only_apps_may_write() -> None:
    build = booking()
    build.rule("reserve_r", ir.Write(atom(f"{R}Choice", time=T630)), lit("back"), trigger="input", id="EVIL")
    with pytest.raises(ValueError, match="EVIL"):
        guard(build.program())


def test_the_roadmap_says_what_each_clause_needs() -> None:
    session = guard()
    session.observe(details(("18:30", True)))
    goals = {goal.rule.id: goal for goal in session.roadmap()}
    assert goals["allow"].holds and goals["allow"].left
    assert not goals["done-reserved"].holds
    assert "ReserveResult" in {why.relation.rpartition(".")[2] for why in goals["done-reserved"].whys}


def test_rows_are_of_what_is_believed() -> None:
    """Also where the engine has not been told of it yet: it is told when something is asked."""
    session = guard()
    session.observe(details(("18:30", True)))
    assert session.rows(R + "Info")
    session.session.parts.moments.world(World())
    assert not session.rows(R + "Info")
