"""What is proved reads judgements as the guard does: a cell that is not known may be as they ask."""

from pathlib import Path

import pytest

from tests.commands import vsac

APP = """app m package "com.m" "A small app"
state Flag "A flag" { on: Bool  n: Number }
action Act(n: Number) "An action"
update Flag(on = true) when Node(id = "f").
update Flag(n = number(?t)) when Node(id = "n", text = ?t).
"""
TASK = 'spec {name} "Act"\nimport m\nallow each Act when Flag(on = true).\ndone when Act earlier.\n'
KNOWN, THERE, MORE = "Flag(n known)", "Flag", "Flag(n > 3)"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "m.vsa").write_text(APP, encoding="utf-8")
    return tmp_path


def written(folder: Path, name: str, *denied: str) -> str:
    rules = "".join(f'deny "no" when Act, {body}.\n' for body in denied)
    (folder / f"{name}.vsa").write_text(TASK.format(name=name) + rules, encoding="utf-8")
    return f"{name}.vsa"


def test_judgements_that_block_alike_are_equal(folder: Path) -> None:
    found = vsac("prove", "diff", written(folder, "a", KNOWN), written(folder, "b", THERE), cwd=folder)
    assert found.returncode == 0, found.stdout
    assert "deny: equal" in found.stdout


def test_a_difference_is_shown_by_known_cells(folder: Path) -> None:
    found = vsac("prove", "diff", written(folder, "a", THERE), written(folder, "b", MORE), cwd=folder)
    assert found.returncode == 1
    assert "deny: looser" in found.stdout
    assert "observe Flag(on = true, n = 0)." in found.stdout


def test_a_plan_sees_what_a_judgement_asks(folder: Path) -> None:
    found = vsac("prove", "plan", written(folder, "a", MORE), cwd=folder)
    assert found.returncode == 0, found.stdout
    assert "Flag(on = true, n = 0)" in found.stdout


@pytest.mark.parametrize(("denied", "how"), [(KNOWN, "always"), (THERE, "always"), (MORE, "in some states")])
def test_a_policy_forbids_where_it_may_hold(folder: Path, denied: str, how: str) -> None:
    policy = folder / "p.vsa"
    policy.write_text(f'policy p "p"\nimport m\ndeny "no" when Act, {denied}.\n', encoding="utf-8")
    found = vsac("prove", "conflicts", written(folder, "a"), policy, cwd=folder)
    assert f"p:1 {'always forbids it' if how == 'always' else 'forbids it in some states'}" in found.stdout
