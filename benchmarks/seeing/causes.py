"""Violations with their causes: the fewest changes that suffice, counted, and compared with those that are known."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias

from benchmarks.seeing import pages
from benchmarks.seeing.cases import IN_CI, RELEASE, SEED, Case, case
from benchmarks.seeing.changes import BOUND, KINDS, Change, Kind
from benchmarks.seeing.judge import Fault, Outcome, Whole, compared, outcome
from benchmarks.seeing.trees import ROOT
from vsalang.program.example import LEVELS, Level

KNOWN: Final = Path(__file__).parent / "known.txt"
"""The violations that are known, for the first cases (`IN_CI`) and for all of a release (`RELEASE`)."""

COMMAND: Final = " && ".join(
    f"python -m benchmarks.seeing --cases {many} --write" for many in (IN_CI, RELEASE)
)
"""Writes `KNOWN` again."""

Placed: TypeAlias = tuple[int, Change]
"""The look, from 0, and what is changed of it."""


class Cause(NamedTuple):
    """Why verdicts became more permissive: the kind of change, what would have applied, and what was changed."""

    kind: Kind
    step: str
    what: str


@dataclass(frozen=True, slots=True)
class Count:
    """How many cases."""

    own: int = 0
    shared: int = 0


@dataclass(slots=True)
class Report:
    """What was found.

    Attributes:
        cases: of each kind.
        levels: of the proposals on whole screens: a guard that blocks everything is more permissive nowhere.
        unread: cases of each kind whose changed screens cannot be read, so that everything is blocked.
        bad: cases of each kind that are more permissive in any way.
        causes: cases by cause; a case counts for each of its causes.
        examples: of each cause one case, with the fewest changes.
    """

    many: int
    seed: int
    cases: Counter[Kind] = field(default_factory=Counter)
    levels: Counter[Level] = field(default_factory=Counter)
    unread: Counter[Kind] = field(default_factory=Counter)
    bad: Counter[Kind] = field(default_factory=Counter)
    causes: dict[Cause, Count] = field(default_factory=dict)
    examples: dict[Cause, str] = field(default_factory=dict)


def run(many: int, seed: int = SEED, *, examples: bool = True) -> Report:
    """Judge the cases below a number; those that need the shared data are left out where it is not there.

    Raises:
        RuntimeError: a screen cannot be read before anything was left out, or the guard failed on it.
    """
    report, whole = Report(many, seed), Whole()
    for number in range(many):
        made = case(number, seed)
        if made is not None:
            _judge(report, whole.of(made), made, examples=examples)
    return report


def _judge(report: Report, whole: Outcome, made: Case, *, examples: bool) -> None:
    if whole.broken:
        raise RuntimeError(f"case {made.number} cannot be judged with nothing left out: {whole.broken}")
    report.cases[made.kind] += 1
    report.levels[whole.verdicts[-1].level] += 1
    less = outcome(made, made.changes)
    report.unread[made.kind] += bool(less.broken)
    faults = compared(made, whole, less)
    report.bad[made.kind] += bool(faults)
    for step in dict.fromkeys(fault.step for fault in faults):
        fewest = _fewest(made, whole, step)
        for what in dict.fromkeys(_what(changes) for changes in fewest):
            cause = Cause(made.kind, step, what)
            count = report.causes.get(cause, Count())
            report.causes[cause] = replace(count, **{made.source: getattr(count, made.source) + 1})
            if examples and cause not in report.examples:
                first = next(changes for changes in fewest if _what(changes) == what)
                report.examples[cause] = _violation_text(made, whole, step, first)


def _what(changes: Iterable[Placed]) -> str:
    return " + ".join(sorted({change.cause for _, change in changes}))


def _placed(made: Case, changes: Iterable[Placed]) -> tuple[tuple[Change, ...], ...]:
    all_ = tuple(changes)
    return tuple(tuple(change for at, change in all_ if at == nth) for nth in range(len(made.pages)))


def _matching_fault(made: Case, whole: Outcome, step: str, changes: Iterable[Placed]) -> Fault | None:
    faults = compared(made, whole, outcome(made, _placed(made, changes)))
    return next((fault for fault in faults if fault.step == step), None)


def _fewest(made: Case, whole: Outcome, step: str) -> list[tuple[Placed, ...]]:
    """Each single change that suffices; if none does, as few of them as suffice together."""
    every = tuple((nth, change) for nth, changes in enumerate(made.changes) for change in changes)
    if len(every) == 1:
        return [every]
    single = [(one,) for one in every if _matching_fault(made, whole, step, (one,)) is not None]
    return single or [_smaller(every, lambda some: _matching_fault(made, whole, step, some) is not None)]


def _smaller(every: tuple[Placed, ...], suffices: Callable[[tuple[Placed, ...]], bool]) -> tuple[Placed, ...]:
    for one in every:
        rest = tuple(other for other in every if other is not one)
        if rest and suffices(rest):
            every = rest
    return every


def _violation_text(made: Case, whole: Outcome, step: str, changes: tuple[Placed, ...]) -> str:
    """A violation in words, with the fewest edits."""
    shrunk: list[Placed] = list(changes)
    for nth, (look, change) in enumerate(changes):
        edits = change.edits
        size = len(edits)
        while size > 1:  # halves, quarters, .. as long as a part suffices
            size = (size + 1) // 2
            for begin in range(0, len(edits), size):
                part = edits[begin : begin + size]
                tried = [*shrunk[:nth], (look, replace(change, edits=part)), *shrunk[nth + 1 :]]
                if len(part) < len(edits) and _matching_fault(made, whole, step, tried) is not None:
                    edits, shrunk = part, tried
                    break
            else:
                break
    fault = _matching_fault(made, whole, step, shrunk)
    assert fault is not None
    words = "; ".join(_words(made, look, change) for look, change in shrunk)
    then = f" after {made.action}" if made.action is not None else ""
    return (
        f"case {made.number} ({made.source}, {made.program}, {made.form}, {made.mode}; {made.pages[-1].name}): "
        f"{made.proposal}{then}; {words}: {fault.detail}"
    )


def _words(made: Case, look: int, change: Change) -> str:
    page = made.pages[look]
    nodes = []
    for at in dict.fromkeys(edit.at for edit in change.edits):
        if at != ROOT:
            has = page.attrs[at]
            said = page.short_id(at) or has.get("content-desc") or has.get("text", "")[:30]
            nodes.append(f"{has.get('class', 'node').rpartition('.')[2]} {said!r}")
    more = f" and {len(nodes) - 3} more" if len(nodes) > 3 else ""
    which = "first look, " if len(made.pages) == 2 and look == 0 else ""
    return f"{which}{change.cause} of {change.role} {', '.join(nodes[:3])}{more}".rstrip()


# ---------------------------------------------------------------------- what is known

_HEAD: Final = """\
# Causes by which verdicts are more permissive today, and in how many cases: `python -m benchmarks.seeing`.
# Nobody adds a line or raises a count. What was fixed is written again by
#     {command}
# which refuses counts that grew. `own` cases need no other data, `shared` ones the recorded screens.
# cases kind own shared step what
"""


class KnownError(Exception):
    """`known.txt` cannot be read, or must not be written; the message says why."""


def known_violations() -> dict[int, dict[Cause, Count]]:
    """The violations that are known, by the number of cases.

    Raises:
        KnownError: a line does not say what is known.
    """
    found: dict[int, dict[Cause, Count]] = {IN_CI: {}, RELEASE: {}}
    for number, line in enumerate(KNOWN.read_text(encoding="utf-8").splitlines(), 1):
        if line.startswith("#") or not line.strip():
            continue
        parts = line.split(maxsplit=5)
        if (
            len(parts) != 6
            or not all(part.isdigit() for part in (parts[0], *parts[2:4]))
            or int(parts[0]) not in found
            or parts[1] not in BOUND
        ):
            raise KnownError(
                f"{KNOWN}:{number}: a line is `CASES KIND OWN SHARED STEP WHAT`, of {IN_CI} or {RELEASE} cases"
            )
        cases, kind, own, shared, step, what = parts
        cause = Cause(kind, step, what)  # type: ignore[arg-type]
        section = found[int(cases)]
        if cause in section:
            raise KnownError(f"{KNOWN}:{number}: the same cause twice")
        section[cause] = Count(int(own), int(shared))
    return found


def write(report: Report, *, may_grow: bool = False) -> None:
    """Write what is known of so many cases again.

    Args:
        may_grow: a cause may be new, or its count larger: only when the list is made for the first time.

    Raises:
        KnownError: the shared data is not there, the seed or the number of cases is another one, or a count grew.
    """
    if report.many not in (IN_CI, RELEASE) or report.seed != SEED:
        raise KnownError(f"what is known is kept of {IN_CI} and of {RELEASE} cases of the seed {SEED}")
    if not pages.there():
        raise KnownError(f"the shared data ({pages.DATA}) is not there, so its cases are not judged")
    sections = known_violations()
    if not may_grow and (more := grown(report)):
        raise KnownError("\n".join(("verdicts became more permissive:", *more)))
    sections[report.many] = bound(report)
    lines = [
        f"{cases} {cause.kind} {count.own} {count.shared} {cause.step} {cause.what}"
        for cases, section in sorted(sections.items())
        for cause, count in sorted(section.items())
    ]
    KNOWN.write_text(_HEAD.format(command=COMMAND) + "".join(f"{line}\n" for line in lines), encoding="utf-8")


def bound(report: Report) -> dict[Cause, Count]:
    """The violations of the kinds by which nothing may become more permissive."""
    return {cause: count for cause, count in report.causes.items() if cause.kind in BOUND}


def grown(report: Report) -> list[str]:
    """Where more cases are more permissive than `known.txt` says, a line each with an example.

    Of a number of cases that it does not count, those of the next number that it does are the bound.
    """
    return [
        f"{where}: {now} cases, {then} in {KNOWN.name}. {report.examples.get(cause, '')}".rstrip()
        for cause, where, then, now in _compared(report)
        if now > then
    ]


def mended(report: Report) -> list[str]:
    """Where fewer cases are more permissive than `known.txt` says, a line each; only of as many cases as it counts."""
    if report.many not in (IN_CI, RELEASE):
        return []
    return [
        f"{where}: {now} cases, {then} in {KNOWN.name}"
        for _, where, then, now in _compared(report)
        if now < then
    ]


def _compared(report: Report) -> Iterator[tuple[Cause, str, int, int]]:
    """Each cause, in words where it is, and how many cases are known and found."""
    size = next((size for size in (IN_CI, RELEASE) if report.many <= size), None)
    if size is None or report.seed != SEED:
        return
    wanted, found = known_violations()[size], bound(report)
    for cause in sorted({*wanted, *found}):
        then, now = wanted.get(cause, Count()), found.get(cause, Count())
        words = f"{cause.kind} {cause.step} {cause.what}"
        yield cause, f"{words} (own)", then.own, now.own
        if pages.there():
            yield cause, f"{words} (shared)", then.shared, now.shared


def as_text(report: Report) -> str:
    """The report for people."""
    lines = ["| kind | cases | unreadable | more permissive |", "|---|---|---|---|"]
    lines += [
        f"| {kind}: {words} | {report.cases[kind]} | {report.unread[kind]} | {report.bad[kind]} |"
        for kind, words in KINDS.items()
    ]
    levels = ", ".join(f"{level} {report.levels[level]}" for level in LEVELS)
    lines += ["", f"verdicts with nothing left out: {levels}"]
    for cause, count in sorted(
        report.causes.items(), key=lambda each: (each[0].kind, -_all(each[1]), each[0])
    ):
        lines += ["", f"{cause.kind} {cause.step} {cause.what}: own {count.own}, shared {count.shared}"]
        if cause in report.examples:
            lines.append(f"    {report.examples[cause]}")
    return "\n".join(lines)


def _all(count: Count) -> int:
    return count.own + count.shared


def as_json(report: Report) -> Mapping[str, object]:
    """The report for programs."""
    kinds: Sequence[Kind] = list(KINDS)
    return {
        "cases": report.many,
        "seed": report.seed,
        "kinds": {
            kind: {
                "cases": report.cases[kind],
                "unreadable": report.unread[kind],
                "more_permissive": report.bad[kind],
            }
            for kind in kinds
        },
        "whole": {level: report.levels[level] for level in LEVELS},
        "causes": [
            {
                **cause._asdict(),
                "own": count.own,
                "shared": count.shared,
                "example": report.examples.get(cause, ""),
            }
            for cause, count in sorted(report.causes.items())
        ],
    }
