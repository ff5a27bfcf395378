"""A task in an app that nobody described, and controls of which nobody knows what they do."""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from tests.models.encode.chat_server import Reply, says
from tests.screen.control.making import node, page, text
from vsalang.guard import Guard
from vsalang.language.semantics import load_text
from vsalang.models.client.language_model import Answer, Message
from vsalang.models.effects import Asker, Effect, LiveAnswers
from vsalang.models.effects.kept import AnswerFile
from vsalang.program.action import Action
from vsalang.program.ir import Program
from vsalang.program.screen import Cells
from vsalang.screen.screen import TreeScreen
from vsalang.screen.tree import Tree, track

SPEC = """spec task "Look at the lamp"
import std.effects
allow Search.
done when Search earlier.
"""
KINDS = {
    "Delete": Effect("Delete something", {"what": "what is deleted", "count": "how many things"}),
    "SetSetting": Effect("Change a setting", {"name": "which setting", "value": "its new value"}),
    "Send": Effect("Send something", {"to": "to whom"}),
}
ZORK = Action("tap", {"x": 150, "y": 150})
_NONCE = re.compile(r"^Question ([0-9a-f]{32})\. The data:$", re.MULTILINE)


@cache
def program() -> Program:
    return load_text(SPEC).checked()


def zork(
    *more: str, title: str = "A page", label: str = "Zork", id_: str = "com.app:id/zork", **attrs: str
) -> Tree:
    """A page with a button that says nothing."""
    button = node("Button", at=(100, 100, 300, 300), clickable="true", text=label, resource_id=id_, **attrs)
    return page(text(title), button, *more)


def seen(tree: Tree, package: str = "com.app") -> TreeScreen:
    return TreeScreen(tree, app=(package, None), settled=True)


class Phone:
    """Shows one page after the other, the last one for ever."""

    def __init__(self, *trees: Tree) -> None:
        self.trees = list(trees)
        self.last: Tree | None = None
        self.acted = 0

    def observe(self) -> TreeScreen:
        self.last = track(self.last, self.trees[min(self.acted, len(self.trees) - 1)])
        return seen(self.last)

    def perform(self, action: Action, target: Cells) -> None:
        self.acted += 1

    def screenshot(self) -> bytes:
        return b""


def nonce_of(asked: str) -> str:
    found = _NONCE.search(asked)
    assert found is not None
    return found[1]


def said(asked: str, **cells: Any) -> str:
    """An answer to a question, as JSON: that it leads on, unless something else is said."""
    data = {"nonce": nonce_of(asked), "means": "leads on", "kind": "", "arguments": [], **cells}
    return json.dumps({name: value for name, value in data.items() if value is not None})


def line_of(asked: str, text: str) -> int:
    """The number of the line of a question that shows a text."""
    return next(
        int(line.split(":")[0])
        for line in asked.split("\n")
        if json.dumps(text, ensure_ascii=False) in line and ": - " in line
    )


def answers(**cells: Any) -> Callable[[dict[str, Any]], Reply]:
    """A server's answer to the question that it is asked."""
    return lambda request: says(said(str(request["messages"][-1]["content"]), **cells))


class Canned:
    """A model that says what it is told to."""

    name = "canned"

    def __init__(self, **cells: Any) -> None:
        self.cells = cells
        self.asked: list[str] = []

    def ask(self, messages: Iterable[Message]) -> Answer:
        self.asked.append(list(messages)[-1].content)
        cells = {
            name: value(self.asked[-1]) if callable(value) else value for name, value in self.cells.items()
        }
        return Answer(said(self.asked[-1], **cells), "canned-1")


def shown(**arguments: str) -> Callable[[str], list[dict[str, Any]]]:
    """Arguments that stand where a question shows these texts."""
    return lambda asked: [
        {"parameter": name, "line": line_of(asked, text), "words": ""} for name, text in arguments.items()
    ]


def guarded(
    phone: Phone,
    model: Any = None,
    file: Path | None = None,
    *,
    version: str = "1.0",
    kinds: Mapping[str, Effect] | None = None,
    **options: Any,
) -> tuple[Guard, LiveAnswers]:
    """A guard of the task, and what it knows of unknown controls."""
    guard = Guard(program(), phone, **options)
    live = LiveAnswers(
        kinds or KINDS,
        guard.doubt,
        file=AnswerFile(file) if file is not None else None,
        asker=Asker(model, kinds or KINDS) if model is not None else None,
        version_of=lambda package: version,
    )
    guard.consult(live)
    guard.observe(phone.observe())
    return guard, live
