"""``vsac run``: run an agent on a device with the guard between them, and show what happens."""

import shlex
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Final

import click

from vsalang.agents import Proposed, ScriptedAgent, Step, run_agent
from vsalang.agents.session import ClockedDevice
from vsalang.agents.session.agent_file import check_judged, judged
from vsalang.base.options import group, option
from vsalang.base.records import dataclass
from vsalang.guard.journal import Session
from vsalang.guard.say.feedback import roadmap
from vsalang.models.encode.look import LookOptions
from vsalang.phone.vocabulary import Surface
from vsalang.tools.cli import frame, sessions, shared
from vsalang.tools.cli.common import EXIT_FINDINGS, EXIT_OK, Failure, use_color
from vsalang.tools.cli.frame import Output
from vsalang.tools.cli.guarding import GuardingOptions, Run
from vsalang.tools.cli.looks import look_of, looking
from vsalang.tools.cli.on_confirm import check_script
from vsalang.tools.cli.runshow import JsonShow, TextShow

_SIZES: Final = (1000, 2000)
"""Two sizes of a screen, in pixels: places that are parts of it differ between them."""
_GUARD: Final = "to guard a program, `vsac guard SPEC .. -- COMMAND`"


@dataclass(frozen=True, slots=True)
class RunOptions:
    """Whose proposals are judged, and by what."""

    guarding: GuardingOptions = group(
        GuardingOptions,
        needs={
            "spec": {"--agent": _GUARD},
            "session.instruction": {"--agent": _GUARD},
            "resume": {"--agent": _GUARD},
        },
    )
    agent: str | None = option(
        "--agent", metavar="FILE", help="The agent's proposals, one JSON object a line."
    )
    agent_format: str = shared.agent_format()
    screenshots: Path | None = option(
        "--screenshots", metavar="DIR", help="Save a picture of the screen before each proposal."
    )
    look: LookOptions | None = group(LookOptions, when="--look-model")


@frame.as_command("text", "json", one_of=("SPEC", "--instruction", "--resume"))
def command(options: RunOptions, output: Output) -> int:
    """Judge every proposal of an agent against SPEC and the policies, and let the device do only what is allowed.

    With --instruction in place of SPEC a model writes the charter of what you ask for, for any app, and you agree to
    it before anything starts. The agent is a file of proposals (--agent). To guard a program that drives a phone by
    itself: `vsac guard`.

    Exit status: 0 the task was completed, 1 it was not (or SPEC has errors), 2 it could not be run or the phone was
    lost, 130 it was interrupted.
    """
    assert options.agent is not None
    if options.guarding.on_confirm == "stdin":
        check_script(options.agent)
    run: Run | None = None
    try:
        with sessions.failing(), ExitStack() as stack:
            run = Run(options.guarding, output, stack)
            status = _run(options, options.agent, run, output)
    except KeyboardInterrupt:
        if run is not None and run.opened:
            path = run.session.journal.path
            again = shlex.join(["vsac", "run", "--resume", str(path), "--agent", options.agent])
            click.echo(f"\nThe session is in {path}; `{again}` goes on.", err=True)
        raise
    run.finish(status)
    return status


def _run(options: RunOptions, file: str, run: Run, output: Output) -> int:
    """Judge the proposals of a file in a session."""
    look = look_of(options.look)
    if options.screenshots is not None:
        options.screenshots.mkdir(parents=True, exist_ok=True)  # before a journal is written
    proposals, in_parts = _before_the_screen(file, run, options.agent_format)
    if run.known is not None:
        if in_parts:
            raise Failure(
                f"{file} gives places in parts of a screen: it is not known which pixels they were",
                "run it under a new session",
            )
        _check_resumed(run.known, proposals, file)
    session = run.open(err=False)
    if in_parts:
        info = session.device.info
        screen = Surface(info.width, info.height)
        proposals = ScriptedAgent.read(file, run.program, options.agent_format, screen).proposals
    guard, program = session.guard, session.guard.program
    resumed = session.resumed.session if session.resumed is not None else None
    first = 1
    if resumed is not None:
        first = len(judged(resumed)) + 1
        proposals = () if guard.finished else proposals[first - 1 :]
    show = (
        JsonShow(program, session.sources, run.language)
        if output.machine
        else TextShow(program, use_color(sys.stdout), run.language)
    )
    show.begin(session.name, session.device.info.model, session.clock(), resumed, guard.settings.mode)
    watched = ClockedDevice(session.device, session.clock, options.screenshots, session.memory)
    steps: list[Step] = []
    for step in run_agent(
        guard,
        watched,
        proposals,
        confirm=run.user.confirm,
        first=first,
        looking=looking(options.look, look, session.recorder) if options.look and look else None,
    ):
        steps.append(step)
        show.step(step, run.user.taken())
    completed = guard.finished and _completed(steps, resumed)
    session.end(completed)
    legs = roadmap(program, guard.roadmap(), today=guard.today, language=run.language)
    show.end(guard, legs, steps, completed, session.journal)
    return EXIT_OK if completed else EXIT_FINDINGS


def _before_the_screen(file: str, run: Run, format: str) -> tuple[tuple[Proposed, ...], bool]:
    """The proposals of a file, checked before there is a screen, and whether their places depend on its size."""
    one, other = (
        ScriptedAgent.read(file, run.program, format, Surface(size, size)).proposals for size in _SIZES
    )
    return one, one != other


def _check_resumed(known: Session, proposals: tuple[Proposed, ...], file: str) -> None:
    """Refuse an agent file with which a session cannot go on, before anything is written.

    Raises:
        Failure: it holds commitments.
        SessionError: it is not the file of the session.
    """
    if any(proposed.then for proposed in proposals):
        raise Failure(
            f"{file} holds commitments (lines that are lists): a journal does not say what was left out of them",
            "write a file of what remains to be done, one action a line, and run it under a new session",
        )
    check_judged(known, proposals, file)


def _completed(steps: Sequence[Step], resumed: Session | None) -> bool:
    """Whether the last action that was carried out is a `finish` that the task allows (in every mode)."""
    if steps:
        last = steps[-1]
        return last.proposed.action.name == "finish" and _holds(last.verdict.level, last.verdict.binding)
    done = [step for step in resumed.steps if step.commit] if resumed is not None else []
    if not done or not done[-1].proposed.attempts:
        return False
    holds = _holds(done[-1].level, done[-1].verdict.get("binding", True) is True)
    return done[-1].proposed.attempts[0].name == "finish" and holds


def _holds(level: str, binding: bool) -> bool:
    """Whether a `finish` completes the task: not if it passed only because the guard does not enforce."""
    return level == "allow" or (level == "confirm" and binding)
