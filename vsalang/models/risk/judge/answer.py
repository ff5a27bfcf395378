"""What a judge answers: a JSON object of a fixed form. What is not of that form is not an answer, and never "safe"."""

import hmac
import json
from typing import Any, Final

from vsalang.base.records import dataclass
from vsalang.program import risks
from vsalang.program.text import line

CATEGORIES: Final = tuple(risks.CATEGORIES.values())
"""The ten kinds of harm of OS-Sentinel, as it names them."""
FORM: Final[dict[str, Any]] = {
    "type": "object",
    "properties": {
        "nonce": {"type": "string"},
        "concern": {"type": "boolean"},
        "categories": {"type": "array", "items": {"type": "string", "enum": list(CATEGORIES)}},
        "reason": {"type": "string"},
    },
    "required": ["nonce", "concern", "categories", "reason"],
    "additionalProperties": False,
}
"""The JSON Schema of an answer."""
MAX_REASON: Final = 300
"""Characters of a reason that are kept."""
_LONGEST: Final = 20_000


@dataclass(frozen=True, slots=True)
class Opinion:
    """What a judge said.

    Attributes:
        concerns: the kinds of harm, of `CATEGORIES`; none: it is not concerned.
        reason: in its words, on one printable line.
        model: its name.
    """

    concerns: tuple[str, ...]
    reason: str
    model: str


@dataclass(frozen=True, slots=True)
class NoJudgement:
    """A judge gave no answer that can be used.

    Attributes:
        why: on one printable line.
    """

    why: str


def read_answer(text: str, nonce: str, model: str) -> Opinion | NoJudgement:
    """An answer, if it has the form and repeats the nonce of its question.

    Args:
        text: what the model said. It is not trusted.
        nonce: of the question.
        model: its name.
    """
    if len(text) > _LONGEST:
        return NoJudgement(f"the answer has {len(text)} characters")
    try:
        data = json.loads(unfenced(text), object_pairs_hook=once)
    except (ValueError, RecursionError):
        return NoJudgement("the answer is not a JSON object of the form that was asked for")
    problem = _problem(data)
    if problem:
        return NoJudgement(problem)
    if not hmac.compare_digest(data["nonce"].encode("utf-8", "replace"), nonce.encode()):
        return NoJudgement("the answer does not repeat the number of this question")
    concerns = tuple(name for name in CATEGORIES if name in data["categories"])
    return Opinion(concerns, line(data["reason"].strip(), MAX_REASON), line(model, 80))


def _problem(data: Any) -> str:
    """Why an answer has another form; empty if it has this one."""
    if not isinstance(data, dict) or data.keys() != set(FORM["required"]):
        return "the answer is not a JSON object of the form that was asked for"
    categories = data["categories"]
    if not (
        isinstance(data["nonce"], str)
        and isinstance(data["concern"], bool)
        and isinstance(data["reason"], str)
        and isinstance(categories, list)
        and all(isinstance(each, str) for each in categories)
    ):
        return "a value of the answer has the wrong type"
    if unknown := [each for each in categories if each not in CATEGORIES]:
        return f"the answer names an unknown category: {line(unknown[0], 60)}"
    if data["concern"] != bool(categories):
        return "the answer contradicts itself: a concern needs a category, and a category is a concern"
    if not data["reason"].strip():
        return "the answer gives no reason"
    return ""


def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object; a name that is there twice could say one thing to us and another to others."""
    data = dict(pairs)
    if len(data) != len(pairs):
        raise ValueError("a name twice")
    return data


def unfenced(text: str) -> str:
    """The text without a Markdown fence around all of it: models without schemas write one."""
    lines = [line.removesuffix("\r") for line in text.strip().split("\n")]
    if len(lines) >= 3 and lines[0] in ("```", "```json") and lines[-1] == "```":
        return "\n".join(lines[1:-1])
    return text
