"""What the repository does not keep: its digests are up to date, and files that do not fit are not used."""

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from scripts import generate
from vsalang.base import generated, resources
from vsalang.language.syntax import grammar

ROOT = Path(__file__).parents[2]
posix = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="files have no owners and modes here")


@pytest.fixture
def environment(generated_files: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An environment of the test's own with all generated files."""
    folder = tmp_path / generated.FOLDER
    shutil.copytree(generated_files, folder)
    monkeypatch.setattr(generated, "environments", lambda: [folder])
    return folder


def table(environment: Path) -> Path:
    return environment / "grammars" / generated.digests()["grammars"] / grammar.COMPILED


def test_what_the_repository_keeps_is_up_to_date() -> None:
    assert [str(path) for path in generate.stale()] == [], "run python -m scripts.generate"


def test_the_repository_keeps_no_generated_file() -> None:
    for kind, patterns in generated.KINDS.items():
        assert [path for pattern in patterns for path in (ROOT / kind).glob(pattern)] == []


def test_every_generated_file_is_of_its_kind(environment: Path) -> None:
    """The patterns find all that is made, and nothing that the repository keeps."""
    for kind, made in generate.files().items():
        found = generated.find(kind)
        assert found is not None and found[1] == made
        assert found[0] == environment / kind / generated.digests()[kind]


def shown(node: Any) -> Any:
    """A node of the tree as plain data."""
    children = [shown(child) for child in node] if isinstance(node, list) else []
    return node.rule_name, node.position, node.position_end, children


def damage(file: Path) -> None:
    file.write_bytes(file.read_bytes().replace(b"Module", b"Modula", 1))


def lengthen(file: Path) -> None:
    file.write_bytes(file.read_bytes() + b"\n")


def empty(file: Path) -> None:
    file.write_bytes(b"")


@pytest.mark.parametrize("change", [damage, lengthen, empty, Path.unlink])
def test_a_changed_table_is_not_used(
    change: Callable[[Path], None], environment: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The grammar is read itself then, and means the same."""
    asked: list[str] = []
    rules = grammar.expressions()
    monkeypatch.setattr(grammar, "expressions", lambda: asked.append("textX") or rules)
    text = "spec s\ndone when finish.\n"
    wanted = shown(grammar._fast_matcher.__wrapped__().whole(text))
    assert not asked
    change(table(environment))
    assert generated.find("grammars") is None
    assert shown(grammar._fast_matcher.__wrapped__().whole(text)) == wanted
    assert asked


@pytest.mark.parametrize("name", ["reference/lint/L0001.md", "reference/lint/L9999.md"])
def test_pages_that_are_changed_or_more_are_not_used(name: str, environment: Path) -> None:
    folder = environment / "docs" / generated.digests()["docs"]
    (folder / name).write_text("# Another\n")
    assert generated.find("docs") is None


@posix
@pytest.mark.parametrize("mode", [0o020, 0o002])
@pytest.mark.parametrize("which", ["", "grammars", "grammars/{}", "grammars/{}/vsa.json"])
def test_what_others_can_write_is_refused(
    which: str, mode: int, environment: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = environment / which.format(generated.digests()["grammars"])
    assert generated.find("grammars") is not None
    place.chmod(place.stat().st_mode | mode)
    monkeypatch.setattr(generated, "_PACKAGE", closed(environment.parent / "package"))
    assert generated.find("grammars") is None


def closed(folder: Path) -> Path:
    """A folder like that of a package, which only its owner can write."""
    folder.mkdir(mode=0o755)
    return folder


@posix
def test_a_group_that_writes_the_package_may_write(
    environment: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As with the usual umask of a system that gives each user a group; all others must not."""
    package = closed(environment.parent / "package")
    package.chmod(0o775)
    monkeypatch.setattr(generated, "_PACKAGE", package)
    table(environment).chmod(0o664)
    assert generated.find("grammars") is not None
    table(environment).chmod(0o666)
    assert generated.find("grammars") is None


@posix
def test_links_and_files_of_others_are_refused(environment: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = table(environment)
    elsewhere = environment.parent / "elsewhere"
    file.rename(elsewhere)
    file.symlink_to(elsewhere)
    assert generated.find("grammars") is None
    file.unlink()
    elsewhere.rename(file)
    assert generated.find("grammars") is not None
    stranger = os.stat_result((*file.lstat()[:4], os.geteuid() + 1, *file.lstat()[5:]))
    lstat = Path.lstat
    monkeypatch.setattr(Path, "lstat", lambda path: stranger if path == file else lstat(path))
    assert generated.find("grammars") is None


def test_the_page_of_a_code(environment: Path) -> None:
    generated._pages.cache_clear()
    page = generated.page("reference/diagnostics/E0101.md")
    assert page.is_relative_to(environment) and page.read_text().startswith("# E0101: ")
    docs = resources.resource_dir("docs")
    assert generated.page("reference/guard.md") == docs / "reference" / "guard.md"
    page.write_text("another")
    generated._pages.cache_clear()
    assert generated.page("reference/diagnostics/E0101.md") == docs / "reference" / "diagnostics" / "index.md"
    generated._pages.cache_clear()


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "scripts.generate", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True)


def test_the_whole_documentation_is_written(tmp_path: Path) -> None:
    done = run(str(tmp_path / "site"))
    assert done.returncode == 0, done.stderr
    names = {path.relative_to(tmp_path / "site").as_posix() for path in (tmp_path / "site").rglob("*.md")}
    assert set(generate.pages()) < names and "reference/guard.md" in names
    again = run(str(tmp_path / "site"))
    assert again.returncode == 1 and "exists already; name a new folder" in again.stderr


def test_drift_is_reported(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert generate.main(["--check"]) == 0
    monkeypatch.setattr(grammar, "kept", lambda rules: "another")
    assert generate.main(["--check"]) == 1
    assert capsys.readouterr().err == (
        "grammars/generated.sha256 is not up to date: run python -m scripts.generate\n"
    )
    assert generate.main(["--what"]) == 2
