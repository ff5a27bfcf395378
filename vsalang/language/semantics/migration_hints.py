"""Migration hints for names: a name of another language, and a name whose import is missing."""

from collections.abc import Iterable
from typing import Final

from vsalang.base.diagnostics import Edit, Fix
from vsalang.base.source import Span
from vsalang.base.source.suggest import nearest
from vsalang.language.semantics.report import Report
from vsalang.language.semantics.scope import Scope
from vsalang.language.semantics.wording import show_member
from vsalang.language.syntax import tree as t
from vsalang.program.ir import Type
from vsalang.program.patterns import PatternError, compile_pattern

_RELATIONS: Final = {
    "and": "conditions are joined by a comma",
    "or": "there is no `or`: write a second rule with the same head",
    "if": "write `when`",
    "unless": "write `not`",
    "in": "write S(a in {..}), or ?x in {..}",
    "is": "write S(a = ..)",
    "exists": "a relation alone says that some row matches: S(a = 1)",
    "some": "a relation alone says that some row matches: S(a = 1)",
    "unknown": "what was not seen is asked of an attribute: S(a unknown)",
    "true": "a rule that holds without conditions ends after its head: allow A.",
    "false": "what no rule derives does not hold: leave the rule out",
    "fail": "what no rule derives does not hold: leave the rule out",
    "print": "a rule prints nothing: `flag` records a message",
}
_GESTURES: Final = {
    "click": "tap",
    "press": "tap",
    "touch": "tap",
    "double_click": "double_tap",
    "long_click": "long_press",
    "long_tap": "long_press",
    "type": "input_text",
    "type_text": "input_text",
    "enter_text": "input_text",
    "set_text": "input_text",
    "launch": "open_app",
    "start_app": "open_app",
    "navigate_back": "back",
    "go_back": "back",
    "press_back": "back",
    "navigate_home": "home",
    "go_home": "home",
    "key": "press_key",
    "keyevent": "press_key",
    "sleep": "wait",
}
_COUNTED: Final = "rows are counted: count(S(..)); nothing measures a text, but `matches` may: /^.{3}$/"
_FUNCTIONS: Final = {
    "len": _COUNTED,
    "length": _COUNTED,
    "size": _COUNTED,
    "avg": "there are count, sum, min, max and set, of the rows of a relation",
    "upper": "`=` is exact, `contains` and `~=` look past the case; lower(?t) gives small letters",
    "trim": "line(?t) makes each row of blanks and line breaks one blank, with none at the ends",
    "strip": "line(?t) makes each row of blanks and line breaks one blank, with none at the ends",
    "now": "the time is a row: Clock(now = ?n)",
    "abs": "compare twice: ?n > -1, ?n < 1",
    "round": "numbers are exact: compare with a range",
    "startswith": "write a matches /^../",
    "endswith": "write a matches /..$/",
    "substring": "write a contains .., or a matches /../ with a named group",
    "concat": "texts are not joined; a message shows several: {?a} {?b}",
    "format": "texts are not joined; a message shows several: {?a} {?b}",
}
_RENAMED: Final = {
    "tolower": "lower",
    "to_lower": "lower",
    "lowercase": "lower",
    "int": "number",
    "float": "number",
    "to_number": "number",
    "parse_int": "number",
}
_BARE: Final = {
    "min": "write min(a of S(..)) = ?m",
    "max": "write max(a of S(..)) = ?m",
    "sum": "write sum(a of S(..)) = ?m",
    "count": "write count(S(..)) = ?n",
    "now": "the time is a row: Clock(now = ?n)",
    "nothing": "seen to be absent is `none`; not seen is asked by `a unknown`",
    "undefined": "seen to be absent is `none`; not seen is asked by `a unknown`",
    "unknown": "not seen is asked without `=`: a unknown",
}
DAYS: Final = "dates and times take durations: today + 3d, 19:00 - 30min"
"""The help if a number is added to a date."""
_DAYS: Final = {"tomorrow": "today + 1d", "yesterday": "today - 1d"}


def write(text: str, span: Span) -> Fix:
    """The fix that replaces the text of a span."""
    return Fix(f"write `{text}`", (Edit(span, text),))


def import_fix(scope: Scope, module: str) -> Fix:
    """The fix that imports a module, below the header and the other imports."""
    tree = scope.unit.tree
    last = tree.imports[-1].span if tree.imports else tree.span
    place = Span(last.file, last.end, last.end)
    return Fix(f"add `import {module}`", (Edit(place, f"\nimport {module}"),))


def foreign_relation(scope: Scope, report: Report, name: t.Name) -> bool:
    """Report a relation that is a word of another language or an attribute; return whether it is one."""
    text = name.text
    if help_text := _RELATIONS.get(text.lower()):
        report.error("E0204", name.span, f"`{text}` is not a relation", help=help_text)
        return True
    if gesture := _GESTURES.get(text.lower()):
        fix = write(gesture, name.span)
        help_text = f"the gesture is called `{gesture}`"
        report.error("E0204", name.span, f"unknown relation `{text}`", help=help_text, fixes=[fix])
        return True
    owner, _, attr = text.rpartition(".")
    symbols = scope.find_relation(owner) if owner else []
    if len(symbols) != 1 or attr not in symbols[0].types:
        return False
    kind = symbols[0].types[attr]
    true = kind is not None and kind.kind == "Bool"
    report.error(
        "E0204",
        name.span,
        f"`{text}` is not a relation: attributes are asked of a row",
        help=f"write {owner}({attr} = {'true' if true else '..'})",
        fixes=[write(f"{owner}({attr} = true)", name.span)] if true else [],
    )
    return True


def foreign_function(report: Report, name: t.Name) -> bool:
    """Report a function of another language; return whether it is one."""
    word = name.text.lower()
    ours = _RENAMED.get(word)
    help_text = _FUNCTIONS.get(word) if ours is None else f"write {ours}(?t)"
    if help_text is None:
        return False
    fixes = [write(ours, name.span)] if ours is not None else []
    report.error("E0210", name.span, f"unknown function `{name.text}`", help=help_text, fixes=fixes)
    return True


_WEEKDAYS = frozenset(
    word
    for day in ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
    for word in (day, day[:3])
)


def foreign_value(expr: t.Ref, expected: Type | None) -> tuple[str, list[Fix]]:
    """Help and fixes for a bare word of another language; an empty help if it is not such a word."""
    name = expr.name
    if (day := _DAYS.get(name.lower())) and (expected is None or expected.kind == "Date"):
        return f"write {day}", [write(day, expr.span)]
    if name.lower() in _WEEKDAYS and (expected is None or expected.kind == "Date"):
        member = name[:3].capitalize()
        return (
            f"a weekday is not a day: write `today + 3d`, a date such as 2026-04-01, or weekday(?d) = {member} for any",
            [],
        )
    if "." in name:
        return "there are no objects: ask for a row, S(a = ?x), and compare ?x", []
    if expected is not None and expected.kind == "Text":
        return "", []
    return _BARE.get(name.lower(), ""), []


def member_of_enum(name: str, enum: Type, span: Span) -> Fix | None:
    """The fix for ``Size.Small``: write the member alone."""
    owner, _, member = name.rpartition(".")
    same = owner and owner.rpartition(".")[2] == enum.name.rpartition(".")[2]
    return write(member, span) if same and member in {m.name for m in enum.members} else None


def swapped(low: t.Expr, high: t.Expr) -> list[Fix]:
    """The fix that swaps the ends of a range of two literals."""
    if not (isinstance(low, t.Scalar) and isinstance(high, t.Scalar)):
        return []
    return [Fix(f"write `{high.raw}..{low.raw}`", (Edit(low.span, high.raw), Edit(high.span, low.raw)))]


def near_variable(name: str, span: Span, known: Iterable[str]) -> tuple[str, list[Fix]]:
    """The bound variable that an unbound one probably means, as a question and a fix; empty if none is near."""
    names = [other for other in known if other != name]
    near = [other for other in names if other.lower() == name.lower()]
    if not near and len(name) > 3:
        near = nearest(name, names, 2)
    if len(near) != 1:
        return "", []
    return f"did you mean `?{near[0]}`?", [write(f"?{near[0]}", span)]


def not_a_regex(report: Report, expr: t.Expr) -> None:
    """Report a value after `matches` that is not a regular expression."""
    hint = f"write /{expr.value}/" if isinstance(expr, t.Text) else "write it between slashes: /.../"
    message = "`matches` needs a regular expression or a list of words"
    report.error("E0310", expr.span, message, help=hint, fixes=_slashed(expr))


def _slashed(expr: t.Expr) -> list[Fix]:
    """The fix for a regular expression in quotes: write it between slashes."""
    if not isinstance(expr, t.Text) or expr.block or not expr.value or set(expr.value) & set("/\n"):
        return []
    try:
        compile_pattern(expr.value, "")
    except PatternError:
        return []
    return [write(f"/{expr.value}/", expr.span)]


def in_days(expr: t.Binary) -> list[Fix]:
    """The fix for ``today + 1``: add a duration in days."""
    amount = expr.right
    is_today = isinstance(expr.left, t.Ref) and expr.left.name == "today"
    if is_today and isinstance(amount, t.Scalar) and type(amount.value) is int:
        return [write(f"{amount.value}d", amount.span)]
    return []


def only_a_spelling(report: Report, span: Span, value: str, enum: Type) -> bool:
    """Report a spelling of a member that is used as its name; return whether it is one."""
    for member in enum.members:
        if value in member.spellings:
            name = show_member(member.name)
            message = f"`{value}` is a spelling of `{member.name}`, read by member() only"
            report.error("E0209", span, message, help=f"write {name}", fixes=[write(name, span)])
            return True
    return False


def counted_word(scope: Scope, report: Report, quota: str | t.Expr, head: t.Atom) -> bool:
    """Report ``allow Pay Cart(..)`` and ``allow Pay twice``, which look like a quota; return whether it is one."""
    if not isinstance(quota, t.Ref):
        return False
    word = head.name.text
    if scope.find_relation(quota.name):
        if word in ("each", "either", "once", "twice") and not head.args:
            count_words = {"each": "each ", "either": "either ", "twice": "2 "}.get(word, "")
            report.error(
                "E0505",
                head.name.span,
                "the count is written before the action",
                fixes=[write(f"{count_words}{quota.name}", quota.span.cover(head.span))],
            )
        else:
            place = Span(head.span.file, head.span.start, head.span.start)
            report.error(
                "E0126",
                head.name.span,
                f"`when` is missing before `{word}`",
                help="a rule is written: Head when Conditions.",
                fixes=[Fix("write `when`", (Edit(place, "when "),))],
            )
        return True
    if quota.name in ("any", "all", "every", "some", "once", "twice"):
        times = {"once": "1", "twice": "2"}.get(quota.name)
        report.error(
            "E0505",
            quota.span,
            "how often an action may run is a number, `each` or `either`",
            help="" if times else "allow each A(..): any number of times; allow A(..): once",
            fixes=[write(times, quota.span)] if times else [],
        )
        return True
    return False
