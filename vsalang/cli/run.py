"""``vsac run``: run an agent on a device with the guard between them, and show what happens."""

import datetime as dt
import sys
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import click

from vsalang.cli import options
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
from vsalang.cli.runshow import JsonShow, TextShow

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Self

    from vsalang.agents import Proposed, Step
    from vsalang.config import Config
    from vsalang.core.action import Action as ActionType
    from vsalang.core.screen import Cells, Screen
    from vsalang.device import Device, DeviceInfo
    from vsalang.engine import EngineName
    from vsalang.guard import Asker, Guard, Mode, Question, Settings, Verdict
    from vsalang.guard.clock import ScreenClock
    from vsalang.guard.journal import Journal, Sync
    from vsalang.journal import Recorder, Session
    from vsalang.journal.session import Step as Judged
    from vsalang.semantics import Loaded
    from vsalang.source import Source


@click.command()
@click.argument("spec", metavar="[SPEC]", required=False)
@click.option("--device", "device_name", metavar="NAME", help="sim:NAME, sim:FOLDER, or a serial of adb.")
@click.option(
    "--agent",
    "agent_file",
    required=True,
    metavar="FILE",
    help="The agent's proposals, one JSON object a line.",
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
@options.today
@click.option(
    "--on-confirm",
    type=click.Choice(["ask", "no"]),
    help="What to do when the user must agree first. [default: ask on a terminal, else no]",
)
@click.option(
    "--mode",
    type=click.Choice(["enforce", "shadow", "ask"]),
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
    type=click.Choice(["incremental", "pydatalog", "reference"]),
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
    type=click.Choice(["en", "de"]),
    help="In which language reasons and the roadmap are said. [default: what vsac.toml says, else en]",
)
@click.option("--screenshots", metavar="DIR", help="Save a picture of the screen before each proposal.")
@format_option("text", "json")
def command(
    spec: str | None,
    device_name: str | None,
    agent_file: str,
    agent_format: str,
    policies: tuple[str, ...],
    journal_file: str | None,
    sync: "Sync",
    resume_file: str | None,
    today: dt.datetime | None,
    on_confirm: str | None,
    mode: "Mode | None",
    ask_timeout: float | None,
    engine: "EngineName | None",
    package: str | None,
    language: str | None,
    screenshots: str | None,
    format: str,
) -> int:
    """Judge every proposal of an agent against SPEC and the policies, and let the device do only what is allowed.

    Exit status: 0 the task was completed, 1 it was not (or SPEC has errors), 2 it could not be run.
    """
    from vsalang.agents import AgentError, run_agent
    from vsalang.device import DeviceError
    from vsalang.guard import GuardFailed
    from vsalang.guard.feedback import roadmap
    from vsalang.guard.journal import JournalError

    loaded: Loaded | None = None
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
            status = report(loaded.diagnostics, loaded.sources)
            return EXIT_FAILED if any(d.code.startswith("E000") for d in loaded.diagnostics) else status
    asks = on_confirm == "ask" or (on_confirm is None and sys.stdin.isatty() and format == "text")
    user = _User(asks, _no_answer if on_confirm == "no" else None)
    asker = user.put
    steps: list[Step] = []
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
                )
            else:
                assert resume_file is not None
                begun = _resume(
                    stack, resume_file, device_name, sync, package, agent_file, agent_format, asker
                )
            guard, recorder, program = begun.guard, begun.recorder, begun.guard.program
            spoken = language or begun.language
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
            watched = _Watched(begun.device, begun.clock, Path(screenshots) if screenshots else None)
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
            show.end(guard, legs, steps, completed, str(recorder.journal.path))
    except (AgentError, DeviceError, GuardFailed, JournalError) as error:
        raise Failure(str(error)) from error
    return EXIT_OK if completed else EXIT_FINDINGS


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
    agent_file: str,
    agent_format: str,
    mode: "Mode | None",
    ask_timeout: float | None,
    asker: "Asker",
) -> _Begun:
    from dataclasses import replace

    from vsalang.agents import ScriptedAgent
    from vsalang.config import config_for
    from vsalang.device import open_device
    from vsalang.guard import Guard
    from vsalang.guard.clock import ScreenClock
    from vsalang.guard.journal import Journal
    from vsalang.journal import Recorder

    program = loaded.program
    assert program is not None
    agent = ScriptedAgent.read(agent_file, program, agent_format)
    config = config_for(spec)
    settings = guard_settings(config)
    settings = replace(settings, mode=mode or settings.mode)
    if ask_timeout is not None:
        settings = replace(settings, ask_timeout=dt.timedelta(seconds=ask_timeout))
    opened: Device = open_device(device_name)
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
        policies=[str(Path(policy)) for policy in policy_files(config, policies)],
        device=device_name,
    )
    guard = Guard(
        program,
        today=today.date() if today else clock().date(),
        clock=clock,
        engine=engine or config.engine or "incremental",
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
        agent.proposals,
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
            self.journal.close()
            self.journal.path.unlink(missing_ok=True)


def _no_answer(question: "Question") -> bool:
    return False


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
    package: str | None,
    agent_file: str,
    agent_format: str,
    asker: "Asker",
) -> _Begun:
    from vsalang.agents import ScriptedAgent
    from vsalang.device import open_device
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
    _check_judged(known, agent.proposals, agent_file)  # before anything is written
    clock = ScreenClock(live=not name.startswith("sim:"))
    resumed = stack.enter_context(resume(journal_file, clock=clock, sync=sync, ask=asker))
    session, guard = resumed.session, resumed.guard
    if guard.finished and resumed.in_flight is None:
        raise Failure(f"the session of {journal_file} is over", f"`vsac show {journal_file}` shows it")
    opened: Device = open_device(name)
    device = stack.enter_context(opened)
    _open(device, package)
    done = len(_judged(session))
    proposals = () if guard.finished else agent.proposals[done:]
    sources = {
        str(item["file"]): Source.from_text(str(item["text"]), str(item["file"]))
        for item in session.header.get("sources", ())
    }
    return _Begun(guard, resumed.recorder, device, name, clock, proposals, done + 1, session, sources=sources)


def _judged(session: "Session") -> "list[Judged]":
    """The proposals of a session as the agent made them, without those that nothing came of as it was cut off."""
    from vsalang.guard.acting import _TRIES

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
        # what a guard that only watches judged again, because the screen had changed, was proposed once
        if same and last is not None and last.shadow and last.refused and tries < _TRIES:
            found[-1] = step
            tries += 1
        else:
            found.append(step)
            tries = 1
    return found


def _check_judged(session: "Session", proposals: "tuple[Proposed, ...]", agent_file: str) -> None:
    """Refuse an agent file that is not the session's: which of its lines were judged would be guessed."""
    from vsalang.core.action import GESTURES
    from vsalang.core.text import line
    from vsalang.guard import Proposal

    remedy = "give the session's whole agent file: what was judged already is not proposed again"
    judged = _judged(session)
    for number, (step, proposed) in enumerate(zip(judged, proposals, strict=False), 1):
        action = proposed.action
        gesture = action if action.name in GESTURES else None
        said = Proposal(gesture, () if gesture else (action,), proposed.claims)
        if said.key() != step.proposed.key():
            raise Failure(
                f"{agent_file} is not the agent file of {session.path}: its proposal {number} is "
                f"{line(str(said), 200)}, and {line(str(step.proposed), 200)} was judged",
                remedy,
            )
    if len(proposals) < len(judged):
        raise Failure(
            f"{agent_file} is not the agent file of {session.path}: {len(judged)} proposals were judged, "
            f"and it has {len(proposals)}",
            remedy,
        )


class _Watched:
    """A device whose observations set the clock and, if a folder is given, are pictured."""

    def __init__(self, device: "Device", clock: "ScreenClock", folder: Path | None) -> None:
        self.device = device
        self._clock = clock
        self._folder = folder
        self._number = 0
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)

    @property
    def info(self) -> "DeviceInfo":
        return self.device.info

    def observe(self) -> "Screen":
        screen = self.device.observe()
        self._clock.see(screen)
        if self._folder is not None:
            self._number += 1
            (self._folder / f"{self._number:03}.png").write_bytes(self.device.screenshot())
        return screen

    def perform(self, action: "ActionType", target: "Cells") -> None:
        self.device.perform(action, target)

    def screenshot(self) -> bytes:
        return self.device.screenshot()

    def close(self) -> None:
        self.device.close()

    def __enter__(self) -> "Self":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


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
        for name in ("overrides", "verdict_life", "unknown_screen", "mode", "ask_timeout")
        if (value := getattr(config.guard, name)) is not None
    }
    return replace(settings, budget=replace(settings.budget, **budget), **said)


def _journal_path(name: str) -> Path:
    return Path(f"{name}-{dt.datetime.now():%Y%m%d-%H%M%S-%f}.jsonl")


class _User:
    """Asks the user, and knows how they answered.

    Args:
        asks: whether there is somebody to ask in a mode in which the guard does not ask itself.
        asker: who asks when it does; None: the terminal.
    """

    def __init__(self, asks: bool, asker: "Asker | None") -> None:
        self._asks = asks
        self._asker = asker
        self._said = ""
        self._question: Question | None = None

    def confirm(self, proposed: "Proposed", verdict: "Verdict") -> bool:
        """See `vsalang.agents.loop.Confirm`."""
        if not self._asks:
            self._said = "nobody answered"
            return False
        agreed = _ask(proposed, verdict)
        if not sys.stdin.isatty():
            click.echo("")  # nobody typed the end of the line
        self._said = "agreed" if agreed else "refused"
        return agreed

    def put(self, question: "Question") -> bool | None:
        """See `vsalang.guard.asking.Asker`."""
        from vsalang.guard.asking import terminal

        self._question = question
        if self._asker is not None:
            self._said = "nobody answered"
            return self._asker(question)
        agreed = terminal(question)
        if question.outcome is None and not sys.stdin.isatty():
            click.echo("", err=True)
        return agreed

    def taken(self) -> str:
        """How the question was answered, if one was asked since this was called; else empty."""
        said, question = self._said, self._question
        self._said, self._question = "", None
        if said or question is None:
            return said
        words = {"yes": "agreed", "no": "refused", "timeout": "nobody answered", "withdrawn": "withdrawn"}
        return words.get(str(question.outcome), "")


def _ask(proposed: "Proposed", verdict: "Verdict") -> bool:
    from vsalang.core.text import line

    click.echo("")
    for reason in verdict.reasons:
        click.echo(f"      {line(reason.message)}")
    # all of it: what is cut off cannot have been agreed to
    for recognized in verdict.actions:
        click.echo(f"      it does: {line(str(recognized), 20_000)}")
    return click.confirm(f"      Let the agent do it: {line(str(verdict.proposal), 20_000)}?", default=False)
