"""Checks that a module contains only items that its kind of module may contain."""

import re

from vsalang.base.diagnostics import Edit, Fix
from vsalang.base.source import Span
from vsalang.language.semantics.annotations import IDEMPOTENT, NEAR, REFUSAL, UNLICENSED
from vsalang.language.semantics.report import Report
from vsalang.language.semantics.scope import Scope
from vsalang.language.semantics.wording import a
from vsalang.language.syntax import tree as t

_ALWAYS = frozenset({"let", "test"})
AUTHORITY: dict[str, frozenset[str]] = {
    "app": frozenset(
        "enum state view list screen action recognize complete top end update delete goto define expect "
        "deny confirm warn flag".split()
    ),
    "spec": frozenset("allow done define deny confirm warn".split()),
    "policy": frozenset("define deny confirm warn flag expect allow".split()),
    "module": frozenset("enum define expect".split()),
}
"""What each kind of module may contain in addition to `let` and `test`."""

_WHY = {
    "app": "an app module states facts about its app; what may be done is said by specs and policies",
    "spec": "a spec says what may be done and when the task is over; it can never write evidence",
    "policy": "a policy holds the owner's rules; what the app shows is described in an app module",
    "module": "a module holds vocabulary: enums, definitions and expectations",
}


def keyword(item: t.Item) -> str:
    """The keyword with which an item begins."""
    match item:
        case t.Let():
            return "let"
        case t.Enum():
            return "enum"
        case t.Relation():
            return item.sort
        case t.Action():
            return "action"
        case t.Test():
            return "test"
        case t.Rule():
            return item.kind


def check_authority(scope: Scope, report: Report) -> set[int]:
    """Report items that this kind of module may not contain; return their ids, so that nothing else is reported."""
    allowed = AUTHORITY[scope.kind] | _ALWAYS
    wrong: set[int] = set()
    for item in scope.unit.tree.items:
        word = keyword(item)
        _check_idempotent(scope, item, report)
        _check_unlicensed(scope, item, report)
        _check_refusal(scope, item, report)
        if word in allowed:
            continue
        wrong.add(id(item))
        others = [kind for kind, words in AUTHORITY.items() if word in words]
        where = " or ".join(a(kind) for kind in others)
        start = item.span.start + _offset(scope, item, word)
        report.error(
            "E0501",
            Span(item.span.file, start, start + len(word)),
            f"{a(scope.kind)} cannot contain `{word}`",
            label=f"it belongs into {where}" if where else "",
            help=_WHY[scope.kind],
        )
    broken_header = re.match(r"app\b", scope.unit.lost_text)
    generic = scope.unit.tree.generic
    if scope.kind == "app" and not scope.unit.tree.packages and not generic and not broken_header:
        doc = scope.unit.tree.doc
        fixes = []
        if doc is not None and re.fullmatch(r"[a-z]\w*(?:\.\w+)+", doc.value):
            place = Span(doc.span.file, doc.span.start, doc.span.start)
            fixes = [Fix("write `package`", (Edit(place, "package "),))]
        report.error(
            "E0506",
            scope.unit.tree.name.span,
            f"the app `{scope.name}` does not say which package it is",
            help=f'write: app {scope.name} package "com.example"; or app {scope.name} any, if it is about every app',
            fixes=fixes,
        )
    if generic and (scope.kind != "app" or scope.unit.tree.packages):
        _generic_header(scope, report)
    elif scope.kind != "app" and scope.unit.tree.packages:
        tree = scope.unit.tree
        words = Span(tree.span.file, tree.name.span.end, tree.packages[-1].span.end)
        report.error(
            "E0506",
            tree.packages[0].span,
            f"{a(scope.kind)} has no package",
            help="only apps do",
            fixes=[Fix("remove it", (Edit(words, ""),))],
        )
    return wrong


def _check_unlicensed(scope: Scope, item: t.Item, report: Report) -> None:
    """Report `@unlicensed` anywhere but before a `confirm` or `warn` of a policy: only the owner lowers a level."""
    names = {annotation.name.text for annotation in item.annotations}
    for annotation in item.annotations:
        if annotation.name.text == NEAR and UNLICENSED not in names:
            message = f"`@{NEAR}` is written with `@{UNLICENSED}`"
            report.error("E0512", annotation.span, message, help="delete it here")
        asks = isinstance(item, t.Rule) and item.kind in ("confirm", "warn")
        if annotation.name.text == UNLICENSED and not (scope.kind == "policy" and asks):
            report.error(
                "E0512",
                annotation.span,
                "`@unlicensed` is written before a `confirm` or `warn` of a policy",
                label=f"this is {a(scope.kind)}"
                if scope.kind != "policy"
                else f"this is a `{keyword(item)}`",
                help="delete it here",
                fixes=[Fix("remove it", (Edit(annotation.span, ""),))],
            )


def _check_refusal(scope: Scope, item: t.Item, report: Report) -> None:
    """Report `@refusal` anywhere but before an `expect` of an app: only the app knows what shows when it refuses."""
    for annotation in item.annotations:
        expects = isinstance(item, t.Rule) and item.kind == "expect"
        if expects and "expect" not in AUTHORITY[scope.kind]:
            continue  # the whole rule is reported
        if annotation.name.text == REFUSAL and not (scope.kind == "app" and expects):
            report.error(
                "E0514",
                annotation.span,
                "`@refusal` is written before an `expect` of an app module",
                label=f"this is {a(scope.kind)}" if scope.kind != "app" else f"this is a `{keyword(item)}`",
                help="delete it here",
                fixes=[Fix("remove it", (Edit(annotation.span, ""),))],
            )


def _generic_header(scope: Scope, report: Report) -> None:
    """Report `any` where it does not belong: only an app may be generic, and then it names no package."""
    tree = scope.unit.tree
    word = re.compile(r"\bany\b").search(scope.unit.source.text, (tree.packages or (tree.name,))[-1].span.end)
    assert word is not None  # the header has it
    span = Span(tree.span.file, *word.span())
    whole = Span(tree.span.file, tree.name.span.end, word.end())
    if scope.kind != "app":
        message, help_text = (
            f"{a(scope.kind)} is not bound to an app anyway",
            "only an app module is written with `any`",
        )
    else:
        message, help_text = "an app module names its packages, or it is written with `any`; not both", ""
        whole = Span(tree.span.file, tree.packages[-1].span.end, word.end())
    report.error("E0506", span, message, help=help_text, fixes=[Fix("remove `any`", (Edit(whole, ""),))])


def _check_idempotent(scope: Scope, item: t.Item, report: Report) -> None:
    """Report `@idempotent` anywhere but before an action of an app: only the app knows what doing it twice does."""
    for annotation in item.annotations:
        if annotation.name.text != IDEMPOTENT or (scope.kind == "app" and isinstance(item, t.Action)):
            continue
        report.error(
            "E0507",
            annotation.span,
            "`@idempotent` is written before an `action`, in the app module that declares it",
            label=f"this is {a(scope.kind)}" if scope.kind != "app" else f"this is a `{keyword(item)}`",
            help="delete it here",
            fixes=[Fix("remove it", (Edit(annotation.span, ""),))],
        )


def _offset(scope: Scope, item: t.Item, word: str) -> int:
    """The offset of the keyword in an item that may begin with annotations."""
    annotations = item.annotations
    if not annotations:
        return 0
    after = annotations[-1].span.end - item.span.start
    text = scope.unit.source.slice(item.span)
    at = text.find(word, after)
    return max(at, 0)
