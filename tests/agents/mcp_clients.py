"""Clients of ``vsac mcp``: of a command in this process, and of a process of its own."""

import asyncio
import contextlib
import os
import sys
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import anyio
import pytest
from mcp import Client, StdioServerParameters
from mcp.server.stdio import stdio_server

from tests.commands import ROOT, vsac
from vsalang.agents.mcp import PhoneSession, server

Talk = Callable[[Client], Awaitable[None]]


def talk(
    folder: Path, what: Talk, *args: object, era: str = "legacy", elicit: Any = None
) -> CompletedProcess[str]:
    """Run ``vsac mcp`` in a folder and talk to its server, which stays in this process.

    Returns what it printed.
    """
    failed: list[BaseException] = []

    def serve(session: PhoneSession, *, version: str, ask: bool) -> None:
        async def run() -> None:
            async with Client(
                piped(session, version, ask), mode=era, elicitation_callback=elicit, read_timeout_seconds=60
            ) as client:
                await what(client)

        try:
            asyncio.run(run())
        except BaseException as error:
            failed.append(error)
            raise

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(server, "serve", serve)
        said = vsac("mcp", *args, cwd=folder)
    if failed:
        raise failed[0]
    assert said.returncode == 0, said.stderr
    return said


@contextlib.asynccontextmanager
async def piped(session: PhoneSession, version: str, ask: bool) -> AsyncIterator[Any]:
    """A server in a thread of this process, as a transport of the library's client: pipes with a line a message."""
    (to_server, from_client), (to_client, from_server) = os.pipe(), os.pipe()

    def run() -> None:
        with os.fdopen(to_server, "rb") as lines, os.fdopen(from_server, "wb", 0) as write:
            server.Server(session, write.write, version=version, ask=ask).run(lines)

    thread = threading.Thread(target=run)
    thread.start()
    with (
        os.fdopen(to_client, encoding="utf-8") as read,
        os.fdopen(from_client, "w", encoding="utf-8") as said,
    ):
        # the library's transport for servers is one for clients, too: lines in, lines out
        async with stdio_server(anyio.wrap_file(read), anyio.wrap_file(said)) as streams:
            try:
                yield streams
            finally:
                said.close()
                await asyncio.to_thread(thread.join)


def talk_over_pipes(folder: Path, what: Talk, *args: object, era: str = "legacy") -> None:
    """Start ``vsac mcp`` in a folder, as clients do, and talk to it."""
    kept = {name: os.environ[name] for name in ("XDG_STATE_HOME", "XDG_CONFIG_HOME")}
    started = StdioServerParameters(
        command=sys.executable,
        args=["-m", "vsalang.tools.cli.main", "mcp", *map(str, args)],
        cwd=folder,
        env={"PYTHONPATH": str(ROOT), "HOME": str(folder), **kept},
    )

    async def run() -> None:
        async with Client(started, mode=era, read_timeout_seconds=60) as client:
            await what(client)

    asyncio.run(run())
