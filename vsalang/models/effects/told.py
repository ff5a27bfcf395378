"""What a kept answer tells of the screen that shows: rows of ``Answered`` and ``AnsweredArgument``."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from vsalang.models.client.kept import digest_of
from vsalang.models.effects.answer import IN_PARTS, OBJECTS, WORDED, Answer, Argument
from vsalang.models.effects.kept import KeptAnswer
from vsalang.models.effects.place import Place
from vsalang.models.effects.places import (
    around,
    counting_nodes,
    may_stand_around,
    node_at,
    part_in,
    says_one_thing,
    screen_hash,
    words_at,
    words_before,
    words_between,
)
from vsalang.models.effects.way import TYPING, source_of, way_hash
from vsalang.models.effects.way import words_of as words_on_way
from vsalang.program.naming import DETAIL
from vsalang.program.screen import Cells, in_front
from vsalang.program.values import Value
from vsalang.screen.control.relevance import words as words_of
from vsalang.screen.forms.amounts import (
    amount_within,
    code_of,
    only_amount,
    sum_in,
    sum_of,
    sums_in,
    tells_balance,
)
from vsalang.screen.forms.outline import shorten
from vsalang.screen.forms.surfaces import CURRENCIES
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
_HASH: Final = 16
_OF_THIS_ONE: Final = frozenset({("count", "1"), ("recurring", "false")})
"""What an answer says in its own words of nothing but what it was shown."""


_NEVER_EARLIER: Final = _NUMBERS | WORDED
"""The parameters that no earlier screen tells: a sum or a number of things may have changed since."""


def with_places(answer: Answer, place: Place) -> Answer:
    """An answer with those of its arguments that stand where it says.

    Args:
        answer: as a model gave it: the words of an argument are the part of its spot that says it.
        place: what the model was shown.
    """
    placed: list[Argument] = []
    for each in answer.arguments:
        argument = _placed(place, each, _is_free(answer.kind, each))
        if argument is None:
            continue
        if each.detail:
            named = (other for other in placed if other.parameter == each.parameter and not other.detail)
            words = next((_words(place, answer.kind, other) for other in named), None)
            if not words:
                continue
            argument = replace(argument, of=_hash_of(words))
        placed.append(argument)
    return replace(answer, arguments=tuple(placed))


def _hash_of(words: str) -> str:
    """A hash of the words that a detail says more of."""
    return digest_of(["detail", words])[:_HASH]


def hash_for(answer: Answer, place: Place) -> str | None:
    """What is equal for screens that show the same but for the arguments of an answer (`screen_hash`).

    It counts in a window over the app in front, too: there a task needs a licence for the window (`Overlay`).
    """
    front = in_front(place.screen)
    if front is not None:
        front = place.node.package
    return screen_hash(place.tree, place.node, _spots(answer), front)


def is_exact(place: Place, kept: KeptAnswer) -> bool:
    """Whether an answer is accepted, and the screen shows just what it showed then, but for the arguments."""
    counts = kept.accepted and kept.exact and kept.key.gesture == place.gesture
    return bool(counts) and hash_for(kept.answer, place) == kept.exact


def _placed(place: Place, argument: Argument, free: bool) -> Argument | None:
    """An argument with its place, and what people find it by; None: the place does not say it."""
    if argument.spot is None:
        return argument
    source = _source(place, argument)
    if source is None:
        return None
    tree, _, whole, own = source
    parameter = argument.parameter
    framed, fixed = _framed(parameter, argument.words, whole), None
    unread = framed is None or (framed == ("", "") and only_amount(whole)[0] is None)
    copied = argument.words or whole
    if unread and parameter in _MONEY and (start := _sum_at(place, argument, copied)) is not None:
        framed, fixed = ("", ""), (start, len(copied))
    if framed == ("", "") and parameter in IN_PARTS and argument.words not in ("", whole):
        fixed = _part_at(place, argument, whole)
    if framed is None:
        return None
    before, after = framed
    behind = "" if own else words_before(tree, argument.spot)
    placed = Argument(
        parameter, argument.spot, "", behind, own, before, after, fixed=fixed, detail=argument.detail
    )
    if not argument.back:
        return placed
    way = _way(place, argument, free)
    if way is None or parameter in _NEVER_EARLIER:
        return None
    since = [
        "typing" if each.gesture in TYPING else each.name
        for each in reversed(place.way.passages[: argument.back])
    ]
    # what was touched first may be the argument itself, whose words are not kept
    return replace(placed, back=argument.back, way=way, touched=tuple(since[1:] if own else since))


def _sum_at(place: Place, argument: Argument, copied: str) -> int | None:
    """Where a sum stands in a line of this screen that may not change (`sum_in`).

    None: what the node says is not clear, or another line has a larger sum, unless the control itself says this one.
    """
    assert argument.spot is not None
    node = node_at(place.tree, argument.spot)
    whole = None if node is None or argument.back else words_at(node)
    if node is None or whole is None or not says_one_thing(node):
        return None
    start = sum_in(whole, copied)
    value, _ = sum_of(copied)
    if start is None or value is None or node is place.node:
        return start
    others = (
        words_at(each)
        for each in counting_nodes(place.tree)
        if each is not node and not tells_balance(words_at(each) or "")
    )
    numbers = (number for words in others if words for number in sums_in(words))
    larger = any(number is None or number > value for number in numbers)
    return None if larger else start


def _part_at(place: Place, argument: Argument, whole: str) -> tuple[int, int] | None:
    """Where a name stands in a long line of this screen that may not change; None: all of the line counts."""
    assert argument.spot is not None
    node = node_at(place.tree, argument.spot)
    if node is None or argument.back or argument.detail or not says_one_thing(node):
        return None
    start = part_in(whole, argument.words)
    return None if start is None else (start, len(argument.words))


def _framed(parameter: str, words: str, whole: str) -> tuple[str, str] | None:
    """What a line says before and after an argument; None: it does not say the argument.

    Of a sum the line's one amount counts, whichever part of it was copied.
    """
    if words not in whole:
        return None
    if parameter in _MONEY and (part := amount_within(whole)):
        before, after = whole.split(part, 1)
        copied, due = (list(filter(str.isdecimal, text)) for text in (words, part))
        is_part = words == whole or words in part
        if not is_part or (copied and copied != due) or not may_stand_around(before, after):
            return None
        return before, after
    if parameter in _NUMBERS and words not in ("", whole):
        return None
    part = words if parameter in IN_PARTS and words != whole else ""
    return around(whole, part) or ("", "")  # else all of it counts


def _way(place: Place, argument: Argument, free: bool) -> str | None:
    """The hash of the way from where an argument stands (`way_hash`)."""
    assert argument.spot is not None
    return way_hash(place.way, argument.back, argument.spot, place.version, free=free)


def _source(place: Place, argument: Argument) -> tuple[Tree, Node, str, bool] | None:
    """The screen that says an argument, the node there, all that it says, and whether it is what is touched."""
    assert argument.spot is not None
    if argument.back:
        earlier = source_of(place.way, argument.back, argument.spot)
        if earlier is None:
            return None
        passage, node = earlier
        return passage.screen.tree, node, words_on_way(passage, node) or "", passage.node.encloses(node)
    node_here = node_at(place.tree, argument.spot)
    if node_here is None:
        return None
    own = node_here is place.node
    return place.tree, node_here, words_at(node_here) or (node_here.label if own else None) or "", own


def _is_free(kind: str, argument: Argument) -> bool:
    """Whether an argument may be another one without making another kind of act."""
    parameter = argument.parameter
    return not argument.detail and (
        parameter in _CHANGING or (kind in _NAMED_BY_THEIR_OBJECT and parameter == "what")
    )


def _spots(answer: Answer) -> Mapping[int, Sequence[tuple[str, str]]]:
    """The nodes that may say something else without making another kind of act, and which of their words stay."""
    if any(each.spot is None and (each.parameter, each.words) in _OF_THIS_ONE for each in answer.arguments):
        return {}  # who says that it is one thing, or goes once, says it of this one
    fixed = {each.spot for each in answer.arguments if each.fixed or (each.detail and not each.back)}
    spots: dict[int, list[tuple[str, str]]] = {}
    for each in answer.arguments:
        if each.spot in fixed or each.back or not _is_free(answer.kind, each):
            continue
        if each.spot is not None:
            spots.setdefault(each.spot, []).append((each.before, each.after))
    return spots


def row_of_answer(place: Place, kept: KeptAnswer, exact: bool) -> Cells:
    """The row of a control."""
    answer = kept.answer
    row: dict[str, Value] = {
        "node": place.node.node,
        "means": answer.means,
        "accepted": kept.accepted,
        "exact": exact,
        "by": answer.by,
    }
    if answer.kind:
        row["kind"] = answer.kind
    texts = {
        each.parameter: _words(place, answer.kind, each)
        for each in answer.arguments
        if not each.back and not each.detail
    }
    words = next((texts[name] for name in OBJECTS if texts.get(name)), None)
    if words:
        row["argument"] = words
    return row


def rows_of_arguments(place: Place, answer: Answer) -> Iterator[Cells]:
    """The rows of what an effect acts on, as the screens show it now."""
    number_of_node = place.node.node
    own = _currency_of_amount(place, answer)
    named = {each.parameter for each in answer.arguments if not (own and _is_worded_currency(each))}
    for argument in answer.arguments:
        if argument.detail or (own and _is_worded_currency(argument)):
            continue
        words, parameter = _words(place, answer.kind, argument), argument.parameter
        unclear = _is_worded_currency(argument) and _shows_another(place, argument.words)
        if (
            unclear
            or not words
            or (parameter == "currency" and not argument.fixed and not _is_currency(words))
        ):
            # then nobody reads it, the rules neither
            yield {"node": number_of_node, "parameter": parameter}
            continue
        reads = sum_of if argument.fixed else only_amount
        number, currency = reads(words) if parameter in _MONEY else (None, None)
        if currency is None and argument.is_part and not argument.fixed:
            number = None  # a number in a sentence need not be money
        row: dict[str, Value] = {
            "node": number_of_node,
            "parameter": parameter,
            "text": words,
            "full": words,
            "part": argument.is_part,
        }
        if DETAIL in (details := _in_full(place, answer, parameter, words)):
            row["details"] = details
        here = None if argument.spot is None or argument.back else node_at(place.tree, argument.spot)
        whole = shorten(words_of(here)) if here is not None else words
        if whole and argument.spot is not None:
            row["line"] = whole
        if parameter == "currency":
            row["text"] = row["full"] = currency or words
        elif parameter == "count":
            number = int(words) if _COUNT.fullmatch(words) else None
        if number is not None and parameter != "currency":
            row["number"] = number
        yield row
        if parameter == "amount" and currency is not None and "currency" not in named:
            part = argument.is_part
            line = row.get("line", currency)
            cells: dict[str, Value] = {"text": currency, "full": currency, "line": line, "part": part}
            yield {"node": number_of_node, "parameter": "currency", **cells}


def _in_full(place: Place, answer: Answer, parameter: str, words: str) -> str:
    """The words of an argument, and what else was said of just these words, each behind a mark (`naming.DETAIL`)."""
    of = _hash_of(words)
    details = (
        _words(place, answer.kind, each)
        for each in answer.arguments
        if each.detail and each.parameter == parameter and each.of == of
    )
    return f" {DETAIL} ".join(each.replace(DETAIL, " ") for each in (words, *details) if each)


def _is_worded_currency(argument: Argument) -> bool:
    return argument.parameter == "currency" and argument.spot is None


def _shows_another(place: Place, currency: str) -> bool:
    """Whether the screen tells of any other currency than one that was said in other words than its own."""
    texts = (words_at(node) for node in counting_nodes(place.tree))
    marks = (match.group() for text in texts if text for match in CURRENCIES.finditer(text))
    return any(code_of(mark.strip()) != currency for mark in marks)


def _currency_of_amount(place: Place, answer: Answer) -> str | None:
    """The currency that stands at the amount: it goes before one in words of the answer's own."""
    amount = next((each for each in answer.arguments if each.parameter == "amount"), None)
    words = None if amount is None else _words(place, answer.kind, amount)
    if amount is None or not words:
        return None
    return (sum_of if amount.fixed else only_amount)(words)[1]


def _is_currency(words: str) -> bool:
    """Whether words may name a currency, or are an amount in one."""
    named = len(words) <= _LONGEST_CURRENCY and not any(map(str.isdigit, words))
    return named or only_amount(words)[1] is not None


def _words(place: Place, kind: str, argument: Argument) -> str | None:
    """What an argument is now; None: nothing says it, or the way from the screen that said it was another one."""
    if argument.spot is None:
        return argument.words
    source = _source(place, argument)
    if source is None:
        return None
    if argument.back and _way(place, argument, _is_free(kind, argument)) != argument.way:
        return None
    _, node, whole, own = source
    if argument.fixed:
        start, length = argument.fixed
        part = whole[start : start + length]
        place_now = sum_in(whole, part) if argument.parameter in _MONEY else part_in(whole, part)
        return part if part and place_now == start else None
    if argument.is_part:
        return words_between(node, argument.before, argument.after)
    return node.label if own and not argument.back else whole or None
