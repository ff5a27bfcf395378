"""Small screens, and decisions on them."""

import re
from pathlib import Path
from typing import Any

from tests.guard.graph.phone import MAIL
from tests.screen.control import making
from vsalang.guard import Guard
from vsalang.language.semantics import load
from vsalang.models.rank import Candidate, Decision, Situation
from vsalang.models.rank.enumerating import candidates
from vsalang.screen.screen import TreeScreen
from vsalang.screen.tree import load_dump, read_tree

TASK = "Invite Ann to lunch, with a copy for me. Check the address first."


def screen_of(*nodes: str, **more: Any) -> TreeScreen:
    """A screen of some nodes."""
    return TreeScreen(load_dump(f'<hierarchy rotation="0">{"".join(nodes)}</hierarchy>'), **more)


def compose() -> TreeScreen:
    """A draft in a mail app."""
    return TreeScreen(read_tree(MAIL / "compose.xml"), app=("org.example.mail", None))


def mail_guard() -> Guard:
    """A guard of the invitation, which has seen the draft."""
    guard = Guard(load(str(MAIL / "invite.vsa")).checked())
    guard.observe(compose())
    return guard


def decision_on(screen: TreeScreen, task: str = TASK, **more: Any) -> Decision:
    """The decision on a screen, among all its candidates."""
    situation = Situation(task, screen, **more)
    return Decision(situation, candidates(situation).candidates)


def keys(found: tuple[Candidate, ...]) -> list[str]:
    """The gestures of candidates, in order."""
    return [one.text for one in found]


def node(cls: str, bounds: str, *kids: str, **attrs: str) -> str:
    """A node with these bounds; names of attributes have underscores."""
    left, top, right, bottom = map(int, re.findall(r"\d+", bounds))
    return making.node(cls, *kids, at=(left, top, right, bottom), **attrs)


def button(label: str, top: int, **more: str) -> str:
    """A button of a full line."""
    return node("Button", f"[0,{top}][400,{top + 100}]", text=label, clickable="true", **more)


ROOT = Path(__file__).resolve().parents[3]
__all__ = [
    "MAIL",
    "ROOT",
    "TASK",
    "button",
    "compose",
    "decision_on",
    "keys",
    "mail_guard",
    "node",
    "screen_of",
]
