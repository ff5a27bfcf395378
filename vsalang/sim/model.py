"""What a running phone consists of: inputs, windows, and what changes about an app."""

import datetime as dt
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from vsalang.sim.spec import AppSpec, ScreenSpec
from vsalang.sim.widgets import Widget


@dataclass(frozen=True, slots=True)
class Input:
    """One input that reached the phone.

    Attributes:
        kind: tap, long_press, swipe, pinch, key, text, set_text, clear_text, open_app, stop_app, clear_app;
            install, uninstall, setting.
        target: the resource id (without package) of the widget that took it, "" if none or without id.
        text: what was typed, the key, or the package.
        time: of the phone's clock, before the input.
        command: the command of the shell that made it, for what is no touch, key or text; else "".
        fate: "" if it was made as usual; ``lost``, ``delayed`` or ``repeated`` by a fault of the scenario;
            ``unanswered`` on a recorded screen that knows no move for it.
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
        modal: what is below takes no touches and is not in the tree.
        xml: of a recorded screen, the dump to hand out.
        picture: of a recorded screen, its screenshot.
    """

    package: str
    activity: str
    kind: str
    root: Widget
    modal: bool = False
    xml: str = ""
    picture: Path | None = None


class Running:
    """What changes about one app: its variables, its screens, whether it runs."""

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
    def shown(self) -> tuple[ScreenSpec, ...]:
        """The screens that show when the app is in front: a page, and the dialogs over it."""
        screens = [self.spec.screens[name] for name in self.stack]
        first = max((i for i, screen in enumerate(screens) if not screen.dialog), default=0)
        return tuple(screens[first:])
