"""A table of what people write out of habit, as patterns around the place of a mistake: see `habits` for the rest.

Each row has a pattern whose group ``at`` is underlined. The row applies where the match holds the place at which the
parser stopped; if there is a group ``here``, where that begins there. In the texts ``{name}`` is what a group of the
pattern holds. A row has a fix only where the mended text surely means what was meant.
"""

import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from vsalang.diagnostics.model import Diagnostic, Edit, Fix, error
from vsalang.source import Source, Span
from vsalang.syntax import phrases, strangers

YIELDING: Final = frozenset({"E0109", *(f"E{number:04}" for number in range(136, 151))})
"""Codes of what may as well be a period forgotten before the next step of a test: then that is said instead."""

_REACH: Final = 200
"""How far around the place a pattern is looked for, so that the time does not depend on the text's length."""


@dataclass(frozen=True, slots=True)
class _Habit:
    code: str
    pattern: re.Pattern[str]
    message: str
    help: str = ""
    fix: str | None = None
    needs: frozenset[str] = frozenset()  # what the grammar must expect at the place, one of them


def _row(
    code: str, pattern: str, message: str, help: str = "", fix: str | None = None, needs: str = ""
) -> _Habit:
    return _Habit(code, re.compile(pattern), message, help, fix, frozenset(needs.split()))


_NAME = r"[A-Za-z_]\w*"
_VALUE = "QuickValue Number Scalar Regex"

_TABLE: Final = (
    *(_row(*row) for row in (*strangers.FIRST, *phrases.PHRASES)),
    # numbers, durations, dates and times
    _row(
        "E0112",
        r"(?<![\w.])(?P<at>(?P<n>\d+) +(?P<u>s|m|h|d|(?:sec|min)\w*|hrs?|hours?|days?))\b",
        "a duration has no blank before its unit",
        "durations are written 30s, 5min, 2h or 3d",
        "{n}{unit}",
    ),
    _row(
        "E0111",
        r"(?<!\w)(?P<at>\d+(?:_\d+)+)(?!\w)",
        "digits are not grouped",
        "write all digits together",
        "{digits}",
    ),
    _row(
        "E0111",
        r"(?<!\w)(?P<at>\d+(?:\.\d+)?[eE][+-]?\d+)",
        "numbers have no exponent",
        "write all the digits",
    ),
    _row(
        "E0112",
        r"(?<!\w)(?P<at>(?P<h>\d{1,4})h ?(?P<m>\d{1,4})(?:m|min))(?!\w)",
        "a duration has one number and one unit",
        "durations are written 30s, 5min, 2h or 3d",
        "{minutes}min",
    ),
    _row(
        "E0113",
        r"(?<!\w)(?P<at>(?P<h>[01]\d|2[0-3])h(?P<m>[0-5]\d))(?!\w)",
        "`{at}` is not a time",
        "",
        "{h}:{m}",
    ),
    _row(
        "E0113",
        r"(?<!\w)(?P<at>\d{1,2}:\d\d(?::\d\d)? ?(?:[aApP]\.?[mM]\b\.?))",
        "`{at}` is not a time",
        "write times as 07:00 and 19:00",
    ),
    _row("E0111", r"(?P<at>(?<![\w.])\.(?P<n>\d+))", "a number begins with a digit", "", "0.{n}", _VALUE),
    _row("E0111", r"(?P<at>\+(?P<n>\d))", "a number has no plus sign", "", "{n}", _VALUE),
    _row("E0111", r"(?P<at>[$€£](?P<n>\d[\d.]*))", "an amount is a number", "leave the currency out", "{n}"),
    _row("E0111", r"(?P<at>(?<=\d) ?%)", "`%` is no part of a number", "write the number alone"),
    _row(
        "E0113",
        r"(?<!\w)(?P<at>\d{1,4}[/.]\d{1,2}[/.]\d{1,4})(?!\w)",
        "`{at}` is not a date",
        "dates are written 2026-04-01: year, month, day",
    ),
    _row(
        "E0113",
        r"\bclock\s+(?P<at>(?P<d>\d{4}-\d\d-\d\d)T(?P<t>\d\d:\d\d(?::\d\d)?))(?!\w)",
        "between date and time stands a blank",
        "",
        "{d} {t}",
    ),
    _row(
        "E0113",
        r"(?<!\w)(?P<at>\d{4}-\d\d-\d\d(?:T|[ \t]+)\d\d:\d\d(?::\d\d)?)(?![\w:])",
        "a value is a date or a time, not both",
        "keep them in two attributes, a Date and a Time",
    ),
    _row("E0113", r'\bclock\s+(?P<at>"(?P<t>[-\d: ]+)")', "dates and times stand without quotes", "", "{t}"),
    # variables and texts
    _row(
        "E0129", rf"(?P<at>\$(?P<n>{_NAME}))", "`{at}` is no variable", "a variable begins with `?`", "?{n}"
    ),
    _row("E0129", r"(?P<at>\?)(?![\w=])", "a variable has a name", "write ?x, or _ for any value"),
    _row(
        "E0123",
        r'(?s:(?P<at>\'\'\'(?P<t>(?:(?!"""|\'\'\').)*)\'\'\'))',
        'longer texts stand in `"""`',
        "",
        '"""{t}"""',
    ),
    _row(
        "E0123",
        r'(?P<at>(?<!\w)[rfbu])(?P<here>")',
        "a text has no prefix",
        "remove the letter; a pattern is written /.../",
    ),
    # operators
    _row("E0107", r"(?P<at>=<)(?![-<])", "`{at}` is no operator", "write `<=`", "<=", "QuickValue Regex"),
    _row("E0107", r"(?P<at>=~)", "`{at}` is no operator", "write `matches`", "matches", "QuickValue Regex"),
    _row("E0107", r"(?P<at>=>)(?=\s*[\d?\"-])", "`{at}` is no operator", "write `>=`", ">=", "Op"),
    _row("E0107", r"(?P<at>-+>|→|⇒)", "what is expected of a step follows `=>`", "write `=>`", "=>", "Arrow"),
    _row(
        "E0107",
        r"(?P<at>[-+*/?|]=)",
        "`{at}` is no operator",
        "write a = .. in the head, with the new value computed from the one that a condition binds",
        None,
        "Op",
    ),
    _row("E0107", r"(?P<at>:)(?![-=])", "`:` is no operator", "write `=`", " =", "Op"),
    _row(
        "E0107",
        r"(?P<at>\bbetween\s+(?P<lo>[^\s,()]+)\s+and\s+(?P<hi>[^\s,()]+?))(?=\s*[,).]|\.?\s)",
        "there is no `between`",
        "write a in lo..hi; both ends are included",
        "in {lo}..{hi}",
        "Op",
    ),
    _row(
        "E0107",
        r"(?P<at>\bis\s+not\s+(?:null|none|NULL|None)\b)",
        "`is` is no operator",
        "write `!= none`",
        "!= none",
    ),
    _row(
        "E0107",
        r"(?<=[\w\"])(?P<at>[ \t]+to[ \t]+)(?=[\w?\"-])",
        "a range is written lo..hi",
        "",
        "..",
        "sep , ) End AddOp Dots ..",
    ),
    _row(
        "E0107", r"(?<=[\w\"])(?P<at>\.\.[.<=])", "a range is written lo..hi", "both ends are included", ".."
    ),
    _row(
        "E0107",
        r"(?P<at>(?<=[\w)]) ?/ ?)(?=[\d?(])",
        "there is no division",
        "multiply: ?n * 0.5",
        None,
        "Op sep ,",
    ),
    _row(
        "E0107",
        r"(?:<=?|>=?)\s*[?\w:.-]+\s*(?P<at><=?|>=?)",
        "comparisons do not chain",
        "write two, 1 < ?n, ?n < 3, or a range: ?n in 1..3",
        None,
        "sep , ) End",
    ),
    _row(
        "E0107",
        r"(?P<at>(?i:\blike\b))",
        "there is no `{at}`",
        'write contains "..", or matches /../ with a regular expression',
        None,
        "Op",
    ),
    _row(
        "E0141",
        r"\bearlier\s+(?P<at>than)\b",
        "`earlier` takes nothing after it",
        "A earlier: A happened before now; `A then B`: B came after A",
    ),
    # negation and quantifiers
    _row(
        "E0136",
        r"\b(?P<at>not)\s+[\w.]+\s+(?:in|contains|subset|matches)\b",
        "`not` stands before a relation, or belongs to an operator",
        "write S(a not in {..})",
    ),
    _row(
        "E0136",
        r"\b(?P<at>not)\s+\?\w+",
        "`not` stands before a relation; a comparison has the opposite operator",
        "write `!=`, `not in`, `>=` and so on",
    ),
    _row("E0137", r"\b(?P<at>exists\s+)(?=[A-Z])", "a relation alone says that it has a row", "", ""),
    _row(
        "E0137",
        r"\b(?P<at>some|any|exists)\s*\(?\w+",
        "there is no `{at}`",
        "a relation alone says that some row matches: S(a = 1)",
    ),
    _row("E0137", r"\b(?P<at>forall|foreach)\s*\(?\w*", "there is no `{at}`", "write every S(..) has (..)"),
    _row("E0137", r"\bevery\s+(?P<at>\w+\s+in)\b", "`every` takes no variable", "write every S(..) has (..)"),
    _row(
        "E0137", r"\bevery\s+[\w.]+(?:\([^()]*\))?(?P<at>\s*)(?=\()", "`has` is missing", "", " has ", "has"
    ),
    _row(
        "E0138", r"\b(?P<at>(?P<f>count)\s+)(?=[A-Z])", "an aggregate has parentheses", "write {f}(S(..)) = 3"
    ),
    _row(
        "E0138",
        r"\b(?P<at>(?P<f>sum|min|max|set)\s+)(?=[\w.]+\s+of\b)",
        "an aggregate has parentheses",
        "write {f}(a of S(..)) = ?m",
    ),
    _row("E0143", r"\bwhen\s+(?P<at>if\s+)", "`when` alone begins the conditions", "", ""),
    _row(
        "E0141",
        r"(?<=[\w)])\s+(?P<at>before|after)\b",
        "`{at}` does not join conditions",
        "`A then B` says that B came after A; `before A` asks for the state before this step",
        None,
        "ThenWord sep",
    ),
    # brackets
    _row(
        "E0143",
        r"\bwhen\s*(?P<at>\{(?P<t>[^{}]*)\})(?=\s*\.)",
        "conditions stand without braces",
        "write Head when A, B.",
        "{t}",
    ),
    _row(
        "E0143",
        r"\b(?:when|if)\s*(?P<at>\{)\s*[\w.]*",
        "conditions stand without braces",
        "write Head when A, B.",
    ),
    _row(
        "E0142",
        r"\ballow\s*(?P<at>[{(])",
        "`allow` names an action, and its conditions follow `when`",
        "write allow A(..) when ..",
    ),
    _row(
        "E0145",
        r"\b(?:in|subset)\s*(?P<at>[(\[](?P<t>[^()\[\]{{}}]*)[)\]])",
        "sets stand in braces",
        "",
        "{{t}}",
    ),
    _row("E0145", r"(?:=|\bcontains)\s*(?P<at>\[(?P<t>[^()\[\]{}]*)\])", "sets stand in braces", "", "{{t}}"),
    _row(
        "E0145", r"(?<=\w)\s*(?P<at>\[(?P<t>[^()\[\]{}]*)\])", "constraints stand in parentheses", "", "({t})"
    ),
    _row(
        "E0145",
        rf"\b(?:when|,)\s*[A-Z]\w*\s*(?P<at>\{{)\s*{_NAME}\s*[:=]",
        "constraints stand in parentheses",
    ),
    _row(
        "E0146",
        rf"\b(?:state|view|list)\s+{_NAME}\s*(?P<at>\((?P<t>[^(){{}}]*)\))",
        "the attributes of a declaration stand in braces",
        "",
        " {{t}}",
        "OpenBrace {",
    ),
    _row(
        "E0147",
        rf"\benum\s+{_NAME}\s*(?P<at>\((?P<t>[^(){{}}]*)\))",
        "the members of an enum stand in braces",
        "",
        " {{t}}",
    ),
    _row(
        "E0147",
        rf"\benum\s+{_NAME}\s*(?P<at>=)",
        "the members of an enum stand in braces",
        "enum Day {Mon, Tue}",
    ),
    _row(
        "E0147",
        r"(?:\{|,)\s*[\w\"]+\s*(?P<at>=)",
        "the members of an enum have no values",
        'another spelling is written Mon as ("Monday")',
        None,
        "as",
    ),
    _row("E0116", r"(?P<at>\{)[^{}()]*\.\.", "a range has no braces", "write a in lo..hi"),
    # declarations
    _row("E0148", rf"\blet\s+{_NAME}\s*(?P<at>:\s*\w+\s*)(?==)", "a constant has no type", "", " "),
    _row(
        "E0146",
        rf"(?P<n>{_NAME})(?P<at>\s+)(?=[A-Za-z])",
        "a colon is missing after `{n}`",
        "attributes are declared name: Type",
        ": ",
        ":",
    ),
    _row(
        "E0146",
        rf"\b(?P<at>(?P<n>{_NAME}))\s*[,)}}]",
        "`{n}` has no type",
        "attributes and parameters are declared name: Type",
        None,
        ":",
    ),
    _row(
        "E0149",
        rf"\b(?:import|goto|screen)\s+(?P<at>\"(?P<n>{_NAME}(?:\.{_NAME})*)\")",
        "this name stands without quotes",
        "",
        "{n}",
    ),
    _row(
        "E0149",
        r"\bapp\s+[\w.]+\s+package\s+(?P<at>[a-z]\w*(?:\.\w+)*)",
        "the name of a package stands in quotes",
        "",
        '"{at}"',
    ),
    _row(
        "E0149",
        r"\bpackage\s+(?P<at>(?P<here>[a-z]\w*(?:\.\w+)*))",
        "this is no package of an app",
        'packages stand in quotes, in the first line of an app; other modules have none: app shop package "com.shop"',
    ),
    _row(
        "E0150",
        rf"\btest\s+(?P<at>{_NAME})\s*(?:\{{|for\b)",
        "the name of a test stands in quotes",
        "",
        '"{at}"',
    ),
    _row(
        "E0150",
        r"\btest\b[^{}]*(?P<at>(?P<here>:))",
        "the steps of a test stand in braces",
        'write test "name" { .. }',
    ),
    _row(
        "E0144",
        rf"@(?P<n>{_NAME})(?P<at>\s+(?P<t>\"[^\"\n]*\"))",
        "the value of an annotation stands in parentheses",
        "",
        "({t})",
    ),
    # rules
    _row(
        "E0144",
        r"\b(?P<at>deny|confirm|warn|flag)\s+(?:when\b|:-|[A-Za-z])",
        "`{at}` needs a message",
        'write {at} "what is wrong" when ..',
        None,
        "String",
    ),
    _row(
        "E0142",
        r"\ballow\s+(?P<at>not|no)\b",
        "what nothing allows is blocked already",
        'to forbid it to others too write deny "why" when A',
    ),
    _row(
        "E0143",
        r"(?P<at>(?P<here>,))",
        "a rule has one head",
        "write a rule for each; conditions follow `when`",
        None,
        "When",
    ),
    _row(
        "E0143",
        rf"\b(?:update|define)\s+[A-Z]\w*(?P<at>\.{_NAME})\s*=",
        "cells stand in parentheses",
        "write update S(a = ..)",
    ),
    _row("E0125", r",\s*(?P<at>,)", "two commas", "", ""),
    _row(
        "E0140",
        rf"(?P<at>{_NAME}\.{_NAME})\s*\(",
        "there are no methods",
        "functions take their values in parentheses: lower(?x)",
        None,
        "sep , )",
    ),
    # tests
    _row("E0150", r"\bobserve\s+(?P<at>not)\b", "what is seen to be gone is `observe no`", "", "no"),
    _row("E0150", r"\bbecause\s+(?P<at>of\s+)", "`because` alone names the reasons", "", ""),
    _row("E0150", r"(?P<at>\.)\s*=>", "a verdict stands before the period of its step", "", ""),
    *(_row(*row) for row in phrases.LAST),
)
_UNITS: Final = {"s": "s", "m": "min", "h": "h", "d": "d"}
_FLIPPED: Final = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "=": "=", "==": "=", "!=": "!="}


def finding(source: Source, start: int, end: int, place: int, expected: frozenset[str]) -> Diagnostic | None:
    """The finding of the first row that applies at `place` of the item from `start` to `end`; None: no row."""
    text = source.text
    low, high = max(start - 3, place - _REACH, 0), min(end, place + _REACH)
    for row in _TABLE:
        if row.needs and row.needs.isdisjoint(expected):
            continue
        for match in row.pattern.finditer(text, low, high):
            if match.start() > place:
                break
            if place <= match.end() and (
                "here" not in row.pattern.groupindex or match.start("here") == place
            ):
                return _finding(source, row, match)
    return None


def _finding(source: Source, row: _Habit, match: re.Match[str]) -> Diagnostic:
    span = Span(source.file, *match.span("at"))
    words = {name: value or "" for name, value in match.groupdict().items()}
    if "u" in words:
        words["unit"] = _UNITS[words["u"][0]]
    if "h" in words and "m" in words:
        words["minutes"] = str(int(words["h"]) * 60 + int(words["m"]))
    if "t" in words:
        words["t"] = words["t"].strip()
    words["digits"] = words["at"].replace("_", "").replace(",", "")
    if "exp" in words:
        words["number"] = format(Decimal(words["exp"]), "f")
    if "hour" in words:
        hour = int(words["hour"]) % 12 + (12 if words["half"] == "p" else 0)
        words["clock"] = f"{hour:02}:{words['min'] or '00'}"
    if "low" in words:
        words["lower"] = words["low"].lower()
    if "op1" in words:
        words["flip1"] = _FLIPPED[words["op1"]]
    fixes: tuple[Fix, ...] = ()
    if row.fix is not None:
        instead = _fill(row.fix, words)
        shown = instead.strip()
        fixes = (Fix(f"write `{shown}`" if shown else "remove it", (Edit(span, instead),)),)
    if not words["at"].strip():  # nothing but blanks: what stands before them is shown
        span = Span(source.file, max(match.start(), span.start - 1), span.start)
    return error(row.code, span, _fill(row.message, words), help=_fill(row.help, words), fixes=fixes)


def _fill(template: str, words: dict[str, str]) -> str:
    """A text of the table with ``{name}`` replaced by what was written; other braces stay."""
    return re.sub(r"\{(\w+)\}", lambda match: words.get(match[1], match[0]), template)
