"""Findings as SARIF 2.1.0 (OASIS), which code-scanning services read."""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any
from urllib.parse import quote

from vsalang.base.diagnostics.code import Code
from vsalang.base.diagnostics.codes import CODES
from vsalang.base.diagnostics.diagnostic import Diagnostic, Fix, Severity
from vsalang.base.diagnostics.places import fingerprints
from vsalang.base.diagnostics.sentences import sentence, text_of
from vsalang.base.records import dataclass
from vsalang.base.source import Source, Span

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
ROOT = "SRCROOT"
"""The base of relative file names; for code-scanning services the root of the repository."""
_WEIGHTS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "recommendation"}
_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.INFO: "note"}


def to_data(
    diagnostics: Iterable[Diagnostic],
    sources: Mapping[str, Source],
    *,
    version: str = "",
    codes: Mapping[str, Code] = CODES,
    page: Callable[[str], str] | None = None,
    information: str = "",
    base: Path | None = None,
) -> dict[str, Any]:
    """The findings as one SARIF run. Columns count code points, as they do in every report of this tool.

    Args:
        version: of the tool.
        codes: what the tool's codes mean.
        page: the address of the page about a code.
        information: the address of the tool's documentation.
        base: the base folder; absolute names of files below it become relative.
    """
    items = list(diagnostics)
    rules = sorted({item.code for item in items})
    described = [_rule(code, codes.get(code), page) for code in rules]
    driver: dict[str, Any] = {"name": "vsac", "fullName": "vsac, the tools of vsalang", "rules": described}
    if version:
        driver["version"] = version
    if information:
        driver["informationUri"] = information
    files = _Files(sources, base)
    run: dict[str, Any] = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {
            ROOT: {
                "description": {
                    "text": "The root of the repository; outside of one, the folder in which vsac was run."
                }
            }
        },
        "results": [
            _result(item, rules.index(item.code), files, mark) for item, mark in fingerprints(items, sources)
        ],
    }
    if base is not None and any(item.where and _absolute(files.uri(item.where)) for item in items):
        # files elsewhere have absolute names; services ask for the working folder then
        folder = {"uri": f"{base.as_uri()}/"}
        run["invocations"] = [{"executionSuccessful": True, "workingDirectory": folder}]
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def render(
    diagnostics: Iterable[Diagnostic],
    sources: Mapping[str, Source],
    *,
    version: str = "",
    codes: Mapping[str, Code] = CODES,
    page: Callable[[str], str] | None = None,
    information: str = "",
    base: Path | None = None,
) -> str:
    """The findings as SARIF text in ASCII, ending in a line break; arguments as of `to_data`."""
    data = to_data(
        diagnostics, sources, version=version, codes=codes, page=page, information=information, base=base
    )
    return json.dumps(data, indent=2) + "\n"


def _rule(code: str, entry: Code | None, page: Callable[[str], str] | None) -> dict[str, Any]:
    if entry is None:
        return {"id": code}
    rule: dict[str, Any] = {
        "id": code,
        "name": _name(entry.title),
        "shortDescription": {"text": sentence(entry.title)},
        "fullDescription": {"text": sentence(entry.explanation)},
        "help": {"text": _help(entry, "", ""), "markdown": _help(entry, "```vsa\n", "\n```")},
        "defaultConfiguration": {"level": _LEVELS[entry.severity]},
        "properties": {"problem.severity": _WEIGHTS[entry.severity], "tags": ["vsa"]},
    }
    if page is not None:
        rule["helpUri"] = page(code)
    return rule


def _name(title: str) -> str:
    """A title as one word: `UnknownRelation` for `unknown relation`."""
    words = re.findall(r"[A-Za-z]+|[0-9]+", title.replace("'s", ""))
    return "".join(word.capitalize() for word in words if word.lower() not in ("a", "an", "the"))


def _help(entry: Code, before: str, after: str) -> str:
    """The explanation of a rule with its examples, each between two marks."""
    parts = [sentence(entry.explanation)]
    if entry.example_bad:
        parts.append(f"This gives it:\n\n{before}{entry.example_bad.rstrip()}{after}")
    if entry.example_good:
        parts.append(f"Instead:\n\n{before}{entry.example_good.rstrip()}{after}")
    return "\n\n".join(parts)


def _result(item: Diagnostic, rule: int, files: "_Files", mark: str) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": item.code,
        "ruleIndex": rule,
        "level": _LEVELS[item.severity],
        "message": {"text": text_of(item)},
        "partialFingerprints": {"primaryLocationLineHash": mark},
    }
    where = item.where or next(
        iter(files.sources), ""
    )  # a finding without a place is shown at the first file
    if where:
        result["locations"] = [files.location(where, item.span, item.label)]
    if item.labels:
        result["relatedLocations"] = [
            {"id": number, **files.location(label.span.file, label.span, label.text or "this belongs to it")}
            for number, label in enumerate(item.labels)
        ]
    # a SARIF region needs lines and columns, so the text of the file must be known
    fixes = [fix for fix in item.fixes if all(edit.span.file in files.sources for edit in fix.edits)]
    if fixes:
        result["fixes"] = [files.fix(fix) for fix in fixes]
    return result


@dataclass(frozen=True, slots=True)
class _Files:
    """Gives the locations of files and spans. `base` is the folder of relative names."""

    sources: Mapping[str, Source]
    base: Path | None

    def location(self, file: str, span: Span | None, text: str = "") -> dict[str, Any]:
        source = self.sources.get(file)
        # without a place the whole file is meant; services need a line
        region = _region(span, source) if span and source else {"startLine": 1}
        location: dict[str, Any] = {
            "physicalLocation": {"artifactLocation": self.artifact(file), "region": region}
        }
        if text:
            location["message"] = {"text": sentence(text)}
        return location

    def fix(self, fix: Fix) -> dict[str, Any]:
        changes = []
        for file in dict.fromkeys(edit.span.file for edit in fix.edits):
            replacements = [
                {
                    "deletedRegion": _region(edit.span, self.sources[file]),
                    "insertedContent": {"text": edit.text},
                }
                for edit in fix.edits
                if edit.span.file == file
            ]
            changes.append({"artifactLocation": self.artifact(file), "replacements": replacements})
        return {"description": {"text": sentence(fix.title)}, "artifactChanges": changes}

    def artifact(self, file: str) -> dict[str, str]:
        """The location of a file: an absolute name, or a relative one with its base."""
        uri = self.uri(file)
        return {"uri": uri} if _absolute(uri) else {"uri": uri, "uriBaseId": ROOT}

    def uri(self, file: str) -> str:
        """A file's name as a URI reference: relative if the file is below the base folder."""
        if self.base is not None and Path(file).is_absolute() and Path(file).is_relative_to(self.base):
            file = Path(file).relative_to(self.base).as_posix()
        windows = PureWindowsPath(file)
        if file.startswith("/"):
            return PurePosixPath(file).as_uri()
        if windows.drive and windows.is_absolute():
            return windows.as_uri()
        # a colon in the first segment would be parsed as a scheme, so it is always escaped
        return quote(file.encode("utf-8", "surrogateescape"), safe="/")


def _absolute(uri: str) -> bool:
    return uri.startswith("file:")


def _region(span: Span, source: Source) -> dict[str, int]:
    start, end = source.position(span.start), source.position(span.end)
    return {
        "startLine": start.line,
        "startColumn": start.column,
        "endLine": end.line,
        "endColumn": end.column,
    }
