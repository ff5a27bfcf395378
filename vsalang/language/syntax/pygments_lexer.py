"""A Pygments lexer for ``.vsa`` files: documentation and terminals colour them by it.

It needs pygments, which vsalang itself does not. The entry point is ``pygments.lexers``.
"""

from typing import Any, ClassVar

from pygments.lexer import RegexLexer, bygroups, words  # type: ignore[import-untyped]
from pygments.token import (  # type: ignore[import-untyped]
    Comment,
    Keyword,
    Literal,
    Name,
    Number,
    Operator,
    Punctuation,
    String,
    Text,
    Whitespace,
)

from vsalang.program.reserved_words import (
    AGGREGATES,
    CONDITION_WORDS,
    ITEM_WORDS,
    MODULE_KINDS,
    OPERATOR_WORDS,
    STEP_WORDS,
)

_LICENCES = ("allow", "done", "deny", "confirm", "warn", "flag")
_CLAUSES = (
    "when",
    "with",
    "on",
    "in",
    "key",
    "over",
    "refines",
    "closed",
    "package",
    "as",
    "for",
    "of",
    "has",
    "because",
    "or",
)
_LOGIC = (
    *(word for word in OPERATOR_WORDS if word not in ("in", "unknown")),
    *CONDITION_WORDS,
)
_COMPARING = "|".join(word for word in OPERATOR_WORDS if word not in ("known", "unknown"))
_TYPES = ("Text", "Number", "Bool", "Date", "Time", "Duration")


class VsaLexer(RegexLexer):  # type: ignore[misc]
    """Colours the language of vsalang. Every text is split without loss, whether or not it is a program."""

    name = "vsalang"
    aliases: ClassVar[list[str]] = ["vsa", "vsalang"]
    filenames: ClassVar[list[str]] = ["*.vsa"]
    mimetypes: ClassVar[list[str]] = ["text/x-vsa"]
    url = ""
    version_added = ""

    tokens: ClassVar[dict[str, list[Any]]] = {
        "root": [
            (r"[ \t\r\n]+", Whitespace),
            (r"//[^\n]*", Comment.Single),
            (r"/\*(?:(?!\*/)[\s\S])*+\*/", Comment.Multiline),
            (r'"""(?:\\"""|(?!""")[\s\S])*+"""', String.Doc),
            (r'"(?!"")', String.Double, "string"),
            (r"/(?![/*])(?:[^/\\\n]|\\.)++/[A-Za-z]*+", String.Regex),
            (r"(@)([A-Za-z_][A-Za-z0-9_]*+)", bygroups(Name.Decorator, Name.Decorator)),
            (r"\?[A-Za-z_][A-Za-z0-9_]*+", Name.Variable),
            (r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(?![0-9A-Za-z_])", Literal.Date),
            (r"[0-9]{1,2}:[0-9]{1,2}(?::[0-9]{1,2})?(?![0-9A-Za-z_:])", Literal.Date),
            (r"([0-9]++(?:\.[0-9]++)?+)(s|min|h|d)\b", bygroups(Number, Keyword.Type)),
            (r"[0-9]++\.[0-9]++", Number.Float),
            (r"[0-9]++", Number.Integer),
            (r"words(?=[ \t\r\n]*+\")", Keyword.Type),
            # an attribute: what is before an operator or a colon, whatever word it is
            (
                rf"(?!(?:{_COMPARING}|because)\b)[A-Za-z_][A-Za-z0-9_]*+"
                r"(?=[ \t]*+(?:=(?!>)|!=|!~=|~=|<|>|:(?!-)))",
                Name.Attribute,
            ),
            (r"=>|:-|!~=|!=|~=|<=|>=|\.\.|[-+*=<>]", Operator),
            (words(_LICENCES, suffix=r"\b"), Keyword.Reserved),
            (words(sorted(MODULE_KINDS), prefix=r"^", suffix=r"\b"), Keyword.Namespace),
            (words(("import", *MODULE_KINDS), suffix=r"\b(?=[ \t]+[A-Za-z_])"), Keyword.Namespace),
            (words(_CLAUSES, suffix=r"\b"), Keyword),
            (words(_LOGIC, suffix=r"\b"), Operator.Word),
            (words(("true", "false", "none", "unknown", "today"), suffix=r"\b"), Keyword.Constant),
            (words(sorted(AGGREGATES), suffix=r"\b(?=[ \t]*\()"), Name.Builtin),
            (words(sorted(ITEM_WORDS - {"import"} | STEP_WORDS), suffix=r"\b(?![(.])"), Keyword.Declaration),
            (words(_TYPES, suffix=r"\b"), Keyword.Type),
            (r"(set)([ \t\r\n]++)(of)\b", bygroups(Keyword.Type, Whitespace, Keyword.Type)),
            (r"[a-z_][A-Za-z0-9_]*+(?=[ \t]*\()", Name.Function),
            (r"[A-Z][A-Za-z0-9_]*+", Name.Class),
            (r"[a-z_][A-Za-z0-9_]*+", Name),
            (r"[(){},.:\[\]]", Punctuation),
            (r"[^\sA-Za-z0-9_]", Text),
            (r"\s", Whitespace),
        ],
        "string": [
            (r'"', String.Double, "#pop"),
            (r"\{\?[A-Za-z_][A-Za-z0-9_]*\}", String.Interpol),
            (r"\\(?:u[0-9a-fA-F]{4}|.)", String.Escape),
            (r"\{\{?", String.Double),
            (r'[^"\\\n{]++', String.Double),
            (r"\n", Whitespace, "#pop"),
            (r"\\", String.Double),
        ],
    }
