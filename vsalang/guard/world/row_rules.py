"""Finds the rows that a screen shows and that no rule could read whole, from the rules that read rows.

An `update` rule says of a node that it is a row, and of what is inside it what the row says. Of each such rule parts
are made: the conditions that say which nodes are rows, and for each piece of what a row says the conditions that read
it. A node of which the first hold, and not all the others, is a row that is there and could not be read whole
(`semantics.md#completeness`). The rules made here are asked of the engine and written nowhere.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import product
from typing import Final

from vsalang.base.records import dataclass
from vsalang.guard.frontier.renaming import renamed
from vsalang.program.ir import (
    Atom,
    Constraint,
    Derive,
    Lit,
    Literal,
    Program,
    Recognize,
    Regex,
    Relation,
    Rule,
    Var,
    Write,
)
from vsalang.program.walk import binds, outer_variables, parts, present, sources, variables

ROW: Final = "row"
_OUTER: Final = frozenset({"of", "parent", "control"})
"""What says in which node, or of which control, something is."""
_PLACING: Final = _OUTER | {"node", "window", "package"}
"""What says where a node is, and not what it shows."""
_MOST: Final = 8
"""So many ways to open the definitions of one rule are told apart; of a rule with more none is opened."""
_DEEPEST: Final = 8


@dataclass(frozen=True, slots=True)
class RowRule:
    """What a rule that reads rows says, in parts. Each of these rules gives the node as ``row``.

    Attributes:
        rule: the rule.
        there: says which nodes are rows, and what is known of them anyway.
        sources: each reads some cells of a row.
        whole: the rule itself.
        attrs: the attributes that the rule gives by what it reads.
    """

    rule: Rule
    there: Rule
    sources: tuple[Rule, ...]
    whole: Rule
    attrs: frozenset[str]

    @property
    def relation(self) -> str:
        """The relation of the rows."""
        return self.rule.head.atom.relation  # type: ignore[union-attr]

    @property
    def placed(self) -> bool:
        """Whether it is the row of a list at the place of its node."""
        return any(constraint.attr == ROW for constraint in self.rule.head.atom.constraints)  # type: ignore[union-attr]

    @property
    def rules(self) -> tuple[Rule, ...]:
        """Those that an engine has to know."""
        return (self.there, *self.sources, self.whole)


def row_rules(program: Program) -> tuple[RowRule, ...]:
    """Of each rule that reads rows of a list, or of a state with a key, how it does."""
    definitions: dict[str, list[Rule]] = {}
    for rule in program.rules:
        if isinstance(rule.head, Derive) and program.relation(rule.head.atom.relation).sort == "derived":
            definitions.setdefault(rule.head.atom.relation, []).append(rule)
    return tuple(
        made
        for rule in program.rules
        if isinstance(rule.head, Write) and not rule.head.delete and rule.trigger == "observation"
        for relation in (program.relation(rule.head.atom.relation),)
        if relation.sort == "list" or relation.key
        for number, body in enumerate(_opened(rule.body, definitions))
        if (made := _row_rule(rule, body, number, relation)) is not None
    )


def asked_with_rows(program: Program, row_rules: Iterable[RowRule]) -> Program:
    """The program as the engine is to be given it: with the parts of the rules that read rows."""
    rules = tuple(rule for each in row_rules for rule in each.rules)
    if not rules:
        return program
    return replace(program, rules=(*program.rules, *rules), digest=f"{program.digest} rows")


# ---------------------------------------------------------------------- definitions


def _opened(
    body: Sequence[Literal], definitions: Mapping[str, Sequence[Rule]], depth: int = 0
) -> list[tuple[Literal, ...]]:
    """A body with the definitions in it opened that just name conditions; one for each way to choose among them."""
    choices: list[list[tuple[Literal, ...]]] = []
    for place, literal in enumerate(body):
        made = [
            _inlined(lit, rule, f"{depth}.{place}.{number}")
            for lit in present([literal])
            for number, rule in enumerate(definitions.get(lit.atom.relation, ()))
        ]
        if not made or depth >= _DEEPEST or any(each is None for each in made):
            choices.append([(literal,)])
        else:
            choices.append(
                [more for each in made if each is not None for more in _opened(each, definitions, depth + 1)]
            )
    many = 1
    for choice in choices:
        many *= len(choice)
    if many > _MOST:
        return [tuple(body)]
    return [tuple(literal for part in way for literal in part) for way in product(*choices)]


def _inlined(literal: Lit, rule: Rule, mark: str) -> tuple[Literal, ...] | None:
    """The body of a definition under the names of its use; None: it is more than a name for conditions."""
    assert isinstance(rule.head, Derive)
    inner = {c.attr: c.term for c in rule.head.atom.constraints}
    names: dict[str, str] = {}
    for constraint in literal.atom.constraints:
        own = inner.get(constraint.attr)
        if constraint.op != "=" or not isinstance(constraint.term, Var) or not isinstance(own, Var):
            return None
        if names.setdefault(own.name, constraint.term.name) != constraint.term.name:
            return None
    if any(isinstance(part, Regex) and part.groups for part in parts(rule.body)):
        return None  # what a pattern binds cannot be named otherwise
    return renamed(rule.body, names, mark)


# ---------------------------------------------------------------------- the parts of a rule


def _row_rule(rule: Rule, body: tuple[Literal, ...], number: int, relation: Relation) -> RowRule | None:
    assert isinstance(rule.head, Write)
    term = next((c.term for c in rule.head.atom.constraints if c.attr == ROW), None)
    names = [term.name] if isinstance(term, Var) else _nodes_of_rows(body)
    for name in names:
        made = _with(
            rule, body, name, f"{rule.id} row" if number == 0 else f"{rule.id} row {number}", relation
        )
        if made is not None:
            return made
    return None


def _nodes_of_rows(body: Sequence[Literal]) -> list[str]:
    """The variables that may be the node of a row: those of nodes that say what they lie in, the outermost first."""
    nodes = {
        node: len(_inside(body, node))
        for literal in present(body)
        if (node := _term(literal, {"node"})) is not None and _term(literal, _OUTER) is not None
    }
    return sorted((node for node, many in nodes.items() if many), key=lambda node: -nodes[node])


def _term(literal: Lit, attrs: Iterable[str]) -> str | None:
    """The variable that a condition gives to one of these attributes."""
    return next(
        (
            c.term.name
            for c in literal.atom.constraints
            if c.attr in attrs and c.op == "=" and isinstance(c.term, Var)
        ),
        None,
    )


def _inside(body: Sequence[Literal], row: str) -> list[Lit]:
    """The conditions that ask for something inside a node."""
    names, literals = {row}, list[Lit]()
    changed = True
    while changed:
        changed = False
        for literal in present(body):
            node = _term(literal, {"node"})
            inner = _term(literal, _OUTER) in names or node in names - {row}
            if inner and literal not in literals:
                literals.append(literal)
                changed = True
                names |= {node} if node is not None else set()
    return literals


def _with(rule: Rule, body: Sequence[Literal], row: str, name: str, relation: Relation) -> RowRule | None:
    """The parts of a rule if this variable is the node of a row."""
    assert isinstance(rule.head, Write)
    inside = _inside(body, row)
    there: list[Literal] = []
    rest: list[Literal] = []
    bound: set[str] = set()
    for literal in body:
        if literal in inside or (isinstance(literal, Lit) and literal.atom.relation == "Whole"):
            rest.append(literal)
            continue
        if isinstance(literal, Lit) and not literal.neg and _term(literal, {"node"}) == row:
            placing, showing = _split(literal, row)
            rest += [literal] if showing else []
            literal = placing
        if outer_variables(literal) <= bound | binds(literal):
            there.append(literal)
            bound |= binds(literal)
        else:
            rest.append(literal)
    if row not in bound or not _tells(there, row):
        return None
    node = Constraint(ROW, "=", Var(row))
    cells = [c for c in rule.head.atom.constraints if c.attr != ROW]
    head = Atom(relation.name, (node, *cells))
    groups = sources(Rule("", Recognize(head), tuple(there), tuple(rest)))
    known = tuple(c for c in cells if variables(c) <= bound and (variables(c) or not rest))
    reading = [
        tuple(c for c in cells if c not in known and variables(c) and variables(c) <= bound | got)
        for source in groups.each
        for got in ({each for literal in source for each in binds(literal)},)
    ]

    def part(id: str, constraints: Iterable[Constraint], literals: Sequence[Literal]) -> Rule:
        return replace(
            rule, id=id, head=Write(Atom(relation.name, (node, *constraints))), body=tuple(literals)
        )

    return RowRule(
        rule,
        part(name, known, there),
        tuple(
            part(f"{name} cell {number}", constraints, (*there, *source))
            for number, (constraints, source) in enumerate(zip(reading, groups.each, strict=True), 1)
            if constraints
        ),
        part(f"{name} whole", (), body),
        frozenset(c.attr for c in cells if variables(c)),
    )


def _split(literal: Lit, row: str) -> tuple[Lit, bool]:
    """A condition on the node of a row without what it reads of it, and whether it reads anything."""
    asked = literal.atom.constraints
    kept = tuple(c for c in asked if c.attr in _PLACING or not variables(c))
    return replace(literal, atom=replace(literal.atom, constraints=kept)), len(kept) < len(asked)


def _tells(there: Iterable[Literal], row: str) -> bool:
    """Whether conditions tell rows from other nodes: by what they lie in, or by what they are."""
    return any(_telling(literal) for literal in present(there) if row in outer_variables(literal))


def _telling(literal: Lit) -> bool:
    return any(c.attr not in ("node", "package") for c in literal.atom.constraints) or not any(
        c.attr == "node" for c in literal.atom.constraints
    )
