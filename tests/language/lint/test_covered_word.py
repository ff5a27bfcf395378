"""Words of a list that another one covers (L0040), in the module and in a file."""

from pathlib import Path

from vsalang.language.lint import lint
from vsalang.language.semantics import load

TEXT = 'policy p "P"\nlet Sends = words {words}.\ndeny "no" when tap(text {op} Sends).\n'
BLOCK = '"""\n  send, ~ing\n  send now, resend\n  送信\n  送信する\n"""'


def found(folder: Path, words: str, op: str = "matches") -> list[tuple[int, str]]:
    """The line of each finding, and what it says."""
    (folder / "p.vsa").write_text(TEXT.replace("{words}", words).replace("{op}", op), "utf-8")
    loaded = load(folder / "p.vsa")
    loaded.checked()
    source = loaded.sources[loaded.file]
    return [
        (source.position(item.span.start).line, item.message)
        for item in lint(loaded)
        if item.code == "L0040" and item.span is not None
    ]


def test_a_covered_word_is_told(tmp_path: Path) -> None:
    assert found(tmp_path, BLOCK) == [
        (4, '"send now" changes nothing: every text with it has "send", too'),
        (6, '"送信する" changes nothing: every text with it has "送信", too'),
    ]


def test_a_word_that_must_be_the_whole_text_counts(tmp_path: Path) -> None:
    assert found(tmp_path, BLOCK, "in") == []


def test_a_covered_word_in_a_file_is_told(tmp_path: Path) -> None:
    (tmp_path / "a.words").write_text("// c\nsend\nto send\n", "utf-8")
    message = '"to send" in line 3 of "a.words" changes nothing: every text with it has "send", too'
    assert found(tmp_path, '"a.words"') == [(2, message)]


def test_a_comment_in_the_list_ignores_it(tmp_path: Path) -> None:
    block = BLOCK.replace("resend", "resend  // lint: ignore L0040")
    block = block.replace("  送信する", "  // lint: ignore L0040 // a verb\n\n  送信する")
    assert found(tmp_path, block) == []
    other = BLOCK.replace("send, ~ing", "send, ~ing  // lint: ignore L0040")
    assert [line for line, _ in found(tmp_path, other)] == [4, 6]
