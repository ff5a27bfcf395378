"""The extension in a real VS Code: colours, mistakes, fixes and commands (skipped where it is not installed)."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.browser import NAMES, Page, browser
from tests.editors import programs
from tests.editors.code import CODE, EXTENSION, vscode

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not (CODE.exists() and EXTENSION.exists()), reason="scripts/editors has not installed VS Code"
    ),
    pytest.mark.skipif(browser() is None, reason=f"none of {', '.join(NAMES)} is installed"),
]


COLOURS = """\
text => getComputedStyle(
  [...document.querySelectorAll('.view-line span span')].find(span => span.textContent.includes(text))
).color"""
NOTES = (
    "[...document.querySelectorAll('.notification-list-item-message')].map(note => note.textContent).join()"
)


@contextmanager
def opened(folder: Path, program: str) -> Iterator[Page]:
    """A program with a mistake."""
    file = folder / "project" / "a.vsa"
    file.parent.mkdir()
    file.write_text(programs.WRONG, encoding="utf-8")
    with vscode(folder, file, program) as page:
        yield page


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("code")


@pytest.fixture(scope="module")
def page(folder: Path) -> Iterator[Page]:
    with opened(folder, str(programs.own_vsac(folder))) as page:
        yield page


def test_words_have_colours_of_their_own(page: Page) -> None:
    """Of the TextMate grammar: a licence, a text and a comment differ."""
    page.until(f"new Set(['allow', 'yes', 'comment'].map({COLOURS})).size == 3")


def test_a_mistake_is_underlined_and_counted(page: Page) -> None:
    page.until("document.querySelector('.squiggly-error')")
    page.until("document.querySelector('#status\\\\.problems').textContent.trim().startsWith('1')")


def test_commands_start_the_server_again_and_show_its_output(page: Page, folder: Path) -> None:
    page.until("document.querySelector('.squiggly-error')")
    starts = (folder / "bin" / "vsac.starts").read_text()
    for command in ("vsa: Restart the language server", "vsa: Show the output of the language server"):
        page.call("Input.dispatchKeyEvent", type="rawKeyDown", key="F1", code="F1", windowsVirtualKeyCode=112)
        page.until("document.activeElement.closest('.quick-input-widget')")
        page.call("Input.insertText", text=command)
        page.until(
            f"document.querySelector('.quick-input-list .focused')?.textContent.includes('{command[5:]}')"
        )
        page.press("Enter")
        page.until("!document.activeElement.closest('.quick-input-widget')")
    page.until("document.querySelector('.part.panel')?.textContent.includes('vsalang')")
    page.until("document.querySelector('.squiggly-error')")
    assert (folder / "bin" / "vsac.starts").read_text() == starts + "\n"


def test_without_the_server_it_says_what_to_do(tmp_path: Path) -> None:
    with opened(tmp_path, "vsac-is-not-here") as page:
        page.until(f"{NOTES}.includes(\"pip install 'vsalang[lsp]'\")")
        page.until(f"new Set(['allow', 'yes', 'comment'].map({COLOURS})).size == 3")
