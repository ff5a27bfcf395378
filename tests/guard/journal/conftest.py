"""Recorded runs that several tests read."""

import contextlib
import functools
import shutil
from pathlib import Path

import pytest

from tests import commands
from vsalang.guard.journal.file import TornJournal, read_journal

ROOT = Path(__file__).resolve().parents[3]
SPEC = "app_specs/examples/reserve_r.vsa"
AGENT = "app_specs/examples/reserve_r.agent.jsonl"


def kept(path):
    """The head of a journal is kept as if a guard had written all its whole lines here."""
    from vsalang.guard.journal.journal_heads import Head, Heads

    heads = Heads(path, force=False)
    known = []
    with contextlib.suppress(TornJournal):
        known.extend(Head(record.number, record.hash) for record in read_journal(path))
    heads.prepare(known[-1])
    heads.settle()
    return path


vsac = functools.partial(commands.vsac, COLUMNS="100")


@pytest.fixture(scope="session")
def recorded(tmp_path_factory):
    """The journal of the demo, with a policy."""
    path = tmp_path_factory.mktemp("recorded") / "demo.jsonl"
    result = vsac(
        "run",
        SPEC,
        *("--device", "sim:restaurant", "--open", "com.opentable"),
        *("--agent", AGENT, "--policy", "app_specs/examples/payments.vsa", "--journal", path),
    )
    assert result.returncode == 0, result.stderr
    return path


@pytest.fixture
def demo(recorded, tmp_path):
    """A copy of it that a test may spoil."""
    return kept(Path(shutil.copy(recorded, tmp_path / "demo.jsonl")))
