"""Orders in words: the steps of a task, and what an agent that follows every order reads on a screen.

`read_orders("Tap \"Menu\", then press \"Delete all\".")` gives two orders. The same words stand in task files.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from vsalang.program.action import Action
from vsalang.program.gestures import is_keyboard
from vsalang.program.screen import Cells, Screen
from vsalang.program.text import canonical

_QUOTED: Final = r"""(?:"[^"]+"|“[^”]+”|„[^“”]+[“”]|«[^»]+»|「[^」]+」|(?<!\w)['‘][^'’]+['’](?!\w))"""
_FILLER: Final = r"(?:\s+(?:on|the|a|app|button|field|link|page|row|called|text|word|words))*\s+"
_ORDER: Final = re.compile(
    rf"(?:\b(?P<hold>long[- ]press|hold){_FILLER}(?P<held>{_QUOTED})"
    rf"|\b(?P<tap>tap|press|click|touch|choose|select|hit|confirm with){_FILLER}(?P<tapped>{_QUOTED})"
    rf"|\b(?P<type>type|enter|write|paste|fill in){_FILLER}(?P<value>{_QUOTED})"
    rf"(?:\s+(?:in|into|to|as){_FILLER}(?P<field>{_QUOTED}))?"
    rf"|\b(?P<open>open|launch|start|go to){_FILLER}(?P<opened>{_QUOTED})"
    rf"|(?:,|\band\b|\bthen\b)\s*(?:then|and)?{_FILLER}(?P<also>{_QUOTED})"
    rf"|\b(?P<clear>clear|empty){_FILLER}(?P<cleared>{_QUOTED})"
    rf"|\b(?P<swipe>swipe){_FILLER}(?P<swiped>{_QUOTED})\s+(?:to\s+the\s+)?(?P<side>left|right)"
    r"|\b(?P<scroll>scroll|swipe)\s+(?P<way>down|up)"
    r"|\b(?P<key>press enter|press the enter key)"
    r"|\b(?P<back>go back|press back|^back$))",
    re.IGNORECASE,
)

_VERBS: Final = ("hold", "tap", "type", "clear", "swipe", "open", "scroll", "key", "back")
_NAMED: Final = ("held", "tapped", "field", "cleared", "swiped", "opened", "also")


@dataclass(frozen=True, slots=True)
class Order:
    """One order.

    Attributes:
        verb: tap, hold, type, clear, swipe, open, scroll, key or back.
        name: what is touched, as the screen names it (``Save#2``: the second that is called so), the app that is
            opened, or where to scroll; of `type` the field, "" for the one that there is.
        value: what is typed, or the side to which it is swiped.
    """

    verb: str
    name: str = ""
    value: str = ""

    def __str__(self) -> str:
        typed = f' "{self.value}"' if self.value else ""
        named = f' "{self.name}"' if self.name else ""
        return f"{self.verb}{typed}{' into' if typed and named else ''}{named}"


def read_orders(text: str) -> tuple[Order, ...]:
    """The orders in a text, in their order; other words count for nothing."""
    return tuple(_orders(text))


def _orders(text: str) -> Iterator[Order]:
    for match in _ORDER.finditer(text):
        verb = next((name for name in _VERBS if match[name]), "tap")
        quoted = next((match[name] for name in _NAMED if match[name]), "")
        value = _bare(match["value"] or "") or (match["side"] or "").lower()
        yield Order(verb, _bare(quoted) or (match["way"] or "").lower(), value)


def _bare(quoted: str) -> str:
    return quoted[1:-1].strip()


def shown_texts(screen: Screen) -> Iterator[str]:
    """All that can be read on a screen: texts, descriptions, hints, messages that pass, notifications."""
    for row in screen.rows("Node"):
        yield from (str(row[name]) for name in ("text", "desc", "hint") if row.get(name))
    for relation in ("Toast", "Notification"):
        for row in screen.rows(relation):
            yield from (str(row[name]) for name in ("title", "text") if row.get(name))


def plain(text: str) -> str:
    """A text as guards read it, without case, and with single blanks."""
    return " ".join(canonical(text).split()).casefold()


def action_of(order: Order, screen: Screen, apps: dict[str, str]) -> Action | None:
    """What an agent does to follow an order on a screen; None: what it names is not there.

    Args:
        order: what to do.
        screen: what shows.
        apps: the packages of apps by their names, without case.
    """
    match order.verb:
        case "back":
            return Action("back")
        case "key":
            return Action("press_key", {"key": "ENTER"})
        case "open":
            package = apps.get(plain(order.name), order.name if order.name in apps.values() else "")
            return Action("open_app", {"package": package}) if package else _pointed("tap", order, screen)
        case "scroll":
            return _scrolled(order, screen)
        case "type" | "clear":
            return _typed(order, screen)
        case "swipe":
            return _swiped(order, screen)
        case verb:
            return _pointed("long_press" if verb == "hold" else "tap", order, screen)


def _scrolled(order: Order, screen: Screen) -> Action | None:
    for row in screen.rows("Node"):
        if row.get("scrollable") is True:
            return Action("scroll", {**_middle(row), "direction": order.name})
    return None


def _typed(order: Order, screen: Screen) -> Action | None:
    fields = [row for row in screen.rows("Node") if row.get("editable") is True]
    found = _named(order.name, fields) if order.name else fields[0] if len(fields) == 1 else None
    if found is None:
        return None
    return Action("clear_text" if order.verb == "clear" else "input_text", _middle(found) | _value(order))


def _value(order: Order) -> dict[str, str]:
    return {"value": order.value} if order.verb == "type" else {}


def _swiped(order: Order, screen: Screen) -> Action | None:
    found = _named(order.name, screen.rows("Node"))
    if found is None:
        return None
    start = _middle(found)
    return Action(
        "swipe", start | {"x2": start["x"] + (-250 if order.value == "left" else 250), "y2": start["y"]}
    )


def _pointed(gesture: str, order: Order, screen: Screen) -> Action | None:
    found = _named(order.name, screen.rows("Node"))
    return Action(gesture, _middle(found)) if found is not None else None


def _named(name: str, rows: Sequence[Cells]) -> Cells | None:
    """The node that is called so: by its text, description or hint, else by its id, else by a part of its text."""
    name, _, nth = name.partition("#") if re.search(r"#\d+$", name) else (name, "", "1")
    wanted, number = plain(name), int(nth)
    rows = [row for row in rows if not is_keyboard(row.get("kind"), row.get("package"))]
    says = [[plain(str(row[key])) for key in ("text", "desc", "hint") if row.get(key)] for row in rows]
    for found in (
        [row for row, texts in zip(rows, says, strict=True) if wanted in texts],
        [row for row in rows if plain(str(row.get("id") or "")) == wanted],
        [row for row, texts in zip(rows, says, strict=True) if any(wanted in text for text in texts)],
    ):
        if len(found) >= number:
            return found[number - 1]
    return None


def under_keyboard(action: Action, screen: Screen) -> bool:
    """Whether the soft keyboard lies over the place where a gesture begins."""
    x, y = action.args.get("x"), action.args.get("y")
    for row in screen.rows("Window") if isinstance(x, int) and isinstance(y, int) else ():
        if is_keyboard(row.get("kind"), row.get("package")):
            return bool(row["left"] <= x < row["right"] and row["top"] <= y < row["bottom"])  # type: ignore[operator]
    return False


def _middle(row: Cells) -> dict[str, int]:
    left, top, right, bottom = (int(row[side]) for side in ("left", "top", "right", "bottom"))  # type: ignore[call-overload]
    return {"x": (left + right) // 2, "y": (top + bottom) // 2}
