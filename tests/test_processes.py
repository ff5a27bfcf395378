"""Processes that are forked do what Python does that is started."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests import processes


@pytest.mark.parametrize(
    "text",
    [
        "print('a', input(), __name__, sys.argv[1:], os.environ['GIVEN'], os.getcwd())",
        "sys.exit(3)",
        "sys.exit('why')",
        "1 / 0",
        "raise KeyboardInterrupt",
        "os.kill(os.getpid(), signal.SIGTERM)",
        "import atexit; atexit.register(print, 'end'); print('begin')",
        "import threading; print('early'); threading.Timer(0.01, print, ['late']).start()",
        "import weakref; a = type('A', (), {})(); weakref.finalize(a, print, 'gone')",
        "import warnings, logging; warnings.warn('w'); logging.warning('l')",
        "print(sys.stdin.isatty(), sys.stdout.line_buffering, sys.stderr.errors, sys.stdout.encoding)",
        "print(sorted(os.listdir('/proc/self/fd')))",
    ],
)
def test_a_program_does_what_it_does(text: str, tmp_path: Path) -> None:
    words = ["-c", f"import os, signal, sys\n{text}", "one", "two"]
    env = {**os.environ, "GIVEN": "yes"}
    real = subprocess.run(
        [sys.executable, *words], input="line\n", cwd=tmp_path, env=env, capture_output=True, text=True
    )
    forked = processes.run(words, input="line\n", cwd=tmp_path, env=env)
    assert (forked.returncode, forked.stdout) == (real.returncode, real.stdout)
    # Python 3.13 shows the lines of a text, too
    assert forked.stderr.splitlines()[-1:] == real.stderr.splitlines()[-1:]
    assert str(processes.__file__) not in forked.stderr


def test_files_and_modules(tmp_path: Path) -> None:
    file = tmp_path / "program.py"
    file.write_text("import sys, other\nprint(sys.argv, other.x, __file__)\n")
    (tmp_path / "other.py").write_text("x = 5\n")
    assert processes.run([file, "a"]).stdout == f"{[str(file), 'a']} 5 {file}\n"
    assert processes.run(["-m", "program"], cwd=tmp_path).stdout == f"{[str(file)]} 5 {file}\n"
    assert processes.run(["-m", "vsalang.tools.cli.main", "--version"]).stdout.startswith("vsac ")


def test_it_is_a_process() -> None:
    with processes.Process(["-c", "input()"], stdin=processes.PIPE, text=True) as process:
        assert process.pid not in (0, os.getpid())
        assert process.poll() is None
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(0.01)
        process.kill()
        assert process.wait(60) == -signal.SIGKILL
        process.kill()  # nothing happens to others


def test_children_are_told_apart() -> None:
    """Neither random numbers nor what one does to itself is another's."""
    text = "import random, os; print(random.random(), os.environ.get('X')); os.environ['X'] = '1'"
    said = {processes.run(["-c", text]).stdout for _ in range(3)}
    assert len(said) == 3
    assert all(line.endswith(" None\n") for line in said)
