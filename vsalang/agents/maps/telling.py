"""Hints in words: sentences of the guard's catalogues, in which what apps and strangers wrote is quoted and cut."""

import re
from collections.abc import Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any, Final, TypeVar

from vsalang.agents.maps.screen_graph import Edge, Graph
from vsalang.agents.maps.ways import Step
from vsalang.guard.say.agent_hints import MOST_STEPS, AgentHint, NextStep
from vsalang.program.action import GESTURES
from vsalang.program.ir import Atom, Const, Constraint, Lit, Literal
from vsalang.program.ops import OPERATORS
from vsalang.program.phrases import joined, say
from vsalang.program.show import source
from vsalang.program.text import line, safe
from vsalang.program.walk import needed, parts, rewrite

SHOWN: Final = 5
"""Steps, or screens nearby, that a text names."""
_TEXT: Final = 40
"""Characters of a text that an app wrote."""
_STEP: Final = 160
"""Characters of one step."""
_NAME: Final = 200
"""Characters of a screen's name in the data."""
_PLAIN: Final = re.compile(r"\w[\w.:]{0,79}")
_SAYS: Final = ("text", "label", "desc", "id")
"""The attributes by which a person knows a widget, the clearest first."""
_NODES: Final = frozenset({"Node", "Part"})
Item = TypeVar("Item", Atom, Literal)


def way_text(graph: Graph, steps: Sequence[Step]) -> str:
    """Steps to a goal, and how sure they are."""
    counted = [step.edge for step in steps if step.edge.tried]
    sure: str = say("hint.uncounted")
    if counted:
        rare = min(counted, key=lambda edge: edge.worked / edge.tried)
        alone = len(steps) == 1
        sure = say("hint.worked_one" if alone else "hint.worked", worked=rare.worked, tried=rare.tried)
    place = place_text(graph, steps[-1].edge.target)
    if len(steps) == 1:
        return say("hint.way_one", steps=_steps(steps), place=place, sure=sure)
    return say("hint.way_more", count=len(steps), steps=_steps(steps), place=place, sure=sure)


def no_way_text(graph: Graph, steps: Sequence[Step], near: Sequence[tuple[str, int]]) -> str:
    """That there is no way, steps to what was not tried, and which screens are nearby."""
    lines: list[str] = [say("hint.no_way")]
    if steps:
        lines.append(say("hint.untried", steps=_steps(steps)))
    if near:
        places = ", ".join(f"{place_text(graph, name)} ({number})" for name, number in near[:SHOWN])
        lines.append(say("hint.near", places=places))
    return joined("; ", lines)


def there_text() -> str:
    """That one is at a goal."""
    return say("hint.there")


def place_text(graph: Graph, name: str) -> str:
    """A screen, as people call it; in quotes if it is more than a name."""
    title = graph.screens[name].title if name in graph.screens else name
    return title if _PLAIN.fullmatch(title) and len(title) <= _TEXT else safe(title, _TEXT)


def agent_hint(
    aim: Any, text: str, screen: str, steps: Sequence[Step], near: Sequence[tuple[str, int]]
) -> AgentHint:
    """A hint as the data that adapters show."""
    return AgentHint(
        aim,
        text,
        line(screen, _NAME),
        len(steps),
        tuple(_next(step) for step in steps[:MOST_STEPS]),
        tuple((line(name, _NAME), number) for name, number in near[:MOST_STEPS]),
    )


def _next(step: Step) -> NextStep:
    edge = step.edge
    return NextStep(
        line(step.screen, _NAME),
        line(_source(edge.gesture), _STEP),
        line(", ".join(map(_source, edge.when)), 2 * _STEP),
        line(edge.target, _NAME),
        edge.tried,
        edge.worked,
    )


# ---------------------------------------------------------------- what is done


def _steps(steps: Sequence[Step]) -> str:
    gestures = [_gesture(step.edge) for step in steps[:SHOWN]]
    return joined(", ", [*gestures, ".."] if len(steps) > SHOWN else gestures)


def _gesture(edge: Edge) -> str:
    """What is done: where conditions alone say to what, with the text that they want there."""
    named = named_gesture(edge)
    if not edge.when or named is not None:
        return _cut(_source(named or edge.gesture), edge)
    when = ", ".join(map(_source, edge.when))
    gesture = _source(edge.gesture)
    if len(gesture) + len(when) > _STEP:
        return _cut(gesture, edge)
    return say("hint.condition", gesture=gesture, when=when)


def _cut(text: str, edge: Edge) -> str:
    """The text of a step; of one that is too long only what kind it is, so that no quotation is cut off."""
    if len(text) <= _STEP:
        return text
    relation = edge.gesture.relation
    return f"{relation if _PLAIN.fullmatch(relation) else safe(relation, _TEXT)}(..)"


def named_gesture(edge: Edge) -> Atom | None:
    """The gesture with what its conditions want to stand on its widget; None: they say nothing of it.

    ``tap(node = ?n) if Row(row = ?r), Inside(node = ?n, of = ?r), Part(of = ?r, text = "Wi-Fi")``
    is ``tap(text = "Wi-Fi")``.
    """
    gesture = edge.gesture
    if gesture.relation not in GESTURES:
        return None
    constraints = tuple(each for each in gesture.constraints if isinstance(each.term, Const))
    if any(each.attr in _SAYS for each in constraints):
        return replace(gesture, constraints=constraints)
    begun = set(needed(gesture))
    atoms = [literal.atom for literal in edge.when if isinstance(literal, Lit) and not literal.neg]
    while more := {name for atom in atoms if begun & needed(atom) for name in needed(atom)} - begun:
        begun |= more
    about = [atom for atom in atoms if atom.relation in _NODES and begun & needed(atom)]
    for attr in _SAYS:
        for atom in about:
            for each in atom.constraints:
                if each.attr == attr and each.op == "=" and isinstance(each.term, Const):
                    return replace(gesture, constraints=(*constraints, Constraint(attr, "=", each.term)))
    return None


def _source(item: Item) -> str:
    """As it is written in a program, on one line, with long texts cut inside their quotes.

    A map may come from anywhere: what has names that no program has is one text in quotes.
    """
    text = " ".join(source(rewrite(item, _shorter)).split())
    return line(text, 4 * _STEP) if _wellnamed_gesture(item) else safe(text, _TEXT)


def _wellnamed_gesture(item: Atom | Literal) -> bool:
    for part in parts(item):
        for field in fields(part) if is_dataclass(part) else ():
            value = getattr(part, field.name)
            if not isinstance(value, str) or isinstance(part, Const):
                continue
            if not (value in OPERATORS if field.name == "op" else not value or _PLAIN.fullmatch(value)):
                return False
    return True


def _shorter(part: Any) -> Any:
    if isinstance(part, Const) and isinstance(part.value, str) and len(part.value) > _TEXT:
        return replace(part, value=part.value[: _TEXT - 1] + "…")
    return part
