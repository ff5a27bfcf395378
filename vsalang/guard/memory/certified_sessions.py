"""Certificates of a recorded session: what each action that was committed did, and why it was permitted."""

from collections.abc import Iterator, Mapping
from typing import Any

from vsalang.base.source import Source
from vsalang.guard import Contract, Reason
from vsalang.guard.journal.recorded_session import Session, Step
from vsalang.guard.journal.replay import earlier_meaning, judged_again
from vsalang.guard.journal.values_json import understood
from vsalang.guard.memory.certificate import Certificate
from vsalang.guard.memory.certificate_keys import module_hash
from vsalang.guard.memory.certifying import certify
from vsalang.program.ir import Program
from vsalang.program.screen import Screen
from vsalang.screen.screen import TreeScreen


def certificates(
    session: Session, program: Program, sources: Mapping[str, Source]
) -> Iterator[tuple[Step, Certificate]]:
    """The steps of a session that were committed, each with its certificate, in order.

    Every proposal is judged again under the recorded program: a journal says which level a verdict had, but not by
    which conditions a licence held. In a journal of an earlier version of meaning what met an expectation then is open.

    Args:
        session: what was recorded.
        program, sources: the recorded ones (`vsalang.guard.journal.recorded_program`).

    The screens of a walk that was followed (`vsac record --walk`) are those of a recording.

    Raises:
        JournalError: a record cannot be understood, the guard failed on an observation, or it is of a later version of
            meaning.
    """
    earlier = bool(earlier_meaning(session))
    device = str(session.header.get("device", ""))
    recorded = device == "walk" or device.startswith("walk:")
    with understood(session.path):
        for step, verdict in judged_again(session, program):
            if not step.commit or verdict is None or step.after is None:
                continue
            before, after = (
                _recorded_screen(session, step.screen),
                _recorded_screen(session, step.after["screen"]),
            )
            yield (
                step,
                certify(
                    verdict,
                    before,
                    after,
                    program,
                    contracts=[_contract(each, earlier=earlier) for each in step.after["contracts"]],
                    delivered=step.delivered,
                    module=app_module(program, sources, before),
                    recorded=recorded,
                ),
            )


def _recorded_screen(session: Session, look: Mapping[str, Any] | None) -> Screen | None:
    return None if look is None else session.screen(look)


def app_module(program: Program, sources: Mapping[str, Source], screen: Screen | None) -> str:
    """A hash of the module of the app in the foreground; empty if there is none."""
    app = screen.app if isinstance(screen, TreeScreen) else None
    return module_hash(program, sources, app[0]) if app is not None else ""


def _contract(data: Mapping[str, object], *, earlier: bool) -> Contract:
    """A recorded result of an `expect` rule; by an earlier meaning nothing is decided now."""
    outcome = data["outcome"]
    if outcome not in ("met", "violated", "inconclusive"):
        raise ValueError("a contract without outcome")
    if earlier:
        outcome = "inconclusive"
    return Contract(str(data["rule"]), outcome, Reason("contract", "allow", str(data["message"])))
