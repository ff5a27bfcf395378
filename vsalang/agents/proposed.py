"""Proposals of agents as JSON data: a gesture or an action with its arguments, and what the agent says it is.

    {"action": "tap", "id": "reserve_button", "note": "book it"}
    {"action": "input_text", "id": "search_box", "value": "R"}
    {"action": "tap", "x": 360, "y": 900, "claims": [{"action": "Reserve", "restaurant": "R"}]}

``action`` names a gesture or an action; ``note`` is the agent's own word on it; ``claims`` are critical actions that
the agent says this is (they only add duty). Everything else is an argument. A list of such objects is a commitment:
they were planned together, on one screen.
"""

import json
from collections.abc import Mapping
from dataclasses import replace
from decimal import Decimal
from typing import Final

from vsalang.base.records import dataclass
from vsalang.base.source.strict_json import no_constant, object_once
from vsalang.program.action import Action
from vsalang.program.ir import Program, Type
from vsalang.program.text import canonical
from vsalang.program.typed import quoted_number, typed
from vsalang.program.values import Value

MAX_LINE = 100_000
"""A longer line is refused."""
_RESERVED = ("action", "note", "claims")
WHOLE: Final = frozenset({"node", "x", "y", "x2", "y2"})
"""Arguments of gestures that are whole numbers: of a node, and of pixels."""


class AgentError(Exception):
    """A proposal that cannot be understood; the message names its place and the remedy."""


@dataclass(frozen=True, slots=True)
class Proposed:
    """What an agent wants to do next.

    Attributes:
        line: its place in a script, from 1.
        then: what it wants to do afterwards, planned on the same screen: a commitment. It is left out if something is
            not as planned (`vsalang.guard.graph.commit_all`).
    """

    action: Action
    claims: tuple[Action, ...] = ()
    note: str = ""
    line: int = 0
    then: "tuple[Proposed, ...]" = ()


def read_proposal(line: str, program: Program, place: str, number: int = 0) -> Proposed:
    """One line of a script: a proposal, or a list of them, which is a commitment.

    Raises:
        AgentError: it is not JSON, or not a proposal.
    """
    if len(line) > MAX_LINE:
        raise AgentError(f"{place}: the line is longer than {MAX_LINE} characters")
    try:
        data = json.loads(
            line, parse_float=Decimal, parse_constant=no_constant, object_pairs_hook=object_once
        )
    except (ValueError, ArithmeticError, RecursionError) as error:
        raise AgentError(f"{place}: not JSON: {error}") from error
    listed = data if isinstance(data, list) else [data]
    if not listed:
        raise AgentError(f"{place}: the list is empty: write at least one proposal")
    proposals = []
    for nth, each in enumerate(listed, 1):
        where = f"{place}: action {nth}" if isinstance(data, list) else place
        proposals.append(_proposed(each, program, where, number))
    return replace(proposals[0], then=tuple(proposals[1:]))


def _proposed(data: object, program: Program, place: str, number: int) -> Proposed:
    if not isinstance(data, dict):
        raise AgentError(f'{place}: a proposal is an object such as {{"action": "back"}}')
    try:
        claims = data.get("claims", [])
        if isinstance(claims, Mapping):
            claims = [claims]
        if not isinstance(claims, list):
            raise AgentError("`claims` is a list of actions")
        note = data.get("note", "")
        if not isinstance(note, str):
            raise AgentError("`note` is a text")
        return Proposed(
            read_action(data, program),
            tuple(read_action(claim, program, claim=True) for claim in claims),
            canonical(note),
            number,
        )
    except AgentError as error:
        raise AgentError(f"{place}: {error}") from error


def read_action(data: object, program: Program, *, claim: bool = False) -> Action:
    """A gesture or an action of the program out of JSON data, its arguments typed by the program.

    Args:
        data: an object with ``action`` and arguments; a claim may be just a name.
        claim: names that the program does not know are kept (the guard blocks them).

    Raises:
        AgentError: no action, an unknown one, an unknown argument, or a value of the wrong type.
    """
    if claim and isinstance(data, str):
        data = {"action": data}
    if not isinstance(data, Mapping) or not isinstance(data.get("action"), str):
        raise AgentError('there is no "action" in it')
    name: str = data["action"]
    relations = [r for r in program.relations.values() if r.name == name or r.short == name]
    relations = [r for r in relations if r.sort in ("gesture", "action")]
    if not relations and claim:
        return Action(canonical(name))
    if not relations:
        from vsalang.base.source.suggest import did_you_mean

        names = [r.short for r in program.relations.values() if r.sort in ("gesture", "action")]
        hint = did_you_mean(name, names)
        raise AgentError(f"there is no gesture or action `{name[:80]}`" + (f"; {hint}" if hint else ""))
    if len(relations) > 1:
        raise AgentError(
            f"`{name}` is declared by several modules: write " + " or ".join(f"`{r.name}`" for r in relations)
        )
    relation = relations[0]
    types = {attr.name: attr.type for attr in relation.attrs}
    args: dict[str, Value] = {}
    for key, value in data.items():
        if key in _RESERVED:
            continue
        if key not in types:
            from vsalang.base.source.suggest import did_you_mean

            hint = did_you_mean(key, types) or f"it has {', '.join(types) or 'none'}"
            raise AgentError(f"`{name}` has no argument `{key[:80]}`; {hint}")
        if value is None:
            continue
        whole = relation.sort == "gesture" and key in WHOLE
        args[key] = read_value(value, types[key], f"{name}.{key}", whole=whole)
    return Action(relation.name, args)


def read_value(data: object, type_: Type, what: str, *, whole: bool = False) -> Value:
    """A value of a type out of JSON data; dates, times and durations are written as in the language.

    Language models put numbers in quotes: a text that is a number in plain digits is that number.

    Args:
        what: the argument, for messages.
        whole: a number in quotes must be a whole one.

    Raises:
        AgentError: it is none.
    """
    if type_.kind == "Number" and isinstance(data, str):
        number = quoted_number(data)
        if number is None or (whole and not isinstance(number, int)):
            kind = "a whole number" if whole else "a number"
            text = json.dumps(data)[:80]
            raise AgentError(f"{what} is {text}, which is not {kind} in plain digits, such as 540")
        return number
    value = typed(data, type_)
    if value is None:
        raise AgentError(f"{what} is {json.dumps(data, default=str)[:80]}, which is not of type {type_}")
    return value
