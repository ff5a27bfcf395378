"""A plan of files to write and to change in a checkout. Nothing is written before all of it is known to be possible."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Final

from vsalang.base.templates import text_templates
from vsalang.tools.cli.common import Failure

TEMPLATES: Final = Path(__file__).resolve().parent / "templates"
MARK: Final = "WRITE THIS:"
"""Stands before what only a person can write; a test finds it in what is left unwritten."""
_END: Final = re.compile(r'\\n|"| \|')
"""What stands after the words for a person, in code and in tables."""
_WIDEST: Final = 110
"""Characters in a line of code, as ruff has it in pyproject.toml."""


def checkout(place: Path) -> Path:
    """The checkout of vsalang in which a folder is.

    Raises:
        Failure: it is in none.
    """
    for folder in (place, *place.parents):
        if (folder / "scripts" / "new").is_dir() and (folder / "vsalang" / "agents").is_dir():
            return folder
    raise Failure(
        f"{place} is not in a checkout of vsalang", "change to the folder of one: it has CONTRIBUTING.md"
    )


class Plan:
    """The texts of files, by their place in the checkout.

    Args:
        root: the checkout.
        tests: files of tests that hold for all things of the kind.
        values: what the templates are given.
    """

    def __init__(self, root: Path, *tests: str, **values: str) -> None:
        self.root = root
        self.tests = (*tests, "tests/project/test_new_things.py::test_nothing_is_left_to_write")
        self.values = values
        self.created: dict[str, str] = {}
        self.changed: dict[str, str] = {}

    def create(self, place: str, template: str) -> None:
        """Make a new file.

        Args:
            place: from the checkout's folder.
            template: a name in `TEMPLATES`, without its ending.

        Raises:
            Failure: there is such a file.
        """
        if (self.root / place).exists():
            raise Failure(
                f"{place} exists already, so nothing is written", "choose another name, or delete it"
            )
        self.created[place] = self.made(template) + "\n"
        if template.startswith("test_"):
            self.tests = (place, *self.tests)

    def made(self, template: str) -> str:
        """The text of a template, without its last line break."""
        return text_templates([TEMPLATES]).get_template(f"{template}.j2").render(self.values)

    def insert(self, place: str, new: str, *, before: str, after: str = "") -> None:
        """Put lines into a file.

        Args:
            place: from the checkout's folder.
            new: whole lines.
            before: the text that follows them.
            after: a text somewhere before that one, from which on it is looked for.

        Raises:
            Failure: the file does not hold these texts, or a line of code is too long.
        """
        text = self.text(place)
        start = text.find(after)
        at = text.find(before, start + len(after)) if start >= 0 else -1
        if at < 0:
            missing = after if start < 0 else before
            raise Failure(
                f"{place} has no {missing.strip()!r}, so nothing is written", "add the lines by hand"
            )
        longest = max(map(len, new.splitlines()))
        if place.endswith(".py") and longest > _WIDEST:
            raise Failure(
                f"the title or name is {longest - _WIDEST} characters too long for a line of {place}"
            )
        self.changed[place] = text[:at] + new + text[at:]

    def append(self, place: str, new: str) -> None:
        """Put lines at the end of a file.

        Raises:
            Failure: there is no such file.
        """
        self.changed[place] = self.text(place) + new

    def import_(self, place: str, package: str) -> None:
        """Put the new module among those that a file imports of a package, in the order of the alphabet.

        Raises:
            Failure: as of `insert`.
        """
        opening = f"from {package} import (\n"
        names = self.text(place).partition(opening)[2].partition(")")[0].splitlines(keepends=True)
        new = f"    {self.values['module']},\n"
        following = next((line for line in names if line > new), ")")
        self.insert(place, new, before=following, after=opening)

    def log(self, template: str, section: str) -> None:
        """Put an entry into what the changelog says of the next version.

        Args:
            template: of the entry.
            section: the heading under which entries of its kind stand; if it is not there, they stand under "Added".

        Raises:
            Failure: the changelog has no part about the next version.
        """
        place = "CHANGELOG.md"
        text = self.text(place)
        head, mark, rest = text.partition("\n## [Unreleased]")
        if not mark:
            raise Failure(f"{place} has no `## [Unreleased]`, so nothing is written", "begin one")
        part, end, more = rest.partition("\n## [")
        entry = f"- {self.made(template)}\n"
        for heading in (f"\n### {section}\n", "\n### Added\n"):
            if heading in part:
                above, _, entries = part.partition(heading)
                here, below, others = entries.partition("\n### ")
                part = f"{above}{heading}{here.rstrip()}\n{entry}{below}{others}"
                break
        else:
            part = f"{part.rstrip()}\n\n### Added\n\n{entry}"
        self.changed[place] = head + mark + part + (f"\n{end.lstrip()}" if end else "") + more

    def text(self, place: str) -> str:
        """The text of a file as it is to be.

        Raises:
            Failure: there is no such file.
        """
        try:
            return self.changed.get(place) or (self.root / place).read_text(encoding="utf-8")
        except FileNotFoundError:
            raise Failure(f"there is no {place}, so nothing is written") from None

    def write(self) -> None:
        """Write all files.

        Raises:
            OSError: one cannot be written.
        """
        for place, text in {**self.created, **self.changed}.items():
            (self.root / place).parent.mkdir(parents=True, exist_ok=True)
            (self.root / place).write_text(text, encoding="utf-8")

    def generate(self) -> list[str]:
        """Let `scripts.generate` write what the checkout keeps of generated files; return what it says.

        Raises:
            Failure: it fails.
        """
        words = [sys.executable, "-m", "scripts.generate", "--kept"]
        done = subprocess.run(words, cwd=self.root, capture_output=True, text=True, check=False)
        if done.returncode:
            raise Failure(
                f"the files are written, but python -m scripts.generate fails: {done.stderr.strip()[-400:]}",
                "correct the files, then run it",
            )
        return done.stdout.splitlines()

    def left(self) -> list[str]:
        """The lines that only a person can write: place, number and what is to be written."""
        found = []
        for place in (*self.created, *self.changed):
            lines = (self.root / place).read_text(encoding="utf-8").splitlines()
            for number, line in enumerate(lines, 1):
                pieces = line.split(MARK)[1:]
                found += [f"{place}:{number}: {_END.split(piece)[0].strip()}" for piece in pieces]
        return found
