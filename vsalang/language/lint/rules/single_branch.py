"""L0008: an instruction with "if", and a spec with only one case."""

import re
from collections.abc import Iterable

from vsalang.base.diagnostics import Diagnostic, warning
from vsalang.language.lint.instruction import place, quoted_texts
from vsalang.language.lint.lint_rule import Context, Rule

_CONDITION = re.compile(r"\b(?:if|unless|otherwise|in case)\b", re.IGNORECASE)
# "check if", "tell me if" ask a question; "as if" compares
_QUESTION = re.compile(
    r"\b(?:check|see|know|tell|tell me|ask|find out|verify|look|sure|as|even)\s+$", re.IGNORECASE
)


def find(context: Context) -> Iterable[Diagnostic]:
    """The first condition of an instruction whose spec has at most one `allow` and one `done`."""
    doc = context.unit.tree.doc
    if context.kind != "spec" or doc is None:
        return
    if len(list(context.licences())) > 1 or len(list(context.dones())) > 1:
        return
    quoted = list(quoted_texts(doc.value))
    for match in _CONDITION.finditer(doc.value):
        inside = any(quote.start <= match.start() < quote.end for quote in quoted)
        if inside or _QUESTION.search(doc.value[: match.start()]):
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
    "An instruction with “if” describes two courses. A spec with at most one `allow` and one `done` has "
    "one: where the "
    "condition does not hold, the agent can neither act nor finish. Write the other end as a second "
    "`done`, the other "
    "action as a second `allow either`. “Check if” and the like ask a question and are left alone.",
    _BOOK,
    _BOOK + 'done when no Slot(restaurant = "R", date = today, available = true).\n',
    find,
)
