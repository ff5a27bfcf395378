"""The text of facts, heads and conditions in proofs: source text with known values put in."""

from vsalang.base.diagnostics.display import count
from vsalang.engine.api import Row
from vsalang.engine.explain.finding import Finding
from vsalang.engine.explain.match import Facts, fitting, known_cells
from vsalang.engine.explain.terms import Binding, value_of
from vsalang.guard.say.why_writer import WhyWriter
from vsalang.guard.world.beliefs import BELIEVED
from vsalang.program.ir import (
    Aggregate,
    Atom,
    Compare,
    Derive,
    Every,
    First,
    Fn,
    Lit,
    Literal,
    Quantified,
    Relation,
    Rule,
    Spent,
    Then,
)
from vsalang.program.matchers import word_in
from vsalang.program.screen_rules import is_match
from vsalang.program.show import quoted, row_text
from vsalang.program.text import line

_MANY = 8
_TELLING = ("node", "id", "text", "label")


class Wording:
    """The wording for one moment."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.words = WhyWriter(facts)

    def literal(self, literal: Literal, binding: Binding) -> str:
        """A condition as source text, with the values of its variables."""
        own = " by its own rules" if isinstance(literal, Lit) and is_match(literal.atom.relation) else ""
        return line(self.words.literal_text(literal, binding), 2000) + own

    def head(self, rule: Rule, binding: Binding) -> str:
        """The head of a rule."""
        assert isinstance(rule.head, Derive)
        return self.literal(Lit(rule.head.atom), binding)

    def fact(self, relation: Relation, row: Row, atom: Atom | None = None) -> str:
        """A row as source text with its known cells; of a wide row those that are asked about or identify it."""
        if relation.sort == "screen" or is_match(relation.name):
            return f"screen {relation.short}"
        cells = known_cells(relation, row)
        if len(cells) > _MANY:
            asked = {c.attr for c in atom.constraints} if atom is not None else set()
            names = {*asked, *relation.identity, *_TELLING}
            cells = {name: cell for name, cell in cells.items() if name in names} or dict(
                list(cells.items())[:_MANY]
            )
        return row_text(relation, cells)

    def by_words(self, relation: Relation, atom: Atom, row: Row | None) -> str:
        """The words of lists by which a row fits an atom; empty if it asks for none."""
        if row is None:
            return ""
        cells = dict(zip((attr.name for attr in relation.attrs), row, strict=True))
        words = [(c.attr, word_in(c.term, cells.get(c.attr))) for c in atom.constraints]
        return "; ".join(f"{attr} by {quoted(word)}" for attr, word in words if word is not None)

    def reason(self, finding: Finding) -> str:
        """Why a condition does not hold."""
        if finding.kind == "never":
            if isinstance(finding.literal, Then):
                return "not in this order"
            return (
                "it was so" if isinstance(finding.literal, Lit) and finding.literal.neg else "it was not so"
            )
        why = self.words.why_of(finding)
        if why.attr and why.relation:
            return f"{why.attr} is {why.seen}" + (f", wanted {why.wanted}" if why.wanted else "")
        if why.seen and why.label and why.wanted and not why.relation:
            return why.literal or f"{why.label} is {why.seen}"
        return why.seen or why.wanted

    def source(self, relation: Relation) -> str:
        """The source of facts of a relation."""
        if relation.sort in BELIEVED:
            return "believed"
        return {
            "observed": "seen",
            "gesture": "proposed",
            "action": "proposed",
            "derived": "derived",
            "screen": "said by the state",
        }[relation.sort]

    def note(self, literal: Literal, binding: Binding) -> str:
        """The note about a condition that holds and is not about a single fact."""
        if isinstance(literal, Compare):
            word = word_in(literal.right, value_of(literal.left, binding, self.facts.context))
            if word is not None:
                return f"by {quoted(word)}"
            worked = isinstance(literal.left, Fn) or isinstance(literal.right, Fn)
            return self.words.literal_text(literal, {}) if worked else ""
        if isinstance(literal, Aggregate):
            n = self._matching(literal.lit.atom, binding) if literal.lit.past is None else None
            return "" if n is None or literal.fn == "count" else f"of {count(n, 'row')}"
        if isinstance(literal, Every):
            return f"all {self._matching(literal.atom, binding)}"
        if isinstance(literal, First):
            return "each of them"
        if isinstance(literal, Quantified):
            return f"of {count(self._matching(literal.atom, binding), 'row')}"
        if isinstance(literal, Then):
            return "in this order"
        if isinstance(literal, Spent):
            return "done as often as it is allowed"
        if literal.past is None:
            return "there is none"
        if literal.neg:
            return "never was so" if literal.past.op == "earlier" else "was not so"
        sort = self.facts.program.relation(literal.atom.relation).sort
        did = "was done" if sort in ("action", "gesture") else "held"
        when = {"earlier": "", "within": " in that time", "for": " all that time", "since": " since then"}
        return did + when[literal.past.op]

    def _matching(self, atom: Atom, binding: Binding) -> int:
        return len(fitting(self.facts, atom, self.facts.of(atom), binding))
