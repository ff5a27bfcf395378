"""``vsac mcp``: offer a guarded phone to any client of the Model Context Protocol."""

import datetime as dt
import shlex
import sys
from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from vsalang.base.names import EngineName, Mode, Sync
from vsalang.tools.cli import options, sessions
from vsalang.tools.cli.certified import certificates_option, told_of
from vsalang.tools.cli.common import (
    EXIT_FAILED,
    EXIT_FINDINGS,
    EXIT_OK,
    Failure,
    render,
    require,
    unread,
    use_color,
)
from vsalang.tools.cli.hint_options import hint_options
from vsalang.tools.cli.inforce import saying
from vsalang.tools.cli.judge_options import consulted, judge_options

if TYPE_CHECKING:
    from vsalang.agents.mcp import PhoneSession
    from vsalang.agents.session import GuardedSession, SessionOptions
    from vsalang.tools.cli.hint_options import HintOptions
    from vsalang.tools.cli.judge_options import JudgeOptions


@click.command()
@click.argument("spec", metavar="[SPEC]", required=False)
@click.option("--device", "device_name", metavar="NAME", help="sim:NAME, sim:FOLDER, or a serial of adb.")
@options.resume
@options.policy
@options.no_contracts
@options.redact
@options.open_app
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
    help="Who answers when the user must agree first: the client asks the user, or nobody does and the answer is no.",
)
@click.option(
    "--ask-timeout",
    type=options.Numbers(1, 3600),
    metavar="SECONDS",
    help="How long the user has to answer; then the answer is no. [default: 60]",
)
@click.option(
    "--mode",
    type=click.Choice(["enforce", "shadow"]),
    help="enforce: verdicts decide. shadow: NOTHING is held back, what the guard would have said is recorded. "
    "[default: enforce]",
)
@options.engine()
@options.language()
@certificates_option
@judge_options
@hint_options
def command(
    *,
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
    certificates: bool,
    judging: "JudgeOptions | None",
    hinting: "HintOptions",
) -> int:
    """Serve the actions of a phone as tools of the Model Context Protocol, each judged by SPEC and the policies.

    With --resume a session whose process died continues: nothing that was done is forgotten or done twice.

    The client starts this command and talks to it on standard input and output; messages for people go to standard
    error. It ends when the client closes its side.

    Exit status: 0 the client closed the session, 1 SPEC has errors, 2 it could not be served.
    """
    require("mcp", "mcp")
    from vsalang.agents.session import open_guarded

    sessions.spec_or_journal()
    loaded = None
    if spec is not None:
        if device_name is None:
            raise click.UsageError("Missing option '--device'.")
        sessions.redact_early(spec, sessions.redact_errors)
        loaded = options.load_spec(spec, policies, "a session is guarded by a spec")
        if loaded.program is None:
            # standard output is the client's
            found = render(loaded.diagnostics, loaded.sources, "text", color=use_color(sys.stderr))
            click.echo(found, nl=False, err=True, color=True)
            return EXIT_FAILED if unread(loaded.diagnostics) else EXIT_FINDINGS
    consult = consulted(judging)
    with sessions.failing(), ExitStack() as stack:
        # the mode `ask` of the configuration is what happens here anyway: the client asks the user
        chosen = sessions.chosen(
            mode=mode or "enforce", told=saying(err=True), consult=consult, redacted=sessions.redact_errors
        )
        if loaded is None:
            assert resume_file is not None
            session = _resume(stack, resume_file, device_name, chosen, hinting)
        else:
            chosen = replace(chosen, hints=hinting.hints(loaded.checked(), machine=True))
            session = stack.enter_context(open_guarded(loaded, device_name, chosen))
        phone = _tools(session, language)
        _serve(phone, on_confirm == "client")
        phone.withdraw()
        session.end(phone.completed)
        click.echo(f"the journal is {session.journal.path}, its head {session.journal.head}", err=True)
        told_of(session.memory)
        if consult is not None:
            consult.tell()
        hinting.write(session.hints)
    return EXIT_OK


def _serve(session: "PhoneSession", ask: bool) -> None:
    from vsalang.agents.mcp.server import serve
    from vsalang.tools.cli.common import version

    serve(session, version=version(), ask=ask)


def _tools(session: "GuardedSession", language: str | None) -> "PhoneSession":
    """The session as the tools use it."""
    from vsalang.agents.mcp import PhoneSession

    assert session.phone is not None
    phone = PhoneSession(
        session.guard, session.phone, sources=session.sources, language=language or session.language
    )
    phone.begin()
    done = session.resumed.in_flight if session.resumed is not None else None
    if done is not None and session.guard.finished:
        # it ended the task just before the process died
        holds = done.level == "allow" or (done.level == "confirm" and not done.shadow)
        phone.completed = holds and [a.name for a in done.proposed.attempts[:1]] == ["finish"]
    return phone


def _resume(
    stack: ExitStack,
    journal_file: str,
    device_name: str | None,
    chosen: "SessionOptions",
    hinting: "HintOptions",
) -> "GuardedSession":
    """Resume the session of a journal."""
    from vsalang.agents.session import resume_guarded
    from vsalang.guard.journal import read_session, recorded_program

    known = read_session(journal_file)
    if not (device_name or known.header.get("device")):
        raise Failure(f"{journal_file} does not say which device it was", "name it with --device")
    if known.mode == "ask":
        raise Failure(
            f"the guard of {journal_file} asks the user itself (mode `ask`), and here the client does",
            f"`vsac run --resume {shlex.quote(str(journal_file))}` goes on with it",
        )
    chosen = replace(chosen, hints=hinting.hints(recorded_program(known).checked(), machine=True))
    return stack.enter_context(resume_guarded(journal_file, device_name, chosen))
