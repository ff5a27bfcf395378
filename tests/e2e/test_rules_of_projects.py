"""Rules of a project are programs of others: only `vsac lint` runs them, though the user trusts the folder."""

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests import commands, processes
from tests.language.lint.test_lint_projects import RULE
from tests.tools.lsp.conftest import Client

SPEC = (
    'spec a "Say yes"\nallow answer(text = "yes").\ndone when answer earlier.\n'
    'test "yes" {\n  attempt answer(text = "yes") => allow.\n}\n'
)
PHONE = ("--device", "sim:restaurant")


def run(folder: Path) -> None:
    """A whole session of an agent."""
    agent = folder / "agent.jsonl"
    agent.write_text(json.dumps({"action": "answer", "text": "yes"}) + '\n{"action": "finish"}\n', "utf-8")
    done = commands.vsac("run", "a.vsa", *PHONE, "--agent", agent, "--journal", "run.journal", cwd=folder)
    assert done.returncode == 0 and "finish" in done.stdout, done.stderr


def guard(folder: Path) -> None:
    """A program that looks at the guarded phone."""
    words = ["-m", "vsalang.tools.cli.main", "guard", "a.vsa", *PHONE, "--journal", "guard.journal", "--"]
    started = processes.run([*words, "sh", "-c", "echo it runs"], cwd=folder)
    assert "it runs" in started.stdout, started.stderr


def check(folder: Path) -> None:
    """Errors, warnings and tests of all files."""
    assert commands.vsac("check", ".", cwd=folder).returncode == 0
    assert "passed" in commands.vsac("test", ".", cwd=folder).stdout


def edit(folder: Path) -> None:
    """A session of an editor that opens, changes and asks for everything."""
    with Client(folder, XDG_CONFIG_HOME=os.environ["XDG_CONFIG_HOME"]) as client:
        client.initialize()
        uri = client.open(folder / "a.vsa", SPEC)
        client.published(uri, 1)
        client.change(uri, SPEC + "// more\n", 2)
        client.published(uri, 2)
        client.request("textDocument/diagnostic", {"textDocument": {"uri": uri}})
        client.request("workspace/diagnostic", {"previousResultIds": []})
        client.request(
            "textDocument/formatting",
            {"textDocument": {"uri": uri}, "options": {"tabSize": 2, "insertSpaces": True}},
        )
        assert client.leave() == 0


@pytest.mark.slow
@pytest.mark.parametrize("use", [run, guard, check, edit], ids=lambda use: use.__name__)
def test_only_lint_runs_rules_of_a_project(
    use: Callable[[Path], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A rule that runs leaves a file; `lint` shows that it would."""
    home = tmp_path / "home"
    (home / "vsac").mkdir(parents=True)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home))
    project = tmp_path / "project"
    (project / ".vsac" / "rules").mkdir(parents=True)
    ran = tmp_path / "ran.txt"
    rule = RULE.replace('"ran.txt"', repr(str(ran)))
    assert str(ran) in rule
    (project / ".vsac" / "rules" / "answers.py").write_text(rule, "utf-8")
    (project / "a.vsa").write_text(SPEC, "utf-8")
    (home / "vsac" / "vsac.toml").write_text(f'[lint]\ntrusted = ["{project}"]\n', "utf-8")
    use(project)
    assert not ran.exists()
    commands.vsac("lint", "a.vsa", cwd=project)
    assert ran.exists()
