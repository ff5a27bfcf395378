"""The data of a certificate. Every text, from any source, is one printable line, cut (`vsalang.guard.memory.texts`)."""

import datetime as dt
from typing import Literal, TypeAlias

from vsalang.base.records import dataclass
from vsalang.guard.memory.certificate_keys import Key
from vsalang.program.action import Action
from vsalang.program.example import Level
from vsalang.screen.control import Transition

Confidence: TypeAlias = Literal["high", "low"]
Outcome: TypeAlias = Literal["met", "violated", "inconclusive"]
Shown: TypeAlias = str | bool | int | None
"""A value of an attribute; None: the screen shows none."""


@dataclass(frozen=True, slots=True)
class Scope:
    """In what it holds.

    Attributes:
        spec: the name of the program; empty: there was none.
        task: what the user said, as its header tells.
        app, activity: in the foreground before; empty: not known.
    """

    spec: str = ""
    task: str = ""
    app: str = ""
    activity: str = ""


@dataclass(frozen=True, slots=True)
class Condition:
    """A condition that held when the action was permitted.

    Attributes:
        text: the condition as a sentence, with what was seen.
        relation: what it is about, qualified; empty for comparisons.
        rule: the id of the clause that asks for it.
    """

    text: str
    relation: str
    rule: str


@dataclass(frozen=True, slots=True)
class Target:
    """The control that was acted on: see `vsalang.screen.control.Unit`. An empty `kind`: the node is not a control."""

    name: str
    kind: str
    label: str
    value: str
    section: str
    id: str
    certain: bool


@dataclass(frozen=True, slots=True)
class AttributeChange:
    """An attribute of a node that is on both screens."""

    node: str
    label: str
    attribute: str
    before: Shown
    after: Shown


@dataclass(frozen=True, slots=True)
class NodeName:
    """A node that is on one of the screens only."""

    node: str
    label: str
    certain: bool


@dataclass(frozen=True, slots=True)
class Effect:
    """What differs between the screen before and the one after (`vsalang.screen.control.Delta`).

    Attributes:
        transition: how much; None: one of the screens was not seen.
        ratio: of the nodes that are on both; None as well.
        changed, appeared, gone: the first `MOST` of each.
        more: how many further ones there are.
        scrolled: how many lists moved.
        messages: what short messages said.
        certain: whether both screens were seen whole and at rest, so that the transition is one.
        doubt: why it is not certain; empty if it is.
    """

    transition: Transition | None
    ratio: float | None
    changed: tuple[AttributeChange, ...] = ()
    appeared: tuple[NodeName, ...] = ()
    gone: tuple[NodeName, ...] = ()
    more: int = 0
    scrolled: int = 0
    messages: tuple[str, ...] = ()
    certain: bool = True
    doubt: str = ""


@dataclass(frozen=True, slots=True)
class ContractOutcome:
    """An `expect` rule, and its outcome."""

    rule: str
    outcome: Outcome
    message: str


@dataclass(frozen=True, slots=True)
class Certificate:
    """What an action did, and why it was permitted.

    Attributes:
        scope: in what it holds.
        state: what held on the screen and in the app's state, so that the action was permitted.
        prerequisites: what had been done before, so that it was permitted.
        level: the verdict; None: nobody judged it (a recorded walk).
        action: the gesture, or the critical action that was proposed.
        actions: the critical actions that it is, as in a program.
        unit: the control that it touched; None: none, or not known.
        delivered: whether it reached the device; None: not known.
        effect: what differs since.
        contracts: what was expected of it.
        confidence, because: ``high`` if the program decided what it did, and how; see
            `vsalang.guard.memory.certifying`.
        program: the digest of the program; empty: there was none.
        key: under which it is remembered; None: nobody knows what it touched.
        at: when it was judged, by the device's clock; of a walk the time of its screen, if
            it says one.
    """

    scope: Scope
    state: tuple[Condition, ...]
    prerequisites: tuple[Condition, ...]
    level: Level | None
    action: Action
    actions: tuple[str, ...]
    unit: Target | None
    delivered: bool | None
    effect: Effect
    contracts: tuple[ContractOutcome, ...]
    confidence: Confidence
    because: str
    program: str
    key: Key | None
    at: dt.datetime | None
