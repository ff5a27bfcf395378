"""``vsac rank candidates SCREEN --spec S``: what could be done next, and what not, by which rule."""

from collections.abc import Iterator
from dataclasses import MISSING, replace
from typing import Final

from vsalang.base.options import argument, flag, option
from vsalang.base.records import dataclass
from vsalang.base.report import Report, Style
from vsalang.models.rank import Decision, DroppedAction, LinearScorer, Ranking, Situation, rank
from vsalang.models.rank.enumerating import apps_of, candidates
from vsalang.models.rank.judging import JudgedCandidates, allowed
from vsalang.program.text import line
from vsalang.tools.ask import AskError
from vsalang.tools.ask import Situation as AskedSituation
from vsalang.tools.ask.asking import bring_about
from vsalang.tools.ask.state import ObservedScreen
from vsalang.tools.cli import frame, shared
from vsalang.tools.cli.common import Failure
from vsalang.tools.cli.dumps import complain, load_screen, table
from vsalang.tools.cli.situations import load_place

_COLUMNS: Final = ("candidate", "does", "control", "verdict", "needs")
_RANKED: Final = ("share", "score", *_COLUMNS, "why")
_DROPPED: Final = ("not", "rule", "why")
_LONGEST: Final = 200
_VALUES: Final[dict[str, str]] = {"allow": "", "warn": "warn", "confirm": "confirm"}


@dataclass(frozen=True, slots=True)
class CandidatesOptions:
    """Which screen is read, and by which rules."""

    screen: str = argument("SCREEN")
    spec: str = option(
        "--spec", required=True, default=MISSING, metavar="SPEC", help="The spec that says what may be done."
    )
    policies: tuple[str, ...] = shared.policies()
    why_not: bool = flag("--why-not", help="List what is not a candidate, and by which rule.")
    ranked: bool = flag("--ranked", help="Order them by the shipped scorer, the best first, and say why.")


@frame.as_command("text", "json")
def command(options: CandidatesOptions) -> Report | int:
    """List what could be done next on a screen, one line for each effect.

    SCREEN is a UI dump or accessibility tree. What the guard blocks under SPEC is not a candidate, and `finish` is one
    only where `done` holds. What still needs a text, an app or an answer is judged again when it has one. Nothing
    of this permits anything.

    Exit status: 0; 1 SCREEN is not a UI tree; 2 something could not be read, or SPEC has errors.
    """
    place = load_place(options.spec, options.policies)
    screen, failed = load_screen(options.screen)
    if screen is None:
        return failed
    for note in screen.tree.notes:
        complain("note", note)
    try:
        moment = bring_about(place, AskedSituation((ObservedScreen(screen, screen.tree.name),)))
    except AskError as error:
        raise Failure(str(error)) from error
    guard = moment.player.guard
    task = place.program.modules[place.program.main].doc
    situation = Situation(task, screen, apps=apps_of(place.program))
    judged = allowed(guard.judge_all, guard.program, candidates(situation))
    situation = replace(situation, done=any(one.kind == "finish" for one in judged.candidates))
    order = None
    if options.ranked and judged.kept:
        order = rank(Decision(situation, judged.candidates), [LinearScorer()])
    return Candidates(judged, options.why_not, order)


@dataclass(frozen=True, slots=True)
class Candidates(Report):
    """The candidates of a screen.

    Attributes:
        judged: what the guard leaves, and what it does not.
        why_not: whether what is not a candidate is shown.
        order: in which they are shown; None: in that of the screen.
    """

    judged: JudgedCandidates
    why_not: bool
    order: Ranking | None

    def data(self) -> object:
        """The candidates as JSON values."""
        levels = {one.candidate.key: one for one in self.judged.kept}
        rows = (
            [one.to_json() for one in self.order.ranked]
            if self.order is not None
            else [one.candidate.to_json() for one in self.judged.kept]
        )
        data: dict[str, object] = {
            "version": 1,
            "candidates": [
                {**row, "verdict": levels[row["key"]].level, "open": levels[row["key"]].open} for row in rows
            ],
        }
        if self.why_not:
            data["dropped"] = [one.to_json() for one in self.judged.dropped]
        return data

    def lines(self, style: Style) -> Iterator[str]:
        """One table, or two."""
        kept = {one.candidate.key: one for one in self.judged.kept}
        keys = [one.candidate.key for one in self.order.ranked] if self.order is not None else list(kept)
        rows = [_row(kept[key].candidate.to_json(), kept[key].level, kept[key].open) for key in keys]
        names: tuple[str, ...] = _COLUMNS
        if self.order is not None:
            names = _RANKED
            for row, one in zip(rows, self.order.ranked, strict=True):
                row["share"] = f"{one.probability:.2f}"
                row["score"] = "" if one.score.value is None else f"{one.score.value:.2f}"
                row["why"] = one.score.why
        yield table(names, rows, cut={"does", "why"}, right={"share", "score"}).rstrip("\n")
        if self.why_not:
            yield ""
            dropped = [_dropped(one) for one in self.judged.dropped]
            yield table(_DROPPED, dropped, cut={"not", "why"}, right=()).rstrip("\n")


def _row(data: dict[str, object], level: str, is_open: bool) -> dict[str, str]:
    return {
        "candidate": str(data["key"]),
        "does": str(data["text"]),
        "control": str(data["control"] or ""),
        "verdict": "open" if is_open else _VALUES[level],
        "needs": str(data["needs"] or ""),
    }


def _dropped(one: DroppedAction) -> dict[str, str]:
    rules = f" [{', '.join(one.rules)}]" if one.rules else ""
    return {"not": one.text, "rule": one.rule, "why": line(one.why, _LONGEST) + rules}
