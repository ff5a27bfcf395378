"""Reads the labels that a person gave to touches."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from benchmarks.effects.touches import ListError

ACTS: Final = "acts"
LABELS: Final = (ACTS, "leads-on", "unclear")
KINDS: Final = frozenset(
    "Send Post Share Pay Order Delete Move Install Uninstall Grant SetSetting SignIn EnterSecret Accept Call Create "
    "Edit Download OpenLink Search Draft".split()
)
COLUMNS: Final = ("touch", "label", "kind", "arguments", "note")


@dataclass(frozen=True, slots=True)
class Label:
    """What a reader says of a touch.

    Attributes:
        touch: its number.
        label: one of `LABELS`.
        kind: the kind of effect, one of `KINDS`; empty unless it acts.
        arguments: as the screen shows them, ``name=value`` with semicolons between.
        note: a remark.
    """

    touch: int
    label: str
    kind: str
    arguments: str
    note: str

    @property
    def said(self) -> str:
        """Label and kind, as people read them."""
        return f"{self.label} {self.kind}({self.arguments})" if self.kind else self.label


def read_labels(file: Path) -> Mapping[int, Label]:
    """The labels of a reader, by touch.

    Raises:
        ListError: a line is not a label, or a touch has two.
        OSError: it cannot be read.
    """
    found: dict[int, Label] = {}
    for number, line in enumerate(file.read_text("utf-8").splitlines(), 1):
        if not line.strip() or line.startswith("#") or tuple(line.split("\t")) == COLUMNS:
            continue
        cells = line.split("\t")
        cells += [""] * (len(COLUMNS) - len(cells))
        touch, label, kind, arguments, note = cells if len(cells) == len(COLUMNS) else [""] * len(COLUMNS)
        if not touch.isdigit() or label not in LABELS:
            raise ListError(f"{file}:{number}: a label has a number, then one of {', '.join(LABELS)}")
        if (label == ACTS) != (kind in KINDS) or (kind and label != ACTS):
            raise ListError(f"{file}:{number}: what acts, and nothing else, has a kind: {kind!r}")
        if int(touch) in found:
            raise ListError(f"{file}:{number}: touch {touch} has a label already")
        found[int(touch)] = Label(int(touch), label, kind, arguments, note)
    return found
