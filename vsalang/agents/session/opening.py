"""Opens a guarded session: loads and checks the spec, opens device, journal, clock and guard, and closes them again.

The order matters. What is in force is shown before anything is opened, so that the user can stop it; the journal
begins before the device is acted on; the guard begins when the first screen has shown the time.
"""

import contextlib
import datetime as dt
import shlex
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from vsalang.agents.session.guarded_session import ClockedDevice, GuardedSession, Starting
from vsalang.agents.session.inforce import SessionError, in_force, recorded
from vsalang.agents.session.one_guard import one_guard, one_guard_on_phone
from vsalang.agents.session.options import SessionOptions
from vsalang.base.config import Config, config_in_force, policy_files, standard_in_force
from vsalang.base.names import DEFAULT_ENGINE, DEFAULT_LANGUAGE
from vsalang.base.source import Source
from vsalang.base.source.files import real_path
from vsalang.guard import Guard, Settings
from vsalang.guard.journal import Journal, read_session, resume
from vsalang.guard.judge.evidence import Evidence
from vsalang.guard.memory.session_memory import RememberingRecorder, SessionMemory
from vsalang.guard.world.clock import ScreenClock
from vsalang.guard.world.fact_screen import FactScreen
from vsalang.language.semantics import Loaded, load
from vsalang.models.similarity import SimilarityError, backend_of
from vsalang.phone.errors import DeviceError
from vsalang.phone.protocol import Device
from vsalang.program.action import Action
from vsalang.program.ir import Program
from vsalang.program.screen import Screen
from vsalang.program.similarity import Similarity, name_of
from vsalang.program.text import line
from vsalang.screen.secrets import KINDS, Lexicon, LexiconError, Redactor

_MOST_APPS = 8
"""Of so many apps the device is asked for the version, when a session begins."""
_LONGEST = 100
NO_FILE = "recording.vsa"
"""What the spec of a session without a task is called."""


@contextlib.contextmanager
def open_guarded(
    spec: str | Path | Loaded,
    device: str | Device | None,
    options: SessionOptions | None = None,
) -> Iterator[GuardedSession]:
    """Open a guarded session of a spec on a device, with a journal.

        with open_guarded("reserve.vsa", "sim:restaurant", SessionOptions(app="com.opentable")) as session:
            done = session.step(Action("tap", {"text": "R"}))

    Leaving the block ends the session: that is recorded, and the journal and a device that was opened here are closed.
    If the start fails the journal is removed again; what is recorded after it stays, whatever happens.

    Args:
        spec: a file, or what `vsalang.load` made of it.
        device: ``sim:NAME``, the serial of a real one, or an open device; None: no screens are taken.
        options: what is chosen; see `SessionOptions`.

    Raises:
        ValueError: the spec has errors.
        SessionError: the session cannot be opened.
        DeviceError: there is no such device, or it cannot be looked at.
        JournalError: the journal cannot be written.
        GuardFailed: the guard met an internal error.
    """
    options = options or SessionOptions()
    loaded = spec if isinstance(spec, Loaded) else _loaded(spec, options)
    program = loaded.checked()
    config = config_in_force(loaded.file if options.task else NO_FILE)
    files = policy_files(config, options.policies) if options.task else ()
    rules_in_force = in_force(loaded, config, files)
    options.listener(rules_in_force)
    similarity = _similarity(config)
    settings = replace(_settings(options, config), lowering=owners_policies(loaded, config, options.policies))
    redactor = _redactor(options, config, settings)
    if redactor is not None:
        options.redacted(redactor)
    with contextlib.ExitStack() as stack:
        memory: SessionMemory | None = None
        if options.certificates is not None and redactor is None:
            memory = SessionMemory(options.certificates, program, loaded.sources)
        name, phone, clock = _phone(stack, device, options, config)
        if phone is not None:
            phone.memory = memory
        journal = stack.enter_context(
            Journal(_journal(program.main, options), sync=options.sync, redactor=redactor)
        )
        starting = stack.enter_context(Starting(journal))
        first = _first(phone, options.app)
        recorder = RememberingRecorder(
            journal,
            memory,
            sources=loaded.sources,
            spec=loaded.file,
            policies=[file.file for file in rules_in_force.policies],
            standard=loaded.standard,
            device=name,
            configuration=config.files,
            charter=options.charter,
            apps=_versions(phone, program, first),
        )
        guard = options.guard_type(
            program,
            phone,
            today=options.today or clock().date(),
            clock=clock,
            engine=options.engine or config.engine or DEFAULT_ENGINE,
            settings=settings,
            similarity=similarity,
            recorder=options.hints.recording(recorder) if options.hints is not None else recorder,
            ask=options.ask if settings.mode == "ask" else None,
            language=options.language or DEFAULT_LANGUAGE,
            instruction=options.instruction,
        )
        _consult(stack, guard, phone, options, redactor)
        session = GuardedSession(
            guard=guard,
            recorder=recorder,
            clock=clock,
            in_force=rules_in_force,
            name=name,
            phone=phone,
            first=first,
            sources=loaded.sources,
            language=options.language or config.language or DEFAULT_LANGUAGE,
            starting=starting,
            memory=memory,
            hints=options.hints,
        )
        yield session
        session.left()


@contextlib.contextmanager
def resume_guarded(
    journal: str | Path, device: str | Device | None = None, options: SessionOptions | None = None
) -> Iterator[GuardedSession]:
    """Go on with the session of a journal: nothing that was done is forgotten, and nothing is done twice.

    Args:
        journal: its file. It says program, policies, settings and day.
        device: as of `open_guarded`; None: the recorded one, or none if no screens were taken.
        options: `sync`, `head`, `ask`, `language`, `app`, `guard_type`, `connect`, `consult`, `answers`, `hints` and
            `told` of them count.

    Raises:
        SessionError: the session is over.
        JournalError: the journal cannot be read or written, or the guard judges otherwise than was recorded.
        DeviceError: there is no such device, or it cannot be looked at.
    """
    options = options or SessionOptions()
    header = read_session(journal).header
    config = _recorded_config(header.get("file"))
    device_name = device if device is not None else str(header.get("device", "")) or None
    with contextlib.ExitStack() as stack:
        clock = _clock(device_name)
        resumed = stack.enter_context(
            resume(
                journal,
                clock=clock,
                similarity=_same(header, config),
                sync=options.sync,
                head=options.head,
                ask=options.ask,
                guard_type=options.guard_type,
                recording=options.hints.recording if options.hints is not None else None,
            )
        )
        if resumed.over:
            raise SessionError(resumed.over, f"`vsac journal show {shlex.quote(str(journal))}` shows it")
        in_force = recorded(header, resumed.recorder.journal)
        options.listener(in_force)
        name, phone, _ = _phone(stack, device_name, options, config, clock)
        if phone is not None:
            resumed.guard.use(phone)
        _consult(stack, resumed.guard, phone, options)
        first = _first(phone, options.app)
        session = GuardedSession(
            guard=resumed.guard,
            recorder=resumed.recorder,
            clock=clock,
            in_force=in_force,
            name=name,
            phone=phone,
            first=first,
            sources={
                str(item["file"]): Source.from_text(str(item["text"]), str(item["file"]))
                for item in header.get("sources", ())
            },
            language=options.language or DEFAULT_LANGUAGE,
            resumed=resumed,
            hints=options.hints,
        )
        yield session
        session.left()


def _loaded(spec: str | Path, options: SessionOptions) -> Loaded:
    config = config_in_force(spec)
    return load(
        spec,
        policies=policy_files(config, options.policies),
        standard=standard_in_force(config, options.contracts),
        search=config.search,
    )


def owners_policies(loaded: Loaded, config: Config, named: Iterable[str | Path]) -> tuple[str, ...]:
    """The modules of the policies whose owner runs the guard: named when it starts, or by the user's own configuration.

    A policy that only a project's file puts in force is not among them: it may ask for more, and never for less. What
    such a policy imports is.
    """
    files = policy_files(Config(policies=config.owners), named)
    trusted = {real_path(file) for file in files}
    waiting = [
        unit
        for unit in loaded.units
        if unit.kind == "policy" and unit.source.path is not None and real_path(unit.source.path) in trusted
    ]
    policies: dict[str, None] = {}
    while waiting:
        unit = waiting.pop()
        if unit.kind == "policy" and unit.name not in policies:
            policies[unit.name] = None
            waiting += unit.imports.values()
    return tuple(sorted(policies))


def _settings(options: SessionOptions, config: Config) -> Settings:
    """The guard's settings.

    Raises:
        SessionError: a lexicon cannot be read.
    """
    try:
        return options.settings(config)
    except LexiconError as error:
        raise SessionError(
            str(error), "[secrets] lexicon names a text file with one word or phrase a line"
        ) from error


def _redactor(options: SessionOptions, config: Config, settings: Settings) -> Redactor | None:
    """What replaces secrets in what is written; None: nothing does."""
    kinds = [kind for kind in KINDS if options.redact or kind in (config.secrets.redact or ())]
    return Redactor(kinds, Lexicon(settings.lexicon)) if kinds else None


def _similarity(config: Config) -> Similarity | None:
    """Who answers ``~=``; None: the default.

    Raises:
        SessionError: that backend cannot be asked.
    """
    try:
        return backend_of(config.similarity)
    except SimilarityError as error:
        raise SessionError(str(error), error.hint) from error


def _same(header: Mapping[str, Any], config: Config | None) -> Similarity | None:
    """The recorded backend of ``~=``, if the configuration still says it; else nobody is asked anything new."""
    recorded = str(header.get("similarity", ""))
    backend = _similarity(config) if recorded and config is not None else None
    return backend if backend is not None and name_of(backend) == recorded else None


def _recorded_config(spec: object) -> Config | None:
    """The configuration of the project that the spec of a journal belongs to; None if the journal names no file."""
    return config_in_force(spec) if isinstance(spec, str) and spec else None


def _clock(device: str | Device | None) -> ScreenClock:
    """A simulated phone's clock does not move between two looks."""
    name = device if isinstance(device, str) else getattr(device, "name", "")
    return ScreenClock(live=not str(name).startswith("sim:"))


def _phone(
    stack: contextlib.ExitStack,
    device: str | Device | None,
    options: SessionOptions,
    config: Config | None,
    clock: ScreenClock | None = None,
) -> tuple[str, ClockedDevice | None, ScreenClock]:
    """The device's name, the device with its clock, and the clock. What is opened here is closed with the session."""
    clock = clock or _clock(device)
    if device is None:
        return "", None, clock
    if isinstance(device, str):
        alone = not device.startswith("sim:") and options.mode != "shadow"
        if alone:
            stack.enter_context(one_guard(device))
            alone = not stack.enter_context(one_guard_on_phone(device, asked=False))
        opened = stack.enter_context(options.connect(device, config, options.trace))
        if alone:  # the adb server was not there before
            stack.enter_context(one_guard_on_phone(device, asked=True))
        return device, ClockedDevice(opened, clock), clock
    return device.info.serial, ClockedDevice(device, clock), clock


def _consult(
    stack: contextlib.ExitStack,
    guard: Guard,
    phone: ClockedDevice | None,
    options: SessionOptions,
    redactor: Redactor | None = None,
) -> None:
    """Ask whom the options name about each proposal; they are let go with the session.

    Raises:
        SessionError: secrets are to be replaced, and they would be shown pictures of them.
    """
    device = phone.device if phone is not None else None
    # what a touch does comes first: it says which judges are asked
    asked: list[Evidence] = [options.answers(guard, device)] if options.answers is not None else []
    asked += [options.consult(guard.program, device)] if options.consult is not None else []
    for evidence in asked:
        _ask(stack, guard, evidence, redactor)


def _ask(stack: contextlib.ExitStack, guard: Guard, evidence: Evidence, redactor: Redactor | None) -> None:
    if callable(close := getattr(evidence, "close", None)):
        stack.callback(close)
    if redactor is not None and callable(hide := getattr(evidence, "hide", None)) and not hide(redactor):
        raise SessionError(
            "secrets are to be replaced, and pictures would show them to the judge",
            "leave --judge-pictures out",
        )
    guard.consult(evidence)


def _first(phone: ClockedDevice | None, app: str | None) -> Screen:
    """The first screen, of an app that is opened on the user's behalf if one is named."""
    if phone is None:
        return FactScreen()
    if app:
        start = Action("open_app", {"package": app})
        phone.perform(start, phone.observe().target(start.name, start.args))
    return phone.observe()


def _versions(phone: ClockedDevice | None, program: Program, first: Screen) -> dict[str, str]:
    """The versions of the apps that a program is about and of the one in front, by package, if the device says them."""
    ask = getattr(phone.device, "app_version", None) if phone is not None else None
    if not callable(ask):
        return {}
    front = getattr(first, "app", None)
    named = [name for module in program.modules.values() for name in module.packages]
    versions = {}
    for package in list(dict.fromkeys([*(front[:1] if front else ()), *named]))[:_MOST_APPS]:
        with contextlib.suppress(DeviceError):  # it decides nothing: what is not said is left out
            versions[package] = line(str(ask(package)), _LONGEST)
    return {package: version for package, version in versions.items() if version}


def _journal(name: str, options: SessionOptions) -> Path:
    return Path(options.journal or f"{name}-{dt.datetime.now():%Y%m%d-%H%M%S-%f}.jsonl")
