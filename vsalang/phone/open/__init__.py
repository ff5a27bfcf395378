"""Phones by name: a real one by its serial, a simulated one as ``sim:NAME``.

from vsalang import open_device

with open_device("sim:restaurant") as device:       # or the serial of a real one
    screen = device.observe()
    device.perform(Action("tap"), screen.target("tap", {"id": "search_box"}))
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from vsalang.phone.open.simulated import SimulatedDevice
    from vsalang.phone.uiautomator import Tracing, UiAutomatorDevice

__all__ = ["open_device"]


def open_device(
    name: str,
    *,
    scenario: str = "",
    adb_host: str | None = None,
    adb_port: int | None = None,
    trace: "Tracing | None" = None,
) -> "UiAutomatorDevice | SimulatedDevice":
    """Connect to a device.

    Args:
        name: ``sim:NAME`` (a phone that ships with vsalang), ``sim:FOLDER`` (a phone of your own), either with
            ``#SCENARIO`` after it, or the serial of a device of the adb server.
        scenario: of a simulated phone, if the name does not give it.
        adb_host: of the adb server, for real devices; the environment or 127.0.0.1 if None.
        adb_port: of the adb server; the environment or 5037 if None.
        trace: what of the system each observation asks for; None: nothing.

    Returns:
        A `Device`; a simulated one also has ``phone``, which says what reached it. Close it, or use ``with``.

    Raises:
        DeviceError: there is none, it does not answer, or uiautomator2 is not installed.
    """
    if name.startswith("sim:"):
        from vsalang.phone.open.simulated import SimulatedDevice

        phone, _, options = name.removeprefix("sim:").partition("#")
        return SimulatedDevice.start(phone, scenario=options or scenario, trace=trace)
    from vsalang.phone.uiautomator import connect

    return connect(name, adb_host=adb_host, adb_port=adb_port, trace=trace)
