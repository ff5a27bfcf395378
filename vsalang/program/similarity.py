"""What ``~=`` means: whether a text is similar to a constant, decided by a backend within fixed limits.

Dates, times, amounts and numbers of both texts are read first (`vsalang.program.written`). With any backend a text is
similar only if what identifies the constant (numbers, dates, money, e-mail addresses, all that has a digit) occurs in
it, and if neither says the opposite of the other (`vsalang.program.contrary`). A text of which it is in doubt what it
says (`vsalang.program.doubt`), or whose letters are of other scripts, is neither similar nor dissimilar. `similar`
keeps these limits; backends only answer for the rest.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Any, Final, NamedTuple, Protocol

from vsalang.base.records import dataclass
from vsalang.program.contrary import contrary
from vsalang.program.dates import ENGLISH
from vsalang.program.doubt import doubt, scripts_agree, too_long
from vsalang.program.folding import (
    PARTED,
    PARTED_IN_MEANING,
    compatible,
    fold,
    identifies,
    is_digit,
    meant,
    normal,
    parted,
    signed,
)
from vsalang.program.languages import LANGUAGES
from vsalang.program.readers import currency
from vsalang.program.spelling import one_edit
from vsalang.program.text import canonical
from vsalang.program.written import MONTHS, written


class Similarity(Protocol):
    """A backend: it says whether two texts mean the same."""

    def similar(self, text: str, constant: str) -> bool | None:
        """True, False, or None if it cannot answer. It must not raise: that stops the step which asked."""
        ...


@dataclass(frozen=True, slots=True)
class Behind:
    """What is behind an answer about two texts.

    Attributes:
        backend: who gave it.
        score: how near the texts are, 0 to 1, if the backend counts.
        threshold: the score from which it calls them similar.
        problem: why there is no answer.
    """

    backend: str
    score: float | None = None
    threshold: float | None = None
    problem: str = ""

    def to_json(self) -> dict[str, Any]:
        """As JSON data; what is not known is left out."""
        counted = {} if self.score is None else {"score": self.score, "threshold": self.threshold}
        return {"backend": self.backend, **counted, **({"problem": self.problem} if self.problem else {})}

    @classmethod
    def from_json(cls, data: Mapping[str, Any], backend: str = "") -> "Behind":
        """From JSON data of anybody; `backend`: what it says if the data do not."""
        numbers = [data.get(name) for name in ("score", "threshold")]
        score, threshold = (float(n) if type(n) in (int, float) else None for n in numbers)  # type: ignore[arg-type]
        return cls(
            str(data.get("backend", backend)),
            score if threshold is not None else None,
            threshold if score is not None else None,
            str(data.get("problem", "")),
        )

    def __str__(self) -> str:
        if self.problem:
            return f"{self.backend}: {self.problem}"
        if self.score is None:
            return self.backend
        return f"{self.backend}: {self.score:.2f}, similar from {self.threshold:g}"


@dataclass(frozen=True, slots=True)
class SimilarityAnswer:
    """An answer that was given, and what is behind it."""

    answer: bool | None
    behind: Behind


class Explaining(Similarity, Protocol):
    """A backend that also says what is behind its answers."""

    def behind(self, text: str, constant: str) -> Behind:
        """What is behind what it answered of two texts. Nobody is asked for it."""
        ...


LIMITS: Final = "limits"
"""Who answers where no backend is asked: see `admissible`."""


def behind(backend: Similarity, text: str, constant: str) -> Behind:
    """What is behind the answer of `similar` about two texts that are not the same."""
    if why := incomparable(canonical(text), canonical(constant)):
        return Behind(LIMITS, problem=why)
    if not admissible(text, constant):
        return Behind(LIMITS)
    known: Callable[[str, str], Behind] | None = getattr(backend, "behind", None)
    return known(canonical(text), canonical(constant)) if known else Behind(name_of(backend))


def name_of(backend: Similarity) -> str:
    """The name of a backend: its own, or that of its class."""
    return str(getattr(backend, "name", "") or type(backend).__name__)


def problem_of(backend: Similarity) -> str:
    """Why a backend could not answer a question of this session; empty if it answered all that it was asked."""
    return str(getattr(backend, "problem", ""))


def similar(backend: Similarity, text: str, constant: str) -> bool | None:
    """The answer of the language: neither ``~=`` nor ``!~=`` holds where it is None.

    Args:
        backend: who is asked where nothing forbids or settles the answer.
        text: the text of the world.
        constant: the text of the program.
    """
    text, constant = canonical(text), canonical(constant)
    if text == constant:
        return True
    if incomparable(text, constant):
        return None
    if isinstance(backend, FoldedEquality):
        # it computes what it says: that is sooner done than the limits are looked at
        return backend.similar(text, constant) and admissible(text, constant)
    if not admissible(text, constant):
        return False
    return backend.similar(text, constant)


def incomparable(text: str, constant: str) -> str:
    """Why two canonical texts that differ can neither be called similar nor dissimilar; empty if they can."""
    if why := doubt(text) or doubt(constant):
        return f"no answer: {why}"
    # what is read may have no letters of its own: 2026年1月1日
    if scripts_agree(text, constant) or scripts_agree(written(text), written(constant)):
        return ""
    return "no answer: their letters are of different scripts"


def admissible(text: str, constant: str) -> bool:
    """Whether any backend may call the text similar to the constant."""
    text, constant = canonical(text), canonical(constant)
    if text == constant:
        return True
    if incomparable(text, constant):
        return False
    if _other_letter(text, constant) or _other_letter(constant, text):
        return False
    text, constant = written(text), written(constant)
    return (
        _required(constant) <= _occurring(text)
        and not contrary(text, constant)
        and not _parted_otherwise(text, constant)
    )


def _other_letter(text: str, other: str) -> bool:
    """Whether a word with ß has its place taken by one with ss, which is another word but for capitals."""
    if "ß" not in text:
        return False
    written_with = {word.casefold() for word in _WITH_SHARP_S.findall(text)}
    return any(word.casefold() in written_with and not word.isupper() for word in _WITH_SS.findall(other))


_WITH_SHARP_S: Final = re.compile(r"\b\w*ß\w*")
_WITH_SS: Final = re.compile(r"\b\w+", re.IGNORECASE)


def _parted_otherwise(text: str, constant: str) -> bool:
    """Whether punctuation parts the same words otherwise: "Ann Lee, Bob" and "Ann, Lee Bob", "No, go" and "No go"."""
    forms, others = _forms(text), _forms(constant)
    if not _same(forms, others) and _same(tuple(map(_bare, forms)), tuple(map(_bare, others))):
        return True
    text, constant = text.replace(";", ","), constant.replace(";", ",")
    if "," not in text or "," not in constant:
        return False
    here, there = text.split(), constant.split()
    if [word.endswith(",") for word in here] == [word.endswith(",") for word in there]:
        return False
    return [fold(word) for word in here] == [fold(word) for word in there]


LONGEST_ASKED: Final = 2000
"""About longer texts, in characters, nobody is asked who does not compute the answer."""


def doubtful(backend: Similarity, text: str) -> str:
    """Why a backend cannot say of a text whether it is similar to any constant; empty if it can, or may."""
    computes = isinstance(backend, FoldedEquality | AssumedPairs) or name_of(backend) in _COMPUTING
    if not computes and len(text) > LONGEST_ASKED:
        return f"it has more than {LONGEST_ASKED:,} characters"
    return doubt(canonical(text))


class FoldedEquality:
    """The strictest backend, deterministic and offline: equal after NFKC, case, blanks and punctuation.

    Dates, times, amounts and numbers are equal if they say the same (`vsalang.program.written`).
    """

    name: str = "folded"

    def similar(self, text: str, constant: str) -> bool:
        """Whether the two are folded-equal, as they are or as they are read; it always answers."""
        if too_long(text) or too_long(constant):
            return canonical(text) == canonical(constant)
        return _same(_read(text), _read(constant))


class Words(FoldedEquality):
    """The default, deterministic and offline: as `FoldedEquality`, and some words count for nothing or for others.

    "the" counts for nothing, nor do "a", "an" at the beginning, and "my", "our" at the beginning of the constant;
    "&" is "and", "don't" is "do not", and some words have two spellings (`_SPELLINGS`).

    Args:
        spelling: 1: one word of at least five letters may differ by one letter, if the constant has it in lower case
            (`vsalang.program.spelling`). 0: none may.
    """

    name = "words"

    def __init__(self, spelling: int = 0) -> None:
        if spelling not in (0, 1):
            raise ValueError("at most one letter may differ: spelling is 0 or 1")
        self._spelling = spelling
        if spelling:
            self.name = "words, one letter may differ"

    def similar(self, text: str, constant: str) -> bool:
        """Whether the two have the same words; it always answers."""
        if super().similar(text, constant):
            return True
        if too_long(text) or too_long(constant):
            return False
        here, there = _words(text), _words(constant, mine=True)
        if not _WEEKDAY_OF_DATE.search(written(constant)):
            # "Fri, Jan 2" is January 2; a year would say more, and may be another one
            here = _words(_WEEKDAY_OF_DATE.sub(_only_date, written(text)))
        if _same(here.forms, there.forms):
            return True
        return self._spelling == 1 and _misspelt(here.capitals, there.capitals)


DEFAULT: Final = Words()
"""Who answers where nobody is named."""
_COMPUTING: Final = {backend.name: backend for backend in (FoldedEquality(), DEFAULT, Words(spelling=1))}


def computing(name: str) -> FoldedEquality | None:
    """The backend of a name that computes its answers, the same every time; None if that backend asks somebody."""
    return _COMPUTING.get(name)


class AssumedPairs:
    """The backend of tests: the pairs that the test assumes, either way round, and texts similar by another backend.

    Both texts of a pair stand for all that are folded-equal to them.

    Args:
        pairs: two texts and whether they are similar. A pair given twice with both answers is unanswered.
        otherwise: who knows which other texts are similar. What a backend that asks nobody does not call similar is
            unanswered: a test says what it assumes.
    """

    name = "the test's assumptions"

    def __init__(self, pairs: Iterable[tuple[str, str, bool]], otherwise: Similarity = DEFAULT) -> None:
        self._otherwise = otherwise
        self._answers: dict[frozenset[str], bool | None] = {}
        for one, other, answer in pairs:
            key = _pair(one, other)
            self._answers[key] = answer if self._answers.get(key, answer) is answer else None

    def similar(self, text: str, constant: str) -> bool | None:
        """What was assumed of the pair, True if they are similar anyway, else None."""
        key = _pair(text, constant)
        if key in self._answers:
            return self._answers[key]
        answer = self._otherwise.similar(text, constant)
        return True if answer else None if isinstance(self._otherwise, FoldedEquality) else answer

    @property
    def problem(self) -> str:
        """Why the other backend could not answer a question."""
        return problem_of(self._otherwise)

    def behind(self, text: str, constant: str) -> Behind:
        """The test, or the other backend."""
        known = _pair(text, constant) in self._answers
        return Behind(self.name) if known else behind(self._otherwise, text, constant)


def _pair(one: str, other: str) -> frozenset[str]:
    """Two texts as they are compared; what has nothing to compare is itself."""
    return frozenset(_read(text)[-1].replace(PARTED, "") or canonical(text) for text in (one, other))


# ---- folded equality -----------------------------------------------------------------------------


def folded_equal(one: str, other: str) -> bool:
    """Whether two texts are equal except for NFKC, case, blanks and punctuation (`vsalang.program.folding`).

    Between two digits blanks and punctuation count: 1 2 is not 12, 1.5 not 15. Between two words a blank counts: "now
    here" is not "nowhere". Marks that change a number count, those inside a name such as ``john.doe``, and punctuation
    without which another person or thing is meant: "Ann, Bob". Texts of punctuation only must be equal.
    """
    one, other = canonical(one), canonical(other)
    if one == other:
        return True
    if too_long(one) or too_long(other):
        return False
    return _same(_forms(one), _forms(other))


def _same(forms: tuple[str, ...], others: tuple[str, ...]) -> bool:
    """Whether two texts have a form in common: both with hyphens as nothing, or both with hyphens as blanks."""
    return any(form != "" and _alike(form, other) for form, other in zip(forms, others, strict=True))


def _alike(form: str, other: str) -> bool:
    """Whether two folded texts are the same, and each is parted wherever it matters in the other."""
    if form == other:
        return True
    if _bare(form) != _bare(other):
        return False
    (some, meaning), (others, other_meaning) = _partings(form), _partings(other)
    return meaning <= others and other_meaning <= some


def _bare(form: str) -> str:
    return form.replace(PARTED, "").replace(PARTED_IN_MEANING, "")


def _partings(form: str) -> tuple[set[int], set[int]]:
    """The places where a folded text is parted, and those of them where it matters."""
    places, mattering, at = set[int](), set[int](), 0
    for char in form:
        if char not in (PARTED, PARTED_IN_MEANING):
            at += 1
            continue
        places.add(at)
        if char == PARTED_IN_MEANING:
            mattering.add(at)
    return places, mattering


def _forms(text: str) -> tuple[str, str]:
    """A text folded, a hyphen between words as nothing and as a blank."""
    folded = parted(text)
    return folded, folded if text.isalnum() else parted(text, " ")


def _read(text: str) -> tuple[str, ...]:
    """The forms of a text as it is, and after its dates, times, amounts and numbers were read."""
    return _remembered(text) if len(text) <= _KEPT else _folded(text)


def _folded(text: str) -> tuple[str, ...]:
    read, forms = written(text), _forms(text)
    return (*forms, *(forms if read == text else _forms(read)))


_KEPT: Final = 500
"""The forms of texts up to this length are remembered."""
_remembered: Final = lru_cache(maxsize=4096)(_folded)


# ---- words that count for nothing or for others ---------------------------------------------------

_SPELLINGS = {
    spelling: one
    for one, *others in (
        row.split()
        for row in """
        ok okay
        email e-mail
        gray grey
        color colour
        colors colours
        favorite favourite
        favorites favourites
        center centre
        theater theatre
        canceled cancelled
        organize organise
        traveler traveller
        jewelry jewellery
        and &
        wifi wi-fi
        info information
        approx approximately
        vs versus
        cafe café
        jalapeno jalapeño
        creme crème
        brulee brûlée
        tv television
        """.strip().split("\n")
    )
    for spelling in others
}
_SPELLINGS |= {"can't": "can not", "cannot": "can not", "won't": "will not"}
_ALSO_NAMES: Final = frozenset({"the", "gray", "grey"})
"""With a capital, after the first word, these may be names: "Nguyen The Anh", "Ann Grey"."""
_NOT: Final = re.compile(r"n't\b", re.IGNORECASE)
_AT_BEGINNING: Final = {"dr": "doctor", "st": "saint"}
_AT_END: Final = {"st": "street", "ave": "avenue", "rd": "road", "blvd": "boulevard"}
_FIRST_IN_CONSTANTS: Final = frozenset({"my", "our"})
_AROUND_WORDS: Final = ".,;:!?\"'()[]{}"


_WEEKDAY_OF_DATE: Final = re.compile(
    r"(?<!\w)(?:mon|tues|wednes|thurs|fri|satur|sun)day,? (?P<date>(?:{0}) [0-9]{{1,2}})(?!\w)"
    r"|(?<!\w)(?P<then>(?:{0}) [0-9]{{1,2}}),? \(?(?:mon|tues|wednes|thurs|fri|satur|sun)day(?!\w)\)?".format(
        "|".join(MONTHS)
    )
)


def _only_date(match: re.Match[str]) -> str:
    return match["date"] or match["then"]


class _Words(NamedTuple):
    """The words of a text that count, with their capitals, and their folded forms."""

    capitals: tuple[str, ...]
    forms: tuple[str, ...]


def _words(text: str, *, mine: bool = False) -> _Words:
    """The words of a text, after reading; `mine`: without "my" at the beginning."""
    return _remembered_words(text, mine) if len(text) <= _KEPT else _counting(text, mine)


def _counting(text: str, mine: bool) -> _Words:
    words = meant(normal(written(text))).split()
    if len(words) > 1 and (
        words[0] in ("a", "an")
        # before a name it may be one: "An Nguyen", "My Linh"
        or (words[0] == "An" and words[1].islower())
        or (mine and words[0].lower() in _FIRST_IN_CONSTANTS and (words[0].islower() or words[1].islower()))
    ):
        del words[0]
    spelled = [_spelled(word, index, len(words) - 1) for index, word in enumerate(words)]
    kept = tuple(word for word in spelled if word)
    return _Words(kept, _forms(" ".join(kept or words)))


_remembered_words: Final = lru_cache(maxsize=4096)(_counting)


def _spelled(word: str, index: int, last: int) -> str:
    """A word in the one spelling in which it is compared; empty if it counts for nothing."""
    bare = word.strip(_AROUND_WORDS)
    folded = bare.casefold()
    if index and not bare.islower() and folded in _ALSO_NAMES:
        return word
    if folded == "the":
        return ""
    if index == 0 < last and folded in _AT_BEGINNING:
        return _AT_BEGINNING[folded]
    if index == last > 0 and folded in _AT_END:
        return _AT_END[folded]
    return _SPELLINGS.get(folded) or (_NOT.sub(" not", bare) if folded.endswith("n't") else word)


def _misspelt(here: tuple[str, ...], there: tuple[str, ...]) -> bool:
    """Whether one word differs, by one letter, and is long, without digits, and in lower case in the constant."""
    here, there = (tuple(word.strip(_AROUND_WORDS) for word in row) for row in (here, there))
    if len(here) != len(there):
        return False
    differing = [(a, b) for a, b in zip(here, there, strict=True) if fold(a) != fold(b)]
    return (
        len(differing) == 1
        and differing[0][1].islower()
        and one_edit(differing[0][0].casefold(), differing[0][1])
    )


# ---- what must occur -------------------------------------------------------------------

_AROUND_TOKENS: Final = ".,;:!?\"'()[]{}<>|…·•¿¡"
_DAY_WORDS: Final = frozenset(ENGLISH.weekdays).union(
    *(words.days for words in (ENGLISH, *LANGUAGES.values()))
)
_DATE: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_HALF_DAYS: Final = {"a.m": "am", "p.m": "pm"}


class _Token:
    """A row of non-blank characters without the punctuation around it, folded."""

    __slots__ = ("joins_next", "may_follow", "money", "names_currency", "numeric", "text")

    def __init__(self, text: str) -> None:
        folded = text.strip(_AROUND_TOKENS)
        self.text = _HALF_DAYS.get(folded, folded)
        self.numeric = any(is_digit(char) for char in folded)
        self.joins_next = folded != "" and text.endswith(folded)
        starts = folded != "" and text.startswith(folded)
        self.may_follow = starts and (
            folded[0].isalpha() or unicodedata.category(folded[0]) == "Sc" or folded[0] in "%°"
        )
        self.money = self.numeric and any(unicodedata.category(char) == "Sc" for char in folded)
        self.names_currency = not self.numeric and currency(folded.upper()) is not None


def required(constant: str) -> frozenset[str]:
    """The tokens of a constant that a similar text must hold unchanged.

    They are each token with a digit, after reading (`vsalang.program.written`): an amount with the currency before it;
    another number joined with the word directly after it ("2 adults") and with a month directly before it; e-mail
    addresses; and words that are dates (weekdays, today, ..).
    """
    return _required(written(constant))


def _required(constant: str) -> frozenset[str]:
    tokens = _tokens(constant)
    wanted: set[str] = set()
    for index, token in enumerate(tokens):
        if token.numeric:
            wanted |= _required_at(tokens, index)
        elif identifies(token.text) or token.text in _DAY_WORDS:
            wanted.add(token.text)
    return frozenset(wanted)


def _required_at(tokens: list[_Token], index: int) -> set[str]:
    """The forms in which the token with a digit at `index` must occur."""
    token = tokens[index]
    before = index > 0 and tokens[index - 1].joins_next
    if token.money:
        return {token.text}
    if before and tokens[index - 1].names_currency:
        return {_joined(tokens, index, before=True, after=False)}
    month = before and tokens[index - 1].text in ENGLISH.months
    number = not any(map(str.isalpha, token.text))
    after = number and token.joins_next and index + 1 < len(tokens) and tokens[index + 1].may_follow
    forms = {_joined(tokens, index, before=True, after=False)} if month else set()
    if after or not month:
        forms.add(_joined(tokens, index, before=False, after=after))
    return forms


def _occurring(text: str) -> frozenset[str]:
    """All tokens of the text, and each number also joined with its neighbours."""
    tokens = _tokens(text)
    words = {token.text for token in tokens if not token.numeric}
    for index, token in enumerate(tokens):
        if token.numeric and not _is_scaled(tokens, index):
            words.add(token.text)
    for year, month, day in [token.split("-") for token in words if _DATE.fullmatch(token)]:
        named = MONTHS[int(month) - 1]
        words |= {f"{named}{int(day)}", named + year, year}
    for index, token in enumerate(tokens):
        if token.numeric:
            before = index > 0 and tokens[index - 1].joins_next
            after = token.joins_next and index + 1 < len(tokens) and tokens[index + 1].may_follow
            words.update(
                _joined(tokens, index, before=left, after=right)
                for left in {False, before}
                for right in ({True} if _is_scaled(tokens, index) else {False, after})
            )
    return frozenset(words)


_SCALES: Final = frozenset(
    "% \u2030 \u2031 # k m mn mio b bn tn dozen grand thou "
    "hundred thousand million billion trillion lakh lakhs crore crores x \u00d7 * "
    "/".split()
)


def _is_scaled(tokens: list[_Token], index: int) -> bool:
    """Whether the word after a number makes it another one: "5 million", "5 %"."""
    return index + 1 < len(tokens) and tokens[index].joins_next and tokens[index + 1].text in _SCALES


_COMPOUND: Final = re.compile(r"(?<![\w.,:/@-])([0-9]{1,4})-(?=[^\W\d_]{2})")
"""The number of a compound, such as 3-body: it is not part of an identifier."""


def _tokens(text: str) -> list[_Token]:
    text_written = _COMPOUND.sub(r"\1 ", signed(compatible(text)))
    return [token for row in text_written.split() if (token := _Token(row)).text]


def _joined(tokens: list[_Token], index: int, *, before: bool, after: bool) -> str:
    left = tokens[index - 1].text if before else ""
    right = tokens[index + 1].text if after else ""
    return left + tokens[index].text + right
