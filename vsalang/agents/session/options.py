"""What may be chosen of a guarded session, and what a project's configuration says of it."""

import datetime as dt
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from vsalang.agents.session.inforce import InForce
from vsalang.base.config import Config
from vsalang.base.names import EngineName, Mode, Sync
from vsalang.guard import Asker, Guard, Settings
from vsalang.guard.judge.evidence import Evidence
from vsalang.guard.memory.certificate_store import CertificateStore
from vsalang.phone.protocol import Device
from vsalang.program.ir import Program
from vsalang.screen.secrets import Redactor, read_lexicon

if TYPE_CHECKING:
    from vsalang.agents.session.step_hints import Hints

if TYPE_CHECKING:
    from vsalang.phone.uiautomator import Tracing

Connect = Callable[[str, Config | None], Device]
"""Connects to a device by its name; the configuration says what is traced."""


def connect(name: str, config: Config | None = None) -> Device:
    """Connect to a device, with the trace that the configuration asks for.

    Raises:
        DeviceError: there is none, or there is no such trace.
    """
    from vsalang.phone.open import open_device

    return open_device(name, trace=tracing(config))


def tracing(config: Config | None, kinds: str | None = None) -> "Tracing":
    """Which trace of the system is read.

    Args:
        config: the configuration in force; None: there is none.
        kinds: what ``--trace`` says; None: what the configuration says.

    Raises:
        DeviceError: there is no such trace.
    """
    from vsalang.phone.uiautomator import Tracing

    said = config if config is not None else Config()
    trace = said.trace
    found = Tracing.read(",".join((*said.device.trace, *trace.kinds)) if kinds is None else kinds)
    return Tracing(
        found.kinds,
        (*said.device.trace_folders, *trace.folders) or found.roots,
        trace.ignore,
        found.budget if trace.budget is None else trace.budget,
        found.hash_below if trace.hash_below is None else trace.hash_below,
    )


def _nothing(in_force: InForce) -> None:
    """Reports to nobody."""


def _no_redactor(redactor: Redactor) -> None:
    """What is printed is not changed."""


@dataclass(frozen=True, kw_only=True)
class SessionOptions:
    """What may be chosen of a guarded session. What is left out, the project's configuration says, or the default.

    Attributes:
        policies: files of policies in force in addition to those of the configurations.
        journal: where the journal is written; None: ``SPEC-DATE-TIME.jsonl`` in the working folder.
        sync: what of it is forced to the disk.
        head: of a session that is resumed: the hash of its last line, if the user confirms it.
        today: the day of the instruction; None: the device's.
        engine: which evaluator decides.
        mode: what the guard does with its verdicts.
        ask: puts questions to the user, in the mode ``ask``.
        ask_timeout: how long they have to answer.
        language: in which feedback is said.
        instruction: what the user asked for, in their words, for rules that read ``Instruction``; None: the description
            of the spec. A session that is resumed keeps its own.
        app: the package of an app that is opened first, on the user's behalf.
        contracts: whether `std.contracts` is in force; False: not, whatever the configuration says.
        task: whether the spec is a task; without one no policies of the project are in force.
        guard_type: what kind of guard judges (`vsalang.agents.reporting.ReportedGuard`).
        connect: opens a device by its name.
        told: called with what is in force, before anything is opened.
        consult: makes who is asked about each proposal before it is judged, given program and device (None: there is
            none); None: nobody is asked.
        certificates: keeps what each action did, and tells what was tried before; None: nothing is remembered.
        redact: whether secrets of all kinds are replaced in the journal, in addition to what the configuration says.
            Nothing is remembered in `certificates` then.
        redacted: called with what replaces them, before anything is opened, so that it can be used for what is printed.
        hints: tell the agent its next steps on a map, next to the verdicts; None: nobody does.
    """

    policies: tuple[str | Path, ...] = ()
    journal: str | Path | None = None
    sync: Sync = "effects"
    head: str | None = None
    today: dt.date | None = None
    engine: EngineName | None = None
    mode: Mode | None = None
    ask: Asker | None = None
    ask_timeout: dt.timedelta | None = None
    language: str | None = None
    instruction: str | None = None
    app: str | None = None
    contracts: bool = True
    task: bool = True
    guard_type: type[Guard] = Guard
    connect: Connect = connect
    told: "Callable[[InForce], None]" = _nothing
    consult: Callable[[Program, Device | None], Evidence] | None = None
    certificates: CertificateStore | None = None
    redact: bool = False
    redacted: "Callable[[Redactor], None]" = _no_redactor
    hints: "Hints | None" = None

    def settings(self, config: Config) -> Settings:
        """The guard's settings, with what is chosen here. Raises `LexiconError`: a lexicon cannot be read."""
        settings = guard_settings(config)
        settings = replace(settings, mode=self.mode or settings.mode)
        return settings if self.ask_timeout is None else replace(settings, ask_timeout=self.ask_timeout)


def guard_settings(config: Config) -> Settings:
    """The guard's settings: its own, except for what the project's configuration says.

    Raises:
        LexiconError: a lexicon cannot be read.
    """
    settings = Settings()
    budget = {
        name: value
        for name in ("rows", "bindings", "steps", "seconds")
        if (value := getattr(config.budget, name)) is not None
    }
    said = {
        name: value
        for name in ("overrides", "verdict_life", "unknown_screen", "mode", "ask_timeout", "look_age")
        if (value := getattr(config.guard, name)) is not None
    }
    lexicon = tuple(
        dict.fromkeys(word for file in config.secrets.lexicon for word in read_lexicon(file).words)
    )
    return replace(settings, budget=replace(settings.budget, **budget), lexicon=lexicon, **said)
