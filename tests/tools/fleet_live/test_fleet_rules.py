"""Rules over many devices: by our engine, each tenant for itself, an alarm once for as long as they hold."""

from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.commands import vsac
from tests.tools.fleet_live.fleet import ROOT, Fleet, Person, written
from vsalang.tools.fleet.live.fleet_rules import MOST, FleetRules, RuleBook, RulesError, read_rules

SHIPPED = ROOT / "app_specs" / "examples" / "across_devices.vsa"


def alarm(
    device: str, number: int = 1, action: str = "Pay", age: int = 1, level: str = "block"
) -> dict[str, Any]:
    return {
        "session": f"s-{device}", "number": Decimal(number), "device": device, "app": "a", "level": level,
        "kind": "unlicensed", "rule": "R-1", "category": "", "action": action, "age": Decimal(age),
    }  # fmt: skip


@settings(max_examples=25)
@given(
    st.lists(
        st.tuples(st.integers(0, 8), st.sampled_from(["Pay", "Send"]), st.sampled_from([5, 59, 60, 61, 500]),
                  st.sampled_from(["block", "warn"])),
        max_size=40,
    )
)  # fmt: skip
def test_the_engine_says_what_counting_says(drawn: list[tuple[int, str, int, str]]) -> None:
    rows = [alarm(f"d{d}", n, action, age, level) for n, (d, action, age, level) in enumerate(drawn, 1)]
    devices: dict[str, set[str]] = {}
    for row in rows:
        if row["level"] == "block" and row["age"] <= 60:
            devices.setdefault(row["action"], set()).add(row["device"])
    expected = {
        f"{action}: denied on {len(names)} devices within a minute"
        for action, names in devices.items()
        if len(names) >= 5
    }
    assert {pattern.text for pattern in BOOK.patterns(rows, [])} == expected


BOOK = RuleBook(read_rules([SHIPPED]))


def test_an_alarm_is_raised_once_while_it_holds(fleet: Fleet, ana: Person, tmp_path: Path) -> None:
    rules = FleetRules(fleet.server, fleet.console.events, read_rules([]))
    judged = {
        "level": "block",
        "proposal": "tap Pay",
        "reasons": [{"level": "block", "kind": "unlicensed", "rule": "R-1", "message": "m"}],
    }
    for number in range(5):
        records = [("session", {"settings": {}, "number": number}), ("propose", {"verdict": judged})]
        fleet.send(written(tmp_path / f"{number}.jsonl", records), "phone1")  # type: ignore[arg-type]
    devices = iter("abcde")
    kept = rules.watches["main"].alarms
    for _, row in kept:
        row["device"] = next(devices)  # one device each

    def tick() -> Any:
        alarms, running = rules.rows("main")
        patterns = rules.judge("main", alarms, running)
        return rules._raise("main", patterns)

    fleet.on_loop(tick)
    fleet.on_loop(tick)
    raised = ana.get("/api/alarms?kind=fleet")[1]["alarms"]
    assert [(one["rule"], one["text"], one["category"]) for one in raised] == [
        ("FLEET-1", "tap Pay: denied on 5 devices within a minute", "automation")
    ]
    assert fleet.person("eve").get("/api/alarms")[1]["alarms"] == []
    assert len(fleet.server.intake.sessions) == 5  # an alarm about all of them is not a session
    kept.clear()
    fleet.on_loop(tick)
    assert rules.watches["main"].holding == set()


def test_rows_are_bounded(fleet: Fleet, unfinished: Path) -> None:
    rules = FleetRules(fleet.server, fleet.console.events, read_rules([]))
    fleet.send(unfinished)
    rules._watch("main").alarms.extend([(0.0, alarm("d"))] * 5000)
    assert len(rules.watches["main"].alarms) == MOST
    alarms, running = rules.rows("main")
    assert alarms == [] and [row["device"] for row in running] == ["phone1"]


@pytest.mark.parametrize("text", ['policy p "p"\nflag "x" when Nothing.', 'module m "m"', ""])
def test_what_is_not_a_policy_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "rules.vsa"
    path.write_text(text)
    with pytest.raises(RulesError):
        read_rules([path])
    told = vsac("fleet", "serve", "--rules", path, "--data", tmp_path / "fleet", "--port", "0")
    assert told.returncode == 2 and "rules.vsa" in told.stderr
