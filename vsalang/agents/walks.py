"""Recorded walks (DroidTask, of AutoDroid) as sessions: judged under a spec that holds nothing back, and journalled.

A walk is a task somebody did once: for each step the screen as simplified HTML, and what was done on it. The HTML says
which nodes there are, what they are called and which can be used; it says no places. Places are made up, so that each
node has a line of its own: a rule that reads coordinates learns nothing from a walk.
"""

import datetime as dt
import gzip
import re
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from vsalang.core.action import Action
from vsalang.core.ir import Program
from vsalang.core.text import canonical, line
from vsalang.core.values import Value
from vsalang.device.tree import DumpError, TreeScreen, load_dump
from vsalang.device.vocabulary import Surface, VocabularyError
from vsalang.device.vocabulary import read as read_action
from vsalang.engine import EngineName
from vsalang.guard import Guard, NotAllowed, Settings, Verdict
from vsalang.guard.clock import ScreenClock
from vsalang.journal import Recorder

MAX_BYTES: Final = 64 * 1024 * 1024
"""A file that is larger, unpacked, is refused."""
MAX_STEPS: Final = 1000
MAX_NODES: Final = 5000
_ROW, _INDENT, _WIDTH = 20, 4, 1080
_CLASSES: Final[Mapping[str, str]] = {
    "button": "Button",
    "input": "EditText",
    "checkbox": "CheckBox",
    "p": "TextView",
    "scrollbar": "ScrollView",
}
_TAKES_TAPS: Final = frozenset({"button", "input", "checkbox"})


class WalkError(Exception):
    """A file that holds no walks, or a step that is not understood; the message names the place."""


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a walk: the screen's HTML, what was done on it, and when (None: the walk does not say)."""

    state: str
    record: Mapping[str, Any]
    at: dt.datetime | None


@dataclass(frozen=True, slots=True)
class Walk:
    """One recorded task; `place` says where it stands in its file."""

    app: str
    task: str
    steps: tuple[Step, ...]
    place: str


@dataclass(frozen=True, slots=True)
class Turn:
    """One action of a walk, what the guard would have said, and why it could not be followed (else empty)."""

    action: Action
    verdict: Verdict
    problem: str = ""


def read_walks(path: str | Path) -> tuple[Walk, ...]:
    """The walks of a file: one JSON object a line, plain or packed by gzip.

    Raises:
        WalkError: it cannot be read, or a line is no walk.
    """
    walks: list[Walk] = []
    for number, text in enumerate(_text(Path(path)).split("\n"), 1):
        if text.strip():
            walks.append(_walk(text, f"{path}, line {number}"))
    if not walks:
        raise WalkError(f"{path} holds no walks: there is one JSON object a line")
    return tuple(walks)


def _text(path: Path) -> str:
    try:
        with path.open("rb") as file:
            packed = file.read(2) == b"\x1f\x8b"
        with gzip.open(path, "rb") if packed else path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
        if len(data) > MAX_BYTES:
            raise WalkError(f"{path} is larger than {MAX_BYTES // 1024 // 1024} MiB")
        return data.decode("utf-8-sig")
    except (OSError, EOFError, zlib.error) as error:
        raise WalkError(f"cannot read {path}: {getattr(error, 'strerror', None) or error}") from error
    except UnicodeDecodeError as error:
        raise WalkError(f"cannot read {path}: it is not UTF-8") from error


def _walk(text: str, place: str) -> Walk:
    import json

    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise WalkError(f"{place}: no JSON: {error}") from error
    records = data.get("records") if isinstance(data, dict) else None
    if not isinstance(records, list) or not records:
        raise WalkError(f"{place}: a walk has `records`, a list of what was done")
    if len(records) > MAX_STEPS:
        raise WalkError(f"{place}: more than {MAX_STEPS} steps")
    steps = []
    for number, record in enumerate(records, 1):
        state = record.get("State") if isinstance(record, dict) else None
        if not isinstance(state, str):
            raise WalkError(f"{place}, step {number}: there is no screen (`State`)")
        steps.append(Step(state, record, _moment(record.get("tag"))))
    return Walk(str(data.get("app", "")), canonical(str(data.get("task_name", ""))), tuple(steps), place)


def _moment(tag: object) -> dt.datetime | None:
    try:
        return dt.datetime.strptime(tag, "%Y-%m-%d_%H%M%S") if isinstance(tag, str) else None
    except ValueError:
        return None


# ---------------------------------------------------------------------- screens


class WalkScreen:
    """A screen of a walk: its facts, and where its numbered elements are.

    Args:
        state: the simplified HTML of a step.
        package: of the app that shows it, if that is known.
        now: the device's clock, if the walk says it.

    Raises:
        WalkError: it is no such HTML.
    """

    def __init__(self, state: str, *, package: str = "", now: dt.datetime | None = None) -> None:
        self._state = state
        self._package = package
        self._now = now
        self._places: dict[int, tuple[int, int]] = {}
        self._row = 0

    @cached_property
    def screen(self) -> TreeScreen:
        """The facts."""
        from lxml import etree

        parser = etree.XMLParser(recover=True, resolve_entities=False, no_network=True, huge_tree=False)
        # what XML cannot hold cannot be shown either
        said = re.sub(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "", self._state)
        try:
            root = etree.fromstring(f"<walk>{said}</walk>".encode(), parser)
        except (etree.XMLSyntaxError, ValueError) as error:
            raise WalkError(f"the screen is no HTML: {error}") from error
        if root is None or sum(1 for _ in root.iter()) > MAX_NODES:
            raise WalkError(f"the screen is empty, or has more than {MAX_NODES} nodes")
        self._places, self._row = {}, 0
        hierarchy = etree.Element("hierarchy", rotation="0")
        try:
            for index, child in enumerate(child for child in root if isinstance(child.tag, str)):
                self._add(etree, hierarchy, child, index, 0)
            tree = load_dump(etree.tostring(hierarchy, encoding="unicode"), name="walk")
        except (DumpError, RecursionError) as error:
            raise WalkError(f"the screen is not understood: {error}") from error
        app = (self._package, None) if self._package else None
        return TreeScreen(tree, app=app, now=self._now, settled=True, partial=True)

    def _add(self, etree: Any, parent: Any, source: Any, index: int, depth: int) -> None:
        """One node and what hangs in it: a line of its own, then theirs, which begin further right."""
        tag = str(source.tag)
        top, left = self._row * _ROW, depth * _INDENT
        self._row += 1
        number = source.get("id", "")
        if re.fullmatch(r"\d{1,6}", number, re.ASCII):
            # the first columns of its line are the node's alone
            self._places[int(number)] = (left + 1, top + 1)
        node = etree.SubElement(parent, "node")
        children = [child for child in source if isinstance(child.tag, str) and child.tag != "br"]
        texts = [source.text, *(child.tail for child in source)]
        for number_, child in enumerate(children):
            self._add(etree, node, child, number_, depth + 1)
        name = source.get("resource_id", "")
        attributes = {
            "index": str(index),
            "text": " ".join(text.strip() for text in texts if text and text.strip()),
            "resource-id": f"{self._package}:id/{name}" if name and self._package else name,
            "class": f"android.widget.{_CLASSES.get(tag, tag)}",
            "package": self._package,
            "content-desc": source.get("alt", ""),
            "checkable": _said(tag == "checkbox"),
            "checked": _said(tag == "checkbox" and source.get("status") == "selected"),
            "clickable": _said(tag in _TAKES_TAPS),
            "enabled": "true",
            "focusable": _said(tag in _TAKES_TAPS),
            "focused": "false",
            "scrollable": _said(tag in ("scrollbar", "ScrollView", "RecyclerView", "ListView")),
            "long-clickable": "false",
            "password": "false",
            "selected": _said(source.get("status") == "selected"),
            "bounds": f"[{left},{top}][{_WIDTH},{self._row * _ROW}]",
        }
        for key, value in attributes.items():
            node.set(key, value)

    def element(self, number: int) -> Mapping[str, Value]:
        """The place of an element. Raises `LookupError`."""
        _ = self.screen
        x, y = self._places[number]
        return {"x": x, "y": y}


def _said(value: bool) -> str:
    return "true" if value else "false"


# ---------------------------------------------------------------------- a session


def follow(
    walk: Walk,
    program: Program,
    *,
    package: str = "",
    recorder: Recorder | None = None,
    engine: EngineName = "incremental",
) -> Iterator[Turn]:
    """Judge each action of a walk on the screen it was done on, and go on with what was seen next, whatever is said.

    Args:
        walk: what was done.
        program: the spec with its apps, and the policies in force.
        package: of the app; left out, that of the program's only app.
        recorder: writes the journal.
        engine: which evaluator decides.

    Raises:
        WalkError: a step is not understood.
        GuardFailed: the guard met an internal error.
        JournalError: the journal cannot be written.
    """
    package = package or only_package(program)
    seen = [WalkScreen(step.state, package=package, now=step.at) for step in walk.steps]
    clock = ScreenClock(live=False)
    clock.see(_screen(walk, 0, seen[0]))
    guard = Guard(
        program,
        today=clock().date(),
        clock=clock,
        engine=engine,
        settings=Settings(mode="shadow"),
        recorder=recorder,
    )
    guard.observe(_screen(walk, 0, seen[0]))
    for index, step in enumerate(walk.steps):
        try:
            actions = read_action("droidtask", step.record, Surface(element=seen[index].element))
        except VocabularyError as error:
            raise WalkError(f"{walk.place}, step {index + 1}: {error}") from error
        for nth, action in enumerate(actions, 1):
            here = _screen(walk, index, seen[index])
            after = index + 1 if nth == len(actions) and index + 1 < len(seen) else index
            verdict = guard.propose(action, note=f"step {index + 1}")
            problem = ""
            try:
                guard.commit(verdict, screen=here)
            except NotAllowed as refused:
                problem = line(str(refused))
            yield Turn(action, verdict, problem)
            if guard.finished:
                guard.observe(here)
                return
            guard.observe(_screen(walk, after, seen[after]))


def _screen(walk: Walk, index: int, seen: WalkScreen) -> TreeScreen:
    try:
        return seen.screen
    except WalkError as error:
        raise WalkError(f"{walk.place}, step {index + 1}: {error}") from error


def only_package(program: Program) -> str:
    """The package of the program's only app; empty if it has none, or several."""
    packages = {package for module in program.modules.values() for package in module.packages}
    return packages.pop() if len(packages) == 1 else ""
