"""Evidence about a proposal that is not part of the screen, such as what a judge says: asked for before it is judged.

It becomes rows of the screen that was observed last, which is observed again with them. So it stands in the record: a
session that is replayed reads it there, and asks nobody.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from vsalang.guard.say.verdict import Proposal
from vsalang.program.screen import Cells, Screen
from vsalang.program.text import line

_FAILED = "Unjudged"


class Evidence(Protocol):
    """Somebody who knows more about a proposal.

    One that says more than a judge may have two more methods. ``failed(why)``: the rows that say that it gave no
    answer. ``doubted()``: what was committed last may not have been carried out on what it was judged on.

    Attributes:
        about: the actions about which alone they are asked, by their qualified names; None, or left out: about every
            proposal.
    """

    def rows(self, screen: Screen, proposal: Proposal) -> Mapping[str, Sequence[Cells]]:
        """Rows of relations that `Screen.told` takes. What it raises becomes a row of ``Unjudged``, or
        what ``failed`` gives.

        Args:
            screen: the newest that was observed.
            proposal: will be judged on it.
        """
        ...

    def committed(self, screen: Screen | None, proposal: Proposal) -> None:
        """A proposal was committed on this screen. What it raises is ignored."""
        ...

    def observed(self, screen: Screen | None) -> None:
        """A look was observed. What it raises is ignored."""
        ...


def weighed(
    evidence: Evidence,
    screen: Screen,
    proposal: Proposal,
    actions_of: Callable[[Proposal], frozenset[str] | None] = lambda proposal: None,
) -> Screen:
    """The screen with what is known about a proposal; the same object if it has these rows already.

    Args:
        actions_of: the actions that a proposal is, for those who are asked about some only; None: it is not known.
    """
    only: frozenset[str] | None = getattr(evidence, "about", None)
    actions = actions_of(proposal) if only is not None else None
    if only is not None and actions is not None and only.isdisjoint(actions):
        has_rows = any(screen.rows(name) for name in ("Judged", _FAILED))  # about another proposal
        return screen.with_rows({"Judged": (), _FAILED: ()}) if has_rows else screen
    try:
        rows = {name: tuple(cells) for name, cells in evidence.rows(screen, proposal).items()}
    except Exception as error:
        rows = no_answer(evidence, f"{type(error).__name__}: {error}")
    if rows.keys() <= screen.relations() and all(
        tuple(map(dict, screen.rows(name))) == tuple(map(dict, cells)) for name, cells in rows.items()
    ):
        return screen
    return screen.with_rows(rows)


def doubt_step(evidence: Evidence) -> None:
    """Tell somebody who asks for it that the last step may not have been carried out as it was judged."""
    doubted = getattr(evidence, "doubted", None)
    if callable(doubted):
        doubted()


def no_answer(evidence: Evidence, why: str) -> dict[str, tuple[Cells, ...]]:
    """The rows that say that somebody gave no answer: for a judge a row of ``Unjudged``."""
    failed_rows = getattr(evidence, "failed", None)
    if callable(failed_rows):
        return {name: tuple(rows) for name, rows in failed_rows(line(why, 300)).items()}
    return {"Judged": (), _FAILED: ({"why": line(why, 300)},)}
