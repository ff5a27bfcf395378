"""``vsac run``: run an agent on a device with the guard between them, and show what happens."""

import datetime as dt
import json
import shutil
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import click

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

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Self

    from vsalang.agents import Proposed, Step
    from vsalang.config import Config
    from vsalang.core.action import Action as ActionType
    from vsalang.core.ir import Program
    from vsalang.core.screen import Cells, Screen
    from vsalang.device import Device, DeviceInfo
    from vsalang.engine import EngineName
    from vsalang.guard import Guard, Settings, Verdict
    from vsalang.guard.clock import ScreenClock
    from vsalang.guard.feedback import Leg
    from vsalang.source import Source

_WORDS = {
    "allow": ("allowed", "green"),
    "warn": ("warned", "yellow"),
    "confirm": ("ask first", "cyan"),
    "block": ("BLOCKED", "red"),
}


@click.command()
@click.argument("spec", metavar="SPEC")
@click.option(
    "--device", "device_name", required=True, metavar="NAME", help="sim:NAME, sim:FOLDER, or a serial of adb."
)
@click.option(
    "--agent",
    "agent_file",
    required=True,
    metavar="FILE",
    help="The agent's proposals, one JSON object a line.",
)
@click.option(
    "--policy", "policies", multiple=True, metavar="FILE", help="A policy that is in force; repeatable."
)
@click.option(
    "--journal",
    "journal_file",
    metavar="FILE",
    help="Where to write the journal. [default: SPEC-DATE-TIME.jsonl]",
)
@click.option(
    "--today",
    type=click.DateTime(["%Y-%m-%d"]),
    help="The day of the instruction. [default: the device's day]",
)
@click.option(
    "--on-confirm",
    type=click.Choice(["ask", "no"]),
    help="What to do when the user must agree first. [default: ask on a terminal, else no]",
)
@click.option(
    "--engine",
    type=click.Choice(["incremental", "pydatalog", "reference"]),
    default="incremental",
    show_default=True,
)
@click.option(
    "--open",
    "package",
    metavar="PACKAGE",
    help="Open this app before the agent starts, on the user's behalf.",
)
@click.option("--screenshots", metavar="DIR", help="Save a picture of the screen before each proposal.")
@format_option("text", "json")
def command(
    spec: str,
    device_name: str,
    agent_file: str,
    policies: tuple[str, ...],
    journal_file: str | None,
    today: dt.datetime | None,
    on_confirm: str | None,
    engine: "EngineName",
    package: str | None,
    screenshots: str | None,
    format: str,
) -> int:
    """Judge every proposal of an agent against SPEC and the policies, and let the device do only what is allowed.

    Exit status: 0 the task was completed, 1 it was not (or SPEC has errors), 2 it could not be run.
    """
    from vsalang.agents import AgentError, ScriptedAgent, run_agent
    from vsalang.config import config_for
    from vsalang.core.action import Action
    from vsalang.device import DeviceError, open_device
    from vsalang.guard import Guard, GuardFailed
    from vsalang.guard.clock import ScreenClock
    from vsalang.guard.feedback import roadmap
    from vsalang.guard.journal import Journal, JournalError
    from vsalang.semantics import load

    config = config_for(spec)
    loaded = load(spec, policies=policy_files(config, policies), search=config.search)
    if loaded.program is None:
        status = report(loaded.diagnostics, loaded.sources)
        return EXIT_FAILED if any(d.code.startswith("E000") for d in loaded.diagnostics) else status
    program = loaded.program
    if program.modules[program.main].kind != "spec":
        raise Failure(
            f"{spec} is not a spec: it is {program.modules[program.main].kind}",
            "an agent is run under a spec",
        )
    show = _Json(program) if format == "json" else _Text(program, use_color(sys.stdout))
    asks = on_confirm == "ask" or (on_confirm is None and sys.stdin.isatty() and format == "text")
    steps: list[Step] = []
    try:
        agent = ScriptedAgent.read(agent_file, program)
        with ExitStack() as stack:
            opened: Device = open_device(device_name)
            device = stack.enter_context(opened)
            clock = ScreenClock(live=not device_name.startswith("sim:"))
            path = Path(journal_file) if journal_file else _journal_path(program.main)
            journal = stack.enter_context(Journal(path))
            if package:
                start = Action("open_app", {"package": package})
                device.perform(start, device.observe().target(start.name, start.args))
            clock.see(device.observe())
            day = today.date() if today else clock().date()
            settings = guard_settings(config)
            guard = Guard(program, today=day, clock=clock, engine=engine, settings=settings)
            session = _session(program, device_name, clock(), loaded.sources)
            journal.write("session", session | {"settings": _settings(settings)})
            show.begin(device_name, device.info.model, clock())
            watched = _Watched(device, clock, Path(screenshots) if screenshots else None)
            for step in run_agent(guard, watched, agent, journal=journal, confirm=_ask if asks else _nobody):
                steps.append(step)
                show.step(step)
            completed = guard.finished and steps[-1].proposed.action.name == "finish"
            journal.write("end", {"completed": completed})
            legs = roadmap(program, guard.roadmap(), today=day)
            show.end(guard, legs, steps, completed, str(path))
    except (AgentError, DeviceError, GuardFailed, JournalError) as error:
        raise Failure(str(error)) from error
    return EXIT_OK if completed else EXIT_FINDINGS


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
        for name in ("rows", "bindings", "steps")
        if (value := getattr(config.budget, name)) is not None
    }
    said = {
        name: value
        for name in ("overrides", "verdict_life", "unknown_screen")
        if (value := getattr(config.guard, name)) is not None
    }
    return replace(settings, budget=replace(settings.budget, **budget), **said)


def _settings(settings: "Settings") -> dict[str, object]:
    """What the journal says of them."""
    from dataclasses import asdict

    assert settings.verdict_life is not None
    return {
        "overrides": settings.overrides,
        "verdict_life": settings.verdict_life.total_seconds(),
        "unknown_screen": settings.unknown_screen,
        "budget": asdict(settings.budget),
    }


def _journal_path(name: str) -> Path:
    return Path(f"{name}-{dt.datetime.now():%Y%m%d-%H%M%S-%f}.jsonl")


def _session(
    program: "Program", device: str, now: dt.datetime, sources: "Mapping[str, Source]"
) -> dict[str, object]:
    files = {file: source.text for file, source in sources.items()}
    return {
        "spec": program.main,
        "digest": program.digest,
        "device": device,
        "clock": now.isoformat(),
        "sources": files,
    }


def _nobody(proposed: "Proposed", verdict: "Verdict") -> bool:
    return False


def _ask(proposed: "Proposed", verdict: "Verdict") -> bool:
    from vsalang.core.text import line

    click.echo("")
    for reason in verdict.reasons:
        click.echo(f"      {line(reason.message)}")
    # all of it: what is cut off cannot have been agreed to
    for recognized in verdict.actions:
        click.echo(f"      it does: {line(str(recognized), 20_000)}")
    return click.confirm(f"      Let the agent do it: {line(str(verdict.proposal), 20_000)}?", default=False)


class _Text:
    """Shows the run to people, as it happens."""

    def __init__(self, program: "Program", color: bool) -> None:
        self.program = program
        self.color = color
        self.width = shutil.get_terminal_size((0, 0)).columns  # 0: not a terminal, lines are not broken

    def say(self, text: str = "", *, nl: bool = True) -> None:
        click.echo(text, nl=nl, color=self.color)
        sys.stdout.flush()

    def wrapped(self, text: str, lead: str, indent: int, tail: str = "", room: int = 0) -> None:
        """Say a long line, broken at the terminal's width; every piece begins with `lead`."""
        pieces = self._broken(text, indent)
        if tail and self.width > indent + 20 and len(pieces[-1]) + room > self.width - indent:
            pieces.append("")
        for number, piece in enumerate(pieces, 1):
            self.say(lead + piece + (tail.lstrip() if not piece else tail) * (number == len(pieces)))

    def style(self, text: str, **how: object) -> str:
        return click.style(text, **how) if self.color else text  # type: ignore[arg-type]

    def begin(self, device: str, model: str, now: dt.datetime) -> None:
        info = self.program.modules[self.program.main]
        self.say(self.style(info.name, bold=True) + (f"  {info.doc}" if info.doc else ""))
        self.say(
            self.style(f"on {device}" + (f", {model}" if model else "") + f", {now:%Y-%m-%d %H:%M}", dim=True)
        )
        self.say()

    def _broken(self, text: str, indent: int) -> list[str]:
        import textwrap

        return (
            textwrap.wrap(text, self.width - indent, break_on_hyphens=False)
            if self.width > indent + 20
            else [text]
        )

    def step(self, step: "Step") -> None:
        word, color = _WORDS[step.verdict.level]
        if step.verdict.overridden:
            word = "repeated"
        title = _short(step.proposed)
        head = f"{step.number:>3}  {title:<34} "
        self.say(
            head
            + self.style(f"{word:<10}", fg=color, bold=True)
            + self.style(_clean(step.proposed.note), dim=True)
        )
        if step.verdict.level != "allow":
            for reason in step.verdict.reasons:
                self._reason(reason.message, reason.rule, [why.text() for why in reason.whys], color)
        if step.problem:
            self.say("       " + self.style(_clean(step.problem), fg="yellow"))
        if step.observed is not None:
            for contract in step.observed.contracts:
                if contract.outcome == "violated":
                    self.say(
                        "       "
                        + self.style(f"not as expected: {_clean(contract.reason.message)}", fg="yellow")
                    )
            for conflict in step.observed.conflicts:
                self.say("       " + self.style(_clean(conflict.message), fg="yellow"))

    def _reason(self, message: str, rule: str, lines: list[str], color: str) -> None:
        if lines and lines[0] in message:
            message = message[: message.index(lines[0])].rstrip(": ")  # they follow, one a line
        mark = self.style("│", fg=color)
        tail = self.style(f"  [{rule}]", dim=True) if rule else ""
        self.wrapped(_clean(message), f"     {mark} ", 7, tail, len(rule) + 4 if rule else 0)
        for line in dict.fromkeys(lines):
            self.wrapped(_clean(line), f"     {mark}   ", 9)

    def end(
        self, guard: "Guard", legs: "tuple[Leg, ...]", steps: list["Step"], completed: bool, journal: str
    ) -> None:
        from vsalang.guard.feedback import roadmap_text

        self.say()
        self.say(self.style("Roadmap", bold=True))
        for line in roadmap_text(legs).splitlines():
            indent = len(line) - len(line.lstrip()) + 4 * line.lstrip().startswith("[")
            for number, piece in enumerate(self._broken(line.strip(), indent)):
                self.say(" " * (indent if number else len(line) - len(line.lstrip())) + piece)
        self.say()
        ran = sum(step.performed for step in steps)
        warned = sum(step.verdict.level == "warn" for step in steps)
        blocked = sum(step.verdict.level == "block" for step in steps)
        asked = sum(step.verdict.level == "confirm" for step in steps)
        counts = [f"{len(steps)} proposals", f"{ran} carried out"]
        counts += [
            f"{n} {word}"
            for n, word in ((warned, "warned"), (asked, "asked about"), (blocked, "blocked"))
            if n
        ]
        if completed:
            self.say(self.style("The task was completed", fg="green", bold=True) + f": {', '.join(counts)}.")
        else:
            self.say(
                self.style("The task was not completed", fg="red", bold=True) + f": {', '.join(counts)}."
            )
        self.say(self.style(f"Journal: {journal}", dim=True))


class _Json:
    """Prints one JSON object a line for machines: each step, then the end."""

    def __init__(self, program: "Program") -> None:
        self.program = program

    def begin(self, device: str, model: str, now: dt.datetime) -> None:
        self._say({"kind": "begin", "spec": self.program.main, "device": device, "clock": now.isoformat()})

    def step(self, step: "Step") -> None:
        from vsalang.agents.loop import proposal_json

        self._say(
            {
                "kind": "step",
                "step": step.number,
                **proposal_json(step.proposed),
                "verdict": step.verdict.to_json(),
                "performed": step.performed,
                "problem": step.problem,
            }
        )

    def end(
        self, guard: "Guard", legs: "tuple[Leg, ...]", steps: list["Step"], completed: bool, journal: str
    ) -> None:
        from dataclasses import asdict

        roadmap = [asdict(leg) for leg in legs]
        self._say({"kind": "end", "completed": completed, "roadmap": roadmap, "journal": journal})

    def _say(self, data: object) -> None:
        click.echo(json.dumps(data, ensure_ascii=False))
        sys.stdout.flush()


def _short(proposed: "Proposed") -> str:
    from vsalang.core.values import show

    action = proposed.action
    args = [f"{name} {show(value)}" for name, value in action.args.items()]
    text = " ".join([action.name.rpartition(".")[2], ", ".join(args)]).strip()
    return _clean(text if len(text) <= 60 else text[:59] + "…")


def _clean(text: str) -> str:
    from vsalang.core.text import line

    return line(text)
