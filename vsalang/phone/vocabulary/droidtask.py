"""The records of DroidTask's walks (AutoDroid): ``ActionDetails`` and ``Choice``."""

from typing import Any, Final

from vsalang.phone.vocabulary import base
from vsalang.phone.vocabulary.base import NOWHERE, Surface, VocabularyError, cannot
from vsalang.program.action import Action

_WHO: Final = "droidtask"


def read(data: object, surface: Surface = NOWHERE) -> tuple[Action, ...]:
    """The actions of one record; ``Choice`` -1 means that the task is finished; an unknown type is ``shell(command)``.

    Args:
        data: a record, or its ``ActionDetails``.
        surface: gives the elements by the ids of the record's ``State``.

    Raises:
        VocabularyError: it is not a record, or it lacks what it needs.
    """
    fields = base.opened(data, _WHO)
    if fields.get("Choice") == -1:
        return (Action("finish"),)
    if isinstance(fields.get("ActionDetails"), dict):
        fields = fields["ActionDetails"]
    kind = fields.get("action_type")
    if not isinstance(kind, str):
        raise VocabularyError(f"{_WHO}: there is no `action_type`")
    if kind == "navigate_back":
        return (Action("back"),)
    if kind not in ("click", "long_click", "input_text", "scroll"):
        return base.not_understood(_WHO, fields)
    base.refuse_unknown_keys(fields, ("action_type", "id", "index", "text", "direction"), f"{_WHO}: {kind}")
    if kind == "scroll":
        direction = base.word(fields.get("direction"), "direction", base.DIRECTIONS)
        return (Action("scroll", {**base.element(surface, fields.get("index")), "direction": direction}),)
    at = base.element(surface, fields.get("id"), "id")
    if kind == "input_text":
        return base.typed(fields.get("text"), at)
    return base.rest(at, 1000 if kind == "long_click" else 0)


def write(action: Action) -> dict[str, Any]:
    """The record of the end; other records name elements of their own list.

    Raises:
        VocabularyError: it cannot be expressed.
    """
    if action.name == "finish" and not action.args:
        return {"Choice": -1, "ActionDetails": None}
    raise cannot(action, _WHO, "its targets are numbers of its own list")
