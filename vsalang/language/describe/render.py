"""Renders a description as text, Markdown or JSON data."""

import re
import textwrap
from collections.abc import Mapping
from typing import Any

from vsalang.base.source import Source, Span
from vsalang.language.describe.description import Description, Entry

VERSION = 1
"""The version of the JSON format; it rises with every change that readers can notice."""

_KINDS = {"spec": "Task", "policy": "Policy", "app": "App description", "module": "Vocabulary"}
_MARKUP = re.compile(r"([\\`*_{}\[\]<>#|~&!])")
_WIDTH = 96


def to_text(description: Description) -> str:
    """For a terminal: lines of at most 96 columns where words allow it, ending in a line break."""
    out = [_title(description)]
    if description.doc:
        out += textwrap.wrap(f'"{description.doc}"', _WIDTH, break_long_words=False, break_on_hyphens=False)
    for section in description.sections:
        out += ["", section.title]
        numbered = _numbered(section.entries)
        for n, entry in enumerate(section.entries, 1):
            out += _lines(entry, f"{n}." if numbered else "-", 2)
    return "\n".join(out) + "\n"


def _lines(entry: Entry, bullet: str, indent: int) -> list[str]:
    def wrapped(text: str, mark: str, by: int) -> list[str]:
        first = " " * by + mark + " "
        return textwrap.wrap(
            text,
            _WIDTH,
            initial_indent=first,
            subsequent_indent=" " * len(first),
            break_long_words=False,
            break_on_hyphens=False,
        )

    if len(entry.details) > 1:
        out = wrapped(entry.lead + ":", bullet, indent)
        last = len(entry.details) - 1
        for n, detail in enumerate(entry.details):
            out += wrapped(
                detail + ("." if n == last else "; and" if n == last - 1 else ";"), "-", indent + 3
            )
    else:
        out = wrapped(entry.sentence, bullet, indent)
    for definition in entry.defines:
        out += wrapped(f"Here {definition.sentence}", "*", indent + 3)
    return out


def to_markdown(description: Description) -> str:
    """Markdown (CommonMark); texts from programs and descriptions are escaped."""
    out = [f"# {_escape(_title(description))}"]
    if description.doc:
        out += ["", f"> {_escape(description.doc)}"]
    for section in description.sections:
        out += ["", f"## {_escape(section.title)}", ""]
        numbered = _numbered(section.entries)
        for n, entry in enumerate(section.entries, 1):
            mark = f"{n}." if numbered else "-"
            pad = " " * (len(mark) + 1)
            if len(entry.details) > 1:
                out.append(f"{mark} {_escape(entry.lead)}:")
                last = len(entry.details) - 1
                for i, detail in enumerate(entry.details):
                    end = "." if i == last else "; and" if i == last - 1 else ";"
                    out.append(f"{pad}- {_escape(detail)}{end}")
            else:
                out.append(f"{mark} {_escape(entry.sentence)}")
            out += [f"{pad}- Here {_escape(definition.sentence)}" for definition in entry.defines]
    return "\n".join(out) + "\n"


def to_data(description: Description, sources: Mapping[str, Source]) -> dict[str, Any]:
    """The stable shape of ``--format json``: see docs/commands/write.md#vsac-describe-a-spec-in-plain-words.

    Args:
        sources: the files by the names that spans use, for lines and columns.
    """
    return {
        "version": VERSION,
        "module": description.module,
        "kind": description.kind,
        "description": description.doc,
        "policies": list(description.policies),
        "sections": [
            {"title": section.title, "entries": [_data(entry, sources) for entry in section.entries]}
            for section in description.sections
        ],
    }


def _data(entry: Entry, sources: Mapping[str, Source]) -> dict[str, Any]:
    return {
        "rule": entry.rule or None,
        "kind": entry.kind,
        "sentence": entry.sentence,
        "conditions": list(entry.details),
        "file": entry.span.file if entry.span else None,
        "span": _span(entry.span, sources) if entry.span else None,
        "definitions": [_data(item, sources) for item in entry.defines],
    }


def _span(span: Span, sources: Mapping[str, Source]) -> dict[str, Any]:
    def position(offset: int) -> dict[str, int | None]:
        source = sources.get(span.file)
        if source is None:
            return {"line": None, "column": None, "offset": offset}
        position = source.position(offset)
        return {"line": position.line, "column": position.column, "offset": offset}

    return {"start": position(span.start), "end": position(span.end)}


def _title(description: Description) -> str:
    name = f'{_KINDS.get(description.kind, description.kind)} "{description.module}"'
    if description.policies:
        count = "the policy" if len(description.policies) == 1 else "the policies"
        name += f" under {count} " + ", ".join(f'"{p}"' for p in description.policies)
    return name


def _numbered(entries: tuple[Entry, ...]) -> bool:
    return sum(entry.kind == "allow" for entry in entries) > 1


def _escape(text: str) -> str:
    return _MARKUP.sub(r"\\\1", text)
