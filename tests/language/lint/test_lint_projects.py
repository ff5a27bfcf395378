"""Ignores by file and by comment, baselines, and rules of a project: what they hide, and what they never touch."""

import functools
import json
import sys
from pathlib import Path

import pytest

from tests import commands
from vsalang.base.config import ConfigError, read_config
from vsalang.base.diagnostics.fixes import apply_fixes
from vsalang.language.lint import lint
from vsalang.language.semantics import load_text

SPEC = 'spec a "Say yes"\nallow answer.\ndone when answer earlier.\n'
BAD = SPEC.replace("done when answer", "done when anser")
RULE = """from vsalang.language.lint.own import Finding
CODE = "P0001"
TITLE = "an answer"
open("ran.txt", "w").write("ran")
def find(module):
    for rule in module.rules:
        if rule.kind == "allow" and "answer" in rule.relations:
            yield Finding(rule.start, rule.end, "no answers here")
"""
vsac = functools.partial(commands.vsac, "lint", "--format", "concise")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with one spec, and no configuration of the user."""
    (tmp_path / "drafts").mkdir()
    (tmp_path / "a.vsa").write_text(SPEC, encoding="utf-8")
    (tmp_path / "drafts" / "a.vsa").write_text(SPEC, encoding="utf-8")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "home"))
    return tmp_path


def test_codes_are_left_out_by_file(project: Path) -> None:
    """A pattern of vsac.toml is about these files alone."""
    (project / "vsac.toml").write_text('[lint.files]\n"drafts/" = ["L0004"]\n', encoding="utf-8")
    assert vsac(cwd=project).stdout == "a.vsa:2:7: warning[L0004]: this `allow answer` leaves `text` open\n"


@pytest.mark.parametrize(
    "text",
    [
        '[lint.files]\n"drafts/" = ["E0201"]\n',
        '[lint.files]\n"../up" = ["L0004"]\n',
        '[lint]\nfiles = "drafts"\n',
        '[lint]\ntrusted = ["."]\n',
    ],
)
def test_a_project_ignores_no_errors_and_trusts_nothing(project: Path, text: str) -> None:
    """Errors cannot be left out, patterns stay below the folder, and no project trusts its own rules."""
    (project / "vsac.toml").write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError):
        read_config(project / "vsac.toml")


def test_unused_comment_is_found_and_removed() -> None:
    """One that hides something stays; the fix removes the other with its blanks."""
    used = SPEC.replace("allow answer.", "allow answer. // lint: ignore L0004")
    assert lint(load_text(used)) == ()
    unused = used.replace("allow answer.", 'allow answer(text = "yes").')
    (finding,) = lint(load_text(unused))
    assert finding.code == "L0058"
    fixed = apply_fixes(unused, "x.vsa", lambda text: lint(load_text(text, file="x.vsa"))).text
    assert fixed == SPEC.replace("allow answer.", 'allow answer(text = "yes").')
    assert lint(load_text(unused), select={"L0001"}) == ()
    assert lint(load_text(unused), ignore={"L0004"}) == ()


def test_baseline_hides_what_it_holds(project: Path) -> None:
    """Known findings are left out when lines move, new ones and errors are not, and what is gone is said."""
    wrote = vsac("a.vsa", "--baseline", "known.json", "--write-baseline", cwd=project)
    assert wrote.returncode == 0
    assert [entry["code"] for entry in json.loads((project / "known.json").read_text())["findings"]] == [
        "L0004"
    ]

    (project / "a.vsa").write_text("// a comment\n\n" + SPEC, encoding="utf-8")
    again = vsac("a.vsa", "--baseline", "known.json", "--strict", cwd=project)
    assert (again.returncode, again.stdout) == (0, "")
    assert "1 finding of the baseline left out" in again.stderr

    more = SPEC + 'deny "no" when tap(text = ?t).\n'
    (project / "a.vsa").write_text(more, encoding="utf-8")
    assert "L0001" in vsac("a.vsa", "--baseline", "known.json", cwd=project).stdout
    (project / "a.vsa").write_text(BAD, encoding="utf-8")
    broken = vsac("a.vsa", "--baseline", "known.json", cwd=project)
    assert broken.returncode == 1
    assert "error[E" in broken.stdout
    assert "1 of it are gone" in broken.stderr


@pytest.mark.parametrize("text", ["", "[]", '{"version": 2}', '{"version": 1, "findings": [1]}'])
def test_what_is_no_baseline_is_refused(project: Path, text: str) -> None:
    """Nothing is hidden by a file that cannot be read."""
    (project / "known.json").write_text(text, encoding="utf-8")
    result = vsac("a.vsa", "--baseline", "known.json", cwd=project)
    assert result.returncode == 2
    assert "known.json" in result.stderr


@pytest.fixture
def with_rule(project: Path) -> Path:
    """The project with a rule of its own."""
    (project / ".vsac" / "rules").mkdir(parents=True)
    (project / ".vsac" / "rules" / "answers.py").write_text(RULE, encoding="utf-8")
    return project


def test_rules_of_a_project_run_when_asked_for(with_rule: Path) -> None:
    """They run in a process of their own, and are ignored like others."""
    assert "P0001" not in vsac("a.vsa", cwd=with_rule).stdout
    assert not (with_rule / "ran.txt").exists()
    asked = vsac("a.vsa", "--project-rules", cwd=with_rule)
    assert "a.vsa:2:1: warning[P0001]: no answers here\n" in asked.stdout
    assert (with_rule / "ran.txt").exists()
    assert not any(name.startswith("vsac_rule_") for name in sys.modules)
    assert vsac("a.vsa", "--project-rules", "--ignore", "P0001,L0004", cwd=with_rule).stdout == ""


def test_trusted_folders_run_their_rules(with_rule: Path) -> None:
    """The user's own configuration names them."""
    (with_rule / "home" / "vsac").mkdir(parents=True)
    (with_rule / "home" / "vsac" / "vsac.toml").write_text(
        f'[lint]\ntrusted = ["{with_rule}"]\n', encoding="utf-8"
    )
    assert "P0001" in vsac("a.vsa", cwd=with_rule).stdout


def test_nothing_but_lint_runs_them(with_rule: Path) -> None:
    """`check` and `test` read no rules of a project."""
    for command in ("check", "test"):
        commands.vsac(command, "a.vsa", cwd=with_rule)
        assert not (with_rule / "ran.txt").exists()


@pytest.mark.parametrize(
    "text", ["1 / 0", 'CODE = "L0001"\ndef find(m): return []', 'CODE = "P0001"\ndef find(m): return [1]']
)
def test_rules_that_fail_are_named(with_rule: Path, text: str) -> None:
    """A rule that cannot be used ends the command with 2 and its file's name: silence would look like no findings."""
    (with_rule / ".vsac" / "rules" / "answers.py").write_text(text, encoding="utf-8")
    result = vsac("a.vsa", "--project-rules", cwd=with_rule)
    assert result.returncode == 2
    assert "answers.py" in result.stderr


def test_new_rule_is_written_once(project: Path) -> None:
    """It runs as it is written, with the next free code."""
    assert vsac("--new-rule", "too_late", cwd=project).returncode == 0
    assert vsac("--new-rule", "too_early", cwd=project).returncode == 0
    assert 'CODE = "P0002"' in (project / ".vsac" / "rules" / "too_early.py").read_text(encoding="utf-8")
    assert vsac("--new-rule", "too_late", cwd=project).returncode == 2
    assert vsac("--new-rule", "../x", cwd=project).returncode == 2
    assert vsac("a.vsa", "--project-rules", cwd=project).returncode == 0
