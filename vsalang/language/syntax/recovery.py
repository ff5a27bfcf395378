"""Reads a broken file: cuts it into items, keeps each that parses, and reports one mistake for each that does not."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace

from vsalang.base.diagnostics.diagnostic import Diagnostic, error
from vsalang.base.source import Source, Span
from vsalang.base.source.suggest import nearest
from vsalang.language.syntax import messages, tree
from vsalang.language.syntax.build import BuildError, Node
from vsalang.language.syntax.build_items import Header, ItemBuilder, without_answers
from vsalang.language.syntax.grammar import Mismatch, parse_pieces, parse_steps
from vsalang.language.syntax.scan import Chunk, cut, cut_steps, first_word, is_sound
from vsalang.program.reserved_words import ITEM_WORDS, MODULE_KINDS, STEP_WORDS

_HEADER_START = re.compile(
    r"([A-Za-z_][A-Za-z0-9_]*+)[ \t\r\n]++([A-Za-z_][A-Za-z0-9_]*+(?:\.[A-Za-z_][A-Za-z0-9_]*+)*+)"
)
_BARE_HEADER = re.compile(r"(?:app|spec|policy|module)[ \t]+[A-Za-z_][\w.]*+[ \t]*+")
_BARE_ACTION = re.compile(r"\baction\s+[A-Za-z_]\w*+\s*+$")
_LEXICAL = frozenset({"string", "block", "comment", "deep", "long"})

_MISTAKES = 5
"""A fix is offered if it makes the item parse, or if fixes of at most so many further mistakes do."""

_GUESSES = frozenset({"E0126", "E0131"})
"""Codes of findings that are often caused by another mistake."""

MAX_FINDINGS = 100
"""After so many mistakes the rest of a file is not read."""


@dataclass(slots=True)
class Pieces:
    """What was read so far."""

    header: Header | None = None
    imports: list[tree.Import] = field(default_factory=list)
    items: list[tree.Item] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    broken: list[Span] = field(default_factory=list)
    header_tried: bool = False


def read_pieces(source: Source) -> Pieces:
    """All items of a file that parse, and one finding for each piece that does not. Never raises."""
    pieces = Pieces()
    chunks = cut(source.text)
    if not chunks:
        pieces.diagnostics.append(messages.empty(source))
        return pieces
    last = -1  # where the last piece that did not parse ended
    for number, chunk in enumerate(chunks):
        if len(pieces.diagnostics) >= MAX_FINDINGS:
            _give_up(source, chunk.start, chunks[-1].end, chunk.end, pieces)
            break
        if number and last == chunks[number - 1].end and _continues(source.text, last, chunk.start):
            pieces.broken.append(Span(source.file, chunk.start, chunk.end))
            last = chunk.end
        elif not _read(source, chunk, pieces, number == 0):
            last = chunk.end
    return pieces


def _give_up(source: Source, start: int, end: int, place: int, pieces: Pieces) -> None:
    """Leave out the text from `start` to `end`, and report that once, at the text from `start` to `place`."""
    pieces.broken.append(Span(source.file, start, end))
    if pieces.diagnostics[-1].code != "E0132":
        pieces.diagnostics.append(messages.too_many(Span(source.file, start, place), MAX_FINDINGS))


def _continues(text: str, before: int, start: int) -> bool:
    """Whether the text at `start` belongs to the broken item that ended at `before`: it is not reported again."""
    word, at = first_word(text, start)
    if word in ITEM_WORDS:
        return False
    return word in STEP_WORDS or (at == start and text.find("\n", before, start) < 0)


def _read(source: Source, chunk: Chunk, pieces: Pieces, is_first: bool) -> bool:
    """Read one item; return whether it could be read."""
    text = source.text[chunk.start : chunk.end]
    builder = ItemBuilder(source.file, chunk.start)
    flaw = next((flaw for flaw in chunk.flaws if flaw.kind in _LEXICAL), None)
    rest = chunk.start
    finding: Diagnostic | None = None
    if flaw is not None:
        finding = messages.of_flaw(source, flaw)
        text = source.text[chunk.start : flaw.start]
    if flaw is None or flaw.kind not in ("deep", "long"):
        nodes, reached, mismatch = parse_pieces(text)
        if mismatch is not None and nodes and _cut_short(text[nodes[-1].position : reached], text[reached:]):
            reached = nodes.pop().position
        for node in nodes:
            _keep(source, builder, node, pieces)
        rest = chunk.start + reached
        if mismatch is not None and _read_test(source, chunk, rest, pieces):
            return False
        if mismatch is not None and finding is None:
            finding = _tried(source, chunk, _choose(source, chunk, mismatch), _reads_items)
    if finding is None:
        return True
    if is_first and rest == chunk.start and pieces.header is None:
        finding = _header(source, chunk, pieces, finding)
    pieces.diagnostics.append(finding)
    pieces.broken.append(Span(source.file, min(rest, chunk.end), chunk.end))
    return False


def _cut_short(read: str, rest: str) -> bool:
    """Whether the declaration `read` is incomplete, because its `rest` does not parse."""
    if _BARE_ACTION.search(read):
        return rest[:1] in ("(", "{", "[")
    return bool(_BARE_HEADER.fullmatch(read)) and rest[:1] not in (".", ";", "")


def _read_test(source: Source, chunk: Chunk, start: int, pieces: Pieces) -> bool:
    """Read a test with broken steps step by step. False: it is not such a test, and nothing was done."""
    text = source.text
    if first_word(text, start)[0] != "test" or any(
        flaw.kind not in ("string", "open", "close") or text[flaw.start] in "{}" for flaw in chunk.flaws
    ):
        return False
    opening = text.find("{", start, chunk.end)
    bounds = cut_steps(text, opening + 1, chunk.end)
    if opening < 0 or not bounds:
        return False
    nodes, _, mismatch = parse_pieces(text[start : opening + 1] + "}")
    if mismatch is not None or len(nodes) != 1:
        return False
    try:
        test = ItemBuilder(source.file, start).item(nodes[0])
    except BuildError:
        return False
    assert isinstance(test, tree.Test)
    steps: list[tree.Step | None] = []
    for number, (first, end) in enumerate(bounds):
        if len(pieces.diagnostics) >= MAX_FINDINGS:
            _give_up(source, first, chunk.end, end, pieces)
            break
        if number and steps[-1] is None and _continues_step(text, bounds[number - 1][1], first):
            continue
        steps += _read_step(source, chunk, first, end, pieces)
    if kept := tuple(without_answers(steps)):
        span = Span(source.file, test.span.start, chunk.end)
        pieces.items.append(tree.Test(test.name, test.target, kept, test.annotations, span))
    return True


def _continues_step(text: str, before: int, first: int) -> bool:
    """Whether the text at `first` belongs to the broken step that ended at `before`."""
    return first_word(text, first)[0] not in STEP_WORDS and text.find("\n", before, first) < 0


def _read_step(source: Source, chunk: Chunk, start: int, end: int, pieces: Pieces) -> list[tree.Step | None]:
    """The steps in a part of a test; None for a step with a mistake, which is reported."""
    while end > start and source.text[end - 1] in " \t\r\n":
        end -= 1
    builder = ItemBuilder(source.file, start)
    try:
        nodes = parse_steps(source.text[start:end])
    except Mismatch as mismatch:
        flaws = [flaw for flaw in chunk.flaws if start <= flaw.start < end]
        piece = Chunk(start, end, flaws)
        pieces.diagnostics.append(_tried(source, piece, _choose(source, piece, mismatch), _reads_steps))
        pieces.broken.append(Span(source.file, start, end))
        return [None]
    steps = builder.steps(nodes)
    pieces.diagnostics.extend(builder.findings)
    pieces.broken.extend(builder.lost)
    return steps


def _choose(source: Source, chunk: Chunk, mismatch: Mismatch) -> Diagnostic:
    """The mistake to report: the first one that the scanner or the parser found."""
    place = chunk.start + mismatch.position
    flaws = [flaw for flaw in chunk.flaws if flaw.start <= place]
    if regex := messages.slash_in_regex(source, chunk.start, chunk.end, place):
        return regex
    if flaws:
        # a string that is never closed hides the bracket that closes an earlier one
        return messages.of_flaw(source, next((flaw for flaw in flaws if flaw.kind in _LEXICAL), flaws[0]))
    return messages.of_mismatch(source, chunk.start, chunk.end, place, mismatch.expected)


_Reader = Callable[[str], Mismatch | None]


def _reads_items(text: str) -> Mismatch | None:
    return parse_pieces(text)[2]


def _reads_steps(text: str) -> Mismatch | None:
    try:
        return None if parse_steps(text) else Mismatch(0, ())
    except Mismatch as mismatch:
        return mismatch


def _tried(
    source: Source, chunk: Chunk, diagnostic: Diagnostic, read: _Reader, depth: int = _MISTAKES
) -> Diagnostic:
    """The finding with the fixes that help: with one, the item parses, or its next mistake has a fix that helps."""
    fixes = []
    for fix in diagnostic.fixes:
        text, inside = source.text[chunk.start : chunk.end], True
        for edit in sorted(fix.edits, key=lambda edit: edit.span, reverse=True):
            low, high = edit.span.start - chunk.start, edit.span.end - chunk.start
            inside = inside and low >= 0 and high <= chunk.end - chunk.start
            text = text[: max(low, 0)] + edit.text + text[max(high, 0) :]
        further = 0 if diagnostic.code in _GUESSES else depth
        if not inside or _helps(source, chunk, text, diagnostic, read, further):
            fixes.append(fix)
    return diagnostic if len(fixes) == len(diagnostic.fixes) else replace(diagnostic, fixes=tuple(fixes))


def _helps(
    source: Source, chunk: Chunk, text: str, diagnostic: Diagnostic, read: _Reader, depth: int
) -> bool:
    """Whether the fixed `text` of an item parses, or its next mistake is further on and has a fix that helps."""
    if not is_sound(text):
        return False
    mismatch = read(text)
    if mismatch is None or not depth:
        return mismatch is None
    whole = Source(source.file, source.text[: chunk.start] + text + source.text[chunk.end :])
    end = chunk.start + len(text)
    place = chunk.start + mismatch.position
    following = messages.of_mismatch(whole, chunk.start, end, place, mismatch.expected)
    if following.span is None or diagnostic.span is None or following.span.start <= diagnostic.span.start:
        return False
    if following.code in _GUESSES:  # more often caused by another mistake
        return False
    return bool(_tried(whole, Chunk(chunk.start, end), following, read, depth - 1).fixes)


def _header(source: Source, chunk: Chunk, pieces: Pieces, finding: Diagnostic) -> Diagnostic:
    """The finding for a file whose first item did not parse; a header is guessed, so that the items are checked."""
    word, at = first_word(source.text, chunk.start)
    kind = word
    if word not in MODULE_KINDS:
        close = nearest(word, MODULE_KINDS, 1)
        if word in ITEM_WORDS:
            return finding
        if not close:
            pieces.header_tried = True
            return missing_header(source)
        kind = close[0]
        finding = messages.misspelt_header(source, Span(source.file, at, at + len(word)), kind)
    _guess(source, at, kind, pieces)
    return finding


def _guess(source: Source, at: int, kind: str, pieces: Pieces) -> None:
    """Use the kind and name of a header whose rest is broken, so that the items are checked anyway."""
    pieces.header_tried = True
    match = _HEADER_START.match(source.text, at)
    if match is not None:
        name = tree.Name(match[2], Span(source.file, *match.span(2)))
        pieces.header = Header(kind, name, (), None, Span(source.file, *match.span()))


def _keep(source: Source, builder: ItemBuilder, node: Node, pieces: Pieces) -> None:
    """Build a header, an import or an item, and add it to the result."""
    kind = node.rule_name
    span = builder.of(node)
    try:
        if kind == "Header":
            header = builder.header(node)
            if pieces.header is not None:
                raise builder.fail(
                    "E0121", span, "a file has one header", help="put each module in a file of its own"
                )
            pieces.header = header
            if pieces.imports or pieces.items:
                raise builder.fail(
                    "E0121", span, "the header comes first", help="move it to the top of the file"
                )
        elif kind == "Import":
            pieces.imports.append(builder.import_(node))
            if pieces.items:
                help = "move it up, below the header"
                raise builder.fail("E0121", span, "imports are written before all other items", help=help)
        else:
            item = builder.item(node)
            pieces.items.append(item)
            pieces.diagnostics.extend(builder.findings)
            pieces.broken.extend(builder.lost)
            builder.findings, builder.lost = [], []
    except BuildError as problem:
        pieces.diagnostics.append(problem.diagnostic)
        pieces.broken.append(span)
        if kind == "Header" and pieces.header is None:
            _guess(source, span.start, first_word(source.text, span.start)[0], pieces)


def missing_header(source: Source) -> Diagnostic:
    """The finding for a file without a header."""
    word, at = first_word(source.text, 0)
    span = Span(source.file, at, at + max(len(word), 1))
    return error(
        "E0101",
        span,
        "the file does not say what it is",
        label="expected a header",
        help='the first line is one of: app NAME package "..", spec NAME "the instruction", policy NAME, module NAME',
    )
