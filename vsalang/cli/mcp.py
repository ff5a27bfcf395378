"""``vsac mcp``: offer a guarded phone to any client of the Model Context Protocol."""

import datetime as dt
import shlex
import sys
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from vsalang.cli import options
from vsalang.cli.common import (
    EXIT_FAILED,
    EXIT_FINDINGS,
    EXIT_OK,
    Failure,
    policy_files,
    render,
    require,
    use_color,
)
from vsalang.names import DEFAULT_ENGINE, ENGINES, LANGUAGES, EngineName, Mode, Sync

if TYPE_CHECKING:
    from vsalang.agents.mcp import PhoneSession
    from vsalang.core.screen import Screen
    from vsalang.device import Device
    from vsalang.journal import Recorder
    from vsalang.semantics import Loaded


@click.command()
@click.argument("spec", metavar="[SPEC]", required=False)
@click.option("--device", "device_name", metavar="NAME", help="sim:NAME, sim:FOLDER, or a serial of adb.")
@click.option(
    "--resume",
    "resume_file",
    metavar="JOURNAL",
    help="Go on with the session of a journal, instead of SPEC: its program, policies, settings and day.",
)
@options.policy
@click.option(
    "--open",
    "package",
    metavar="PACKAGE",
    help="Open this app before the agent starts, on the user's behalf.",
)
@options.journal
@options.sync
@options.head
@options.today
@options.trace
@click.option(
    "--on-confirm",
    type=click.Choice(["client", "no"]),
    default="client",
    show_default=True,
    help="Who says yes or no when the user must agree first: the client puts it to them, or nobody does and it is no.",
)
@click.option(
    "--ask-timeout",
    type=click.FloatRange(1, 3600),
    metavar="SECONDS",
    help="How long the user has to answer; then the answer is no. [default: 60]",
)
@click.option(
    "--mode",
    type=click.Choice(["enforce", "shadow"]),
    help="enforce: verdicts decide. shadow: NOTHING is held back, what the guard would have said is recorded. "
    "[default: enforce]",
)
@click.option(
    "--engine",
    type=click.Choice(ENGINES),
    help="Which evaluator decides. [default: what vsac.toml says, else incremental]",
)
@click.option(
    "--language",
    type=click.Choice(LANGUAGES),
    help="In which language reasons and the roadmap are said. [default: what vsac.toml says, else en]",
)
def command(
    spec: str | None,
    device_name: str | None,
    resume_file: str | None,
    policies: tuple[str, ...],
    package: str | None,
    journal_file: str | None,
    sync: "Sync",
    head: str | None,
    today: dt.datetime | None,
    on_confirm: str,
    ask_timeout: float | None,
    mode: "Mode | None",
    engine: "EngineName | None",
    language: str | None,
) -> int:
    """Serve the actions of a phone as tools of the Model Context Protocol, each judged by SPEC and the policies.

    With --resume a session whose process died goes on: nothing that was done is forgotten, and nothing is done twice.

    The client starts this command and talks to it on standard input and output; messages for people go to standard
    error. It ends when the client closes its side.

    Exit status: 0 the client closed the session, 1 SPEC has errors, 2 it could not be served.
    """
    require("mcp", "mcp")
    from vsalang.device import DeviceError
    from vsalang.guard import GuardFailed
    from vsalang.journal.file import JournalError

    options.head_given(head, resume_file)
    if resume_file is not None:
        _not_given(
            {
                "SPEC": spec,
                "--policy": policies,
                "--journal": journal_file,
                "--today": today,
                "--ask-timeout": ask_timeout,
                "--mode": mode,
                "--engine": engine,
            }
        )
        loaded = None
    elif spec is None:
        raise click.UsageError("Missing argument 'SPEC'.")
    elif device_name is None:
        raise click.UsageError("Missing option '--device'.")
    else:
        loaded = options.load_spec(spec, policies, "a session is guarded by a spec")
        if loaded.program is None:
            # standard output is the client's
            found = render(loaded.diagnostics, loaded.sources, "text", color=use_color(sys.stderr))
            click.echo(found, nl=False, err=True, color=True)
            unread = any(d.code.startswith("E000") for d in loaded.diagnostics)
            return EXIT_FAILED if unread else EXIT_FINDINGS
    try:
        with ExitStack() as stack:
            if loaded is None:
                assert resume_file is not None
                session, recorder = _resume(stack, resume_file, device_name, package, sync, head, language)
            else:
                assert spec is not None and device_name is not None
                session, recorder = _begin(
                    stack,
                    loaded,
                    spec,
                    device_name,
                    policies,
                    package,
                    journal_file,
                    sync,
                    today,
                    ask_timeout,
                    mode,
                    engine,
                    language,
                )
            _serve(session, on_confirm == "client")
            session.withdraw()
            recorder.end(completed=session.completed)
            click.echo(f"the journal is {recorder.journal.path}, its head {recorder.journal.head}", err=True)
    except (DeviceError, GuardFailed, JournalError) as error:
        raise Failure(str(error)) from error
    return EXIT_OK


def _not_given(given: "dict[str, object]") -> None:
    """Refuse what the journal decides when a session is resumed."""
    for name, value in given.items():
        if value:
            raise click.UsageError(f"{name} cannot be given with --resume: the journal says it.")


def _serve(session: "PhoneSession", ask: bool) -> None:
    from vsalang.agents.mcp.server import serve
    from vsalang.cli.common import version

    serve(session, version=version(), ask=ask)


def _begin(
    stack: ExitStack,
    loaded: "Loaded",
    spec: str,
    device_name: str,
    policies: tuple[str, ...],
    package: str | None,
    journal_file: str | None,
    sync: "Sync",
    today: dt.datetime | None,
    ask_timeout: float | None,
    mode: "Mode | None",
    engine: "EngineName | None",
    language: str | None,
) -> "tuple[PhoneSession, Recorder]":
    from vsalang.agents.mcp import PhoneSession
    from vsalang.cli.inforce import in_force
    from vsalang.cli.run import guard_settings
    from vsalang.config import config_in_force
    from vsalang.guard import Guard
    from vsalang.guard.clock import ScreenClock
    from vsalang.journal import Recorder
    from vsalang.journal.file import Journal

    program = loaded.program
    assert program is not None
    config = config_in_force(spec)
    settings = guard_settings(config)
    # the mode `ask` of the configuration means what happens here anyway: the user is asked, by the client
    settings = replace(settings, mode=mode or "enforce")
    if ask_timeout is not None:
        settings = replace(settings, ask_timeout=dt.timedelta(seconds=ask_timeout))
    files = policy_files(config, policies)
    in_force(loaded, config, files).say(err=True)
    opened: Device = options.open_device(device_name, config)
    device = stack.enter_context(opened)
    clock = ScreenClock(live=not device_name.startswith("sim:"))

    def look() -> "Screen":
        screen = device.observe()
        clock.see(screen)
        return screen

    name = f"{program.main}-{dt.datetime.now():%Y%m%d-%H%M%S-%f}.jsonl"
    journal = stack.enter_context(Journal(Path(journal_file or name), sync=sync))
    _open(device, package)
    look()
    recorder = Recorder(
        journal,
        sources=loaded.sources,
        spec=loaded.file,
        policies=[str(Path(policy)) for policy in files],
        device=device_name,
        configuration=config.files,
    )
    guard = Guard(
        program,
        today=today.date() if today else clock().date(),
        clock=clock,
        engine=engine or config.engine or DEFAULT_ENGINE,
        settings=settings,
        recorder=recorder,
    )
    session = PhoneSession(
        guard,
        device,
        recorder=recorder,
        sources=loaded.sources,
        look=look,
        language=language or config.language or "en",
    )
    session.begin()
    return session, recorder


def _resume(
    stack: ExitStack,
    journal_file: str,
    device_name: str | None,
    package: str | None,
    sync: "Sync",
    head: str | None,
    language: str | None,
) -> "tuple[PhoneSession, Recorder]":
    """Go on with the session of a journal."""
    from vsalang.agents.mcp import PhoneSession
    from vsalang.cli.inforce import recorded
    from vsalang.guard.clock import ScreenClock
    from vsalang.journal import read_session, resume
    from vsalang.source import Source

    known = read_session(journal_file)
    name = device_name or str(known.header.get("device", ""))
    if not name:
        raise Failure(f"{journal_file} does not say which device it was", "name it with --device")
    if known.mode == "ask":
        raise Failure(
            f"the guard of {journal_file} asks the user itself (mode `ask`), and here the client does",
            f"`vsac run --resume {shlex.quote(str(journal_file))}` goes on with it",
        )
    clock = ScreenClock(live=not name.startswith("sim:"))
    resumed = stack.enter_context(resume(journal_file, clock=clock, sync=sync, head=head))
    if resumed.over:
        raise Failure(resumed.over, f"`vsac show {shlex.quote(str(journal_file))}` shows it")
    recorded(known.header, resumed.recorder.journal).say(err=True)
    opened: Device = options.open_device(name, options.recorded_config(known.header))
    device = stack.enter_context(opened)
    _open(device, package)

    def look() -> "Screen":
        screen = device.observe()
        clock.see(screen)
        return screen

    session = PhoneSession(
        resumed.guard,
        device,
        recorder=resumed.recorder,
        sources={
            str(item["file"]): Source.from_text(str(item["text"]), str(item["file"]))
            for item in known.header.get("sources", ())
        },
        look=look,
        language=language or "en",
    )
    session.begin()
    done = resumed.in_flight
    if done is not None and resumed.guard.finished:
        # it ended the task just before the process died
        holds = done.level == "allow" or (done.level == "confirm" and not done.shadow)
        session.completed = holds and [a.name for a in done.proposed.attempts[:1]] == ["finish"]
    return session, resumed.recorder


def _open(device: "Device", package: str | None) -> None:
    """Open an app on the user's behalf."""
    from vsalang.core.action import Action

    if package:
        start = Action("open_app", {"package": package})
        device.perform(start, device.observe().target(start.name, start.args))
