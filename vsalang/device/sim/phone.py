"""The simulated phone: what it shows, and what an input does to it.

    >>> phone = Phone(shipped_phone("restaurant"))          # doctest: +SKIP
    >>> phone.open_app("com.opentable")                     # doctest: +SKIP
    >>> phone.tap_id("result_card")                         # doctest: +SKIP
    >>> phone.inputs[-1].target                             # doctest: +SKIP
    'result_card'

Nothing here knows of adb, HTTP or uiautomator: those front ends call the methods below. The clock moves only
by inputs and by `sleep`; the same inputs always give the same screens.
"""

import datetime as dt
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from vsalang.device.sim import keys
from vsalang.device.sim.layout import lay_out
from vsalang.device.sim.model import Input, Running, Window
from vsalang.device.sim.render import Templates, context
from vsalang.device.sim.spec import PhoneSpec, Rule
from vsalang.device.sim.text import printable
from vsalang.device.sim.widgets import KINDS, Widget, read_widgets

LAUNCHER = "com.android.launcher3"
KEYBOARD = "com.android.inputmethod.latin"
TOUCH_SLOP = 8
"""In dp: a shorter movement is a tap."""
LONG_PRESS = 0.4
"""In seconds: a longer touch is a long press."""
MOST_INPUTS = 100_000
MOST_TEXT = 10_000


class Phone:
    """A phone that runs in this process. All methods may be called from any thread.

    Raises:
        PhoneSpecError: a template or expression of the folder is wrong (on creation, or when it is used).
    """

    def __init__(self, spec: PhoneSpec, scenario: str = "") -> None:
        self.spec = spec.with_scenario(scenario)
        self.scale = spec.density / 160
        self.clock = spec.clock
        self._templates = Templates(spec.files)
        self.screen_on = True
        self.keyboard_shown = False
        self.last_toast: str | None = None
        self.toast_on_screen = ""
        self.clipboard: str | None = None
        self.changed = threading.Condition(threading.RLock())
        self._inputs: list[Input] = []
        self._apps = {
            app.package: Running(app, 4000 + 37 * index) for index, app in enumerate(self.spec.apps)
        }
        self._front: Running | None = None
        self._focus: tuple[str, str] | None = None
        self._offsets: dict[tuple[str, str, str], int] = {}
        self._last_tapped: tuple[str, str] | None = None
        self._touch: list[tuple[int, int]] = []
        self._cache: tuple[Window, ...] | None = None
        self._check()

    def _check(self) -> None:
        for app in self.spec.apps:
            for screen in app.screens.values():
                self._templates.check(screen.file, str(self.spec.folder / screen.file))
            for rule in app.rules:
                where = f"{self.spec.folder / 'phone.toml'}: event {rule.event!r}"
                for expression in (*(value for _, value in rule.set), *((rule.when,) if rule.when else ())):
                    self._templates.check_expression(expression, where)
        self.windows()

    # ---- what it shows -------------------------------------------------------------------------------------

    @property
    def inputs(self) -> tuple[Input, ...]:
        """Every input since the start, oldest first."""
        with self.changed:
            return tuple(self._inputs)

    @property
    def package(self) -> str:
        """The package of the foreground app."""
        return self._front.spec.package if self._front else LAUNCHER

    @property
    def activity(self) -> str:
        """The foreground activity as adb prints it."""
        return self._front.screen.activity if self._front else ".Launcher"

    def state(self, package: str) -> dict[str, Any]:
        """A copy of the variables of an app."""
        with self.changed:
            return dict(self._apps[package].state)

    def running(self) -> list[tuple[int, str]]:
        """Process ids and packages of the apps that run."""
        return [(app.pid, package) for package, app in self._apps.items() if app.alive]

    def windows(self) -> tuple[Window, ...]:
        """The windows with their laid-out widgets, bottom first."""
        with self.changed:
            if self._cache is None:
                self._cache = self._render()
            return self._cache

    def widgets(self) -> Iterator[Widget]:
        """All widgets with a visible part, in drawing order."""
        for window in self.windows():
            for widget in window.root.walk():
                if widget.seen is not None:
                    yield widget

    def find(self, name: str) -> Widget:
        """The visible widget with this short id or text; ``name#2`` is the second of several.

        Raises:
            LookupError: there is none; the message lists the ids there are.
        """
        wanted, _, number = name.partition("#")
        nth = int(number) if number.isdigit() else 1
        for widget in self.widgets():
            if wanted in (widget.id, widget.text):
                nth -= 1
                if nth == 0:
                    return widget
        there = ", ".join(sorted({widget.id for widget in self.widgets() if widget.id}))
        raise LookupError(f"nothing on the screen is called {name!r}; its ids are: {there or 'none'}")

    def _render(self) -> tuple[Window, ...]:
        spec, app = self.spec, self._front
        top = round(24 * self.scale)
        if app is None:
            file, where = "launcher.xml", "launcher.xml"
            names = context(self.clock, {"apps": spec.apps})
        else:
            file, where = app.screen.file, str(spec.folder / app.screen.file)
            names = self._names(app)
        content = read_widgets(self._templates.xml(file, names, where), self.package, self.scale, where)
        root = self._window_root(self.package, content, top)
        for index, widget in enumerate(root.walk()):
            bind = widget.name("bind")
            widget.focused = bool(bind) and self._focus == (self.package, bind)
            if widget.flag("scrollable"):
                widget.offset = self._offsets.get(self._scroll_key(widget, index), 0)
        lay_out(root, (0, 0, spec.width, spec.height), self.scale)
        windows = [Window(self.package, self.activity, "application", root)]
        if self.keyboard_shown:
            xml = self._templates.xml("keyboard.xml", context(self.clock), "keyboard.xml")
            panel = read_widgets(xml, KEYBOARD, self.scale, "keyboard.xml")
            height = panel.height if isinstance(panel.height, int) else spec.height // 3
            lay_out(panel, (0, spec.height - height, spec.width, spec.height), self.scale)
            windows.append(Window(KEYBOARD, "InputMethod", "input_method", panel))
        return tuple(windows)

    def _window_root(self, package: str, content: Widget, top: int) -> Widget:
        """The frame that Android puts around an app's content; it leaves room for the status bar."""
        android = KINDS["stack"].android
        frame = Widget("column", KINDS["column"], package, android=android)
        inner = Widget("column", KINDS["column"], package, id="android:id/content", android=android)
        frame.width = frame.height = inner.width = inner.height = "fill"
        bar = Widget(
            "spacer", KINDS["spacer"], package, android="android.view.View", width="fill", height=top
        )
        bar.flags["dump"] = False
        frame.names["align"] = inner.names["align"] = "fill"
        inner.weight = 1
        inner.children = [content]
        frame.children = [bar, inner]
        return frame

    def _names(self, app: Running, **more: Any) -> dict[str, Any]:
        return context(
            self.clock, {"screen": app.stack[-1], "seed": self.spec.seed}, app.spec.data, app.state, more
        )

    def _scroll_key(self, widget: Widget, index: int) -> tuple[str, str, str]:
        screen = self._front.stack[-1] if self._front else ""
        return (self.package, screen, widget.id or f"#{index}")

    # ---- inputs --------------------------------------------------------------------------------------------

    @contextmanager
    def _input(self, kind: str, **details: Any) -> Iterator[None]:
        """Record an input, let the body act on it, then move the clock and tell who waits for changes."""
        with self.changed:
            if len(self._inputs) < MOST_INPUTS:
                self._inputs.append(Input(kind, time=self.clock, **details))
            self.toast_on_screen = ""
            if kind != "tap":
                self._last_tapped = None
            try:
                yield
            finally:
                self._moved(self.spec.step)

    def _moved(self, step: dt.timedelta) -> None:
        self.clock += step
        self._cache = None
        self.changed.notify_all()

    def sleep(self, seconds: float) -> None:
        """Let the phone's time pass; no real time does."""
        with self.changed:
            self._moved(dt.timedelta(seconds=min(max(0.0, seconds), 86400.0)))

    def taker(self, x: int, y: int, flag: str = "clickable") -> Widget | None:
        """The widget that takes a touch at a point: of the topmost window there, the last drawn with `flag`."""
        for window in reversed(self.windows()):
            if window.root.seen is not None and _holds(window.root, x, y):
                found = [w for w in window.root.walk() if w.flag(flag) and _holds(w, x, y)]
                return found[-1] if found else None
        return None

    def tap(self, x: int, y: int) -> None:
        """A short touch."""
        with self.changed:
            widget = self.taker(x, y)
            with self._input("tap", x=x, y=y, target=widget.id if widget else ""):
                if self.screen_on and widget is not None and widget.flag("enabled"):
                    self._tapped(widget)

    def tap_id(self, name: str) -> None:
        """A tap on the middle of the widget that `find` gives.

        Raises:
            LookupError: it is not on the screen.
        """
        left, top, right, bottom = self.find(name).seen or (0, 0, 0, 0)
        self.tap((left + right) // 2, (top + bottom) // 2)

    def long_press(self, x: int, y: int) -> None:
        """A long touch; what does not know long presses takes it as a tap, as Android's views do."""
        with self.changed:
            widget = self.taker(x, y)
            with self._input("long_press", x=x, y=y, target=widget.id if widget else ""):
                if self.screen_on and widget is not None and widget.flag("enabled"):
                    if widget.flag("long_clickable"):
                        self._fire(widget.name("long"), widget)
                    else:
                        self._tapped(widget)

    def swipe(self, x: int, y: int, x2: int, y2: int, seconds: float = 0.1) -> None:
        """A movement: scrolls what scrolls. Shorter than the touch slop it is a tap or a long press."""
        if max(abs(x2 - x), abs(y2 - y)) < TOUCH_SLOP * self.scale:
            (self.long_press if seconds >= LONG_PRESS else self.tap)(x, y)
            return
        with self.changed:
            widget = self.taker(x, y, "scrollable")
            with self._input("swipe", x=x, y=y, x2=x2, y2=y2, target=widget.id if widget else ""):
                if self.screen_on and widget is not None:
                    self.scroll_by(widget, y - y2)

    def scroll_by(self, widget: Widget, pixels: int) -> bool:
        """Move the content of a scrolling widget; whether it moved."""
        with self.changed:
            index = next((i for i, w in enumerate(self.windows()[0].root.walk()) if w is widget), None)
            if index is None:
                return False
            most = max(0, widget.content - (widget.box[3] - widget.box[1]))
            offset = max(0, min(most, widget.offset + pixels))
            self._offsets[self._scroll_key(widget, index)] = offset
            self._cache = None
            self.changed.notify_all()
            return offset != widget.offset

    def scroll(self, widget: Widget, pixels: int) -> bool:
        """An accessibility scroll of this widget, recorded as a swipe on it; whether it moved."""
        with self.changed:
            x, y = (widget.box[0] + widget.box[2]) // 2, (widget.box[1] + widget.box[3]) // 2
            with self._input("swipe", x=x, y=y, x2=x, y2=y - pixels, target=widget.id):
                return self.scroll_by(widget, pixels)

    def touch(self, action: int, x: int, y: int) -> None:
        """One part of a touch: 0 down, 2 move, 1 up (which acts)."""
        with self.changed:
            if action == 0:
                self._touch = [(x, y)]
            elif self._touch and len(self._touch) < 10_000:
                self._touch.append((x, y))
            if action == 1 and self._touch:
                (first_x, first_y), self._touch = self._touch[0], []
                self.swipe(first_x, first_y, x, y)

    def key(self, name: str, *, long: bool = False) -> None:
        """A key, by its name without ``KEYCODE_``."""
        with self.changed, self._input("key", text=f"long {name}" if long else name):
            if name in ("POWER", "SLEEP", "WAKEUP"):
                self.screen_on = name == "WAKEUP" or (name == "POWER" and not self.screen_on)
            elif not self.screen_on:
                return
            elif name == "HOME":
                self._leave()
            elif name == "BACK":
                self._back()
            elif name in ("ENTER", "NUMPAD_ENTER", "SEARCH"):
                self._enter()
            elif name == "DEL":
                self._edit(lambda text: text[:-1])
            elif name == "PASTE":
                self._edit(lambda text: text + (self.clipboard or ""))
            elif name == "MENU" and self._front:
                self._fire("menu", None)
            elif typed := keys.typed_by(name):
                self._edit(lambda text: text + typed)

    def type_text(self, text: str) -> None:
        """Text typed into the focused field; lost if there is none."""
        target = self.focused()
        with self._input("text", text=text[:MOST_TEXT], target=target.id if target else ""):
            self._edit(lambda old: old + text)

    def set_text(self, widget: Widget, text: str) -> bool:
        """Accessibility's "set text" on a field; False if it cannot be edited."""
        with self.changed:
            kind = "set_text" if text else "clear_text"
            with self._input(kind, text=text[:MOST_TEXT], target=widget.id):
                if widget.tag != "edit" or not widget.flag("enabled") or self._front is None:
                    return False
                self._write(widget, text)
                return True

    def clear_focused(self) -> bool:
        """Empty the focused field; False if there is none."""
        widget = self.focused()
        return widget is not None and self.set_text(widget, "")

    def focused(self) -> Widget | None:
        """The field that has the focus."""
        return next((widget for widget in self.widgets() if widget.focused), None)

    def toast(self, text: str) -> None:
        """Show a short message, as an app would."""
        with self.changed:
            self.last_toast = self.toast_on_screen = printable(text[:MOST_TEXT])
            self._cache = None
            self.changed.notify_all()

    def open_app(self, package: str) -> bool:
        """Start an app or bring it to the front; False if it is not installed."""
        app = self._apps.get(package)
        if app is None:
            return False
        with self.changed, self._input("open_app", text=package):
            self._open(app)
        return True

    def stop_app(self, package: str, *, clear: bool = False) -> None:
        """Force-stop an app: it starts afresh next time."""
        app = self._apps.get(package)
        if app is None:
            return
        with self.changed, self._input("clear_app" if clear else "stop_app", text=package):
            app.alive = False
            app.pid += 1
            app.reset()
            if self._front is app:
                self._leave()

    # ---- what inputs do ------------------------------------------------------------------------------------

    def _open(self, app: Running) -> None:
        self._leave()
        self._front = app
        if not app.alive:
            app.alive = True
            app.reset()
            self._fire("start", None)

    def _leave(self) -> None:
        self._front = None
        self._unfocus()

    def _unfocus(self) -> None:
        self._focus = None
        self.keyboard_shown = False
        self._cache = None

    def _tapped(self, widget: Widget) -> None:
        if widget.package == KEYBOARD:
            self._keyboard_key(widget.name("key"))
            return
        if self._front is None:
            app = self._apps.get(widget.name("value")) if widget.name("tap") == "open" else None
            if app is not None:
                self._open(app)
            return
        this = (widget.id, widget.name("value"))
        again, self._last_tapped = self._last_tapped == this, this
        bind = widget.name("bind")
        if widget.tag == "edit" and bind:
            self._focus = (self.package, bind)
            self.keyboard_shown = True
        elif widget.flag("checkable") and bind in self._front.state:
            self._front.state[bind] = not widget.flag("checked")
        self._fire(widget.name("tap"), widget)
        if again:
            self._fire(widget.name("double"), widget)

    def _keyboard_key(self, key: str) -> None:
        if key == "enter":
            self._enter()
        elif key == "del":
            self._edit(lambda text: text[:-1])
        elif key == "hide":
            self.keyboard_shown = False
        elif key:
            self._edit(lambda text: text + (" " if key == "space" else key))

    def _enter(self) -> None:
        widget = self.focused()
        self.keyboard_shown = False
        if widget is not None:
            self._fire(widget.name("enter"), widget)

    def _edit(self, change: Any) -> None:
        widget = self.focused()
        if widget is not None and widget.flag("enabled"):
            self._write(widget, change(widget.text))

    def _write(self, widget: Widget, text: str) -> None:
        assert self._front is not None
        bind = widget.name("bind")
        if bind in self._front.state:
            self._front.state[bind] = printable(text[:MOST_TEXT])
            self._cache = None
            self._fire(widget.name("input"), widget)

    def _back(self) -> None:
        if self.keyboard_shown:
            self.keyboard_shown = False
        elif self._front is not None and not self._fire("back", None):
            if len(self._front.stack) > 1:
                self._front.stack.pop()
                self._unfocus()
            else:
                self._leave()

    def _fire(self, event: str, widget: Widget | None) -> bool:
        """Apply the first rule of the foreground app for an event; whether there was one."""
        app = self._front
        if not event or app is None:
            return False
        value, text = (widget.name("value"), widget.text) if widget else ("", "")
        names = self._names(app, value=value, text=text)
        where = f"{self.spec.folder / 'phone.toml'}: event {event!r}"
        for rule in app.spec.rules:
            fits = rule.event == event and rule.screen in ("", app.stack[-1])
            if fits and (not rule.when or self._templates.evaluate(rule.when, names, where)):
                self._apply(app, rule, names, where)
                return True
        return False

    def _apply(self, app: Running, rule: Rule, names: dict[str, Any], where: str) -> None:
        new = {key: self._templates.evaluate(source, names, where) for key, source in rule.set}
        app.state.update(new)
        if rule.goto:
            if rule.goto in app.stack:
                del app.stack[app.stack.index(rule.goto) + 1 :]
            else:
                app.stack.append(rule.goto)
                gone = [key for key in self._offsets if key[:2] == (app.spec.package, rule.goto)]
                for key in gone:
                    del self._offsets[key]
            self._unfocus()
        if rule.toast:
            self.toast(self._templates.text(rule.toast, names | new, where))
        if rule.close:
            self._leave()


def _holds(widget: Widget, x: int, y: int) -> bool:
    seen = widget.seen
    return seen is not None and seen[0] <= x < seen[2] and seen[1] <= y < seen[3]
