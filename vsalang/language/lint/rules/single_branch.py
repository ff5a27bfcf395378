"""L0008: an instruction with "if", and a spec with only one case."""

import re
from collections.abc import Iterable

from vsalang.base.diagnostics import Diagnostic, warning
from vsalang.language.lint.instruction import place, quoted_texts
from vsalang.language.lint.lint_rule import Context, Rule
from vsalang.program import ir
from vsalang.program.walk import literals, uses

_CONDITION = re.compile(r"\b(?:if|unless|otherwise|in case)\b", re.IGNORECASE)
# "check if", "tell me if" ask a question; "as if" compares
_QUESTION = re.compile(
    r"\b(?:check|see|know|tell|tell me|ask|find out|verify|look|sure|as|even)\s+$", re.IGNORECASE
)
# "I'd love if you could", "if possible": politeness, and no second case
_POLITE_BEFORE = re.compile(
    r"\b(?:love|like|great|nice|good|kind|happy|glad|grateful|thankful|wonderful|lovely|awesome|perfect|helpful|best|appreciate|mind"
    r"|wonder(?:ing)?|(?:appreciate|love|like) it)\s+$",
    re.IGNORECASE,
)
_POLITE_AFTER = re.compile(
    r"\s+(?:you\s+(?:can|could|would|will|may|don['’]?t mind|do not mind|like|please|want)|possible|necessary|needed"
    r"|need be|(?:that|it)(?:['’]s| is)\s+(?:ok(?:ay)?|fine|possible|not too much)|so\b|any\b(?=\W*$))\b",
    re.IGNORECASE,
)


def find(context: Context) -> Iterable[Diagnostic]:
    """The first condition of an instruction whose spec has at most one `allow` and one `done`."""
    doc = context.unit.tree.doc
    if context.kind != "spec" or doc is None:
        return
    if len(list(context.licences())) > 1 or len(list(context.dones())) > 1:
        return
    if any(_ends_without(context, rule) for rule in context.dones()):
        return
    quoted = list(quoted_texts(doc.value))
    for match in _CONDITION.finditer(doc.value):
        inside = any(quote.start <= match.start() < quote.end for quote in quoted)
        before, after = doc.value[: match.start()], doc.value[match.end() :]
        if inside or _QUESTION.search(before) or _POLITE_BEFORE.search(before):
            continue
        if match.group().lower() == "if" and _POLITE_AFTER.match(after):
            continue
        yield warning(
            RULE.code,
            place(doc, context.unit.source, doc.value, match.start(), match.end()),
            f"the instruction has a condition (“{match.group().lower()}”), and the spec has one way only",
            label="and where it does not hold?",
            help="write what ends the task in the other case: a second `done when ..`, or a second "
            "`allow either ..`",
        )
        return


def _ends_without(context: Context, rule: ir.Rule) -> bool:
    """Whether a `done` may hold although nothing was done: it asks only for what is seen, or seen to be absent."""
    asked = list(uses(rule.body))
    seen = {
        other.head.atom.relation
        for other in context.program.rules
        if isinstance(other.head, ir.Write) and other.trigger == "observation"
    }
    if not asked or any(isinstance(item, ir.Spent) for item in literals(rule.body)):
        return False
    return all(
        use.past is None
        and (context.relation(use.atom).sort in ("state", "list") or use.negated)
        and use.atom.relation in seen
        for use in asked
    )


_BOOK = (
    'spec book "Book a table at R for today. If there is none, do nothing."\nimport apps.opentable\n'
    'allow Reserve(restaurant = "R", date = today, time = ?t)\n'
    '  when Slot(restaurant = "R", date = today, time = ?t, available = true).\n'
    "done when Reserve earlier, ReserveResult(success = true).\n"
)
RULE = Rule(
    "L0008",
    "single-branch",
    "condition in the instruction, one way in the spec",
    "An instruction with “if” describes two courses. A spec with at most one `allow` and one `done` has one: where "
    "the condition does not hold, the agent can neither act nor finish. Write the other end as a second `done`, the "
    "other action as a second `allow either`. “Check if” and the like ask a question, “if you could” is politeness: "
    "both are left alone. So is a `done` that asks only for what the app shows, such as `Lamp(on = false)`: it holds "
    "where nothing is left to do.",
    _BOOK,
    _BOOK + 'done when no Slot(restaurant = "R", date = today, available = true).\n',
    find,
    fix="none: what ends the other case is not known",
)
