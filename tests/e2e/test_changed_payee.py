"""What an action is about changes after the guard's last look: it is not done, or it is told. Through `vsac run`."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.commands import vsac
from tests.phone.payee import APART, BESIDE, PACKAGE, bank
from vsalang.guard import Guard, Verdict
from vsalang.phone.sim import Phone
from vsalang.phone.sim.foreground import SystemDialog
from vsalang.phone.sim.rpc import Automator

pytest.importorskip("uiautomator2")


@dataclass(frozen=True)
class Way:
    """How the agent pays.

    Attributes:
        gesture: the last line of its file.
        rule: what the module recognises.
        before: lines before it.
        event: of the field for a note that pays.
    """

    gesture: Mapping[str, Any]
    rule: str
    before: tuple[Mapping[str, Any], ...] = ()
    event: str = ""


WAYS = {
    "tap": Way({"action": "tap", "id": "pay"}, 'tap(id = "pay")'),
    "place": Way({"action": "tap", "x": 50, "y": 340}, 'tap(id = "pay")'),
    "long press": Way({"action": "long_press", "id": "pay"}, 'long_press(id = "pay")'),
    "double tap": Way({"action": "double_tap", "id": "pay"}, 'double_tap(id = "pay")'),
    "typing": Way(
        {"action": "input_text", "id": "note", "value": "rent"}, 'input_text(id = "note")', event="input"
    ),
    "key": Way(
        {"action": "press_key", "key": "ENTER"},
        'press_key(key = "ENTER"), Node(id = "note", focused = true)',
        before=({"action": "tap", "id": "note"},),
        event="enter",
    ),
}


@dataclass(frozen=True)
class Run:
    """One run of an agent that pays once: what the phone paid, and what was said of it."""

    paid: str
    step: Mapping[str, Any]
    printed: str
    shown: str

    @property
    def told(self) -> str:
        return str(self.step["became"])

    @property
    def moved(self) -> bool:
        return bool(self.step["touched"] == "moved")


class Bank:
    """Runs agents on a phone whose app changes at the n-th call of its server after the commit of the payment."""

    def __init__(self, folder: Path, way: str, order: str = BESIDE) -> None:
        self._folder, self._way, self.runs = folder, WAYS[way], 0
        self._phone = bank(folder, self._way.rule, order, self._way.event)

    def run(self, number: int | None, change: Callable[[Phone], None] = lambda phone: None) -> Run:
        """Pay; `number`: at which call the app changes; None: never."""
        self.runs += 1
        left: int | None = None
        paid = ""
        commit, call = Guard.commit, Automator.call

        def committed(guard: Guard, verdict: Verdict, **more: Any) -> None:
            nonlocal left
            commit(guard, verdict, **more)
            left = number if verdict.actions else None

        def called(automator: Automator, method: str, params: Any) -> Any:
            nonlocal left, paid
            if left == 0:
                change(automator.phone)
            left = None if left is None else left - 1
            try:
                return call(automator, method, params)
            finally:
                paid = str(automator.phone.state(PACKAGE)["paid"])

        agent, journal = self._folder / "agent.jsonl", self._folder / f"{self.runs}.jsonl"
        lines = (*self._way.before, self._way.gesture)
        agent.write_text("".join(json.dumps(each) + "\n" for each in lines))
        options = ("--open", PACKAGE, "--agent", agent, "--journal", journal, "--on-confirm", "no")
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(Guard, "commit", committed)
            patch.setattr(Automator, "call", called)
            done = vsac("run", self._folder / "pay.vsa", "--device", f"sim:{self._phone}", *options)
        assert done.returncode == 1, done.stdout + done.stderr  # the agent never says that it is done
        events = json.loads(vsac("journal", "show", journal, "--format", "json").stdout)["events"]
        step = [each for each in events if each["kind"] == "step"][-1]
        return Run(paid, step, done.stdout, vsac("journal", "show", journal).stdout)


TRIES = [
    *[("tap", BESIDE, number, "") for number in range(4)],  # the click itself asks for what stands next to it
    *[("tap", APART, number, "") for number in range(5)],
    ("tap", APART, 5, "Mallory"),  # after the last question, and no selector names both
    *[("place", BESIDE, number, "") for number in (0, 4)],
    *[("long press", BESIDE, number, "") for number in (1, 3)],
    *[("double tap", APART, number, "") for number in (0, 3)],
    ("double tap", APART, 4, "Mallory"),
    *[("typing", BESIDE, number, "") for number in (0, 4, 7)],
    *[("key", APART, number, "") for number in (2, 4)],
]
"""How it is paid, on which page, at which call the payee becomes another, and whom the phone pays then."""


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("way", "order", "number", "paid"),
    [pytest.param(*each, marks=[pytest.mark.slow] if n % 3 else []) for n, each in enumerate(TRIES)],
)
def test_another_payee_before_the_touch(tmp_path: Path, way: str, order: str, number: int, paid: str) -> None:
    found = Bank(tmp_path, way, order).run(number, lambda phone: phone._change({"payee": "Mallory"}))
    assert found.paid.startswith(paid) and bool(found.paid) == bool(paid)
    assert found.moved == bool(paid)
    if paid:
        assert 'with other parameters: Pay.to is "Mallory" and was judged as "Ann"' in found.told
        assert found.step["changed"] == [{"parameter": "Pay.to", "judged": '"Ann"', "found": '"Mallory"'}]
    else:
        assert "carried out" not in found.told or "whether it arrived is not known" in found.told
    assert found.told in " ".join(found.shown.split())


def test_there_are_enough_tries() -> None:
    assert len(TRIES) == 22
    assert sum(not paid for *_, paid in TRIES) == 20


@pytest.mark.parametrize("way", WAYS)
def test_nothing_changes(tmp_path: Path, way: str) -> None:
    found = Bank(tmp_path, way).run(None)
    assert found.paid == "Ann 5 fee none"
    assert not found.moved and found.told.startswith("carried out")


def _dialog(phone: Phone) -> None:
    phone._dialogs.append(SystemDialog("system_battery.xml", "com.android.systemui", {"level": 5}))
    phone._cache = None


CHANGES: Mapping[str, Callable[[Phone], None]] = {
    "amount": lambda phone: phone._change({"amount": 500}),
    "fee": lambda phone: phone._change({"fee": "10"}),
    "banner": lambda phone: phone._change({"banner": True}),
    "dialog": _dialog,
}


@pytest.mark.parametrize("number", [0, 1])
@pytest.mark.parametrize("change", CHANGES)
def test_other_changes_before_the_touch(tmp_path: Path, change: str, number: int) -> None:
    """The sum; what the licence needed and no parameter says; what moves the page; a dialog."""
    found = Bank(tmp_path, "tap").run(number, CHANGES[change])
    assert not found.paid
    assert "it did not reach the device" in found.told
    assert "not what was judged" in found.told or "the target is gone" in found.told
