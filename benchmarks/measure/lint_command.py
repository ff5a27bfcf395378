"""Measures how many mistakes the linter finds, and in how many right programs it finds some."""

import hashlib
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

from vsalang.base.diagnostics import Diagnostic, Severity
from vsalang.base.diagnostics.display import count
from vsalang.base.options import flag, option
from vsalang.base.records import dataclass
from vsalang.base.report import Report, Result
from vsalang.base.source import Source
from vsalang.base.source.opening import read_regular
from vsalang.language.lint import lint
from vsalang.language.semantics import load
from vsalang.tools.cli import frame

SETS: Final = Path(__file__).resolve().parent.parent / "lint"
"""The open sets."""

FOLDERS: Final = ("app_specs", "mistakes", "right")
"""What a set consists of, next to `mistakes.toml`."""


@dataclass(frozen=True, slots=True)
class Finds:
    """What the linter finds in two sets.

    Attributes:
        missed: the mistakes without the finding that they need.
        mistakes: how many mistakes there are.
        alarms: the codes of the findings in right programs, by program; those without are left out.
        right: how many right programs there are, apps included.
    """

    missed: tuple[str, ...]
    mistakes: int
    alarms: dict[str, tuple[str, ...]]
    right: int


def digest(folder: Path) -> str:
    """The SHA-256 of a set: of the names and texts of its programs, and of what must be said of them."""
    files = [path for name in FOLDERS for path in sorted((folder / name).glob("*.vsa"))]
    total = hashlib.sha256()
    for path in [*files, folder / "mistakes.toml"]:
        total.update(path.relative_to(folder).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    return total.hexdigest()


def measured(folder: Path = SETS) -> Finds:
    """What the linter finds in the sets of a folder.

    Raises:
        ValueError: a mistake is described that is not there, or the other way round.
    """
    wanted: dict[str, dict[str, str]] = tomllib.loads(
        read_regular(folder / "mistakes.toml", 1024 * 1024).decode("utf-8")
    )
    files = {path.stem: path for path in sorted((folder / "mistakes").glob("*.vsa"))}
    if wanted.keys() != files.keys():
        raise ValueError(f"mistakes.toml and mistakes differ: {sorted(wanted.keys() ^ files.keys())}")
    missed = tuple(
        name
        for name, entry in wanted.items()
        if not _found(*_looked(files[name]), entry["at"], entry["says"])
    )
    right = [path for name in ("app_specs", "right") for path in sorted((folder / name).glob("*.vsa"))]
    alarms = {path.stem: tuple(each.code for each in _looked(path)[0]) for path in right}
    return Finds(missed, len(files), {name: codes for name, codes in alarms.items() if codes}, len(right))


def _looked(path: Path) -> tuple[list[Diagnostic], Source]:
    """The findings of a program, with what the check says, and its text."""
    loaded = load(str(path))
    findings = [each for each in (*loaded.diagnostics, *lint(loaded)) if each.where == loaded.file]
    return findings, loaded.sources[loaded.file]


def _found(findings: Iterable[Diagnostic], source: Source, at: str, says: str) -> bool:
    """Whether a finding marks a line with the text `at` and speaks of `says`."""
    lines = {number for number, line in enumerate(source.text.splitlines(), 1) if at in line}
    for each in findings:
        spans = [each.span, *(label.span for label in each.labels)]
        marked = {source.position(span.start).line for span in spans if span is not None}
        texts = (each.message, each.label, each.help, *(label.text for label in each.labels))
        if each.severity is not Severity.INFO and marked & lines and says.lower() in "\n".join(texts).lower():
            return True
    return False


@dataclass(frozen=True, slots=True)
class LintOptions:
    """Which sets are measured."""

    closed: Path | None = option(
        "--closed", metavar="FOLDER", help="Another folder with such sets: totals alone are printed."
    )
    second: bool = flag("--second", help="The second set, by somebody else, and open by now.")


@frame.as_command("text", "json")
def command(options: LintOptions) -> Report:
    """Say how many mistakes of the sets `vsac lint` finds, and in how many right programs it finds something."""
    finds = measured(options.closed or (SETS / "second" if options.second else SETS))
    told = options.closed is None

    def data() -> dict[str, Any]:
        names = {"missed": list(finds.missed), "alarms": {k: list(v) for k, v in finds.alarms.items()}}
        totals = {
            "mistakes": finds.mistakes,
            "found": finds.mistakes - len(finds.missed),
            "right": finds.right,
            "alarmed": len(finds.alarms),
        }
        return {"version": 1, **totals, **(names if told else {})}

    def lines() -> list[str]:
        found = finds.mistakes - len(finds.missed)
        text = [
            f"found {found} of {count(finds.mistakes, 'mistake')} ({found / finds.mistakes:.0%})",
            f"false alarms in {len(finds.alarms)} of {count(finds.right, 'right program')} "
            f"({len(finds.alarms) / finds.right:.0%})",
        ]
        if told:
            text += [f"  missed: {name}" for name in finds.missed]
            text += [f"  false alarm: {name}: {', '.join(codes)}" for name, codes in finds.alarms.items()]
        return text

    return Result(data, lambda _style: lines())
