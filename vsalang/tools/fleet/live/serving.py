"""A fleet server with all that belongs to it: console, and rules over many devices."""

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from vsalang.base.source.locking import held
from vsalang.tools.fleet.live.console import Console
from vsalang.tools.fleet.live.fleet_rules import FleetRules, read_rules
from vsalang.tools.fleet.live.intake_store import SERVING_LOCK, IntakeError
from vsalang.tools.fleet.live.server import FleetServer


def console_server(
    folder: Path, rules: Iterable[Path] = (), trail_head: str | None = None, **options: Any
) -> FleetServer:
    """A server that has not started.

    Args:
        folder: where it keeps everything.
        rules: files of policies over many devices; none: those that ship.
        trail_head: the last line of the trail, if it was moved here.
        options: as of `FleetServer`.

    Raises:
        RulesError: a file of rules cannot be used.
        JournalError: the trail was changed.
        IntakeError: another server has the folder.
        Exception: what `FleetServer` raises.
    """
    programs = read_rules(rules)
    server = FleetServer(folder, **options)
    try:
        server.closers.append(_hold(folder))
        console = Console(server, trail_head)
        FleetRules(server, console.events, programs)
    except BaseException:
        for close in (*server.closers, server.store.close):
            close()
        raise
    return server


def _hold(folder: Path) -> Callable[[], None]:
    """Hold the folder for one server, since two would not know what the other takes; returns what lets go of it."""
    try:
        return os.fdopen(held(folder / SERVING_LOCK, 0), "rb").close
    except TimeoutError as error:
        raise IntakeError(
            f"another server runs with {folder}: end that one, or name another folder"
        ) from error
