"""Messages about text that does not follow the grammar: what was found, what was expected, what to write."""

import re
from typing import Final

from vsalang.base.diagnostics.diagnostic import Diagnostic, Edit, Fix, error
from vsalang.base.source import Source, Span
from vsalang.base.source.suggest import nearest
from vsalang.language.syntax.hints import checks, matching, synonyms
from vsalang.language.syntax.scan import GAP, MAX_DEPTH, MAX_LENGTH, Flaw, first_word, skip_blanks
from vsalang.program.reserved_words import DECLARATIONS, ITEM_WORDS, MODULE_KINDS, STEP_WORDS

_SHOWN: Final = 6
_BREAKS: Final = {
    "\r": "a carriage return (U+000D)",
    "\x0b": "a vertical tab (U+000B)",
    "\x0c": "a form feed (U+000C)",
    "\x1c": "U+001C",
    "\x1d": "U+001D",
    "\x1e": "U+001E",
    "\x85": "a next line (U+0085)",
    "\u2028": "a line separator (U+2028)",
    "\u2029": "a paragraph separator (U+2029)",
}
"""What editors and other programs show as the end of a line; the names for messages."""
_REGEX = re.compile(
    r"\bmatches" + GAP + r"*+(?P<first>(?P<body>/(?![/*])(?:[^/\\\n]|\\.)++/)[A-Za-z]*+)"
    r"(?P<rest>(?=[^ \t\r\n])[^\"\n]*?/[A-Za-z]*+(?=[ \t]*+(?:[,)\n]|\.(?![^ \t\r\n])|(?:when|with|then)\b|\Z)))"
)
_FOUND = re.compile(
    r'"(?:[^"\\\n]|\\.)*+"?|\?[A-Za-z_][A-Za-z0-9_]*+|@?[^\W\d]\w*+(?:\.[^\W\d]\w*+)*+|-?[0-9][\w:]*+(?:[.-][0-9][\w:]*+)*+'
    r"|!~=|:-|=>|[!<>=~:]=|\.\.|[\s\S]"
)

# Rule or text of the grammar -> its name for people; "" is not mentioned.
_WORDS: Final[dict[str, str]] = {
    "String": "a text in quotes",
    "Variable": "a variable such as ?x",
    "Date": "a date",
    "Time": "a time such as 19:00",
    "Number": "a number",
    "Regex": "a regular expression",
    "Ref": "a value",
    "Minus": "",
    "FunctionName": "",
    "QuickArg": "",
    "QuickAtom": "",
    "QuickLiteral": "",
    "QuickValue": "",
    "CompareAhead": "a condition",
    "Place": "a condition",
    "Neg": "a condition",
    "Before": "a condition",
    "EveryWord": "a condition",
    "FirstWord": "a condition",
    "AllWord": "a condition",
    "AggregateWord": "a condition",
    "AtomName": "the name of a relation",
    "AnyName": "the name of an attribute",
    "QName": "a name",
    "AnyQName": "a name",
    "Name": "a name",
    "QuotedMember": "a member",
    "QuotaName": "",
    "QuotaWord": "",
    "Op": "an operator such as `=`",
    "SimilarOp": "`~=` or `!~=`",
    "Known": "",
    "AddOp": "",
    "MulOp": "",
    "Dots": "",
    "..": "",
    "When": "`when`",
    "With": "",
    "End": "a period",
    "Open": "`(`",
    "Close": "`)`",
    "OpenBrace": "`{`",
    "CloseBrace": "`}`",
    "Arrow": "`=>`",
    "At": "",
    "EarlierWord": "",
    "WithinWord": "",
    "SinceWord": "",
    "ThenWord": "`then`",
    "Level": "a verdict (allow, warn, confirm, block)",
    "Closed": "",
    "SetWord": "a type",
    "WordsWord": "",
    "ModuleKind": "a header",
    "FactWord": "a step of a test",
    "ClockWord": "a step of a test",
    "StepWord": "a step of a test",
    "AssumeWord": "a step of a test",
    "PlainWord": "a step of a test",
    "ImportWord": "`import`",
    "/,?/": "",
    "Comment": "",
    "EOF": "",
    "sep": "`,`",
}
_STEP_SYNONYMS: Final = {
    "do": "attempt",
    "try": "attempt",
    "perform": "attempt",
    "propose": "attempt",
    "see": "observe",
    "sees": "observe",
    "when": "attempt",
    "setup": "given",
    "remove": "delete",
    "set": "update",
    "time": "clock",
    "similar": "assume",
}
_STEP_HELP: Final = dict.fromkeys(
    ("assert", "expect", "verify", "check"), "what is expected is written after a step: finish => block."
)
_VALUE: Final = frozenset(
    {"a text in quotes", "a variable such as ?x", "a date", "a time such as 19:00", "a number"}
)
_ITEM_RULES: Final = frozenset(
    {"HeadWord", "AllowWord", "DoneWord", "JudgeWord", "LetWord", "TestWord", "Sort"}
)


def empty(source: Source) -> Diagnostic:
    """The file has no item."""
    return error(
        "E0101",
        Span(source.file, 0, 0),
        "the file is empty",
        help='the first line is one of: app NAME package "..", spec NAME "the instruction", policy NAME, module NAME',
    )


def too_many(span: Span, count: int) -> Diagnostic:
    """The file has too many mistakes to report all of them."""
    return error("E0132", span, f"more than {count} mistakes: the rest of the file was not read")


def too_much(source: Source, what: str) -> Diagnostic:
    """The file is too long to be read in a bounded time."""
    help = "split it into modules and import them"
    return error("E0134", Span(source.file, 0, 0), f"the file has more than {what}", help=help)


def odd_character(source: Source, place: int) -> Diagnostic:
    """A character outside texts that looks like a line break but is not one, or that changes how a line is shown."""
    char = source.text[place]
    name = _BREAKS.get(char, f"U+{ord(char):04X}")
    span = Span(source.file, place, place + 1)
    if char not in _BREAKS:
        message = f"{name} changes the order in which a line is shown, not what it means"
        fixes = (Fix("delete it", (Edit(span, ""),)),)
        return error(
            "E0151", span, message, help="delete it: the guard reads the text as it is stored", fixes=fixes
        )
    message = f"{name} looks like the end of a line, but is not one"
    help = "end lines with a line feed (Enter): behind `//` everything up to the next one is a comment"
    return error("E0151", span, message, help=help, fixes=(Fix("write a line break", (Edit(span, "\n"),)),))


def turning_character(source: Source, place: int) -> Diagnostic:
    """A character inside a text that changes how what follows the text is shown."""
    name = f"U+{ord(source.text[place]):04X}"
    return error(
        "E0151",
        Span(source.file, place, place + 1),
        f"{name} in this text changes the order in which the rest of the line is shown, rules too",
        help="delete it, close it in the text (U+202C, U+2069), or write it as an escape, which shows: "
        f"`\\u{ord(source.text[place]):04x}`",
    )


def no_room(source: Source) -> Diagnostic:
    """Python's recursion limit is too small for any parser."""
    help = "this is not a mistake in the file: raise Python's recursion limit (sys.setrecursionlimit) to 1000 or more"
    return error(
        "E0135", Span(source.file, 0, 0), "Python's recursion limit is too low to read this", help=help
    )


def misspelt_header(source: Source, span: Span, kind: str) -> Diagnostic:
    """The first word is nearly a kind of module."""
    word = source.slice(span)
    return error(
        "E0101",
        span,
        f"`{word}` is not a kind of module",
        help=f"did you mean `{kind}`?",
        fixes=(Fix(f"write `{kind}`", (Edit(span, kind),)),),
    )


def of_flaw(source: Source, flaw: Flaw) -> Diagnostic:
    """The finding for a flaw that the scanner saw."""
    span = Span(source.file, flaw.start, flaw.end)
    text = source.slice(span)
    if flaw.kind == "string":
        return error(
            "E0102", span, "this text is never closed", help='a text ends with `"` on the line it begins on'
        )
    if flaw.kind == "block":
        return error("E0102", span, "this text is never closed", help='it ends with `"""`')
    if flaw.kind == "comment":
        return error("E0103", span, "this comment is never closed", help="it ends with `*/`")
    if flaw.kind == "deep":
        return error(
            "E0104", span, f"brackets are nested more than {MAX_DEPTH} deep", help="write several rules"
        )
    if flaw.kind == "long":
        help = "write several rules, or name parts of it with `define` or `let`"
        return error("E0117", span, f"more than {MAX_LENGTH} characters without a period", help=help)
    if flaw.kind == "open":
        return error("E0103", span, f"`{text}` is never closed")
    return error("E0103", span, f"`{text}` closes nothing")


def _no_step(context: checks.Context) -> Diagnostic | None:
    """A word that cannot begin a step of a test."""
    text, token = context.source.text, context.text
    span = context.span
    if {"Arrow", "End"} <= context.expected and token[0].isalpha():
        word, at = first_word(text, context.start)
        if word == "test":  # the first step of a test that could not be cut into steps
            return None
        if skip_blanks(text, at + len(word)) != span.start:
            return None
        span = Span(span.file, at, at + len(word))
    elif "FactWord" not in context.expected or token not in ITEM_WORDS:
        return None
    word = context.source.slice(span)
    if word in STEP_WORDS | synonyms.GESTURES:
        return None
    instead = _STEP_SYNONYMS.get(word, "")
    close = [instead] if instead else nearest(word, sorted(STEP_WORDS), 1)
    help = (
        f"did you mean `{close[0]}`?"
        if close
        else f"steps begin with {', '.join(sorted(STEP_WORDS))}, or are gestures"
    )
    help = _STEP_HELP.get(word, help)
    fixes = (Fix(f"write `{close[0]}`", (Edit(span, close[0]),)),) if close else ()
    return error("E0105", span, f"a step of a test cannot begin with `{word}`", help=help, fixes=fixes)


def _goes_on(text: str, at: int) -> bool:
    """Whether the text at `at` is a word, blanks and a name or text, as at the beginning of an item."""
    return re.compile(r"\w+(?:[ \t]+[\w\"]|[.])").match(text, at) is not None


def of_mismatch(source: Source, start: int, end: int, place: int, expected: tuple[str, ...]) -> Diagnostic:
    """The finding for the text from `start` to `end`, which does not follow the grammar at `place`."""
    text = source.text
    place = skip_blanks(text[:end], place)
    found_match = _FOUND.match(text, place, end)
    if found_match is None:
        return _at_end(source, start, end, expected)
    token = found_match.group()
    span = Span(source.file, place, place + len(token))
    context = checks.Context(
        source, start, end, span, token, frozenset(expected), _before(text, start, place)
    )
    hint = checks.finding(context)
    next_step = token in STEP_WORDS | synonyms.GESTURES and context.before > start
    step = _no_step(context)
    if step is not None and next_step and step.span != span and "\n" not in text[context.before : place]:
        return step  # `assert finish`: the word before the step is wrong
    if (
        {"End", "Arrow"} <= context.expected
        and next_step
        and (hint is None or hint.code in matching.YIELDING)
    ):
        return _missing_period(source, context.before, block=context.previous == "}")
    if step is not None:
        return step
    if hint is not None:
        return hint
    if {"End", "Arrow"} <= context.expected and context.previous == "}":
        return _missing_period(source, context.before, block=True)
    if not _ITEM_RULES.isdisjoint(expected):
        return _item_start(source, span, token)
    if "End" in expected and token == "}":
        return _missing_period(source, context.before)
    if "End" in expected and token in ITEM_WORDS and "\n" in text[context.before : place]:
        return _missing_period(source, context.before)
    if gap := _no_condition(context):
        return gap
    words = in_words(expected)
    return error("E0109", span, f"unexpected {describe(token)}", label=words and f"expected {words}")


def _no_condition(context: checks.Context) -> Diagnostic | None:
    """``when .``, or a body that ends with a comma before the next item."""
    if "CompareAhead" not in context.expected or not (context.text == "." or context.text in ITEM_WORDS):
        return None
    text = context.source.text
    last = re.compile(r"(?:,|\b(?:when|with|then|not|no)|:-)$").search(text, context.start, context.before)
    if last is None:
        return None
    span = Span(context.span.file, last.start(), context.before)
    help = "without conditions a rule ends after its head" if last[0] in ("when", ":-") else ""
    return error("E0109", span, f"a condition is missing after `{last[0]}`", help=help)


def slash_in_regex(source: Source, start: int, end: int, place: int) -> Diagnostic | None:
    """``matches /a/b/`` or ``matches /a[/]b/``: a regular expression that seems to end before `place`."""
    for match in _REGEX.finditer(source.text, start, end):
        if match.end("first") != place and match.end("body") != place:
            continue
        whole = Span(source.file, match.start("first"), match.end("rest"))
        inner = source.slice(whole)
        last = inner.rindex("/")
        fixed = "/" + re.sub(r"\\.|/", _escape_slash, inner[1:last]) + inner[last:]
        slash = Span(source.file, match.end("body") - 1, match.end("body"))
        return error(
            "E0133",
            slash,
            "a slash inside a regular expression is written `\\/`",
            label="the regular expression ends here",
            fixes=(Fix(f"write `{fixed}`", (Edit(whole, fixed),)),),
        )
    return None


def _escape_slash(match: re.Match[str]) -> str:
    return "\\/" if match[0] == "/" else match[0]


def in_words(expected: tuple[str, ...]) -> str:
    """What is allowed at a place, as text for people: the first six possibilities."""
    words = [word for word in dict.fromkeys(_word(name) for name in expected) if word]
    if _VALUE.issubset(words):
        at = min(words.index(word) for word in _VALUE)
        words = [word for word in words if word not in _VALUE and word != "a value"]
        words.insert(at, "a value")
    if "a condition" in words:
        words = ["a condition"] + [
            word for word in words if word not in ("a condition", "a value", "the name of a relation", "`(`")
        ]
        words = [word for word in words if word not in _VALUE]
    if len(words) > _SHOWN:
        words = [*words[:_SHOWN], "..."]
    return (
        words[0]
        if len(words) == 1
        else ", ".join(words[:-1]) + (" or " if words else "") + "".join(words[-1:])
    )


def _word(name: str) -> str:
    if name in _WORDS:
        return _WORDS[name]
    if name in _ITEM_RULES or name.endswith("Word"):
        return ""
    return f"`{name}`" if name else ""


def describe(token: str) -> str:
    """The text at the place of a mistake, as it is shown."""
    if token.startswith('"'):
        return "text in quotes"
    if not token.isprintable() or token.isspace():
        return f"character U+{ord(token[0]):04X}"
    text = token if len(token) <= 40 else token[:37] + "..."
    return f"`{text}`"


def _before(text: str, start: int, place: int) -> int:
    """The offset after the last token before `place`."""
    at = start
    after = start
    while True:
        at = skip_blanks(text, at)
        if at >= place:
            break
        match = _FOUND.match(text, at, place)
        if match is None:  # pragma: no cover - the pattern's last part matches any character
            break
        at = match.end()
        after = at
    return after if at > start and place > start and at else start


def _at_end(source: Source, start: int, end: int, expected: tuple[str, ...]) -> Diagnostic:
    """The text ends too early."""
    last = _before(source.text, start, end)
    if first_word(source.text, start)[0] == "import" and "AnyName" in expected:
        expected = ("Name",)
    if "End" in expected:
        block = "Arrow" in expected and source.text[last - 1] == "}"
        return _missing_period(source, last, block=block)
    span = Span(source.file, max(start, last - 1), last)
    words = in_words(expected)
    return error("E0109", span, "something is missing after this", label=words and f"expected {words}")


def _missing_period(source: Source, place: int, block: bool = False) -> Diagnostic:
    span = Span(source.file, max(place - 1, 0), place)
    if block:
        return error(
            "E0106",
            span,
            "`step { .. }` ends with a verdict or a period: write `}.`",
            fixes=(Fix("write `}.`", (Edit(span, "}."),)),),
        )
    return error(
        "E0106",
        span,
        "a period is missing after this",
        help="rules, `let` and the steps of a test end with a period",
        fixes=(Fix("add a period", (Edit(Span(source.file, place, place), "."),)),),
        labels=(),
    )


def _item_start(source: Source, span: Span, token: str) -> Diagnostic:
    """A word that cannot begin an item."""
    word, at = first_word(source.text, span.start)
    line = source.text[max(0, span.start - 200) : span.start].rpartition("\n")[2]
    if token == "," and re.fullmatch(r"import\s+[\w.]+\s*", line):
        rest = re.compile(r",[ \t]*").match(source.text, span.start)
        edit = Edit(Span(span.file, span.start, rest.end() if rest else span.end), "\nimport ")
        return error(
            "E0149",
            span,
            "an import names one module",
            help="write an `import` for each",
            fixes=(Fix("write an `import` for each", (edit,)),),
        )
    if token == "{" and re.fullmatch(r'action\s+\w+\s*(?:"[^"\n]*"\s*)?', line):
        help = "write action A(name: Type)"
        return error("E0146", span, "the parameters of an action are written in parentheses", help=help)
    if not word or at != span.start:
        return error(
            "E0105",
            span,
            f"unexpected {describe(token)}",
            label="expected an item",
            help="every item begins with a keyword, such as `allow`, `define` or `test`",
        )
    span = Span(source.file, at, at + len(word))
    if word in MODULE_KINDS:
        return error("E0121", span, "a file has one header", help="put each module in a file of its own")
    if word in STEP_WORDS:
        help = "steps are written between the braces of a test"
        return error("E0105", span, f"`{word}` is a step of a test, not an item", help=help)
    if word.lower() in synonyms.ITEM_HINTS:
        return error(
            "E0105", span, f"an item cannot begin with `{word}`", help=synonyms.ITEM_HINTS[word.lower()]
        )
    instead = synonyms.ITEM_SYNONYMS.get(word.lower(), "")
    close = [instead] if instead else nearest(word, sorted(ITEM_WORDS), 1)
    if close:
        return error(
            "E0105",
            span,
            f"an item cannot begin with `{word}`",
            help=f"did you mean `{close[0]}`?",
            fixes=(Fix(f"write `{close[0]}`", (Edit(span, close[0]),)),) if _goes_on(source.text, at) else (),
        )
    follows = re.compile(r"\w+\s*(\(|:-|:?=)?").match(source.text, at)
    mark = follows[1] if follows else None
    if word[0].isupper() or mark in ("(", ":-"):
        name = word[0].upper() + word[1:]
        help = f"every item begins with a keyword: write `define {name}(..) when ..` to derive it"
        if word[0].isupper() and mark == "(":
            help += f", `update {name}(..) when ..` to write it"
        return error("E0105", span, f"an item cannot begin with `{word}`", help=help)
    if mark:
        help = f"a constant is written let {word} = value."
        return error("E0105", span, f"an item cannot begin with `{word}`", help=help)
    kinds = ", ".join(DECLARATIONS[1:6])
    return error(
        "E0105",
        span,
        f"an item cannot begin with `{word}`",
        help=f"items begin with {kinds}, allow, define, test, ...",
    )


__all__ = ["describe", "empty", "in_words", "misspelt_header", "of_flaw", "of_mismatch"]
