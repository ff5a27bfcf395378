"""Finds mistakes in a scenario: names that nothing on the phone has, templates that fail.

Each problem names the file, the line and the key, and suggests a correction.
"""

import re
from collections.abc import Iterator
from typing import Final

from vsalang.base.source.toml import Table, hint
from vsalang.phone.sim.ids import ATTRIBUTE, FILLED, Ids
from vsalang.phone.sim.phone import Phone
from vsalang.phone.sim.rpc_signatures import SIGNATURES
from vsalang.phone.sim.rule import SYSTEM_EVENTS
from vsalang.phone.sim.scenario import SYSTEM_DIALOG_EVENTS, Scenario, Surprise
from vsalang.phone.sim.spec import PhoneSpec, PhoneSpecError
from vsalang.phone.sim.toml import read_toml
from vsalang.phone.sim.widgets import KINDS

_TAG: Final = re.compile(r"<([A-Za-z_][\w.-]*)")


def scenario_problems(spec: PhoneSpec, scenario: Scenario) -> Iterator[str]:
    """The mistakes in a scenario; none for one inside phone.toml."""
    if scenario.file is None:
        return
    top = read_toml(scenario.file)
    files = {**spec.files, **scenario.files}
    ids = Ids(spec, files.values())
    targets = [("fault", index, fault.target) for index, fault in enumerate(scenario.faults)]
    targets += [("surprise", index, surprise.target) for index, surprise in enumerate(scenario.surprises)]
    for kind, index, target in targets:
        if target and target not in ids:
            message = f"'target' names {target!r}: no widget of the phone has that id"
            yield _at(top, (kind, index), message + hint(target, ids.known), "target")
        elif several := ids.several(target):
            message = f"'target' names {target!r}, which may be {' or '.join(several)}: write which"
            yield _at(top, (kind, index), message, "target")
    for index, fault in enumerate(scenario.faults):
        if fault.method and fault.method not in SIGNATURES:
            message = f"'method' names {fault.method!r}, which the server does not have"
            yield _at(top, ("fault", index), message + hint(fault.method, SIGNATURES), "method")
    for index, answer in enumerate(scenario.answers):
        events = _events(spec, answer.package)
        if answer.rule.event not in events:
            message = f"'event' names {answer.rule.event!r}: nothing gives that event"
            yield _at(top, ("answer", index), message + hint(answer.rule.event, events), "event")
    phone: Phone | None = None
    seen: set[str] = set()
    for index, surprise in enumerate(scenario.surprises):
        phone = phone or Phone(spec, Scenario(files=scenario.files, file=scenario.file))
        yield from _values(phone, surprise, top, index)
        if surprise.template in scenario.files and surprise.template not in seen:
            seen.add(surprise.template)
            messages = list(_template(scenario, surprise.template))
            yield from messages
            if messages:
                continue
        try:
            phone.check_surprise(surprise)
        except PhoneSpecError as error:
            yield str(error)


def _at(top: Table, path: tuple[str | int, ...], message: str, *key: str) -> str:
    return f"{top.at(*path, *key)}: [[{path[0]}]] number {int(path[1]) + 1}: {message}"


def _events(spec: PhoneSpec, package: str) -> set[str]:
    """The events that an app may get: those of its widgets, of its rules, and of the phone."""
    (app,) = (app for app in spec.apps if app.package == package)
    names = {rule.event for rule in app.rules} | SYSTEM_EVENTS
    for screen in app.screens.values():
        for name, value in ATTRIBUTE.findall("" if screen.recorded else spec.files[screen.file]):
            if name not in ("id", "resource-id") and not FILLED.search(value):
                names.add(value)
    return names


def _values(phone: Phone, surprise: Surprise, top: Table, index: int) -> Iterator[str]:
    """Values that the template does not use."""
    names = (
        phone.names_of(surprise.template) - {"now", "today", "front"} if surprise.template else frozenset()
    )
    for key in surprise.values:
        if key not in names:
            what = f"the dialog {surprise.template!r}" if surprise.template else "a toast alone"
            message = f"'values' gives {key!r}, which {what} does not use"
            yield _at(top, ("surprise", index), message + hint(key, names), "values", key)


def _template(scenario: Scenario, name: str) -> Iterator[str]:
    """Unknown tags and events in a template of the scenario."""
    assert scenario.file is not None
    text = re.sub(
        r"<!--.*?-->|\{#.*?#\}",
        lambda match: "\n" * match[0].count("\n"),
        scenario.files[name],
        flags=re.DOTALL,
    )
    for number, line in enumerate(text.split("\n"), 1):
        where = f"{scenario.file.parent / name}:{number}"
        plain = FILLED.sub(" ", line)
        for tag in _TAG.findall(plain):
            if tag not in KINDS:
                yield f"{where}: there is no widget <{tag}>; there are {', '.join(sorted(KINDS))}{hint(tag, KINDS)}"
        for key, value in ATTRIBUTE.findall(line):
            if (
                key in ("tap", "long", "double")
                and not FILLED.search(value)
                and value not in SYSTEM_DIALOG_EVENTS
            ):
                known = ", ".join(sorted(SYSTEM_DIALOG_EVENTS))
                yield (
                    f"{where}: {key}={value!r}: a dialog of the system knows {known}"
                    f"{hint(value, SYSTEM_DIALOG_EVENTS)}"
                )
