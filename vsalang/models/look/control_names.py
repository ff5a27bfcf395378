"""Conditions in words for somebody who only sees pictures: controls by what they are called, not by numbers.

    Names(tree, touched, scrolled=False).condition(expected)      # 'the toggle "Wi-Fi" is checked'

Words of the screen and typed texts stand in double quotes, their own escaped. What has no words is None: no picture
could answer it.
"""

from collections.abc import Iterable
from decimal import Decimal
from typing import Final

from vsalang.guard import ExpectedCondition, WantedValue
from vsalang.guard.world.beliefs import BELIEVED
from vsalang.program.phrases.conditions import operator_words
from vsalang.program.text import line, safe
from vsalang.program.values import Value
from vsalang.screen.control import controls
from vsalang.screen.tree import Node, Tree

_LABEL: Final = 60
"""So many characters of a label are said."""
_TEXT: Final = 200
"""A longer text is not asked for: cut, it would be another one."""
_KINDS: Final = {"opener": "row", "scroller": "list"}
_FLAGS: Final = {
    "checked": ("is checked", "is not checked"),
    "selected": ("is selected", "is not selected"),
    "enabled": ("can be used", "is greyed out"),
    "focused": ("has the focus", "does not have the focus"),
}
_EMPTY: Final = ("is empty", "is not empty")
_CHANGE: Final = "something changed"
_COMPARED: Final = frozenset({"=", "!=", "<", "<=", ">", ">=", "contains", "not contains"})


class Names:
    """What the nodes of the screen before an action are called.

    Args:
        tree: that screen.
        touched: what the action was done on; None: it has no place.
        scrolled: the action was a scroll.
    """

    def __init__(self, tree: Tree, touched: Node | None, *, scrolled: bool) -> None:
        self._tree = tree
        self._touched = touched
        self._scrolled = scrolled

    def condition(self, expected: ExpectedCondition) -> str | None:
        """A condition in words; None: there are none for it."""
        wanted = {each.attr: each for each in expected.wanted}
        if len(wanted) < len(expected.wanted):
            return None  # two conditions on one attribute
        match expected.relation:
            case "Kept":
                return self._kept(wanted.pop("was", None), wanted.values(), expected.negated)
            case "Delta":
                return self._differs(wanted, expected.negated)
            case "Moved" | "Gone":
                return self._went(wanted, expected)
            case "Changed":
                return "nothing changed" if expected.negated else _CHANGE
            case "Transition":
                kind = wanted.get("kind")
                nothing = kind is not None and (kind.op, kind.value) == ("=", "NoChange")
                return _CHANGE if nothing and expected.negated else None
            case "Node":
                return _state_text(wanted, expected.negated)
        return _believed(expected)

    def _kept(self, was: WantedValue | None, rest: Iterable[WantedValue], negated: bool) -> str | None:
        name = self._name(was)
        states = [_state(each.attr, each.op, each.value) for each in rest]
        if name is None or None in states or (negated and len(states) != 1):
            return None
        texts = [state[negated] for state in states if state is not None]
        return f"{name} {' and '.join(texts) or 'still shows'}"

    def _differs(self, wanted: dict[str, WantedValue], negated: bool) -> str | None:
        name, attribute, after = (wanted.pop(each, None) for each in ("was", "attribute", "after"))
        if wanted or attribute is None or attribute.op != "=" or after is None or after.value is None:
            return None
        attr = str(attribute.value)
        value: Value | None = after.value
        if attr == "length":
            value = int(str(value)) if str(value).isdecimal() else None
        elif attr in _FLAGS:
            value = {"true": True, "false": False}.get(str(value))
        return self._kept(name, [WantedValue(attr, after.op, value)], negated)

    def _went(self, wanted: dict[str, WantedValue], expected: ExpectedCondition) -> str | None:
        was = wanted.pop("was", None)
        name = self._name(was)
        if wanted or expected.negated or name is None or was is None:
            return None
        if expected.relation == "Gone":
            return f"{name} does not show any more"
        if self._scrolled and self._touched is not None and was.value == self._touched.node:
            name = "the list that was scrolled"
        return f"{name} has moved"

    def _name(self, was: WantedValue | None) -> str | None:
        """What a node is called: its kind and label, else that it was touched."""
        node = self._tree.by_number.get(was.value) if was is not None and isinstance(was.value, int) else None
        if was is None or was.op != "=" or node is None or node.password:
            return None
        units = controls(self._tree)
        unit = next((each for each in units if each.node is node), None)
        if unit is None:
            mine = [each for each in units if each.taker is node]
            unit = mine[0] if len(mine) == 1 else None
        kind = _KINDS.get(unit.kind, unit.kind) if unit is not None else "control"
        label = unit.label if unit is not None else node.text or node.desc
        if label:
            return f"the {kind if unit is not None else 'part'} {safe(label, _LABEL)}"
        touched = self._touched
        if touched is not None and (node is touched or (unit is not None and unit.taker is touched)):
            return f"the {kind} that was {'scrolled' if self._scrolled else 'touched'}"
        return None


def _state(attr: str, op: str, value: Value | None) -> tuple[str, str] | None:
    """What is said of a control if a condition holds, and if it does not; None: there are no words."""
    if op in ("!=", "not contains"):
        turned = _state(attr, "=" if op == "!=" else "contains", value)
        return (turned[1], turned[0]) if turned is not None else None
    if attr in _FLAGS and op == "=" and isinstance(value, bool):
        holds, fails = _FLAGS[attr]
        return (holds, fails) if value else (fails, holds)
    if attr == "length" and value == 0 and op in ("=", ">"):
        return _EMPTY if op == "=" else (_EMPTY[1], _EMPTY[0])
    if attr == "text" and isinstance(value, str) and len(value) <= _TEXT:
        if op == "=":
            text = safe(value, 8 * _TEXT)
            return (f"shows {text}", f"does not show {text}") if value else _EMPTY
        if op == "contains" and value:
            text = safe(value, 8 * _TEXT)
            return f"shows a text with {text} in it", f"shows no text with {text} in it"
    return None


def _state_text(wanted: dict[str, WantedValue], negated: bool) -> str | None:
    state = _state("text", wanted["text"].op, wanted["text"].value) if list(wanted) == ["text"] else None
    if state is None or wanted["text"].op not in ("=", "contains") or not wanted["text"].value:
        return None
    return f"the screen {state[negated]}"


def _believed(expected: ExpectedCondition) -> str | None:
    """What an app module says of its app, by the descriptions of its author."""
    label = line(expected.label, _LABEL).rstrip(".")
    if not label:
        return None
    if expected.sort == "screen":
        return f"the screen {safe(label)} {'does not show' if expected.negated else 'shows'}"
    texts = [_attribute(each) for each in expected.wanted]
    if expected.sort not in BELIEVED or None in texts or not texts:
        return None
    words = f"{label}: {' and '.join(each for each in texts if each is not None)}"
    return f"this does not hold: {words}" if expected.negated else words


def _attribute(wanted: WantedValue) -> str | None:
    name = line(wanted.label or wanted.attr, _LABEL).rstrip(".")
    value = wanted.value
    if isinstance(value, bool):
        truth = value if wanted.op == "=" else not value
        clause = name.removeprefix("whether ")
        return None if wanted.op not in ("=", "!=") else clause if truth else f"it is not so that {clause}"
    if wanted.op not in _COMPARED or value is None or (isinstance(value, str) and len(value) > _TEXT):
        return None
    value_text = safe(value, 8 * _TEXT) if isinstance(value, str) else _number(value)
    return f"{name} {operator_words(wanted.op)} {value_text}"


def _number(value: Value) -> str:
    return str(value) if isinstance(value, int | Decimal) else safe(str(value))
