"""What a running phone consists of: inputs, windows, and what changes about an app."""

import datetime as dt
from dataclasses import dataclass
from typing import Any

from vsalang.device.sim.spec import AppSpec, ScreenSpec
from vsalang.device.sim.widgets import Widget


@dataclass(frozen=True, slots=True)
class Input:
    """One input that reached the phone.

    Attributes:
        kind: tap, long_press, swipe, key, text, set_text, clear_text, open_app, stop_app, clear_app, screen.
        target: the resource id (without package) of the widget that took it, "" if none or without id.
        text: what was typed, the key, or the package.
        time: of the phone's clock, before the input.
    """

    kind: str
    x: int = -1
    y: int = -1
    x2: int = -1
    y2: int = -1
    text: str = ""
    target: str = ""
    time: dt.datetime = dt.datetime.min


@dataclass(frozen=True, slots=True)
class Window:
    """One window of the screen, as `Phone.windows` gives them, bottom first."""

    package: str
    activity: str
    kind: str
    root: Widget


class Running:
    """What changes about one app: its variables, its screens, whether it runs."""

    def __init__(self, spec: AppSpec, pid: int) -> None:
        self.spec = spec
        self.pid = pid
        self.alive = False
        self.state: dict[str, Any] = {}
        self.stack: list[str] = []
        self.reset()

    def reset(self) -> None:
        """Back to the beginning: initial variables, start screen."""
        self.state = dict(self.spec.state)
        self.stack = [self.spec.start]

    @property
    def screen(self) -> ScreenSpec:
        """The screen that shows when the app is in front."""
        return self.spec.screens[self.stack[-1]]
