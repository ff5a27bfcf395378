"""What the tests of the guard share."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.guard.breakable import Session


@pytest.fixture
def made(tmp_path: Path) -> Iterator[Session]:
    """A session with a journal, on the page with the slot."""
    session = Session(tmp_path)
    yield session
    session.journal.close()
