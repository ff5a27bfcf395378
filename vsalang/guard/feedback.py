"""Feedback for agents: the roadmap, and why a proposal was not simply allowed, as text from templates.

Templates are Jinja2 files (`templates/en/*.j2`), run in a sandbox; a folder of the user's own with files of the same
names takes their place. Everything that comes from screens, agents or specs is quoted and cut before it is put in.
"""

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from vsalang.core.ir import License, Literal, Program
from vsalang.core.text import line
from vsalang.guard.machine import Goal
from vsalang.guard.terms import Context
from vsalang.guard.verdict import Reason, Verdict, Why
from vsalang.guard.words import Words

_TEMPLATES = Path(__file__).with_name("templates")
LANGUAGES = ("en",)
"""The languages that feedback is written in."""
_LONGEST = 400


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
        state: ``done`` (no licence left), ``ready`` (everything it needs is there), ``open``.
        needs: its conditions.
    """

    rule: str
    title: str
    description: str
    finish: bool
    often: str
    state: str
    needs: tuple[Need, ...]


def roadmap(program: Program, goals: tuple[Goal, ...], *, today: dt.date) -> tuple[Leg, ...]:
    """What each clause of the task needs, what is achieved, and what is missing."""
    words = Words(program, Context(today, dt.datetime.combine(today, dt.time())))
    return tuple(_leg(words, goal) for goal in goals)


def _leg(words: Words, goal: Goal) -> Leg:
    head = goal.rule.head
    assert isinstance(head, License)
    finish = goal.action == "finish"
    needs = tuple(_need(words, goal, literal) for literal in _in_source_order(goal.rule.body))
    state = "open"
    if not goal.left and not finish:
        state = "done"
    elif goal.holds:
        state = "ready"
    return Leg(
        goal.rule.id,
        "finish" if finish else words.head(goal.rule),
        words.describe(goal.action),
        finish,
        words.quota(head.quota),
        state,
        needs,
    )


def _in_source_order(body: tuple[Literal, ...]) -> list[Literal]:
    return sorted(body, key=lambda literal: literal.span.start if literal.span else 0)


def _need(words: Words, goal: Goal, literal: Literal) -> Need:
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


def render(name: str, data: Mapping[str, Any], *, language: str = "en", folder: Path | None = None) -> str:
    """The text of a template (``roadmap``, ``verdict``), without trailing blanks.

    Raises:
        FeedbackError: no such template, or one that fails.
    """
    from jinja2 import TemplateError

    try:
        template = _environment(language, folder).get_template(f"{name}.j2")
        return str(template.render(**data)).rstrip() + "\n"
    except TemplateError as error:
        raise FeedbackError(f"the template {name}.j2 failed: {type(error).__name__}: {error}") from error


@cache
def _environment(language: str, folder: Path | None) -> Any:
    from jinja2 import FileSystemLoader, StrictUndefined
    from jinja2.sandbox import SandboxedEnvironment

    if language not in LANGUAGES:
        raise FeedbackError(f"feedback is not written in {language!r}; there is {', '.join(LANGUAGES)}")
    places = [str(folder)] if folder is not None else []
    environment = SandboxedEnvironment(
        loader=FileSystemLoader([*places, str(_TEMPLATES / language)]),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=False,  # plain text for language models and terminals, not HTML
    )
    environment.filters["safe_text"] = lambda text: line(str(text), _LONGEST)
    return environment


def roadmap_text(legs: tuple[Leg, ...], *, language: str = "en", folder: Path | None = None) -> str:
    """The roadmap as text. Raises `FeedbackError`."""
    return render("roadmap", {"legs": legs}, language=language, folder=folder)


def verdict_text(verdict: Verdict, *, language: str = "en", folder: Path | None = None) -> str:
    """Why a proposal was not simply allowed: soft feedback for a warning, hard feedback for a block.

    Raises:
        FeedbackError: see `render`.
    """
    reasons = [_reason(reason) for reason in verdict.reasons]
    return render(
        "verdict",
        {"verdict": verdict, "proposal": str(verdict.proposal), "reasons": reasons},
        language=language,
        folder=folder,
    )


def _reason(reason: Reason) -> dict[str, Any]:
    return {
        "kind": reason.kind,
        "level": reason.level,
        "message": reason.message,
        "rule": reason.rule,
        "unmet": list(dict.fromkeys(why.text() for why in reason.whys)),
    }
