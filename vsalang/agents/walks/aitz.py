"""Episodes of AITZ (Android in the Zoo): a JSON list of steps, each a screen as boxes of text and icons, and an action.

The boxes were read off the picture: text with the errors of reading, kinds of icons, no nodes, and nothing about what
takes a touch. Touches are parts of the picture; where the picture (PNG) is next to the file, its size gives the place
in the pixels of the boxes, else the place is not known, and the touch has none.
"""

import json
import struct
from functools import partial
from pathlib import Path
from typing import Any, Final

from vsalang.agents.walks.files import read_json, read_text
from vsalang.agents.walks.recorded_walk import MAX_STEPS, StepSource, Walk, WalkError, WalkStep
from vsalang.agents.walks.views import read_views
from vsalang.base.source.opening import open_regular
from vsalang.phone.vocabulary import VocabularyError, base
from vsalang.program.action import Action
from vsalang.program.text import canonical
from vsalang.screen.screen import TreeScreen

_WHO: Final = "aitz"
_STILL: Final = 0.04
"""Part of the screen: a finger that moves no further taps (AndroidInTheWild's own threshold)."""


def recognises(path: Path, head: str) -> bool:
    """Whether a file is such an episode."""
    return path.is_file() and head.lstrip().startswith("[") and '"result_action_type"' in head


def read(path: Path) -> tuple[Walk, ...]:
    """The episodes of a file.

    Raises:
        WalkError: it cannot be read, or is not such a list.
    """
    data = read_json(read_text(path), str(path))
    if not isinstance(data, list) or not all(isinstance(step, dict) for step in data) or not data:
        raise WalkError(f"{path}: an episode is a list of steps")
    if len(data) > MAX_STEPS:
        raise WalkError(f"{path}: more than {MAX_STEPS} steps")
    episodes: dict[str, list[dict[str, Any]]] = {}
    for step in data:
        episodes.setdefault(str(step.get("episode_id", "")), []).append(step)
    return tuple(_walk(path, name, steps) for name, steps in episodes.items())


def _walk(path: Path, name: str, steps: list[dict[str, Any]]) -> Walk:
    read_steps = tuple(StepSource(partial(_taken, path, step)) for step in steps)
    task = canonical(str(steps[0].get("instruction", "")))
    return Walk(
        name, task, read_steps, f"{path}, episode {name[:60]}", f"{path.name.split('.')[0]}-{name[:60]}"
    )


def _taken(path: Path, step: dict[str, Any], _package: str) -> WalkStep:
    size = _size(path.parent, step.get("image_path"))
    positions, texts, kinds = (_list(step, name) for name in ("ui_positions", "ui_text", "ui_types"))
    if not len(positions) == len(texts) == len(kinds):
        raise WalkError("there are not as many places as texts and kinds")
    boxes = [_box(position) for position in positions]
    right = max([size[0] if size else 0, *(box[2] for box in boxes)])
    bottom = max([size[1] if size else 0, *(box[3] for box in boxes)])
    kids = list(range(1, len(boxes) + 1))
    views: list[dict[str, Any]] = [
        {
            "temp_id": 0,
            "parent": -1,
            "children": kids,
            "class": "picture",
            "bounds": [[0, 0], [right, bottom]],
        }
    ]
    for number, box, text, kind in zip(kids, boxes, texts, kinds, strict=True):
        seen = {"text": text} if kind == "TEXT" else {"content_description": text or kind}
        where = {"temp_id": number, "parent": 0, "children": [], "bounds": [list(box[:2]), list(box[2:])]}
        views.append({"class": str(kind), **where, **seen})
    tree = read_views(views, str(path))
    try:
        actions = _actions(step, size)
    except VocabularyError as error:
        raise WalkError(str(error)) from error
    note = step.get("coat_action_desc")
    screen = TreeScreen(tree, settled=True, partial=True)
    return WalkStep(screen, actions, note if isinstance(note, str) else "")


def _list(step: dict[str, Any], name: str) -> list[Any]:
    """A list, which AITZ writes as text."""
    data = step.get(name, [])
    if isinstance(data, str):
        data = read_json(data, f"`{name}`")
    if not isinstance(data, list):
        raise WalkError(f"`{name}` is not a list")
    return data


def _box(position: Any) -> tuple[int, int, int, int]:
    """Left, top, right, bottom; AITZ says top, left, height, width."""
    match position:
        case [int(top), int(left), int(high), int(wide)]:
            return left, top, left + max(wide, 1), top + max(high, 1)
    raise WalkError(f"a place is four numbers of pixels: {json.dumps(position)[:60]}")


def _actions(step: dict[str, Any], size: tuple[int, int] | None) -> tuple[Action, ...]:
    """What was done; the numbers are those of AndroidInTheWild. Raises `VocabularyError`, `WalkError`."""
    match step.get("result_action_type"):
        case 3:
            return base.typed(step.get("result_action_text"))
        case 4:
            return _touch(_point(step, "result_touch_yx"), _point(step, "result_lift_yx"), size)
        case 5:
            return (Action("back"),)
        case 6:
            return (Action("home"),)
        case 7:
            return (Action("press_key", {"key": "ENTER"}),)
        case 10:
            return (Action("finish"),)
        case 11:
            return (Action("give_up", {"reason": "the task was found impossible"}),)
    kept = {name: value for name, value in step.items() if name.startswith("result_")}
    return base.not_understood(_WHO, kept)


def _touch(
    touch: tuple[float, float], lift: tuple[float, float], size: tuple[int, int] | None
) -> tuple[Action, ...]:
    moves = ((touch[0] - lift[0]) ** 2 + (touch[1] - lift[1]) ** 2) ** 0.5
    if size is None:
        # where it was is not known: nothing is guessed
        if moves <= _STILL:
            return (Action("tap"),)
        across, down = lift[0] - touch[0], lift[1] - touch[1]
        if abs(down) >= abs(across):
            return (Action("swipe", {"direction": "down" if down > 0 else "up"}),)
        return (Action("swipe", {"direction": "right" if across > 0 else "left"}),)
    (x, y), (x2, y2) = (
        (min(int(part[0] * size[0]), size[0] - 1), min(int(part[1] * size[1]), size[1] - 1))
        for part in (touch, lift)
    )
    return base.touch(x2, y2) if moves <= _STILL else base.stroke(x, y, x2, y2)


def _point(step: dict[str, Any], name: str) -> tuple[float, float]:
    """A place in parts of the picture: across, down; AITZ says down, across."""
    match _list(step, name):
        case [int() | float() as down, int() | float() as across] if 0 <= down <= 1 and 0 <= across <= 1:
            return float(across), float(down)
    raise WalkError(f"`{name}` is not a place in parts of the picture")


def _size(folder: Path, named: object) -> tuple[int, int] | None:
    """Width and height of the picture next to the file; None if there is none."""
    if not isinstance(named, str):
        return None
    try:
        with open_regular(folder / Path(named).name) as file:
            head = file.read(24)
    except (OSError, ValueError):  # also a name that no file can have
        return None
    if len(head) < 24 or head[:8] != b"\x89PNG\r\n\x1a\n" or head[12:16] != b"IHDR":
        return None
    width, height = struct.unpack(">II", head[16:24])
    return (width, height) if 0 < width < 100_000 and 0 < height < 100_000 else None
