"""A session as one page of HTML: no script, nothing loaded, everything out of the journal escaped."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from vsalang.base.diagnostics.display import on_page
from vsalang.base.templates import page_template, style_and_policy
from vsalang.guard.journal.screen_drawing import drawing, target
from vsalang.guard.journal.timeline import Timeline, charter_text
from vsalang.guard.journal.values_json import understood
from vsalang.program.text import line

_FOLDER = Path(__file__).with_name("templates")


def render(timeline: Timeline) -> str:
    """The page of a timeline.

    Raises:
        JournalError: a screen or a record of it is none.
    """
    with understood(timeline.session.path):
        return _page(timeline)


@cache
def _template() -> Any:
    return page_template(_FOLDER / "page.html.j2", on_page)


def _page(timeline: Timeline) -> str:
    session = timeline.session
    style, policy = style_and_policy(_FOLDER / "page.css")
    needed = {event.screen["id"] for event in timeline.events if event.screen is not None}
    drawings = {name: drawing(session.screens[name]) for name in sorted(needed & session.screens.keys())}
    targets: dict[int, Any] = {
        event.line: target(session, event.step) for event in timeline.events if event.step is not None
    }
    header = session.header
    text = _template().render(
        timeline=timeline,
        session=session,
        title=line(str(header.get("spec", "")), 120),
        facts=_facts(timeline),
        instruction=line(_instruction(header), 2000),
        sources=[
            (line(str(source.get("file")), 200), str(source.get("text", "")))
            for source in header.get("sources", ())
        ],
        style=style,
        policy=policy,
        drawings=drawings,
        targets=targets,
        words={"allow": "allowed", "warn": "warned", "confirm": "asked", "block": "blocked"},
        icons={"allow": "✓", "warn": "!", "confirm": "?", "block": "✗"},
    )
    return str(text)


def _instruction(header: Mapping[str, Any]) -> str:
    """What the user asked for, as the recorded spec says it; empty if there was none."""
    from vsalang.base.source import Source
    from vsalang.language.syntax import parse

    for source in header.get("sources", ()):
        if source.get("file") == header.get("file"):
            module = parse(Source.from_text(str(source.get("text", "")), "<spec>")).module
            if module is not None and module.kind == "spec" and module.doc is not None:
                return module.doc.value
    return ""


def _facts(timeline: Timeline) -> list[tuple[str, str]]:
    header, session = timeline.session.header, timeline.session
    settings = header.get("settings", {})
    facts = [
        ("Mode", "" if session.mode == "enforce" else session.mode),
        ("Device", header.get("device")),
        ("Day", header.get("today")),
        ("Begun", str(header.get("clock", "")).replace("T", " ")),
        ("Charter", charter_text(header)),
        ("Policies", ", ".join(map(str, header.get("policies", ())))),
        ("Overrides", settings.get("overrides")),
        ("Engine", header.get("engine")),
        ("vsac", header.get("vsalang")),
        ("Program", str(header.get("digest", ""))[:16]),
        ("Journal", f"{len(session.records)} record{'s' * (len(session.records) != 1)}, {session.head[:16]}"),
    ]
    return [(name, line(str(value), 200)) for name, value in facts if value not in (None, "")]
