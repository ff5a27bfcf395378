"""The apps of a running phone: which one is in front, what an event does to it, dialogs of the system over it."""

import datetime as dt
import threading
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from vsalang.base.records import dataclass
from vsalang.phone.sim.clockwork import Clockwork, Pending
from vsalang.phone.sim.compose import KEYBOARD, LAUNCHER, Composer
from vsalang.phone.sim.faults import Faults
from vsalang.phone.sim.recorded import Overlay, event_name
from vsalang.phone.sim.render import Templates, context
from vsalang.phone.sim.rule import Rule
from vsalang.phone.sim.running import Running, Window
from vsalang.phone.sim.scenario import SYSTEM_DIALOG_EVENTS, Scenario, Surprise
from vsalang.phone.sim.spec import AppSpec, PhoneSpec
from vsalang.phone.sim.stub import BROWSER, LINK, browser, stub
from vsalang.phone.sim.text import printable
from vsalang.phone.sim.widgets import Widget

MOST_TEXT = 10_000
MOST_DIALOGS = 5
"""How many dialogs of the system show at one time; further ones are dropped."""


@dataclass(frozen=True, slots=True)
class SystemDialog:
    """A dialog of the system, over everything else."""

    template: str
    package: str
    values: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class PhoneState:
    """The state of a phone at one moment."""

    clock: dt.datetime
    apps: Mapping[str, tuple[bool, int, dict[str, Any], tuple[str, ...], dict[str, dict[int, str]]]]
    front: str
    focus: tuple[str, str] | None
    keyboard: bool
    dialogs: tuple[SystemDialog, ...]
    offsets: Mapping[tuple[str, str, str], int]
    pending: tuple[Pending, ...]
    ring: int | None


class Foreground:
    """Apps, dialogs, keyboard and focus. `Phone` adds the inputs.

    Attributes:
        changed: the lock of all state; notified at every change.
    """

    def __init__(self, spec: PhoneSpec, scenario: Scenario) -> None:
        self.spec = spec
        self.scenario = scenario
        self.scale = spec.density / 160
        self.changed = threading.Condition(threading.RLock())
        self._time = Clockwork(scenario.clock or spec.clock, self.changed, self._redraw)
        self.step = scenario.step or spec.step
        self.seed = spec.seed if scenario.seed is None else scenario.seed
        self.faults = Faults(scenario, self.seed)
        self.keyboard_shown = False
        self.last_toast: str | None = None
        self.toast_on_screen = ""
        self._templates = Templates({**spec.files, **scenario.files})
        self._cache: tuple[Window, ...] | None = None
        self._apps: dict[str, Running] = {}
        for app in (*spec.apps, browser()):
            if app.package not in self._apps:
                self._add(app)
        self._front: Running | None = None
        self._dialogs: list[SystemDialog] = []
        self._focus: tuple[str, str] | None = None
        self._ring: int | None = None
        self._offsets: dict[tuple[str, str, str], int] = {}
        self._last_tapped: tuple[str, str] | None = None
        self._composer = Composer(spec, self._templates, self._offsets)
        self._go_home()

    @property
    def clock(self) -> dt.datetime:
        return self._time.now

    def sleep(self, seconds: float) -> None:
        """Let the phone's time pass; real time does not."""
        with self.changed:
            self._time.move(dt.timedelta(seconds=min(max(0.0, seconds), 86400.0)))

    def wait_for(self, test: Callable[[], bool], seconds: float) -> bool:
        return self._time.wait_for(test, seconds)

    def _redraw(self) -> None:
        """Compose the windows again when somebody looks."""
        self._cache = None

    def _begin(self, app: Running) -> None:
        """The app's first values, those of the scenario before its own."""
        app.reset()
        app.state.update({key: self.scenario.state[key] for key in self.scenario.state if key in app.state})

    # ---- what shows ----------------------------------------------------------------------------------------

    @property
    def package(self) -> str:
        """The package of the window that has the focus: the app in front, or a dialog's."""
        if self._dialogs:
            return self._dialogs[-1].package
        if self._front is None:
            return LAUNCHER
        return self._front.screen.package or self._front.spec.package

    @property
    def activity(self) -> str:
        """The activity in front as adb prints it."""
        if self._dialogs:
            return f".{self._dialogs[-1].template.removesuffix('.xml').title()}Dialog"
        return self._front.screen.activity if self._front else ".Launcher"

    def state(self, package: str) -> dict[str, Any]:
        """A copy of the variables of an app."""
        with self.changed:
            return dict(self._apps[package].state)

    @property
    def apps(self) -> tuple[AppSpec, ...]:
        """The apps that are installed: those of its folder, the browser, and stubs of others."""
        with self.changed:
            return tuple(app.spec for app in self._apps.values())

    @property
    def icons(self) -> tuple[AppSpec, ...]:
        """The apps that have an icon on the home screen."""
        return tuple(app for app in self.spec.apps if app.package in self._apps)

    def add_app(self, package: str) -> None:
        """Install an app: the one of the folder that was removed before, else a stub."""
        with self.changed:
            if package not in self._apps:
                own = next((app for app in self.spec.apps if app.package == package), None)
                self._add(own or stub(package))

    def remove_app(self, package: str) -> None:
        """Remove an app, if it is installed; the home screen shows if it was in front."""
        with self.changed:
            if (app := self._apps.get(package)) is not None:
                self._stop(app)
                del self._apps[package]
                self._redraw()

    def _add(self, spec: AppSpec) -> None:
        app = self._apps[spec.package] = Running(spec, 4000 + 37 * len(self._apps))
        self._begin(app)
        self._redraw()

    def takes(self, address: str) -> bool:
        """Whether an app opens such addresses; the browser takes those of the web."""
        with self.changed:
            links = [link for app in self._apps.values() for link in app.spec.links]
        return address.startswith((*links, "https:", "http:"))

    def _follow(self, address: str) -> None:
        """Open a link: in the first app that takes such addresses, else in the browser's stub."""
        taking = [app for app in self._apps.values() if address.startswith(app.spec.links or ("\0",))]
        self._open(taking[0] if taking else self._apps[BROWSER])
        self._happen(LINK, address)

    def running(self) -> list[tuple[int, str]]:
        """Process ids and packages of the apps that run."""
        return [(app.pid, package) for package, app in self._apps.items() if app.alive]

    def windows(self) -> tuple[Window, ...]:
        """The windows with their laid-out widgets, bottom first."""
        with self.changed:
            if self._cache is None:
                self._cache = tuple(self._render())
                if self._ring is not None:
                    for stop in _stops(_reported(self._cache))[self._ring : self._ring + 1]:
                        stop.focused = True
            return self._cache

    def reported(self) -> tuple[Window, ...]:
        """The windows that the accessibility tree has: none below one that takes all touches."""
        return _reported(self.windows())

    def _render(self) -> list[Window]:
        compose, app, windows = self._composer.at(self.clock), self._front, list[Window]()
        own = self._ring is not None  # the widget with the focus will be marked
        if app is None:
            windows.append(compose.launcher(self.icons, own=own))
        else:
            package = app.spec.package
            focus = self._focus[1] if self._focus and self._focus[0] == package else ""
            for screen in app.screens_shown:
                if screen.recorded:
                    windows += compose.recorded(screen, package, self._overlay(app, screen.name, focus))
                    continue
                windows.append(
                    compose.window(
                        screen.file,
                        self._names(app),
                        (package, screen.name),
                        screen.package or package,
                        screen.activity,
                        str(self.spec.folder / screen.file),
                        focus=focus,
                        dialog=screen.dialog,
                        own=own,
                    )
                )
        if self.keyboard_shown:
            windows.append(compose.keyboard())
        for dialog in self._dialogs:
            windows.append(self._system_dialog(dialog))
        return windows

    def _system_dialog(self, dialog: SystemDialog) -> Window:
        compose, file = self._composer.at(self.clock), dialog.template
        names = context(self.clock, {"front": self._label()}, dialog.values)
        package, activity = dialog.package, f".{file.removesuffix('.xml')}"
        own, where = self._ring is not None, self.scenario.where(file)
        return compose.window(file, names, (package, file), package, activity, where, dialog=True, own=own)

    def _label(self) -> str:
        return self._front.spec.label if self._front else "Home"

    def _overlay(self, app: Running, screen: str, focus: str) -> Overlay:
        number = int(focus[1:]) if focus.startswith("@") and focus[1:].isdigit() else None
        return Overlay(dict(app.typed.get(screen, {})), number)

    def _names(self, app: Running, **more: Any) -> dict[str, Any]:
        return context(
            self.clock, {"screen": app.stack[-1], "seed": self.seed}, app.spec.data, app.state, more
        )

    def saved(self) -> PhoneState:
        """The whole state, except the counts of the scenario; `restore` returns to it."""
        with self.changed:
            apps = {
                name: (
                    app.alive,
                    app.pid,
                    dict(app.state),
                    tuple(app.stack),
                    {k: dict(v) for k, v in app.typed.items()},
                )
                for name, app in self._apps.items()
            }
            return PhoneState(
                self.clock,
                apps,
                self._front.spec.package if self._front else "",
                self._focus,
                self.keyboard_shown,
                tuple(self._dialogs),
                dict(self._offsets),
                tuple(self._time.pending),
                self._ring,
            )

    def restore(self, saved: PhoneState) -> None:
        """Return to the state when `saved` was made."""
        with self.changed:
            for name, (alive, pid, state, stack, typed) in saved.apps.items():
                app = self._apps.get(name)
                if app is None:
                    continue
                app.alive, app.pid, app.state, app.stack = alive, pid, dict(state), list(stack)
                app.typed = {key: dict(value) for key, value in typed.items()}
            self._time.now, self._focus, self.keyboard_shown = saved.clock, saved.focus, saved.keyboard
            self._front = self._apps.get(saved.front)
            self._dialogs, self._time.pending = list(saved.dialogs), list(saved.pending)
            self._offsets.clear()
            self._offsets.update(saved.offsets)
            self._last_tapped, self._ring = None, saved.ring
            self._cache = None
            self.changed.notify_all()

    # ---- what events do ------------------------------------------------------------------------------------

    def toast(self, text: str) -> None:
        """Show a short message, as an app would."""
        with self.changed:
            self.last_toast = self.toast_on_screen = printable(text[:MOST_TEXT])
            self._cache = None
            self.changed.notify_all()

    def _open(self, app: Running) -> None:
        self._unfocus()
        self._front = app
        if not app.alive:
            app.alive = True
            self._begin(app)
            self._fire("start", None)

    def _go_home(self) -> None:
        self._front = None
        self._unfocus()
        home = self._apps.get(self.spec.home)
        if home is not None:
            self._open(home)

    def _stop(self, app: Running) -> None:
        app.alive = False
        app.pid += 1
        self._begin(app)
        for place in [place for place in self._offsets if place[0] == app.spec.package]:
            del self._offsets[place]
        if self._front is app:
            self._go_home()

    def _unfocus(self) -> None:
        self._focus = self._ring = None
        self.keyboard_shown = False
        self._cache = None

    def _surprise(self, surprise: Surprise) -> None:
        """Show a dialog or toast that no input caused."""
        if surprise.template and len(self._dialogs) < MOST_DIALOGS:
            self._dialogs.append(SystemDialog(surprise.template, surprise.package, surprise.values))
            self.keyboard_shown = False
            self._cache = None
        if surprise.toast:
            self.toast(surprise.toast)

    def _tapped(self, widget: Widget) -> bool:
        """Whether anything changed."""
        if widget.package == KEYBOARD:
            self._keyboard_key(widget.name("key"))
            return True
        if self._dialogs:
            return self._in_system_dialog(widget.name("tap"))
        if self._front is None:
            app = self._apps.get(widget.name("value")) if widget.name("tap") == "open" else None
            if app is not None:
                self._open(app)
            return app is not None
        this = (widget.id, widget.name("value"))
        again, self._last_tapped = self._last_tapped == this, this
        bind = widget.name("bind")
        done = False
        if bind.startswith("@") or (widget.tag == "edit" and bind):
            self._focus = (self._front.spec.package, bind)
            self.keyboard_shown = not bind.startswith("@")  # a recorded screen has no place for it
            self._cache = None
            done = True
        elif widget.flag("checkable") and bind in self._front.state:
            self._front.state[bind] = not widget.flag("checked")
            self._cache = None
            done = True
        done = self._fire(widget.name("tap"), widget) or done
        if again:
            self._fire(widget.name("double"), widget)
        return done

    def _in_system_dialog(self, event: str) -> bool:
        """What the buttons of the system's dialogs do: ``dismiss``, ``home``, ``stop``, ``restart``."""
        if event in SYSTEM_DIALOG_EVENTS:
            self._dialogs.pop()
            self._cache = None
        if event == "home":
            self._go_home()
        elif event == "stop" and self._front is not None:
            self._stop(self._front)
        elif event == "restart":
            self._restart()
        return bool(event)

    def _restart(self) -> None:
        self._dialogs.clear()
        for app in self._apps.values():
            app.alive = False
            app.pid += 1
            self._begin(app)
        self._go_home()

    def _keyboard_key(self, key: str) -> None:
        if key == "enter":
            self._enter()
        elif key == "del":
            self._edit(lambda text: text[:-1])
        elif key == "hide":
            self.keyboard_shown = False
        elif key:
            self._edit(lambda text: text + (" " if key == "space" else key))

    def focused(self) -> Widget | None:
        """The field that has the focus."""
        for window in self.reported():
            for widget in window.root.walk():
                if widget.focused and widget.seen is not None:
                    return widget
        return None

    def _move_focus(self, by: int) -> None:
        """Move the focus to the next or previous widget that can have it, as TAB and the arrow keys do."""
        stops = _stops(self.reported())
        if not stops:
            return
        here = next((i for i, stop in enumerate(stops) if stop.focused), -1 if by > 0 else 0)
        place = (here + by) % len(stops)
        stop, package = stops[place], self._front.spec.package if self._front else ""
        self._unfocus()
        if stop.name("node"):
            self._focus = (package, f"@{stop.name('node')}")
        elif stop.tag == "edit" and stop.name("bind"):
            self._focus, self.keyboard_shown = (package, stop.name("bind")), True
        else:
            self._ring = place

    def _press_focused(self, name: str) -> None:
        """ENTER, SPACE and the centre key: on a widget that is not a field they do what a tap does."""
        widget = self.focused()
        if widget is not None and widget.flag("enabled") and (name == "DPAD_CENTER" or not editable(widget)):
            self._tapped(widget)
        elif name == "SPACE":
            self._edit(lambda text: text + " ")
        elif name != "DPAD_CENTER":
            self._enter()

    def _enter(self) -> None:
        widget = self.focused()
        self.keyboard_shown = False
        if widget is not None:
            self._fire(widget.name("enter"), widget)

    def _edit(self, change: Callable[[str], str]) -> None:
        widget = self.focused()
        if widget is not None and widget.flag("enabled") and editable(widget):
            self._write(widget, change(widget.text))

    def _write(self, widget: Widget, text: str) -> None:
        bind, app = widget.name("bind"), self._front
        if app is None or not bind:
            return
        if bind.startswith("@"):
            app.typed.setdefault(app.stack[-1], {})[int(bind[1:])] = printable(text[:MOST_TEXT])
            self._cache = None
            self._fire(widget.name("text"), widget)
        elif bind in app.state:
            app.state[bind] = printable(text[:MOST_TEXT])
            self._cache = None
            self._fire(widget.name("input"), widget)

    def _back(self) -> None:
        if self._dialogs:
            self._dialogs.pop()
            self._cache = None
        elif self.keyboard_shown:
            self.keyboard_shown = False
        elif self._front is not None and not self._fire("back", None):
            if len(self._front.stack) > 1:
                self._pop(self._front)
            else:
                self._go_home()

    def _outside(self) -> None:
        """A touch outside a dialog."""
        app = self._front
        if self._dialogs or app is None or not app.screen.dialog or not app.screen.outside:
            return
        if not self._fire("outside", None):
            self._pop(app)

    def _pop(self, app: Running) -> None:
        app.stack.pop()
        if app is self._front:
            self._unfocus()

    def _fire(self, event: str, widget: Widget | None) -> bool:
        """Apply the first rule of the foreground app for an event; whether there is one."""
        app = self._front
        if not event or app is None:
            return False
        if app.screen.recorded and event.startswith("move "):
            move = app.screen.moves[int(event.split()[1])]
            self._apply(app, Rule(event, goto=move.goto, open=move.open), "", "")
            return True
        value, text = (widget.name("value"), widget.text) if widget else ("", "")
        return self._happen(event, value, text)

    def _happen(self, event: str, value: str, text: str = "") -> bool:
        """Apply the first rule of the foreground app for an event with these values; whether there is one."""
        app = self._front
        assert app is not None
        names = self._names(app, value=value, text=text)
        for key, rule in self.faults.answers(app.spec.package, event, app.stack[-1]):
            if self._holds(rule, names) and self.faults.answered(key):
                self._start(app, rule, value, text)
                return True
        for rule in app.spec.rules:
            fits = rule.event == event and rule.screen in ("", app.stack[-1])
            if fits and self._holds(rule, names):
                self._start(app, rule, value, text)
                return True
        return False

    def _holds(self, rule: Rule, names: Mapping[str, Any]) -> bool:
        return not rule.when or bool(self._templates.evaluate(rule.when, names, rule.place))

    def _start(self, app: Running, rule: Rule, value: str, text: str) -> None:
        """Apply a rule, now or when its delay is over (if the app was not stopped meanwhile)."""
        if rule.delay == 0.0:
            self._apply(app, rule, value, text)
            return
        self._set(app, rule, rule.wait, value, text)
        if rule.delay is not None:
            self._time.plan(rule.delay, partial(self._apply_later, app, app.pid, rule, value, text))

    def _apply_later(self, app: Running, pid: int, rule: Rule, value: str, text: str) -> None:
        if app.pid == pid and app.alive:
            self._apply(app, rule, value, text)

    def _change(self, values: Mapping[str, Any]) -> None:
        """Apps change without an input: each variable in the apps that have it."""
        for app in self._apps.values():
            app.state.update({name: value for name, value in values.items() if name in app.state})
        self._cache = None

    def _set(
        self, app: Running, rule: Rule, pairs: tuple[tuple[str, str], ...], value: str, text: str
    ) -> dict[str, Any]:
        names = self._names(app, value=value, text=text)
        where = rule.place
        new = {key: self._templates.evaluate(source, names, where) for key, source in pairs}
        app.state.update(new)
        self._cache = None
        return names | new

    def _apply(self, app: Running, rule: Rule, value: str, text: str) -> None:
        names = self._set(app, rule, rule.set, value, text)
        if rule.back and len(app.stack) > 1:
            self._pop(app)
        there = self._apps.get(rule.open) if rule.open else app
        if there is not None and rule.open:
            self._open(there)
        if there is not None and rule.goto:
            self._show(there, rule.goto)
        if rule.toast:
            self.toast(self._templates.text(rule.toast, names, rule.place))
        if rule.close and app is self._front:
            self._go_home()

    def _show(self, app: Running, screen: str) -> None:
        """Go to a screen: back to it if it is below, else on top of the current one."""
        if screen in app.stack:
            del app.stack[app.stack.index(screen) + 1 :]
        else:
            app.stack.append(screen)
            gone = [key for key in self._offsets if key[:2] == (app.spec.package, screen)]
            for key in gone:
                del self._offsets[key]
        if app is self._front:
            self._unfocus()

    def _swiped(self, widget: Widget | None, dx: int, dy: int) -> bool:
        """A swipe on a recorded screen; whether a move is known for it."""
        app = self._front
        if app is None or not app.screen.recorded:
            return False
        direction = ("left" if dx < 0 else "right") if abs(dx) > abs(dy) else ("up" if dy < 0 else "down")
        if widget is not None:
            for name in (event_name("swipe", direction), event_name("swipe")):
                if widget.name(name):
                    return self._fire(widget.name(name), widget)
        for index, move in enumerate(app.screen.moves):
            if move.on == "swipe" and move.anywhere and move.direction in ("", direction):
                return self._fire(f"move {index}", widget)
        return False


def editable(widget: Widget) -> bool:
    """Whether text can be typed into it."""
    return widget.tag == "edit" or widget.name("bind").startswith("@")


def _reported(windows: tuple[Window, ...]) -> tuple[Window, ...]:
    first = max((i for i, window in enumerate(windows) if window.modal), default=0)
    return windows[first:]


def _stops(windows: tuple[Window, ...]) -> list[Widget]:
    """The widgets that can have the focus: of the topmost window that is not a keyboard, in document order."""
    window = next((window for window in reversed(windows) if window.kind != "input_method"), None)
    inside = window.root.walk() if window is not None else iter(())
    return [w for w in inside if w.seen is not None and w.flag("focusable") and w.flag("enabled")]
