"""L0051: the cheapest, the earliest, the largest is asked for, and any will do."""

import re
from collections.abc import Iterable

from vsalang.base.diagnostics import Diagnostic, warning
from vsalang.language.lint.instruction import place
from vsalang.language.lint.lint_rule import Context, Rule
from vsalang.language.lint.mentions import mentions_of
from vsalang.language.lint.wording import unquoted
from vsalang.program import ir
from vsalang.program.walk import parts

_MOST = re.compile(
    r"(?<!at the )\b(?P<word>cheapest|(?:most|least) expensive|lowest|highest|earliest|newest|oldest|largest"
    r"|smallest|biggest|nearest|closest|shortest|longest|fastest|slowest)\b",
    re.IGNORECASE,
)


def find(context: Context) -> Iterable[Diagnostic]:
    """Superlatives of an instruction whose spec compares nothing with the rest."""
    doc = context.unit.tree.doc
    if context.kind != "spec" or doc is None or not any(context.licences()):
        return
    if any(_compares(part) for rule in context.rules for part in parts((rule.head, rule.body))):
        return
    mentions = mentions_of(context)
    for match in _MOST.finditer(unquoted(doc.value)):
        if mentions.text(match["word"]):
            continue
        yield warning(
            RULE.code,
            place(doc, context.unit.source, doc.value, match.start(), match.end()),
            f"the instruction says “{match['word']}”, and no rule compares it with the others",
            label="any of them is permitted",
            help="bind the value that counts, and ask for the least or greatest: `min(price of Offer(..)) = ?p`; "
            "or for the first row: `first 1 Offer(..)`",
        )


def _compares(part: object) -> bool:
    if isinstance(part, ir.Aggregate):
        return part.fn in ("min", "max") or part.op in ("=", "<=", ">=")
    if isinstance(part, ir.Constraint):
        return part.attr == "at"
    # no other one is cheaper: `no Offer(price < ?p)`
    return isinstance(part, ir.Quantified) or (isinstance(part, ir.Lit) and part.neg)


_SPEC = (
    'spec early "Book the earliest table at R for today"\nimport apps.opentable\n'
    'allow Reserve(restaurant = "R", date = today, time = ?t)\n'
    '  when Slot(restaurant = "R", date = today, time = ?t, available = true){least}.\n'
    "done when Reserve earlier, ReserveResult(success = true).\n"
)
RULE = Rule(
    "L0051",
    "any-of-them",
    "the cheapest is asked for, and any will do",
    "“The cheapest” asks for a comparison with all others. A spec without `min`, `max`, `first`, a place in a list or "
    "a `no` permits any of them. To know the cheapest, the whole list must have been read: the guard asks for that by "
    "itself.",
    _SPEC.replace("{least}", ""),
    _SPEC.replace(
        "{least}", ',\n       min(time of Slot(restaurant = "R", date = today, available = true)) = ?t'
    ),
    find,
    fix="none: which attribute counts is not known",
)
