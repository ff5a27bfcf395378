"""Reads a scenario from a TOML file: how a simulated phone begins, and what goes wrong with it.

A scenario is named by the path of its file, or by its name in the folder `scenarios/` of a phone. The keys are
explained in `docs/reference/simulator.md`; `vsalang.phone.sim.faults` applies them.
"""

import datetime as dt
from collections.abc import Mapping
from dataclasses import field
from pathlib import Path
from typing import Any

from vsalang.base.records import dataclass
from vsalang.base.source.toml import Table, hint
from vsalang.phone.sim.rule import Rule, read_rule
from vsalang.phone.sim.toml import PhoneSpecError, read_toml

INPUTS = frozenset({"tap", "long_press", "swipe", "key", "text", "set_text", "clear_text", "open_app"})
"""The kinds of input that a fault or surprise may name."""
SYSTEM_DIALOGS: Mapping[str, str] = {
    "battery": "com.android.systemui",
    "call": "com.android.incallui",
    "crash": "android",
    "update": "com.android.systemupdate",
}
"""Dialogs of the system (templates ``system_NAME.xml``), with the packages of their windows."""

SYSTEM_DIALOG_EVENTS = frozenset({"dismiss", "home", "stop", "restart"})
"""The actions of the buttons of the system's dialogs."""

_INPUT_KEYS = frozenset({"on", "target"})
FAULTS: Mapping[str, tuple[str, frozenset[str]]] = {
    "lost": ("input", _INPUT_KEYS),
    "delayed": ("input", _INPUT_KEYS | {"seconds"}),
    "repeated": ("input", _INPUT_KEYS),
    "cut": ("input", _INPUT_KEYS | {"characters"}),
    "stuck": ("input", _INPUT_KEYS),
    "shifted": ("input", _INPUT_KEYS | {"rows"}),
    "stale": ("input", _INPUT_KEYS | {"looks"}),
    "change": ("input", _INPUT_KEYS | {"set"}),
    "empty": ("look", frozenset({"looks"})),
    "slow": ("call", frozenset({"method", "milliseconds"})),
    "dead": ("call", frozenset({"method", "after"})),
    "offline": ("open", frozenset({"opens"})),
}
"""Kind of fault -> what is counted (inputs, observations, calls of the server, opened services), its own keys."""


_COUNTS = ("looks", "opens", "characters", "rows")


@dataclass(frozen=True, slots=True)
class When:
    """On which of the counted occasions something happens.

    Attributes:
        at: the numbers of the occasions, from 1; empty: all.
        p: the probability at each of them, decided by the seed.
        times: the most times that it happens; 0: no limit.
    """

    at: tuple[int, ...] = ()
    p: float = 1.0
    times: int = 0


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault; which attributes count depends on the kind, see `FAULTS`.

    Attributes:
        count: looks, services, characters or rows.
    """

    kind: str
    when: When
    on: tuple[str, ...] = ()
    target: str = ""
    method: str = ""
    seconds: float = 0.0
    count: int = 1
    after: bool = False
    values: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Surprise:
    """A dialog of the system, or a toast, that no input caused.

    Attributes:
        race: it shows between the observation and the input, so that it receives a tap meant for a widget under it.
        template: the file of the dialog; "" for a toast alone.
        package: whose window the dialog is.
        values: for the template.
    """

    when: When
    on: tuple[str, ...]
    target: str
    race: bool
    template: str
    package: str
    toast: str
    values: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Answer:
    """What happens on an event of an app instead of the app's own rules: its server gives another answer."""

    when: When
    package: str
    rule: Rule


@dataclass(frozen=True, slots=True)
class Scenario:
    """How a phone begins and what goes wrong. The empty one changes nothing.

    Attributes:
        seed: of the random numbers; None: the phone's.
        state: variable -> value, of every app that has it, instead of its first value.
        files: templates next to the scenario's file.
        file: from which it was read; None: phone.toml.
    """

    name: str = ""
    title: str = ""
    seed: int | None = None
    clock: dt.datetime | None = None
    step: dt.timedelta | None = None
    state: Mapping[str, Any] = field(default_factory=dict)
    answers: tuple[Answer, ...] = ()
    faults: tuple[Fault, ...] = ()
    surprises: tuple[Surprise, ...] = ()
    files: Mapping[str, str] = field(default_factory=dict, repr=False)
    file: Path | None = None

    def where(self, template: str) -> str:
        """A template, for messages: with its folder, if it is next to the scenario."""
        return str(self.file.parent / template) if self.file and template in self.files else template


@dataclass(frozen=True, slots=True)
class Knows:
    """The names of a phone that a scenario may use: package -> variables, screens, and the template files."""

    variables: Mapping[str, frozenset[str]]
    screens: Mapping[str, frozenset[str]]
    files: frozenset[str]

    @property
    def all_variables(self) -> list[str]:
        """The variables of all apps, sorted."""
        return sorted({name for names in self.variables.values() for name in names})


def read_scenario(file: Path, knows: Knows, templates: Mapping[str, str]) -> Scenario:
    """Read the scenario in `file` for a phone.

    Args:
        templates: the XML files next to it that it may show, by name.

    Raises:
        PhoneSpecError: it is wrong; the message names file, line and key.
    """
    top = read_toml(file)
    head = top.table("scenario")
    clock = head.take("clock", dt.datetime) if head.has("clock") else None
    if clock is not None and clock.tzinfo is not None:
        raise head.fail("'clock' is the device's local time: leave the offset out", "clock")
    seed = head.take("seed", int) if head.has("seed") else None
    step = dt.timedelta(seconds=head.positive("step", 2, 86400)) if head.has("step") else None
    title = head.take("title", str, file.stem)
    head.end()
    files = frozenset(knows.files | set(templates))
    scenario = Scenario(
        name=file.stem,
        title=title,
        seed=seed,
        clock=clock,
        step=step,
        state=read_state(top.table("state"), knows),
        answers=tuple(_answer(table, knows) for table in top.tables("answer")),
        faults=tuple(_fault(table, knows) for table in top.tables("fault")),
        surprises=tuple(_surprise(table, files) for table in top.tables("surprise")),
        files=dict(templates),
        file=file,
    )
    top.end()
    return scenario


def read_state(table: Table, knows: Knows) -> dict[str, Any]:
    """Variables and their values; each must be one of an app."""
    for key in table.left:
        if key not in knows.all_variables:
            raise table.fail(
                f"may set only variables of an app: {', '.join(knows.all_variables) or 'there are none'}; "
                f"not {key!r}{hint(key, knows.all_variables)}",
                key,
            )
    return dict(table.left)


def _when(table: Table) -> When:
    counted = table.has("at")
    at = table.take("at", (int, list), 0)
    numbers = at if isinstance(at, list) else [at] if counted else []
    if (counted and not numbers) or any(
        isinstance(n, bool) or not isinstance(n, int) or n < 1 for n in numbers
    ):
        raise table.fail("'at' must be a number from 1, or a list of such numbers", "at")
    return When(
        at=tuple(numbers),
        p=table.number("p", 1.0, 0.0, 1.0),
        times=table.positive("times", 0, 10**6) if table.has("times") else 0,
    )


def _inputs(table: Table) -> tuple[str, ...]:
    on = table.take("on", (str, list), "")
    kinds = on if isinstance(on, list) else [on] if on else []
    for kind in kinds:
        if kind not in INPUTS:
            raise table.fail(
                f"'on' names the input {kind!r}: it must be {', '.join(sorted(INPUTS))}{hint(kind, INPUTS)}",
                "on",
            )
    return tuple(kinds)


def _fault(table: Table, knows: Knows) -> Fault:
    kind = table.one_of("kind", FAULTS)
    own = FAULTS[kind][1]
    values = read_state(table.table("set"), knows) if "set" in own else {}
    if "set" in own and not values:
        raise table.fail("'set' must say which variables of an app change, and to what")
    fault = Fault(
        kind=kind,
        when=_when(table),
        on=_inputs(table) if "on" in own else (),
        target=table.take("target", str, "") if "target" in own else "",
        method=table.take("method", str, "") if "method" in own else "",
        after=table.take("after", bool, False) if "after" in own else False,
        seconds=table.number("seconds", 3.0, 0.0, 86400.0)
        if "seconds" in own
        else table.number("milliseconds", 200.0, 0.0, 60_000.0) / 1000
        if "milliseconds" in own
        else 0.0,
        count=next((table.positive(key, 1, 10_000) for key in _COUNTS if key in own), 1),
        values=values,
    )
    table.end()
    return fault


def _surprise(table: Table, files: frozenset[str]) -> Surprise:
    dialog, toast = table.take("dialog", str, ""), table.take("toast", str, "")
    if not dialog and not toast:
        raise table.fail(f"needs a dialog ({', '.join(sorted(SYSTEM_DIALOGS))}, or a template) or a toast")
    template = f"system_{dialog}.xml" if dialog in SYSTEM_DIALOGS else dialog
    if template and not template.endswith(".xml"):
        template += ".xml"
    if template and template not in files:
        raise table.fail(
            f"there is no dialog {dialog!r}: the system has {', '.join(sorted(SYSTEM_DIALOGS))}; a template of your "
            f"own is in the phone's folder or next to the scenario{hint(dialog, [*SYSTEM_DIALOGS, *files])}",
            "dialog",
        )
    package = table.take("package", str, SYSTEM_DIALOGS.get(dialog, "com.android.systemui"))
    surprise = Surprise(
        when=_when(table),
        on=_inputs(table),
        target=table.take("target", str, ""),
        race=table.take("race", bool, False),
        template=template,
        package=package,
        toast=toast,
        values=dict(table.take("values", dict, {})),
    )
    table.end()
    return surprise


def _answer(table: Table, knows: Knows) -> Answer:
    package = table.take("app", str, "")
    if not package and len(knows.variables) == 1:
        package = next(iter(knows.variables))
    if package not in knows.variables:
        raise table.fail(
            f"'app' must be the package of an app of the phone: {', '.join(sorted(knows.variables))}",
            *(("app",) if package else ()),
        )
    when = _when(table)
    rule = read_rule(table, knows.screens[package], knows.variables[package])
    return Answer(when, package, rule)


__all__ = ["PhoneSpecError", "Scenario", "read_scenario"]
