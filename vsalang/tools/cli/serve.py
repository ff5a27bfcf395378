"""``vsac serve``: accepts apps that report their own state to a guarded session, and ask before they act."""

import datetime as dt
import os
import signal
import threading
from contextlib import ExitStack
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from vsalang.base.names import MODES, EngineName, Mode, Sync
from vsalang.tools.cli import options, sessions
from vsalang.tools.cli.common import (
    EXIT_OK,
    Failure,
    format_option,
    refused,
    require,
)
from vsalang.tools.cli.hint_options import hint_options
from vsalang.tools.cli.inforce import saying
from vsalang.tools.cli.output import echo, echo_json

if TYPE_CHECKING:
    from vsalang.agents.reporting import Endpoint, PaperApp, ReportedGuard, Tokens
    from vsalang.agents.session import GuardedSession, InForce, SessionOptions
    from vsalang.language.semantics import Loaded
    from vsalang.tools.cli.hint_options import HintOptions

TOKEN_VARIABLE = "VSAC_SERVE_TOKEN"


@click.command()
@click.argument("spec", metavar="[SPEC]", required=False)
@click.option(
    "--device", "device_name", metavar="NAME", help="Take screens of it: sim:NAME, or a serial of adb."
)
@click.option("--no-screen", is_flag=True, help="Take no screens: the state is what apps report.")
@click.option(
    "--app",
    "apps",
    multiple=True,
    metavar="PACKAGE",
    help="Serve this app; repeatable. [default: all of SPEC]",
)
@click.option("--host", default="127.0.0.1", show_default=True, help="Where to listen.")
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="0: any that is free. [default: 0]")
@click.option(
    "--expose", is_flag=True, help="Allow a host that other machines can reach. Nothing is encrypted."
)
@click.option(
    "--host-name",
    "host_names",
    multiple=True,
    metavar="NAME",
    help="A host name under which the endpoint is reached; repeatable.",
)
@click.option(
    "--connection",
    "connection_file",
    metavar="FILE",
    help="Where to write the address and the tokens; tokens in that file are used again. "
    "[default: SPEC.serve.json]",
)
@options.policy
@options.no_contracts
@options.redact
@options.journal
@options.sync
@options.resume
@options.head
@options.today
@options.trace
@click.option(
    "--mode",
    type=click.Choice(MODES),
    help="enforce: verdicts decide, and what you must confirm may not be. ask: you are asked here. shadow: NOTHING is "
    "held back, verdicts are only recorded. [default: enforce]",
)
@click.option(
    "--ask-timeout",
    type=options.Numbers(min=0, max=86_400),
    metavar="SECONDS",
    help="How long there is to answer with --mode ask; then the answer is no. [default: 60]",
)
@options.engine(default="incremental")
@click.option(
    "--paper",
    "paper",
    multiple=True,
    metavar="PACKAGE[:PORT]",
    help="Also listen for an app with the paper authors' Android library; repeatable.",
)
@click.option(
    "--paper-open",
    is_flag=True,
    help="Ask those apps for no token: any program on this machine may act as them.",
)
@options.allow_user
@click.option(
    "--paper-facts", is_flag=True, help="Take their updates as facts, not as questions before an action."
)
@hint_options
@format_option("text", "json")
def command(
    *,
    spec: str | None,
    device_name: str | None,
    no_screen: bool,
    apps: tuple[str, ...],
    host: str,
    port: int,
    expose: bool,
    host_names: tuple[str, ...],
    connection_file: str | None,
    policies: tuple[str, ...],
    journal_file: str | None,
    sync: "Sync",
    resume_file: str | None,
    head: str | None,
    today: dt.datetime | None,
    mode: "Mode | None",
    ask_timeout: float | None,
    engine: "EngineName | None",
    paper: tuple[str, ...],
    paper_open: bool,
    paper_facts: bool,
    users: tuple[int, ...],
    hinting: "HintOptions",
    format: str,
) -> int:
    """Serve one guarded session of SPEC to apps that report their own state and ask before they act.

    Apps find the address and their token in the connection file, which nobody else can read. One app's token may also
    be given as the environment variable VSAC_SERVE_TOKEN; it is then written nowhere.

    Exit status: 0 it was stopped, 1 SPEC has errors, 2 it could not be served.
    """
    require("aiohttp", "server")
    from vsalang.agents.reporting import AccessError, Endpoint, ReportedGuard, Service
    from vsalang.agents.session import open_guarded
    from vsalang.guard.user.terminal import terminal

    sessions.spec_or_journal()
    if spec is not None and (device_name is None) == (not no_screen):
        raise click.UsageError("Give either --device, or --no-screen.")
    if no_screen and options.trace_given():
        raise click.UsageError("--trace needs --device: without one there is no system to report.")
    sessions.redact_early(spec)
    loaded = options.load_spec(spec, policies, "a session is guarded by a spec") if spec is not None else None
    if loaded is not None and loaded.program is None:
        return refused(loaded, format)
    try:
        with sessions.failing(AccessError, ValueError), ExitStack() as stack:
            chosen = sessions.chosen(
                ask=terminal,
                guard_type=ReportedGuard,
                told=saying() if format == "text" else _unsaid,
            )
            if loaded is not None:
                if device_name is None:
                    _check_screenless(loaded)
                chosen = replace(chosen, hints=hinting.hints(loaded.checked(), machine=format == "json"))
                session = stack.enter_context(open_guarded(loaded, device_name, chosen))
                served(session).observe(session.first)
            else:
                session = _resume(stack, resume_file or "", device_name, no_screen, chosen, hinting)
                served(session).observe(session.first, None)
            guard = served(session)
            if session.phone is not None:
                guard.look = session.look
            if session.starting is not None:
                session.starting.most = session.journal.number  # no app has asked anything yet
            service = Service(guard, sources=loaded.sources if loaded is not None else None)
            tokens, file = _tokens(list(apps) or list(service.schemas), connection_file, guard.program.main)
            endpoint = Endpoint(
                service,
                tokens,
                host=host,
                port=port,
                expose=expose,
                hosts=host_names,
                paper=[_paper_app(item, tokens, paper_open, paper_facts, users) for item in paper],
            )
            stop = _stopped_by_signals(stack)
            stack.enter_context(endpoint)
            _tell(endpoint, tokens, file, str(session.journal.path), session.in_force, format)
            if session.starting is not None:
                session.starting.most = 0  # it was served
            stop.wait()
            completed = guard.finished
            guard.close()  # no answer of the user is expected any more
            endpoint.close()
            session.end(completed)
            hinting.write(session.hints)
            if format == "text":
                points = guard.snapshot.points
                count = f"{points} point{'s' * (points != 1)}"
                journal = session.journal
                echo(f"stopped after {count}; the journal is {journal.path}, its head {journal.head}")
    except OSError as error:
        if error.filename is not None:
            raise
        raise Failure(f"{host}:{port} cannot be listened on: {error.strerror or error}") from error
    return EXIT_OK


# ---------------------------------------------------------------- the session


def served(session: "GuardedSession") -> "ReportedGuard":
    """The session's guard, which apps report to."""
    from vsalang.agents.reporting import ReportedGuard

    assert isinstance(session.guard, ReportedGuard)
    return session.guard


def _unsaid(in_force: "InForce") -> None:
    """Print nothing: this is printed with the address."""


def _resume(
    stack: ExitStack,
    journal_file: str,
    device_name: str | None,
    no_screen: bool,
    chosen: "SessionOptions",
    hinting: "HintOptions",
) -> "GuardedSession":
    from vsalang.agents.session import resume_guarded
    from vsalang.guard.journal import read_session, recorded_program

    known = read_session(journal_file)
    recorded = str(known.header.get("device", ""))
    name = None if no_screen else device_name or recorded or None
    if (name is None) != (recorded == ""):
        raise Failure(
            f"the session of {journal_file} {'took no screens' if not recorded else f'took screens of {recorded}'}",
            "a session cannot change that later: resume it without --device or --no-screen",
        )
    chosen = replace(chosen, hints=hinting.hints(recorded_program(known).checked(), machine=False))
    return stack.enter_context(resume_guarded(journal_file, name, chosen))


def _check_screenless(loaded: "Loaded") -> None:
    """Refuse a session without screens if rules need a screen to judge."""
    from vsalang.agents.reporting.screenless import rules_of_screens

    assert loaded.program is not None
    silent = rules_of_screens(loaded.program)
    if silent:
        names = ", ".join(rule.id for rule in silent[:5]) + (", …" if len(silent) > 5 else "")
        raise Failure(
            f"{len(silent)} rules judge by what a screen shows, and would be silent without one: {names}",
            "serve the session with --device, so that they see screens",
        )


# ---------------------------------------------------------------- tokens, and telling where they are


def _tokens(apps: list[str], connection_file: str | None, name: str) -> "tuple[Tokens, Path | None]":
    """The tokens, and the file to write them to; None if the environment gave them."""
    from vsalang.agents.reporting import Tokens, read_connection

    given = os.environ.get(TOKEN_VARIABLE)
    if given is not None:
        if len(apps) != 1:
            raise Failure(
                f"{TOKEN_VARIABLE} is the token of one app, and {len(apps)} are served", "say which by --app"
            )
        return Tokens({apps[0]: given}), None
    path = Path(connection_file or f"{name}.serve.json")
    if not path.exists():
        return Tokens.new(apps), path
    known = read_connection(path)[1].by_package
    return Tokens({**Tokens.new(apps).by_package, **{a: known[a] for a in apps if a in known}}), path


def _paper_app(text: str, tokens: "Tokens", open_: bool, facts: bool, users: tuple[int, ...]) -> "PaperApp":
    from vsalang.agents.reporting import PaperApp
    from vsalang.phone.wire.peers import own_user

    package, _, port = text.partition(":")
    if package not in tokens.by_package:
        raise click.UsageError(f"--paper {package}: no such app is served.")
    if port and not (port.isascii() and port.isdigit() and int(port) < 65536):
        raise click.UsageError(f"--paper {text}: {port} is not a port.")
    if open_ and (warning := options.warn_of_strangers("the port of this app")):
        echo(f"note: {warning}", err=True)
    token = None if open_ else tokens.by_package[package]
    return PaperApp(package, int(port or 0), token=token, facts=facts, users=own_user(users))


def _tell(
    endpoint: "Endpoint", tokens: "Tokens", file: Path | None, journal: str, said: "InForce", format: str
) -> None:
    from vsalang.agents.reporting import write_connection

    if file is not None:
        write_connection(file, endpoint.url, tokens)
    if format == "json":
        data = {
            "url": endpoint.url,
            "apps": list(tokens.by_package),
            "connection": str(file) if file is not None else None,
            "journal": journal,
            "mode": endpoint.service.guard.settings.mode,
            "paper": endpoint.paper_ports,
            "in_force": asdict(said),
        }
        echo_json(data)
        return
    app = next(iter(tokens.by_package))
    echo(f"serving {', '.join(tokens.by_package)}")
    echo(f"  HTTP       {endpoint.url}/v1")
    echo(f"  WebSocket  {endpoint.url.replace('http', 'ws', 1)}/v1/socket")
    for package, port in endpoint.paper_ports.items():
        echo(f"  lines      127.0.0.1:{port}  ({package}, the paper's library)")
    echo(f"  tokens     {file if file is not None else f'as in {TOKEN_VARIABLE}'}")
    echo(f"  journal    {journal}")
    if endpoint.service.guard.settings.mode == "shadow":
        echo("  SHADOW     nothing is held back: verdicts are only recorded")
    if file is not None:
        echo(f'  in Python  Client.from_file("{file}", "{app}")')
    echo("Ctrl-C stops it.")


def _stopped_by_signals(stack: ExitStack) -> threading.Event:
    """An event that is set when a signal asks the process to end."""
    stop = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        old = signal.signal(number, lambda *_: stop.set())
        stack.callback(signal.signal, number, old)
    return stop
