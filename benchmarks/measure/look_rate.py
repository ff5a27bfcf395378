"""How many recorded steps would need a look: the tree leaves a contract of them open, and there is what to look at."""

from collections.abc import Iterable, Sequence

from benchmarks.measure.experiment import StepProtocol, contracts_of, standard, steps_of
from vsalang.models.look.look import questions
from vsalang.program.ir import Program
from vsalang.program.shares import Share


def looks_needed(walks: Iterable[Sequence[StepProtocol]], *, program: Program | None = None) -> Share:
    """The steps for which somebody would be asked to look, of all steps.

    Args:
        walks: what was recorded.
        program: whose contracts; None: `std.contracts`.

    Raises:
        GuardFailed: the guard met an internal error.
    """
    program = program or standard()
    asked = total = 0
    for step in steps_of([list(walk) for walk in walks]):
        found = contracts_of(program, step, step.after)
        total += 1
        asked += bool(questions(step.action, step.before, step.after, found))
    return Share(asked, total)
