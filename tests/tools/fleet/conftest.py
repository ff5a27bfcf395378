"""Journals that several tests read."""

from pathlib import Path

import pytest

from tests.tools.fleet.journals import LABELS, record


@pytest.fixture(scope="session")
def journals(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with three journals, and the rules in its folder `rules`."""
    folder = tmp_path_factory.mktemp("journals")
    record(folder / "a.jsonl", LABELS)
    record(folder / "b.jsonl", ["Next", "Pay 5", "Pay 20"], device="phone-2")
    record(folder / "c.jsonl", ["Pay 5", "Pay 900", "Pay 900"], device="phone-3", end=False)
    return folder
