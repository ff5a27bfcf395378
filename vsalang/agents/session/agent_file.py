"""The file of an agent's proposals, compared with a recorded session that goes on."""

from vsalang.agents.proposed import Proposed
from vsalang.agents.session.inforce import SessionError
from vsalang.guard import Proposal
from vsalang.guard.journal import Session
from vsalang.guard.journal.recorded_session import Step as Judged
from vsalang.guard.step import TRIES
from vsalang.program.action import GESTURES
from vsalang.program.text import line


def judged(session: Session) -> list[Judged]:
    """The proposals of a session as the agent made them, without those that were open when it was interrupted."""
    cuts = [record.number for record in session.records if record.kind == "resume"]
    cuts.append(len(session.records) + 1)
    judgements: list[Judged] = []
    tries = 0
    for number, step in enumerate(session.steps):
        later = session.steps[number + 1].record if number + 1 < len(session.steps) else cuts[-1]
        if step.open and any(step.record < cut <= later for cut in cuts):
            continue
        last = judgements[-1] if judgements else None
        same = last is not None and last.proposed.key() == step.proposed.key()
        # a proposal that the guard judged again in shadow mode, because the screen had changed, was made once
        if same and last is not None and last.shadow and last.refused and tries < TRIES:
            judgements[-1] = step
            tries += 1
        else:
            judgements.append(step)
            tries = 1
    return judgements


def check_judged(session: Session, proposals: tuple[Proposed, ...], agent_file: str) -> None:
    """Refuse an agent file that is not the session's: it would not be known which of its lines were judged.

    Raises:
        SessionError: it is not.
    """
    remedy = "give the session's whole agent file: what was judged already is not proposed again"
    known = judged(session)
    for number, (step, proposed) in enumerate(zip(known, proposals, strict=False), 1):
        action = proposed.action
        gesture = action if action.name in GESTURES else None
        proposal = Proposal(gesture, () if gesture else (action,), proposed.claims)
        if proposal.key() != step.proposed.key():
            raise SessionError(
                f"{agent_file} is not the agent file of {session.path}: its proposal {number} is "
                f"{line(str(proposal), 200)}, and {line(str(step.proposed), 200)} was judged",
                remedy,
            )
    if len(proposals) < len(known):
        raise SessionError(
            f"{agent_file} is not the agent file of {session.path}: {len(known)} proposals were judged, "
            f"and it has {len(proposals)}",
            remedy,
        )
