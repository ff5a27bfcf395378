"""Answers about controls, kept in a file of the user (`vsalang.base.source.database`)."""

import datetime as dt
import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from vsalang.base.records import dataclass
from vsalang.base.source.database import Database, Format, data_file
from vsalang.models.client.kept import digest_of
from vsalang.models.effects.answer import IN_PARTS, MEANS, Answer, Argument, may_be_worded, name_of
from vsalang.models.effects.control import ASKED, ControlKey
from vsalang.models.effects.way import MOST_STEPS
from vsalang.program.native.answers import DESCRIBED

MOST_ANSWERS: Final = 20_000
"""Of more answers the oldest that nobody accepted are removed."""
_LONGEST: Final = 20_000
_CELLS: Final = {"parameter", "spot", "words", "behind", "own"}
_PART: Final = {"before", "after"}
_EARLIER: Final = {"back", "way", "touched"}
_FIXED: Final = {"fixed"}
_DETAIL: Final = {"detail"}
_TABLE: Final = """CREATE TABLE answers (
  ref TEXT NOT NULL,
  hindsight INTEGER NOT NULL,
  package TEXT NOT NULL,
  version TEXT NOT NULL,
  id TEXT NOT NULL,
  class TEXT NOT NULL,
  label TEXT NOT NULL,
  screen TEXT NOT NULL,
  gesture TEXT NOT NULL,
  means TEXT NOT NULL,
  kind TEXT NOT NULL,
  arguments TEXT NOT NULL,
  exact TEXT NOT NULL,
  said_by TEXT NOT NULL,
  accepted INTEGER NOT NULL,
  words TEXT NOT NULL,
  added TEXT NOT NULL,
  PRIMARY KEY (ref, hindsight)
) WITHOUT ROWID"""
_FORMAT: Final = Format(
    0x76736165,  # "vsae"
    4,
    (_TABLE,),
    "move it away: what was answered is asked again, and what you accepted is to be accepted again",
)


@dataclass(frozen=True, slots=True)
class KeptAnswer:
    """An answer about a control.

    Attributes:
        key: the control.
        answer: what was said.
        accepted: whether a person has accepted it.
        words: what people would call the place of the control.
        added: when it was answered.
        exact: a hash of what the screen showed then, but for some arguments; empty: not all of that was read.
        hindsight: whether it was given after the control was touched, by what came. It counts
            once a person has accepted it.
    """

    key: ControlKey
    answer: Answer
    accepted: bool = False
    words: tuple[str, ...] = ()
    added: dt.datetime = dt.datetime.min
    exact: str = ""
    hindsight: bool = False

    @property
    def ref(self) -> str:
        """A short name for this answer about this screen, of 12 hexadecimal digits: by it a person accepts it."""
        answer = self.answer
        parts = [self.key.ref, answer.means, answer.kind, _arguments_text(answer), self.exact]
        return digest_of([*parts, *(["hindsight"] if self.hindsight else [])])[:12]


def usual_place() -> Path:
    """Where answers are kept if nothing else is said: ``~/.local/share/vsalang/answers.sqlite``.

    Raises:
        StoreError: the user has no home.
    """
    return data_file("answers.sqlite", "name a file with --effects-answers")


class AnswerFile:
    """Answers in a file. A file that does not exist is empty; the first answer creates it.

    Args:
        path: the file.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.file = Database(path, _FORMAT)

    def all(self) -> Sequence[KeptAnswer]:
        """All answers, the newest first.

        Raises:
            StoreError: the file cannot be read.
        """
        if self.file.absent:
            return ()
        with self.file.open(write=False) as database:
            if database is None:
                return ()
            rows = database.execute("SELECT * FROM answers ORDER BY added DESC, ref, hindsight").fetchall()
        return tuple(self._read(row) for row in rows)

    def answers(self) -> Mapping[ControlKey, KeptAnswer]:
        """What is said of each control: what a person has accepted, else what was said before it was touched.

        Raises:
            StoreError: the file cannot be read.
        """
        return {each.key: each for each in self.all() if each.accepted or not each.hindsight}

    def add(self, kept: KeptAnswer) -> None:
        """Keep an answer about a control in place of one of its kind, unless a person has accepted one.

        Raises:
            StoreError: the file cannot be written.
        """
        self.file.create()
        with self.file.open(write=True) as database:
            assert database is not None
            ref = kept.key.ref
            if database.execute("SELECT 1 FROM answers WHERE ref = ? AND accepted = 1", (ref,)).fetchone():
                return
            database.execute(f"INSERT OR REPLACE INTO answers VALUES ({', '.join('?' * 17)})", _row(kept))
            database.execute(
                "DELETE FROM answers WHERE accepted = 0 AND (ref, hindsight) IN (SELECT ref, hindsight "
                "FROM answers ORDER BY accepted DESC, added DESC, ref LIMIT -1 OFFSET ?)",
                (MOST_ANSWERS,),
            )

    def accept(self, answers: Iterable[KeptAnswer]) -> None:
        """Note that a person has accepted just these answers; one that is another by now is left as it is.

        Of a control one accepted answer stays: what was said in hindsight takes the place of what was said before.

        Raises:
            StoreError: the file cannot be written.
        """
        same = "ref = ? AND hindsight = ? AND means = ? AND kind = ? AND arguments = ? AND exact = ?"
        rows: list[tuple[str | int, ...]] = []
        for each in answers:
            cells = (each.answer.means, each.answer.kind, _arguments_text(each.answer), each.exact)
            rows.append((each.key.ref, int(each.hindsight), *cells))
        self._each(f"UPDATE answers SET accepted = 1 WHERE {same}", rows)
        later = "SELECT 1 FROM answers AS later WHERE later.ref = answers.ref AND later.hindsight AND later.accepted"
        self._each(
            f"DELETE FROM answers WHERE ref = ? AND hindsight = 0 AND EXISTS ({later})",
            [row[:1] for row in rows],
        )
        first = "SELECT 1 FROM answers AS first WHERE first.ref = answers.ref AND first.accepted"
        self._each(
            f"DELETE FROM answers WHERE ref = ? AND accepted = 0 AND EXISTS ({first})",
            [row[:1] for row in rows],
        )

    def forget(self, answers: Iterable[KeptAnswer]) -> None:
        """Forget just these answers; another one about the same control stays.

        Raises:
            StoreError: the file cannot be written.
        """
        self._each(
            "DELETE FROM answers WHERE ref = ? AND hindsight = ?",
            [(each.key.ref, int(each.hindsight)) for each in answers],
        )

    def drop(self, refs: Collection[str], *, accepted: bool = True) -> None:
        """Forget all answers about some controls.

        Args:
            refs: the names of these controls.
            accepted: also what a person has accepted.

        Raises:
            StoreError: the file cannot be written.
        """
        which = "ref = ?" if accepted else "ref = ? AND accepted = 0"
        self._each(f"DELETE FROM answers WHERE {which}", [(ref,) for ref in refs])

    def _each(self, statement: str, rows: Sequence[tuple[str | int, ...]]) -> None:
        if rows and not self.file.absent:
            with self.file.open(write=True) as database:
                assert database is not None
                database.executemany(statement, rows)

    def _read(self, row: Sequence[Any]) -> KeptAnswer:
        """The answer of a row, in which anything may be written.

        Raises:
            StoreError: it is not an answer.
        """
        try:
            return _answer(row)
        except (ValueError, TypeError, RecursionError) as error:
            raise self.file.damaged(f"the answer {str(row[0])[:40]!r} cannot be read") from error


def _row(kept: KeptAnswer) -> tuple[str | int, ...]:
    key, answer = kept.key, kept.answer
    cells = (
        key.ref,
        int(kept.hindsight),
        key.package,
        key.version,
        key.id,
        key.cls,
        key.label,
        key.screen,
        key.gesture,
        answer.means,
        answer.kind,
        _arguments_text(answer),
        kept.exact,
        answer.by,
        int(kept.accepted),
        json.dumps(kept.words),
        kept.added.isoformat(),
    )
    return tuple(_sound(cell) if isinstance(cell, str) else cell for cell in cells)


def _sound(text: str) -> str:
    """A text of a database: half a surrogate pair, which a label may have, is not one."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _answer(row: Sequence[Any]) -> KeptAnswer:
    """The answer of a row. Raises ValueError or TypeError if it is none."""
    first, hindsight, *texts, accepted, words_text, added = row
    ref, package, version, id_, cls, label, screen, gesture, means, kind, arguments_text, exact, by = map(
        _text, (first, *texts)
    )
    key = ControlKey(package, version, id_, cls, label, screen, gesture)
    words = json.loads(_text(words_text))
    arguments = json.loads(arguments_text)
    if (
        key.ref != ref
        or gesture not in ASKED
        or means not in MEANS
        or not isinstance(arguments, list)
        or by != name_of(by)
        or (means == "leads on") != (kind == "")
        or accepted not in (0, 1)
        or hindsight not in (0, 1)
        or not isinstance(words, list)
    ):
        raise ValueError("no answer")
    return KeptAnswer(
        key,
        Answer(means, kind, _different(map(_argument, arguments)), by),
        accepted == 1,
        tuple(_text(word) for word in words),
        dt.datetime.fromisoformat(_text(added)),
        exact,
        hindsight == 1,
    )


def _arguments_text(answer: Answer) -> str:
    return _sound(json.dumps([_data(each) for each in answer.arguments], ensure_ascii=False))


def _data(argument: Argument) -> dict[str, Any]:
    """An argument as JSON data."""
    return {
        "parameter": argument.parameter,
        "spot": argument.spot,
        "words": argument.words,
        "behind": argument.behind,
        "own": argument.own,
        **({"before": argument.before, "after": argument.after} if argument.is_part else {}),
        **({"fixed": list(argument.fixed)} if argument.fixed else {}),
        **({"detail": argument.of} if argument.detail else {}),
        **(
            {"back": argument.back, "way": argument.way, "touched": list(argument.touched)}
            if argument.back
            else {}
        ),
    }


def _different(arguments: Iterable[Argument]) -> tuple[Argument, ...]:
    """Arguments, each of another parameter but for details of those before. Raises ValueError if two are of one."""
    different = tuple(arguments)
    named: set[str] = set()
    for each in different:
        if each.detail != (each.parameter in named):
            raise ValueError("an argument twice, or a detail of none")
        named.add(each.parameter)
    return different


def _argument(data: Any) -> Argument:
    """The argument of JSON data. Raises ValueError or TypeError if it is none."""
    if not isinstance(data, dict) or data.keys() - _PART - _EARLIER - _FIXED - _DETAIL != _CELLS:
        raise ValueError("no argument")
    parameter, spot = _text(data["parameter"]), data["spot"]
    words, behind = _text(data["words"]), _text(data["behind"])
    before, after = _text(data.get("before", "")), _text(data.get("after", ""))
    if spot is None and (before or after or not may_be_worded(parameter, words)):
        raise ValueError("no argument")
    if spot is not None and (type(spot) is not int or spot < 0 or words):
        raise ValueError("no spot")
    if type(data["own"]) is not bool:
        raise TypeError("no argument")
    back, way, touched = data.get("back", 0), _text(data.get("way", "")), data.get("touched", [])
    if (
        type(back) is not int
        or not 0 <= back <= MOST_STEPS
        or (back > 0) != bool(way)
        or (back and spot is None)
    ):
        raise ValueError("no way")
    if not isinstance(touched, list) or len(touched) > back:
        raise TypeError("no way")
    names = tuple(_text(each) for each in touched)
    fixed = _fixed(data["fixed"]) if "fixed" in data else None
    if fixed is not None and (
        spot is None or before or after or back or parameter not in {"amount", "currency", *IN_PARTS}
    ):
        raise ValueError("no part that stays")
    detail, of = "detail" in data, _text(data.get("detail", ""))
    whole = not (before or after or fixed) and spot is not None
    if detail and not (whole and of and parameter in DESCRIBED):
        raise ValueError("no detail")
    return Argument(
        parameter, spot, words, behind, data["own"], before, after, back, way, names, fixed, detail, of
    )


def _fixed(data: object) -> tuple[int, int]:
    if not isinstance(data, list) or [type(each) for each in data] != [int, int]:
        raise TypeError("no part that stays")
    start, length = data
    if start < 0 or length < 1:
        raise ValueError("no part that stays")
    return start, length


def _text(value: object) -> str:
    if not isinstance(value, str) or len(value) > _LONGEST:
        raise TypeError("not a text")
    return value
