"""What ``names`` means: whether a text of the world names whom a text of the program calls by name.

An identifier (an address, a number, an IBAN, a handle, a host) names what is the same as a whole, however it is
grouped. A person is named by words: each word of the name is a word of the text, in any order, case and with or
without marks; the text may say more ("Lena" names "Lena Fischer"). A word is whole: "Lena" does not name "Elena".

Three answers: yes, no, and undecided where the text says too little, or may mention somebody else, too: "L. Fischer",
"Lena, Tom", "Lena Mama", an address where a name was asked for, a text that hides something. A role ("mom", "my boss")
is not a name: who has it only a text says that is the very word ("Mom", "My boss"). Of all others it is undecided, also
of one that says more ("Mom Lena", "Dentist Dr. Okafor"): it may be Lena's mother, or another dentist. A program may
tell the role of somebody with a name in front of it, "driver: Tomás": only the name is asked of the text then.

Behind a ``‖`` a text tells what else is known of whom it names before it (`std.answers`): a role, a group, a number.
"""

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from itertools import dropwhile
from typing import Final

from vsalang.base.records import dataclass
from vsalang.program.doubt import doubt, hides, scripts_agree
from vsalang.program.folding import normal
from vsalang.program.patterns import Matcher, Reading
from vsalang.program.role_words import (
    AMBIGUOUS,
    BEFORE_A_NAME,
    BEFORE_FIRST_NAMES,
    BEHIND_FIRST_NAMES,
    HONORIFICS,
    KOREAN_TITLES,
    NOBODY_ALONE,
    OF_WHOM,
    OUR_OWN,
    ROLES,
    TITLES,
)
from vsalang.program.text import canonical, plain
from vsalang.program.word_lists import folded, without_blanks

DETAIL: Final = "‖"
"""What stands behind it tells more of whom the text names before it: a role, a group, a number."""
_ROLE_TOLD: Final = re.compile(r"\s*[^\W\d_][^:：]{0,60}(?::\s+|：\s*)(?=\S)")
"""A role that a program tells in front of a name: "driver: Tomás"."""
LONGEST: Final = 500
"""Of a longer text it is undecided whom it names, in characters."""
_KOREAN_NAME: Final = re.compile(
    "[김이박최정강조윤장임한오서신권황안송류전홍고문양손배백허유남심노하곽성차주우구민진엄채원][가-힣][가-힣](?<![팀부과실반국처점])"
)
"""A frequent family name and a first name, and not what a department is called."""
_MOST_MORE: Final = 3
"""A text with more words than this besides the name may be about something else."""

# ---- identifiers ---------------------------------------------------------------------------------

_ADDRESS: Final = re.compile(r"[^\s<>()\[\],;:\"'|@]{1,64}@[^\s<>()\[\],;:\"'|@]{1,190}")
_HANDLE: Final = re.compile(r"(?<![\w.@])@[\w.-]{1,64}(?<![.-])")
_HOST: Final = re.compile(
    r"(?<![\w.@/:-])(?:https?://)?(?:[\w-]{1,63}\.){1,10}[^\W\d_]{2,24}(?::\d{1,5})?(?:/\S{0,200})?(?![\w@-]|\.\w)",
    re.IGNORECASE,
)
_IBAN: Final = re.compile(
    r"(?<!\w)[A-Za-z]{2}\d{2}(?:[ -]?[A-Za-z0-9]{4}){2,7}(?:[ -]?[A-Za-z0-9]{1,3})?(?!\w)"
)
_NUMBER: Final = re.compile(r"(?<![\w+])[+(]{0,2}\d(?:[ ()./-]{0,3}\d){2,30}(?![ ()./-]{0,3}\d|\w)")
_KINDS: Final = (
    ("address", _ADDRESS),
    ("handle", _HANDLE),
    ("host", _HOST),
    ("IBAN", _IBAN),
    ("number", _NUMBER),
)
"""In this order: a number is a part of an IBAN."""
_FEWEST_DIGITS: Final = 3
_COMMON_END: Final = 6
"""Two numbers of which one ends with the other may be one, from so many digits."""


@dataclass(frozen=True, slots=True)
class Identifier:
    """An identifier, in the one form in which it is compared."""

    kind: str
    form: str


def _identifier(kind: str, text: str) -> Identifier:
    form = text.casefold()
    if kind == "host":
        form = re.sub(r"^(?:https?://)?(?:www\.)?", "", form).rstrip("/")
    elif kind == "IBAN":
        form = re.sub(r"[ -]", "", form)
    elif kind == "number":
        form = "".join(str(unicodedata.digit(char)) for char in form if char.isdigit())
        form = f"+{form.removeprefix('00')}" if text.lstrip("(").startswith(("+", "00")) else form
    return Identifier(kind, form)


def identifiers(text: str) -> tuple[list[Identifier], str]:
    """The identifiers in a canonical text, and the text without them."""
    everywhere: list[Identifier] = []
    for kind, pattern in _KINDS:
        everywhere += [_identifier(kind, match.group()) for match in pattern.finditer(text)]
        text = pattern.sub(" ", text)
    return everywhere, text


def _identified(text: str, called: Identifier) -> bool | None:
    """Whether a text names an identifier."""
    others, _ = identifiers(text)
    others = list(dict.fromkeys(others))
    if others == [called]:
        return True
    if called in others:
        return None  # of several one
    of_kind = [each for each in others if each.kind == called.kind]
    if not of_kind or (
        called.kind == "number" and any(_may_be_one(each.form, called.form) for each in of_kind)
    ):
        return None
    return False


def _may_be_one(one: str, other: str) -> bool:
    """Whether two numbers may be one with and without the code of a country or an area."""
    short, long = sorted((one.lstrip("+").lstrip("0"), other.lstrip("+").lstrip("0")), key=len)
    return len(short) >= _COMMON_END and long.endswith(short)


_MASKED: Final = re.compile(
    r"(?:\s*[,;·|(]\s*|(?<!\w))\+?\d{0,6}[ ()./-]*[•●*∙·]{2,}(?:[ ()./-]*(?:[•●*∙·]{2,}|\d{1,4}))*\)?\s*$"
)
"""A number at the end of which dots hide the most. It is of who is named before, and no address of another one."""

# ---- people --------------------------------------------------------------------------------------

_TRANSCRIBED: Final = str.maketrans(
    {
        "ä": "ae",
        "ö": "oe",
        "ü": "ue",
        "å": "aa",
        "ø": "oe",
        "Ä": "Ae",
        "Ö": "Oe",
        "Ü": "Ue",
        "Å": "Aa",
        "Ø": "Oe",
    }
)
_PARTICLES: Final = frozenset(
    "al ap bin ben da das de degli dei del della den der des di do dos du e el ibn la las le los mac mc of san ten ter"
    " van vom von y zu zum zur".split()
)
"""Words in small letters that belong to a name."""
_AND: Final = re.compile(r"(?<=\s)(?:and|und|et|e|y|i|en|ve|и|và|dan|और|및|和|与)(?=\s)")
_SEVERAL: Final = re.compile(r"[,;&+/|、，；]")


@dataclass(frozen=True, slots=True)
class Token:
    """A word of a name.

    Attributes:
        spellings: the folded forms in which it is compared.
        exact: the word in small letters, with its marks.
    """

    spellings: frozenset[str]
    exact: str

    def is_same(self, other: "Token") -> bool:
        """Whether two words are one, in some spelling."""
        return not self.spellings.isdisjoint(other.spellings)


def _tokens(text: str) -> list[Token]:
    """The words of a text in order.

    Where words are not parted, what stands between blanks and punctuation is one.
    """
    tokens: list[Token] = []
    for piece in _parted(_AND.sub(" ", text)):
        one, other = (
            _pieces(folded(each, look_alikes=False)) for each in (piece, piece.translate(_TRANSCRIBED))
        )
        exact = [piece.casefold()] if len(one) == 1 and one[0] not in HONORIFICS else one
        tokens += [Token(frozenset(each[:2]), each[2]) for each in zip(one, other, exact, strict=True)]
    return tokens


def _parted(text: str) -> list[str]:
    return "".join(
        char if char == "'" or unicodedata.category(char)[0] not in "PSZC" else " " for char in text
    ).split()


def _pieces(words: str) -> list[str]:
    """Folded words, those without blanks between them in one."""
    pieces: list[str] = []
    joins = False
    for word in words.split():
        blankless = without_blanks(word[0])
        if joins and blankless:
            pieces[-1] += word
        else:
            pieces.append(word)
        joins = blankless
    return [_without_honorific(piece) for piece in pieces]


def _without_honorific(word: str) -> str:
    for ending in HONORIFICS:
        bare = word.removesuffix(ending)
        if bare and bare != word and word not in ROLES:
            return bare
    return word


@dataclass(frozen=True, slots=True)
class CalledName:
    """Whom a text of the program calls by name.

    Attributes:
        text: the text.
        identifier: the identifier that it is, if it is one.
        words: all its words.
        name: those of them that are a name; none of a role.
        titles: the titles before the name or behind it.
        guessed: whether its first word is only taken for a role: then a text names nobody else by more words.
    """

    text: str
    identifier: Identifier | None
    words: tuple[Token, ...] = ()
    name: tuple[Token, ...] = ()
    titles: tuple[Token, ...] = ()
    guessed: bool = False

    @property
    def is_role(self) -> bool:
        """Whether nobody is called by name."""
        return self.identifier is None and not self.name


@lru_cache(1024)
def called(text: str) -> CalledName:
    """What a text of the program calls: an identifier, a person, or somebody by a role (without a name)."""
    text = canonical(text)
    if role := _role_of(text):
        return called(text[len(role) :])
    clean = plain(normal(text))
    every, rest = identifiers(clean)
    if len(every) == 1 and not _parted(rest):
        return CalledName(text, every[0])
    words = tuple(_tokens(clean))
    owned = any(word.exact in OF_WHOM for word in words)
    named = [word for word in words if word.exact not in ROLES and not (owned and word.exact in AMBIGUOUS)]
    named_role = _begins_with_told_role(clean)
    before_name = named_role or _begins_with_role(clean)
    if before_name:
        named = [word for word in words[1:] if word.exact not in ROLES]
    of_nobody = [word for word in named if word.exact not in OF_WHOM]
    if not of_nobody:  # "Mia" is a name, "my boss" is none
        of_nobody = named if len(named) == len(words) else []
    titles = [word for word in of_nobody if word.exact in TITLES]
    bare = [word for word in of_nobody if word.exact not in TITLES]
    guessed = before_name and not named_role and words[0].exact not in ROLES | AMBIGUOUS
    return CalledName(text, None, words, tuple(bare or titles), tuple(titles if bare else ()), guessed)


def _begins_with_told_role(text: str) -> bool:
    """Whether a relative or a trade stands before a name: "表哥 周凯", "ветеринар Елена Сергеевна".

    In scripts with capitals it is written small, and two names follow: some such words are names, too, and one word may
    be the name of a place.
    """
    first, *rest = text.split() or [""]
    if first.casefold() not in BEFORE_A_NAME or not rest or not all(map(_only_letters, rest)):
        return False
    if first.upper() == first.lower():
        return all(len(word) > 1 for word in rest)
    return first.islower() and len(rest) > 1 and all(word[:1].isupper() for word in rest)


def _only_letters(word: str) -> bool:
    return word.isalpha() or all(part.isalpha() for part in word.split("-"))


def _begins_with_role(text: str) -> bool:
    """Whether a role in small letters stands before a name: "man Ruud". A program writes names with a capital.

    Before a first and a last name any such word is one ("kiné Solène Aubry"), but for what begins a last name.
    """
    first, *rest = text.split() or [""]
    if not rest or not rest[0][:1].isupper():
        return False
    full = len(rest) > 1 and all(word[:1].isupper() or word in _PARTICLES for word in rest)
    return first in AMBIGUOUS or (full and first.isalpha() and first.islower() and first not in _PARTICLES)


def names(text: str, name: str) -> bool | None:
    """Whether a text names whom `name` calls; None where that is undecided.

    Args:
        text: of the world: who is shown as the recipient.
        name: of the program: a name, an identifier or a role.
    """
    if len(text) > LONGEST:
        return None
    return _names(text, name)


@lru_cache(8192)
def _names(text: str, name: str) -> bool | None:
    text = canonical(text)
    if hides(text) or doubt(text):
        return None
    who = called(name)
    text, *details = (plain(normal(each)) for each in text.split(DETAIL))
    if not _parted(text) and not details:
        return False
    role, other = _role_of(name), _ROLE_TOLD.match(text)
    if role and other is not None and plain(normal(role)).casefold().strip() != other[0].casefold().strip():
        return None  # "Mom: Bob" may be Bob's mother
    answer = _answer(text, who) if _parted(text) else None
    return _by_details(text, details, who, answer) if details else answer


def _role_of(name: str) -> str:
    """The role in front of a name, with its colon: a relative or a trade, or words in small letters; empty: none.

    "Season 2: Finale" and "10:30" have none.
    """
    name = canonical(name)
    match = _ROLE_TOLD.match(name)
    if match is None or not all(map(_only_letters, name[match.end() :].split())):
        return ""
    first = match[0].split()[0].rstrip(":：")
    known = first.casefold() in BEFORE_A_NAME or first.casefold() in ROLES - NOBODY_ALONE
    return match[0] if known or not first[0].isupper() else ""


def _by_details(text: str, details: list[str], who: CalledName, answer: bool | None) -> bool | None:
    """Whether a text names somebody with what else is said of who is named there.

    A role, an address or a number may be told behind the name, by a detail that is nothing else; a name behind an
    address or a number only. Who is named nowhere is not; all else is undecided.
    """
    if answer is True:
        return True
    every, rest = identifiers(text)
    nameless = bool(every) and not _parted(rest)
    answers = [_answer(each, who) if _parted(each) else False for each in details]
    if answer is None and True in answers:
        at = details[answers.index(True)]
        if who.identifier is not None and not _parted(identifiers(at)[1]):
            return True
        if who.is_role and not any(called(each).is_role for each in details if each != at):
            return True
        if nameless and not who.is_role and who.identifier is None:
            _, more = _compared(who.name, _tokens(at))
            return None if any(word.exact not in TITLES for word in more) else True
    return False if answer is False and not any(each is not False for each in answers) else None


def _answer(text: str, who: CalledName) -> bool | None:
    """Whether a text without details names somebody."""
    if who.identifier is not None:
        return _identified(text, who.identifier)
    return _with_role(text, who) if who.is_role else _named(text, who)


def _with_role(text: str, who: CalledName) -> bool | None:
    """Whether a text is somebody's who is called by a role: yes where it says the very word, else undecided."""
    role = _very_word(word.exact for word in who.words)
    other = _very_word(word.casefold() for word in _parted(text))
    if role is None or role != other or role not in ROLES or role in NOBODY_ALONE or not _only_words(text):
        return None
    return True


def _very_word(words: Iterable[str]) -> str | None:
    """The one word behind those that say that it is the speaker's; None where there are more, or none."""
    bare = list(dropwhile(OUR_OWN.__contains__, words))
    return bare[0] if len(bare) == 1 else None


def _only_words(text: str) -> bool:
    """Whether a text has only letters and pictures: dots may stand for what was cut off, brackets hold more."""
    kinds = map(unicodedata.category, text)
    return all(kind[0] in "LMZ" or kind in ("So", "Sk") for kind in kinds)


def _named(text: str, who: CalledName) -> bool | None:
    """Whether a text names a person."""
    rest = text if _has_digit(who.words) else identifiers(_MASKED.sub("", text))[1]
    tokens = _tokens(rest)
    if not tokens:
        return None  # an identifier may be hers
    missing, more = _compared(who.words, tokens)
    if missing:
        missing, more = _compared(who.name, tokens)
        if missing:
            return _perhaps(missing, more, rest, who)
        if who.guessed and more:
            return None
        missing, more = _compared(_telling(who, tokens), more)
    more = [word for word in more if word.exact not in TITLES]
    if missing or len(more) > _MOST_MORE or any(word.exact in ROLES for word in more):
        return None
    if more and (_SEVERAL.search(rest) or _AND.search(rest) or (_has_digit(more) and _has_digit(who.words))):
        return None
    return True


def _telling(who: CalledName, tokens: list[Token]) -> list[Token]:
    """The titles that tell more than the name.

    Of a text that is a first and a last name, and no more, they tell nothing. "Mr Voss" may be another Voss.
    "Ayşe Hanım" is Ayşe where the text begins with that: it is the first name.
    """
    if len(who.name) == len(tokens) > 1:
        return []
    others = [word for word in tokens if word.exact not in TITLES]
    if not others or not others[0].is_same(who.name[0]):
        return list(who.titles)
    first = who.words.index(who.name[0])
    before = {word for word in who.words[:first] if word.exact in BEFORE_FIRST_NAMES}
    behind = {word for word in who.words[first:] if word.exact in BEHIND_FIRST_NAMES}
    titled = any(word.exact in KOREAN_TITLES for word in tokens)
    if len(who.name) == 1 and _KOREAN_NAME.fullmatch(who.name[0].exact) and not titled:
        behind |= {word for word in who.words[first:] if word.exact in KOREAN_TITLES}
    return [word for word in who.titles if word not in before | behind]


def _compared(wanted: Iterable[Token], tokens: list[Token]) -> tuple[list[Token], list[Token]]:
    """The wanted words that are not there, and the words besides them."""
    more, missing = list(tokens), []
    for word in wanted:
        same = next((each for each in more if each.is_same(word)), None)
        if same is None:
            missing.append(word)
        else:
            more.remove(same)
    return missing, more


def _perhaps(missing: list[Token], more: list[Token], text: str, who: CalledName) -> bool | None:
    """None where a text that lacks words of a name may still name the person, else False."""
    others = [word for word in more if word.exact not in TITLES]
    shorter = not others and len(missing) < len(who.name)
    if shorter or all(any(_may_stand_for(one, other) for other in others) for one in missing):
        return None
    if any(word.exact in ROLES for word in others) or not scripts_agree(text, who.text):
        return None
    return False


def _may_stand_for(one: Token, other: Token) -> bool:
    """Whether a word may be short for another one: an initial, first letters; without blanks any part."""
    for a in one.spellings:
        for b in other.spellings:
            short, long = sorted((a, b), key=len)
            if (
                len(short) < len(long)
                and not any(map(str.isdigit, long))
                and (
                    (long.startswith(short) and (len(short) == 1 or len(short) >= 3))
                    or (without_blanks(short[0]) and short in long)
                )
            ):
                return True
    return False


def _has_digit(tokens: Iterable[Token]) -> bool:
    return any(char.isdigit() for token in tokens for char in token.exact)


@dataclass(frozen=True, slots=True)
class NameMatcher(Matcher):
    """A name that can be asked which texts name it.

    Attributes:
        name: a name, an identifier or a role.
        reading: what is undecided is so ``plain`` and ``certain``; ``possible`` it is a yes, ``narrow`` a no.
    """

    name: str
    reading: Reading = "plain"

    @property
    def groups(self) -> tuple[str, ...]:  # type: ignore[override]
        """None: a name binds nothing."""
        return ()

    def matches(self, text: str) -> bool | None:
        answer = names(text, self.name)
        if answer is None and self.reading in ("possible", "narrow"):
            return self.reading == "possible"
        return answer

    def search(self, text: str) -> dict[str, str | None] | None:
        return {} if self.matches(text) else None

    def is_open(self, text: object) -> bool:
        return isinstance(text, str) and self.matches(text) is None

    def adds(self, text: object) -> bool:
        if self.reading not in ("possible", "narrow") or not isinstance(text, str):
            return False
        return names(text, self.name) is None
