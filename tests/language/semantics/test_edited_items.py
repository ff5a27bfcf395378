"""A module that is edited is checked as if it were new: only less of it is looked at."""

import random
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from vsalang.base.resources import resource_dir
from vsalang.language.semantics import Loaded, load
from vsalang.language.semantics.edited_items import _KNOWN
from vsalang.language.semantics.examples import ExampleReader
from vsalang.language.semantics.rules import RuleChecker
from vsalang.language.syntax.incremental import MOST
from vsalang.language.syntax.tree import Rule, Test

FILES = [
    path
    for path in sorted(resource_dir("app_specs").rglob("*.vsa"))
    if path.stat().st_size < 20_000 and "std.effects" not in path.read_text("utf-8")
]
WORD = re.compile(r"\??[A-Za-z_][\w.]*|\"[^\"\n]*\"|\d+")
ITEM = re.compile(r"(?<=[.}])\n(?=\S)")
PIECES = (
    ".",
    '"',
    "}",
    "no ",
    "let X = 3.\n",
    "?x",
    " when Foo",
    "Node",
    "deny ",
    "import std.forms\n",
    "//",
)


def changed(rng: random.Random, text: str) -> str:
    """A text after one change of a kind that people make: of a word, of a character, or of whole items."""
    items = ITEM.split(text)
    words = list(WORD.finditer(text))
    one, other = rng.randrange(len(items)), rng.randrange(len(items))
    match rng.randrange(6):
        case 0:  # another word in place of one, everywhere: what it declared has another name
            old, new = rng.choice(words)[0], rng.choice(words)[0]
            return re.sub(rf"(?<![\w?]){re.escape(old)}(?!\w)", lambda _: new, text)
        case 1 | 2:
            old_word, new = rng.choice(words), rng.choice(words)[0]
            return text[: old_word.start()] + new + text[old_word.end() :]
        case 3:
            return "\n".join(items[:one] + items[one + 1 :]) if one else text
        case 4:
            items.insert(max(other, 1), items[one] if one else "")
            return "\n".join(items)
        case _:
            at = rng.randrange(len(text))
            return text[:at] + rng.choice(PIECES) + text[at:]


def versions(rng: random.Random, text: str, count: int) -> Iterator[str]:
    """A text after each of some changes; now and then the last one is taken back, as people do."""
    before = text
    for _ in range(count):
        last, text = text, before if rng.random() < 0.3 else changed(rng, text)
        before = last
        yield text


def loaded(path: Path, text: str, *, edited: bool) -> Loaded:
    return load(path, overlay={path: text}, from_cache=edited)


def compare(seed: int, files: int, count: int) -> None:
    """Edit files, and compare each result with that of a new text."""
    rng = random.Random(seed)
    for _ in range(files):
        path = rng.choice(FILES).resolve()
        text = path.read_text("utf-8")
        loaded(path, text, edited=True)
        for version in versions(rng, text, count):
            one, other = loaded(path, version, edited=True), loaded(path, version, edited=False)
            assert one.diagnostics == other.diagnostics, version
            assert one.program == other.program, version
            assert one.examples == other.examples, version


def test_an_edited_module_is_checked_as_a_new_one() -> None:
    compare(1, 8, 10)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(2, 8))
def test_many_edited_modules_are_checked_as_new_ones(seed: int) -> None:
    compare(seed, 60, 20)


SHOP = 'app shop package "s" "S"\n' + "".join(
    f'state A{n} {{ a: Text }}\nupdate A{n}(a = ?t) when Node(id = "{n}", text = ?t).\n'
    f'test "{n}" {{\n  given A{n}(a = "x").\n}}\n'
    for n in range(20)
)


@pytest.fixture
def checked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The texts of the rules and tests that are looked at."""
    seen: list[str] = []
    rule, read = RuleChecker.rule, ExampleReader.read

    def of_rule(self: RuleChecker, item: Rule, *words: object) -> object:
        seen.append(self.scope.unit.source.slice(item.span))
        return rule(self, item, *words)  # type: ignore[arg-type]

    def of_test(self: ExampleReader, item: Test) -> object:
        seen.append(self.scope.unit.source.slice(item.span))
        return read(self, item)

    monkeypatch.setattr(RuleChecker, "rule", of_rule)
    monkeypatch.setattr(ExampleReader, "read", of_test)
    return seen


@pytest.mark.parametrize(
    ("old", "new", "again"),
    [
        ('id = "7"', 'id = "7x"', ["update A7"]),
        ("// none", "// some\n\n\n", []),  # what follows only moved
        ("state A7 { a: Text }", 'state A7 { a: Text "it" }', ["update A7", 'test "7"']),
        ('given A7(a = "x")', 'given A7(a = "y")', ['test "7"']),
        ('test "7"', "rest", []),  # a mistake: the others are what they were
    ],
)
def test_only_what_depends_on_a_change_is_checked_again(
    checked: list[str], old: str, new: str, again: list[str], tmp_path: Path
) -> None:
    path = tmp_path / "shop.vsa"
    text = SHOP.replace("\n", "\n// none\n", 1)
    loaded(path, text, edited=True)
    checked.clear()
    loaded(path, text.replace(old, new, 1), edited=True)
    assert [each[: len(start)] for each, start in zip(checked, again, strict=True)] == again


def test_items_with_findings_are_checked_each_time(checked: list[str], tmp_path: Path) -> None:
    path = tmp_path / "shop.vsa"
    text = SHOP.replace("update A7(a = ?t)", "update A7(b = ?t)")
    found = [loaded(path, text, edited=True).diagnostics for _ in range(2)]
    assert found[0] and found[0] == found[1]
    checked.clear()
    assert loaded(path, text, edited=True).diagnostics == found[0]
    assert [each[:9] for each in checked] == ["update A7"]


def test_what_is_not_edited_is_checked_as_a_whole(checked: list[str], tmp_path: Path) -> None:
    path = tmp_path / "shop.vsa"
    path.write_text(SHOP, "utf-8")
    loaded(path, SHOP, edited=True)
    checked.clear()
    load(path, from_cache=True)
    assert len(checked) == 40


def test_of_each_file_only_the_last_version_is_kept(tmp_path: Path) -> None:
    for number in range(MOST + 5):
        path = tmp_path / f"shop{number}.vsa"
        for text in (SHOP, SHOP.replace("A7", "B7")):
            loaded(path, text.replace("app shop", f"app shop{number}"), edited=True)
    assert len(_KNOWN) == MOST
    assert all(len(version.items) == 40 for version in _KNOWN.values())
