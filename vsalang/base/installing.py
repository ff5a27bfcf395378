"""How what is missing is installed on this computer: only commands that exist here, else where to read about it."""

import importlib.util
import os
import shlex
import shutil
import sys
from pathlib import Path
from typing import Final

_ADB: Final = (
    ("brew", "brew install --cask android-platform-tools"),
    ("apt-get", "apt-get install adb"),
    ("dnf", "dnf install android-tools"),
    ("pacman", "pacman -S android-tools"),
    ("zypper", "zypper install android-tools"),
    ("apk", "apk add android-tools"),
    ("winget", "winget install Google.PlatformTools"),
    ("choco", "choco install adb"),
)
"""A program that installs packages, and how it installs adb. The first that is there is offered."""
_OWNERS_OWN: Final = ("brew", "winget", "choco")
"""Those that are run as the user; the others need root."""
EXTRAS: Final = (
    ("device", "uiautomator2", "real and simulated phones"),
    ("smt", "z3", "vsac prove verify, vsac lint --deep"),
    ("lsp", "pygls", "vsac lsp"),
    ("formalize", "openai", "vsac encode"),
    ("server", "aiohttp", "vsac serve"),
    ("otel", "opentelemetry.sdk", "vsac fleet serve --otlp"),
    ("repl", "prompt_toolkit", "vsac query -i"),
    ("fleet", "duckdb", "vsac fleet"),
    ("spark", "pyspark", "vsac fleet audit --engine spark"),
    ("watch", "watchfiles", "vsac test --watch"),
    ("pydatalog", "pyDatalog", "--engine pydatalog"),
)
"""An extra of the package, a module that it installs, its purpose."""
EXTRA_OF: Final = {
    **{module: extra for extra, module, _ in EXTRAS},
    **dict.fromkeys(("PIL", "adbutils", "h11"), "device"),
    "androguard": "apk",
    "pyarrow": "fleet",
}
"""The extra that installs a module."""
PLATFORM_TOOLS: Final = "https://developer.android.com/tools/releases/platform-tools"
UDEV: Final = "https://developer.android.com/studio/run/device"


def which(program: str) -> str | None:
    """Where a program is; None if it is not on the path."""
    return shutil.which(program)


def has(module: str) -> bool:
    """Whether this Python has a module."""
    return importlib.util.find_spec(module) is not None


def install_extra(extra: str) -> str:
    """The command that installs an extra of vsalang (such as ``smt``) where this Python finds it."""
    return install_package(f"vsalang[{extra}]")


def install_package(package: str) -> str:
    """The command that installs a Python package where this Python finds it."""
    name, python = shlex.quote(package), shlex.quote(sys.executable)
    if has("pip"):
        pip = which("pip")
        if pip is not None and Path(pip).parent == Path(sys.executable).parent:
            return f"pip install {name}"
        return f"{python} -m pip install {name}"
    if which("uv") is not None:
        return f"uv pip install --python {python} {name}"
    if has("ensurepip"):
        return f"{python} -m ensurepip && {python} -m pip install {name}"
    return f"install {package} for {sys.executable}, which has no pip"


def install_adb() -> str:
    """The command that installs the adb program, or where it is to be had."""
    for program, command in _ADB:
        if which(program) is not None:
            return command if program in _OWNERS_OWN else _as_root(command)
    return f"install Android's platform-tools: {PLATFORM_TOOLS}"


def usb_rules() -> str:
    """What gives this user the USB devices of phones (Linux)."""
    if which("apt-get") is not None:
        return f"Install the udev rules (`{_as_root('apt-get install android-sdk-platform-tools-common')}`)"
    return f"Install udev rules for the phone ({UDEV})"


def adb_path() -> str | None:
    """The adb program on the path, else the one that adbutils brings; None if there is none."""
    path = which("adb")
    if path is None and has("adbutils"):
        try:
            import adbutils

            path = which(str(adbutils.adb_path()))
        except Exception:  # it has none for this system, or does not understand its variables
            path = None
    return path


def adb_word() -> str:
    """What to type for adb in a command: ``adb`` where it is on the path, else where it is."""
    path = adb_path()
    return "adb" if path is None or which("adb") is not None else shlex.quote(path)


def _as_root(command: str) -> str:
    if getattr(os, "geteuid", lambda: 0)() == 0 or which("sudo") is None:
        return command
    return f"sudo {command}"
