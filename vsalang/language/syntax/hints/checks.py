"""Migration hints that need code: checks of what people write who know other languages. `finding` is the entry."""

import re
import unicodedata
from typing import Final

from vsalang.base.diagnostics.diagnostic import Diagnostic, Edit, Fix, error
from vsalang.base.records import dataclass
from vsalang.base.source import Source, Span
from vsalang.base.source.suggest import nearest
from vsalang.language.syntax.hints import matching
from vsalang.language.syntax.hints.synonyms import GESTURES, PLAIN_MARKS
from vsalang.program.reserved_words import AGGREGATES, ITEM_WORDS, STEP_WORDS


@dataclass(frozen=True, slots=True)
class Context:
    """A mistake and what surrounds it.

    Attributes:
        source: the file.
        start: where the item begins.
        end: where it ends.
        span: the token that does not fit.
        text: its text.
        expected: the names of what would fit.
        before: the offset after the token before it.
    """

    source: Source
    start: int
    end: int
    span: Span
    text: str
    expected: frozenset[str]
    before: int

    @property
    def previous(self) -> str:
        """The last character before the place that is not a blank and in no comment; empty at the item's beginning."""
        return self.source.text[self.before - 1] if self.before > self.start else ""

    def replacing(self, span: Span, text: str) -> tuple[Fix, ...]:
        """The fix that writes `text` at `span`."""
        return (Fix(f"write `{text.strip()}`" if text.strip() else "remove it", (Edit(span, text),)),)


_OPERATORS: Final = {
    "==": "=",
    "===": "=",
    ":=": "=",
    "≤": "<=",
    "≥": ">=",
    "=<": "<=",
    "≠": "!=",
    "<>": "!=",
    "\\=": "!=",
    "/=": "!=",
    "⊆": "subset",
    "⊈": "not subset",
    "∈": "in",
    "∉": "not in",
    "≃": "~=",
    "≈": "~=",
    "=~": "matches",
    "−": "-",
    "×": "*",
    "¬": "not",
    "…": "..",
}
_OPERATOR_WORDS: Final = {
    "is": "=",
    "equals": "=",
    "includes": "contains",
    "notin": "not in",
}
_JOINS: Final = frozenset({"and", "AND", "∧", "&&", "&", "plus"})
_CHOICES: Final = frozenset({"or", "OR", "∨", "||", "|", ";"})
_IFS: Final = frozenset(
    {"if", "where", "unless", "while", "<-", "←", ":", "<=", "then", "=>", "->", "upon", "after"}
)
_QUOTES: Final = "“”„«»‘’‚'`"
_COMMENTS: Final = {"#": "#", "%": "%", "--": "--"}
_LONG = re.compile(r"===|==|:=|<>|=<|=~|\\=|/=|&&|\|\||<-|->|--|\\\+|\+\+|\*\*|//")
_QUOTED = re.compile(r"'[^'\n]*'|‘[^’\n]*’|“[^”\"\n]*[”\"]|„[^“”\"\n]*[“”\"]|«[^»\n]*»|`[^`\n]*`")
_BARE_TEXT = re.compile(r"[^\W\d]\w*(?:[ \t]+[\w'&.-]+)+(?=[ \t]*[,)])")
_ONE_ATOM = re.compile(r"\s+[A-Z]\w*(?:\([^()]*\))?\s*\.(?=\s|\Z)")
BRACKETS: Final = re.compile(r'"(?:[^"\\\n]|\\.)*+"|//[^\n]*+|[()]')

_TOKEN_WORDS: Final = {
    "When": "when",
    "With": "with",
    "EarlierWord": "earlier",
    "WithinWord": "within",
    "SinceWord": "since",
    "ThenWord": "then",
    "Closed": "closed",
    "Known": "known",
    "Op": "contains",
}


def finding(context: Context) -> Diagnostic | None:
    """The finding for something that another language writes so, or None."""
    words = _words(context)
    if words is not None:
        return words
    table = matching.finding(context.source, context.start, context.end, context.span.start, context.expected)
    if table is not None:
        return table
    for look in (_quotes, _comment, _trailing_comma, _choice, _join, _condition_start, _operator, _negation):
        result = look(context)
        if result is not None:
            return result
    for look in (_declaration_period, _letters, _positional, _shape, _bare_text, _misspelt, _missing_comma):
        result = look(context)
        if result is not None:
            return result
    return None


def _symbol(context: Context) -> tuple[str, Span]:
    """The operator or mark at the place, and its span: the longest that other languages have."""
    at = context.span.start
    match = _LONG.match(context.source.text, at)
    if match is None:
        return context.text, context.span
    return match.group(), Span(context.span.file, at, match.end())


def _words(context: Context) -> Diagnostic | None:
    """A list of words in braces or brackets."""
    before = context.source.text[context.start : context.before]
    if context.text not in ("{", "[") or not re.search(r"=\s*words$", before):
        return None
    help = (
        'write the entries between two """, one a line; or the name of a file of words: words "sends.words"'
    )
    return error("E0109", context.span, f"a list of words is not written with `{context.text}`", help=help)


def _quotes(context: Context) -> Diagnostic | None:
    if context.text[0] not in _QUOTES:
        return None
    match = _QUOTED.match(context.source.text, context.span.start, context.end)
    help = 'texts are written in straight double quotes: "like this"'
    if match is None:
        return error("E0123", context.span, f"`{context.text[0]}` is not a quotation mark here", help=help)
    span = Span(context.span.file, *match.span())
    inner = match.group()[1:-1].replace("\\", "\\\\").replace('"', '\\"')
    return error(
        "E0123",
        span,
        "texts are written in double quotes",
        help=help,
        fixes=context.replacing(span, f'"{inner}"'),
    )


def _comment(context: Context) -> Diagnostic | None:
    mark, span = _symbol(context)
    if mark not in _COMMENTS:
        return None
    help = "comments are `// ..` and `/* .. */`"
    return error(
        "E0129", span, f"a comment cannot begin with `{mark}`", help=help, fixes=context.replacing(span, "//")
    )


def comma_before(mark: str) -> str:
    """The message about a comma before a mark that ends a list."""
    return f"a comma before `{mark}`"


def _trailing_comma(context: Context) -> Diagnostic | None:
    if context.previous != "," or context.text not in (")", "}", ".", "]") or not context.expected - {"sep"}:
        return None
    comma = Span(context.span.file, context.before - 1, context.before)
    return error(
        "E0125",
        comma,
        comma_before(context.text),
        help="no comma follows the last element",
        fixes=(Fix("remove it", (Edit(comma, ""),)),),
    )


def _choice(context: Context) -> Diagnostic | None:
    mark, span = _symbol(context)
    if mark not in _CHOICES:
        return None
    if mark == ";" and "End" in context.expected:
        rest = context.source.text[span.end : span.end + 200].lstrip(" \t")
        if not rest or rest[0] in "\r\n/":
            help = "rules, `let` and steps end with a period"
            return error(
                "E0106", span, "a semicolon ends nothing", help=help, fixes=context.replacing(span, ".")
            )
    if (
        mark == ";"
        and "End" not in context.expected
        and {"sep", "AttrDecl", "CloseBrace", "}"} & context.expected
    ):
        return error("E0107", span, "a comma separates, not `;`", fixes=context.replacing(span, ","))
    return error(
        "E0108",
        span,
        f"there is no `{mark}`",
        help="write a second rule with the same head for the other case",
    )


def _join(context: Context) -> Diagnostic | None:
    mark, span = _symbol(context)
    if mark not in _JOINS:
        return None
    before = Span(context.span.file, context.before, span.end)
    return error(
        "E0107",
        span,
        f"conditions are joined by a comma, not by `{mark}`",
        help="write `,`",
        fixes=(Fix("write `,`", (Edit(before, ","),)),),
    )


def _condition_start(context: Context) -> Diagnostic | None:
    """A wrong word, or none, where ``when`` belongs."""
    if "When" not in context.expected:
        return None
    mark, span = _symbol(context)
    if mark == "unless":
        return _unless(context, span)
    if mark in _IFS or (mark == "on" and "on" not in context.expected):
        help = "write `when`"
        return error(
            "E0122",
            span,
            f"conditions follow `when`, not `{mark}`",
            help=help,
            fixes=context.replacing(span, _apart(context.source.text, span, "when")),
        )
    token = context.text
    if token in ITEM_WORDS and token not in ("screen", "goto"):
        return None
    body_seen = re.search(r"\bwhen\b|:-", context.source.text[context.start : context.span.start])
    later = re.compile(r"\bwhen\b|:-").search(context.source.text, context.span.end, context.end)
    if body_seen is None and later is not None and token[0].isupper() and "sep" not in context.expected:
        help = "write a rule for each; conditions follow `when`"
        return error("E0143", context.span, "a rule has one head", help=help)
    if (
        body_seen is None
        and later is None
        and "sep" not in context.expected
        and (token[0].isalpha() or token[0] in "?(")
    ):
        return error(
            "E0126",
            context.span,
            f"`when` is missing before `{token}`",
            help="a rule is written: Head when Conditions.",
            fixes=(Fix("write `when`", (Edit(Span(span.file, span.start, span.start), "when "),)),),
        )
    return None


def _apart(text: str, span: Span, word: str) -> str:
    """A word with blanks around it where the text at `span` has none."""
    before = "" if text[span.start - 1 : span.start].isspace() else " "
    return before + word + ("" if text[span.end : span.end + 1].isspace() else " ")


def _unless(context: Context, span: Span) -> Diagnostic:
    """``unless``: `when` in its place would reverse the rule, so there is a fix only for a single condition."""
    single = _ONE_ATOM.match(context.source.text, span.end, context.end)
    help = "write `when not A(..)`; for several conditions `define` a relation and negate it"
    fixes = context.replacing(span, "when not") if single else ()
    return error("E0122", span, "conditions follow `when`, not `unless`", help=help, fixes=fixes)


def _operator(context: Context) -> Diagnostic | None:
    mark, span = _symbol(context)
    instead = _OPERATORS.get(mark) or (
        _OPERATOR_WORDS.get(mark.lower()) if {"Op", "sep"} & context.expected else None
    )
    if instead is None:
        return None
    return error(
        "E0107",
        span,
        f"`{mark}` is not an operator",
        help=f"write `{instead}`",
        fixes=context.replacing(span, instead),
    )


def _negation(context: Context) -> Diagnostic | None:
    mark, span = _symbol(context)
    if mark in ("!", "\\+", "~"):
        return error(
            "E0107",
            span,
            f"`{mark}` is not a negation",
            help="write `not A(..)`",
            fixes=context.replacing(span, "not "),
        )
    text = context.source.text
    if context.text == "(" and re.search(
        r"\b(?:not|no)$", text[max(context.start, context.before - 4) : context.before]
    ):
        help = "write `not A(..)`; for several conditions `define` a relation and negate it"
        return error(
            "E0136", context.span, "`not` is written before one relation, without parentheses", help=help
        )
    return None


def _declaration_period(context: Context) -> Diagnostic | None:
    if context.text != "." or "HeadWord" not in context.expected:
        return None
    directive = re.compile(r"\.[a-z]+\b").match(context.source.text, context.span.start)
    if directive is not None:
        span = Span(context.span.file, *directive.span())
        help = "relations are declared by `state`, `view` and `list`, or derived by `define`"
        return error("E0105", span, f"an item cannot begin with `{directive.group()}`", help=help)
    return error(
        "E0130",
        context.span,
        "a period where nothing ends",
        help="declarations, imports and headers end without a period",
        fixes=(Fix("remove it", (Edit(context.span, ""),)),),
    )


def _positional(context: Context) -> Diagnostic | None:
    """``Slot("R", ?t)`` and ``Slot(restaurant)``"""
    text, token = context.source.text, context.text
    if (
        "AnyName" in context.expected
        and context.previous in ("(", ",")
        and (token[0] in '"?-_' or token[0].isdigit())
    ):
        if "When" in context.expected or "=" in context.expected:
            return None
        if token == "_":
            help = "leave out what may be anything"
        else:
            help = f"write the attribute too: (attribute = {token if len(token) < 30 else '..'})"
        return error("E0124", context.span, "constraints name their attribute", help=help)
    if "Op" in context.expected and token in (")", ","):
        start = context.before
        while start > context.start and (text[start - 1].isalnum() or text[start - 1] in "_."):
            start -= 1
        word = text[start : context.before]
        if word and text[start - 1 : start] != "?":
            span = Span(context.span.file, start, context.before)
            if word == "_":
                help = "leave out what may be anything"
                return error("E0124", span, "constraints name their attribute", help=help)
            return error(
                "E0124",
                span,
                f"`{word}` says nothing",
                help=f"write what it must be: {word} = .., or {word} known",
            )
    if (
        "Op" in context.expected
        and context.previous == ")"
        and (token in ("),.") or token in ("when", "with"))
    ):
        call = _call(context)
        if call is not None:
            name = context.source.slice(call).partition("(")[0].strip()
            if name in GESTURES or name[0].isupper():
                inside = Span(call.file, call.start + len(name), call.end)
                help = f"write the attribute too: {name}(attribute = ..)"
                return error("E0124", inside, "constraints name their attribute", help=help)
            help = "a value is compared, as in month(?d) = 4; constraints of a relation name their attribute"
            return error("E0124", call, "this is a value, and a condition is expected", help=help)
    return None


def _call(context: Context) -> Span | None:
    """The span of the function call that ends just before the place; None for an aggregate."""
    open_at: list[int] = []
    start = -1
    for match in BRACKETS.finditer(context.source.text, context.start, context.before):
        if match.group() == "(":
            open_at.append(match.start())
        elif match.group() == ")" and open_at:
            start = open_at.pop()
    name = re.search(
        r"[A-Za-z_][A-Za-z0-9_]*[ \t]*$", context.source.text[max(context.start, start - 60) : max(start, 0)]
    )
    if start < 0 or name is None or name.group().strip() in AGGREGATES:
        return None
    return Span(context.span.file, start - len(name.group()), context.before)


def _shape(context: Context) -> Diagnostic | None:
    """Keywords and groups of this language in a wrong place."""
    token = context.text
    if token == "of" and {"sep", ",", ")"} & context.expected:
        help = "write max(a of A) = ?m, with the value on the right"
        return error("E0116", context.span, "an aggregate is written on the left of a comparison", help=help)
    if context.expected == {"ThenWord"}:
        help = "conditions are joined by a comma; a group in parentheses is possible only before `then`"
        return error(
            "E0116", context.span, "a group needs `then` after it", label="expected `then`", help=help
        )
    label = "expected a condition" if "CompareAhead" in context.expected else "expected a name"
    if token in ("when", "with") and {"Name", "QName", "AtomName"} & context.expected:
        return error("E0115", context.span, f"`{token}` is a keyword", label=label)
    if token.lower().rstrip(".") in ("am", "pm") and context.previous.isdigit():
        return error(
            "E0113", context.span, f"`{token}` is not part of a time", help="write times as 07:00 and 19:00"
        )
    return None


def _bare_text(context: Context) -> Diagnostic | None:
    """``name = Il Duomo``"""
    text = context.source.text
    if not context.text[0].isalnum() or not ({"sep", ",", ")", "Close"} & context.expected):
        return None
    start = context.before
    while start > context.start and (text[start - 1].isalnum() or text[start - 1] in "_."):
        start -= 1
    match = _BARE_TEXT.match(text, start, context.end + 1)
    operator = re.search(r"(?:=|[!<>~]=|contains)[ \t]*$", text[max(context.start, start - 14) : start])
    if match is None or operator is None or match.end() <= context.span.start:
        return None
    span = Span(context.span.file, *match.span())
    return error(
        "E0127",
        span,
        "text is written in quotes",
        help=f'write "{match.group()}"',
        fixes=context.replacing(span, f'"{match.group()}"'),
    )


def _misspelt(context: Context) -> Diagnostic | None:
    """``becuase``, ``erlier``"""
    token = context.text
    if len(token) < 3 or not token.isalpha() or not token.islower():
        return None
    words = {_TOKEN_WORDS.get(name, name) for name in context.expected}
    close = nearest(token, sorted(word for word in words if word.isalpha() and word.islower()), 1)
    if not close or close[0] == token:
        return None
    help = f"did you mean `{close[0]}`?"
    return error(
        "E0109",
        context.span,
        f"unexpected `{token}`",
        help=help,
        fixes=context.replacing(context.span, close[0]),
    )


def _missing_comma(context: Context) -> Diagnostic | None:
    token = context.text
    if "sep" not in context.expected or "AttrDecl" in context.expected:
        return None
    if not (token[0].isalnum() or token[0] in '?"_') or token in ITEM_WORDS:
        return None
    if "Arrow" in context.expected and token in (STEP_WORDS | GESTURES):
        return None
    if not (context.previous.isalnum() or context.previous in ')}"_'):
        return None
    place = Span(context.span.file, context.before, context.before)
    return error(
        "E0131",
        context.span,
        f"a comma is missing before `{token}`" if len(token) < 40 else "a comma is missing before this",
        fixes=(Fix("write `,`", (Edit(place, ","),)),),
    )


def _letters(context: Context) -> Diagnostic | None:
    token, span = context.text, context.span
    if token.isascii() and token[0].isprintable():
        return None
    if token[0].isalpha():
        start = span.start
        while start > context.start and (
            context.source.text[start - 1].isalnum() or context.source.text[start - 1] == "_"
        ):
            start -= 1
        span = Span(span.file, start, span.end)
        return error(
            "E0129",
            span,
            f"`{context.source.slice(span)}` is not a name",
            help="names are made of the letters a-z, digits and _",
        )
    if not token.isprintable() or token.isspace():
        name = f"U+{ord(token[0]):04X}"
        instead = " " if token.isspace() else ""
        fix = Fix("write a blank" if instead else "remove it", (Edit(context.span, instead),))
        return error(
            "E0129",
            context.span,
            f"the invisible character {name} is here",
            help="remove it",
            fixes=(fix,),
        )
    plain = PLAIN_MARKS.get(token) or unicodedata.normalize("NFKC", token)
    fixes = context.replacing(span, plain) if plain.isascii() and len(plain) == 1 else ()
    return error("E0129", context.span, f"`{token}` means nothing here", fixes=fixes)
