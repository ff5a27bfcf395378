"""The one answer about an action that was sent and does not simply count as done, wherever it is asked for.

An agent that reads "not done yet" of it would do it once more.
"""

from collections.abc import Sequence
from typing import Final

from vsalang.guard.say.verdict import Became, Contract, Why, unchanged_text, unexpected_texts
from vsalang.program.phrases import joined, say
from vsalang.program.vocabulary import SINCE

_MOST: Final = 4
"""So many conditions are named of what was expected."""


def contract_message(outcome: str, whys: Sequence[Why], *, unchanged: bool) -> tuple[str, str]:
    """What is said of a contract, and what it expected.

    Args:
        outcome: ``met``, ``violated`` or ``inconclusive``.
        whys: the conditions that are not met.
        unchanged: the screen after the action is the one before it.
    """
    # what is wanted of a cell says it all; a row that should not be there says the same at length
    reasons = ([why for why in whys if why.attr] or list(whys))[:_MOST]
    if unchanged:  # that something changes since the action needs no words of its own
        reasons = [why for why in reasons if why.relation not in SINCE]
    expected = joined("; ", dict.fromkeys(_expected(why) for why in reasons))
    if unchanged:
        return unchanged_text([expected]), expected
    if outcome == "violated" and reasons:
        evidence = joined("; ", dict.fromkeys(text for why in reasons if (text := _evidence(why))))
        if evidence:
            return say("contract.failed", expected=expected, shown=evidence), expected
    words = say(f"contract.{outcome}")
    why = joined("; ", dict.fromkeys(why.text() for why in reasons))
    return (say("because", what=words, why=why) if why else words), expected


def sent_text(step: int, outcome: str, contracts: Sequence[Contract], changes: Sequence[Became]) -> str:
    """What is known of an action that was sent: done at which step, and why that does not settle it.

    Args:
        step: the number of the proposal, from 1.
        outcome: see `vsalang.guard.world.session_state.Outcome`; not ``done``.
        contracts: of the action, those that were not met; of an ``unseen`` one also what its gesture violated.
        changes: the parameters that the look after it showed otherwise than they were judged.
    """
    if outcome == "violated":
        what = unexpected_texts([contract.to_json() for contract in contracts]) or (say("contract.violated"),)
        return say("sent.violated", step=step, what=joined("; ", what))
    if outcome == "refused":
        return say(
            "sent.refused", step=step, what=joined("; ", [c.reason.message for c in contracts if c.refused])
        )
    if outcome == "moved" and changes:
        changed = joined(
            "; ", [say("sent.parameter", name=b.parameter, found=b.found, judged=b.judged) for b in changes]
        )
        return say("sent.changed", step=step, what=changed)
    if outcome == "unseen" and (what := unexpected_texts([contract.to_json() for contract in contracts])):
        return say("sent.unseen_otherwise", step=step, what=joined("; ", what))
    return say(f"sent.{outcome}", step=step)


def _expected(why: Why) -> str:
    short = why.relation.rpartition(".")[2]
    if why.relation and why.attr and why.wanted:
        return say("contract.wanted_cell", place=f"{short}.{why.attr}", wanted=why.wanted)
    return why.wanted or why.literal or why.label or short


def _evidence(why: Why) -> str:
    short = why.relation.rpartition(".")[2]
    if not why.seen:
        return ""
    if why.relation and why.attr:
        return say("contract.seen_cell", place=f"{short}.{why.attr}", seen=why.seen)
    return why.seen
