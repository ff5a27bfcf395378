"""L0002: quoted texts and numbers of the instruction that the spec never mentions."""

import datetime as dt
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from decimal import Decimal

from vsalang.base.diagnostics import Diagnostic, warning
from vsalang.base.diagnostics.display import safe
from vsalang.language.lint.instruction import Quantity, place, quantities, quoted_texts
from vsalang.language.lint.lint_rule import Context, Rule
from vsalang.language.lint.walk import nodes
from vsalang.language.syntax import tree as t
from vsalang.program.text import fold_case, words
from vsalang.program.walk import head_atom, rule_uses


@dataclass
class _Mentions:
    """What the rules of a spec mention, in any form."""

    texts: list[str] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    numbers: set[Decimal] = field(default_factory=set)
    times: set[dt.time] = field(default_factory=set)

    def text(self, wanted: str) -> bool:
        """Whether a quoted text is mentioned: as a text, or as part of one or of a name."""
        folded, squeezed = _folded(wanted), _squeezed(wanted)
        if any(
            f" {folded} " in f" {text} " or (text and f" {text} " in f" {folded} ") for text in self.texts
        ):
            return True
        # a short text is part of many names by chance
        return not squeezed or any(
            squeezed == name
            or (len(squeezed) > 3 and squeezed in name)
            or (len(name) > 4 and name in squeezed)
            for name in self.names
        )

    def quantity(self, item: Quantity) -> bool:
        """Whether a number or time is mentioned."""
        if isinstance(item.value, dt.time):
            text = item.text.lower()
            if item.value in self.times or any(_folded(text) in other for other in self.texts):
                return True
            return "m" not in text and item.value.replace(hour=(item.value.hour + 12) % 24) in self.times
        if item.value in self.numbers:
            return True
        digits = format(item.value, "f")
        return any(re.search(rf"(?<!\d){re.escape(digits)}(?!\d)", text) for text in self.texts)


def find(context: Context) -> Iterable[Diagnostic]:
    """Quoted texts and numbers that are in the instruction and not in the rules."""
    doc = context.unit.tree.doc
    if context.kind != "spec" or doc is None:
        return
    mentions = _mentions(context)
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
        if not mentions.quantity(item):
            yield warning(
                RULE.code,
                place(doc, context.unit.source, doc.value, item.start, item.end),
                f"the instruction says {safe(item.text.strip(), 40)}, and no rule mentions it",
                label="nothing restricts the agent to this",
                help=_HELP,
            )


_HELP = "ask for it in a condition; if it needs none, say so: `// lint: ignore L0002` on the line before"


def _mentions(context: Context) -> _Mentions:
    mentions = _Mentions()
    tree = context.unit.tree
    mentions.names += [_squeezed(item.name.text) for item in tree.imports]
    for item in tree.items:
        if isinstance(item, t.Rule):
            said_by = () if isinstance(item.head, t.JudgeHead) else item.head  # a message restricts nobody
            parts: Iterator[object] = nodes((said_by, item.body, item.extra or ()))
        elif isinstance(item, t.Let):
            parts = nodes(item)
        else:
            continue
        for node in parts:
            _collect(node, mentions)
    for rule in context.rules:
        atoms = [use.atom for use in rule_uses(rule)]
        head = head_atom(rule)
        for atom in [*atoms, *([head] if head else [])]:
            relation = context.relation(atom)
            asked = {constraint.attr for constraint in atom.constraints}
            docs = [relation.doc, *(attr.doc for attr in relation.attrs if attr.name in asked)]
            mentions.names += [_squeezed(text) for text in docs if text]
    return mentions


def _collect(node: object, mentions: _Mentions) -> None:
    match node:
        case t.Text(value=value):
            mentions.texts.append(_folded(value))
        case t.WordEntry(forms=forms):
            mentions.texts.extend(map(_folded, forms))
        case t.Regex(source=source):
            mentions.texts.append(_folded(source))
        case t.Ref(name=name):
            mentions.names.append(_squeezed(name))
        case t.Name(text=name):
            mentions.names.append(_squeezed(name))
        case t.Scalar(value=value):
            _scalar(value, mentions)
        case t.AtomHead(quota="either"):
            mentions.numbers.add(Decimal(1))


def _scalar(value: object, mentions: _Mentions) -> None:
    if isinstance(value, bool):
        return
    if isinstance(value, int | Decimal):
        mentions.numbers.add(abs(Decimal(value)))
    elif isinstance(value, dt.time):
        mentions.times.add(value)
        mentions.numbers |= {Decimal(value.hour), Decimal(value.hour % 12 or 12)}
        if value.minute:
            mentions.numbers.add(Decimal(value.minute))
    elif isinstance(value, dt.timedelta):
        seconds = Decimal(value.days * 86400 + value.seconds)
        mentions.numbers |= {seconds / unit for unit in (1, 60, 3600, 86400, 604800)}
        mentions.numbers |= {seconds // 60 % 60, seconds % 60}
    elif isinstance(value, dt.date):
        mentions.numbers |= {Decimal(value.year), Decimal(value.month), Decimal(value.day)}


def _folded(text: str) -> str:
    """The words of a text, without blanks and punctuation; the text itself if it has no words."""
    return " ".join(word.folded for word in words(text)) or text.strip()


def _squeezed(text: str) -> str:
    return "".join(char for char in fold_case(text) if char.isalnum())


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
)
