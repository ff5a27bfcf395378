"""The interface of every device: observe, perform, screenshot, close."""

from types import TracebackType
from typing import Protocol, Self

from vsalang.base.records import dataclass
from vsalang.program.action import Action
from vsalang.program.screen import Cells, Screen


@dataclass(frozen=True, slots=True)
class DeviceInfo:
    """The identity of a device.

    Attributes:
        serial: the name that adb gives it.
        model: the maker's name of the model.
        width: of the screen, in pixels.
        height: of the screen, in pixels.
    """

    serial: str
    model: str
    width: int
    height: int


class Device(Protocol):
    """A phone that can be observed and acted on. Only one thread may use it at a time."""

    @property
    def info(self) -> DeviceInfo:
        """The identity of the device; asked once, then remembered."""
        ...

    def observe(self) -> Screen:
        """One observation of the device: the tree, the foreground app, the clock, the toasts.

        The screen is settled if two consecutive looks agree; if they do not before the time limit, the last look is
        returned, marked as not settled.

        Raises:
            DeviceError: the device could not be observed (`DeviceLost`, `DeviceTimeout`, or the device refused).
        """
        ...

    def perform(self, action: Action, target: Cells) -> None:
        """Carry out a gesture or device action.

        Args:
            action: the judged action.
            target: the cells of the gesture when it was judged; a pointing gesture acts at its ``x``, ``y``.

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
        """Close the connection; may be called twice. The device itself is not changed."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...
