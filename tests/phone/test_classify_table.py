"""Services of adbd against the table of what they are: all that was ever tried to get an input past the guard."""

from pathlib import Path

import pytest

from vsalang.phone.classify import Actions, Class, Inspect, Pass, Refuse, classify
from vsalang.program.action import Action

TABLE = Path(__file__).with_name("adb_services.txt")


def _rows() -> list[tuple[str, bytes]]:
    found = []
    for line in TABLE.read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            expected, _, service = (line if "  " in line else line.replace("\t", "  ")).partition("  ")
            raw = service.lstrip(" ").encode("ascii").decode("unicode_escape").encode("latin-1")
            found.append((expected.strip(), raw))
    return found


ROWS = _rows()


def told(found: Class) -> str:
    """A class as the table writes it."""
    if isinstance(found, Pass):
        return "read"
    if isinstance(found, Refuse):
        return "refuse"
    if isinstance(found, Inspect):
        return f"inspect:{found.protocol}"
    parts = []
    for part in found.parts:
        names = {action.name for action in part.actions}
        parts.append("shell" if names == {"shell"} else " | ".join(map(str, part.actions)) or "read")
    return " ; ".join(parts)


@pytest.mark.parametrize(("expected", "service"), ROWS, ids=[f"{i}" for i, _ in enumerate(ROWS)])
def test_the_table(expected, service):
    assert told(classify(service)) == expected, service


def test_the_table_is_long_and_has_no_row_twice():
    services = [service for _, service in ROWS]
    assert len(set(services)) == len(services) >= 200
    assert sum(expected in ("refuse", "shell") for expected, _ in ROWS) >= 120


@pytest.mark.parametrize("service", [row for expected, row in ROWS if expected == "refuse"])
def test_a_refusal_says_why(service):
    found = classify(service)
    assert isinstance(found, Refuse)
    assert 10 < len(found.reason) < 300
    assert "\n" not in found.reason


@pytest.mark.parametrize("service", [row for expected, row in ROWS if expected == "shell"])
def test_what_is_not_understood_is_judged_as_text(service):
    found = classify(service)
    assert isinstance(found, Actions)
    (action,) = found.actions
    assert action == Action("shell", {"command": found.command})
