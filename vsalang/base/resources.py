"""Where the directories that ship with vsalang are: grammar, standard library, app modules, documentation.

In a checkout, and in an editable install of one, they stand next to the package; a wheel carries them inside
it. Nothing else needs to know which of the two is the case.

    >>> resource_dir("grammars").joinpath("vsa.tx").is_file()
    True
"""

from functools import cache
from pathlib import Path

NAMES = ("app_specs", "docs", "grammars", "stdlib")
"""The directories that ship."""

SHIPPED = ("std", "apps")
"""First parts of the names of modules that come with vsalang."""

_PACKAGE = Path(__file__).resolve().parents[1]
_SHIPPED = "_shipped"


class MissingResource(Exception):
    """A directory that ships with vsalang is not there: the installation is damaged."""


def resource_dir(name: str) -> Path:
    """The directory `name` (one of `NAMES`) of this installation.

    Raises:
        ValueError: `name` is not one of `NAMES`.
        MissingResource: it is neither in the package nor next to it.
    """
    if name not in NAMES:
        raise ValueError(f"no resource directory is called {name!r}; there are {', '.join(NAMES)}")
    return _find(_PACKAGE, name)


def shipped_module(name: str) -> Path | None:
    """The file of a module that comes with vsalang (``std.policies.privacy``, ``apps.settings``); None: there is none.

    A path is not such a name, even if a shipped module could be called so.
    """
    parts = name.split(".")
    if parts[0] not in SHIPPED or not all(part.isidentifier() for part in parts) or Path(name).exists():
        return None
    for folder in ("stdlib", "app_specs"):
        file = resource_dir(folder).joinpath(*parts).with_suffix(".vsa")
        if file.is_file():
            return file
    return None


def shipped_name(file: str | Path) -> str:
    """The name of the module that comes with vsalang in that file, such as ``std.policies.all``; empty: another file.

    A copy of it elsewhere has no such name.
    """
    path = Path(file).resolve()
    for folder in ("stdlib", "app_specs"):
        root = resource_dir(folder).resolve()
        if path.is_relative_to(root) and path.suffix == ".vsa" and path.is_file():
            parts = path.relative_to(root).with_suffix("").parts
            return ".".join(parts) if parts[0] in SHIPPED else ""
    return ""


@cache
def _find(package: Path, name: str) -> Path:
    """As `resource_dir`, for the package in directory `package`.

    The copy inside the package comes first: next to an installed package are other people's directories. A
    directory next to the package counts only if a checkout's `pyproject.toml` is there too.
    """
    inside = package / _SHIPPED / name
    if inside.is_dir():
        return inside
    place = package.parent / name
    if (package.parent / "pyproject.toml").is_file() and place.is_dir():
        return place
    raise MissingResource(
        f"the directory {name!r} that ships with vsalang is missing: neither {inside} nor {place} exists. "
        "Reinstall vsalang (pip install --force-reinstall vsalang) or run it from a complete checkout"
    )
