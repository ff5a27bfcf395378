"""The data of a project's configuration. A missing setting is None or empty: its user has the default."""

import datetime as dt
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field, replace
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Literal

from vsalang.base.diagnostics import Diagnostic, Severity
from vsalang.base.names import EngineName, FileMode, Language
from vsalang.base.records import dataclass


@cache
def pattern(text: str) -> re.Pattern[str]:
    """A pattern of `exclude` as a regular expression: it matches a file or folder and everything below it."""
    parts = [part for part in text.split("/") if part not in ("", ".")]
    pieces = [
        "(?:[^/]+/)*"
        if part == "**"
        else re.escape(part).replace(r"\*", "[^/]*").replace(r"\?", "[^/]") + "/"
        for part in parts
    ]
    if parts and parts[-1] == "**":
        return re.compile("".join(pieces[:-1]) + ".+", re.DOTALL)
    return re.compile("".join(pieces).removesuffix("/") + "(?:/.*)?", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Lint:
    """The settings of the linter.

    Attributes:
        select: the codes to look for; None: all.
        ignore: codes that are left out.
        levels: code -> the severity of its findings here; None: they are left out.
        files: patterns of files and folders, as of `exclude`, each with the codes that are left out there.
        baseline: a file with the findings that are known.
        trusted: the folders whose own rules run; only the user's own configuration names some.
    """

    select: frozenset[str] | None = None
    ignore: frozenset[str] = frozenset()
    levels: Mapping[str, Severity | None] = field(default_factory=lambda: MappingProxyType({}))
    files: tuple[tuple[str, frozenset[str]], ...] = ()
    baseline: Path | None = None
    trusted: tuple[Path, ...] = ()

    def within(self, place: str) -> "Lint":
        """The settings for one file.

        Args:
            place: its path, seen from the folder of the configuration, with slashes.
        """
        more = [codes for text, codes in self.files if pattern(text).fullmatch(place)]
        return replace(self, ignore=self.ignore.union(*more)) if more else self

    def weighed(self, findings: Iterable[Diagnostic]) -> Iterator[Diagnostic]:
        """The findings with the severities of this project; those with none are left out."""
        for finding in findings:
            level = self.levels.get(finding.code, finding.severity)
            if level is not None:
                yield replace(finding, severity=level)


@dataclass(frozen=True, slots=True)
class Similarity:
    """The settings of ``~=``.

    Attributes:
        backend: one of `vsalang.base.config.read.BACKENDS`.
        spelling: how many letters of one word may differ, 0 or 1.
        threshold: of ``embeddings``: the score, from 0 to 1, from which texts are similar.
        endpoint: of ``embeddings``: the address of the server; None: that of OpenAI, or
            OPENAI_BASE_URL; ``local``: this machine computes them.
        model: of ``embeddings``: the name of the model there.
        timeout: of ``embeddings``: the longest that one request may take, in seconds.
    """

    backend: str | None = None
    spelling: int | None = None
    threshold: float | None = None
    endpoint: str | None = None
    model: str | None = None
    timeout: float | None = None


@dataclass(frozen=True, slots=True)
class Guard:
    """The settings of the guard; see `vsalang.guard.Settings`. `contracts`: whether `std.contracts` is in force."""

    overrides: int | None = None
    verdict_life: dt.timedelta | None = None
    unknown_screen: Literal["warn", "confirm", "block"] | None = None
    unknown_touch: Literal["warn", "confirm", "block"] | None = None
    mode: FileMode | None = None
    ask_timeout: dt.timedelta | None = None
    look_age: dt.timedelta | None = None
    contracts: bool | None = None


@dataclass(frozen=True, slots=True)
class Budget:
    """Bounds on the engine; see `vsalang.engine.api.Budget`."""

    rows: int | None = None
    bindings: int | None = None
    steps: int | None = None
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class Device:
    """The settings of a device.

    Attributes:
        trace: which events of the system become facts, of `vsalang.phone.uiautomator.KINDS`.
        trace_folders: the folders whose files are traced, as paths on the device; empty: the default.
    """

    trace: tuple[str, ...] = ()
    trace_folders: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Trace:
    """Which trace of the device's system is read.

    Attributes:
        kinds: as `Device.trace`; both add up.
        folders: as `Device.trace_folders`; both add up.
        ignore: globs of files whose changes are not reported; only the user's own configuration says it.
        budget: how long the trace of one look may take, in seconds; None: the default.
        hash_below: larger files, in bytes, are not hashed; None: the default.
    """

    kinds: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    budget: float | None = None
    hash_below: int | None = None


@dataclass(frozen=True, slots=True)
class Encode:
    """The settings of ``vsac encode``.

    Attributes:
        prices: a file of what tokens cost, absolute.
        memory: the file of the user's memory; only the user's own configuration says it.
    """

    prices: Path | None = None
    memory: Path | None = None


@dataclass(frozen=True, slots=True)
class Secrets:
    """The settings of `std.secrets`.

    Attributes:
        lexicon: files of words and phrases that count as secrets, absolute.
        redact: the kinds that are replaced in what is written and printed; None: the file does not say.
    """

    lexicon: tuple[Path, ...] = ()
    redact: frozenset[str] | None = None


@dataclass(frozen=True, slots=True)
class Config:
    """A project's configuration.

    Attributes:
        file: its path; None if there is none.
        search: folders in which imports are looked for, absolute.
        policies: policy files that are in force when a spec is run or verified, absolute.
        owners: those of them that the user's own configuration names: only these may lower a level.
        exclude: which files and folders are left out when a folder is searched; see `vsalang.base.config.find_files`.
        engine: which evaluator decides (`vsalang.base.names.ENGINES`).
        language: the language of the guard's reasons (`vsalang.base.names.LANGUAGES`).
        certificates: the file of the user's memory of actions; only the user's own configuration says it.
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
    trace: Trace = field(default_factory=Trace)
    encode: Encode = field(default_factory=Encode)
    certificates: Path | None = None
    secrets: Secrets = field(default_factory=Secrets)
    files: tuple[tuple[Path, str], ...] = ()
    owners: tuple[Path, ...] = ()
