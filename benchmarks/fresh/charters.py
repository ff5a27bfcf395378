"""Charters that a model writes of instructions: ``python -m benchmarks.fresh.charters ask|record FOLDER [--set SET]``.

``ask`` writes the prompts of `vsac run --instruction` for all instructions of a set that have no answer yet into a new
folder: ``system.txt`` and ``request.txt`` once, and ``ID.question.txt`` for each instruction, with nothing but the
instruction. `request.txt` shows where it stands in the message to the model. Somebody answers each by itself, with all
that the model says: in ``ID.answer.txt``, or as lines ``{"question": ID, "answer": TEXT}`` of files that end with
``.jsonl``. ``record`` keeps the answers with the set. Where an answer is not accepted, the next ``ask`` has what the
encoder says of it as a further question, as often as the product asks.

With ``--review`` a reader is asked of each charter that checks, as the product does: ``review.txt`` is the message,
and ``ID.review.txt`` what stands in it for one charter. What it doubts goes back to who wrote the charter. The solver,
which asks the reader about states, too, is left out.
"""

import argparse
import datetime as dt
import hashlib
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

from benchmarks.fresh import NAMES, JudgingSet, items, set_of
from benchmarks.planted.make.scenes import SceneError
from vsalang.models.client.language_model import Answer, Message, ModelError
from vsalang.models.client.recorded import LINES, Recording, Replaying
from vsalang.models.encode import Formalization, InputError, Moment, Settings, Task, encode
from vsalang.models.encode.charter import EFFECTS, InstructionJudgement
from vsalang.models.encode.joining import NotJoined, charter_of
from vsalang.models.encode.meaning import Reader
from vsalang.models.encode.own_tests import run_tests
from vsalang.models.encode.prompting import Prompts, quoted
from vsalang.models.encode.review import Reviewing
from vsalang.program.text import quote

NAME: Final = "charter"
ROUNDS: Final = 4
"""So often `vsac run --instruction` asks for one charter."""
MOMENT: Final = Moment(dt.date(2026, 3, 2))
"""When all instructions were given: walks begin on this day or in the weeks after it."""
REVIEWS: Final = "reviews"
"""The folder of a set that keeps the answers of a reader."""
ASKED: Final = "asked.jsonl"
"""The questions of a folder: a line for each, with its name and messages."""
_DIGITS: Final = 10
_INSTRUCTION: Final = "> {instruction}"
_HEADER: Final = "{header}"


class NotAnswered(Exception):
    """A question has no recorded answer. Not a `ModelError`: after one the encoder goes on without the model.

    Attributes:
        kind: who is asked: ``question`` for the writer, ``review`` for the reader.
        short: its messages, as they are recorded.
        prompt: what is the same for all, by the names of its files.
    """

    def __init__(self, kind: str, short: Sequence[Message], prompt: Mapping[str, str]) -> None:
        super().__init__("no answer is recorded")
        self.kind = kind
        self.short = tuple(short)
        self.prompt = prompt


@dataclass(frozen=True, slots=True)
class WrittenCharter:
    """What the product has of an instruction after a model answered.

    Attributes:
        text: the charter, without a question about the instruction; empty if there is none.
        in_force: the charter with the question that follows from the judgement.
        judgement: what is said of the instruction.
        refused: why the model says that none can be written safely; empty if it does not.
        problem: why there is none though none was refused.
        stale: how many of its answers were given after another prompt.
    """

    text: str = ""
    in_force: str = ""
    judgement: InstructionJudgement | None = None
    refused: str = ""
    problem: str = ""
    stale: int = 0


class _RecordedWriter:
    """Repeats recorded answers. Of the first message only the instruction is looked up: the rest is the same for all.

    What stands for the system's message in records is the digest of the prompt, so that answers to another are known.
    """

    def __init__(self, instruction: str, replaying: Replaying) -> None:
        self.name = replaying.name
        self.endpoint = replaying.endpoint
        self.exposes_key = False
        self.parameters: Mapping[str, Any] = {}
        self._instruction = instruction
        self._replaying = replaying

    @property
    def stale(self) -> int:
        """How many answers were given after another prompt."""
        return self._replaying.stale

    def redact(self, text: str) -> str:
        """The text: there is no key."""
        return text

    def ask(self, messages: Sequence[Message]) -> Answer:
        """The recorded answer; see `Model.ask`. Raises `NotAnswered`."""
        system, request, *later = messages
        header = f"spec {NAME} {quote(self._instruction)}"
        template = request.content.replace(quoted(self._instruction), _INSTRUCTION, 1)
        prompt = (system.content, template.replace(header, _HEADER, 1))
        digest = hashlib.sha256(json.dumps(prompt).encode()).hexdigest()
        short = [Message("system", digest), Message("user", self._instruction), *later]
        try:
            return self._replaying.ask(short)
        except ModelError as error:
            files = dict(zip(("system.txt", "request.txt"), prompt, strict=True))
            raise NotAnswered("question", short, files) from error


class _RecordedReader(_RecordedWriter):
    """Repeats a reader's recorded answers. Looked up is what is not the same for all: the lines of one charter."""

    def ask(self, messages: Sequence[Message]) -> Answer:
        """The recorded answer; see `Model.ask`. Raises `NotAnswered`."""
        prompt = _review_prompt()
        same = set(prompt.splitlines())
        lines = [line for line in messages[0].content.splitlines() if line not in same]
        digest = hashlib.sha256(prompt.encode()).hexdigest()
        short = [Message("system", digest), Message("user", "\n".join(lines)), *messages[1:]]
        try:
            return self._replaying.ask(short)
        except ModelError as error:
            raise NotAnswered("review", short, {"review.txt": prompt}) from error


@cache
def _review_prompt() -> str:
    """What each reader of a charter is asked, with marks where a charter's own lines stand."""
    data: dict[str, Any] = {"instruction": "{instruction}", "moment": MOMENT, "description": "{description}"}
    return Prompts().render("review", data | {"questions": (), "unused": (), "guesses": (), "charter": True})


@cache
def recording(which: JudgingSet) -> Recording | None:
    """The answers that are kept with a set; None: there are none.

    Raises:
        ModelError: they cannot be read.
    """
    return Recording.read(which.sources) if (which.sources / LINES).is_file() else None


def is_reviewed(which: JudgingSet) -> bool:
    """Whether the charters of a set were read by a reader: its answers are kept in a folder of their own."""
    return (which.sources / REVIEWS).is_dir()


def written(instruction: str, which: JudgingSet, *, review: bool = False) -> WrittenCharter:
    """The charter that the product puts in force after the recorded answers.

    Args:
        instruction: what the user asks for.
        which: the set with which the answers are kept.
        review: whether a reader looks at it first.

    Raises:
        NotAnswered: a question has no answer yet.
        ModelError: answers cannot be read.
    """
    answers = recording(which) or Recording(which.sources, "recorded", {})
    model, reader = (kind(instruction, answers.model()) for kind in (_RecordedWriter, _RecordedReader))
    reading = Reviewing(instruction, Reader(reader, MOMENT, Prompts(), charter=True), solver=False)
    task = Task(instruction, (EFFECTS,), NAME, Path(f"{NAME}.vsa"), (), MOMENT)
    try:
        result = encode(task, model, Settings(ROUNDS, run_tests, meaning=reading if review else None))
        charter = charter_of({1: result}, 1, task)
    except (InputError, NotJoined) as error:
        return WrittenCharter(problem=str(error), stale=model.stale + reader.stale)
    return _of(result, charter, model.stale + reader.stale)


def _of(result: Formalization, charter: Formalization, stale: int) -> WrittenCharter:
    if charter.refused:
        return WrittenCharter(judgement=charter.judgement, refused=charter.refused, stale=stale)
    if not charter.accepted:
        return WrittenCharter(judgement=charter.judgement, problem="no charter was accepted", stale=stale)
    return WrittenCharter(result.text, charter.text, charter.judgement, stale=stale)


# ---------------------------------------------------------------- questions and answers


def ask(which: JudgingSet, place: Path, *, review: bool = False) -> int:
    """Write the questions that have no answer yet into a folder; how many there are.

    Args:
        which: the set.
        place: the folder.
        review: whether a reader is asked, too.

    Raises:
        ModelError: answers cannot be read, or prompts differ in more than the instruction.
        OSError: the folder has files, or cannot be written.
        SceneError: a source is written wrong.
    """
    place.mkdir(parents=True, exist_ok=True)
    if any(place.iterdir()):
        raise OSError(f"{place} is not empty: questions are written to a folder of their own")
    open_questions: dict[str, NotAnswered] = {}
    for instruction in dict.fromkeys(item.query for item in items(which)):
        try:
            written(instruction, which, review=review)
        except NotAnswered as question:
            open_questions[_name(question.short)] = question
    lines, prompts = [], dict[str, str]()
    for name, question in sorted(open_questions.items()):
        if any(prompts.setdefault(file, text) != text for file, text in question.prompt.items()):
            raise ModelError("the prompts differ in more than the instruction")
        (place / f"{name}.{question.kind}.txt").write_text(_question_text(question.short), "utf-8")
        line = {"question": name, "kind": question.kind, "messages": _data(question.short)}
        lines.append(json.dumps(line, ensure_ascii=False))
    for file, text in prompts.items():
        (place / file).write_text(text, "utf-8")
    (place / ASKED).write_text("".join(f"{line}\n" for line in lines), "utf-8")
    return len(lines)


def record(which: JudgingSet, place: Path) -> tuple[int, int]:
    """Keep the answers of a folder with a set; how many were taken in, and how many questions stay open.

    Raises:
        ValueError: an answer is to none of the questions, empty, or there are two to one.
        OSError: a file cannot be read or written.
    """
    asked = {each["question"]: each for each in _lines(place / ASKED)}
    answers: dict[str, str] = {}
    for name, text in _answers(place):
        if name not in asked:
            raise ValueError(f"{name} was not asked in {place}")
        if not isinstance(text, str) or not text.strip():
            raise ValueError(f"the answer to {name} is empty")
        if answers.setdefault(name, text) != text:
            raise ValueError(f"{name} has two answers")
    added = sum(
        _kept(
            folder / LINES,
            {name: text for name, text in answers.items() if asked[name]["kind"] == kind},
            asked,
        )
        for kind, folder in (("question", which.sources), ("review", which.sources / REVIEWS))
    )
    recording.cache_clear()
    return added, len(asked) - len(answers)


def _kept(place: Path, answers: Mapping[str, str], asked: Mapping[str, Any]) -> int:
    """Add answers to a file, by the names of their questions; how many were not there."""
    known = _lines(place) if place.is_file() else []
    texts = {json.dumps(each["messages"]) for each in known}
    added = [
        {"messages": asked[name]["messages"], "answer": text}
        for name, text in sorted(answers.items())
        if json.dumps(asked[name]["messages"]) not in texts
    ]
    if added:
        place.parent.mkdir(exist_ok=True)
        lines = [json.dumps(each, ensure_ascii=False) for each in (*known, *added)]
        place.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    return len(added)


def _name(short: Sequence[Message]) -> str:
    """The name of a question: it says nothing of the item, and of further questions the number."""
    digest = hashlib.sha256(short[1].content.encode()).hexdigest()[:_DIGITS]
    digest_of_all = hashlib.sha256(json.dumps(_data(short)).encode()).hexdigest()[:_DIGITS]
    return digest if len(short) == 2 else f"{digest}-{digest_of_all}"


def _question_text(short: Sequence[Message]) -> str:
    """A question as it is answered: what it is about, then the last answer and what was wrong with it."""
    _, instruction, *later = short
    titles = {"assistant": "Your last answer:", "user": "What you are told about it:"}
    parts = [f"\n---- {titles[each.role]}\n\n{each.content.rstrip()}\n" for each in later]
    return f"{instruction.content}\n" + "".join(parts)


def _data(messages: Sequence[Message]) -> list[dict[str, str]]:
    return [{"role": each.role, "content": each.content} for each in messages]


def _lines(place: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in place.read_text("utf-8").splitlines() if line.strip()]


def _answers(place: Path) -> list[tuple[str, Any]]:
    """All answers in a folder, each with the name of its question."""
    found: list[tuple[str, Any]] = [
        (path.name.removesuffix(".answer.txt"), path.read_text("utf-8"))
        for path in sorted(place.glob("*.answer.txt"))
    ]
    for path in sorted(place.glob("*.jsonl")):
        if path.name != ASKED:
            found += [(str(each["question"]), each["answer"]) for each in _lines(path)]
    return found


def main(arguments: Sequence[str] | None = None) -> int:
    """Ask, or record."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.fresh.charters",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("command", choices=("ask", "record"))
    parser.add_argument("folder", type=Path, help="of the questions and their answers")
    parser.add_argument("--set", default="second", help=f"{NAMES}, or a folder")
    parser.add_argument("--review", action="store_true", help="with ask: a reader is asked, too")
    options = parser.parse_args(arguments)
    which = set_of(options.set)
    try:
        if options.command == "ask":
            print(f"{ask(which, options.folder, review=options.review)} questions in {options.folder}")
        else:
            taken, left = record(which, options.folder)
            print(f"{taken} answers taken in; {left} questions of {options.folder} have none")
    except (ModelError, OSError, SceneError, ValueError, KeyError, TypeError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
