"""``vsac journal show``: shows a recorded session as a timeline, as JSON, or as a page."""

import shutil
import sys
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

import click

from vsalang.base.diagnostics.display import count
from vsalang.base.source.opening import open_regular
from vsalang.base.source.private import write_out
from vsalang.tools.cli.common import EXIT_OK, Failure, format_option, use_color
from vsalang.tools.cli.output import echo, json_text

if TYPE_CHECKING:
    from vsalang.guard.journal.timeline import Event, Timeline

_LEVELS = {
    "allow": ("✓", "allowed", "green"),
    "warn": ("!", "warned", "yellow"),
    "confirm": ("?", "asked", "cyan"),
    "block": ("✗", "BLOCKED", "red"),
}
_KINDS = ("allowed", "warned", "asked", "blocked", "unjudged", "committed", "surprise")


@click.command()
@click.argument("journal", metavar="JOURNAL")
@click.option("--from", "first", type=click.IntRange(0), metavar="N", help="Begin with proposal N.")
@click.option("--to", "last", type=click.IntRange(0), metavar="N", help="End with proposal N.")
@click.option(
    "--only",
    multiple=True,
    type=click.Choice(_KINDS),
    help="Only proposals that were so; repeatable.",
)
@click.option("--html", "page", metavar="FILE", help="Write one self-contained page instead.")
@format_option("text", "json")
def command(
    journal: str, first: int | None, last: int | None, only: tuple[str, ...], page: str | None, format: str
) -> int:
    """Show what happened in a recorded session: each proposal, its verdict and why, and its outcome.

    The hash chain of the journal is checked first: a changed or missing line is an error.

    Exit status: 0 it was shown, 2 it could not be.
    """
    from vsalang.guard.journal import JournalError, read_session
    from vsalang.guard.journal.timeline import timeline, to_json

    if format == "json" and page:
        raise click.UsageError("--format json and --html exclude each other.")
    try:
        session = read_session(journal)
        shown = timeline(session, first=first, last=last, only=only)
        if page:
            from vsalang.guard.journal.session_page import render

            text = render(shown)
    except JournalError as error:
        raise Failure(str(error)) from error
    if page:
        _write(Path(page), text, journal)
        echo(f"{page}: {count(len(session.steps), 'proposal')} of {shown.session.header.get('spec')}")
    elif format == "json":
        click.echo(json_text(to_json(shown), indent=2))
    else:
        _Print(use_color(sys.stdout)).all(shown)
    return EXIT_OK


def _write(path: Path, text: str, journal: str) -> None:
    if path.exists() and path.samefile(journal):
        raise Failure(f"{path} is the journal", "name another file for the page")
    if ".vsa" in (path.suffix.lower(), path.resolve().suffix.lower()):
        raise Failure(f"{path} is a specification's name", "name another file for the page")
    if path.is_file():
        with open_regular(path) as file:
            if file.read(1) == b"{":  # also a damaged journal
                raise Failure(f"{path} is a journal, and no page", "name another file for the page")
    write_out(path, text)


class _Print:
    """Prints a timeline as wide as the terminal."""

    def __init__(self, color: bool) -> None:
        self.color = color
        self.width = max(shutil.get_terminal_size((100, 24)).columns, 40)

    def say(self, text: str = "") -> None:
        echo(text.rstrip(), color=self.color)

    def style(self, text: str, **how: object) -> str:
        return click.style(text, **how) if self.color and text else text  # type: ignore[arg-type]

    def wrapped(self, text: str, lead: str, indent: int, **how: object) -> None:
        """Print a long line in pieces; `indent` is the visible width of `lead`."""
        for piece in textwrap.wrap(text, max(self.width - indent, 20), break_on_hyphens=False) or [""]:
            self.say(lead + self.style(piece, **how))

    def all(self, shown: "Timeline") -> None:
        session = shown.session
        self.head(shown)
        place: tuple[str, ...] | None = None
        for event in shown.events:
            if event.screen is not None and event.shown != place:
                place = event.shown
                self.say(self.style("      ─ " + (", ".join(place) or self.app(shown, event)), dim=True))
            if event.kind == "step":
                self.step(event)
            elif event.kind != "look" or event.surprises or event.screen is None:
                color = {"failed": "red", "resume": "yellow", "turned_away": "red"}.get(event.kind)
                self.wrapped(event.text, "      ", 6, fg=color, bold=event.kind in ("failed", "resume"))
                self.surprises(event)
        if not shown.events:
            self.wrapped(shown.nothing, "      ", 6)
        self.say()
        self.say(self.counts(shown))
        if shown.looks.asked:
            self.say(self.looks(shown))
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

    def head(self, shown: "Timeline") -> None:
        from vsalang.program.text import line

        header = shown.session.header
        about = [
            f"on {line(str(header.get('device')))}" if header.get("device") else "",
            str(header.get("clock", ""))[:16].replace("T", " "),
            f"vsac {line(str(header.get('vsalang')), 40)}" if header.get("vsalang") else "",
            f"policies: {len(header.get('policies', ()))}" if header.get("policies") else "",
        ]
        color = {"completed": "green", "not completed": "red"}.get(shown.outcome, "yellow")
        title = self.style(line(str(header.get("spec", ""))), bold=True)
        self.say(f"{title}  {self.style(shown.outcome, fg=color, bold=True)}")
        self.say(self.style(", ".join(part for part in about if part), dim=True))
        if shown.session.mode == "shadow":
            words = "SHADOW: the guard held nothing back; the verdicts are what it would have said."
            self.wrapped(words, "", 0, fg="magenta", bold=True)
        elif shown.session.mode == "ask":
            self.say(self.style("The guard asked the user itself.", dim=True))
        self.say()

    @staticmethod
    def app(shown: "Timeline", event: "Event") -> str:
        """The name for a screen that no rule recognises."""
        from vsalang.program.text import line

        assert event.screen is not None
        body = shown.session.screens.get(str(event.screen.get("id")), {})
        app = body.get("app")
        return f"a screen of {line(str(app[0]), 80)}" if app else "a screen that no rule knows"

    def step(self, event: "Event") -> None:
        from vsalang.guard.journal.timeline import CARRIED_OUT

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
            from vsalang.program.text import line

            self.wrapped(f"“{line(step.note)}”", "      ", 6, dim=True)
        if step.judged and (step.level != "allow" or step.verdict.get("overridden")):
            for cause in event.causes:
                mark = self.style("│", fg=_LEVELS.get(cause.level, _LEVELS["block"])[2])
                rule = f"  [{cause.rule}]" if cause.rule else ""
                self.wrapped(cause.message + rule, f"      {mark} ", 8)
                for text in cause.conditions:
                    self.wrapped(text, f"      {mark}   ", 10, dim=True)
        if event.became and event.became != CARRIED_OUT:
            self.wrapped(f"→ {event.became}", "      ", 6, dim=not event.tags & {"surprise"})
        self.surprises(event)

    def surprises(self, event: "Event") -> None:
        for text in event.surprises:
            self.wrapped(text, self.style("      ▲ ", fg="yellow"), 8)
        for text in event.looks:
            self.wrapped(text, self.style("      ◎ ", fg="cyan"), 8, dim=True)

    @staticmethod
    def looks(shown: "Timeline") -> str:
        """How many steps needed no look, and the results of the others."""
        looks = shown.looks
        return (
            f"{looks.steps - looks.asked} of {count(looks.steps, 'step')} needed no look ({looks.rate:.0%}); of the "
            f"contracts looked at {looks.met} met, {looks.violated} violated, {looks.inconclusive} could not be told."
        )

    def counts(self, shown: "Timeline") -> str:
        counts, total = shown.counts, len(shown.session.steps)
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
            for step in shown.session.steps
        )
        if shown.session.mode == "shadow":
            words.append(self.style(f"SHADOW: {passed} not held back", fg="magenta", bold=True))
        return ", ".join(words) + "."
