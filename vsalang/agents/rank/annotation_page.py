"""The page on which a person says what was right: no script, nothing loaded, all that apps wrote escaped."""

from functools import cache
from pathlib import Path
from typing import Any, Final

from vsalang.agents.rank.annotations import OpenChoice, PersonAnswer
from vsalang.base.diagnostics.display import on_page
from vsalang.base.records import dataclass
from vsalang.base.templates import page_template, style_and_policy
from vsalang.guard.journal.screen_drawing import Drawing, drawing
from vsalang.models.rank import RankedCandidate
from vsalang.program.text import line

_FOLDER = Path(__file__).with_name("templates")
_MEMORY: Final = 8
"""So many lines of what was done before are shown."""


@dataclass(frozen=True, slots=True)
class PageOption:
    """A candidate on the page.

    Attributes:
        number: from 1, in the order of the scorer.
        share: how probable the scorer finds it.
        did: whether it was done; marked: whether it is chosen when the page opens.
        place: its middle on the screen; None: it has none.
    """

    number: int
    text: str
    share: str
    did: bool
    marked: bool
    place: tuple[int, int] | None


@dataclass(frozen=True, slots=True)
class PageQuestion:
    """A choice on the page."""

    address: str
    task: str
    place: int
    total: int
    sure: str
    memory: tuple[str, ...]
    options: tuple[PageOption, ...]
    drawing: Drawing | None


def question_of(
    asked: OpenChoice, address: str, place: int, total: int, earlier: PersonAnswer | None
) -> PageQuestion:
    """A choice as the page shows it.

    Args:
        address: where the answer is sent to.
        place, total: its number among those that are asked about, from 1.
        earlier: what was said of it before.
    """
    choice = asked.run.choices[asked.number]
    situation = choice.choice.decision.situation
    ranked = choice.ranking.ranked
    marked = _marked(ranked, choice.choice.did, earlier)
    options = tuple(
        PageOption(
            number,
            line(one.candidate.text, 200),
            f"{one.probability:.0%}",
            one.candidate.key == choice.choice.did,
            number == marked,
            one.candidate.unit.taker.centre if one.candidate.unit is not None else None,
        )
        for number, one in enumerate(ranked, 1)
    )
    body = asked.run.session.screens.get(choice.screen)
    return PageQuestion(
        address,
        line(situation.task, 2000),
        place,
        total,
        f"{asked.margin:.0%}",
        tuple(line(text, 300) for text in situation.memory[-_MEMORY:]),
        options,
        drawing(body) if body is not None else None,
    )


def _marked(ranked: tuple[RankedCandidate, ...], did: str, earlier: PersonAnswer | None) -> int:
    """The number that is chosen when the page opens: what was said before, else what was done, else the best."""
    for key in (earlier.key if earlier is not None else "", did):
        for number, one in enumerate(ranked, 1):
            if key and one.candidate.key == key:
                return number
    return 1


def page(question: PageQuestion | None, summary: str = "", problem: str = "") -> str:
    """The page of a choice; without one the last page, with what it says.

    Args:
        problem: the title of a page that only says why something is not possible.
    """
    style, _ = _style()
    title = problem or ("What should be done next?" if question is not None else "That is all")
    return str(
        _template().render(question=question, summary=summary, title=title, stops=not problem, style=style)
    )


def policy() -> str:
    """The Content-Security-Policy of the pages: this style, and forms that are sent here."""
    _, strict = _style()
    return strict.replace("form-action 'none'", "form-action 'self'") + "; frame-ancestors 'none'"


@cache
def _style() -> tuple[Any, str]:
    return style_and_policy(_FOLDER / "annotate.css")


@cache
def _template() -> Any:
    return page_template(_FOLDER / "annotate.html.j2", on_page)
