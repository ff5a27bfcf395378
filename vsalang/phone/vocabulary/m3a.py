"""Answers of M3A and T3A (``Reason: ...``, ``Action: {...}``, with AndroidWorld's actions), read and written."""

import json
import re
from typing import Final

from vsalang.phone.vocabulary import androidworld
from vsalang.phone.vocabulary.base import MOST_TEXT, NOWHERE, Surface, VocabularyError, text
from vsalang.program.action import Action

_ACTION: Final = re.compile(r"(?:^|\n|\s)Action:", re.IGNORECASE)


def parts(value: object) -> tuple[str, str]:
    """The reason and the JSON of one answer.

    Raises:
        VocabularyError: there is no action, or more than one.
    """
    whole = text(value, "m3a: the answer", MOST_TEXT)
    matches = list(_ACTION.finditer(whole))
    if len(matches) != 1:
        raise VocabularyError("m3a: an answer has one `Action:`" + (", this has several" if matches else ""))
    reason = whole[: matches[0].start()].strip()
    reason = re.sub(r"\AReason:\s*", "", reason, flags=re.IGNORECASE)
    action = whole[matches[0].end() :].strip()
    fenced = re.fullmatch(r"```(?:json)?\s*(.*?)\s*```", action, re.DOTALL)
    return reason, fenced[1] if fenced else action


def read(value: object, surface: Surface = NOWHERE) -> tuple[Action, ...]:
    """The actions of one answer; an unknown type is ``shell(command)``.

    Raises:
        VocabularyError: it is not an answer, or its action lacks what it needs.
    """
    return androidworld.read(parts(value)[1], surface)


def write(action: Action, reason: str = "") -> str:
    """The answer with an action.

    Raises:
        VocabularyError: it cannot be expressed.
    """
    if _ACTION.search(reason):
        raise VocabularyError("m3a: the reason has an `Action:` in it")
    return f"Reason: {reason}\nAction: {json.dumps(androidworld.write(action), ensure_ascii=False)}"
