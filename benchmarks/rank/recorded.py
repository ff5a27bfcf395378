"""The recorded tasks of DroidTask as decisions: at each step the candidates, their features, and what was done."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from benchmarks.tasks.recordings import Task, timed
from benchmarks.tasks.replay import load_charter
from vsalang.guard import Guard, Settings, Verdict
from vsalang.guard.world.clock import ScreenClock
from vsalang.models.rank.candidate import Candidate
from vsalang.models.rank.enumerating import candidates
from vsalang.models.rank.features import Features, features
from vsalang.models.rank.judging import allowed
from vsalang.models.rank.pairs import RunStep, proof_of
from vsalang.models.rank.scorer import Decision
from vsalang.models.rank.situation import PastStep, Situation, past_step
from vsalang.program.action import Action
from vsalang.program.screen import UnresolvedTarget
from vsalang.screen.control import delta
from vsalang.screen.screen import TreeScreen

CLOSED: Final = ("dialer", "gallery", "music")
"""The apps whose walks nobody looked at while features and words were written; the shipped weights are not trained on
them either."""
_KINDS: Final[Mapping[str, str]] = {
    "tap": "tap",
    "input_text": "type",
    "long_press": "long_press",
    "back": "back",
}


@dataclass(frozen=True, slots=True)
class RecordedStep:
    """One step of a recorded task.

    Attributes:
        task, app, number: which one; the number from 0.
        decision: the situation and its candidates.
        gold: the candidates that do what was done; none: it is not among them.
        rows: the features of each candidate.
        finish: whether the walk ends with it.
        offered: how many candidates there were before a guard judged them.
        html: the screen as DroidTask writes it, without indentation.
        run: the step as `vsalang.models.rank.pairs` reads it; None without a guard.
        proof: of the end that the guard permitted; empty: this is not one.
    """

    task: str
    app: str
    number: int
    decision: Decision
    gold: tuple[int, ...]
    rows: tuple[Features, ...]
    finish: bool
    offered: int
    html: str
    run: RunStep | None = None
    proof: frozenset[str] = frozenset()


@dataclass
class _Walk:
    history: list[PastStep] = field(default_factory=list)
    screen: TreeScreen | None = None
    did: Candidate | None = None
    value: str = ""


def recorded_steps(tasks: Iterable[Task], *, charters: bool = False) -> Iterator[RecordedStep]:
    """The steps of tasks, the history being what was recorded.

    Args:
        charters: judge all candidates by the charter of the task, too (`benchmarks/tasks/charters`).

    Raises:
        WalkError: a step is not understood.
    """
    for task in tasks:
        yield from _of_task(task, charters)


def _of_task(task: Task, charters: bool) -> Iterator[RecordedStep]:
    walk = _Walk()
    guard: Guard | None = None
    for number, step in enumerate(timed(task.frames, task.at)):
        taken = step.taken(task.package)
        screen = taken.screen
        assert screen is not None
        _moved(walk, screen)
        situation = Situation(task.instruction, screen, tuple(walk.history))
        enumeration = candidates(situation)
        kept = everything = enumeration.candidates
        run, proof = None, frozenset[str]()
        action = taken.actions[-1]
        gold = gold_of(screen, action, everything)
        did = everything[gold[0]] if gold else None
        if charters:
            guard = _observed(guard, task, screen)
            judged = allowed(guard.judge_all, guard.program, enumeration)
            kept = judged.candidates
            situation = replace(situation, done=any(one.kind == "finish" for one in kept))
            verdicts = [_committed(guard, each) for each in taken.actions]
            acts = frozenset(each.name for verdict in verdicts for each in verdict.actions)
            if verdicts[-1].level != "block":
                key = did.key if did is not None else ""
                run = RunStep(Decision(situation, kept), key, judged.dropped, acts)
                proof = proof_of(verdicts[-1]) if action.name == "finish" else proof
            else:
                run = RunStep(Decision(situation, kept), "", judged.dropped, acts)
        decision = Decision(situation, kept)
        doing = tuple(nth for nth, one in enumerate(kept) if one in [everything[at] for at in gold])
        yield RecordedStep(
            task.name,
            task.app,
            number,
            decision,
            doing,
            features(decision),
            action.name == "finish",
            len(everything),
            "\n".join(line.strip() for line in step.frame.state.splitlines()),
            run,
            proof,
        )
        walk.screen, walk.did = screen, did
        walk.value = str(action.args.get("value", ""))


def _committed(guard: Guard, action: Action) -> Verdict:
    verdict = guard.propose(action)
    guard.commit(verdict)
    return verdict


def _moved(walk: _Walk, screen: TreeScreen) -> None:
    """Note what was done on the screen before."""
    if walk.screen is not None and walk.did is not None:
        effect = delta(walk.screen.tree, screen.tree).transition
        walk.history.append(past_step(walk.screen, walk.did, walk.value, effect))


def _observed(guard: Guard | None, task: Task, screen: TreeScreen) -> Guard:
    if guard is None:
        clock = ScreenClock(live=False)
        clock.see(screen)
        settings = Settings(mode="shadow", unknown_screen="allow", unknown_touch="confirm")
        guard = Guard(load_charter(task), today=clock().date(), clock=clock, settings=settings)
    guard.observe(screen)
    return guard


def gold_of(screen: TreeScreen, action: Action, kept: Sequence[Candidate]) -> tuple[int, ...]:
    """The candidates that do what was done.

    The walks name as the target of a scroll what holds the whole page; so each scroll in that direction counts.
    """
    if action.name in ("finish", "answer", "back"):
        return tuple(nth for nth, one in enumerate(kept) if one.kind == action.name)
    if action.name == "scroll":
        way = action.args.get("direction")
        return tuple(
            nth
            for nth, one in enumerate(kept)
            if one.kind == "scroll" and one.action.args["direction"] == way
        )
    try:
        node = screen.target(action.name, action.args).get("node")
    except UnresolvedTarget:
        return ()
    kind = _KINDS.get(action.name)
    return tuple(nth for nth, one in enumerate(kept) if one.kind == kind and one.node == node)
