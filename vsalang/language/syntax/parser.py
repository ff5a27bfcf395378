"""Parses a file: the whole text at once, and where that fails, item by item."""

import threading
from collections import OrderedDict
from contextlib import suppress
from typing import Any, Final

from vsalang.base.collector import no_collection
from vsalang.base.diagnostics.diagnostic import Diagnostic, in_order
from vsalang.base.records import dataclass
from vsalang.base.source import Source, Span
from vsalang.language.syntax import tree
from vsalang.language.syntax.cache import keep, lookup
from vsalang.language.syntax.incremental import LastVersions, Result
from vsalang.language.syntax.scan import excess, odd_characters, unclosed_turns, without_comments


@dataclass(frozen=True, slots=True)
class ParseResult:
    """The result of parsing a file.

    Attributes:
        module: the tree; None where no header could be read. Items that did not parse are left out,
            as are the steps of a test that did not, and the answers (``approve``, ``refuse``) to them.
        diagnostics: every mistake, in order.
        broken: the text of the parts that were left out.
    """

    module: tree.Module | None
    diagnostics: tuple[Diagnostic, ...]
    broken: tuple[Span, ...] = ()


MOST_ODD: Final = 100
"""So many characters that look like line breaks are reported."""
MOST_TREES: Final = 200
"""How many trees are kept in memory."""
MOST_VERSIONS: Final = 4
"""How many of one file are: somebody may be editing it."""

_TREES: "OrderedDict[tuple[str, str, bool], tree.Module]" = OrderedDict()
_LOCK: Final = threading.Lock()
_READING: Final = threading.RLock()
"""The parser has a state: one thread reads at a time."""


_EDITED: Final = LastVersions()


def parse(source: Source, *, from_cache: bool = False, edited: bool = False) -> ParseResult:
    """Parse a file. Never raises, whatever the text is; the time is proportional to its length.

    The result does not depend on how much stack the caller has used: if too little is left, the file is parsed in a
    thread of its own. (`scan.MAX_DEPTH` bounds how deeply the parser recurses.) A text without mistakes that was parsed
    before in this process gives the same tree object again.

    Args:
        from_cache: the tree may come from the disk (`vsalang.language.syntax.cache`). Never where something is decided.
        edited: it is the text of an editor. Only the items that changed are read again, only the last version of a
            file is remembered, and nothing is written to the disk. Never where something is decided.
    """
    if edited:
        with _READING, no_collection():
            return ParseResult(*_EDITED.parse(source, _read_parts))
    # a tree from the disk is not given to those who did not ask for one
    names = [
        (source.file, source.digest, from_disk) for from_disk in ((False, True) if from_cache else (False,))
    ]
    with _LOCK:
        for name in names:
            known = _TREES.get(name)
            if known is not None:
                _TREES.move_to_end(name)
                return ParseResult(known, ())
    kept = lookup(source) if from_cache else None
    parsed = ParseResult(kept, ()) if kept is not None else read(source)
    if parsed.module is None or parsed.diagnostics or parsed.broken:
        return parsed
    if from_cache and kept is None:
        keep(source, parsed.module)
    with _LOCK:
        _TREES[source.file, source.digest, kept is not None] = parsed.module
        if not source.file.startswith("<"):  # such names have texts that are not versions of one file
            versions = [name for name in _TREES if name[0] == source.file]
            for name in versions[:-MOST_VERSIONS]:
                del _TREES[name]
        while len(_TREES) > MOST_TREES:
            _TREES.popitem(last=False)
    return parsed


def _read_parts(source: Source) -> Result:
    parsed = read(source)
    return parsed.module, parsed.diagnostics, parsed.broken


def read(source: Source) -> ParseResult:
    """As `parse`, but without the cache: the text is always parsed, and the tree is not stored."""
    with _READING:
        try:
            with no_collection():
                return _parse(source)
        except RecursionError:
            return _on_a_fresh_stack(source)


def _on_a_fresh_stack(source: Source) -> ParseResult:
    """Parse a file in a thread of its own, whose stack is empty."""
    results: list[ParseResult] = []

    def run() -> None:
        # where Python itself is set to recurse less than the parser needs, there is no result
        with suppress(RecursionError):
            results.append(_parse(source))

    with suppress(RecursionError, RuntimeError):  # there may not even be room for a thread
        thread = threading.Thread(target=run, name="vsalang-parse")
        thread.start()
        thread.join()
    if results:
        return results[0]
    from vsalang.language.syntax.messages import no_room

    return ParseResult(None, (no_room(source),), (Span(source.file, 0, len(source.text)),))


def _parse(source: Source) -> ParseResult:
    """As `parse`.

    Raises:
        RecursionError: the stack is too small for it.
    """
    odd = odd_characters(source.text)
    turning = unclosed_turns(source.text)
    if odd or turning:
        return _without_odd(source, odd, turning)
    size = excess(source.text)
    if size is not None:
        from vsalang.language.syntax.messages import too_much

        return ParseResult(None, (too_much(source, size),), (Span(source.file, 0, len(source.text)),))
    node = _whole(source.text)
    if node is None:
        return _in_pieces(source)
    from vsalang.language.syntax.build import BuildError, elements, fields
    from vsalang.language.syntax.build_items import ItemBuilder

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
    diagnostics.extend(builder.findings)
    broken.extend(builder.lost)
    module = tree.Module(
        header.kind,
        header.name,
        header.packages,
        header.doc,
        imports,
        tuple(items),
        header.span,
        header.generic,
    )
    return ParseResult(module, tuple(in_order(diagnostics)), tuple(sorted(broken)))


def _without_odd(source: Source, places: list[int], turning: list[int]) -> ParseResult:
    """The result for the text with blanks for these characters, and a finding for each of them.

    Args:
        places: where they are, outside texts.
        turning: those in texts that turn what follows the text.
    """
    from vsalang.language.syntax.messages import odd_character, turning_character

    text = list(source.text)
    for place in (*places, *turning):
        text[place] = " "
    rest = _parse(Source(source.file, "".join(text), source.path))
    diagnostics = [
        *rest.diagnostics,
        *(odd_character(source, place) for place in places[:MOST_ODD]),
        *(turning_character(source, place) for place in turning[:MOST_ODD]),
    ]
    return ParseResult(rest.module, tuple(in_order(diagnostics)), rest.broken)


def _whole(text: str) -> Any:
    """The parse tree of a file without mistakes, else None."""
    code = without_comments(text)
    if code is None:
        return None
    from vsalang.language.syntax.grammar import parse_file

    return parse_file(code)


def _in_pieces(source: Source) -> ParseResult:
    from vsalang.language.syntax.recovery import missing_header, read_pieces

    pieces = read_pieces(source)
    header = pieces.header
    if header is None:
        if not pieces.header_tried and not any(finding.code == "E0101" for finding in pieces.diagnostics):
            pieces.diagnostics.insert(0, missing_header(source))
        return ParseResult(None, tuple(in_order(pieces.diagnostics)), tuple(pieces.broken))
    module = tree.Module(
        header.kind,
        header.name,
        header.packages,
        header.doc,
        tuple(pieces.imports),
        tuple(pieces.items),
        header.span,
        header.generic,
    )
    return ParseResult(module, tuple(in_order(pieces.diagnostics)), tuple(pieces.broken))
