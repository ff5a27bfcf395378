"""An audit as one page of HTML: no script, nothing loaded, everything out of walks and policies escaped."""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

from vsalang.base.diagnostics.display import on_page
from vsalang.base.templates import page_template, style_and_policy
from vsalang.program.text import line
from vsalang.tools.audit import tables
from vsalang.tools.audit.report import Audit

_FOLDER: Final = Path(__file__).with_name("templates")
MOST: Final = 2000
"""So many walks with alarms are shown; the JSON has all."""
_MOST_LISTED: Final = 200


def render(audit: Audit, in_force: Mapping[str, Any]) -> str:
    """The page of an audit.

    Args:
        in_force: by what was judged; see `vsalang.tools.audit.report.data`.
    """
    style, policy = style_and_policy(_FOLDER / "page.css")
    kinds: dict[str, int] = {}
    for trace in audit.traces:
        for _, why in trace.unjudged:
            kinds[why.partition(":")[0]] = kinds.get(why.partition(":")[0], 0) + 1
    text = _template().render(
        audit=audit,
        in_force=in_force,
        facts=_facts(audit, in_force),
        alarmed=audit.alarmed[:MOST],
        left=max(0, len(audit.alarmed) - MOST),
        broken=audit.broken[:_MOST_LISTED],
        skipped=audit.skipped[:_MOST_LISTED],
        unjudged=sorted(kinds.items(), key=lambda each: (-each[1], each[0])),
        main=audit.scores.get("symmetric"),
        scores=tables.scores(audit.scores) if audit.scores else None,
        categories=tables.categories(audit.scores) if audit.scores else None,
        style=style,
        policy=policy,
        words={"block": "blocked", "confirm": "asked", "warn": "warned", "flag": "flagged"},
        whens={"before": "before", "after": "by the outcome of", "screen": ""},
    )
    return str(text)


@cache
def _template() -> Any:
    return page_template(_FOLDER / "page.html.j2", on_page)


def _facts(audit: Audit, in_force: Mapping[str, Any]) -> list[tuple[str, str]]:
    alarms = sum(len(trace.alarms) for trace in audit.traces)
    facts = [
        ("Policies", ", ".join(f"{each['file']} {each['digest'][:12]}" for each in in_force["policies"])),
        ("Spec", in_force["spec"]),
        ("Alarms are of level", f"{in_force['level']} or graver"),
        ("Walks", f"{len(audit.traces):,}"),
        ("Steps", f"{audit.steps:,}"),
        ("Alarms", f"{alarms:,} in {len(audit.alarmed):,} walks"),
        ("Not read or judged", f"{len(audit.broken):,}" if audit.broken else ""),
        ("Skipped", f"{len(audit.skipped):,}" if audit.skipped else ""),
        ("vsac", in_force["vsalang"]),
    ]
    return [(name, line(str(value), 400)) for name, value in facts if value not in (None, "")]
