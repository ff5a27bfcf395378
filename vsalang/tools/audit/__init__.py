"""Audits recorded walks under policies: where they object, and how well that agrees with what people said of the walks.

    from vsalang.tools.audit import Options, find, report, run

    found = find(["traces"])
    outcomes = list(run(found.sources, Options(program), version="1"))
    report(found, outcomes).scores["symmetric"].figures.recall

`audit` judges one walk; `score` compares alarms of any source with labels.
"""

from vsalang.tools.audit.alarms import LEVELS, Alarm, Audited, Facts, Level, Options, audit
from vsalang.tools.audit.report import Audit, report
from vsalang.tools.audit.results import open_results
from vsalang.tools.audit.running import AuditError, Outcome, run
from vsalang.tools.audit.score import Alarmed, Early, Report, score, step_score
from vsalang.tools.audit.sources import Found, Skipped, Source, find

__all__ = [
    "LEVELS",
    "Alarm",
    "Alarmed",
    "Audit",
    "AuditError",
    "Audited",
    "Early",
    "Facts",
    "Found",
    "Level",
    "Options",
    "Outcome",
    "Report",
    "Skipped",
    "Source",
    "audit",
    "find",
    "open_results",
    "report",
    "run",
    "score",
    "step_score",
]
