"""The two forms in which a model writes a spec, `.vsa` text and JSON; either way there is text to check afterwards."""

from typing import Final
from typing import Literal as OneOf

from vsalang.base.records import dataclass
from vsalang.models.encode import json_answer
from vsalang.models.encode.charter import refusal_in
from vsalang.models.encode.extract import MAX_MODULE, before_module, extract, without_thoughts
from vsalang.models.encode.problem import Problem
from vsalang.models.encode.prompting import fenced
from vsalang.program.ir import Program

Form = OneOf["vsa", "json"]
_LONGEST_ECHO: Final = 4_000


@dataclass(frozen=True, slots=True)
class AnswerContent:
    """What an answer holds.

    Attributes:
        text: the spec; empty if there is none that can be read.
        problems: why there is none.
        remarks: what the model says in addition to it.
        refusal: why the model says that no spec can be written safely; empty if it does not.
    """

    text: str
    problems: tuple[Problem, ...] = ()
    remarks: str = ""
    refusal: str = ""


def find(answer: str, form: Form, header: str, program: Program) -> AnswerContent:
    """The spec in an answer.

    Args:
        answer: all that the model said.
        form: in which form it was asked for a spec.
        header: the first line of a spec from JSON; one in text brings its own.
        program: imports the apps; it has the types of attributes.
    """
    if form == "vsa":
        result = extract(answer)
        if refusal := refusal_in(answer):
            return _refused(refusal, not isinstance(result, Problem))
        if isinstance(result, Problem):
            return AnswerContent("", (result,))
        return AnswerContent(result, remarks=before_module(answer))
    read = json_answer.read(answer)
    if isinstance(read, tuple):
        return AnswerContent("", read)
    if refusal := refusal_in(read.remarks):
        return _refused(refusal, bool(read.rules))
    text = read.spec(header, program)
    if len(text) > MAX_MODULE:
        long = f"the spec is longer than {MAX_MODULE} characters"
        return AnswerContent("", (Problem.of("answer", long, "write only what the task needs"),))
    return AnswerContent(text, remarks=read.remarks)


def _refused(why: str, written: bool) -> AnswerContent:
    """That no spec can be written safely; an answer that says so and holds a spec is not understood."""
    if written:
        both = "the answer holds a spec, and says that none can be written safely"
        return AnswerContent("", (Problem.of("answer", both, "send the one or the other"),))
    return AnswerContent("", refusal=why)


def echo(answer: str, text: str, form: Form) -> str:
    """An answer as the model is shown it again: the spec without what stands around it.

    Args:
        answer: all that the model said.
        text: the spec that was read in it; empty if there was none.
        form: in which form it was asked for a spec.
    """
    if text:
        return fenced(text) if form == "vsa" else without_thoughts(answer).strip()
    answer = answer or "(no answer)"
    return answer if len(answer) <= _LONGEST_ECHO else f"{answer[:_LONGEST_ECHO]} [..]"
