"""What a kept answer tells of the screen that shows: rows of ``Answered`` and ``AnsweredArgument``."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from vsalang.models.effects.answer import OBJECTS, Answer, Argument
from vsalang.models.effects.kept import KeptAnswer
from vsalang.models.effects.places import around, node_at, screen_hash, words_at, words_before, words_between
from vsalang.program.screen import Cells, in_front
from vsalang.program.values import Value
from vsalang.screen.control.relevance import words as words_of
from vsalang.screen.forms.amounts import only_amount
from vsalang.screen.forms.outline import shorten
from vsalang.screen.screen import TreeScreen
from vsalang.screen.tree import Node, Tree

_MONEY: Final = ("amount", "currency")
_COUNT: Final = re.compile(r"[0-9]{1,6}")
_CHANGING: Final = frozenset(
    {"amount", "attachments", "count", "currency", "item", "number", "payee", "text", "to", "value", "with"}
)
"""The parameters of which other words make no other kind of act; another name of a setting or a permission may."""
_NAMED_BY_THEIR_OBJECT: Final = frozenset({"Delete", "Erase", "Move", "Download", "Uninstall"})
"""The effects that are the same whatever `what` is."""
_NUMBERS: Final = frozenset({*_MONEY, "count"})
"""The parameters of which a part of a line tells nothing: what stands next to a number says more of it."""
_LONGEST_CURRENCY: Final = 20
_IN_PARTS: Final = frozenset({"to", "with", "payee", "what", "item"})
"""The parameters that a part of a line may tell: who or what is named."""


def with_places(answer: Answer, tree: Tree, node: Node) -> Answer:
    """An answer with those of its arguments that stand where it says.

    Args:
        answer: as a model gave it: the words of an argument are the part of its spot that says it.
        tree: the screen that the model was shown.
        node: the control.
    """
    placed = (_placed(tree, node, each) for each in answer.arguments)
    return replace(answer, arguments=tuple(filter(None, placed)))


def hash_for(answer: Answer, screen: TreeScreen, node: Node) -> str | None:
    """What is equal for screens that show the same but for the arguments of an answer (`screen_hash`)."""
    return screen_hash(screen.tree, node, _spots(answer), in_front(screen))


def is_exact(screen: TreeScreen, node: Node, kept: KeptAnswer) -> bool:
    """Whether an answer is accepted, and the screen shows just what it showed then, but for the arguments."""
    return bool(kept.accepted and kept.exact) and hash_for(kept.answer, screen, node) == kept.exact


def _placed(tree: Tree, node: Node, argument: Argument) -> Argument | None:
    """An argument with its place, and what people find it by; None: the place does not say it."""
    place = None if argument.spot is None else node_at(tree, argument.spot)
    if argument.spot is None or place is None:
        return argument if argument.spot is None else None
    own = place is node
    whole = words_at(place) or (place.label if own else None) or ""
    if argument.words not in whole or (argument.parameter in _NUMBERS and argument.words not in ("", whole)):
        return None
    part = argument.words if argument.parameter in _IN_PARTS and argument.words != whole else ""
    before, after = around(whole, part) or ("", "")  # else all of it counts
    behind = "" if own else words_before(tree, argument.spot)
    return Argument(argument.parameter, argument.spot, "", behind, own, before, after)


def _spots(answer: Answer) -> Mapping[int, Sequence[tuple[str, str]]]:
    """The nodes that may say something else without making another kind of act, and which of their words stay."""
    changing = answer.kind in _NAMED_BY_THEIR_OBJECT
    spots: dict[int, list[tuple[str, str]]] = {}
    for each in answer.arguments:
        if each.spot is not None and (each.parameter in _CHANGING or (changing and each.parameter == "what")):
            spots.setdefault(each.spot, []).append((each.before, each.after))
    return spots


def row_of_answer(tree: Tree, node: Node, kept: KeptAnswer, exact: bool) -> Cells:
    """The row of a control."""
    answer = kept.answer
    row: dict[str, Value] = {
        "node": node.node,
        "means": answer.means,
        "accepted": kept.accepted,
        "exact": exact,
        "by": answer.by,
    }
    if answer.kind:
        row["kind"] = answer.kind
    texts = {argument.parameter: _words(tree, node, argument) for argument in answer.arguments}
    words = next((texts[name] for name in OBJECTS if texts.get(name)), None)
    if words:
        row["argument"] = words
    return row


def rows_of_arguments(tree: Tree, node: Node, answer: Answer) -> Iterator[Cells]:
    """The rows of what an effect acts on, as the screen shows it now."""
    named = {argument.parameter for argument in answer.arguments}
    for argument in answer.arguments:
        words, parameter = _words(tree, node, argument), argument.parameter
        if not words or (parameter == "currency" and not _is_currency(words)):
            # then nobody reads it, the rules neither
            yield {"node": node.node, "parameter": parameter}
            continue
        number, currency = only_amount(words) if parameter in _MONEY else (None, None)
        row: dict[str, Value] = {
            "node": node.node,
            "parameter": parameter,
            "text": words,
            "part": argument.is_part,
        }
        place = None if argument.spot is None else node_at(tree, argument.spot)
        if place is not None and (whole := shorten(words_of(place))):
            row["line"] = whole
        if parameter == "currency":
            row["text"] = currency or words
        elif parameter == "count":
            number = int(words) if _COUNT.fullmatch(words) else None
        if number is not None and parameter != "currency":
            row["number"] = number
        yield row
        if parameter == "amount" and currency is not None and "currency" not in named:
            yield {"node": node.node, "parameter": "currency", "text": currency, "part": False}


def _is_currency(words: str) -> bool:
    """Whether words may name a currency, or are an amount in one."""
    named = len(words) <= _LONGEST_CURRENCY and not any(map(str.isdigit, words))
    return named or only_amount(words)[1] is not None


def _words(tree: Tree, node: Node, argument: Argument) -> str | None:
    """What an argument is on this screen; None: nothing says it."""
    if argument.spot is None:
        return argument.words
    place = node_at(tree, argument.spot)
    if argument.is_part:
        return None if place is None else words_between(place, argument.before, argument.after)
    if place is node:
        return node.label
    return None if place is None else words_at(place)
