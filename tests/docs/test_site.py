"""The site: its navigation has every page, links are as they are there, and it builds without a warning."""

import importlib.util
from pathlib import Path

import pytest

from scripts import site
from tests import processes
from tests.pages import DOCS, anchors, pages

ROOT = DOCS.parent


@pytest.fixture(scope="module")
def sources() -> dict[str, str]:
    return site.sources()


def leaves(entry: object) -> list[str]:
    """The pages of a navigation, in its order."""
    if isinstance(entry, str):
        return [entry]
    inside = entry.values() if isinstance(entry, dict) else entry
    assert isinstance(entry, dict | list)
    return [page for each in inside for page in leaves(each)]


def test_navigation_has_every_page_once(sources: dict[str, str]) -> None:
    named = leaves(site.navigation(sources))
    assert len(named) == len(set(named))
    single = {site.place(page) for page in sources if not _is_code(page)}
    assert single == set(named)


def _is_code(page: str) -> bool:
    """Whether it is the page of one code, which its index lists."""
    folders = ("docs/reference/diagnostics/", "docs/reference/lint/")
    return page.startswith(folders) and Path(page).name != "index.md"


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("[a](../threat-model.md#x)", "[a](../threat-model.md#x)"),
        ("[a](../README.md)", "[a](../contents.md)"),
        ("[a](../../README.md)", "[a](../index.md)"),
        ("[`a`](../../tests/pages.py)", "`a`"),
        ("[a](../no-such-page.md)", "[a](../no-such-page.md)"),
        ("![a](../images/demo.svg)", "![a](../images/demo.svg)"),
        ("```vsa wrong\n[a](../../tests/pages.py)\n```", "```vsa\n[a](../../tests/pages.py)\n```"),
        ("| `a\\|b` | c \\| d |", "| `a|b` | c \\| d |"),
    ],
)
def test_links_and_blocks_as_the_site_wants_them(text: str, wanted: str, sources: dict[str, str]) -> None:
    assert site.linked("docs/guides/mcp.md", text, sources) == wanted


def test_headings_of_a_page_differ() -> None:
    """GitHub and the site number equal ones in different ways."""
    same = {
        page.relative_to(ROOT).as_posix(): numbered
        for page, text in pages().items()
        if (numbered := [name for name in anchors(text) if name[-2:] in ("-1", "-2")])
    }
    assert same == {}


needs_zensical = pytest.mark.skipif(
    importlib.util.find_spec("zensical") is None, reason="needs the extra site"
)


@needs_zensical
@pytest.mark.slow
def test_the_site_builds(tmp_path: Path) -> None:
    result = processes.run(["-m", "scripts.site", str(tmp_path / "out")], cwd=ROOT)
    assert result.returncode == 0, result.stdout + result.stderr
    assert (tmp_path / "out" / "commands" / "guard.html").is_file()


@needs_zensical
@pytest.mark.parametrize("wrong", ["[a](no-such-page.md)", "[a](threat-model.md#nowhere)"])
@pytest.mark.slow
def test_a_link_that_leads_nowhere_fails(
    wrong: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    few = {
        "README.md": f"# Home\n\n{wrong}\n",
        "docs/README.md": "# All\n\n## One\n\n* [b](threat-model.md)\n",
        "docs/threat-model.md": "# The threat model\n",
    }
    monkeypatch.setattr(site, "sources", lambda: few)
    few["README.md"] = few["README.md"].replace("(", "(docs/")
    assert site.build(tmp_path / "out") != 0
    assert "does not exist" in capfd.readouterr().err
    assert not (tmp_path / "out").exists()
