"""Findings as CI systems read them: one line each, GitLab, JUnit; names from the root, fingerprints that stay."""

import json
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
import yaml

from tests.commands import vsac
from vsalang.base.diagnostics import error, info, warning
from vsalang.base.diagnostics import junit as junit_out
from vsalang.base.diagnostics.places import fingerprints, from_root, repository, seen_from
from vsalang.base.source import Source, Span

ROOT = Path(__file__).resolve().parents[3]
OPEN = 'spec open "Say it"\nallow answer.\ndone when answer earlier.\n'


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with a file in a subfolder, which is the working folder."""
    (tmp_path / ".git").mkdir()
    (tmp_path / "specs").mkdir()
    (tmp_path / "specs" / "open.vsa").write_text(OPEN, encoding="utf-8")
    monkeypatch.chdir(tmp_path / "specs")
    return tmp_path


def test_files_are_named_from_the_root(project: Path) -> None:
    """Also where vsac runs in a subfolder; what lies elsewhere keeps its name."""
    root = repository(Path.cwd())
    assert root == project.resolve()
    assert from_root("open.vsa", root) == "specs/open.vsa"
    assert from_root("<stdin>", root) == "<stdin>"
    assert from_root("/elsewhere/a.vsa", root) == "/elsewhere/a.vsa"

    shown = vsac("lint", "open.vsa", "--format", "github", cwd=Path.cwd()).stdout
    assert shown.startswith("::warning file=specs/open.vsa,line=2,")
    (result,) = json.loads(vsac("lint", "open.vsa", "--format", "sarif", cwd=Path.cwd()).stdout)["runs"][0][
        "results"
    ]
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == "specs/open.vsa"
    assert result["partialFingerprints"]["primaryLocationLineHash"]


def test_no_address_is_a_file(project: Path) -> None:
    """While no documentation is published, SARIF names no address; the help has the text."""
    text = vsac("lint", "open.vsa", "--format", "sarif", cwd=Path.cwd()).stdout
    assert "file:" not in text
    assert json.loads(text)["runs"][0]["tool"]["driver"]["rules"][0]["help"]["text"]


def test_concise_is_one_line_each(project: Path) -> None:
    """File, line, column, severity, code and message."""
    shown = vsac("lint", "open.vsa", "--format", "concise", cwd=Path.cwd()).stdout
    assert shown == "open.vsa:2:7: warning[L0004]: this `allow answer` leaves `text` open\n"


def test_gitlab_names_path_line_and_fingerprint(project: Path) -> None:
    """The report has what GitLab requires of each finding."""
    (item,) = json.loads(vsac("lint", "open.vsa", "--format", "gitlab", cwd=Path.cwd()).stdout)
    assert item["check_name"] == "L0004"
    assert item["severity"] == "minor"
    assert item["location"] == {"path": "specs/open.vsa", "lines": {"begin": 2}}
    assert re.fullmatch(r"[0-9a-f]{32}", item["fingerprint"])


def test_junit_has_a_case_for_each_finding() -> None:
    """Errors are errors, warnings failures, hints pass; without findings one case passes."""
    source = Source("a.vsa", "one\ntwo\n")
    span = Span("a.vsa", 4, 7)
    items = [error("E0001", span, "wrong"), warning("L0001", span, "odd"), info("L0010", span, "so")]
    root = ElementTree.fromstring(junit_out.render(items, {"a.vsa": source}))
    assert {name: root.get(name) for name in ("tests", "errors", "failures")} == {
        "tests": "3",
        "errors": "1",
        "failures": "1",
    }
    assert [(case.get("line"), [part.tag for part in case]) for case in root.iter("testcase")] == [
        ("2", ["error"]),
        ("2", ["failure"]),
        ("2", ["system-out"]),
    ]
    assert ElementTree.fromstring(junit_out.render([], {})).get("tests") == "1"


def test_fingerprints_stay_when_lines_move() -> None:
    """They do not depend on the line's number or blanks, and differ for equal lines."""

    def prints(text: str, starts: list[int]) -> list[str]:
        items = [warning("L0001", Span("a.vsa", start, start + 1), "m") for start in starts]
        return [mark for _, mark in fingerprints(items, {"a.vsa": Source("a.vsa", text)})]

    first = prints("x y\nx y\n", [0, 4])
    assert len(set(first)) == 2
    assert prints("\n\nx  y\nx y\n", [2, 7]) == first


def test_labels_and_fixes_are_renamed_too(project: Path) -> None:
    """All places of a finding have the names from the root."""
    span = Span("open.vsa", 0, 4)
    items, sources = seen_from(
        [warning("L0001", span, "m")], {"open.vsa": Source("open.vsa", OPEN)}, project.resolve()
    )
    assert items[0].where == "specs/open.vsa"
    assert set(sources) == {"specs/open.vsa"}


def test_fmt_reports_what_would_change(project: Path) -> None:
    """With --check the formats say where; without it, --format is refused."""
    Path("open.vsa").write_text(OPEN.replace("allow answer.", "allow   answer."), encoding="utf-8")
    result = vsac("fmt", "--check", "--format", "concise", "open.vsa", cwd=Path.cwd())
    assert (result.returncode, result.stdout) == (
        1,
        "open.vsa:2:1: warning[W0101]: this is not in the one style\n",
    )
    assert vsac("fmt", "--format", "github", "open.vsa", cwd=Path.cwd()).returncode == 2
    assert vsac("fmt", "open.vsa", cwd=Path.cwd()).returncode == 0
    assert vsac("fmt", "--check", "--format", "concise", "open.vsa", cwd=Path.cwd()).returncode == 0


def test_action_and_hooks_name_commands_that_exist() -> None:
    """Each command line of the action and the hooks is one of vsac's, with options that it has."""
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    action = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    assert [hook["id"] for hook in hooks] == ["vsac-fmt", "vsac-check", "vsac-lint"]
    assert action["runs"]["using"] == "composite"
    runs = [step["run"] for step in action["runs"]["steps"] if step.get("run", "").startswith("vsac ")]
    for line in [*(hook["entry"] for hook in hooks), *runs]:
        words = [word for word in line.split(" >")[0].split() if not word.startswith("$")]
        assert vsac(*words[1:], "--help").returncode == 0, line
    # what users write reaches the shell as a variable, never as a part of the script
    assert not any("${{" in step.get("run", "") for step in action["runs"]["steps"])
