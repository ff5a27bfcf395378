"""Findings as SARIF 2.1.0 (OASIS), which code-scanning services read."""

import json
from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath, PureWindowsPath
from typing import Any
from urllib.parse import quote

from vsalang.diagnostics.code import Code
from vsalang.diagnostics.codes import CODES
from vsalang.diagnostics.model import Diagnostic, Fix, Severity
from vsalang.source import Source, Span

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}


def to_data(
    diagnostics: Iterable[Diagnostic],
    sources: Mapping[str, Source],
    *,
    version: str = "",
    codes: Mapping[str, Code] = CODES,
) -> dict[str, Any]:
    """The findings as one SARIF run. `version` is that of the tool, `codes` says what its codes mean.

    Columns count code points, as they do in every report of this tool.
    """
    items = list(diagnostics)
    rules = sorted({item.code for item in items})
    driver: dict[str, Any] = {"name": "vsac", "rules": [_rule(code, codes.get(code)) for code in rules]}
    if version:
        driver["version"] = version
    return {
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": driver},
                "columnKind": "unicodeCodePoints",
                "results": [_result(item, rules.index(item.code), sources) for item in items],
            }
        ],
    }


def render(
    diagnostics: Iterable[Diagnostic],
    sources: Mapping[str, Source],
    *,
    version: str = "",
    codes: Mapping[str, Code] = CODES,
) -> str:
    """The findings as SARIF text in ASCII, ending in a line break."""
    return json.dumps(to_data(diagnostics, sources, version=version, codes=codes), indent=2) + "\n"


def _rule(code: str, entry: Code | None) -> dict[str, Any]:
    if entry is None:
        return {"id": code}
    return {
        "id": code,
        "shortDescription": {"text": entry.title},
        "fullDescription": {"text": entry.explanation},
        "defaultConfiguration": {"level": _LEVELS[entry.severity]},
    }


def _result(item: Diagnostic, rule: int, sources: Mapping[str, Source]) -> dict[str, Any]:
    message = "\n".join(text for text in (item.message, item.help) if text)
    result: dict[str, Any] = {
        "ruleId": item.code,
        "ruleIndex": rule,
        "level": _LEVELS[item.severity],
        "message": {"text": message},
    }
    if item.where:
        result["locations"] = [_location(item.where, item.span, sources, item.label)]
    if item.labels:
        result["relatedLocations"] = [
            {"id": number, **_location(label.span.file, label.span, sources, label.text)}
            for number, label in enumerate(item.labels)
        ]
    # A SARIF region is a line and column; an edit of a file whose text is not at hand cannot be stated.
    fixes = [fix for fix in item.fixes if all(edit.span.file in sources for edit in fix.edits)]
    if fixes:
        result["fixes"] = [_fix(fix, sources) for fix in fixes]
    return result


def _location(file: str, span: Span | None, sources: Mapping[str, Source], text: str = "") -> dict[str, Any]:
    physical: dict[str, Any] = {"artifactLocation": {"uri": _uri(file)}}
    source = sources.get(file)
    if span and source:
        physical["region"] = _region(span, source)
    location: dict[str, Any] = {"physicalLocation": physical}
    if text:
        location["message"] = {"text": text}
    return location


def _region(span: Span, source: Source) -> dict[str, int]:
    start, end = source.position(span.start), source.position(span.end)
    return {
        "startLine": start.line,
        "startColumn": start.column,
        "endLine": end.line,
        "endColumn": end.column,
    }


def _fix(fix: Fix, sources: Mapping[str, Source]) -> dict[str, Any]:
    changes = []
    for file in dict.fromkeys(edit.span.file for edit in fix.edits):
        replacements = [
            {"deletedRegion": _region(edit.span, sources[file]), "insertedContent": {"text": edit.text}}
            for edit in fix.edits
            if edit.span.file == file
        ]
        changes.append({"artifactLocation": {"uri": _uri(file)}, "replacements": replacements})
    return {"description": {"text": fix.title}, "artifactChanges": changes}


def _uri(file: str) -> str:
    """A file's name as a URI reference: relative names stay relative."""
    windows = PureWindowsPath(file)
    if file.startswith("/"):
        return PurePosixPath(file).as_uri()
    if windows.drive and windows.is_absolute():
        return windows.as_uri()
    # A colon in the first segment would read as a scheme, so it is always escaped.
    return quote(file.encode("utf-8", "surrogateescape"), safe="/")
