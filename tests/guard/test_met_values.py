"""The values that reasons show of conditions which hold are those with which they hold, though many rows look alike."""

import datetime as dt
from pathlib import Path
from types import MappingProxyType

import pytest

from vsalang.guard import Guard
from vsalang.guard.world.fact_screen import FactScreen
from vsalang.language.semantics import load_text
from vsalang.program.action import Action

TODAY = dt.datetime(2026, 4, 1, 12)
APP = """app shop package "com.shop" "A shop"
action Pay "pay for what is in the cart"
screen Cart "the cart" when Node(id = "pay").
recognize Pay when tap(id = "pay").
"""
SPEC = """spec pay_r "Pay."
import shop

allow Pay when Node(node = ?a, index = ?x), Node(node = ?b, index = ?y), ?a < ?b, ?x * ?y = 1073.
done when Pay earlier.
"""
WARNS = """
warn "two of these"
  when tap(id = "pay"), Node(node = ?a, index = ?x), Node(node = ?b, index = ?y), ?a < ?b, ?x * ?y = 1147.
"""


@pytest.mark.parametrize(
    ("spec", "kind", "values"),
    [(SPEC, "licensed", ["29", "29", "37", "37"]), (SPEC + WARNS, "warn", ["31", "31", "37", "37"])],
)
def test_reasons_show_the_rows_that_meet_the_rule(
    tmp_path: Path, spec: str, kind: str, values: list[str]
) -> None:
    """Only two of forty nodes meet either rule."""
    (tmp_path / "shop.vsa").write_text(APP, encoding="utf-8")
    loaded = load_text(spec, path=tmp_path / "pay_r.vsa")
    assert loaded.program is not None, loaded.diagnostics
    guard = Guard(loaded.program, clock=lambda: TODAY, today=TODAY.date())
    nodes = tuple(
        {"node": n, "index": n, "id": "pay" if n == 40 else "item", "package": "com.shop"}
        for n in range(1, 41)
    )
    guard.observe(FactScreen(MappingProxyType({"Node": nodes, "App": ({"package": "com.shop"},)})))
    verdict = guard.propose(Action("tap", {"id": "pay"}))
    (reason,) = (each for each in (*verdict.reasons, *verdict.licensed) if each.kind == kind)
    assert [why.seen for why in reason.whys if why.attr in ("node", "index")] == values
