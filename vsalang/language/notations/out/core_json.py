"""Writes the core program as a JSON document, and reads it back: ``from_json(to_json(program)) == program``.

Every node is an object with ``node`` (its class in `vsalang.program.ir`) and its fields; a field that has its default
value is left out. Values say their type: ``{"text": "R"}``, ``{"number": "0.1"}``, ``{"date": "2026-04-01"}``.
`docs/reference/core.schema.json` is the schema.
"""

import dataclasses
import json
from collections.abc import Mapping
from functools import cache
from typing import Any, Final

from vsalang.base.source import Span
from vsalang.program import ir, walk
from vsalang.program.codec import NoSuchKind, read, value_document
from vsalang.program.meaning import FIRST, SEMANTICS
from vsalang.program.values import Value

VERSION: Final = 1
"""The version of the format; it rises if a reader of the older one would misread the newer one."""

FORMAT: Final = "vsa-core"

NODES: Final[Mapping[str, type]] = {
    kind.__name__: kind
    for kind in sorted(
        (*walk.KINDS, ir.Attr, ir.Member, ir.ModuleInfo, ir.Quota, ir.Refinement, ir.Relation, ir.Type),
        key=lambda kind: kind.__name__,
    )
}
"""The classes of nodes by name."""


class NotCore(Exception):
    """A document that is not a core program; `path` is the place in it, such as ``rules[3].body[0]``."""

    def __init__(self, path: str, message: str) -> None:
        super().__init__(f"{path or 'the document'}: {message}")
        self.path = path


# ---- writing ---------------------------------------------------------------------------------------


def to_json(program: ir.Program) -> str:
    """The document of a program, indented, with a line break at its end."""
    return json.dumps(to_data(program), indent=2, ensure_ascii=False) + "\n"


def to_data(program: ir.Program) -> dict[str, object]:
    """The document of a program as JSON data."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "semantics": SEMANTICS,
        "main": program.main,
        "digest": program.digest,
        "modules": [write_node(module) for module in program.modules.values()],
        "relations": [write_node(relation) for relation in program.relations.values()],
        "rules": [write_node(rule) for rule in program.rules],
        **({"lowered": [write_node(rule) for rule in program.lowered]} if program.lowered else {}),
    }


def write_node(item: object) -> object:
    """A node, or what is in one, as JSON data."""
    if item is None or isinstance(item, bool):
        return item
    if isinstance(item, str):
        return item
    if isinstance(item, int):
        return item
    if isinstance(item, Span):
        return {"file": item.file, "start": item.start, "end": item.end}
    if isinstance(item, tuple):
        return [write_node(each) for each in item]
    if isinstance(item, Mapping):  # annotations
        return {name: [value_document(each) for each in values] for name, values in item.items()}
    if isinstance(item, ir.Const):
        return {"node": "Const", "value": value_document(item.value), "type": write_node(item.type)}
    kind: type = type(item)
    data: dict[str, object] = {"node": kind.__name__}
    for name, default in _defaults(kind):
        value = getattr(item, name)
        if value != default or type(value) is not type(default):
            data[name] = write_node(value)
    return data


@cache
def _defaults(kind: type) -> tuple[tuple[str, object], ...]:
    """The fields of a kind of node, each with its default."""
    return tuple((field.name, default(field)) for field in dataclasses.fields(kind))


def default(field: dataclasses.Field[Any]) -> object:
    """The default of a field of a node; `dataclasses.MISSING` if it has none."""
    if field.default is not dataclasses.MISSING:
        return field.default
    if field.default_factory is not dataclasses.MISSING:
        return field.default_factory()
    return dataclasses.MISSING


# ---- reading ---------------------------------------------------------------------------------------


def from_json(text: str) -> ir.Program:
    """The program of a document.

    The result has the right form, but nothing shows that it was checked: never guard with a program from someone
    else.

    Raises:
        NotCore: not JSON, another format or version, or a field that does not fit.
    """
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as problem:
        raise NotCore("", f"not JSON: {problem}") from problem
    return from_data(data)


def from_data(data: object) -> ir.Program:
    """Like `from_json`, for JSON data."""
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise NotCore("", f'expected an object with "format": "{FORMAT}"')
    if data.get("version") != VERSION or isinstance(data["version"], bool):
        raise NotCore("version", f"this reader knows version {VERSION} only")
    semantics = data.get("semantics", FIRST)
    if not isinstance(semantics, int) or isinstance(semantics, bool) or not FIRST <= semantics <= SEMANTICS:
        raise NotCore(
            "semantics", f"this reader knows the versions {FIRST} to {SEMANTICS} of what programs mean"
        )
    unknown = set(data) - {
        "format",
        "version",
        "semantics",
        "main",
        "digest",
        "modules",
        "relations",
        "rules",
        "lowered",
    }
    if unknown:
        raise NotCore(min(unknown), "unknown key")
    try:
        modules = _nodes(data.get("modules"), ir.ModuleInfo, "modules")
        relations = _nodes(data.get("relations"), ir.Relation, "relations")
        rules = _nodes(data.get("rules"), ir.Rule, "rules")
        lowered = _nodes(data.get("lowered", []), ir.Rule, "lowered")
    except RecursionError as problem:
        raise NotCore("", "nested too deeply") from problem
    main, digest = _string(data.get("main"), "main"), _string(data.get("digest"), "digest")
    return ir.Program(
        main,
        {each.name: each for each in modules},
        {each.name: each for each in relations},
        tuple(rules),
        digest,
        tuple(lowered),
    )


def _nodes(data: object, kind: type, path: str) -> list[Any]:
    if not isinstance(data, list):
        raise NotCore(path, "expected a list")
    return [read_node(each, (kind,), f"{path}[{index}]") for index, each in enumerate(data)]


def read_node(data: object, allowed: tuple[type, ...], path: str) -> Any:
    """The node of JSON data.

    Raises:
        NotCore: it is none of the allowed kinds, or a field does not fit; `path` is where the data is.
    """
    if not isinstance(data, dict):
        raise NotCore(path, "expected an object")
    name = data.get("node")
    kind = NODES.get(name) if isinstance(name, str) else None
    if kind is None or kind not in allowed:
        expected = " or ".join(sorted(each.__name__ for each in allowed))
        raise NotCore(f"{path}.node", f"expected {expected}")
    fields = {}
    readers = _fields(kind)
    for key, value in data.items():
        if key == "node":
            continue
        if key not in readers:
            raise NotCore(f"{path}.{key}", "unknown key")
        fields[key] = _read(value, readers[key], f"{path}.{key}")
    required = {name for name, value in _defaults(kind) if value is dataclasses.MISSING} - set(fields)
    if required:
        raise NotCore(path, f"`{min(required)}` is missing")
    return kind(**fields)


@cache
def _fields(kind: type) -> dict[str, Any]:
    import typing

    return typing.get_type_hints(kind, vars(ir))


def _read(data: object, hint: Any, path: str) -> Any:
    """Data as a value of a field's declared type."""
    import types
    import typing

    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if hint == Value or hint is Value:
        return _read_value(data, path)
    if origin in (typing.Union, types.UnionType):
        return _read_union(data, args, path)
    if origin is typing.Literal:
        if data not in args:
            raise NotCore(path, f"expected one of {', '.join(map(str, args))}")
        return data
    if origin is tuple:
        if not isinstance(data, list):
            raise NotCore(path, "expected a list")
        hints = (args[0],) * len(data) if args[-1] is ... else args
        if len(data) != len(hints):
            raise NotCore(path, f"expected a list of {len(hints)}")
        return tuple(
            _read(each, kind, f"{path}[{index}]")
            for index, (each, kind) in enumerate(zip(data, hints, strict=True))
        )
    if origin is not None:  # the only mappings are annotations
        if not isinstance(data, dict):
            raise NotCore(path, "expected an object")
        return {name: _read(each, args[1], f"{path}.{name}") for name, each in data.items()}
    if hint is Span:
        return _span(data, path)
    if hint is str:
        return _string(data, path)
    if hint in (bool, int):
        if type(data) is not hint:
            raise NotCore(path, "expected true or false" if hint is bool else "expected a whole number")
        return data
    return read_node(data, (hint,), path)


def _read_union(data: object, args: tuple[Any, ...], path: str) -> Any:
    if data is None and type(None) in args:
        return None
    if isinstance(data, str) and str in args:
        return data
    rest = tuple(each for each in args if each not in (str, type(None)))
    if len(rest) == 1:
        return _read(data, rest[0], path)
    return read_node(data, rest, path)


def _span(data: object, path: str) -> Span:
    if not isinstance(data, dict) or set(data) != {"file", "start", "end"}:
        raise NotCore(path, "expected an object with file, start and end")
    numbers = [data["start"], data["end"]]
    if any(type(each) is not int for each in numbers):
        raise NotCore(path, "start and end are whole numbers")
    return Span(_string(data["file"], path), *numbers)


def _string(data: object, path: str) -> str:
    if not isinstance(data, str):
        raise NotCore(path, "expected a text")
    return data


def _read_value(data: object, path: str) -> Value:
    if not isinstance(data, dict) or len(data) != 1:
        raise NotCore(path, 'expected a value such as {"text": "R"}')
    (kind,) = data
    try:
        return read(data)
    except NoSuchKind as problem:
        raise NotCore(path, str(problem)) from problem
    except (ValueError, ArithmeticError) as problem:
        raise NotCore(path, f"not a {kind}: {problem}") from problem
