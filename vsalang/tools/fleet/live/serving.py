"""A fleet server with all that belongs to it: console, and rules over many devices."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from vsalang.tools.fleet.live.console import Console
from vsalang.tools.fleet.live.fleet_rules import FleetRules, read_rules
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
        JournalError: the trail was changed, or another server writes it.
        Exception: what `FleetServer` raises.
    """
    programs = read_rules(rules)
    server = FleetServer(folder, **options)
    try:
        console = Console(server, trail_head)
        FleetRules(server, console.events, programs)
    except BaseException:
        server.store.close()
        raise
    return server
