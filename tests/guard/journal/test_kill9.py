"""Guards that are killed at random moments; `benchmarks/kill9.py` does it hundreds of times."""

import os

import pytest

from tests import processes
from tests.guard.journal.conftest import ROOT


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_nothing_is_forgotten_and_nothing_done_twice():
    result = processes.run([ROOT / "benchmarks" / "kill9.py", "--kills", "24"], timeout=300)
    assert result.returncode == 0, result.stderr + result.stdout
    assert "nothing forgotten, nothing done twice" in result.stdout
    assert "last record when killed: {}" not in result.stdout  # it was killed at work
