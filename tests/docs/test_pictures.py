"""The pictures of the pages: drawn from runs as they are now, shown by a page, and small.

Those of editors are drawn again in `tests/editors/test_editor_pictures.py`.
"""

import re

import pytest

from scripts import editor_pictures, picture
from tests.pages import DOCS

README = (DOCS.parent / "README.md").read_text(encoding="utf-8")
PAGES = README + "".join(page.read_text(encoding="utf-8") for page in sorted(DOCS.rglob("*.md")))
LARGEST = 300_000
"""Bytes of all pictures together."""


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in picture.PICTURES if name.endswith(".svg")])
def test_pictures_show_what_is_printed(name: str) -> None:
    old, new = (picture.FOLDER / name).read_bytes(), picture.PICTURES[name]()
    assert picture.texts(old) == picture.texts(new), (
        "is it right now? then python -m scripts.picture draws it again"
    )


def test_pictures_are_small_and_shown() -> None:
    files = {path.name: path.stat().st_size for path in picture.FOLDER.iterdir()}
    assert files.keys() == picture.PICTURES.keys() | editor_pictures.PICTURES.keys()
    assert sum(files.values()) < LARGEST
    assert [name for name in files if not re.search(rf"!\[[^\]]+\]\([\w./]*images/{name}\)", PAGES)] == []


def test_pictures_load_nothing() -> None:
    for name in (*picture.PICTURES, *editor_pictures.PICTURES):
        if name.endswith(".svg"):
            text = (picture.FOLDER / name).read_text(encoding="utf-8")
            assert re.findall(r"(?:href|src|url\()\W*https?://", text) == [], name
