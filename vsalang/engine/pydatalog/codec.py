"""Core programs, rows and answers as plain JSON, for the pipe to a worker process: reading it can run no code.

Numbers are exact, texts may hold anything, and True, 1 and ``none`` stay what they are. Where things stand in the
source (spans) and what they are for (docs) is left out: no engine reads that.

>>> decode(encode((1, True, None, dt.date(2026, 4, 1))))
(1, True, None, datetime.date(2026, 4, 1))
"""

import dataclasses
import datetime as dt
import json
import math
from collections.abc import Mapping
from decimal import Decimal
from typing import Any, Final

from vsalang.core import ir
from vsalang.core.values import NONE
from vsalang.engine.api import Answer, Budget, Commit, EngineError, Stamped

_CLASSES: Final[Mapping[str, type]] = {
    kind.__name__: kind
    for kind in (
        ir.Member,
        ir.Type,
        ir.Attr,
        ir.Relation,
        ir.Var,
        ir.Const,
        ir.Fn,
        ir.Choice,
        ir.Regex,
        ir.Constraint,
        ir.Atom,
        ir.Past,
        ir.Lit,
        ir.Compare,
        ir.Aggregate,
        ir.Every,
        ir.First,
        ir.Then,
        ir.Spent,
        ir.Derive,
        ir.Recognize,
        ir.Mark,
        ir.Write,
        ir.Goto,
        ir.Quota,
        ir.License,
        ir.Judge,
        ir.Expect,
        ir.Rule,
        ir.ModuleInfo,
        ir.Program,
        Answer,
        Budget,
        Commit,
        Stamped,
    )
}
_LEFT_OUT: Final = frozenset({"span", "head_span", "doc"})
_MICROSECOND: Final = dt.timedelta(microseconds=1)


def encode(value: Any) -> Any:
    """What `json` can write: a list for a tuple, an object with the key ``$`` for what JSON has no word for.

    Raises:
        EngineError: the value is none of a program, a row or an answer.
    """
    if value is None or isinstance(value, bool | str | int):
        return value
    if isinstance(value, float) and math.isfinite(value):  # bounds of time; no value of the language
        return value
    if isinstance(value, tuple | list):
        return [encode(item) for item in value]
    if isinstance(value, Decimal):
        return {"$": "number", "v": str(value)}
    if isinstance(value, dt.datetime):
        return {"$": "moment", "v": value.isoformat()}
    if isinstance(value, dt.date):
        return {"$": "date", "v": value.isoformat()}
    if isinstance(value, dt.time):
        return {"$": "time", "v": value.isoformat()}
    if isinstance(value, dt.timedelta):
        return {"$": "span", "v": value // _MICROSECOND}
    if isinstance(value, frozenset):
        return {"$": "set", "v": [encode(item) for item in sorted(value, key=repr)]}
    if value is NONE:
        return {"$": "none"}
    if isinstance(value, Mapping):
        return {"$": "map", "v": [[encode(key), encode(item)] for key, item in value.items()]}
    name = type(value).__name__
    if _CLASSES.get(name) is not type(value):
        raise EngineError(f"a {name} cannot be given to another process")
    found: dict[str, Any] = {"$": name}
    for item in dataclasses.fields(_CLASSES[name]):
        if item.name not in _LEFT_OUT:
            found[item.name] = encode(getattr(value, item.name))
    return found


def decode(data: Any) -> Any:
    """The value that was encoded.

    Raises:
        EngineError: nothing that `encode` makes.
    """
    if data is None or isinstance(data, bool | str | int | float):
        return data
    if isinstance(data, list):
        return tuple([decode(item) for item in data])
    if not isinstance(data, dict):
        raise EngineError(f"a {type(data).__name__} is nothing that one process tells another")
    try:
        return _decode(data)
    except (ArithmeticError, KeyError, TypeError, ValueError) as error:
        raise EngineError(f"what another process told cannot be read: {error}") from error


def _decode(data: dict[str, Any]) -> Any:
    kind = data["$"]
    if kind == "number":
        return Decimal(data["v"])
    if kind == "moment":
        return dt.datetime.fromisoformat(data["v"])
    if kind == "date":
        return dt.date.fromisoformat(data["v"])
    if kind == "time":
        return dt.time.fromisoformat(data["v"])
    if kind == "span":
        return data["v"] * _MICROSECOND
    if kind == "set":
        return frozenset(decode(data["v"]))
    if kind == "none":
        return NONE
    if kind == "map":
        return {decode(key): decode(item) for key, item in data["v"]}
    return _CLASSES[kind](**{name: decode(item) for name, item in data.items() if name != "$"})


def dumps(value: Any) -> bytes:
    """A value as one line of ASCII.

    Raises:
        EngineError: no value of a program, a row or an answer, or one nested too deeply.
    """
    try:
        return json.dumps(encode(value), ensure_ascii=True, separators=(",", ":")).encode("ascii")
    except (RecursionError, ValueError) as error:
        raise EngineError(f"this cannot be given to another process: {error}") from error


def loads(data: bytes) -> Any:
    """The value of a line.

    Raises:
        EngineError: nothing that `dumps` writes.
    """
    try:
        return decode(json.loads(data))
    except (RecursionError, ValueError) as error:
        raise EngineError(f"what another process told cannot be read: {error}") from error
