"""``vsac mcp``: offer a guarded phone to any client of the Model Context Protocol."""

import shlex
from contextlib import ExitStack
from dataclasses import replace
from typing import Literal

import click

from vsalang.agents.mcp import PhoneSession, server
from vsalang.agents.mcp.streams import open_streams
from vsalang.agents.session import GuardedSession, SessionOptions, open_guarded, resume_guarded
from vsalang.base.collector import collected_seldom, no_collection
from vsalang.base.options import group, option
from vsalang.base.records import dataclass
from vsalang.guard.journal import read_session, recorded_program
from vsalang.models.effects.options import EffectsOptions
from vsalang.models.risk.judge.options import JudgeOptions
from vsalang.tools.cli import frame, sessions
from vsalang.tools.cli.certified import told_of
from vsalang.tools.cli.common import EXIT_OK, Failure, version
from vsalang.tools.cli.hint_options import HintOptions
from vsalang.tools.cli.inforce import saying
from vsalang.tools.cli.judging import consultation
from vsalang.tools.cli.phones import device_option
from vsalang.tools.cli.unknown_controls import unknown_controls


@dataclass(frozen=True, slots=True)
class McpOptions:
    """The phone that is offered, and how it is guarded."""

    spec: str | None = sessions.spec()
    device: str | None = device_option()
    resume: str | None = sessions.resume()
    session: SessionOptions = group(
        SessionOptions,
        choices={"mode": ("enforce", "shadow")},  # with `ask` the guard asks; here the client does
        mode="enforce: verdicts decide. shadow: NOTHING is held back; what the guard would have said is recorded.",
        ask_timeout="How long the user has to answer; then the answer is no.",
    )
    on_confirm: Literal["client", "no"] = option(
        "--on-confirm",
        default="client",
        help="Who answers when the user must agree first: the client asks the user, or nobody does and the answer is "
        "no.",
    )
    certificates: bool = sessions.certificates()
    judge: JudgeOptions | None = group(JudgeOptions, when="--judge-model")
    effects: EffectsOptions = group(EffectsOptions)
    hints: HintOptions = group(HintOptions)


@frame.as_command(one_of=("SPEC", "--resume"))
def command(options: McpOptions) -> int:
    """Serve the actions of a phone as tools of the Model Context Protocol, each judged by SPEC and the policies.

    With --resume a session whose process died continues: nothing that was done is forgotten or done twice.

    The client starts this command and talks to it on standard input and output; messages for people go to standard
    error. It ends when the client closes its side.

    Exit status: 0 the client closed the session, 1 SPEC has errors, 2 it could not be served.
    """
    try:
        open_streams()
    except ValueError as error:
        raise Failure(str(error)) from None
    options.hints.check()
    loaded = None
    if options.spec is not None:
        sessions.redact_early(options.spec, options.session, sessions.redact_errors)
        loaded = sessions.load_spec(options.spec, options.session, "a session is guarded by a spec")
    consult = consultation(options.judge)
    with sessions.failing(), ExitStack() as stack:
        starting = stack.enter_context(ExitStack())
        starting.enter_context(no_collection())  # what is made to start stays
        unknown = None
        if options.effects.used:
            program = loaded if loaded is not None else recorded_program(read_session(options.resume or ""))
            unknown = unknown_controls(options.effects, program.checked())
        # the mode `ask` of the configuration is what happens here anyway: the client asks the user
        chosen = sessions.begun(
            options.session,
            certificates=options.certificates,
            mode=options.session.mode or "enforce",
            listener=saying(err=True),
            consult=consult,
            answers=unknown,
            redacted=sessions.redact_errors,
        )
        if loaded is None:
            session = _resume(stack, options, chosen)
        else:
            hints = options.hints.hints(loaded.checked(), machine=True)
            session = stack.enter_context(open_guarded(loaded, options.device, replace(chosen, hints=hints)))
        phone = _tools(session, options.session.language)
        _serve(phone, options.on_confirm == "client", starting)
        phone.withdraw()
        session.end(phone.completed)
        click.echo(f"the journal is {session.journal.path}, its head {session.journal.head}", err=True)
        told_of(session.memory)
        if consult is not None:
            consult.summarize()
        if unknown is not None:
            unknown.summarize()
        options.hints.write(session.hints)
    return EXIT_OK


def _serve(session: PhoneSession, ask: bool, starting: ExitStack) -> None:
    """Serve a session that has begun; `starting` ends when all is there."""
    starting.close()
    with collected_seldom():
        server.serve(session, version=version(), ask=ask)


def _tools(session: GuardedSession, language: str | None) -> PhoneSession:
    """The session as the tools use it."""
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


def _resume(stack: ExitStack, options: McpOptions, chosen: SessionOptions) -> GuardedSession:
    """Resume the session of a journal."""
    journal = options.resume or ""
    known = read_session(journal)
    if not (options.device or known.header.get("device")):
        raise Failure(f"{journal} does not say which device it was", "name it with --device")
    if known.mode == "ask":
        raise Failure(
            f"the guard of {journal} asks the user itself (mode `ask`), and here the client does",
            f"`vsac run --resume {shlex.quote(journal)}` goes on with it",
        )
    hints = options.hints.hints(recorded_program(known).checked(), machine=True)
    return stack.enter_context(resume_guarded(journal, options.device, replace(chosen, hints=hints)))
