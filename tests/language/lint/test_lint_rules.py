"""Every rule: its bad example gives this finding and no other, its good example gives none."""

import importlib
import pkgutil
import re
from pathlib import Path

import pytest

import vsalang.language.lint.rules as rooms
from vsalang.base.diagnostics import has_errors
from vsalang.base.diagnostics.code import example_files
from vsalang.base.diagnostics.codes import CODES as CHECK_CODES
from vsalang.language.lint import CODES, RULES, codes, lint
from vsalang.language.semantics import Loaded, load_text


def read(example: str, name: str, folder: Path) -> Loaded:
    """An example of one file, or of the one that is linted and those that it imports."""
    files = example_files(example, name)
    for other, text in files.items():
        (folder / other).write_text(text, encoding="utf-8")
    first = next(iter(files))
    return load_text(files[first], file=first, path=folder / first)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_the_bad_example_gives_this_rule_only(rule, tmp_path) -> None:
    loaded = read(rule.bad, "bad.vsa", tmp_path)
    assert not has_errors(loaded.diagnostics), loaded.diagnostics
    found = lint(loaded, refuted=rule.recorded)
    assert [item.code for item in found] == [rule.code]
    assert [item.severity for item in found] == [rule.severity]
    assert found[0].span is not None and found[0].span.file == loaded.file


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_the_good_example_gives_nothing(rule, tmp_path) -> None:
    loaded = read(rule.good, "good.vsa", tmp_path)
    assert not has_errors(loaded.diagnostics), loaded.diagnostics
    assert lint(loaded) == ()


def test_every_file_of_a_rule_is_registered() -> None:
    files = {module.name for module in pkgutil.iter_modules(rooms.__path__)}
    registered = {rule.name.replace("-", "_") for rule in RULES}
    assert files == registered
    for name in files:
        assert importlib.import_module(f"vsalang.language.lint.rules.{name}").RULE in RULES


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
            importlib.import_module(f"vsalang.language.lint.rules.{rule.name.replace('-', '_')}").__file__
        ).is_file()
