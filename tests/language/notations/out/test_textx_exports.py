"""The exporters through textX's own command line."""

import json
import subprocess
from pathlib import Path

import pytest

from tests import processes

ROOT = Path(__file__).resolve().parents[4]
SPEC = ROOT / "app_specs" / "examples" / "reserve_r.vsa"

# What the entry points do, in a process of its own: they may not be installed where the tests run.
COMMAND = """
import sys
from textx import registration
from vsalang.tools.cli import textx_language
if "vsa" not in registration.language_descriptions():
    registration.register_language(textx_language.language)
known = registration.generator_descriptions().get("vsa", {})
it = textx_language
for each in (it.dot, it.screens, it.core, it.datalog, it.paper):
    if each.target not in known:
        registration.register_generator(each)
from textx.cli import textx
textx(sys.argv[1:])
"""


def textx(*args: str) -> subprocess.CompletedProcess[str]:
    return processes.run(["-c", COMMAND, *args], cwd=ROOT)


def test_generators_are_listed() -> None:
    result = textx("list-generators")
    listed = result.stdout + result.stderr
    for target in ("dot", "screens", "core", "datalog", "paper"):
        assert f"vsa -> {target}" in listed.replace("  ", " "), listed


@pytest.mark.parametrize(
    ("target", "file", "start"),
    [
        ("dot", "reserve_r.dot", 'digraph "reserve_r" {'),
        ("screens", "reserve_r.screens.dot", 'digraph "reserve_r" {'),
        ("core", "reserve_r.core.json", '{\n  "format": "vsa-core"'),
        ("datalog", "reserve_r.lp", "% Datalog of spec reserve_r"),
        ("paper", "reserve_r.clauses.txt", "# The clauses of spec reserve_r"),
    ],
)
def test_files_are_generated(target: str, file: str, start: str, tmp_path: Path) -> None:
    result = textx("generate", str(SPEC), "--target", target, "--output-path", str(tmp_path))
    assert result.returncode == 0, result.stdout + result.stderr
    text = (tmp_path / file).read_text(encoding="utf-8")
    assert text.startswith(start)
    if target == "core":
        assert json.loads(text)["main"] == "reserve_r"
    if target in ("datalog", "paper"):
        assert "not expressed" in result.stdout
    (tmp_path / file).write_text("mine")
    textx("generate", str(SPEC), "--target", target, "--output-path", str(tmp_path))
    assert (tmp_path / file).read_text(encoding="utf-8") == "mine"  # as textX does without --overwrite


def test_a_file_with_errors_generates_nothing(tmp_path: Path) -> None:
    bad = tmp_path / "a.vsa"
    bad.write_text("spec a\nallow answer(txt = 1).\ndone when answer earlier.\n", encoding="utf-8")
    result = textx("generate", str(bad), "--target", "dot")
    assert result.returncode != 0 and "[E0206]" in result.stdout + result.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["a.vsa"]
