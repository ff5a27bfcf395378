"""The quick way through the grammar finds what Arpeggio finds: the same tree, or none."""

import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from vsalang.base.source import Source, read_source
from vsalang.language.syntax import grammar
from vsalang.language.syntax.grammar import _metamodel, parse_file
from vsalang.language.syntax.parser import read
from vsalang.language.syntax.scan import is_sound, without_comments

ROOT = Path(__file__).resolve().parents[3]
FILES = [
    path for folder in ("app_specs", "stdlib", "tests") for path in sorted((ROOT / folder).rglob("*.vsa"))
]
TEXTS = [read_source(path).text for path in FILES if "wrong" not in path.parts and "golden" not in path.parts]


def shown(node: Any) -> Any:
    """A node as plain data."""
    if isinstance(node, list):
        name = getattr(node.rule, "_attr_name", "")
        return node.rule_name, name, node.position, node.position_end, [shown(child) for child in node]
    return node.rule_name, node.position, node.position_end, node.value


def by_arpeggio(text: str) -> Any:
    from textx import TextXSyntaxError

    try:
        return shown(_metamodel()._parser_blueprint.clone().parse(text)[0])
    except TextXSyntaxError:
        return None


def by_us(text: str) -> Any:
    node = parse_file(text)
    return None if node is None else shown(node)


@pytest.mark.sampled(5)
@pytest.mark.slow
@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
def test_the_same_tree_of_real_files(text: str) -> None:
    code = without_comments(text)
    assert code is not None and len(code) == len(text)
    assert by_us(code) == by_arpeggio(code) is not None


@pytest.mark.slow
def test_the_same_answer_for_broken_files() -> None:
    rng = random.Random(4)
    texts = [code for text in TEXTS if 50 < len(text) < 2000 and (code := without_comments(text))]
    read_anyway = 0
    for _ in range(400):
        text = rng.choice(texts)
        at = rng.randrange(len(text))
        text = (
            text[:at] + rng.choice(["", " ", ",", ".", "(", "a", "1", "= ", "..", "when "]) + text[at + 1 :]
        )
        code = without_comments(text)
        if code is not None:
            found = by_us(code)
            assert found == by_arpeggio(code)
            read_anyway += found is not None
    assert 20 < read_anyway < 380


@pytest.mark.slow
def test_the_same_pieces_before_a_mistake(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(5)
    texts = [text for text in TEXTS if 50 < len(text) < 1500 and is_sound(text)]
    quick, slow = [], []
    for _ in range(100):
        text = rng.choice(texts)
        at = rng.randrange(len(text))
        broken = text[:at] + rng.choice(["", ",", "(", "a", " when ", "// x\n", "/* y */"]) + text[at + 1 :]
        for each in (broken, text[rng.randrange(at + 1) :]):
            if is_sound(each):
                quick.append((each, pieces(each)))
    monkeypatch.setattr(grammar, "without_comments", lambda text: None)
    slow = [(each, pieces(each)) for each, _ in quick]
    assert quick == slow
    assert 0.2 < sum(found[2] is None for _, found in quick) / len(quick) < 0.8


def pieces(text: str) -> Any:
    """What `parse_pieces` gives, as plain data; what is between two words of a token may be a comment or blanks."""
    nodes, reached, mismatch = grammar.parse_pieces(text)
    places = [(node.rule_name, node.position, node.position_end, len(node)) for node in nodes]
    return places, reached, mismatch and (mismatch.position, mismatch.expected)


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet='/*" \\n\\\\a.', max_size=20))
def test_comments_are_where_the_grammar_sees_them(text: str) -> None:
    """A text with comments is read as the one with blanks in their places, if it is read at all."""
    for start in ("spec s ", "spec s let A = ", 'spec s // "'):
        code = without_comments(start + text)
        if code is not None:
            assert len(code) == len(start + text)
            whole = by_arpeggio(start + text)
            left = by_us(code)
            assert (whole is None) == (left is None)
            assert whole is None or whole[2:4] == left[2:4]


def test_comments_inside_of_what_the_scanner_takes_as_one() -> None:
    text = "app A\naction B(c: set // d\n of /* e */ set /* f */ // g\n /* h */of Text) // i\n"
    code = without_comments(text)
    assert code is not None and code.split() == "app A action B(c: set of set of Text)".split()
    assert by_us(code) == by_arpeggio(code) is not None
    assert not read(Source.from_text(text)).diagnostics


def test_mistakes_are_found_by_the_slow_way() -> None:
    assert parse_file("spec s allow") is None
    assert read(Source.from_text("spec s allow")).diagnostics


def test_another_grammar_is_read_itself(installed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    table = grammar.expressions()
    monkeypatch.setattr(grammar, "expressions", lambda: asked.append("textX") or table)
    text = "spec s\ndone when finish.\n"
    same = shown(grammar._fast_matcher.__wrapped__().whole(text))
    assert not asked
    monkeypatch.setattr(grammar, "_digest", lambda: "other")
    assert shown(grammar._fast_matcher.__wrapped__().whole(text)) == same == by_arpeggio(text)
    assert asked


def test_textx_is_imported_for_mistakes_only(tmp_path: Path, generated_files: Path) -> None:
    path = tmp_path / "s.vsa"
    script = (
        "import sys\nfrom pathlib import Path\nfrom vsalang.base import generated\n"
        "from vsalang.language.semantics import load\n"
        f"generated.environments = lambda: [Path({str(generated_files)!r})]\n"
        f"print(bool(load({str(path)!r}).program), 'textx' in sys.modules)\n"
    )
    for text, found in (
        ('policy p\ndeny "x" when finish.\n', "True False"),
        ("policy p\ndeny.\n", "False True"),
    ):
        path.write_text(text, encoding="utf-8")
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
        assert done.stdout.split() == found.split()
