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
        if match := _TURNS.search(written):
            what, how = match, "turns the direction in which it is shown"
        elif match := _BREAKS.search(written):
            what, how = match, "looks like the end of a line, and is not one"
        else:
            word = next((w for w in _WORD.finditer(written) if doubt(w.group())), None)
            if word is not None:
                what, how = word, "mixes letters of two scripts that look alike"
            elif hides(canonical(written)):
                what, how = (
                    next(
                        (m for m in re.finditer("[^\x00-\x7f]", written) if not m.group().isprintable()), None
                    ),
                    "is not visible",
                )
            else:
                continue
        start = node.span.start + (what.start() if what is not None else 0)
        end = node.span.start + (what.end() if what is not None else len(written))
        shown = what.group() if what is not None else written
        name = f"U+{ord(shown):04X}" if len(shown) == 1 else f"“{shown}”"
        yield warning(
            RULE.code,
            Span(node.span.file, start, end),
            f"{name} in this text {how}",
            label="a reader takes it for another text",
            help="write the letters that are meant; what is meant so, write as an escape such as `\\u200b`",
        )


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
