"""L0042: a day that is another one than the instruction says."""

import datetime as dt
import re
from collections.abc import Iterable, Iterator

from vsalang.base.diagnostics import Diagnostic, Edit, Fix, Label, warning
from vsalang.base.source import Span
from vsalang.language.lint.instruction import place
from vsalang.language.lint.lint_rule import Context, Rule
from vsalang.language.lint.wording import NUMBERS, unquoted
from vsalang.language.syntax import tree as t
from vsalang.program import ir
from vsalang.program.walk import parts, terms

_NUMBER = {"a": 1, "an": 1, "one": 1, **NUMBERS}
_COUNT = rf"(?P<number>\d{{1,2}}|{'|'.join(_NUMBER)})"
_SAID: tuple[tuple[int, re.Pattern[str]], ...] = (
    (
        0,
        re.compile(
            r"\b(?:today|tonight|this (?:morning|noon|afternoon|evening)|heute|aujourd['’]hui|hoy)\b", re.I
        ),
    ),
    (
        1,
        re.compile(
            r"(?<!after )\b(?:tomorrow|demain)\b(?<!après-demain)(?<!après demain)"
            r"|(?<!heute )(?<!guten )(?<!diesen )(?-i:\bmorgen\b)|(?<!la )(?<!pasado )\bmañana\b",
            re.I,
        ),
    ),
    (2, re.compile(r"\b(?:day after tomorrow|übermorgen|après[- ]demain|pasado mañana)\b", re.I)),
    (1, re.compile(rf"\b(in )?{_COUNT} days?(?(1)| from (?:now|today))\b", re.I)),
    (7, re.compile(rf"\b(in )?{_COUNT} weeks?(?(1)| from (?:now|today))\b", re.I)),
)
"""How many days after today each phrase means; those with a number, for each of them."""
_RELATIVE = re.compile(
    r"\b(?:the (?:day (?:after|before)|next day|following day)(?! tomorrow)|yesterday|next week)\b", re.I
)
_WEEKDAY = re.compile(r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b", re.IGNORECASE)
_WEEKDAYS = ("mon", "tues", "wednes", "thurs", "fri", "satur", "sun")


def find(context: Context) -> Iterable[Diagnostic]:
    """`today` where the instruction says tomorrow, the reverse, and days that are not on the weekday that it names."""
    doc = context.unit.tree.doc
    if context.kind != "spec" or doc is None:
        return
    yield from _weekdays(context, doc)
    days = list(_days(context))
    offsets = {day for day, _, _ in days}
    if not days or any(isinstance(day, str) for day in offsets):
        return  # a day that is computed otherwise may be any
    text = unquoted(doc.value)
    phrases = _named_days(text)
    named = list(_WEEKDAY.finditer(text))
    phrase: re.Match[str] | None = None
    meant: int | None = None
    wrong: list[tuple[object, Span]] = []
    if phrases and not named and not _RELATIVE.search(text):
        meant, phrase = next(iter(phrases.items()))
        if not offsets & phrases.keys():
            wrong = [(day, span) for day, span, _ in days if isinstance(day, int)]
            if any(not isinstance(day, int) for day in offsets):
                wrong = []
        elif len(phrases) == 1:  # one attribute has the day that is meant, and another one
            right = {attr for day, _, attr in days if day == meant}
            wrong = [(day, span) for day, span, attr in days if day != meant and attr and attr in right]
        meant = meant if len(phrases) == 1 else None
    elif offsets == {0} and named and 0 not in phrases:
        phrase = phrases.get(1) or named[0]
        meant, wrong = (1 if 1 in phrases else None), [(day, span) for day, span, _ in days]
    elif len(named) == 1 and all(isinstance(day, dt.date) for day in offsets):
        weekday = _WEEKDAYS.index(named[0].group().lower().partition("day")[0])
        phrase = named[0]
        wrong = [
            (day, span) for day, span, _ in days if isinstance(day, dt.date) and day.weekday() != weekday
        ]
    if phrase is None:
        return
    for day, span in wrong:
        yield warning(
            RULE.code,
            span,
            f"the instruction says “{phrase.group()}”, and this is {_name(day)}",
            labels=(
                Label(place(doc, context.unit.source, doc.value, phrase.start(), phrase.end()), "said here"),
            ),
            fixes=_fix(context, span, meant),
            help="`today` is the day of the instruction, `today + 1d` is tomorrow; "
            "a weekday is asked for by `weekday(?d) = Fri`",
        )


def _weekdays(context: Context, doc: t.Text) -> Iterator[Diagnostic]:
    """Weekdays that rules ask for, where the instruction names another one alone."""
    text = unquoted(doc.value)
    named = list(_WEEKDAY.finditer(text))
    if len({match.group().lower()[:3] for match in named}) != 1 or _AROUND.search(text[: named[0].start()]):
        return
    phrase = named[0]
    for rule in context.rules:
        if not isinstance(rule.head, ir.License):
            continue
        for item in parts(rule.body):
            if not isinstance(item, ir.Compare) or item.op != "=" or item.span is None:
                continue
            left, right = item.left, item.right
            if not isinstance(left, ir.Fn) or left.name != "weekday" or not isinstance(right, ir.Const):
                continue
            if str(right.value).lower() == phrase.group().lower()[:3]:
                continue
            yield warning(
                RULE.code,
                item.span,
                f"the instruction says “{phrase.group()}”, and this is {right.value}",
                labels=(
                    Label(
                        place(doc, context.unit.source, doc.value, phrase.start(), phrase.end()), "said here"
                    ),
                ),
                help=f"write `{phrase.group()[:3].capitalize()}`",
            )


_AROUND = re.compile(
    r"\b(?:before|after|until|till|by|not|except|but|from|since)\s+(?:(?:on|next|this)\s+)?$", re.IGNORECASE
)


def _named_days(text: str) -> dict[int, re.Match[str]]:
    """The days that an instruction names by how far they are, with the words."""
    phrases: dict[int, re.Match[str]] = {}
    for unit, pattern in _SAID:
        for match in pattern.finditer(text):
            number = match.groupdict().get("number")
            times = 1 if number is None else _NUMBER.get(number.lower()) or int(number)
            phrases.setdefault(unit * times, match)
    return phrases


def _name(day: object) -> str:
    if isinstance(day, dt.date):
        return f"{day:%A}"
    if day in (0, 1):
        return "the day after" if day else "the day of the instruction"
    return f"{day} days after the day of the instruction"


def _fix(context: Context, span: Span, meant: int | None) -> tuple[Fix, ...]:
    """The day that is said, where the words name it exactly."""
    written = context.unit.source.slice(span)
    if meant is None or written.count("today") != 1:
        return ()
    right = f"today + {meant}d" if meant else "today"
    start = span.start + written.index("today")
    return (Fix(f"write `{right}`", (Edit(Span(span.file, start, span.end), right),)),)


def _days(context: Context) -> Iterator[tuple[object, Span, str]]:
    """The days that `allow` and `done` rules ask for, and of what: days from today, a date, else a text."""
    for rule in context.rules:
        if not isinstance(rule.head, ir.License):
            continue
        for part in parts((rule.head, rule.body)):
            if isinstance(part, ir.Constraint | ir.Compare) and part.span is not None:
                right = part.term if isinstance(part, ir.Constraint) else part.right
                if right is None or not any(_dated(term) for term in terms((right, part.hi))):
                    continue
                plain = part.op == "=" and (isinstance(part, ir.Constraint) or isinstance(part.left, ir.Var))
                attr = part.attr if isinstance(part, ir.Constraint) else ""
                yield _day(right) if plain else "other", part.span, attr


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
