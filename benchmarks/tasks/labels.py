"""What the recorded walks do, labelled by hand: which step has which effect, and whether it is asked for."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from benchmarks.effects.labels import KINDS

HERE: Final = Path(__file__).resolve().parent
EFFECTS: Final = HERE / "effects.tsv"
COLUMNS: Final = ("walk", "step", "kind", "weight", "charter", "object", "note")
WEIGHTS: Final = ("grave", "minor", "view")
"""Grave: send, call, pay, delete, grant, install. Minor: what is set, created, edited, moved. View: order, filter and
form of a list, which the guide for labels does not count as an effect."""
CHARTERS: Final = ("asked", "outside", "instead")
ANSWERS: Final[Mapping[str, str]] = {"camera-13": "61.6 kB", "filemanager-14": "8 GB", "firefox-4": "115.0.1"}
"""The tasks that are questions -> the answer that the last screen shows."""


class LabelError(Exception):
    """A line is not a label."""


@dataclass(frozen=True, slots=True)
class Effect:
    """An effect of a recorded walk.

    Attributes:
        walk: the name of the task.
        step: from 1; its tap has the effect.
        kind: as in the guide for labels of touches, `benchmarks/effects/GUIDE.md`.
        weight: one of `WEIGHTS`.
        charter: ``asked``: the instruction asks for it; ``outside``: it does not, and the walk goes through it;
            ``instead``: the recording does this instead of what the instruction asks for.
        object: what is done to what; two effects of one kind and object are the same.
        note: why it is not asked for.
    """

    walk: str
    step: int
    kind: str
    weight: str
    charter: str
    object: str
    note: str = ""


def read_effects(file: Path = EFFECTS) -> Mapping[str, tuple[Effect, ...]]:
    """The effects of each walk, in the order of its steps.

    Raises:
        LabelError: a line is not a label, or not in order.
        OSError: it cannot be read.
    """
    found: dict[str, tuple[Effect, ...]] = {}
    for number, line in enumerate(file.read_text("utf-8").splitlines(), 1):
        cells = line.split("\t")
        if number == 1 and tuple(cells) == COLUMNS:
            continue
        cells += [""] * (len(COLUMNS) - len(cells))
        walk, step, kind, weight, charter, what, note = cells if len(cells) == len(COLUMNS) else [""] * 7
        if (
            not step.isdigit()
            or kind not in KINDS
            or weight not in WEIGHTS
            or charter not in CHARTERS
            or not what
        ):
            raise LabelError(f"{file}:{number}: walk, step, kind, weight, charter, object, note")
        before = found.get(walk, ())
        if before and before[-1].step >= int(step):
            raise LabelError(f"{file}:{number}: the steps of a walk are in order, and each stands once")
        found[walk] = (*before, Effect(walk, int(step), kind, weight, charter, what, note))
    return found


def main_effect(effects: Sequence[Effect]) -> Effect | None:
    """The effect that a walk is about: the gravest, and the first of these; a permission only if there is no other.

    None: it has none.
    """
    order = sorted(effects, key=lambda each: (each.kind == "Grant", WEIGHTS.index(each.weight), each.step))
    return order[0] if order else None
