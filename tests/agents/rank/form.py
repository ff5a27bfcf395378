"""A simulated phone with a form, a task on it, and a guard between them."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from vsalang import load
from vsalang.agents.rank import NoUndo, PerformedStep, Undo, undo
from vsalang.guard import Guard
from vsalang.phone.open import open_device
from vsalang.phone.open.simulated import SimulatedDevice
from vsalang.program.action import Action
from vsalang.program.ir import Program
from vsalang.screen.screen import TreeScreen

HERE = Path(__file__).parent
APP = "org.example.form"
SPEC = HERE / "send.vsa"
PHONE = f"sim:{HERE / 'phone'}"


@cache
def program(spec: str = str(SPEC)) -> Program:
    return load(spec).checked()


@contextmanager
def form() -> Iterator["Form"]:
    """The phone with its form open, and a guard that has seen it."""
    with open_device(PHONE) as device:
        assert isinstance(device, SimulatedDevice)
        device.phone.open_app(APP)
        yield Form(device)


class Form:
    """A guarded phone.

    Attributes:
        steps: what was done, as it may be undone; the newest last.
    """

    def __init__(self, device: SimulatedDevice) -> None:
        self.device = device
        self.guard = Guard(program(), device)
        self.guard.observe(device.observe())
        self.steps: list[PerformedStep] = []
        self.screens: list[frozenset[str]] = []

    @property
    def screen(self) -> TreeScreen:
        screen = self.guard.snapshot.screen
        assert isinstance(screen, TreeScreen)
        return screen

    @property
    def state(self) -> dict[str, Any]:
        return dict(self.device.phone.state(APP))

    def do(self, name: str, **args: Any) -> None:
        """Do a step that the guard allows."""
        before, screens = self.screen, self.guard.screens
        done = self.guard.step(Action(name, args))
        assert done.performed, done
        self.steps.append(PerformedStep(done.verdict, before, self.screen, done.problem))
        self.screens.append(screens)

    def undo(self, nth: int = -1) -> Undo | NoUndo:
        """What takes a step back now."""
        return undo(self.steps[nth], self.screen, self.guard, self.screens[nth])

    def take_back(self, nth: int = -1, most: int = 4) -> tuple[list[str], NoUndo]:
        """Take a step back act by act: by which ways, and why there is no further one."""
        ways = []
        for _ in range(most):
            found = self.undo(nth)
            if isinstance(found, NoUndo):
                return ways, found
            ways.append(found.way)
            assert self.guard.step(found.action).performed, found
        raise AssertionError(f"it is not taken back after {ways}")
