"""Graphs as JSON documents, and back: ``from_json(to_json(utg)) == utg``; the schema: `docs/reference/utg.schema.json`.

Gestures and conditions are written as in core programs (`vsalang.language.notations.out.core_json`). What is read is
checked: a graph may come from anywhere.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, get_args

from vsalang.agents.maps.graph import UTG
from vsalang.agents.maps.screen_graph import (
    ABILITIES,
    KINDS,
    MAX_SAMPLES,
    MAX_TEXT,
    MAX_TEXTS,
    ORIGINS,
    Edge,
    Graph,
    Screen,
    UTGError,
    Widget,
)
from vsalang.base.diagnostics.display import json_escaped
from vsalang.base.source.opening import read_regular
from vsalang.language.notations.out.core_json import NotCore, read_node, write_node
from vsalang.program import ir

FORMAT: Final = "vsa-utg"
VERSION: Final = 1
"""It rises if a reader of the older one would misread the newer one."""
SUFFIX: Final = ".utg.json"
MAX_BYTES: Final = 64 * 1024 * 1024
MAX_NAME: Final = 4000
_LITERALS: Final = get_args(ir.Literal)


def to_json(utg: Graph) -> str:
    """The document of a graph, with a line break at its end."""
    data = {
        "format": FORMAT,
        "version": VERSION,
        "screens": [_screen(screen) for screen in utg.screens.values()],
        "edges": [_edge(edge) for edge in utg.edges],
    }
    return json_escaped(json.dumps(data, ensure_ascii=False, indent=1)) + "\n"


def _screen(screen: Screen) -> dict[str, Any]:
    return {
        "name": screen.name,
        "kind": screen.kind,
        "app": screen.app,
        "activity": screen.activity,
        "widgets": [
            {"class": widget.cls, "id": widget.id, "abilities": list(widget.abilities)}
            for widget in screen.widgets
        ],
        "texts": list(screen.texts),
        "samples": list(screen.samples),
        "over": list(screen.over),
        "seen": screen.seen,
    }


def _edge(edge: Edge) -> dict[str, Any]:
    return {
        "source": edge.source,
        "gesture": write_node(edge.gesture),
        "target": edge.target,
        "when": [write_node(literal) for literal in edge.when],
        "tried": edge.tried,
        "worked": edge.worked,
        "origin": edge.origin,
        "rule": edge.rule,
        "returned": edge.returned,
    }


def read_file(path: str | Path) -> UTG:
    """The graph in a file.

    Raises:
        UTGError: it holds none.
        OSError: it cannot be read.
    """
    try:
        return from_json(read_regular(Path(path), MAX_BYTES).decode("utf-8"))
    except UnicodeDecodeError as error:
        raise UTGError(f"{path} is not UTF-8") from error
    except UTGError as error:
        raise UTGError(f"{path}: {error}", error.hint) from error


def from_json(text: str) -> UTG:
    """The graph of a document.

    Raises:
        UTGError: it is none; the message names the place.
    """
    try:
        data = json.loads(text)
    except json.JSONDecodeError as error:
        raise UTGError(f"line {error.lineno}, column {error.colno}: not JSON: {error.msg.lower()}") from error
    except RecursionError as error:
        raise UTGError("not JSON that can be read: nested too deeply") from error
    except ValueError as error:  # a number of thousands of digits
        raise UTGError("not JSON that can be read: a number is too long") from error
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise UTGError(f'no UI transition graph: expected an object with "format": "{FORMAT}"')
    if data.get("version") != VERSION or isinstance(data["version"], bool):
        raise UTGError(f"version: this reader knows version {VERSION} only")
    document = _Object(data, "", ("format", "version", "screens", "edges"))
    try:
        screens = [
            _read_screen(each, f"screens[{index}]") for index, each in enumerate(document.list("screens"))
        ]
        edges = [_read_edge(each, f"edges[{index}]") for index, each in enumerate(document.list("edges"))]
    except NotCore as error:
        raise UTGError(str(error)) from error
    except RecursionError as error:
        raise UTGError("nested too deeply") from error
    named = {screen.name: screen for screen in screens}
    if len(named) != len(screens):
        raise UTGError("screens: two have the same name")
    return UTG(named, tuple(edges))


class _Object:
    """An object with exactly these keys, read field by field."""

    def __init__(self, data: object, path: str, keys: tuple[str, ...]) -> None:
        if not isinstance(data, dict):
            raise UTGError(f"{path}: expected an object")
        self._data: Mapping[str, Any] = data
        self._path = f"{path}." if path else ""
        if odd := sorted(set(data) ^ set(keys)):
            problem = "is missing" if odd[0] in keys else "is not a key of it"
            raise UTGError(f"{self._path}{odd[0][:80]} {problem}")

    def _wrong(self, key: str, wanted: str) -> UTGError:
        return UTGError(f"{self._path}{key}: expected {wanted}")

    def list(self, key: str) -> list[Any]:
        value = self._data[key]
        if not isinstance(value, list):
            raise self._wrong(key, "a list")
        return value

    def text(self, key: str, most: int = MAX_NAME) -> str:
        value = self._data[key]
        if not isinstance(value, str) or len(value) > most:
            raise self._wrong(key, f"a text of at most {most} characters")
        return value

    def texts(self, key: str, most: int, length: int = MAX_NAME) -> tuple[str, ...]:
        values = self.list(key)
        if len(values) > most or not all(isinstance(each, str) and len(each) <= length for each in values):
            raise self._wrong(key, f"at most {most} texts of at most {length} characters")
        return tuple(values)

    def one_of(self, key: str, choices: tuple[Any, ...]) -> Any:
        value = self._data[key]
        if value not in choices:
            raise self._wrong(key, f"one of {', '.join(choices)}")
        return value

    def count(self, key: str) -> int:
        value = self._data[key]
        if type(value) is not int or not 0 <= value < 2**53:
            raise self._wrong(key, "a whole number from 0")
        return value

    def any(self, key: str) -> Any:
        return self._data[key]


def _read_screen(data: object, path: str) -> Screen:
    keys = ("name", "kind", "app", "activity", "widgets", "texts", "samples", "over", "seen")
    thing = _Object(data, path, keys)
    name = thing.text("name")
    if not name:
        raise UTGError(f"{path}.name: a screen has a name")
    return Screen(
        name,
        thing.one_of("kind", KINDS),
        thing.text("app"),
        thing.text("activity"),
        tuple(_widget(each, f"{path}.widgets[{n}]") for n, each in enumerate(thing.list("widgets"))),
        thing.texts("texts", MAX_TEXTS, MAX_TEXT),
        thing.texts("samples", MAX_SAMPLES),
        thing.texts("over", 1000),
        thing.count("seen"),
    )


def _widget(data: object, path: str) -> Widget:
    thing = _Object(data, path, ("class", "id", "abilities"))
    abilities = thing.texts("abilities", len(ABILITIES))
    if any(each not in ABILITIES for each in abilities):
        raise UTGError(f"{path}.abilities: each is one of {', '.join(ABILITIES)}")
    return Widget(thing.text("class"), thing.text("id"), abilities)


def _read_edge(data: object, path: str) -> Edge:
    keys = ("source", "gesture", "target", "when", "tried", "worked", "origin", "rule", "returned")
    # maps that were written before returns were counted do not have them
    thing = _Object({"returned": 0, **data} if isinstance(data, dict) else data, path, keys)
    tried, worked, returned = thing.count("tried"), thing.count("worked"), thing.count("returned")
    if worked > tried:
        raise UTGError(f"{path}.worked: it cannot have worked more often than it was tried")
    if returned > worked:
        raise UTGError(f"{path}.returned: it cannot have led back more often than it worked")
    return Edge(
        thing.text("source"),
        read_node(thing.any("gesture"), (ir.Atom,), f"{path}.gesture"),
        thing.text("target"),
        tuple(read_node(each, _LITERALS, f"{path}.when[{n}]") for n, each in enumerate(thing.list("when"))),
        tried,
        worked,
        thing.one_of("origin", ORIGINS),
        thing.text("rule"),
        returned,
    )
