"""``vsac record``: records a session of a device, or follows recorded walks, as journals with verdicts."""

import re
import shlex
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any, Final, Literal

import click

from vsalang.agents.recording import EMPTY, RecordingEntry
from vsalang.agents.session import SessionOptions, in_force
from vsalang.agents.session.live import LiveRecording
from vsalang.agents.walks import Turn, Walk, WalkError, follow, read_walks
from vsalang.base.config import Config, config_in_force, policy_files
from vsalang.base.diagnostics.display import count
from vsalang.base.options import argument, group, option
from vsalang.base.records import dataclass
from vsalang.guard import Verdict
from vsalang.guard.journal import Recorder
from vsalang.guard.journal.file import Journal
from vsalang.language.semantics import Loaded, load_text
from vsalang.phone import Device
from vsalang.program.text import line
from vsalang.screen.secrets import Lexicon, Redactor
from vsalang.tools.cli import frame, sessions, shared
from vsalang.tools.cli.common import EXIT_OK, Failure, use_color
from vsalang.tools.cli.frame import Output
from vsalang.tools.cli.inforce import saying
from vsalang.tools.cli.output import echo, echo_json
from vsalang.tools.cli.phones import device_option

_WORDS = {
    "allow": ("passes", "green"),
    "warn": ("warned of", "yellow"),
    "confirm": ("asked about", "cyan"),
    "block": ("blocked", "red"),
}


_NO_SPEC: Final = {"SPEC": "without one nothing is judged"}
_LIVE: Final = {"--walk": "it is about a device"}
_ENDS: Final = {"--agent": "it ends with the agent", **_LIVE}
_HOLDING: Final = {
    "--agent": "what others do cannot be held back",
    "SPEC": "without one there is nothing to decide by",
}


@dataclass(frozen=True, slots=True)
class RecordOptions:
    """What is recorded, and where the journals go."""

    spec: str | None = argument("SPEC", required=False)
    device: str | None = device_option(
        "Record this device: sim:NAME, sim:FOLDER, or a serial of adb.",
        excludes="--walk",
        needs={"--output": "the journal goes there"},
    )
    walks: tuple[str, ...] = option(
        "--walk",
        default=(),
        metavar="PATH",
        help="Recorded walks to follow instead: a file or folder of any format that is known; repeatable.",
        needs={"SPEC or --output": "verdicts, or the folder for the journals"},
    )
    output: Path | None = option(
        "-o",
        "--output",
        metavar="PATH",
        help="Where the journal goes; with --walk the folder for the journals, one for each walk. Nothing is replaced.",
        default_text="with --walk and SPEC nothing is written, and what would not pass is printed",
    )
    agent: str | None = option(
        "--agent",
        metavar="FILE",
        help="The agent's proposals, one JSON object a line: it acts.",
        default_text="others do, and are watched",
        excludes=_LIVE,
    )
    agent_format: str = shared.agent_format()
    mode: Literal["shadow", "enforce"] = option(
        "--mode",
        default="shadow",
        help="shadow: NOTHING is held back, what the guard would have said is recorded. enforce: verdicts decide what "
        "the agent may do.",
        needs={"enforce": _HOLDING},
    )
    inputs: Literal["auto", "getevent", "none"] = option(
        "--inputs",
        default="auto",
        help="How actions of others are seen: a simulated phone reports them, a real one has kernel input events; "
        "none: only screens are recorded.",
    )
    every: float | None = option(
        "--every",
        least=0.01,
        most=60,
        metavar="SECONDS",
        help="How long to wait between two looks at a screen that stays as it is.",
        default_text="0.5; simulated 0.05",
        excludes=_ENDS,
    )
    seconds: float | None = option(
        "--for",
        least=0.1,
        most=86400,
        metavar="SECONDS",
        help="End after this time.",
        default_text="Ctrl-C",
        excludes=_ENDS,
    )
    screenshots: Path | None = option(
        "--screenshots",
        metavar="DIR",
        help="Save a picture of the screen at each look.",
        excludes=_LIVE,
    )
    task: str | None = option(
        "--task", metavar="TEXT", help="Only walks whose task contains this text.", needs="--walk"
    )
    package: str = option(
        "--package",
        default="",
        metavar="PACKAGE",
        help="The app of the walks.",
        default_text="the only one of SPEC",
        needs="--walk",
    )
    session: SessionOptions = group(
        SessionOptions,
        without=("journal", "head", "today", "mode", "ask_timeout", "engine", "language"),
        needs={"policies": _NO_SPEC, "contracts": {"SPEC": "without one nothing is expected"}},
        excludes={"app": _LIVE},
    )


@frame.as_command("text", "json", one_of=("--device", "--walk"))
def command(options: RecordOptions, output: Output) -> int:
    """Record a session of a device while an agent, a person or a program uses it; or follow recorded walks.

    The result is a journal: the screens, what was done on them, and the verdicts of the guard under SPEC. Without SPEC
    there is no task; later `vsac journal replay JOURNAL --spec FILE` gives the verdicts under a spec.

    Exit status: 0 it was recorded, whatever the verdicts; 1 SPEC has errors; 2 it could not be done.
    """
    session = options.session
    sessions.redact_early(options.spec or "recording.vsa", session)
    if options.spec is None:
        loaded = load_text(EMPTY, file="recording.vsa")
    else:
        loaded = sessions.load_spec(options.spec, session, "what is recorded is judged by a spec")
    if options.device is None:
        return _follow_all(loaded, options, output)
    assert options.output is not None
    journal = options.output
    chosen = sessions.begun(
        session,
        journal=journal,
        mode=options.mode,
        task=options.spec is not None,
        listener=saying(output.format, key="event"),
    )
    _record(
        LiveRecording(
            loaded,
            options.device,
            chosen,
            _Show(str(journal), output.machine),
            agent=options.agent,
            agent_format=options.agent_format,
            inputs=options.inputs,
            every=options.every,
            seconds=options.seconds,
            screenshots=options.screenshots,
        ),
        journal,
    )
    return EXIT_OK


def _follow_all(loaded: Loaded, options: RecordOptions, output: Output) -> int:
    """Follow recorded walks, and write a journal of each; without a folder say what would not pass."""
    judged, folder = options.spec is not None, options.output
    config = config_in_force(loaded.file if judged else "recording.vsa")
    files = policy_files(config, map(str, options.session.policies)) if judged else ()
    lexicon, kinds = sessions.secrets_in_force(config, options.session.redact)
    redactor = Redactor(kinds, Lexicon(lexicon)) if kinds else None
    if redactor is not None:
        sessions.redact_output(redactor)
    with sessions.failing():
        saying(output.format)(in_force(loaded, config, files))
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
    followed = 0
    with sessions.failing(WalkError):
        for walk in (walk for file in options.walks for walk in read_walks(file)):
            if options.task is not None and options.task not in walk.task:
                continue
            path = None if folder is None else folder / f"{_file_name(walk.name)}.jsonl"
            if redactor is not None:
                _learn(redactor, walk, options.package)
            turns = _follow(
                loaded,
                walk,
                path,
                files,
                config,
                lexicon=lexicon,
                redactor=redactor,
                package=options.package,
                judged=judged,
            )
            _say(walk, path, turns, output, judged)
            followed += 1
    if not followed:
        raise Failure("no walk has that task" if options.task else "there are no walks")
    if not output.machine:
        where = "Nothing was written" if folder is None else f"The journals are in {folder}"
        echo(f"{count(followed, 'walk')} followed, nothing was held back. {where}")
    return EXIT_OK


def _file_name(name: str) -> str:
    """The name of a file for a walk; the walk's own name is not trusted."""
    return re.sub(r"[^\w.-]", "_", name[:100]).lstrip(".") or "walk"


def _learn(redactor: Redactor, walk: Walk, package: str) -> None:
    """Learn the secrets that a walk shows and types, before anything is said of it.

    Raises:
        WalkError: a step is not understood.
    """
    for index in range(len(walk.steps)):
        taken = walk.taken(index, package)
        for screen in (taken.screen, taken.ended):
            if screen is not None:
                redactor.learn_screen(screen)
        for action in taken.actions:
            redactor.learn_typed(action, taken.screen)


def _follow(
    loaded: Loaded,
    walk: Walk,
    path: Path | None,
    policies: tuple[str, ...],
    config: Config,
    *,
    lexicon: tuple[str, ...],
    redactor: Redactor | None,
    package: str,
    judged: bool,
) -> list[Turn]:

    assert loaded.program is not None
    if path is None:
        return list(follow(walk, loaded.program, package=package, lexicon=lexicon))
    with Journal(path, sync="none", resumable=False, redactor=redactor) as journal:
        recorder = Recorder(
            journal,
            sources=loaded.sources,
            spec=loaded.file,
            policies=[str(Path(policy)) for policy in policies],
            standard=loaded.standard,
            device=f"walk:{walk.app}" if walk.app else "walk",
            configuration=config.files,
        )
        turns = list(follow(walk, loaded.program, package=package, recorder=recorder, lexicon=lexicon))
        last = turns[-1] if turns else None
        done = last is not None and last.action.name == "finish" and last.verdict.level == "allow"
        recorder.end(completed=done if judged else None)
    return turns


def _say(walk: Walk, path: Path | None, turns: list[Turn], output: Output, judged: bool) -> None:

    against = [
        {
            "action": number,
            "what": line(str(turn.action), 200),
            "level": turn.verdict.level,
            "rules": list(dict.fromkeys(reason.rule or reason.kind for reason in turn.verdict.reasons)),
        }
        for number, turn in enumerate(turns, 1)
        if path is None and turn.verdict.level != "allow"
    ]
    counts = Counter(turn.verdict.level for turn in turns)
    if output.machine:
        data: dict[str, Any] = {
            **({"against": against} if path is None else {"journal": str(path)}),
            "app": walk.app,
            "task": walk.task,
            "steps": len(turns),
            **{level: counts[level] for level in _WORDS},  # type: ignore[index]
            "not_followed": [turn.problem for turn in turns if turn.problem],
        }
        echo_json(data)
        return
    title, name = line(walk.task or walk.app, 80), line(walk.name, 100) if path is None else path.name
    if not judged:
        echo(f"{name}  {title}: {count(len(turns), 'action')}")
        return
    color = use_color(sys.stdout)
    parts = [
        click.style(f"{counts[level]} {word}", fg=shade) if color else f"{counts[level]} {word}"  # type: ignore[index]
        for level, (word, shade) in _WORDS.items()
        if counts[level]  # type: ignore[index]
    ]
    echo(f"{name}  {title}: {', '.join(parts) or 'only screens'}", color=color)
    for one in against:
        word, shade = _WORDS[one["level"]]  # type: ignore[index]
        text = click.style(word, fg=shade) if color else word
        echo(f"  {one['action']}. {one['what']}: {text} ({', '.join(one['rules'])})", color=color)  # type: ignore[arg-type]


_LEVELS = {
    "allow": ("✓", "passes", "green"),
    "warn": ("!", "would be warned of", "yellow"),
    "confirm": ("?", "would be asked about", "cyan"),
    "block": ("✗", "would be BLOCKED", "red"),
}
_ENFORCED = {"allow": "passes", "warn": "warned of", "confirm": "asked about", "block": "BLOCKED"}
_UNJUDGED = ("·", "not judged: done before the screen was looked at", "magenta")


# ---------------------------------------------------------------------- what is shown


class _Show:
    """Shows people, or machines, what is recorded."""

    def __init__(self, journal: str, as_json: bool) -> None:
        self._journal = journal
        self._json = as_json
        self._color = use_color(sys.stdout)
        self._line = not as_json and sys.stderr.isatty()
        self._begun = time.monotonic()
        self._number = self._unjudged = 0
        self._place: tuple[frozenset[str] | None, str] | None = None
        self._judges = True

    def begin(self, live: LiveRecording, device: Device) -> None:
        info = device.info
        port = getattr(device, "adb_port", None)
        if self._json:
            self._out(
                {
                    "event": "begin",
                    "device": live.device_name,
                    "journal": self._journal,
                    "mode": live.chosen.mode,
                }
            )
            return
        echo(f"recording {live.device_name} ({info.model}) into {self._journal}")
        if live.agent is None:
            if port is not None:
                echo(
                    f"  use it:  ANDROID_ADB_SERVER_PORT={port} ANDROID_SERIAL={info.serial}  (any adb client)"
                )
            until = f"after {live.seconds:g} s, or with Ctrl-C" if live.seconds is not None else "with Ctrl-C"
            echo(f"  it ends {until}")
        self._judges = live.chosen.task
        if live.chosen.task and live.chosen.mode == "shadow":
            echo("  SHADOW: nothing is held back; verdicts are what the guard would have said")

    def hint(self, problem: str) -> None:
        """Show why actions cannot be seen."""
        self._clear()
        text = f"only screens are recorded, not what is done: {problem}"
        if self._json:
            self._out({"event": "hint", "message": text})
        else:
            styled_line = click.style(f"  {text}", fg="yellow") if use_color(sys.stderr) else f"  {text}"
            echo(styled_line, err=True, color=True)

    def seen(self, seen: RecordingEntry, looks: int, done: int) -> None:
        if seen.action is not None and seen.verdict is not None:
            self.acted(seen.verdict, seen.problem, True, judged=seen.judged)
        elif seen.problem or (seen.screens, seen.app) != self._place:
            self._place = seen.screens, seen.app
            self._screen(seen)
        if self._line:
            passed = int(time.monotonic() - self._begun)
            echo(f"\r\x1b[K  {looks} looks, {done} actions, {passed} s", nl=False, err=True)

    def _screen(self, seen: RecordingEntry) -> None:

        names = sorted(seen.screens or ())
        if self._json:
            self._out({"event": "screen", "shown": names, "app": seen.app or None, "problem": seen.problem})
            return
        self._clear()
        what = ", ".join(names) or (f"a screen of {line(seen.app, 80)}" if seen.app else "an unknown screen")
        if seen.problem:
            what = f"no screen: {line(seen.problem)}"
        echo(self._style(f"      ─ {what}", dim=True), color=self._color)

    def acted(self, verdict: Verdict, problem: str, performed: bool, *, judged: bool = True) -> None:

        self._number += 1
        self._unjudged += not judged
        if self._json:
            self._out(
                {
                    "event": "action",
                    "number": self._number,
                    "performed": performed,
                    "problem": problem,
                    "judged": judged,
                    "verdict": verdict.to_json() if judged else None,
                }
            )
            return
        self._clear()
        if not self._judges:
            clock = self._style(f"{verdict.at:%H:%M:%S}", dim=True)
            echo(f"{self._number:>4}  {clock}  {line(str(verdict.proposal), 120)}", color=self._color)
            if problem:
                echo(f"      → {line(problem)}")
            return
        icon, words, color = _LEVELS.get(verdict.level, _LEVELS["block"])
        if not judged:
            icon, words, color = _UNJUDGED
        elif verdict.mode != "shadow":
            words = _ENFORCED.get(verdict.level, _ENFORCED["block"])
        what = line(str(verdict.proposal), 80)
        clock = self._style(f"{verdict.at:%H:%M:%S}", dim=True)
        text = f"{self._number:>4}  {clock}  {what:<44}  {self._style(f'{icon} {words}', fg=color)}"
        echo(text, color=self._color)
        if problem:
            echo(f"      → {line(problem)}")

    def end(self, live: LiveRecording, completed: bool | None, head: str) -> None:
        self._clear()
        if self._json:
            self._out(
                {
                    "event": "end",
                    "completed": completed,
                    "actions": self._number,
                    "not_judged": self._unjudged,
                    "journal": self._journal,
                    "head": head,
                }
            )
            return
        done = {True: "The task is done. ", False: "The task is not done. ", None: ""}[completed]
        actions = count(self._number, "action")
        if live.chosen.task and self._unjudged:
            actions += f", {self._unjudged} not judged"
        echo(f"{done}{actions}; the journal is {self._journal}")
        if live.chosen.task and self._unjudged:
            echo("  what comes faster than looks at the screen can be judged where it passes the guard:")
            echo(f"  vsac guard {shlex.quote(live.loaded.file)} --mode shadow -- COMMAND")
        echo(f"  vsac journal show {shlex.quote(self._journal)}          what happened")
        spec = "another spec" if live.chosen.task else "a spec"
        echo(
            f"  vsac journal replay {shlex.quote(self._journal)} --all --spec SPEC   what {spec} would have said"
        )

    def _clear(self) -> None:
        if self._line:
            echo("\r\x1b[K", nl=False, err=True)

    def _out(self, data: dict[str, Any]) -> None:
        echo_json(data)
        sys.stdout.flush()

    def _style(self, text: str, **how: Any) -> str:
        return click.style(text, **how) if self._color else text


def _record(live: LiveRecording, journal: Path) -> None:
    """Record, and report errors in words for people."""
    try:
        with sessions.failing():
            live.record()
    except Failure as failure:
        if journal.exists() and not failure.hint:
            failure.hint = f"what was recorded until then is in {journal}"
        raise
