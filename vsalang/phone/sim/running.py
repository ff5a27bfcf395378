"""The data of a running phone: inputs, windows, and the state of an app."""

import datetime as dt
from collections.abc import Hashable
from dataclasses import field
from pathlib import Path
from typing import Any

from vsalang.base.records import dataclass
from vsalang.phone.sim.spec import AppSpec, ScreenSpec
from vsalang.phone.sim.widgets import Widget


@dataclass(frozen=True, slots=True)
class Input:
    """One input that reached the phone.

    Attributes:
        kind: tap, long_press, swipe, pinch, key, text, set_text, clear_text, open_app, open_link, stop_app, clear_app;
            install, uninstall, permission, setting, service, restart.
        target: the resource id (without package) of the widget that received it, "" if there is none or it has no id.
        text: the typed text, the key, or the package.
        time: of the phone's clock, before the input.
        command: the shell command that made it, if it is not a touch, key or text; else "".
        fate: "" if nothing went wrong; ``lost``, ``delayed``, ``repeated``, ``cut``, ``stuck`` or ``shifted`` by a
            fault of the scenario; ``unanswered`` on a recorded screen that has no move for it.
    """

    kind: str
    x: int = -1
    y: int = -1
    x2: int = -1
    y2: int = -1
    text: str = ""
    target: str = ""
    time: dt.datetime = dt.datetime.min
    fate: str = ""
    command: str = ""


@dataclass(frozen=True, slots=True)
class Window:
    """One window of the screen, as `Phone.windows` gives them, bottom first.

    Attributes:
        kind: application, dialog, input_method or recorded.
        modal: windows below take no touches and are not in the tree.
        xml: of a recorded screen, the dump to return.
        picture: of a recorded screen, its screenshot.
        printed: its part of the dumps that were asked for, by how it was asked. Its widgets do not change any more,
            and may be another phone's too.
    """

    package: str
    activity: str
    kind: str
    root: Widget
    modal: bool = False
    xml: str = ""
    picture: Path | None = None
    printed: dict[Hashable, str] = field(default_factory=dict, compare=False)


class Running:
    """The state of one app: its variables, its screens, whether it runs."""

    def __init__(self, spec: AppSpec, pid: int) -> None:
        self.spec = spec
        self.pid = pid
        self.alive = False
        self.state: dict[str, Any] = {}
        self.stack: list[str] = []
        self.typed: dict[str, dict[int, str]] = {}
        self.reset()

    def reset(self) -> None:
        """Back to the beginning: initial variables, start screen."""
        self.state = dict(self.spec.state)
        self.stack = [self.spec.start]
        self.typed = {}

    @property
    def screen(self) -> ScreenSpec:
        """The topmost screen, which may be a dialog."""
        return self.spec.screens[self.stack[-1]]

    @property
    def screens_shown(self) -> tuple[ScreenSpec, ...]:
        """The screens that show when the app is in front: a page, and the dialogs over it."""
        screens = [self.spec.screens[name] for name in self.stack]
        first = max((i for i, screen in enumerate(screens) if not screen.dialog), default=0)
        return tuple(screens[first:])
