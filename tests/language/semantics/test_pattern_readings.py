"""How rules read the patterns of `matches`: where a match adds duty, and where it takes some away."""

from pathlib import Path

import pytest

from vsalang.language.semantics import load_text
from vsalang.program.ir import Regex
from vsalang.program.walk import parts

APP = """app shop package "org.example.shop" "A shop"
state Shown "What shows" { text: Text "the text" }
action Pay(to: Text "to whom") "Pay"
recognize Pay(to = ?p) when tap(id = "pay", label matches /^Pay/) with Node(text = ?t), ?t matches /To (?<p>.*)/.
"""


def readings(program: object) -> list[str]:
    return [part.reading for part in parts(program) if isinstance(part, Regex)]


@pytest.mark.parametrize(
    ("rule", "wanted"),
    [
        ('deny "x" when Pay, Shown(text matches /a/, text not matches /b/).', ["possible", "narrow"]),
        ('confirm "x" when Pay, not Shown(text matches /a/, text not matches /b/).', ["narrow", "possible"]),
        ('warn "x" when Pay(to = ?t), ?t not matches /a/.', ["narrow"]),
        ('flag "x" when Shown(text matches /a/).', ["plain"]),
        ("allow Pay(to matches /a/) when Shown(text not matches /b/).", ["certain", "certain"]),
        ("allow Pay when not Shown(text matches /a/).", ["certain"]),
        ("done when Shown(text matches /a/).", ["certain"]),
    ],
)
def test_readings_of_patterns(rule: str, wanted: list[str], tmp_path: Path) -> None:
    (tmp_path / "shop.vsa").write_text(APP, "utf-8")
    kind = "spec" if rule.startswith(("allow", "done")) else "policy"
    done = "" if not rule.startswith("allow") else "\ndone when Pay earlier."
    program = load_text(f'{kind} s "x"\nimport shop\n{rule}{done}\n', path=tmp_path / "s.vsa").checked()
    (tested,) = [one for one in program.rules if one.module == "s" and readings(one)]
    assert sorted(readings(tested)) == sorted(wanted)
    assert [readings(one) for one in program.rules if one.module == "shop" and readings(one)] == [
        ["possible", "possible"]
    ]
