"""The pages of commands: each command has its table of options, written by the script, and sections of its own."""

import re
from pathlib import Path

import click
import pytest

from scripts import command_pages
from tests.pages import DOCS, anchors
from vsalang.tools.cli.families import Entry, every
from vsalang.tools.cli.main import imported

COMMANDS = dict(every())
TABLES = "".join(
    found[0]
    for path in sorted((DOCS / "commands").glob("*.md"))
    for found in command_pages._MARKS.finditer(path.read_text(encoding="utf-8"))
)


@pytest.mark.parametrize("words", COMMANDS)
def test_every_option_stands_in_its_table(words: str) -> None:
    marked = re.search(rf"^    vsac {words}(?: .*)?\n\n((?:\|.*\n)*)", TABLES, re.M)
    assert marked is not None, "the page has no usage of it"
    named = set(re.findall(r"(?<=`)--?[\w-]+", marked[1]))
    options = {
        name
        for option in imported(words, COMMANDS[words]).params
        if isinstance(option, click.Option) and not option.hidden
        for name in (*option.opts, *option.secondary_opts)
    }
    assert options <= named


def test_every_command_is_listed_with_its_section() -> None:
    index = (DOCS / "commands" / "index.md").read_text(encoding="utf-8")
    listed = dict(re.findall(r"^\| \[`vsac ([^`]+)`\]\(([^)]*)\)", index, re.M))
    assert listed.keys() == COMMANDS.keys()
    for target in listed.values():
        page, _, anchor = target.partition("#")
        assert anchor in anchors((DOCS / "commands" / page).read_text(encoding="utf-8")), target


@click.command()
@click.argument("spec")
@click.option("-o", "--out", metavar="A|B", required=True, help="Where to write.")
@click.option("--level", type=click.Choice(["low", "high"]), default="low", help="How much.")
@click.option("--day", type=click.DateTime(["%Y-%m-%d"]), multiple=True, help="A day. [default: today]")
@click.option("--fast/--slow", help="Hurry.")
def example(**_: object) -> None:
    """An example."""


def test_what_a_table_says() -> None:
    assert command_pages._table(example).splitlines()[2:] == [
        "| `--out A or B`, `-o A or B` | Where to write. Required. |",
        "| `--level NAME` | How much. One of `low`, `high`. Default: `low`. |",
        "| `--day DATE` | A day. Default: today. May be given several times. |",
        "| `--fast`, `--slow` | Hurry. |",
    ]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A family with one command, and the page of all commands."""
    monkeypatch.setattr(command_pages, "FOLDER", tmp_path)
    monkeypatch.setattr(command_pages, "GROUPS", {"Write": {"explain": Entry("explain", "Say it.")}})
    (tmp_path / "index.md").write_text("<!-- all commands -->\n<!-- end of commands -->\n", encoding="utf-8")
    return tmp_path


def written(folder: Path) -> str:
    for path, text in command_pages.pages().items():
        path.write_text(text, encoding="utf-8")
    return (folder / "write.md").read_text(encoding="utf-8")


def test_new_command_gets_a_section(folder: Path) -> None:
    text = written(folder)
    assert text.startswith("# Write\n\n## `vsac explain`\n\nSay it.\n")
    assert "    vsac explain [OPTIONS] [CODE]" in text


def test_words_around_tables_stay(folder: Path) -> None:
    first = written(folder)
    (folder / "write.md").write_text(f"{first}\nBy hand.\n".replace("Say it.", "Mine."), encoding="utf-8")
    second = written(folder)
    assert second == f"{first}\nBy hand.\n".replace("Say it.", "Mine.")
    assert second == written(folder)


@pytest.mark.parametrize(
    ("more", "reason"),
    [("vsac nothing", "does not exist"), ("vsac explain", "is there twice")],
)
def test_wrong_marks_are_refused(folder: Path, more: str, reason: str) -> None:
    text = written(folder)
    (folder / "write.md").write_text(
        f"{text}\n<!-- options of {more} -->\n<!-- end of options -->\n", encoding="utf-8"
    )
    with pytest.raises(ValueError, match=reason):
        command_pages.pages()
