"""Only regular files are read: a pipe, a device or a socket would be read for ever."""

import ast
import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests import processes
from tests.house import nodes, trees
from vsalang.base.source.opening import NotRegular, open_regular, read_regular, why_unread

posix = pytest.mark.skipif(os.name != "posix", reason="pipes and devices are POSIX's")


@pytest.fixture(autouse=True)
def ends() -> Iterator[None]:
    """A reader that waits for ever fails the test instead of stopping it."""
    if os.name != "posix":
        yield
        return

    def late(*_: object) -> None:
        raise AssertionError("it waits for ever")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(60)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


def odd(kind: str, folder: Path, name: str) -> Path:
    """A path of that name which is not a regular file."""
    path = folder / name
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "device":
        path.symlink_to("/dev/zero")
    else:
        path.mkdir()
    return path


def test_a_file_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"x" * 10)
    with open_regular(path) as stream:
        assert stream.read() == b"x" * 10
    assert read_regular(path, 10) == b"x" * 10
    with pytest.raises(OSError, match="larger"):
        read_regular(path, 9)
    with pytest.raises(FileNotFoundError):
        open_regular(tmp_path / "b")


@posix
@pytest.mark.parametrize(
    "kind, words", [("pipe", "named pipe"), ("device", "device"), ("folder", "directory")]
)
def test_nothing_else_is(tmp_path: Path, kind: str, words: str) -> None:
    with pytest.raises(NotRegular, match=f"{words}, and only regular files are read"):
        open_regular(odd(kind, tmp_path, "x"))


@posix
def test_what_was_handed_over_is_read(tmp_path: Path) -> None:
    """`/dev/stdin` and `<(..)` are what the caller of a command gave to it."""
    read, write = os.pipe()
    os.write(write, b"spec")
    os.close(write)
    try:
        assert read_regular(f"/dev/fd/{read}", 10, handed_over=True) == b"spec"
        with pytest.raises(NotRegular):
            read_regular(f"/dev/fd/{read}", 10)
        with pytest.raises(NotRegular):
            read_regular(f"/dev/../dev/fd/{read}", 10, handed_over=True)
    finally:
        os.close(read)


def _readers() -> dict[str, tuple[str, Callable[[Path], Any]]]:
    """Every function that reads a file that a user names, and a name for such a file."""
    from vsalang.agents.reporting import Client
    from vsalang.agents.reporting.access import read_connection
    from vsalang.agents.script import ScriptedAgent
    from vsalang.agents.walks import read_walks
    from vsalang.agents.walks.files import read_text as walk_text
    from vsalang.base.config import config_for
    from vsalang.base.source import read_source
    from vsalang.guard.journal.file import Journal, read_journal
    from vsalang.phone.sim.paint_recorded import _picture
    from vsalang.phone.sim.toml import read_text as phone_text
    from vsalang.program.ir import Program
    from vsalang.screen.tree import read_tree
    from vsalang.tools.ask.expectations import read_expectations

    program: Any = Program.__new__(Program)
    return {
        "source": ("a.vsa", read_source),
        "configuration": ("vsac.toml", lambda path: config_for(path.parent / "a.vsa")),
        "dump": ("a.xml", read_tree),
        "script": ("a.jsonl", lambda path: ScriptedAgent.read(path, program)),
        "walk": ("a.jsonl", read_walks),
        "part of a walk": ("a.txt", walk_text),
        "expectations": ("a.json", read_expectations),
        "phone": ("phone.toml", phone_text),
        "picture": ("a.png", _picture),
        "journal": ("a.jsonl", lambda path: list(read_journal(path))),
        "journal to go on": ("a.jsonl", Journal.reopen),
        "tokens": ("a.json", read_connection),
        "tokens of a client": ("a.json", Client.from_file),
    }


@posix
@pytest.mark.parametrize("kind", ["pipe", "device"])
@pytest.mark.parametrize("reader", list(_readers()))
def test_every_reader_refuses_pipes_and_devices(tmp_path: Path, reader: str, kind: str) -> None:
    name, read = _readers()[reader]
    with pytest.raises(Exception, match="only regular files are read") as raised:
        read(odd(kind, tmp_path, name))
    assert not isinstance(raised.value, AssertionError)


@posix
def test_feedback_is_not_written_to_a_pipe(tmp_path: Path) -> None:
    """Whether somebody reads it or not."""
    from vsalang.phone.gate.telling import FeedbackFile

    path = odd("pipe", tmp_path, "a.jsonl")
    with pytest.raises(OSError):
        FeedbackFile(path)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        with pytest.raises(NotRegular):
            FeedbackFile(path)
    finally:
        os.close(reader)


@posix
@pytest.mark.parametrize(
    "command", [["check"], ["fmt", "--check"], ["lint"], ["facts"], ["show"], ["replay"]]
)
def test_commands_say_what_is_wrong(tmp_path: Path, command: list[str]) -> None:
    path = odd("pipe", tmp_path, "a.vsa")
    ran = processes.run(["-m", "vsalang.tools.cli.main", *command, str(path)])
    assert ran.returncode not in (0, None)
    assert "named pipe, and only regular files are read" in " ".join((ran.stdout + ran.stderr).split())
    assert "Traceback" not in ran.stderr


@posix
def test_standard_input_by_its_name(tmp_path: Path) -> None:
    ran = processes.run(["-m", "vsalang.tools.cli.main", "check", "/dev/stdin"], input='module a "A."\n')
    assert ran.returncode == 0, ran.stdout + ran.stderr


_OWN = {
    "tools/scaffold/project.py": "a file that is made, and a template of the package",
    "phone/jar.py": "a file of an installed package",
    "engine/pydatalog/text.py": "a script that is printed, and runs without vsalang",
    "phone/gate/isolation.py": "a file of /proc",
    "program/phrases/__init__.py": "a file of the package",
    "screen/forms/words.py": "a file of the package",
    "agents/maps/pddl/downward.py": "what a planner wrote into a folder of ours, each file limited in size",
    "base/project.py": "what the installer wrote",
    "base/templates.py": "a file of the package",
    "base/source/private.py": "what is written, also to what is not a file, such as /dev/stdout",
}
"""Which modules open files by themselves, and what those files are."""


def _opens(tree: ast.AST) -> Iterator[int]:
    for node in nodes(tree):
        if not isinstance(node, ast.Call):
            continue
        match node.func:
            case ast.Attribute(attr="read_text" | "read_bytes"):
                yield node.lineno
            case ast.Name(id="open") | ast.Attribute(value=ast.Name(id="io"), attr="open"):
                yield node.lineno
            case ast.Attribute(attr="open") if any(
                isinstance(arg, ast.Constant)
                and isinstance(arg.value, str)
                and set(arg.value) <= set("rwxabt+")
                for arg in node.args
            ):
                yield node.lineno


@pytest.mark.slow
def test_files_are_opened_in_one_place() -> None:
    """A new reader uses `open_regular` too."""
    found = {
        f"{name}:{line}"
        for name, tree in trees("open(", "read_text", "read_bytes").items()
        for line in _opens(tree)
        if name not in {*_OWN, "base/source/opening.py"}
    }
    assert not found


def test_why_a_file_was_not_read_names_no_number(tmp_path: Path) -> None:
    with pytest.raises(OSError) as missing:
        open_regular(tmp_path / "a")
    assert why_unread(missing.value) == "no such file or directory"
    with pytest.raises(UnicodeDecodeError) as odd_bytes:
        b"\xff".decode("utf-8")
    assert why_unread(odd_bytes.value) == "not UTF-8: invalid start byte"
