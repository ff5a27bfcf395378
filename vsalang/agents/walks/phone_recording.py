"""Recordings of which simulated phones are made (`vsalang.phone.sim.make`): of dumps, and of recorded walks."""

import datetime as dt
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Final

from vsalang.agents.walks import Walk, WalkError, WalkStep, read_walks
from vsalang.phone.sim.make import RecordedMove, RecordedScreen, Recording, merged
from vsalang.phone.sim.recorded import packages
from vsalang.program.screen import UnresolvedTarget
from vsalang.screen.screen import TreeScreen
from vsalang.screen.tree import DumpError, load_dump
from vsalang.screen.tree.source import decode, read_bytes

_DUMPS: Final = (".xml", ".xml.gz", ".uix")
_OPPOSITE: Final = {"up": "down", "down": "up", "left": "right", "right": "left"}
_QUIET: Final = frozenset({"wait", "answer", "finish", "give_up"})


def recording_of(paths: Sequence[Path], task: int | None = None, package: str = "") -> Recording:
    """A recording of dumps, folders of them, and walks: the screens, and the inputs that led from one to the next.

    Args:
        paths: the files and folders.
        task: of a file with several walks, only this one, counted from 1.
        package: of the app, where no file says it.

    Raises:
        WalkError: one cannot be used; with the remedy in its `hint`.
    """
    screens: list[RecordedScreen] = []
    led: list[RecordedMove] = []
    clocks: list[dt.datetime] = []
    for path in _spread(paths):
        if path.is_file() and path.name.lower().endswith(_DUMPS):
            screens.append(_dump(path, package))
            continue
        for walk in _walks(path, task):
            steps = [walk.taken(index, package) for index in range(len(walk.steps))]
            clocks += [step.at for step in steps if step.at is not None]
            _add(walk, steps, screens, led)
    notes = ["", f"Made of {', '.join(path.name for path in paths)}."]
    recording = Recording(tuple(screens), tuple(led), clock=min(clocks, default=None), notes=tuple(notes))
    return merged(recording) if led else recording


def _spread(paths: Sequence[Path]) -> Iterator[Path]:
    """The files; for a folder with dumps, the dumps."""
    for path in paths:
        if not path.exists():
            raise WalkError(f"{path}: there is no such file")
        inside = sorted(p for p in path.iterdir() if p.name.lower().endswith(_DUMPS)) if path.is_dir() else []
        yield from inside or [path]


def _dump(path: Path, package: str) -> RecordedScreen:
    try:
        text = decode(read_bytes(path), str(path))
        load_dump(text, name=str(path))
    except OSError as error:
        raise WalkError(f"{path}: cannot be read ({error.strerror})") from error
    except DumpError as error:
        raise WalkError(str(error), "give a dump that `vsac screen facts` can read") from error
    name = path.name.removesuffix(".gz").removesuffix(".uix").removesuffix(".xml")
    named = packages(text, path.name)
    return RecordedScreen(name, text, source=path.name, package="" if any(named) else package)


def _walks(path: Path, task: int | None) -> tuple[Walk, ...]:
    try:
        walks = read_walks(path)
    except WalkError as error:
        raise WalkError(str(error), "give dumps (.xml, .xml.gz), a recorded walk or a journal") from error
    if task is None:
        return walks
    if task > len(walks):
        raise WalkError(f"{path}: has {len(walks)} walks, not {task}")
    return walks[task - 1 : task]


def _add(walk: Walk, steps: list[WalkStep], screens: list[RecordedScreen], led: list[RecordedMove]) -> None:
    """Add the screens of a walk, and the inputs that led from each to the next."""
    numbers: list[int | None] = []
    for index, step in enumerate(steps, 1):
        if step.screen is None:
            numbers.append(None)
            continue
        app = step.screen.app
        source = f"{walk.task or walk.name}, step {index}" + (f": {step.note}" if step.note else "")
        numbers.append(len(screens))
        screens.append(
            RecordedScreen(
                f"{walk.name or 'screen'}-{index}",
                step.xml,
                source=source,
                package=app[0] if app else "",
                activity=(app[1] or "") if app else "",
            )
        )
    for (step, start), (_, end) in pairwise(zip(steps, numbers, strict=True)):
        if start is not None and end is not None:
            made = _led(step, screens[start].xml, start, end)
            if made is not None:
                led.append(made)


def _led(step: WalkStep, xml: str, start: int, end: int) -> RecordedMove | None:
    """The input that led on from a step: its last action with an effect; None if that is not an input on the screen."""
    actions = [action for action in step.actions if action.name not in _QUIET]
    if not actions:
        return None
    action = actions[-1]
    if action.name == "back":
        return RecordedMove(start, end, "back")
    on = {"tap": "tap", "double_tap": "tap", "long_press": "long_press", "input_text": "text"}.get(
        action.name
    )
    if on is None and action.name not in ("scroll", "swipe"):
        return None
    screen = TreeScreen(load_dump(xml))
    try:
        cells = screen.target(action.name, action.args)
    except UnresolvedTarget:
        cells = {}
    node = cells.get("node") or cells.get("leaf")
    number = node if isinstance(node, int) else None
    note = f"{action.name} {cells.get('label') or ''}".strip()
    if on is not None:
        return RecordedMove(start, end, on, number, note=note) if number is not None else None
    direction = str(action.args.get("direction") or "")
    if action.name == "scroll":
        direction = _OPPOSITE.get(direction, "")
    return RecordedMove(start, end, "swipe", number, direction if direction in _OPPOSITE else "", note)
