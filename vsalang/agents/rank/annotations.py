"""What people say of recorded choices: which steps they are asked about, and their answers, one line of JSON each.

A person is asked only where logic does not tell (`vsalang.models.rank.pairs`), and first where the scorer hardly
decides. An answer is written when it is given; a later one about the same choice takes its place.
"""

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

from vsalang.agents.rank.runs import RecordedRun
from vsalang.base.records import dataclass
from vsalang.base.source import private
from vsalang.base.source.opening import read_regular, why_unread
from vsalang.base.source.strict_json import no_constant, object_once
from vsalang.models.rank.pairs import SHARE, flagged

AnswerKind: TypeAlias = Literal["right", "none", "skip"]
"""``right``: one of the candidates; ``none``: no candidate is right; ``skip``: nobody can tell."""

MAX_FILE: Final = 64 * 1024 * 1024
"""A larger file of answers is refused."""
_KINDS: Final = ("right", "none", "skip")


class AnnotationError(Exception):
    """A file of answers cannot be read or written; the message names file, line and remedy."""


@dataclass(frozen=True, slots=True)
class PersonAnswer:
    """What a person said of one choice.

    Attributes:
        head: of the journal.
        choice: its number in the run, from 0.
        said: see `Said`.
        key: of the right candidate; empty: there is none.
        text: the candidate in words; margin: how sure the scorer was. Both are only for readers of the file.
    """

    head: str
    choice: int
    kind: AnswerKind
    key: str = ""
    text: str = ""
    margin: float = 0.0

    def to_json(self) -> dict[str, Any]:
        """The answer as a row of the file."""
        return {
            "version": 1,
            "head": self.head,
            "choice": self.choice,
            "said": self.kind,
            "key": self.key,
            "text": self.text,
            "margin": round(self.margin, 4),
        }


@dataclass(frozen=True, slots=True)
class OpenChoice:
    """A choice that a person is asked about."""

    run: RecordedRun
    number: int

    @property
    def name(self) -> tuple[str, int]:
        """What tells it from others: the head of its journal, and its number."""
        return self.run.session.head, self.number

    @property
    def margin(self) -> float:
        """How sure the scorer is of it."""
        return self.run.choices[self.number].ranking.margin


def asked_about(runs: Iterable[RecordedRun], *, share: float = SHARE) -> tuple[OpenChoice, ...]:
    """The choices that people are asked about, the least sure first.

    Args:
        share: of all choices of the runs, at most; 1: all of which logic does not tell what is right.
    """
    open_choices = [
        OpenChoice(run, nth)
        for run in runs
        for nth, known in enumerate(run.labels())
        if known.open and not run.choices[nth].choice.undoes
    ]
    if share >= 1:
        return tuple(sorted(open_choices, key=lambda one: one.margin))
    return tuple(
        open_choices[nth] for nth in flagged({nth: one.margin for nth, one in enumerate(open_choices)}, share)
    )


def read_answers(path: str | Path) -> Mapping[tuple[str, int], PersonAnswer]:
    """The answers in a file, the last about each choice; none if there is no file.

    Raises:
        AnnotationError: it holds something else.
    """
    if not os.path.lexists(path):
        return {}
    try:
        text = read_regular(path, MAX_FILE).decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise AnnotationError(f"cannot read {path}: {why_unread(error)}") from error
    answers: dict[tuple[str, int], PersonAnswer] = {}
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            answer = _read(line, f"{path}, line {number}")
            answers[answer.head, answer.choice] = answer
    return answers


def _read(line: str, place: str) -> PersonAnswer:
    try:
        data = json.loads(line, parse_constant=no_constant, object_pairs_hook=object_once)
        kind, key = data["said"], data["key"]
        head, choice = data["head"], data["choice"]
    except (ValueError, RecursionError, KeyError, TypeError) as error:
        raise AnnotationError(f"{place}: not an answer; take the line out, or name another file") from error
    if (
        kind not in _KINDS
        or not isinstance(head, str)
        or not isinstance(key, str)
        or not isinstance(choice, int)
        or isinstance(choice, bool)
        or choice < 0
        or (kind == "right") != bool(key)
    ):
        raise AnnotationError(f"{place}: not an answer; take the line out, or name another file")
    return PersonAnswer(head, choice, kind, key, str(data.get("text", "")))


class AnswerFile:
    """A file of answers, to which each is appended at once; readable by the user alone.

    Raises:
        AnnotationError: it is there and holds something else, or it cannot be written.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self.answers = dict(read_answers(path))
        try:
            self._handle = private.open_to_append(self.path)
        except OSError as error:
            raise AnnotationError(f"cannot write {path}: {error}; name another file") from error

    def add(self, answer: PersonAnswer) -> None:
        """Write an answer; it is on the disk when this returns.

        Raises:
            OSError: it cannot be written.
        """
        row = json.dumps(answer.to_json(), ensure_ascii=False)
        os.write(self._handle, f"{row}\n".encode("utf-8", "replace"))
        os.fsync(self._handle)
        self.answers[answer.head, answer.choice] = answer

    def close(self) -> None:
        """Close the file; what was said is in it."""
        os.close(self._handle)


def answers_of(
    run: RecordedRun, answers: Mapping[tuple[str, int], PersonAnswer]
) -> Sequence[tuple[int, str]]:
    """What people said is right in a run, as `RecordedRun.labels` takes it."""
    head = run.session.head
    return [
        (nth, answer.key)
        for nth in range(len(run.choices))
        if (answer := answers.get((head, nth))) is not None and answer.kind == "right"
    ]
