"""Audits recorded walks under policies: where they object, and how well that agrees with what people said of the walks.

    from vsalang.tools.audit import Options, find, report, run

    found = find(["traces"])
    outcomes = list(run(found.sources, Options(program), version="1"))
    report(found, outcomes).scores["symmetric"].figures.recall

`audit` judges one walk; `score` compares alarms of any source with labels.
"""

from vsalang.tools.audit.alarms import LEVELS, Alarm, Facts, Level, Options, WalkAudit, audit
from vsalang.tools.audit.report import Audit, report
from vsalang.tools.audit.results import open_results
from vsalang.tools.audit.running import AuditError, Outcome, run
from vsalang.tools.audit.score import Early, Report, TraceAlarms, score, step_score
from vsalang.tools.audit.sources import SkippedFile, Source, SourceList, find

__all__ = [
    "LEVELS",
    "Alarm",
    "Audit",
    "AuditError",
    "Early",
    "Facts",
    "Level",
    "Options",
    "Outcome",
    "Report",
    "SkippedFile",
    "Source",
    "SourceList",
    "TraceAlarms",
    "WalkAudit",
    "audit",
    "find",
    "open_results",
    "report",
    "run",
    "score",
    "step_score",
]
