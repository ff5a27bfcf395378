"""L0042: a day that is another one than the instruction says."""

import datetime as dt
import re
from collections.abc import Iterable, Iterator

from vsalang.base.diagnostics import Diagnostic, Edit, Fix, Label, warning
from vsalang.base.source import Span
from vsalang.language.lint.instruction import place
from vsalang.language.lint.lint_rule import Context, Rule
from vsalang.language.lint.wording import unquoted
from vsalang.program import ir
from vsalang.program.walk import parts, terms

_TODAY = re.compile(r"\b(?:today|tonight|this (?:morning|noon|afternoon|evening))\b", re.IGNORECASE)
_TOMORROW = re.compile(r"(?<!after )\btomorrow\b", re.IGNORECASE)
_AFTER_TOMORROW = re.compile(r"\bday after tomorrow\b", re.IGNORECASE)
_WEEKDAY = re.compile(r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b", re.IGNORECASE)
_WEEKDAYS = ("mon", "tues", "wednes", "thurs", "fri", "satur", "sun")


def find(context: Context) -> Iterable[Diagnostic]:
    """`today` where the instruction says tomorrow, the reverse, and days that are not on the weekday that it names."""
    doc = context.unit.tree.doc
    if context.kind != "spec" or doc is None:
        return
    days = list(_days(context))
    offsets = {day for day, _ in days}
    if not days or any(isinstance(day, str) for day in offsets):
        return  # a day that is computed otherwise may be any
    text = unquoted(doc.value)
    today, tomorrow = _TODAY.search(text), _TOMORROW.search(text)
    named = list(_WEEKDAY.finditer(text))
    phrase: re.Match[str] | None = None
    wrong: list[tuple[object, Span]] = []
    if offsets == {0} and not today and not _AFTER_TOMORROW.search(text):
        phrase, wrong = tomorrow or (named[0] if named else None), days
    elif today and not tomorrow and not named and 0 not in offsets:
        phrase, wrong = today, [(day, span) for day, span in days if day == 1]
    elif len(named) == 1 and all(isinstance(day, dt.date) for day in offsets):
        weekday = _WEEKDAYS.index(named[0].group().lower().partition("day")[0])
        phrase = named[0]
        wrong = [(day, span) for day, span in days if isinstance(day, dt.date) and day.weekday() != weekday]
    if phrase is None:
        return
    for day, span in wrong:
        is_ = (
            f"{day:%A}"
            if isinstance(day, dt.date)
            else "the day of the instruction"
            if day == 0
            else "the day after"
        )
        yield warning(
            RULE.code,
            span,
            f"the instruction says “{phrase.group()}”, and this is {is_}",
            labels=(
                Label(place(doc, context.unit.source, doc.value, phrase.start(), phrase.end()), "said here"),
            ),
            fixes=_fix(context, day, span, phrase.group().lower()),
            help="`today` is the day of the instruction, `today + 1d` is tomorrow; "
            "a weekday is asked for by `weekday(?d) = Fri`",
        )


def _fix(context: Context, day: object, span: Span, phrase: str) -> tuple[Fix, ...]:
    """The day that is said, where the words name it exactly."""
    written = context.unit.source.slice(span)
    if phrase == "tomorrow" and day == 0 and written.endswith("today"):
        end = Span(span.file, span.end, span.end)
        return (Fix("write `today + 1d`", (Edit(end, " + 1d"),)),)
    if day == 1 and phrase in ("today", "tonight") and "today" in written:
        start = span.start + written.index("today") + len("today")
        return (Fix("write `today`", (Edit(Span(span.file, start, span.end), ""),)),)
    return ()


def _days(context: Context) -> Iterator[tuple[object, Span]]:
    """The days that `allow` and `done` rules ask for: days from today, a date, or a text where neither is plain."""
    for rule in context.rules:
        if not isinstance(rule.head, ir.License):
            continue
        for part in parts((rule.head, rule.body)):
            if isinstance(part, ir.Constraint | ir.Compare) and part.span is not None:
                right = part.term if isinstance(part, ir.Constraint) else part.right
                if right is None or not any(_dated(term) for term in terms((right, part.hi))):
                    continue
                plain = part.op == "=" and (isinstance(part, ir.Constraint) or isinstance(part.left, ir.Var))
                yield _day(right) if plain else "other", part.span


def _dated(term: ir.Term) -> bool:
    return (isinstance(term, ir.Fn) and term.name == "today") or (
        isinstance(term, ir.Const) and type(term.value) is dt.date
    )


def _day(term: ir.Term) -> object:
    if isinstance(term, ir.Const):
        return term.value
    if isinstance(term, ir.Fn) and term.name == "today":
        return 0
    if isinstance(term, ir.Fn) and term.name == "+" and len(term.args) == 2:
        start, more = term.args
        if isinstance(start, ir.Fn) and start.name == "today" and isinstance(more, ir.Const):
            return more.value.days if isinstance(more.value, dt.timedelta) else "other"
    return "other"


_SPEC = (
    'spec book "Book the table at R that is free for tomorrow at 18:30"\nimport apps.opentable\n'
    'allow Reserve(restaurant = "R", date = {day}, time = 18:30).\n'
    "done when Reserve earlier, ReserveResult(success = true).\n"
)
RULE = Rule(
    "L0042",
    "wrong-day",
    "day that is another one than the instruction says",
    "“Tomorrow” is `today + 1d`, because `today` is the day on which the instruction was given. A weekday that is "
    "named is the next one: ask for it by `weekday(?d) = Fri` and a range of days, or write its date. Where the rules "
    "compute days in other ways, nothing is said.",
    _SPEC.replace("{day}", "today"),
    _SPEC.replace("{day}", "today + 1d"),
    find,
    fix="writes the day of the instruction",
)
