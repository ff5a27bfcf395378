"""The simulated phone: what it shows, and what an input does to it.

    >>> phone = Phone(shipped_phone("restaurant"))          # doctest: +SKIP
    >>> phone.open_app("com.opentable")                     # doctest: +SKIP
    >>> phone.tap_id("result_card")                         # doctest: +SKIP
    >>> phone.inputs[-1].target                             # doctest: +SKIP
    'result_card'

Nothing here knows of adb, HTTP or uiautomator: those front ends call the methods below. The clock moves only
by inputs, by `sleep`, and by observations while an event is planned; the same scenario, seed, inputs and observations
always give the same screens.
"""

import datetime as dt
import logging
from collections.abc import Callable, Iterator
from typing import Any

from vsalang.phone.sim import keys
from vsalang.phone.sim.compose import KEYBOARD, LAUNCHER
from vsalang.phone.sim.faults import beyond
from vsalang.phone.sim.foreground import MOST_TEXT, Foreground, SystemDialog, editable
from vsalang.phone.sim.ids import Ids
from vsalang.phone.sim.running import Input, Window
from vsalang.phone.sim.scenario import Scenario, Surprise
from vsalang.phone.sim.spec import PhoneSpec, PhoneSpecError
from vsalang.phone.sim.widgets import Widget

__all__ = ["KEYBOARD", "LAUNCHER", "Phone"]

TOUCH_SLOP = 8
"""In dp: a shorter movement is a tap."""
DOUBLE_TAP = dt.timedelta(seconds=0.3)
"""In seconds: the longest time between the taps of a double tap."""
NEAR = 100
"""In dp: the longest distance between the taps of a double tap."""
LONG_PRESS = 0.4
"""In seconds: a longer touch is a long press."""
LOOK = dt.timedelta(seconds=0.5)
"""How long an observation takes while an event is planned, so that a client that polls sees it."""
PRESSING = frozenset({"ENTER", "NUMPAD_ENTER", "DPAD_CENTER", "SPACE"})
"""Keys that act on the widget with the focus."""
MOST_INPUTS = 100_000

log = logging.getLogger(__name__)


class Phone(Foreground):
    """A phone that runs in this process. All methods may be called from any thread.

    Args:
        scenario: how the phone begins and what goes wrong: a name of one of its scenarios, the path of a file, or a
            `Scenario`.

    Raises:
        PhoneSpecError: a template or expression of the folder is wrong (on creation, or when it is used).
    """

    def __init__(self, spec: PhoneSpec, scenario: str | Scenario = "") -> None:
        super().__init__(spec, spec.scenario(scenario) if isinstance(scenario, str) else scenario)
        self.screen_on = True
        self.clipboard: str | None = None
        self._inputs: list[Input] = []
        self.before_input: Callable[[int], None] | None = None
        """Called before each input, with its index in `inputs`, while the phone's lock is held."""
        self._touch: list[tuple[int, int]] = []
        self._touched = self.clock
        self._last_tap = (0, 0, self.clock)
        """Where and when a finger last tapped."""
        self._stale: tuple[tuple[Window, ...], int] = ((), 0)
        self._arriving = MOST_TEXT
        """How many characters of what is typed arrive."""
        self._check()

    def _check(self) -> None:
        for app in self.spec.apps:
            for screen in app.screens.values():
                if not screen.recorded:
                    self._templates.check(screen.file, str(self.spec.folder / screen.file))
            for rule in app.rules:
                for expression in rule.expressions:
                    self._templates.check_expression(expression, rule.place)
        for answer in self.scenario.answers:
            for expression in answer.rule.expressions:
                self._templates.check_expression(expression, answer.rule.place)
        for surprise in self.scenario.surprises:
            if surprise.template:
                self._templates.check(surprise.template, self.scenario.where(surprise.template))
                self.check_surprise(surprise)
        self._check_targets()
        self.windows()

    def _check_targets(self) -> None:
        """A fault or surprise at a widget whose name two ids have would happen at both."""
        targets = {fault.target for fault in self.scenario.faults}
        targets |= {surprise.target for surprise in self.scenario.surprises}
        targets.discard("")
        if targets:
            ids = Ids(self.spec, {**self.spec.files, **self.scenario.files}.values())
            for target in sorted(targets):
                if several := ids.several(target):
                    where = self.scenario.file or self.spec.folder / "phone.toml"
                    raise PhoneSpecError(
                        f"{where}: 'target' names {target!r}, which may be {' or '.join(several)}: write which"
                    )

    def check_surprise(self, surprise: Surprise) -> None:
        """Compose the current windows and drop the result.

        Raises:
            PhoneSpecError: it cannot be drawn.
        """
        if surprise.template:
            with self.changed:
                self._system_dialog(SystemDialog(surprise.template, surprise.package, surprise.values))

    def names_of(self, template: str) -> frozenset[str]:
        """The names that the template in a file uses, and those of the templates it includes."""
        return self._templates.names(template)

    # ---- what it shows -------------------------------------------------------------------------------------

    @property
    def inputs(self) -> tuple[Input, ...]:
        """Every input since the start, oldest first."""
        with self.changed:
            return tuple(self._inputs)

    def widgets(self) -> Iterator[Widget]:
        """All visible widgets of the accessibility tree, in drawing order."""
        for window in self.reported():
            for widget in window.root.walk():
                if widget.seen is not None:
                    yield widget

    def find(self, name: str) -> Widget:
        """The visible widget with this id, text or description; ``name#2`` is the second of several.

        An id may be given without the package of its app, or of the framework: ``button1`` is ``android:id/button1``.

        Raises:
            LookupError: there is none, and the message lists the ids there are; or the name is an id of the app and of
                the framework, and the message names both.
        """
        wanted, _, number = name.partition("#")
        nth = int(number) if number.isdigit() else 1
        alike = [w for w in self.widgets() if w.called(wanted) or wanted in (w.text, w.desc)]
        ids = sorted({widget.resource_id for widget in alike if widget.called(wanted)})
        if len(ids) > 1 and not number:
            raise LookupError(f"{name!r} may be {' or '.join(ids)}: write which")
        if 0 < nth <= len(alike):
            return alike[nth - 1]
        there = ", ".join(sorted({widget.id for widget in self.widgets() if widget.id}))
        raise LookupError(f"nothing on the screen is called {name!r}; its ids are: {there or 'none'}")

    def screens(self, package: str) -> tuple[str, ...]:
        """The names of the screens of an app that are open, the topmost last."""
        with self.changed:
            return tuple(self._apps[package].stack)

    def where(self, package: str) -> str:
        """The file of the topmost screen of an app."""
        with self.changed:
            return str(self.spec.folder / self._apps[package].screen.file)

    def show(self, package: str, screen: str) -> None:
        """Show a screen of an app, on top of what the app shows; for pictures and tests, not an input.

        Raises:
            KeyError: there is no such app or screen.
        """
        with self.changed:
            app = self._apps[package]
            app.spec.screens[screen]
            self._open(app)
            self._show(app, screen)

    def preview(self, package: str, screen: str) -> tuple[Widget, ...]:
        """The widgets that a screen of an app would show now; the phone's state does not change.

        Raises:
            PhoneSpecError: its template fails, or its dump is invalid.
            KeyError: there is no such app or screen.
        """
        with self.changed:
            app = self._apps[package]
            app.spec.screens[screen]
            front, stack, cache = self._front, app.stack, self._cache
            self._front, app.stack, self._cache = app, [*stack, screen], None
            try:
                return tuple(widget for widget in self.windows()[-1].root.walk())
            finally:
                self._front, app.stack, self._cache = front, stack, cache

    def look(self) -> tuple[Window, ...] | None:
        """The windows for a dump of the screen, bottom first; a fault may give old ones or None.

        It counts as an observation, and takes a moment while an event is planned.
        """
        with self.changed:
            if self._time.pending:
                self._time.move(LOOK)
            if self.faults.look():
                return None
            old, left = self._stale
            if left:
                self._stale = (old, left - 1)
                return old
            return self.reported()

    def calling(self, method: str) -> tuple[float, bool | None]:
        """The fault that happens to a call of the uiautomator2 server, see `Faults.call`."""
        with self.changed:
            return self.faults.call(method)

    def opening(self) -> bool:
        """Whether the device is offline for the service that is being opened."""
        with self.changed:
            return self.faults.opening()

    # ---- inputs --------------------------------------------------------------------------------------------

    def _do(
        self,
        kind: str,
        find: Callable[[], Widget | None],
        act: Callable[[Widget | None], bool],
        landing: Callable[[], Widget | None] | None = None,
        **details: Any,
    ) -> bool:
        """Make one input: apply the scenario's faults, record it, perform it, and let time pass.

        Args:
            find: finds the widget that receives it, called when it is made.
            landing: gives the widget that receives it if something came between that search and the input; None: as
                `find`.
            act: performs it; returns whether anything changed.
            details: for its record; functions are called when it is made.

        Returns:
            What `act` returned; True for an input that was lost or comes later.
        """
        with self.changed:
            if self.before_input is not None:
                self.before_input(len(self._inputs))
            meant = find()
            chance = self.faults.input(kind, meant)
            before = self.reported() if chance.stale else ()
            if chance.changes:
                self._change(chance.changes)
            for surprise in chance.races:
                self._surprise(surprise)
            widget = landing() if landing is not None and chance.races and not chance.changes else find()
            time = self.clock
            self.toast_on_screen = ""
            if kind != "tap":
                self._last_tapped = None
            done = True
            on_recorded = self._front is not None and self._front.screen.recorded and not self._dialogs
            try:
                if chance.fate == "delayed":
                    self._time.plan(chance.seconds, lambda: void(act(find())))
                elif chance.fate != "lost":
                    if chance.fate == "shifted":
                        widget = beyond(self.widgets(), widget, chance.count)
                    self._arriving = chance.count if chance.fate == "cut" else MOST_TEXT
                    kept = [(app, dict(app.state)) for app in self._apps.values() if chance.fate == "stuck"]
                    done = act(widget)
                    for app, state in kept:
                        app.state, self._cache = state, None
                    if chance.fate == "repeated":
                        act(find())
            finally:
                self._arriving = MOST_TEXT
                fate = chance.fate or ("unanswered" if on_recorded and not done else "")
                if len(self._inputs) < MOST_INPUTS:
                    target = widget.id if widget else ""
                    values = {name: value() if callable(value) else value for name, value in details.items()}
                    self._inputs.append(Input(kind, target=target, time=time, fate=fate, **values))
                if fate == "unanswered":
                    log.info("%s: no move is known for %s on this screen", self.spec.name, kind)
                if chance.stale:
                    self._stale = (before, chance.stale)
                for surprise in chance.surprises:
                    self._surprise(surprise)
                self._time.move(self.step)
                self._last_tap = (*self._last_tap[:2], self.clock)
            return done

    def taker(self, x: int, y: int, flag: str = "clickable") -> Widget | None:
        """The widget that takes a touch at a point: of the topmost window there, the last drawn with `flag`."""
        for window in reversed(self.windows()):
            if window.root.seen is not None and _holds(window.root, x, y):
                widgets = [w for w in window.root.walk() if _takes(w, flag) and _holds(w, x, y)]
                return widgets[-1] if widgets else None
            if window.modal:
                return None
        return None

    def _outside_dialog(self, x: int, y: int) -> bool:
        """Whether a point lies outside the topmost dialog."""
        for window in reversed(self.windows()):
            if window.root.seen is not None and _holds(window.root, x, y):
                return False
            if window.modal:
                return True
        return False

    def tap(self, x: int, y: int) -> None:
        self.tap_at(lambda: (x, y))

    def tap_at(self, place: Callable[[], tuple[int, int]]) -> None:
        """A short touch of a widget that is searched for at that moment, as the server does with a selector.

        Args:
            place: gives the point. If it raises, nothing is touched.
        """

        def act(widget: Widget | None, x: int, y: int) -> bool:
            self._ring = None  # a touch ends navigation by keys
            last_x, last_y, ended = self._last_tap
            far = max(abs(x - last_x), abs(y - last_y)) > NEAR * self.scale
            if far or self.clock - ended > DOUBLE_TAP:
                self._last_tapped = None
            self._last_tap = (x, y, self.clock)
            if self.screen_on and widget is None and self._outside_dialog(x, y):
                self._outside()
                return True
            return bool(self.screen_on and widget and widget.flag("enabled") and self._tapped(widget))

        self._touched_at("tap", place, act)

    def _touched_at(
        self, kind: str, place: Callable[[], tuple[int, int]], act: Callable[[Widget | None, int, int], bool]
    ) -> None:
        at = (0, 0)

        def find() -> Widget | None:
            nonlocal at
            at = place()
            return self.taker(*at)

        self._do(
            kind,
            find,
            lambda widget: act(widget, *at),
            landing=lambda: self.taker(*at),
            x=lambda: at[0],
            y=lambda: at[1],
        )

    def tap_id(self, name: str) -> None:
        """A tap on the middle of the widget that `find` gives.

        Raises:
            LookupError: it is not on the screen.
        """
        left, top, right, bottom = self.find(name).seen or (0, 0, 0, 0)
        self.tap((left + right) // 2, (top + bottom) // 2)

    def long_press(self, x: int, y: int) -> None:
        """A long touch; a widget without a long press takes it as a tap, as Android's views do."""
        self.long_press_at(lambda: (x, y))

    def long_press_at(self, place: Callable[[], tuple[int, int]]) -> None:
        """As `long_press`, of a widget that is searched for as in `tap_at`."""

        def act(widget: Widget | None, _x: int, _y: int) -> bool:
            if not self.screen_on or widget is None or not widget.flag("enabled"):
                return False
            if widget.flag("long_clickable") or widget.name("long"):
                return self._fire(widget.name("long"), widget)
            return self._tapped(widget)

        self._touched_at("long_press", place, act)

    def swipe(self, x: int, y: int, x2: int, y2: int, seconds: float = 0.1) -> None:
        """A swipe: it scrolls a scrolling widget. Shorter than the touch slop it is a tap or a long press."""
        if max(abs(x2 - x), abs(y2 - y)) < TOUCH_SLOP * self.scale:
            (self.long_press if seconds >= LONG_PRESS else self.tap)(x, y)
            return

        def act(widget: Widget | None) -> bool:
            if not self.screen_on:
                return False
            if self._front is not None and self._front.screen.recorded and not self._dialogs:
                return self._swiped(widget, x2 - x, y2 - y)
            along = y - y2  # a list scrolls only along its own axis, and only beyond the slop
            return (
                widget is not None and abs(along) >= TOUCH_SLOP * self.scale and self.scroll_by(widget, along)
            )

        self._do("swipe", lambda: self.taker(x, y, "scrollable"), act, x=x, y=y, x2=x2, y2=y2)

    def scroll_by(self, widget: Widget, pixels: int) -> bool:
        """Move the content of a scrolling widget; whether it moved."""
        with self.changed:
            if not widget.place[0]:  # a recorded list does not move
                return self._swiped(widget, 0, -pixels)
            most = max(0, widget.content - (widget.box[3] - widget.box[1]))
            offset = max(0, min(most, widget.offset + pixels))
            self._offsets[widget.place] = offset
            self._cache = None
            self.changed.notify_all()
            return offset != widget.offset

    def scroll(self, widget: Widget, pixels: int) -> bool:
        """An accessibility scroll of this widget, recorded as a swipe on it; whether it moved."""
        x, y = (widget.box[0] + widget.box[2]) // 2, (widget.box[1] + widget.box[3]) // 2
        return self._do(
            "swipe",
            lambda: widget,
            lambda scroller: scroller is not None and self.scroll_by(scroller, pixels),
            x=x,
            y=y,
            x2=x,
            y2=y - pixels,
        )

    def touch(self, action: int, x: int, y: int) -> None:
        """One part of a touch: 0 down, 2 move, 1 up (which acts)."""
        with self.changed:
            if action == 0:
                self._touch, self._touched = [(x, y)], self.clock
            elif self._touch and len(self._touch) < 10_000:
                self._touch.append((x, y))
            if action == 1 and self._touch:
                (first_x, first_y), self._touch = self._touch[0], []
                held = (self.clock - self._touched).total_seconds()
                self.swipe(first_x, first_y, x, y, max(0.1, held))

    def key(self, name: str, *, long: bool = False) -> None:
        """A key, by its name without ``KEYCODE_``."""

        def act(_widget: Widget | None) -> bool:
            self._pressed(name)
            return True

        find = self.focused if name in PRESSING else lambda: None
        self._do("key", find, act, text=f"long {name}" if long else name)

    def _pressed(self, name: str) -> None:
        if name in ("POWER", "SLEEP", "WAKEUP"):
            self.screen_on = name == "WAKEUP" or (name == "POWER" and not self.screen_on)
        elif not self.screen_on:
            return
        elif name == "HOME":
            self._go_home()
        elif name in ("BACK", "ESCAPE"):
            self._back()
        elif name in PRESSING:
            self._press_focused(name)
        elif name == "SEARCH":
            self._enter()
        elif name in ("TAB", "DPAD_DOWN", "DPAD_RIGHT"):
            self._move_focus(1)
        elif name in ("DPAD_UP", "DPAD_LEFT"):
            self._move_focus(-1)
        elif name == "DEL":
            self._edit(lambda text: text[:-1])
        elif name == "PASTE":
            self._edit(lambda text: text + (self.clipboard or ""))
        elif name.startswith(("BUTTON_", "CODE_")):
            if (
                self.focused() is None
            ):  # a key that nothing takes ends the touch mode: the first field has the focus
                self._move_focus(1)
        elif name == "MENU" and self._front:
            self._fire("menu", None)
        elif typed := keys.typed_by(name):
            self._edit(lambda text: text + typed)

    def type_text(self, text: str) -> None:
        """Text typed into the focused field; lost if there is none."""

        def act(widget: Widget | None) -> bool:
            self._edit(lambda old: old + text[: self._arriving])
            return widget is not None

        self._do("text", self.focused, act, text=text[:MOST_TEXT])

    def set_text(self, widget: Widget, text: str) -> bool:
        """Accessibility's "set text" on a field; False if it cannot be edited."""

        def act(widget: Widget | None) -> bool:
            if widget is None or not editable(widget) or not widget.flag("enabled"):
                return False
            self._write(widget, text[: self._arriving])
            return True

        kind = "set_text" if text else "clear_text"
        return self._do(kind, lambda: widget, act, text=text[:MOST_TEXT])

    def clear_focused(self) -> bool:
        """Empty the focused field; False if there is none."""
        widget = self.focused()
        return widget is not None and self.set_text(widget, "")

    def pinch(self, widget: Widget, corners: tuple[int, int, int, int]) -> bool:
        """A gesture of two fingers on a widget; recorded, but nothing here zooms.

        Args:
            corners: where the first finger begins and ends.
        """
        x, y, x2, y2 = corners
        return self._do("pinch", lambda: widget, lambda _: self.screen_on, x=x, y=y, x2=x2, y2=y2)

    def hide_keyboard(self) -> None:
        """Hide the keyboard; the focus stays."""
        with self.changed:
            self.keyboard_shown = False
            self._cache = None
            self.changed.notify_all()

    def noted(self, kind: str, text: str, command: str = "") -> None:
        """Record an input that changes nothing on the screen, such as the installation of an app.

        Args:
            command: the shell command that made it.
        """
        self._do(kind, lambda: None, lambda _: True, text=text[:MOST_TEXT], command=command[:MOST_TEXT])

    def open_app(self, package: str, screen: str = "") -> bool:
        """Start an app or bring it to the front; False if it is not installed.

        Args:
            screen: the name of one of its screens, which it then shows.
        """
        app = self._apps.get(package)
        if app is None:
            return False

        def act(_widget: Widget | None) -> bool:
            self._open(app)
            if screen and app.stack[-1] != screen:
                self._show(app, screen)
            return True

        self._do("open_app", lambda: None, act, text=package)
        return True

    def open_link(self, address: str) -> None:
        """Follow a link: in the app whose links begin so, else in a browser that only shows the address."""

        def act(_widget: Widget | None) -> bool:
            self._follow(address)
            return True

        self._do("open_link", lambda: None, act, text=address[:MOST_TEXT])

    def restart(self) -> None:
        """Start the phone again: no app runs, and the home screen shows. Its services stay reachable."""

        def act(_widget: Widget | None) -> bool:
            self._restart()
            return True

        self._do("restart", lambda: None, act)

    def stop_app(self, package: str, *, clear: bool = False) -> None:
        """Force-stop an app: next time it starts from its first screen."""
        app = self._apps.get(package)
        if app is None:
            return

        def act(_widget: Widget | None) -> bool:
            self._stop(app)
            return True

        self._do("clear_app" if clear else "stop_app", lambda: None, act, text=package)


def void(_value: object) -> None:
    """A function that does nothing."""


def _takes(widget: Widget, flag: str) -> bool:
    touched = widget.flag("long_clickable") or (widget.tag == "recorded" and widget.name("tap"))
    return widget.flag(flag) or (flag == "clickable" and bool(touched))


def _holds(widget: Widget, x: int, y: int) -> bool:
    seen = widget.seen
    return seen is not None and seen[0] <= x < seen[2] and seen[1] <= y < seen[3]
