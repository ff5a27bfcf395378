"""The ids of a phone's widgets, as its templates and dumps have them: which names in a scenario mean one."""

import re
from collections.abc import Collection, Iterator
from typing import Any, Final

from vsalang.phone.sim.spec import PhoneSpec
from vsalang.phone.sim.widgets import FRAMEWORK

ATTRIBUTE: Final = re.compile(r"""(?<![\w-])(id|resource-id|tap|long|double|enter|input)="([^"]*)\"""")
"""An attribute of a template or dump that names a widget or an event, and its value."""
FILLED: Final = re.compile(r"\{\{.*?\}\}|\{%.*?%\}", re.DOTALL)
"""What a template fills in."""
_LITERAL: Final = re.compile(r"""'([^'\n]{1,80})'|"([^"\n]{1,80})\"""")


class Ids:
    """The ids of a phone's widgets: those that its templates and dumps contain or build."""

    def __init__(self, spec: PhoneSpec, texts: Collection[str]) -> None:
        self._spec = spec
        self._written: set[str] = set()
        self.known: set[str] = set()
        self._patterns: list[re.Pattern[str]] = []
        any_name = False
        for text in texts:
            for name, value in ATTRIBUTE.findall(text):
                if name not in ("id", "resource-id"):
                    continue
                pieces = FILLED.split(value)
                if len(pieces) == 1:
                    self._written.add(value)
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
        package, _, short = name.partition(":id/")
        return (
            name in self.known
            or (short in self.known and any(app.package == package for app in self._spec.apps))
            or name in self._literals
            or any(pattern.fullmatch(name) for pattern in self._patterns)
        )

    def several(self, name: str) -> tuple[str, ...]:
        """The whole ids that a short one may mean, if it is one of the framework and one of an app; else none."""
        if FRAMEWORK + name not in self._written:
            return ()
        others = {written for written in self._written if written.endswith(f":id/{name}")} - {
            FRAMEWORK + name
        }
        if name in self._written:
            own = {
                f"{app.package}:id/{name}"
                for app in self._spec.apps
                for screen in app.screens.values()
                if f'id="{name}"' in self._spec.files[screen.file]
            }
            others |= own or {name}
        return (FRAMEWORK + name, *sorted(others)) if others else ()


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
