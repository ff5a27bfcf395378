"""What the guard answers: verdicts with reasons, as data. Renderers (feedback, command line) live elsewhere."""

import datetime as dt
from collections.abc import Callable, Iterable, Mapping
from dataclasses import field, replace
from typing import TYPE_CHECKING, Any, Final, TypeAlias
from typing import Literal as OneOf

from vsalang.base.names import Mode as Mode
from vsalang.base.records import dataclass
from vsalang.base.source import Span
from vsalang.engine.explain.finding import State
from vsalang.guard.world.clock import Times
from vsalang.program.action import Action
from vsalang.program.example import LEVELS, Fact, Level
from vsalang.program.ir import Rule
from vsalang.program.phrases import joined, say
from vsalang.program.screen import Cells
from vsalang.program.show import short_name
from vsalang.program.similarity import Behind
from vsalang.program.text import first_sentence, line
from vsalang.program.values import Value, show

HOLDING = frozenset({"deny", "confirm", "warn", "flag"})
"""The kinds of reasons that speak because a rule holds."""
"""What speaks against a touch before it is judged: that nobody knows what it does, anything else, or nothing."""


def worst(levels: "tuple[Level, ...] | list[Level]") -> Level:
    """The greatest of levels in the order allow < warn < confirm < block; ``allow`` of none."""
    return max(levels, key=LEVELS.index, default="allow")


@dataclass(frozen=True, slots=True)
class Why:
    """One condition of a rule, and what was found.

    Attributes:
        state: ``unknown``: what was seen neither meets nor refutes it.
        relation: qualified name of the relation it is about; empty for comparisons of terms.
        attr: the attribute it is about; empty when it is about whole rows.
        label: the attribute's or relation's description, else its name: words for people.
        seen: the value seen, as it prints in a program; ``unknown``; or words such as ``no such row``.
        wanted: operator and value wanted, or words.
        literal: the condition as source text, with the values that are known put in.
        row: the row that was looked at, known cells only.
        incomplete: it fails only for rows that may exist unseen.
        span: where the condition is written.
        names: further words by which ``because`` may name it.
        set_unseen: it was set by an action, and nobody has seen since whether it is so.
        similarity: who compared the texts, if it is decided by ``~=``.
    """

    state: State
    relation: str = ""
    attr: str = ""
    label: str = ""
    seen: str = ""
    wanted: str = ""
    literal: str = ""
    row: Mapping[str, Value] = field(default_factory=dict, hash=False)
    incomplete: bool = False
    span: Span | None = None
    names: frozenset[str] = frozenset()
    set_unseen: bool = False
    similarity: Behind | None = None

    def all_names(self) -> frozenset[str]:
        """Every word by which ``because`` may name this condition."""
        names = set(self.names)
        if self.relation:
            short = short_name(self.relation)
            names |= {self.relation, short}
            if self.attr:
                names |= {self.attr, f"{short}.{self.attr}", f"{self.relation}.{self.attr}"}
        if self.incomplete:
            names.add("incomplete")
        return frozenset(names)

    def text(self, *, held: bool = False) -> str:
        """The condition as a sentence: what was seen and what is wanted (`vsalang.program.phrases.read` translates it).

        Args:
            held: it belongs to a rule that speaks against something because it holds: nothing is wanted, so only what
                was seen is said.
        """
        text = self._text(held=held)
        if self.similarity is None:
            return text
        return say("why.similar", condition=text, by=line(str(self.similarity), 300))

    def _text(self, *, held: bool) -> str:
        label = first_sentence(self.label)
        subject = label or self.attr or self.relation.rpartition(".")[2] or self.literal
        short = self.relation.rpartition(".")[2]
        place = ""
        if self.relation and self.attr:
            place = f"{short}.{self.attr}"
        elif self.relation and label:
            place = short
        if not self.seen and not self.set_unseen and (held or not self.wanted):
            return self.literal or subject
        if place:
            subject = say("why.place", subject=subject, place=place)
        if self.set_unseen and self.wanted and not held:
            return say("why.set_wanted", subject=subject, wanted=self.wanted)
        if self.set_unseen:
            return say("why.set", subject=subject)
        # Of whole rows `seen` is a phrase ("not seen"), of cells and terms a value.
        phrase = self.seen if self.relation and not self.attr else say("why.value", value=self.seen)
        if held or not self.wanted:
            return say("why.seen", subject=subject, seen=phrase)
        if not self.seen:
            return say("why.wanted", subject=subject, wanted=self.wanted)
        return say("why.both", subject=subject, seen=phrase, wanted=self.wanted)

    def to_json(self) -> dict[str, Any]:
        """The condition as JSON data."""
        return {
            "state": self.state,
            "relation": self.relation,
            "attr": self.attr,
            "label": self.label,
            "seen": self.seen,
            "wanted": self.wanted,
            "literal": self.literal,
            "row": {name: show(value) for name, value in self.row.items()},
            "incomplete": self.incomplete,
            **({"set_unseen": True} if self.set_unseen else {}),
            **({"similarity": self.similarity.to_json()} if self.similarity is not None else {}),
            "span": _span_json(self.span),
        }


@dataclass(frozen=True, slots=True)
class Doubt:
    """What would hold a proposal back.

    Attributes:
        held: it would be asked about, or blocked.
        unknown: nobody knows what the touch does.
        actions: the critical actions that it is, by their qualified names.
    """

    held: bool = False
    unknown: bool = False
    actions: frozenset[str] = frozenset()


Words: TypeAlias = tuple[str, tuple[Why, ...], tuple[Why, ...]]
"""A message, the conditions behind it, and those that are met anyway."""
_LATER: Final = ("message", "whys", "met")


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a verdict is what it is.

    Attributes:
        kind: ``deny``, ``confirm``, ``warn``, ``flag`` (judging rules); ``unlicensed`` (no clause for the action, or
            no clause's pattern fits), ``unmet`` (a clause does not hold), ``incomplete`` (it fails only for rows not
            seen), ``licence`` (used up); ``frontier`` (off track); ``closed``, ``unknown_screen``, ``unknown_touch``;
            ``conflict`` (two values for one cell); ``unresolved`` (no such target); ``claim`` (names no action);
            ``finished``, ``running``, ``no_screen``; ``unanswered`` (a backend of ``~=`` failed);
            ``doubtful`` (a text that it cannot compare); ``error``; ``contract``.
        level: what this reason alone asks for.
        rule: id of the rule, or empty.
        message: one sentence for the agent.
        whys: the conditions behind it; for rules that do not hold every one that is not met.
        annotations: the rule's (and the action's) annotations: ``risk``, ``severity``, ``source``.
        met: of a rule that does not hold, the conditions that are met anyway, with the values seen.
        change: the change of meaning that it depends on (`vsalang.program.meaning`); empty: none.
        words: makes the message, the `whys` and what is `met` when one of them is first read; None: they are made.
    """

    kind: str
    level: Level
    message: str
    rule: str = ""
    module: str = ""
    span: Span | None = None
    whys: tuple[Why, ...] = ()
    names: frozenset[str] = frozenset()
    annotations: Mapping[str, tuple[Value, ...]] = field(default_factory=dict, hash=False)
    met: tuple[Why, ...] = ()
    change: str = ""
    words: "Callable[[], Words] | None" = field(default=None, repr=False, compare=False)

    @classmethod
    def later(
        cls,
        kind: str,
        level: Level,
        words: "Callable[[], Words]",
        *,
        rule: Rule,
        message: str | None = None,
        names: frozenset[str] = frozenset(),
        annotations: Mapping[str, tuple[Value, ...]],
    ) -> "Reason":
        """The reason of a rule whose conditions are put into words when they are first read: most are not.

        Args:
            message: if it is known already.
            words: makes them, of what was kept of the moment. What it raises is raised to who reads; it is asked again
                then.
        """
        reason = cls(
            kind,
            level,
            message or "",
            rule.id,
            rule.module,
            rule.head_span or rule.span,
            names=names,
            annotations=annotations,
            words=words,
        )
        for name in _LATER if message is None else _LATER[1:]:
            object.__delattr__(reason, name)
        return reason

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            if name not in _LATER:
                raise AttributeError(f"a reason has no attribute {name!r}")
            words = self.words
            if words is not None:
                for attr, value in zip(_LATER, words(), strict=True):
                    object.__setattr__(self, attr, value)
                object.__setattr__(self, "words", None)
            return object.__getattribute__(self, name)

    def called(self, word: str) -> bool:
        """Whether ``because word`` names this reason."""
        if word in (self.kind, self.rule, *self.names):
            return True
        return any(word in why.all_names() for why in self.whys)

    @property
    def held(self) -> bool:
        """Whether it is a reason because its rule holds, so that nothing of its conditions is wanted."""
        return self.kind in HOLDING

    def texts(self) -> tuple[str, ...]:
        """The conditions as sentences, each once."""
        return tuple(dict.fromkeys(why.text(held=self.held) for why in self.whys))

    def to_json(self) -> dict[str, Any]:
        """The reason as JSON data."""
        return {
            "kind": self.kind,
            "level": self.level,
            "message": self.message,
            "rule": self.rule,
            "module": self.module,
            "span": _span_json(self.span),
            "whys": [why.to_json() for why in self.whys],
            "annotations": {
                name: [show(value, bare=True) for value in values]
                for name, values in self.annotations.items()
            },
            **({"change": self.change} if self.change else {}),
        }


@dataclass(frozen=True, slots=True)
class Proposal:
    """What is proposed in one turn; judged as one.

    Attributes:
        gesture: at most one gesture.
        attempts: critical actions proposed directly (``finish``, ``answer(..)``; in tests any).
        claims: actions that the agent says this is; they only add duty.
        writes: predicted effects given directly (tests, plans): facts whose cells are written.
        deletes: rows that go, by pattern.
    """

    gesture: Action | None = None
    attempts: tuple[Action, ...] = ()
    claims: tuple[Action, ...] = ()
    writes: tuple[Fact, ...] = ()
    deletes: tuple[Fact, ...] = ()

    def __post_init__(self) -> None:
        # what was judged stays as it was, even if the caller changes what they gave
        for name in ("attempts", "claims"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
        for name in ("writes", "deletes"):
            facts = tuple(replace(fact, cells=dict(fact.cells)) for fact in getattr(self, name))
            object.__setattr__(self, name, facts)

    def key(self) -> tuple[Any, ...]:
        """Equal for proposals that are exactly the same (values of different types are never equal)."""
        return (
            _action_key(self.gesture) if self.gesture else None,
            frozenset(map(_action_key, self.attempts)),
            frozenset(map(_action_key, self.claims)),
            frozenset((fact.relation, fact.keep, _cells_key(fact.cells)) for fact in self.writes),
            frozenset((fact.relation, _cells_key(fact.cells)) for fact in self.deletes),
        )

    def __str__(self) -> str:
        parts = [str(self.gesture)] if self.gesture else []
        parts += [str(action) for action in self.attempts]
        parts += [f"update {fact.relation}" for fact in self.writes]
        parts += [f"delete {fact.relation}" for fact in self.deletes]
        return ", ".join(parts) or "nothing"


def _cells_key(cells: Mapping[str, Any]) -> frozenset[tuple[str, str, Any]]:
    return frozenset((name, type(value).__name__, value) for name, value in cells.items())


def _action_key(action: Action) -> tuple[str, frozenset[tuple[str, str, Any]]]:
    return action.name, _cells_key(action.args)


@dataclass(frozen=True, slots=True)
class Verdict:
    """The guard's decision about one proposal.

    Attributes:
        level: allow, warn, confirm, block.
        reasons: all of them, the gravest first; of an allowed repetition the warnings that it overrides.
        proposal: what was judged.
        token: unique within the session; a commit names the verdict by it.
        at: when it was judged, by the guard's clock.
        fingerprint: of the screen it was judged on; empty before the first observation.
        actions: the critical actions recognised, attempted or claimed.
        screens: where it leads, by the program's `goto` rules (qualified names).
        flags: what `flag` rules record.
        overridden: it passes because it repeats a warned proposal.
        mode: of the guard that gave it.
        binding: whether the level decides what may pass. In the mode ``shadow`` it does not, but for what the guard
            could not judge or keep account of.
        licensed: the clauses that permit the critical actions: reasons of the kind ``licensed``, whose `whys` are the
            conditions with the values seen.
        took: seconds that judging took.
        times: what all clocks of the session said then.
        read: the nodes that must still show when it is carried out: those that the rules read which recognised and
            licensed its critical actions, and those that show a parameter. Of each the attributes of ``Node`` that must
            be as they are here; an empty text: it must have none.
        touched: the label of what its gesture touches, if that names a place only (`vsalang.guard.say.touched`).
    """

    level: Level
    reasons: tuple[Reason, ...]
    proposal: Proposal
    token: int
    at: dt.datetime
    fingerprint: str = ""
    actions: tuple[Action, ...] = ()
    screens: tuple[str, ...] = ()
    flags: tuple[Reason, ...] = ()
    overridden: bool = False
    mode: Mode = "enforce"
    binding: bool = True
    licensed: tuple[Reason, ...] = ()
    took: float = field(default=0.0, compare=False)
    times: Times | None = field(default=None, compare=False, repr=False)
    read: tuple[Cells, ...] = field(default=(), compare=False, repr=False)
    touched: str = field(default="", compare=False)

    @property
    def allowed(self) -> bool:
        """Whether it may be committed without asking anyone; in the mode ``shadow`` that is not the level's word."""
        return self.level == "allow" or not self.binding

    def because(self, word: str) -> bool:
        """Whether ``because word`` names one of the reasons."""
        return any(reason.called(word) for reason in self.reasons)

    def to_json(self) -> dict[str, Any]:
        """The verdict as a journal records it (`vsalang.guard.say.verdict_document` is what other programs read)."""
        return {
            "level": self.level,
            "proposal": str(self.proposal),
            "at": self.at.isoformat(),
            "fingerprint": self.fingerprint,
            "actions": [str(action) for action in self.actions],
            "screens": list(self.screens),
            "overridden": self.overridden,
            "mode": self.mode,
            "binding": self.binding,
            "reasons": [reason.to_json() for reason in self.reasons],
            "flags": [reason.to_json() for reason in self.flags],
            **({"touched": self.touched} if self.touched else {}),
        }


class NotAllowed(Exception):
    """A commit that is not allowed. `verdict` is the newest verdict on it, if there is one."""

    def __init__(self, message: str, verdict: Verdict | None = None) -> None:
        super().__init__(message)
        self.verdict = verdict


@dataclass(frozen=True, slots=True)
class WantedValue:
    """What a condition wants of one attribute.

    Attributes:
        label: the attribute's description.
        value: None: it is not known, or no single value.
    """

    attr: str
    op: str
    value: Value | None = None
    label: str = ""


@dataclass(frozen=True, slots=True)
class ExpectedCondition:
    """One condition of an inconclusive contract.

    Attributes:
        text: as source text, with the values that are known put in.
        relation: its qualified name; empty: it is more than one row that is, or is not, there now.
        sort: the relation's.
        label: the relation's description.
        negated: no such row may be there.
        wanted: of that row.
    """

    text: str
    relation: str = ""
    sort: str = ""
    label: str = ""
    negated: bool = False
    wanted: tuple[WantedValue, ...] = ()

    @property
    def refutable(self) -> bool:
        """Whether something that is seen can speak against it: that a row is missing on a screen never does."""
        return self.negated or self.sort in ("state", "view", "list", "screen")


@dataclass(frozen=True, slots=True)
class Contract:
    """The result of an `expect` rule after the action executed: met, violated, inconclusive.

    Attributes:
        answered: it is violated, and by what the app newly shows: nothing that comes later answers this action.
        expected: of an inconclusive one, each condition.
        wanted: in words, what was expected and is not seen.
        unchanged: it is violated, and the screen after the action is the one before it.
        refused: it is violated, for the app showed that it refused the action (`@refusal`).
    """

    rule: str
    outcome: OneOf["met", "violated", "inconclusive"]
    reason: Reason
    actions: tuple[str, ...] = ()
    answered: bool = False
    expected: tuple[ExpectedCondition, ...] = ()
    wanted: str = ""
    unchanged: bool = False
    refused: bool = False

    def to_json(self) -> dict[str, Any]:
        """The contract as a journal records it."""
        return {
            "rule": self.rule,
            "outcome": self.outcome,
            "message": self.reason.message,
            "actions": list(self.actions),
            **({"unchanged": True, "wanted": self.wanted} if self.unchanged else {}),
            **({"refused": True} if self.refused else {}),
        }


def unexpected_texts(contracts: Iterable[Mapping[str, Any]]) -> tuple[str, ...]:
    """What is said of contracts (`Contract.to_json`) that were violated; that nothing changed, once for all of them."""
    violated = [each for each in contracts if each.get("outcome") == "violated"]
    still = [each.get("wanted", "") for each in violated if each.get("unchanged") is True]
    texts = [unchanged_text(still)] if still else []
    return (*texts, *(each.get("message", "") for each in violated if each.get("unchanged") is not True))


def unchanged_text(expected: Iterable[str]) -> str:
    """That nothing changed on the screen, and what was expected instead."""
    texts = [text for text in dict.fromkeys(expected) if text]
    return (
        say("contract.unchanged", expected=joined("; ", texts)) if texts else say("contract.unchanged_only")
    )


@dataclass(frozen=True, slots=True)
class Became:
    """A parameter of an action that the look after it shows otherwise than it was judged.

    Attributes:
        parameter: such as ``Pay.to``.
        judged, found: the values, as they print in a program.
    """

    parameter: str
    judged: str
    found: str

    def __str__(self) -> str:
        return f"{self.parameter} is {self.found} and was judged as {self.judged}"

    def to_json(self) -> dict[str, str]:
        """The parameter as JSON data."""
        return {"parameter": self.parameter, "judged": self.judged, "found": self.found}


@dataclass(frozen=True, slots=True)
class ObservationResult:
    """What one observation did.

    Attributes:
        point: the number of the history point it made.
        conflicts: observations that disagree; those cells are unknown now.
        differences: cells whose observed value is another than the predicted one.
        contracts: of the action that ran before it.
        recorded: judging rules that hold after it; they are too late to prevent anything.
        taken_back: critical actions that do not count as done any more: they did not come out as expected. Their
            licences stay used.
        came_late: critical actions of which this observation showed that they were done after all.
        changed: the parameters that the action before it shows with another value than it was judged with. It is not
            known with which it was done: its outcome is ``moved``.
    """

    point: int
    conflicts: tuple[Reason, ...] = ()
    differences: tuple[Why, ...] = ()
    contracts: tuple[Contract, ...] = ()
    recorded: tuple[Reason, ...] = ()
    taken_back: tuple[Action, ...] = ()
    came_late: tuple[Action, ...] = ()
    changed: tuple[Became, ...] = ()

    @property
    def problem(self) -> str:
        """In one sentence, what `changed` says; empty: nothing changed."""
        if not self.changed:
            return ""
        attributes = ", ".join(map(str, self.changed))
        return f"what was judged has changed: {attributes}; it is not known with which it was done"

    @property
    def unexpected(self) -> tuple[str, ...]:
        """What is said of the contracts that were violated."""
        return unexpected_texts([contract.to_json() for contract in self.contracts])

    @property
    def noticed(self) -> tuple[str, ...]:
        """For the agent, a line each: what came out otherwise than expected, and what is not known any more."""
        lines = [f"Not as expected: {text}" for text in self.unexpected]
        lines += [conflict.message for conflict in self.conflicts]
        return tuple(line(text) for text in lines)


def _span_json(span: Span | None) -> dict[str, Any] | None:
    return None if span is None else {"file": str(span.file), "start": span.start, "end": span.end}
