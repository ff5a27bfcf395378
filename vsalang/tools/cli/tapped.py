"""Explains what a tap on a captured screen means to an app module or spec, for ``vsac facts --tap --app``."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from vsalang.tools.cli.query import paint

if TYPE_CHECKING:
    from vsalang.screen.screen import TreeScreen
    from vsalang.tools.ask import Place

_HOW = {"allow": "met", "block": "unmet"}


@dataclass(frozen=True)
class Tapped:
    """The meaning of a tap, for people and as JSON data."""

    lines: list[str]
    data: dict[str, Any]


def tapped(place: "Place", screen: "TreeScreen", x: int, y: int) -> Tapped:
    """The meaning of a tap: the recognised actions, where it leads, what it writes, and the verdict.

    Raises:
        Failure: the screen cannot be read.
    """
    from vsalang.program.action import Action
    from vsalang.program.text import line
    from vsalang.tools.ask import AskError, Situation
    from vsalang.tools.ask.asking import bring_about
    from vsalang.tools.ask.meaning import meaning_data, meaning_lines, meaning_of
    from vsalang.tools.ask.state import Shown
    from vsalang.tools.cli.common import Failure

    try:
        moment = bring_about(place, Situation((Shown(screen, screen.tree.name),)))
    except AskError as error:
        raise Failure(str(error)) from error
    guard = moment.player.guard
    verdict = guard.propose(Action("tap", {"x": x, "y": y}))
    meaning = meaning_of(moment, verdict)
    shown = " and ".join(sorted(place.program.relations[name].short for name in guard.screens))
    said = [
        ("on", f"screen {shown}" if shown else "no screen of the module"),
        *meaning_lines(moment, meaning),
    ]
    said.append(
        ("verdict", verdict.level + ("" if meaning.specced else " (no spec: nothing is licensed or refused)"))
    )
    width = max(len(word) for word, _ in said)
    lines = [
        f"{paint(f'{word:{width}}', 'dim')}  "
        + (paint(text, _HOW.get(verdict.level, "unknown")) if word == "verdict" else line(text, 2000))
        for word, text in said
    ]
    for reason in verdict.reasons:
        lines.append(f"  {line(reason.message, 2000)}" + (f"  [{reason.rule}]" if reason.rule else ""))
        lines += [f"    {line(text, 2000)}" for text in reason.texts() if text not in reason.message]
    return Tapped(lines, {"screens": sorted(guard.screens), **meaning_data(moment, meaning)})
