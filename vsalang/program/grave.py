"""Which actions are so grave that what nothing licenses of them is blocked, whatever an owner says."""

from collections.abc import Mapping

from vsalang.program.ir import Relation


def grave(relations: Mapping[str, Relation], action: str) -> bool:
    """Whether an action is the device's own, is declared with ``@severity(critical)``, or refines one that is."""
    relation = relations[action]
    if relation.module in ("", "std.android") or "critical" in relation.annotations.get("severity", ()):
        return True
    return relation.refines is not None and grave(relations, relation.refines.action)
