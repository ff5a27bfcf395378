"""Finds mistakes in a scenario: names that nothing on the phone has, templates that fail.

Each problem names the file, the line and the key, and suggests a correction.
"""

import re
from collections.abc import Collection, Iterator
from typing import Any, Final

from vsalang.base.source.toml import Table, hint
from vsalang.phone.sim.phone import Phone
from vsalang.phone.sim.rpc_signatures import SIGNATURES
from vsalang.phone.sim.rule import SYSTEM_EVENTS
from vsalang.phone.sim.scenario import SYSTEM_DIALOG_EVENTS, Scenario, Surprise
from vsalang.phone.sim.spec import PhoneSpec, PhoneSpecError
from vsalang.phone.sim.toml import read_toml
from vsalang.phone.sim.widgets import KINDS

_ATTRIBUTE: Final = re.compile(r"""(?<![\w-])(id|resource-id|tap|long|double|enter|input)="([^"]*)\"""")
_TAG: Final = re.compile(r"<([A-Za-z_][\w.-]*)")
_FILLED: Final = re.compile(r"\{\{.*?\}\}|\{%.*?%\}", re.DOTALL)
_LITERAL: Final = re.compile(r"""'([^'\n]{1,80})'|"([^"\n]{1,80})\"""")


def scenario_problems(spec: PhoneSpec, scenario: Scenario) -> Iterator[str]:
    """The mistakes in a scenario; none for one inside phone.toml."""
    if scenario.file is None:
        return
    top = read_toml(scenario.file)
    files = {**spec.files, **scenario.files}
    ids = _Ids(spec, files.values())
    targets = [("fault", index, fault.target) for index, fault in enumerate(scenario.faults)]
    targets += [("surprise", index, surprise.target) for index, surprise in enumerate(scenario.surprises)]
    for kind, index, target in targets:
        if target and target not in ids:
            message = f"'target' names {target!r}: no widget of the phone has that id"
            yield _at(top, (kind, index), message + hint(target, ids.known), "target")
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
            found = list(_template(scenario, surprise.template))
            yield from found
            if found:
                continue
        try:
            phone.check_surprise(surprise)
        except PhoneSpecError as error:
            yield str(error)


def _at(top: Table, path: tuple[str | int, ...], message: str, *key: str) -> str:
    return f"{top.at(*path, *key)}: [[{path[0]}]] number {int(path[1]) + 1}: {message}"


class _Ids:
    """The ids of a phone's widgets: those that its templates and dumps contain or build."""

    def __init__(self, spec: PhoneSpec, texts: Collection[str]) -> None:
        self.known: set[str] = set()
        self._patterns: list[re.Pattern[str]] = []
        any_name = False
        for text in texts:
            for name, value in _ATTRIBUTE.findall(text):
                if name not in ("id", "resource-id"):
                    continue
                pieces = _FILLED.split(value)
                if len(pieces) == 1:
                    self.known |= {value, value.rpartition(":id/")[2]}
                elif any(pieces):
                    self._patterns.append(re.compile(".*".join(map(re.escape, pieces)), re.DOTALL))
                else:
                    any_name = True
        self._literals: set[str] = set()
        if any_name:  # an id is a value: it occurs in the text
            self._literals = {one or two for text in texts for one, two in _LITERAL.findall(text)}
            self._literals |= {text for app in spec.apps for text in _strings([app.data, app.state])}

    def __contains__(self, name: str) -> bool:
        return (
            name in self.known
            or name in self._literals
            or any(pattern.fullmatch(name) for pattern in self._patterns)
        )


def _strings(data: Any) -> Iterator[str]:
    if isinstance(data, str):
        yield data
    elif isinstance(data, dict):
        for key, value in data.items():
            yield str(key)
            yield from _strings(value)
    elif isinstance(data, list):
        for value in data:
            yield from _strings(value)


def _events(spec: PhoneSpec, package: str) -> set[str]:
    """The events that an app may get: those of its widgets, of its rules, and of the phone."""
    (app,) = (app for app in spec.apps if app.package == package)
    found = {rule.event for rule in app.rules} | SYSTEM_EVENTS
    for screen in app.screens.values():
        for name, value in _ATTRIBUTE.findall("" if screen.recorded else spec.files[screen.file]):
            if name not in ("id", "resource-id") and not _FILLED.search(value):
                found.add(value)
    return found


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
        lambda found: "\n" * found[0].count("\n"),
        scenario.files[name],
        flags=re.DOTALL,
    )
    for number, line in enumerate(text.split("\n"), 1):
        where = f"{scenario.file.parent / name}:{number}"
        plain = _FILLED.sub(" ", line)
        for tag in _TAG.findall(plain):
            if tag not in KINDS:
                yield f"{where}: there is no widget <{tag}>; there are {', '.join(sorted(KINDS))}{hint(tag, KINDS)}"
        for key, value in _ATTRIBUTE.findall(line):
            if (
                key in ("tap", "long", "double")
                and not _FILLED.search(value)
                and value not in SYSTEM_DIALOG_EVENTS
            ):
                known = ", ".join(sorted(SYSTEM_DIALOG_EVENTS))
                yield (
                    f"{where}: {key}={value!r}: a dialog of the system knows {known}"
                    f"{hint(value, SYSTEM_DIALOG_EVENTS)}"
                )
