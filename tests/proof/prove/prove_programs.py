"""The examples that come with vsalang, and changed copies of their text."""

from pathlib import Path

from vsalang.language.semantics import load_text
from vsalang.program.ir import Program, Rule

EXAMPLES = Path(__file__).resolve().parents[3] / "app_specs" / "examples"
SHIPPED = ("reserve_r", "quiet_evening", "switch_one", "dollars_for_five", "payments")


def program(name: str, *changes: tuple[str, str]) -> Program:
    """An example with pieces of its text replaced, each once; its errors fail the test."""
    file = EXAMPLES / f"{name}.vsa"
    text = file.read_text(encoding="utf-8")
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new, 1)
    return load_text(text, file=file.name, path=file).checked()


def own(made: Program) -> list[Rule]:
    """The rules of the main module."""
    return [rule for rule in made.rules if rule.module == made.main]
