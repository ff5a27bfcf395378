"""L0052: the instruction says not to do something, and an `allow` permits it."""

import re
from collections.abc import Iterable

from vsalang.base.diagnostics import Diagnostic, Label, warning
from vsalang.base.diagnostics.display import safe
from vsalang.language.lint.instruction import place
from vsalang.language.lint.lint_rule import Context, Rule
from vsalang.language.lint.walk import removal
from vsalang.language.lint.wording import spaced, stem, unquoted
from vsalang.program.text import words

_NOT = re.compile(
    r"\b(?:do not|don['’]?t|never|without|but not|and not|must not|should not|not to)\s+(?:ever\s+|actually\s+)?"
    r"(?P<verb>[a-z]+)(?P<rest>[^.,;:!?]*)",
    re.IGNORECASE,
)
_LIMITS = re.compile(
    r"\b(?:else|other|others|more|again|twice|unless|before|until|except|than|both|yourself|after|with|over|above|any)\b",
    re.IGNORECASE,
)
_LITTLE = frozenset("it them yet now for the a an that this anything my".split())


def find(context: Context) -> Iterable[Diagnostic]:
    """`allow` rules of an action whose verb the instruction forbids, without an exception and nowhere asks for."""
    doc = context.unit.tree.doc
    if context.kind != "spec" or doc is None:
        return
    text = unquoted(doc.value)
    all_verbs = [stem(word.folded) for word in words(text)]
    for match in _NOT.finditer(text):
        verb = stem(match["verb"].lower())
        if _LIMITS.search(match["rest"]) or all_verbs.count(verb) > 1:
            continue
        for rule, head in context.licences():
            relation = context.relation(head.atom)
            name = spaced(relation.short)
            described = [stem(word.folded) for word in words(f"{name} {relation.doc}")]
            verbs = {stem(part.folded) for part in list(words(name))[:1] + list(words(relation.doc))[:1]}
            rest = {stem(word.folded) for word in words(match["rest"]) if word.folded not in _LITTLE}
            if verb not in verbs or not rest <= set(described):
                continue
            phrase = match.group().strip()
            at = place(
                doc,
                context.unit.source,
                doc.value,
                match.start(),
                match.start() + len(match.group().rstrip()),
            )
            yield warning(
                RULE.code,
                rule.head_span or head.atom.span,
                f"the instruction says “{safe(phrase, 60)}”, and this permits `{relation.short}`",
                labels=(Label(at, "forbidden here"),),
                help="remove the rule: what no `allow` permits is blocked",
                fixes=removal(context.unit.source, rule.span),
            )


_SPEC = (
    'spec look "Look for a table at R for today, but do not book it"\nimport apps.opentable\n{allow}'
    'done when Slot(restaurant = "R", date = today, available = true).\n'
    'done when no Slot(restaurant = "R", date = today, available = true).\n'
)
RULE = Rule(
    "L0052",
    "forbidden-is-allowed",
    "what the instruction forbids is permitted",
    "An instruction that says not to pay needs no rule for it: what no `allow` permits is blocked. A rule that "
    "permits the very act is a mistake. “Do not pay more than 5”, “don't buy anything else” set limits, and are left "
    "alone.",
    _SPEC.replace("{allow}", 'allow Reserve(restaurant = "R", date = today, time = 18:30).\n'),
    _SPEC.replace("{allow}", ""),
    find,
    fix="removes the permission",
)
