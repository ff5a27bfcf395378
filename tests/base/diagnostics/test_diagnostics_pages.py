"""Every code has a page, and every example of every code does what its page says."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from scripts import diagnostics_pages
from tests.pages import DOCS, pages
from vsalang.base.config import config_for
from vsalang.base.diagnostics.code import Code, example_files
from vsalang.base.diagnostics.codes import CODES
from vsalang.base.source import Source, SourceError
from vsalang.language.notations.into import App, ImportFailed, import_rules, import_schema

ROOT = Path(__file__).resolve().parents[3]

# No text shows these: something is too large, too slow, or the machine's fault.
_WITHOUT_EXAMPLE = {"E0002", "E0132", "E0134", "E0135", "E0217", "V0005", "V0007", "W0101"}
_ELSEWHERE = {
    # who runs the examples of the other codes
    "01": ROOT / "tests" / "language" / "syntax" / "test_messages_golden.py",
    "02": ROOT / "tests" / "language" / "semantics" / "test_codes.py",
    "03": ROOT / "tests" / "language" / "semantics" / "test_codes.py",
    "04": ROOT / "tests" / "language" / "semantics" / "test_codes.py",
    "05": ROOT / "tests" / "language" / "semantics" / "test_codes.py",
    "06": ROOT / "tests" / "language" / "semantics" / "test_codes.py",
    "V": ROOT / "tests" / "proof" / "solver" / "test_verify_command.py",
}
_SHELL = ("E0001", "E0003", "E0004", "E0005")
_JSON = ("E0010", "E0011", "E0012")
_CLAUSES = ("E0013", "E0014")
_TOML = ("E0020", "E0021", "E0022", "E0023")


def test_every_code_has_a_page() -> None:
    for entry in CODES.values():
        text = pages()[DOCS / "reference" / "diagnostics" / f"{entry.code}.md"]
        assert text.startswith(f"# {entry.code}: {entry.title}\n")


def test_the_index_lists_every_code_once() -> None:
    text = diagnostics_pages.index()
    assert [code for code in CODES if text.count(f"({code}.md)") != 1] == []


def test_every_code_has_examples_that_are_run() -> None:
    without = {entry.code for entry in CODES.values() if not (entry.example_bad and entry.example_good)}
    assert without == _WITHOUT_EXAMPLE
    for entry in CODES.values():
        if entry.example_bad:
            key = "V" if entry.code[0] == "V" else entry.code[1:3]
            assert entry.code in (*_SHELL, *_JSON, *_CLAUSES, *_TOML) or _ELSEWHERE[key].is_file()


@pytest.mark.parametrize("code", _JSON)
def test_examples_of_schemas(code: str) -> None:
    entry = CODES[code]
    with pytest.raises(ImportFailed) as failed:
        import_schema(Source.from_text(entry.example_bad, "a.json"))
    assert [item.code for item in failed.value.diagnostics] == [code]
    import_schema(Source.from_text(entry.example_good, "a.json"))


@pytest.mark.parametrize("code", _CLAUSES)
def test_examples_of_clauses(code: str, tmp_path: Path) -> None:
    entry = CODES[code]
    text = 'app clock package "com.example.clock"\nstate Timer { running: Bool }\nstate Alarm { on: Bool }\n'
    app = App(tmp_path / "clock.vsa", text)
    with pytest.raises(ImportFailed) as failed:
        import_rules(Source.from_text(entry.example_bad, "a.txt"), [app], place=tmp_path / "a.vsa")
    assert [item.code for item in failed.value.diagnostics] == [code]
    import_rules(Source.from_text(entry.example_good, "a.txt"), [app], place=tmp_path / "a.vsa")


@pytest.mark.parametrize("code", _TOML)
def test_examples_of_configurations(code: str, tmp_path: Path) -> None:
    entry = CODES[code]
    for text in (entry.example_bad, entry.example_good):
        for name, part in example_files(text, "vsac.toml").items():
            (tmp_path / name).write_text(part, encoding="utf-8")
        if text is entry.example_bad:
            with pytest.raises(SourceError) as failed:
                config_for(tmp_path / "a.vsa")
            assert failed.value.code == code
        else:
            assert config_for(tmp_path / "a.vsa").file == tmp_path / "vsac.toml"


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("sh") is None, reason="there is no POSIX shell")
@pytest.mark.parametrize("code", _SHELL)
def test_examples_of_commands(code: str, tmp_path: Path) -> None:
    _prepare(CODES[code], tmp_path)
    assert code in _shell(CODES[code].example_bad, tmp_path, 2)
    assert code not in _shell(CODES[code].example_good, tmp_path, 0)


def _prepare(entry: Code, folder: Path) -> None:
    """The files that an example needs."""
    text = 'module rules "Rules"\nlet Sold = "sold out".\n'
    (folder / "app_specs").mkdir()
    (folder / "app_specs" / "rules.vsa").write_text(text, encoding="utf-8")
    broken = {"E0003": text.encode("utf-16"), "E0004": text.replace("\n", "\n\0").encode()}
    (folder / "rules.vsa").write_bytes(broken.get(entry.code, text.encode()))
    vsac = folder / "bin" / "vsac"
    vsac.parent.mkdir()
    vsac.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m vsalang.tools.cli.main "$@"\n')
    vsac.chmod(0o755)


def _shell(command: str, folder: Path, status: int) -> str:
    path = f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
    result = subprocess.run(
        ["sh", "-c", command],
        cwd=folder,
        env={**os.environ, "PATH": path, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert result.returncode == status, result.stdout + result.stderr
    return result.stdout + result.stderr


def test_files_of_an_example() -> None:
    assert example_files("a\nb", "x.vsa") == {"x.vsa": "a\nb"}
    assert example_files("# file: a\n# file: b\nc\n", "x") == {"a": "", "b": "c\n"}
