"""What `vsalang.program.show` prints is read back as the same core."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from tests.engine.generators import programs as random_programs
from tests.language.syntax.printer import show
from tests.thorough import times
from vsalang.base.source import Source
from vsalang.language.semantics import Loaded, load, load_text
from vsalang.language.syntax import parse
from vsalang.program import ir
from vsalang.program.show import Notation, source
from vsalang.program.walk import atoms, parts, rewrite

ROOT = Path(__file__).parents[2]
FILES = sorted(
    path
    for folder in ("app_specs", "stdlib", "tests/programs/right")
    for path in (ROOT / folder).rglob("*.vsa")
    if path.name != "odd_alias.vsa"  # two relations of one short name: to print these, give `name`
)


def without_places(item: Any) -> Any:
    def change(part: Any) -> Any:
        places = {name: None for name in ("span", "head_span") if hasattr(part, name)}
        if isinstance(part, ir.Rule):
            return replace(part, id="", **places)
        return replace(part, **places) if places else part

    return rewrite(item, change)


def own_rules(loaded: Loaded) -> list[ir.Rule]:
    program = loaded.program
    assert program is not None, loaded.diagnostics
    return [rule for rule in program.rules if rule.module == program.main]


def printed(text: str, rules: list[ir.Rule]) -> str:
    """The file with its rules printed from the core. `over` and `closed` of a screen are not part of its rules."""
    for rule in sorted(rules, key=lambda rule: -rule.span.start if rule.span else 0):
        if rule.span is None or rule.head_span is None:
            continue
        new = source(rule)
        if isinstance(rule.head, ir.Derive) and ":" in rule.head.atom.relation:
            new = text[rule.span.start : rule.head_span.end] + new.removeprefix(Notation().head(rule.head))
        text = text[: rule.span.start] + new + text[rule.span.end :]
    return text


@pytest.mark.sampled(3)
@pytest.mark.slow
@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_printed_rules_parse_back(path: Path) -> None:
    loaded = load(path)
    if loaded.program is None:
        pytest.skip("this file shows an error")
    rules = own_rules(loaded)
    again = own_rules(load_text(printed(path.read_text("utf-8"), rules), file=path.name, path=path))
    assert [without_places(rule) for rule in again] == [without_places(rule) for rule in rules]


@pytest.mark.slow
@settings(max_examples=times(20, 60), deadline=None, suppress_health_check=list(HealthCheck))
@given(random_programs(wide=True))
def test_printed_conditions_are_readable(program: ir.Program) -> None:
    """Random core programs print as text that has one reading, and that reading prints as the same text."""
    for rule in program.rules:
        if not writable(rule):
            continue
        text = source(rule)
        parsed = parse(Source.from_text(f'app random package "p" "Random"\n{text}', "random.vsa"))
        assert not parsed.diagnostics, text
        assert " ".join(show(parsed.module.items[0]).split()) == " ".join(text.split())


def writable(rule: ir.Rule) -> bool:
    """Whether the language has a form for it: random programs have odd screen names and groups after `then`."""
    made = any(atom.relation.startswith(("match ", "told ", "Goto")) for atom in atoms(rule))
    last = [part.parts[-1] for part in parts(rule) if isinstance(part, ir.Then)]
    return not made and all(len(group) == 1 for group in last)


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("(A(n = 1), B(n = 2)) then C(n = 3)", "(A(n = 1), B(n = 2)) then C(n = 3)"),
        ("no A(n = 1)", "not A(n = 1)"),
    ],
)
def test_groups_and_negation(text: str, wanted: str, tmp_path: Path) -> None:
    (tmp_path / "a.vsa").write_text(
        f'app a package "a" "A"\nstate A {{ n: Number }}\nstate B {{ n: Number }}\nstate C {{ n: Number }}\n'
        f"define D when {text}.\n"
    )
    (rule,) = own_rules(load(tmp_path / "a.vsa"))
    assert source(rule) == f"define D when {wanted}."
