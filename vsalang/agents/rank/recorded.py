"""Recorded walks as decisions: at each step the candidates, and which of them was done. Pairs are made of them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from vsalang.agents.walks import Walk
from vsalang.base.records import dataclass
from vsalang.guard import Guard, Settings, Verdict
from vsalang.guard.world.clock import ScreenClock
from vsalang.models.rank.candidate import Candidate, CandidateKind
from vsalang.models.rank.enumerating import apps_of, candidates
from vsalang.models.rank.judging import allowed
from vsalang.models.rank.pairs import RunStep, proof_of
from vsalang.models.rank.scorer import Decision
from vsalang.models.rank.situation import AppChoice, PastStep, Situation, past_step
from vsalang.program.action import Action
from vsalang.program.ir import Program
from vsalang.program.screen import UnresolvedTarget
from vsalang.screen.control import delta
from vsalang.screen.screen import TreeScreen

_KINDS: Final[Mapping[str, CandidateKind]] = {
    "tap": "tap",
    "input_text": "type",
    "clear_text": "clear",
    "long_press": "long_press",
}
_OF_PHONE: Final = frozenset({"finish", "answer", "back", "home", "wait"})


@dataclass(frozen=True, slots=True)
class RecordedDecision:
    """One step of a walk.

    Attributes:
        number: which one, from 0.
        decision: the situation, its history being what was recorded, and the candidates.
        gold: the indices of the candidates that do what was done; none: it is not among them.
        action: what was done; of several actions on one screen the last.
        offered: how many candidates there were before a guard judged them.
        run: the step for `vsalang.models.rank.pairs.labels`.
        proof: of an end that the guard permitted; empty: this is none, or there was no guard.
    """

    number: int
    decision: Decision
    gold: tuple[int, ...]
    action: Action
    offered: int
    run: RunStep
    proof: frozenset[str] = frozenset()


def recorded_decisions(
    walk: Walk,
    *,
    package: str = "",
    program: Program | None = None,
    right: bool = False,
    apps: tuple[AppChoice, ...] = (),
) -> Iterator[RecordedDecision]:
    """The steps of a walk that show a screen and do something.

    Args:
        walk: what was recorded.
        package: of the app, where the walk does not say it.
        program: a guard judges the candidates under it, holds nothing back, and sees the outcome of each step; None: no
            guard.
        right: somebody says that the walk is right.
        apps: those that may be opened; left out, those of the program.

    Raises:
        WalkError: a step is not understood.
        GuardFailed: the guard met an internal error.
    """
    guard: Guard | None = None
    if not apps and program is not None:
        apps = apps_of(program)
    history: list[PastStep] = []
    before: tuple[TreeScreen, Candidate | None, str] | None = None
    for number in range(len(walk.steps)):
        taken = walk.taken(number, package)
        screen = taken.screen
        if screen is None or not taken.actions:
            continue
        if before is not None and before[1] is not None:
            effect = delta(before[0].tree, screen.tree).transition
            history.append(past_step(before[0], before[1], before[2], effect))
        if program is not None:
            guard = _observed(guard, program, screen)
        situation = Situation(walk.task, screen, tuple(history), apps=apps)
        step = _decision(number, situation, taken.actions, guard, right=right)
        yield step[0]
        before = screen, step[1], str(taken.actions[-1].args.get("value", ""))


def _decision(
    number: int,
    situation: Situation,
    actions: Sequence[Action],
    guard: Guard | None,
    *,
    right: bool,
) -> tuple[RecordedDecision, Candidate | None]:
    """The step, and the candidate that was done: one that the guard blocks is not in the decision."""
    screen = situation.screen
    enumeration = candidates(situation)
    kept = everything = enumeration.candidates
    action = actions[-1]
    gold = [everything[at] for at in gold_of(screen, action, everything)]
    did = as_done(gold[0], action) if gold else None
    key = gold[0].key if gold else ""
    dropped, acts, proof = enumeration.dropped, frozenset[str](), frozenset[str]()
    if guard is not None:
        judged = allowed(guard.judge_all, guard.program, enumeration)
        kept, dropped = judged.candidates, judged.dropped
        situation = replace(situation, done=any(one.kind == "finish" for one in kept))
        verdicts = [_committed(guard, each) for each in actions]
        acts = frozenset(each.name for verdict in verdicts for each in verdict.actions)
        if verdicts[-1].level == "block":
            key = ""
        elif action.name == "finish":
            proof = proof_of(verdicts[-1])
    decision = Decision(situation, kept)
    doing = tuple(nth for nth, one in enumerate(kept) if one in gold)
    run = RunStep(decision, key, dropped, acts, gold=right)
    return RecordedDecision(number, decision, doing, action, len(everything), run, proof), did


def as_done(candidate: Candidate, action: Action) -> Candidate:
    """The candidate as it was done: of one that does more than what was done only that."""
    kind = _KINDS.get(action.name)
    return candidate.only(kind) if kind is not None and candidate.includes(kind) else candidate


def _observed(guard: Guard | None, program: Program, screen: TreeScreen) -> Guard:
    """A guard that holds nothing back, and has seen the screen."""
    if guard is None:
        clock = ScreenClock(live=False)
        clock.see(screen)
        settings = Settings(mode="shadow", unknown_screen="allow", unknown_touch="confirm")
        guard = Guard(program, today=clock().date(), clock=clock, settings=settings)
    if not guard.finished:
        guard.observe(screen)
    return guard


def _committed(guard: Guard, action: Action) -> Verdict:
    verdict = guard.propose(action)
    if not guard.finished:
        guard.commit(verdict)
    return verdict


def gold_of(screen: TreeScreen, action: Action, kept: Sequence[Candidate]) -> tuple[int, ...]:
    """The indices of the candidates that do what was done.

    Some walks name as the target of a scroll what holds the whole page; so each scroll in that direction counts. A tap
    that is not a candidate since another one does the same, or begins with it, counts as that one: typing into a field
    touches it first, and `back` does what the arrow at the top does.
    """
    if action.name in _OF_PHONE:
        return tuple(nth for nth, one in enumerate(kept) if one.kind == action.name)
    if action.name == "scroll":
        way = action.args.get("direction")
        scrolls = [nth for nth, one in enumerate(kept) if one.kind == "scroll"]
        return tuple(nth for nth in scrolls if kept[nth].action.args["direction"] == way)
    try:
        node = screen.target(action.name, action.args).get("node")
    except UnresolvedTarget:
        return ()
    kind = _KINDS.get(action.name)
    here = [(nth, one) for nth, one in enumerate(kept) if one.node == node or node in one.same]
    exact = tuple(nth for nth, one in here if one.kind == kind)
    if exact or kind is None:
        return exact
    return tuple(nth for nth, one in here if one.includes(kind) or (kind == "tap" and one.kind == "back"))
