"""Checks of this computer: Python, the optional libraries, the adb program."""

import importlib.util
import re
import subprocess
import sys
from collections.abc import Callable
from typing import Final

from vsalang.base.installing import EXTRAS, adb_path, install_adb, install_extra
from vsalang.phone.doctor.check import Check, Level

GROUP: Final = "This computer"


def host_checks(
    *,
    has: Callable[[str], bool] = lambda module: importlib.util.find_spec(module) is not None,
    adb: Callable[[], tuple[str, str] | None] | None = None,
    python: tuple[int, ...] = sys.version_info[:3],
) -> list[Check]:
    """Check this computer.

    Args:
        has: whether a module is installed.
        adb: the path of the adb program, and its version; None if there is none. Default: `adb_program`.
        python: the running version.
    """
    checks = [Check(GROUP, "Python", "ok", ".".join(map(str, python)))]
    for extra, module, purpose in EXTRAS:
        if has(module):
            checks.append(Check(GROUP, extra, "ok", f"{module} is installed ({purpose})"))
        else:
            level: Level = "fail" if extra == "device" else "warn"
            message = f"{module} is not installed; it is for {purpose}"
            checks.append(Check(GROUP, extra, level, message, install_extra(extra)))
    program = (adb or adb_program)()
    if program is None:
        message = "there is no adb program; real phones need it"
        checks.append(Check(GROUP, "adb", "warn", message, install_adb()))
    else:
        path, version = program
        checks.append(Check(GROUP, "adb", "ok", f"{version or 'of an unknown version'} at {path}"))
    return checks


def adb_program() -> tuple[str, str] | None:
    """The adb program, and its version ("" if it does not say)."""
    path = adb_path()
    if path is None:
        return None
    try:
        output = subprocess.run(
            [path, "version"],
            capture_output=True,
            text=True,
            timeout=10,
            check=False,
            stdin=subprocess.DEVNULL,
        ).stdout
    except (OSError, subprocess.SubprocessError):
        return path, ""
    protocol = re.search(r"version (1\.0\.\d+)", output)
    release = re.search(r"^Version (\S+)", output, re.MULTILINE)
    return path, " ".join(match[1] for match in (release, protocol) if match is not None)
