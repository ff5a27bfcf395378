"""Walks syntax trees for lint rules: nodes, mentions of variables, the text of conditions."""

import dataclasses
import re
from collections.abc import Iterator
from functools import cache
from typing import Any

from vsalang.base.diagnostics import Edit, Fix
from vsalang.base.source import Source, Span
from vsalang.language.syntax import tree as t
from vsalang.program import ir
from vsalang.program.walk import constants


def texts_of(constraint: ir.Constraint) -> Iterator[str]:
    """The constant texts in a constraint."""
    for constant in constants(constraint.term):
        if isinstance(constant.value, str):
            yield constant.value


def nodes(node: Any) -> Iterator[Any]:
    """A node of a syntax tree and all nodes below it, outer ones first. Spans, texts and values are not nodes."""
    waiting = [node]
    while waiting:
        item = waiting.pop()
        if isinstance(item, tuple):
            waiting.extend(reversed(item))
            continue
        kind: type = type(item)
        names = _fields(kind)
        if names is not None:
            yield item
            waiting.extend([getattr(item, name) for name in names])


@cache
def _fields(kind: type) -> tuple[str, ...] | None:
    """The names of a node's fields, the last one first; None: nothing of that type is a node."""
    if kind.__module__ != t.__name__ or not dataclasses.is_dataclass(kind):
        return None
    return tuple(field.name for field in dataclasses.fields(kind))[::-1]


def removal(source: Source, span: Span | None) -> tuple[Fix, ...]:
    """The fix that removes an item with its lines; none if something else is on them."""
    if span is None:
        return ()
    text = source.text
    start, end = text.rfind("\n", 0, span.start) + 1, text.find("\n", span.end)
    end = len(text) if end < 0 else end + 1
    if text[start : span.start].strip() or text[span.end : end].strip(" \t\r\n."):
        return ()
    return (Fix("remove it", (Edit(Span(span.file, start, end), ""),)),)


def may_narrow(rule: t.Rule, arg: t.Arg) -> bool:
    """Whether a constraint may ask for less: the rule then permits less, or objects to more.

    False where that is not certain: in rules about what is seen, and in conditions on many rows.
    """
    sign = {"allow": 1, "done": 1, "deny": -1, "confirm": -1, "warn": -1, "flag": -1}.get(rule.kind, 0)
    for item in rule.body:
        if isinstance(item, t.Lit) and any(each is arg for each in item.atom.args):
            return sign * (-1 if item.neg else 1) > 0
    head = rule.head.atom.args if isinstance(rule.head, t.AtomHead) else ()
    return sign > 0 and any(each is arg for each in head)


def words(source: Source, span: Span) -> str:
    """The text of a span with each run of blanks and line breaks replaced by one blank."""
    return " ".join(source.slice(span).split())


def conditions(source: Source, rule: t.Rule) -> frozenset[str]:
    """The texts of a rule's conditions, as a set."""
    return frozenset(words(source, item.span) for item in (*rule.body, *(rule.extra or ())))


_HOLE = re.compile(r"\{\{|\}\}|\{\?([A-Za-z_][A-Za-z0-9_]*)\}")
_GROUP = re.compile(r"\(\?P?<([A-Za-z_][A-Za-z0-9_]*)>")


def variables(node: Any) -> Iterator[tuple[str, t.Var | None]]:
    """Every mention of a variable below a node; mentions in messages and patterns have no node of their own."""
    for item in nodes(node):
        if isinstance(item, t.Var):
            yield item.name, item
        elif isinstance(item, t.JudgeHead):
            yield from ((m.group(1), None) for m in _HOLE.finditer(item.message.value) if m.group(1))
        elif isinstance(item, t.Regex):
            yield from ((m.group(1), None) for m in _GROUP.finditer(item.source))
