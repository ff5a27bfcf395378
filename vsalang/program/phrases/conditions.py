"""Which phrase of the book says a comparison: the same for descriptions, feedback, questions and looks."""

from collections.abc import Callable
from typing import Final

from vsalang.program.ir import Choice, Const, Fn, Term, Type
from vsalang.program.phrases import FIRST, JoinedText, Sentence, catalogue, joined, say
from vsalang.program.values import NONE

_OF_ONE: Final = {"in": "=", "not in": "!="}
_TABLES: Final = {"Date": "time", "Time": "time", "set": "set"}


def comparison(
    op: str,
    term: Term | None,
    high: Term | None,
    type_: Type | None,
    words: Callable[[Term, Type | None], str],
) -> Sentence:
    """An operator with its right side: ``is before 19:00``, ``is from 1 to 5``, ``is Mon or Tue``, ``is known``.

    Args:
        op: a symbol of `vsalang.program.ops.OPERATORS`.
        term: the right side; None of ``known`` and ``unknown``.
        high: the upper end of a range.
        type_: the type on the left; None: that of the right side.
        words: says a term at a place of that type.
    """
    if isinstance(term, Choice):
        items = [words(item, type_) for item in term.items]
        if len(items) > 1:
            return say(
                f"operator.choice.{op}", right=one_of(items) if op == "in" else joined(say("nor"), items)
            )
        return say(f"operator.text.{_OF_ONE[op]}", right=items[0])
    table = "text"
    value = term.value if isinstance(term, Const) else None
    if high is not None:
        table = "range"
    elif value is NONE and op in _OF_ONE.values():
        table = "none"
    elif value in ("", frozenset()) and op in _OF_ONE.values():
        table = "empty"
    else:
        table = _TABLES.get(kind(term, type_), table)
        if table == "time" and op in ("<", ">") and isinstance(term, Fn) and term.args:
            table = "reckoned"
    id = f"operator.{table}.{op}"
    right = words(term, type_) if term is not None else ""
    return say(
        id if id in catalogue(FIRST) else f"operator.text.{op}",
        **({"right": right} if term is not None and table not in ("empty", "none") else {}),
        **({"high": words(high, type_)} if high is not None else {}),
    )


def kind(term: Term | None, type_: Type | None) -> str:
    """The kind of the type on the left, else that of the right side; empty: it is not known."""
    own = type_ if type_ is not None else getattr(term, "type", None)
    return own.kind if isinstance(own, Type) else ""


def past(
    op: str, negated: bool, *, done: str = "", held: str = "", time: str = "", other: str = ""
) -> Sentence:
    """A condition of the past: ``the agent has done Pay within the last hour``.

    Args:
        op: see `vsalang.program.ir.Past`.
        done: what an action is called; empty if it is not an action.
        held: what held, as a clause in the past: ``there was Slot (..)``.
        time: of ``within`` and ``for``.
        other: of ``since``, as a clause in the past.
    """
    if op in ("earlier", "within"):
        id = f"past.{'not_' * negated}{'done' if done else 'held'}_{op}"
        return say(id, what=done or held, **({"time": time} if op == "within" else {}))
    more = {"time": time} if op == "for" else {"other": other}
    text = say(f"past.{op}", what=held or say("past.did", what=done), **more)
    return say("past.untrue", what=text) if negated else text


def operator_words(symbol: str) -> str:
    """What an operator is called before any right side: ``is at least``."""
    first = catalogue(FIRST)
    return (first.get(f"operator.text.{symbol}") or first[f"operator.set.{symbol}"]).removesuffix(" {right}")


def one_of(items: list[str]) -> JoinedText:
    """``a, b or c``: two or more."""
    return joined(say("or"), [joined(", ", items[:-1]), items[-1]])
