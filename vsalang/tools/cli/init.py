"""``vsac init``: starts a project that has no errors, whose tests pass, and whose CI file works unchanged."""

import os
import re
import shlex
import shutil
import unicodedata
from pathlib import Path
from typing import Final

import click

from vsalang.base.records import dataclass
from vsalang.tools.cli.common import EXIT_OK, Failure
from vsalang.tools.cli.output import echo

_FILES: Final = {
    "vsac.toml": "vsac.toml",
    "README.md": "README.md",
    "gitignore": ".gitignore",
    "requirements.txt": "requirements.txt",
    "app.vsa": "app_specs/{name}.vsa",
    "say_hello.vsa": "specs/say_hello.vsa",
    "say_hello.agent.jsonl": "specs/say_hello.agent.jsonl",
    "house_rules.vsa": "policies/house_rules.vsa",
    "phone.toml": "phones/{name}/phone.toml",
    "compose.xml": "phones/{name}/compose.xml",
    "workflow.yml": ".github/workflows/vsac.yml",
}
"""The templates (``scaffold/NAME.tmpl``), and where they go in the project."""
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
        shown: where that is, for people; "" if a variable has to say it.
        wheel: a file that is copied into the project.
    """

    requirement: str
    shown: str = ""
    wheel: Path | None = None


@click.command()
@click.argument("folder", default=".", metavar="[DIR]")
@click.option("--name", metavar="NAME", help="The app module's name. [default: the folder's name]")
@click.option(
    "--package",
    metavar="PACKAGE",
    help="The package that Android knows the app by. [default: com.example.NAME]",
)
@click.option(
    "--vsalang",
    "source",
    metavar="URL|WHEEL",
    help="Where CI installs vsalang from: a pinned URL for pip (git+https://HOST/REPOSITORY@COMMIT), or a wheel, which "
    "is copied into the project. [default: where this vsalang was installed from, if others can reach it]",
)
def command(folder: str, name: str | None, package: str | None, source: str | None) -> int:
    """Start a project in DIR (the working folder if left out).

    Writes an app module, a spec, a policy, a simulated phone with the app, vsac.toml, a CI file and a README: a small
    example to change, without errors, in which every test passes and a recorded agent runs. Nothing is
    overwritten: if one of the files is there, none is written. Exit status: 0 the project was written, 2 it was not.
    """
    root = Path(folder)
    module = _checked_name(name or _name_of(root), given=name is not None)
    origin = _origin(source)
    package = package or f"com.example.{module}"
    texts = rendered(module, package, root, origin)
    vendored = {f"vendor/{origin.wheel.name}": origin.wheel} if origin.wheel else {}
    _check_free(root, [*texts, *vendored])
    for place, text in texts.items():
        path = root / place
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8", newline="\n") as file:
            file.write(text)
    for place, wheel in vendored.items():
        (root / place).parent.mkdir(exist_ok=True)
        shutil.copyfile(wheel, root / place)
    places = [*texts, *vendored]
    echo(f"wrote {len(places)} files" + (f" in {click.format_filename(root)}" if folder != "." else "") + ":")
    for place in places:
        echo(f"  {place}")
    if origin.shown:
        echo(f"CI installs vsalang from {origin.shown} (requirements.txt)")
    else:
        echo(f"before CI can run: {_needed()}")
    inside = f"cd {shlex.quote(str(root))} && " if folder != "." else ""
    agent = "--agent specs/say_hello.agent.jsonl"
    echo(f"next: {inside}vsac test")
    echo(f"then: vsac run specs/say_hello.vsa --device sim:phones/{module} --open {package} {agent}")
    return EXIT_OK


def rendered(name: str, package: str, root: Path, origin: Origin) -> dict[str, str]:
    """The project's files: path in the project -> text.

    Raises:
        Failure: the name or the package is not valid.
    """
    from importlib.resources import files
    from string import Template

    from vsalang.base.diagnostics.display import safe

    if not _PACKAGE.fullmatch(package) or len(package) > 255:
        raise Failure(f"{package!r} is not a package", "a package looks like com.example.chat")
    values = {
        "name": name,
        "package": package,
        "title": safe(root.resolve().name, 80) or name,
        "requirement": origin.requirement,
        "install": _install(origin),
        "needed": "" if origin.shown else f"\nBefore CI can run: {_needed()}.",
    }
    templates = files("vsalang.tools.cli") / "scaffold"
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
        Failure: what was given is neither a URL nor a wheel.
    """
    if source is not None:
        wheel = Path(source)
        if wheel.suffix == ".whl" and wheel.is_file() and wheel.name.startswith("vsalang-"):
            place = f"vendor/{wheel.name}"
            return Origin(f"./{place}[{_EXTRAS}]", place, wheel)
        if not _URL.fullmatch(source):
            raise Failure(
                f"{source!r} is not a URL for pip, and no wheel of vsalang",
                "such as git+https://HOST/REPOSITORY@COMMIT, or dist/vsalang-VERSION-py3-none-any.whl",
            )
    from vsalang.base.project import installed_from

    known = source or installed_from()
    if known and _URL.fullmatch(known):
        return Origin(f"vsalang[{_EXTRAS}] @ {known}", known)
    return Origin(f"vsalang[{_EXTRAS}] @ ${{{VARIABLE}}}")


def _needed() -> str:
    return (
        f"set the repository's variable {VARIABLE} to where pip gets vsalang from, such as "
        "git+https://HOST/REPOSITORY@COMMIT, or write that into requirements.txt in its place"
    )


def _install(origin: Origin) -> str:
    """The steps of the workflow that install vsalang."""
    lines = []
    if not origin.shown:
        message = f"it is not known where vsalang is installed from: {_needed()}"
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
    if not origin.shown:
        lines += ["        env:", f"          {VARIABLE}: ${{{{ vars.{VARIABLE} }}}}"]
    return "\n".join(lines)


# ---------------------------------------------------------------------- names and places


def _name_of(root: Path) -> str:
    """A module name made of a folder's name; it may be empty."""
    plain = unicodedata.normalize("NFKD", root.resolve().name.lower())
    plain = "".join(char for char in plain if not unicodedata.combining(char))
    name = re.sub(r"[^a-z0-9]+", "_", plain).strip("_")
    return f"app_{name}" if name[:1].isdigit() or name in _TAKEN else name


def _checked_name(name: str, *, given: bool) -> str:
    if not name and not given:
        raise Failure("the folder's name makes no module name", "name the app: --name chat")
    if not re.fullmatch(r"[a-z][a-z0-9_]{0,59}", name):
        raise Failure(
            f"{name!r} is not a module name", "small letters, digits and `_`, a letter first: --name chat"
        )
    if name in _TAKEN:
        raise Failure(f"`{name}` is the name of another module", "choose another: --name chat")
    return name


def _check_free(root: Path, places: list[str]) -> None:
    from vsalang.base.config import config_for

    there = [place for place in places if os.path.lexists(root / place)]
    if there:
        raise Failure(
            f"{', '.join(there)} {'is' if len(there) == 1 else 'are'} there already: nothing was written",
            "choose an empty folder: vsac init my_project",
        )
    for path in (root, *(root / place for place in places)):
        for parent in path.parents if path != root else (root,):
            if parent.exists() and not parent.is_dir():
                raise Failure(f"{parent} is not a folder: nothing was written", "choose another folder")
    found = config_for(root / "vsac.toml").file
    if found is not None and found.parent == root.resolve():
        raise Failure(
            f"{found.name} configures a project here already: nothing was written", "choose another folder"
        )
