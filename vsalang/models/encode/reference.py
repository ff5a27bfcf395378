"""The tables of operators and functions in the prompt: made from those by which the language is checked and run."""

from collections.abc import Iterator

from vsalang.base.records import dataclass
from vsalang.program.ops import ALL, FUNCTIONS, OPERATORS, Function
from vsalang.program.phrases.conditions import operator_words

_TYPES = {
    "text": "Text",
    "number": "Number",
    "bool": "Bool",
    "date": "Date",
    "time": "Time",
    "duration": "Duration",
    "set": "sets",
}


@dataclass(frozen=True, slots=True)
class OperatorRow:
    """An operator with its negation.

    Attributes:
        types: what may be on the left.
        words: how people read it.
    """

    symbol: str
    negation: str
    types: str
    words: str


def operators() -> tuple[OperatorRow, ...]:
    """Every operator of the language."""
    operators, denied = [], set()
    for symbol, operator in OPERATORS.items():
        if symbol not in denied:
            denied.add(operator.negation)
            operators.append(
                OperatorRow(symbol, operator.negation, _types(operator.types), operator_words(symbol))
            )
    return tuple(operators)


def functions() -> tuple[str, ...]:
    """Every function that specs need, with its types and its meaning, one a line; `says` compares with no constant."""
    return tuple(
        f"`{'`, `'.join(_forms(function))}`: {function.doc}"
        for function in FUNCTIONS.values()
        if function.name not in ("neg", "says")
    )


def _types(tags: frozenset[str]) -> str:
    return "all" if tags == ALL else ", ".join(name for tag, name in _TYPES.items() if tag in tags)


def _forms(function: Function) -> Iterator[str]:
    for signature in function.signatures:
        if not function.name.isalpha():  # it is between its arguments
            left, right = signature.arguments
            yield f"{left} {function.name} {right}: {signature.result}"
        else:
            yield f"{function.name}({', '.join(signature.arguments)}): {signature.result}"
