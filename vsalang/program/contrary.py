"""Whether two texts say opposite things: one has a negation, or a word that excludes a word of the other.

A backend that compares meanings takes "with milk" and "without milk" for nearly the same. So it is not asked about
texts that are contrary. That a pair is not found here says nothing.
"""

import re
from itertools import pairwise
from typing import Final

from vsalang.program.dates import ENGLISH
from vsalang.program.languages import LANGUAGES
from vsalang.program.text import fold_case

_WORD: Final = re.compile(r"[^\W_]+(?:'[^\W_]+)*")
_NEGATIONS: Final = frozenset(
    "no not non never none nobody nothing neither nor without except excluding cannot minus "
    "nicht kein keine keinen keinem keiner nie niemals ohne außer ausser "
    "sin nunca ningún ninguno ninguna salvo excepto ne pas sans jamais aucun aucune sauf "
    "senza nessun nessuno nessuna tranne".split()
)
_CONTRACTED: Final = re.compile(
    r"n't$|^(?:do|does|did|is|are|was|were|ca|should|would|could|has|have|had|must)nt$"
)
_JAPANESE: Final = re.compile("ない|なし|無し|抜き|不要|禁止|以外")
_FREE: Final = re.compile(r"(?<=\w)-free(?!\w)")
_PREFIXES: Final = tuple("un non dis in im ir il de mis anti ent".split())
_SUFFIXES: Final = ("less", "free")
_SHORTEST_STEM: Final = 3

_EXCLUDING: Final = """
on/enable/enabled/activate/activated off/disable/disabled/deactivate/deactivated
open/opened/opening/opens close/closed/closing/closes/shut
allow/allowed/permit/permitted deny/denied/block/blocked/forbid/forbidden/reject/rejected/refuse/refused
allow/allowed/permit/permitted decline/declined
accept/accepted/approve/approved reject/rejected/refuse/refused/decline/declined/deny/denied
add/added/adding remove/removed/removing/delete/deleted/deleting
create/created delete/deleted
save/saved discard/discarded/delete/deleted
confirm/confirmed cancel/cancelled/canceled
join/joined leave/left
increase/increased decrease/decreased reduce/reduced
up down
buy/bought/purchase sell/sold/sale
send/sent receive/received
incoming outgoing
lend/lent borrow/borrowed
start/started/begin/resume stop/stopped/end/pause/paused
public private
all none some
always never
first last second
next previous
minimum/min maximum/max
new old used
hot cold/iced warm
small medium large/big
high/higher/highest medium low/lower/lowest
cheap/cheaper/cheapest expensive
early/earlier/earliest late/later/latest
long/longer short/shorter
left right middle
top bottom
front back
inside outside
indoor/indoors outdoor/outdoors
male/men/man female/women/woman
boy/boys girl/girls
he/him/his she/her
mother/mom/mum father/dad
brother sister
husband wife
son daughter
adult/adults child/children infant/infants senior/seniors
departure/departures/depart/departing arrival/arrivals/arrive/arriving
yes no
true false
show/shown hide/hidden
import/imported export/exported
upload/uploaded download/downloaded
login/signin logout/signout
home work/office
personal business
single double twin
oneway roundtrip
morning afternoon evening night
breakfast lunch dinner
spring summer autumn/fall winter
north/northern south/southern east/eastern west/western
red blue green yellow black white orange purple brown grey/gray pink
veg/vegetarian/vegan meat
beef chicken pork fish lamb
front rear
ascending descending
before after
above below
over under
from to
today tomorrow yesterday
daily weekly monthly yearly/annual
hourly daily
credit debit
paid unpaid free
win/won lose/lost
push pull
mr/mister mrs/ms/miss
street/st avenue/ave road/rd boulevard/blvd drive/dr lane square
savings checking
text voice video
reply forward
copy move archive/archived delete/deleted
sms email/e-mail call
"""
_Groups = dict[str, dict[int, str]]


def _groups() -> _Groups:
    """For each word the groups that it is in, and the name of its meaning there."""
    groups: _Groups = {}
    rows = [row.split() for row in _EXCLUDING.split("\n") if row]
    for words in (ENGLISH, *LANGUAGES.values()):
        months: dict[int, list[str]] = {}
        for name, number in words.months.items():
            if len(name) > 3:
                months.setdefault(number, []).append(name)
        rows.append(["/".join(names) for names in months.values()])
    for number, row in enumerate(rows):
        for meaning in row:
            for word in meaning.split("/"):
                groups.setdefault(word, {})[number] = meaning
    return groups


_GROUPS: Final = _groups()
_OPPOSITE_WAYS: Final = (
    {"from", "to"},
    {"before", "after"},
    {"above", "below"},
    {"over", "under"},
    {"by", "for"},
)
_WAYS: Final = frozenset[str]().union(*_OPPOSITE_WAYS)
_BEFORE_NAMES: Final = frozenset("to from with for by in at".split())
_EXTENT: Final = frozenset(
    "all every everything everyone everybody everywhere later alle alles todo todos tout tous".split()
)
_SKIPPED: Final = frozenset({"the", "a", "an", "my"})


def contrary(text: str, constant: str) -> bool:
    """Whether a text is contrary to a constant.

    It is if they have not the same number of negations; if only one says "all" or "later"; if a word of the one is a
    word of the other with a prefix or a suffix that negates it; if the text has words that exclude a word of the
    constant, and not that word; if what follows "from" in the one follows "to" in the other; if what stands before and
    after "to" is exchanged; or if another name follows "to" (or "with", "for", ..).
    """
    one, other = fold_case(text), fold_case(constant)
    if one == other:
        return False
    here, there = _words(one), _words(other)
    if _negated(one, here) != _negated(other, there):
        return True
    words, wanted = set(here), set(there)
    if bool(words & _EXTENT) != bool(wanted & _EXTENT):
        return True
    if _opposed(words - wanted, wanted - words) or _opposed(wanted - words, words - wanted):
        return True
    return (
        _excluded(words, wanted)
        or _turned(here, there)
        or _swapped(here, there)
        or _other_names(_words(text), _words(constant))
    )


def denies(text: str) -> bool:
    """Whether a text has a word that denies something, in one of the languages that are read here."""
    text = fold_case(text)
    return _negated(text, _words(text)) > 0


def _words(text: str) -> list[str]:
    return [word.removesuffix("'s") for word in _WORD.findall(text)]


def _negated(text: str, words: list[str]) -> int:
    """How many negations a text has."""
    count = sum(word in _NEGATIONS or _CONTRACTED.search(word) is not None for word in words)
    return count + len(_JAPANESE.findall(text)) + len(_FREE.findall(text))


def _opposed(words: set[str], others: set[str]) -> bool:
    """Whether one of the words is one of the others, negated."""
    for word in words:
        stems = [word[len(prefix) :] for prefix in _PREFIXES if word.startswith(prefix)]
        stems += [word.removesuffix(suffix) for suffix in _SUFFIXES if word.endswith(suffix)]
        if any(len(stem) >= _SHORTEST_STEM and stem in others for stem in stems):
            return True
    return False


def _excluded(words: set[str], wanted: set[str]) -> bool:
    """Whether the words exclude one that is wanted, and that is not among them."""
    present: dict[int, set[str]] = {}
    for word in words & _GROUPS.keys():
        for group, meaning in _GROUPS[word].items():
            present.setdefault(group, set()).add(meaning)
    return any(
        group in present and meaning not in present[group]
        for word in wanted & _GROUPS.keys()
        for group, meaning in _GROUPS[word].items()
    )


def _turned(words: list[str], others: list[str]) -> bool:
    """Whether something has another direction in the one than in the other."""
    here = _ways(words)
    for thing, ways in _ways(others).items():
        for pair in _OPPOSITE_WAYS:
            wanted, other_ways = ways & pair, here.get(thing, set()) & pair
            if wanted and other_ways and not wanted <= other_ways:
                return True
    return False


def _swapped(words: list[str], others: list[str]) -> bool:
    """Whether what stands before "to" in the one stands after it in the other, and the other way round."""
    here = _ends(words)
    return any((end, start) in here for start, end in _ends(others) if start != end)


def _ends(words: list[str]) -> set[tuple[str, str]]:
    """The words before and after each "to"."""
    return {(start, end) for start, way, end in zip(words, words[1:], words[2:], strict=False) if way == "to"}


def _other_names(words: list[str], others: list[str]) -> bool:
    """Whether after the same preposition each has a name, and the text has not all those of the constant."""
    here, there = _named(words), _named(others)
    return any(way in here and not names <= here[way] for way, names in there.items())


def _named(words: list[str]) -> dict[str, set[str]]:
    """For each preposition the words with a capital that follow it directly."""
    names: dict[str, set[str]] = {}
    for way, name in pairwise(words):
        if way.lower() in _BEFORE_NAMES and name[0].isupper():
            names.setdefault(way.lower(), set()).add(fold_case(name))
    return names


def _ways(words: list[str]) -> dict[str, set[str]]:
    """For each word the prepositions before it that show a direction."""
    ways_of: dict[str, set[str]] = {}
    way = ""
    for word in words:
        if word in _WAYS:
            way = word
        elif way and word not in _SKIPPED:
            ways_of.setdefault(word, set()).add(way)
            way = ""
    return ways_of
