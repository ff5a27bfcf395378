"""A recorded session as lines for people: each proposal, its verdict and why, and its outcome."""

import shutil
import textwrap
from typing import Any

from vsalang.base.diagnostics.display import count
from vsalang.base.report import Style
from vsalang.guard.journal.timeline import CARRIED_OUT, Event, Timeline, charter_text
from vsalang.program.text import line

_LEVELS = {
    "allow": ("✓", "allowed", "green"),
    "warn": ("!", "warned", "yellow"),
    "confirm": ("?", "asked", "cyan"),
    "block": ("✗", "BLOCKED", "red"),
}


def timeline_lines(timeline: Timeline, style: Style) -> list[str]:
    """The lines of a timeline, as wide as the terminal."""
    printed = _Print(style)
    printed.all(timeline)
    return printed.lines


class _Print:
    """A timeline as wide as the terminal."""

    def __init__(self, style: Style) -> None:
        self.style = style
        self.lines: list[str] = []
        self.width = max(shutil.get_terminal_size((100, 24)).columns, 40)

    def say(self, text: str = "") -> None:
        self.lines.append(text.rstrip())

    def wrapped(self, text: str, lead: str, indent: int, **how: Any) -> None:
        """Print a long line in pieces; `indent` is the visible width of `lead`."""
        for piece in textwrap.wrap(text, max(self.width - indent, 20), break_on_hyphens=False) or [""]:
            self.say(lead + self.style(piece, **how))

    def all(self, timeline: Timeline) -> None:
        session = timeline.session
        self.head(timeline)
        place: tuple[str, ...] | None = None
        for event in timeline.events:
            if event.screen is not None and event.screens != place:
                place = event.screens
                self.say(self.style("      ─ " + (", ".join(place) or self.app(timeline, event)), dim=True))
            if event.kind == "step":
                self.step(event)
            elif event.kind != "look" or event.surprises or event.screen is None:
                color = {"failed": "red", "resume": "yellow", "turned_away": "red"}.get(event.kind)
                self.wrapped(event.text, "      ", 6, fg=color, bold=event.kind in ("failed", "resume"))
                self.surprises(event)
        if not timeline.events:
            self.wrapped(timeline.nothing, "      ", 6)
        self.say()
        self.say(self.counts(timeline))
        if timeline.looks.asked:
            self.say(self.looks(timeline))
        if session.torn:
            self.wrapped(
                f"The last line was cut off by a crash ({len(session.torn)} bytes); it was never acknowledged.",
                "",
                0,
            )
        self.say(
            self.style(
                f"{count(len(session.records), 'record')}, the chain is whole: {session.head}", dim=True
            )
        )

    def head(self, timeline: Timeline) -> None:
        header = timeline.session.header
        about = [
            f"on {line(str(header.get('device')))}" if header.get("device") else "",
            str(header.get("clock", ""))[:16].replace("T", " "),
            f"vsac {line(str(header.get('vsalang')), 40)}" if header.get("vsalang") else "",
            f"policies: {len(header.get('policies', ()))}" if header.get("policies") else "",
        ]
        color = {"completed": "green", "not completed": "red"}.get(timeline.outcome, "yellow")
        title = self.style(line(str(header.get("spec", ""))), bold=True)
        self.say(f"{title}  {self.style(timeline.outcome, fg=color, bold=True)}")
        self.say(self.style(", ".join(part for part in about if part), dim=True))
        if charter := charter_text(header):
            self.wrapped(charter, "", 0, dim=True)
        if timeline.session.mode == "shadow":
            words = "SHADOW: the guard held nothing back; the verdicts are what it would have said."
            self.wrapped(words, "", 0, fg="magenta", bold=True)
        elif timeline.session.mode == "ask":
            self.say(self.style("The guard asked the user itself.", dim=True))
        self.say()

    @staticmethod
    def app(timeline: Timeline, event: Event) -> str:
        """The name for a screen that no rule recognises."""
        assert event.screen is not None
        body = timeline.session.screens.get(str(event.screen.get("id")), {})
        app = body.get("app")
        return f"a screen of {line(str(app[0]), 80)}" if app else "a screen that no rule knows"

    def step(self, event: Event) -> None:
        step = event.step
        assert step is not None
        icon, word, color = _LEVELS.get(step.level, _LEVELS["block"])
        if not step.judged:
            icon, word, color = "·", "not judged", "magenta"
        elif step.verdict.get("overridden"):
            word = "repeated"
        elif step.passed and step.level != "allow":
            word = f"would be {word}"
        clock = step.clock[11:19]
        room = max(self.width - 36, 16)
        title = event.title if len(event.title) <= room else event.title[: room - 1] + "…"
        verdict = self.style(f"{icon} {word}", fg=color, bold=True)
        self.say(f"{step.number:>4}  {self.style(clock, dim=True)}  {title:<{min(room, 44)}}  {verdict}")
        if step.note:
            self.wrapped(f"“{line(step.note)}”", "      ", 6, dim=True)
        held = step.level != "allow" or step.verdict.get("overridden")
        if step.judged:
            for cause in (each for each in event.causes if held or each.kind == "unknown_touch"):
                mark = self.style("│", fg=_LEVELS.get(cause.level, _LEVELS["block"])[2])
                rule = f"  [{cause.rule}]" if cause.rule else ""
                self.wrapped(cause.message + rule, f"      {mark} ", 8)
                for text in cause.conditions:
                    self.wrapped(text, f"      {mark}   ", 10, dim=True)
        if event.outcome_text and event.outcome_text != CARRIED_OUT:
            self.wrapped(f"→ {event.outcome_text}", "      ", 6, dim=not event.tags & {"surprise"})
        self.surprises(event)

    def surprises(self, event: Event) -> None:
        for text in event.surprises:
            self.wrapped(text, self.style("      ▲ ", fg="yellow"), 8)
        for text in event.looks:
            self.wrapped(text, self.style("      ◎ ", fg="cyan"), 8, dim=True)

    @staticmethod
    def looks(timeline: Timeline) -> str:
        """How many steps needed no look, and the results of the others."""
        looks = timeline.looks
        return (
            f"{looks.steps - looks.asked} of {count(looks.steps, 'step')} needed no look ({looks.rate:.0%}); of the "
            f"contracts looked at {looks.met} met, {looks.violated} violated, {looks.inconclusive} could not be told."
        )

    def counts(self, timeline: Timeline) -> str:
        counts, total = timeline.counts, len(timeline.session.steps)
        words = [count(total, "proposal"), f"{counts['committed']} carried out"]
        for kind, color in (("warned", "yellow"), ("asked", "cyan"), ("blocked", "red")):
            if counts[kind]:
                words.append(self.style(f"{counts[kind]} {kind}", fg=color))
        if counts["unjudged"]:
            words.append(self.style(f"{counts['unjudged']} not judged", fg="magenta"))
        if counts["surprise"]:
            words.append(self.style(f"{counts['surprise']} with a surprise", fg="yellow"))
        passed = sum(
            step.judged and step.passed and step.level != "allow" and bool(step.commit)
            for step in timeline.session.steps
        )
        if timeline.session.mode == "shadow":
            words.append(self.style(f"SHADOW: {passed} not held back", fg="magenta", bold=True))
        return ", ".join(words) + "."
