"""L0057: what a text hides from its reader, and what only looks unusual."""

import pytest

from vsalang.language.lint import lint
from vsalang.language.semantics import load_text

POLICY = 'policy p "P"\ndeny "no" when tap(text = "%s").\n'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("P\u0430ris", "mixes letters of two scripts"),
        ("Le\u200bna", "U+200B in this text is not visible"),
        ("no \u202eyes\u202c", "U+202E in this text turns"),
        ("one\u2028two", "U+2028 in this text looks like the end of a line"),
    ],
    ids=ascii,
)
def test_hidden_characters_are_found(text: str, message: str) -> None:
    """Each is named, with what it does."""
    (finding,) = lint(load_text(POLICY % text))
    assert finding.code == "L0057"
    assert message in finding.message


@pytest.mark.parametrize(
    "text",
    ["Tür", "Отправить", "送信する", "Tシャツ", "👩\u200d💻 ok", "\\u202eyes", "naïve – “quoted”"],
    ids=ascii,
)
def test_other_writing_is_left_alone(text: str) -> None:
    """Words of one script, emoji and escapes show what they are."""
    assert lint(load_text(POLICY % text)) == ()
