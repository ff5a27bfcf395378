"""What is answered about a control: a JSON object of a fixed form. What is not of that form is not an answer."""

import hmac
import json
from collections.abc import Collection
from typing import Any, Final, Literal, TypeAlias, get_args

from vsalang.base.records import dataclass
from vsalang.models.risk.judge.answer import once, unfenced
from vsalang.program.text import line

Means: TypeAlias = Literal["acts", "leads on"]
"""What a touch of the control does: something, or nothing but show something else."""
Argument: TypeAlias = Literal["label", "section", "none"]
"""Which words of the screen say what it acts on: its own, those that head its part of the screen, or none."""
MEANS: Final[tuple[Means, ...]] = get_args(Means)
ARGUMENTS: Final[tuple[Argument, ...]] = get_args(Argument)
OUTCOME: Final = "outcome"
"""Who says what the next screen showed."""
_UNSURE: Final = "cannot tell"
_LONGEST: Final = 20_000
_NAMES: Final = ("nonce", "means", "kind", "argument")


@dataclass(frozen=True, slots=True)
class Answer:
    """What somebody said of a control.

    Attributes:
        means: whether it acts.
        kind: as which effect, by its name in `std.effects`; empty if it leads on.
        argument: which words say on what.
        by: who said so: the name of a model, or `OUTCOME`.
    """

    means: Means
    kind: str
    argument: Argument
    by: str


@dataclass(frozen=True, slots=True)
class NoAnswer:
    """Nobody said anything that can be used.

    Attributes:
        why: on one printable line.
    """

    why: str


def form(kinds: Collection[str]) -> dict[str, Any]:
    """The JSON Schema of an answer.

    Args:
        kinds: the names of the effects.
    """
    return {
        "type": "object",
        "properties": {
            "nonce": {"type": "string"},
            "means": {"type": "string", "enum": [*MEANS, _UNSURE]},
            "kind": {"type": "string", "enum": ["", *kinds]},
            "argument": {"type": "string", "enum": list(ARGUMENTS)},
        },
        "required": list(_NAMES),
        "additionalProperties": False,
    }


def read_answer(text: str, nonce: str, model: str, kinds: Collection[str]) -> Answer | NoAnswer:
    """An answer, if it has the form and repeats the nonce of its question.

    Args:
        text: what the model said. It is not trusted.
        nonce: of the question.
        model: its name.
        kinds: the names of the effects; others are not answers.
    """
    if len(text) > _LONGEST:
        return NoAnswer(f"the answer has {len(text)} characters")
    try:
        data = json.loads(unfenced(text), object_pairs_hook=once)
    except (ValueError, RecursionError):
        data = None
    if not isinstance(data, dict) or data.keys() != set(_NAMES):
        return NoAnswer("the answer is not a JSON object of the form that was asked for")
    if not all(isinstance(value, str) for value in data.values()):
        return NoAnswer("a value of the answer has the wrong type")
    if not hmac.compare_digest(data["nonce"].encode("utf-8", "replace"), nonce.encode()):
        return NoAnswer("the answer does not repeat the number of this question")
    return answer_of(data["means"], data["kind"], data["argument"], line(model, 80), kinds)


def answer_of(means: str, kind: str, argument: str, by: str, kinds: Collection[str]) -> Answer | NoAnswer:
    """An answer of these parts, if each is one that there is and they fit together."""
    if means == _UNSURE:
        return NoAnswer(f"{by} cannot tell")
    if means not in MEANS or argument not in ARGUMENTS:
        return NoAnswer("the answer names what there is not")
    if means == "leads on":
        if kind:
            return NoAnswer("the answer contradicts itself: what leads on has no effect")
        return Answer("leads on", "", "none", by)
    if kind not in kinds:
        return NoAnswer(f"the answer names an unknown effect: {line(kind, 60)}")
    return Answer("acts", kind, argument, by)
