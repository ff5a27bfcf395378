"""What the user sets for the editor, under ``vsac``, with an error for each mistake."""

from collections.abc import Iterator, Mapping
from dataclasses import fields
from typing import Any

from vsalang.base.diagnostics.display import safe
from vsalang.base.records import dataclass
from vsalang.base.source.suggest import did_you_mean

SECTION = "vsac"


@dataclass(frozen=True, slots=True)
class Settings:
    """What an editor shows.

    Attributes:
        lint: the findings of lint.
        inlayHints: types of variables, days in words.
        codeLens: lenses above tests and declarations.
    """

    lint: bool = True
    inlayHints: bool = True
    codeLens: bool = True


def read_settings(data: object) -> tuple[Settings, list[str]]:
    """The settings in what a client sends, and what is wrong with it; what is wrong keeps its default."""
    if isinstance(data, Mapping) and isinstance(data.get(SECTION), Mapping):
        data = data[SECTION]
    if data is None:
        return Settings(), []
    if not isinstance(data, Mapping):
        return Settings(), [f"the settings of {SECTION} are a table"]
    values: dict[str, Any] = {}
    mistakes = list(_read(data, values))
    return Settings(**values), mistakes


def _read(data: Mapping[object, object], values: dict[str, Any]) -> Iterator[str]:
    names = [each.name for each in fields(Settings)]
    for key, value in data.items():
        if key not in names:
            hint = did_you_mean(str(key), names)
            yield f"{SECTION} has no setting `{safe(str(key), 60)}`" + (f": {hint}" if hint else "")
        elif not isinstance(value, bool):
            yield f"{SECTION}.{key} is true or false"
        else:
            values[str(key)] = value
