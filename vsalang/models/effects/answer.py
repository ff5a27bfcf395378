"""What is answered about a control: a JSON object of a fixed form. What is not of that form is not an answer."""

import hmac
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, Literal, TypeAlias, get_args

from vsalang.base.records import dataclass
from vsalang.models.risk.judge.answer import once, unfenced
from vsalang.program.native.answers import DESCRIBED
from vsalang.program.readers import ISO_4217
from vsalang.program.text import line

Means: TypeAlias = Literal["acts", "leads on"]
"""What a touch of the control does: something, or nothing but show something else."""
MEANS: Final[tuple[Means, ...]] = get_args(Means)
OBJECTS: Final = ("what", "item", "name", "permission", "site", "number", "host", "text", "payee", "to")
"""The parameters that say on what an effect acts, the first that an effect has."""
WORDED: Final = frozenset({"kind", "channel", "recurring", "count", "currency"})
"""The parameters that may be said in words that the screen does not show: what they are is the control's nature."""
_MOST_DETAILS: Final = 3
IN_PARTS: Final = frozenset({"to", "with", "payee", "number", "what", "item"})
"""The parameters that a part of a line may tell: who or what is named."""
_ONE: Final = "1"
"""What may be said so of a count: that a touch is about one thing."""
OUTCOME: Final = "outcome"
"""Who says what the next screen showed."""
_UNSURE: Final = "cannot tell"
_LONGEST: Final = 20_000
_LONGEST_WORDS: Final = 60
_MOST: Final = 30
_NAMES: Final = ("nonce", "means", "kind", "arguments")
_CELLS: Final = {"parameter": str, "line": int, "words": str}


@dataclass(frozen=True, slots=True)
class Effect:
    """An effect that a control may have.

    Attributes:
        what: in a few words.
        parameters: what each of its parameters is, by name.
    """

    what: str
    parameters: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Spot:
    """Where a line of a question stands.

    Attributes:
        node: which node of a screen it is about (`vsalang.models.effects.places`).
        back: of which screen: 0 is the one that is asked about, 1 that of the step before it, and so on.
    """

    node: int
    back: int = 0


@dataclass(frozen=True, slots=True)
class Argument:
    """Which words say what a parameter of an effect is.

    Attributes:
        parameter: its name.
        spot: which node of the screen says it (`vsalang.models.effects.places`); None: none does, it is `words`.
        words: the words themselves, of a parameter in `WORDED`.
        behind: the words before the spot, by which people find it.
        own: whether the spot is the control itself.
        before: what the spot says before the argument.
        after: what it says after it. Where both are empty, all that the spot says is the argument.
        back: how many steps before the screen was that says it; 0: it is the one with the control.
        way: a hash of the way from there (`vsalang.models.effects.way`).
        touched: what was touched on this way, the first first: by this people find it.
        fixed: the first character of a sum or a name in a line that may not change, and how many it has; None: it is
            neither.
        detail: whether it only says more of an argument before it: a role, a group, a number. It may not change.
        of: a hash of the words of that argument: with other words it says nothing of it.
    """

    parameter: str
    spot: int | None
    words: str = ""
    behind: str = ""
    own: bool = False
    before: str = ""
    after: str = ""
    back: int = 0
    way: str = ""
    touched: tuple[str, ...] = ()
    fixed: tuple[int, int] | None = None
    detail: bool = False
    of: str = ""

    @property
    def is_part(self) -> bool:
        """Whether the spot says more than the argument."""
        return bool(self.before or self.after or self.fixed)


@dataclass(frozen=True, slots=True)
class Answer:
    """What somebody said of a control.

    Attributes:
        means: whether it acts.
        kind: as which effect, by its name in `std.effects`; empty if it leads on.
        arguments: on what, as far as somebody said.
        by: who said so: the name of a model, or `OUTCOME`.
    """

    means: Means
    kind: str
    arguments: tuple[Argument, ...]
    by: str


@dataclass(frozen=True, slots=True)
class NoAnswer:
    """Nobody said anything that can be used.

    Attributes:
        why: on one printable line.
        unsure: whether the model says that it cannot tell.
    """

    why: str
    unsure: bool = False


def form(effects: Mapping[str, Effect]) -> dict[str, Any]:
    """The JSON Schema of an answer.

    Args:
        effects: by name.
    """
    parameters = sorted({name for effect in effects.values() for name in effect.parameters})
    argument = {
        "type": "object",
        "properties": {
            "parameter": {"type": "string", "enum": parameters},
            "line": {"type": "integer"},
            "words": {"type": "string"},
        },
        "required": list(_CELLS),
        "additionalProperties": False,
    }
    return {
        "type": "object",
        "properties": {
            "nonce": {"type": "string"},
            "means": {"type": "string", "enum": [*MEANS, _UNSURE]},
            "kind": {"type": "string", "enum": ["", *effects]},
            "arguments": {"type": "array", "items": argument},
        },
        "required": list(_NAMES),
        "additionalProperties": False,
    }


def read_answer(
    text: str, nonce: str, model: str, effects: Mapping[str, Effect], spots: Sequence[Spot | None] = ()
) -> Answer | NoAnswer:
    """An answer, if it has the form and repeats the nonce of its question.

    The `words` of an argument with a spot are the part of its line that says it; empty: all of it does.
    An argument that the effect does not have, or of a line that shows no node, is left out: the rules
    read it then. Of two arguments of one parameter the second is a detail of the first.

    Args:
        text: what the model said. It is not trusted.
        nonce: of the question.
        model: its name.
        effects: by name; others are not answers.
        spots: what each line of the question is about; None: it is about no node.
    """
    if len(text) > _LONGEST:
        return NoAnswer(f"the answer has {len(text)} characters")
    try:
        data = json.loads(unfenced(text), object_pairs_hook=once)
    except (ValueError, RecursionError):
        data = None
    if not isinstance(data, dict) or data.keys() != set(_NAMES):
        return NoAnswer("the answer is not a JSON object of the form that was asked for")
    rows = data.pop("arguments")
    if not all(isinstance(value, str) for value in data.values()) or not _are_arguments(rows):
        return NoAnswer("a value of the answer has the wrong type")
    if not hmac.compare_digest(data["nonce"].encode("utf-8", "replace"), nonce.encode()):
        return NoAnswer("the answer does not repeat the number of this question")
    by, kind, means = name_of(model), data["kind"], data["means"]
    if means == _UNSURE:
        return NoAnswer(f"{by} cannot tell", unsure=True)
    if means not in MEANS:
        return NoAnswer("the answer names what there is not")
    if means == "leads on":
        if kind:
            return NoAnswer("the answer contradicts itself: what leads on has no effect")
        return Answer("leads on", "", (), by)
    if kind not in effects:
        return NoAnswer(f"the answer names an unknown effect: {line(kind, 60)}")
    return Answer("acts", kind, tuple(_arguments(rows, effects[kind], spots)), by)


def may_be_worded(parameter: str, words: str) -> bool:
    """Whether words may say a parameter though the screen does not show them."""
    if parameter == "currency":
        return words in ISO_4217
    return parameter in WORDED and bool(words.strip()) and (parameter != "count" or words == _ONE)


def name_of(model: str) -> str:
    """Who answered, on one line. The names that the guard itself answers by begin with ``std.``: no model has one."""
    name = line(model, 80)
    return f"model {name}" if name.startswith("std.") else name


def _are_arguments(rows: Any) -> bool:
    """Whether arguments have their form."""
    return (
        isinstance(rows, list)
        and len(rows) <= _MOST
        and all(
            isinstance(each, dict)
            and each.keys() == _CELLS.keys()
            and all(type(each[name]) is kind for name, kind in _CELLS.items())
            for each in rows
        )
        and all(
            count == 1 or (parameter in DESCRIBED and count <= 1 + _MOST_DETAILS)
            for parameter, count in Counter(each["parameter"] for each in rows).items()
        )
    )


def _arguments(
    rows: Sequence[Mapping[str, Any]], effect: Effect, spots: Sequence[Spot | None]
) -> Iterator[Argument]:
    places: dict[str, list[Spot]] = {}
    for each in rows:
        parameter, number, words = each["parameter"], each["line"], each["words"]
        if parameter not in effect.parameters:
            continue
        if number == 0 and may_be_worded(parameter, words):
            yield Argument(parameter, None, line(words, _LONGEST_WORDS))
        elif 1 <= number <= len(spots) and (spot := spots[number - 1]) is not None:
            before = places.setdefault(parameter, [])
            if spot in before:
                continue
            detail = bool(before)
            before.append(spot)
            part = "" if detail else " ".join(words.split())
            yield Argument(parameter, spot.node, part, back=spot.back, detail=detail)
