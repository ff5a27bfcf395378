"""The guard is put together of plain objects, and one function alone commits what a device then does."""

import ast
import re
from pathlib import Path

import pytest

import vsalang
from vsalang.guard import AsyncGuard, Guard
from vsalang.guard.machine import Machine
from vsalang.guard.questions import Questions
from vsalang.guard.session import Session
from vsalang.journal.enact import Tape
from vsalang.server import ReportedGuard

HOUSE = Path(vsalang.__file__).parent
COMMITS = {
    "guard/step.py",  # the order
    "guard/api.py",  # `Guard.commit`, for those who act themselves
    "guard/examples.py",  # stories have no device
    "ask/reading.py",  # questions neither
    "journal/enact.py",  # what was committed, by its record
}


def test_only_the_step_commits() -> None:
    """Who lets an agent act goes through `guarded_step`; `vsalang.guard.step` says who need not."""
    found = {
        path.relative_to(HOUSE).as_posix()
        for path in HOUSE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "commit"
    }
    assert found == COMMITS


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
