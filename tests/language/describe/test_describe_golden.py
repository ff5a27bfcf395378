"""What people read of the shipped and the tests' programs.

``UPDATE_GOLDEN=1 pytest tests/language/describe`` writes the descriptions again: read them aloud before a commit.
"""

import json
from pathlib import Path

import pytest

from tests.pages import section
from tests.snapshots import golden
from vsalang.language.describe import describe, to_data, to_text
from vsalang.language.semantics import load

ROOT = Path(__file__).resolve().parents[3]
GOLDEN = ROOT / "tests" / "golden" / "describe"
EXAMPLES, STORIES, RIGHT = (
    ROOT / "app_specs" / "examples",
    ROOT / "tests" / "guard" / "stories",
    ROOT / "tests" / "programs" / "right",
)
CASES = [
    *(EXAMPLES / f"{n}.vsa" for n in ("dollars_for_five", "payments", "switch_one")),
    ROOT / "app_specs" / "apps" / "opentable.vsa",
    *(STORIES / f"{n}.vsa" for n in ("buy", "chores", "gap", "pick", "write")),
    *(
        RIGHT / f"{n}.vsa"
        for n in (
            "alarm alarms bank contracts dialogs every feed house licence_either licence_numbers lists mail "
            "odd_members operators past player policy_moments policy_rules radio reserve_itself "
            "similar table todo unseen windows"
        ).split()
    ),
]


def _said(path: Path, *policies: Path) -> str:
    loaded = load(path, policies=policies)
    assert loaded.program is not None, [d.message for d in loaded.diagnostics]
    return to_text(describe(loaded.program, loaded.units))


def _compare(text: str, name: str) -> None:
    wanted = GOLDEN / f"{name}.txt"
    golden(text, wanted)


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_description(path: Path) -> None:
    text = _said(path)
    _compare(text, path.stem)
    assert "?" not in "".join(c for c in text if c != '"') or path.stem in QUESTIONS


# Patterns with captures, and messages that ask something.
QUESTIONS = {"chores", "dollars_for_five", "house", "mail", "operators", "payments", "policy_rules"}


def test_description_with_a_policy() -> None:
    _compare(_said(EXAMPLES / "reserve_r.vsa", EXAMPLES / "payments.vsa"), "reserve_r_with_payments")


def test_documented_example_is_what_comes_out() -> None:
    page = section("write", "`vsac describe`")
    shown = page.split("$ vsac describe reserve_r.vsa\n", 1)[1].split("\n```", 1)[0]
    assert shown == _said(EXAMPLES / "reserve_r.vsa").rstrip("\n")
    spec = page.split("```vsa\n", 1)[1].split("```", 1)[0]
    clauses = (EXAMPLES / "reserve_r.vsa").read_text(encoding="utf-8")
    assert spec.partition("import")[2].strip() in clauses


@pytest.mark.sampled(5)
@pytest.mark.slow
@pytest.mark.parametrize(
    "path",
    sorted(
        [
            *RIGHT.glob("*.vsa"),
            *STORIES.glob("*.vsa"),
            *EXAMPLES.glob("*.vsa"),
            *(ROOT / "app_specs" / "apps").glob("*.vsa"),
            *(ROOT / "stdlib" / "std").glob("*.vsa"),
        ]
    ),
    ids=lambda path: path.stem,
)
def test_every_rule_of_every_program_can_be_said(path: Path) -> None:
    loaded = load(path)
    if loaded.program is None:
        pytest.skip("the file alone is not a program")
    description = describe(loaded.program, loaded.units)
    entries = [entry for section in description.sections for entry in section.entries]
    said = {item.rule: item.sentence for entry in entries for item in (entry, *entry.defines)}
    data = json.dumps(to_data(description, loaded.sources))
    for rule in loaded.program.rules:
        if rule.module in (description.module, *description.policies) and rule.span is not None:
            assert said.get(rule.id), f"{rule.id} is not described"
            assert json.dumps(rule.id) in data
    for entry in entries:
        for text in (entry.sentence, *entry.details, *(d.sentence for d in entry.defines)):
            assert "  " not in text.replace("it's  a", ""), text
            assert ".." not in text and not text.endswith(" ."), text
            assert " the the " not in text and " a a " not in text, text
        assert entry.sentence[0].isupper() or entry.sentence[0] in '"', entry.sentence
    assert describe(loaded.program, loaded.units) == description
