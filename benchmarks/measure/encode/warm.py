"""The memory for a warm run: what the cold run wrote for the other cases, if it let the right run of its case pass."""

from collections.abc import Iterable, Mapping
from contextlib import suppress

from benchmarks.measure.encode.encoding import Order
from benchmarks.measure.encode.folders import Case
from benchmarks.measure.encode.scoring import InstructionScores
from vsalang.models.encode.experience import Experience, NotRemembered, SolvedTask, memory_of


def memories(
    cases: Iterable[Case], cold: Iterable[InstructionScores]
) -> Mapping[str, tuple[Experience, ...]]:
    """The memory for each case, by its name: leave one out.

    Only specs that proved right are remembered, as after a task that completed; the gold is not. Left out are the case
    itself and all that has one of its instructions.
    """
    known: list[tuple[str, Experience]] = []
    for scored in cold:
        first = scored.outcomes[0]
        if scored.deadline is not None or not first.is_right(None):
            continue
        order = Order(scored.case, first.encoded.number, 1)
        name = f"{scored.case.name} {scored.number}"
        solved = SolvedTask(name, order.instruction, first.encoded.text, order.place)
        with suppress(NotRemembered):  # it uses no app: there is nothing to learn from it
            known += [(scored.case.name, each) for each in memory_of([solved], search=scored.case.search)]
    found: dict[str, tuple[Experience, ...]] = {}
    for case in cases:
        said = {_folded(text) for text in case.instructions}
        found[case.name] = tuple(
            each for name, each in known if name != case.name and _folded(each.instruction) not in said
        )
    return found


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())
