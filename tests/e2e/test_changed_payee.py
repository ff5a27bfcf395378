"""What an action is about changes after the guard's last look, through the command line: it is not done, or it is told."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.commands import vsac
from vsalang.guard import Guard
from vsalang.phone.sim.rpc import Automator

pytest.importorskip("uiautomator2")

PACKAGE = "com.example.bank"
MODULE = f"""
app bank package "{PACKAGE}" "Bank"
screen Page "The order" when Node(id = "title").
view Order on Page "What is about to be paid" {{ to: Text "whom"  sum: Number "how much" }}
update Order(to = ?t) when Node(id = "to", text matches /^To (?<t>.+)$/).
update Order(sum = number(?s)) when Node(id = "sum", text matches /^Sum (?<s>[0-9]+)$/).
action Pay(to: Text "whom", sum: Number "how much") "Pay somebody"
recognize Pay(to = ?t, sum = ?s) when tap(id = "pay") with Order(to = ?t, sum = ?s).
"""
SPEC = """spec pay "Pay Ann 5."
import bank
allow Pay(to = "Ann", sum = 5).
done when Pay earlier.
"""
PHONE = f"""
[phone]
title = "A bank"
clock = 2026-04-01T12:00:00
[[app]]
package = "{PACKAGE}"
label = "Bank"
start = "order"
[app.state]
payee = "Ann"
amount = 5
paid = ""
[[app.screen]]
name = "order"
[[app.on]]
event = "pay"
set = {{ paid = "payee ~ ' ' ~ amount" }}
"""
ORDER = (
    '<column width="fill" height="fill"><text id="title" text="Order"/><text id="to" text="To {{ payee }}"/>'
    '<text id="sum" text="Sum {{ amount }}"/><button id="pay" text="Pay" tap="pay"/><text id="paid" text="Paid: '
    '{{ paid }}"/></column>'
)


@dataclass(frozen=True)
class Run:
    """One run of an agent that pays once: whom the phone paid, and what was said of it."""

    paid: str
    step: Mapping[str, Any]
    shown: str

    @property
    def told(self) -> str:
        return str(self.step["became"])


class Phone:
    """Runs an agent on a phone whose app changes its variables at the n-th call of the server after the commit."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch, order: str, module: str) -> None:
        self._folder, self._monkeypatch = folder, monkeypatch
        (folder / "bank.vsa").write_text(module)
        (folder / "pay.vsa").write_text(SPEC)
        (folder / "phone").mkdir()
        (folder / "phone" / "phone.toml").write_text(PHONE)
        (folder / "phone" / "order.xml").write_text(order)

    def run(self, gesture: Mapping[str, Any], number: int, values: Mapping[str, Any]) -> Run:
        left = None
        paid = ""
        commit, call = Guard.commit, Automator.call

        def committed(guard: Guard, *args: Any, **more: Any) -> None:
            nonlocal left
            commit(guard, *args, **more)
            left = number

        def called(automator: Automator, method: str, params: Any) -> Any:
            nonlocal left, paid
            if left == 0:
                automator.phone._change(values)
            left = None if left is None else left - 1
            found = call(automator, method, params)
            paid = str(automator.phone.state(PACKAGE)["paid"])
            return found

        self._monkeypatch.setattr(Guard, "commit", committed)
        self._monkeypatch.setattr(Automator, "call", called)
        agent, journal = self._folder / "agent.jsonl", self._folder / f"{number}-{len(values)}.jsonl"
        agent.write_text(json.dumps(gesture) + "\n")
        options = ("--open", PACKAGE, "--agent", agent, "--journal", journal)
        done = vsac("run", self._folder / "pay.vsa", "--device", f"sim:{self._folder / 'phone'}", *options)
        self._monkeypatch.undo()
        assert done.returncode == 1, done.stdout + done.stderr
        shown = vsac("show", journal, "--format", "json")
        events = json.loads(shown.stdout)["events"]
        (step,) = [each for each in events if each["kind"] == "step"]
        return Run(paid, step, vsac("show", journal).stdout)


@pytest.mark.parametrize("number", range(25))
def test_another_payee_after_the_last_look(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    found = Phone(tmp_path, monkeypatch, ORDER, MODULE).run({"action": "tap", "id": "pay"}, number, {"payee": "Mallory"})
    print(number, found.paid, found.told)
    assert 0
