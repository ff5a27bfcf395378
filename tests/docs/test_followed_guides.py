"""Guides as their readers follow them: the files that a page shows, its commands, and what these print.

A block with a title is a file, or what is added to one that is there: ` ```vsa title="task.vsa" `. A block `console`
holds commands (`$ vsac ..`, `$ python FILE`) and what they print, on standard output; a command without output is only
run. With UPDATE_DOCS=1 in the environment the outputs are written again.
"""

import os
import re
import shlex
import sys
from pathlib import Path

import pytest

from tests import processes
from tests.commands import vsac
from tests.digests import masked

ROOT = Path(__file__).resolve().parents[2]
_FILE = re.compile(r'^```\w+ title="([^"]+)"\n(.*?)^```$', re.MULTILINE | re.DOTALL)
_BLOCK = re.compile(r'^```(?:\w+ title="([^"]+)"|console)\n(.*?)^```$', re.MULTILINE | re.DOTALL)
_COMMAND = re.compile(r"^\$ (.*(?:\\\n.*)*)$", re.MULTILINE)
GUIDES = [
    page
    for page in [ROOT / "README.md", *sorted((ROOT / "docs" / "guides").glob("*.md"))]
    if _FILE.search(page.read_text(encoding="utf-8"))
]


def words_of(line: str, folder: Path) -> list[str]:
    """The words of a command line, with the names that its patterns stand for."""
    words = []
    for word in shlex.split(line.replace("\\\n", " ")):
        names = sorted(folder.glob(word)) if "*" in word and " " not in word else []
        words += [str(name.relative_to(folder)) for name in names] or [word]
    return words


def printed(line: str, folder: Path) -> str:
    """What a command prints on standard output; its exit status is 0 or 1."""
    program, *args = words_of(line, folder)
    if program == "vsac" and "--" not in args:
        result = vsac(*args, cwd=folder, COLUMNS=None, NO_COLOR="1", PYTHONUTF8="1")
    else:
        assert program in ("vsac", "python"), line
        start = ["-m", "vsalang.tools.cli.main", *args] if program == "vsac" else args
        path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
        env = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUTF8": "1", "NO_COLOR": "1", "PATH": path}
        result = processes.run(start, cwd=folder, env=env)
    assert result.returncode in (0, 1), f"{line}: {result.stderr}"
    # trailing blanks are nobody's to see; where the library is depends on the installation
    output = re.sub(r"[ \t]+$", "", result.stdout, flags=re.M)
    return masked(re.sub(r"[^\s]*/stdlib/std/", "stdlib/std/", output))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder in which the shipped examples are where they are in a clone."""
    (tmp_path / "docs").symlink_to(ROOT / "docs")
    (tmp_path / "app_specs").symlink_to(ROOT / "app_specs")
    return tmp_path


@pytest.mark.slow
@pytest.mark.parametrize("page", GUIDES, ids=lambda page: page.stem)
def test_guide_prints_what_it_shows(page: Path, folder: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for block in list(_BLOCK.finditer(text)):
        if block[1]:
            file = folder / block[1]
            file.parent.mkdir(parents=True, exist_ok=True)
            with file.open("a", encoding="utf-8") as added:
                added.write(("\n" if added.tell() else "") + block[2])
            continue
        new = ""
        commands = list(_COMMAND.finditer(block[2]))
        ends = [*(command.start() for command in commands[1:]), len(block[2])]
        assert commands, f"a console without a command: {block[2]}"
        for command, end in zip(commands, ends, strict=True):
            shown = block[2][command.end() + 1 : end]
            output = printed(command[1], folder)
            new += f"$ {command[1]}\n" + (output if shown else "")
        if new != block[2]:
            assert os.environ.get("UPDATE_DOCS") == "1", (
                f"{page.name} shows\n{block[2]}and this is printed\n{new}"
            )
            text = text.replace(block[0], f"```console\n{new}```", 1)
    if text != page.read_text(encoding="utf-8"):
        page.write_text(text, encoding="utf-8")


@pytest.mark.parametrize("page", GUIDES, ids=lambda page: page.stem)
def test_readers_see_the_name_of_each_file(page: Path) -> None:
    """The titles of blocks do not show everywhere, so the line above has the name."""
    text = page.read_text(encoding="utf-8")
    for block in _FILE.finditer(text):
        above = text[: block.start()].rstrip().rpartition("\n")[2]
        assert block[1] in re.findall(r"`([^`]+)`", above), (block[1], above)


def test_the_guides_are_followed() -> None:
    assert {"README", "any-app", "app-chapters", "five-dumps", "frameworks", "refusals"} == {
        page.stem for page in GUIDES
    }
