"""Recorded runs that several tests read."""

import contextlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from vsalang.journal.file import TornJournal, read_journal

ROOT = Path(__file__).resolve().parents[2]
SPEC = "app_specs/examples/reserve_r.vsa"
AGENT = "app_specs/examples/reserve_r.agent.jsonl"


def kept(path):
    """The head of a journal is kept as if a guard had written all its whole lines here."""
    from vsalang.journal.heads import Head, Heads

    heads = Heads(path, force=False)
    known = []
    with contextlib.suppress(TornJournal):
        known.extend(Head(record.number, record.hash) for record in read_journal(path))
    heads.prepare(known[-1])
    heads.settle()
    return path


def vsac(*args, cwd=ROOT, **env):
    command = [sys.executable, "-m", "vsalang.cli.main", *map(str, args)]
    return subprocess.run(
        command,
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(ROOT), "COLUMNS": "100", "NO_COLOR": "1", **env},
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        timeout=120,
        check=False,
    )


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
