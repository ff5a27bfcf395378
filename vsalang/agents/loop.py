"""The guarded loop: observe, let the agent propose, judge, and only then let the device act."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

from vsalang.agents.proposed import Proposed
from vsalang.base.records import dataclass
from vsalang.guard import Guard, ObservationResult, StepOutcome, Verdict
from vsalang.guard.acting import kind_of, on_phone
from vsalang.guard.graph.commitment import Stop, aim, stopped_by
from vsalang.guard.journal import Recorder
from vsalang.guard.say.agent_hints import AgentHint, hint_for
from vsalang.guard.step import Approval, guarded_step, run
from vsalang.models.look.look import LookAnswer, Looking, resolved
from vsalang.phone.protocol import Device
from vsalang.program.action import Action
from vsalang.program.values import show

Confirm = Callable[[Proposed, Verdict], bool | None]
"""Asks the human about a verdict `confirm`; True only if they agreed to exactly this, None if nobody could be asked."""


@dataclass(frozen=True, slots=True)
class Step:
    """One proposal and its outcome.

    Attributes:
        number: from 1.
        proposed: what the agent wanted.
        verdict: the guard's answer.
        performed: whether it was carried out (also `finish` and `give_up`, which the device does not see).
        problem: why an allowed action was not carried out, or whether its delivery is uncertain; else empty.
        observed: what was seen after it; None if nothing was carried out.
        stop: why the rest of its commitment is left out; None: it is not, or there is none.
        left_out: that rest.
        looked: what a model that was asked to look says of contracts that were left open.
        hint: the agent's next steps, if the guard's session has hints; they permit nothing.
    """

    number: int
    proposed: Proposed
    verdict: Verdict
    performed: bool
    problem: str = ""
    observed: ObservationResult | None = None
    stop: Stop | None = None
    left_out: tuple[Proposed, ...] = ()
    looked: tuple[LookAnswer, ...] = ()
    hint: AgentHint | None = None


def nobody(proposed: Proposed, verdict: Verdict) -> None:
    """The answer where no human is wired: none, which is a no."""


def run_agent(
    guard: Guard,
    device: Device,
    proposals: Iterable[Proposed],
    *,
    recorder: Recorder | None = None,
    confirm: Confirm = nobody,
    first: int = 1,
    looking: Looking | None = None,
) -> Iterator[Step]:
    """Run an agent's proposals through the guard on a device, one step at a time, until it finishes or has no more.

    Args:
        guard: fresh, or resumed (`vsalang.guard.journal.resume`): its first observation is made here.
        device: what acts.
        proposals: what the agent wants; a proposal with others after it (`Proposed.then`) is a commitment, which stops
            as that of `vsalang.guard.graph.commit_all` does.
        recorder: records what the user answered; None: the guard's, if it has one.
        confirm: who is asked; in the mode ``ask`` the guard asks, and this is not used.
        first: the number of the first step.
        looking: is asked to look where it is left open whether an action came out as expected; None: nobody is. It
            permits nothing; a commitment goes on or stops by it.

    Raises:
        DeviceError: the first observation failed, or the device was lost.
        GuardFailed: the guard met an internal error, or could not record what it saw.
        JournalError: the journal cannot be written.
    """
    if looking is not None:
        device = looking.watching(device)
    guard.observe(device.observe())
    number = first
    for head in proposals:
        planned_on = guard.snapshot.screen
        rest = (head, *head.then)
        while rest:
            proposed, rest = rest[0], rest[1:]
            ask = partial(_approval, guard, partial(confirm, proposed), recorder)
            kind = kind_of(proposed.action, proposed.note)
            done = run(
                guarded_step(guard, partial(_proposed, guard, proposed), kind),
                on_phone(device, proposed.action, ask),
            )
            looked = _looked(guard, looking, done) if looking is not None else ()
            stop = stopped_by(_seen_so(done, looked)) if rest else None
            if rest and stop is None:
                aimed = aim(rest[0].action, planned_on, guard.snapshot.screen)
                if isinstance(aimed, Stop):
                    stop = aimed
                else:
                    rest = (replace(rest[0], action=aimed), *rest[1:])
            left_out = rest if stop is not None else ()
            yield Step(
                number,
                proposed,
                done.verdict,
                done.performed,
                done.problem,
                done.observed,
                stop,
                left_out,
                looked,
                hint_for(guard),
            )
            if guard.finished and (done.performed or done.screen is not None):
                return
            number += 1
            rest = () if stop is not None else rest


def _looked(guard: Guard, looking: Looking, done: StepOutcome) -> tuple[LookAnswer, ...]:
    acted = guard.snapshot.acted
    if done.observed is None or acted is None:
        return ()
    return looking.after(
        done.verdict.proposal.gesture, acted[0], guard.snapshot.screen, done.observed.contracts
    )


def _seen_so(done: StepOutcome, looked: tuple[LookAnswer, ...]) -> StepOutcome:
    """The step as a plan reads it: contracts that were left open are as a look says."""
    if done.observed is None or not looked:
        return done
    return replace(done, observed=replace(done.observed, contracts=resolved(done.observed.contracts, looked)))


def _proposed(guard: Guard, proposed: Proposed) -> Verdict:
    return guard.propose(proposed.action, proposed.claims, note=proposed.note)


def _approval(
    guard: Guard, confirm: Callable[[Verdict], bool | None], recorder: Recorder | None, verdict: Verdict
) -> Approval:
    return Approval(guard.agrees(verdict, confirm, recorder))


def proposal_json(proposed: Proposed) -> dict[str, Any]:
    """A proposal as JSON data, as the journal records it."""
    return {
        "proposed": action_json(proposed.action),
        "claims": [action_json(claim) for claim in proposed.claims],
        "note": proposed.note,
    }


def action_json(action: Action) -> dict[str, Any]:
    """An action as JSON data: numbers and truth values as such, everything else as it prints."""
    args: dict[str, Any] = {}
    for name, value in action.args.items():
        args[name] = value if isinstance(value, bool | int | str) else show(value, bare=True)
    return {"action": action.name, **args}
