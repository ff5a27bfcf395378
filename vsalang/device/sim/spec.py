"""A phone as data: `phone.toml` and its screen templates, read and checked.

The folder is described in `docs/reference/simulator.md`. Everything here is immutable; what changes while the
phone runs is in `vsalang.device.sim.phone`.
"""

import datetime as dt
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from vsalang.device.errors import DeviceError

SYSTEM_EVENTS = frozenset({"back", "start", "menu"})
"""Events that the phone raises by itself; all others are named by a widget."""


class PhoneSpecError(DeviceError):
    """The folder of a simulated phone cannot be used; the message names the file and what to change."""


@dataclass(frozen=True, slots=True)
class Rule:
    """What happens on an event: the first rule of the app that fits is applied.

    Attributes:
        event: the name a widget gives its event, or one of `SYSTEM_EVENTS`.
        screen: only on this screen; "" for any.
        when: an expression that must be true; "" for none.
        set: variable -> expression; all are computed before any is assigned.
        goto: the screen to show next; "" stays. A screen that is below in the stack is returned to.
        toast: template of a short message; "" for none.
        close: leave the app, to the home screen.
    """

    event: str
    screen: str = ""
    when: str = ""
    set: tuple[tuple[str, str], ...] = ()
    goto: str = ""
    toast: str = ""
    close: bool = False


@dataclass(frozen=True, slots=True)
class ScreenSpec:
    """One screen of an app: a name, the activity it belongs to, and the file of its template."""

    name: str
    activity: str
    file: str


@dataclass(frozen=True, slots=True)
class AppSpec:
    """One app: identity, start screen, variables, constants, screens and rules."""

    package: str
    label: str
    activity: str
    start: str
    version: str
    icon: str
    color: str
    state: Mapping[str, Any]
    data: Mapping[str, Any]
    screens: Mapping[str, ScreenSpec]
    rules: tuple[Rule, ...]


@dataclass(frozen=True, slots=True)
class PhoneSpec:
    """One phone: hardware, clock, theme, apps, scenarios.

    Attributes:
        step: how far the clock moves at each input.
        seed: a number for templates that vary their data; the phone itself has nothing random.
        files: templates by file name; those of the system unless the folder has its own.
        theme: colour name -> ``#rrggbb``, for templates and the painter.
        scenarios: name -> variable -> value; replaces initial variables of the apps.
        folder: where it was read from, for messages.
    """

    name: str
    title: str
    model: str
    serial: str
    width: int
    height: int
    density: int
    clock: dt.datetime
    step: dt.timedelta
    zone: str
    seed: int
    theme: Mapping[str, str]
    apps: tuple[AppSpec, ...] = field(repr=False)
    files: Mapping[str, str] = field(repr=False)
    scenarios: Mapping[str, Mapping[str, Any]]
    folder: Path

    def with_scenario(self, name: str) -> "PhoneSpec":
        """The same phone, with the variables of scenario `name` ("" for none).

        Raises:
            PhoneSpecError: there is no such scenario.
        """
        if not name:
            return self
        if name not in self.scenarios:
            known = ", ".join(sorted(self.scenarios)) or "none"
            raise PhoneSpecError(f"{self.folder}: no scenario is called {name!r}; there are: {known}")
        changed = self.scenarios[name]
        apps = tuple(
            replace(app, state={**app.state, **{key: changed[key] for key in changed if key in app.state}})
            for app in self.apps
        )
        return replace(self, apps=apps)


class _Table:
    """A TOML table that is read key by key, so that what is missing, wrong or left over can be named."""

    def __init__(self, file: Path, where: str, values: Mapping[str, Any]) -> None:
        self.file = file
        self.where = where
        self.left = dict(values)

    def fail(self, message: str) -> PhoneSpecError:
        return PhoneSpecError(f"{self.file}: {self.where}: {message}")

    def take(self, key: str, kind: type | tuple[type, ...], default: Any = None) -> Any:
        if key not in self.left:
            if default is None:
                raise self.fail(f"{key!r} is missing")
            return default
        value = self.left.pop(key)
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is int):
            wanted = kind.__name__ if isinstance(kind, type) else " or ".join(k.__name__ for k in kind)
            raise self.fail(f"{key!r} must be {wanted}, not {type(value).__name__}")
        return value

    def positive(self, key: str, default: int, most: int) -> int:
        value: int = self.take(key, int, default)
        if not 1 <= value <= most:
            raise self.fail(f"{key!r} must be from 1 to {most}, not {value}")
        return value

    def end(self) -> None:
        if self.left:
            raise self.fail(f"unknown: {', '.join(sorted(self.left))}")


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise PhoneSpecError(f"{path}: cannot be read ({error.strerror})") from error
    except UnicodeDecodeError as error:
        raise PhoneSpecError(f"{path}: is not UTF-8") from error


def load_phone(folder: Path, system: Path) -> PhoneSpec:
    """Read the phone in `folder`; launcher and keyboard come from `system` unless the folder has its own.

    Raises:
        PhoneSpecError: a file is missing or wrong.
    """
    file = folder / "phone.toml"
    try:
        document = tomllib.loads(_read(file))
    except tomllib.TOMLDecodeError as error:
        raise PhoneSpecError(f"{file}: not TOML: {error}") from error
    top = _Table(file, "top level", document)
    phone = _Table(file, "[phone]", top.take("phone", dict))
    name = phone.take("name", str, folder.name)
    files = {path.name: _read(path) for where in (system, folder) for path in sorted(where.glob("*.xml"))}
    apps = tuple(_app(file, files, index, table) for index, table in enumerate(top.take("app", list)))
    if not apps:
        raise top.fail("at least one [[app]] is needed")
    clock = phone.take("clock", dt.datetime)
    if clock.tzinfo is not None:
        raise phone.fail("'clock' is the device's local time: leave the offset out")
    spec = PhoneSpec(
        name=name,
        title=phone.take("title", str, name),
        model=phone.take("model", str, "Simulated phone"),
        serial=phone.take("serial", str, f"sim-{name}"),
        width=phone.positive("width", 720, 4096),
        height=phone.positive("height", 1520, 4096),
        density=phone.positive("density", 320, 960),
        clock=clock,
        step=dt.timedelta(seconds=phone.positive("step", 2, 86400)),
        zone=phone.take("zone", str, "UTC"),
        seed=phone.take("seed", int, 0),
        theme=_strings(file, "[theme]", top.take("theme", dict, {})),
        apps=apps,
        files=files,
        scenarios=top.take("scenario", dict, {}),
        folder=folder,
    )
    phone.end()
    top.end()
    if not spec.serial or not spec.serial.isascii() or any(c in spec.serial for c in " \t\n:;"):
        raise phone.fail("'serial' must be ASCII without blanks, colons and semicolons")
    known = {key for app in apps for key in app.state}
    for title, values in spec.scenarios.items():
        if not isinstance(values, dict) or not set(values) <= known:
            raise top.fail(f"[scenario.{title}] may set only variables of an app: {', '.join(sorted(known))}")
    return spec


def _strings(file: Path, where: str, table: Mapping[str, Any]) -> dict[str, str]:
    for key, value in table.items():
        if not isinstance(value, str):
            raise PhoneSpecError(f"{file}: {where}: {key!r} must be a string")
    return dict(table)


def _app(file: Path, files: Mapping[str, str], index: int, values: Any) -> AppSpec:
    if not isinstance(values, dict):
        raise PhoneSpecError(f"{file}: [[app]] must be a table")
    table = _Table(file, f"[[app]] number {index + 1}", values)
    activity = table.take("activity", str, ".MainActivity")
    screens: dict[str, ScreenSpec] = {}
    for row in table.take("screen", list):
        inner = _Table(file, f"{table.where}, [[app.screen]]", row)
        name = inner.take("name", str)
        relative = inner.take("template", str, f"{name}.xml")
        if relative not in files:
            raise inner.fail(
                f"the template {relative!r} is not in the folder; there are {', '.join(sorted(files))}"
            )
        screens[name] = ScreenSpec(name, inner.take("activity", str, activity), relative)
        inner.end()
    rules = []
    for row in table.take("on", list, []):
        inner = _Table(file, f"{table.where}, [[app.on]]", row)
        rule = Rule(
            event=inner.take("event", str),
            screen=inner.take("screen", str, ""),
            when=inner.take("when", str, ""),
            set=tuple(_strings(file, inner.where, inner.take("set", dict, {})).items()),
            goto=inner.take("goto", str, ""),
            toast=inner.take("toast", str, ""),
            close=inner.take("close", bool, False),
        )
        inner.end()
        for target in (rule.screen, rule.goto):
            if target and target not in screens:
                raise inner.fail(f"event {rule.event!r}: there is no screen {target!r}")
        rules.append(rule)
    app = AppSpec(
        package=table.take("package", str),
        label=table.take("label", str),
        activity=activity,
        start=table.take("start", str),
        version=table.take("version", str, "1.0"),
        icon=table.take("icon", str, "app"),
        color=table.take("color", str, "#455a64"),
        state=table.take("state", dict, {}),
        data=table.take("data", dict, {}),
        screens=screens,
        rules=tuple(rules),
    )
    table.end()
    if app.start not in screens:
        raise table.fail(f"'start' names the screen {app.start!r}, which is not there")
    for rule in rules:
        unknown = [key for key, _ in rule.set if key not in app.state]
        if unknown:
            raise table.fail(f"event {rule.event!r} sets {unknown[0]!r}, which [app.state] does not declare")
    return app
