"""Finds the `.vsa` files of a command line: those that are named, and those below named folders."""

import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path

from vsalang.base.config.configuration import Config, pattern
from vsalang.base.config.read import FILE, PROJECT, config_for
from vsalang.base.records import dataclass
from vsalang.base.resources import shipped_module
from vsalang.base.source.files import near, real_path

_SKIPPED = frozenset({"node_modules", "__pycache__", "site-packages"})


@dataclass(frozen=True, slots=True)
class CommandFile:
    """A file for a command.

    Attributes:
        file: its path, or ``-`` for standard input.
        named: whether it was named itself, not only found in a folder.
    """

    file: str
    named: bool


def find_files(paths: Iterable[str], endings: tuple[str, ...] = (".vsa",)) -> list[CommandFile]:
    """Each file once, in the order of the paths; without paths those of the working folder.

    A path may be the name of a module that comes with vsalang (``std.policies.privacy``).

    A folder means every file in it and below whose name has one of the `endings`. Hidden folders, virtual environments,
    the folders of package managers, and what the project excludes are not searched; links to folders are not followed.
    A named file is used even if it is excluded. A path that is neither file nor folder counts as named: reading it
    gives the error.

    Raises:
        SourceError: a configuration on the way cannot be read or used.
    """
    files_by_name: dict[str, CommandFile] = {}
    for path in list(paths) or ["."]:
        shipped = shipped_module(path)
        if shipped is not None:
            files_by_name[near(str(shipped))] = CommandFile(near(str(shipped)), True)
            continue
        if path == "-" or not Path(path).is_dir():
            files_by_name[path] = CommandFile(path, True)
            continue
        for file in _below(path, endings):
            files_by_name.setdefault(file, CommandFile(file, False))
    return list(files_by_name.values())


def excluded(config: Config, path: Path) -> bool:
    """Whether a project's configuration leaves a file or folder out; `path` is absolute."""
    if not config.exclude or config.file is None:
        return False
    try:
        place = path.relative_to(real_path(config.file).parent).as_posix()
    except ValueError:
        return False
    return any(pattern(text).fullmatch(place) for text in config.exclude)


def _below(folder: str, endings: tuple[str, ...]) -> Iterator[str]:
    """The files below a folder, those of a folder before those of the folders in it."""
    root = real_path(folder)
    configs = {root: config_for(root / FILE)}
    files: list[str] = []
    for place, folders, names in os.walk(folder):
        here = root / os.path.relpath(place, folder)
        config = configs.get(here) or configs[here.parent]
        if here != root and (FILE in names or PROJECT in names):
            config = config_for(here / FILE)
        configs[here] = config
        if "pyvenv.cfg" in names:
            folders.clear()
            continue
        folders[:] = sorted(
            name
            for name in folders
            if not name.startswith(".") and name not in _SKIPPED and not excluded(config, here / name)
        )
        files += (
            os.path.normpath(os.path.join(place, name))  # noqa: PTH118
            for name in names
            if name.endswith(endings) and not name.startswith(".") and not excluded(config, here / name)
        )
    yield from sorted(file for file in files if can_be_read(file))


def can_be_read(file: str) -> bool:
    """Whether a file found in a folder is not a pipe, socket or device, whose reading may never end.

    A broken link is accepted: reading it gives the error.
    """
    try:
        return stat.S_ISREG(Path(file).stat().st_mode)
    except OSError:
        return True
