"""Shows ``vsac run`` while it happens: lines for people, or JSON for machines."""

import datetime as dt
import shutil
import sys
import textwrap
from collections.abc import Mapping
from dataclasses import asdict

import click

from vsalang.agents import Proposed, Step
from vsalang.agents.loop import proposal_json
from vsalang.agents.rank import RankStep
from vsalang.base.diagnostics.display import count
from vsalang.base.names import Mode
from vsalang.base.source import Source
from vsalang.guard import Guard
from vsalang.guard.journal import Session
from vsalang.guard.journal.file import Journal
from vsalang.guard.say.feedback import Leg, roadmap_text
from vsalang.guard.say.touched import gesture_text
from vsalang.guard.say.verdict_document import document
from vsalang.program.ir import Program
from vsalang.program.phrases import read
from vsalang.program.text import line
from vsalang.tools.cli.output import echo, echo_json, redacted

_WORDS = {
    "allow": ("allowed", "green"),
    "warn": ("warned", "yellow"),
    "confirm": ("ask first", "cyan"),
    "block": ("BLOCKED", "red"),
}
_WOULD = {
    "warn": ("would be warned", "yellow"),
    "confirm": ("would ask first", "cyan"),
    "block": ("would be BLOCKED", "red"),
}
"""Words for the mode `shadow`, in which nothing is blocked."""


class TextShow:
    """Shows the run to people, as it happens."""

    def __init__(self, program: Program, color: bool, language: str = "en") -> None:
        self.program = program
        self.color = color
        self.language = language
        self.width = shutil.get_terminal_size((0, 0)).columns  # 0: not a terminal, lines are not broken
        self.room = 10

    def say(self, text: str = "", *, nl: bool = True) -> None:
        """Print a line at once."""
        echo(text, nl=nl, color=self.color)
        sys.stdout.flush()

    def wrapped(self, text: str, lead: str, indent: int, tail: str = "", room: int = 0) -> None:
        """Print a long line, broken at the terminal's width; every piece begins with `lead`."""
        pieces = self._broken(text, indent)
        if tail and self.width > indent + 20 and len(pieces[-1]) + room > self.width - indent:
            pieces.append("")
        for number, piece in enumerate(pieces, 1):
            self.say(lead + piece + (tail.lstrip() if not piece else tail) * (number == len(pieces)))

    def style(self, text: str, **how: object) -> str:
        """The text in a style of `click.style`, where there are colours."""
        return click.style(text, **how) if self.color else text  # type: ignore[arg-type]

    def begin(
        self, device: str, model: str, now: dt.datetime, resumed: Session | None, mode: Mode = "enforce"
    ) -> None:
        """Show the beginning of the run."""
        info = self.program.modules[self.program.main]
        self.say(self.style(info.name, bold=True) + (f"  {info.doc}" if info.doc else ""))
        self.say(
            self.style(f"on {device}" + (f", {model}" if model else "") + f", {now:%Y-%m-%d %H:%M}", dim=True)
        )
        if mode == "shadow":
            self.room = 17  # "would be BLOCKED", and a blank
            self._shadow("the guard holds nothing back; what it would have said is shown and recorded.")
        elif mode == "ask":
            self.say("What must be confirmed is asked here, with a limited time to answer.")
        if resumed is not None:
            self.say(f"The session of {resumed.path} goes on after {count(len(resumed.steps), 'proposal')}.")
            if (step := resumed.in_flight) is not None:
                words = {True: "it arrived", False: "it did not arrive"}
                known = words.get(step.delivered, "whether it arrived is not known, so it counts as done")  # type: ignore[arg-type]
                self.wrapped(f"{line(str(step.proposed))} was under way: {known}.", "", 0)
        self.say()

    def _shadow(self, text: str) -> None:
        for piece in self._broken(f"SHADOW: {text}", 0):
            self.say(self.style(piece, fg="magenta", bold=True))

    def _broken(self, text: str, indent: int) -> list[str]:
        return (
            textwrap.wrap(redacted(text), self.width - indent, break_on_hyphens=False)
            if self.width > indent + 20
            else [text]
        )

    def step(self, step: Step, answer: str = "") -> None:
        """Show one proposal and its outcome; `answer`: the user's answer, if there was a question."""
        passed = not step.verdict.binding and step.verdict.level != "allow"
        word, color = (_WOULD if passed else _WORDS)[step.verdict.level]
        if step.verdict.overridden:
            word = "repeated"
        title = _short(step.proposed, step.verdict.touched)
        head = f"{step.number:>3}  {title:<34} "
        self.say(
            head
            + self.style(f"{word:<{self.room}}", fg=color, bold=True)
            + (f"({answer}) " if answer else "")
            + self.style(line(step.proposed.note), dim=True)
        )
        if step.verdict.level != "allow":
            for reason in step.verdict.reasons:
                lines = [read(text, self.language) for text in reason.texts()]
                self._reason(read(reason.message, self.language), reason.rule, lines, color)
        for flag in step.verdict.flags:
            if flag.kind == "unknown_touch":  # what it is taken for, and by whose word
                self._reason(read(flag.message, self.language), "", [], "cyan")
        if step.problem:
            self.say("       " + self.style(line(step.problem), fg="yellow"))
        if step.observed is not None:
            for text in step.observed.unexpected:
                self.say("       " + self.style(f"not as expected: {line(text)}", fg="yellow"))
            for conflict in step.observed.conflicts:
                self.say("       " + self.style(line(conflict.message), fg="yellow"))
        if step.stop is not None:
            left = f"the rest of the plan is left out, {count(len(step.left_out), 'action')}"
            self.say("       " + self.style(line(f"{left}: {step.stop.why}"), fg="yellow"))
        for looked in step.looked:
            outcome = {"inconclusive": "could not be told"}.get(looked.outcome, looked.outcome)
            why = f" ({looked.problem})" if looked.problem else ""
            text = f"{outcome}, by {looked.by}: {looked.question}{why}"
            self.say("       " + self.style(line(text), fg="cyan"))
        if step.hint is not None:
            mark = self.style("→", fg="blue")
            self.wrapped(step.hint.line(self.language), f"     {mark} ", 7)

    def choice(self, done: RankStep) -> None:
        """Show why an agent that chooses proposed its last step."""
        mark = self.style("·", fg="blue")
        for text in done.lines():
            self.wrapped(line(text), f"     {mark} ", 7)

    def _reason(self, message: str, rule: str, lines: list[str], color: str) -> None:
        if lines and lines[0] in message:
            message = message[: message.index(lines[0])].rstrip(": ")  # the lines are printed below
        mark = self.style("│", fg=color)
        tail = self.style(f"  [{rule}]", dim=True) if rule else ""
        self.wrapped(line(message), f"     {mark} ", 7, tail, len(rule) + 4 if rule else 0)
        for more in dict.fromkeys(lines):
            self.wrapped(line(more), f"     {mark}   ", 9)

    def end(
        self,
        guard: Guard,
        legs: tuple[Leg, ...],
        steps: list[Step],
        completed: bool,
        journal: Journal,
    ) -> None:
        """Show the end of the run."""
        self.say()
        self.say(self.style("Roadmap", bold=True))
        for leg in roadmap_text(legs, language=self.language).splitlines():
            start = len(leg) - len(leg.lstrip())
            indent = start + 4 * leg.lstrip().startswith("[")
            for number, piece in enumerate(self._broken(leg.strip(), indent)):
                self.say(" " * (indent if number else start) + piece)
        self.say()
        ran = sum(step.performed for step in steps)
        warned = sum(step.verdict.level == "warn" for step in steps)
        blocked = sum(step.verdict.level == "block" for step in steps)
        asked = sum(step.verdict.level == "confirm" for step in steps)
        counts = [count(len(steps), "proposal"), f"{ran} carried out"]
        counts += [
            f"{n} {word}"
            for n, word in ((warned, "warned"), (asked, "asked about"), (blocked, "blocked"))
            if n
        ]
        passed = sum(not step.verdict.binding and step.verdict.level != "allow" for step in steps)
        if guard.settings.mode == "shadow":
            self._shadow(f"nothing was held back; {passed} of these would have been stopped or asked about.")
        if completed:
            self.say(self.style("The task was completed", fg="green", bold=True) + f": {', '.join(counts)}.")
        else:
            self.say(
                self.style("The task was not completed", fg="red", bold=True) + f": {', '.join(counts)}."
            )
        self.say(self.style(f"Journal: {journal.path}", dim=True))
        self.say(self.style(f"Its head: {journal.head}", dim=True))


class JsonShow:
    """Prints one JSON object a line for machines: each step, then the end."""

    def __init__(
        self, program: Program, sources: Mapping[str, Source] | None = None, language: str = "en"
    ) -> None:
        self.program = program
        self.sources = sources
        self.language = language

    def begin(
        self, device: str, model: str, now: dt.datetime, resumed: Session | None, mode: Mode = "enforce"
    ) -> None:
        """Show the beginning of the run."""
        data = {"kind": "begin", "spec": self.program.main, "device": device, "clock": now.isoformat()}
        data["mode"] = mode
        if resumed is not None:
            step = resumed.in_flight
            under_way = {"step": step.number, "delivered": step.delivered} if step is not None else None
            self._say({**data, "resumed": len(resumed.steps), "in_flight": under_way})
        else:
            self._say(data)

    def step(self, step: Step, answer: str = "") -> None:
        """Show one proposal and its outcome; `answer`: the user's answer, if there was a question."""
        unexpected = list(step.observed.unexpected) if step.observed is not None else []
        self._say(
            {
                "kind": "step",
                "step": step.number,
                **proposal_json(step.proposed),
                "verdict": document(
                    step.verdict, sources=self.sources, language=self.language, hint=step.hint
                ),
                **({"touched": step.verdict.touched} if step.verdict.touched else {}),
                "performed": step.performed,
                "problem": step.problem,
                **({"unexpected": unexpected} if unexpected else {}),
                **({"answer": answer} if answer else {}),
                **({"stopped": _stopped(step)} if step.stop is not None else {}),
            }
        )

    def choice(self, done: RankStep) -> None:
        """Show why an agent that chooses proposed its last step."""
        self._say({"kind": "choice", "step": done.step.number, **done.to_json()})

    def end(
        self,
        guard: Guard,
        legs: tuple[Leg, ...],
        steps: list[Step],
        completed: bool,
        journal: Journal,
    ) -> None:
        """Show the end of the run."""
        roadmap = [{**asdict(leg), "next": list(leg.next)} for leg in legs]
        data = {"kind": "end", "mode": guard.settings.mode, "completed": completed}
        self._say(data | {"roadmap": roadmap, "journal": str(journal.path), "head": journal.head})

    def _say(self, data: object) -> None:
        echo_json(data)
        sys.stdout.flush()


def _stopped(step: Step) -> dict[str, object]:
    assert step.stop is not None
    left_out = [proposal_json(each) for each in step.left_out]
    return {"kind": step.stop.kind, "why": step.stop.why, "left_out": left_out}


def _short(proposed: Proposed, touched: str) -> str:
    text = gesture_text(proposed.action.name, proposed.action.args, touched)
    return text if len(text) <= 60 else text[:59] + "…"
