"""``vsac run``: run an agent on a device with the guard between them, and show what happens."""

import datetime as dt
import shlex
import sys
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from vsalang.base.names import MODES, EngineName, Sync
from vsalang.tools.cli import commanded, guarded, options, sessions
from vsalang.tools.cli.certified import certificates_option, told_of
from vsalang.tools.cli.common import (
    EXIT_FINDINGS,
    EXIT_OK,
    Failure,
    format_option,
    refused,
    use_color,
)
from vsalang.tools.cli.hints import hint_options
from vsalang.tools.cli.inforce import saying
from vsalang.tools.cli.judging import consulted, judge_options
from vsalang.tools.cli.looks import look_options
from vsalang.tools.cli.remembering import remember_run
from vsalang.tools.cli.runasking import User, check_script, ways
from vsalang.tools.cli.runresumed import check_judged, judged
from vsalang.tools.cli.runshow import JsonShow, TextShow

if TYPE_CHECKING:
    from vsalang.agents import Proposed, Step
    from vsalang.agents.session import GuardedSession, SessionOptions
    from vsalang.base.names import Mode
    from vsalang.guard.journal import Session
    from vsalang.language.semantics import Loaded
    from vsalang.program.ir import Program
    from vsalang.tools.cli.hints import HintOptions
    from vsalang.tools.cli.judging import JudgeOptions
    from vsalang.tools.cli.looks import LookOptions
    from vsalang.tools.cli.remembering import RememberingRun


@click.command()
@click.argument("spec", metavar="[SPEC]", required=False)
@click.option("--device", "device_name", metavar="NAME", help="sim:NAME, sim:FOLDER, or a serial of adb.")
@click.option(
    "--agent",
    "agent_file",
    metavar="FILE",
    help="The agent's proposals, one JSON object a line; instead of COMMAND.",
)
@options.agent_format
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
    "--on-confirm",
    type=click.Choice(["ask", "no", "stdin"]),
    help="What to do when the user must agree first. ask: the terminal asks for a code. stdin: for scripts, each line "
    "of the standard input answers one question. [default: ask if the standard input is a terminal, else no]",
)
@click.option(
    "--mode",
    type=click.Choice(MODES),
    help="enforce: verdicts decide. ask: they decide, and you have a limited time to confirm. shadow: NOTHING is held "
    "back; what the guard would have said is shown and recorded. [default: enforce]",
)
@click.option(
    "--ask-timeout",
    type=options.Numbers(1, 3600),
    metavar="SECONDS",
    help="How long there is to answer with --mode ask; then the answer is no. [default: 60]",
)
@options.engine()
@options.open_app
@options.language()
@remember_run
@certificates_option
@click.option("--screenshots", metavar="DIR", help="Save a picture of the screen before each proposal.")
@look_options
@judge_options
@hint_options
@commanded.options
@format_option("text", "json")
def command(
    *,
    spec: str | None,
    device_name: str | None,
    agent_file: str | None,
    agent_format: str,
    policies: tuple[str, ...],
    journal_file: str | None,
    sync: "Sync",
    resume_file: str | None,
    head: str | None,
    today: dt.datetime | None,
    on_confirm: str | None,
    mode: "Mode | None",
    ask_timeout: float | None,
    engine: "EngineName | None",
    package: str | None,
    language: str | None,
    remembering: "RememberingRun",
    certificates: bool,
    screenshots: str | None,
    looks: "LookOptions | None",
    judging: "JudgeOptions | None",
    hinting: "HintOptions",
    format: str,
    **about_command: object,
) -> int:
    """Judge every proposal of an agent against SPEC and the policies, and let the device do only what is allowed.

    The agent is a file of proposals (--agent), or a program: COMMAND is started, unchanged, with a phone of its own
    behind the guard, which it finds by its environment (ANDROID_SERIAL, ANDROID_ADB_SERVER_PORT, ...). Messages
    about such a run go to standard error; standard output is the program's.

    Exit status: 0 the task was completed, 1 it was not (or SPEC has errors), 2 it could not be run or the phone was
    lost, 130 it was interrupted.
    """
    from vsalang.agents import run_agent
    from vsalang.agents.session import Clocked, open_guarded
    from vsalang.guard.say.feedback import roadmap

    loaded: Loaded | None = None
    agent_command = commanded.commanded(about_command)
    if agent_command is not None:
        if any(given is not None for given in (agent_file, resume_file, screenshots, looks)):
            raise click.UsageError(
                "--agent, --resume, --screenshots and --look-model cannot be given with COMMAND."
            )
        agent_command.check()
    elif agent_file is None:
        raise click.UsageError("Missing the agent: --agent FILE, or `-- COMMAND`.")
    sessions.spec_or_journal()
    remembering.check(resume_file)
    if spec is not None:
        if device_name is None:
            raise click.UsageError("Missing option '--device'.")
        sessions.redact_early(spec)
        loaded = options.load_spec(spec, policies, "an agent is run under a spec")
        if loaded.program is None:
            return refused(loaded, format)
    if on_confirm == "stdin":
        check_script(agent_file)
    user = User(*ways(on_confirm, format))
    look = looks.look() if looks is not None else None
    consult = consulted(judging)
    steps: list[Step] = []
    begun: _Begun | None = None
    if screenshots:
        Path(screenshots).mkdir(parents=True, exist_ok=True)  # before a journal is written
    try:
        with sessions.failing(), ExitStack() as stack:
            chosen = sessions.chosen(
                ask=user.put,
                # standard output is the program's, if one is started
                told=saying(format, err=agent_file is None),
                consult=consult,
            )
            if loaded is not None:
                assert device_name is not None
                chosen = replace(chosen, hints=hinting.hints(loaded.checked(), machine=format == "json"))
                agent = _agent(agent_file, loaded.checked(), agent_format)
                session = stack.enter_context(open_guarded(loaded, device_name, chosen))
                begun = _Begun(session, agent)
            else:
                assert resume_file is not None and agent_file is not None
                begun = _resume(stack, resume_file, device_name, (agent_file, agent_format), chosen, hinting)
            session = begun.session
            guard, program = session.guard, session.guard.program
            spoken = language or session.language
            if agent_command is not None:
                status = _commanded(session, agent_command, user, spoken, format)
            else:
                show = (
                    JsonShow(program, session.sources, spoken)
                    if format == "json"
                    else TextShow(program, use_color(sys.stdout), spoken)
                )
                show.begin(
                    session.name,
                    session.device.info.model,
                    session.clock(),
                    begun.resumed,
                    guard.settings.mode,
                )
                pictures = Path(screenshots) if screenshots else None
                watched = Clocked(session.device, session.clock, pictures, session.memory)
                for step in run_agent(
                    guard,
                    watched,
                    begun.proposals,
                    confirm=user.confirm,
                    first=begun.first,
                    looking=looks.looking(look, session.recorder) if looks and look else None,
                ):
                    steps.append(step)
                    show.step(step, user.taken())
                completed = guard.finished and begun.completed(steps)
                session.end(completed)
                legs = roadmap(program, guard.roadmap(), today=guard.today, language=spoken)
                show.end(guard, legs, steps, completed, session.journal)
                status = EXIT_OK if completed else EXIT_FINDINGS
    except KeyboardInterrupt:
        if begun is not None and agent_file is not None:
            path = begun.session.journal.path
            again = shlex.join(["vsac", "run", "--resume", str(path), "--agent", agent_file])
            click.echo(
                f"\nThe session is in {path}; `{again}` goes on.",
                err=True,
            )
        raise
    told_of(begun.session.memory)
    if consult is not None:
        consult.tell()
    hinting.write(begun.session.hints)
    if spec is not None:
        remembering.keep(spec, session.journal.path, status)
    return status


def _commanded(
    session: "GuardedSession", given: "commanded.Commanded", user: "User", language: str, format: str
) -> int:
    """Run an agent's program in an open session."""
    guard = session.guard
    show = guarded.ErrorShow(guard.program, use_color(sys.stderr), language) if format == "text" else None
    run = guarded.Run(session, language, user.settle, show)
    user.around = run.asking
    if show is not None:
        show.begin(session.name, session.device.info.model, session.clock(), None, guard.settings.mode)
    return run.finish(given, run.start(given))


@dataclass
class _Begun:
    """A new or resumed session, and the proposals of the agent."""

    session: "GuardedSession"
    proposals: "tuple[Proposed, ...]"
    first: int = 1

    @property
    def resumed(self) -> "Session | None":
        """The recorded session that is resumed; None if it is new."""
        resumed = self.session.resumed
        return resumed.session if resumed is not None else None

    def completed(self, steps: "list[Step]") -> bool:
        """Whether the last action that was carried out is a `finish` that the task allows (in every mode)."""
        if steps:
            last = steps[-1]
            return last.proposed.action.name == "finish" and _holds(last.verdict.level, last.verdict.binding)
        done = [step for step in self.resumed.steps if step.commit] if self.resumed is not None else []
        if not done or not done[-1].proposed.attempts:
            return False
        holds = _holds(done[-1].level, done[-1].verdict.get("binding", True) is True)
        return done[-1].proposed.attempts[0].name == "finish" and holds


def _agent(file: str | None, program: "Program", format: str) -> "tuple[Proposed, ...]":
    from vsalang.agents import ScriptedAgent

    return ScriptedAgent.read(file, program, format).proposals if file else ()


def _holds(level: str, binding: bool) -> bool:
    """Whether a `finish` completes the task: not if it passed only because the guard does not enforce."""
    return level == "allow" or (level == "confirm" and binding)


def _resume(
    stack: ExitStack,
    journal_file: str,
    device_name: str | None,
    agent: tuple[str, str],
    chosen: "SessionOptions",
    hinting: "HintOptions",
) -> _Begun:
    from vsalang.agents.session import resume_guarded
    from vsalang.guard.journal import read_session, recorded_program

    known = read_session(journal_file)
    if not (device_name or known.header.get("device")):
        raise Failure(f"{journal_file} does not say which device it was", "name it with --device")
    program = recorded_program(known).checked()
    proposals = _agent(agent[0], program, agent[1])
    chosen = replace(chosen, hints=hinting.hints(program, machine=False))
    if any(proposed.then for proposed in proposals):
        raise Failure(
            f"{agent[0]} holds commitments (lines that are lists): a journal does not say what was left out of them",
            "write a file of what remains to be done, one action a line, and run it under a new session",
        )
    check_judged(known, proposals, agent[0])  # before anything is written
    session = stack.enter_context(resume_guarded(journal_file, device_name, chosen))
    begun = _Begun(session, proposals)
    assert begun.resumed is not None
    begun.first = len(judged(begun.resumed)) + 1
    begun.proposals = () if session.guard.finished else proposals[begun.first - 1 :]
    return begun
