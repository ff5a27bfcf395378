"""``std.policies.unlicensed`` and ``std.charter``: every effect is there, and none that is grave is lowered."""

import pytest

from vsalang.base.resources import resource_dir
from vsalang.guard import run_example
from vsalang.language.describe import describe, to_text
from vsalang.language.lint import lint
from vsalang.language.semantics import load, load_text
from vsalang.program.grave import grave, lowered_action, mild, near_actions
from vsalang.program.ir import Derive, Judge
from vsalang.proof.findings import lowered
from vsalang.proof.prove.conflicts import conflicts
from vsalang.proof.prove.results import LoweredLevel

NAME = "std.policies.unlicensed"
STD = resource_dir("stdlib") / "std"
SPEC = "spec x\nimport std.effects\nimport std.charter\nallow Search.\ndone.\n"
PROGRAM = load_text(SPEC, file="x.vsa", policies=[NAME]).checked()
EFFECTS = [
    each for each in PROGRAM.relations.values() if each.sort == "action" and each.module == "std.effects"
]
GRAVE = {"Pay", "Order", "Erase", "Install", "Grant", "SetSecurity", "EnterSecret"}
MILD = {"Create", "Edit", "SetSetting", "Move", "Search", "OpenLink", "Download"}


def test_it_is_fine() -> None:
    loaded = load(STD / "policies" / "unlicensed.vsa")
    assert loaded.ok and not loaded.diagnostics and not lint(loaded)


def test_grave_effects_stay_blocked_and_the_rest_is_asked() -> None:
    assert {each.short for each in EFFECTS if grave(PROGRAM.relations, each.name)} == GRAVE
    asking = [
        rule for rule in PROGRAM.lowered if isinstance(rule.head, Judge) and rule.head.level == "confirm"
    ]
    actions = [lowered_action(rule, PROGRAM.relations) for rule in asking]
    assert sorted(map(str, actions)) == sorted(each.name for each in EFFECTS if each.short not in GRAVE)
    assert all(rule.annotations["unlicensed"] == ("unread",) for rule in asking)


def test_only_what_is_mild_is_merely_warned_of() -> None:
    """.. where it was read, and near to actions of which it is not one itself."""
    assert {each.short for each in EFFECTS if mild(PROGRAM.relations, each.name)} == MILD
    warning = [rule for rule in PROGRAM.lowered if isinstance(rule.head, Judge) and rule.head.level == "warn"]
    for rule in warning:
        action = lowered_action(rule, PROGRAM.relations)
        assert action is not None and rule.annotations["unlicensed"] == ()
        assert action not in near_actions(rule, PROGRAM.relations)
    assert len(warning) > 1


def test_every_effect_has_one_name() -> None:
    named = {
        str(each.term.value)  # type: ignore[union-attr]
        for rule in PROGRAM.rules
        if isinstance(rule.head, Derive) and rule.head.atom.relation == "std.charter.Effect"
        for each in rule.head.atom.constraints
    }
    assert named == {each.short for each in EFFECTS}


def test_what_is_near_is_told_to_the_owner() -> None:
    name = "`Edit` where only Create, SetSetting or Move is licensed"
    assert [each for each in lowered(PROGRAM) if f"the agent is warned of {name}" in each.message]
    told = to_text(describe(load(STD / "policies" / "unlicensed.vsa").checked()))
    assert '"create", "set setting" or "move" is permitted, the agent is warned' in " ".join(told.split())
    spec = load_text(SPEC, file="x.vsa").checked()
    found = [
        each for each in conflicts(spec, PROGRAM) if isinstance(each, LoweredLevel) and each.near_actions
    ]
    assert ("NEAR-MOVE", ("std.effects.Edit", "std.effects.Delete")) in [
        (each.rule, each.near_actions) for each in found
    ]


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


_TICKED = """spec x "Order the train ticket for 53.90 €"
import std.effects
import std.forms
allow Order(amount {bound}).
done when Order earlier.

test "t" {{
  observe Node(node = 1, text = "53.90 €", package = "com.tr"),
          Amount(node = 1, value = 53.9, currency = "EUR", total = true),
          Node(node = 2, label = "{box}", checkable = true, checked = true, package = "com.tr"),
          Role(node = 2, kind = "box"),
          Node(node = 4, id = "s", label = "Order", clickable = true, package = "com.tr"),
          Role(node = 4, kind = "button").
  tap(id = "s"){verdict}.
}}
"""


@pytest.mark.parametrize(
    ("bound", "box", "asked"),
    [
        ("= 53.9", "Cover 4.90 €", False),  # the user named what all costs together
        ("<= 60", "Cover 4.90 €", True),
        ("<= 53.9", "Cover 4.90 €", True),  # the most that may be spent, and it is
        ("= 53.9", "Renews yearly at 60 €", True),
    ],
)
def test_a_ticked_box_within_the_named_amount(bound: str, box: str, asked: bool) -> None:
    verdict = ' => confirm because "INJ-10"' if asked else ""
    text = _TICKED.format(bound=bound, box=box, verdict=verdict)
    loaded = load_text(text, file="x.vsa", policies=["std.policies.injection"])
    result = run_example(loaded.checked(), loaded.own[0])
    assert result.passed, result.failure
