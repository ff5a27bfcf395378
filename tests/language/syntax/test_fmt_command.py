"""``vsac fmt``: what it writes, where, and its exit status."""

import os
import re
import stat
import subprocess
from pathlib import Path

import pytest

from tests import processes
from tests.pages import section
from vsalang.base.source import Source
from vsalang.language.semantics import check_text
from vsalang.language.syntax.formatting import format_source
from vsalang.tools.cli.main import run

BAD = 'spec a   "x"\nallow  A.\n'
GOOD = 'spec a "x"\nallow A.\n'


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "a.vsa"
    path.write_bytes(BAD.encode())
    return path


def piped(text: bytes, *args: str) -> subprocess.CompletedProcess[bytes]:
    return processes.run(["-m", "vsalang.tools.cli.main", "fmt", *args], input=text, text=False)


def test_writes_in_place_and_keeps_permissions(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.chmod(0o640)
    assert run(["fmt", str(file)]) == 0
    assert file.read_bytes() == GOOD.encode()
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    assert "reformatted" in capsys.readouterr().err
    assert [path.name for path in file.parent.iterdir()] == ["a.vsa"]


def test_a_file_of_words_in_one_style(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = file.with_name("a.words")
    words.write_bytes(b"// verbs\r\n\r\n\r\n  send ,~s// often\r\n\tlog   out\r\n")
    assert run(["fmt", "--check", str(file.parent)]) == 1
    assert str(words) in capsys.readouterr().err
    assert run(["fmt", str(words)]) == 0
    assert words.read_bytes() == b"// verbs\r\n\r\nsend, ~s  // often\r\nlog out\r\n"
    words.write_text("send\npay(s)\n")
    assert run(["fmt", str(words)]) == 2
    assert words.read_text() == "send\npay(s)\n"
    assert "E0152" in capsys.readouterr().err


def test_a_file_in_style_is_not_touched(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_text(GOOD)
    os.utime(file, (1, 1))
    assert run(["fmt", str(file)]) == 0
    assert file.stat().st_mtime == 1
    assert capsys.readouterr() == ("", "")


def test_a_folder_stands_for_the_files_in_it(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    below = file.parent / "below" / "deeper"
    hidden = file.parent / ".hidden"
    for folder in (below, hidden):
        folder.mkdir(parents=True)
        (folder / "b.vsa").write_text(BAD)
    (below / "other.txt").write_text(BAD)
    (below / ".c.vsa").write_text(BAD)
    assert run(["fmt", "--check", str(file.parent), str(file)]) == 1
    said = capsys.readouterr().err.splitlines()
    assert said == [f"would reformat {file}", f"would reformat {below / 'b.vsa'}"]
    assert run(["fmt", str(file.parent)]) == 0
    assert (below / "b.vsa").read_text() == file.read_text() == GOOD
    assert (hidden / "b.vsa").read_text() == (below / ".c.vsa").read_text() == BAD
    assert run(["fmt", "--check", str(file.parent)]) == 0


def test_a_folder_without_files_is_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["fmt", str(tmp_path)]) == 2
    assert f"there is no .vsa file in {tmp_path}" in capsys.readouterr().err


@pytest.mark.slow
def test_shipped_files_are_in_the_one_style(capsys: pytest.CaptureFixture[str]) -> None:
    root = Path(__file__).parents[3]
    folders = ("stdlib", "app_specs", "vsalang/models/encode/templates", "tests/stdlib")
    assert run(["fmt", "--check", *(str(root / folder) for folder in folders)]) == 0, capsys.readouterr().err


def test_a_link_stays_a_link(file: Path) -> None:
    link = file.with_name("b.vsa")
    link.symlink_to(file)
    assert run(["fmt", "-q", str(link)]) == 0
    assert link.is_symlink() and file.read_text() == GOOD


def test_check_writes_nothing(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["fmt", "--check", str(file)]) == 1
    assert file.read_text() == BAD
    assert "would reformat" in capsys.readouterr().err
    file.write_text(GOOD)
    assert run(["fmt", "--check", str(file)]) == 0


def test_diff_can_be_applied(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_text(BAD.rstrip("\n"))
    assert run(["fmt", "--diff", str(file)]) == 0
    out = capsys.readouterr().out
    assert out.splitlines() == [
        f"--- {file}",
        f"+++ {file} (formatted)",
        "@@ -1,2 +1,2 @@",
        '-spec a   "x"',
        "-allow  A.",
        "\\ No newline at end of file",
        '+spec a "x"',
        "+allow A.",
    ]
    assert run(["fmt", "--diff", "--check", str(file)]) == 1
    assert file.read_text() == BAD.rstrip("\n")


def test_coloured_diff_cannot_steer_the_terminal(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_text(BAD + "// \x1b[2J\n")
    assert run(["--color", "always", "fmt", "--diff", str(file)]) == 0
    out = capsys.readouterr().out
    assert "\x1b[31m-allow  A.\x1b[0m" in out and "\x1b[32m+allow A.\x1b[0m" in out
    assert "\x1b[2J" not in out and "<U+001B>[2J" in out


def test_a_file_that_does_not_parse_is_left(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wrong = file.with_name("wrong.vsa")
    wrong.write_text("spec a\nallow A\n")
    assert run(["fmt", str(wrong), str(file.with_name("none.vsa")), str(file)]) == 2
    assert wrong.read_text() == "spec a\nallow A\n"
    assert file.read_text() == GOOD
    shown = capsys.readouterr()
    assert "E01" in shown.err and "left as it is" in shown.err and "E0001" in shown.err
    assert shown.out == ""


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may write everything")
def test_a_file_that_cannot_be_written(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.chmod(0o444)
    assert run(["fmt", str(file)]) == 2
    assert file.read_text() == BAD
    assert "cannot write" in capsys.readouterr().err


def test_a_failed_write_leaves_the_file(
    file: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(self: Path, target: Path) -> Path:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", fail)
    assert run(["fmt", str(file)]) == 2
    assert file.read_text() == BAD
    assert [path.name for path in file.parent.iterdir()] == ["a.vsa"]
    assert "no space left" in capsys.readouterr().err


def test_standard_input() -> None:
    done = piped('spec a  "é"\r\n'.encode(), "-")
    assert (done.returncode, done.stdout, done.stderr) == (0, 'spec a "é"\r\n'.encode(), b"")
    done = piped(b"spec a\nallow A", "-")
    assert done.returncode == 2 and done.stdout == b"" and b"<stdin>" in done.stderr
    done = piped(BAD.encode(), "--check", "-")
    assert done.returncode == 1 and done.stdout == b""
    assert piped(GOOD.encode(), "--check", "-").returncode == 0


def test_the_example_of_the_page() -> None:
    page = section("write", "`vsac fmt`")
    before, after = re.findall(r"^```vsa\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    assert format_source(Source.from_text(before)) == after
    assert check_text(before).ok


def test_a_file_in_style_is_not_read_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was found to be so is kept by its text; what would change is said each time."""
    monkeypatch.setenv("VSALANG_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    read: list[str] = []

    def formatted(source: Source) -> str:
        read.append(source.file)
        return format_source(source)

    def would_change() -> list[str]:
        read.clear()
        status = run(["fmt", "--check", "."])
        lines = capsys.readouterr().err.splitlines()
        assert status == (1 if lines else 0)
        return [line.removeprefix("would reformat ") for line in lines]

    monkeypatch.setattr("vsalang.tools.cli.fmt.format_source", formatted)
    Path("a.vsa").write_text(GOOD, "utf-8")
    Path("b.vsa").write_text(BAD, "utf-8")
    assert would_change() == ["b.vsa"] and read == ["a.vsa", "b.vsa"]
    assert would_change() == ["b.vsa"] and read == ["b.vsa"]
    Path("a.vsa").write_text(BAD, "utf-8")
    assert would_change() == ["a.vsa", "b.vsa"] and read == ["a.vsa", "b.vsa"]
    assert run(["fmt", "."]) == 0 and run(["fmt", "--diff", "."]) == 0 and len(read) == 6
