"""The README's and the guides' examples: Python blocks run, `.vsa` blocks check, links lead somewhere."""

import os
import pkgutil
import re
from pathlib import Path

import pytest

from tests.pages import anchors, pages
from vsalang.base.diagnostics import has_errors
from vsalang.language.semantics import load_text
from vsalang.tools.cli.families import GROUPS

ROOT = Path(__file__).resolve().parents[2]
PAGES = [
    ROOT / "README.md",
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "docs" / "guides").glob("*.md")),
]
_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def _blocks(page: Path, language: str) -> list[str]:
    return [text for kind, text in _BLOCK.findall(page.read_text(encoding="utf-8")) if kind == language]


def test_readme_is_short_and_its_blocks_are_run():
    """900 words; no block but the spec, and those that `test_followed_guides.py` follows."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(text.split()) <= 900
    opened = re.findall(r"^```(\S.*)$", text, re.MULTILINE)
    assert {re.sub(r'title=".+"', "title", info) for info in opened} == {"vsa", "python title", "console"}


def test_readme_names_the_groups_of_commands():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| (\w[\w ]*) \| (.+) \|$", text, re.MULTILINE))
    assert list(rows) == list(GROUPS)
    for group, commands in GROUPS.items():
        assert set(re.findall(r"`(\w+)`", rows[group])) == set(commands), group


def test_readme_spec_is_the_shipped_one():
    (spec,) = _blocks(ROOT / "README.md", "vsa")
    shipped = (ROOT / "app_specs" / "examples" / "reserve_r.vsa").read_text(encoding="utf-8")
    assert spec in shipped
    loaded = load_text(spec, file="README.md", path=ROOT / "README.md")
    assert not has_errors(loaded.diagnostics)


@pytest.mark.parametrize("page", [p for p in PAGES if p.parent.name == "guides"], ids=lambda p: p.name)
def test_guides_check(page):
    for text in _blocks(page, "vsa"):
        if re.match(r"\s*(//[^\n]*\n\s*)*(app|spec|policy|module)\b", text):
            loaded = load_text(text, file=page.name, path=page)
            assert [d.message for d in loaded.diagnostics if d.severity.value == "error"] == []


@pytest.mark.parametrize(
    "page",
    [
        ROOT / "README.md",
        ROOT / "CONTRIBUTING.md",
        ROOT / "SECURITY.md",
        *pages(),
        *sorted((ROOT / "benchmarks").rglob("*.md")),
    ],
    ids=lambda p: str(p.relative_to(ROOT)),
)
def test_links_lead_somewhere(page):
    written = pages().get(page) or page.read_text(encoding="utf-8")
    text = re.sub(r"^```.*?^```$", "", written, flags=re.MULTILINE | re.DOTALL)
    for target, anchor in re.findall(r"\]\(([^)#]*)(?:#([^)]*))?\)", text):
        if "://" in target:
            continue
        there = Path(os.path.normpath(page.parent / target)) if target else page
        assert there in pages() or there.exists(), f"{page.name} links to {target}"
        if anchor and there.suffix == ".md":
            assert anchor in anchors(pages().get(there) or there.read_text(encoding="utf-8")), (
                page.name,
                target,
                anchor,
            )


def resolves(name: str) -> bool:
    """Whether a dotted name is a module, or stands for something in one."""
    try:
        pkgutil.resolve_name(name)
    except (AttributeError, ImportError):
        return False
    return True


def test_names_in_prose_are_there() -> None:
    """What moved is named by its new place."""
    named = {
        (name, page.relative_to(ROOT).as_posix())
        for page in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
        for name in re.findall(r"`((?:vsalang|tests)(?:\.\w+)+)`", page.read_text(encoding="utf-8"))
    }
    assert len(named) > 50
    assert [(page, name) for name, page in sorted(named) if not resolves(name)] == []
