"""Feedback for agents: the roadmap, and why a proposal was not simply allowed, as text from templates.

Templates are Jinja2 files (`templates/*.j2`), run in a sandbox; a folder of the user's own with files of the same
names takes their place. Everything that comes from screens, agents or specs is data: it is quoted, made one line and
cut before a template sees it, and never read as a template. If a template fails, the text says so; the verdict does not
change.
"""

import datetime as dt
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias
from typing import Literal as OneOf

from vsalang.base.records import dataclass
from vsalang.base.templates import text_templates
from vsalang.engine.explain.terms import Context
from vsalang.guard.say.condition_words import ConditionWords
from vsalang.guard.say.verdict import Reason, Verdict, Why
from vsalang.guard.session import Goal
from vsalang.program.ir import License, Literal, Program
from vsalang.program.phrases import FIRST, Sentence, catalogue, read, say
from vsalang.program.text import line

__all__ = [
    "FeedbackError",
    "Form",
    "Leg",
    "Need",
    "render",
    "roadmap",
    "roadmap_text",
    "verdict_text",
]

Form: TypeAlias = OneOf["long", "short"]
"""How much is said: everything, or one or two lines for small models."""
_TEMPLATES = Path(__file__).with_name("templates")
_LONGEST = 400
_MOST_OUTPUT = 64 * 1024
_MOST_SENT = 5


class FeedbackError(Exception):
    """A template is missing or wrong."""


@dataclass(frozen=True, slots=True)
class Need:
    """One condition of a goal. `done`: it is met now; `seen` and `wanted` say what is missing."""

    text: str
    done: bool
    missing: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Leg:
    """One goal of the roadmap: a clause, what it needs, and what is next.

    Attributes:
        title: what may be done, in words; ``finish`` for the end of the task.
        finish: whether it is the end of the task.
        often: how often, in words.
        state: ``done`` (no licence left), ``ready`` (everything it needs is there), ``open``; ``doubtful``: an action
            that used a licence of it was carried out, and is not known to have come out as expected.
        needs: its conditions.
        sent: of a doubtful one what is known of these actions, a sentence each.
        others: of a doubtful one, whether the same with other parameters is allowed now.
    """

    rule: str
    title: str
    description: str
    finish: bool
    often: str
    state: str
    needs: tuple[Need, ...]
    sent: tuple[str, ...] = ()
    others: bool = False

    @property
    def next(self) -> tuple[str, ...]:
        """What comes next: what is missing of the first condition that is not met; empty if nothing is.

        Of a doubtful one it is what is known of the action that was carried out.
        """
        if self.sent:
            return self.sent
        need = next((need for need in self.needs if not need.done), None)
        if need is None or self.state == "done":
            return ()
        return need.missing or (need.text,)


def roadmap(
    program: Program, goals: tuple[Goal, ...], *, today: dt.date, language: str = FIRST
) -> tuple[Leg, ...]:
    """What each clause of the task needs, what is achieved, and what is missing, in the words of a language."""
    words = ConditionWords(program, Context(today, dt.datetime.combine(today, dt.time())))
    return tuple(_read(_leg(words, goal), language) for goal in goals)


def _read(leg: Leg, language: str) -> Leg:
    needs = tuple(
        Need(_clean(need.text, language), need.done, tuple(_clean(text, language) for text in need.missing))
        for need in leg.needs
    )
    return replace(
        leg,
        title=_clean(leg.title, language),
        description=_clean(leg.description, language),
        often=_clean(leg.often, language),
        needs=needs,
        sent=tuple(_clean(text, language) for text in leg.sent),
    )


def _clean(text: str, language: str, limit: int = _LONGEST) -> str:
    """A text in a language, as it is printed in feedback: one printable line, cut."""
    return line(str(read(text, language)), limit)


def _leg(words: ConditionWords, goal: Goal) -> Leg:
    head = goal.rule.head
    assert isinstance(head, License)
    finish = goal.action == "finish"
    needs = tuple(_need(words, goal, literal) for literal in _in_source_order(goal.rule.body))
    state = "open"
    if not goal.left and not finish:
        state = "done"
    elif goal.holds:
        state = "ready"
    others = bool(goal.sent) and state == "ready" and bool(words.program.relation(goal.action).attrs)
    return Leg(
        goal.rule.id,
        "finish" if finish else words.head(goal.rule),
        words.describe(goal.action),
        finish,
        words.quota(head.quota),
        "doubtful" if goal.sent else state,
        needs,
        tuple(say("sent.answer", action=action, known=known) for action, known in goal.sent[-_MOST_SENT:]),
        others,
    )


def _in_source_order(body: tuple[Literal, ...]) -> list[Literal]:
    return sorted(body, key=lambda literal: literal.span.start if literal.span else 0)


def _need(words: ConditionWords, goal: Goal, literal: Literal) -> Need:
    """A condition and what of it is missing: the explanations whose place lies inside the condition's."""
    mine = [why for why in goal.whys if why.span and literal.span and _inside(why, literal)]
    return Need(
        words.condition(goal.rule, literal), not mine, tuple(dict.fromkeys(why.text() for why in mine))
    )


def _inside(why: Why, literal: Literal) -> bool:
    assert why.span is not None and literal.span is not None
    return (
        why.span.file == literal.span.file
        and literal.span.start <= why.span.start
        and why.span.end <= literal.span.end
    )


def render(name: str, data: Mapping[str, Any], *, language: str = FIRST, folder: Path | None = None) -> str:
    """The text of a template (``roadmap``, ``verdict``, ``.._short``), without trailing blanks.

    Raises:
        FeedbackError: no such template, or one that fails.
        UnknownLanguage: see `vsalang.program.phrases`.
    """
    catalogue(language)
    try:
        template = _environment(language, folder).get_template(f"{name}.j2")
        text = str(template.render(**data))
    except Exception as error:  # a template of the user's may raise anything
        problem = f"{type(error).__name__}: {line(str(error), 200)}"
        raise FeedbackError(f"the template {name}.j2 failed: {problem}") from error
    if len(text) > _MOST_OUTPUT:
        raise FeedbackError(f"the template {name}.j2 failed: it gives more than {_MOST_OUTPUT} characters")
    return text.rstrip() + "\n"


@cache
def _environment(language: str, folder: Path | None) -> Any:
    own = [folder / language, folder] if folder is not None else []
    environment = text_templates([*own, _TEMPLATES])
    environment.globals["t"] = lambda id, **values: read(say(id, **values), language)
    environment.filters["safe_text"] = lambda text: line(str(text), _LONGEST)
    environment.filters["cut"] = lambda text, limit: line(str(text), limit)
    return environment


def roadmap_text(
    legs: tuple[Leg, ...], *, language: str = FIRST, folder: Path | None = None, form: Form = "long"
) -> str:
    """The roadmap as text; the legs in the language that `roadmap` was asked for. If the template fails, it says so.

    Raises:
        UnknownLanguage: see `vsalang.program.phrases`.
    """
    data = {"legs": tuple(_read(leg, language) for leg in legs)}
    return _rendered("roadmap", data, language, folder, form)


def verdict_text(
    verdict: Verdict, *, language: str = FIRST, folder: Path | None = None, form: Form = "long"
) -> str:
    """Why a proposal was not simply allowed: soft feedback for a warning, hard feedback for a block.

    If the template fails, the text is the one of vsalang and says so: the verdict does not change.

    Raises:
        UnknownLanguage: see `vsalang.program.phrases`.
    """
    data = {
        "verdict": {
            name: getattr(verdict, name) for name in ("level", "allowed", "overridden", "mode", "binding")
        },
        "proposal": _clean(str(verdict.proposal), language),
        "actions": [_clean(str(action), language) for action in verdict.actions],
        "reasons": [_reason(reason, language) for reason in verdict.reasons],
    }
    return _rendered("verdict", data, language, folder, form)


def _rendered(name: str, data: Mapping[str, Any], language: str, folder: Path | None, form: Form) -> str:
    name = f"{name}_short" if form == "short" else name
    if folder is not None:
        try:
            return render(name, data, language=language, folder=folder)
        except FeedbackError as error:
            problem = str(error).partition(" failed: ")[2] or str(error)
            words = read(say("feedback.failed", template=f"{name}.j2", error=problem), language)
            return render(name, data, language=language) + f"{words}\n"
    return render(name, data, language=language)


def _reason(reason: Reason, language: str) -> dict[str, Any]:
    message = what = reason.message
    if isinstance(message, Sentence) and message.id == "because" and reason.whys:
        what = message.values["what"]  # the conditions follow, one a line
    return {
        "kind": reason.kind,
        "level": reason.level,
        "message": _clean(message, language),
        "what": _clean(what, language),
        "rule": _clean(reason.rule, language),
        "names": [_clean(name, language) for name in sorted(reason.names)],
        "unmet": list(dict.fromkeys(_clean(text, language) for text in reason.texts())),
    }
