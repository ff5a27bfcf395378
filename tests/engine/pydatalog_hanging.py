"""A worker whose answers run plain pyDatalog on a program that never answers; for the tests of its end.

The rule asked for says how: ``hang`` never answers, ``die`` is killed, ``eat`` takes all memory, ``raise`` raises.
"""

import os
import signal
from typing import Any

from vsalang.engine.api import Answer
from vsalang.engine.pydatalog import serve as pydatalog_serve
from vsalang.engine.pydatalog.backend import PyDatalogEvaluator


def hang() -> None:
    """Ask plain pyDatalog what is reachable in a cycle, by a right-recursive rule."""
    from pyDatalog import pyDatalog

    pyDatalog.load("""
        + edge(1, 2)
        + edge(2, 3)
        + edge(3, 1)
        path(X, Y) <= edge(X, Y)
        path(X, Y) <= edge(X, Z) & path(Z, Y)
    """)
    pyDatalog.ask("path(1, Y)")


def answers(self: Any, rule: str) -> frozenset[Answer]:
    if rule == "hang":
        hang()
    elif rule == "die":
        os.kill(os.getpid(), signal.SIGKILL)
    elif rule == "eat":
        kept = []
        while True:
            kept.append(bytearray(1 << 24))
    elif rule == "raise":
        raise ZeroDivisionError("a fault of the engine")
    return native(self, rule)


native = PyDatalogEvaluator.answers
PyDatalogEvaluator.answers = answers  # type: ignore[method-assign]

if __name__ == "__main__":
    pydatalog_serve.main()
