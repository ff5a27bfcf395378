"""Findings as GitLab's code quality reports (a subset of Code Climate's format), which merge requests show."""

import json
from collections.abc import Iterable, Mapping

from vsalang.base.diagnostics.diagnostic import Diagnostic, Severity
from vsalang.base.diagnostics.places import fingerprints
from vsalang.base.diagnostics.sentences import text_of
from vsalang.base.source import Source

_SEVERITIES = {Severity.ERROR: "major", Severity.WARNING: "minor", Severity.INFO: "info"}


def render(diagnostics: Iterable[Diagnostic], sources: Mapping[str, Source]) -> str:
    """The findings as JSON text in ASCII."""
    report = []
    for item, fingerprint in fingerprints(diagnostics, sources):
        source = sources.get(item.where)
        line = source.position(item.span.start).line if source is not None and item.span is not None else 1
        report.append(
            {
                "description": text_of(item),
                "check_name": item.code,
                "fingerprint": fingerprint,
                "severity": _SEVERITIES[item.severity],
                "location": {"path": item.where, "lines": {"begin": line}},
            }
        )
    return json.dumps(report, indent=2) + "\n"
