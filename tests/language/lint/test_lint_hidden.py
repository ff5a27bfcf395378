"""L0057: what a text hides from its reader, and what only looks unusual."""

from pathlib import Path

import pytest

from vsalang.base.diagnostics.fixes import apply_fixes
from vsalang.language.lint import lint
from vsalang.language.semantics import load, load_text

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


WORDS = 'policy p "P"\nlet Sends = words {}.\ndeny "no" when tap(text matches Sends).\n'


def test_words_of_lists_that_mix_scripts_are_found(tmp_path: Path) -> None:
    (finding,) = lint(load_text(WORDS.format('"""\n  send\n  p\u0430y, ~s\n"""')))
    assert finding.code == "L0057" and "“p\u0430y” mixes letters" in finding.message
    (tmp_path / "sends.words").write_text("send\np\u0430y\n", "utf-8")
    (tmp_path / "p.vsa").write_text(WORDS.format('"sends.words"'), "utf-8")
    (finding,) = lint(load(tmp_path / "p.vsa"))
    assert finding.code == "L0057" and 'in line 2 of "sends.words"' in finding.message


@pytest.mark.parametrize("word", ["zahlen", "платить", "שלם", "送信", "Tシャツ"])
def test_words_of_one_script_are_left_alone(word: str) -> None:
    assert lint(load_text(WORDS.format(f'"""\n  {word}\n"""'))) == ()


@pytest.mark.parametrize("mark", ["\u061c", "\u200e", "\u200f"], ids=ascii)
@pytest.mark.parametrize("comment", ["// see{} above", "/* see{} above */"])
def test_marks_of_direction_in_comments_are_found_and_deleted(mark: str, comment: str) -> None:
    text = POLICY % "a" + comment.format(mark) + "\n"
    (finding,) = lint(load_text(text))
    assert finding.code == "L0057" and f"U+{ord(mark):04X} in this comment" in finding.message
    assert apply_fixes(text, "<text>", lambda new: lint(load_text(new))).text == text.replace(mark, "")


def test_marks_of_direction_next_to_hebrew_are_left_alone() -> None:
    assert lint(load_text(POLICY % "a" + "// \u05e9\u05dc\u05d5\u05dd\u200f (hello)\n")) == ()


@pytest.mark.parametrize("turn", ["\u202a", "\u202e", "\u2066", "\u2069"], ids=ascii)
@pytest.mark.parametrize(
    "text",
    [
        POLICY % "a" + "// see{} above\n",
        "/* see{} above */\n" + POLICY % "a",
        WORDS.format('"""\n  send // see \u2066{}\u2069 above\n"""'),
    ],
)
def test_what_turns_a_comment_is_an_error(turn: str, text: str) -> None:
    assert load_text(text.format(turn).replace("{}", turn)).errors


@pytest.mark.parametrize("char", ["\u202e", "\u2028", "\u0085", "\r"], ids=ascii)
def test_comments_in_files_of_words_show_all_lines(char: str, tmp_path: Path) -> None:
    (tmp_path / "sends.words").write_bytes(f"send // or{char}pay\r\n".encode())
    (tmp_path / "p.vsa").write_text(WORDS.format('"sends.words"'), "utf-8")
    (error,) = load(tmp_path / "p.vsa").errors
    assert error.code == "E0152" and "changes how lines are shown" in error.message
    (tmp_path / "sends.words").write_bytes("send // or שלם\u200f\r\n".encode())
    assert load(tmp_path / "p.vsa").ok


@pytest.mark.parametrize(
    "text",
    [
        'policy p\u0430y "P"\n',
        'policy p "P"\nlet P\u0430ris = "a".\n',
        'policy p "P"\nstate P\u0430ris { a: Text }\n',
        'policy p "P"\nstate Paris { \u0430: Text }\n',
        'app p package "p" "P"\nenum E { \u0412lue, Red }\n',
        'policy p "P"\ndeny "no" when tap(t\u0435xt = "a").\n',
        'policy p "P"\ndeny "no" when tap(text = ?n\u0430me).\n',
        'policy p "P"\n@s\u0435verity(high) deny "no" when tap(text = "a").\n',
    ],
)
def test_a_name_that_is_not_ascii_is_an_error(text: str) -> None:
    errors = load_text(text).errors
    assert any(error.code == "E0129" and "is not a name" in error.message for error in errors)
