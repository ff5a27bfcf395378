"""Checks the gold of cases: gold specs pass their tests, and object to the run when they should."""

from collections.abc import Iterable, Iterator

from benchmarks.measure.encode.encoding import Order
from benchmarks.measure.encode.folders import GOLD, META, Case, Fault, FoldersError
from benchmarks.measure.encode.gold import gold_outcome, objection
from vsalang.models.encode.task import InputError


def check_gold(cases: Iterable[Case]) -> None:
    """Make sure that the gold specs do what the gold says, and that the apps can be used.

    Raises:
        FoldersError: one does not, or one cannot; it has the cases in which all is right.
    """
    found = {case.name: (case, list(_faults(case))) for case in cases}
    faults = [fault for _, several in found.values() for fault in several]
    if faults:
        raise FoldersError(faults, [case for case, several in found.values() if not several])


def _faults(case: Case) -> Iterator[Fault]:
    for number in (1, 2):
        try:
            Order(case, number, 1).task().prepared(None)
        except InputError as error:
            first = f": {error.diagnostics[0].message}" if error.diagnostics else ""
            yield Fault(str(case.folder / META), 0, f"{error}{first}", error.hint)
            break  # the other instruction has the same apps
    for file, loaded in zip(GOLD, case.gold, strict=True):
        for example in loaded.own:
            outcome = gold_outcome(loaded.checked(), example)
            if not outcome.strict:
                start = example.span.start if example.span is not None else 0
                line = loaded.sources[loaded.file].position(start).line
                message = f'its own test "{example.name}" fails: {outcome.why}'
                yield Fault(str(case.folder / file), line, message)
    yield from _objections(case)


def _objections(case: Case) -> Iterator[Fault]:
    first, second = (objection(loaded.checked(), case.run) for loaded in case.gold)
    files = [str(case.folder / file) for file in GOLD]
    if first is not None:
        yield Fault(files[0], 0, f"it objects to its own run, at step {first.step}: {first.why}")
    if case.deadline is None:
        if second is not None:
            message = (
                f"it objects to the run at step {second.step} ({second.why}), and contradictory is false"
            )
            yield Fault(files[1], 0, message)
    elif second is None or not second.judged:
        why = f" (step {second.step}: {second.why})" if second is not None else ""
        yield Fault(
            files[1], 0, f"it does not object to the run of {GOLD[0]}, and contradictory is true{why}"
        )
    elif second.step > case.deadline:
        yield Fault(
            files[1],
            0,
            f"it objects at step {second.step} of the run, after the deadline {case.deadline}",
            "each turn is a step, from 1; --deadlines counts otherwise",
        )
