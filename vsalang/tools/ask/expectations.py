"""Files of expectations: what a module should read from screens, in JSON, to compare in tests."""

import datetime as dt
import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from vsalang.base.source.opening import read_regular
from vsalang.tools.ask.engines import AskError

VERSION: Final = 1
_KEYS: Final = ("dump", "screen", "rows", "complete", "conflicts")


@dataclass(frozen=True)
class Expectations:
    """A file of expectations.

    Attributes:
        module: a file, relative to the working folder, or the name of a shipped module.
        scrolled: whether the screens are one session; see `vsalang.tools.ask.reading.read_screens`.
        app: the package of nodes of which a dump says none; empty: they have none.
        clock: the device's date and time; see `vsalang.tools.ask.reading.read_screens`.
        screens: the expectations of each (`Reading.data`), ``dump`` relative to the working folder.
    """

    module: str
    scrolled: str
    app: str
    clock: dt.datetime | None
    screens: tuple[dict[str, Any], ...]


def to_text(
    module: str,
    scrolled: str,
    screens: Sequence[dict[str, Any]],
    place: Path,
    *,
    app: str = "",
    clock: dt.datetime | None = None,
) -> str:
    """The text of a file of expectations at `place`; names of files are relative to it."""
    data = {
        "version": VERSION,
        "module": _relative(module, place),
        **({"scrolled": scrolled} if scrolled else {}),
        **({"app": app} if app else {}),
        **({"clock": clock.isoformat(timespec="minutes")} if clock is not None else {}),
        "screens": [{**screen, "dump": _relative(screen["dump"], place)} for screen in screens],
    }
    return json.dumps(data, indent=1, ensure_ascii=False) + "\n"


def read_expectations(place: Path) -> Expectations:
    """The expectations of a file.

    Raises:
        AskError: it cannot be read, or is none.
    """
    try:
        data = json.loads(read_regular(place, 16 * 1024 * 1024).decode("utf-8"))
    except OSError as error:
        raise AskError(f"cannot read {place}: {(error.strerror or str(error)).lower()}") from error
    except (ValueError, RecursionError) as error:
        raise AskError(f"{place} is not JSON: {error}") from error
    made = f"`vsac screen read MODULE DUMP.. --expect {place.name}` writes one"
    if not isinstance(data, dict) or data.get("version") != VERSION:
        raise AskError(f"{place} is not a file of expectations of version {VERSION}: {made}")
    module, scrolled, screens = data.get("module"), data.get("scrolled", ""), data.get("screens")
    if (
        not isinstance(module, str)
        or scrolled not in ("", "down", "up")
        or not isinstance(screens, list)
        or not screens
    ):
        raise AskError(f"{place} lacks `module` or `screens`, or `scrolled` is neither down nor up: {made}")
    app, clock = data.get("app", ""), data.get("clock")
    if not isinstance(app, str):
        raise AskError(f"{place}: `app` is not the name of a package")
    try:
        read_clock = None if clock is None else dt.datetime.fromisoformat(clock).replace(tzinfo=None)
    except (TypeError, ValueError) as error:
        raise AskError(f"{place}: `clock` is not a date and time, as in 2026-01-05T09:00") from error
    for number, screen in enumerate(screens, 1):
        if not isinstance(screen, dict) or not isinstance(screen.get("dump"), str):
            raise AskError(f"{place}: screen {number} names no `dump`")
        unknown = sorted(screen.keys() - set(_KEYS))
        if unknown:
            raise AskError(
                f"{place}: screen {number} has the key {unknown[0]!r}; known are {', '.join(_KEYS)}"
            )
    folder = place.parent
    return Expectations(
        _from(module, folder),
        scrolled,
        app,
        read_clock,
        tuple({**s, "dump": _from(s["dump"], folder)} for s in screens),
    )


def differences(expected: dict[str, Any], read: dict[str, Any]) -> list[str]:
    """The differences between a reading and the expectations, one line each; missing keys are not compared."""
    return [
        line
        for key in _KEYS[1:]
        if key in expected
        for line in _differences(key, expected[key], read.get(key))
    ]


def _differences(where: str, expected: Any, read: Any) -> Iterator[str]:
    if isinstance(expected, dict) and isinstance(read, dict):
        for key in [*expected, *(k for k in read if k not in expected)]:
            yield from _differences(f"{where}.{key}", expected.get(key), read.get(key))
    elif isinstance(expected, list) and isinstance(read, list):
        for number in range(max(len(expected), len(read))):
            yield from _differences(f"{where}[{number + 1}]", _at(expected, number), _at(read, number))
    elif type(expected) is not type(read) or expected != read:
        yield f"{where}: expected {_value_text(expected)}, read {_value_text(read)}"


def _at(items: list[Any], number: int) -> Any:
    return items[number] if number < len(items) else None


def _value_text(value: Any) -> str:
    return "nothing" if value is None else json.dumps(value, ensure_ascii=False)


def _relative(name: str, place: Path) -> str:
    """A file relative to the folder of another; names of modules are not changed."""
    if not Path(name).exists():
        return name
    return Path(os.path.relpath(name, place.parent)).as_posix()


def _from(name: str, folder: Path) -> str:
    path = folder / name
    return os.path.relpath(path) if path.exists() or name.endswith((".vsa", ".xml", ".json", ".gz")) else name
