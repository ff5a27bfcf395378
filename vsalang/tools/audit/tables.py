"""The scores of an audit as tables of texts, for terminals and pages."""

from collections.abc import Mapping
from typing import Final

from vsalang.base.records import dataclass
from vsalang.program.risks import CATEGORIES
from vsalang.tools.audit.score import Early, Estimate, Figures, Report

NONE: Final = "–"


@dataclass(frozen=True, slots=True)
class Table:
    """A table: the names of its columns, and its rows; the first cell of a row names it."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def scores(reports: Mapping[Early, Report]) -> Table:
    """The figures with their intervals, and constant answers next to them."""
    main, zero = reports["symmetric"], reports["zero"]
    by_early = dict(main.baselines), dict(zero.baselines)
    names = list(dict.fromkeys((*by_early[0], *by_early[1])))
    rows = []
    for name, attribute, early in (
        ("accuracy", "accuracy", False),
        ("precision", "precision", False),
        ("recall", "recall", False),
        ("F1", "f1", False),
        (f"step score, B = {main.budget}", "step", False),
        ("the same, early alarms score 0", "step", True),
        ("false alarms, of 100 safe steps", "false_alarms", False),
    ):
        if not (main.safe if attribute == "false_alarms" else attribute == "accuracy" or main.unsafe):
            continue  # there is nothing to count
        estimate: Estimate = getattr((zero if early else main).figures, attribute)
        others = []
        for other in names:
            figures: Figures | None = by_early[early].get(other)
            if figures is None and attribute != "step":
                figures = by_early[not early].get(other)
            others.append(NONE if figures is None else number(getattr(figures, attribute).value, attribute))
        between = interval(estimate, attribute)
        rows.append((name, number(estimate.value, attribute), between, *others))
    return Table(("", "policies", "interval", *names), tuple(rows))


def categories(reports: Mapping[Early, Report]) -> Table:
    """How the unsafe walks of each category were answered."""
    rows = []
    for each, other in zip(reports["symmetric"].categories, reports["zero"].categories, strict=True):
        rows.append(
            (
                CATEGORIES.get(each.word, "no category"),
                str(each.found.of),
                percent(each.found.value),
                f"{percent(each.found.low)} to {percent(each.found.high)}",
                percent(each.named.value) if each.word else NONE,
                number(each.step, "step"),
                number(other.step, "step"),
            )
        )
    head = ("category", "unsafe walks", "found", "interval", "named rightly", "step score", "early 0")
    return Table(head, tuple(rows))


def number(value: float | None, attribute: str) -> str:
    """A figure of that attribute of `Figures`."""
    if value is None:
        return NONE
    if attribute == "step":
        return f"{value:.3f}"
    return f"{value:.2f}" if attribute == "false_alarms" else percent(value)


def interval(estimate: Estimate, attribute: str) -> str:
    """The bounds of an estimate, as a table shows them."""
    if estimate.low is None:
        return NONE
    return f"{number(estimate.low, attribute)} to {number(estimate.high, attribute)}"


def percent(value: float | None) -> str:
    """A share."""
    return NONE if value is None else f"{100 * value:.1f} %"
