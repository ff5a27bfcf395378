"""A text that is edited is parsed as if it were new: only less of it is read."""

import random
from collections.abc import Iterator

import pytest

from vsalang.base.resources import resource_dir
from vsalang.base.source import Source
from vsalang.language.syntax import parse, parser, tree
from vsalang.language.syntax.formatting import _SAME, NotFormatted, format_source
from vsalang.language.syntax.formatting.doc import Doc
from vsalang.language.syntax.formatting.items import _KNOWN, FileWriter
from vsalang.language.syntax.incremental import MOST, LastVersions, Result
from vsalang.language.syntax.parser import read

PIECES = (
    '"', ".", ",", "(", ")", "{", "}", "a", "?x", "\n", "allow ", "when ", "//", "/*", "*/", '"""', "import a\n", " ",
    'test "x" {', "action Foo", "enum X {A}", '@id("q")\n', "5", "set of ",
)  # fmt: skip
FILES = [path for name in ("app_specs", "stdlib") for path in sorted(resource_dir(name).rglob("*.vsa"))]


def parts(source: Source) -> Result:
    parsed = read(source)
    return parsed.module, parsed.diagnostics, parsed.broken


def edits(rng: random.Random, text: str, count: int) -> Iterator[str]:
    """The text after each of some changes at one place, as somebody types."""
    at = rng.randrange(len(text))
    for _ in range(count):
        if rng.random() < 0.6:
            piece = rng.choice(PIECES)
            text, at = text[:at] + piece + text[at:], at + len(piece)
        else:
            low = max(0, at - rng.choice((1, 1, 2, 8)))
            text, at = text[:low] + text[at:], low
        yield text


def compare(seed: int, files: int) -> int:
    """Edit files, and compare each result with that of the whole text; how often less was read."""
    rng, saved = random.Random(seed), 0
    for _ in range(files):
        text = rng.choice(FILES).read_text("utf-8")
        versions = LastVersions()
        versions.parse(Source("f", text), parts)
        for changed in edits(rng, text, 6):
            sizes: list[int] = []

            def reading(source: Source, sizes: list[int] = sizes) -> Result:
                sizes.append(len(source.text.replace(" ", "")))
                return parts(source)

            assert versions.parse(Source("f", changed), reading) == parts(Source("f", changed)), changed
            saved += bool(sizes) and sizes[-1] < len(changed.replace(" ", "")) // 2
    return saved


def test_an_edited_text_is_parsed_as_a_new_one() -> None:
    assert compare(1, 8) > 12


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(2, 10))
def test_many_edited_texts_are_parsed_as_new_ones(seed: int) -> None:
    assert compare(seed, 100) > 200


def laid_out(source: Source, *, edited: bool) -> str | None:
    try:
        return format_source(source, edited=edited)
    except NotFormatted:
        return None


def compare_layouts(seed: int, files: int) -> int:
    """Edit files, and compare how each text is formatted with how it is as a new one; how often it could be."""
    rng, done = random.Random(seed), 0
    for _ in range(files):
        text = rng.choice(FILES).read_text("utf-8")
        for changed in edits(rng, text, 8):
            known = laid_out(Source("formatted", changed), edited=True)
            for memory in (_KNOWN, _SAME):
                memory.clear()
            assert known == laid_out(Source("formatted", changed), edited=False), changed
            done += known is not None
    return done


def test_an_edited_text_is_formatted_as_a_new_one() -> None:
    assert compare_layouts(1, 5) > 8


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(2, 8))
def test_many_edited_texts_are_formatted_as_new_ones(seed: int) -> None:
    assert compare_layouts(seed, 60) > 90


def test_formatting_lays_out_and_reads_what_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    laid: list[str] = []
    seen: list[int] = []
    item, whole = FileWriter.item, parser.read

    def watched(writer: FileWriter, node: tree.Item) -> Doc:
        laid.append(writer.text[node.span.start : node.span.end])
        return item(writer, node)

    def reading(source: Source) -> parser.ParseResult:
        seen.append(len(source.text.replace(" ", "")))
        return whole(source)

    # comments before items change nothing of that
    text = shop(200).replace("state", "// what is sold\nstate").replace("{ a", "{a")
    format_source(Source("changed", text), edited=True)
    monkeypatch.setattr(FileWriter, "item", watched)
    monkeypatch.setattr(parser, "read", reading)
    format_source(Source("changed", text.replace('"150"', '"150x"')), edited=True)
    assert laid == ['update A150(a = ?t) when Node(id = "150x", text = ?t).']
    assert seen and max(seen) < len(text) // 10


def shop(count: int) -> str:
    return 'app shop package "s" "S"\n' + "".join(
        f'state A{n} {{ a: Text }}\nupdate A{n}(a = ?t) when Node(id = "{n}", text = ?t).\n'
        for n in range(count)
    )


def test_items_before_a_change_stay_the_same_objects() -> None:
    text = shop(200)
    before = parse(Source("same", text), edited=True).module
    after = parse(Source("same", text.replace('"150"', '"150x"')), edited=True).module
    assert before is not None and after is not None
    kept = [one is other for one, other in zip(before.items, after.items, strict=True)]
    assert kept.count(True) > 290 and not kept[301]
    assert isinstance(after.items[301], tree.Rule) and after.items[-1] != before.items[-1]


def test_only_the_last_version_of_a_file_is_kept() -> None:
    versions = LastVersions()
    for number in range(3):
        versions.parse(Source("one", shop(number + 1)), parts)
    for number in range(MOST + 5):
        versions.parse(Source(f"file {number}", shop(1)), parts)
    assert len(versions._known) == MOST
