"""The Pygments lexer: every shipped program is coloured without an error, and no text is lost."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("pygments")

from pygments.token import Comment, Error, Keyword, Name, Operator, String, Token

from vsalang.language.syntax.pygments_lexer import VsaLexer

ROOT = Path(__file__).resolve().parents[3]
SHIPPED = sorted(
    [
        *ROOT.glob("app_specs/**/*.vsa"),
        *ROOT.glob("stdlib/**/*.vsa"),
        *ROOT.glob("tests/programs/right/*.vsa"),
    ]
)


def lexed(text: str) -> list[tuple[object, str]]:
    return list(VsaLexer(stripnl=False, ensurenl=False).get_tokens(text))


def test_there_are_files() -> None:
    assert len(SHIPPED) > 30


@pytest.mark.sampled(4)
@pytest.mark.slow
@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: str(path.relative_to(ROOT)))
def test_shipped_file(path: Path) -> None:
    text = path.read_text(encoding="utf-8-sig").replace("\r\n", "\n")
    tokens = lexed(text)
    assert "".join(value for _, value in tokens) == text
    assert not [value for kind, value in tokens if kind in (Error, Token.Text) and value.strip()]


def check_lexed(text: str) -> None:
    """All of the text is in the tokens, and none of them is an error."""
    tokens = lexed(text)
    assert "".join(value for _, value in tokens) == text
    assert not [value for kind, value in tokens if kind is Error]


@given(st.text())
def test_any_text(text: str) -> None:
    check_lexed(text.replace("\r\n", "\n").replace("\r", "\n").removeprefix("\ufeff"))


def test_kinds() -> None:
    text = (
        'spec a "b"\n// c\n@id("X")\nallow Pay(list = ?t, text contains "z\\n") when not R(at <= 3).\n'
        'deny "no {?t}" when R.\n'
    )
    kinds = {value: kind for kind, value in lexed(text)}
    assert kinds["spec"] is Keyword.Namespace
    assert kinds["// c"] is Comment.Single
    assert kinds["@"] is kinds["id"] is Name.Decorator
    assert kinds["allow"] is kinds["deny"] is Keyword.Reserved
    assert kinds["Pay"] is Name.Class
    assert kinds["list"] is kinds["at"] is Name.Attribute
    assert kinds["?t"] is Name.Variable
    assert kinds["not"] is Operator.Word
    assert kinds["when"] is Keyword
    assert kinds["{?t}"] is String.Interpol
    assert kinds["\\n"] is String.Escape
