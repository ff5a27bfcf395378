"""A device through the uiautomator2 client and an adb server, as agents use them.

    from vsalang.device.uiautomator import connect

    with connect("emulator-5554") as device:
        screen = device.observe()

The client is the library as it is. Some of its habits are switched off: it would start an adb server of its own where
none answers (another one than the user's might come up), it would send an input again whose answer is missing, it
waits ten minutes or for ever, and it leaves the dump of a deep tree cut off without a word (such a screen is marked as
partial).
"""

from vsalang.device.uiautomator.adb import LONGEST_ANSWER, adb_client
from vsalang.device.uiautomator.device import UiAutomatorDevice, connect
from vsalang.device.uiautomator.trace import KINDS, Tracing

__all__ = ["KINDS", "LONGEST_ANSWER", "Tracing", "UiAutomatorDevice", "adb_client", "connect"]
