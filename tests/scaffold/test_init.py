"""``vsac init``: what it writes checks, passes and is quiet, and it never overwrites."""

import json
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tests.commands import vsac
from vsalang.base import project
from vsalang.base.config import config_for
from vsalang.tools.cli import main
from vsalang.tools.scaffold import NotStarted, Project, start
from vsalang.tools.scaffold import project as scaffold

ROOT = Path(__file__).resolve().parents[2]


def files(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def commands(text: str, lead: str) -> list[list[str]]:
    """The `vsac` commands of a text."""
    return [line.split() for line in re.findall(rf"^{lead}vsac (.*)$", text, re.MULTILINE)]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("args", "name", "package"),
    [
        ([], "my_project", "com.example.my_project"),
        (["--name", "chat", "--package", "org.example.Chat"], "chat", "org.example.Chat"),
        (["--name", "when"], "when", "com.example.when"),  # a word of the language is a name here
    ],
)
def test_the_project_is_fine(tmp_path: Path, args: list[str], name: str, package: str) -> None:
    result = vsac("init", "My Project", *args, cwd=tmp_path)
    assert result.returncode == 0, result.stdout + result.stderr
    folder = tmp_path / "My Project"
    assert files(folder) == {
        "vsac.toml",
        "README.md",
        ".gitignore",
        ".pre-commit-config.yaml",
        "requirements.txt",
        f"app_specs/{name}.vsa",
        "specs/say_hello.vsa",
        "specs/say_hello.agent.jsonl",
        "policies/house_rules.vsa",
        f"phones/{name}/phone.toml",
        f"phones/{name}/compose.xml",
        ".github/workflows/vsac.yml",
    }
    for file in files(folder):
        assert f"  {file}\n" in result.stdout
    assert f'app {name} package "{package}"' in (folder / f"app_specs/{name}.vsa").read_text()
    # what the CI file and the README say is done
    workflow = commands((folder / ".github/workflows/vsac.yml").read_text(), " +- run: ")
    readme = commands((folder / "README.md").read_text(), "    ")
    checks = ["fmt", "check", "test", "lint", "prove", "phone"]
    assert [words[0] for words in workflow] == [*checks, "run"]
    assert [words[0] for words in readme] == ["run", *checks, "guard"]
    for words in (*workflow, readme[0]):
        done = vsac(*words, cwd=folder)
        assert done.returncode == 0, done.stdout + done.stderr
        assert "warning" not in done.stdout
        if words[0] == "test":
            assert done.stdout.endswith("5 passed\n")
        if words[0] == "run":
            assert "The task was completed: 4 proposals, 3 carried out, 1 warned." in done.stdout
    assert readme[-1] == ["guard", "specs/say_hello.vsa", "--device", "SERIAL", "--", "COMMAND"]
    config = config_for(folder / "specs" / "say_hello.vsa")
    assert config.policies == ((folder / "policies" / "house_rules.vsa").resolve(),)
    then = result.stdout.partition("then: vsac ")[2].split()
    assert then == workflow[-1]


@pytest.mark.skipif(shutil.which("git") is None, reason="there is no git")
def test_git_keeps_what_belongs_to_the_project(tmp_path: Path) -> None:
    assert vsac("init", "--name", "chat", cwd=tmp_path).returncode == 0
    written = files(tmp_path)
    for name in (
        "say_hello-20260401-120000-1.jsonl",
        "specs/say_hello.serve.json",
        ".venv/x",
        "a/__pycache__/b",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    command = ["git", "ls-files", "--others", "--exclude-standard"]
    kept = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert set(kept.stdout.splitlines()) == written


# ---------------------------------------------------------------- where CI gets vsalang


def origin_of(folder: Path) -> tuple[str, str]:
    """The requirement, and the steps that install it."""
    (line,) = [
        line for line in (folder / "requirements.txt").read_text().splitlines() if not line.startswith("#")
    ]
    workflow = (folder / ".github/workflows/vsac.yml").read_text()
    return line, workflow.partition("python-version")[2].partition("- run: vsac")[0]


def init(folder: Path, *args: str) -> Result:
    return CliRunner().invoke(main.cli, ["init", str(folder), "--name", "chat", *args], standalone_mode=False)


@pytest.mark.parametrize("known", ["", "git+https://host.example/o/vsalang.git@0123abc"])
def test_where_vsalang_was_installed_from(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, known: str
) -> None:
    monkeypatch.setattr(scaffold, "installed_from", lambda: known)
    result = init(tmp_path / "p")
    line, steps = origin_of(tmp_path / "p")
    assert line == f"vsalang[device,smt] @ {known or '${VSALANG_SOURCE}'}"
    readme = (tmp_path / "p" / "README.md").read_text()
    for text in (steps, readme, result.output):
        assert ("VSALANG_SOURCE" in text) == (not known)
    assert "pip install vsalang" not in steps + readme  # no name of an index


def test_ci_says_what_is_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scaffold, "installed_from", str)
    init(tmp_path)
    script = origin_of(tmp_path)[1].partition("run: |\n")[2].partition("      - run")[0]
    done = subprocess.run(["sh", "-ec", script], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stdout.startswith(
        "::error file=requirements.txt::it is not known where vsalang is installed from"
    )
    assert "VSALANG_SOURCE" in done.stdout and "git+https://HOST/REPOSITORY@COMMIT" in done.stdout
    line = (tmp_path / "requirements.txt").read_text().replace("${VSALANG_SOURCE}", "https://h.example/v.whl")
    (tmp_path / "requirements.txt").write_text(line)  # written in its place
    assert subprocess.run(["sh", "-ec", script], cwd=tmp_path).returncode == 0


def test_a_source_that_is_given(tmp_path: Path) -> None:
    url = "git+https://host.example/o/vsalang@v0.1.0"
    assert init(tmp_path / "p", "--vsalang", url).return_value == 0
    assert origin_of(tmp_path / "p")[0] == f"vsalang[device,smt] @ {url}"
    wheel = tmp_path / "vsalang-0.1.0-py3-none-any.whl"
    wheel.write_bytes(b"a wheel")
    result = init(tmp_path / "q", "--vsalang", str(wheel))
    assert f"  vendor/{wheel.name}\n" in result.output
    assert (tmp_path / "q" / "vendor" / wheel.name).read_bytes() == b"a wheel"
    assert origin_of(tmp_path / "q")[0] == f"./vendor/{wheel.name}[device,smt]"
    assert "VSALANG_SOURCE" not in origin_of(tmp_path / "q")[1]


@pytest.mark.parametrize(
    "source",
    ["vsalang", "", "no_such.whl", "https://h/$(x)", "https://h/a b", "https://h/\n- run: x", "'; x"],
)
def test_a_source_that_is_none(tmp_path: Path, source: str) -> None:
    result = CliRunner().invoke(
        main.cli, ["init", str(tmp_path / "p"), "--name", "chat", "--vsalang", source]
    )
    assert result.exit_code == 2 and "is not a URL for pip" in result.output
    assert not (tmp_path / "p").exists()


COMMIT = "0123456789abcdef0123456789abcdef01234567"


@pytest.mark.parametrize(
    ("recorded", "known"),
    [
        (
            {"url": "https://u:secret@host.example/o/v.git", "vcs_info": {"vcs": "git", "commit_id": COMMIT}},
            f"git+https://host.example/o/v.git@{COMMIT}",
        ),
        ({"url": "file:///home/u/v", "vcs_info": {"vcs": "git", "commit_id": COMMIT}}, ""),
        ({"url": "https://host.example/v.whl", "archive_info": {}}, "https://host.example/v.whl"),
        ({"url": "file:///tmp/v.whl", "archive_info": {}}, ""),
        ({"url": "file:///no/such/folder", "dir_info": {"editable": True}}, ""),
        (None, ""),
    ],
)
def test_what_the_installer_recorded(
    monkeypatch: pytest.MonkeyPatch, recorded: dict[str, object] | None, known: str
) -> None:
    class Installed:
        def read_text(self, name: str) -> str | None:
            assert name == "direct_url.json"
            return json.dumps(recorded) if recorded is not None else None

    monkeypatch.setattr(project, "distribution", lambda name: Installed())
    assert project.installed_from() == known


@pytest.mark.skipif(shutil.which("git") is None, reason="there is no git")
@pytest.mark.parametrize(
    ("remote", "known"),
    [
        ("git@host.example:o/v.git", "git+https://host.example/o/v.git@"),
        ("https://token@host.example/o/v", "git+https://host.example/o/v@"),
        ("/home/u/v", ""),
    ],
)
def test_a_checkout_is_known_by_its_origin(tmp_path: Path, remote: str, known: str) -> None:
    def git(*words: str) -> str:
        identity = ["-c", "user.name=a", "-c", "user.email=a@b.example"]
        done = subprocess.run(
            ["git", *identity, *words], cwd=tmp_path, check=True, capture_output=True, text=True
        )
        return done.stdout.strip()

    git("init", "-q")
    assert project._cloned_from(tmp_path) == ""
    git("commit", "-q", "--allow-empty", "-m", "x")
    git("remote", "add", "origin", remote)
    assert project._cloned_from(tmp_path) == ""  # a commit that only this computer has
    git("update-ref", "refs/remotes/origin/main", "HEAD")
    assert project._cloned_from(tmp_path) == (known and known + git("rev-parse", "HEAD"))
    (tmp_path / "below").mkdir()
    assert project._cloned_from(tmp_path / "below") == ""


def test_every_setting_that_is_offered_can_be_used(tmp_path: Path) -> None:
    """The lines that are commented out in vsac.toml are right, too."""
    assert vsac("init", "--name", "chat", cwd=tmp_path).returncode == 0
    text = (tmp_path / "vsac.toml").read_text()
    (tmp_path / "shared").mkdir()
    (tmp_path / "vsac.toml").write_text(re.sub(r"^# (?=\w+ = )", "", text, flags=re.MULTILINE))
    config = config_for(tmp_path / "a.vsa")
    assert config.search == ((tmp_path / "shared").resolve(),)
    assert config.lint.ignore == {"L0004"}
    assert (config.guard.overrides, config.guard.unknown_screen) == (3, "confirm")


def test_the_guard_of_the_project_can_be_verified(tmp_path: Path) -> None:
    pytest.importorskip("z3")
    assert vsac("init", "--name", "chat", cwd=tmp_path).returncode == 0
    result = vsac("prove", "verify", "--strict", "specs/say_hello.vsa", cwd=tmp_path)
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.parametrize("folder", ["Über App", "it's; rm", "$HOME"])
def test_the_next_command_can_be_copied(tmp_path: Path, folder: str) -> None:
    result = vsac("init", folder, "--name", "chat", cwd=tmp_path)
    change, *_ = result.stdout.partition("next: ")[2].partition(" && ")
    assert shlex.split(change) == ["cd", folder]


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    assert vsac("init", "p", "--name", "chat", cwd=tmp_path).returncode == 0
    folder = tmp_path / "p"
    before = {file: (folder / file).read_bytes() for file in files(folder)}
    result = vsac("init", "p", "--name", "other", cwd=tmp_path)
    assert result.returncode == 2
    assert "vsac.toml" in result.stderr and "nothing was written" in result.stderr
    assert {file: (folder / file).read_bytes() for file in files(folder)} == before


@pytest.mark.parametrize(
    "taken", ["README.md", "specs/say_hello.vsa", "specs", ".github", "pyproject.toml", "."]
)
def test_one_file_in_the_way(tmp_path: Path, taken: str) -> None:
    folder = tmp_path / "p"
    target = folder / taken
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text("[tool.vsac]\n")
    result = vsac("init", "p", "--name", "chat", cwd=tmp_path)
    assert result.returncode == 2, result.stdout + result.stderr
    assert result.stderr.startswith("error: ")
    assert [p for p in tmp_path.rglob("*") if p.is_file()] == [target]
    assert target.read_text() == "[tool.vsac]\n"


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "p").mkdir()
    (tmp_path / "p" / "README.md").symlink_to(tmp_path / "elsewhere.md")
    assert vsac("init", "p", "--name", "chat", cwd=tmp_path).returncode == 2
    assert not (tmp_path / "elsewhere.md").exists()


@pytest.mark.parametrize(
    "args",
    [
        ["--name", "Chat"],
        ["--name", "my-chat"],
        ["--name", ""],
        ["--name", "../x"],
        ["--name", "std"],
        ["--name", "say_hello"],
        ["--name", "a" * 61],
        ["--package", "chat"],
        ["--package", 'com.example" "x'],
        ["--package", "com.example.\u202e"],
    ],
)
def test_names_that_are_none(tmp_path: Path, args: list[str]) -> None:
    result = vsac("init", "p", *args, cwd=tmp_path)
    if args == ["--name", ""]:  # as if left out: the folder's name
        assert result.returncode == 0
        return
    assert result.returncode == 2, result.stdout
    assert result.stderr.startswith("error: ") and "internal" not in result.stderr
    assert "\u202e" not in result.stderr
    assert not (tmp_path / "p").exists()


@pytest.mark.parametrize(
    ("folder", "name"),
    [
        ("2048", "app_2048"),
        ("std", "app_std"),
        ("Café Bar", "cafe_bar"),
        ("Über App", "uber_app"),
        ("apps", "app_apps"),
    ],
)
def test_the_name_of_the_folder(tmp_path: Path, folder: str, name: str) -> None:
    assert vsac("init", folder, cwd=tmp_path).returncode == 0
    assert (tmp_path / folder / "app_specs" / f"{name}.vsa").is_file()


def test_a_folder_without_letters(tmp_path: Path) -> None:
    result = vsac("init", "---", cwd=tmp_path)
    assert result.returncode == 2
    result = vsac("init", "--", "+++", cwd=tmp_path)
    assert result.returncode == 2
    assert "--name" in result.stderr


def test_python_users_start_projects(tmp_path: Path) -> None:
    started = start(tmp_path / "p", name="chat", source="https://h.example/v.whl")
    assert started == Project("chat", "com.example.chat", started.files, "https://h.example/v.whl")
    assert set(started.files) == files(tmp_path / "p")
    with pytest.raises(NotStarted, match="there already: nothing was written") as refused:
        start(tmp_path / "p", name="chat")
    assert refused.value.hint == "choose an empty folder: vsac init my_project"
