"""The system's trace in a journal: what each look after an action read, and what had changed."""

import os
from collections.abc import Iterator, Mapping, Sequence

from vsalang.base.records import dataclass
from vsalang.guard.journal.file import JournalError
from vsalang.guard.journal.recorded_session import read_session
from vsalang.guard.journal.values_json import read_cells
from vsalang.program.screen import Cells
from vsalang.program.values import without_unknown


@dataclass(frozen=True, slots=True)
class TracedStep:
    """The trace of the look after one action.

    Attributes:
        number: of the proposal, from 1.
        action: its name.
        system: relation -> rows, those of ``Traced`` and ``Untraced`` too; empty: no trace was read.
    """

    number: int
    action: str
    system: Mapping[str, Sequence[Cells]]


def traced_steps(path: str | os.PathLike[str]) -> Iterator[TracedStep]:
    """The actions of a journal that were carried out, each with the trace of the look after it.

    Raises:
        JournalError: unreadable, not a journal, or changed.
    """
    for step in read_session(path).steps:
        if not step.commit:
            continue
        screen = step.after.get("screen") if step.after is not None else None
        relations = screen.get("system", {}) if isinstance(screen, Mapping) else {}
        try:
            system = {
                str(name): [without_unknown(read_cells(row).items()) for row in rows]
                for name, rows in relations.items()
            }
        except (TypeError, AttributeError, ValueError) as error:
            raise JournalError(f"{path}: an invalid trace of the system: {error}") from error
        proposed = step.proposed
        done = (*((proposed.gesture,) if proposed.gesture is not None else ()), *proposed.attempts)
        yield TracedStep(step.number, ", ".join(action.name for action in done), system)
