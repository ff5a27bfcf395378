"""Clients of ``vsac mcp``: of a command in this process, through memory, and of a process, through pipes."""

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest
from mcp import Client, StdioServerParameters

from tests.commands import ROOT, vsac
from vsalang.agents.mcp import PhoneSession, server

Talk = Callable[[Client], Awaitable[None]]


def talk(
    folder: Path, what: Talk, *args: object, era: str = "legacy", elicit: Any = None
) -> CompletedProcess[str]:
    """Run ``vsac mcp`` in a folder and talk to its server: what they say goes through memory, not through pipes.

    Returns what it printed.
    """
    failed: list[BaseException] = []

    def serve(session: PhoneSession, *, version: str, ask: bool) -> None:
        async def run() -> None:
            built = server.build(session, version=version, ask=ask)
            async with Client(
                built, mode=era, elicitation_callback=elicit, read_timeout_seconds=60
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
