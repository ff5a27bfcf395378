"""An action that was carried out and did not come out as expected is never "not done yet" or "possible now"."""

import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from subprocess import CompletedProcess

import pytest

from tests.guard.test_ledger import FINISH, HOME, PAID, PAY, SWITCH, UNPAID, does, made, page
from vsalang.agents.mcp import Answer, PhoneSession
from vsalang.base.names import LANGUAGES
from vsalang.guard import Guard, KnownWorld
from vsalang.guard.journal import Recorder, read_session, resume
from vsalang.guard.journal.file import Journal
from vsalang.guard.journal.replay import replay
from vsalang.guard.say.feedback import roadmap
from vsalang.guard.say.sent_actions import sent_text
from vsalang.guard.say.verdict import Became
from vsalang.guard.world.clock import ScreenClock
from vsalang.language.semantics import load
from vsalang.phone.open import open_device
from vsalang.program.action import Action
from vsalang.program.phrases import read

EXAMPLES = Path(__file__).resolve().parents[2] / "app_specs" / "examples"
SPECIFICATION = EXAMPLES / "reserve_r.vsa"
LOST = '[[fault]]\nkind = "lost"\non = "tap"\ntarget = "reserve_button"\nat = 1\n'
NOTHING_CHANGED = "nothing changed on the screen, and this was expected: screen Receipt"
AGENT = [
    {"action": "tap", "text": "R"},
    {"action": "tap", "text": "18:30"},
    {"action": "tap", "id": "reserve_button"},
    {"action": "finish"},
    {"action": "tap", "id": "reserve_button"},
]
REFUTED = "this was expected: Order.paid = true; and this showed: Order.paid is false"

# what is done with the payment: what shows after it, whether it arrived, what is known of it
KINDS = {
    "violated": (UNPAID, True, f"done at step 1, but {REFUTED}"),
    "unchanged": (
        page({"id": "unpaid"}),
        True,
        "done at step 1, but nothing changed on the screen, and this was expected: Order.paid = true",
    ),
    "unseen": (HOME, True, "done at step 1, and whether it came out as expected has not been seen"),
    "unknown": (HOME, None, "sent at step 1, and whether it arrived is not known"),
}


def paid(folder: Path, kind: str) -> Guard:
    guard = made(folder)
    after, delivered, _ = KINDS[kind]
    if kind == "unchanged":
        guard.observe(UNPAID)
    does(guard, PAY, after, delivered)
    return guard


def pay_leg(guard: Guard) -> str:
    """The part of the roadmap that is about the payment."""
    return guard.roadmap_text().partition("\n2. ")[0]


@pytest.mark.parametrize("kind", KINDS)
def test_each_answer_names_the_step(tmp_path: Path, kind: str) -> None:
    guard, known = paid(tmp_path, kind), KINDS[kind][2]
    text = pay_leg(guard)
    assert f"Pay(number = 1): {known}" in text
    assert "not done yet" not in guard.roadmap_text() and "possible now" not in text
    assert f"Pay(number = 1): {known}" in guard.roadmap_text(form="short")
    leg = asdict(roadmap(guard.program, guard.roadmap(), today=guard.today)[0])
    assert (leg["state"], leg["sent"]) == ("doubtful", (f"Pay(number = 1): {known}",))
    again = guard.propose(PAY)
    assert again.level != "allow" and known in guard.feedback(again)


@pytest.mark.parametrize("kind", ["violated", "unchanged"])
def test_the_end_of_the_task_gives_the_same_answer(tmp_path: Path, kind: str) -> None:
    guard = paid(tmp_path, kind)
    verdict = guard.propose(FINISH)
    for form in ("long", "short"):
        text = guard.feedback(verdict, form=form)
        assert KINDS[kind][2] in text and "not done yet" not in text
    assert KINDS[kind][2] in json.dumps(verdict.to_json())


def test_a_touch_that_something_else_may_have_taken(tmp_path: Path) -> None:
    """It counts as done for every rule but those of the end of the task."""
    guard = made(tmp_path)
    guard.commit(guard.propose(PAY))
    guard.observe(HOME, seen=KnownWorld(touched="moved"))
    known = "done at step 1, but something else may have taken the touch"
    assert (
        f"Pay(number = 1): {known}" in pay_leg(guard)
        and "possible now" not in guard.roadmap_text().partition("2. ")[0]
    )
    text = guard.feedback(guard.propose(FINISH))
    assert f"Pay an order (Pay): {known}" in text and "not done yet" not in text


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("outcome", ["violated", "unseen", "unknown", "moved"])
def test_each_outcome_has_words_in_each_language(outcome: str, language: str) -> None:
    became = (Became("Pay.to", '"Bob"', '"Ann"'),)
    for text in (sent_text(3, outcome, (), ()), sent_text(3, outcome, (), became)):
        assert "3" in read(text, language)
    assert ("Pay.to" in sent_text(3, outcome, (), became)) is (outcome == "moved")


def test_the_answer_in_german(tmp_path: Path) -> None:
    guard = paid(tmp_path, "violated")
    guard.session.language = "de"
    text = guard.feedback(guard.propose(FINISH))
    assert (
        "in Schritt 1 ausgeführt, aber erwartet wurde: Order.paid = true; zu sehen ist: Order.paid ist false"
        in text
    )


def test_what_was_never_sent_is_not_done_yet(tmp_path: Path) -> None:
    guard = made(tmp_path)
    assert "possible now" in pay_leg(guard)
    assert "not done yet" in guard.feedback(guard.propose(FINISH))
    does(guard, PAY, HOME, False)  # it did not reach the device
    assert "possible now" in pay_leg(guard)
    assert "not done yet" in guard.feedback(guard.propose(FINISH))


def test_what_is_met_late_is_done(tmp_path: Path) -> None:
    guard = paid(tmp_path, "violated")
    guard.observe(PAID)
    text = guard.roadmap_text()
    assert "1. Pay (number is 1), once: done\n" in text and "step 1" not in text
    assert guard.propose(FINISH).level == "allow"


def test_of_two_attempts_the_newest_answer_counts(tmp_path: Path) -> None:
    guard = paid(tmp_path, "violated")
    does(guard, PAY, UNPAID, approved=True)
    assert "done at step 2, but nothing changed on the screen" in pay_leg(guard) and "step 1" not in pay_leg(
        guard
    )
    does(guard, PAY, PAID, approved=True)
    assert "1. Pay (number is 1), once: done\n" in guard.roadmap_text()


def test_proposals_that_were_refused_count_as_steps(tmp_path: Path) -> None:
    guard = made(tmp_path)
    assert guard.propose(FINISH).level == "block"
    guard.propose(SWITCH)
    does(guard, PAY, UNPAID)
    assert "done at step 3, but" in pay_leg(guard)


EACH = """
spec t "Pay all orders"
import bank
allow each Pay(number in {1, 2}).
done when Pay(number = 1) earlier, Pay(number = 2) earlier.
"""


def test_another_instance_is_still_allowed(tmp_path: Path) -> None:
    """The answer is about the instance that was sent; the conditions of the others are as before."""
    guard = made(tmp_path, spec=EACH)
    does(guard, PAY, UNPAID)
    text = guard.roadmap_text()
    assert f"Pay(number = 1): done at step 1, but {REFUTED}" in text
    assert "with other parameters it is still allowed" in text
    needs = [line.strip() for line in guard.feedback(guard.propose(FINISH)).splitlines()]
    assert f"Pay an order (Pay): done at step 1, but {REFUTED}" in needs
    assert "Pay an order (Pay): not done yet, wanted Pay(number = 2) earlier" in needs
    guard.observe(page(number="2"))
    does(guard, PAY, page({"id": "unpaid"}, number="2"))
    assert "Pay(number = 1): done at step 1" in guard.roadmap_text()


NO_CONTRACT = """
app bank package "com.bank" "A bank"
state Order key (number) "An order" { number: Number  paid: Bool "whether it is paid" }
screen Home when Node(id = "home").
action Pay(number: Number) "Pay an order"
recognize Pay(number = number(?n)) when tap(id = "pay", text = ?n).
update Order(number = 1, paid = true) when Node(id = "paid").
update Order(number = 1, paid = false) when Node(id = "unpaid").
"""


def test_without_a_contract_it_is_done(tmp_path: Path) -> None:
    """Nothing was expected, so what shows after it settles nothing, and the licence is used."""
    guard = made(tmp_path)
    (tmp_path / "bank.vsa").write_text(NO_CONTRACT)
    (tmp_path / "t.vsa").write_text(
        'spec t "Pay"\nimport bank\nallow Pay(number = 1).\ndone when Pay earlier.\n'
    )
    guard = Guard(load(tmp_path / "t.vsa").checked(), clock=ScreenClock(live=False))
    guard.observe(HOME)
    does(guard, PAY, UNPAID)
    assert pay_leg(guard).splitlines()[0] == "1. Pay (number is 1), once: done"
    assert guard.propose(FINISH).level == "allow"


# ---------------------------------------------------------------- on the simulated phone


@pytest.fixture
def lost(tmp_path: Path) -> str:
    """A phone whose button for booking does nothing the first time."""
    (tmp_path / "lost.toml").write_text(LOST)
    return f"sim:restaurant#{tmp_path / 'lost.toml'}"


def booked(
    vsac: Callable[..., CompletedProcess[str]],
    folder: Path,
    phone: str,
    *more: str,
    spec: Path = SPECIFICATION,
) -> CompletedProcess[str]:
    agent = folder / "agent.jsonl"
    agent.write_text("".join(json.dumps(each) + "\n" for each in AGENT))
    return vsac(
        "run", str(spec), "--device", phone, "--open", "com.opentable", "--agent", str(agent),
        "--journal", str(folder / "j.jsonl"), "--on-confirm", "no", *more,
    )  # fmt: skip


def unwrapped(text: str) -> str:
    """A text without its margins and line breaks, which depend on the width of the terminal."""
    return " ".join(text.replace("│", " ").replace("▲", " ").split())


def test_the_log_and_the_journal_give_one_answer(
    vsac: Callable[..., CompletedProcess[str]], tmp_path: Path, lost: str
) -> None:
    log = unwrapped(booked(vsac, tmp_path, lost).stdout)
    assert f" not as expected: {NOTHING_CHANGED} " in log
    assert (
        log.count(f"done at step 3, but {NOTHING_CHANGED}") == 4
    )  # finish, the tap, and twice in the roadmap
    shown = unwrapped(vsac("journal", "show", str(tmp_path / "j.jsonl")).stdout)
    assert shown.count(f"done at step 3, but {NOTHING_CHANGED}") == 2
    assert f"not as expected: {NOTHING_CHANGED}" in shown and "otherwise than predicted" not in shown
    asked = vsac(
        "query", str(SPECIFICATION), 'Reserve(restaurant = "R") earlier', "--state", str(tmp_path / "j.jsonl")
    )
    assert f"done at step 3, but {NOTHING_CHANGED}" in " ".join(asked.stdout.split())
    for text in (log, shown, asked.stdout):
        assert "not done yet" not in text and "possible now" not in text


def test_json_gives_the_same_answer(
    vsac: Callable[..., CompletedProcess[str]], tmp_path: Path, lost: str
) -> None:
    lines = [
        json.loads(line) for line in booked(vsac, tmp_path, lost, "--format", "json").stdout.splitlines()
    ]
    steps = {line["step"]: line for line in lines if line["kind"] == "step"}
    assert steps[3]["unexpected"] == [NOTHING_CHANGED] and "unexpected" not in steps[2]
    legs = next(line for line in lines if line["kind"] == "end")["roadmap"]
    assert legs[0]["state"] == "doubtful" and NOTHING_CHANGED in legs[0]["sent"][0]
    assert "possible now" not in json.dumps(lines) and "not done yet" not in json.dumps(lines)


def test_an_agent_with_tools_hears_it(tmp_path: Path, lost: str) -> None:
    loaded = load(SPECIFICATION)
    with open_device(lost) as phone:
        app = {"package": "com.opentable"}
        phone.perform(Action("open_app", app), app)
        clock = ScreenClock(live=False)
        clock.see(phone.observe())
        session = PhoneSession(Guard(loaded.checked(), clock=clock), phone)
        session.begin()
        answers = [
            session.call(each["action"], {k: v for k, v in each.items() if k != "action"})
            for each in AGENT[:4]
        ]
        answers.append(session.call("roadmap"))
        answers.append(session.call("propose", {"action": "tap", "arguments": {"id": "reserve_button"}}))
    texts = [answer.text for answer in answers if isinstance(answer, Answer)]
    assert f"Not as expected: {NOTHING_CHANGED}" in texts[2]
    for text in texts[3:]:
        assert f"done at step 3, but {NOTHING_CHANGED}" in text
        assert "not done yet" not in text and "possible now" not in text


def test_a_resumed_session_gives_the_same_answer(tmp_path: Path) -> None:
    """The ledger is made from the journal: which step it was, and what was expected and shown."""
    path = tmp_path / "t.jsonl"
    made(tmp_path)
    loaded = load(tmp_path / "t.vsa")
    with Journal(path) as journal:
        clock = ScreenClock(live=False)
        recorder = Recorder(journal, sources=loaded.sources, spec=loaded.file)
        guard = Guard(loaded.checked(), clock=clock, recorder=recorder)
        guard.observe(HOME)
        guard.propose(FINISH)
        does(guard, PAY, UNPAID)
        before, verdict = pay_leg(guard), guard.feedback(guard.propose(FINISH))
    assert "done at step 2, but" in before
    with resume(path, clock=ScreenClock(live=False)) as resumed:
        assert pay_leg(resumed.guard) == before
        resumed.guard.observe(UNPAID)
        assert resumed.guard.feedback(resumed.guard.propose(FINISH)) == verdict
    session = read_session(path)
    judgements = replay(session, loaded.checked()).judgements
    assert len(judgements) == 4
    for judgement in judgements:
        assert judgement.now is not None and judgement.now["reasons"] == judgement.step.verdict["reasons"]


def test_an_open_contract_says_what_the_gesture_showed(
    vsac: Callable[..., CompletedProcess[str]], tmp_path: Path, lost: str
) -> None:
    """The contract asks about a receipt that never showed: neither met nor violated. The screen stayed as it was."""
    app = (EXAMPLES.parent / "apps" / "opentable.vsa").read_text()
    app = app.replace("app apps.opentable", "app opentable").replace("for apps.opentable", "for opentable")
    expected = "expect screen Receipt when Reserve."
    assert expected in app
    (tmp_path / "opentable.vsa").write_text(
        app.replace(expected, "expect ReserveResult(success = true) when Reserve.")
    )
    (tmp_path / "t.vsa").write_text(SPECIFICATION.read_text().replace("apps.opentable", "opentable"))
    known = "done at step 3, but nothing changed on the screen, and whether it came out as expected has not been seen"
    log = unwrapped(booked(vsac, tmp_path, lost, spec=tmp_path / "t.vsa").stdout)
    assert "not as expected: nothing changed on the screen" in log
    assert log.count(known) == 2  # of the second touch, and in the roadmap
    assert "at step 3, and whether" not in log
    assert "not done yet" not in log and "possible now" not in log
    assert known in unwrapped(vsac("journal", "show", str(tmp_path / "j.jsonl")).stdout)
