"""The file with the result of each spec that was asked for."""

from dataclasses import asdict, fields
from pathlib import Path
from typing import Any, Final

from benchmarks.measure.encode.encoding import EncodingResult
from vsalang.base.source.results import Form, Results

_TEXTS: Final = ("key", "case", "text", "model")
_LISTS: Final = ("doubts", "problems")
_NUMBERS: Final = ("number", "sample", "rounds", "calls", "input", "output", "waited", "worked", "stale")


def open_results(place: Path, *, restart: bool = False) -> Results[EncodingResult]:
    """The results of an evaluation in a file, which is made if it is not there; see `Results`.

    Raises:
        ResultsError: it cannot be used.
    """
    return Results(place, _FORM, restart=restart)


def _encode(key: str, encoded: EncodingResult) -> dict[str, Any]:
    return {**asdict(encoded), "key": key}


def _decode(data: Any) -> EncodingResult:
    if not isinstance(data, dict):
        raise ValueError("no object")
    odd = sorted({field.name for field in fields(EncodingResult)} ^ set(data))
    odd += [name for name in _TEXTS if not isinstance(data.get(name), str)]
    odd += [name for name in _NUMBERS if not isinstance(data.get(name), int | float)]
    odd += [name for name in _LISTS if not isinstance(data.get(name), list)]
    odd += ["cost"] * (not isinstance(data.get("cost"), float | int | None))
    if odd or data["number"] not in (1, 2):
        raise ValueError(f"its {(odd or ['number'])[0]} is wrong")
    return EncodingResult(**{**data, "doubts": tuple(data["doubts"]), "problems": tuple(data["problems"])})


_FORM: Final = Form("an evaluation", b'{"key": "', _encode, _decode, checked=True)
