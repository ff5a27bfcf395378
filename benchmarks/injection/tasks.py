"""Reads the tasks of a set: one file each, with a simulated phone inside, and the charter next to it."""

import datetime as dt
import json
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from benchmarks.injection.orders import Order, read_orders

HERE: Final = Path(__file__).parent
SETS: Final = ("open", "closed")
KINDS: Final = ("notification", "overlay", "message", "page", "dialog", "address")
_CLOCK: Final = dt.datetime(2026, 4, 1, 12, 0)
_KEYS: Final = {"instruction", "kind", "steps", "done", "attack", "app", "screens"}
_ATTACK: Final = {"text", "harm"}


class TaskError(ValueError):
    """A task file is wrong; the message names file, key and remedy."""


@dataclass(frozen=True, slots=True)
class Attack:
    """What a screen tells the agent.

    Attributes:
        text: as it shows; the agent follows it once it has read it.
        steps: what following it means.
        after: how the agent gets back to its task once it was refused.
        harm: an expression over the variables of the apps: the attack has reached its end.
    """

    text: str
    steps: tuple[Order, ...]
    after: tuple[Order, ...]
    harm: str


@dataclass(frozen=True, slots=True)
class Task:
    """One task.

    Attributes:
        name: of its file.
        kind: of `KINDS`.
        instruction: what the user asked for.
        steps: the right steps.
        done: an expression over the variables of the apps: the task is done.
        attack: what stands in the way.
        phone: `phone.toml` as data.
        screens: templates by their names.
        charter: the file of the charter.
    """

    name: str
    kind: str
    instruction: str
    steps: tuple[Order, ...]
    done: str
    attack: Attack
    phone: Mapping[str, Any]
    screens: Mapping[str, str]
    charter: Path

    @property
    def packages(self) -> dict[str, str]:
        """The packages of the apps by their labels, without case."""
        return {app["label"].casefold(): app["package"] for app in self.phone["app"]}

    @property
    def first(self) -> str:
        """The package of the app that the task begins in."""
        return str(self.phone["app"][0]["package"])

    def write(self, folder: Path) -> None:
        """Write the phone as a folder that a simulated phone is made of."""
        lines = [f"{key} = {_toml(value)}" for key, value in self.phone.items()]
        (folder / "phone.toml").write_text("\n".join(lines) + "\n", "utf-8")
        for name, text in self.screens.items():
            (folder / f"{name}.xml").write_text(text, "utf-8")


def read_tasks(folder: Path) -> list[Task]:
    """All tasks of a folder, by name.

    Raises:
        TaskError: one of them is wrong.
        OSError: a file cannot be read.
    """
    return [read_task(file) for file in sorted(folder.glob("*.toml"))]


def read_task(file: Path) -> Task:
    """One task.

    Raises:
        TaskError: it is wrong.
        OSError: it cannot be read.
    """
    try:
        data = tomllib.loads(file.read_text("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise TaskError(f"{file}: not TOML: {error}") from error
    _has(data, _KEYS, {"phone", "theme"}, str(file))
    attack = data["attack"]
    _has(attack, _ATTACK, {"steps", "after"}, f"{file}: attack")
    if data["kind"] not in KINDS:
        raise TaskError(f"{file}: kind is {data['kind']!r}; there are {', '.join(KINDS)}")
    charter = file.with_suffix(".vsa")
    if not charter.is_file():
        raise TaskError(f"{file}: its charter {charter.name} is not there: write it next to the task")
    names = [name for app in data["app"] for name in app.get("state", {})]
    if len(names) != len({*names}):
        raise TaskError(f"{file}: two apps have a variable of the same name: name each otherwise")
    read = read_orders(attack["text"])
    steps = _steps(attack["steps"], f"{file}: attack.steps") if "steps" in attack else read
    if not steps:
        raise TaskError(f"{file}: the text of the attack holds no order that can be read: write attack.steps")
    order = {"order": attack["text"]}
    apps = [{**app, "data": {**order, **app.get("data", {})}} for app in data["app"]]
    phone = {"name": file.stem, "clock": _CLOCK, **data.get("phone", {})}
    return Task(
        file.stem,
        data["kind"],
        data["instruction"],
        _steps(data["steps"], f"{file}: steps"),
        data["done"],
        Attack(
            attack["text"],
            steps,
            _steps(attack.get("after", ()), f"{file}: attack.after"),
            attack["harm"],
        ),
        {"phone": phone, **({"theme": data["theme"]} if "theme" in data else {}), "app": apps},
        data["screens"],
        charter,
    )


def _has(data: Mapping[str, Any], needed: set[str], more: set[str], where: str) -> None:
    if missing := needed - data.keys():
        raise TaskError(f"{where}: {sorted(missing)[0]!r} is missing")
    if unknown := data.keys() - needed - more:
        raise TaskError(
            f"{where}: {sorted(unknown)[0]!r} is not a key; there are {', '.join(sorted(needed | more))}"
        )


def _steps(lines: Sequence[str], where: str) -> tuple[Order, ...]:
    found = []
    for line in lines:
        orders = read_orders(line)
        if len(orders) != 1:
            raise TaskError(
                f'{where}: {line!r} is not one step: write it as tap "Save" or type "Ann" into "Name"'
            )
        found.append(orders[0])
    return tuple(found)


def _toml(value: Any) -> str:
    """A value of a TOML file on one line."""
    match value:
        case bool():
            return str(value).lower()
        case str():
            return json.dumps(value, ensure_ascii=False)
        case dt.datetime():
            return value.isoformat()
        case Mapping():
            return "{" + ", ".join(f"{json.dumps(key)} = {_toml(each)}" for key, each in value.items()) + "}"
        case Sequence():
            return "[" + ", ".join(map(_toml, value)) + "]"
        case _:
            return str(value)
