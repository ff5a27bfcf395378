"""L0004: an `allow` that leaves a parameter of its action open."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator

from vsalang.base.diagnostics import Diagnostic, warning
from vsalang.language.lint.lint_rule import Context, Rule
from vsalang.language.lint.rules.unjoined_evidence import joining
from vsalang.language.lint.walk import variables
from vsalang.language.semantics.wording import words
from vsalang.program import ir
from vsalang.program.walk import present


def find(context: Context) -> Iterable[Diagnostic]:
    """Parameters that an `allow` says nothing about, or gives a variable that nothing else mentions."""
    for rule, head in context.licences():
        relation = context.relation(head.atom)
        if head.quota.kind == "each":
            yield from _joined_to_nothing(context, rule, head)
            continue
        counts = Counter(name for name, _ in variables(context.tree_of(rule)))
        held = {c.attr for c in head.atom.constraints if _restricts(c, counts)}
        open_ = [attr.name for attr in relation.attrs if attr.name not in held]
        # an hour that nobody named, of an action that is not about one
        open_ = [name for name in open_ if not held or not _unasked(context, relation, name)]
        if not open_:
            continue
        yield warning(
            RULE.code,
            head.atom.span,
            f"this `allow {relation.short}` leaves {words(open_)} open",
            label=f"any {' and any '.join(open_)} is allowed",
            help=f"say what is wanted: {relation.short}({open_[0]} = ..)",
        )


def _joined_to_nothing(context: Context, rule: ir.Rule, head: ir.License) -> Iterator[Diagnostic]:
    """Parameters of `allow each` with a variable that nothing else mentions, although a condition could say which."""
    counts = Counter(name for name, _ in variables(context.tree_of(rule)))
    types = {attr.name: attr.type for attr in context.relation(head.atom).attrs}
    evidence = [
        item for item in present(rule.body) if context.relation(item.atom).sort in ("state", "view", "list")
    ]
    for constraint in head.atom.constraints:
        if _restricts(constraint, counts) or not isinstance(constraint.term, ir.Var):
            continue
        for item in evidence:
            relation = context.relation(item.atom)
            free = {attr.name: attr.type for attr in relation.attrs}.get(constraint.attr) == types[
                constraint.attr
            ]
            if not free or any(c.attr == constraint.attr for c in item.atom.constraints):
                continue
            yield warning(
                RULE.code,
                constraint.span,
                f"`?{constraint.term.name}` is used once: `{relation.short}` may be one of another `{constraint.attr}`",
                label=f"any {constraint.attr} is allowed as soon as there is one such `{relation.short}`",
                help=f"join them: `{constraint.attr} = ?{constraint.term.name}` in both",
                fixes=joining(context, rule, item.atom, constraint.attr),
            )
            break


def _unasked(context: Context, action: ir.Relation, name: str) -> bool:
    """Whether a time or a day is left open that neither the instruction nor anything that is read is about."""
    kind = action.attr(name).type
    doc = context.unit.tree.doc
    if doc is None or context.kind != "spec" or kind not in _WORDS or _WORDS[kind].search(doc.value):
        return False
    return not any(
        attr.name == name and attr.type == kind
        for relation in context.program.relations.values()
        if relation.sort in ("state", "list", "derived")
        for attr in relation.attrs
    )


_CLOCK = (
    r"\b\d{1,2}\s*[:.h]\s*\d{2}\b|\b\d{1,2}\s*(?:[ap]\.?m\b|h\b|uhr\b|o['’]?clock)|\b(?:half|quarter)\b|\b(?:at|by|before|after"
    r"|until|till|from|around|about|um|gegen|vor|nach|bis|ab|à|vers|avant"
    r"|après|a las?|antes|después)\s+(?:the\s+)?(?:\d"
    r"|one\b|two\b|three\b|four\b|five\b|six\b|seven\b|eight\b|nine\b|ten\b|eleven\b|twelve\b)"
    r"|\b(?:noon|midnight|midday|hours?|minutes?|o['’]clock|time|when|now|soon|immediately|asap|later|early|earl(?:y|ier|iest)"
    r"|late|latest|morning|afternoon|evening|night|tonight|lunch|dinner|breakfast|uhr|stunden?|minuten?|mittags?|abends?"
    r"|morgens?|früh|spät|sofort|jetzt|heures?|minutes?|midi|minuit|matin|soir|maintenant|horas?|minutos?|mediodía"
    r"|medianoche|mañana|tarde|noche|ahora)\b"
)
_CALENDAR = (
    r"\d|\b(?:today|tonight|tomorrow|yesterday|days?|dates?|weeks?|weekend|months?|years?|when|now|morning|afternoon"
    r"|evening|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|january|february|march|april|may|june|july|august"
    r"|september|october|november|december|heute|morgen|übermorgen|tag(?:e|en)?|wochen?|montags?|dienstags?"
    r"|mittwochs?|donnerstags?|freitags?|samstags?|sonntags?|jours?|semaines?|demain|aujourd['’]hui|lundi|mardi"
    r"|mercredi|jeudi|vendredi|samedi|dimanche|hoy|mañana|días?|semanas?|lunes|martes|miércoles|jueves|viernes"
    r"|sábado|domingo)\b"
)
_WORDS = {ir.TIME: re.compile(_CLOCK, re.IGNORECASE), ir.DATE: re.compile(_CALENDAR, re.IGNORECASE)}
"""Words with which an instruction may name a value of a type; more than mean one, so that too much is asked."""


def _restricts(constraint: ir.Constraint, counts: Counter[str]) -> bool:
    if constraint.op in ("known", "unknown"):
        return False
    return not (
        constraint.op == "=" and isinstance(constraint.term, ir.Var) and counts[constraint.term.name] < 2
    )


RULE = Rule(
    "L0004",
    "unconstrained-parameter",
    "`allow` leaves a parameter open",
    "An `allow` permits every instance of the action that fits its head. A parameter that it does not "
    "mention, or gives a "
    "variable that nothing else in the rule mentions, may have any value: the agent may book any "
    "restaurant. A time or a day is left alone where the instruction names none and nothing that is read has one of "
    "that name. "
    "`allow each` may leave one open, because there it is meant; a variable of its head that nothing else mentions is "
    "found where a condition has that attribute and could say which one.",
    'spec book "Book a table at R for today"\nimport apps.opentable\n'
    'allow Reserve(restaurant = "R", date = today).\n'
    "done when Reserve earlier, ReserveResult(success = true).\n",
    'spec book "Book a table at R for today"\nimport apps.opentable\n'
    'allow Reserve(restaurant = "R", date = today, time = ?t)\n'
    '  when Slot(restaurant = "R", date = today, time = ?t).\n'
    "done when Reserve earlier, ReserveResult(success = true).\n",
    find,
    fix="joins the variable of `allow each` to the condition; else which values the user wants is not known",
)
