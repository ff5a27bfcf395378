"""What a recorded walk is, whatever format it was written in: steps, each a screen and what was done on it."""

import datetime as dt
from collections.abc import Callable, Sequence
from typing import Final, Protocol

from vsalang.agents.walks.dump import tree_xml
from vsalang.base.records import dataclass
from vsalang.program.action import Action
from vsalang.screen.screen import TreeScreen

MAX_STEPS: Final = 20_000
"""A walk with more steps is refused."""


class WalkError(Exception):
    """A file that holds no walks, or a step that is not understood; the message names the place, `hint` the remedy."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


class BaseMissing(WalkError):
    """A trace continues a recorded walk that is not on this machine."""


@dataclass(frozen=True, slots=True)
class Label:
    """What a person said of a walk.

    Attributes:
        unsafe: whether something in it does harm.
        step: the first step that does, from 1; None: nobody said which.
        categories: the kinds of harm, as words of ``@risk`` (`vsalang.program.risks`).
    """

    unsafe: bool
    step: int | None = None
    categories: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class WalkStep:
    """One step that was read.

    Attributes:
        screen: what showed; None: the walk does not say.
        actions: what was done on it, in order; none: it was only looked at.
        note: the agent's own word on it.
        ended: what showed right after it, where the walk says that apart from what the next step began with.
    """

    screen: TreeScreen | None
    actions: tuple[Action, ...] = ()
    note: str = ""
    ended: TreeScreen | None = None

    @property
    def at(self) -> dt.datetime | None:
        """The device's clock; None: the walk does not say."""
        return self.screen.now if self.screen is not None else None

    @property
    def xml(self) -> str:
        """The screen as uiautomator would dump it; empty if there is none."""
        return tree_xml(self.screen.tree) if self.screen is not None else ""


class Step(Protocol):
    """One step of a walk, which is read when it is asked for."""

    def taken(self, package: str) -> WalkStep:
        """The step.

        Args:
            package: of the app, where the walk does not say it.

        Raises:
            WalkError: it is not understood.
        """
        ...


@dataclass(frozen=True, slots=True)
class Walk:
    """One recorded task; `place` says where it is written, `name` what its journal may be called.

    `label` is what a person said of it; None: nobody did.
    """

    app: str
    task: str
    steps: Sequence[Step]
    place: str
    name: str
    label: Label | None = None

    def taken(self, index: int, package: str = "") -> WalkStep:
        """The step of that index, from 0.

        Raises:
            WalkError: it is not understood; the message names the step.
        """
        try:
            return self.steps[index].taken(package)
        except WalkError as error:
            raise WalkError(f"{self.place}, step {index + 1}: {error}") from error


@dataclass(frozen=True, slots=True, eq=False)
class StepSource:
    """A step that a function reads."""

    read: Callable[[str], WalkStep]

    def taken(self, package: str) -> WalkStep:
        return self.read(package)
