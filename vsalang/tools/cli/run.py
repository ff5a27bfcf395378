"""``vsac run``: run an agent on a device with the guard between them, and show what happens."""

import datetime as dt
import math
import os
import select
import shlex
import sys
from contextlib import ExitStack, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import click

from vsalang.base.names import MODES, EngineName, Sync
from vsalang.tools.cli import commanded, options, sessions
from vsalang.tools.cli.certified import certificates_option, told_of
from vsalang.tools.cli.common import (
    EXIT_FINDINGS,
    EXIT_OK,
    Failure,
    format_option,
    refused,
    use_color,
)
from vsalang.tools.cli.hint_options import hint_options
from vsalang.tools.cli.inforce import saying
from vsalang.tools.cli.judge_options import consulted, judge_options
from vsalang.tools.cli.looks import look_options
from vsalang.tools.cli.on_confirm import OnConfirm, answering_program, may_answer_itself, on_confirm_way
from vsalang.tools.cli.output import echo
from vsalang.tools.cli.remembering import remember_run
from vsalang.tools.cli.runshow import JsonShow, TextShow

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from vsalang.agents import Proposed, Step
    from vsalang.agents.session import GuardedSession, SessionOptions
    from vsalang.agents.session.transparent import AgentProgram
    from vsalang.base.names import Mode
    from vsalang.guard import Question, Verdict
    from vsalang.guard.journal import Session
    from vsalang.guard.journal.recorded_session import Step as Judged
    from vsalang.language.semantics import Loaded
    from vsalang.program.ir import Program
    from vsalang.tools.cli.hint_options import HintOptions
    from vsalang.tools.cli.judge_options import JudgeOptions
    from vsalang.tools.cli.looks import LookOptions
    from vsalang.tools.cli.remembering import RememberingRun


_on_confirm = click.option(
    "--on-confirm",
    type=OnConfirm(),
    callback=on_confirm_way,
    metavar="ask|no|stdin|fd:N",
    help="What to do when the user must agree first. ask: the terminal asks for a code. stdin: for scripts, each line "
    "of the standard input answers one question. fd:N: the program that started vsac answers, over a socket that it "
    "left open as descriptor N. [default: ask if the standard input is a terminal, else no]",
)
_mode = click.option(
    "--mode",
    type=click.Choice(MODES),
    help="enforce: verdicts decide. ask: they decide, and you have a limited time to confirm. shadow: NOTHING is held "
    "back; what the guard would have said is shown and recorded. [default: enforce]",
)
_ask_timeout = click.option(
    "--ask-timeout",
    type=options.Numbers(1, 3600),
    metavar="SECONDS",
    help="How long there is to answer with --mode ask or --on-confirm fd:N; then the answer is no. [default: 60]",
)


def _not_too_long(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    if value is None:
        return None
    from vsalang.guard.session import MAX_INSTRUCTION

    if len(value) > MAX_INSTRUCTION:
        raise click.BadParameter(
            f"an instruction has at most {MAX_INSTRUCTION} characters, this one {len(value)}", ctx, param
        )
    return value


_instruction = click.option(
    "--instruction",
    metavar="TEXT",
    callback=_not_too_long,
    help="What the user asked for, in their words, for rules that read `Instruction`. [default: what SPEC says]",
)


def _of_session(function: "Callable[..., Any]") -> "Callable[..., Any]":
    """Add what `run` and `guard` have in common: the spec, the phone, and how it is guarded."""
    for option in reversed(
        [
            click.argument("spec", metavar="[SPEC]", required=False),
            click.option(
                "--device", "device_name", metavar="NAME", help="sim:NAME, sim:FOLDER, or a serial of adb."
            ),
            options.policy,
            options.no_contracts,
            options.redact,
            options.journal,
            options.sync,
            options.resume,
            options.head,
            options.today,
            _instruction,
            options.trace,
            _on_confirm,
            _mode,
            _ask_timeout,
            options.engine(),
            options.open_app,
            options.language(),
            remember_run,
            certificates_option,
            judge_options,
            hint_options,
            format_option("text", "json"),
        ]
    ):
        function = option(function)
    return function


@click.command(name="run")
@_of_session
@click.option(
    "--agent",
    "agent_file",
    metavar="FILE",
    help="The agent's proposals, one JSON object a line.",
)
@options.agent_format
@click.option("--screenshots", metavar="DIR", help="Save a picture of the screen before each proposal.")
@look_options
@commanded.options
def command(**given: Any) -> int:
    """Judge every proposal of an agent against SPEC and the policies, and let the device do only what is allowed.

    The agent is a file of proposals (--agent). To guard a program that drives a phone by itself: `vsac guard`.

    Exit status: 0 the task was completed, 1 it was not (or SPEC has errors), 2 it could not be run or the phone was
    lost, 130 it was interrupted.
    """
    return _run(**given)


commanded.hide(command)


@click.command(name="guard")
@_of_session
@commanded.options
def guard(**given: Any) -> int:
    """Start COMMAND with a phone of its own behind the guard, and let the device do only what SPEC and policies allow.

    COMMAND is any program that drives a phone through adb, unchanged: it finds the guarded phone by its environment
    (ANDROID_SERIAL, ANDROID_ADB_SERVER_PORT, ...). Messages go to standard error; standard output is the program's.

        vsac guard order.vsa --device emulator-5554 -- python my_agent.py

    Exit status: 0 the task was completed, 1 it was not (or SPEC has errors), 2 it could not be run or the phone was
    lost, 130 it was interrupted.
    """
    if given["resume_file"] is not None and given["spec"] is not None:
        # there is no SPEC then: the first word is the program's
        given |= {"spec": None, "agent_command": (given["spec"], *given["agent_command"])}
        click.get_current_context().params["spec"] = None
    if not given["agent_command"]:
        raise click.UsageError("Missing the program: `vsac guard SPEC ... -- COMMAND`.")
    return _run(agent_file=None, agent_format="auto", screenshots=None, looks=None, **given)


def _run(
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
    instruction: str | None,
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
    """Guard an agent's file or program; return the exit status."""
    from vsalang.agents import run_agent
    from vsalang.agents.session import Clocked, open_guarded
    from vsalang.guard.say.feedback import roadmap

    loaded: Loaded | None = None
    answering = answering_program(on_confirm)  # before anything is started that could inherit it
    if answering is not None:
        click.get_current_context().call_on_close(answering.close)
    agent_command = commanded.commanded(about_command)
    if agent_command is not None:
        if any(given is not None for given in (agent_file, screenshots, looks)):
            raise click.UsageError("--agent, --screenshots and --look-model cannot be given with COMMAND.")
        commanded.check(agent_command)
    elif agent_file is None:
        raise click.UsageError(
            "Missing option '--agent'. (To guard a program: `vsac guard SPEC ... -- COMMAND`.)"
        )
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
    user = User(answering.ask, answering.ask) if answering is not None else User(*ways(on_confirm, format))
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
                assert resume_file is not None
                begun = _resume(stack, resume_file, device_name, (agent_file, agent_format), chosen, hinting)
            session = begun.session
            guard, program = session.guard, session.guard.program
            if answering is not None:
                answering.limit = guard.settings.ask_timeout.total_seconds()
                session.recorder.answered_by(answering.about)
                if agent_command is not None:
                    may_answer_itself(agent_command, answering.name)
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
    session: "GuardedSession", program: "AgentProgram", user: "User", language: str, format: str
) -> int:
    """Run an agent's program in an open session."""
    from vsalang.agents.session.transparent import TransparentSession

    guard = session.guard
    show = commanded.ErrorShow(guard.program, use_color(sys.stderr), language) if format == "text" else None
    run = TransparentSession(session, user.settle, language, show)
    user.around = run.asking
    if show is not None:
        show.begin(session.name, session.device.info.model, session.clock(), None, guard.settings.mode)
    return commanded.finish(run, program, run.run(program), show)


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
    agent: tuple[str | None, str],
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
    if agent[0] is not None:
        check_judged(known, proposals, agent[0])  # before anything is written
    session = stack.enter_context(resume_guarded(journal_file, device_name, chosen))
    begun = _Begun(session, proposals)
    assert begun.resumed is not None
    begun.first = len(judged(begun.resumed)) + 1
    begun.proposals = () if session.guard.finished else proposals[begun.first - 1 :]
    return begun


Way: TypeAlias = "Callable[[Verdict, Callable[[], float]], bool | None]"
"""A function that asks about a verdict; the second argument gives the seconds that are left. It returns None if nobody
answers in time, and raises `vsalang.guard.user.terminal.NobodyThere`."""


def ways(on_confirm: str | None, format: str) -> "tuple[Way | None, Way | None]":
    """How the user is asked if the guard does not ask itself, and how if it does; None: not at all.

    By default the user is asked on the terminal, if the standard input is one.
    """
    from vsalang.guard.user.terminal import ask

    if on_confirm == "no":
        return None, None
    if on_confirm == "stdin":
        return by_script, by_script
    if on_confirm == "ask":
        return ask, ask
    there = sys.stdin is not None and sys.stdin.isatty()
    return ask if there and format == "text" else None, ask if there else None


def check_script(agent_file: str | None) -> None:
    """Refuse answers from a standard input that the agent writes.

    Raises:
        click.UsageError: the agent writes it.
    """
    try:
        shared = agent_file is None or os.path.samestat(Path(agent_file).stat(), os.fstat(0))
    except OSError:
        shared = agent_file in (None, "-")
    if shared:
        raise click.UsageError(
            "--on-confirm stdin: the standard input is the agent's, so no answer comes from there."
        )


def by_script(verdict: "Verdict", left: "Callable[[], float]") -> bool | None:
    """Print the question on standard error; the next line of the standard input answers it. `yes` and `y` agree."""
    from vsalang.guard.user.terminal import NobodyThere, said_of

    seconds = left()
    limit = "" if seconds == math.inf else f", {seconds:.0f} s"
    echo(
        "\n" + "\n".join(f"      {text}" for text in said_of(verdict)) + f" [y/N{limit}, by a script]",
        err=True,
    )
    typed = b""
    try:
        handle = sys.stdin.fileno()
        # byte by byte: the next line answers the next question
        while not typed.endswith(b"\n"):
            if (seconds := left()) <= 0:
                echo("      Nobody answered in time: no.", err=True)
                return None
            if select.select([handle], [], [], min(0.2, seconds))[0]:
                byte = os.read(handle, 1)
                if not byte:
                    raise NobodyThere("the standard input is at its end")
                typed += byte
    except (OSError, ValueError, AttributeError) as error:
        raise NobodyThere("there is no standard input") from error
    return typed.strip().lower() in (b"y", b"yes")


class User:
    """Asks the user, and remembers the last answer.

    Args:
        way: how to ask if the guard does not ask itself; None: nobody is asked.
        own: how to ask if it does.
    """

    def __init__(self, way: "Way | None", own: "Way | None") -> None:
        self._way = way
        self._own = own
        self._said = ""
        self._question: Question | None = None
        self.around: Callable[[], AbstractContextManager[None]] = nullcontext

    def settle(self, verdict: "Verdict") -> bool | None:
        """See `vsalang.phone.gate.Confirm`; the caller has taken the terminal."""
        from vsalang.guard.user.terminal import NobodyThere, forever

        if self._way is None:
            return None
        try:
            return self._way(verdict, forever)
        except NobodyThere as error:
            _nobody(error)
            return None

    def confirm(self, proposed: "Proposed", verdict: "Verdict") -> bool | None:
        """Whether the user agrees to an action; None: nobody answered."""
        agreed = self.settle(verdict)
        self._said = {True: "agreed", False: "refused", None: "nobody answered"}[agreed]
        return agreed

    def put(self, question: "Question") -> bool | None:
        """Ask the user on the terminal; None: nobody answered."""
        from vsalang.guard.user.terminal import NobodyThere

        self._question = question
        if self._own is None:
            self._said = "nobody answered"
            question.unasked()
            return None
        try:
            with self.around():
                return self._own(question.verdict, lambda: question.left.total_seconds())
        except NobodyThere as error:
            question.unasked()
            _nobody(error)
            return None

    def taken(self) -> str:
        """The answer to the question since the last call of this; empty if there was none."""
        said, question = self._said, self._question
        self._said, self._question = "", None
        if said or question is None:
            return said
        words = {"yes": "agreed", "no": "refused", "withdrawn": "withdrawn"}
        words |= dict.fromkeys(("timeout", "unasked"), "nobody answered")
        return words.get(str(question.outcome), "")


def _nobody(error: Exception) -> None:
    echo(f"      Nobody could be asked: {error}. The answer is no.", err=True)


def judged(session: "Session") -> "list[Judged]":
    """The proposals of a session as the agent made them, without those that were open when it was interrupted."""
    from vsalang.guard.step import TRIES

    cuts = [record.number for record in session.records if record.kind == "resume"]
    cuts.append(len(session.records) + 1)
    found: list[Judged] = []
    tries = 0
    for number, step in enumerate(session.steps):
        later = session.steps[number + 1].record if number + 1 < len(session.steps) else cuts[-1]
        if step.open and any(step.record < cut <= later for cut in cuts):
            continue
        last = found[-1] if found else None
        same = last is not None and last.proposed.key() == step.proposed.key()
        # a proposal that the guard judged again in shadow mode, because the screen had changed, was made once
        if same and last is not None and last.shadow and last.refused and tries < TRIES:
            found[-1] = step
            tries += 1
        else:
            found.append(step)
            tries = 1
    return found


def check_judged(session: "Session", proposals: "tuple[Proposed, ...]", agent_file: str) -> None:
    """Refuse an agent file that is not the session's: it would not be known which of its lines were judged."""
    from vsalang.guard import Proposal
    from vsalang.program.action import GESTURES
    from vsalang.program.text import line

    remedy = "give the session's whole agent file: what was judged already is not proposed again"
    known = judged(session)
    for number, (step, proposed) in enumerate(zip(known, proposals, strict=False), 1):
        action = proposed.action
        gesture = action if action.name in GESTURES else None
        said = Proposal(gesture, () if gesture else (action,), proposed.claims)
        if said.key() != step.proposed.key():
            raise Failure(
                f"{agent_file} is not the agent file of {session.path}: its proposal {number} is "
                f"{line(str(said), 200)}, and {line(str(step.proposed), 200)} was judged",
                remedy,
            )
    if len(proposals) < len(known):
        raise Failure(
            f"{agent_file} is not the agent file of {session.path}: {len(known)} proposals were judged, "
            f"and it has {len(proposals)}",
            remedy,
        )
