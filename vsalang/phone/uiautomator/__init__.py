"""A device through the uiautomator2 client and an adb server, as agents use them.

    from vsalang.phone.uiautomator import connect

    with connect("emulator-5554") as device:
        screen = device.observe()

The client is the unchanged library. Some of its behaviour is disabled: it would start its own adb server if none
answers (perhaps another one than the user's), it would send an input again whose answer is missing, it waits for ten
minutes or forever, and it does not say that it cut off the dump of a deep tree (such a screen is marked as partial).
"""

from vsalang.phone.uiautomator.adb import LONGEST_ANSWER, adb_client
from vsalang.phone.uiautomator.device import UiAutomatorDevice, connect
from vsalang.phone.uiautomator.trace import KINDS, Tracing

__all__ = ["KINDS", "LONGEST_ANSWER", "Tracing", "UiAutomatorDevice", "adb_client", "connect"]
