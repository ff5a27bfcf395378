"""The rows of the table of measures, and how they are printed."""

import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

DATA = Path(__file__).resolve().parents[3] / "shared" / "data"
NOT_APPS = ("droidbotexp_output", "org.totschnig.myexpenses")


class Missing(Exception):
    """What a measure needs is not there; the message says what."""


@dataclass(frozen=True)
class Row:
    """One measure.

    Attributes:
        measure: its number, P1 to P8.
        asked: what is measured.
        wanted: the goal; empty: there is none, the row explains another one.
        measured: what came out.
        reached: whether the goal is; None: there is none, or it was not measured.
    """

    measure: str
    asked: str
    wanted: str
    measured: str
    reached: bool | None = None

    def data(self) -> dict[str, Any]:
        return asdict(self)


def tell(text: str) -> None:
    """Say how far it is, where nobody reads the table."""
    print(text, file=sys.stderr, flush=True)


def table(rows: Sequence[Row]) -> str:
    said = {True: "yes", False: "no", None: ""}
    lines = ["| | asked | wanted | measured | reached |", "|---|---|---|---|---|"]
    lines += [f"| {r.measure} | {r.asked} | {r.wanted} | {r.measured} | {said[r.reached]} |" for r in rows]
    return "\n".join(lines)


def share(part: int, whole: int) -> str:
    return f"{part} of {whole} ({100 * part / whole:.1f} %)" if whole else "none"
