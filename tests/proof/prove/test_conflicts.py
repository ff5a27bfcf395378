"""Task against policies: what meets always or sometimes, with states that were run; rules that cannot apply."""

import json
from pathlib import Path

import pytest

from tests.proof.prove.prove_programs import EXAMPLES
from vsalang.guard import run_example
from vsalang.language.semantics import load
from vsalang.proof.prove.conflicts import conflicts
from vsalang.proof.prove.results import Conflict, Idle, OpenConflict, SkippedRule
from vsalang.tools.cli.main import run

RULES = """policy p "p"
import apps.opentable
@id("ALWAYS")
deny "not R" when Reserve(restaurant = "R").
@id("SOME")
warn "late" when Reserve(time > 18:00).
@id("NEVER")
deny "far" when Reserve(date > today + 7d).
@id("DEAD")
deny "x" when Reserve(time > 18:00, time < 17:00).
@id("END")
confirm "no booking" when finish, not Booking(restaurant = "R").
@id("NOTED")
flag "noted" when Reserve.
"""


@pytest.fixture
def policy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    (tmp_path / "p.vsa").write_text(RULES, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return "p.vsa"


def test_each_rule_meets_always_sometimes_or_never(policy: str) -> None:
    spec = EXAMPLES / "reserve_r.vsa"
    alone, guarded = load(spec).checked(), load(spec, policies=[policy]).checked()
    found = list(conflicts(alone, guarded))
    met = [item for item in found if isinstance(item, Conflict)]
    assert {(item.clause, item.rule, item.how) for item in met} == {
        ("reserve_r:1", "ALWAYS", "always"),
        ("reserve_r:1", "SOME", "sometimes"),
        ("reserve_r:3", "END", "sometimes"),
    }
    for item in met:
        assert run_example(guarded, item.story).passed
        assert not run_example(alone, item.story).passed
    (idle,) = [item for item in found if isinstance(item, Idle)]
    assert idle.rule == "DEAD"
    assert "never hold together" in idle.why
    # it is forbidden to reserve, so no test can come to the second clause
    (left,) = [item for item in found if isinstance(item, OpenConflict)]
    assert (left.clause, left.rule) == ("reserve_r:2", "END")
    assert left.why == "it comes after `Reserve`, which ALWAYS always forbids"
    assert len(found) == 5, found


def test_rules_about_other_apps_and_gestures_are_named() -> None:
    spec = EXAMPLES / "quiet_evening.vsa"
    policies = [EXAMPLES / "payments.vsa", EXAMPLES / "careful.vsa"]
    # of one pattern the solver does not know anything, however long it thinks
    found = list(conflicts(load(spec).checked(), load(spec, policies=policies).checked(), each=0.5))
    assert [type(item) for item in found] == [Idle, Idle, SkippedRule, SkippedRule, SkippedRule]
    assert isinstance(found[0], Idle)
    assert "apps.opentable, which this task does not load" in found[0].why


def test_rules_about_actions_that_are_not_allowed_are_named(tmp_path: Path) -> None:
    policy = tmp_path / "p.vsa"
    policy.write_text(
        'policy p "p"\nimport apps.opentable\n@id("A-1") deny "no" when answer(text = "x"), Booking.\n',
        encoding="utf-8",
    )
    spec = EXAMPLES / "reserve_r.vsa"
    (found,) = conflicts(load(spec).checked(), load(spec, policies=[policy]).checked())
    assert isinstance(found, SkippedRule)
    assert found.why == "it asks for `answer`, which no clause of this task allows"


def test_the_command_shows_clause_rule_and_test(policy: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["prove", "conflicts", str(EXAMPLES / "reserve_r.vsa"), policy]) == 1
    out = capsys.readouterr().out
    assert "reserve_r.vsa:5: allow Reserve\n  ALWAYS always forbids it (p.vsa:4):\n    test " in out
    assert 'because "ALWAYS".' in out
    assert "not decided for " in out
    assert "p.vsa:10: DEAD cannot apply: its conditions never hold together" in out


def test_json_and_statuses(policy: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    quiet, payments = (str(EXAMPLES / f"{name}.vsa") for name in ("quiet_evening", "payments"))
    assert run(["prove", "conflicts", quiet, payments, "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert [item["rule"] for item in data["idle"]] == ["BOOK-1", "BOOK-2"]
    assert data["conflicts"] == data["open"] == []
    assert run(["prove", "conflicts", payments, payments]) == 2
    assert "is not a spec" in capsys.readouterr().err
    assert run(["prove", "conflicts", quiet]) == 2
    assert run(["prove", "conflicts", quiet, quiet]) == 2
