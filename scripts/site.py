"""Build the site of the documentation with Zensical, in strict mode: a link that leads nowhere is an error.

    python -m scripts.site FOLDER     writes the site into a new folder

Needs the extra `site`. The README is the first page; the navigation is docs/README.md, in its order. Pages outside
`docs` that others link to (the changelog, benchmarks) are in it, too; links to other files become plain text.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Final

from scripts import generate

ROOT: Final = generate.ROOT
HOME: Final = "README.md"
CONTENTS: Final = "docs/README.md"
STYLE: Final = """\
/* Blocks and wide tables scroll, words break: nothing makes a page wider than a phone. */
.md-typeset h1, .md-typeset h2, .md-typeset h3, .md-typeset td > code, .md-typeset p > code, .md-typeset li > code {
  overflow-wrap: anywhere;
}
.md-typeset table:not([class]) { display: block; overflow-x: auto; }
.md-typeset table:not([class]) td > code { white-space: normal; }
.md-typeset table:not([class]) :is(th, td) { min-width: 5.9rem; padding: 0.6rem 0.5rem; }
"""
"""The sheet that the pages use in addition to the theme's."""
_WRONG: Final = re.compile(r"<p>```.*|<(?:script|link|img)\b[^>]*(?:src|href)=[\"']?https?://[^>]*>")
"""What no page may hold: a block that was not taken for one, and what is loaded from elsewhere."""
_FENCES: Final = re.compile(r"(^```.*?^```$)", re.M | re.S)
_ROWS: Final = re.compile(r"^\|.*$", re.M)
_CODE: Final = re.compile(r"`[^`]*`")
_LINKS: Final = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s#]*)(#[^)\s]*)?\)")


def sources() -> dict[str, str]:
    """All pages of the site, by their path in the repository: text.

    Raises:
        OSError: a page cannot be read.
    """
    docs = ROOT / "docs"
    found = {
        path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8") for path in docs.rglob("*.md")
    }
    found |= {f"docs/{name}": text for name, text in generate.pages().items()}
    found[HOME] = (ROOT / HOME).read_text(encoding="utf-8")
    unread = list(found)
    while unread:
        page = unread.pop()
        for _, there, _ in _targets(page, found[page]):
            if there.endswith(".md") and there not in found and (ROOT / there).is_file():
                found[there] = (ROOT / there).read_text(encoding="utf-8")
                unread.append(there)
    return found


def place(name: str) -> str:
    """Where a page or a file of the repository is in the site's sources."""
    if name == HOME:
        return "index.md"
    if name == CONTENTS:
        return "contents.md"
    return name.removeprefix("docs/") if name.startswith("docs/") else f"project/{name}"


def linked(name: str, text: str, pages: dict[str, str]) -> str:
    """A page with its links as they are in the site.

    Args:
        name: its path in the repository.
        text: what it says.
        pages: all pages, by their paths.
    """
    here = PurePosixPath(place(name)).parent.as_posix()

    def link(found: re.Match[str]) -> str:
        picture, words, target, anchor = found[1], found[2], found[3], found[4] or ""
        if not target or "://" in target or target.startswith("mailto:"):
            return found[0]
        there = _path(name, target)
        if there in pages or (there.startswith("docs/") and (ROOT / there).is_file()):
            return f"{picture}[{words}]({os.path.relpath(place(there), here)}{anchor})"
        if not (ROOT / there).exists():
            return found[0]  # the build says that it leads nowhere
        return words

    parts = _FENCES.split(text)
    # in a table GitHub wants a bar in code escaped, Zensical does not
    parts[::2] = [
        _ROWS.sub(
            lambda row: _CODE.sub(lambda code: code[0].replace("\\|", "|"), row[0]), _LINKS.sub(link, part)
        )
        for part in parts[::2]
    ]
    # `vsa wrong`: Zensical knows no second word of a fence
    parts[1::2] = [re.sub(r"\A```(\w+) .*", r"```\1", part) for part in parts[1::2]]
    return "".join(parts)


def navigation(pages: dict[str, str]) -> list[object]:
    """The navigation: the groups of the contents with their pages, then what is about the project.

    An entry of the contents that names several pages is a group of its own.
    """
    groups: list[object] = [{"vsalang": "index.md"}]
    named = {HOME, CONTENTS}
    for title, body in re.findall(r"^## (.*)\n((?:.*\n)*?)(?=^## |\Z)", pages[CONTENTS] + "\n", re.M):
        entries: list[object] = []
        for item in re.split(r"^\* ", body, flags=re.M)[1:]:
            found = [(_plain(words), there) for words, there, _ in _targets(CONTENTS, item) if there in pages]
            found = [(words, there) for words, there in dict(found).items() if there not in named]
            named |= {there for _, there in found}
            links = [{words: place(there)} for words, there in found]
            if len(links) > 1:
                entries.append({found[0][0]: [place(found[0][1]), *links[1:]]})
            else:
                entries += links
        groups.append({title: entries})
    rest = sorted(page for page in pages if page not in named and not page.startswith("docs/"))
    groups.append(
        {"Project": [{"All pages": place(CONTENTS)}, *({_title(pages[p]): place(p)} for p in rest)]}
    )
    return groups


def build(folder: Path) -> int:
    """Build the site into a folder; return Zensical's exit status.

    Raises:
        OSError: a page cannot be read or written.
    """
    pages = sources()
    with tempfile.TemporaryDirectory() as temporary:
        work = Path(temporary)
        shutil.copytree(ROOT / "docs", work / "docs", ignore=shutil.ignore_patterns("*.md"))
        for name, text in pages.items():
            path = work / "docs" / place(name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(linked(name, text, pages), encoding="utf-8")
        (work / "docs" / "site.css").write_text(STYLE, encoding="utf-8")
        settings = tomllib.loads((ROOT / "zensical.toml").read_text(encoding="utf-8"))
        settings["project"] |= {"docs_dir": "docs", "site_dir": "site", "nav": navigation(pages)}
        (work / "zensical.toml").write_text(_toml(settings), encoding="utf-8")
        status = subprocess.run(
            [sys.executable, "-m", "zensical", "build", "--strict"], cwd=work, check=False
        ).returncode
        for page in sorted((work / "site").rglob("*.html")) if status == 0 else ():
            for found in _WRONG.findall(page.read_text(encoding="utf-8")):
                print(f"error: {page.relative_to(work / 'site')}: {found}", file=sys.stderr)
                status = 1
        if status == 0:
            shutil.copytree(work / "site", folder)
    return status


def _toml(settings: dict[str, object]) -> str:
    """Settings as TOML: only what this file needs, tables inline."""

    def value(each: object) -> str:
        if isinstance(each, dict):
            return "{" + ", ".join(f"{json.dumps(key)} = {value(inner)}" for key, inner in each.items()) + "}"
        if isinstance(each, list):
            return "[" + ", ".join(value(inner) for inner in each) + "]"
        return json.dumps(each)

    return "".join(f"{key} = {value(each)}\n" for key, each in settings.items())


def _targets(page: str, text: str) -> Iterator[tuple[str, str, str]]:
    """The links of a page to files of the repository: words, path in the repository, anchor."""
    for found in _LINKS.finditer(_FENCES.sub("", text)):
        if found[3] and "://" not in found[3] and not found[3].startswith("mailto:"):
            yield found[2], _path(page, found[3]), found[4] or ""


def _path(page: str, target: str) -> str:
    """The path in the repository of what a link of a page names."""
    return os.path.normpath(PurePosixPath(page).parent / target)


def _title(text: str) -> str:
    found = re.search(r"^# (.*)$", text, re.M)
    return _plain(found[1]) if found else "?"


def _plain(words: str) -> str:
    return words.replace("`", "")


def main(arguments: list[str]) -> int:
    """Do what the arguments ask for; return the exit status."""
    if len(arguments) != 1 or arguments[0].startswith("-"):
        print(__doc__, file=sys.stderr)
        return 2
    if Path(arguments[0]).exists():
        print(f"error: {arguments[0]} exists already; name a new folder", file=sys.stderr)
        return 1
    return build(Path(arguments[0]).absolute())


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except OSError as problem:
        sys.exit(f"error: {problem}")
