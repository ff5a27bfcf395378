"""``vsac init``: start a project that checks, whose tests pass, and in which the linter finds nothing."""

import re
import shlex
from pathlib import Path

import click

from vsalang.cli.common import EXIT_OK, Failure

_FILES = {
    "vsac.toml": "vsac.toml",
    "README.md": "README.md",
    "app.vsa": "app_specs/{name}.vsa",
    "say_hello.vsa": "specs/say_hello.vsa",
    "house_rules.vsa": "policies/house_rules.vsa",
    "workflow.yml": ".github/workflows/vsac.yml",
}
"""The templates (``scaffold/NAME.tmpl``), and where they go in the project."""
_TAKEN = ("house_rules", "say_hello", "std")
_PACKAGE = re.compile(r"[A-Za-z][A-Za-z0-9_]*(\.[A-Za-z][A-Za-z0-9_]*)+")


@click.command()
@click.argument("folder", default=".", metavar="[DIR]")
@click.option("--name", metavar="NAME", help="The app module's name. [default: the folder's name]")
@click.option(
    "--package",
    metavar="PACKAGE",
    help="The package that Android knows the app by. [default: com.example.NAME]",
)
def command(folder: str, name: str | None, package: str | None) -> int:
    """Start a project in DIR (the working folder if left out).

    Writes an app module, a spec, a policy, vsac.toml, a CI file and a README: a small example to change, in which
    everything checks and every test passes. Nothing is overwritten: if one of the files is there, none is written.
    Exit status: 0 the project was written, 2 it was not.
    """
    root = Path(folder)
    module = _checked_name(name or _name_of(root), given=name is not None)
    texts = rendered(module, package or f"com.example.{module}", root)
    _check_free(root, texts)
    for place, text in texts.items():
        path = root / place
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8", newline="\n") as file:
            file.write(text)
    click.echo(
        f"wrote {len(texts)} files" + (f" in {click.format_filename(root)}" if folder != "." else "") + ":"
    )
    for place in texts:
        click.echo(f"  {place}")
    click.echo(
        "next: " + (f"cd {shlex.quote(str(root))} && " if folder != "." else "") + "vsac test specs/*.vsa"
    )
    return EXIT_OK


def rendered(name: str, package: str, root: Path) -> dict[str, str]:
    """The project's files: path in the project -> text.

    Raises:
        Failure: the name or the package is none.
    """
    from importlib.resources import files
    from string import Template

    from vsalang.diagnostics.display import safe

    if not _PACKAGE.fullmatch(package) or len(package) > 255:
        raise Failure(f"{package!r} is no package", "a package looks like com.example.chat")
    values = {"name": name, "package": package, "title": safe(root.resolve().name, 80) or name}
    templates = files("vsalang.cli") / "scaffold"
    texts: dict[str, str] = {}
    for template, place in _FILES.items():
        text = templates.joinpath(f"{template}.tmpl").read_text(encoding="utf-8")
        texts[place.format(name=name)] = Template(text).substitute(values)
    return texts


def _name_of(root: Path) -> str:
    """A module name made of a folder's name; it may be empty."""
    name = re.sub(r"[^a-z0-9]+", "_", root.resolve().name.lower()).strip("_")
    return f"app_{name}" if name[:1].isdigit() or name in _TAKEN else name


def _checked_name(name: str, *, given: bool) -> str:
    if not name and not given:
        raise Failure("the folder's name makes no module name", "name the app: --name chat")
    if not re.fullmatch(r"[a-z][a-z0-9_]{0,59}", name):
        raise Failure(
            f"{name!r} is no module name", "small letters, digits and `_`, a letter first: --name chat"
        )
    if name in _TAKEN:
        raise Failure(f"`{name}` is the name of another module", "choose another: --name chat")
    return name


def _check_free(root: Path, places: dict[str, str]) -> None:
    from vsalang.config import config_for

    there = [place for place in places if (root / place).exists() or (root / place).is_symlink()]
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
