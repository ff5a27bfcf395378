"""The examples of the pages on `vsac query` and `vsac query -i` say what comes out."""

import re
import shlex
from pathlib import Path

import pytest

from tests.pages import section
from vsalang.tools.ask.console import Console
from vsalang.tools.cli.main import run
from vsalang.tools.cli.repl import _load, _render

QUESTION = "`vsac query`"
DIALOGUE = "`vsac query -i`"
_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(page: str, language: str) -> list[str]:
    text = section("ask", page)
    return [found[2] for found in _BLOCK.finditer(text) if found[1] == language]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The files of the page."""
    for name, language in (("basket.vsa", "vsa"), ("screen.xml", "xml"), ("more.vsa", "text")):
        (tmp_path / name).write_text(blocks(QUESTION, language)[0], encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_what_the_query_page_shows(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shown = "".join(blocks(QUESTION, "console"))
    found = []
    for line in shown.splitlines():
        if line.startswith("$ vsac "):
            assert run(shlex.split(line)[2:]) in (0, 1)
            found.append(f"{line}\n{capsys.readouterr().out}")
    assert len(found) == 6
    assert "".join(found) == shown


def test_the_module_of_the_page_is_right(folder: Path) -> None:
    assert run(["check", "basket.vsa"]) == 0
    assert run(["test", "basket.vsa"]) == 0


def test_what_the_repl_page_shows(folder: Path) -> None:
    (dialogue, out_of_a_pipe) = blocks(DIALOGUE, "console")
    console = Console(_load, _render)
    console.feed(":load basket.vsa")
    found = []
    for line in dialogue.splitlines():
        if line.startswith("vsa> "):
            found += [line, *console.feed(line.removeprefix("vsa> "))]
    assert "\n".join(found) + "\n" == dialogue
    piped = Console(_load, _render)
    lines = [
        text
        for typed in (":load basket.vsa", ":state three", "count(Item) = ?n")
        for text in piped.feed(typed)
    ]
    assert "\n".join(lines) + "\n" == out_of_a_pipe.partition("\n")[2]


def test_the_repl_page_lists_every_command() -> None:
    from vsalang.tools.ask.console import COMMANDS

    text = section("ask", DIALOGUE)
    assert {name for name in COMMANDS if f"`:{name}" not in text} == set()
