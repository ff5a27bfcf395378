"""``vsac init``: what it writes checks, passes and is quiet, and it never overwrites."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from vsalang.config import config_for

ROOT = Path(__file__).resolve().parents[2]


def vsac(*args: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    clean = {key: value for key, value in os.environ.items() if key not in {"NO_COLOR", "VSAC_DEBUG"}}
    return subprocess.run(
        [sys.executable, "-m", "vsalang.cli.main", *args],
        cwd=cwd,
        env=clean | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        encoding="utf-8",
    )


def files(folder: Path) -> set[str]:
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


def commands(text: str, lead: str) -> list[list[str]]:
    """The `vsac` commands of a text, with their patterns as they stand."""
    return [line.split() for line in re.findall(rf"^{lead}vsac (.*)$", text, re.MULTILINE)]


def expanded(words: list[str], folder: Path) -> list[str]:
    found: list[str] = []
    for word in words:
        found += [str(p.relative_to(folder)) for p in sorted(folder.glob(word))] if "*" in word else [word]
    return found


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
        f"app_specs/{name}.vsa",
        "specs/say_hello.vsa",
        "policies/house_rules.vsa",
        ".github/workflows/vsac.yml",
    }
    for file in files(folder):
        assert f"  {file}\n" in result.stdout
        if not file.endswith(".yml"):
            assert "$" not in (folder / file).read_text()
    assert f'app {name} package "{package}"' in (folder / f"app_specs/{name}.vsa").read_text()
    # what the CI file and the README say is done: check, test, lint
    workflow = commands((folder / ".github/workflows/vsac.yml").read_text(), " +- run: ")
    readme = commands((folder / "README.md").read_text(), "    ")
    for said in (workflow, readme[:3]):
        assert [words[0] for words in said] == ["check", "test", "lint"]
        for words in said:
            run = vsac(*expanded(words, folder), cwd=folder)
            assert run.returncode == 0, run.stdout + run.stderr
            assert "warning" not in run.stdout
            if words[0] == "test":
                assert run.stdout.endswith("5 passed\n")
    assert readme[3][:2] == ["run", "specs/say_hello.vsa"]
    config = config_for(folder / "specs" / "say_hello.vsa")
    assert config.policies == ((folder / "policies" / "house_rules.vsa").resolve(),)


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
    result = vsac("verify", "--strict", "specs/say_hello.vsa", cwd=tmp_path)
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
    ("folder", "name"), [("2048", "app_2048"), ("std", "app_std"), ("Café Bar", "caf_bar")]
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
