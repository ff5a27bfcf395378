"""Which line of a TOML file a key stands on: the parser of the standard library does not say."""

import tomllib
from typing import Any

_MAX_LINES = 2000


def line_of(text: str, path: tuple[str, ...]) -> int | None:
    """The line (from 1) on which the statement begins that first says something of a key.

    The text is read up to each of its lines: the first piece that is TOML and holds the key ends with the statement,
    and the statement begins behind the longest shorter piece that is TOML.

    Args:
        text: a whole file that is TOML.
        path: the key with the tables it is in, outermost first; the empty path is line 1.

    Returns:
        None if the key is not there, or the file is too long to look.
    """
    lines = text.splitlines()
    if len(lines) > _MAX_LINES:
        return None
    whole = 0
    for count in range(1, len(lines) + 1):
        try:
            document = tomllib.loads("\n".join(lines[:count]) + "\n")
        except ValueError:
            continue
        if _holds(document, path):
            return whole + 1
        whole = count
    return None


def _holds(document: Any, path: tuple[str, ...]) -> bool:
    for name in path:
        if not isinstance(document, dict) or name not in document:
            return False
        document = document[name]
    return True
