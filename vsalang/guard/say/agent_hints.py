"""What an agent is told in addition to a verdict: its next steps, as somebody finds them who is not part of the guard.

It is data for those who show verdicts. Nothing that judges reads it: a hint permits nothing and forbids nothing.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final, Literal, Protocol, TypeAlias

from vsalang.base.records import dataclass
from vsalang.guard.recorder import Recorder
from vsalang.program.phrases import FIRST, read, say
from vsalang.program.text import line

Aim: TypeAlias = Literal["there", "way", "explore", "none"]
"""``there``: it is a screen to come to; ``way``: steps to one; ``explore``: no way is known, steps to a gesture that
was not made yet; ``none``: nothing is left to try."""

MOST_STEPS: Final = 20
"""So many steps, and screens nearby, are in the data; the others are counted."""
LONGEST: Final = 1200
"""Characters of the line that an agent reads."""


@dataclass(frozen=True, slots=True)
class NextStep:
    """One step of a way, as texts that are one printable line each.

    Attributes:
        screen: where it is done.
        gesture, when: what is done, and what else must hold, as a program writes it; cut.
        target: where it should lead.
        tried, worked: how often it was tried, and led there.
    """

    screen: str
    gesture: str
    when: str
    target: str
    tried: int
    worked: int


@dataclass(frozen=True, slots=True)
class AgentHint:
    """The next steps on a map, for an agent.

    Attributes:
        aim: what they are for.
        text: they in words, a sentence of `vsalang.program.phrases`; what apps wrote is quoted in it and cut.
        screen: the screen that shows, as the map calls it.
        left: how many steps there are.
        steps: the first `MOST_STEPS` of them.
        near: where no way is known: screens nearby, with how many gestures lead there.
    """

    aim: Aim
    text: str
    screen: str
    left: int = 0
    steps: tuple[NextStep, ...] = ()
    near: tuple[tuple[str, int], ...] = ()

    def line(self, language: str = FIRST) -> str:
        """One line for an agent. Raises `UnknownLanguage`."""
        return line(str(read(say("hint.next", hint=self.text), language)), LONGEST)

    def to_json(self, language: str = FIRST) -> dict[str, Any]:
        """The hint as JSON data; see `docs/reference/verdict.schema.json`. Raises `UnknownLanguage`."""
        return {
            "aim": self.aim,
            "text": line(str(read(self.text, language)), LONGEST),
            "screen": self.screen,
            "left": self.left,
            "steps": [_json(step) for step in self.steps],
            "near": [{"screen": name, "gestures": number} for name, number in self.near],
        }


def _json(step: NextStep) -> Mapping[str, Any]:
    return {name: getattr(step, name) for name in NextStep.__slots__}


class Hinting(Protocol):
    """Somebody who gives hints about one session."""

    def hint(self) -> AgentHint | None:
        """The hint on the screen that shows now; None: there is none. Never raises."""
        ...


class _Session(Protocol):
    @property
    def recorder(self) -> Recorder | None: ...

    @property
    def finished(self) -> bool: ...


def hint_for(guard: _Session) -> AgentHint | None:
    """The hint for the agent of a guard, if the recorder of its session gives hints; see
    `vsalang.agents.session.step_hints.Hints`.

    Ask after a step is over; the verdict on it is given already, no matter what this returns.
    """
    hints: object = getattr(guard.recorder, "hints", None)
    hint: Callable[[], AgentHint | None] | None = getattr(hints, "hint", None)
    return hint() if hint is not None and not guard.finished else None


def hint_line(guard: _Session, language: str = FIRST) -> str:
    """The same as one line; empty: there is none."""
    hint = hint_for(guard)
    return hint.line(language) if hint is not None else ""
