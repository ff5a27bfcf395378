"""Text to tree: the whole file at once, and where that fails item by item."""

from dataclasses import dataclass
from typing import Any

from vsalang.diagnostics.model import Diagnostic, in_order
from vsalang.source import Source, Span
from vsalang.syntax import tree
from vsalang.syntax.scan import is_sound


@dataclass(frozen=True, slots=True)
class Parsed:
    """What was read of a file.

    Attributes:
        module: the tree; None where no header could be read. Items that did not parse are left out.
        diagnostics: every mistake, in order.
        broken: the text of what was left out.
    """

    module: tree.Module | None
    diagnostics: tuple[Diagnostic, ...]
    broken: tuple[Span, ...] = ()


def parse(source: Source) -> Parsed:
    """Read a file. Never raises, whatever the text; the time is proportional to its length."""
    node = _whole(source.text)
    if node is None:
        return _in_pieces(source)
    from vsalang.syntax.build import BuildError, elements, fields
    from vsalang.syntax.build_items import ItemBuilder

    builder = ItemBuilder(source.file)
    parts = fields(node)
    items: list[tree.Item] = []
    diagnostics: list[Diagnostic] = []
    broken: list[Span] = []
    try:
        header = builder.header(parts["header"][0])
        imports = tuple(builder.import_(child) for child in elements(parts.get("imports")))
    except BuildError:
        return _in_pieces(source)
    for child in elements(parts.get("items")):
        try:
            items.append(builder.item(child))
        except BuildError as problem:
            diagnostics.append(problem.diagnostic)
            broken.append(builder.of(child))
    module = tree.Module(
        header.kind, header.name, header.packages, header.doc, imports, tuple(items), header.span
    )
    return Parsed(module, tuple(diagnostics), tuple(broken))


def _whole(text: str) -> Any:
    """The parse tree of a file without mistakes, else None."""
    if not is_sound(text):
        return None
    from vsalang.syntax.grammar import Mismatch, parse_file

    try:
        return parse_file(text)
    except (Mismatch, RecursionError):
        return None


def _in_pieces(source: Source) -> Parsed:
    from vsalang.syntax.recovery import missing_header, read_pieces

    pieces = read_pieces(source)
    header = pieces.header
    if header is None:
        if not pieces.header_tried and not any(finding.code == "E0101" for finding in pieces.diagnostics):
            pieces.diagnostics.insert(0, missing_header(source))
        return Parsed(None, tuple(in_order(pieces.diagnostics)), tuple(pieces.broken))
    module = tree.Module(
        header.kind,
        header.name,
        header.packages,
        header.doc,
        tuple(pieces.imports),
        tuple(pieces.items),
        header.span,
    )
    return Parsed(module, tuple(in_order(pieces.diagnostics)), tuple(pieces.broken))
