"""What the look after a touch of a place tells: where what was judged had moved, something else may have met it."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.guard.phones import Watch
from vsalang.guard import Guard, Settings
from vsalang.guard.journal import Journal, Recorder, read_session, resume
from vsalang.guard.journal.timeline import timeline
from vsalang.guard.say.verdict import Became, Proposal
from vsalang.guard.world.touched import touched
from vsalang.language.semantics import load
from vsalang.program.action import Action
from vsalang.program.delivery import leaving, looked
from vsalang.program.screen import Screen
from vsalang.screen.screen import TreeScreen
from vsalang.screen.tree import load_dump

APP = "com.example.bank"
MODULE = f"""
app bank package "{APP}" "Bank"
screen Page "A page" when Node(text = "Balance").
action Pay "Pay what is shown"
recognize Pay when tap(text = "Pay").
"""
SPEC = """
spec pay_once "Pay once."
import bank
allow Pay.
done when Pay earlier.
"""
CONTRACT = 'screen Paid over Page "Thanks" when Node(text = "Thank you").\nexpect screen Paid when Pay.\n'
TAP = Action("tap", {"x": 100, "y": 250})


def page(*texts: str, package: str = APP, more: str = "") -> TreeScreen:
    """A page of buttons, one below the other, each 100 high; the first stands at the top."""
    nodes = "".join(
        f'<node text="{text}" class="android.widget.Button" package="{package}" clickable="true" enabled="true" '
        f'bounds="[0,{100 * n}][200,{100 * n + 100}]"/>'
        for n, text in enumerate(texts)
    )
    root = f'<node class="android.widget.FrameLayout" package="{package}" bounds="[0,0][200,1000]">{nodes}</node>'
    return TreeScreen(load_dump(f"<hierarchy>{root}{more}</hierarchy>"), app=(package, None))


BEFORE = page("Balance", "Help", "Pay", "Log out")
MOVED = page("Balance", "News", "Help", "Pay", "Log out")
THANKS = page("Balance", "News", "Thank you", "Pay")


class Bare:
    """A phone that is touched at places, and shows another page afterwards."""

    def __init__(self, after: Screen, by_device: bool = False) -> None:
        self.after, self.now, self.by_device = after, BEFORE, by_device

    def observe(self) -> Screen:
        return self.now

    def perform(self, action: Action, target: Any) -> None:
        looked(by_device=self.by_device)
        leaving()
        self.now = self.after


Makes = Callable[..., Guard]


@pytest.fixture
def guard(tmp_path: Path) -> Makes:
    def made(phone: Any, contract: str = "", **more: Any) -> Guard:
        (tmp_path / "bank.vsa").write_text(MODULE + contract)
        (tmp_path / "pay_once.vsa").write_text(SPEC)
        loaded = load(tmp_path / "pay_once.vsa")
        assert loaded.program is not None, loaded.diagnostics
        return Guard(loaded.program, phone, clock=Watch(), settings=Settings(), **more)

    return made


@pytest.mark.parametrize(
    ("after", "said"),
    [
        (BEFORE, ""),
        (MOVED, "moved"),
        (page("Balance", "Help", "Pay now", "Log out"), "gone"),
        (page("Home", package="com.other"), "gone"),
        (page("Balance", "Pay", "Help", "Pay"), "gone"),  # it is not known which of the two it is
        (page("Balance", "Help", "Pay", "More"), ""),
    ],
)
def test_what_the_look_after_a_touch_shows(after: Screen, said: str) -> None:
    assert touched(Proposal(TAP), BEFORE, after)[0] == said
    assert touched(Proposal(Action("tap", {"text": "Pay"})), BEFORE, after)[0] == said
    assert touched(Proposal(Action("back")), BEFORE, after) == ("", "")


def test_what_a_keyboard_pushes_away_is_no_sign() -> None:
    keys = '<node class="K" package="com.google.android.inputmethod.latin" bounds="[0,800][200,1000]"/>'
    after = page("Help", "Pay", "Balance", "Log out", more=keys)
    assert touched(Proposal(TAP), BEFORE, after) == ("", "")


def test_an_action_on_something_else_does_not_count(guard: Makes) -> None:
    """Its licence is used: it may have been done."""
    bank = guard(Bare(MOVED))
    bank.observe(BEFORE)
    done = bank.step(TAP)
    assert done.performed
    assert 'what was judged has moved, and "Help" is in its place' in done.problem
    (charge,) = bank.ledger
    assert (charge.outcome, charge.returned, charge.counts) == ("moved", False, True)
    assert bank.propose(Action("finish")).level == "block"
    assert bank.propose(Action("tap", {"text": "Pay"})).level == "confirm"  # it may have been done


@pytest.mark.parametrize("after", [BEFORE, MOVED])
def test_policies_count_it_as_done(after: Screen, guard: Makes, tmp_path: Path) -> None:
    """A page that moves frees nothing: an app could do that at will."""
    more = (
        'state Spent "What was spent" { euros: Number "how much" }\nupdate Spent(euros = 90) when Pay.\n'
        'deny "once" when Pay, Pay earlier.\ndeny "limit" when Pay, Spent(euros > 50).\n'
    )
    bank = guard(Bare(after), more)
    bank.observe(BEFORE)
    bank.step(TAP)
    verdict = bank.propose(Action("tap", {"text": "Pay"}))
    assert verdict.level == "block"
    assert {"once", "limit"} <= {reason.message for reason in verdict.reasons}


def test_what_stands_there_is_told_in_one_line() -> None:
    after = page("Balance", "News", "a&#10;\u202eb&#9;" + "c" * 100, "Pay")
    said, words = touched(Proposal(TAP), BEFORE, after)
    assert said == "moved"
    assert not [char for char in words if char in "\n\t\u202e"]
    assert len(words) < 200


def test_what_shows_that_it_was_done_counts(guard: Makes) -> None:
    bank = guard(Bare(THANKS), CONTRACT)
    bank.observe(BEFORE)
    assert "moved" in bank.step(TAP).problem
    (charge,) = bank.ledger
    assert charge.outcome == "done"
    assert bank.propose(Action("finish")).level == "allow"


@pytest.mark.parametrize("after", [BEFORE, MOVED])
def test_what_the_device_itself_found_was_touched(after: Screen, guard: Makes) -> None:
    bank = guard(Bare(after, by_device=True))
    bank.observe(BEFORE)
    done = bank.step(TAP)
    assert not done.problem
    assert bank.ledger[0].outcome == "done"


def test_the_journal_tells_it(tmp_path: Path, guard: Makes) -> None:
    path = tmp_path / "j.jsonl"
    with Journal(path) as journal:
        bank = guard(Bare(MOVED), recorder=Recorder(journal))
        bank.observe(BEFORE)
        bank.step(TAP)
    (step,) = read_session(path).steps
    assert step.touched == "moved"


def test_blocks_look_too(guard: Makes) -> None:
    phone = Bare(MOVED)
    bank = guard(phone)
    with bank.acting(TAP):
        phone.perform(TAP, {})
    assert bank.ledger[0].outcome == "moved"


PAYEE = f"""
app bank package "{APP}" "Bank"
screen Page "A page" when Node(text = "Balance").
view Order on Page "What is about to be paid" {{ to: Text "whom"  sum: Number "how much" }}
update Order(to = ?t) when Node(text matches /^To (?<t>.+)$/).
update Order(sum = number(?s)) when Node(text matches /^Sum (?<s>[0-9]+)$/).
action Pay(to: Text "whom", sum: Number "how much") "Pay somebody"
recognize Pay(to = ?t, sum = ?s) when tap(text = "Pay") with Order(to = ?t, sum = ?s).
screen Paid over Page "Thanks" when Node(text matches /^Paid/).
"""
TO_ANN = page("Balance", "To Ann", "Sum 5", "Pay")


@pytest.fixture
def payer(tmp_path: Path) -> Makes:
    def made(after: Screen, contract: str = "", *, by_device: bool = True, **more: Any) -> Guard:
        (tmp_path / "bank.vsa").write_text(PAYEE + contract)
        (tmp_path / "pay.vsa").write_text(
            'spec pay "Pay Ann 5."\nimport bank\nallow Pay(to = "Ann", sum = 5).\ndone when Pay earlier.\n'
        )
        phone = Bare(after, by_device=by_device)
        phone.now = TO_ANN
        guard = Guard(load(tmp_path / "pay.vsa").checked(), phone, clock=Watch(), settings=Settings(), **more)
        guard.observe(TO_ANN)
        return guard

    return made


@pytest.mark.parametrize("by_device", [True, False])
@pytest.mark.parametrize(
    ("after", "outcome"),
    [
        (page("Balance", "To Mallory", "Sum 5", "Pay"), "moved"),
        (page("Balance", "To Ann", "Sum 500", "Pay"), "moved"),
        (page("Balance", "News", "To Mallory", "Sum 5", "Pay"), "moved"),
        (TO_ANN, "done"),
        (page("Balance", "To", "Sum", "Pay"), "done"),  # what is not known is not another parameter
        (page("Balance", "Thank you"), "done"),
        (page("Home", package="com.other"), "done"),
    ],
)
def test_other_parameters_after_the_touch(payer: Makes, after: Screen, outcome: str, by_device: bool) -> None:
    """The click checks the node that it touches only: whom it pays may have changed before it came."""
    bank = payer(after, by_device=by_device)
    done = bank.step(Action("tap", {"text": "Pay"}))
    assert done.performed
    (charge,) = bank.ledger
    assert (charge.outcome, charge.returned, charge.counts) == (outcome, False, True)
    assert bool(done.problem) == (outcome == "moved")
    assert bank.propose(Action("finish")).level == ("block" if outcome == "moved" else "allow")


def test_the_user_is_told_which_parameters_changed(payer: Makes, tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    with Journal(path) as journal:
        bank = payer(page("Balance", "To Mallory", "Sum 5", "Pay"), recorder=Recorder(journal))
        done = bank.step(Action("tap", {"text": "Pay"}))
    assert 'Pay.to is "Mallory" and was judged as "Ann"' in done.problem
    assert done.observed is not None
    assert done.observed.changed == (Became("Pay.to", '"Ann"', '"Mallory"'),)
    assert bank.ledger[0].changes == done.observed.changed
    (step,) = read_session(path).steps
    assert step.touched == "moved"
    assert step.changed == ('Pay.to is "Mallory" and was judged as "Ann"',)
    (told,) = [each for each in timeline(read_session(path)).events if each.step is not None]
    assert (
        'it may have been done with other parameters: Pay.to is "Mallory" and was judged as "Ann"'
        in told.outcome_text
    )
    assert "surprise" in told.tags


def test_a_resumed_session_knows_what_changed(payer: Makes, tmp_path: Path) -> None:
    path = tmp_path / "j.jsonl"
    with Journal(path) as journal:
        bank = payer(page("Balance", "To Mallory", "Sum 5", "Pay"), recorder=Recorder(journal))
        bank.step(Action("tap", {"text": "Pay"}))
    with resume(path, program=bank.program) as resumed:
        assert resumed.guard.ledger == bank.ledger


def test_a_contract_that_shows_what_was_done_settles_it(payer: Makes) -> None:
    after = page("Balance", "Paid Ann", "To Mallory", "Sum 5", "Pay")
    bank = payer(after, "expect screen Paid when Pay.\n")
    done = bank.step(Action("tap", {"text": "Pay"}))
    assert not done.problem
    assert bank.ledger[0].outcome == "done"


def test_rows_that_move_up_are_no_other_parameters(tmp_path: Path) -> None:
    """The next row takes the place of the one that was deleted, with a button that says the same."""
    (tmp_path / "mail.vsa").write_text(f"""
app mail package "{APP}" "Mail"
screen Page "A page" when Node(text = "Inbox").
define Above(text = ?t, y = ?y) when Node(text = ?t, bottom = ?y, text matches /^Mail/).
action Delete(mail: Text "which") "Delete a mail"
recognize Delete(mail = ?t) when tap(text = "Delete", top = ?y) with Above(text = ?t, y = ?y).
""")
    (tmp_path / "tidy.vsa").write_text(
        'spec tidy "Delete mail 1."\nimport mail\nallow Delete(mail = "Mail 1").\ndone when Delete earlier.\n'
    )
    before = page("Inbox", "Mail 1", "Delete", "Mail 2", "Delete")

    def outcome(after: Screen) -> str:
        phone = Bare(after)
        phone.now = before
        guard = Guard(load(tmp_path / "tidy.vsa").checked(), phone, clock=Watch(), settings=Settings())
        guard.observe(before)
        assert guard.step(Action("tap", {"x": 100, "y": 250})).performed
        return guard.ledger[0].outcome

    assert outcome(page("Inbox", "Mail 2", "Delete")) == "done"
    assert outcome(page("Inbox", "Mail 2", "Delete", "Mail 1", "Delete")) == "moved"
    assert outcome(page("Inbox", "Mail 7", "Delete", "Mail 2", "Delete")) == "moved"


@pytest.mark.parametrize(
    ("severity", "was", "now", "outcome"),
    [
        ("low", "0 photos", "1 photo", "done"),
        ("low", "1 фото", "2 фото", "done"),
        ("low", "4张", "5张", "done"),
        ("low", "0 photos", "2 photos", "moved"),
        ("low", "1 photo", "2 songs", "moved"),
        ("low", "Trip 1", "Trip 2", "moved"),
        ("low", "1 photo of Ann", "2 photo of Ben", "moved"),
        ("medium", "0 photos", "1 photo", "moved"),
    ],
)
def test_a_mild_act_may_be_counted(tmp_path: Path, severity: str, was: str, now: str, outcome: str) -> None:
    """The title counts what was made: it was made all the same. Whatever costs something is not excused."""
    (tmp_path / "cam.vsa").write_text(f"""
app cam package "{APP}" "Camera"
screen Page "A page" when Node(text = "Camera").
define Title(text = ?t) when Node(top = 100, text = ?t).
@severity({severity})
action Shoot(title: Text "of which page") "Take a photo"
recognize Shoot(title = ?t) when tap(text = "Shoot") with Title(text = ?t).
""")
    (tmp_path / "one.vsa").write_text(
        'spec one "Take a photo."\nimport cam\nallow Shoot.\ndone when Shoot earlier.\n'
    )
    phone = Bare(page("Camera", now, "Shoot"))
    phone.now = page("Camera", was, "Shoot")
    session = Guard(load(tmp_path / "one.vsa").checked(), phone, clock=Watch(), settings=Settings())
    session.observe(phone.now)
    assert session.step(Action("tap", {"text": "Shoot"})).performed
    assert session.ledger[0].outcome == outcome
    assert session.propose(Action("finish")).level == ("allow" if outcome == "done" else "block")


FIELD = (
    'clickable="true" focused="true" class="android.widget.EditText" resource-id="com.example.bank:id/note"'
)


def order(to: str, field: str = FIELD, text: str = "") -> TreeScreen:
    """Whom is paid, and a field for a note."""
    plain = f'class="T" content-desc="" resource-id="" focused="false" enabled="true" package="{APP}"'
    nodes = f'''<node text="Balance" {plain} bounds="[0,0][200,100]"/>
    <node text="To {to}" {plain} bounds="[0,100][200,200]"/>
    <node text="Sum 5" {plain} bounds="[0,200][200,300]"/>
    <node text="{text}" {field} content-desc="" package="{APP}" enabled="true" bounds="[0,300][200,400]"/>'''
    root = f'<node text="" {plain} bounds="[0,0][200,1000]">{nodes}</node>'
    return TreeScreen(load_dump(f"<hierarchy>{root}</hierarchy>"), app=(APP, None))


@pytest.mark.parametrize(
    ("gesture", "rule"),
    [
        (Action("input_text", {"id": "note", "value": "rent"}), 'input_text(id = "note")'),
        (
            Action("press_key", {"key": "ENTER"}),
            'press_key(key = "ENTER"), Node(id = "note", focused = true)',
        ),
        (Action("press_key", {"key": "ENTER"}), 'tap(id = "note")'),
        (Action("long_press", {"id": "note"}), 'long_press(id = "note")'),
        (Action("double_tap", {"id": "note"}), 'double_tap(id = "note")'),
    ],
)
@pytest.mark.parametrize(
    ("after", "outcome"),
    [
        (order("Mallory"), "moved"),
        (order("Mallory", FIELD.replace("note", "other")), "done"),  # another field: it is not the same page
        (order("Ann"), "done"),
    ],
)
def test_other_ways_than_a_tap(
    tmp_path: Path, gesture: Action, rule: str, after: Screen, outcome: str
) -> None:
    (tmp_path / "bank.vsa").write_text(PAYEE.replace('tap(text = "Pay")', rule))
    (tmp_path / "pay.vsa").write_text(
        'spec pay "Pay Ann 5."\nimport bank\nallow Pay(to = "Ann", sum = 5).\ndone when Pay earlier.\n'
    )
    phone = Bare(after, by_device=True)
    phone.now = order("Ann")
    settings = Settings(unknown_screen="allow")
    bank = Guard(load(tmp_path / "pay.vsa").checked(), phone, clock=Watch(), settings=settings)
    bank.observe(phone.now)
    done = bank.step(gesture)
    assert done.performed, [reason.message for reason in done.verdict.reasons]
    assert bank.ledger[0].outcome == outcome
    assert bool(done.problem) == (outcome == "moved")
