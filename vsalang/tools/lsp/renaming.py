"""Renames what a name means, in all files of the workspace; and what imports it, when a file gets another name."""

import re
from collections.abc import Iterable
from pathlib import Path

from lsprotocol import types

from vsalang.base.diagnostics import Severity
from vsalang.base.resources import resource_dir
from vsalang.base.source import Span
from vsalang.language.semantics import load
from vsalang.program.reserved_words import RESERVED
from vsalang.program.show import member_source
from vsalang.tools.lsp.names import (
    AliasSymbol,
    AttributeSymbol,
    MemberSymbol,
    Module,
    RuleSymbol,
    Symbol,
    Use,
    VariableSymbol,
    declared,
)
from vsalang.tools.lsp.navigation import uses_of
from vsalang.tools.lsp.snapshot import Snapshot
from vsalang.tools.lsp.store import path_of

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class NotRenamed(Exception):
    """A name that cannot be changed so; the message says why."""


def prepare_rename(
    snapshot: Snapshot, params: types.PrepareRenameParams
) -> types.PrepareRenamePlaceholder | None:
    """The range and text of a name that can be renamed; None where there is none."""
    place = snapshot.name_at(params.text_document.uri, params.position)
    if place is None or _fixed(snapshot, *place):
        return None
    module, use = place
    return types.PrepareRenamePlaceholder(
        snapshot.places.range(module.source, use.span), module.source.slice(use.span)
    )


def rename(snapshot: Snapshot, params: types.RenameParams) -> types.WorkspaceEdit | None:
    """The edits that give what a name means another name everywhere.

    Raises:
        NotRenamed: nothing can be renamed there, it is not a name, or the program would have more errors after it.
    """
    place = snapshot.name_at(params.text_document.uri, params.position)
    if place is None:
        raise NotRenamed("there is no name here")
    module, use = place
    if why := _fixed(snapshot, module, use):
        raise NotRenamed(why)
    symbol = use.symbol
    assert symbol is not None
    _check(symbol, params.new_name)
    changes: dict[str, dict[Span, types.TextEdit]] = {}
    texts: dict[str, list[tuple[int, int, str]]] = {}
    files: dict[str, Module] = {}
    for each, other in uses_of(snapshot, module, use):
        if len(other.symbols) > 1:
            continue  # a reason that names attributes of several relations stays true by the others
        location = snapshot.location(each, other.span)
        if location is None:
            continue
        new = _written(symbol, each, other, params.new_name)
        span = _whole(symbol, each, other)
        edit = types.TextEdit(snapshot.places.range(each.source, span), new)
        files[location.uri] = each
        if span not in changes.setdefault(location.uri, {}):
            texts.setdefault(location.uri, []).append((span.start, span.end, new))
        changes[location.uri][span] = edit
    _refuse_errors(snapshot, files, texts)
    return snapshot.edit({uri: list(edits.values()) for uri, edits in changes.items()})


def _fixed(snapshot: Snapshot, module: Module, use: Use) -> str:
    """Why a name cannot be renamed; empty if it can."""
    symbol = use.symbol
    if symbol is None:
        return "it is not clear what this name means" if use.symbols else "nothing declares this name"
    if use.mention.kind == "module" and not isinstance(symbol, AliasSymbol):
        return "a module is renamed by renaming its file"
    span = declared(symbol)
    if span is None or (isinstance(symbol, RuleSymbol) and not symbol.item.annotations):
        return "no file declares this name"
    if isinstance(symbol, AttributeSymbol) and symbol.span is None:
        return "every list has this attribute"
    file = Path(module.file_of(span))
    shipped = any(file.is_relative_to(resource_dir(name)) for name in ("stdlib", "app_specs"))
    if shipped and not any(file.is_relative_to(folder) for folder in snapshot.folders):
        return "this name is declared in a module that comes with vsac"
    return ""


def _check(symbol: Symbol, name: str) -> None:
    if isinstance(symbol, RuleSymbol):
        if '"' in name or "\\" in name or "\n" in name or not name:
            raise NotRenamed("the id of a rule is a text without quotes, backslashes and line breaks")
    elif isinstance(symbol, MemberSymbol):
        if '"' in name or "\\" in name or not name.isprintable() or not name.strip():
            raise NotRenamed("a member is written in printable characters without quotes and backslashes")
    elif not _NAME.fullmatch(name):
        raise NotRenamed(f"`{name[:60]}` is not a name: write letters, digits and `_`, no digit first")
    elif name in RESERVED and not isinstance(symbol, AttributeSymbol | VariableSymbol):
        raise NotRenamed(f"`{name}` is a word of the language")


def _whole(symbol: Symbol, module: Module, use: Use) -> Span:
    """What is replaced: of a member in quotes the quotes, too."""
    span = use.span
    if isinstance(symbol, MemberSymbol) and module.source.text[span.start - 1 : span.start] == '"':
        return Span(span.file, span.start - 1, span.end + 1)
    return span


def _written(symbol: Symbol, module: Module, use: Use, name: str) -> str:
    return member_source(name) if isinstance(symbol, MemberSymbol) else name


def _refuse_errors(
    snapshot: Snapshot, files: dict[str, Module], texts: dict[str, list[tuple[int, int, str]]]
) -> None:
    """Compare the errors before and after.

    Raises:
        NotRenamed: there would be more.
    """
    after = dict(snapshot.overlay)
    for uri, edits in texts.items():
        source = files[uri].source
        if source.path is not None:
            after[source.path.resolve()] = _apply(source.text, edits)
    for uri in texts:
        path = files[uri].source.path
        if path is None:
            continue
        before, then = (_errors(path, overlay) for overlay in (snapshot.overlay, after))
        if len(then) > len(before):
            new = [message for message in then if message not in before]
            raise NotRenamed(f"{path.name} would have an error: {(new or then)[0]}")


def _errors(path: Path, overlay: dict[Path, str]) -> list[str]:
    loaded = load(path, overlay=overlay, from_cache=True)
    return [item.message for item in loaded.diagnostics if item.severity is Severity.ERROR]


def _apply(text: str, edits: Iterable[tuple[int, int, str]]) -> str:
    for start, end, new in sorted(edits, reverse=True):
        text = text[:start] + new + text[end:]
    return text


def will_rename_files(snapshot: Snapshot, params: types.RenameFilesParams) -> types.WorkspaceEdit | None:
    """The headers of files that get another name, and the imports of them."""
    changes: dict[str, list[types.TextEdit]] = {}
    for item in params.files:
        old, new = path_of(item.old_uri), path_of(item.new_uri)
        module = snapshot.module(snapshot.uri(old)) if old and old.suffix == ".vsa" else None
        if module is None or old is None or new is None or new.suffix != ".vsa":
            continue
        name = _moved(module.unit.name, old, new)
        if name is None or name == module.unit.name:
            continue
        for each in snapshot.users(module, module.unit.name):
            uri = snapshot.uri(Path(each.file_of(each.unit.tree.span)))
            spans = {item.name.span for item in each.unit.tree.imports if item.name.text == module.unit.name}
            if spans or each is module:
                spans |= {
                    use.span
                    for use in each.uses
                    if use.mention.kind == "module" and each.source.slice(use.span) == module.unit.name
                }
            edits = [types.TextEdit(snapshot.places.range(each.source, span), name) for span in sorted(spans)]
            if edits:
                changes.setdefault(uri, []).extend(edits)
    return snapshot.edit(changes) if changes else None


def _moved(name: str, old: Path, new: Path) -> str | None:
    """The name of a module in another file; None where the old name did not follow from its file."""
    parts = name.split(".")
    root = old.with_suffix("")
    for part in reversed(parts):
        if root.name != part:
            return None
        root = root.parent
    try:
        words = new.with_suffix("").relative_to(root).parts
    except ValueError:
        return None
    return ".".join(words) if all(map(_NAME.fullmatch, words)) else None
