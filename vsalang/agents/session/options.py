"""What may be chosen of a guarded session, and what a project's configuration says of it."""

import datetime as dt
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from vsalang.agents.session.inforce import InForce
from vsalang.base.config import Config
from vsalang.base.names import ENGINES, LANGUAGES, EngineName, Mode, Sync, engine_named
from vsalang.base.options import flag, option
from vsalang.guard import Asker, Guard, Settings
from vsalang.guard.judge.evidence import Evidence
from vsalang.guard.memory.certificate_store import CertificateStore
from vsalang.guard.session import MAX_INSTRUCTION
from vsalang.phone.protocol import Device
from vsalang.program.ir import Program
from vsalang.screen.secrets import Redactor, read_lexicon

if TYPE_CHECKING:
    from vsalang.agents.session.step_hints import Hints

if TYPE_CHECKING:
    from vsalang.phone.uiautomator import Tracing

Connect = Callable[[str, Config | None, str | None], Device]
"""Connects to a device by its name; the configuration says what is traced, unless the last value does."""


def connect(name: str, config: Config | None = None, kinds: str | None = None) -> Device:
    """Connect to a device, with the trace that the configuration asks for.

    Args:
        kinds: what is traced instead, as for `tracing`.

    Raises:
        DeviceError: there is none, or there is no such trace.
    """
    from vsalang.phone.open import open_device

    return open_device(name, trace=tracing(config, kinds))


def tracing(config: Config | None, kinds: str | None = None) -> "Tracing":
    """Which trace of the system is read.

    Args:
        config: the configuration in force; None: there is none.
        kinds: what ``--trace`` says; None: what the configuration says.

    Raises:
        DeviceError: there is no such trace.
    """
    from vsalang.phone.uiautomator import Tracing

    settings = config if config is not None else Config()
    trace = settings.trace
    tracing = Tracing.read(",".join((*settings.device.trace, *trace.kinds)) if kinds is None else kinds)
    return Tracing(
        tracing.kinds,
        (*settings.device.trace_folders, *trace.folders) or tracing.roots,
        trace.ignore,
        tracing.budget if trace.budget is None else trace.budget,
        tracing.hash_below if trace.hash_below is None else trace.hash_below,
    )


def _nothing(in_force: InForce) -> None:
    """Reports to nobody."""


def _no_redactor(redactor: Redactor) -> None:
    """What is printed is not changed."""


def _instruction(text: str) -> str:
    if len(text) > MAX_INSTRUCTION:
        raise ValueError(f"an instruction has at most {MAX_INSTRUCTION} characters, this one {len(text)}")
    return text


_RESUMED: Final = {"--resume": "the journal says it"}


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
        trace: which events of the phone's system rules can read; None: what the configuration says.
        app: the package of an app that is opened first, on the user's behalf.
        contracts: whether `std.contracts` is in force; False: not, whatever the configuration says.
        task: whether the spec is a task; without one no policies of the project are in force.
        guard_type: what kind of guard judges (`vsalang.agents.reporting.ReportedGuard`).
        connect: opens a device by its name.
        listener: called with what is in force, before anything is opened.
        consult: makes who is asked about each proposal before it is judged, given program and device (None: there is
            none); None: nobody is asked.
        answers: makes what knows of controls whose effect a screen does not tell, given guard and device; None: nothing
            does.
        certificates: keeps what each action did, and tells what was tried before; None: nothing is remembered.
        redact: whether secrets of all kinds are replaced in the journal, in addition to what the configuration says.
            Nothing is remembered in `certificates` then.
        redacted: called with what replaces them, before anything is opened, so that it can be used for what is printed.
        hints: tell the agent its next steps on a map, next to the verdicts; None: nobody does.
        charter: what the journal says of how the spec was made of the instruction, and who agreed to it; None: nothing.
    """

    policies: tuple[str | Path, ...] = option(
        "--policy",
        default=(),
        metavar="FILE",
        help="A policy that is in force; repeatable.",
        excludes=_RESUMED,
    )
    contracts: bool = flag(
        "--no-contracts",
        default=True,
        help="Expect of gestures only what SPEC and the policies say, not what std.contracts does.",
        excludes=_RESUMED,
    )
    redact: bool = flag(
        "--redact",
        help="Replace secrets (cards, codes, passwords ..) in the journal and in what is printed.",
        excludes=_RESUMED,
    )
    journal: str | Path | None = option(
        "--journal",
        metavar="FILE",
        help="Where to write the journal.",
        default_text="SPEC-DATE-TIME.jsonl",
        excludes=_RESUMED,
    )
    sync: Sync = option(
        "--journal-sync",
        default="effects",
        help="Which records are forced to the disk before the session goes on.",
    )
    head: str | None = option(
        "--head",
        metavar="HASH",
        help="With --resume: you confirm that this is the journal's last line. For a journal that was moved here: the "
        "hash is said at the end of each run, and by `vsac journal show`.",
        default_text="what is kept of the journal here",
        needs="--resume",
    )
    today: dt.date | None = option(
        "--today",
        help="The day of the instruction.",
        default_text="the device's day",
        excludes=_RESUMED,
    )
    instruction: str | None = option(
        "--instruction",
        metavar="TEXT",
        read=_instruction,
        help="What the user asked for, in their words, for rules that read `Instruction`.",
        default_text="the description of SPEC",
        excludes=_RESUMED,
    )
    trace: str | None = option(
        "--trace",
        metavar="KINDS",
        help="Which events of the phone's system rules can read: files, permissions, connections, settings, or all; "
        "separated by commas.",
        default_text="what vsac.toml says, else nothing",
    )
    mode: Mode | None = option(
        "--mode",
        help="enforce: verdicts decide. ask: they decide, and you have a limited time to confirm. shadow: NOTHING is "
        "held back; what the guard would have said is shown and recorded.",
        default_text="enforce",
        excludes=_RESUMED,
    )
    ask_timeout: dt.timedelta | None = option(
        "--ask-timeout",
        least=1,
        most=86_400,
        metavar="SECONDS",
        help="How long there is to answer with --mode ask or --on-confirm fd:N or fleet; then the answer is no.",
        default_text="60",
        excludes=_RESUMED,
    )
    engine: EngineName | None = option(
        "--engine",
        read=engine_named,
        choices=ENGINES,
        help="Which evaluator decides.",
        default_text="what vsac.toml says, else incremental",
        excludes=_RESUMED,
    )
    app: str | None = option("--open", metavar="PACKAGE", help="Open this app first, on the user's behalf.")
    language: str | None = option(
        "--language",
        choices=LANGUAGES,
        help="In which language reasons and the roadmap are said.",
        default_text="what vsac.toml says, else en",
    )
    ask: Asker | None = None
    task: bool = True
    guard_type: type[Guard] = Guard
    connect: Connect = connect
    listener: Callable[[InForce], None] = _nothing
    consult: Callable[[Program, Device | None], Evidence] | None = None
    answers: Callable[[Guard, Device | None], Evidence] | None = None
    certificates: CertificateStore | None = None
    redacted: Callable[[Redactor], None] = _no_redactor
    hints: "Hints | None" = None
    charter: Mapping[str, Any] | None = None

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
    values = {
        name: value
        for name in (
            "overrides",
            "verdict_life",
            "unknown_screen",
            "unknown_touch",
            "mode",
            "ask_timeout",
            "look_age",
        )
        if (value := getattr(config.guard, name)) is not None
    }
    lexicon = tuple(
        dict.fromkeys(word for file in config.secrets.lexicon for word in read_lexicon(file).words)
    )
    return replace(settings, budget=replace(settings.budget, **budget), lexicon=lexicon, **values)
