"""L0046: a text of the rules that is spelt almost as in the instruction."""

from collections.abc import Iterable

from vsalang.base.diagnostics import Diagnostic, Edit, Fix, Label, warning
from vsalang.base.diagnostics.display import safe
from vsalang.base.source.suggest import edit_distance
from vsalang.language.lint.instruction import place
from vsalang.language.lint.lint_rule import Context, Rule
from vsalang.language.lint.walk import nodes
from vsalang.language.lint.wording import stem
from vsalang.language.syntax import tree as t
from vsalang.program.text import fold_case, words

_SHORTEST = 5
"""Shorter texts are near to other words by chance."""


def find(context: Context) -> Iterable[Diagnostic]:
    """Texts of `allow` and `done` that are not in the instruction, where one that is almost the same is."""
    doc = context.unit.tree.doc
    if context.kind != "spec" or doc is None:
        return
    phrase = list(words(doc.value))
    for rule in context.tree_rules():
        if rule.kind not in ("allow", "done"):
            continue
        for node in nodes((rule.head, rule.body)):
            if (
                not isinstance(node, t.Arg)
                or node.op not in ("=", "contains")
                or not isinstance(node.value, t.Text)
            ):
                continue
            text = node.value
            mine = [word.folded for word in words(text.value)]
            if len(text.value) < _SHORTEST or not mine:
                continue
            windows = [phrase[i : i + len(mine)] for i in range(len(phrase) - len(mine) + 1)]
            folded = [[word.folded for word in window] for window in windows]
            if mine in folded:
                continue
            for window, theirs in zip(windows, folded, strict=True):
                if not _near(mine, theirs):
                    continue
                start, end = window[0].start, window[-1].end
                right = doc.value[start:end]
                yield warning(
                    RULE.code,
                    text.span,
                    f'this says "{safe(text.value, 60)}", and the instruction says “{safe(right, 60)}”',
                    labels=(
                        Label(place(doc, context.unit.source, doc.value, start, end), "spelt otherwise here"),
                    ),
                    help="texts are compared letter by letter",
                    fixes=(Fix(f'write "{safe(right, 60)}"', (Edit(text.span, f'"{right}"'),)),)
                    if not set(right) & {'"', "\\"}
                    else (),
                )
                break


def _near(mine: list[str], theirs: list[str]) -> bool:
    """Whether two rows of words differ by a letter or two in one of them, and not by a plural, a tense or a number."""
    apart = [
        (one, other) for one, other in zip(mine, theirs, strict=True) if fold_case(one) != fold_case(other)
    ]
    if len(apart) != 1:
        return False
    one, other = apart[0]
    length = min(len(one), len(other))
    if stem(one) == stem(other) or any(char.isdigit() for char in one + other):
        return False
    if len(mine) == 1 and length < _SHORTEST:
        return False
    allowed = 2 if length >= 8 else 1
    return (
        length >= 2 and edit_distance(one, other, allowed) <= allowed and (length > 3 or one[0] == other[0])
    )


_SPEC = (
    'spec book "Book a table at Katalina for today at 18:30"\nimport apps.opentable\n'
    'allow Reserve(restaurant = "{name}", date = today, time = 18:30).\n'
    "done when Reserve earlier, ReserveResult(success = true).\n"
)
RULE = Rule(
    "L0046",
    "misspelt",
    "text that is spelt almost as in the instruction",
    "A name in a rule that differs from one of the instruction by a letter is another name: nothing that the user "
    "meant is permitted, or the end never comes. Plurals, tenses and numbers are left alone.",
    _SPEC.replace("{name}", "Catalina"),
    _SPEC.replace("{name}", "Katalina"),
    find,
    fix="writes it as the instruction does",
)
