"""What runs although the guard would have stopped it: how it is accounted for."""

from dataclasses import replace

from vsalang.guard.judge.licences import FREE, Grant, Licences
from vsalang.guard.world.state import Judged, Snapshot

HELD = frozenset({"error", "running", "finished"})
"""Kinds of reasons that hold in every mode: what was not judged, or what would come while an action is under way or
after the session cannot be accounted for."""


def outside(judged: Judged, state: Snapshot, licences: Licences) -> Judged:
    """What was judged, as it is committed whatever the verdict was: it ran, so it is in the history.

    Of its critical actions those that the licences bear are charged to them. The others ran outside every licence, and
    use none up. Of what was refused before its effects were worked out none are known.
    """
    if not judged.world.tables:
        judged = replace(judged, world=state.world)
    if judged.level != "allow":
        judged = replace(judged, returns=frozenset())  # nobody was asked
    charged = state.charged(judged.returns)
    grants: list[Grant] = []
    for grant in judged.grants:
        borne = licences.bears([*charged, *grants, grant])
        grants.append(grant if borne else replace(grant, clauses=frozenset({FREE})))
    granted = {(grant.relation, grant.row) for grant in judged.grants}
    grants += [
        Grant(name, row, frozenset({FREE}))
        for name, rows in judged.instances.items()
        for row in rows
        if (name, row) not in granted
    ]
    return replace(judged, grants=tuple(grants))
