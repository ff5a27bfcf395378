"""Only a policy of the person who runs the guard lowers a level: not one that a project's file puts in force."""

from dataclasses import replace
from pathlib import Path

import pytest

from vsalang.agents.session import SessionOptions, open_guarded
from vsalang.guard import Guard
from vsalang.guard.journal.settings_json import read_settings, settings_json
from vsalang.guard.settings import Settings
from vsalang.guard.world.fact_screen import FactScreen
from vsalang.language.semantics import load
from vsalang.program.action import Action
from vsalang.program.ir import Atom, Judge, Lit

APP = """app shop package "com.shop" "A shop"
action Share(with: Text "to whom") "Share the list"
recognize Share(with = ?w) when tap(id = "share", label = ?w).
"""
SPEC = 'spec task "Share it with Ann."\nimport shop\nallow Share(with = "Ann").\ndone when Share earlier.\n'
LOWER = (
    'policy {name} "Asked"\nimport shop\n@unlicensed confirm "Share it with {{?w}}?" when Share(with = ?w).\n'
)
OUTER = 'policy outer "More"\nimport inner\nwarn "slowly" when wait.\n'


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    files = {"shop": APP, "task": SPEC, "inner": LOWER.format(name="inner"), "outer": OUTER}
    for name, text in files.items():
        (folder / f"{name}.vsa").write_text(text, encoding="utf-8")
    (tmp_path / "own" / "vsac").mkdir(parents=True)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "own"))
    monkeypatch.chdir(tmp_path)
    return folder


def level(project: Path, *named: str, bob: str = "Bob") -> str:
    journal = project / f"{len(list(project.iterdir()))}.jsonl"
    options = SessionOptions(policies=[project / f"{name}.vsa" for name in named], journal=journal)
    with open_guarded(project / "task.vsa", None, options) as session:
        session.guard.observe(FactScreen())
        return session.guard.propose(attempts=[Action("shop.Share", {"with": bob})]).level


def test_without_a_policy_it_is_blocked(project: Path) -> None:
    assert level(project) == "block"


@pytest.mark.parametrize("name", ["inner", "outer"])
def test_a_policy_that_is_named_lowers_it(project: Path, name: str) -> None:
    assert level(project, name) == "confirm"
    assert level(project, name, bob="Ann") == "allow"


@pytest.mark.parametrize("name", ["inner", "outer"])
def test_one_of_a_projects_file_does_not(project: Path, name: str) -> None:
    (project / "vsac.toml").write_text(f'policies = ["{name}.vsa"]\n', encoding="utf-8")
    assert level(project) == "block"
    assert level(project, "inner") == "confirm"


def test_one_of_the_users_own_file_does(project: Path, tmp_path: Path) -> None:
    own = tmp_path / "own" / "vsac" / "vsac.toml"
    own.write_text(f'policies = ["{project / "inner.vsa"}"]\n', encoding="utf-8")
    assert level(project) == "confirm"


def test_the_journal_holds_whose_policies_they_are() -> None:
    settings = Settings(lowering=("inner",))
    assert read_settings(settings_json(settings)) == settings


def test_a_guard_lowers_nothing_by_itself(project: Path) -> None:
    program = load(project / "task.vsa", policies=[project / "inner.vsa"]).checked()
    for lowering, wanted in (((), "block"), (("other",), "block"), (("inner",), "confirm")):
        made = Guard(program, settings=Settings(lowering=lowering, screens_count=False))
        made.observe(FactScreen())
        assert made.propose(attempts=[Action("shop.Share", {"with": "Bob"})]).level == wanted


def test_only_a_question_about_one_action_lowers_a_level(project: Path) -> None:
    """Also in a program that no checker has seen, such as one that was read from JSON."""
    program = load(project / "task.vsa", policies=[project / "inner.vsa"]).checked()
    (rule,) = program.lowered
    (item,) = rule.body
    assert isinstance(item, Lit) and isinstance(rule.head, Judge)
    shell = Lit(Atom("shell"))
    wrong = (
        replace(rule, body=(item, shell)),
        replace(rule, body=()),
        replace(rule, body=(replace(item, neg=True),)),
        replace(rule, body=(shell,)),
        replace(rule, body=(Lit(Atom("tap")),)),
        replace(rule, body=(Lit(Atom("shop.Nothing")),)),
        replace(rule, extra=(item,)),
        replace(rule, head=replace(rule.head, level="warn")),
        replace(rule, module="shop"),
    )
    Guard(program)
    for each in wrong:
        with pytest.raises(ValueError, match="lowers a level"):
            Guard(replace(program, lowered=(each,)), settings=Settings(lowering=("inner", "shop")))
