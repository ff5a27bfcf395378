"""What could be done next: one candidate for each effect, and why others are not candidates."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final, Literal, TypeAlias, get_args

from vsalang.base.records import dataclass
from vsalang.guard import Proposal, Reason
from vsalang.program.action import GESTURES, Action
from vsalang.program.text import line
from vsalang.screen.control import Kind, Unit

CandidateKind: TypeAlias = Literal[
    "tap",
    "long_press",
    "type",
    "clear",
    "scroll",
    "swipe",
    "open_app",
    "wait",
    "home",
    "back",
    "answer",
    "finish",
]
"""What is done: gestures on controls, then those of the whole phone, then what ends or answers."""

CANDIDATE_KINDS: Final[tuple[CandidateKind, ...]] = get_args(CandidateKind)

Need: TypeAlias = Literal["text", "app", "answer"]
"""What a candidate still lacks: the text that is typed, the app that is opened, the answer to the user."""

_NEEDED: Final = {"text": "value", "app": "name", "answer": "text"}
"""Need -> the argument of the action that it is."""
_LONGEST: Final = 300
_INCLUDED: Final[Mapping[CandidateKind, Mapping[CandidateKind, tuple[str, str]]]] = {
    "type": {"clear": ("clear_text", "clear"), "tap": ("tap", "tap")}
}
"""What is done -> what it includes, the action that is only that, and its verb: typing begins with a touch of the field
and replaces what it holds, and the empty text clears it."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """An action that could be done next.

    Attributes:
        key: its name, the same on the next dump if its control's is certain: ``KEY.tap``, ``KEY.scroll.down``,
            ``back``.
        kind: what is done.
        action: as the guard takes it. What it `needs` is left out of it, so it may not be done before `completed`.
        text: in a person's words: ``press "Save"``. What apps wrote is quoted in it and cut.
        unit: the control it is done on; None: it is done on none.
        needs: what is left out of `action`; None: nothing.
        same: the numbers of other nodes whose touch does the same.
    """

    key: str
    kind: CandidateKind
    action: Action
    text: str
    unit: Unit | None = None
    needs: Need | None = None
    same: tuple[int, ...] = ()

    @property
    def control(self) -> Kind | None:
        """The kind of its control; None: it has none."""
        return None if self.unit is None else self.unit.kind

    @property
    def node(self) -> int | None:
        """The number of the node that takes the gesture; None: no node does."""
        return None if self.unit is None else self.unit.taker.node

    @property
    def proposal(self) -> Proposal:
        """What the guard judges."""
        if self.action.name in GESTURES:
            return Proposal(self.action)
        return Proposal(attempts=(self.action,))

    def completed(self, value: str) -> "Candidate":
        """The same with what it needs; its proposal must be judged again.

        Args:
            value: the text, the name of the app, or the answer. Of a text the empty one clears the field.

        Raises:
            ValueError: it needs nothing.
        """
        if self.needs is None:
            raise ValueError(f"{self.key} needs nothing")
        if self.kind == "type" and not value:
            return self.only("clear")
        args = {**self.action.args, _NEEDED[self.needs]: value}
        return replace(self, action=Action(self.action.name, args), needs=None)

    def includes(self, kind: CandidateKind) -> bool:
        """Whether it does what a candidate of that kind on its control would do, and more: typing touches the field."""
        return kind in _INCLUDED.get(self.kind, {})

    def only(self, kind: CandidateKind) -> "Candidate":
        """What it `includes`, by itself.

        Raises:
            KeyError: it does not include that.
        """
        name, verb = _INCLUDED[self.kind][kind]
        key = f"{self.key.removesuffix(self.kind)}{kind}"
        text = verb + self.text.removeprefix("type into")
        args = {each: value for each, value in self.action.args.items() if each != _NEEDED["text"]}
        return replace(self, key=key, kind=kind, action=Action(name, args), text=text, needs=None)

    def to_json(self) -> dict[str, Any]:
        """The candidate as JSON values."""
        return {
            "key": self.key,
            "kind": self.kind,
            "control": self.control,
            "node": self.node,
            "text": self.text,
            "action": str(self.action),
            "needs": self.needs,
        }


DropRule: TypeAlias = Literal[
    "disabled",
    "covered",
    "same effect",
    "no long press",
    "nothing to clear",
    "scrolled to its end",
    "keyboard",
    "in the foreground",
    "nothing to wait for",
    "chosen already",
    "too many",
    "not done",
    "not allowed",
    "blocked",
    "open",
    "tried",
]
"""Why something is not a candidate. ``not done``, ``not allowed`` and ``blocked`` are the guard's word; the last two an
agent's: nobody says what it needs, and it did nothing, or was taken back, when it was done here before."""


@dataclass(frozen=True, slots=True)
class DroppedAction:
    """What is not a candidate.

    Attributes:
        text: what it would have been, in a person's words.
        rule: why not.
        detail: more of it; may be empty.
        candidate: what was dropped after it had been a candidate; None: it never was one.
        rules: the ids of the rules of the program that block it.
        instead: the key of the candidate that does the same; if that one cannot be done, this is a candidate.
        reasons: of the verdict that blocks it.
    """

    text: str
    rule: DropRule
    detail: str = ""
    candidate: Candidate | None = None
    rules: tuple[str, ...] = ()
    instead: str = ""
    reasons: tuple[Reason, ...] = ()

    @property
    def why(self) -> str:
        """More of the rule: its detail, or the reasons, which are put into words when somebody asks."""
        return self.detail or "; ".join(dict.fromkeys(line(each.message, _LONGEST) for each in self.reasons))

    def to_json(self) -> dict[str, Any]:
        """The same as JSON values."""
        key = None if self.candidate is None else self.candidate.key
        return {"key": key, "text": self.text, "rule": self.rule, "why": self.why, "rules": list(self.rules)}


@dataclass(frozen=True, slots=True)
class Enumeration:
    """The candidates of a screen, in the order of the document, and what was left out."""

    candidates: tuple[Candidate, ...]
    dropped: tuple[DroppedAction, ...] = ()


@dataclass(frozen=True, slots=True)
class JudgedCandidate:
    """A candidate that the guard does not block.

    Attributes:
        level: of the verdict: ``allow``, ``warn`` or ``confirm``.
        reasons: of the verdict.
        open: what it `needs` is not known yet, so it could not be judged to its end.
    """

    candidate: Candidate
    level: Literal["allow", "warn", "confirm"] = "allow"
    reasons: tuple[Reason, ...] = ()
    open: bool = False
