"""Checks what is missing to guard a phone, and names the command that fixes it. Only `repair` changes anything.

    from vsalang.device.doctor import adb_checks, host_checks, phone_checks
    from vsalang.device.wire import Upstream

    for check in phone_checks(Upstream("127.0.0.1", 5037, "emulator-5554")):
        print(check.level, check.name, check.message, check.fix)

None of it needs uiautomator2 or the adb program.
"""

from vsalang.device.doctor.adb import adb_checks, start_command
from vsalang.device.doctor.check import Check, Level, worst
from vsalang.device.doctor.host import host_checks
from vsalang.device.doctor.phone import phone_checks
from vsalang.device.doctor.remote import Remote
from vsalang.device.doctor.ways import way_checks

__all__ = [
    "Check",
    "Level",
    "Remote",
    "adb_checks",
    "host_checks",
    "phone_checks",
    "start_command",
    "way_checks",
    "worst",
]
