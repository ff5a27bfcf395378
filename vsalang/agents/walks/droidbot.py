"""Runs of DroidBot: a folder with its events in order, and the states that they lead from and to.

Read are DroidBot's own output (``events/event_*.json``, ``states/state_*.json``), and the same as JSON lines
(``events.jsonl``, ``states.jsonl``, packed or not). An event names its states; what is missing among the states is a
screen that nobody saw.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from vsalang.agents.walks.droidtask import moment
from vsalang.agents.walks.files import MAX_FILES, json_lines, read_json, read_text
from vsalang.agents.walks.recorded_walk import MAX_STEPS, Step, Walk, WalkError, WalkStep
from vsalang.agents.walks.views import FAR, box, centre, read_views
from vsalang.base.records import dataclass
from vsalang.phone.vocabulary import VocabularyError, base
from vsalang.phone.vocabulary import read as read_action
from vsalang.program.action import Action
from vsalang.screen.screen import TreeScreen
from vsalang.screen.tree import Tree

_WHO: Final = "droidbot"


def recognises(path: Path, head: str) -> bool:
    """Whether a folder is such a run."""
    return path.is_dir() and (_lines(path, "events") is not None or any(path.glob("events/event_*.json")))


def read(path: Path) -> tuple[Walk, ...]:
    """The run of a folder, as one walk.

    Raises:
        WalkError: it cannot be read, or an event is none.
    """
    states: dict[str, Any] = {}
    for place, data in _objects(path, "states", "state"):
        name = data.get("state_str")
        if not isinstance(name, str):
            raise WalkError(f"{place}: a state has a name (`state_str`)")
        states.setdefault(name, data)
    run = _Run(str(path), states)
    steps: list[Step] = []
    last: Mapping[str, Any] = {}
    for place, data in _objects(path, "events", "event"):
        if not isinstance(data.get("event"), Mapping):
            raise WalkError(f"{place}: an event has an object `event`")
        if len(steps) >= MAX_STEPS:
            raise WalkError(f"{path}: more than {MAX_STEPS} events")
        steps.append(_Event(run, data, place))
        last = data
    if not steps:
        raise WalkError(f"{path} holds no events")
    steps.append(_Event(run, {"start_state": last.get("stop_state"), "event": {}}, "the last screen"))
    return (Walk(path.name, "", tuple(steps), str(path), path.name),)


def _lines(folder: Path, name: str) -> Path | None:
    return next((f for f in (folder / f"{name}.jsonl", folder / f"{name}.jsonl.gz") if f.is_file()), None)


def _objects(folder: Path, name: str, single: str) -> list[tuple[str, Mapping[str, Any]]]:
    lines = _lines(folder, name)
    if lines is not None:
        objects = list(json_lines(lines))
    else:
        # the names are the times
        files = sorted((folder / name).glob(f"{single}_*.json"))
        if len(files) > MAX_FILES:
            raise WalkError(f"{folder / name} holds more than {MAX_FILES} files")
        objects = [(str(file), read_json(read_text(file), str(file))) for file in files]
    for place, data in objects:
        if not isinstance(data, Mapping):
            raise WalkError(f"{place}: there is no object")
    return objects


class _Run:
    """The states of a run; each is read once."""

    def __init__(self, name: str, states: Mapping[str, Any]) -> None:
        self._name = name
        self._states = states
        self._trees: dict[str, Tree] = {}

    def screen(self, name: object, tag: object) -> TreeScreen | None:
        """The screen of a state; None if it was not kept. Raises `WalkError`."""
        state = self._states.get(name) if isinstance(name, str) else None
        if state is None:
            return None
        assert isinstance(name, str)
        if name not in self._trees:
            self._trees[name] = read_views(state, f"{self._name}, state {name[:40]}")
        tree = self._trees[name]
        return TreeScreen(tree, app=tree.app, now=moment(tag), settled=True, partial=tree.partial)


@dataclass(frozen=True, slots=True)
class _Event:
    run: _Run
    data: Mapping[str, Any]
    place: str

    def taken(self, package: str) -> WalkStep:
        try:
            screen = self.run.screen(self.data.get("start_state"), self.data.get("tag"))
            ended = self.run.screen(self.data.get("stop_state"), None)
            event_text = str(self.data.get("event_str") or "")
            return WalkStep(screen, _actions(self.data["event"]), event_text, ended)
        except VocabularyError as error:
            raise WalkError(f"{self.place}: {error}") from error


def _actions(event: Mapping[str, Any]) -> tuple[Action, ...]:
    """What an event does. Raises `VocabularyError`, `WalkError`."""
    match event.get("event_type"):
        case None | "manual" | "exit":
            return ()
        case "touch":
            return base.rest(_place(event))
        case "long_touch":
            return base.rest(_place(event), base.milliseconds(event.get("duration", 2000), "duration"))
        case "set_text":
            return base.typed(event.get("text"), _place(event))
        case "scroll":
            return (_scroll(event),)
        case "swipe":
            start, end = _place(event, "start_"), _place(event, "end_")
            held = base.milliseconds(event.get("duration", 1000), "duration")
            return base.stroke(start["x"], start["y"], end["x"], end["y"], held=held)
        case "key":
            name = base.text(event.get("name"), "the key", 100)
            return read_action("adb", f"input keyevent {name}") if name.isidentifier() else _unknown(event)
        case "intent":
            return _command(event.get("intent"))
        case "kill_app":
            return _command(event.get("stop_intent"))
    return _unknown(event)


def _command(line: object) -> tuple[Action, ...]:
    text = base.text(line, "the command", 4000)
    try:
        return read_action("adb", text)
    except VocabularyError:
        return (base.shell_line(text),)


def _unknown(event: Mapping[str, Any]) -> tuple[Action, ...]:
    return base.not_understood(_WHO, {name: value for name, value in event.items() if name != "view"})


def _place(event: Mapping[str, Any], prefix: str = "") -> dict[str, int]:
    """Where an event touches: its point, or the middle of its view."""
    x, y, view = event.get(f"{prefix}x"), event.get(f"{prefix}y"), event.get(f"{prefix}view")
    if isinstance(x, int | float) and isinstance(y, int | float) and x and y:  # DroidBot takes 0 for none
        if not (abs(x) < FAR and abs(y) < FAR):
            raise WalkError("a touch without a valid place")
        return {"x": round(x), "y": round(y)}
    if not isinstance(view, Mapping):
        raise WalkError("a touch has a place, or a view")
    across, down = centre(view, "the view that is touched")
    return {"x": across, "y": down}


def _scroll(event: Mapping[str, Any]) -> Action:
    """A movement of two fifths of the view to both sides of its middle; DOWN shows what is below."""
    direction = base.word(event.get("direction"), "direction", ("UP", "DOWN", "LEFT", "RIGHT"))
    at = _place(event) if event.get("view") or event.get("x") else {}
    view = event.get("view")
    if not at or not isinstance(view, Mapping):
        return Action("scroll", {**at, "direction": direction.lower()})
    left, top, right, bottom = box(view, "the view that is scrolled")
    wide, high = (right - left) * 2 // 5, (bottom - top) * 2 // 5
    move_x, move_y = {"UP": (0, high), "DOWN": (0, -high), "LEFT": (wide, 0), "RIGHT": (-wide, 0)}[direction]
    x, y = at["x"], at["y"]
    actions = base.stroke(x - move_x, y - move_y, x + move_x, y + move_y, held=500)
    return actions[0]
