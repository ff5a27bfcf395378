"""Recorded answers about unknown controls: ``python -m benchmarks.effects.answers record FOLDER FILE``.

A model is asked about a control of which nobody knows what it does (`vsalang.models.effects`). Benchmarks that are
given ``--answers DIR`` ask files of recorded answers instead; with ``--ask FOLDER`` they write down what is asked and
not answered yet, each question as a request that holds all that the model is shown. Somebody puts ``.answer.json`` or
``.answer.txt`` next to a request, and ``record`` keeps those as lines of a file: the digest of the prompt, the digest
of the question, who answered, and what. So an answer counts for the same prompt, control and screen only.
"""

import argparse
import hashlib
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from vsalang.guard import Guard
from vsalang.guard.say.verdict import Doubt, Proposal
from vsalang.models.client.file_model import answer_beside
from vsalang.models.client.language_model import Answer, Message, ModelError
from vsalang.models.effects import AnswerFile, Asker, LiveAnswers
from vsalang.tools.cli.unknown_controls import effects_of

DIGITS: Final = 16
"""So many hexadecimal digits of a digest name a prompt or a question."""
_REQUEST: Final = ".request.json"


class AnswersError(Exception):
    """A file of recorded answers cannot be read."""


def digest_of(text: str) -> str:
    """The name of a prompt or a question."""
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:DIGITS]


@dataclass(frozen=True, slots=True)
class RecordedAnswer:
    """An answer to a question.

    Attributes:
        prompt: the digest of the words that stand before every question.
        question: the digest of the question with control and screen.
        model: who answered.
        text: what was said.
    """

    prompt: str
    question: str
    model: str
    text: str


@dataclass(frozen=True, slots=True)
class Tally:
    """How far recorded answers reach.

    Attributes:
        used: the questions that had an answer, by digest.
        outdated: those that had one only after another prompt, which does not count.
        missing: those without any.
    """

    used: frozenset[str] = frozenset()
    outdated: frozenset[str] = frozenset()
    missing: frozenset[str] = frozenset()

    def with_all(self, other: "Tally") -> "Tally":
        """Both together."""
        return Tally(self.used | other.used, self.outdated | other.outdated, self.missing | other.missing)

    def said(self, recorded: int) -> str:
        """In words. Args: recorded: how many answers there are."""
        questions = len(self.used) + len(self.outdated) + len(self.missing)
        return (
            f"unknown controls: {questions} questions, {len(self.used)} with a recorded answer, {len(self.missing)} "
            f"without, {len(self.outdated)} answered after another prompt (not used); "
            f"{recorded - len(self.used)} of {recorded} recorded answers were not needed or are about another screen"
        )


class RecordedModel:
    """A model that repeats recorded answers, and says of every other question that it has no answer.

    Args:
        answers: what is recorded.
        ask: what has no answer yet is written there as a request; None: nowhere.
    """

    name: Final = "recorded"

    def __init__(self, answers: Sequence[RecordedAnswer], ask: Path | None = None) -> None:
        self.answers = {(each.prompt, each.question): each for each in answers}
        self._questions = {each.question for each in answers}
        self._ask = ask
        self.tally = Tally()

    def ask(self, messages: Sequence[Message]) -> Answer:
        """The recorded answer to this conversation; see `Model.ask`."""
        prompt, question = names_of(messages)
        found = self.answers.get((prompt, question))
        if found is not None:
            self.tally = self.tally.with_all(Tally(used=frozenset({question})))
            return Answer(found.text, found.model)
        outdated = question in self._questions
        names = frozenset({question})
        self.tally = self.tally.with_all(Tally(outdated=names) if outdated else Tally(missing=names))
        if self._ask is not None:
            request = {
                "model": self.name,
                "messages": [{"role": m.role, "content": m.content} for m in messages],
            }
            place = self._ask / f"{question}{_REQUEST}"
            place.write_text(json.dumps(request, ensure_ascii=False, indent=1) + "\n", "utf-8")
        raise ModelError(
            "the prompt has changed since it was answered" if outdated else "no answer is recorded"
        )


def names_of(messages: Sequence[Message]) -> tuple[str, str]:
    """The digests of prompt and question of a conversation."""
    prompt = "\n".join(each.content for each in messages if each.role == "system")
    question = "\n".join(each.content for each in messages if each.role != "system")
    return digest_of(prompt), digest_of(question)


def read_answers(folder: Path) -> tuple[RecordedAnswer, ...]:
    """All answers of a folder of ``.jsonl`` files.

    Raises:
        AnswersError: there is none, or a line is not an answer.
        OSError: a file cannot be read.
    """
    found = []
    for file in sorted(folder.glob("*.jsonl")):
        for number, line in enumerate(file.read_text("utf-8").splitlines(), 1):
            try:
                data = json.loads(line)
                prompt, question, model = (str(data[name]) for name in ("prompt", "question", "model"))
                found.append(RecordedAnswer(prompt, question, model, json.dumps(data["answer"])))
            except (ValueError, KeyError, TypeError) as error:
                raise AnswersError(f"{file}:{number} is not a recorded answer") from error
    if not found:
        raise AnswersError(f"{folder} holds no recorded answers")
    return tuple(found)


def recorded_model(folder: Path | None, ask: Path | None) -> RecordedModel | None:
    """What stands for the model that is asked; None: nobody is asked.

    Args:
        folder: with recorded answers.
        ask: is made, for what is asked and not answered.

    Raises:
        AnswersError, OSError: see `read_answers`.
    """
    if ask is not None:
        ask.mkdir(parents=True, exist_ok=True)
    if folder is None:
        return RecordedModel((), ask) if ask is not None else None
    return RecordedModel(read_answers(folder), ask)


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options ``--answers`` and ``--ask``."""
    parser.add_argument("--answers", type=Path, metavar="DIR", help="recorded answers about unknown controls")
    parser.add_argument(
        "--ask", type=Path, metavar="FOLDER", help="write there what is asked about them and not answered yet"
    )


def live_answers(
    guard: Guard,
    model: RecordedModel | None,
    *,
    doubt: Callable[[Proposal], Doubt] | None = None,
    file: AnswerFile | None = None,
) -> LiveAnswers:
    """The answers of one session of a guard, which asks `model`.

    Args:
        guard: of the session.
        model: None: only what is kept in `file` counts.
        doubt: what would hold a proposal back; left out, the guard says so.
        file: where answers are kept, too.
    """
    kinds = effects_of(guard.program)
    asker = Asker(model, kinds) if model is not None else None
    return LiveAnswers(
        kinds,
        doubt or guard.doubt,
        file=file,
        asker=asker,
        version_of=lambda package: "recorded",
    )


def recorded(folder: Path) -> list[str]:
    """The answers that stand next to requests, as lines of a file of recorded answers, by question.

    Raises:
        ModelError, OSError, ValueError: a request or an answer cannot be read.
    """
    lines: dict[str, str] = {}
    for place in sorted(folder.glob(f"*{_REQUEST}")):
        answer = answer_beside(place)
        if answer is None:
            continue
        messages = [
            Message(each["role"], each["content"])
            for each in json.loads(place.read_text("utf-8"))["messages"]
        ]
        prompt, question = names_of(messages)
        data: Mapping[str, Any] = {
            "prompt": prompt,
            "question": question,
            "model": answer.model or "not said",
            "answer": json.loads(answer.text),
        }
        lines[question] = json.dumps(data, ensure_ascii=False)
    return [lines[question] for question in sorted(lines)]


def main(arguments: Sequence[str] | None = None) -> int:
    """Record answers."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = parser.add_subparsers(dest="command", required=True)
    record = commands.add_parser("record", help="keep the answers next to requests as lines of a file")
    record.add_argument("folder", type=Path, help="where --ask wrote the requests")
    record.add_argument("file", type=Path, help="ends with .jsonl; answers that it has stay")
    options = parser.parse_args(arguments)
    try:
        before = options.file.read_text("utf-8").splitlines() if options.file.exists() else []
        kept = {json.loads(line)["question"]: line for line in (*before, *recorded(options.folder))}
        options.file.parent.mkdir(parents=True, exist_ok=True)
        options.file.write_text("".join(f"{kept[each]}\n" for each in sorted(kept)), "utf-8")
    except (ModelError, OSError, ValueError, KeyError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    print(f"{len(kept)} answers in {options.file}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
