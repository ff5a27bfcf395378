"""L0057: a text that shows otherwise than it is: invisible characters, letters of mixed scripts, turned direction."""

import re
import unicodedata
from collections.abc import Iterable, Iterator

from vsalang.base.diagnostics import Diagnostic, Edit, Fix, warning
from vsalang.base.source import Span
from vsalang.language.lint.lint_rule import Context, Rule
from vsalang.language.lint.walk import nodes
from vsalang.language.syntax import tree as t
from vsalang.language.syntax.scan import comments
from vsalang.program.doubt import doubt, hides
from vsalang.program.text import LIKE_BREAKS, MARKS, TURNS, canonical, safe

_TURNS = re.compile(TURNS)
_BREAKS = re.compile(LIKE_BREAKS)
_MARKS = re.compile(MARKS)
_WORD = re.compile(r"\w+")


def find(context: Context) -> Iterable[Diagnostic]:
    """Texts, patterns, words of lists and the instruction, as far as they are written with such characters and not
    with escapes; and marks of direction in comments."""
    yield from _in_comments(context)
    for node in nodes(context.unit.tree):
        if isinstance(node, t.WordsOf):
            yield from _in_words(context, node)
        if not isinstance(node, t.Text | t.Regex):
            continue
        written = context.unit.source.slice(node.span)
        if written.isascii() and not _BREAKS.search(written):
            continue
        hidden = _hidden(written)
        if hidden is None:
            continue
        start, end, how = hidden
        character = written[start:end]
        name = f"U+{ord(character):04X}" if len(character) == 1 else f"“{character}”"
        yield warning(
            RULE.code,
            Span(node.span.file, node.span.start + start, node.span.start + end),
            f"{name} in this text {how}",
            label="a reader takes it for another text",
            help="write the letters that are meant; what is meant so, write as an escape such as `\\u200b`",
        )


def _in_words(context: Context, words: t.WordsOf) -> Iterator[Diagnostic]:
    """Words of a list that mix scripts. What does not show is an error there (E0152)."""
    read = context.unit.words.get(words.file.value) if words.file is not None else None
    for entry in context.unit.entries(words):
        for word in (word for form in entry.forms for word in _WORD.findall(form)):
            if not doubt(word):
                continue
            span, where = words.span, ""
            if isinstance(entry, t.WordEntry):
                span = entry.span
            elif read is not None and words.file is not None:
                span = words.file.span
                where = f" in line {read.source.position(entry.start).line} of {safe(words.file.value)}"
            yield warning(
                RULE.code,
                span,
                f"“{word}”{where} mixes letters of two scripts that look alike",
                label="a reader takes it for another word",
                help="write the letters that are meant",
            )
            break


def _in_comments(context: Context) -> Iterator[Diagnostic]:
    """Marks of direction in comments in which nothing is written from right to left. What turns a line is an error."""
    text = context.unit.source.text
    if not _MARKS.search(text):
        return
    for start, end in comments(text) or ():
        comment = _MARKS.sub("", text[start:end])
        if any(unicodedata.bidirectional(char) in ("R", "AL") for char in comment):
            continue
        for mark in _MARKS.finditer(text, start, end):
            span = Span(context.unit.source.file, *mark.span())
            yield warning(
                RULE.code,
                span,
                f"U+{ord(mark[0]):04X} in this comment changes the order in which its line is shown",
                help="delete it: nothing in the comment is written from right to left",
                fixes=(Fix("delete it", (Edit(span, ""),)),),
            )


def _hidden(written: str) -> tuple[int, int, str] | None:
    """The place of the first such character or word in a text as it is written, and what it does."""
    if match := _TURNS.search(written):
        return *match.span(), "turns the direction in which it is shown"
    if match := _BREAKS.search(written):
        return *match.span(), "looks like the end of a line, and is not one"
    for word in _WORD.finditer(written):
        if doubt(word.group()):
            return *word.span(), "mixes letters of two scripts that look alike"
    if hides(canonical(written)):
        for at, char in enumerate(written):
            if not char.isprintable():
                return at, at + 1, "is not visible"
    return None


_POLICY = 'policy pay "Nothing for strangers"\nimport apps.opentable\ndeny "No" when Reserve(restaurant = "{name}").\n'
RULE = Rule(
    "L0057",
    "hidden-in-text",
    "text that shows otherwise than it is",
    "A word with a Cyrillic letter that looks like a Latin one, an invisible character or one that turns the "
    "direction of writing looks like another text to a person, and is never equal to what it looks like. Write the "
    "letters that are meant, or an escape, which shows. Where such a character turns what follows its text, it is an "
    "error (E0151), and so is each that turns a comment (E0151, E0152). Marks of direction are found in comments in "
    "which nothing is written from right to left. Names are ASCII, and can hide nothing (E0129).",
    _POLICY.replace("{name}", "P\u0430ris"),
    _POLICY.replace("{name}", "Paris"),
    find,
    fix="deletes marks from comments; which letters of a text are meant is not known",
)
