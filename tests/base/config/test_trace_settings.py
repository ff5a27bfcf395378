"""``[trace]``: which trace of the phone's system is read, and who may leave out what changes by itself."""

from pathlib import Path

import pytest

from vsalang.agents.session.options import tracing
from vsalang.base.config import ConfigError, read_config
from vsalang.base.config.inforce import config_in_force


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's own configuration; the working folder is another one."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "home"))
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")
    (tmp_path / "home" / "vsac").mkdir(parents=True)
    return tmp_path / "home" / "vsac" / "vsac.toml"


def test_both_tables_add_up(own: Path) -> None:
    own.write_text(
        '[trace]\nkinds = ["settings"]\nfolders = ["/sdcard/DCIM/**"]\nignore = ["/sdcard/a*"]\nbudget = 3\n'
    )
    Path("vsac.toml").write_text(
        '[device]\ntrace = ["files"]\ntrace_folders = ["/data/x"]\n[trace]\nbudget = 1\nhash_below = 10\n'
    )
    asked = tracing(config_in_force(Path("a.vsa")))
    assert asked.kinds == {"files", "settings"}
    assert asked.folders == ("/data/x/", "/sdcard/DCIM/")
    assert (asked.ignore, asked.budget, asked.hash_below) == (("/sdcard/a*",), 3.0, 10)
    assert tracing(config_in_force(Path("a.vsa")), "permissions").kinds == {"permissions"}


def test_a_project_hides_no_changes(own: Path) -> None:
    Path("vsac.toml").write_text('[trace]\nignore = ["/sdcard/**"]\n')
    with pytest.raises(ConfigError, match=r"vsac.toml:2: a project does not say by `ignore`") as caught:
        config_in_force(Path("a.vsa"))
    assert str(own) in str(caught.value.hint)


def test_a_file_of_globs_stands_for_them(own: Path) -> None:
    own.write_text('[trace]\nignore = ["/a/*", "quiet.toml"]\n')
    own.with_name("quiet.toml").write_text('[trace]\nignore = [\n  "/sdcard/log",  # 3 of 3 looks\n]\n')
    assert config_in_force(Path("a.vsa")).trace.ignore == ("/a/*", "/sdcard/log")
    own.with_name("quiet.toml").write_text('[trace]\nignore = ["x"]\n')
    with pytest.raises(ConfigError, match=r"quiet.toml:2: `ignore` holds globs"):
        config_in_force(Path("a.vsa"))
    own.with_name("quiet.toml").write_text("[guard]\n")
    with pytest.raises(ConfigError, match="no key `guard`"):
        config_in_force(Path("a.vsa"))


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ('kinds = ["file"]', '`kinds` is "files"'),
        ('folders = ["sdcard"]', "`folders` holds absolute paths"),
        ('folders = ["/sdcard/*/x"]', "`folders` holds absolute paths"),
        ('ignore = ["sdcard"]', "`ignore` holds globs"),
        ("budget = 0", "`budget` is a number from 0.1 to 60"),
        ("hash_below = -1", "`hash_below` is a whole number from 0"),
        ("kind = []", "has no key `kind`"),
    ],
)
def test_mistakes_are_said_with_their_line(tmp_path: Path, line: str, said: str) -> None:
    file = tmp_path / "vsac.toml"
    file.write_text(f"[trace]\n{line}\n")
    with pytest.raises(ConfigError, match=rf"vsac.toml:2: .*{said}"):
        read_config(file)
