"""A simulated phone behind the guard, with both front ends, for tests through real clients."""

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from vsalang.base.resources import resource_dir
from vsalang.guard import Guard, Settings
from vsalang.guard.world.clock import ScreenClock
from vsalang.language.semantics import load
from vsalang.phone.gate import Gate, GateEvent
from vsalang.phone.gate.services import FEATURES, GuardedServices, Rules
from vsalang.phone.gate.sight import Sight
from vsalang.phone.open.simulated import SimulatedDevice
from vsalang.phone.wire import AdbDaemon, AdbServer, Banner, Upstream

PACKAGE = "com.opentable"
SERIAL = "guarded"
ALLOW_ALL = """
spec free "The agent may type, push files and run what it likes, but not reserve a table at eight."
import apps.opentable
allow shell(..).
allow push_file(..).
allow install(..).
allow Reserve(restaurant = "R", date = today, time = ?t, time < 19:00).
done when Reserve earlier.
"""

REFUSED = 'Reserve(restaurant = "R", date = 2026-04-01) is not allowed by this rule'
"""What the guard says of the button that books on the page of R where no time is marked: a parameter that is not known
is left out."""


@dataclass
class Live:
    """What a test needs of a guarded phone."""

    device: SimulatedDevice
    gate: Gate
    guard: Guard
    services: GuardedServices
    server: AdbServer
    daemon: AdbDaemon
    upstream: Upstream
    events: list[GateEvent] = field(default_factory=list)

    @property
    def port(self) -> int:
        return self.server.port

    def inputs(self) -> list[Any]:
        """What reached the phone."""
        return list(self.device.phone.inputs)


@contextlib.contextmanager
def short_pauses() -> Iterator[None]:
    """For phones that show at once what an input does: two looks that are to be the same need no time between them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("vsalang.phone.gate.gate.PAUSE", 0.02)
        yield


@contextlib.contextmanager
def live(
    spec: str | Path | None = None,
    *,
    rules: Rules | None = None,
    phone: str = "restaurant",
    package: str = PACKAGE,
    scenario: str = "",
    **settings: Any,
) -> Iterator[Live]:
    """A guarded phone; its app is open.

    Args:
        spec: a file; None: the running example.
        phone: its name, or its folder.
        package: of its app.
        scenario: a file; empty: nothing goes wrong.
    """
    loaded = load(str(spec or resource_dir("app_specs") / "examples" / "reserve_r.vsa"))
    assert loaded.program is not None, loaded.diagnostics
    with contextlib.ExitStack() as stack:
        device = stack.enter_context(SimulatedDevice.start(phone, scenario=scenario))
        device.phone.open_app(package)
        clock = ScreenClock(live=False)
        upstream = Upstream("127.0.0.1", device.adb_port, device.info.serial)
        sight = Sight(device, upstream, clock.see)
        sight.look()
        guard = Guard(loaded.program, today=clock().date(), clock=clock, settings=Settings(**settings))
        events: list[GateEvent] = []
        gate = Gate(guard, sight.look, listener=events.append, still_shows=sight.still_shows)
        gate.begin()
        services = GuardedServices(gate, upstream, sight, rules)
        banner = Banner("sim", "VSA Phone", "sim", tuple(FEATURES))
        server = stack.enter_context(AdbServer.start({SERIAL: (services, banner)}))
        daemon = stack.enter_context(AdbDaemon.start(services, banner))
        yield Live(device, gate, guard, services, server, daemon, upstream, events)
