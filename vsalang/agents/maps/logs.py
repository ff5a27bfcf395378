"""Graphs of recorded logs: walks of any format, and DroidBot's ``utg.js`` where nothing else was kept."""

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from vsalang.agents.maps.gestures import atom
from vsalang.agents.maps.moves import Recording, Told
from vsalang.agents.maps.programs import Reader
from vsalang.agents.maps.recording import recorded
from vsalang.agents.maps.screen_graph import MAX_TEXT, MAX_TEXTS, Edge, Graph, Origin, Screen, UTGError
from vsalang.agents.walks import WalkError, format_of, read_walks
from vsalang.agents.walks.files import read_text
from vsalang.program.ir import Atom
from vsalang.program.text import line

MAX_NODES: Final = 20_000
_NAMES: Final = ("utg.js", "utg.js.gz")
_VIEW: Final = re.compile(r"view=\w*\((?P<activity>[^/()]*)/(?P<cls>\w+)-(?P<label>.*)\)\)$", re.DOTALL)
_TOUCHES: Final[Mapping[str, str]] = {
    "touch": "tap",
    "click": "tap",
    "long_touch": "long_press",
    "longClick": "long_press",
    "set_text": "input_text",
    "scroll": "scroll",
    "swipe": "swipe",
}
_TAG: Final = re.compile(r"<[^>]{0,400}>")
_SHOWN: Final = re.compile(r"value='([^']{1,400})'")


def recording_of(
    path: Path, reader: Reader | None = None, tell: Told | None = None
) -> tuple[Recording, Origin]:
    """The moves of a log, and what it is.

    Raises:
        UTGError: it cannot be read, or holds no walks.
    """
    try:
        journal = path.is_file() and format_of(path) == "journal"
        return recorded(read_walks(path), reader, tell), "journal" if journal else "log"
    except WalkError as error:
        raise UTGError(str(error)) from error


def bare(path: Path) -> Path | None:
    """The ``utg.js`` that is meant: the file itself, or that of a folder without events."""
    if path.name in _NAMES:
        return path
    if not path.is_dir() or any(path.glob("events*")):
        return None
    return next((path / name for name in _NAMES if (path / name).is_file()), None)


def states(path: Path) -> Graph:
    """The graph of a ``utg.js``: a screen for each state, an edge for each event. It holds no counts."""
    try:
        text = read_text(path)
        data = json.loads(text[text.index("{") :].rstrip().rstrip(";"))
        nodes, links = data["nodes"], data["edges"]
    except WalkError as error:
        raise UTGError(str(error)) from error
    except (ValueError, RecursionError, KeyError, TypeError) as error:
        raise UTGError(f"{path} is not a graph of DroidBot: {line(str(error))}") from error
    for what, entries in (("nodes", nodes), ("edges", links)):
        if not isinstance(entries, list) or not all(isinstance(each, dict) for each in entries):
            raise UTGError(f"{path} is not a graph of DroidBot: `{what}` is not a list of objects")
        if len(entries) > MAX_NODES:
            raise UTGError(f"{path}: more than {MAX_NODES} {what}")
    place = path.parent.name or path.name
    screens = {}
    for node in nodes:
        screen = _screen(node, place)
        screens[screen.name] = screen
    edges: dict[object, Edge] = {}
    for link in links:
        ends = [f"state:{line(str(link.get(end)), MAX_TEXT)}" for end in ("from", "to")]
        if any(end not in screens for end in ends):
            raise UTGError(f"{path}: an edge leads from or to a node that is not there")
        for event in _events(link):
            edge = Edge(ends[0], _gesture(event), ends[1], origin="log")
            edges.setdefault(edge.key, edge)
    return Graph(screens, tuple(edges.values()))


def _events(link: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    events = link.get("events")
    return [event for event in events if isinstance(event, dict)] if isinstance(events, list) else []


def _screen(node: Mapping[str, Any], place: str) -> Screen:
    name = f"state:{line(str(node.get('id')), MAX_TEXT)}"
    content = node.get("content")
    activity = line(str(node.get("activity") or ""), MAX_TEXT).rpartition(".")[2]
    return Screen(
        name,
        "state",
        line(str(node.get("package") or ""), MAX_TEXT),
        activity,
        texts=_texts(content) if isinstance(content, str) else (),
        samples=(line(f"{place}, state {node.get('id')}", MAX_TEXT),),
    )


def _texts(content: str) -> tuple[str, ...]:
    """What was to be read, of simplified HTML a line an element, or of DroidBot's list of texts (its fifth line)."""
    lines = content.split("\n")
    if not content.lstrip().startswith("<"):
        texts = [part for text in lines[4:] for part in text.split(",")]
    else:
        texts = [" ".join((*_SHOWN.findall(text), _TAG.sub(" ", text))) for text in lines]
    clean_texts = dict.fromkeys(line(" ".join(text.split()), MAX_TEXT) for text in texts if text.strip())
    return tuple(text for text in clean_texts if text)[:MAX_TEXTS]


def _gesture(event: Mapping[str, Any]) -> Atom:
    """The gesture of an event, as far as its one line tells."""
    kind, description = str(event.get("event_type")), str(event.get("event_str") or "")
    if kind == "key":
        key = description.partition("name=")[2].rstrip(")").strip()
        return Atom("back") if key in ("BACK", "") else atom("press_key", {"key": line(key, MAX_TEXT)})
    if kind == "intent":
        command = description.partition("intent='")[2].rpartition("'")[0]
        return atom("shell", {"command": line(command, 200)})
    if kind == "kill_app":
        return atom("shell", {"command": "am force-stop"})
    view = _VIEW.search(description)
    cells = {} if view is None else {"class": view["cls"], "label": line(view["label"], MAX_TEXT)}
    return atom(_TOUCHES.get(kind, "tap"), {key: value for key, value in cells.items() if value})
