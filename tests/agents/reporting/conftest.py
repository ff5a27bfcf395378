"""Sessions that are served."""

import socket
import threading
import time
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


def pass_time(endpoint: Endpoint, seconds: float) -> None:
    """The clock of an endpoint moves on: whatever has waited so long is over."""
    loop = endpoint._loop
    assert loop is not None
    done = threading.Event()

    def move() -> None:
        before = loop.time
        setattr(loop, "time", lambda: before() + seconds)  # noqa: B010
        done.set()

    loop.call_soon_threadsafe(move)
    assert done.wait(60)


def until(true: Callable[[], bool]) -> None:
    """Wait for what comes true soon, on a busy machine later."""
    for _ in range(6000):
        if true():
            return
        time.sleep(0.01)
    pytest.fail("it did not come true within a minute")


def given_up(endpoint: Endpoint, data: bytes) -> bytes:
    """What a peer hears that sends this and nothing more, while time passes for the endpoint, until it is closed."""
    with socket.create_connection(("127.0.0.1", endpoint.port), timeout=60) as connection:
        connection.sendall(data)
        connection.settimeout(0.02)
        parts = []
        for _ in range(3000):
            try:
                part = connection.recv(65536)
            except TimeoutError:
                pass_time(endpoint, 100)
                continue
            except ConnectionResetError:
                part = b""
            if not part:
                return b"".join(parts)
            parts.append(part)
    pytest.fail("the endpoint waits for ever")


def client(endpoint: Endpoint, package: str = BANK) -> Client:
    return Client(endpoint.url, endpoint.tokens.by_package[package])
