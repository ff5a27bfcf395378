"""Pages and messages use the plainer word: CONTRIBUTING.md says which ones."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PLAINER = {
    r"what (came|became) of": "the result, the outcome",
    r"in whose words": "in which format",
    r"mend(s|ed)?": "fix",
    r"anew": "again",
    r"speaks? of": "mentions",
    r"rests? on": "depends on",
    r"lets? (it |them |something |nothing )?through": "allows, sends on",
    r"beside the (spec|verdicts?|screen|rules|gesture|apps)": "in addition to, next to",
}
WORDS = re.compile(rf"\b({'|'.join(PLAINER)})\b", re.IGNORECASE)
OUTSIDE = {
    "docs/reference/utg.md": "Rest on a screen",  # of the mouse
    "vsalang/agents/maps/templates/utg.svg.j2": "rest on a screen",
    "vsalang/models/encode": "mend",  # what a model is told: recorded answers belong to it
}
"""What stays as it is."""


def files() -> Iterator[Path]:
    """Pages that are written by hand, and the code of rooms; not the policies, whose messages quote instructions."""
    yield from (ROOT / "README.md", ROOT / "CONTRIBUTING.md")
    for page in sorted(ROOT.glob("docs/**/*.md")):
        if "policies" not in page.parts:
            yield page
    for room in ROOMS:
        for kind in ("py", "toml", "j2"):
            yield from sorted((ROOT / "vsalang" / room).rglob(f"*.{kind}"))


ROOMS = """ask cli contracts describe exporters formalize guard importers intent journal lint lsp planning risk secrets
testing""".split()


def test_the_plainer_word_is_used() -> None:
    found = []
    for path in files():
        place = path.relative_to(ROOT).as_posix()
        kept = [words for start, words in OUTSIDE.items() if place.startswith(start)]
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            hit = WORDS.search(line)
            if hit and not any(words in line for words in kept):
                found.append(f"{place}:{number}: {hit[0]}")
    assert found == []


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("It rests on the screen.", "rests on"),
        ("What became of it", "What became of"),
        ("It lets nothing through.", "lets nothing through"),
        ("a label beside a box", ""),
    ],
)
def test_what_counts_as_such_a_word(text: str, word: str) -> None:
    hit = WORDS.search(text)
    assert (hit[0] if hit else "") == word
