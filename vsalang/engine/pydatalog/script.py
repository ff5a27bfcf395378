"""A program as a script of pyDatalog clauses that runs alone: what `vsac export --to pydatalog` writes.

The script has one predicate for every occurrence of an atom on a base relation: the tuples of the atom's variables.
What a single row decides (operators, unknown cells, texts, captures, functions) and what pyDatalog cannot say or not
safely (aggregates, ``every``, ``first``, the past, certain readings, recursion other than left-linear) is decided by
our engine and stands in the script as facts; joins, comparisons of variables, recursion and negation are clauses.

Nothing from a program becomes code: names and values stand in the script as constants, and in comments on one line.

>>> from vsalang.program.ir import NUMBER, Atom, Attr, Constraint, Judge, Lit, Program, Relation, Rule, Var
>>> flag = Relation("Flag", "state", (Attr("n", NUMBER),))
>>> rule = Rule("W1", Judge("warn", (Var("n"),)), (Lit(Atom("Flag", (Constraint("n", "=", Var("n")),))),))
>>> text = script(Program("p", {}, {"Flag": flag}, (rule,), ""), {"Flag": [(3,)]}, today=dt.date(2026, 4, 1))
>>> print([line for line in text.splitlines() if line.startswith("rule(")][0])
rule(('answer W1', 'n'), ('Flag 1', 'n'))
"""

import datetime as dt
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, compress, product
from typing import Any, Final, TypeAlias

from vsalang.engine.api import EngineError, Evaluator, Row
from vsalang.engine.compile.strata import components_of
from vsalang.engine.pydatalog.text import (
    RUNTIME,
    bare,
    comment,
    named_by_attributes,
    say,
    say_rule,
    tests,
)
from vsalang.program.ir import (
    Atom,
    Compare,
    Const,
    Constraint,
    Derive,
    Expect,
    Judge,
    License,
    Lit,
    Literal,
    Program,
    Recognize,
    Rule,
    Var,
)
from vsalang.program.similarity import Similarity
from vsalang.program.values import NONE, tag
from vsalang.program.walk import binds, bound_by_row, outer_variables, sources, uses, variables

State: TypeAlias = Mapping[str, Iterable[Row]] | Callable[[Evaluator], None]
"""Rows by input, or what brings a new session into the state (for clocks, points and commits)."""

_COMPARED: Final = ("=", "!=", "<", "<=", ">", ">=")


def script(
    program: Program,
    state: State | None = None,
    *,
    today: dt.date | None = None,
    similarity: Similarity | None = None,
) -> str:
    """The program as a Python script that needs nothing but pyDatalog.

    Run alone it prints the answers of every rule and the rows of every derived relation, ``--json`` as JSON. The facts
    stand in the script if a state is given; else, or instead of these, it reads them from the JSON file that it is
    given, as `facts` makes it.

    Args:
        program: a checked program.
        state: the moment whose facts are put into the script.
        today: the day of the instruction; needed where a state is given.
        similarity: who answers ``~=``.

    Raises:
        EngineError: the program cannot be evaluated.
        ValueError: a state without a day.
    """
    made = _Script(program)
    facts = made.facts(state, today, similarity) if state is not None else None
    return made.text(facts)


def facts(
    program: Program, state: State, *, today: dt.date, similarity: Similarity | None = None
) -> dict[str, list[Any]]:
    """What the script of the program reads from a JSON file: the facts of a state, by predicate.

    Args:
        program: a checked program, the one that `script` was given.
        state: see `script`.
        today: the day of the instruction.
        similarity: who answers ``~=``.

    Raises:
        EngineError: the program cannot be evaluated.
    """
    return _Script(program).facts(state, today, similarity)


def cell(value: Any) -> tuple[str, Any]:
    """A value as the script has it: its type and a text (``True``, 1 and "1" are three values)."""
    kind = tag(value)
    if kind == "text":
        return (kind, value)
    if kind == "bool":
        return (kind, "true" if value else "false")
    if kind == "number":
        return (kind, format(value, "f") if not isinstance(value, int) else str(value))
    if kind in ("date", "time"):
        return (kind, value.isoformat())
    if kind == "duration":
        return (kind, str(value // dt.timedelta(microseconds=1)))
    if kind == "set":
        return (kind, tuple(sorted(value)))
    if value is None or value is NONE:
        return (kind, "")
    raise EngineError(f"a {type(value).__name__} is not a value of the language")


@dataclass
class _GivenPredicate:
    """A predicate whose facts our engine finds, as the answers of a rule of its own.

    Attributes:
        columns: the rule's variables in the order of the predicate's terms.
        instance: the last term is the proposed action.
    """

    name: str
    rule: Rule
    columns: list[str]
    instance: bool = False


@dataclass
class _Clause:
    head: tuple[Any, ...]
    body: list[tuple[Any, ...]]


@dataclass
class _Script:
    program: Program
    given_predicates: list[_GivenPredicate] = field(default_factory=list)
    sections: list[tuple[list[str], list[_Clause]]] = field(default_factory=list)
    questions: list[tuple[str, str, list[str], int]] = field(default_factory=list)
    rows: list[tuple[str, list[str]]] = field(default_factory=list)
    about: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.derive: dict[str, list[Rule]] = {}
        for rule in self.program.rules:
            if isinstance(rule.head, Derive):
                self.derive.setdefault(rule.head.atom.relation, []).append(rule)
        graph = {
            name: {
                use.atom.relation
                for rule in rules
                for use in uses(rule.body)
                if use.atom.relation in self.derive
            }
            for name, rules in self.derive.items()
        }
        self.native = {name for name in self.derive if self.program.relation(name).sort != "screen"}
        for name, (_, members) in components_of(graph).items():
            if name in self.native and not self._answers_always(name, members):
                self.native.discard(name)
        self.known: dict[Any, str] = {}
        for name in self.derive:
            self._derived(name)
        for number, rule in enumerate(self.program.rules):
            if not isinstance(rule.head, Derive):
                self._asked(rule, number)

    # ------------------------------------------------------------ which strata pyDatalog can run

    def _answers_always(self, name: str, members: Iterable[str]) -> bool:
        """Whether pyDatalog answers whatever the data: one relation, one recursive atom in a rule."""
        if set(members) != {name}:
            return False
        return all(
            sum(isinstance(item, Lit) and item.atom.relation == name for item in rule.body) <= 1
            for rule in self.derive[name]
        )

    def _derived(self, name: str) -> None:
        relation = self.program.relation(name)
        columns = [attr.name for attr in relation.attrs]
        if relation.sort != "screen":
            self.rows.append((name, columns))
        if name not in self.native:
            if relation.sort != "screen":
                self._hand_over(name, columns, "recursive in a way in which pyDatalog may never answer")
            return
        for rule in self.derive[name]:
            assert isinstance(rule.head, Derive)
            terms = {c.attr: c.term for c in rule.head.atom.constraints}
            head: list[Any] = []
            body = list(rule.body)
            for column in columns:
                term = terms.get(column)
                if isinstance(term, Var):
                    head.append(term.name)
                elif isinstance(term, Const):
                    head.append(cell(term.value))
                elif term is not None:
                    variable = f"head {column}"
                    body.append(Compare(Var(variable), "=", term))
                    head.append(variable)
            self._clause(say_rule(rule), (name, *head), tuple(body), recursive=name)

    def _hand_over(self, name: str, columns: list[str], why: str) -> None:
        constraints = tuple(Constraint(column, "=", Var(column)) for column in columns)
        literal = Lit(Atom(name, constraints))
        self.given_predicates.append(_GivenPredicate(name, self._question(columns, (literal,)), columns))
        self.about[name] = f"{name}({', '.join(columns)}): {why}"

    # ------------------------------------------------------------ rules that are asked

    def _asked(self, rule: Rule, number: int) -> None:
        names = self._variables(rule)
        pattern: tuple[Any, ...] | None = None
        body = rule.body
        if isinstance(rule.head, License):
            atom = rule.head.atom
            bound = bound_by_row(atom.constraints)
            whole = variables(atom) != bound
            question = Rule(
                f"#{len(self.given_predicates)}", rule.head, rule.body if whole else (), module=rule.module
            )
            name = self._name(atom.relation)
            self.given_predicates.append(_GivenPredicate(name, question, names, instance=True))
            self.about[name] = (
                "the proposal, which fits "
                + say(Lit(atom))
                + (" and all that the rule asks" if whole else "")
            )
            pattern = (name, *names, "the proposal")
            body = () if whole else body
        label = f"answer {rule.id}"
        free = [name for name in names if name in self._bound(body) or pattern is not None]
        head = (label, *free, *(["the proposal"] if pattern else []))
        self._clause(say_rule(rule), head, body, first=pattern)
        self.questions.append((rule.id, label, free, len(head) - 1))
        if isinstance(rule.head, Recognize):
            self._with_sources(rule, names)

    def _with_sources(self, rule: Rule, names: list[str]) -> None:
        """The conditions after ``with``: a question for each choice of which sources hold and which do not."""
        groups = sources(rule)
        before = (*rule.body, *groups.of_all)
        shared = sorted(
            self._bound(rule.body) & {*names, *chain.from_iterable(map(outer_variables, rule.extra))}
        )
        lacking: list[tuple[Any, ...]] = []
        for number, source in enumerate(groups.each, 1):
            head = (f"source {number} of {rule.id}", *shared)
            self._clause(f"{say_rule(rule)}, source {number} after with", head, (*before, *source))
            lacking.append(("not", *head))
        for holding in product((True, False), repeat=len(groups.each)):
            body = before + tuple(chain.from_iterable(compress(groups.each, holding)))
            free = [name for name in names if name in self._bound(body)]
            without = [str(number) for number, holds in enumerate(holding, 1) if not holds]
            label = f"{rule.id} with" + (f", without source {', '.join(without)}" if without else "")
            absent = [item for item, holds in zip(lacking, holding, strict=True) if not holds]
            self._clause(f"{say_rule(rule)}: {label}", (f"answer {label}", *free), body, absent=absent)
            self.questions.append((label, f"answer {label}", free, len(free)))

    @staticmethod
    def _bound(body: Iterable[Literal]) -> set[str]:
        return {name for literal in body for name in binds(literal)}

    @staticmethod
    def _variables(rule: Rule) -> list[str]:
        head = rule.head
        if isinstance(head, Judge):
            return sorted({part.name for part in head.message if isinstance(part, Var)})
        if isinstance(head, Expect):
            names: set[str] = set()
            for literal in head.literals:
                names |= outer_variables(literal)
            return sorted(names)
        atom = getattr(head, "atom", None)
        return sorted(variables(atom)) if isinstance(atom, Atom) else []

    # ------------------------------------------------------------ clauses

    def _clause(
        self,
        about: str,
        head: tuple[Any, ...],
        body: tuple[Literal, ...],
        *,
        first: tuple[Any, ...] | None = None,
        recursive: str = "",
        absent: Sequence[tuple[Any, ...]] = (),
    ) -> None:
        front: list[tuple[Any, ...]] = [first] if first else []
        atoms: list[tuple[Any, ...]] = []
        compared: list[tuple[Any, ...]] = []
        negated: list[tuple[Any, ...]] = []
        bound = {name for literal in body if not isinstance(literal, Compare) for name in binds(literal)}
        bound |= set(first[1:]) if first else set()
        for literal in body:
            if isinstance(literal, Lit) and self._is_clause(literal):
                made = self._lit(literal, compared)
                if made is not None:
                    if literal.neg:
                        negated.append(("not", *made))
                    elif recursive and literal.atom.relation == recursive:
                        front.append(made)  # the recursive atom first: then pyDatalog answers, and fast
                    else:
                        atoms.append(made)
                    continue
            elif isinstance(literal, Compare):
                sides = [self._side(side, bound) for side in (literal.left, literal.right)]
                if literal.op in _COMPARED and literal.hi is None and None not in sides:
                    compared.append(("compare", sides[0], literal.op, sides[1]))
                    continue
            atoms.append(self._give(literal, body))
        self.sections.append(([about], [_Clause(head, [*front, *atoms, *compared, *negated, *absent])]))

    def _is_clause(self, literal: Lit) -> bool:
        """Whether pyDatalog may decide it: not the past; of certain readings what is the same plainly read."""
        base = literal.atom.relation not in self.derive
        return literal.past is None and (literal.reading == "plain" or (base and not literal.neg))

    @staticmethod
    def _side(term: Any, bound: set[str]) -> Any:
        if isinstance(term, Var):
            return term.name if term.name in bound else None
        return cell(term.value) if isinstance(term, Const) else None

    def _lit(self, literal: Lit, compared: list[tuple[Any, ...]]) -> tuple[Any, ...] | None:
        """The literal as an atom of the script; None if it has to be given."""
        atom, relation = literal.atom, self.program.relation(literal.atom.relation)
        if atom.relation in self.derive and relation.sort != "screen":
            return self._derived_atom(literal, compared)
        kept: list[Constraint] = []
        for constraint in atom.constraints:
            if variables(constraint) <= bound_by_row([constraint]):
                kept.append(constraint)
            elif literal.neg or not (constraint.op in _COMPARED and isinstance(constraint.term, Var)):
                return None
            else:
                fresh = f"{constraint.attr} {len(compared)}"
                kept.append(Constraint(constraint.attr, "=", Var(fresh)))
                compared.append(("compare", fresh, constraint.op, constraint.term.name))
        if literal.neg and any(x.op == "matches" and bound_by_row([x]) for x in kept):
            return None
        plain = Lit(replace(atom, constraints=tuple(kept)))
        names, plain = named_by_attributes(plain)
        key = bare(plain)
        if key not in self.known:
            name = self.known[key] = self._name(atom.relation)
            columns = list(names)
            self.given_predicates.append(_GivenPredicate(name, self._question(columns, (plain,)), columns))
            self.about[name] = say(plain)
        return (self.known[key], *names.values())

    def _derived_atom(self, literal: Lit, compared: list[tuple[Any, ...]]) -> tuple[Any, ...] | None:
        terms: dict[str, Any] = {}
        tests: list[tuple[Any, ...]] = []
        for constraint in literal.atom.constraints:
            simple = isinstance(constraint.term, Var | Const)
            if constraint.op == "known":
                continue
            if constraint.op == "=" and simple and constraint.attr not in terms:
                side = constraint.term
                terms[constraint.attr] = side.name if isinstance(side, Var) else cell(side.value)  # type: ignore[union-attr]
            elif constraint.op in _COMPARED and simple and not literal.neg:
                side = constraint.term
                variable = terms.setdefault(
                    constraint.attr, f"{constraint.attr} {len(compared)}.{len(tests)}"
                )
                other = side.name if isinstance(side, Var) else cell(side.value)  # type: ignore[union-attr]
                tests.append(("compare", variable, constraint.op, other))
            else:
                return None
        compared += tests
        columns = [attr.name for attr in self.program.relation(literal.atom.relation).attrs]
        if literal.neg:
            # negation asks for the bound columns only
            return (literal.atom.relation, *[terms.get(column) for column in columns])
        return (literal.atom.relation, *[terms.get(c, f"{c} any {len(compared)}") for c in columns])

    def _give(self, literal: Literal, body: tuple[Literal, ...]) -> tuple[Any, ...]:
        """A literal that our engine decides: its tuples among the bindings that the rest of the body makes."""
        binders = tuple(item for item in body if not tests(item) and item is not literal)
        bound = self._bound((*binders, literal))
        names = sorted(outer_variables(literal) & bound)
        name = self._name("given")
        self.given_predicates.append(_GivenPredicate(name, self._question(names, (*binders, literal)), names))
        self.about[name] = say(literal)
        return (name, *names)

    def _question(self, names: Iterable[str], body: tuple[Literal, ...]) -> Rule:
        return Rule(f"#{len(self.given_predicates)}", Judge("flag", tuple(map(Var, sorted(names)))), body)

    def _name(self, relation: str) -> str:
        return f"{relation} {len(self.given_predicates) + 1}"

    # ------------------------------------------------------------ facts

    def facts(
        self, state: State, today: dt.date | None, similarity: Similarity | None
    ) -> dict[str, list[Any]]:
        """The facts of every given predicate in a state, found by our engine."""
        from vsalang.engine.incremental import IncrementalEvaluator

        if today is None:
            raise ValueError("a state needs the day of the instruction")
        derive = tuple(rule for rule in self.program.rules if isinstance(rule.head, Derive))
        asked = tuple(predicate.rule for predicate in self.given_predicates)
        made = replace(self.program, rules=(*derive, *asked), digest=f"{self.program.digest} as a script")
        session = IncrementalEvaluator(made, today=today, similarity=similarity)
        if callable(state):
            state(session)
        else:
            for name, rows in state.items():
                session.assign(name, rows)
        facts: dict[str, list[Any]] = {}
        for predicate in self.given_predicates:
            order = list(session.variables(predicate.rule.id))
            tuples = set()
            for answer in session.answers(predicate.rule.id):
                values = dict(zip(order, answer.values, strict=True))
                row = tuple(cell(values[name]) for name in predicate.columns)
                if predicate.instance:
                    row += (("row", tuple(map(cell, answer.instance))),)
                tuples.add(row)
            facts[predicate.name] = sorted(tuples)
        return facts

    # ------------------------------------------------------------ text

    def text(self, facts: dict[str, list[Any]] | None) -> str:
        lines = [RUNTIME.rstrip(), "", "", f"# The program: {comment(self.program.main)}", ""]
        lines += [
            "# ---- what vsalang decided of single rows and of all that pyDatalog cannot say: facts, by predicate",
            "",
        ]
        lines.append("FACTS = {" if facts is not None else "FACTS = None  # give a JSON file")
        for predicate in self.given_predicates if facts is not None else ():
            assert facts is not None
            lines.append(f"    # {comment(self.about[predicate.name])}")
            lines.append(f"    {predicate.name!r}: [")
            lines += [f"        {row!r}," for row in facts[predicate.name]]
            lines.append("    ],")
        if facts is not None:
            lines.append("}")
        lines += ["", "# ---- predicates with facts: what each holds, and how many terms it has", ""]
        for predicate in self.given_predicates:
            width = len(predicate.columns) + predicate.instance
            if facts is None:
                lines.append(f"# {comment(self.about[predicate.name])}")
            lines.append(f"declare({predicate.name!r}, {width})")
        for name, columns in self.rows:
            if name in self.native:
                lines.append(f"declare({name!r}, {len(columns)})")
        lines += ["", "# ---- clauses: a text is a variable, a pair of type and text is a value", ""]
        for about, clauses in self.sections:
            lines += [f"# {comment(line)}" for line in about]
            for clause in clauses:
                parts = [repr(clause.head), *map(repr, clause.body)]
                line = f"rule({', '.join(parts)})"
                if len(line) > 100:
                    line = "rule(\n" + "".join(f"    {part},\n" for part in parts) + ")"
                lines.append(line)
            lines.append("")
        lines += ["# ---- questions", ""]
        for label, name, columns, width in self.questions:
            lines.append(f"question({label!r}, {name!r}, {columns!r}, {width})")
        for name, columns in self.rows:
            lines.append(f"question({name!r}, {name!r}, {columns!r}, {len(columns)})")
        lines += ["", 'if __name__ == "__main__":', "    main()", ""]
        return "\n".join(lines)
