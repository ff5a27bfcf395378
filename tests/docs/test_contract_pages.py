"""The contract (language, guard, semantics): what the code cites of it is there, and the code that it names exists."""

import pydoc
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.pages import DOCS, anchors, pages

ROOT = Path(__file__).resolve().parents[2]
REFERENCE = DOCS / "reference"
GUARD = REFERENCE / "guard.md"
_CITED = re.compile(r"\b([\w-]+\.md)\b(?:#([\w-]+))?")
"""How code cites a page of the documentation: `guard.md#P5`, or a whole page."""
_OTHERWISE = re.compile(r"of the semantics|shared/design|the design(?!s)", re.IGNORECASE)


def code() -> Iterator[tuple[str, str]]:
    """Each Python file of the package by its place, with its text."""
    for path in sorted((ROOT / "vsalang").rglob("*.py")):
        yield path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8")


def test_what_the_code_cites_is_there() -> None:
    places: dict[str, set[str]] = {}
    for page, text in pages().items():
        places.setdefault(page.name, {""}).update(anchors(text))
    cited = {f"{page}#{anchor}": place for place, text in code() for page, anchor in _CITED.findall(text)}
    there = {f"{page}#{anchor}" for page, found in places.items() for anchor in found}
    assert {name: place for name, place in cited.items() if name not in there} == {}
    # the pattern finds citations at all
    assert {
        "guard.md#P5",
        "guard.md#P6",
        "guard.md#I9",
        "guard.md#moments",
        "semantics.md#the-past",
    } <= cited.keys()


def test_the_contract_is_cited_by_its_pages() -> None:
    found = [f"{place}: {hit[0]}" for place, text in code() if (hit := _OTHERWISE.search(text))]
    assert found == []


def test_steps_and_invariants_are_numbered_without_a_gap() -> None:
    ids = re.findall(r'<a id="([PI])(\d+)"></a>', GUARD.read_text(encoding="utf-8"))
    assert [int(number) for kind, number in ids if kind == "P"] == list(range(11))
    assert [int(number) for kind, number in ids if kind == "I"] == list(range(1, 12))


def _steps() -> list[tuple[str, str]]:
    """Each step of the order of judging, with what the last column of its table names."""
    text = GUARD.read_text(encoding="utf-8").split("| step | asks |", 1)[1].split("\n\n", 1)[0]
    lines = [line.strip("|").split("|") for line in text.splitlines()[2:]]
    return [(line[0].strip(), name) for line in lines for name in re.findall(r"`(vsalang[\w.]+)`", line[-1])]


@pytest.mark.parametrize(("step", "name"), _steps())
def test_the_code_of_each_step_exists(step: str, name: str) -> None:
    assert callable(pydoc.locate(name)), step


@pytest.mark.parametrize(
    ("heading", "anchor"),
    [
        ("## What the user's words say", "what-the-users-words-say"),
        ("### state, view, list", "state-view-list"),
        ("# `expect first n`: what it is", "expect-first-n-what-it-is"),
        ("## [Links](a.md) are words", "links-are-words"),
        ('| <a id="P7"></a>P7 |', "P7"),
    ],
)
def test_what_counts_as_a_place(heading: str, anchor: str) -> None:
    assert anchors(f"{heading}\n\n```vsa\n# no heading\n```\n") == {anchor}
