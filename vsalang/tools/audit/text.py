"""The result of an audit: its lines for people, its JSON and its page."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from vsalang.base import report as reports
from vsalang.base.diagnostics.display import count, safe
from vsalang.base.records import dataclass
from vsalang.base.report import Style
from vsalang.tools.audit import tables
from vsalang.tools.audit.alarms import WalkAudit
from vsalang.tools.audit.page import render
from vsalang.tools.audit.report import Audit, data
from vsalang.tools.audit.score import Early, Report
from vsalang.tools.audit.tables import Table


@dataclass(frozen=True, slots=True)
class AuditReport(reports.Report):
    """The result of an audit.

    Attributes:
        audit: the walks, their alarms and scores.
        in_force: by what was judged.
        status: the exit status.
    """

    audit: Audit
    in_force: dict[str, Any]
    status: int = 0

    def data(self) -> object:
        """As JSON; see docs/reference/audit.schema.json."""
        return data(self.audit, self.in_force)

    def lines(self, style: Style) -> Iterator[str]:
        """Each walk with an alarm, what was left out, the totals, and the scores."""
        audit = self.audit
        blocks: list[Iterable[str]] = [_by_what(self.in_force)]
        blocks += [_trace(trace, style) for trace in audit.alarmed]
        blocks.append(_left_out("not judged", audit.broken))
        blocks.append(_left_out("skipped", audit.skipped))
        blocks.append(_unjudged(audit))
        blocks.append(summary(audit))
        if audit.scores:
            blocks += [_scores(audit.scores), _categories(audit.scores)]
        yield from "\n\n".join("\n".join(lines) for block in blocks if (lines := list(block))).split("\n")

    def document(self, format: str, style: Style) -> str:
        """As a page."""
        return render(self.audit, self.in_force)


_SHADES: Final = {"block": "red", "confirm": "cyan", "warn": "yellow", "flag": "magenta"}
_MOST_LISTED: Final = 20


def summary(audit: Audit) -> list[str]:
    """The totals, in a line or two."""
    alarms = sum(len(trace.alarms) for trace in audit.traces)
    text = (
        f"{count(len(audit.traces), 'walk')}, {count(audit.steps, 'step')}: "
        f"{count(alarms, 'alarm')} in {count(len(audit.alarmed), 'walk')}"
    )
    milder = sum(trace.milder for trace in audit.traces)
    if milder:
        text += f"; {milder} below the level are not shown"
    lines = [text]
    if audit.known:
        lines.append(f"{count(audit.known, 'source')} had been judged before")
    return lines


def _by_what(in_force: dict[str, Any]) -> Iterator[str]:
    files = ", ".join(f"{safe(each['file'], 200)} {each['digest'][:12]}" for each in in_force["policies"])
    spec = f"; spec {safe(in_force['spec'], 200)}" if in_force["spec"] else ""
    yield f"Judged by {files or 'no policies'}{spec}; alarms are of level {in_force['level']} or graver"


def _trace(trace: WalkAudit, style: Style) -> Iterator[str]:
    yield f"{safe(trace.name, 120)}  {_labelled(trace)}"
    if trace.task:
        yield f'  "{safe(trace.task, 200)}"'
    for alarm in trace.alarms:
        level = style(f"{alarm.level:7}", fg=_SHADES[alarm.level])
        kinds = f" ({', '.join(alarm.categories)})" if alarm.categories else ""
        yield f"  step {alarm.step:<3} {level} {safe(alarm.rule, 60)}{safe(kinds, 100)}: {safe(alarm.reason, 300)}"
        if alarm.when == "screen":
            yield "           the screen alone"
        else:
            yield f"           {alarm.when} {safe(alarm.action, 160)}"


def _labelled(trace: WalkAudit) -> str:
    label = trace.label
    if label is None:
        return "no label"
    if not label.unsafe:
        return "safe"
    step = f" at step {label.step}" if label.step is not None else ""
    return f"unsafe{step}: {', '.join(label.categories) or 'no category'}"


def _left_out(what: str, files: Sequence[Any]) -> Iterator[str]:
    if not files:
        return
    yield f"{what}: {len(files)}"
    for each in files[:_MOST_LISTED]:
        why = each.why if each.why.startswith(each.path) else f"{each.path}: {each.why}"
        yield f"  {safe(why, 400)}"
    if len(files) > _MOST_LISTED:
        yield f"  and {len(files) - _MOST_LISTED} more; --json lists all"


def _unjudged(audit: Audit) -> Iterator[str]:
    """The steps whose action could not be judged, by kind: a silent rule may not have been asked."""
    if not audit.unjudged:
        return
    kinds: dict[str, int] = {}
    for trace in audit.traces:
        for _, why in trace.unjudged:
            kind = why.partition(":")[0]
            kinds[kind] = kinds.get(kind, 0) + 1
    yield f"{count(audit.unjudged, 'step')} of which the action could not be judged, only the screen:"
    for kind, times in sorted(kinds.items(), key=lambda each: (-each[1], each[0])):
        yield f"  {times:5}  {safe(kind, 100)}"


def _scores(scores: dict[Early, Report]) -> Iterator[str]:
    main = scores["symmetric"]
    labelled = f"{count(main.unsafe, 'unsafe walk')}, {count(main.safe, 'safe walk')}"
    yield f"Scored against labels: {labelled} ({count(main.safe_steps, 'step')}); intervals at 95 %"
    yield from _table(tables.scores(scores))
    if main.too_early:
        walks = count(main.too_early, "unsafe walk")
        yield f"In {walks} the first alarm comes before the first unsafe step."


def _categories(scores: dict[Early, Report]) -> Iterator[str]:
    table = tables.categories(scores)
    if table.rows:
        yield from _table(table)


def _table(table: Table) -> Iterator[str]:
    rows = [table.head, *table.rows]
    widths = [max(len(row[column]) for row in rows) for column in range(len(table.head))]
    for row in rows:
        cells = [f"{row[0]:<{widths[0]}}"]
        cells += [f"{cell:>{width}}" for cell, width in zip(row[1:], widths[1:], strict=True)]
        yield "  ".join(cells).rstrip()
