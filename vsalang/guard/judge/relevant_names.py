"""Which of a gesture's other names some rule mentions: only those need to be judged."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence

from vsalang.base.once import once_each
from vsalang.base.records import dataclass
from vsalang.engine.explain.terms import Context, constant, fits
from vsalang.guard.world.rule_book import of_a_gesture
from vsalang.program.gestures import Name
from vsalang.program.graph import reachable
from vsalang.program.ir import Constraint, Derive, Expect, Program, Rule, Sort, Var
from vsalang.program.ops import ASKING
from vsalang.program.walk import Use, mentions, uses, variables


@dataclass(frozen=True, slots=True)
class _GestureAtom:
    """An atom on a gesture, and the attributes that it, or the rest of its rule, asks something of.

    Attributes:
        negated: more rows of the gesture may make its rule hold less.
        expects: its rule expects something of a gesture, which is known only of a gesture that certainly is one.
    """

    constraints: tuple[Constraint, ...]
    asks: frozenset[str]
    negated: bool
    expects: bool


class Relevance:
    """What the rules of a program say of gestures."""

    def __init__(self, program: Program) -> None:
        self._spoken: dict[str, list[_GestureAtom]] = {}
        self._denies = False
        """Whether a rule asks that some gesture is not the one proposed: then each name that it may be counts."""
        sorts = {name: relation.sort for name, relation in program.relations.items()}
        gestures = {name for name, sort in sorts.items() if sort == "gesture"}
        rules = [_RuleReads.of(rule, sorts) for rule in program.rules]
        denied, asked = _denied(rules), _asked_attributes(rules)
        for each in rules:
            expects = of_a_gesture(program, each.rule)
            for use in each.uses:
                if use.atom.relation in gestures:
                    negated = each.defines in denied or not use.monotone
                    self._denies = self._denies or (negated and use.past is None)
                    spoken = _GestureAtom(use.atom.constraints, each.asks(use, asked), negated, expects)
                    self._spoken.setdefault(use.atom.relation, []).append(spoken)

    def matters(self, name: Name, context: Context, *, closed: bool) -> bool:
        """Whether the verdict could depend on a name.

        Args:
            name: of the gesture that is proposed.
            context: the day and the clock.
            closed: whether a screen shows on which every gesture counts that no rule mentions.
        """
        if name.role == "or" and (closed or self._denies):
            return True
        return any(
            (name.role == "same" or not spoken.expects)
            and (not name.only or name.only in spoken.asks)
            and all(_may_hold(each, name, context, negated=spoken.negated) for each in spoken.constraints)
            for spoken in self._spoken.get(name.gesture, ())
        )


@once_each
def _read(rule: Rule) -> tuple[tuple[Use, ...], Mapping[str, int]]:
    """How the conditions of a rule use atoms, and how often each variable stands in them."""
    expected = rule.head.literals if isinstance(rule.head, Expect) else ()
    body = (*rule.body, *rule.extra, *expected)
    return tuple(uses(body)), Counter(mentions(body))


@dataclass(frozen=True, slots=True)
class _RuleReads:
    """A rule with what it reads.

    Attributes:
        defines: the derived relation of its head; empty for other heads.
        uses: of gestures and derived relations.
        frequencies: how often each variable stands in its conditions.
    """

    rule: Rule
    defines: str
    uses: tuple[Use, ...]
    frequencies: Mapping[str, int]

    @classmethod
    def of(cls, rule: Rule, sorts: Mapping[str, Sort]) -> "_RuleReads":
        """What a rule reads of the relations of these sorts."""
        defines = rule.head.atom.relation if isinstance(rule.head, Derive) else ""
        every, frequencies = _read(rule)
        read = tuple(use for use in every if sorts[use.atom.relation] in ("gesture", "derived"))
        return cls(rule, defines, read, frequencies if read else {})

    def asks(self, use: Use, asked: Mapping[str, Collection[str]]) -> frozenset[str]:
        """The attributes of which the rule asks something: itself, or by an attribute of what it defines."""
        return frozenset(c.attr for c in use.constraints if not self._takes_over(c, asked))

    def _takes_over(self, constraint: Constraint, asked: Mapping[str, Collection[str]]) -> bool:
        """Whether nothing is asked of a cell: its value is only given to a head."""
        name = constraint.term.name if isinstance(constraint.term, Var) else ""
        if constraint.op != "=" or self.frequencies.get(name) != 1:
            return False
        head = self.rule.head
        return not isinstance(head, Derive) or not any(
            asking.attr in asked.get(self.defines, ()) and name in variables(asking)
            for asking in head.atom.constraints
        )


def _asked_attributes(rules: Sequence[_RuleReads]) -> dict[str, set[str]]:
    """Of each relation the attributes of which some rule asks something, also by other definitions."""
    attributes: dict[str, set[str]] = {}
    defining: dict[str, list[_RuleReads]] = {}
    for each in rules:
        defining.setdefault(each.defines, []).append(each)
    waiting = list(rules)
    while waiting:
        each = waiting.pop()
        for use in each.uses:
            known = attributes.setdefault(use.atom.relation, set())
            more = each.asks(use, attributes) - known
            if more:
                known |= more
                waiting += defining.get(use.atom.relation, ())
    return attributes


def _denied(rules: Iterable[_RuleReads]) -> frozenset[str]:
    """The relations that some condition negates, or that the definition of such a relation reads."""
    reads: dict[str, set[str]] = {}
    negated: set[str] = set()
    for each in rules:
        present = [use for use in each.uses if use.past is None]
        negated.update(use.atom.relation for use in present if not use.monotone)
        if each.defines:
            reads.setdefault(each.defines, set()).update(use.atom.relation for use in present)
    return frozenset(reachable(negated, reads))


def _may_hold(constraint: Constraint, name: Name, context: Context, *, negated: bool) -> bool:
    if constraint.attr in name.unread:
        return True
    cell = name.cells.get(constraint.attr)
    if not constant(constraint) or constraint.op in ASKING or (negated and cell is None):
        return True
    return fits(constraint, cell, {}, context)
