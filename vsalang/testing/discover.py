"""Finds the `.vsa` files to test: those that are named, and those below the folders that are named."""

import os
import stat
from collections.abc import Iterable
from pathlib import Path

_SKIPPED = frozenset({"node_modules", "__pycache__", "site-packages"})


def test_files(paths: Iterable[str]) -> list[tuple[str, bool]]:
    """Each file once, in order, and whether it was named itself (and not only found in a folder).

    Hidden folders, virtual environments and the folders of package managers are not searched; links to folders are
    not followed. What is neither a file nor a folder counts as named: reading it says what is wrong.
    """
    found: dict[str, bool] = {}
    for path in paths:
        if not Path(path).is_dir():
            found[path] = True
            continue
        for file in _below(path):
            found.setdefault(file, False)
    return list(found.items())


test_files.__test__ = False  # type: ignore[attr-defined]  # pytest: this is no test


def _below(folder: str) -> list[str]:
    files: list[str] = []
    for place, folders, names in os.walk(folder):
        if "pyvenv.cfg" in names:
            folders.clear()
            continue
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name not in _SKIPPED)
        files += (os.path.normpath(os.path.join(place, name)) for name in names if name.endswith(".vsa"))  # noqa: PTH118
    return sorted(file for file in files if can_be_read(file))


def can_be_read(file: str) -> bool:
    """Whether a file found in a folder is no pipe, socket or device: reading one may never end.

    A link that leads nowhere counts: reading it says what is wrong.
    """
    try:
        return stat.S_ISREG(Path(file).stat().st_mode)
    except OSError:
        return True
