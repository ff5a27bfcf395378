"""``vsac run``: run an agent on a device with the guard between them, and show what happens."""

import datetime as dt
import shlex
import sys
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import click

from vsalang.cli import commanded, guarded, options
from vsalang.cli.common import (
    EXIT_FAILED,
    EXIT_FINDINGS,
    EXIT_OK,
    Failure,
    format_option,
    policy_files,
    report,
    use_color,
)
from vsalang.cli.runasking import User, check_script, ways
from vsalang.cli.runresumed import check_judged, judged
from vsalang.cli.runshow import JsonShow, TextShow
from vsalang.cli.runwatched import Watched
from vsalang.names import DEFAULT_ENGINE, ENGINES, LANGUAGES, MODES, EngineName, Sync

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Self

    from vsalang.agents import Proposed, Step
    from vsalang.config import Config
    from vsalang.device import Device
    from vsalang.guard import Asker, Guard, Mode, Settings
    from vsalang.guard.clock import ScreenClock
    from vsalang.journal import Recorder, Session
    from vsalang.journal.file import Journal
    from vsalang.semantics import Loaded
    from vsalang.source import Source


@click.command()
@click.argument("spec", metavar="[SPEC]", required=False)
@click.option("--device", "device_name", metavar="NAME", help="sim:NAME, sim:FOLDER, or a serial of adb.")
@click.option(
    "--agent",
    "agent_file",
    metavar="FILE",
    help="The agent's proposals, one JSON object a line; instead of COMMAND.",
)
@click.option(
    "--agent-format",
    type=click.Choice(
        "auto vsalang adb androidworld droidtask m3a mobile-use mobilerun uiautomator2 verisafe".split()
    ),
    default="auto",
    show_default=True,
    help="In whose words the proposals are; auto: each line says.",
)
@options.policy
@options.journal
@options.sync
@click.option(
    "--resume",
    "resume_file",
    metavar="JOURNAL",
    help="Go on with the session of a journal, instead of SPEC: its program, policies, settings and day.",
)
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
    type=click.FloatRange(1, 3600),
    metavar="SECONDS",
    help="How long there is to answer with --mode ask; then the answer is no. [default: 60]",
)
@click.option(
    "--engine",
    type=click.Choice(ENGINES),
    help="Which evaluator decides. [default: what vsac.toml says, else incremental]",
)
@click.option(
    "--open",
    "package",
    metavar="PACKAGE",
    help="Open this app before the agent starts, on the user's behalf.",
)
@click.option(
    "--language",
    type=click.Choice(LANGUAGES),
    help="In which language reasons and the roadmap are said. [default: what vsac.toml says, else en]",
)
@click.option("--screenshots", metavar="DIR", help="Save a picture of the screen before each proposal.")
@commanded.options
@format_option("text", "json")
def command(
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
    screenshots: str | None,
    format: str,
    **about_command: object,
) -> int:
    """Judge every proposal of an agent against SPEC and the policies, and let the device do only what is allowed.

    The agent is a file of proposals (--agent), or a program: COMMAND is started, unchanged, with a phone of its own
    behind the guard, which it finds by its environment (ANDROID_SERIAL, ANDROID_ADB_SERVER_PORT, ...). What is said
    of such a run goes to standard error; standard output is the program's.

    Exit status: 0 the task was completed, 1 it was not (or SPEC has errors), 2 it could not be run or the phone was
    lost, 130 it was interrupted.
    """
    from vsalang.agents import AgentError, run_agent
    from vsalang.device import DeviceError
    from vsalang.guard import GuardFailed
    from vsalang.guard.feedback import roadmap
    from vsalang.journal.file import JournalError

    loaded: Loaded | None = None
    agent_command = commanded.commanded(about_command)
    if agent_command is not None:
        if agent_file is not None or resume_file is not None or screenshots is not None:
            raise click.UsageError("--agent, --resume and --screenshots cannot be given with COMMAND.")
        agent_command.check()
    elif agent_file is None:
        raise click.UsageError("Missing the agent: --agent FILE, or `-- COMMAND`.")
    options.head_given(head, resume_file)
    if resume_file is not None:
        given = {
            "SPEC": spec,
            "--policy": policies,
            "--journal": journal_file,
            "--today": today,
            "--engine": engine,
            "--mode": mode,
            "--ask-timeout": ask_timeout,
        }
        _not_given(given)
    elif spec is None:
        raise click.UsageError("Missing argument 'SPEC'.")
    elif device_name is None:
        raise click.UsageError("Missing option '--device'.")
    else:
        loaded = options.load_spec(spec, policies, "an agent is run under a spec")
        if loaded.program is None:
            status = report(loaded.diagnostics, loaded.sources, format)
            return EXIT_FAILED if any(d.code.startswith("E000") for d in loaded.diagnostics) else status
    if on_confirm == "stdin":
        check_script(agent_file)
    user = User(*ways(on_confirm, format))
    asker = user.put
    steps: list[Step] = []
    begun: _Begun | None = None
    if screenshots:
        Path(screenshots).mkdir(parents=True, exist_ok=True)  # before anything is written of a session
    try:
        with ExitStack() as stack:
            if loaded is not None:
                assert spec is not None and device_name is not None
                begun = _begin(
                    stack,
                    loaded,
                    spec,
                    device_name,
                    journal_file,
                    sync,
                    today,
                    engine,
                    package,
                    policies,
                    agent_file,
                    agent_format,
                    mode,
                    ask_timeout,
                    asker,
                    format,
                )
            else:
                assert resume_file is not None and agent_file is not None
                begun = _resume(
                    stack,
                    resume_file,
                    device_name,
                    sync,
                    head,
                    package,
                    agent_file,
                    agent_format,
                    asker,
                    format,
                )
            guard, recorder, program = begun.guard, begun.recorder, begun.guard.program
            spoken = language or begun.language
            if agent_command is not None:
                return _commanded(begun, agent_command, user, spoken, format)
            show = (
                JsonShow(program, begun.sources, spoken)
                if format == "json"
                else TextShow(program, use_color(sys.stdout), spoken)
            )
            show.begin(
                begun.device_name,
                begun.device.info.model,
                begun.clock(),
                begun.resumed,
                guard.settings.mode,
            )
            watched = Watched(begun.device, begun.clock, Path(screenshots) if screenshots else None)
            for step in run_agent(
                guard,
                watched,
                begun.proposals,
                recorder=recorder,
                confirm=user.confirm,
                first=begun.first,
            ):
                steps.append(step)
                show.step(step, user.taken())
            completed = guard.finished and begun.completed(steps)
            recorder.end(completed=completed)
            legs = roadmap(program, guard.roadmap(), today=guard.today, language=spoken)
            show.end(guard, legs, steps, completed, recorder.journal)
    except (AgentError, DeviceError, GuardFailed, JournalError) as error:
        raise Failure(str(error)) from error
    except KeyboardInterrupt:
        if begun is not None and agent_file is not None:
            path = begun.recorder.journal.path
            again = shlex.join(["vsac", "run", "--resume", str(path), "--agent", agent_file])
            click.echo(
                f"\nThe session is in {path}; `{again}` goes on.",
                err=True,
            )
        raise
    return EXIT_OK if completed else EXIT_FINDINGS


def _commanded(
    begun: "_Begun", given: "commanded.Commanded", user: "User", language: str, format: str
) -> int:
    """Run an agent's program against the session that has begun."""
    guard = begun.guard
    show = guarded.ErrorShow(guard.program, use_color(sys.stderr), language) if format == "text" else None
    run = guarded.Run(
        guard,
        begun.recorder,
        begun.device,
        begun.device_name,
        begun.clock,
        begun.sources,
        language,
        user.settle,
        show,
    )
    user.around = run.asking
    if show is not None:
        show.begin(begun.device_name, begun.device.info.model, begun.clock(), None, guard.settings.mode)
    return run.finish(given, run.start(given))


def _not_given(options: "Mapping[str, object]") -> None:
    """Refuse what the journal decides when a session is resumed."""
    for name, value in options.items():
        if value:
            raise click.UsageError(f"{name} cannot be given with --resume: the journal says it.")


@dataclass
class _Begun:
    """A session that has begun, or goes on."""

    guard: "Guard"
    recorder: "Recorder"
    device: "Device"
    device_name: str
    clock: "ScreenClock"
    proposals: "tuple[Proposed, ...]"
    first: int = 1
    resumed: "Session | None" = None
    sources: "Mapping[str, Source]" = field(default_factory=dict)
    language: str = "en"

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


def _begin(
    stack: ExitStack,
    loaded: "Loaded",
    spec: str,
    device_name: str,
    journal_file: str | None,
    sync: "Sync",
    today: dt.datetime | None,
    engine: "EngineName | None",
    package: str | None,
    policies: tuple[str, ...],
    agent_file: str | None,
    agent_format: str,
    mode: "Mode | None",
    ask_timeout: float | None,
    asker: "Asker",
    format: str,
) -> _Begun:
    from dataclasses import replace

    from vsalang.agents import ScriptedAgent
    from vsalang.cli.inforce import in_force
    from vsalang.config import config_in_force
    from vsalang.guard import Guard
    from vsalang.guard.clock import ScreenClock
    from vsalang.journal import Recorder
    from vsalang.journal.file import Journal

    program = loaded.program
    assert program is not None
    proposals = ScriptedAgent.read(agent_file, program, agent_format).proposals if agent_file else ()
    config = config_in_force(spec)
    settings = guard_settings(config)
    settings = replace(settings, mode=mode or settings.mode)
    if ask_timeout is not None:
        settings = replace(settings, ask_timeout=dt.timedelta(seconds=ask_timeout))
    files = policy_files(config, policies)
    # standard output is the program's, if one is started
    in_force(loaded, config, files).say(format, err=agent_file is None)
    opened: Device = options.open_device(device_name, config)
    device = stack.enter_context(opened)
    clock = ScreenClock(live=not device_name.startswith("sim:"))
    path = Path(journal_file) if journal_file else _journal_path(program.main)
    journal = stack.enter_context(Journal(path, sync=sync))
    stack.enter_context(Starting(journal))
    _open(device, package)
    clock.see(device.observe())
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
        ask=asker if settings.mode == "ask" else None,
    )
    return _Begun(
        guard,
        recorder,
        device,
        device_name,
        clock,
        proposals,
        sources=loaded.sources,
        language=config.language or "en",
    )


def _holds(level: str, binding: bool) -> bool:
    """Whether a `finish` completes the task: it does not if it passed only because the guard just watches."""
    return level == "allow" or (level == "confirm" and binding)


class Starting:
    """Removes a journal that is new if the start fails, so that none is left that tells of no session.

    Attributes:
        most: a journal of more records is kept, come what may.
    """

    def __init__(self, journal: "Journal") -> None:
        self.journal = journal
        self.most = 1  # the header alone tells nothing

    def __enter__(self) -> "Self":
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None and self.journal.number <= self.most:
            self.journal.discard()


def _open(device: "Device", package: str | None) -> None:
    """Open an app on the user's behalf."""
    from vsalang.core.action import Action

    if package:
        start = Action("open_app", {"package": package})
        device.perform(start, device.observe().target(start.name, start.args))


def _resume(
    stack: ExitStack,
    journal_file: str,
    device_name: str | None,
    sync: "Sync",
    head: str | None,
    package: str | None,
    agent_file: str,
    agent_format: str,
    asker: "Asker",
    format: str,
) -> _Begun:
    from vsalang.agents import ScriptedAgent
    from vsalang.cli.inforce import recorded as recorded_in_force
    from vsalang.guard.clock import ScreenClock
    from vsalang.journal import read_session, recorded_program, resume
    from vsalang.source import Source

    known = read_session(journal_file)
    recorded = str(known.header.get("device", ""))
    name = device_name or recorded
    if not name:
        raise Failure(f"{journal_file} does not say which device it was", "name it with --device")
    program = recorded_program(known).program
    assert program is not None
    agent = ScriptedAgent.read(agent_file, program, agent_format)
    check_judged(known, agent.proposals, agent_file)  # before anything is written
    clock = ScreenClock(live=not name.startswith("sim:"))
    resumed = stack.enter_context(resume(journal_file, clock=clock, sync=sync, head=head, ask=asker))
    session, guard = resumed.session, resumed.guard
    if resumed.over:
        raise Failure(resumed.over, f"`vsac show {shlex.quote(str(journal_file))}` shows it")
    recorded_in_force(session.header, resumed.recorder.journal).say(format)
    opened: Device = options.open_device(name, options.recorded_config(known.header))
    device = stack.enter_context(opened)
    _open(device, package)
    done = len(judged(session))
    proposals = () if guard.finished else agent.proposals[done:]
    sources = {
        str(item["file"]): Source.from_text(str(item["text"]), str(item["file"]))
        for item in session.header.get("sources", ())
    }
    return _Begun(guard, resumed.recorder, device, name, clock, proposals, done + 1, session, sources=sources)


def guard_settings(config: "Config") -> "Settings":
    """The guard's settings: its own, but for what the project's configuration says."""
    from dataclasses import replace

    from vsalang.guard import Settings

    settings = Settings()
    budget = {
        name: value
        for name in ("rows", "bindings", "steps", "seconds")
        if (value := getattr(config.budget, name)) is not None
    }
    said = {
        name: value
        for name in ("overrides", "verdict_life", "unknown_screen", "mode", "ask_timeout", "look_age")
        if (value := getattr(config.guard, name)) is not None
    }
    return replace(settings, budget=replace(settings.budget, **budget), **said)


def _journal_path(name: str) -> Path:
    return Path(f"{name}-{dt.datetime.now():%Y%m%d-%H%M%S-%f}.jsonl")
