"""The guard is put together of plain objects."""

import re
from pathlib import Path

import pytest

from vsalang.agents.reporting import ReportedGuard
from vsalang.guard import AsyncGuard, Guard
from vsalang.guard.journal.enact import Tape
from vsalang.guard.machine import Machine
from vsalang.guard.session import Session
from vsalang.guard.user.questions import Questions


@pytest.mark.parametrize("kind", [Session, Machine, Questions, Guard, AsyncGuard, Tape])
def test_a_part_inherits_nothing(kind: type) -> None:
    """What a part needs it is given when it is made."""
    assert kind.__bases__ == (object,)


def test_a_reported_guard_overrides_nothing() -> None:
    """It only has more methods: what apps told is handed to the guard as `Others`."""
    own = {name for name in vars(ReportedGuard) if not name.startswith("__")}
    assert not own & set(vars(Guard))
    assert ReportedGuard.__bases__ == (Guard,)


def test_tests_read_public_names_of_a_guard() -> None:
    """What tests read of a guard is documented."""
    private = re.compile(r"\bguard\._[a-z]")
    tests = Path(__file__).resolve().parents[1]
    assert [
        path.name for path in tests.rglob("*.py") if private.search(path.read_text(encoding="utf-8"))
    ] == []
