"""Renders answers as text for people and as JSON data for machines."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from vsalang.base.diagnostics.display import columns
from vsalang.base.source import Source, Span
from vsalang.engine.explain.match import known_cells
from vsalang.program.ir import Attr
from vsalang.program.screen_rules import is_screen_rule
from vsalang.program.show import quoted
from vsalang.program.text import line
from vsalang.program.values import Value, show
from vsalang.tools.ask.answer import Clause, Condition
from vsalang.tools.ask.asking import Reply
from vsalang.tools.ask.rows_asked import RowsAsked
from vsalang.tools.ask.writers import Writers

Style = Callable[[str, str], str]
"""Paints a text as ``met``, ``unmet``, ``unknown``, ``head``, ``dim``."""

_MARKS = {"met": "✓", "unmet": "✗", "unknown": "?"}
_RIGHT = frozenset({"Number", "Duration"})
_WIDEST = 60


def plain(text: str, _: str) -> str:
    """No paint."""
    return text


# ---------------------------------------------------------------- tables


def table(attrs: Sequence[Attr], rows: Iterable[Sequence[Value | None]], style: Style = plain) -> list[str]:
    """Aligned columns under the names of attributes; unknown cells are blank."""
    cells = [
        ["" if cell is None else quoted(cell, attr.type) for attr, cell in zip(attrs, row, strict=True)]
        for row in rows
    ]
    cells = [[text if columns(text) <= _WIDEST else _cut(text) for text in row] for row in cells]
    widths = [max([columns(attr.name), *(columns(row[n]) for row in cells)]) for n, attr in enumerate(attrs)]
    right = [attr.type.kind in _RIGHT for attr in attrs]

    def joined(texts: Sequence[str]) -> str:
        parts = [
            " " * (width - columns(text)) + text if to_right else text + " " * (width - columns(text))
            for text, width, to_right in zip(texts, widths, right, strict=True)
        ]
        return "  ".join(parts).rstrip()

    return [style(joined([attr.name for attr in attrs]), "head"), *(joined(row) for row in cells)]


def _cut(text: str) -> str:
    kept = ""
    for char in text:
        if columns(kept + char) >= _WIDEST:
            break
        kept += char
    return kept + "…"


def rows_text(n: int) -> str:
    """The number of rows, as text."""
    return {0: "no row", 1: "1 row"}.get(n, f"{n} rows")


# ---------------------------------------------------------------- proofs


def condition_lines(
    item: Condition, sources: Mapping[str, Source], style: Style = plain, indent: int = 2
) -> list[str]:
    """A condition with its state, what was found, and the rules behind it."""
    lead, inner = " " * indent, " " * (indent + 4)
    lines = [f"{lead}{style(_MARKS[item.state], item.state)} {line(item.text, 2000)}"]
    if item.fact and item.state == "met":
        if item.fact != item.text or item.said not in ("", "derived"):
            same = item.fact == item.text
            lines.append(
                inner + style(item.said if same else f"{item.said}: {item.fact}".lstrip(": "), "dim")
            )
    elif item.said:
        lines.append(inner + (style(item.said, "dim") if item.state == "met" else item.said))
    if item.fact and item.state != "met":
        lines.append(inner + style(f"nearest: {item.fact}", "dim"))
    for clause in item.parts:
        lines += clause_lines(clause, sources, style, indent + 4)
    return lines


def clause_lines(
    clause: Clause, sources: Mapping[str, Source], style: Style = plain, indent: int = 2
) -> list[str]:
    """A rule with the state of each of its conditions."""
    word = "by" if clause.holds else "not by"
    lines = [" " * indent + style(f"{word} {rule_name(clause, sources)}", "dim")]
    for item in clause.conditions:
        lines += condition_lines(item, sources, style, indent + 2)
    return lines


def rule_name(clause: Clause, sources: Mapping[str, Source]) -> str:
    """The name and the place of a rule."""
    where = place(clause.span, sources)
    # a screen's last rule has no place: the checker made it to exclude other screens
    name = clause.rule if not is_screen_rule(clause.rule) else "no other screen matching"
    return f"{name} ({where})" if where else name


def place(span: Span | None, sources: Mapping[str, Source]) -> str:
    """``file:line`` of a span; empty if it has none."""
    source = sources.get(span.file) if span is not None else None
    return (
        f"{span.file}:{source.position(span.start).line}" if span is not None and source is not None else ""
    )


def reply_lines(
    reply: Reply,
    sources: Mapping[str, Source],
    style: Style = plain,
    *,
    limit: int = 100,
    explain: int = 3,
    more: str = "--why explains more",
) -> list[str]:
    """An answer for people: the rows, then why the first of them are there, or what is missing.

    Args:
        reply: the answer.
        sources: of the rules that it mentions.
        style: how to paint.
        limit: how many rows are shown.
        explain: how many rows are explained.
        more: how to have more explained.
    """
    if not reply.holds:
        lines = [style("no" if not reply.question.variables else "no row", "unmet")]
        return [*lines, *(why_not_lines(reply, sources, style) if explain else [])]
    if not reply.question.variables:
        lines = [style("yes", "met")]
    else:
        lines = table(
            [Attr("?" + a.name, a.type, a.doc) for a in reply.question.relation.attrs],
            reply.rows[:limit],
            style,
        )
        lines.append(style(_count(len(reply.rows), limit), "dim"))
    for number in range(min(explain, limit, len(reply.rows))):
        binding = _binding(reply, number)
        lines.append("")
        lines.append(f"{binding}, because" if binding else "because")
        for item in reply.why(number):
            lines += condition_lines(item, sources, style)
    if 0 < explain < len(reply.rows):
        lines += ["", style(f"the other {rows_text(len(reply.rows) - explain)} likewise: {more}", "dim")]
    return lines


def why_not_lines(reply: Reply, sources: Mapping[str, Source], style: Style = plain) -> list[str]:
    """What is missing: the body under the nearest binding, and the rows that the question is about."""
    clause = reply.why_not
    types = {a.name: a.type for a in reply.question.relation.attrs}
    known = [(n, v) for n, v in clause.binding.items() if n in types]
    with_ = ", ".join(f"?{n} = {quoted(v, types[n])}" for n, v in known)
    lines = ["", "what comes nearest" + (f" is {with_}:" if with_ else ":")]
    for item in clause.conditions:
        lines += condition_lines(item, sources, style)
    for asked in reply.rows_asked:
        lines += ["", *rows_asked_lines(asked, style)]
    return lines


def rows_asked_lines(asked: RowsAsked, style: Style = plain) -> list[str]:
    """The rows that a question is about, as a table; of many the nearest, and how many more there are."""
    name = asked.relation.short
    if not asked.count:
        return [f"no rows of {name} are known"]
    lines = [f"the {asked.count} rows of {name}:" if asked.count > 1 else f"the only row of {name}:"]
    if asked.relation.attrs:
        lines += ["  " + text for text in table(asked.relation.attrs, asked.rows, style)]
    if asked.count > len(asked.rows):
        lines.append(style(f"  {asked.count - len(asked.rows)} more", "dim"))
    return lines


def _count(n: int, limit: int) -> str:
    return rows_text(n) if n <= limit else f"{rows_text(n)}, {limit} shown"


def _binding(reply: Reply, number: int) -> str:
    types = {a.name: a.type for a in reply.question.relation.attrs}
    return ", ".join(f"?{name} = {quoted(cell, types[name])}" for name, cell in reply.values(number).items())


# ---------------------------------------------------------------- why cells were read


def writers_lines(why: Writers, sources: Mapping[str, Source], style: Style = plain) -> list[str]:
    """Which observation rules wrote the cells of a relation, from which facts, and what the others lack."""
    name = why.relation.short + (f".{why.attr}" if why.attr else "")
    lines = [style(f"how {name} was read", "head")]
    if why.hidden:
        screens = " or ".join(why.hidden)
        lines.append(f"  its rules run only while screen {screens} shows, and it does not: nothing is kept")
    types = {attr.name: attr.type for attr in why.relation.attrs}
    for write in why.writes:
        cells = ", ".join(
            f"{n} = {'unknown (the value cannot be read)' if v is None else quoted(v, types.get(n))}"
            for n, v in write.cells.items()
            if not why.attr or n in (why.attr, "row", *why.relation.identity)
        )
        lines.append(f"  {style('written', 'met')}: {line(cells, 2000)}")
        lines += clause_lines(write.clause, sources, style, 4)
    for clause in why.failing:
        lines += clause_lines(clause, sources, style, 2)
    if not why.writes and not why.failing:
        lines.append("  no observation rule writes it")
    return lines


def writers_data(why: Writers, sources: Mapping[str, Source]) -> dict[str, Any]:
    """The same as JSON data."""
    return {
        "relation": why.relation.short,
        "attribute": why.attr or None,
        "needs_screen": list(why.hidden),
        "written": [
            {
                "rule": write.rule,
                "cells": _values({n: v for n, v in write.cells.items() if v is not None}),
                "unknown": [n for n, v in write.cells.items() if v is None],
                "because": clause_data(write.clause, sources),
            }
            for write in why.writes
        ],
        "not_written_by": [clause_data(clause, sources) for clause in why.failing],
    }


# ---------------------------------------------------------------- JSON


def reply_data(
    reply: Reply, sources: Mapping[str, Source], *, limit: int = 100, explain: int = 3
) -> dict[str, Any]:
    """An answer as JSON data; docs/commands/ask.md#vsac-query-a-question says what each part is."""
    rows = [
        {"values": _values(reply.values(n)), "why": _whys(reply, n, sources) if n < explain else None}
        for n in range(min(limit, len(reply.rows)))
    ]
    return {
        "version": 1,
        "question": reply.question.text,
        "variables": [{"name": a.name, "type": str(a.type)} for a in reply.question.relation.attrs],
        "engine": reply.engine,
        "holds": reply.holds,
        "count": len(reply.rows),
        "rows": rows,
        "why_not": _why_not(reply, sources) if explain and not reply.holds else None,
    }


def _why_not(reply: Reply, sources: Mapping[str, Source]) -> dict[str, Any]:
    data = clause_data(reply.why_not, sources)
    return {
        "binding": data["binding"],
        "conditions": data["conditions"],
        "rows": [
            {
                "relation": asked.relation.short,
                "count": asked.count,
                "rows": [_values(known_cells(asked.relation, row)) for row in asked.rows],
            }
            for asked in reply.rows_asked
        ],
    }


def _whys(reply: Reply, number: int, sources: Mapping[str, Source]) -> list[dict[str, Any]]:
    return [condition_data(item, sources) for item in reply.why(number)]


def condition_data(item: Condition, sources: Mapping[str, Source]) -> dict[str, Any]:
    """A condition as JSON data."""
    return {
        "state": item.state,
        "condition": item.text,
        "found": item.said,
        "fact": item.fact,
        "place": place_data(item.span, sources),
        "rules": [clause_data(clause, sources) for clause in item.parts],
    }


def clause_data(clause: Clause, sources: Mapping[str, Source]) -> dict[str, Any]:
    """A rule under a binding as JSON data."""
    return {
        "rule": clause.rule,
        "head": clause.text,
        "holds": clause.holds,
        "binding": _values(clause.binding),
        "conditions": [condition_data(item, sources) for item in clause.conditions],
        "place": place_data(clause.span, sources),
    }


def place_data(span: Span | None, sources: Mapping[str, Source]) -> dict[str, Any] | None:
    """A place, as JSON data."""
    source = sources.get(span.file) if span is not None else None
    if span is None or source is None:
        return None
    position = source.position(span.start)
    return {"file": span.file, "line": position.line, "column": position.column}


def _values(cells: Mapping[str, Value]) -> dict[str, Any]:
    """Values by name: whole numbers and booleans as such, all others as text."""
    return {
        re.sub(r"^#", "", name): value if isinstance(value, bool | int | str) else show(value, bare=True)
        for name, value in sorted(cells.items())
    }
