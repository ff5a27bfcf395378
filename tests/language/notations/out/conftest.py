"""What the tests of the exporters share: the shipped programs, each loaded once."""

import functools
from collections.abc import Callable
from pathlib import Path

import pytest

from vsalang.language.semantics import load
from vsalang.program.ir import Program


@functools.cache
def _program(path: Path) -> Program:
    loaded = load(path)
    assert loaded.program is not None, [item.message for item in loaded.diagnostics]
    return loaded.program


@pytest.fixture(scope="session")
def shipped() -> Callable[[Path], Program]:
    """The program of a file that is known to be right."""
    return _program
