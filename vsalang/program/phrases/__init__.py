"""The phrase book: conditions, verdicts and what the guard says in every language, one catalogue per language.

A sentence is made where its reason is found, and read where somebody reads it. It is a string, the English one, so
that rules, tests and journals do not depend on the language of the reader; and it keeps its id and its parts, so that
`read` can say it in another language.

>>> text = say("reason.used_up", action="Reserve")
>>> text
'Reserve was done as often as the task allows'
>>> read(text, "de")
'Reserve wurde so oft ausgeführt, wie die Aufgabe erlaubt'

The catalogues are ``en.toml``, ``de.toml``: id -> sentence with ``{placeholders}``. They have the same ids with the
same placeholders. `vsalang.program.phrases.conditions` chooses the phrase for an operator.
"""

from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

from vsalang.base.names import DEFAULT_LANGUAGE, LANGUAGES

FIRST: Final = DEFAULT_LANGUAGE
"""The language of records: what a sentence is as a string."""


class UnknownLanguage(ValueError):
    """The guard does not speak it."""

    def __init__(self, language: str) -> None:
        super().__init__(f"there is no language {str(language)[:40]!r}; there is {', '.join(LANGUAGES)}")


class Sentence(str):
    """A sentence in English that can be read in other languages. Equal to the string it is.

    Attributes:
        id: its name in the catalogues.
        values: what is put in; sentences among them are read in the same language.
    """

    id: str
    values: Mapping[str, Any]

    def __reduce__(self) -> tuple[Any, ...]:
        return _sentence, (self.id, dict(self.values))


class JoinedText(str):
    """Texts in a row, with a text between them that may be a sentence too."""

    parts: tuple[str, ...]
    between: str

    def __reduce__(self) -> tuple[Any, ...]:
        return joined, (self.between, self.parts)


@cache
def catalogue(language: str) -> Mapping[str, str]:
    """The sentences of a language, by id. Raises `UnknownLanguage`."""
    import tomllib

    if language not in LANGUAGES:
        raise UnknownLanguage(language)
    text = Path(__file__).with_name(f"{language}.toml").read_text(encoding="utf-8")
    return _flat(tomllib.loads(text))


def _flat(table: Mapping[str, Any], prefix: str = "") -> dict[str, str]:
    texts: dict[str, str] = {}
    for name, value in table.items():
        if isinstance(value, str):
            texts[prefix + name] = value
        else:
            texts |= _flat(value, f"{prefix}{name}.")
    return texts


def say(id: str, /, **values: Any) -> Sentence:
    """A sentence.

    Raises:
        KeyError: the catalogue has no such sentence, or it wants other values.
    """
    return _sentence(id, values)


def _sentence(id: str, values: Mapping[str, Any]) -> Sentence:
    text = Sentence(catalogue(FIRST)[id].format(**values))
    text.id, text.values = id, values
    return text


def joined(between: str, parts: Iterable[str]) -> JoinedText:
    """Texts in a row, as `str.join` makes it, that can be read in other languages."""
    kept = tuple(parts)
    text = JoinedText(between.join(kept))
    text.parts, text.between = kept, between
    return text


def read(text: Any, language: str) -> Any:
    """A text in a language; what is not a sentence of the guard's (a value, a description) stays as it is.

    Raises:
        UnknownLanguage: see there.
    """
    if isinstance(text, Sentence):
        sentence = catalogue(language)[text.id]
        if language == FIRST:
            return str(text)
        return sentence.format(**{name: read(value, language) for name, value in text.values.items()})
    if isinstance(text, JoinedText):
        return str(read(text.between, language)).join(read(part, language) for part in text.parts)
    return text
