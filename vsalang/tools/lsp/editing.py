"""Changes of a whole document that an editor makes on its own: all certain fixes, and imports in order."""

from collections.abc import Sequence
from itertools import pairwise

from lsprotocol import types

from vsalang.base.diagnostics import Diagnostic
from vsalang.base.diagnostics.fixes import apply_fixes
from vsalang.base.source import Source, Span
from vsalang.tools.lsp.analysis import analyse
from vsalang.tools.lsp.layout import changes
from vsalang.tools.lsp.names import Module
from vsalang.tools.lsp.snapshot import Snapshot

FIX_ALL = f"{types.CodeActionKind.SourceFixAll.value}.vsac"
ORGANIZE = types.CodeActionKind.SourceOrganizeImports.value


def source_actions(snapshot: Snapshot, uri: str, only: Sequence[str] | None) -> list[types.CodeAction]:
    """The actions on a whole document that the editor asks for; their edits come when one is resolved."""
    titles = {FIX_ALL: "Fix all that needs no choice", ORGANIZE: "Sort the imports"}
    kinds = [
        kind for kind in titles if only is not None and any(_within(kind, each) for each in only if each)
    ]
    module = snapshot.module(uri) if ORGANIZE in kinds else None
    if ORGANIZE in kinds and (module is None or organized(module) is None):
        kinds.remove(ORGANIZE)
    return [
        types.CodeAction(title=titles[kind], kind=kind, data={"uri": uri, "kind": kind}) for kind in kinds
    ]


def _within(kind: str, wanted: str) -> bool:
    return kind == wanted or kind.startswith(f"{wanted}.")


def resolve_action(snapshot: Snapshot, action: types.CodeAction) -> types.CodeAction:
    """The same action with its edit."""
    data = action.data
    if action.edit is not None or not isinstance(data, dict) or not isinstance(data.get("uri"), str):
        return action
    uri = data["uri"]
    source, module = snapshot.source(uri), snapshot.module(uri)
    if source is None:
        return action
    text = source.text
    if data.get("kind") == FIX_ALL:
        text = fixed(snapshot, uri, source)
    elif data.get("kind") == ORGANIZE and module is not None:
        text = organized(module) or text
    edits = [
        types.TextEdit(snapshot.places.range(source, Span(source.file, start, end)), new)
        for start, end, new in changes(source.text, text)
    ]
    action.edit = snapshot.edit({uri: edits} if edits else {})
    return action


def fixed(snapshot: Snapshot, uri: str, source: Source) -> str:
    """A text after all fixes that need no choice, and cause no error."""

    def check(text: str) -> Sequence[Diagnostic]:
        overlay = dict(snapshot.overlay)
        if source.path is not None:
            overlay[source.path] = text
        return analyse(uri, source.path, text, overlay).diagnostics

    return apply_fixes(source.text, source.file, check).text


def organized(module: Module) -> str | None:
    """The text with its imports in order and each once; None if they are, or if something stands between them."""
    imports = module.unit.tree.imports
    text = module.source.text
    if not imports:
        return None
    start, end = imports[0].span.start, imports[-1].span.end
    for one, following in pairwise(imports):
        if text[one.span.end : following.span.start].strip():
            return None  # a comment belongs to the import after it
    lines = dict.fromkeys(" ".join(module.source.slice(item.span).split()) for item in imports)
    ending = "\r\n" if "\r\n" in text else "\n"
    new = text[:start] + ending.join(sorted(lines)) + text[end:]
    return new if new != text else None
