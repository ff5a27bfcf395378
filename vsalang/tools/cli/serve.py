"""``vsac serve``: accepts apps that report their own state to a guarded session, and ask before they act."""

import os
import signal
import threading
from contextlib import ExitStack
from dataclasses import asdict, replace
from pathlib import Path

from vsalang.agents.reporting import (
    AccessError,
    Endpoint,
    PaperApp,
    ReportedGuard,
    Service,
    Tokens,
    read_connection,
    write_connection,
)
from vsalang.agents.reporting.screenless import rules_of_screens
from vsalang.agents.session import GuardedSession, InForce, SessionOptions, open_guarded, resume_guarded
from vsalang.base.diagnostics.display import count
from vsalang.base.options import flag, group, option
from vsalang.base.records import dataclass
from vsalang.guard.journal import read_session, recorded_program
from vsalang.guard.user.terminal import terminal
from vsalang.language.semantics import Loaded
from vsalang.phone.wire.peers import allowed_users, own_user
from vsalang.tools.cli import frame, sessions
from vsalang.tools.cli.common import EXIT_OK, Failure, require
from vsalang.tools.cli.frame import Output
from vsalang.tools.cli.hint_options import HintOptions
from vsalang.tools.cli.inforce import saying
from vsalang.tools.cli.output import echo, echo_json
from vsalang.tools.cli.phones import device_option, warn_of_strangers

TOKEN_VARIABLE = "VSAC_SERVE_TOKEN"


def app_and_port(text: str) -> tuple[str, int]:
    """The package of an app, and the port that it connects to.

    Raises:
        ValueError: that is not a port.
    """
    package, _, port = text.partition(":")
    if port and not (port.isascii() and port.isdigit() and int(port) < 65536):
        raise ValueError(f"{port} is not a port")
    return package, int(port or 0)


@dataclass(frozen=True, slots=True)
class PaperOptions:
    """Apps with the Android library of the paper's authors.

    Attributes:
        apps: their packages and ports; 0: any port that is free.
        open: whether they are asked for no token.
        users: other users of this machine who may connect.
        facts: whether their updates are facts, not questions.
    """

    apps: tuple[tuple[str, int], ...] = option(
        "--paper",
        default=(),
        metavar="PACKAGE[:PORT]",
        read=app_and_port,
        help="Also listen for an app with the paper authors' Android library; repeatable.",
    )
    open: bool = flag(
        "--paper-open", help="Ask those apps for no token: any program on this machine may act as them."
    )
    users: tuple[int, ...] = allowed_users()
    facts: bool = flag(
        "--paper-facts", help="Take their updates as facts, not as questions before an action."
    )


@dataclass(frozen=True, slots=True)
class ServeOptions:
    """What is served, to whom, and where."""

    spec: str | None = sessions.spec("--device or --no-screen")
    device: str | None = device_option(
        "Take screens of it: sim:NAME, or a serial of adb.", excludes="--no-screen"
    )
    no_screen: bool = flag(
        "--no-screen",
        help="Take no screens: the state is what apps report.",
        excludes={"--trace": "there is no system to report"},
    )
    apps: tuple[str, ...] = option(
        "--app",
        default=(),
        metavar="PACKAGE",
        help="Serve this app; repeatable.",
        default_text="all of SPEC",
    )
    host: str = option("--host", default="127.0.0.1", help="Where to listen.")
    port: int = option("--port", default=0, least=0, most=65535, help="0: any that is free.")
    expose: bool = flag("--expose", help="Allow a host that other machines can reach. Nothing is encrypted.")
    host_names: tuple[str, ...] = option(
        "--host-name",
        default=(),
        metavar="NAME",
        help="A host name under which the endpoint is reached; repeatable.",
    )
    connection: str | None = option(
        "--connection",
        metavar="FILE",
        help="Where to write the address and the tokens; tokens in that file are used again.",
        default_text="SPEC.serve.json",
    )
    resume: str | None = sessions.resume()
    session: SessionOptions = group(
        SessionOptions,
        without=("app", "language"),
        mode="enforce: verdicts decide, and what you must confirm may not be. ask: you are asked here. shadow: NOTHING "
        "is held back; verdicts are only recorded.",
        ask_timeout="How long there is to answer with --mode ask; then the answer is no.",
    )
    paper: PaperOptions = group(PaperOptions)
    hints: HintOptions = group(HintOptions)


@frame.as_command("text", "json", one_of=("SPEC", "--resume"))
def command(options: ServeOptions, output: Output) -> int:
    """Serve one guarded session of SPEC to apps that report their own state and ask before they act.

    Apps find the address and their token in the connection file, which nobody else can read. One app's token may also
    be given as the environment variable VSAC_SERVE_TOKEN; it is then written nowhere.

    Exit status: 0 it was stopped, 1 SPEC has errors, 2 it could not be served.
    """
    require("aiohttp", "server")
    options.hints.check()
    sessions.redact_early(options.spec, options.session)
    loaded = None
    if options.spec is not None:
        loaded = sessions.load_spec(options.spec, options.session, "a session is guarded by a spec")
    try:
        with sessions.failing(AccessError, ValueError), ExitStack() as stack:
            chosen = sessions.begun(
                options.session,
                ask=terminal,
                guard_type=ReportedGuard,
                listener=_unsaid if output.machine else saying(),
            )
            if loaded is not None:
                if options.device is None:
                    _check_screenless(loaded)
                hints = options.hints.hints(loaded.checked(), machine=output.machine)
                session = stack.enter_context(
                    open_guarded(loaded, options.device, replace(chosen, hints=hints))
                )
                served(session).observe(session.first)
            else:
                session = _resume(stack, options, chosen)
                served(session).observe(session.first, None)
            guard = served(session)
            if session.phone is not None:
                guard.look = session.look
            if session.starting is not None:
                session.starting.most = session.journal.number  # no app has asked anything yet
            service = Service(guard, sources=loaded.sources if loaded is not None else None)
            tokens, file = _tokens(
                list(options.apps) or list(service.schemas), options.connection, guard.program.main
            )
            endpoint = Endpoint(
                service,
                tokens,
                host=options.host,
                port=options.port,
                expose=options.expose,
                hosts=options.host_names,
                paper=[_paper_app(app, port, tokens, options.paper) for app, port in options.paper.apps],
            )
            stop = _stopped_by_signals(stack)
            stack.enter_context(endpoint)
            _tell(endpoint, tokens, file, str(session.journal.path), session.in_force, output)
            if session.starting is not None:
                session.starting.most = 0  # it was served
            stop.wait()
            completed = guard.finished
            guard.close()  # no answer of the user is expected any more
            endpoint.close()
            session.end(completed)
            options.hints.write(session.hints)
            if not output.machine:
                points = count(guard.snapshot.points, "point")
                journal = session.journal
                echo(f"stopped after {points}; the journal is {journal.path}, its head {journal.head}")
    except OSError as error:
        if error.filename is not None:
            raise
        raise Failure(
            f"{options.host}:{options.port} cannot be listened on: {error.strerror or error}"
        ) from error
    return EXIT_OK


# ---------------------------------------------------------------- the session


def served(session: GuardedSession) -> ReportedGuard:
    """The session's guard, which apps report to."""
    assert isinstance(session.guard, ReportedGuard)
    return session.guard


def _unsaid(in_force: InForce) -> None:
    """Print nothing: this is printed with the address."""


def _resume(stack: ExitStack, options: ServeOptions, chosen: SessionOptions) -> GuardedSession:
    """The session of a journal, which goes on."""
    journal = options.resume or ""
    known = read_session(journal)
    recorded = str(known.header.get("device", ""))
    name = None if options.no_screen else options.device or recorded or None
    if (name is None) != (recorded == ""):
        raise Failure(
            f"the session of {journal} {'took no screens' if not recorded else f'took screens of {recorded}'}",
            "a session cannot change that later: resume it without --device or --no-screen",
        )
    hints = options.hints.hints(recorded_program(known).checked(), machine=False)
    return stack.enter_context(resume_guarded(journal, name, replace(chosen, hints=hints)))


def _check_screenless(loaded: Loaded) -> None:
    """Refuse a session without screens if rules need a screen to judge."""
    assert loaded.program is not None
    silent = rules_of_screens(loaded.program)
    if silent:
        names = ", ".join(rule.id for rule in silent[:5]) + (", …" if len(silent) > 5 else "")
        raise Failure(
            f"{len(silent)} rules judge by what a screen shows, and would be silent without one: {names}",
            "serve the session with --device, so that they see screens",
        )


# ---------------------------------------------------------------- tokens, and telling where they are


def _tokens(apps: list[str], connection_file: str | None, name: str) -> tuple[Tokens, Path | None]:
    """The tokens, and the file to write them to; None if the environment gave them."""
    token = os.environ.get(TOKEN_VARIABLE)
    if token is not None:
        if len(apps) != 1:
            raise Failure(
                f"{TOKEN_VARIABLE} is the token of one app, and {len(apps)} are served", "say which by --app"
            )
        return Tokens({apps[0]: token}), None
    path = Path(connection_file or f"{name}.serve.json")
    if not path.exists():
        return Tokens.new(apps), path
    known = read_connection(path)[1].by_package
    return Tokens({**Tokens.new(apps).by_package, **{a: known[a] for a in apps if a in known}}), path


def _paper_app(package: str, port: int, tokens: Tokens, options: PaperOptions) -> PaperApp:
    if package not in tokens.by_package:
        raise Failure(f"no such app is served: {package}", f"the apps are {', '.join(tokens.by_package)}")
    if options.open and (warning := warn_of_strangers("the port of this app")):
        echo(f"note: {warning}", err=True)
    token = None if options.open else tokens.by_package[package]
    return PaperApp(package, port, token=token, facts=options.facts, users=own_user(options.users))


def _tell(
    endpoint: Endpoint, tokens: Tokens, file: Path | None, journal: str, in_force: InForce, output: Output
) -> None:
    if file is not None:
        write_connection(file, endpoint.url, tokens)
    if output.machine:
        data = {
            "url": endpoint.url,
            "apps": list(tokens.by_package),
            "connection": str(file) if file is not None else None,
            "journal": journal,
            "mode": endpoint.service.guard.settings.mode,
            "paper": endpoint.paper_ports,
            "in_force": asdict(in_force),
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
