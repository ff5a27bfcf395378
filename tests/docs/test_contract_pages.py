"""The contract (language, guard, semantics): what the code cites of it is there, and what it cites exists."""

import pydoc
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
REFERENCE = DOCS / "reference"
GUARD = REFERENCE / "guard.md"
_BLOCK = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
_CITED = re.compile(r"\b([\w-]+\.md)(?:#([\w-]+))?")
"""How code cites a page of docs/reference: `guard.md#P5`, or a whole page."""
_OTHERWISE = re.compile(r"of the semantics|shared/design|the design(?!s)", re.IGNORECASE)


def anchors(page: Path) -> set[str]:
    """The places of a page that a link can lead to: headings, as GitHub names them, and ids."""
    text = _BLOCK.sub("", page.read_text(encoding="utf-8"))
    found = set(re.findall(r'<a id="([^"]+)"></a>', text))
    for heading in re.findall(r"^#+ (.+)$", text, re.MULTILINE):
        words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
        slug = re.sub(r"[^\w\- ]", "", words).replace(" ", "-")
        number = 0
        while (name := f"{slug}-{number}" if number else slug) in found:
            number += 1
        found.add(name)
    return found


def code() -> Iterator[tuple[str, str]]:
    """Each Python file of the package by its place, with its text."""
    for path in sorted((ROOT / "vsalang").rglob("*.py")):
        yield path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8")


def test_what_the_code_cites_is_there() -> None:
    places = {page.name: anchors(page) for page in REFERENCE.glob("*.md")}
    missing, cited = [], set()
    for place, text in code():
        for page, anchor in _CITED.findall(text):
            if page in places and anchor:
                cited.add(f"{page}#{anchor}")
                if anchor not in places[page]:
                    missing.append(f"{place}: {page}#{anchor}")
    assert missing == []
    # the pattern finds citations at all
    assert {"guard.md#P5", "guard.md#P6", "guard.md#I9", "guard.md#moments", "semantics.md#the-past"} <= cited


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


PAGES = [REFERENCE / f"{name}.md" for name in ("language", "guard", "semantics")]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_to_a_heading(page: Path) -> None:
    text = _BLOCK.sub("", page.read_text(encoding="utf-8"))
    missing = []
    for target, anchor in re.findall(r"\]\(([^)#:]*)#([^)]+)\)", text):
        other = (page.parent / target).resolve() if target else page
        if anchor not in anchors(other):
            missing.append(f"{target}#{anchor}")
    assert missing == []


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
def test_what_counts_as_a_place(tmp_path: Path, heading: str, anchor: str) -> None:
    page = tmp_path / "page.md"
    page.write_text(f"{heading}\n\n```vsa\n# no heading\n```\n", encoding="utf-8")
    assert anchors(page) == {anchor}
