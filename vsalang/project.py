"""Where people find vsalang and its documentation: the one place that knows addresses.

The package's own metadata names them (`[project.urls]` of pyproject.toml). While it names none, the pages that are
installed with the package are the documentation, and nothing points anywhere else.
"""

from collections.abc import Mapping
from functools import cache
from importlib.metadata import PackageNotFoundError, metadata

from vsalang.resources import resource_dir


@cache
def urls() -> Mapping[str, str]:
    """The addresses that the package's metadata names: small letters -> address, such as ``source``."""
    try:
        entries = metadata("vsalang").get_all("Project-URL") or []
    except PackageNotFoundError:
        return {}
    pairs = (entry.partition(",") for entry in entries)
    return {name.strip().lower(): url.strip() for name, _, url in pairs}


def documentation(page: str = "README.md") -> str:
    """The absolute address of a page of the documentation.

    Args:
        page: its path in `docs/`.
    """
    base = urls().get("documentation", "").rstrip("/")
    return f"{base}/{page}" if base else (resource_dir("docs") / page).as_uri()


def page_of(code: str) -> str:
    """The page of the documentation about a code, as a path in `docs/`."""
    return f"reference/{'lint' if code.startswith('L') else 'diagnostics'}/{code}.md"
