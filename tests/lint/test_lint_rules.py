"""Every rule: its bad example gives this finding and no other, its good example gives none."""

import importlib
import pkgutil
import re
from pathlib import Path

import pytest

import vsalang.lint.rules as rooms
from vsalang.diagnostics import has_errors
from vsalang.diagnostics.codes import CODES as CHECK_CODES
from vsalang.lint import CODES, RULES, codes, lint
from vsalang.semantics import load_text


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_the_bad_example_gives_this_rule_only(rule) -> None:
    loaded = load_text(rule.bad, file="bad.vsa")
    assert not has_errors(loaded.diagnostics), loaded.diagnostics
    found = lint(loaded)
    assert [item.code for item in found] == [rule.code]
    assert [item.severity for item in found] == [rule.severity]
    assert found[0].span is not None and found[0].span.file == "bad.vsa"


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_the_good_example_gives_nothing(rule) -> None:
    loaded = load_text(rule.good, file="good.vsa")
    assert not has_errors(loaded.diagnostics), loaded.diagnostics
    assert lint(loaded) == ()


def test_every_file_of_a_rule_is_registered() -> None:
    files = {module.name for module in pkgutil.iter_modules(rooms.__path__)}
    registered = {rule.name.replace("-", "_") for rule in RULES}
    assert files == registered
    for name in files:
        assert importlib.import_module(f"vsalang.lint.rules.{name}").RULE in RULES


def test_codes_are_in_order_unique_and_explained() -> None:
    numbers = [rule.code for rule in RULES]
    assert numbers == sorted(set(numbers))
    assert list(CODES) == numbers == [entry.code for entry in codes()]
    assert not set(CODES) & {code for code in CHECK_CODES if CHECK_CODES[code] not in codes()}
    for rule in RULES:
        assert re.fullmatch(r"L\d{4}", rule.code)
        assert rule.title and not rule.title.endswith(".")
        assert rule.rationale.endswith(".")
        assert Path(
            importlib.import_module(f"vsalang.lint.rules.{rule.name.replace('-', '_')}").__file__
        ).is_file()
