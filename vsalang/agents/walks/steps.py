"""Walks in the plainest form, for what has no reader: a JSON object a line, each a step.

    {"screen": "0.xml", "app": "com.example.notes", "action": {"action_type": "click", "x": 90, "y": 120}}
    {"screen": "<hierarchy ..>", "action": "adb shell input tap 10 20", "at": "2026-04-01T12:00:00"}

``screen`` is a dump, the JSON of an accessibility service (`vsalang.screen.tree.load_tree`), or the file of one,
next to this file; ``action`` is in the words of any agent that vsalang reads
(`vsalang.phone.vocabulary`), or its own; ``app`` is package, or package/activity; ``note`` is the agent's own word.
"""

import datetime as dt
from functools import partial
from pathlib import Path
from typing import Any

from vsalang.agents.walks.files import inside, json_lines
from vsalang.agents.walks.recorded_walk import MAX_STEPS, StepSource, Walk, WalkError, WalkStep
from vsalang.phone.vocabulary import VocabularyError, detect
from vsalang.phone.vocabulary import read as read_action
from vsalang.program.action import DEVICE_ACTIONS, GESTURES, Action
from vsalang.program.text import canonical
from vsalang.program.typed import quoted_number
from vsalang.program.values import Value
from vsalang.program.vocabulary import ANDROID
from vsalang.screen.screen import TreeScreen
from vsalang.screen.tree import DumpError, load_tree, read_tree

_KNOWN = frozenset({"screen", "app", "action", "at", "note", "task"})


def recognises(path: Path, head: str) -> bool:
    """Whether a file is such a walk."""
    return path.is_file() and head.lstrip().startswith("{") and '"screen"' in head.split("\n", 1)[0]


def read(path: Path) -> tuple[Walk, ...]:
    """The walk of a file.

    Raises:
        WalkError: it cannot be read, or a line is not a step.
    """
    lines = list(json_lines(path))
    if len(lines) > MAX_STEPS:
        raise WalkError(f"{path}: more than {MAX_STEPS} steps")
    for place, data in lines:
        if not isinstance(data, dict):
            raise WalkError(f"{place}: a step is an object")
        if unknown := sorted(set(data) - _KNOWN):
            raise WalkError(f"{place}: a step has no `{unknown[0][:80]}`; it has {', '.join(sorted(_KNOWN))}")
    task = next((str(data["task"]) for _, data in lines if data.get("task")), "")
    steps = tuple(StepSource(partial(_taken, path.parent, data)) for _, data in lines)
    return (Walk("", canonical(task), steps, str(path), path.name.split(".")[0]),)


def screens_of(path: Path) -> tuple[Path, ...]:
    """The files of screens that a walk names, in the order of its steps, each once.

    Raises:
        WalkError: as `read`.
    """
    files: dict[Path, None] = {}
    for _, data in json_lines(path):
        value = data.get("screen") if isinstance(data, dict) else None
        if isinstance(value, str) and _is_name(value):
            files.setdefault(inside(path.parent, value, "the screen"))
    return tuple(file for file in files if file.is_file())


def _is_name(screen: str) -> bool:
    """Whether a text is the name of a file, and not the screen itself."""
    return "<" not in screen and "{" not in screen


def _taken(folder: Path, data: dict[str, Any], package: str) -> WalkStep:
    note = data.get("note", "")
    if not isinstance(note, str):
        raise WalkError("`note` is not a text")
    action = data.get("action")
    try:
        actions = () if action is None else _actions(action)
    except VocabularyError as error:
        raise WalkError(str(error)) from error
    return WalkStep(_screen(folder, data, package), actions, note)


def _screen(folder: Path, data: dict[str, Any], package: str) -> TreeScreen | None:
    value, app, at = data.get("screen"), data.get("app", package), data.get("at")
    if value is None:
        return None
    if not isinstance(value, str | dict | list) or not isinstance(app, str):
        raise WalkError("`screen` is a dump or the name of its file, and `app` a package")
    try:
        now = dt.datetime.fromisoformat(at) if at is not None else None
    except (TypeError, ValueError) as error:
        raise WalkError(f"`at` is not a time: {str(at)[:60]!r}") from error
    try:
        if isinstance(value, str) and _is_name(value):
            tree = read_tree(inside(folder, value, "the screen"))
        else:
            tree = load_tree(value, name="screen")
    except DumpError as error:
        raise WalkError(f"the screen is not understood: {error}") from error
    except OSError as error:
        raise WalkError(f"cannot read {str(value)[:200]}: {error.strerror}") from error
    front, _, activity = app.partition("/")
    known = (front, activity or None) if front else tree.app
    return TreeScreen(tree, app=known, now=now, settled=True, partial=tree.partial)


def _actions(data: Any) -> tuple[Action, ...]:
    format = detect(data)
    if format:
        return read_action(format, data)
    name = data.get("action") if isinstance(data, dict) else None
    if not isinstance(name, str) or name not in GESTURES | DEVICE_ACTIONS:
        raise VocabularyError("the action is in the words of no agent that is known")
    numbers = {attr.name for attr in ANDROID[name].attrs if attr.type.kind == "Number"}
    args: dict[str, Value] = {}
    for key, value in data.items():
        if key in ("action", "note"):
            continue
        if not isinstance(value, str | int):
            raise VocabularyError(f"`{key[:80]}` is not a text, number or truth value")
        args[key] = canonical(value) if isinstance(value, str) else value
        if isinstance(value, str) and key in numbers:
            number = quoted_number(value)
            if not isinstance(number, int):
                raise VocabularyError(
                    f"`{key}` is {value[:60]!r}, which is not a whole number in plain digits"
                )
            args[key] = number
    return (Action(name, args),)
