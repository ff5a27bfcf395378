"""Functions that do something on a device, as proposals, and guarded: each call is judged first."""

import functools
import inspect
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, TypeVar

from vsalang.guard.say.verdict import Proposal, Verdict
from vsalang.program.action import Action

R = TypeVar("R")

Proposes = Callable[..., Action | Proposal]
"""Says what a call of a function proposes; it is given the call's arguments."""


def must_be_plain(function: Callable[..., Any]) -> None:
    """Raise `TypeError` if a function does not do its work before it returns."""
    if inspect.iscoroutinefunction(function):
        raise TypeError("a coroutine function needs an AsyncGuard")
    if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
        raise TypeError("a generator does its work after the turn: decorate a function that does it")


def guarded(
    function: Callable[..., R], acting: Callable[..., AbstractContextManager[Verdict]]
) -> Callable[..., R]:
    """A plain function each call of which runs inside a guarded block.

    Args:
        function: does something on the device.
        acting: the block of a call; it is given the call's arguments.
    """

    @functools.wraps(function)
    def called(*args: Any, **kwargs: Any) -> R:
        with acting(*args, **kwargs):
            result = function(*args, **kwargs)
            if inspect.isawaitable(result) or inspect.isgenerator(result) or inspect.isasyncgen(result):
                if hasattr(result, "close"):
                    result.close()
                raise TypeError(f"{function.__name__} put its work off: it must be done when it returns")
            return result

    return called


def proposal_of(function: Callable[..., Any], name: str, proposes: Proposes | None) -> Proposes:
    """The function that says what a call of a function proposes."""
    if proposes is not None:
        return proposes
    signature = inspect.signature(function)
    if any(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in signature.parameters.values()):
        raise TypeError(f"{function.__name__} takes any arguments: say by `proposes` which action a call is")

    def said(*args: Any, **kwargs: Any) -> Action:
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        given = {key: value for key, value in bound.arguments.items() if value is not None}
        return Action(name or function.__name__, given)

    return said
