"""The names of what every screen has: relations on whether it matches and shows, and rules that nobody wrote."""

from typing import Final

_MATCH: Final = "match "
_UNCOVERED: Final = "uncovered "
_SHOW: Final = "show "
_NAME: Final = "name "


def match_relation(screen: str) -> str:
    """The derived relation that holds where a screen's own rules match, before `over` decides."""
    return f"{_MATCH}{screen}"


def is_match(relation: str) -> bool:
    """Whether a relation is one that holds where the rules of a screen match."""
    return relation.startswith(_MATCH)


def uncovered_relation(screen: str) -> str:
    """The derived relation that holds where a screen matches and none that covers it does."""
    return match_relation(f"{_UNCOVERED}{screen}")


def screen_of(relation: str) -> str:
    """The screen of a relation about whether one matches; any other name as it is."""
    return relation.removeprefix(_MATCH).removeprefix(_UNCOVERED)


def show_rule(screen: str) -> str:
    """The id of the rule by which a screen shows if it matches and no other is in the way."""
    return f"{_SHOW}{screen}"


def name_rule(screen: str) -> str:
    """The id of the rule that derives the row of ``Screen`` from the screen that shows."""
    return f"{_NAME}{screen}"


def is_screen_rule(id: str) -> bool:
    """Whether a rule is one that every screen has, and nobody wrote."""
    return id.startswith((_SHOW, _NAME))


def screen_relation(module: str) -> str:
    """The relation, set by the guard, that has its row while a test says which screen of an app shows."""
    return f"told {module}"
