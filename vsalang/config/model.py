"""The values of a project's configuration. What it does not say is None or empty: whoever uses it has the default."""

import datetime as dt
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Literal

from vsalang.diagnostics import Diagnostic, Severity
from vsalang.names import EngineName, FileMode, Language


@dataclass(frozen=True, slots=True)
class Lint:
    """What the linter looks for.

    Attributes:
        select: the codes to look for; None: all.
        ignore: codes that are left out.
        levels: code -> how much its findings weigh here; None: they are left out.
    """

    select: frozenset[str] | None = None
    ignore: frozenset[str] = frozenset()
    levels: Mapping[str, Severity | None] = field(default_factory=lambda: MappingProxyType({}))

    def weighed(self, findings: Iterable[Diagnostic]) -> Iterator[Diagnostic]:
        """The findings with the weights that the project gives them; those it gives none are left out."""
        for finding in findings:
            level = self.levels.get(finding.code, finding.severity)
            if level is not None:
                yield replace(finding, severity=level)


@dataclass(frozen=True, slots=True)
class Similarity:
    """Who answers ``~=``.

    Attributes:
        backend: one of `vsalang.config.read.BACKENDS`.
        threshold: from which score, of 0 to 1, texts are similar; backends that only say yes or no do not ask for it.
    """

    backend: str | None = None
    threshold: float | None = None


@dataclass(frozen=True, slots=True)
class Guard:
    """What the owner sets for the guard; the meanings are those of `vsalang.guard.Settings`."""

    overrides: int | None = None
    verdict_life: dt.timedelta | None = None
    unknown_screen: Literal["warn", "confirm", "block"] | None = None
    mode: FileMode | None = None
    ask_timeout: dt.timedelta | None = None
    look_age: dt.timedelta | None = None


@dataclass(frozen=True, slots=True)
class Budget:
    """Bounds on the engine; the meanings are those of `vsalang.engine.api.Budget`."""

    rows: int | None = None
    bindings: int | None = None
    steps: int | None = None
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class Device:
    """What is asked of a device.

    Attributes:
        trace: what of the system is told as facts, of `vsalang.device.uiautomator.KINDS`.
        trace_folders: whose files are traced, as paths on the device; empty: the default.
    """

    trace: tuple[str, ...] = ()
    trace_folders: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Config:
    """A project's configuration.

    Attributes:
        file: where it stands; None if there is none.
        search: folders in which imports are looked for, absolute.
        policies: policy files that are in force when a spec is run or verified, absolute.
        exclude: which files and folders are left out where a folder is searched; see `vsalang.config.find_files`.
        engine: which evaluator decides (`vsalang.names.ENGINES`).
        language: in which language the guard says its reasons (`vsalang.names.LANGUAGES`).
        files: all files that it was read from, each with the SHA-256 of its text.
    """

    file: Path | None = None
    search: tuple[Path, ...] = ()
    policies: tuple[Path, ...] = ()
    exclude: tuple[str, ...] = ()
    engine: EngineName | None = None
    language: Language | None = None
    lint: Lint = field(default_factory=Lint)
    similarity: Similarity = field(default_factory=Similarity)
    guard: Guard = field(default_factory=Guard)
    budget: Budget = field(default_factory=Budget)
    device: Device = field(default_factory=Device)
    files: tuple[tuple[Path, str], ...] = ()
