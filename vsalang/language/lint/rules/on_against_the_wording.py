"""L0050: `on = true` where the instruction says "turn off", and the reverse."""

import re
from collections.abc import Iterable

from vsalang.base.diagnostics import Diagnostic, Edit, Fix, Label, warning
from vsalang.language.lint.instruction import place
from vsalang.language.lint.lint_rule import Context, Rule
from vsalang.language.lint.wording import unquoted
from vsalang.program import ir
from vsalang.program.text import words

_TURN = re.compile(
    r"\b(?:turn|switch|put|shut)\s+(?:(?!off\b|on\b|and\b|then\b)[\w'’-]+\s+){0,6}?(?P<which>off|on)\b",
    re.IGNORECASE,
)
_SAID = (
    (False, re.compile(r"\b(?:disable|deactivate)\b", re.I)),
    (True, re.compile(r"\b(?:enable|activate)\b", re.I)),
)
_ON = frozenset({"on", "enabled", "active", "activated"})


def find(context: Context) -> Iterable[Diagnostic]:
    """Parameters that say whether something is on, which no `allow` gives the only value that the instruction names."""
    doc = context.unit.tree.doc
    if context.kind != "spec" or doc is None:
        return
    text = unquoted(doc.value)
    phrase: dict[bool, re.Match[str]] = {}
    for match in _TURN.finditer(text):
        phrase.setdefault(match["which"].lower() == "on", match)
    for value, pattern in _SAID:
        if named := pattern.search(text):
            phrase.setdefault(value, named)
    if len(phrase) != 1:
        return
    ((wanted, match),) = phrase.items()
    values = [
        (constraint, constraint.term.value)
        for _, head in context.licences()
        for constraint in head.atom.constraints
        if constraint.op == "="
        and isinstance(constraint.term, ir.Const)
        and isinstance(constraint.term.value, bool)
        and _says_on(context.relation(head.atom).attr(constraint.attr))
    ]
    if any(value is wanted for _, value in values):
        return
    for constraint, value in values:
        right = f"{constraint.attr} = {'true' if wanted else 'false'}"
        yield warning(
            RULE.code,
            constraint.span,
            f"the instruction says “{' '.join(match.group().split())}”, and this is {'on' if value else 'off'}",
            label="the opposite is permitted",
            labels=(
                Label(place(doc, context.unit.source, doc.value, match.start(), match.end()), "said here"),
            ),
            help=f"write `{right}`",
            fixes=(Fix(f"write `{right}`", (Edit(constraint.span, right),)),) if constraint.span else (),
        )


def _says_on(attr: ir.Attr) -> bool:
    return attr.name in _ON or bool(_ON & {word.folded for word in words(attr.doc)})


_SPEC = (
    'spec dark "Turn off the dark theme of the display"\nimport apps.settings\n'
    'allow Switch(page = "Display", name = "Dark theme", on = {on}).\n'
    'done when Toggle(page = "Display", name = "Dark theme", on = {on}).\n'
)
RULE = Rule(
    "L0050",
    "on-against-the-wording",
    "on where the instruction says off",
    "“Turn off” is `on = false`: the value says what is so afterwards. Where the instruction asks for turning things "
    "off alone, an `allow` that turns one on permits the opposite of what was asked for.",
    _SPEC.replace("{on}", "true"),
    _SPEC.replace("{on}", "false"),
    find,
    fix="writes the other truth value",
)
