"""A plain loop for agents that are a function: it gets what the screen shows and the outcome of its last step.

def step(seen):
    print(seen.feedback)
    return Action("tap", {"text": "R"}) if seen.number == 1 else Action("finish")

for done in run_steps(guard, device, step):
    print(done.verdict.level, done.performed)
"""

from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import replace

from vsalang.agents.loop import Confirm, Step, nobody, run_agent
from vsalang.agents.proposed import Proposed
from vsalang.base.records import dataclass
from vsalang.guard import Guard, Verdict
from vsalang.guard.acting import ActionBlocked
from vsalang.guard.journal import Recorder
from vsalang.guard.say.agent_hints import hint_line
from vsalang.guard.world.news import same
from vsalang.phone.protocol import Device
from vsalang.program.action import Action
from vsalang.program.screen import Screen

MOST_STEPS = 100


@dataclass(frozen=True, slots=True)
class Observation:
    """What an agent is given before each step.

    Attributes:
        number: of the step, from 1.
        screen: as it is now.
        verdict: on what it proposed last; None before the first step.
        performed: whether that was carried out.
        feedback: why it was not, in words for the agent; empty if it was.
        left_out: what it proposed together with that, and is left out.
        hint: its next steps on a map, in words, if the guard's session has hints; else empty. They permit nothing.
        roadmap: what the task still needs, in words for the agent.
    """

    number: int
    screen: Screen
    verdict: Verdict | None
    performed: bool
    feedback: str
    roadmap: str
    left_out: tuple[Proposed, ...] = ()
    hint: str = ""


def run_steps(
    guard: Guard,
    device: Device,
    step: Callable[[Observation], Action | Proposed | Sequence[Action | Proposed] | None],
    *,
    recorder: Recorder | None = None,
    confirm: Confirm = nobody,
    most: int = MOST_STEPS,
) -> Iterator[Step]:
    """Ask an agent what to do, judge it, do it, and ask again; until the task is over or the agent gives None.

    Args:
        guard: fresh, or resumed; its first observation is made here.
        device: what acts.
        step: the agent. It gives an action, or a list of them that it planned together (a commitment), or None at the
            end. What it raises ends the loop. An action that no app declares is blocked like any other that is
            not allowed; the feedback says which may have been meant.
        recorder: the guard's, if it has one.
        confirm: who is asked about verdicts `confirm`.
        most: so often the agent is asked.

    Raises:
        TypeError: `step` gave what is neither an action nor a proposal nor None.
        DeviceError: the device cannot be looked at, or was lost.
        GuardFailed: the guard met an internal error.
        JournalError: the journal cannot be written.
    """
    last: Step | None = None

    def proposals() -> Iterator[Proposed]:
        for number in range(1, most + 1):
            if last is not None and not last.performed:
                _look_again(guard, device)
            wanted = step(_observation(guard, number, last))
            if wanted is None:
                return
            yield _together(wanted)

    for last in run_agent(guard, device, proposals(), recorder=recorder, confirm=confirm):
        yield last


def _together(wanted: object) -> Proposed:
    """What an agent's function gave, as a proposal, perhaps with others after it."""
    if not isinstance(wanted, list | tuple) or not wanted:
        return _proposed(wanted)
    first, *rest = map(_proposed, wanted)
    return replace(first, then=tuple(rest))


def _proposed(wanted: object) -> Proposed:
    """What an agent's function gave, as a proposal; nothing of it was judged yet."""
    proposed = wanted if isinstance(wanted, Proposed) else None
    if proposed is not None:
        wanted = proposed.action
    if not isinstance(wanted, Action):
        what = f"the {type(wanted).__name__} {wanted!r:.80}"
        if isinstance(wanted, Awaitable):
            close = getattr(wanted, "close", None)
            if close is not None:
                close()  # it will not be awaited
            what = "something to be awaited (is it an `async def`?)"
        example = (
            f"Action({wanted!r:.80}, {{..}})" if isinstance(wanted, str) else 'Action("tap", {"text": "OK"})'
        )
        raise TypeError(
            f"the step function gave {what}; it is to return an Action, such as {example}, a Proposed, or None at the "
            "end"
        )
    return proposed or Proposed(wanted)


def _meant(guard: Guard, name: str) -> str:
    """Which action may be meant by a name that no app declares; empty if it is declared, or none is like it."""
    from vsalang.base.source.suggest import did_you_mean

    acts = [each for each in guard.program.relations.values() if each.sort in ("gesture", "action")]
    if any(name in (each.name, each.short) for each in acts):
        return ""
    hint = did_you_mean(name, [each.short for each in acts])
    return f"\n`{name[:80]}` is not an action: {hint}" if hint else ""


def _look_again(guard: Guard, device: Device) -> None:
    """An action may have been refused because the screen was old. An unchanged screen is not news: a warning stays."""
    screen = device.observe()
    if not same(guard.snapshot.screen, screen):
        guard.observe(screen)


def _observation(guard: Guard, number: int, last: Step | None) -> Observation:
    screen = guard.snapshot.screen
    assert screen is not None  # the loop has made the first observation
    feedback = ""
    if last is not None and (not last.performed or last.problem):
        feedback = ActionBlocked(last.verdict, last.problem).feedback
        feedback += _meant(guard, last.proposed.action.name)
    if last is not None and last.stop is not None:
        feedback += f"\nLeft out of the plan: {', '.join(str(each.action) for each in last.left_out)}"
        feedback += f" ({last.stop.why})" if last.performed else ""
    return Observation(
        number,
        screen,
        last.verdict if last is not None else None,
        last is not None and last.performed,
        feedback,
        guard.roadmap_text(),
        last.left_out if last is not None else (),
        hint_line(guard, guard.language),
    )
