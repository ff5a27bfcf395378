"""Recorded walks, of whatever format: read as steps, and judged under a spec that holds nothing back.

    from vsalang.agents.walks import read_steps, read_walks

    for step in read_steps("walk.jsonl"):       # also a journal of `vsac run`, `vsac record` or `vsac mcp`
        step.screen                             # a TreeScreen, or None; step.screen.app is (package, activity)
        step.xml                                # the screen as uiautomator would dump it
        step.actions                            # what was done on it: Action("tap", {"x": 10, "y": 20}), ...

`read_steps` is what makes a simulated phone out of a recorded session; `read_walks` gives the walks of a file that
holds several; `follow` judges one and writes a journal. A format is a module with `recognises` and `read`; to add one,
add it to `FORMATS`.
"""

import codecs
import zlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import ModuleType
from typing import Final

from vsalang.agents.walks import (
    aitz,
    droidbot,
    droidtask,
    journal,
    llamatouch,
    mobilerisk,
    steps,
)
from vsalang.agents.walks.droidtask import WalkScreen
from vsalang.agents.walks.dump import tree_xml
from vsalang.agents.walks.files import open_walk
from vsalang.agents.walks.follow import Stage, Turn, follow, only_package, stages
from vsalang.agents.walks.recorded_walk import BaseMissing, Label, Step, Walk, WalkError, WalkStep

__all__ = [
    "FORMATS",
    "BaseMissing",
    "Label",
    "Stage",
    "Step",
    "Turn",
    "Walk",
    "WalkError",
    "WalkScreen",
    "WalkStep",
    "follow",
    "format_of",
    "only_package",
    "read_steps",
    "read_walks",
    "stages",
    "tree_xml",
]

FORMATS: Final[Mapping[str, ModuleType]] = {
    "journal": journal,
    "aitz": aitz,
    "droidbot": droidbot,
    "llamatouch": llamatouch,
    "mobilerisk": mobilerisk,
    "steps": steps,
    "droidtask": droidtask,
}
"""The formats by name, in the order in which a file is tried for them."""

_HEAD: Final = 64 * 1024


def format_of(path: str | Path) -> str:
    """The name of the format of a file or folder, by what only that format has.

    Raises:
        WalkError: it cannot be read, or no format is recognised.
    """
    path = Path(path)
    head = "" if path.is_dir() else _head(path)
    if not path.is_dir() and not head.strip("\ufeff\r\n\t "):
        raise WalkError(f"{path} holds no walks: it is empty")
    try:
        for name, module in FORMATS.items():
            if module.recognises(path, head):
                return name
    except OSError as error:
        raise WalkError(f"cannot read {path}: {error.strerror}") from error
    raise WalkError(
        f"{path} holds no walks of a known format ({', '.join(sorted(FORMATS))}); what has no reader can be written as "
        "`steps`: a JSON object a line, with `screen` and `action`"
    )


def read_walks(path: str | Path) -> tuple[Walk, ...]:
    """The walks of a file or folder, whatever its format; plain or packed by gzip.

    Raises:
        WalkError: it cannot be read, no format is recognised, or it is broken.
    """
    path = Path(path)
    try:
        files = _inside(path) if path.is_dir() else []
        walks: tuple[Walk, ...] = tuple(
            walk for file in files or [path] for walk in FORMATS[format_of(file)].read(file)
        )
    except OSError as error:
        raise WalkError(f"cannot read {path}: {error.strerror}") from error
    if not any(walk.steps for walk in walks):
        raise WalkError(f"{path} holds no walks")
    return walks


_FILES: Final = tuple(f"{end}{packed}" for end in (".jsonl", ".json", ".yaml") for packed in ("", ".gz"))


def _inside(folder: Path) -> list[Path]:
    """The files of walks in a folder that is not itself a walk, in the order of their names; none if it is one.

    Raises:
        WalkError: there are none, or one of them holds no walks.
        OSError: it cannot be read.
    """
    try:
        format_of(folder)
        return []
    except WalkError as error:
        paths = [path for path in sorted(folder.iterdir()) if path.is_file() and path.name.endswith(_FILES)]
        if not paths:
            more = f"Nor is there a file of walks ({', '.join(_FILES)}) in it: name the files"
            raise WalkError(f"{error}. {more}") from error
        for file in paths:
            try:
                format_of(file)
            except WalkError as wrong:
                raise WalkError(f"{wrong}. To leave it out, name the files that are walks") from wrong
        return paths


def read_steps(path: str | Path, *, package: str = "") -> Iterator[WalkStep]:
    """The steps of all walks of a file or folder, in order: each a screen, and what was done on it.

    Args:
        path: a file or folder of any of `FORMATS`, also a journal.
        package: of the app, where the walk does not say it.

    Raises:
        WalkError: it cannot be read, or a step is not understood.
    """
    for walk in read_walks(path):
        for index in range(len(walk.steps)):
            yield walk.taken(index, package)


def _head(path: Path) -> str:
    try:
        with open_walk(path) as file:
            # a character may be cut off at the end
            return codecs.getincrementaldecoder("utf-8-sig")().decode(file.read(_HEAD))
    except UnicodeDecodeError as error:
        raise WalkError(f"cannot read {path}: it is not UTF-8") from error
    except (OSError, EOFError, zlib.error) as error:
        raise WalkError(f"cannot read {path}: {getattr(error, 'strerror', None) or error}") from error
