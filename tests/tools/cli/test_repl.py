"""``vsac query -i``: out of a pipe, at a prompt with keys from a pipe, and on a terminal."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests import processes
from tests.commands import vsac
from tests.terminals import spawn
from tests.tools.ask.places import SHOP, console

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(autouse=True)
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder with the shop."""
    (tmp_path / "shop.vsa").write_text(SHOP)
    monkeypatch.chdir(tmp_path)


def environment(folder: Path) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT), "XDG_STATE_HOME": str(folder / "state"), "PYTHONUTF8": "1"}


def piped(folder: Path, text: bytes, *args: str) -> "subprocess.CompletedProcess[bytes]":
    return processes.run(
        ["-m", "vsalang.tools.cli.main", "repl", *args],
        input=text,
        cwd=folder,
        env=environment(folder),
        text=False,
    )


def test_lines_out_of_a_pipe(tmp_path: Path) -> None:
    done = piped(tmp_path, b":state full\nItem(name = ?n,\n  price > 5)\n\n:quit\nItm\n", "shop.vsa")
    assert done.stderr == b""
    assert done.returncode == 0
    lines = done.stdout.decode().splitlines()
    assert lines[:6] == [
        "app shop  A shop",
        "3 tests: :state NAME takes the state of one",
        'the test "a full basket" of shop.vsa; 2026-04-01 12:00',
        "?n",
        '"Fig"',
        '"Nut"',
    ]
    assert lines[-1] == "the other 1 row likewise: :why explains all"
    assert b"vsa>" not in done.stdout
    assert b"\x1b" not in done.stdout


def test_a_line_that_cannot_be_answered(tmp_path: Path) -> None:
    done = vsac("query", "-i", "shop.vsa", cwd=tmp_path, input="Itm\n:foo\nItem")
    out = done.stdout
    assert done.returncode == 1
    assert "unknown relation `Itm`" in out
    assert "there is no command :foo" in out
    assert out.splitlines()[-1] == "no rows of Item are known"  # the last line has no end, and is answered
    assert done.stderr == ""


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["no.vsa"], "cannot read no.vsa"),
        (["shop.vsa", "--state", "no.xml"], "cannot read no.xml"),
        (["shop.vsa", "--state", "shop.vsa::nothing"], 'no test called "nothing"'),
        (["--state", "x.xml"], "--state needs FILE"),
    ],
)
def test_what_cannot_be_begun(tmp_path: Path, args: list[str], message: str) -> None:
    done = vsac("query", "-i", *args, cwd=tmp_path, input="Item\n")
    assert done.returncode == 2
    assert message in done.stdout + done.stderr
    assert "Traceback" not in done.stderr


def test_a_file_with_blanks_in_its_name(tmp_path: Path) -> None:
    (tmp_path / "my shop.vsa").write_text(SHOP)
    done = vsac("query", "-i", "my shop.vsa", cwd=tmp_path, input=":load 'my shop.vsa'\n:load 'my\n")
    out = done.stdout.splitlines()
    assert out[0] == out[2] == "app shop  A shop"
    assert out[-1] == "error: what is to be loaded: No closing quotation"


def test_bytes_that_are_no_text(tmp_path: Path) -> None:
    done = piped(tmp_path, b"Item\xff\nItem\n", "shop.vsa")
    assert done.returncode == 1
    assert done.stderr == b""
    assert b"internal error" not in done.stdout
    assert done.stdout.decode().splitlines()[-1] == "no rows of Item are known"


# ---------------------------------------------------------------- at a prompt

END = "\x04"


def typed(keys: str, history: Path | None = None) -> list[str]:
    """The answers to keys, one text for each question, until the keys end."""
    pytest.importorskip("prompt_toolkit")
    from prompt_toolkit.input import create_pipe_input
    from prompt_toolkit.output import DummyOutput

    from vsalang.tools.cli.repl_prompt import prompt_session

    dialogue = console()
    dialogue.feed(":load shop.vsa")
    found = []
    with create_pipe_input() as keyboard:
        keyboard.send_text(keys)
        session: Any = prompt_session(dialogue, history, "> ", ". ", input=keyboard, output=DummyOutput())
        while True:
            try:
                found.append(session.prompt())
            except EOFError:
                return found


def test_enter_asks_what_is_whole() -> None:
    assert typed(f"Item\r:rows Item\r{END}") == ["Item", ":rows Item"]


def test_enter_goes_on_where_a_bracket_is_open() -> None:
    assert typed(f"Item(name = ?n,\rprice > 3)\r{END}") == ["Item(name = ?n,\nprice > 3)"]


def test_a_second_enter_asks_in_any_case() -> None:
    assert typed(f"Item(\r\r{END}") == ["Item(\n"]


def test_what_was_typed_is_kept(tmp_path: Path) -> None:
    history = tmp_path / "state" / "history"
    typed(f"Item(name = ?n)\r{END}", history)
    assert "Item(name = ?n)" in history.read_text()
    assert (history.stat().st_mode & 0o777) == 0o600
    up = "\x1b[A"
    assert typed(f"{up}\r{END}", history) == ["Item(name = ?n)"]


def test_tab_completes() -> None:
    pytest.importorskip("prompt_toolkit")
    from prompt_toolkit.completion import CompleteEvent
    from prompt_toolkit.document import Document

    from vsalang.tools.cli.repl_prompt import VsaCompleter

    dialogue = console()
    dialogue.feed(":load shop.vsa")
    text = "Item(name = ?n, pri"
    (choice,) = VsaCompleter(dialogue).get_completions(Document(text, len(text)), CompleteEvent())
    assert (choice.text, choice.start_position) == ("price", -3)


def test_without_prompt_toolkit_it_still_asks(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from vsalang.tools.cli import repl

    monkeypatch.setitem(sys.modules, "vsalang.tools.cli.repl_prompt", None)
    lines = iter(["Item(name = ?n,", "price > 1)", ":quit"])
    monkeypatch.setattr("builtins.input", lambda prompt="": next(lines))
    dialogue = console()
    dialogue.feed(":load shop.vsa")
    dialogue.feed(":state full")
    repl._terminal(dialogue, "off")
    captured = capsys.readouterr()
    assert "pip install 'vsalang[repl]'" in captured.err
    assert '"Fig"' in captured.out


# ---------------------------------------------------------------- on a terminal


def test_on_a_terminal(tmp_path: Path) -> None:
    pexpect = pytest.importorskip("pexpect")
    pytest.importorskip("prompt_toolkit")
    child = spawn(
        ["-m", "vsalang.tools.cli.main", "repl", "shop.vsa", "--state", "shop.vsa::full"],
        cwd=tmp_path,
        env={**environment(tmp_path), "TERM": "xterm", "PROMPT_TOOLKIT_NO_CPR": "1"},
    )
    try:
        child.expect("a full basket")
        child.expect(":help lists the commands")
        child.expect("vsa>")
        child.send("Item(name = ?n, price > 10)\r")
        child.expect("1 row")
        child.expect("believed: Item")
        child.expect("vsa>")
        child.send("Itm\r")
        child.expect("unknown relation `Itm`")
        child.expect("vsa>")
        child.send("Item(\x03")  # Ctrl-C forgets the line
        child.expect("vsa>")
        child.send(":rows Dear\r")
        child.expect("2 rows")
        child.expect("vsa>")
        child.send("exit\r")
        child.expect(pexpect.EOF)
    finally:
        child.close()
    assert child.exitstatus == 0
    assert "Item(name = ?n, price > 10)" in (tmp_path / "state" / "vsalang" / "repl-history").read_text()
