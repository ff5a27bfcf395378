"""``std.policies.unlicensed`` and ``std.charter``: every effect is there, and none that is grave is lowered."""

import pytest

from vsalang.base.resources import resource_dir
from vsalang.guard import run_example
from vsalang.language.lint import lint
from vsalang.language.semantics import load, load_text
from vsalang.program.grave import grave, lowered_action
from vsalang.program.ir import Derive

NAME = "std.policies.unlicensed"
STD = resource_dir("stdlib") / "std"
SPEC = "spec x\nimport std.effects\nimport std.charter\nallow Search.\ndone.\n"
PROGRAM = load_text(SPEC, file="x.vsa", policies=[NAME]).checked()
EFFECTS = [
    each for each in PROGRAM.relations.values() if each.sort == "action" and each.module == "std.effects"
]
GRAVE = {"Pay", "Order", "Erase", "Install", "Grant", "SetSecurity", "EnterSecret"}


def test_it_is_fine() -> None:
    loaded = load(STD / "policies" / "unlicensed.vsa")
    assert loaded.ok and not loaded.diagnostics and not lint(loaded)


def test_grave_effects_stay_blocked_and_the_rest_is_asked() -> None:
    assert {each.short for each in EFFECTS if grave(PROGRAM.relations, each.name)} == GRAVE
    lowered = [lowered_action(rule, PROGRAM.relations) for rule in PROGRAM.lowered]
    assert sorted(map(str, lowered)) == sorted(each.name for each in EFFECTS if each.short not in GRAVE)
    assert all(rule.annotations["unlicensed"] == ("unread",) for rule in PROGRAM.lowered)


def test_every_effect_has_one_name() -> None:
    named = {
        str(each.term.value)  # type: ignore[union-attr]
        for rule in PROGRAM.rules
        if isinstance(rule.head, Derive) and rule.head.atom.relation == "std.charter.Effect"
        for each in rule.head.atom.constraints
    }
    assert named == {each.short for each in EFFECTS}


@pytest.mark.parametrize("effect", EFFECTS, ids=lambda effect: effect.short)
def test_read_or_not(effect) -> None:  # type: ignore[no-untyped-def]
    """By its bare name, with its parameters not read, and with all of them read."""
    values = {"Text": '"x"', "Number": "1", "Bool": "true"}
    read = ", ".join(f"{attr.name} = {values[str(attr.type)]}" for attr in effect.attrs)
    level = "block" if effect.short in GRAVE else "confirm"
    steps = f"attempt {effect.short} => {level}.\nrefuse.\nattempt {effect.short}({read}) => {level}."
    if level == "block":
        steps = steps.replace("refuse.\n", "")
    text = SPEC.replace("allow Search.", 'allow Search(text = "y").') + f'test "t" {{\n{steps}\n}}\n'
    loaded = load_text(text, file="x.vsa", policies=[NAME])
    result = run_example(loaded.checked(), loaded.own[0])
    assert result.passed, result.failure
