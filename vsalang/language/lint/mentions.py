"""What the rules of a spec mention, in any form, so that a rule can say which part of an instruction they leave out."""

import datetime as dt
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal

from vsalang.language.lint.instruction import Quantity
from vsalang.language.lint.lint_rule import Context
from vsalang.language.lint.walk import nodes
from vsalang.language.lint.wording import spaced, stem
from vsalang.language.syntax import tree as t
from vsalang.program import ir
from vsalang.program.text import fold_case, words
from vsalang.program.walk import head_atom, rule_uses, terms


@dataclass
class Mentions:
    """What the rules of a spec mention, in any form.

    Attributes:
        texts: texts, without case and punctuation.
        names: names and descriptions of relations, attributes and members, with letters and digits alone.
        numbers: numbers, also those in times and dates.
        times: times of day.
        dated: whether a day is among them.
        stems: the stems of all words in names, texts and descriptions.
    """

    texts: list[str] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    numbers: set[Decimal] = field(default_factory=set)
    times: set[dt.time] = field(default_factory=set)
    dated: bool = False
    stems: set[str] = field(default_factory=set)

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

    def read(self, *texts: str) -> None:
        """Take in the words of texts and names."""
        self.stems.update(stem(part.folded) for text in texts for part in words(spaced(text)))

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


def mentions_of(context: Context) -> Mentions:
    """What the rules of a module mention; tests and messages do not count."""
    mentions = Mentions()
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
            mentions.read(relation.short, *docs, *asked)
            if relation.sort == "action":
                mentions.read(*(attr.doc for attr in relation.attrs), *(attr.name for attr in relation.attrs))
        mentions.dated |= any(
            (isinstance(term, ir.Const) and type(term.value) is dt.date)
            or (isinstance(term, ir.Fn) and term.name == "today")
            for term in terms((rule.head, rule.body))
        )
    return mentions


def _collect(node: object, mentions: Mentions) -> None:
    match node:
        case t.Text(value=value):
            mentions.texts.append(_folded(value))
            mentions.read(value)
        case t.WordEntry(forms=forms):
            mentions.texts.extend(map(_folded, forms))
            mentions.read(*forms)
        case t.Regex(source=source):
            mentions.texts.append(_folded(source))
            mentions.read(source)
        case t.Ref(name=name):
            mentions.names.append(_squeezed(name))
            mentions.read(name)
        case t.Name(text=name):
            mentions.names.append(_squeezed(name))
            mentions.read(name)
        case t.Scalar(value=value):
            _scalar(value, mentions)
        case t.AtomHead(quota="either"):
            mentions.numbers.add(Decimal(1))


def _scalar(value: object, mentions: Mentions) -> None:
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
