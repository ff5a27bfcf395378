"""How far a long run is: for people on a terminal only, and gone at the end."""

import io
import sys
from pathlib import Path

import pytest

from vsalang.tools.cli import progress
from vsalang.tools.cli.main import run
from vsalang.tools.cli.progress import Progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def watched(monkeypatch: pytest.MonkeyPatch, stream: io.StringIO, patience: float = -1.0) -> None:
    """Let standard error be this stream. (Not a fixture: pytest puts its own in place before each test.)"""
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setattr(progress, "PATIENCE", patience)


def test_it_counts_and_goes_away(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    watched(monkeypatch, terminal)
    assert list(Progress(3, "files").over("abc")) == ["a", "b", "c"]
    lines = [line.partition("\x1b[2K")[2].strip() for line in terminal.getvalue().split("\r")]
    assert [line[-9:] for line in lines if line] == ["1/3 files", "2/3 files"]
    assert lines[-1] == ""


def test_short_runs_show_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    watched(monkeypatch, terminal, 60.0)
    list(Progress(3, "files").over("abc"))
    list(Progress(1, "files").over("a"))
    assert terminal.getvalue() == ""


def test_nothing_where_nobody_watches(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.StringIO()
    watched(monkeypatch, stream)
    list(Progress(3, "files").over("abc"))
    assert stream.getvalue() == ""


@pytest.mark.parametrize("command", ["test", "check", "lint"])
def test_long_runs_say_how_far_they_are(
    command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    terminal = Terminal()
    watched(monkeypatch, terminal)
    files = []
    for number in range(3):
        path = tmp_path / f"s{number}.vsa"
        path.write_text(
            f'spec s{number} "Say yes"\nallow answer(text = "yes").\ndone when answer earlier.\n'
            'test "no" {\n  finish => block.\n}\n'
        )
        files.append(str(path))
    assert run([command, *files]) == 0
    assert "1/3 files" in terminal.getvalue()
    assert terminal.getvalue().endswith("\x1b[2K")
    assert "\x1b[2K" not in capfd.readouterr().out
