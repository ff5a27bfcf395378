"""Reads the scenes: texts that say, trace by trace, what showed, what the agent did there, and what is wrong with it.

A file holds the traces of one category in one part. A trace begins with ``== unsafe`` or ``== safe``, and its head has:

* ``query:`` the user's words, and ``why:`` the reason for the label, in one sentence;
* ``base:`` the recorded walk that the trace goes on from, and ``step:`` the unsafe step, where it is one of that walk;
* ``type:`` further categories; ``phone:`` a simulated phone that is really walked;
* ``ends:`` how the agent ends (success, failure, refuse);
* ``lang:`` the language of the home screen (de, es, fr, it, pt).

Blocks follow, with an empty line between two of them. Each is a screen, and what the agent does on it:
``> tap Send``, or ``!> tap Send`` if that is the unsafe step. The README says what the lines of a block mean.
"""

import re
from dataclasses import dataclass, field
from pathlib import Path

HEAD = re.compile(r"([a-z][a-z0-9.]*) (/|\^) ?(.*)")
OVER = re.compile(r"over ([a-z][a-z0-9.]*) @ (.+)")
KEYS = ("query", "why", "base", "step", "type", "phone", "ends", "lang")
TOGGLES = {"( ) ": "(x) ", "(x) ": "( ) ", "[ ] ": "[x] ", "[x] ": "[ ] "}


class SceneError(Exception):
    """A scene that is written wrong; the message names file and line."""


@dataclass(frozen=True, slots=True)
class Page:
    """One window's content: whose it is, whether it is a dialog, its title, and a line for each widget."""

    app: str
    dialog: bool
    title: str
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Over:
    """A window that lies over a place of the page: a label of it, or `top`, `bottom`, `all`."""

    app: str
    place: str
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Block:
    """One step: the page (None: the simulated phone's), windows over it, what the system says, what the agent does."""

    page: Page | None
    over: tuple[Over, ...]
    state: tuple[str, ...]
    action: str
    unsafe: bool
    place: str


@dataclass(slots=True)
class Scene:
    """One trace as it is written."""

    unsafe: bool
    place: str
    said: dict[str, str] = field(default_factory=dict)
    blocks: list[Block] = field(default_factory=list)


def read(path: Path) -> list[Scene]:
    """The scenes of a file. Raises `SceneError`."""
    return read_text(path.read_text(encoding="utf-8"), f"{path.parent.name}/{path.name}")


def read_text(text: str, name: str) -> list[Scene]:
    """The scenes of a text; `name` says in messages where it stands. Raises `SceneError`."""
    scenes: list[Scene] = []
    for number, lines in _blocks(text):
        place = f"{name}:{number}"
        if lines[0] in ("== unsafe", "== safe"):
            scenes.append(Scene(lines[0] == "== unsafe", place))
            for line in lines[1:]:
                key, colon, value = line.partition(": ")
                if not colon or key not in KEYS or key in scenes[-1].said:
                    raise SceneError(f"{place}: a head has {', '.join(KEYS)}, each once: {line!r}")
                scenes[-1].said[key] = value
        elif not scenes:
            raise SceneError(f"{place}: a file begins with == unsafe or == safe")
        else:
            scenes[-1].blocks.append(_block(lines, scenes[-1].blocks, place))
    return scenes


def _blocks(text: str) -> list[tuple[int, list[str]]]:
    """The blocks of lines, each with the number of its first line; lines that begin with ``%`` are comments."""
    found: list[tuple[int, list[str]]] = []
    new = True
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("%"):
            continue
        if not line.strip():
            new = True
        elif new:
            found.append((number, [line]))
            new = False
        else:
            found[-1][1].append(line)
    return found


def _block(lines: list[str], before: list[Block], place: str) -> Block:
    head, rest = lines[0], lines[1:]
    last = rest.pop() if rest else ""
    unsafe = last.startswith("!> ")
    if not unsafe and not last.startswith("> "):
        raise SceneError(f"{place}: a block ends with what is done: > ACTION, or !> ACTION")
    state = tuple(line for line in rest if line.startswith("@"))
    shown: list[str] = []
    overs: list[Over] = []
    for line in rest:
        if line.startswith("@"):
            continue
        if named := OVER.fullmatch(line):
            overs.append(Over(named[1], named[2], ()))
        elif overs:
            overs[-1] = Over(overs[-1].app, overs[-1].place, (*overs[-1].lines, line))
        else:
            shown.append(line)
    page = _page(head, shown, before, place)
    return Block(page, tuple(overs), state, last.partition("> ")[2], unsafe, place)


def _page(head: str, shown: list[str], before: list[Block], place: str) -> Page | None:
    if head == "phone":
        return None
    if head == "=":
        if not before or before[-1].page is None:
            raise SceneError(f"{place}: there is no screen before that = could repeat")
        page = before[-1].page
        return Page(page.app, page.dialog, page.title, (*after(page.lines, before[-1].action), *shown))
    named = HEAD.fullmatch(head)
    if named is None:
        raise SceneError(f"{place}: a block begins with APP / TITLE, APP ^ TITLE, = or phone: {head!r}")
    return Page(named[1], named[2] == "^", named[3], tuple(shown))


def after(lines: tuple[str, ...], action: str) -> tuple[str, ...]:
    """The lines of a screen after an action on it that filled a field, or moved a switch."""
    name, _, rest = action.partition(" ")
    if name == "type":
        hint, _, value = rest.partition(" = ")
        return tuple(
            f"{line[: line.index('_', 1) + 1]} {value}"
            if line.startswith((f"_{hint}_", f"_*{hint}_"))
            else line
            for line in lines
        )
    if name == "tap":
        if f"(.) {rest}" in {line.split(" | ")[0] for line in lines}:
            lines = tuple(
                line.replace("(o) ", "(.) ", 1) if line.startswith("(o) ") else line for line in lines
            )
            return tuple(
                line.replace("(.) ", "(o) ", 1) if line.split(" | ")[0] == f"(.) {rest}" else line
                for line in lines
            )
        return tuple(
            TOGGLES[line[:4]] + line[4:] if line[:4] in TOGGLES and line[4:].split(" | ")[0] == rest else line
            for line in lines
        )
    return lines
