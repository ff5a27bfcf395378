"""Explains why a cell was or was not read: the observation rules that could write it, and what each lacks."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from vsalang.base.source import Source, Span
from vsalang.base.source.suggest import did_you_mean
from vsalang.engine.api import Cell
from vsalang.guard.world.beliefs import BELIEVED
from vsalang.guard.world.rule_effects import head_cells
from vsalang.program import ir
from vsalang.program.values import Value, row_order, without_unknown
from vsalang.tools.ask.answer import Clause
from vsalang.tools.ask.asking import Moment, Reply, bring_about
from vsalang.tools.ask.engines import AskError
from vsalang.tools.ask.question import Place, Question
from vsalang.tools.ask.state import ObservedScreen, Situation

_MODULE = "asked"


@dataclass(frozen=True)
class Write:
    """An observation rule that writes rows of a relation on the current screen.

    Attributes:
        rule: its id.
        cells: the cells that it writes; None: the value cannot be read, so it becomes unknown.
        clause: the conditions with the facts that meet them.
    """

    rule: str
    cells: Mapping[str, Cell]
    clause: Clause


@dataclass(frozen=True)
class Writers:
    """Why cells of a relation were or were not read.

    Attributes:
        attr: the attribute of the question; empty: the row.
        hidden: the screens of which one must show for its rules to run, if none does.
        writes: what the rules write, in the order of the rules.
        failing: the rules that write nothing, each under its nearest binding.
    """

    relation: ir.Relation
    attr: str
    hidden: tuple[str, ...]
    writes: tuple[Write, ...]
    failing: tuple[Clause, ...]

    def of(self, cells: Mapping[str, Value]) -> "Writers":
        """This explanation for a row with these cells, without writes of other rows."""
        kept = [
            w
            for w in self.writes
            if all(w.cells.get(n) in (None, v) for n, v in cells.items() if n in w.cells)
        ]
        return Writers(self.relation, self.attr, self.hidden, tuple(kept), self.failing)


def writers_of(place: Place, situation: Situation, relation: ir.Relation, *attrs: str) -> Writers:
    """Which observation rules write a relation on the last screen, and what the others lack.

    Args:
        attrs: only rules that write one of these attributes; none: all rules.

    Raises:
        AskError: no observation rule writes the relation, or the situation cannot be reached.
    """
    if relation.sort not in BELIEVED:
        raise AskError(f"{relation.short} is not a state, view or list: observation rules do not write it")
    for attr in attrs:
        known = [a.name for a in relation.attrs]
        if attr not in known:
            hint = did_you_mean(attr, known) or f"it has {', '.join(known)}"
            raise AskError(f"{relation.short} has no attribute {attr}; {hint}")
    rules = [rule for rule in place.program.rules if _writes(rule, relation.name, set(attrs))]
    questions = [_question(rule, number) for number, rule in enumerate(rules)]
    moment = bring_about(place, situation, *questions)
    screens = moment.player.guard.screens
    hidden = tuple(
        place.program.relations[name].short
        for name in relation.on
        if relation.on and not screens & set(relation.on)
    )
    writes: list[Write] = []
    failing: list[Clause] = []
    for rule, question in zip(rules, questions, strict=True):
        own_writes = _writings(moment, rule, question)
        writes += own_writes
        if not own_writes:
            failing.append(_named(moment.missing.clause(question.rule, {}), rule))
    return Writers(relation, attrs[0] if len(attrs) == 1 else "", hidden, tuple(writes), tuple(failing))


def reads_of(place: Place, situation: Situation, reply: Reply) -> list[Writers]:
    """For each state, view and list of a question, how it was read from the current screen.

    If the question holds, for the rows of its first answer, else for all rows. Nothing if no complete screen was
    observed: facts of steps are not read by rules.
    """
    if not any(isinstance(move, ObservedScreen) for move in situation.moves):
        return []
    by_relation: dict[str, Writers] = {}
    program = place.program
    for literal in reply.question.rule.body:
        if not isinstance(literal, ir.Lit | ir.Quantified) or getattr(literal, "past", None) is not None:
            continue
        atom = literal.atom
        relation = program.relation(atom.relation)
        if relation.sort not in BELIEVED or relation.name in by_relation:
            continue
        asked = {c.attr for c in atom.constraints} - {*relation.identity}
        writers = writers_of(place, situation, relation, *sorted(asked))
        if reply.holds and not getattr(literal, "neg", False):
            values = reply.values(0)
            writers = writers.of(
                {
                    c.attr: value
                    for c in atom.constraints
                    if c.op == "=" and (value := _value(c.term, values)) is not None
                }
            )
            writers = replace(writers, failing=())
        by_relation[relation.name] = writers
    return list(by_relation.values())


def _value(term: ir.Term | None, values: Mapping[str, Value]) -> Value | None:
    if isinstance(term, ir.Const):
        return term.value
    return values.get(term.name) if isinstance(term, ir.Var) else None


def _writes(rule: ir.Rule, relation: str, attrs: set[str]) -> bool:
    head = rule.head
    if not isinstance(head, ir.Write) or head.delete or head.atom.relation != relation:
        return False
    # the engine computes the position from the node in `row`
    named = {"at" if c.attr == "row" else c.attr for c in head.atom.constraints}
    return rule.trigger == "observation" and (not attrs or bool(attrs & named))


def _question(rule: ir.Rule, number: int) -> Question:
    """A question whose rows are the bindings of the rule's body."""
    from vsalang.language.semantics.safety import flow

    names = sorted({name for literal in rule.body for name in flow(literal, set(), set()).binds})
    relation = ir.Relation(
        f"{_MODULE}.Writer{number}",
        "derived",
        tuple(ir.Attr(name, ir.TEXT) for name in names),
        module=_MODULE,
    )
    head = ir.Derive(ir.Atom(relation.name, tuple(ir.Constraint(name, "=", ir.Var(name)) for name in names)))
    made = ir.Rule(relation.name, head, rule.body, module=_MODULE, span=rule.span)
    nowhere = rule.span or Span("<question>", 0, 0)
    return Question(rule.id, tuple(names), made, relation, Source.from_text("", nowhere.file))


def _writings(moment: Moment, rule: ir.Rule, question: Question) -> list[Write]:
    writes = []
    for row in sorted(moment.evaluator.rows(question.relation.name), key=row_order):
        binding = without_unknown(zip(question.variables, row, strict=True))
        cells = head_cells(rule, binding, moment.facts.context)
        clause = _named(moment.prover.prove(question.rule, binding), rule)
        writes.append(Write(rule.id, cells, clause))
    return writes


def _named(clause: Clause, rule: ir.Rule) -> Clause:
    return Clause(rule.id, clause.text, clause.holds, clause.binding, clause.conditions, rule.span)
