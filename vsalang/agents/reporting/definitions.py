"""Reads what an app says it will report, in every spelling that apps of the paper's library and our own use."""

from typing import Any, Final

from vsalang.agents.reporting.errors import MessageRefused
from vsalang.agents.reporting.reading import MAX_ITEMS, member
from vsalang.agents.reporting.schema import AppSchema
from vsalang.base.records import dataclass
from vsalang.program.text import safe

_NOT_AN_ATTRIBUTE: Final = frozenset({"name", "type", "description", "detail", "enum_values", "is_key"})


@dataclass(frozen=True, slots=True)
class Definition:
    """A state that an app says it reports.

    Attributes:
        variables: its attributes with the names of their types, as written.
        spelling: which spelling of the variables was read.
    """

    name: str
    variables: tuple[tuple[str, str], ...]
    spelling: str


def read_definitions(data: Any, where: str) -> list[Definition]:
    """The definitions of a message.

    Raises:
        Refused: one of them is none.
    """
    if not isinstance(data, list):
        raise MessageRefused("malformed", "the states are a list", where)
    if len(data) > MAX_ITEMS:
        raise MessageRefused("too_large", f"a message has at most {MAX_ITEMS} states", where)
    return [_definition(item, f"{where}[{index}]") for index, item in enumerate(data)]


def _definition(data: Any, where: str) -> Definition:
    if not isinstance(data, dict):
        raise MessageRefused("malformed", "a state is an object", where)
    name = member(data, "name", str, where=where)
    member(data, "description", str, "", where)
    if "variables" not in data and "arguments" in data:
        raw, word = member(data, "arguments", list, where=where), "arguments"
    else:
        raw, word = member(data, "variables", list, [], where), "variables"
    members: list[tuple[str, str]] = []
    spellings: list[str] = []
    for index, item in enumerate(raw):
        place = f"{where}.{word}[{index}]"
        if not isinstance(item, dict):
            raise MessageRefused("malformed", "a variable is an object", place)
        if "name" in item and "type" in item:
            members.append((member(item, "name", str, where=place), member(item, "type", str, where=place)))
            spelling = '{"name", "type"}'
        else:
            pairs = {key: value for key, value in item.items() if key not in _NOT_AN_ATTRIBUTE}
            if not pairs:
                raise MessageRefused(
                    "malformed", 'a variable has a "name" and a "type", or is {attribute: type}', place
                )
            for key, value in pairs.items():
                if not isinstance(value, str):
                    raise MessageRefused("malformed", f"the type of {safe(key)} is a text", place)
                members.append((key, value))
            spelling = "{attribute: type}"
        if spelling not in spellings:
            spellings.append(spelling)
    return Definition(
        name, tuple(members), f"{word} as {' and '.join(spellings)}" if spellings else "no variables"
    )


def compared(schema: AppSchema, definitions: list[Definition]) -> dict[str, Any]:
    """How definitions fit what the app's module declares, as JSON data."""
    states = [
        {
            "name": item.name,
            "problems": schema.compare(item.name, item.variables),
            "read": item.spelling,
        }
        for item in definitions
    ]
    return {"fits": not any(item["problems"] for item in states), "states": states}
