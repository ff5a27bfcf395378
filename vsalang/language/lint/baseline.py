"""Baselines: findings of the linter that a project knows of and does not want to see until they are changed.

A baseline holds fingerprints, which stay when lines move (`vsalang.base.diagnostics.places`). It hides findings of the
linter alone: no error, and nothing of what is in force.
"""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from vsalang.base.diagnostics import Diagnostic
from vsalang.base.diagnostics.places import fingerprints, seen_from
from vsalang.base.records import dataclass
from vsalang.base.source import Source
from vsalang.base.source.files import real_path
from vsalang.base.source.opening import read_regular, why_unread

VERSION: Final = 1
_MOST: Final = 16 * 1024 * 1024


class BaselineError(Exception):
    """A baseline cannot be read; the message names the file."""


@dataclass(frozen=True, slots=True)
class Remaining:
    """Findings after a baseline.

    Attributes:
        findings: those that it does not hold.
        known: how many it holds.
        gone: how many of its own are not there any more.
    """

    findings: tuple[Diagnostic, ...]
    known: int
    gone: int


def read_baseline(file: Path) -> frozenset[str]:
    """The fingerprints of a baseline.

    Raises:
        BaselineError: it cannot be read, or is not a baseline.
    """
    try:
        data = json.loads(read_regular(file, _MOST).decode("utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise BaselineError(f"cannot read {file}: {why_unread(error)}") from error
    except ValueError as error:
        raise BaselineError(f"{file} is not JSON: {error}") from error
    entries = data.get("findings") if isinstance(data, dict) and data.get("version") == VERSION else None
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise BaselineError(
            f"{file} is not a baseline: `vsac lint --baseline FILE --write-baseline` writes one"
        )
    return frozenset(str(entry.get("fingerprint", "")) for entry in entries)


def baseline_text(findings: Iterable[Diagnostic], sources: Mapping[str, Source], file: Path) -> str:
    """The text of a baseline with these findings, for this file."""
    entries: list[dict[str, Any]] = [
        {"fingerprint": mark, "code": item.code, "file": item.where, "message": item.message}
        for item, mark in _marked(findings, sources, file)
    ]
    return json.dumps({"version": VERSION, "findings": entries}, indent=2) + "\n"


def without_known(
    findings: Iterable[Diagnostic], sources: Mapping[str, Source], file: Path, known: frozenset[str]
) -> Remaining:
    """The findings that are not in a baseline.

    Args:
        file: the baseline, from whose folder files are named.
        known: its fingerprints.
    """
    items = list(findings)
    marks = [mark for _, mark in _marked(items, sources, file)]
    left = tuple(item for item, mark in zip(items, marks, strict=True) if mark not in known)
    return Remaining(left, len(items) - len(left), len(known - set(marks)))


def _marked(
    findings: Iterable[Diagnostic], sources: Mapping[str, Source], file: Path
) -> Iterable[tuple[Diagnostic, str]]:
    return fingerprints(*seen_from(findings, sources, real_path(file).parent))
