"""The example of the reference page is what the command prints."""

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from vsalang.program.vocabulary import VOCABULARY
from vsalang.screen.screen import MAX_ROWS, TreeScreen
from vsalang.screen.tree import MAX_BYTES, MAX_DEPTH, MAX_LABEL, MAX_NODES, Tree
from vsalang.tools.cli.facts import command

PAGE = (Path(__file__).parents[3] / "docs" / "reference" / "facts.md").read_text(encoding="utf-8")


def test_the_examples_of_the_reference(tmp_path, monkeypatch) -> None:
    (xml,) = re.findall(r"```xml\n(.*?)```", PAGE, re.S)
    (state,) = re.findall(r"```json\n(.*?)```", PAGE, re.S)
    (tmp_path / "welcome.xml").write_text(xml, encoding="utf-8")
    (tmp_path / "state.json").write_text(state, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    runs = [
        run
        for console in re.findall(r"```console\n(.*?)```", PAGE, re.S)
        for run in re.findall(r"^\$ vsac screen facts (.*)\n((?:(?!\$).*\n)*)", console, re.M)
        if "--app" not in run[0]  # what a tap is to a module: tests/tools/cli/test_read.py
    ]
    assert len(runs) == 4
    for args, expected in runs:
        result = CliRunner().invoke(command, args.split())
        assert (result.exit_code, result.stdout) == (0, expected)


def test_the_python_of_the_reference(capsys: pytest.CaptureFixture[str]) -> None:
    scripts = re.findall(r"```python\n(.*?)```", PAGE, re.S)
    (expected,) = re.findall(r"```output\n(.*?)```", PAGE, re.S)
    assert len(scripts) == 2
    for script in scripts:
        exec(compile(script, "facts.md", "exec"), {})
    assert capsys.readouterr().out == "Pay 1\n" + expected


def test_the_reference_names_every_relation_and_limit() -> None:
    for relation in TreeScreen(Tree((), (), 0)).relations() & set(VOCABULARY):
        assert relation in PAGE, relation
    for limit in (MAX_NODES, MAX_DEPTH, MAX_ROWS, MAX_LABEL):
        assert f"{limit:,}" in PAGE
    assert f"{MAX_BYTES >> 20} MiB" in PAGE
