"""The workloads: `.vsa` sources (written, or made by a seeded generator) and seeded streams of events."""

import datetime as dt
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from vsalang.language.semantics import load, load_text
from vsalang.program.ir import Program

HERE = Path(__file__).resolve().parent
TODAY = dt.date(2026, 4, 1)
NOON = dt.datetime(2026, 4, 1, 12)


@dataclass(frozen=True)
class Work:
    """One workload, ready to run.

    Attributes:
        name: w1 to w6.
        program: the checked program.
        relations: the derived relations that are asked after each event (short names, in order).
        events: what happens, one after another.
        spec: what generators know next to the source (w2's clauses, the first rows of w3 and w4).
    """

    name: str
    program: Program
    relations: tuple[str, ...]
    events: list[Any]
    spec: Any = None
    extra: dict[str, Any] = field(default_factory=dict)

    @property
    def module(self) -> str:
        return self.program.main


def checked(name: str, text: str | None = None) -> Program:
    """The program of a source next to this file, or of a generated text.

    Raises:
        SystemExit: it has errors (never, unless the language changed).
    """
    path = HERE / f"{name}.vsa"
    loaded = load(path) if text is None else load_text(text, file=path.name)
    if loaded.program is None:
        raise SystemExit("\n".join(f"{path}: {item.message}" for item in loaded.diagnostics))
    return loaded.program


def heads(names: Iterable[str]) -> frozenset[str]:
    """What an engine answered where the question is which heads hold."""
    return frozenset(names)


def by_name(name: str, count: int | None = None) -> Work:
    """The workload of that name (w1 to w6, w5_data, w6_10k); `count` events instead of its own number.

    Raises:
        KeyError: there is none.
    """
    import importlib

    module = importlib.import_module(f"benchmarks.workloads.{name.partition('_')[0]}")
    make = {"w5_data": "data", "w6_10k": "many"}.get(name, "work")
    make = getattr(module, make)
    return make() if count is None else make(count)  # type: ignore[no-any-return]
