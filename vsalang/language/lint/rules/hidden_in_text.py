"""L0057: a text that shows otherwise than it is: invisible characters, letters of mixed scripts, turned direction."""

import re
from collections.abc import Iterable

from vsalang.base.diagnostics import Diagnostic, warning
from vsalang.base.source import Span
from vsalang.language.lint.lint_rule import Context, Rule
from vsalang.language.lint.walk import nodes
from vsalang.language.syntax import tree as t
from vsalang.program.doubt import doubt, hides
from vsalang.program.text import canonical

_TURNS = re.compile("[\u202a-\u202e\u2066-\u2069]")
_BREAKS = re.compile("[\r\x0b\x0c\x1c-\x1e\x85\u2028\u2029](?!\n)")
_WORD = re.compile(r"\w+")


def find(context: Context) -> Iterable[Diagnostic]:
    """Texts, patterns and the instruction, as far as they are written with such characters and not with escapes."""
    for node in nodes(context.unit.tree):
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
    "error (E0151); names are ASCII, and can hide nothing.",
    _POLICY.replace("{name}", "P\u0430ris"),
    _POLICY.replace("{name}", "Paris"),
    find,
)
