"""Pairs of a better and a worse action on one screen, for training, with labels that need no person where logic tells.

V-Droid (formulas 2 and 5) makes of each step pairs of the right action and every other one, and asks people which is
right. Here the guard and the run itself tell most of it:

* what is in the proof of the `done` that permitted the end is right, and so is the way of screens to it, without its
  loops: ``proof``;
* what the guard blocks is wrong for certain: ``blocked``;
* where a wrong step was taken back, taking it back was right: ``undo``;
* what a recording or a person did is right: ``gold``.

Actions that serve the same form in another order are equal, and make no pair. What is left open is for people, those
first between which the scorer hardly decides (`flagged`).
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

from vsalang.base.records import dataclass
from vsalang.base.source import private
from vsalang.guard import Verdict
from vsalang.models.rank.candidate import Candidate, DroppedAction
from vsalang.models.rank.prompts import prompts
from vsalang.models.rank.scorer import Decision
from vsalang.models.rank.situation import place_of

Label: TypeAlias = Literal["proof", "gold", "undo", "blocked"]
"""Why the first action of a pair is better: see above. ``blocked``: the other one is blocked, so that the pair is
certain however right the first one is."""

_FORM: Final = frozenset({"field", "choice", "toggle", "slider"})
"""Kinds of controls of a form, whose order does not matter."""
SHARE: Final = 0.5
"""So large a share of the steps people look at, as in V-Droid: those above the median of doubt."""


@dataclass(frozen=True, slots=True)
class RunStep:
    """One step of a run.

    Attributes:
        decision: the situation and the candidates that were ranked.
        did: the key of the candidate that was done; empty: none of them.
        dropped: what the guard blocked.
        actions: the qualified names of the critical actions that it was.
        undone: whether it was taken back.
        undoes: whether it took the step before back.
        gold: whether a recording or a person says that it is right.
    """

    decision: Decision
    did: str
    dropped: tuple[DroppedAction, ...] = ()
    actions: frozenset[str] = frozenset()
    undone: bool = False
    undoes: bool = False
    gold: bool = False


@dataclass(frozen=True, slots=True)
class StepLabels:
    """What is known of the candidates of a step.

    Attributes:
        step: which one, from 0.
        right: the key of the right candidate; empty: nobody knows, and a person must say.
        why: how that is known; None: it is not.
        wrong: the keys of those that are worse.
        equal: the keys of those that are as good.
        blocked: what the guard blocks.
    """

    step: int
    right: str
    why: Label | None
    wrong: tuple[str, ...] = ()
    equal: tuple[str, ...] = ()
    blocked: tuple[Candidate, ...] = ()

    @property
    def open(self) -> bool:
        """Whether a person must say what is right."""
        return not self.right


@dataclass(frozen=True, slots=True)
class Pair:
    """A better and a worse action on one screen.

    Attributes:
        prompt: what the prompts of both begin with.
        chosen, rejected: the rest of the better one's and of the worse one's prompt.
        task: what the user asked for; `step`: the number of the step, from 0; `app`: in the foreground.
        label: why the first is better.
        weight: such that all pairs of a step weigh 1 together.
    """

    prompt: str
    chosen: str
    rejected: str
    task: str
    step: int
    app: str
    label: Label
    weight: float

    def to_json(self) -> dict[str, Any]:
        """A row of a preference data set of TRL with explicit prompt; its other columns are left alone by trainers."""
        return {
            "prompt": self.prompt,
            "chosen": self.chosen,
            "rejected": self.rejected,
            "task": self.task,
            "step": self.step,
            "app": self.app,
            "label": self.label,
            "weight": round(self.weight, 6),
        }


def proof_of(verdict: Verdict) -> frozenset[str]:
    """The names of what the clauses mention that permitted an action, such as the end of a task."""
    whys = [why for reason in verdict.licensed for why in (*reason.met, *reason.whys)]
    return frozenset(name for why in whys for name in (why.relation, *why.names) if name)


def labels(run: Sequence[RunStep], proof: frozenset[str] = frozenset()) -> tuple[StepLabels, ...]:
    """What is known of each step of a run.

    Args:
        run: its steps, in order.
        proof: of the verdict that let the task end (`proof_of`); empty: it did not end, so nothing is proved.
    """
    proved = frozenset(nth for nth, step in enumerate(run) if step.actions & proof and not step.undone)
    way = _way(run, proved) if proof else frozenset()
    over = next((nth for nth, step in enumerate(run) if step.decision.situation.done is True), len(run))
    # what was done after the task could have ended is in no proof
    way = frozenset(nth for nth in way if nth < over or (run[nth].did == "finish" and over > 0))
    return tuple(_labels(run, nth, way) for nth in range(len(run)))


def _way(run: Sequence[RunStep], proved: frozenset[int]) -> frozenset[int]:
    """The steps that are in the proof, and those that led to them: no loops, nothing that was taken back."""
    ended = [nth for nth, step in enumerate(run) if step.did == "finish"]
    goals = sorted({*proved, *ended})
    way: set[int] = set()
    begin = 0
    for goal in goals:
        path: list[int] = []
        for nth in range(begin, goal):
            step = run[nth]
            if step.undone or step.undoes or not step.did:
                continue
            place = place_of(step.decision.situation.screen)
            again = next((at for at, old in enumerate(path) if _leads_back(run, old, nth, place)), None)
            if again is not None:
                path = path[:again]
            path.append(nth)
        way.update((*path, goal))
        begin = goal + 1
    return frozenset(way)


def _leads_back(run: Sequence[RunStep], old: int, new: int, place: str) -> bool:
    """Whether the way came back to where it was, so that what lies between did nothing. Work in a form stays there."""
    if place_of(run[old].decision.situation.screen) != place:
        return False
    moved = any(place_of(run[nth].decision.situation.screen) != place for nth in range(old + 1, new))
    return moved and not any(_in_form(run[nth]) for nth in range(old, new))


def _in_form(step: RunStep) -> bool:
    did = _candidate(step)
    return did is not None and (did.kind in ("type", "clear") or did.control in _FORM)


def _candidate(step: RunStep) -> Candidate | None:
    return next((one for one in step.decision.candidates if one.key == step.did), None)


def _labels(run: Sequence[RunStep], nth: int, way: frozenset[int]) -> StepLabels:
    step = run[nth]
    blocked = tuple(
        one.candidate
        for one in step.dropped
        if one.candidate is not None and one.rule in ("blocked", "not allowed")
    )
    why: Label | None = None
    if step.did and not step.undone:
        why = "undo" if step.undoes else "gold" if step.gold else "proof" if nth in way else None
    if why is None or _candidate(step) is None:
        return StepLabels(nth, "", None, blocked=blocked)
    equal = () if why == "undo" else tuple(_equal(run, nth, way))
    known = {step.did, *equal, *(one.key for one in blocked)}
    wrong = tuple(one.key for one in step.decision.candidates if one.key not in known)
    return StepLabels(nth, step.did, why, wrong, equal, blocked)


def _equal(run: Sequence[RunStep], nth: int, way: frozenset[int]) -> Iterator[str]:
    """What was done later in the same form, as rightly: it could have come first."""
    step = run[nth]
    if not _in_form(step):
        return
    place = place_of(step.decision.situation.screen)
    offered = {one.key for one in step.decision.candidates}
    for later in range(nth + 1, len(run)):
        other = run[later]
        if place_of(other.decision.situation.screen) != place or not _in_form(other):
            return
        right = other.gold or later in way
        if right and not other.undone and other.did in offered and other.did != step.did:
            yield other.did


def pairs(run: Sequence[RunStep], known: Iterable[StepLabels]) -> Iterator[Pair]:
    """The pairs of all steps of which it is known what is right.

    Args:
        run: the steps.
        known: their labels; those of people are added to them by `answered`.
    """
    for each in known:
        if each.open:
            continue
        decision = run[each.step].decision
        everything = Decision(decision.situation, (*decision.candidates, *each.blocked))
        asked = prompts(everything)
        at = {one.key: nth for nth, one in enumerate(everything.candidates)}
        others = [*each.wrong, *(one.key for one in each.blocked)]
        hard = {one.key for one in each.blocked}
        app = decision.situation.screen.app
        for key in others:
            yield Pair(
                asked.prefix,
                asked.questions[at[each.right]],
                asked.questions[at[key]],
                decision.situation.task,
                each.step,
                (app[0] or "") if app is not None else "",
                "blocked" if key in hard else each.why or "gold",
                1 / len(others),
            )


def answered(labelled: StepLabels, decision: Decision, key: str) -> StepLabels:
    """The labels of a step of which a person said what is right.

    Raises:
        ValueError: the step has no candidate of that key.
    """
    keys = [one.key for one in decision.candidates]
    if key not in keys:
        raise ValueError(f"step {labelled.step + 1} has no candidate {key}")
    wrong = tuple(each for each in keys if each != key and each not in labelled.equal)
    return StepLabels(labelled.step, key, "gold", wrong, labelled.equal, labelled.blocked)


def flagged(margins: Mapping[int, float], share: float = SHARE) -> tuple[int, ...]:
    """The steps that a person should look at first: those between whose candidates the scorer hardly decides.

    Args:
        margins: number of a step -> `Ranking.margin`.
        share: of all steps, at most.
    """
    order = sorted(margins, key=lambda step: (margins[step], step))
    return tuple(order[: int(len(order) * share)])


def write_pairs(path: Path, rows: Iterable[Pair]) -> int:
    """Write pairs as JSON lines, readable by the user alone: they hold what screens showed. Returns how many.

    Raises:
        OSError: the file cannot be written.
    """
    lines = [json.dumps(one.to_json(), ensure_ascii=False) for one in rows]
    private.write(path, "".join(f"{line}\n" for line in lines).encode("utf-8", "replace"))
    return len(lines)
