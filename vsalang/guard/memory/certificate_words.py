"""Certificates in words: one line for the prompt of an agent, or all of it for people."""

from collections.abc import Iterator
from typing import Final

from vsalang.base.diagnostics.display import count
from vsalang.guard.memory.certificate import AttributeChange, Certificate, Effect, Shown, Target
from vsalang.guard.memory.texts import LONGEST, quoted
from vsalang.program.action import OFF_SCREEN
from vsalang.program.text import line
from vsalang.program.values import Value, show


def short(certificate: Certificate) -> str:
    """One line: what was done, and with which result.

    Texts of the screen stand in quotes and are cut, so none of them can look like another line, or like words of ours.
    """
    return f"{did(certificate)}: {_outcome_text(certificate)}"


def long(certificate: Certificate) -> str:
    """All of it, a line for each thing that is known."""
    return "\n".join((did(certificate), *(f"  {name:11} {text}" for name, text in _lines(certificate))))


def did(certificate: Certificate) -> str:
    """What was done, and with what."""
    action, unit = certificate.action, certificate.unit
    text = action.name
    if unit is not None:
        text += f" {quoted(unit.label)}" if unit.label else f" {_nameless(unit)}"
        text += f" ({unit.kind})" if unit.kind else ""
    elif "x" in action.args and "y" in action.args:
        text += f" at ({_value(action.args['x'])}, {_value(action.args['y'])})"
    columns = _TOLD if unit is not None else (*_TOLD, *_TOLD_ALONE)
    more = [f"{name} {_value(action.args[name])}" for name in columns if name in action.args]
    return text + (f", {', '.join(more)}" if more else "")


_TOLD: Final = ("value", "direction", "key")
"""The arguments of an action that are given in addition to its target."""
_TOLD_ALONE: Final = ("text", "command", "package", "path", "reason")
"""Those that select a target, or are all that an action has."""


def _outcome_text(certificate: Certificate) -> str:
    if certificate.delivered is False:
        return "not executed, it did not reach the device"
    lines = ["executed" if certificate.delivered else "it is not known whether it was executed"]
    if certificate.action.name not in OFF_SCREEN:
        lines.append(_amount(certificate.effect))
    violated = [each for each in certificate.contracts if each.outcome == "violated"]
    if violated:
        lines.append("not as expected")
    elif certificate.contracts and all(each.outcome == "met" for each in certificate.contracts):
        lines.append("as expected")
    if certificate.confidence == "low":
        lines.append(f"not certain ({certificate.because})")
    return ", ".join(lines)


def _amount(effect: Effect) -> str:
    if effect.transition is None:
        return "nobody saw what changed"
    if effect.transition == "NoChange":
        amount = "nothing changed"
    elif effect.transition == "NewPage":
        amount = "another page shows"
    else:
        first = next(iter(effect.changed), None)
        if effect.scrolled:
            amount = "a list moved"
        elif first is not None:
            others = len(effect.changed) + len(effect.appeared) + len(effect.gone) + effect.more - 1
            amount = _change(first) + (f", and {count(others, 'more change')}" if others else "")
        else:
            amount = f"{count(len(effect.appeared), 'node')} appeared, {len(effect.gone)} went"
    if effect.messages:
        amount += f", a message said {quoted(effect.messages[0])}"
    return amount


def _change(each: AttributeChange) -> str:
    name = quoted(each.label) if each.label else f"node {each.node}"
    return f"{each.attribute} of {name} changed from {_seen(each.before)} to {_seen(each.after)}"


def _lines(certificate: Certificate) -> Iterator[tuple[str, str]]:
    scope, effect, unit = certificate.scope, certificate.effect, certificate.unit
    if scope.task:
        yield "task", f"{quoted(scope.task, LONGEST)} (spec {line(scope.spec, 80)})"
    if scope.app:
        yield "app", ", ".join(quoted(text, LONGEST) for text in (scope.app, scope.activity) if text)
    if certificate.level is not None:
        yield "verdict", certificate.level
    for each in certificate.actions:
        yield "is", line(each)
    for condition in certificate.state:
        yield "held", f"{line(condition.text)} [{line(condition.rule, 80)}]"
    for condition in certificate.prerequisites:
        yield "done before", f"{line(condition.text)} [{line(condition.rule, 80)}]"
    if unit is not None:
        certain = "" if unit.certain else ", others look like it"
        yield "control", f"{unit.name}{certain}"
        for name in ("value", "section", "id"):
            if getattr(unit, name):
                yield name, quoted(getattr(unit, name), LONGEST)
    yield "effect", effect.transition or "not known"
    for change in effect.changed:
        yield "changed", _change(change)
    for word, nodes in (("appeared", effect.appeared), ("gone", effect.gone)):
        if nodes:
            yield word, ", ".join(quoted(one.label) if one.label else f"node {one.node}" for one in nodes)
    if effect.more:
        yield "more", f"{effect.more} further changes"
    for message in effect.messages:
        yield "message", quoted(message, LONGEST)
    for contract in certificate.contracts:
        yield "expected", f"{contract.outcome}: {line(contract.message)} [{line(contract.rule, 80)}]"
    yield "confidence", f"{certificate.confidence}: {certificate.because}"
    if certificate.program:
        yield "program", certificate.program[:12]
    if certificate.at is not None:
        yield "at", f"{certificate.at:%Y-%m-%d %H:%M:%S}"


def _nameless(unit: Target) -> str:
    return f"id {quoted(unit.id)}" if unit.id else f"node {unit.name}"


def _seen(value: Shown) -> str:
    if isinstance(value, str):
        return quoted(value)
    return "unknown" if value is None else str(value).lower()


def _value(value: Value | None) -> str:
    return quoted(value) if isinstance(value, str) else "unknown" if value is None else line(show(value), 60)
