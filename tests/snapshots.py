"""Texts as they should be, in `tests/golden`; ``UPDATE_GOLDEN=1 pytest ...`` writes them: read the difference.

A long text is a file. Many short ones stand in a file of pairs, what is given next to what is expected of it::

    ==== name_of_the_pair
    spec s "What is given."
    ----
    what is expected of it

    ==== name_of_the_next

A text without a line break at its end is followed by the line ``\\ no line break here``.
"""

import fcntl
import os
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

GOLDEN = Path(__file__).resolve().parent / "golden"
_CUT = "\\ no line break here\n"
_HEAD = re.compile(r"^==== (.*)\n", re.MULTILINE)
_MIDDLE = re.compile(r"^----\n", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Pair:
    """A text and what is expected of it, in a file of pairs."""

    file: Path
    name: str
    given: str
    wanted: str


def golden(text: str, name: Path | str | Pair) -> None:
    """Compare a text with a file or with the expected part of a pair, or write it.

    Args:
        text: what there is now.
        name: of the file, in `tests/golden`; another place as a whole path; or the pair.
    """
    update = bool(os.environ.get("UPDATE_GOLDEN"))
    if isinstance(name, Pair):
        wanted = _update(name, text) if update else name.wanted
    else:
        path = GOLDEN / name
        if update:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        wanted = path.read_text(encoding="utf-8")
    assert text == wanted, "is it right? then UPDATE_GOLDEN=1 writes it"


def pairs(*files: Path) -> list[Pair]:
    """The pairs of these files.

    Raises:
        ValueError: a file is not a file of pairs; it says where.
    """
    return [pair for file in files for pair in parse_pairs(file.read_bytes().decode(), file)]


def parse_pairs(text: str, file: Path) -> list[Pair]:
    """The pairs that a text holds, which stands in that file."""
    before, *parts = _HEAD.split(text)
    if before:
        raise ValueError(f"{file}: the first line is not `==== name`")
    found: dict[str, Pair] = {}
    for name, body in zip(parts[::2], parts[1::2], strict=True):
        sides = _MIDDLE.split(body)
        if not re.fullmatch(r"\w+", name) or name in found:
            raise ValueError(f"{file}: `{name}` is not a name of a pair, or there are two of them")
        if len(sides) != 2:
            raise ValueError(f"{file}: `{name}` has {len(sides) - 1} lines `----`, not one")
        given, wanted = sides
        if len(found) + 1 < len(parts) // 2:
            if not body.endswith("\n\n"):
                raise ValueError(f"{file}: there is no blank line after `{name}`")
            wanted = wanted[:-1]
        elif not body.endswith("\n"):
            raise ValueError(f"{file}: the last line has no line break")
        found[name] = Pair(file, name, _text(given), _text(wanted))
    return list(found.values())


def print_pairs(them: Iterable[Pair]) -> str:
    """The text of a file with these pairs.

    Raises:
        ValueError: a text has a line that would be read as the end of its part.
    """
    return "\n".join(f"==== {one.name}\n{_part(one.given)}----\n{_part(one.wanted)}" for one in them)


def _text(part: str) -> str:
    return part.removesuffix(_CUT)[:-1] if f"\n{part}".endswith(f"\n{_CUT}") else part


def _part(text: str) -> str:
    lines = f"{text}\n"
    if _HEAD.search(lines) or _MIDDLE.search(lines) or f"\n{text}".endswith(f"\n{_CUT}"):
        raise ValueError(
            f"a text with a line `==== ..`, `----` or `{_CUT[:-1]}` needs a file of its own: {text!r}"
        )
    return text if not text or text.endswith("\n") else f"{text}\n{_CUT}"


def _update(pair: Pair, wanted: str) -> str:
    """Write what is expected of a pair into its file, which other workers of pytest write as well."""
    with pair.file.open("r+b") as file:
        fcntl.flock(file, fcntl.LOCK_EX)  # until it is closed
        now = parse_pairs(file.read().decode(), pair.file)
        assert pair.name in {one.name for one in now}
        text = print_pairs(replace(one, wanted=wanted) if one.name == pair.name else one for one in now)
        file.seek(0)
        file.write(text.encode())
        file.truncate()
    return wanted
