"""Prompts of a decision: one shared head by construction, then a question for each candidate.

The order is from what changes least to what changes most, so that a server's prefix cache keeps it: the rules of the
answer | task, apps, clauses | what was done, only ever longer | the screen | the question. Screens are reduced
(`vsalang.screen.control.reduce`), controls have names that stay the same, and each node has a budget of its own: a long
text is cut where it is long, never the head of the prompt.
"""

from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from vsalang.base.records import dataclass
from vsalang.base.templates import text_templates
from vsalang.models.client.language_model import Message
from vsalang.models.rank.candidate import CANDIDATE_KINDS, Candidate
from vsalang.models.rank.scorer import Decision
from vsalang.models.rank.situation import AppChoice, PastStep, Situation
from vsalang.program.text import safe
from vsalang.screen.control import reduce
from vsalang.screen.control.unit import Entry

if TYPE_CHECKING:
    from jinja2 import Template

BUDGET: Final = 12_000
"""So many characters of a screen's words are shown, shared by its nodes."""
_LEAST, _MOST = 16, 120
"""Of each node at least and at most so many characters are shown."""
_TASK: Final = 2_000
_LINE: Final = 300
_NAME: Final = 4
"""So many digits of a control's name are shown, more where that names two controls."""
_EFFECTS: Final = {
    "NoChange": "nothing changed",
    "PartialChange": "a part of the screen changed",
    "NewPage": "another page came",
}
LETTERS: Final = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
"""The letters of a list of candidates."""


@dataclass(frozen=True, slots=True)
class PromptSet:
    """The prompts of a decision, one for each candidate: `system`, `context` and the candidate's question.

    Attributes:
        system: what is the same for all tasks.
        context: what is the same for all candidates.
        questions: one for each candidate, in the order of the decision.
        order: the indices of the candidates in the order in which they are best asked: by kind, so that questions with
            the same beginning follow each other.
    """

    system: str
    context: str
    questions: tuple[str, ...]
    order: tuple[int, ...]

    @property
    def prefix(self) -> str:
        """What all prompts begin with, as one text."""
        return f"{self.system}\n{self.context}"

    def messages(self, index: int) -> list[Message]:
        """The conversation about one candidate."""
        return [Message("system", self.system), Message("user", self.context + self.questions[index])]

    def text(self, index: int) -> str:
        """The prompt about one candidate as one text."""
        return self.prefix + self.questions[index]


def prompts(decision: Decision) -> PromptSet:
    """The prompts of a decision."""
    names = _names(decision)
    questions = tuple(
        _template("question").render(action=_action_text(one, names)) for one in decision.candidates
    )
    order = sorted(
        range(len(questions)), key=lambda nth: CANDIDATE_KINDS.index(decision.candidates[nth].kind)
    )
    return PromptSet(
        _template("system").render(), _context(decision.situation, names), questions, tuple(order)
    )


def list_messages(decision: Decision, order: Sequence[int]) -> list[Message]:
    """One conversation that lists candidates, each with a letter.

    Args:
        order: the indices of the candidates, in the order of their letters; at most as many as there are `LETTERS`.
    """
    names = _names(decision)
    choices = [
        (letter, _action_text(decision.candidates[nth], names))
        for letter, nth in zip(LETTERS, order, strict=False)
    ]
    asked = _template("choices").render(choices=choices)
    return [
        Message("system", _template("list").render()),
        Message("user", _context(decision.situation, names) + asked),
    ]


@cache
def _template(name: str) -> "Template":
    return text_templates([Path(__file__).with_name("templates")]).get_template(f"{name}.j2")


def _context(situation: Situation, names: dict[str, str]) -> str:
    screen = situation.screen
    app = screen.app[0] if screen.app is not None else None
    memory = situation.memory or tuple(_remembered(step) for step in situation.history)
    return _template("context").render(
        task=safe(situation.task, _TASK),
        apps=[_app(one) for one in situation.apps],
        roadmap=[safe(line, _LINE)[1:-1] for line in situation.roadmap],
        memory=[safe(line, _LINE)[1:-1].replace('\\"', '"') for line in memory],
        app=safe(app, _MOST)[1:-1] if app else "",
        screen=list(_lines(situation, names)),
    )


def _app(app: AppChoice) -> str:
    about = f": {safe(app.about, _LINE)[1:-1]}" if app.about else ""
    return f"{safe(app.name or app.package, _MOST)}{about}"


def _remembered(step: PastStep) -> str:
    typed = f": {safe(step.value, _MOST)}" if step.value else ""
    effect = _EFFECTS.get(step.effect or "", "")
    return f"{step.text}{typed}" + (f" -> {effect}" if effect else "")


def _action_text(candidate: Candidate, names: dict[str, str]) -> str:
    if candidate.unit is None:
        return candidate.text
    return f"{candidate.text} [{names.get(candidate.unit.key, candidate.unit.key)}]"


def _names(decision: Decision) -> dict[str, str]:
    """The keys of controls, cut as far as they still name one of the screen."""
    reduced = reduce(decision.situation.screen.tree)
    keys = dict.fromkeys(entry.key for entry in reduced.entries if entry.unit is not None)
    keys |= dict.fromkeys(one.unit.key for one in decision.candidates if one.unit is not None)
    names: dict[str, str] = {}
    heads: dict[str, int] = {}
    for key in keys:
        heads[key[:_NAME]] = heads.get(key[:_NAME], 0) + 1
    for key in keys:
        names[key] = key[:_NAME] if heads[key[:_NAME]] == 1 else key
    return names


def _lines(situation: Situation, names: dict[str, str]) -> Iterator[str]:
    """The screen, a line for each control and each text that belongs to none."""
    entries = reduce(situation.screen.tree).entries
    most = max(_LEAST, min(_MOST, BUDGET // max(1, len(entries))))
    depth: dict[str, int] = {}
    for entry in entries:
        level = depth.get(entry.parent or "", -1) + 1
        depth[entry.key] = level
        yield " " * level + _line(entry, names, most)


def _line(entry: Entry, names: dict[str, str], most: int) -> str:
    unit = entry.unit
    if unit is None:
        return safe(entry.text, most)
    text = f"[{names[entry.key]}] {unit.kind}"
    name = unit.label or unit.node.id
    if name:
        text += f" {safe(name, most)}"
    if unit.value:
        text += f" = {safe(unit.value, most)}"
    return text + (" disabled" if unit.enabled is False else "")
