"""Answers of M3A and T3A (``Reason: ...``, ``Action: {...}``, with AndroidWorld's actions), read and written."""

import ast
import json
import re
from typing import Final

from vsalang.phone.vocabulary import androidworld
from vsalang.phone.vocabulary.base import MOST_TEXT, NOWHERE, Surface, VocabularyError, text
from vsalang.program.action import Action

_ACTION: Final = re.compile(r"(?:^|\n|\s)Action:", re.IGNORECASE)
_OBJECT: Final = re.compile(r"\s*(?:```(?:json|python)?\s*)?(?=\{)")
_PYTHON: Final = re.compile(r"""\{(?:[^{}'"]|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*")*\}""")
"""A dictionary of Python without another one in it."""


def parts(value: object) -> tuple[str, str]:
    """The reason and the JSON of one answer.

    Models write prose around the action, fence it, and write it as Python does, with single quotes: AndroidWorld reads
    all of that. An ``Action:`` without an object behind it is prose.

    Raises:
        VocabularyError: there is no action, or more than one.
    """
    whole = text(value, "m3a: the answer", MOST_TEXT)
    actions = [
        (match.start(), whole[behind.end() :])
        for match in _ACTION.finditer(whole)
        if (behind := _OBJECT.match(whole, match.end())) is not None
    ]
    if len(actions) != 1:
        raise VocabularyError(
            "m3a: an answer has one `Action:` with an object" + (", this has several" if actions else "")
        )
    start, rest = actions[0]
    action, end = _object(rest)
    if "action_type" in rest[end:]:
        raise VocabularyError("m3a: an answer has one `Action:` with an object, this has several")
    return re.sub(r"\AReason:\s*", "", whole[:start].strip(), flags=re.IGNORECASE), action


def _object(rest: str) -> tuple[str, int]:
    """The object at the beginning of a text, as JSON, and where it ends.

    Raises:
        VocabularyError: it is neither JSON nor a plain one of Python.
    """
    try:
        _, end = json.JSONDecoder().raw_decode(rest)
        return rest[:end], end
    except (ValueError, RecursionError):
        pass
    match = _PYTHON.match(rest)
    if match is None:
        raise VocabularyError("m3a: the action is not an object")
    try:
        tree = ast.parse(match[0], mode="eval").body
        assert isinstance(tree, ast.Dict)
        keys = [each.value for each in tree.keys if isinstance(each, ast.Constant)]
        values = ast.literal_eval(tree)
        plain = all(isinstance(each, str | int | float | bool | None) for each in values.values())
    except (ValueError, SyntaxError, AssertionError, MemoryError, RecursionError, TypeError) as error:
        raise VocabularyError("m3a: the action is not an object") from error
    if not plain or len(set(keys)) != len(tree.keys) or not all(isinstance(key, str) for key in keys):
        raise VocabularyError("m3a: the action has a key twice, or is not plain")
    return json.dumps(values, ensure_ascii=False), match.end()


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
