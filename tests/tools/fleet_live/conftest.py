"""A fleet server on this machine, with two devices and a person of each role; a journal to send."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.tools.fleet_live.fleet import Fleet, Person, fleet_in, recorded
from vsalang.tools.fleet.live.server import running


@pytest.fixture(scope="session")
def journal(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A real session: allowed, blocked and warned actions."""
    path = tmp_path_factory.mktemp("journal") / "evening.jsonl"
    recorded(path)
    return path


@pytest.fixture
def unfinished(journal: Path, tmp_path: Path) -> Path:
    """The journal of a session that goes on."""
    path = tmp_path / "unfinished.jsonl"
    path.write_bytes(b"".join(journal.read_bytes().splitlines(keepends=True)[:-1]))
    return path


@pytest.fixture
def fleet(tmp_path: Path) -> Iterator[Fleet]:
    """A server that listens."""
    made = fleet_in(tmp_path / "fleet")
    with running(made.server_with()) as server:
        made.server = server
        yield made


@pytest.fixture
def fleet_with(tmp_path: Path) -> Iterator[Callable[..., Fleet]]:
    """Makes a server that listens, with other limits."""
    from contextlib import ExitStack

    with ExitStack() as stack:

        def make(**limits: float) -> Fleet:
            made = fleet_in(tmp_path / "fleet")
            made.server = stack.enter_context(running(made.server_with(**limits)))
            return made

        yield make


@pytest.fixture
def ana(fleet: Fleet) -> Person:
    """She may approve."""
    return fleet.person("ana")
