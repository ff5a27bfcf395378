"""The README's and the guides' examples: Python blocks run, `.vsa` blocks check, links lead somewhere."""

import os
import pkgutil
import re
from pathlib import Path

import pytest

from tests import processes
from tests.pages import anchors, pages
from vsalang.base.diagnostics import has_errors
from vsalang.language.semantics import load_text

ROOT = Path(__file__).resolve().parents[2]
PAGES = [
    ROOT / "README.md",
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "docs" / "guides").glob("*.md")),
]
_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def _blocks(page: Path, language: str) -> list[str]:
    return [text for kind, text in _BLOCK.findall(page.read_text(encoding="utf-8")) if kind == language]


def test_readme_python_runs(tmp_path):
    """All Python of the README as one script, as a reader would try it."""
    script = tmp_path / "readme.py"
    script.write_text("\n".join(_blocks(ROOT / "README.md", "python")), encoding="utf-8")
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    result = processes.run([str(script)], cwd=ROOT, env=env)
    assert result.returncode == 0, result.stderr
    lines = result.stdout.splitlines()
    assert lines[0] == "block"
    assert lines[-2:] == ["1 allow True", "2 block False"]


def test_readme_spec_is_the_shipped_one():
    (spec,) = [b for b in _blocks(ROOT / "README.md", "vsa") if b.startswith("spec reserve_r")]
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
    [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *pages(), *sorted((ROOT / "benchmarks").rglob("*.md"))],
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
