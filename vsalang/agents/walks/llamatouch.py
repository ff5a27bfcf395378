"""Traces of LlamaTouch: a folder with the screens and actions of an episode by number; and its lists of nodes.

A trace has ``xml/N.xml`` (uiautomator's dump) or else ``vh/N.vh`` (DroidBot's list of views), ``activity/N.activity``,
``action/N.action``, and the task in ``agent_logs/task.json`` or ``instruction.txt``; all of it also as ``xml_N.xml``
and so on in one folder, and packed by gzip. An action is ``TYPE|FIRST|SECOND|WIDTH|HEIGHT``; places are parts of the
screen, across and then down, as LlamaTouch's evaluator reads them. A single list of nodes (``N.json``) is a screen on
which nothing was done.
"""

import re
from collections.abc import Callable
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Final

from vsalang.agents.walks.files import numbered, read_json, read_text
from vsalang.agents.walks.recorded_walk import MAX_STEPS, StepSource, Walk, WalkError, WalkStep
from vsalang.agents.walks.views import read_views
from vsalang.phone.vocabulary import VocabularyError, base
from vsalang.program.action import Action
from vsalang.program.text import canonical
from vsalang.screen.screen import TreeScreen
from vsalang.screen.tree import DumpError, Tree, load_dump

_WHO: Final = "llamatouch"
_PLACE: Final = re.compile(r"\[\s*(\d+(?:\.\d{1,18})?)\s*[, ]\s*(\d+(?:\.\d{1,18})?)\s*\]", re.ASCII)
_ACTIVITY: Final = re.compile(r"(?:u0 )?([A-Za-z][\w.]*\.[\w.]*)/([\w.$]+)", re.ASCII)
_KINDS: Final = ("xml", "vh")


def recognises(path: Path, head: str) -> bool:
    """Whether a folder is a trace, or a file a list of nodes."""
    if path.is_dir():
        return any(numbered(path, kind) for kind in _KINDS)
    match = re.match(r"\s*\[\s*\{[^{}]*\}", head)
    return match is not None and '"bounds"' in match[0] and '"class"' in match[0]


def read(path: Path) -> tuple[Walk, ...]:
    """The trace of a folder, or the screen of a file, as one walk.

    Raises:
        WalkError: it cannot be read.
    """
    if not path.is_dir():
        return (Walk("", "", (StepSource(partial(_nodes, path)),), str(path), path.name.split(".")[0]),)
    screens = {kind: numbered(path, kind) for kind in _KINDS}
    activities, actions = numbered(path, "activity"), numbered(path, "action")
    numbers = sorted(set(screens["xml"]) | set(screens["vh"]))
    if len(numbers) > MAX_STEPS:
        raise WalkError(f"{path}: more than {MAX_STEPS} steps")
    steps = [
        StepSource(_reader(screens["xml"].get(n), screens["vh"].get(n), activities.get(n), actions.get(n)))
        for n in numbers
    ]
    return (Walk("", _task(path), tuple(steps), str(path), path.name),)


def _reader(
    xml: Path | None, views: Path | None, activity: Path | None, action: Path | None
) -> Callable[[str], WalkStep]:
    def read_step(package: str) -> WalkStep:
        tree = _tree(xml, views)
        app = _app(read_text(activity)) if activity is not None else None
        front = app or tree.app or _front(tree, package)
        screen = TreeScreen(tree, app=front, settled=True, partial=tree.partial)
        return WalkStep(screen, _actions(read_text(action)) if action is not None else ())

    return read_step


def _tree(xml: Path | None, views: Path | None) -> Tree:
    if xml is not None:
        try:
            return load_dump(read_text(xml), name=str(xml))
        except DumpError as error:
            raise WalkError(f"the screen is not understood: {error}") from error
    assert views is not None
    return read_views(read_json(read_text(views), str(views)), str(views))


def _nodes(path: Path, package: str) -> WalkStep:
    """A list of nodes without parents."""
    tree = read_views(read_json(read_text(path), str(path)), str(path))
    # the list leaves nodes out: nothing shows the absence of others
    return WalkStep(TreeScreen(tree, app=_front(tree, package), settled=True, partial=True))


def _front(tree: Tree, package: str) -> tuple[str, str | None] | None:
    """The app of the topmost window, where no activity is given."""
    top_package = tree.windows[0].package if tree.windows else None
    return (top_package or package, None) if top_package or package else None


def _app(text: str) -> tuple[str, str | None] | None:
    match = _ACTIVITY.search(text)
    return (match[1], match[2]) if match is not None else None


def _task(path: Path) -> str:
    for name in ("agent_logs/task.json", "agent_logs_task.json", "agent_logs_task.json.gz"):
        if (path / name).is_file():
            data = read_json(read_text(path / name), name)
            return canonical(str(data.get("goal", ""))) if isinstance(data, dict) else ""
    file = path / "instruction.txt"
    return canonical(read_text(file).strip().split("\n")[0]) if file.is_file() else ""


def _actions(text: str) -> tuple[Action, ...]:
    """What an action file says was done.

    Raises:
        WalkError: it is not an action, or lacks what it needs.
    """
    # what was typed may hold the mark that parts the fields
    kind, _, rest = text.strip("\r\n").partition("|")
    fields = rest.rsplit("|", 3)
    if len(fields) != 4:
        raise WalkError("an action is TYPE|FIRST|SECOND|WIDTH|HEIGHT")
    first, second, wide, high = fields
    try:
        width, height = base.milliseconds(wide, "the width"), base.milliseconds(high, "the height")
        match kind.strip().upper():
            case "CLICK":
                return base.touch(*_place(first, width, height))
            case "SWIPE":
                return base.stroke(*_place(first, width, height), *_place(second, width, height))
            case "TYPE" | "TEXT":
                return base.typed(_typed(first))
            case "PRESS_BACK":
                return (Action("back"),)
            case "PRESS_HOME":
                return (Action("home"),)
            case "PRESS_ENTER":
                return (Action("press_key", {"key": "ENTER"}),)
            case "STATUS_TASK_COMPLETE":
                return (Action("finish"),)
            case "STATUS_TASK_IMPOSSIBLE":
                return (Action("give_up", {"reason": "the task was found impossible"}),)
        return base.not_understood(_WHO, text.strip())
    except VocabularyError as error:
        raise WalkError(str(error)) from error


def _typed(text: str) -> str:
    """What was typed: LlamaTouch's recorder wrote it as Python would."""
    if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"":
        return text[1:-1]
    return "" if text == "NULL" else text


def _place(text: str, width: int, height: int) -> tuple[Decimal | int, Decimal | int]:
    match = _PLACE.fullmatch(text.strip())
    if match is None:
        raise WalkError(f"a place is [ACROSS DOWN], in parts of the screen: {text[:60]!r}")
    across, down = Decimal(match[1]), Decimal(match[2])
    if across > 1 or down > 1:
        raise WalkError(f"a place is in parts of the screen, none greater than 1: {text[:60]!r}")
    # the right and lower edges are not pixels of the screen any more
    return min(int(across * width), width - 1), min(int(down * height), height - 1)
