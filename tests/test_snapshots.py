"""Files of pairs hold any text, or refuse it."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.snapshots import Pair, golden, pairs, parse_pairs, print_pairs

FILE = Path("pairs.txt")
LINES = st.lists(
    st.sampled_from(["", "a ", "----", "---- ", "==== a", "====", "\\ no line break here", "\r", "\u2028"])
)
TEXTS = st.one_of(st.text(st.characters(codec="utf-8")), LINES.map("\n".join))


@given(st.lists(st.tuples(TEXTS, TEXTS), max_size=3))
def test_what_is_written_is_read(texts: list[tuple[str, str]]) -> None:
    them = [Pair(FILE, f"n{n}", *both) for n, both in enumerate(texts)]
    try:
        written = print_pairs(them)
    except ValueError:
        lines = {line for both in texts for text in both for line in text.split("\n")}
        assert any(line.startswith(("==== ", "----", "\\ no line break here")) for line in lines)
    else:
        assert parse_pairs(written, FILE) == them


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("spec\n", "the first line is not `==== name`"),
        ("==== a b\n----\n", "`a b` is not a name"),
        ("==== a\n----\n\n==== a\n----\n", "`a` is not a name of a pair, or there are two"),
        ("==== a\nx\n", "`a` has 0 lines `----`"),
        ("==== a\nx\n\n==== b\n----\n", "`a` has 0 lines `----`"),
        ("==== a\n----\nx\n----\n", "`a` has 2 lines `----`"),
        ("==== a\n----\nx\n==== b\n----\n", "no blank line after `a`"),
        ("==== a\n----\nx", "the last line has no line break"),
    ],
)
def test_other_files_are_refused(text: str, why: str) -> None:
    with pytest.raises(ValueError, match=r"pairs.txt: ") as caught:
        parse_pairs(text, FILE)
    assert why in str(caught.value)


def test_an_update_changes_what_is_expected_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "pairs.txt"
    file.write_text("==== a\none\n----\n1\n\n==== b\ntwo\n----\n")
    one, two = pairs(file)
    monkeypatch.delenv("UPDATE_GOLDEN", raising=False)
    golden("1\n", one)
    with pytest.raises(AssertionError, match="is it right"):
        golden("2\n", two)
    monkeypatch.setenv("UPDATE_GOLDEN", "1")
    golden("2", two)
    assert file.read_text() == "==== a\none\n----\n1\n\n==== b\ntwo\n----\n2\n\\ no line break here\n"
    with pytest.raises(ValueError, match="a file of its own"):
        golden("----", one)
