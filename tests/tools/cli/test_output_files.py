"""Files that commands write: in one piece, and nothing that is not a file is replaced."""

import os
import stat
from pathlib import Path

from vsalang.tools.cli.output import write_text


def test_a_pipe_is_written_to_and_stays(tmp_path: Path) -> None:
    """As a device does: a command that is told to write to /dev/null once put a file in its place."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        write_text(pipe, "page")
        assert os.read(reader, 10) == b"page"
    finally:
        os.close(reader)
    assert stat.S_ISFIFO(pipe.stat().st_mode) and list(tmp_path.iterdir()) == [pipe]


def test_a_file_is_written_in_one_piece(tmp_path: Path) -> None:
    path = tmp_path / "page"
    path.write_text("before", encoding="utf-8")
    before = path.stat().st_ino
    write_text(path, "page")
    assert path.read_text(encoding="utf-8") == "page" and path.stat().st_ino != before
