"""What the console shows of one session: its steps, one step with its screen, the map with the way that was gone."""

from collections import deque
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any, Final

from vsalang.base.diagnostics.display import unsteered
from vsalang.guard.journal import Session, Step
from vsalang.guard.journal.file import START, Record, checked_line
from vsalang.guard.journal.recorded_session import session_of
from vsalang.guard.journal.screen_drawing import Drawing, drawing, target
from vsalang.guard.journal.timeline import Event, Timeline, timeline
from vsalang.guard.journal.values_json import understood
from vsalang.program.text import line

STEPS: Final = 400
"""So many events of a session are listed at once, the newest."""
NODES: Final = 60
"""So many screens a map shows."""


def read_lines(data: bytes) -> list[Record]:
    """The records of a journal's lines. Raises `JournalError`."""
    records: list[Record] = []
    head = START
    for number, raw in enumerate(data.splitlines(keepends=True), 1):
        records.append(checked_line(raw, number, head, f"line {number}"))
        head = records[-1].hash
    return records


class SessionView:
    """A session as it was when its lines were read.

    Args:
        name: its name.
        data: its lines.

    Raises:
        JournalError: they are not those of a session.
    """

    def __init__(self, name: str, data: bytes) -> None:
        self.session: Session = session_of(name, read_lines(data))
        self.number = len(self.session.records)
        self._timeline: Timeline = timeline(self.session)
        self._events: dict[int, Event] = {event.line: event for event in self._timeline.events}

    def steps(self, before: int = 0) -> dict[str, Any]:
        """The newest events before a line (0: of all), in order, each in few words."""
        events = [event for event in self._timeline.events if not before or event.line < before]
        header = self.session.header
        return {
            "number": self.number,
            "more": len(events) > STEPS,
            "outcome": self._timeline.outcome,
            "facts": [
                [name, line(str(value), 200)]
                for name, value in (
                    ("Spec", header.get("spec")),
                    ("Instruction", header.get("instruction")),
                    (
                        "Policies",
                        ", ".join(str(file).rpartition("/")[2] for file in header.get("policies") or ()),
                    ),
                    ("Phone", header.get("device")),
                    ("Mode", self.session.mode),
                    ("Head", self.session.head[:16]),
                )
                if value
            ],
            "events": [self._short(event) for event in events[-STEPS:]],
        }

    def step(self, number: int) -> dict[str, Any]:
        """One event whole: screen, touched control, reasons with their source.

        Raises:
            KeyError: there is none at that line.
            JournalError: a record of it is not one of a journal.
        """
        event = self._events[number]
        with understood(self.session.path):
            data = self._short(event)
            data["surprises"] = list(event.surprises)
            data["looks"] = list(event.looks)
            if event.screen is not None:
                data["drawing"] = self._drawing(str(event.screen.get("id")))
            step = event.step
            if step is not None:
                data |= {
                    "note": unsteered(line(step.note, 600)),
                    "does": [line(str(action), 300) for action in step.verdict.get("actions") or ()],
                    "by": step.answered_by,
                    "reasons": [
                        self._reason(cause, nth, step.verdict) for nth, cause in enumerate(event.causes)
                    ],
                    "target": self._target(step),
                }
            return data

    def at_screen(self, fingerprint: str) -> dict[str, Any]:
        """The newest look with a fingerprint: its drawing (None: the journal has none), and what the newest proposal
        there touches."""
        drawn = spot = None
        with understood(self.session.path):
            for record in reversed(self.session.records):
                look = record.data.get("screen") if record.kind == "observe" else None
                if isinstance(look, Mapping) and look.get("fingerprint") == fingerprint:
                    drawn = self._drawing(str(look.get("id")))
                    break
            step = self.session.steps[-1] if self.session.steps else None
            if step is not None and step.screen is not None and step.screen.get("fingerprint") == fingerprint:
                spot = self._target(step)
        return {"drawing": drawn, "target": spot}

    def map(self) -> dict[str, Any]:
        """The screens that were seen and how one led to another, with places in a picture and the position now.

        A screen is called by the names that rules give it, else by the app and a part of its id. Columns are distances
        from the first screen (breadth first).
        """
        ways: dict[tuple[str, str], list[Any]] = {}
        order: dict[str, int] = {}
        here, gesture = "", ""
        for event in self._timeline.events:
            if event.screen is not None:
                name = self._place(event)
                order.setdefault(name, event.line)
                if here and (gesture or name != here):
                    way = ways.setdefault((here, name), [0, gesture])
                    way[0] += 1
                here, gesture = name, ""
            if event.step is not None and "committed" in event.tags:
                gesture = event.title
                after = event.step.after
                if after is not None and isinstance(after.get("screen"), Mapping):
                    name = self._named(after)
                    order.setdefault(name, event.line)
                    way = ways.setdefault((here, name), [0, gesture])
                    way[0] += 1
                    here, gesture = name, ""
        names = list(order)[:NODES]
        columns = _columns(names, ways)
        rows: dict[int, int] = {}
        nodes = []
        for name in names:
            column = columns[name]
            nodes.append({"name": name, "column": column, "row": rows.get(column, 0), "here": name == here})
            rows[column] = rows.get(column, 0) + 1
        kept = set(names)
        hints = [record.data for record in self.session.records if record.kind == "hint"]
        return {
            "nodes": nodes,
            "ways": [
                {"from": one, "to": other, "count": number, "by": line(text, 80)}
                for (one, other), (number, text) in ways.items()
                if one in kept and other in kept and one != other
            ],
            "left_out": len(order) - len(names),
            "plan": line(str(hints[-1].get("text", "")), 1200) if hints else "",
        }

    # ------------------------------------------------------------------ how

    def _short(self, event: Event) -> dict[str, Any]:
        step = event.step
        return {
            "kind": event.kind,
            "line": event.line,
            "clock": event.clock,
            "step": step.number if step is not None else None,
            "level": step.level if step is not None else "",
            "title": event.title or event.text,
            "outcome": event.outcome_text,
            "shown": list(event.screens),
            "surprise": bool(event.surprises),
            "screen": str(event.screen.get("fingerprint", "")) if event.screen is not None else "",
        }

    def _reason(self, cause: Any, nth: int, verdict: Mapping[str, Any]) -> dict[str, Any]:
        reasons = [each for each in verdict.get("reasons") or () if isinstance(each, Mapping)]
        flags = [each for each in verdict.get("flags") or () if isinstance(each, Mapping)]
        recorded = [*reasons, *(flag for flag in flags if flag.get("kind") == "unknown_touch")]
        span = recorded[nth].get("span") if nth < len(recorded) else None
        return {
            "level": cause.level,
            "kind": cause.kind,
            "rule": cause.rule,
            "message": cause.message,
            "conditions": list(cause.conditions),
            "source": self._source(span),
        }

    def _source(self, span: object) -> dict[str, Any] | None:
        """The line of the program in which a rule begins."""
        if not isinstance(span, Mapping) or not isinstance(span.get("start"), int):
            return None
        for source in self.session.header.get("sources") or ():
            if isinstance(source, Mapping) and source.get("file") == span.get("file"):
                text, start = str(source.get("text", "")), max(0, span["start"])
                begin = text.rfind("\n", 0, start) + 1
                return {
                    "file": line(str(span.get("file")).rpartition("/")[2], 120),
                    "line": text.count("\n", 0, start) + 1,
                    "text": line(text[begin:].partition("\n")[0].strip(), 300),
                }
        return None

    def _target(self, step: Step) -> dict[str, Any] | None:
        spot = target(self.session, step)
        return None if spot is None else asdict(spot)

    def _drawing(self, name: str) -> dict[str, Any] | None:
        body = self.session.screens.get(name)
        return drawing_json(drawing(body)) if body is not None else None

    def _place(self, event: Event) -> str:
        return _called(event.screens, event.screen or {})

    def _named(self, after: Mapping[str, Any]) -> str:
        names = tuple(line(str(name), 80) for name in after.get("shown") or ())
        return _called(names, after["screen"])


def drawing_json(drawn: Drawing) -> dict[str, Any]:
    """A drawing as JSON values: boxes with texts, nothing else."""
    return {
        "width": drawn.width,
        "height": drawn.height,
        "left_out": drawn.left_out,
        "rows": [unsteered(row) for row in drawn.rows],
        "boxes": [
            {
                "x": box.x, "y": box.y, "width": box.width, "height": box.height, "kind": box.kind,
                "size": box.size, "on": box.on, "off": box.off, "middle": box.middle,
                "lines": [[top, unsteered(text)] for top, text in box.baselines],
            }
            for box in drawn.boxes
        ],
    }  # fmt: skip


def _called(names: tuple[str, ...], look: Mapping[str, Any]) -> str:
    return ", ".join(names[:2]) if names else f"screen {str(look.get('id', ''))[:6]}"


def _columns(names: list[str], ways: Mapping[tuple[str, str], Any]) -> dict[str, int]:
    columns: dict[str, int] = {}
    for root in names:
        if root in columns:
            continue
        columns[root] = 0
        waiting = deque([root])
        while waiting:
            here = waiting.popleft()
            for one, other in ways:
                if one == here and other not in columns:
                    columns[other] = columns[here] + 1
                    waiting.append(other)
    return {name: columns[name] for name in names}
