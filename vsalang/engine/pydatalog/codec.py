"""Core programs, rows and answers as plain JSON, for the pipe to a worker process: reading it can run no code.

Numbers are exact, texts may hold anything, and True, 1 and ``none`` stay what they are. Where things stand in the
source (spans) and what they are for (docs) is left out: no engine reads that.

>>> decode(encode((1, True, None, dt.date(2026, 4, 1))))
(1, True, None, datetime.date(2026, 4, 1))
"""

import json
from typing import Any, Final

from vsalang.engine.api import Answer, Budget, Commit, EngineError, TimedRow
from vsalang.program import ir, walk
from vsalang.program.codec import Trees

_KINDS: Final = (
    *sorted(walk.KINDS, key=lambda kind: kind.__name__),
    ir.Member,
    ir.Type,
    ir.Attr,
    ir.Relation,
    ir.Quota,
    ir.ModuleInfo,
    ir.Program,
    Answer,
    Budget,
    Commit,
    TimedRow,
)
_LEFT_OUT: Final = frozenset({"span", "head_span", "doc"})
_TREES: Final = Trees(_KINDS, lambda kind, field: field in _LEFT_OUT)


def encode(value: Any) -> Any:
    """What `json` can write.

    Raises:
        EngineError: the value is none of a program, a row or an answer, or one nested too deeply.
    """
    try:
        return _TREES.encode(value)
    except (RecursionError, ValueError) as error:
        raise EngineError(f"this cannot be given to another process: {error}") from error


def decode(data: Any) -> Any:
    """The value that was encoded.

    Raises:
        EngineError: nothing that `encode` makes.
    """
    try:
        return _TREES.decode(data)
    except (ArithmeticError, IndexError, KeyError, TypeError, ValueError) as error:
        raise EngineError(f"what another process told cannot be read: {error}") from error


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
