"""A guarded session that is open: guard, journal, clock and phone, and how its end is recorded."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from vsalang.agents.loop import Confirm, Step, nobody, run_agent
from vsalang.agents.proposed import Proposed
from vsalang.agents.session.inforce import InForce
from vsalang.base.source import Source
from vsalang.base.source.private import write_out
from vsalang.guard import Guard, StepOutcome
from vsalang.guard.journal import Journal, Recorder, ResumedSession
from vsalang.guard.memory.session_memory import SessionMemory
from vsalang.guard.say.agent_hints import AgentHint
from vsalang.guard.world.clock import ScreenClock
from vsalang.phone.protocol import Device, DeviceInfo
from vsalang.program.action import Action
from vsalang.program.screen import Cells, Screen

if TYPE_CHECKING:
    from vsalang.agents.session.step_hints import Hints


class ClockedDevice:
    """A device whose looks set a clock, say what is remembered and, if a folder is given, are pictured.

    Args:
        device: looks and acts.
        clock: is shown each screen.
        pictures: a folder that is there.
        memory: what each screen is completed by; None: nothing is remembered.
    """

    def __init__(
        self,
        device: Device,
        clock: ScreenClock,
        pictures: Path | None = None,
        memory: SessionMemory | None = None,
    ) -> None:
        self.device = device
        self.memory = memory
        self._clock = clock
        self._pictures = pictures
        self._number = 0

    @property
    def info(self) -> DeviceInfo:
        return self.device.info

    @property
    def seen_at(self) -> float | None:
        """When the device was looked at last, if it says so."""
        return getattr(self.device, "seen_at", None)

    def observe(self) -> Screen:
        screen = self.device.observe()
        self._clock.see(screen)
        if self.memory is not None:
            screen = self.memory.recall(screen)
        if self._pictures is not None:
            self._number += 1
            write_out(self._pictures / f"{self._number:03}.png", self.device.screenshot())
        return screen

    def perform(self, action: Action, target: Cells) -> None:
        self.device.perform(action, target)

    def screenshot(self) -> bytes:
        return self.device.screenshot()

    def close(self) -> None:
        self.device.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


@dataclass(kw_only=True)
class GuardedSession:
    """A guarded session that is open; `vsalang.open_guarded` opens one.

    Attributes:
        guard: judges; it acts on the device by `Guard.step` and `Guard.acting`.
        recorder: writes the journal.
        clock: of the device.
        in_force: program, policies and configurations.
        name: of the device; empty: no screens are taken.
        phone: the device; each look sets the clock; None: no screens are taken.
        first: the first screen.
        sources: the text of the program's files.
        language: of feedback.
        resumed: the session of the journal that goes on; None: it is new.
        starting: removes the journal if the start fails; None: the session was there before.
        memory: what the session remembers of its actions; None: nothing.
        hints: tell the agent its next steps; None: nobody does.
    """

    guard: Guard
    recorder: Recorder
    clock: ScreenClock
    in_force: InForce
    name: str
    phone: ClockedDevice | None
    first: Screen
    sources: Mapping[str, Source] = field(default_factory=dict)
    language: str = "en"
    resumed: ResumedSession | None = None
    starting: "Starting | None" = field(default=None, repr=False)
    memory: SessionMemory | None = None
    hints: "Hints | None" = None
    _ended: bool = False

    @property
    def device(self) -> Device:
        """The device itself.

        Raises:
            ValueError: no screens are taken.
        """
        if self.phone is None:
            raise ValueError("the session has no device")
        return self.phone.device

    @property
    def journal(self) -> Journal:
        return self.recorder.journal

    @property
    def completed(self) -> bool:
        """Whether the task is done: the agent finished, and the task allowed it."""
        return self.guard.done

    def look(self) -> Screen:
        """A look at the device; without one a screen that says nothing."""
        return self.first if self.phone is None else self.phone.observe()

    def step(
        self, action: Action, claims: Sequence[Action] = (), *, note: str = "", approved: bool = False
    ) -> StepOutcome:
        """Judge an action, and let the device do it if it may be done; see `vsalang.guard.Guard.step`."""
        return self.guard.step(action, claims, note=note, approved=approved)

    def run(self, proposals: Iterable[Proposed | Action], *, confirm: Confirm = nobody) -> Iterator[Step]:
        """Run an agent's proposals, one step at a time; see `vsalang.agents.run_agent`.

        Raises:
            ValueError: the session has no device.
        """
        if self.phone is None:
            raise ValueError("the session has no device")
        proposal_stream = (each if isinstance(each, Proposed) else Proposed(each) for each in proposals)
        return run_agent(self.guard, self.phone, proposal_stream, confirm=confirm)

    def hint(self) -> AgentHint | None:
        """The agent's next steps from the screen that shows; None: nobody knows any. They permit nothing."""
        return self.hints.hint() if self.hints is not None else None

    def end(self, completed: bool | None) -> None:
        """Record that the session is over. May be called once; leaving the `with` block does it else.

        Args:
            completed: whether the task is done; None: nobody judged that.
        """
        self._ended = True
        if self.hints is not None:
            self.hints.write(self.recorder)
        self.recorder.end(completed=completed)

    def left(self) -> None:
        """The `with` block was left without an error."""
        if not self._ended:
            self.end(self.completed)


class Starting:
    """Removes a journal that is new if the start fails, so that none is left without a session.

    Attributes:
        most: a journal of more records is kept, come what may.
    """

    def __init__(self, journal: Journal) -> None:
        self.journal = journal
        self.most = 1  # the header alone says nothing

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is not None and self.journal.number <= self.most:
            self.journal.discard()
