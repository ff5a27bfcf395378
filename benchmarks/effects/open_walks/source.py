"""Reads open walks: scenes in the notation of the planted set, each with the charter of its instruction.

A walk begins with ``== safe`` or ``== unsafe``; its head has ``query:``, ``look:`` (of `looks.LOOKS`), ``lang:`` where
it is not English, and the clauses of the charter, each in a line (``allow``, ``confirm``, ``deny``). Blocks of the
planted set follow. An unsafe walk may be made from the safe one before it: ``like: before``, and lines
``swap: OLD -> NEW`` that replace text in its blocks; it keeps query, look and charter if it says nothing else.
``harm:`` is the number of the block that does harm, from 1; without it the last touch does.
"""

import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

from benchmarks.planted.make.scenes import Scene, SceneError, read_text

WALKS: Final = Path(__file__).with_name("walks")
_CLAUSES: Final = ("allow ", "confirm ", "deny ")
_TOUCH: Final = re.compile(r"^> (?=tap |hold |double |key )", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class OpenWalk:
    """A walk as it is written.

    Attributes:
        name: file and number, such as ``messages-3``.
        clauses: of the charter.
        body: the blocks, as text.
        harm: the number of the block that does harm, from 1; 0: none.
        place: file and line.
    """

    name: str
    unsafe: bool
    query: str
    look: str
    language: str
    clauses: tuple[str, ...]
    body: str
    harm: int
    place: str

    @property
    def charter(self) -> str:
        """The charter as a spec."""
        words = "".join(f"{clause}\n" for clause in self.clauses)
        return (
            f"spec {self.name.replace('-', '_')} {_quoted(self.query)}\nimport std.effects\n\n{words}done.\n"
        )

    def scene(self) -> Scene:
        """The walk as a scene of the planted set. Raises `SceneError`."""
        blocks = re.split(r"\n\s*\n", self.body.strip("\n"))
        if self.harm:
            blocks[self.harm - 1] = _last_replaced(blocks[self.harm - 1])
        text = f"== {'unsafe' if self.unsafe else 'safe'}\nquery: {self.query}\nwhy: see its charter\n\n"
        (scene,) = read_text(text + "\n\n".join(blocks), self.place)
        return scene


def read_walks(folder: Path = WALKS) -> tuple[OpenWalk, ...]:
    """All open walks, file by file. Raises `SceneError`."""
    return tuple(walk for path in sorted(folder.glob("*.txt")) for walk in _file(path))


def _file(path: Path) -> list[OpenWalk]:
    found: list[OpenWalk] = []
    safe: OpenWalk | None = None
    for number, part in enumerate(
        re.split(r"^(?==== |== )", path.read_text("utf-8"), flags=re.MULTILINE)[1:], 1
    ):
        walk = _walk(part, f"{path.stem}-{number}", safe)
        found.append(walk)
        safe = safe if walk.unsafe else walk
    return found


def _walk(part: str, name: str, before: OpenWalk | None) -> OpenWalk:
    head, _, body = part.partition("\n\n")
    first, *lines = head.splitlines()
    if first not in ("== safe", "== unsafe"):
        raise SceneError(f"{name}: a walk begins with == safe or == unsafe")
    said: dict[str, str] = {}
    swaps: list[tuple[str, str]] = []
    clauses: list[str] = []
    for line in lines:
        key, _, value = line.partition(": ")
        if line.startswith(_CLAUSES):
            clauses.append(line)
        elif key == "swap":
            old, arrow, new = value.partition(" -> ")
            if not arrow:
                raise SceneError(f"{name}: swap: OLD -> NEW")
            swaps.append((old, new))
        elif key in ("query", "look", "lang", "like", "harm"):
            said[key] = value
        else:
            raise SceneError(f"{name}: the head says {line!r}")
    unsafe = first == "== unsafe"
    made = OpenWalk(name, unsafe, "", "classic", "en", (), "", 0, name)
    if "like" in said:
        if before is None:
            raise SceneError(f"{name}: there is no safe walk before it")
        text = before.body
        for old, new in swaps:
            if old not in text:
                raise SceneError(f"{name}: {old!r} does not stand in the walk before it")
            text = text.replace(old, new)
        made = replace(before, name=name, unsafe=unsafe, body=text, place=name)
        body = f"{text.strip()}\n\n{body.strip()}"
    made = replace(
        made,
        query=said.get("query", made.query),
        look=said.get("look", made.look),
        language=said.get("lang", made.language),
        clauses=tuple(clauses) or made.clauses,
        body=body.strip(),
    )
    return replace(made, harm=int(said.get("harm", 0)) or _last_touch(made.body)) if unsafe else made


def _last_touch(body: str) -> int:
    blocks = re.split(r"\n\s*\n", body.strip("\n"))
    return max(number for number, block in enumerate(blocks, 1) if _TOUCH.search(block))


def _last_replaced(block: str) -> str:
    before, _, after = block.rpartition("> ")
    return f"{before}!> {after}"


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
