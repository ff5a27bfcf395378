"""Where on a screen the words stand that say on what a control acts, and whether all else there is as it was.

An answer that takes a duty away must be about just this control on just this screen. So a screen counts as the one of
an answer only if its nodes are the same, in their order, with the same words and ticks, but for those nodes that the
answer names as arguments: what these say is read again.
"""

import hashlib
import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Final

from vsalang.program.gestures import is_keyboard
from vsalang.program.text import line
from vsalang.program.word_lists import without_blanks
from vsalang.screen.forms.amounts import without_amounts
from vsalang.screen.tree import Node, Tree

_FORM: Final = 2
"""Rises when the hash of a screen changes: no answer of before is exact then."""
_LONGEST: Final = 1000
_SHORT: Final = 200
_MOST_AROUND: Final = 80
"""More words before or after a part are not kept."""
_TIME: Final = re.compile(r"\b\d{1,2}:\d{2}\b|\d{1,2}[月월]\s?\d{1,2}[日일]")
_SECRET: Final = re.compile(r"\d(?:\W?\d){2,}|(?=\w*\d)(?=\w*[^\W\d_])\w{5,}")
"""Three digits, or a word of letters and digits: what may be a secret is not kept."""
_ANOTHER: Final = "&+/;；、([（【"
"""What parts names of a row, or puts another one in brackets."""
_WHEN: Final = re.compile(r"，\s?\d{1,2}(?:[月월]|:\d{2})")
"""When: no further name."""
_AND: Final = frozenset(
    "and or und oder et ou y e o i и или та oraz lub ve veya dan atau och og eller en και ή și şi sau és és vagy "
    "और या و أو 및 와 과 또는".split()
)
_OTHERS: Final = frozenset(
    "all except but instead not without plus with others behalf from via per alle außer statt nicht ohne mit tutti"
    " tranne invece non senza con todos excepto salvo sino no sin tous sauf pas sans avec exceto não sem com allen"
    " behalve niet zonder met wszyscy oprócz nie bez z все кроме не без вместо с hepsi hariç değil".split()
)
"""Words by which a line may tell of others than the one that it names."""
_DESCRIBED: Final = re.compile(r"\s*\((?=[a-zß-ÿа-яё])[^()@\d]{1,60}\)")
"""What somebody is, in brackets: "(nurse, health centre)"."""
_PARTS: Final = re.compile(
    r"[•·|&/;+@\n←→]|\d ?(others|more|weitere|más|autres|altri|outros)\b", re.IGNORECASE
)
"""What parts names, and a number of others."""
_TWO_NAMES: Final = re.compile(r"[A-ZÀ-ÞА-ЯЁ][\w'’.]+\s+[A-ZÀ-ÞА-ЯЁ]\w")
"""Two words in capitals, which may be somebody else."""
_AND_WITHOUT_BLANKS: Final = tuple("和与與跟及或")
_NEAR: Final = 4
_NUMBER_GOES_ON: Final = re.compile(r"\d\W*\|\W*\d")
_WORD_GOES_ON: Final = re.compile(
    r"([^\W_])[-\u2010-\u2015._@/:'’·+&%=#]*\|[-\u2010-\u2015._@/:'’·+&%=#]*([^\W_])"
)
"""What stands between letters without a blank makes one word of them: an address, a name with a hyphen."""
_BARS: Final = frozenset({"com.android.systemui"})
"""The bars of the phone: their clock changes from minute to minute."""


def spot_of(tree: Tree, node: Node) -> int | None:
    """Which of the nodes that count a node is, from 0; None: none of them."""
    return next((spot for spot, each in enumerate(counting_nodes(tree)) if each is node), None)


def node_at(tree: Tree, spot: int) -> Node | None:
    """The node at a spot; None: there are fewer."""
    nodes = counting_nodes(tree)
    return nodes[spot] if spot < len(nodes) else None


def words_at(node: Node) -> str | None:
    """What a node says, on one line; None: nothing, what may be a secret, or more than can be compared."""
    if node.password is True or (node.editable is not False and node.password is not False):
        return None
    words = " ".join((_words_of(node) or "").split())
    return words if 0 < len(words) <= _LONGEST else None


def says_one_thing(node: Node) -> bool:
    """Whether its text and its description do not contradict each other: one says the other, or is not there."""
    if not node.text or not node.desc:
        return True
    text, desc = node.text.casefold(), node.desc.casefold()
    return text in desc or desc in text


def _words_of(node: Node) -> str | None:
    """The text, or a description that says it and more: "Settle", described as "Settle with Bob Ray"."""
    if node.text and node.desc and node.text.casefold() in node.desc.casefold():
        return node.desc
    return node.text or node.desc


def around(words: str, part: str) -> tuple[str, str] | None:
    """What stands before and after a part of some words.

    None: the part is not in them, is twice, begins or ends within a word or a number, is one of several names, or what
    is around it is too much, or too secret, to be kept.

    Args:
        words: on one line.
        part: on one line.
    """
    sides = _sides(words, part)
    if sides is None or not may_stand_around(*sides):
        return None
    return None if _names_more(*sides) else sides


def _sides(words: str, part: str) -> tuple[str, str] | None:
    """What stands before and after a part; None: it is not in the words, is twice, or begins or ends within a word."""
    start = words.find(part) if part else -1
    if start < 0 or words.find(part, start + 1) >= 0:
        return None
    before, after = words[:start], words[start + len(part) :]
    return (before, after) if _is_whole(before, part, after) else None


def part_in(words: str, part: str) -> int | None:
    """Where a part stands in words that may not change; None: see `around`, or the words may name several things.

    Args:
        words: on one line.
        part: on one line.
    """
    sides = _sides(words, part)
    if sides is None:
        return None
    before, after = sides
    described = _DESCRIBED.match(after)
    rest = after if described is None else f" {after[described.end() :]}"
    around_it = f"{before} {rest}"
    others = any(word.strip(",.()").casefold() in _AND | _OTHERS for word in f"{before} {after}".split())
    if others or _PARTS.search(around_it) or any(each in around_it for each in _AND_WITHOUT_BLANKS):
        return None
    near = [*before.split()[1:][-1:], *rest.split()[:1]]  # the first word of a line has a capital anyway
    if any(word[:1].isupper() for word in near) or any(map(_TWO_NAMES.search, (before, rest))):
        return None
    return None if _names_more(before, rest) else len(before)


def may_stand_around(before: str, after: str) -> bool:
    """Whether what is around a part may be kept: it is short, and no secret. A sum of money is none."""
    return not any(
        len(words) > _MOST_AROUND or may_be_secret(without_amounts(words)) for words in (before, after)
    )


def may_be_secret(words: str) -> bool:
    """Whether words have a number of three digits, but for times and days, or a word of letters and digits."""
    return _SECRET.search(_TIME.sub("", words)) is not None


def part_between(words: str, before: str, after: str) -> str | None:
    """What stands between what was before and after a part; None: other words do, or a part of a word or a number."""
    end = len(words) - len(after)
    if not words.startswith(before) or not words.endswith(after) or end <= len(before):
        return None
    part = words[len(before) : end]
    return part if part.strip() and _is_whole(before, part, after) else None


def _is_whole(before: str, part: str, after: str) -> bool:
    return not _is_cut(before, part) and not _is_cut(part, after)


def _names_more(before: str, after: str) -> bool:
    """Whether another name is joined to the one between: "Ann and Bob", "Ann, Bob"."""
    left, right = before.split(), after.split()
    if left and (left[-1][-1] in f"{_ANOTHER},，" or left[-1].casefold() in _AND):
        return True
    if not right:
        return False
    if right[0][0] in _ANOTHER or right[0].strip(",.").casefold() in _AND:
        return True
    if (left and left[-1].endswith(_AND_WITHOUT_BLANKS)) or right[0].startswith(_AND_WITHOUT_BLANKS):
        return True
    if right[0][0] == "，":
        return _WHEN.match(after) is None
    following = (right[0].lstrip(",") or "".join(right[1:2]))[:1]
    return right[0][0] == "," and following.isalpha() and not following.islower()


def _is_cut(left: str, right: str) -> bool:
    """Whether a word or a number goes on from left to right."""
    if left and right and unicodedata.category(right[0])[0] == "M":
        return True
    left, right = ("".join(c for c in each if unicodedata.category(c) != "Cf") for each in (left, right))
    joint = f"{left[-_NEAR:]}|{right[:_NEAR]}"
    if _NUMBER_GOES_ON.search(joint):
        return True
    word = _WORD_GOES_ON.search(joint)
    return word is not None and not any(map(without_blanks, word.groups()))


def words_between(node: Node, before: str, after: str) -> str | None:
    """The part of what a node says between some words (`part_between`)."""
    words = words_at(node)
    return None if words is None else part_between(words, before, after)


def words_before(tree: Tree, spot: int) -> str:
    """What people would call a spot: the last words before it; empty: there are none."""
    texts = (words_at(node) for node in reversed(counting_nodes(tree)[:spot]))
    return line(next((words for words in texts if words and not may_be_secret(words)), ""), _SHORT)


def screen_hash(
    tree: Tree, control: Node, spots: Mapping[int, Sequence[tuple[str, str]]], front: str | None
) -> str | None:
    """Equal for screens that show just the same, but for the words at some spots, with the control at one place.

    What counts is all windows but the keyboard and the phone's own bars: their nodes in order, how they are nested and
    where they stand among each other, what they are, say, and can do.

    Args:
        tree: the screen.
        control: what takes the touch.
        spots: where the words may be others, and between which words of theirs that stay.
        front: the package of the app in front; None: not known.

    Returns:
        A hash; None: not all of it was read, the control is not of the app in front, or words that stay are others.
    """
    nodes = counting_nodes(tree)
    if front is None or control.package != front:
        return None
    if tree.partial or tree.other is not None or all(node is not control for node in nodes):
        return None
    spot_by_number = {node.node: spot for spot, node in enumerate(nodes)}
    places = sorted(range(len(nodes)), key=lambda spot: (nodes[spot].top, nodes[spot].left, spot))
    rows: list[object] = [_FORM, places]
    for spot, node in enumerate(nodes):
        if any(words_between(node, *words) is None for words in spots.get(spot, ()) if any(words)):
            return None
        texts = (node.text, node.desc, node.hint, node.length)
        free = _words_of(node) if spot in spots else None
        texts_left = (None if each == free else each for each in (node.text, node.desc))
        words = texts if free is None else (*texts_left, node.hint, None)
        states = (node.checkable, node.checked, node.selected, node.enabled, node.editable, node.password)
        takes = (node.clickable, node.long_clickable, node.scrollable)
        nested = (node.window, None if node.parent is None else spot_by_number.get(node.parent))
        known = (node.cls, node.resource_id, node.package, sorted(node.unread))
        rows.append((known, nested, states, takes, words, node is control))
    return hashlib.sha256(repr(rows).encode("utf-8", "surrogatepass")).hexdigest()[:32]


def counting_nodes(tree: Tree) -> Sequence[Node]:
    """The nodes that count, in order: not those of the keyboard and of the phone's own bars."""
    known: Sequence[Node] | None = tree.memory.get("answered_nodes")
    if known is None:
        known = tree.memory["answered_nodes"] = tuple(
            node for node in tree.nodes if node.package not in _BARS and not is_keyboard(None, node.package)
        )
    return known
