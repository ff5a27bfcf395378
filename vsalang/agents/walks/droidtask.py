"""Walks of DroidTask (AutoDroid): a task a line, each step the screen as simplified HTML and what was done on it.

Read are JSON lines, and the YAML of one walk as AutoDroid writes it (``task1.yaml``, ``utg.yaml``).

The HTML says which nodes there are, what they are called and which can be used; it says no places. Places are made up,
so that each node has a line of its own: a rule that reads coordinates learns nothing from such a walk. A ``button`` is
what takes the touch, or stands in something that does. A ``scrollbar`` is what scrolls, of whatever class; a class that
could scroll, such as ``ScrollView``, is the tag of what does not.
"""

import datetime as dt
import re
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from vsalang.agents.walks.files import json_lines, read_text
from vsalang.agents.walks.recorded_walk import Walk, WalkError, WalkStep
from vsalang.base.records import dataclass
from vsalang.phone.vocabulary import Surface, VocabularyError
from vsalang.phone.vocabulary import read as read_action
from vsalang.program.text import canonical, line
from vsalang.program.values import Value
from vsalang.screen.screen import TreeScreen
from vsalang.screen.tree import DumpError, load_dump

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


def recognises(path: Path, head: str) -> bool:
    """Whether a file holds such walks."""
    return path.is_file() and ('"records"' in head or head.lstrip("\ufeff").startswith("records:"))


def read(path: Path) -> tuple[Walk, ...]:
    """The walks of a file: one JSON object a line, or one walk as YAML.

    Raises:
        WalkError: it cannot be read, or a line is not a walk.
    """
    stem = path.name.split(".")[0]
    if ".yaml" in path.suffixes:
        return (_walk(_yaml(path), str(path), stem),)
    walks = [_walk(data, place, f"{stem}-{n}") for n, (place, data) in enumerate(json_lines(path), 1)]
    return tuple(walks)


def _yaml(path: Path) -> Any:
    """The data of a YAML file; only plain data is made of it. Raises `WalkError`."""
    import yaml

    try:
        return yaml.load(read_text(path), getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise WalkError(f"{path}: not YAML: {line(str(error))}") from error


def _walk(data: Any, place: str, name: str) -> Walk:
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
        steps.append(_Step(state, record, moment(record.get("tag"))))
    return Walk(
        str(data.get("app", "")), canonical(str(data.get("task_name", ""))), tuple(steps), place, name
    )


def moment(tag: object) -> dt.datetime | None:
    """The time that a tag of AutoDroid or DroidBot says; None if it says none."""
    try:
        return dt.datetime.strptime(tag, "%Y-%m-%d_%H%M%S") if isinstance(tag, str) else None
    except ValueError:
        return None


@dataclass(frozen=True, slots=True)
class _Step:
    """One step: the screen's HTML, what was done on it, and when (None: the walk does not say)."""

    state: str
    record: Mapping[str, Any]
    at: dt.datetime | None

    def taken(self, package: str) -> WalkStep:
        seen = WalkScreen(self.state, package=package, now=self.at)
        screen = seen.screen
        try:
            actions = read_action("droidtask", self.record, Surface(element=seen.element))
        except VocabularyError as error:
            raise WalkError(str(error)) from error
        return WalkStep(screen, actions)


class WalkScreen:
    """A screen of a walk: its facts, and where its numbered elements are.

    Args:
        state: the simplified HTML of a step.
        package: of the app that shows it, if that is known.
        now: the device's clock, if the walk says it.

    Raises:
        WalkError: it is not such HTML.
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
        text = re.sub(r"[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]", "", self._state)
        try:
            root = etree.fromstring(f"<walk>{text}</walk>".encode(), parser)
        except (etree.XMLSyntaxError, ValueError) as error:
            raise WalkError(f"the screen is not HTML: {error}") from error
        if root is None or sum(1 for _ in root.iter()) > MAX_NODES:
            raise WalkError(f"the screen is empty, or has more than {MAX_NODES} nodes")
        self._places, self._row = {}, 0
        hierarchy = etree.Element("hierarchy", rotation="0")
        try:
            for index, child in enumerate(child for child in root if isinstance(child.tag, str)):
                self._add(etree, hierarchy, child, index, 0)
            tree = load_dump(etree.tostring(hierarchy, encoding="unicode"), name="walk")
            tree = replace(tree, inherits=True)
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
            **({"package": self._package} if self._package else {"lacks": "package"}),
            "content-desc": source.get("alt", ""),
            "checkable": _boolean_text(tag == "checkbox"),
            "checked": _boolean_text(tag == "checkbox" and source.get("status") == "selected"),
            "clickable": _boolean_text(tag in _TAKES_TAPS),
            "enabled": "true",
            "focusable": _boolean_text(tag in _TAKES_TAPS),
            "focused": "false",
            "scrollable": _boolean_text(tag == "scrollbar"),
            "long-clickable": "false",
            "password": "false",
            "selected": _boolean_text(source.get("status") == "selected"),
            "bounds": f"[{left},{top}][{_WIDTH},{self._row * _ROW}]",
        }
        for key, value in attributes.items():
            node.set(key, value)

    def element(self, number: int) -> Mapping[str, Value]:
        """The place of an element. Raises `LookupError`."""
        _ = self.screen
        x, y = self._places[number]
        return {"x": x, "y": y}


def _boolean_text(value: bool) -> str:
    return "true" if value else "false"
