"""Which actions are so grave that what nothing licenses of them is blocked, whatever an owner says."""

from collections.abc import Mapping

from vsalang.program.ir import Judge, Lit, Relation, Rule


def grave(relations: Mapping[str, Relation], action: str) -> bool:
    """Whether an action is the device's own, is declared with ``@severity(critical)``, or refines one that is."""
    relation = relations[action]
    if relation.module in ("", "std.android") or "critical" in relation.annotations.get("severity", ()):
        return True
    return relation.refines is not None and grave(relations, relation.refines.action)


_OUT = frozenset({"std.effects.Pay", "std.effects.Order", "std.effects.Send"})


def asked_again(relations: Mapping[str, Relation], action: str) -> bool:
    """Whether an action that the app refused is tried again only if the user agrees.

    So are those that are grave, and those that pay, order or send.
    """
    relation: Relation | None = relations[action]
    if grave(relations, action):
        return True
    while relation is not None:
        if relation.name in _OUT or "financial" in relation.annotations.get("risk", ()):
            return True
        relation = relations[relation.refines.action] if relation.refines is not None else None
    return False


def mild(relations: Mapping[str, Relation], action: str) -> bool:
    """Whether an action is declared with ``@severity(low)``: it can be undone, and nobody else sees it."""
    return "low" in relations[action].annotations.get("severity", ())


def near_actions(rule: Rule, relations: Mapping[str, Relation]) -> tuple[str, ...]:
    """The actions that a task must allow for a rule with ``@unlicensed warn`` to be heard: of the module of its own."""
    item = rule.body[0]
    assert isinstance(item, Lit)
    module = relations[item.atom.relation].module
    return tuple(f"{module}.{name}" for name in rule.annotations.get("near", ()))


def lowered_action(rule: Rule, relations: Mapping[str, Relation]) -> str | None:
    """The one action that a rule with ``@unlicensed`` is about; None: it is not such a rule, and is not heard."""
    item = rule.body[0] if len(rule.body) == 1 and not rule.extra else None
    if not isinstance(rule.head, Judge) or rule.head.level not in ("confirm", "warn"):
        return None
    if not isinstance(item, Lit) or item.neg or item.past is not None:
        return None
    relation = relations.get(item.atom.relation)
    if relation is None or relation.sort != "action" or grave(relations, relation.name):
        return None
    if rule.head.level == "warn" and not (mild(relations, relation.name) and near_actions(rule, relations)):
        return None
    return relation.name
