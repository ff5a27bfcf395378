"""Checks a typed body or typed steps in the scope of loaded modules, and makes a rule or an example of them."""

from collections.abc import Iterable, Mapping
from dataclasses import field, replace

from vsalang.base.records import dataclass
from vsalang.base.source import Source, Span
from vsalang.language.semantics import Loaded
from vsalang.language.semantics.bodies import Bodies
from vsalang.language.semantics.declare import declare, finish
from vsalang.language.semantics.examples import ExampleReader
from vsalang.language.semantics.inference import infer
from vsalang.language.semantics.loader import Unit
from vsalang.language.semantics.report import Report
from vsalang.language.semantics.safety import NEGATED, atom_flow, flow, order
from vsalang.language.semantics.scope import Scope
from vsalang.language.semantics.terms import Terms
from vsalang.language.semantics.types import Variables
from vsalang.language.syntax import tree as t
from vsalang.program import ir
from vsalang.program.example import Example
from vsalang.program.similarity import DEFAULT, Similarity
from vsalang.tools.ask.fragment import NAME, Wrong, read_body, read_steps

ANSWER = f"{NAME}.Answer"
"""The relation that a question derives."""


@dataclass(frozen=True, slots=True)
class Question:
    """A checked body.

    Attributes:
        text: as it was typed.
        variables: those to which a row gives values, in the order in which they are first written.
        rule: a definition of `relation` with the body.
        relation: has the variables as its attributes.
        source: the typed text, for messages.
    """

    text: str
    variables: tuple[str, ...]
    rule: ir.Rule
    relation: ir.Relation
    source: Source


@dataclass(frozen=True)
class Place:
    """The scope of questions to a loaded program: the names of its main module, and of all its modules.

    Args:
        loaded: a module that was loaded without errors.
        similarity: who answers ``~=``, except in the session of a journal.
    """

    loaded: Loaded
    similarity: Similarity = DEFAULT
    scope: Scope = field(init=False)

    def __post_init__(self) -> None:
        if self.loaded.program is None:
            raise ValueError("a program with errors cannot be asked")
        object.__setattr__(self, "scope", _scope(self.loaded))

    @property
    def program(self) -> ir.Program:
        """The program that is asked."""
        assert self.loaded.program is not None
        return self.loaded.program

    def sources(self, *typed: Source) -> Mapping[str, Source]:
        """The texts for renderers of messages and proofs."""
        return {**self.loaded.sources, **{source.file: source for source in typed}}

    def question(self, text: str, *, file: str = "<question>") -> Question:
        """Check a typed body.

        Raises:
            Wrong: it has mistakes.
        """
        source, body = read_body(text, file)
        report = Report()
        variables = Variables()
        literals = Bodies(self._placed(source), report, Terms(self.scope, report, variables)).literals(body)
        if literals is None or report.errors:
            raise Wrong(report.diagnostics, self.sources(source))
        head = _bindable(literals)
        ordered, bound, problems = order(literals, set(), head)
        for name, why in problems.items():
            _unbound(name, why, variables, source, report)
        if report.errors:
            raise Wrong(report.diagnostics, self.sources(source))
        names = tuple(sorted(bound & head, key=lambda name: _first(variables, name)))
        attrs = tuple(ir.Attr(name, variables.types.get(name) or ir.TEXT) for name in names)
        answer = ir.Relation(ANSWER, "derived", attrs, module=NAME)
        constraints = tuple(ir.Constraint(name, "=", ir.Var(name)) for name in names)
        rule = ir.Rule(
            ANSWER,
            ir.Derive(ir.Atom(ANSWER, constraints)),
            ordered,
            module=NAME,
            span=Span(source.file, 0, len(source.text)),
        )
        return Question(text.strip(), names, rule, answer, source)

    def steps(self, text: str, *, file: str = "<state>") -> Example:
        """Check typed steps of a test.

        Raises:
            Wrong: they have mistakes.
        """
        source, test = read_steps(text, file)
        report = Report()
        ids = frozenset(rule.id for rule in self.program.rules)
        example = ExampleReader(self._placed(source), ids, report).read(test)
        if example is None or report.errors:
            raise Wrong(report.diagnostics, self.sources(source))
        return example

    def relation(self, name: str) -> ir.Relation:
        """The relation or screen that a name means here.

        Raises:
            KeyError: there is none, or several; the message says which.
        """
        from vsalang.base.source.suggest import did_you_mean

        names = {symbol.name for symbol in self.scope.find_relation(name)}
        names = names or {symbol.name for symbol in self.scope.find_screen(name)}
        known = [self.program.relations[item] for item in sorted(names) if item in self.program.relations]
        if len(known) == 1:
            return known[0]
        if known:
            raise KeyError(f"{name} may be {' or '.join(item.name for item in known)}: write which")
        hint = did_you_mean(name, [*self.scope.relation_names(), *self.scope.screen_names()])
        raise KeyError(f"there is no screen or relation {name}" + (f"; {hint}" if hint else ""))

    def _placed(self, source: Source) -> Scope:
        return replace(self.scope, unit=replace(self.scope.unit, source=source))


def _scope(loaded: Loaded) -> Scope:
    report = Report()  # its findings were reported when the file was loaded
    scopes: dict[int, Scope] = {}
    for unit in loaded.units:
        scopes[id(unit)] = declare(unit, scopes, report)
    for scope in scopes.values():
        finish(scope, report)
    infer(scopes.values(), report)
    by_name = {scope.name: scope for scope in scopes.values()}
    main = by_name[loaded.main]
    nowhere = Span("<question>", 0, 0)
    tree = t.Module("policy", t.Name(NAME, nowhere), (), None, (), (), nowhere)
    unit = Unit(Source.from_text("", "<question>"), tree, broken=False)
    return Scope(unit, imports={**by_name, **main.imports})


def _bindable(literals: Iterable[ir.Literal]) -> set[str]:
    """The variables to which a condition can give a value; those in an aggregate group its rows."""
    names: set[str] = set()
    for literal in literals:
        names |= flow(literal, set(), set()).binds
        if isinstance(literal, ir.Aggregate):
            names |= atom_flow(literal.lit.atom).binds
    return names


def _first(variables: Variables, name: str) -> tuple[int, str]:
    span = variables.spans.get(name)
    return (span.start if span is not None else 1 << 30, name)


def _unbound(name: str, why: str, variables: Variables, source: Source, report: Report) -> None:
    span = variables.spans.get(name) or Span(source.file, 0, len(source.text))
    near = [other for other in variables.types if other != name and other.lower() == name.lower()]
    hint = f"give it a value in a positive condition, such as Relation(attribute = ?{name})"
    if near:
        hint = f"did you mean `?{near[0]}`?"
    elif why == NEGATED:
        hint += ", or leave the attribute out if any value will do"
    report.error(
        "E0401",
        span,
        f"the variable `?{name}` is not bound",
        label=why or "nothing gives it a value",
        help=hint,
    )
