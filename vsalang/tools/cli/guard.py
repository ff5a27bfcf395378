"""``vsac guard SPEC -- COMMAND``: starts any program with a guarded phone of its own, and shows what happens."""

import shutil
import sys
from collections.abc import Iterable
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final

import click

from vsalang.agents.session import GuardedSession
from vsalang.agents.session.transparent import AgentProgram, TransparentSession
from vsalang.base.diagnostics.display import count
from vsalang.base.options import group
from vsalang.base.records import dataclass
from vsalang.guard.say.feedback import roadmap
from vsalang.phone.gate import GateEvent
from vsalang.phone.gate.bypass import Bypass
from vsalang.phone.gate.telling import FeedbackFile
from vsalang.tools.cli import frame, sessions
from vsalang.tools.cli.common import EXIT_FAILED, EXIT_FINDINGS, EXIT_OK, Failure, require, use_color
from vsalang.tools.cli.frame import Output
from vsalang.tools.cli.guarding import GuardingOptions, Run
from vsalang.tools.cli.on_confirm import check_script, may_answer_itself
from vsalang.tools.cli.output import echo, echo_json
from vsalang.tools.cli.phones import warn_of_strangers
from vsalang.tools.cli.runshow import TextShow


@dataclass(frozen=True, slots=True)
class GuardOptions:
    """The program that is guarded, and by what."""

    guarding: GuardingOptions = group(GuardingOptions)
    program: AgentProgram = group(AgentProgram)


def _without_spec(parameters: dict[str, Any]) -> None:
    """With --resume, or with --instruction alone, there is no SPEC: the first word is the program's."""
    spec = parameters["spec"]
    charter = parameters["instruction"] is not None and spec is not None and not spec.endswith(".vsa")
    if (parameters["resume"] is not None or charter) and spec is not None:
        parameters |= {"spec": None, "command": (parameters["spec"], *parameters["command"])}


@frame.as_command("text", "json", one_of=("SPEC", "--instruction", "--resume"), prepare=_without_spec)
def command(options: GuardOptions, output: Output) -> int:
    """Start COMMAND with a phone of its own behind the guard, and let the device do only what SPEC and policies allow.

    COMMAND is any program that drives a phone through adb, unchanged: it finds the guarded phone by its environment
    (ANDROID_SERIAL, ANDROID_ADB_SERVER_PORT, ...). Messages go to standard error; standard output is the program's.

        vsac guard order.vsa --device emulator-5554 -- python my_agent.py
        vsac guard --instruction "Order a pizza for at most 15 euros" --device emulator-5554 -- python my_agent.py

    Exit status: 0 the task was completed, 1 it was not (or SPEC has errors), 2 it could not be run, the phone was lost,
    or COMMAND went around the guard, 130 it was interrupted.
    """
    program = options.program
    if not program.command:
        raise click.UsageError("Missing the program: `vsac guard SPEC ... -- COMMAND`.")
    if options.guarding.on_confirm == "stdin":
        check_script(None)
    _check(program)
    with sessions.failing(), ExitStack() as stack:
        run = Run(options.guarding, output, stack)
        session = run.open()
        if run.answering is not None:
            may_answer_itself(program, run.answering.name)
        status = _run(session, program, run, output)
    run.finish(status)
    return status


def _run(session: GuardedSession, program: AgentProgram, run: Run, output: Output) -> int:
    """Run an agent's program in an open session."""
    guard, language = session.guard, run.language
    show = None if output.machine else ErrorShow(guard.program, use_color(sys.stderr), language)
    transparent = TransparentSession(session, run.user.settle, language, show)
    run.user.around = transparent.asking
    run.when_ended(transparent.end)
    if show is not None:
        show.begin(session.name, session.device.info.model, session.clock(), None, guard.settings.mode)
    return finish(transparent, program, transparent.run(program), show)


_REAL: Final = (
    "Every user of this machine can connect to the ports that the adb command's server opens by itself "
    "(--adb-server real, `adb forward`): it accepts everybody. Leave the option out if others have accounts here."
)


class ErrorShow(TextShow):
    """Shows the run to people on standard error: standard output is the agent's."""

    def say(self, text: str = "", *, nl: bool = True) -> None:
        """Print a line at once."""
        echo(text, nl=nl, color=self.color, err=True)

    def ready(self, program: AgentProgram, serial: str, port: int, open_ways: Iterable[Bypass]) -> None:
        """Say how the agent finds the phone, and what leads around the guard."""
        self.say(f"The agent finds the phone by ANDROID_SERIAL={serial} ANDROID_ADB_SERVER_PORT={port}")
        if warning := warn_of_strangers("this port"):
            self.wrapped(warning, "", 0)
        if program.adb_server == "real":
            self.wrapped(_REAL, "", 0)
        if ways := [f"{way.name} ({way.where})" for way in open_ways]:
            self.wrapped(
                f"Not guarded, and open to a program that looks for it: {', '.join(ways)}. "
                "docs/guides/transparent-guard.md says how to close it.",
                "",
                0,
            )
        self.say()

    def refused(self, event: GateEvent) -> None:
        """Show a request that was refused without a verdict."""
        self.say(f"{event.number:>3}  {event.what}  " + self.style("REFUSED", fg="red", bold=True))
        self.wrapped(event.feedback, "     " + self.style("│", fg="red") + " ", 7)


def finish(
    run: TransparentSession,
    program: AgentProgram,
    status: int,
    show: ErrorShow | None,
) -> int:
    """End the session and show how the run ended, as JSON if there is no `show`; return the exit status of ``vsac``."""
    run.session.end(run.completed)
    guard = run.guard
    if show is None:
        echo_json(run.summary(program, status))
    else:
        legs = roadmap(guard.program, guard.roadmap(), today=guard.today, language=run.language)
        if status != 0:
            how = f"was ended by signal {-status}" if status < 0 else f"ended with exit status {status}"
            show.say(f"The agent's program {how}.")
        if refused := run.counts.get("refused", 0):
            show.say(f"{count(refused, 'request')} refused: never allowed, or not understood.")
        if run.interrupted:
            show.say("It was interrupted: nothing is said to be done.")
        elif run.lost:
            show.say(f"The phone was lost: {run.lost}")
        if run.around:
            show.wrapped(run.around, "", 0)
        show.end(guard, legs, run.steps, run.completed, run.session.journal)
    if run.interrupted:
        return 128 + run.interrupted
    if run.lost or run.around:
        return EXIT_FAILED
    return EXIT_OK if run.completed else EXIT_FINDINGS


def _check(program: AgentProgram) -> None:
    """Check that the program exists, before anything is started.

    Raises:
        Failure: it does not, or the feedback file cannot be written.
    """
    require("h11", "device")
    name = program.command[0]
    if shutil.which(name) is None:
        path = Path(name)
        if path.is_dir():
            raise Failure(f"`{name}` is a folder, not a program", "give the agent's command behind `--`")
        if path.is_file() and "/" in name:
            raise Failure(f"`{name}` may not be executed", f"chmod +x {name}, or name what runs it")
        raise Failure(f"there is no program `{name}`", "give the agent's command behind `--`")
    if program.feedback_file is not None:
        try:
            FeedbackFile(program.feedback_file).close()
        except OSError as error:
            raise Failure(
                f"--feedback {program.feedback_file}: it cannot be written: {error.strerror or error}",
                "name a file in a folder that is there, and no link",
            ) from error
