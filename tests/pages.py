"""The pages of the documentation: those of the repository, and those that are generated."""

import re
from functools import cache
from pathlib import Path

from scripts import generate

DOCS = Path(__file__).resolve().parents[1] / "docs"
_BLOCK = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)


@cache
def pages() -> dict[Path, str]:
    """Where each page stands in a whole documentation -> its text."""
    found = {path: path.read_text(encoding="utf-8") for path in DOCS.rglob("*.md")}
    made = {DOCS / name: text for name, text in generate.pages().items()}
    return dict(sorted({**found, **made}.items()))


def anchors(text: str) -> set[str]:
    """The places of a page that a link can lead to: headings, as GitHub names them, and ids."""
    text = _BLOCK.sub("", text)
    found = set(re.findall(r'<a id="([^"]+)"></a>', text))
    for heading in re.findall(r"^#+ (.+)$", text, re.MULTILINE):
        words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).lower()
        slug = re.sub(r"[^\w\- ]", "", words).replace(" ", "-")
        number = 0
        while (name := f"{slug}-{number}" if number else slug) in found:
            number += 1
        found.add(name)
    return found


def section(page: str, heading: str) -> str:
    """A section of a page of commands, with those inside it.

    Args:
        page: the name of the page in `docs/commands`.
        heading: how its heading begins.
    """
    text = (DOCS / "commands" / f"{page}.md").read_text(encoding="utf-8")
    lines, inside, fenced, found = text.splitlines(keepends=True), False, False, []
    for line in lines:
        fenced ^= line.startswith("```")
        if line.startswith("## ") and not fenced:
            inside = line.startswith(f"## {heading}")
        if inside:
            found.append(line)
    assert found, f"{page}.md has no section {heading}"
    return "".join(found)
