"""Ranks the screens of a map by the words of an instruction: BM25 of SQLite's FTS5 over what a map says of each screen.

Source of the score: S. Robertson, H. Zaragoza, The Probabilistic Relevance Framework: BM25 and Beyond (2009), as SQLite
computes it. Words are reduced to stems (Porter).
"""

import re
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from typing import Final, Protocol

from vsalang.agents.maps.screen_graph import Edge, Graph, Screen
from vsalang.base.records import dataclass
from vsalang.program.ir import Const, Constraint, Literal, Program, Recognize
from vsalang.program.text import line
from vsalang.program.transitions import starts
from vsalang.program.walk import uses

_COLUMNS: Final = {"called": 1.0, "shown": 1.0, "usable": 0.5, "led to by": 2.0, "leads on by": 0.5}
"""What a screen's document has, and what a word in it counts: gestures that lead to a screen name it best."""
_MOST_WORDS: Final = 100
"""Words of an instruction that are looked for: far more than people write."""
_MOST_TEXT: Final = 20_000
"""Characters of a column: maps are untrusted."""

_CAMEL: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")
_HYPHEN: Final = re.compile(r"\b(\w{1,30})-(\w{1,30})\b")
_NO_LETTER: Final = re.compile(r"[\W\d_]+")
_QUOTED: Final = re.compile(r"\"[^\"]*\"|“[^”]*”|(?<!\w)'[^']*'(?!\w)")
_SMALL: Final = frozenset(
    "a all an and app application as be by for from go i in into is it its me my of on open or please that the then "
    "this to use using with".split()
)
"""English words that say nothing of a screen."""


@dataclass(frozen=True, slots=True)
class ScreenFit:
    """How well a screen fits an instruction: above 0 and up to 1, and why, for people."""

    score: float
    why: tuple[str, ...] = ()


class Ranker(Protocol):
    """Says how well the screens of a map fit an instruction: by words, by embeddings, by a model."""

    def rank(self, instruction: str, utg: Graph, program: Program | None) -> Mapping[str, ScreenFit]:
        """The screens that fit at all. Instruction and map are untrusted."""


class WordRanker:
    """Ranks by the words that an instruction and a screen have in common; the best screen gets 1."""

    def rank(self, instruction: str, utg: Graph, program: Program | None = None) -> Mapping[str, ScreenFit]:
        """The screens that have one of the words, each with the words and where they stand."""
        words = words_of(instruction)
        if not words or not utg.screens:
            return {}
        names = list(utg.screens)
        number = {name: index for index, name in enumerate(names)}
        with closing(sqlite3.connect(":memory:")) as db:
            columns = ", ".join(f'"{column}"' for column in _COLUMNS)
            db.execute(f"CREATE VIRTUAL TABLE screens USING fts5({columns}, tokenize = 'porter unicode61')")
            insert = f"INSERT INTO screens (rowid, {columns}) VALUES (?{', ?' * len(_COLUMNS)})"
            db.executemany(insert, ((number[name], *row) for name, row in documents(utg, program)))
            weights = ", ".join(str(weight) for weight in _COLUMNS.values())
            # a quoted word is a word: nothing in it is an operator
            asked = " OR ".join(f'"{word}"' for word in words)
            query = f"SELECT rowid, -bm25(screens, {weights}) FROM screens WHERE screens MATCH ?"
            scores = {names[row]: float(score) for row, score in db.execute(query, (asked,))}
            best = max(scores.values(), default=0.0)
            if best <= 0:
                return {}
            where = _found_in(db, words, names)
        return {
            name: ScreenFit(max(score, 0.0) / best, tuple(where.get(name, ())))
            for name, score in scores.items()
        }


def words_of(instruction: str) -> tuple[str, ...]:
    """The words of an instruction by which a screen can be found: no values in quotes, no numbers, no small words."""
    plain = _letters(_QUOTED.sub(" ", instruction[:_MOST_TEXT])).lower().split()
    words = dict.fromkeys(word for word in plain if len(word) > 1 and word not in _SMALL)
    return tuple(words)[:_MOST_WORDS]


def documents(utg: Graph, program: Program | None = None) -> Iterator[tuple[str, tuple[str, ...]]]:
    """What is known of each screen, as words, in the order of the columns."""
    to: dict[str, list[str]] = {}
    onward: dict[str, list[str]] = {}
    for edge in utg.edges:
        gesture_words = _gesture_words(edge)
        to.setdefault(edge.target, []).append(gesture_words)
        onward.setdefault(edge.source, []).append(gesture_words)
    described = _descriptions(program) if program is not None else {}
    for name, screen in utg.screens.items():
        row = (
            [*_called(screen), *described.get(name, ())],
            [_letters(text) for text in screen.texts],
            [_letters(widget.id.rpartition("/")[2]) for widget in screen.widgets],
            to.get(name, []),
            onward.get(name, []),
        )
        yield name, tuple(" ".join(dict.fromkeys(column))[:_MOST_TEXT] for column in row)


def _called(screen: Screen) -> Iterator[str]:
    yield _letters(screen.activity)
    if screen.kind in ("screen", "static"):
        yield _letters(screen.title)


def _gesture_words(edge: Edge) -> str:
    """Of the widget that is used: its id without the package, its label; of an action its name."""
    terms = [
        str(each.term.value).rpartition("/")[2] if each.attr == "id" else str(each.term.value)
        for each in (*edge.gesture.constraints, *(each for when in edge.when for each in _constraints(when)))
        if isinstance(each.term, Const) and each.attr in ("id", "label", "text", "title", "package")
    ]
    action = edge.gesture.relation.rpartition(".")[2] if "." in edge.gesture.relation else ""
    return _letters(" ".join((action, *terms)))


def _constraints(condition: Literal) -> Iterator[Constraint]:
    for use in uses((condition,)):
        yield from use.constraints


def _descriptions(program: Program) -> dict[str, list[str]]:
    """What a program's modules say of their screens, of views on them and of actions there."""
    words: dict[str, list[str]] = {}
    for name, relation in program.relations.items():
        if relation.sort == "screen":
            words.setdefault(name, []).append(_letters(relation.doc))
        for screen in relation.on:
            attributes = " ".join(f"{attr.name} {attr.doc}" for attr in relation.attrs)
            words.setdefault(screen, []).append(_letters(f"{relation.short} {relation.doc} {attributes}"))
    for rule in program.rules:
        if isinstance(rule.head, Recognize):
            action = program.relation(rule.head.atom.relation)
            for screen in starts(rule, program):
                words.setdefault(screen, []).append(_letters(f"{action.short} {action.doc}"))
    return words


def _letters(text: str) -> str:
    """The words of a text or identifier; of `Wi-Fi` also `WiFi`, as others write it."""
    joined = _HYPHEN.sub(r"\1 \2 \1\2", _CAMEL.sub(" ", text[:_MOST_TEXT]))
    return _NO_LETTER.sub(" ", joined).strip()


def _found_in(db: sqlite3.Connection, words: tuple[str, ...], names: list[str]) -> dict[str, list[str]]:
    """For each screen the words that it has, by where they stand."""
    places: dict[str, dict[str, list[str]]] = {}
    for word in words:
        for column in _COLUMNS:
            query = "SELECT rowid FROM screens WHERE screens MATCH ?"
            for (row,) in db.execute(query, (f'"{column}" : "{word}"',)):
                places.setdefault(names[row], {}).setdefault(column, []).append(word)
    return {
        name: [f"{column}: {line(', '.join(has), 80)}" for column, has in columns.items()]
        for name, columns in places.items()
    }
