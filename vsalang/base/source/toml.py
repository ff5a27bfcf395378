"""Finds the line of a key in a TOML file, which the parser of the standard library does not give."""

import tomllib
from typing import Any, Final

_MOST_LINES: Final = 3000


def line_of(text: str, path: tuple[str | int, ...]) -> int | None:
    """The line (from 1) on which the first statement about a key begins.

    The text is parsed up to each of its lines: the shortest beginning that is TOML and contains the key ends with the
    statement, and the statement begins after the longest shorter beginning that is TOML.

    Args:
        text: a whole file that is TOML.
        path: the key with the tables it is in, outermost first, and numbers from 0 for members of lists; the empty
            path is line 1.

    Returns:
        None if the key is not there, or not in the lines that are searched.
    """
    lines = text.splitlines()
    whole = 0
    for count in range(1, min(len(lines), _MOST_LINES) + 1):
        try:
            document = tomllib.loads("\n".join(lines[:count]) + "\n")
        except ValueError:
            continue
        if _contains(document, path):
            return whole + 1
        whole = count
    return None


def _contains(document: Any, path: tuple[str | int, ...]) -> bool:
    for key in path:
        if isinstance(key, int):
            if not isinstance(document, list) or key >= len(document):
                return False
        elif not isinstance(document, dict) or key not in document:
            return False
        document = document[key]
    return True
