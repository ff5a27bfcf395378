"""Questions on a terminal: waiting for one, and the code that it asks for."""

import os
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

QUESTION = r"Type ([a-z0-9]{4}) to agree; anything else is a no"


def spawn(args: Sequence[str], **options: Any) -> Any:
    """Start Python with these arguments on a terminal of its own."""
    import pexpect

    return pexpect.spawn(
        sys.executable, list(args), timeout=60, encoding="utf-8", dimensions=(40, 300), **options
    )


def code(terminal: Any) -> str:
    """Wait for a question; the code that it asks for."""
    terminal.expect(QUESTION)
    return str(terminal.match.group(1))


def without_terminal(command: Sequence[str], **options: Any) -> "subprocess.CompletedProcess[str]":
    """Run a command that has no terminal, wherever the tests run."""
    return subprocess.run(
        list(command), capture_output=True, text=True, timeout=120, check=False, start_new_session=True,
        env={**os.environ, **options.pop("env", {})}, **options,
    )  # fmt: skip
