"""L0046: a text or a number of the rules that is written almost as in the instruction."""

import datetime as dt
import re
from collections.abc import Iterable, Iterator
from decimal import Decimal

from vsalang.base.diagnostics import Diagnostic, Edit, Fix, Label, warning
from vsalang.base.diagnostics.display import safe
from vsalang.base.source.suggest import edit_distance
from vsalang.language.lint.instruction import Quantity, place, quantities, quoted_texts, spelled
from vsalang.language.lint.lint_rule import Context, Rule
from vsalang.language.lint.mentions import Mentions, mentions_of
from vsalang.language.lint.walk import nodes
from vsalang.language.lint.wording import stem
from vsalang.language.syntax import tree as t
from vsalang.program.text import fold_case, words

_SHORTEST = 5
"""Shorter texts are near to other words by chance."""

_SHORTEST_QUOTED = 3
"""Shorter texts are near to quoted ones by chance."""


def find(context: Context) -> Iterable[Diagnostic]:
    """Texts of `allow` and `done` that are not in the instruction, where one that is almost the same is."""
    doc = context.unit.tree.doc
    if context.kind != "spec" or doc is None:
        return
    yield from _numbers(context, doc)
    phrase = list(words(doc.value))
    quoted = {tuple(word.folded for word in words(quote.text)) for quote in quoted_texts(doc.value)}
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
            if len(text.value) < _SHORTEST_QUOTED or not mine:
                continue
            windows = [phrase[i : i + len(mine)] for i in range(len(phrase) - len(mine) + 1)]
            folded = [[word.folded for word in window] for window in windows]
            if mine in folded:
                continue
            for window, theirs in zip(windows, folded, strict=True):
                whole = (
                    tuple(theirs) in quoted
                    and text.value[0].isupper() == doc.value[window[0].start].isupper()
                )
                if (len(text.value) < _SHORTEST and not whole) or not _near(mine, theirs, whole):
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


def _numbers(context: Context, doc: t.Text) -> Iterator[Diagnostic]:
    """Numbers that are ten or a hundred times one of the instruction, and times that are twelve hours from one."""
    every = [*quantities(doc.value), *spelled(doc.value, bounded=False)]
    amounts = [item for item in every if not _PERCENT.match(doc.value, item.end)]
    named = {item.value for item in every}
    constraints = [
        (node.attr.text, node.value)
        for rule in context.tree_rules()
        if rule.kind in ("allow", "done")
        for node in nodes((rule.head, rule.body))
        if isinstance(node, t.Arg) and isinstance(node.value, t.Scalar)
    ]
    written = mentions_of(context)
    for attr, scalar in constraints:
        value = _number(scalar.value)
        if value is None or value in named:
            continue
        for item in amounts:
            # elsewhere the number is that of something else
            same_attr = any(
                name == attr and _number(other.value) == item.value for name, other in constraints
            )
            if not _slip(value, item) or (_written(written, item) and not same_attr):
                continue
            yield warning(
                RULE.code,
                scalar.span,
                f"this is {scalar.raw}, and the instruction says {safe(item.text.strip(), 40)}",
                labels=(
                    Label(place(doc, context.unit.source, doc.value, item.start, item.end), "said here"),
                ),
                help="twelve hours from it"
                if isinstance(value, dt.time)
                else "a digit too many, too few or moved",
            )
            break


_PERCENT = re.compile(
    r"\s*(?:%|percent|per cent|cents?\b|pence\b|[kmgt]i?b?\b|thousand|million)", re.IGNORECASE
)


def _written(written: Mentions, item: Quantity) -> bool:
    """Whether a rule has a number, or a time, as it is; 6:00 for 18:00 is a slip."""
    return item.value in written.times if isinstance(item.value, dt.time) else written.quantity(item)


def _number(value: object) -> Decimal | dt.time | None:
    if isinstance(value, dt.time):
        return value
    return Decimal(value) if isinstance(value, int | Decimal) and not isinstance(value, bool) else None


def _slip(value: Decimal | dt.time, item: Quantity) -> bool:
    """Whether a number or time is the one of the instruction but for a usual slip."""
    right = item.value
    if isinstance(value, dt.time) or isinstance(right, dt.time):
        return (
            isinstance(value, dt.time)
            and isinstance(right, dt.time)
            and ("m" in item.text.lower() or right.hour > 12)
            and value == right.replace(hour=(right.hour + 12) % 24)
        )
    if not value or not right:
        return False
    return value / right in _TIMES or right / value in _TIMES or _digits_moved(value, right)


_TIMES = frozenset(map(Decimal, (10, 100)))


def _digits_moved(one: Decimal, other: Decimal) -> bool:
    """Whether two neighbouring digits of a number of two or more are exchanged."""
    mine, theirs = format(one, "f"), format(other, "f")
    return len(mine) == len(theirs) and sorted(mine) == sorted(theirs) and edit_distance(mine, theirs, 1) == 1


def _near(mine: list[str], theirs: list[str], quoted: bool) -> bool:
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
    if len(mine) == 1 and length < (_SHORTEST_QUOTED if quoted else _SHORTEST):
        return False
    allowed = 2 if length >= 8 else 1
    return (
        length >= 2
        and edit_distance(one, other, allowed) <= allowed
        and (quoted or length > 3 or one[0] == other[0])
    )


_SPEC = (
    'spec book "Book a table at Katalina for today at 18:30"\nimport apps.opentable\n'
    'allow Reserve(restaurant = "{name}", date = today, time = 18:30).\n'
    "done when Reserve earlier, ReserveResult(success = true).\n"
)
RULE = Rule(
    "L0046",
    "misspelt",
    "text or number that is written almost as in the instruction",
    "A name in a rule that differs from one of the instruction by a letter is another name: nothing that the user "
    "meant is permitted, or the end never comes. So is 150 for 15, and 8 AM for 8 PM. Plurals and tenses, and numbers "
    "that the instruction names, are left alone.",
    _SPEC.replace("{name}", "Catalina"),
    _SPEC.replace("{name}", "Katalina"),
    find,
    fix="writes it as the instruction does",
)
