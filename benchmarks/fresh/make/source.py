"""Reads the sources of the set: what users ask for, what agents do then, and what a charter would permit.

A file of `items` holds entries; each begins with a line ``== KIND ID LANGUAGE [CATEGORY..]`` and a head of lines
``KEY: VALUE``:

* ``== order``: one safe walk and several wordings of one request. Each ``q:`` is an item.
* ``== unsafe``: a walk that does harm in the step that is marked with ``!>``, and often a twin: the same walk where the
  user asked for just that. ``s: A => B`` changes texts of the twin's screens.
* ``== harm``: one harm that `words` tell in several languages, with its twin.
* ``== words all LANGUAGE``: the words of all harms in one language, ``$NAME`` or ``$(NAME)`` in their entries.

``c:`` is a clause of the charter, ``a:`` an effect that is asked about first, ``j:`` the kind of harm if the
instruction alone shows it. They belong to the ``q:`` or ``twin:`` before them; those before the first ``q:`` belong to
every ``q:`` that has none of its own.
The scene of a walk follows after an empty line, as in `benchmarks.planted`.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from benchmarks.planted.make.scenes import SceneError

Kind = Literal["order", "unsafe", "twin", "harm", "harm_twin"]
RIGHT = "It is what was asked for."
KINDS = ("order", "unsafe", "harm", "words")
KEYS = ("q", "c", "a", "j", "act", "why", "twin", "s")
MARK = re.compile(r"\$\((\w+)\)|\$(\w+)", re.ASCII)


@dataclass(frozen=True, slots=True)
class Charter:
    """What a model would write of one instruction: clauses that permit, effects to ask about, and its judgement."""

    clauses: tuple[str, ...] = ()
    asks: tuple[str, ...] = ()
    harmful: str = ""


@dataclass(frozen=True, slots=True)
class Item:
    """One instruction with a walk.

    Attributes:
        name: of the item.
        kind: which part of the set it belongs to.
        lang: the language of the instruction and of the screens.
        query: the instruction.
        walk: the name of its walk; wordings of one request share one.
        charter: what a model would write of the instruction alone.
        unsafe: whether the walk does harm.
        act: the effect of `std.effects` that does the harm, of a safe twin the same; empty: another kind of act.
        categories: the kinds of harm.
    """

    name: str
    kind: Kind
    lang: str
    query: str
    walk: str
    charter: Charter
    unsafe: bool = False
    act: str = ""
    categories: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class WalkText:
    """The scene of one walk as it is written, with its head for `benchmarks.planted.make.scenes`."""

    name: str
    lang: str
    unsafe: bool
    categories: tuple[str, ...]
    query: str
    why: str
    blocks: str
    place: str


@dataclass(slots=True)
class _Entry:
    kind: str
    name: str
    lang: str
    categories: tuple[str, ...]
    head: list[tuple[str, str]]
    place: str
    blocks: list[str] = field(default_factory=list)


def read(paths: Sequence[Path]) -> tuple[list[Item], list[WalkText]]:
    """All items of some files, and their walks. Raises `SceneError`."""
    entries = [entry for path in paths for entry in _entries(path)]
    harms = [entry for entry in entries if entry.kind == "harm"]
    told = [_told(harm, words) for words in entries if words.kind == "words" for harm in harms]
    items: list[Item] = []
    walks: list[WalkText] = []
    for entry in (*(each for each in entries if each.kind in ("order", "unsafe")), *told):
        made, scenes = _order(entry) if entry.kind == "order" else _pair(entry)
        items += made
        walks += scenes
    for names in ([item.name for item in items], [walk.name for walk in walks]):
        if twice := {name for name in names if names.count(name) > 1}:
            raise SceneError(f"named twice: {', '.join(sorted(twice))}")
    return items, walks


def _entries(path: Path) -> Iterator[_Entry]:
    entry: _Entry | None = None
    in_head = False
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        place = f"{path.name}:{number}"
        if line.startswith("%") or (entry is None and not line):
            continue
        if line.startswith("== "):
            if entry is not None:
                yield entry
            kind, *rest = line[3:].split()
            if kind not in KINDS or len(rest) < 2:
                raise SceneError(f"{place}: == {'|'.join(KINDS)} ID LANGUAGE [CATEGORY..]")
            entry, in_head = _Entry(kind, rest[0], rest[1], tuple(rest[2:]), [], place), True
        elif entry is None:
            raise SceneError(f"{place}: a file begins with ==")
        elif in_head and line.strip():
            key, colon, value = line.partition(": ")
            if not colon or (key not in KEYS and entry.kind != "words"):
                raise SceneError(f"{place}: a head has {', '.join(KEYS)}: {line!r}")
            entry.head.append((key, value))
        elif in_head:
            in_head = False
        else:
            entry.blocks.append(line)
    if entry is not None:
        yield entry


def _told(harm: _Entry, words: _Entry) -> _Entry:
    """A harm in the words of one language."""
    known = dict(words.head)

    def put(text: str) -> str:
        def word(found: re.Match[str]) -> str:
            name = found[1] or found[2]
            if name not in known:
                raise SceneError(f"{words.place}: {name} is not said")
            return known[name]

        return MARK.sub(word, text)

    head = [(key, put(value)) for key, value in harm.head]
    blocks = [put(line) for line in harm.blocks]
    return replace(
        harm, name=f"{harm.name}_{words.lang}", lang=words.lang, head=head, place=words.place, blocks=blocks
    )


def _order(entry: _Entry) -> tuple[list[Item], list[WalkText]]:
    common, asked = _groups(entry)
    if not asked:
        raise SceneError(f"{entry.place}: an order has a q:")
    items = [
        Item(f"{entry.name}{chr(ord('a') + number)}", "order", entry.lang, query, entry.name,
             _charter(own or common, entry.place))
        for number, (_, query, own) in enumerate(asked)
    ]  # fmt: skip
    query, blocks = items[0].query, _blocks(entry)
    return items, [WalkText(entry.name, entry.lang, False, (), query, RIGHT, blocks, entry.place)]


def _pair(entry: _Entry) -> tuple[list[Item], list[WalkText]]:
    """An unsafe item, and its safe twin if it has one."""
    common, asked = _groups(entry)
    said = dict(entry.head)
    if not entry.categories or not said.get("why") or not asked or asked[0][0] != "q" or len(asked) > 2:
        raise SceneError(f"{entry.place}: what is unsafe has categories, why:, q:, and perhaps twin:")
    of_harm = entry.kind == "harm"
    blocks = _blocks(entry)
    item = Item(entry.name, "harm" if of_harm else "unsafe", entry.lang, asked[0][1], entry.name,
                _charter(asked[0][2] or common, entry.place), True, said.get("act", ""), entry.categories)  # fmt: skip
    walk = WalkText(
        entry.name, entry.lang, True, entry.categories, item.query, said["why"], blocks, entry.place
    )
    if len(asked) == 1:
        return [item], [walk]
    for key, value in entry.head:
        if key == "s":
            old, arrow, new = value.partition(" => ")
            if not arrow or old not in blocks:
                raise SceneError(f"{entry.place}: s: A => B, A being in the scene: {value!r}")
            blocks = blocks.replace(old, new)
    name = f"{entry.name}t"
    twin = replace(item, name=name, kind="harm_twin" if of_harm else "twin", query=asked[1][1], walk=name,
                   charter=_charter(asked[1][2] or common, entry.place), unsafe=False, categories=())  # fmt: skip
    safe = replace(walk, name=name, unsafe=False, categories=(), query=twin.query,
                   why=RIGHT, blocks=re.sub(r"(?m)^!> ", "> ", blocks))  # fmt: skip
    return [item, twin], [walk, safe]


def _groups(entry: _Entry) -> tuple[list[tuple[str, str]], list[tuple[str, str, list[tuple[str, str]]]]]:
    """The lines of a charter before the first instruction, and each instruction with its own."""
    common: list[tuple[str, str]] = []
    asked: list[tuple[str, str, list[tuple[str, str]]]] = []
    for key, value in entry.head:
        if key in ("q", "twin"):
            asked.append((key, value, []))
        elif key in ("c", "a", "j"):
            (asked[-1][2] if asked else common).append((key, value))
    return common, asked


def _charter(lines: Sequence[tuple[str, str]], place: str) -> Charter:
    said = {key: tuple(value for each, value in lines if each == key) for key in ("c", "a", "j")}
    if len(said["j"]) > 1:
        raise SceneError(f"{place}: one judgement")
    return Charter(said["c"], said["a"], "".join(said["j"]))


def _blocks(entry: _Entry) -> str:
    text = "\n".join(entry.blocks).strip("\n")
    if not text:
        raise SceneError(f"{entry.place}: no scene")
    return text
