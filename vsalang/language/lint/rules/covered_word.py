"""L0040: a word of a list that changes nothing, because another one is in it."""

from collections.abc import Iterable

from vsalang.base.diagnostics import Diagnostic, warning
from vsalang.language.lint.lint_rule import Context, Rule
from vsalang.language.syntax import tree as t
from vsalang.program.ir import Words
from vsalang.program.text import safe
from vsalang.program.walk import parts
from vsalang.program.word_lists import covered


def find(context: Context) -> Iterable[Diagnostic]:
    """Words in which another word of their list is; `in` asks for whole texts, so there such a word counts."""
    whole = {part.name for part in parts(context.rules) if isinstance(part, Words) and part.whole}
    for item in context.unit.tree.items:
        if not isinstance(item, t.Let) or not isinstance(item.value, t.WordsOf):
            continue
        if f"{context.unit.name}.{item.name.text}" in whole:
            continue
        read = context.unit.words.get(item.value.file.value) if item.value.file is not None else None
        for entry, form, other in covered(context.unit.entries(item.value)):
            where = ""
            if isinstance(entry, t.WordEntry):
                span = entry.span
            elif read is not None and item.value.file is not None:
                span = item.value.file.span
                where = f" in line {read.source.position(entry.start).line} of {safe(item.value.file.value)}"
            yield warning(
                RULE.code,
                span,
                f"{safe(form)}{where} changes nothing: every text with it has {safe(other)}, too",
                help="delete it",
            )


_POLICY = (
    'policy careful "Careful"\n'
    'let Sends = words """\n  send\n  {word}\n""".\n'
    'deny "no" when tap(text matches Sends).\n'
)
RULE = Rule(
    "L0040",
    "covered-word",
    "word of a list that another one covers",
    "`matches` asks whether a text has one of the words of a list. Where one word is a part of another, as `send` of "
    "`send now`, the longer one never makes a difference. Either it is left over, or the shorter one is meant to stand "
    "alone: then ask with `in`, which wants the whole text to be a word.",
    _POLICY.replace("{word}", "send now"),
    _POLICY.replace("{word}", "submit"),
    find,
    fix="none: the shorter word may be meant to stand alone (`in`)",
)
