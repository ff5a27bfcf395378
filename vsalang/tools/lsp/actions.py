"""Quick fixes: the fixes of findings, and the comment that suppresses a lint finding."""

import functools
from collections.abc import Sequence

from lsprotocol import types

from vsalang.base.diagnostics import Diagnostic, Edit, Fix
from vsalang.base.source import Span
from vsalang.language.lint import CODES
from vsalang.language.lint.ignores import CODE as IGNORE_COMMENT
from vsalang.language.lint.ignores import read_ignores
from vsalang.tools.lsp.analysis import Analysis
from vsalang.tools.lsp.convert import Places, diagnostic, edits, touches, workspace_edit
from vsalang.tools.lsp.store import Store


def quick_fixes(
    store: Store,
    uri: str,
    where: types.Range,
    places: Places,
    *,
    only: Sequence[types.CodeActionKind | str] | None = None,
    versioned: bool = False,
) -> list[types.CodeAction]:
    """The changes that the findings at a place of a document offer, the finding's own fixes first.

    Args:
        store: the open documents.
        uri: the document.
        where: the place, often a caret.
        places: how the client counts.
        only: the kinds that the client asks for; all if None.
        versioned: whether the client understands edits that name a version.
    """
    if only is not None and not any(_is_quick_fix(str(getattr(kind, "value", kind))) for kind in only):
        return []
    fixes: list[types.CodeAction] = []
    ignores: list[types.CodeAction] = []
    for target, root, finding in store.findings():
        result = store.results[root]
        if target != uri or finding.span is None or finding.span.file not in result.sources:
            continue
        if not touches(places.range(result.sources[finding.span.file], finding.span), where):
            continue
        file_uri = functools.partial(store.uri, root)
        finding_data = diagnostic(finding, result.sources, file_uri, places, related=False)

        def offer(
            fix: Fix,
            *,
            preferred: bool,
            result: Analysis = result,
            file_uri: functools.partial[str] = file_uri,
            item: types.Diagnostic = finding_data,
        ) -> types.CodeAction | None:
            changes = edits(fix, result.sources, file_uri, places)
            if changes is None:
                return None
            return types.CodeAction(
                title=fix.title,
                kind=types.CodeActionKind.QuickFix,
                diagnostics=[item],
                is_preferred=preferred,
                edit=workspace_edit(changes, lambda u: _version(store, u), versioned=versioned),
            )

        for fix in finding.fixes:
            if (action := offer(fix, preferred=len(finding.fixes) == 1)) and action not in fixes:
                fixes.append(action)
        if (ignore := _ignore(finding, result)) and (action := offer(ignore, preferred=False)):
            ignores.append(action)
    return fixes + ignores


def _is_quick_fix(kind: str) -> bool:
    return kind in ("", "quickfix")


def _version(store: Store, uri: str) -> int | None:
    document = store.documents.get(uri)
    return document.version if document else None


def _ignore(finding: Diagnostic, result: Analysis) -> Fix | None:
    """The comment that suppresses a lint finding, on its own line before it."""
    if finding.code not in CODES or finding.code == IGNORE_COMMENT or finding.span is None:
        return None
    source = result.sources[finding.span.file]
    start = finding.span.start - (source.position(finding.span.start).column - 1)
    if not read_ignores(source, CODES).may_insert_before(start):
        return None
    line = source.line(source.position(start).line)
    indent = line[: len(line) - len(line.lstrip(" \t"))]
    ending = "\r\n" if "\r\n" in source.text else "\n"
    place = Span(finding.span.file, start, start)
    return Fix(
        f"ignore {finding.code} here", (Edit(place, f"{indent}// lint: ignore {finding.code}{ending}"),)
    )
