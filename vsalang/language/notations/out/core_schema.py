"""Makes the JSON Schema of the core program's document from its classes: `docs/reference/core.schema.json`."""

import dataclasses
import types
import typing
from typing import Any, Final

from vsalang.base.source import Span
from vsalang.language.notations.out.core_json import FORMAT, NODES, VERSION, default
from vsalang.program.values import Value

_STRING: Final = {"type": "string"}
_SPAN: Final = {
    "type": "object",
    "description": "A place: offsets in code points, the end exclusive.",
    "properties": {"file": _STRING, "start": {"type": "integer"}, "end": {"type": "integer"}},
    "required": ["file", "start", "end"],
    "additionalProperties": False,
}
_VALUES: Final = {
    "text": (_STRING, "A text, or a member of an enum."),
    "bool": ({"type": "boolean"}, "A Bool."),
    "number": ({"type": "string", "pattern": "^-?[0-9]+(\\.[0-9]+)?$"}, "An exact decimal number."),
    "date": ({"type": "string", "format": "date"}, "A day."),
    "time": ({"type": "string", "pattern": "^[0-9]{2}:[0-9]{2}:[0-9]{2}$"}, "A time of day."),
    "seconds": ({"type": "integer"}, "A duration in seconds."),
    "microseconds": ({"type": "integer"}, "A duration that is not in whole seconds."),
    "set": ({"type": "array", "items": _STRING, "uniqueItems": True}, "A set of texts or members, sorted."),
    "none": ({"const": True}, "Seen, and absent."),
}


def schema() -> dict[str, Any]:
    """The schema, draft 2020-12."""
    definitions: dict[str, Any] = {"Span": _SPAN, "Value": _value()}
    for name, kind in NODES.items():
        definitions[name] = _node(name, kind)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "The core program of a .vsa file",
        "description": "What `vsac export --to json` writes. A field that has its default value is left out.",
        "type": "object",
        "properties": {
            "format": {"const": FORMAT},
            "version": {"const": VERSION},
            "semantics": {
                "type": "integer",
                "minimum": 1,
                "description": "The version of what programs mean; 1 if it is left out.",
            },
            "main": {**_STRING, "description": "The module that was exported."},
            "digest": {**_STRING, "description": "Changes when anything in the program's sources changes."},
            "modules": _list(_ref("ModuleInfo")),
            "relations": _list(_ref("Relation")),
            "rules": _list(_ref("Rule")),
            "lowered": _list(_ref("Rule")),
        },
        "required": ["format", "version", "main", "digest", "modules", "relations", "rules"],
        "additionalProperties": False,
        "$defs": definitions,
    }


def _node(name: str, kind: type) -> dict[str, Any]:
    hints = typing.get_type_hints(kind)
    properties: dict[str, Any] = {"node": {"const": name}}
    required = ["node"]
    for field in dataclasses.fields(kind):
        properties[field.name] = _type(hints[field.name])
        if default(field) is dataclasses.MISSING:
            required.append(field.name)
    return {
        "type": "object",
        "description": (kind.__doc__ or "").strip().splitlines()[0].replace("``", "`"),
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }


def _value() -> dict[str, Any]:
    return {
        "description": "A value of the language, under its kind.",
        "oneOf": [
            {
                "type": "object",
                "description": doc,
                "properties": {kind: content},
                "required": [kind],
                "additionalProperties": False,
            }
            for kind, (content, doc) in _VALUES.items()
        ],
    }


def _type(hint: Any) -> dict[str, Any]:
    """The schema of a field's declared type."""
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if hint == Value:
        return _ref("Value")
    if origin in (typing.Union, types.UnionType):
        return {"anyOf": [_type(each) for each in args]}
    if origin is typing.Literal:
        return {"enum": list(args)}
    if origin is tuple and args[-1] is not ...:  # one of each
        return {
            "type": "array",
            "prefixItems": [_type(each) for each in args],
            "minItems": len(args),
            "maxItems": len(args),
        }
    if origin is tuple:
        return _list(_type(args[0]))
    if origin is not None:  # annotations: a name to its arguments
        return {"type": "object", "additionalProperties": _type(args[1])}
    if hint is type(None):
        return {"type": "null"}
    simple = {str: "string", bool: "boolean", int: "integer"}.get(hint)
    return {"type": simple} if simple else _ref("Span" if hint is Span else hint.__name__)


def _ref(name: str) -> dict[str, str]:
    return {"$ref": f"#/$defs/{name}"}


def _list(items: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": items}
