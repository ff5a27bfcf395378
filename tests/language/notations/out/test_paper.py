"""The paper's clauses as output: what can be said is said exactly, and the rest is told."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.programs.files import ALONE
from vsalang.base.source import Source
from vsalang.language.notations.into import App, import_rules
from vsalang.language.notations.out import export
from vsalang.language.semantics import load
from vsalang.program.ir import Program

ROOT = Path(__file__).resolve().parents[4]
FILES = sorted([*ROOT.glob("app_specs/**/*.vsa"), *ALONE])
APP = """\
app shop package "org.example.shop"
state Cart { item: Text  count: Number  due: Date }
action Buy(item: Text, count: Number)
action Wipe
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "shop.vsa").write_text(APP, encoding="utf-8")
    return tmp_path


def _program(rules: str, folder: Path) -> Program:
    path = folder / "task.vsa"
    path.write_text(f'spec task "Do\\nit"\nimport shop\n{rules}\n', encoding="utf-8")
    loaded = load(path)
    assert loaded.program is not None, [item.message for item in loaded.diagnostics]
    return loaded.program


@pytest.mark.parametrize(
    ("rules", "clauses"),
    [
        ("done when Cart(count >= 2, count != 5).", "Cart(count=(2, >=), count=(5, !=)) → Done()"),
        ('done when Cart(item ~= "a").', 'Cart(item=("a", ≃)) → Done()'),
        ("done when Cart(due = today).", "Cart(due=today) → Done()"),
        ("done when Cart(due = 2026-04-01, count = none).", 'Cart(due="2026-04-01", count=none) → Done()'),
        ("allow Wipe.\ndone when Wipe earlier.", "True → Wipe()\nWipe() → Done()"),
        (
            "allow 3 Wipe.\ndone when count(Wipe earlier) >= 3.",
            "True → WipeRepeat3()\nWipeRepeat3() → Done()",
        ),
        ('allow Buy(item = "a") when Cart(item = "a").', 'Cart(item="a") → Buy()'),
        (
            "define A when Cart.\ndefine A when Wipe earlier.\ndone when A earlier.",
            "Cart() → A()\nWipe() → A()\nA() → Done()",
        ),
        (
            "define AOnce when Cart.\ndefine A when AOnce then AOnce.\ndone when A earlier.",
            "Cart() → ARepeat2()\nARepeat2() → Done()",
        ),
    ],
)
def test_what_can_be_said(rules: str, clauses: str, folder: Path) -> None:
    exported = export(_program(rules, folder), "paper")
    assert exported.text == f"# The clauses of spec task: Do\\nit\n{clauses}\n"
    assert exported.omissions == ()


@pytest.mark.parametrize(
    ("rules", "reason"),
    [
        ("allow Wipe.\ndone when not Wipe earlier, Cart(count = 1).", "there is no negation"),
        ("done when Cart(count = ?n), ?n > 2.", "a variable"),
        ("done when Cart(count in 1..3).", "`in` with a range"),
        ('done when Cart(item contains "a").', "`contains`"),
        ("done when Cart(due = today + 1d).", "a function"),
        ("done when count(Wipe earlier) = 3.\nallow 3 Wipe.", "`count` here"),
        ("done when Cart(count = 1) then Cart(count = 2).", "`then`"),
        ("define A when Cart.\ndone when A.", "as reached before"),
        ("define A(n = ?n) when Cart(count = ?n).\ndone when A(n = 1) earlier.", "as reached before"),
        ("allow Wipe.\ndone when all Wipe.", "`all`"),
        ('allow Buy when Cart(item = "a").', "would bind item"),
        ("allow 1 Wipe when Cart(count = 1).\nallow 1 Wipe when Cart(count = 2).", "share one licence"),
        ("define WipeAll when Cart.\ndone when WipeAll earlier.", "means something else"),
        ("define ARepeat2 when Cart.\ndone when ARepeat2 earlier.", "means something else"),
        ("define Done when Cart.\ndone when Done earlier.", "means something else"),
    ],
)
def test_what_has_no_counterpart_is_said(rules: str, reason: str, folder: Path) -> None:
    exported = export(_program(rules, folder), "paper")
    assert any(reason in item.reason for item in exported.omissions), exported.text
    assert all(item.span is not None for item in exported.omissions)
    assert "# not expressed: " in exported.text


def test_what_only_our_reader_takes_is_marked(folder: Path) -> None:
    exported = export(_program('allow Buy(count < 3).\ndone when Cart(item = "a, b").', folder), "paper")
    assert "refuses heads with arguments:\nTrue → Buy(count=(3, <))\n" in exported.text
    assert 'takes True for no condition:\nCart(item="a, b") → Done()\n' in exported.text
    assert [item.reason.split(",")[0] for item in exported.omissions] == ["written"] * 2


@pytest.mark.sampled(5)
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_shipped_files_lose_nothing_in_silence(shipped: Callable[[Path], Program], path: Path) -> None:
    program = shipped(path)
    exported = export(program, "paper")
    rules = [item for item in exported.omissions if not item.what.startswith("action ")]
    told = {item.rule for item in rules}
    own = [rule for rule in program.rules if rule.module == program.main]
    said = [line for line in exported.text.splitlines() if line and not line.startswith("#")]
    assert len(said) == exported.rules
    # a chain of repetitions is one clause of two rules; no shipped file has one
    assert exported.rules + len({item.rule for item in rules if "written" not in item.reason}) == len(own)
    assert told <= {rule.id for rule in own}


def test_examples_come_back(tmp_path: Path) -> None:
    path = ROOT / "app_specs" / "examples" / "switch_one.vsa"
    program = load(path).program
    assert program is not None
    text = export(program, "paper").text
    app = App(ROOT / "app_specs" / "apps" / "trusttest.vsa")
    spec = import_rules(
        Source.from_text(text, "a.txt"), [app], spec="switch_one", place=path.parent / "again.vsa"
    )
    again = load(path, overlay={path.resolve(): spec.text}).program
    assert spec.left == 0 and again is not None

    def bare(rules: Program) -> list[str]:
        import re

        own = [rule for rule in rules.rules if rule.module == "switch_one"]
        return [re.sub(r"Span\([^)]*\)", "", repr((rule.head, rule.body))) for rule in own]

    assert bare(again) == bare(program)
