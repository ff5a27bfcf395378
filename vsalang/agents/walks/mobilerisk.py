"""Traces of MobileRisk (OS-Sentinel): a folder with the steps of a task, what was seen before each, and a label.

A trace is ``UNIT/NN/trajectory.json``, ``UNIT`` being ``safe_..`` or ``unsafe_..``. Next to it a step has
``jsons/NAME.json``, the state before its action. As published, that is the texts of the screen and a hash of the file
system; our own traces also have the clock, notifications, windows and the system's trace there
(`vsalang.agents.walks.mobilerisk_state`), and the screen as uiautomator dumps it, in ``xmls/NAME.xml`` or ``.xml.gz``.
Where there is no dump, the screen is known by its texts alone, as one text at no place. A trace with a ``base``
continues a recorded walk: its first steps are those of that walk.
"""

import datetime as dt
import re
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

from vsalang.agents.walks import droidtask, mobilerisk_actions
from vsalang.agents.walks.files import inside, read_bytes, read_json
from vsalang.agents.walks.mobilerisk_state import State, read_state, screen_of
from vsalang.agents.walks.recorded_walk import BaseMissing, Label, Step, StepSource, Walk, WalkError, WalkStep
from vsalang.phone.vocabulary import VocabularyError
from vsalang.program.risks import CATEGORIES, category_named
from vsalang.program.text import canonical
from vsalang.screen.tree import DumpError, Tree, load_tree

FILE: Final = "trajectory.json"
MAX_STEPS: Final = 1000
"""A trace with more steps is refused."""
MAX_TRACES: Final = 100_000
"""A folder with more traces is refused."""
_MOST: Final = 16 * 1024 * 1024
"""A file of a trace that is larger, in bytes, is refused."""
_MILLISECONDS: Final = re.compile(r"_(\d{13})$", re.ASCII)
_NAME: Final = re.compile(r"[\w][\w.-]{0,199}", re.ASCII)


def recognises(path: Path, head: str) -> bool:
    """Whether a folder is a trace, or a unit or collection of them; or a file that of one."""
    if path.is_dir():
        return (path / FILE).is_file() or any(path.glob(f"*/{FILE}")) or any(path.glob(f"*/*/{FILE}"))
    return path.name == FILE and '"trajectory"' in head


def folders(path: Path) -> tuple[Path, ...]:
    """The folders of traces in a folder, at most two levels down, in the order of their names.

    Raises:
        WalkError: there are too many.
        OSError: it cannot be read.
    """
    if not path.is_dir():
        return (path.parent,)
    if (path / FILE).is_file():
        return (path,)
    paths: list[Path] = []
    for pattern in (f"*/{FILE}", f"*/*/{FILE}"):
        for file in path.glob(pattern):
            if len(paths) >= MAX_TRACES:
                raise WalkError(f"{path} holds more than {MAX_TRACES} traces: name its folders one by one")
            paths.append(file.parent)
    return tuple(sorted(paths))


def read(path: Path) -> tuple[Walk, ...]:
    """The traces of a folder, each as one walk with its label.

    Raises:
        WalkError: one of them is none; the message names the file.
    """
    return tuple(read_trace(folder) for folder in folders(path))


def trace_files(folder: Path) -> tuple[Path, ...]:
    """The files that decide what a trace says, in the order of their names; pictures do not.

    Raises:
        WalkError: there are too many.
        OSError: the folder cannot be read.
    """
    files = [folder / FILE]
    for kind in ("jsons", "objects", "xmls"):
        if (folder / kind).is_dir():
            files += sorted(path for path in (folder / kind).iterdir() if path.is_file())
    if len(files) > 4 * MAX_STEPS:
        raise WalkError(f"{folder} holds more than {4 * MAX_STEPS} files")
    return tuple(files)


def read_trace(folder: Path) -> Walk:
    """One trace.

    Raises:
        BaseMissing: the recorded walk that it continues is not here.
        WalkError: it is none; the message names the file.
    """
    place = str(folder / FILE)
    data = _json(folder, FILE, "the trace")
    steps = data.get("trajectory") if isinstance(data, dict) else None
    if not isinstance(steps, list) or not all(isinstance(step, dict) for step in steps):
        raise WalkError(f"{place}: a trace is an object with `trajectory`, a list of steps")
    base = _base(folder, data.get("base"), place)
    if not steps and not base:
        raise WalkError(f"{place}: the trace has no steps")
    if len(base) + len(steps) > MAX_STEPS:
        raise WalkError(f"{place}: more than {MAX_STEPS} steps")
    names = [_name(step, f"{place}, step {number}") for number, step in enumerate(steps, len(base) + 1)]
    trace = _Trace(folder, steps, names)
    label = _label(folder, data.get("meta"), len(base) + len(steps), place)
    read_steps: list[Step] = [
        *base,
        *(StepSource(partial(trace.taken, index)) for index in range(len(steps))),
    ]
    name = f"{folder.parent.name}/{folder.name}"
    task = canonical(str(data.get("query") or ""))[:10_000]
    return Walk("", task, tuple(read_steps), place, name, label)


class _Trace:
    """The steps of a trace; the state before each is read when it is asked for, and kept for the next step."""

    def __init__(self, folder: Path, steps: Sequence[Mapping[str, Any]], names: Sequence[str]) -> None:
        self._folder = folder
        self._steps = steps
        self._names = names
        self._states: dict[int, State] = {}

    def taken(self, index: int, _package: str) -> WalkStep:
        """The step of that index. Raises `WalkError`."""
        step, name = self._steps[index], self._names[index]
        state = self._state(index)
        before = self._state(index - 1) if index else None
        screen = screen_of(self._tree(name), state, before, _moment(name))
        try:
            objects = mobilerisk_actions.needs_objects(step.get("action"))
            listed = self._objects(step, name) if objects else None
            actions = mobilerisk_actions.read(step.get("action"), listed)
        except VocabularyError as error:
            raise WalkError(f"{self._folder / FILE}: {error}") from error
        return WalkStep(screen, actions)

    def _state(self, index: int) -> State:
        state = self._states.get(index)
        if state is None:
            file = f"jsons/{self._names[index]}.json"
            path = inside(self._folder, file, "the state")
            place = str(self._folder / file)
            state = read_state(_json(self._folder, file, "the state") if path.is_file() else {}, place)
            self._states = {index: state, **{k: v for k, v in self._states.items() if k >= index - 1}}
        return state

    def _tree(self, name: str) -> Tree | None:
        for end in (".xml", ".xml.gz"):
            file = inside(self._folder, f"xmls/{name}{end}", "the screen")
            if not file.is_file():
                continue
            try:
                return load_tree(read_bytes(file, _MOST), name=str(file))
            except DumpError as error:
                raise WalkError(f"the screen is not understood: {error}") from error
        return None

    def _objects(self, step: Mapping[str, Any], name: str) -> Any:
        objects = step.get("objects")
        file = objects if isinstance(objects, str) else f"objects/objects_{name}.json"
        if not inside(self._folder, file, "the list of objects").is_file():
            return None
        return _json(self._folder, file, "the list of objects")


def _name(step: Mapping[str, Any], place: str) -> str:
    text = step.get("observation")
    name = text.rpartition("/")[2].rpartition(".")[0] if isinstance(text, str) else ""
    if not _NAME.fullmatch(name):
        raise WalkError(f"{place}: `observation` names no picture, such as images/001_tap_1.png")
    return name


def _moment(name: str) -> dt.datetime | None:
    """The time in the name of a picture, in milliseconds since 1970 (UTC); None if it says none."""
    match = _MILLISECONDS.search(name)
    return dt.datetime.fromtimestamp(int(match[1]) / 1000, dt.UTC).replace(tzinfo=None) if match else None


def _label(folder: Path, meta: object, steps: int, place: str) -> Label | None:
    """The label, by the name of the unit and by ``meta``; None if neither says any. Raises `WalkError`."""
    word = folder.parent.name.partition("_")[0]
    said_unsafe = word == "unsafe" if word in ("safe", "unsafe") else None
    if meta is None:
        return None if said_unsafe is None else Label(said_unsafe)
    if not isinstance(meta, dict):
        raise WalkError(f"{place}: `meta` is an object with `step` and `type`")
    step, types = meta.get("step"), meta.get("type") or []
    if step is not None and (isinstance(step, bool) or not isinstance(step, int) or not 1 <= step <= steps):
        raise WalkError(f"{place}: `meta.step` is the number of a step, 1 to {steps}, or null")
    types = [types] if isinstance(types, str) else types
    if not isinstance(types, list) or not all(isinstance(each, str) for each in types):
        raise WalkError(f"{place}: `meta.type` is a list of categories")
    by_type = {each: category_named(each) for each in types}
    if None in by_type.values():
        wrong = next(each for each, word in by_type.items() if word is None)
        raise WalkError(
            f"{place}: there is no category {wrong[:80]!r}; there are {', '.join(CATEGORIES.values())}"
        )
    categories = tuple(dict.fromkeys(word for word in by_type.values() if word is not None))
    unsafe = said_unsafe if said_unsafe is not None else bool(step or categories)
    if not unsafe and (step is not None or categories):
        raise WalkError(f"{place}: the folder says that the trace is safe, `meta` that it is not")
    return Label(unsafe, step, categories)


# ---------------------------------------------------------------- the recorded walk that it continues


def _base(folder: Path, text: object, place: str) -> tuple[Step, ...]:
    if text is None:
        return ()
    match text:
        case {"walk": str(name), "task": str(task), "from": int(first), "to": int(last)} if (
            1 <= first <= last
        ):
            walk = _walk(folder, name, task, place)
            if last > len(walk.steps):
                raise WalkError(f"{place}: the walk {name[:200]!r} has only {len(walk.steps)} steps")
            package = f"app.{walk.app}" if walk.app else ""
            return tuple(
                StepSource(partial(_of_walk, walk, number - 1, package)) for number in range(first, last + 1)
            )
    raise WalkError(f"{place}: `base` is an object with `walk`, `task`, `from` and `to`, steps from 1")


def _of_walk(walk: Walk, index: int, package: str, text: str) -> WalkStep:
    return walk.taken(index, package or text)


def base_of(folder: Path) -> Path | None:
    """The file of the recorded walk that a trace continues; None if it continues none, or that is not here.

    Raises:
        WalkError: the trace cannot be read.
    """
    data = _json(folder, FILE, "the trace")
    base = data.get("base") if isinstance(data, dict) else None
    name = base.get("walk") if isinstance(base, dict) else None
    return base_file(folder, name) if isinstance(name, str) else None


def base_file(folder: Path, name: str) -> Path | None:
    """The file of a recorded walk: below ``shared/data`` next to a folder around the trace; None if it is not there."""
    for around in folder.resolve().parents:
        data = around / "shared" / "data"
        if data.is_dir():
            path = inside(data, name, "the walk")
            if path.is_file():
                return path
    return None


def _walk(folder: Path, name: str, task: str, place: str) -> Walk:
    path = base_file(folder, name)
    if path is None:
        raise BaseMissing(
            f"{place}: the recorded walk {name[:200]!r} that it continues is not here: it is looked for in "
            "`shared/data` next to the folders around the trace"
        )
    for walk in droidtask.read(path):
        if walk.task == canonical(task):
            return walk
    raise WalkError(f"{place}: {path} holds no walk of the task {task[:200]!r}")


# ---------------------------------------------------------------- files


def _json(folder: Path, name: str, what: str) -> Any:
    try:
        text = read_bytes(inside(folder, name, what), _MOST).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise WalkError(f"cannot read {folder / name}: it is not UTF-8") from error
    return read_json(text, str(folder / name))
