"""Starts a project that has no errors, whose tests pass, and whose CI file works unchanged."""

import os
import re
import shutil
import unicodedata
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Final

from vsalang.base.config import config_for
from vsalang.base.diagnostics.display import safe
from vsalang.base.project import installed_from
from vsalang.base.records import dataclass

_FILES: Final = {
    "vsac.toml": "vsac.toml",
    "README.md": "README.md",
    "gitignore": ".gitignore",
    "pre-commit.yaml": ".pre-commit-config.yaml",
    "requirements.txt": "requirements.txt",
    "app.vsa": "app_specs/{name}.vsa",
    "say_hello.vsa": "specs/say_hello.vsa",
    "say_hello.agent.jsonl": "specs/say_hello.agent.jsonl",
    "house_rules.vsa": "policies/house_rules.vsa",
    "phone.toml": "phones/{name}/phone.toml",
    "compose.xml": "phones/{name}/compose.xml",
    "workflow.yml": ".github/workflows/vsac.yml",
}
"""The templates (``templates/NAME.tmpl``), and where they go in the project."""
_AS_THEY_ARE: Final = ("compose.xml", "say_hello.agent.jsonl")
"""Templates that are copied unchanged."""
_TAKEN: Final = ("house_rules", "say_hello", "std", "apps")
_PACKAGE: Final = re.compile(r"[A-Za-z][A-Za-z0-9_]*(\.[A-Za-z][A-Za-z0-9_]*)+")
_URL: Final = re.compile(r"[a-z][a-z0-9+.-]*://[\w@%+=:,./#?&~-]+", re.ASCII)
_EXTRAS: Final = "device,smt"
VARIABLE: Final = "VSALANG_SOURCE"
"""The variable that says where CI installs vsalang from, if `vsac init` does not know."""


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a project's CI installs vsalang from.

    Attributes:
        requirement: a line of requirements.txt.
        description: where that is, for people; "" if a variable has to say it.
        wheel: a file that is copied into the project.
    """

    requirement: str
    description: str = ""
    wheel: Path | None = None


@dataclass(frozen=True, slots=True)
class Project:
    """A project that was started.

    Attributes:
        module: the app module's name.
        package: the package of the app.
        files: the files that were written, from the project's folder.
        source: where its CI installs vsalang from, for people; empty if a variable has to say it (`needed`).
    """

    module: str
    package: str
    files: tuple[str, ...]
    source: str


class NotStarted(ValueError):
    """A project cannot be started; nothing was written.

    Args:
        message: why.
        hint: what to do.
    """

    def __init__(self, message: str, hint: str) -> None:
        super().__init__(message)
        self.hint = hint


def start(
    root: Path, *, name: str | None = None, package: str | None = None, source: str | None = None
) -> Project:
    """Write a project into a folder, which is made if it is missing. No file is overwritten.

    Args:
        root: the folder.
        name: of the app module; None: made of the folder's name.
        package: of the app; None: ``com.example.NAME``.
        source: where CI installs vsalang from: a URL for pip, or a wheel, which is copied; None: where this vsalang was
            installed from, if others can reach it.

    Raises:
        NotStarted: an argument is not valid, or one of the files is there.
    """
    module = _checked_name(name or _name_of(root), explicit=name is not None)
    origin = _origin(source)
    package = package or f"com.example.{module}"
    texts = _rendered(module, package, root, origin)
    vendored = {f"vendor/{origin.wheel.name}": origin.wheel} if origin.wheel else {}
    places = (*texts, *vendored)
    _check_free(root, places)
    for place, text in texts.items():
        path = root / place
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8", newline="\n") as file:
            file.write(text)
    for place, wheel in vendored.items():
        (root / place).parent.mkdir(exist_ok=True)
        shutil.copyfile(wheel, root / place)
    return Project(module, package, places, origin.description)


def _rendered(name: str, package: str, root: Path, origin: Origin) -> dict[str, str]:
    """The project's files: path in the project -> text.

    Raises:
        NotStarted: the name or the package is not valid.
    """
    if not _PACKAGE.fullmatch(package) or len(package) > 255:
        raise NotStarted(f"{package!r} is not a package", "a package looks like com.example.chat")
    values = {
        "name": name,
        "package": package,
        "title": safe(root.resolve().name, 80) or name,
        "requirement": origin.requirement,
        "install": _install(origin),
        "needed": "" if origin.description else f"\nBefore CI can run: {needed()}.",
    }
    templates = files("vsalang.tools.scaffold") / "templates"
    texts: dict[str, str] = {}
    for template, place in _FILES.items():
        text = templates.joinpath(f"{template}.tmpl").read_text(encoding="utf-8")
        filled = text if template in _AS_THEY_ARE else Template(text).substitute(values)
        texts[place.format(name=name)] = filled.rstrip("\n") + "\n"
    return texts


# ---------------------------------------------------------------------- where CI gets vsalang


def _origin(source: str | None) -> Origin:
    """Where vsalang is installed from.

    Raises:
        NotStarted: what was given is neither a URL nor a wheel.
    """
    if source is not None:
        wheel = Path(source)
        if wheel.suffix == ".whl" and wheel.is_file() and wheel.name.startswith("vsalang-"):
            place = f"vendor/{wheel.name}"
            return Origin(f"./{place}[{_EXTRAS}]", place, wheel)
        if not _URL.fullmatch(source):
            raise NotStarted(
                f"{source!r} is not a URL for pip, nor a wheel of vsalang",
                "such as git+https://HOST/REPOSITORY@COMMIT, or dist/vsalang-VERSION-py3-none-any.whl",
            )
    known = source or installed_from()
    if known and _URL.fullmatch(known):
        return Origin(f"vsalang[{_EXTRAS}] @ {known}", known)
    return Origin(f"vsalang[{_EXTRAS}] @ ${{{VARIABLE}}}")


def needed() -> str:
    """What is to be done before CI can install vsalang, if nobody knows from where."""
    return (
        f"set the repository's variable {VARIABLE} to where pip gets vsalang from, such as "
        "git+https://HOST/REPOSITORY@COMMIT, or write that into requirements.txt in its place"
    )


def _install(origin: Origin) -> str:
    """The steps of the workflow that install vsalang."""
    lines = []
    if not origin.description:
        message = f"it is not known where vsalang is installed from: {needed()}"
        lines = [
            "      - name: Where vsalang is installed from",
            f"        if: vars.{VARIABLE} == ''",
            "        run: |",
            "          if grep -q VSALANG_SOURCE requirements.txt; then",
            f'            echo "::error file=requirements.txt::{message}"',
            "            exit 1",
            "          fi",
        ]
    lines.append("      - run: pip install -r requirements.txt")
    if not origin.description:
        lines += ["        env:", f"          {VARIABLE}: ${{{{ vars.{VARIABLE} }}}}"]
    return "\n".join(lines)


# ---------------------------------------------------------------------- names and places


def _name_of(root: Path) -> str:
    """A module name made of a folder's name; it may be empty."""
    plain = unicodedata.normalize("NFKD", root.resolve().name.lower())
    plain = "".join(char for char in plain if not unicodedata.combining(char))
    name = re.sub(r"[^a-z0-9]+", "_", plain).strip("_")
    return f"app_{name}" if name[:1].isdigit() or name in _TAKEN else name


def _checked_name(name: str, *, explicit: bool) -> str:
    if not name and not explicit:
        raise NotStarted("the folder's name makes no module name", "name the app: --name chat")
    if not re.fullmatch(r"[a-z][a-z0-9_]{0,59}", name):
        raise NotStarted(
            f"{name!r} is not a module name", "small letters, digits and `_`, a letter first: --name chat"
        )
    if name in _TAKEN:
        raise NotStarted(f"`{name}` is the name of another module", "choose another: --name chat")
    return name


def _check_free(root: Path, places: Sequence[str]) -> None:
    there = [place for place in places if os.path.lexists(root / place)]
    if there:
        raise NotStarted(
            f"{', '.join(there)} {'is' if len(there) == 1 else 'are'} there already: nothing was written",
            "choose an empty folder: vsac init my_project",
        )
    for path in (root, *(root / place for place in places)):
        for parent in path.parents if path != root else (root,):
            if parent.exists() and not parent.is_dir():
                raise NotStarted(f"{parent} is not a folder: nothing was written", "choose another folder")
    config = config_for(root / "vsac.toml").file
    if config is not None and config.parent == root.resolve():
        raise NotStarted(
            f"{config.name} configures a project here already: nothing was written", "choose another folder"
        )
