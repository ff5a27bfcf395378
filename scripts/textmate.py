"""Write the TextMate grammar of ``.vsa`` files, by which VS Code and others colour them, from the Pygments lexer.

    python -m scripts.textmate    write editors/vscode/syntaxes/vsa.tmLanguage.json, as editors/vscode/build does

Each rule of the lexer becomes one pattern with the same regular expression, in the same order. A TextMate grammar reads
one line at a time, so what may span lines has a beginning and an end of its own here.
"""

import json
import sys
from pathlib import Path
from typing import Any, Final

from pygments.lexer import words  # type: ignore[import-untyped]
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

from vsalang.language.syntax.pygments_lexer import VsaLexer

ROOT: Final = Path(__file__).resolve().parent.parent
FILE: Final = ROOT / "editors" / "vscode" / "syntaxes" / "vsa.tmLanguage.json"

SCOPES: Final[dict[Any, str]] = {
    Comment.Multiline: "comment.block",
    Comment.Single: "comment.line.double-slash",
    Keyword: "keyword.other",
    Keyword.Constant: "constant.language",
    Keyword.Declaration: "keyword.declaration",
    Keyword.Namespace: "keyword.control.import",
    Keyword.Reserved: "keyword.control.licence",
    Keyword.Type: "support.type",
    Literal.Date: "constant.numeric.date",
    Name: "variable.other.constant",
    Name.Attribute: "variable.other.property",
    Name.Builtin: "support.function",
    Name.Class: "entity.name.type",
    Name.Decorator: "storage.modifier.annotation",
    Name.Function: "entity.name.function",
    Name.Variable: "variable.parameter",
    Number: "constant.numeric",
    Number.Float: "constant.numeric.float",
    Number.Integer: "constant.numeric.integer",
    Operator: "keyword.operator",
    Operator.Word: "keyword.operator.word",
    Punctuation: "punctuation",
    String.Doc: "string.quoted.triple",
    String.Double: "string.quoted.double",
    String.Escape: "constant.character.escape",
    String.Interpol: "variable.parameter.interpolation",
    String.Regex: "string.regexp",
}
"""Token of Pygments -> scope, without the language at its end."""

_SPANNING: Final[dict[Any, dict[str, Any]]] = {
    Comment.Multiline: {"begin": r"/\*", "end": r"\*/"},
    String.Doc: {"begin": '"""', "end": '"""', "patterns": [{"match": r'\\"""'}]},
}
"""What may span lines."""
_STRING: Final[dict[str, Any]] = {"begin": '"(?!"")', "end": r'"|$'}


def grammar() -> dict[str, Any]:
    """The grammar."""
    return {
        "$schema": "https://raw.githubusercontent.com/martinring/tmlanguage/master/tmlanguage.json",
        "comment": "Written by scripts/textmate.py: change the Pygments lexer instead.",
        "name": VsaLexer.name,
        "scopeName": "source.vsa",
        "fileTypes": [name.removeprefix("*.") for name in VsaLexer.filenames],
        "patterns": _patterns("root"),
    }


def text() -> str:
    """The file."""
    return json.dumps(grammar(), indent=2, ensure_ascii=False) + "\n"


def _patterns(state: str) -> list[dict[str, Any]]:
    """The rules of a state of the lexer; blanks, and characters that belong to nothing, need none."""
    return [
        _pattern(*rule)
        for rule in VsaLexer.tokens[state]
        if rule[1] not in (Whitespace, Text) and "#pop" not in rule[2:]
    ]


def _pattern(expression: Any, token: Any, state: str = "") -> dict[str, Any]:
    if state:
        patterns = [
            {"match": one["match"]} if one["name"] == _scope(token) else one for one in _patterns(state)
        ]
        return {"name": _scope(token), **_STRING, "patterns": patterns}
    if token in _SPANNING:
        return {"name": _scope(token), **_SPANNING[token]}
    pattern = expression.get() if isinstance(expression, words) else expression
    groups = getattr(token, "__closure__", None)
    if groups is None:
        return {"name": _scope(token), "match": pattern}
    tokens = next(cell.cell_contents for cell in groups if isinstance(cell.cell_contents, tuple))
    captures = {str(n): {"name": _scope(part)} for n, part in enumerate(tokens, 1) if part in SCOPES}
    return {"match": pattern, "captures": captures}


def _scope(token: Any) -> str:
    return f"{SCOPES[token]}.vsa"


def main() -> int:
    """Write the grammar; return the exit status."""
    FILE.parent.mkdir(parents=True, exist_ok=True)
    FILE.write_text(text(), encoding="utf-8")
    print(f"wrote {FILE.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
