"""Whether a spec says what its instruction means: asked of a reader that sees a description of it, never the spec.

The description is made without a model (`vsalang.language.describe`). The reader quotes the instruction for
everything that it finds; what it cannot quote does not count. This is the check of section 5.1 of the VeriSafe Agent
paper, with the questions of `vsalang.proof.prove.probes` added.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final
from typing import Literal as OneOf

from vsalang.base.records import dataclass
from vsalang.language.semantics import Loaded
from vsalang.models.client.language_model import Message, Model, ModelError, UnusableAnswer, readable
from vsalang.models.encode.extract import json_object
from vsalang.models.encode.moment import Moment
from vsalang.models.encode.prompting import Prompts
from vsalang.program.text import fold_case

Kind = OneOf["reader", "lint", "verify", "probe", "vote"]
_MOST_DOUBTS: Final = 20
_LONGEST: Final = 600
_AGAIN: Final = "That was not the JSON object that was asked for. Answer with that object only."


@dataclass(frozen=True, slots=True)
class Doubt:
    """A sign that a spec that checks does not say what its instruction means.

    Attributes:
        kind: who doubts: the reader of the description, `vsac lint`, `vsac prove verify`, who answered a probe, or
            other samples (`vsalang.models.encode.voting`).
        message: one sentence.
        text: all of it, for the model that is to correct the spec; may have several lines.
        quote: the words of the instruction on which it rests; empty for lint, verify and votes.
    """

    kind: Kind
    message: str
    text: str
    quote: str = ""


@dataclass(frozen=True, slots=True)
class Exchange:
    """A question to the reader, and its answer; empty if there was none."""

    messages: tuple[Message, ...]
    answer: str


@dataclass(frozen=True, slots=True)
class Review:
    """What speaks against a spec that checks, and what the reader was asked.

    Attributes:
        checks: what was looked at, for people: "lint", "compared with the instruction by ..".
        meant: the numbers of the questions, from 1, whose decision the reader found in the instruction.
        tests: what these questions are about, as `test` blocks that the spec passes.
    """

    doubts: tuple[Doubt, ...] = ()
    exchanges: tuple[Exchange, ...] = ()
    checks: tuple[str, ...] = ()
    meant: tuple[int, ...] = ()
    tests: tuple[str, ...] = ()


Meaning = Callable[[Loaded], Review]
"""Looks for doubts about a spec without errors."""


@dataclass(frozen=True, slots=True)
class Reader:
    """A model that compares an instruction with the description of a spec.

    Attributes:
        model: is asked; it need not be the one that writes the spec.
        moment: when and where the instruction was given.
        texts: the templates in use.
        charter: whether the specs are charters.
    """

    model: Model
    moment: Moment
    texts: Prompts
    charter: bool = False

    def read(self, instruction: str, description: str, questions: Sequence[str] = ()) -> Review:
        """The doubts of the reader.

        Args:
            instruction: what the user said.
            description: what the spec means, in plain words.
            questions: states near the edge of what the spec allows, and what it decides there.
        """
        data = {
            "instruction": instruction,
            "moment": self.moment,
            "description": description,
            "questions": questions,
            "charter": self.charter,
        }
        messages: tuple[Message, ...] = (Message("user", self.texts.render("review", data)),)
        exchanges: list[Exchange] = []
        for _ in range(2):
            try:
                answer = self.model.ask(messages).text
            except UnusableAnswer as error:
                answer, why = "", str(error)
            except ModelError as error:
                return Review((_unread(str(error)),), (*exchanges, Exchange(messages, "")))
            else:
                why = "its answer is not the JSON object that was asked for"
            exchanges.append(Exchange(messages, answer))
            reply = json_object(answer, "findings", "answers")
            if reply is not None:
                return Review(
                    tuple(_doubts(reply, instruction, questions)),
                    tuple(exchanges),
                    (f"compared with the instruction by {self.model.name}",),
                    tuple(_meant(reply, len(questions))),
                )
            messages = once_more(messages, answer)
        return Review((_unread(why),), tuple(exchanges))


def once_more(messages: Sequence[Message], answer: str) -> tuple[Message, ...]:
    """The second request, after an answer that is not the JSON object that was asked for.

    Only its beginning is repeated: it may be long, and what is shown again invites the same mistake.
    """
    text = answer if len(answer) <= _LONGEST else f"{answer[:_LONGEST]} [..]"
    return (*messages[:1], Message("assistant", text or "(no answer)"), Message("user", _AGAIN))


def _unread(why: str) -> Doubt:
    message = f"nobody compared the spec with the instruction: {why}"
    return Doubt("reader", message, message)


def _doubts(data: Mapping[str, Any], instruction: str, questions: Sequence[str]) -> list[Doubt]:
    text = folded(instruction)
    doubts: list[Doubt] = []
    for item in data["findings"]:
        problem, quote = text_of(item, "problem"), text_of(item, "quote")
        if problem and quote and folded(quote) in text:
            doubts.append(Doubt("reader", problem, f'{problem} The instruction says: "{quote}"', quote))
    for item in data["answers"]:
        number = _number(item, len(questions))
        quote = text_of(item, "quote")
        if number and text_of(item, "meant") == "no" and quote and folded(quote) in text:
            question = questions[number - 1]
            message = f"not meant by the instruction: {question}"
            doubts.append(Doubt("probe", message, f'{message} It says: "{quote}"', quote))
    return doubts[:_MOST_DOUBTS]


def _meant(data: Mapping[str, Any], questions: int) -> list[int]:
    """The questions that were answered with yes, and with nothing else."""
    answers: dict[int, set[str]] = {}
    for item in data["answers"]:
        answers.setdefault(_number(item, questions), set()).add(text_of(item, "meant"))
    return sorted(number for number, answer in answers.items() if number and answer == {"yes"})


def _number(item: Any, most: int) -> int:
    """The number of the question that an answer is about; 0 if there is none."""
    number = item.get("number") if isinstance(item, dict) else None
    return number if type(number) is int and 1 <= number <= most else 0


def text_of(item: Any, name: str) -> str:
    """The text under a name in an object of an answer, in one line; empty if there is none."""
    value = item.get(name) if isinstance(item, dict) else None
    return readable(" ".join(value.split())[:_LONGEST]) if isinstance(value, str) else ""


def folded(text: str) -> str:
    """The text by which quotes are looked for: without case and line breaks."""
    return " ".join(fold_case(text).split())
