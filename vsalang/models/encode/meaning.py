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
from vsalang.program.ir import Program
from vsalang.program.text import fold_case

Kind = OneOf["reader", "lint", "verify", "probe", "vote"]
_MOST_DOUBTS: Final = 20
_MEANT: Final = ("yes", "no", "open")
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
        question: the number of the question, from 1, that it is about; 0: about none.
    """

    kind: Kind
    message: str
    text: str
    quote: str = ""
    question: int = 0


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
        unfinishable: how it was proved that the task can never be finished; empty if it was not.
    """

    doubts: tuple[Doubt, ...] = ()
    exchanges: tuple[Exchange, ...] = ()
    checks: tuple[str, ...] = ()
    meant: tuple[int, ...] = ()
    tests: tuple[str, ...] = ()
    unfinishable: str = ""


Meaning = Callable[[Loaded, Program], Review]
"""Looks for doubts about a spec without errors; the program is one that imports all that was given."""


@dataclass(frozen=True, slots=True)
class Omissions:
    """What a spec leaves out, and its writer says of it.

    Attributes:
        unused: the names of the given relations that no rule of the spec mentions.
        guesses: the comments in which the writer says what it guessed or left out, as it wrote them.
    """

    unused: tuple[str, ...] = ()
    guesses: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Reader:
    """A model that compares an instruction with the description of a spec, in a conversation of its own.

    It sees nothing of the conversation in which the spec was written, even if it is the same model.

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

    def read(
        self,
        instruction: str,
        description: str,
        questions: Sequence[str] = (),
        unsaid: Omissions | None = None,
    ) -> Review:
        """The doubts of the reader.

        Args:
            instruction: what the user said.
            description: what the spec means, in plain words.
            questions: states near the edge of what the spec allows, and what it decides there.
            unsaid: what the spec leaves out; None: nothing.
        """
        unsaid = unsaid or Omissions()
        data = {
            "instruction": instruction,
            "moment": self.moment,
            "description": description,
            "questions": questions,
            "unused": unsaid.unused,
            "guesses": unsaid.guesses,
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
    by_number = _answers(data, len(questions))
    for number, question in enumerate(questions, 1):
        quotes = [quote for meant, quote in by_number.get(number, ()) if meant == "no"]
        quote = next((quote for quote in quotes if quote and folded(quote) in text), "")
        if quote:
            message = f"not meant by the instruction: {question}"
            doubts.append(Doubt("probe", message, f'{message} It says: "{quote}"', quote, number))
        elif quotes:
            message = f"the reader says no, and quotes no words of the instruction: {question}"
            doubts.append(Doubt("probe", message, message, question=number))
        elif len({meant for meant, _ in by_number.get(number, ())}) != 1:
            message = f"the reader did not say whether this is meant: {question}"
            doubts.append(Doubt("probe", message, message, question=number))
    return doubts[:_MOST_DOUBTS]


def _answers(data: Mapping[str, Any], questions: int) -> dict[int, list[tuple[str, str]]]:
    """What was said of each question, with the quote: yes, no or open. Anything else does not answer."""
    by_number: dict[int, list[tuple[str, str]]] = {}
    for item in data["answers"]:
        number, meant = _number(item, questions), text_of(item, "meant")
        if number and meant in _MEANT:
            by_number.setdefault(number, []).append((meant, text_of(item, "quote")))
    return by_number


def _meant(data: Mapping[str, Any], questions: int) -> list[int]:
    """The questions that were answered with yes, and with nothing else."""
    answers = _answers(data, questions)
    return sorted(number for number, replies in answers.items() if {meant for meant, _ in replies} == {"yes"})


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
