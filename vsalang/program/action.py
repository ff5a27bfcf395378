"""What an agent proposes: a gesture, critical actions it claims, or the end of the task. Data only."""

from collections.abc import Mapping
from dataclasses import field
from types import MappingProxyType

from vsalang.base.records import dataclass
from vsalang.program.values import Value, show

_EMPTY: Mapping[str, Value] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Action:
    """One named action with arguments: a gesture (``tap``), or a critical action (``Reserve``, ``finish``).

    An argument that is left out is unknown. The arguments are copied: what was judged is what is carried out, even if
    the mapping that was given changes.
    """

    name: str
    args: Mapping[str, Value] = field(default_factory=lambda: _EMPTY)

    def __post_init__(self) -> None:
        object.__setattr__(self, "args", MappingProxyType(dict(self.args)))

    def __str__(self) -> str:
        return f"{self.name}({', '.join(f'{key} = {show(value)}' for key, value in self.args.items())})"


POINTING = frozenset({"tap", "double_tap", "long_press", "input_text", "clear_text", "swipe", "scroll"})
"""Gestures that name a node or a point of the screen (``scroll`` and ``swipe`` may do without)."""

GESTURES = POINTING | {"press_key", "back", "home", "open_app", "wait"}
"""Every gesture of `std.android`."""

DEVICE_ACTIONS = frozenset({"answer", "shell", "install", "push_file", "finish", "give_up"})
"""Actions of `std.android` that are critical unless allowed; `give_up` always passes."""

OFF_SCREEN = frozenset({"answer", "finish", "give_up"})
"""Actions that a phone does not see, so that they change no screen."""
