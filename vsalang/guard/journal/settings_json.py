"""The guard's settings as JSON data, and back."""

import dataclasses
import datetime as dt
from typing import Any

from vsalang.guard import Settings
from vsalang.guard.journal.file import JournalError


def settings_json(settings: Settings) -> dict[str, Any]:
    """All of them; durations in seconds."""
    return {field.name: _json(getattr(settings, field.name)) for field in dataclasses.fields(settings)}


def read_settings(data: Any) -> Settings:
    """The settings that `settings_json` wrote; what was not there yet when it was written has its default.

    Raises:
        JournalError: a setting that this version does not know, or of the wrong type.
    """
    return _read(Settings, data)  # type: ignore[no-any-return]


def _json(value: Any) -> Any:
    if isinstance(value, dt.timedelta):
        return value.total_seconds()
    if dataclasses.is_dataclass(value):
        return {
            field.name: _json(getattr(value, field.name)) for field in dataclasses.fields(value) if field.init
        }
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, tuple) and all(isinstance(item, str) for item in value):
        return list(value)
    raise JournalError(f"a setting of the type {type(value).__name__} cannot be recorded")


def _read(kind: type, data: Any) -> Any:
    if not isinstance(data, dict):
        raise JournalError("the settings are not an object")
    default = kind()
    values: dict[str, Any] = {}
    known = {field.name for field in dataclasses.fields(kind)}
    for name, value in data.items():
        if name not in known:
            raise JournalError(f"there is no setting {name[:80]}: it was recorded by another version")
        usual = getattr(default, name)
        if dataclasses.is_dataclass(usual):
            values[name] = _read(type(usual), value)
        elif isinstance(usual, dt.timedelta) and isinstance(value, int | float):
            values[name] = dt.timedelta(seconds=value)
        elif isinstance(usual, tuple) and isinstance(value, list):
            if not all(isinstance(item, str) for item in value):
                raise JournalError(f"the setting {name} is not a list of texts")
            values[name] = tuple(value)
        elif None in (usual, value) or type(value) in (
            (float, int) if type(usual) is float else (type(usual),)
        ):
            values[name] = value
        else:
            raise JournalError(f"the setting {name} is not of type {type(usual).__name__}")
    return kind(**values)
