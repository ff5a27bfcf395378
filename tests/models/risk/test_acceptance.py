"""The benchmark of risks: its oracle of the published rule, its limits, and what it does without recordings."""

import json
from decimal import Decimal
from pathlib import Path

import pytest

from benchmarks import acceptance_risk as benchmark
from tests.screen.control.making import page, text
from vsalang.screen.screen import TreeScreen


@pytest.mark.parametrize(
    ("shown", "risk"),
    [
        (["Write to ann@example.com"], "0.5"),
        (["Password: 1234"], "0.5"),
        (
            ["password = a", "ann@example.com", "1234567890123"],
            "2.2",
        ),  # the number is a telephone, too; and a word
        (["Classic Settings"], None),
        (["12", "12", "1234"], "0.5"),  # cells run together
        (["Setting passed", "x"], "0.4"),
    ],
)
def test_the_paper_says_what_python_says(shown: list[str], risk: str | None) -> None:
    screen = TreeScreen(page(*map(text, shown)), app=("com.app", None))
    words = ("Set", "pass")
    wanted = benchmark.published_risk(" ".join(shown), words, 60)
    assert wanted == (Decimal(risk) if risk else wanted) and (wanted >= Decimal("0.3")) == (risk is not None)
    said = benchmark.said_risk(benchmark.pack(benchmark.PAPER), screen, words)
    assert said == (wanted if risk else None)


def test_a_pattern_without_end_is_stopped() -> None:
    with pytest.raises(benchmark.RegexTimeout):
        benchmark.published_risk("12 " * 40 + "x", (), 0.2)


def test_without_recordings_it_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sys.argv", ["x", "--only", "S1,S2", "--data", str(tmp_path), "--json"])
        assert benchmark.main() == 0
    assert json.loads(capsys.readouterr().out) == {"rows": [], "left_out": ["S1", "S2"]}
