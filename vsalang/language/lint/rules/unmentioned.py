"""L0002: quoted texts and numbers of the instruction that the spec never mentions."""

import re
from collections.abc import Iterable

from vsalang.base.diagnostics import Diagnostic, warning
from vsalang.base.diagnostics.display import safe
from vsalang.language.lint.instruction import Quantity, place, quantities, quoted_texts
from vsalang.language.lint.lint_rule import Context, Rule
from vsalang.language.lint.mentions import mentions_of

_MONTHS = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:t(?:ember)?)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)\b"
)
_UNITS = r"(?:days?|nights?|weeks?|months?|weekends?)\b"
_OFFSET = re.compile(
    rf"\b(?:\d+|an?|one|two|three|four|five|six|seven|ten|next|last|first)\s+{_UNITS}|\bday (?:before|after)\b",
    re.IGNORECASE,
)
_DAY_AFTER = re.compile(rf"\s*(?:{_UNITS}|(?:of\s+)?{_MONTHS}|of (?:the|this|next) month)", re.IGNORECASE)
_DAY_BEFORE = re.compile(rf"{_MONTHS}\s+$", re.IGNORECASE)


def find(context: Context) -> Iterable[Diagnostic]:
    """Quoted texts and numbers that are in the instruction and not in the rules."""
    doc = context.unit.tree.doc
    if context.kind != "spec" or doc is None:
        return
    mentions = mentions_of(context)
    computed = mentions.dated and _OFFSET.search(doc.value) is not None
    for quote in quoted_texts(doc.value):
        if not mentions.text(quote.text):
            yield warning(
                RULE.code,
                place(doc, context.unit.source, doc.value, quote.start, quote.end),
                f"the instruction says “{safe(quote.text, 80)}”, and no rule mentions it",
                label="nothing restricts the agent to this",
                help=_HELP,
            )
    for item in quantities(doc.value):
        if not mentions.quantity(item) and not (computed and _of_days(doc.value, item)):
            yield warning(
                RULE.code,
                place(doc, context.unit.source, doc.value, item.start, item.end),
                f"the instruction says {safe(item.text.strip(), 40)}, and no rule mentions it",
                label="nothing restricts the agent to this",
                help=_HELP,
            )


def _of_days(text: str, item: Quantity) -> bool:
    """Whether a number counts days or is that of a day: what is computed from both is another number."""
    return bool(_DAY_AFTER.match(text, item.end) or _DAY_BEFORE.search(text[: item.start]))


_HELP = "ask for it in a condition; if it needs none, say so: `// lint: ignore L0002` on the line before"


RULE = Rule(
    "L0002",
    "unmentioned",
    "part of the instruction that no rule mentions",
    "What an instruction quotes, and its numbers and times, is what the user cares about. If no rule "
    "mentions it, "
    "nothing keeps the agent to it, and the guard permits more than was asked for. Tests, messages and "
    "descriptions do "
    "not count as mentioning it; names of relations, attributes and members do, and so do the "
    "descriptions of the "
    "relations that the rules ask about.",
    "spec book \"Book a table at 'Chez Ann' for today before 7 PM\"\nimport apps.opentable\n"
    'allow Reserve(restaurant = "Chez Ann", date = today, time = ?t)\n'
    '  when Slot(restaurant = "Chez Ann", date = today, time = ?t).\n'
    "done when Reserve earlier, ReserveResult(success = true).\n",
    "spec book \"Book a table at 'Chez Ann' for today before 7 PM\"\nimport apps.opentable\n"
    'allow Reserve(restaurant = "Chez Ann", date = today, time = ?t, time < 19:00)\n'
    '  when Slot(restaurant = "Chez Ann", date = today, time = ?t).\n'
    "done when Reserve earlier, ReserveResult(success = true).\n",
    find,
    fix="none: where the text belongs is not known",
)
