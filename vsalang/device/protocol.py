"""What vsalang asks of a device, whichever it is: look, act, show, close."""

from dataclasses import dataclass
from types import TracebackType
from typing import Protocol, Self

from vsalang.core.action import Action
from vsalang.core.screen import Cells, Screen


@dataclass(frozen=True, slots=True)
class DeviceInfo:
    """Which device it is.

    Attributes:
        serial: the name that adb gives it.
        model: what its maker calls it.
        width: of the screen, in pixels.
        height: of the screen, in pixels.
    """

    serial: str
    model: str
    width: int
    height: int


class Device(Protocol):
    """A phone that can be looked at and acted on. Not safe for use from several threads at once."""

    @property
    def info(self) -> DeviceInfo:
        """Which device it is; asked once, then remembered."""
        ...

    def observe(self) -> Screen:
        """One look at the device: the tree, the foreground app, the clock, the toasts.

        The screen is settled when two consecutive looks agreed; if they did not before the time limit, the
        last look is given and says that it is not settled.

        Raises:
            DeviceError: no look was possible (`DeviceLost`, `DeviceTimeout`, or the device refused).
        """
        ...

    def perform(self, action: Action, target: Cells) -> None:
        """Carry out a gesture or device action.

        Args:
            action: what was judged.
            target: the cells of the gesture as they were judged; a pointing gesture acts at its ``x``, ``y``.

        Raises:
            NotDelivered: nothing of the input has left this machine.
            DeviceError: anything else; then it may have reached it.
        """
        ...

    def screenshot(self) -> bytes:
        """The picture of the screen, as PNG.

        Raises:
            DeviceError: the device gave none.
        """
        ...

    def close(self) -> None:
        """Let go of the device; may be called twice. The device stays as it is."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...
