"""Sessions that are served."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

pytest.importorskip("aiohttp", reason="the extra `server` is not installed")

from tests.agents.reporting.bank import BANK, NOTES, program, reported
from vsalang.agents.reporting import Client, Endpoint, ReportedGuard, Service, Tokens
from vsalang.program.ir import Program


@pytest.fixture(scope="session")
def rent(tmp_path_factory: pytest.TempPathFactory) -> Program:
    return program(tmp_path_factory.mktemp("rent"))


@pytest.fixture
def guard(rent: Program) -> ReportedGuard:
    return reported(rent)


Serve = Callable[..., Endpoint]


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Starts endpoints and stops them after the test."""
    open_: list[Endpoint] = []

    def start(guard: ReportedGuard, *, tokens: Tokens | None = None, **more: Any) -> Endpoint:
        endpoint = Endpoint(Service(guard), tokens or Tokens.new([BANK, NOTES]), **more).start()
        open_.append(endpoint)
        return endpoint

    yield start
    for endpoint in open_:
        endpoint.close()


def client(endpoint: Endpoint, package: str = BANK) -> Client:
    return Client(endpoint.url, endpoint.tokens.by_package[package])
