"""Checks what is missing to guard a phone, and names the command that fixes it. Only `repair` changes anything.

    from vsalang.phone.doctor import adb_checks, host_checks, phone_checks
    from vsalang.phone.wire import Upstream

    for check in phone_checks(Upstream("127.0.0.1", 5037, "emulator-5554")):
        print(check.level, check.name, check.message, check.fix)

None of it needs uiautomator2 or the adb program.
"""

from vsalang.phone.doctor.adb import adb_checks, start_command
from vsalang.phone.doctor.check import Check, Level, worst
from vsalang.phone.doctor.host import host_checks
from vsalang.phone.doctor.phone import phone_checks
from vsalang.phone.doctor.remote import Remote
from vsalang.phone.doctor.ways import way_checks

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
