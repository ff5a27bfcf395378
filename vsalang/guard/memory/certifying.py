"""Makes certificates: of a verdict with its proof, the screens before and after, and the contracts. No model is asked.

The confidence is ``high`` where the program decided what the action did: each of its contracts was met or violated (and
there was one), or both screens were seen whole and at rest, so that what differs is certain. It is ``low`` where a
contract is inconclusive, nobody knows whether the action arrived, a screen is missing or cut off, the screen was still
changing, or the screens are those of a recorded walk: of those nobody knows whether they were at rest.
"""

from collections.abc import Sequence
from typing import Final

from vsalang.base.source import Span
from vsalang.guard import Contract, Verdict
from vsalang.guard.memory.certificate import (
    AttributeChange,
    Certificate,
    Condition,
    Confidence,
    ContractOutcome,
    Effect,
    NodeName,
    Scope,
    Shown,
    Target,
)
from vsalang.guard.memory.certificate_keys import key_of
from vsalang.guard.memory.texts import clean
from vsalang.program.action import Action
from vsalang.program.gestures import scrolls
from vsalang.program.ir import Program, Spent
from vsalang.program.screen import Screen, UnresolvedTarget
from vsalang.program.walk import literals, uses
from vsalang.screen.control import Change, Delta, NodeRef, Unit, controls, delta
from vsalang.screen.control.keys import marked
from vsalang.screen.screen import TreeScreen
from vsalang.screen.tree import Node, Tree
from vsalang.screen.tree.target import resolve

MOST: Final = 20
"""So many changes, and so many nodes that appeared or went, are told one by one."""
RECORDED: Final = "as it was recorded: nobody knows whether the screens were at rest"
"""The doubt about an effect that would be certain if the screens were not those of a walk."""
HIDDEN: Final = "(hidden)"
"""What is told of a text that is typed into a password's field."""
_LONG: Final = 400
"""So many characters of a condition are kept."""


def certify(
    verdict: Verdict,
    before: Screen | None,
    after: Screen | None,
    program: Program,
    *,
    contracts: Sequence[Contract] = (),
    delivered: bool | None = True,
    module: str = "",
    recorded: bool = False,
) -> Certificate:
    """The certificate of an action that was judged and carried out.

    Args:
        verdict: on which it was committed.
        before: the screen that it was done on.
        after: what was observed next; None: nothing was.
        program: under which it was judged.
        contracts: what the observation said of its `expect` rules.
        delivered: whether it reached the device; None: not known.
        module: a hash of the app's module.
        recorded: whether the screens are those of a recorded walk.
    """
    state, prerequisites = _proof(verdict, program)
    proposal = verdict.proposal
    action = proposal.gesture or next(iter((*proposal.attempts, *proposal.claims)), Action("nothing"))
    info = program.modules[program.main]
    return _certificate(
        action,
        before,
        after,
        scope=Scope(program.main, clean(info.doc, _LONG)),
        state=state,
        prerequisites=prerequisites,
        verdict=verdict,
        contracts=tuple(
            ContractOutcome(one.rule, one.outcome, clean(one.reason.message, _LONG)) for one in contracts
        ),
        delivered=delivered,
        program=program.digest,
        module=module,
        recorded=recorded,
    )


def certify_step(
    action: Action, before: Screen | None, after: Screen | None, *, recorded: bool = True
) -> Certificate:
    """The certificate of a step that nobody judged.

    Args:
        recorded: whether the screens are those of a recorded walk, whose readers take them as settled; else they
            themselves say whether they were.
    """
    return _certificate(action, before, after, scope=Scope(), delivered=True, recorded=recorded)


def _certificate(
    action: Action,
    before: Screen | None,
    after: Screen | None,
    *,
    scope: Scope,
    delivered: bool | None,
    recorded: bool,
    state: tuple[Condition, ...] = (),
    prerequisites: tuple[Condition, ...] = (),
    verdict: Verdict | None = None,
    contracts: tuple[ContractOutcome, ...] = (),
    program: str = "",
    module: str = "",
) -> Certificate:
    tree = before.tree if isinstance(before, TreeScreen) else None
    node = _node(tree, action) if tree is not None else None
    app = before.app if isinstance(before, TreeScreen) and before.app is not None else ("", None)
    unit = _touched(tree, node) if tree is not None and node is not None else None
    effect = Effect(None, None) if delivered is False else _effect(action, before, after, unit, recorded)
    confidence, because = _confidence(effect, contracts, delivered)
    at = verdict.at if verdict is not None else before.now if isinstance(before, TreeScreen) else None
    return Certificate(
        Scope(scope.spec, scope.task, clean(app[0]), clean(app[1])),
        state,
        prerequisites,
        verdict.level if verdict is not None else None,
        _clean_action(action, secret=node is not None and node.password is True),
        tuple(clean(str(each), _LONG) for each in verdict.actions) if verdict is not None else (),
        _target(tree, node, unit) if tree is not None and node is not None else None,
        delivered,
        effect,
        contracts,
        confidence,
        because,
        program,
        key_of(before, action, module=module) if isinstance(before, TreeScreen) else None,
        at,
    )


def _inside(span: Span | None, outer: Span | None) -> bool:
    """Whether a condition is written inside of another."""
    return span is not None and outer is not None and outer.start <= span.start and span.end <= outer.end


def scrolled(screen: Screen, action: Action) -> bool:
    """Whether a gesture only moves one list, so that rows of the next screen are joined to those of this one."""
    if action.name not in ("scroll", "swipe"):
        return action.name == "wait"
    try:
        return scrolls(screen, action.name, screen.target(action.name, action.args)) is not None
    except UnresolvedTarget:
        return False


# ---------------------------------------------------------------- parts


def _proof(verdict: Verdict, program: Program) -> tuple[tuple[Condition, ...], tuple[Condition, ...]]:
    """Why the licences of a verdict held: what was so on the screen and in the app, and what had been done.

    What clauses ask of the parameters of the action itself is left out: it has them.
    """
    rules = {rule.id: rule for rule in program.rules}
    state: dict[Condition, None] = {}
    done: dict[Condition, None] = {}
    for reason in verdict.licensed:
        body = rules[reason.rule].body if reason.rule in rules else ()
        past = [use.span for use in uses(body) if use.past is not None or use.done]
        past += [one.span for one in literals(body) if isinstance(one, Spent)]
        for why in reason.whys:
            condition = Condition(clean(why.text(held=True), _LONG), why.relation, reason.rule)
            relation = program.relations.get(why.relation)
            if any(_inside(why.span, each) for each in past):
                done[condition] = None
            elif relation is None or relation.sort != "action":
                state[condition] = None
    return tuple(state), tuple(done)


def _clean_action(action: Action, *, secret: bool) -> Action:
    """The action with clean texts; `secret`: without what is typed into a field that hides it."""
    args = {name: clean(value) if isinstance(value, str) else value for name, value in action.args.items()}
    if secret and "value" in args:
        args["value"] = HIDDEN
    return Action(action.name, args)


def _touched(tree: Tree, node: Node) -> Unit | None:
    """The control that a gesture touches; None: the node is none."""
    units = [unit for unit in controls(tree) if unit.taker is node or unit.node is node]
    return units[0] if len(units) == 1 else next((unit for unit in units if unit.node is node), None)


def _target(tree: Tree, node: Node, unit: Unit | None) -> Target:
    """The control; of a node without a control, the node."""
    if unit is None:
        mark = marked(tree)[node.node]
        return Target(mark.key, "", clean(mark.label or node.label), "", "", clean(node.id), mark.certain)
    return Target(
        unit.key,
        unit.kind,
        clean(unit.label),
        clean(unit.value),
        clean(unit.section),
        clean(unit.node.id or node.id),
        unit.certain,
    )


def _node(tree: Tree, action: Action) -> Node | None:
    try:
        number = resolve(tree, action.name, action.args).get("node")
    except UnresolvedTarget:
        return None
    return tree.by_number.get(number) if isinstance(number, int) else None


def _effect(
    action: Action, before: Screen | None, after: Screen | None, unit: Unit | None, recorded: bool
) -> Effect:
    if not isinstance(before, TreeScreen) or not isinstance(after, TreeScreen):
        return Effect(None, None, certain=False, doubt="no screen was seen before or after it")
    difference = delta(before.tree, after.tree, scrolled=scrolled(before, action))
    doubt = ""
    if before.partial or after.partial:
        doubt = "the screen was cut off"
    elif not after.settled:
        doubt = "the screen was still changing"
    elif difference.transition != "NoChange" and not _sure(difference):
        doubt = "what differs is ambiguous"
    elif recorded:
        doubt = RECORDED
    rest = sum(
        max(0, len(each) - MOST) for each in (difference.changed, difference.appeared, difference.gone)
    )
    return Effect(
        difference.transition,
        round(difference.ratio, 4),
        tuple(
            AttributeChange(
                each.ref.key,
                clean(each.ref.label),
                each.attribute,
                _value(each.before),
                _value(each.after),
            )
            for each in _own_first(difference, unit)[:MOST]
        ),
        _named(difference.appeared),
        _named(difference.gone),
        rest,
        len(difference.scrolled),
        tuple(clean(text) for text in after.toasts[:MOST]),
        not doubt,
        doubt,
    )


def _own_first(delta: Delta, unit: Unit | None) -> list[Change]:
    """What changed, the control that was touched first, and of it first whether it is checked or selected."""
    own = {part.node.node for part in unit.parts} | {unit.taker.node} if unit is not None else set()
    now = {after.node for before, after in delta.matched if before.node in own}

    def place(each: Change) -> int:
        return 2 if each.ref.node.node not in now else each.attribute not in ("checked", "selected")

    return sorted(delta.changed, key=place)


def _sure(delta: Delta) -> bool:
    """Whether something differs that nothing else of the screens looks like."""
    refs = (*(each.ref for each in delta.changed), *delta.appeared, *delta.gone)
    return bool(delta.scrolled) or any(ref.certain for ref in refs)


def _named(refs: Sequence[NodeRef]) -> tuple[NodeName, ...]:
    return tuple(NodeName(ref.key, clean(ref.label), ref.certain) for ref in refs[:MOST])


def _value(value: Shown) -> Shown:
    return clean(value) if isinstance(value, str) else value


def _confidence(
    effect: Effect, contracts: Sequence[ContractOutcome], delivered: bool | None
) -> tuple[Confidence, str]:
    if delivered is False:
        return "high", "it did not reach the device"
    if delivered is None:
        return "low", "whether it reached the device is not known"
    outcomes = {each.outcome for each in contracts}
    if "inconclusive" in outcomes:
        return "low", "whether it came out as expected could not be told"
    if outcomes:
        return "high", "what was expected of it was decided"
    if effect.certain:
        return "high", "both screens were seen whole and at rest"
    return "low", effect.doubt
