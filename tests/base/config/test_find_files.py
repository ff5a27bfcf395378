"""Which files a command means: those named, those below folders, without what the project excludes."""

import os
from pathlib import Path

import pytest

from vsalang.base.config import CommandFile, ConfigError, find_files
from vsalang.base.config.configuration import Config
from vsalang.base.config.discover import excluded
from vsalang.tools.cli.main import run

MODULE = 'module words "Words"\ndefine Early when Clock(now = ?t), ?t < 12:00.\n'
POLICY = 'policy rules "Rules"\n@id("N-1")\ndeny "no calls" when answer.\n'


def files(folder: Path, *names: str) -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(POLICY)


def names(folder: Path, *paths: str) -> list[str]:
    return [Path(found.file).relative_to(folder).as_posix() for found in find_files(paths or [str(folder)])]


def test_only_the_projects_folders_are_searched(tmp_path: Path) -> None:
    files(tmp_path, "one/b.vsa", "one/a.vsa", "two/a.vsa", "two/c.txt", ".hidden/a.vsa", "node_modules/a.vsa")
    files(tmp_path, "env/a.vsa", "one/.draft.vsa", "top.vsa")
    (tmp_path / "env" / "pyvenv.cfg").write_text("")
    assert names(tmp_path) == ["one/a.vsa", "one/b.vsa", "top.vsa", "two/a.vsa"]


def test_a_file_that_is_named_counts_once(tmp_path: Path) -> None:
    files(tmp_path, "one/a.vsa", "one/b.vsa")
    named = str(tmp_path / "one" / "b.vsa")
    found = find_files([named, str(tmp_path / "one"), "-"])
    assert found == [
        CommandFile(named, True),
        CommandFile(str(tmp_path / "one" / "a.vsa"), False),
        CommandFile("-", True),
    ]


def test_without_paths_the_working_folder_is_meant(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files(tmp_path, "specs/a.vsa")
    monkeypatch.chdir(tmp_path)
    assert find_files([]) == [CommandFile(os.path.join("specs", "a.vsa"), False)]  # noqa: PTH118


@pytest.mark.parametrize(
    ("exclude", "left"),
    [
        (["drafts"], ["a.vsa", "specs/a.vsa", "specs/drafts/a.vsa"]),
        (["drafts/", "./specs"], ["a.vsa"]),
        (["*/a.vsa"], ["a.vsa", "specs/drafts/a.vsa"]),
        (["**/drafts"], ["a.vsa", "specs/a.vsa"]),
        (["**/*.vsa"], []),
        (["specs/**"], ["a.vsa", "drafts/a.vsa"]),
        (["?.vsa"], ["drafts/a.vsa", "specs/a.vsa", "specs/drafts/a.vsa"]),
        (["[a].vsa", "nowhere"], ["a.vsa", "drafts/a.vsa", "specs/a.vsa", "specs/drafts/a.vsa"]),
    ],
)
def test_what_the_project_excludes(tmp_path: Path, exclude: list[str], left: list[str]) -> None:
    files(tmp_path, "a.vsa", "drafts/a.vsa", "specs/a.vsa", "specs/drafts/a.vsa")
    (tmp_path / "vsac.toml").write_text(f"exclude = {exclude}\n".replace("'", '"'))
    assert names(tmp_path) == left
    assert names(tmp_path, str(tmp_path / "drafts" / "a.vsa")) == ["drafts/a.vsa"]  # named: meant
    inner = [name for name in left if name.startswith("specs/")]
    assert names(tmp_path, str(tmp_path / "specs")) == inner  # as seen from the configuration


def test_a_folder_with_own_configuration_has_own_exclusions(tmp_path: Path) -> None:
    files(tmp_path, "a/x.vsa", "a/b/x.vsa", "c/b/x.vsa")
    (tmp_path / "vsac.toml").write_text('exclude = ["c/b"]\n')
    (tmp_path / "a" / "pyproject.toml").write_text('[tool.vsac]\nexclude = ["b"]\n')
    assert names(tmp_path) == ["a/x.vsa"]
    (tmp_path / "a" / "pyproject.toml").write_text("[tool.vsac]\nexclude = 3\n")
    with pytest.raises(ConfigError, match="`exclude` is a list of texts"):
        names(tmp_path)


@pytest.mark.parametrize(
    "text", ["/etc", "../other", "a/../b", ".", "./", "C:/x", "a\\b"], ids=lambda text: repr(text)
)
def test_exclusions_that_are_none(tmp_path: Path, text: str, capsys: pytest.CaptureFixture[str]) -> None:
    files(tmp_path, "a.vsa")
    (tmp_path / "vsac.toml").write_text(f"exclude = ['{text}']\n")
    assert run(["check", str(tmp_path)]) == 2
    error = capsys.readouterr().err
    assert "E0022" in error and "vsac.toml:1" in error and "seen from the folder of vsac.toml" in error


def test_nothing_is_excluded_without_a_configuration(tmp_path: Path) -> None:
    assert not excluded(Config(exclude=("a",)), tmp_path / "a")
    assert not excluded(Config(tmp_path / "x" / "vsac.toml", exclude=("**",)), tmp_path / "a")


COMMANDS = [["check"], ["lint"], ["fmt", "--check"], ["verify"]]


@pytest.mark.parametrize("command", COMMANDS, ids=lambda words: words[0])
def test_commands_take_folders_and_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], command: list[str]
) -> None:
    if command == ["verify"]:
        pytest.importorskip("z3")
    files(tmp_path, "policies/a.vsa")
    (tmp_path / "words.vsa").write_text(MODULE)
    (tmp_path / "drafts").mkdir()
    (tmp_path / "drafts" / "bad.vsa").write_text("nonsense")
    monkeypatch.chdir(tmp_path)
    assert run([*command, "policies"]) == 0
    capsys.readouterr()
    assert run(command) != 0  # the draft has errors
    said = "".join(capsys.readouterr())
    assert "bad.vsa" in said
    (tmp_path / "vsac.toml").write_text('exclude = ["drafts"]\n')
    assert run(command) == 0, capsys.readouterr()
    said = "".join(capsys.readouterr())
    assert "bad.vsa" not in said
    assert run([*command, "drafts"]) == 2  # nothing is left of it
    assert "there is no .vsa file in drafts" in capsys.readouterr().err
    assert run([*command, "drafts/bad.vsa"]) != 0


def test_verify_goes_on_after_a_file_with_errors(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("z3")
    files(tmp_path, "b.vsa")
    (tmp_path / "words.vsa").write_text(MODULE)
    monkeypatch.chdir(tmp_path)
    assert run(["prove", "verify"]) == 0
    assert (
        capsys.readouterr().out
        == "verified 1 rule of rules: nothing found\nverified 1 rule of words: nothing found\n"
    )
    (tmp_path / "a.vsa").write_text("nonsense")
    assert run(["prove", "verify"]) == 1
    out = capsys.readouterr().out
    assert "a.vsa is not verified: its errors come first\nverified 1 rule of rules" in out
    assert "E0101" in out
