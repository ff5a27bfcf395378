"""What a project's configuration changes in the commands."""

import json
import shutil
from pathlib import Path

import pytest

from tests.commands import vsac

ROOT = Path(__file__).resolve().parents[3]
SPEC = 'spec a "Say yes"\nallow answer.\ndone when answer earlier.\n'
USER = 'spec b "Say yes"\nimport words\nallow answer(text = ?t) when Yes(text = ?t).\ndone when answer earlier.\n'


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "lib").mkdir()
    (tmp_path / "tasks").mkdir()
    (tmp_path / "lib" / "words.vsa").write_text(
        'module words "Words"\ndefine Yes(text = ?t) when Toast(text = ?t).\n'
    )
    (tmp_path / "tasks" / "a.vsa").write_text(SPEC)
    test = 'test "t" { observe Toast(text = "y"). attempt answer(text = "y"). finish. }\n'
    (tmp_path / "tasks" / "b.vsa").write_text(USER + test)
    (tmp_path / "vsac.toml").write_text('search = ["lib"]\n')
    return tmp_path


@pytest.mark.parametrize("command", ["check", "lint", "test"])
def test_search(project: Path, command: str) -> None:
    assert vsac(command, "tasks/b.vsa", cwd=project).returncode == 0
    assert vsac(command, str(project / "tasks" / "b.vsa"), cwd=ROOT).returncode == 0
    (project / "vsac.toml").unlink()
    result = vsac(command, "tasks/b.vsa", cwd=project)
    assert result.returncode == 1
    assert "E0201" in result.stdout


def test_search_for_a_description(project: Path) -> None:
    assert vsac("describe", "tasks/b.vsa", cwd=project).returncode == 0
    assert vsac("describe", "-", cwd=project / "tasks", input=USER).returncode == 0
    (project / "vsac.toml").unlink()
    result = vsac("describe", "tasks/b.vsa", cwd=project)
    assert result.returncode == 1
    assert "E0201" in result.stderr


def test_a_description_says_the_policies_in_force(project: Path) -> None:
    (project / "own.vsa").write_text('policy own "Mine"\n@id("OWN-1") deny "no" when Clock(now > 10:00).\n')
    assert vsac("describe", "tasks/b.vsa", cwd=project).stdout.startswith('Task "b"\n')
    config = project / "vsac.toml"
    config.write_text(config.read_text() + 'policies = ["own.vsa"]\n')
    for args, input in ((["tasks/b.vsa"], None), (["-"], USER)):
        said = vsac("describe", *args, cwd=project / ("tasks" if input else ""), input=input)
        assert said.returncode == 0, said.stderr
        assert said.stdout.splitlines()[0] == 'Task "b" under the policy "own"'
        assert 'with the message "no", when' in " ".join(said.stdout.split())
    # a policy is in force with tasks, not with other policies
    assert "under the policy" not in vsac("describe", "own.vsa", cwd=project).stdout
    (project / "own.vsa").write_text("nonsense")
    assert vsac("describe", "tasks/b.vsa", cwd=project).returncode == 1


def test_a_missing_module_says_where_it_was_sought(project: Path) -> None:
    (project / "app_specs").mkdir()
    (project / "tasks" / "b.vsa").write_text(USER.replace("import words", "import wordz"))
    result = vsac("check", "tasks/b.vsa", cwd=project)
    wanted = "next to this file (tasks), in app_specs, in lib and in what comes with vsac"
    assert f"help: looked for wordz.vsa {wanted}" in result.stdout
    assert "did you mean `words`?" in result.stdout
    (project / "app_specs").rmdir()
    (project / "vsac.toml").unlink()
    result = vsac("check", "b.vsa", cwd=project / "tasks")
    assert "looked for wordz.vsa next to this file (.) and in what comes with vsac" in result.stdout


@pytest.mark.parametrize("command", ["check", "lint"])
def test_standard_input_is_in_the_working_folder(project: Path, command: str) -> None:
    assert vsac(command, "-", cwd=project / "tasks", input=USER).returncode == 0
    assert vsac(command, "-", cwd=ROOT, input=USER).returncode == 1


@pytest.mark.parametrize("command", ["check", "lint", "test", "verify"])
def test_a_configuration_with_a_mistake_stops_everything(project: Path, command: str) -> None:
    (project / "vsac.toml").write_text('serch = ["lib"]\n')
    result = vsac(command, "tasks/a.vsa", cwd=project)
    assert result.returncode == 2
    assert result.stderr.startswith("error: [E0021] vsac.toml:1: the file has no key `serch`")
    assert "did you mean `search`?" in result.stderr


@pytest.mark.parametrize(
    ("config", "args", "status", "seen"),
    [
        ("", [], 0, "warning[L0004]"),
        ("levels = { L0004 = 'error' }", [], 1, "error[L0004]"),
        ("levels = { L0004 = 'hint' }", ["--strict"], 0, "info[L0004]"),
        ("levels = { L0004 = 'off' }", ["--strict"], 0, "nothing found"),
        ("ignore = ['L0004']", ["--strict"], 0, "nothing found"),
        ("ignore = ['L0004']", ["--strict", "--ignore", "L0001"], 0, "nothing found"),
        ("select = ['L0001']", ["--strict"], 0, "nothing found"),
        ("select = ['L0001']", ["--strict", "--select", "L0004"], 1, "warning[L0004]"),
    ],
)
def test_lint(project: Path, config: str, args: list[str], status: int, seen: str) -> None:
    (project / "vsac.toml").write_text(f"[lint]\n{config}\n")
    result = vsac("lint", *args, "tasks/a.vsa", cwd=project)
    assert seen in result.stdout
    assert result.returncode == status, result.stdout + result.stderr


def test_verify_looks_at_the_policies(project: Path) -> None:
    pytest.importorskip("z3")
    (project / "own.vsa").write_text(
        'policy own "x"\n@id("DEAD") deny "no" when Clock(now > 10:00, now < 09:00).\n'
    )
    assert vsac("prove", "verify", "--strict", "tasks/a.vsa", cwd=project).returncode == 0
    (project / "vsac.toml").write_text('policies = ["own.vsa"]\n')
    result = vsac("prove", "verify", "--strict", "tasks/a.vsa", cwd=project)
    assert result.returncode == 1, result.stdout + result.stderr
    assert "own.vsa" in result.stdout


@pytest.mark.slow
def test_run_takes_policies_and_settings(tmp_path: Path) -> None:
    examples = ROOT / "app_specs" / "examples"
    shutil.copy(examples / "reserve_r.vsa", tmp_path)
    shutil.copy(examples / "reserve_r.agent.jsonl", tmp_path)
    (tmp_path / "own.vsa").write_text(
        'policy own "Not now"\nimport apps.opentable\n@id("OWN-1") deny "no bookings" when Reserve.\n'
    )
    args = ["run", "reserve_r.vsa", "--device", "sim:restaurant", "--agent", "reserve_r.agent.jsonl"]
    args += ["--open", "com.opentable", "--journal", "j.jsonl", "--format", "json"]
    free = vsac(*args, cwd=tmp_path)
    assert free.returncode == 0, free.stdout + free.stderr
    assert "OWN-1" not in free.stdout
    (tmp_path / "j.jsonl").unlink()
    (tmp_path / "vsac.toml").write_text(
        'policies = ["own.vsa"]\n[guard]\noverrides = 0\n[budget]\nrows = 5000\n'
    )
    bound = vsac(*args, cwd=tmp_path)
    assert bound.returncode == 1, bound.stdout + bound.stderr
    assert "OWN-1" in bound.stdout
    session = json.loads((tmp_path / "j.jsonl").read_text().splitlines()[0])
    settings = session.get("settings") or session["data"]["settings"]
    assert settings["overrides"] == 0
    assert settings["budget"]["rows"] == 5000
