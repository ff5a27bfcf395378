"""What a new version of a spec or policy permits otherwise than the old one: per head, with tests that show it."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from vsalang.program.grave import near_actions
from vsalang.program.ir import Expect, Judge, License, Program, Quota, Rule
from vsalang.program.show import short_name
from vsalang.proof.prove.results import (
    Diff,
    Difference,
    Equivalence,
    Head,
    NotComparable,
    Open,
    Outcome,
    ShownDifference,
)
from vsalang.proof.solver.canonical import Canonical

if TYPE_CHECKING:
    from vsalang.proof.prove.differing import Side
    from vsalang.proof.prove.time import Time

_JUDGED = ("deny", "confirm", "warn", "flag")


def diff(old: Program, new: Program, *, seconds: float = 60.0, each: float = 5.0) -> Diff:
    """Compare what two specs, or two policies, decide.

    Args:
        seconds: for all questions together; what is not decided by then is left open.
        each: seconds for one question to the solver.

    Raises:
        NotComparable: they are not two specs or two policies.
        ImportError: Z3 is not installed.
    """
    from vsalang.proof.prove.time import Time

    kinds = old.modules[old.main].kind, new.modules[new.main].kind
    if kinds[0] != kinds[1] or kinds[0] not in ("spec", "policy"):
        raise NotComparable(
            f"only two specs or two policies can be compared, not {_a(kinds[0])} and {_a(kinds[1])}"
        )
    time = Time(seconds, round(each * 1000))
    heads = [_compared(name, old, new, time) for name in _heads(old, new)]
    return Diff((*heads, *_lowered(old, new)))


def equivalent(a: Program, b: Program, *, seconds: float = 2.0) -> Equivalence:
    """Whether two specs, or two policies, decide alike; an answer within `seconds`, though it may be ``unknown``.

    Raises:
        NotComparable: they are not two specs or two policies.
        ImportError: Z3 is not installed.
    """
    asked = seconds * 0.7  # making the terms, and the solver's last step, take the rest
    comparison = diff(a, b, seconds=asked, each=asked / 2)
    witness = next(iter(comparison.differences), None)
    if comparison.outcome == "incomparable" or (comparison.outcome == "unknown" and witness is not None):
        return Equivalence("differs", witness, comparison.bound)
    return Equivalence(comparison.outcome, witness, comparison.bound)


def _a(kind: str) -> str:
    return f"an {kind}" if kind == "app" else f"a {kind}"


# ---------------------------------------------------------------- heads


def _heads(old: Program, new: Program) -> list[str]:
    names: dict[str, None] = {}
    for program in (old, new):
        for rule in _own(program):
            names[head_of(rule)] = None
    order = ("allow", "done", *_JUDGED, "expect")
    return sorted((name for name in names if name), key=lambda name: order.index(name.partition(" ")[0]))


def _own(program: Program) -> list[Rule]:
    return [rule for rule in program.rules if rule.module == program.main]


def head_of(rule: Rule) -> str:
    """What a rule is compared under; empty for definitions, which are compared where they are used."""
    match rule.head:
        case License(atom):
            return "done" if atom.relation == "finish" else f"allow {atom.relation}"
        case Judge(level):
            return level
        case Expect():
            return "expect"
    return ""


def _compared(name: str, old: Program, new: Program, time: "Time") -> Head:
    from vsalang.proof.prove.differing import Side, beyond

    title = f"allow {short_name(name.partition(' ')[2])}" if name.startswith("allow ") else name
    sides = [
        Side(program, tuple(rule for rule in _own(program) if head_of(rule) == name))
        for program in (old, new)
    ]
    forms = [{rule.id: Canonical(side.program).rule(rule) for rule in side.rules} for side in sides]
    if sorted(forms[0].values()) == sorted(forms[1].values()):
        return Head(title, "equal")
    if name in ("expect", "flag"):
        what = "contracts" if name == "expect" else "`flag` rules, which change no verdict,"
        return Head(title, "unknown", open=(Open("", f"{what} are compared only as they are written"),))
    differences: list[Difference] = []
    left: list[Open] = []
    bounds: list[int] = []
    for of_new in (False, True):
        here, there = (sides[1], sides[0]) if of_new else (sides[0], sides[1])
        taken = set(forms[0 if of_new else 1].values())
        for rule in here.rules:
            if forms[1 if of_new else 0][rule.id] in taken:
                continue  # the other side has the same clause
            answer = beyond(rule, here, there, time)
            if answer.seen is not None:
                differences.append(_difference(answer.seen, of_new))
            elif answer.open:
                left.append(Open(rule.id, answer.open))
            elif answer.bound is not None:
                bounds.append(answer.bound)
    if name.startswith("allow ") and not differences and not left:
        differences, left = _frequency_differences(sides, forms, time)
    outcome = _outcome(name, differences, bool(left))
    return Head(title, outcome, tuple(differences), min(bounds, default=None), tuple(left))


def _lowered(old: Program, new: Program) -> tuple[Head, ...]:
    """What is asked about instead of blocked, where one side says so: more of it is looser."""
    forms = [
        {
            " ".join((Canonical(program).rule(rule), *sorted(near_actions(rule, program.relations))))
            for rule in program.lowered
            if rule.module == program.main
        }
        for program in (old, new)
    ]
    if not any(forms):
        return ()
    title, less, more = "@unlicensed", forms[0] - forms[1], forms[1] - forms[0]
    if less and more:
        why = "rules with `@unlicensed` are compared only as they are written"
        return (Head(title, "unknown", open=(Open("", why),)),)
    return (Head(title, "looser" if more else "stricter" if less else "equal"),)


def _difference(seen: ShownDifference, of_new: bool) -> Difference:
    from vsalang.proof.prove.stories import expecting, named

    old, new = (seen.there, seen.here) if of_new else (seen.here, seen.there)
    about = seen.story.name
    return Difference(seen.rule, of_new, old, new, named(expecting(seen.story, old), about), about)


def _outcome(name: str, differences: Iterable[Difference], left_open: bool) -> Outcome:
    sides = {difference.of_new for difference in differences}
    if len(sides) == 2:
        return "incomparable"
    if left_open:
        return "unknown"
    if not sides:
        return "equal"
    (of_new,) = sides
    permits = name.startswith(("allow", "done"))
    return "looser" if of_new == permits else "stricter"


# ---------------------------------------------------------------- how often


def _frequency_differences(
    sides: "Sequence[Side]", forms: Sequence[dict[str, str]], time: "Time"
) -> tuple[list[Difference], list[Open]]:
    """Of clauses that allow an action in the same states: whether they allow it equally often."""
    from vsalang.proof.prove.differing import more_often

    quotas = [sorted((_quota(rule) for rule in side.rules), key=str) for side in sides]
    alike = quotas[0] == quotas[1] and (
        len(quotas[0]) == 1 or {q.kind for q in quotas[0]} <= {"either", "each"}
    )
    if alike or _shared(quotas[0], quotas[1]) or once_each(sides, forms):
        return [], []
    totals = [total(each) for each in quotas]
    if totals[0] == totals[1]:
        return [], [Open("", "how often each clause allows it was not compared")]
    of_new = totals[0] is not None and (totals[1] is None or totals[1] > totals[0])
    here, there = (sides[1], sides[0]) if of_new else (sides[0], sides[1])
    least = min(total for total in totals if total is not None)
    answer = more_often(here, there, least, time)
    if answer.seen is not None:
        return [_difference(answer.seen, of_new)], []
    if not answer.open:
        return [], []
    return [], [Open("", f"one side allows it more often than the other, and {answer.open}")]


def _shared(one: Sequence[Quota], other: Sequence[Quota]) -> bool:
    """Whether both sides give one licence in all: one clause, or clauses that share it."""
    return all(
        total(each) == 1 and (len(each) == 1 or {q.kind for q in each} == {"either"}) for each in (one, other)
    )


def once_each(sides: "Sequence[Side]", forms: Sequence[dict[str, str]]) -> bool:
    """Whether all clauses that the sides do not share allow one instance each, and each of them once."""
    from vsalang.proof.solver.joint import fixes_all

    for index, side in enumerate(sides):
        taken = set(forms[1 - index].values())
        for rule in side.rules:
            assert isinstance(rule.head, License)
            rel = side.program.relation(rule.head.atom.relation)
            quota = rule.head.quota
            once = quota.kind != "either" and not quota.repeats(rel.name)
            fixed = bool(rel.attrs) and fixes_all(side.program, rule)
            if forms[index][rule.id] not in taken and not (once and fixed):
                return False
    return True


def _quota(rule: Rule) -> Quota:
    assert isinstance(rule.head, License)
    return rule.head.quota


def total(quotas: Iterable[Quota]) -> int | None:
    """How often clauses allow their action together; None: without bound."""
    kinds = list(quotas)
    if any(quota.kind == "each" for quota in kinds):
        return None
    counted = sum(quota.n if quota.kind == "count" else 1 for quota in kinds if quota.kind != "either")
    return counted + any(quota.kind == "either" for quota in kinds)
