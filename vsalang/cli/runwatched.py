"""The device of ``vsac run``: each look sets the clock, and is pictured if that is wanted."""

from pathlib import Path
from typing import TYPE_CHECKING

from vsalang.source.private import write_out

if TYPE_CHECKING:
    from typing import Self

    from vsalang.core.action import Action
    from vsalang.core.screen import Cells, Screen
    from vsalang.device import Device, DeviceInfo
    from vsalang.guard.clock import ScreenClock


class Watched:
    """A device whose observations set the clock and, if a folder is given, are pictured."""

    def __init__(self, device: "Device", clock: "ScreenClock", folder: Path | None) -> None:
        self.device = device
        self._clock = clock
        self._folder = folder
        self._number = 0
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)

    @property
    def info(self) -> "DeviceInfo":
        """See `vsalang.device.Device.info`."""
        return self.device.info

    def observe(self) -> "Screen":
        """See `vsalang.device.Device.observe`."""
        screen = self.device.observe()
        self._clock.see(screen)
        if self._folder is not None:
            self._number += 1
            write_out(self._folder / f"{self._number:03}.png", self.device.screenshot())
        return screen

    def perform(self, action: "Action", target: "Cells") -> None:
        """See `vsalang.device.Device.perform`."""
        self.device.perform(action, target)

    def screenshot(self) -> bytes:
        """See `vsalang.device.Device.screenshot`."""
        return self.device.screenshot()

    def close(self) -> None:
        """See `vsalang.device.Device.close`."""
        self.device.close()

    def __enter__(self) -> "Self":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
