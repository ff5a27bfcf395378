"""`python -m benchmarks.measure` for tests."""

from collections.abc import Callable
from subprocess import CompletedProcess

import pytest

from tests import commands


@pytest.fixture(scope="session")
def measure() -> Callable[..., CompletedProcess[str]]:
    """The command in this process: see `tests.commands.measure`."""
    return commands.measure
