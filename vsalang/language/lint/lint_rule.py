"""The data of the linter: a rule, and the module that it checks."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from functools import cached_property

from vsalang.base.diagnostics import Diagnostic, Severity, warning
from vsalang.base.diagnostics.code import Code
from vsalang.base.records import dataclass
from vsalang.base.source import Span
from vsalang.language.lint.ignores import Ignores
from vsalang.language.semantics.loader import Unit
from vsalang.language.syntax import tree as t
from vsalang.program import ir


@dataclass(frozen=True)
class Context:
    """One module of a checked program.

    Attributes:
        program: the module with all it imports.
        unit: the module: its source and its syntax tree.
        ignores: its comments that suppress findings.
        refuted: by the ids of `goto` rules that recordings refute, the steps in words.
        looked_for: the codes of the rules that look at the module.
    """

    program: ir.Program
    unit: Unit
    ignores: Ignores
    refuted: Mapping[str, Sequence[str]] = field(default_factory=dict)
    looked_for: frozenset[str] = frozenset()

    @property
    def kind(self) -> str:
        """The kind of the module: app, spec, policy or module."""
        return self.unit.kind

    @cached_property
    def rules(self) -> tuple[ir.Rule, ...]:
        """The rules that are written in the module, in the order of its text."""
        return tuple(
            rule for rule in self.program.rules if rule.module == self.unit.name and rule.span is not None
        )

    @cached_property
    def _trees(self) -> dict[Span, t.Rule]:
        return {item.span: item for item in self.tree_rules()}

    def tree_rules(self) -> Iterator[t.Rule]:
        """The rules in the syntax tree."""
        return (item for item in self.unit.tree.items if isinstance(item, t.Rule))

    def tree_of(self, rule: ir.Rule) -> t.Rule:
        """The node of a rule of this module in the syntax tree."""
        assert rule.span is not None
        return self._trees[rule.span]

    def heard(self, code: str, span: Span | None) -> bool:
        """Whether no comment suppresses a code at a place. (One finding may have many places.)"""
        return span is None or not self.ignores.hides(warning(code, span, ""), self.unit.source)

    def relation(self, atom: ir.Atom) -> ir.Relation:
        """The relation of an atom."""
        return self.program.relations[atom.relation]

    def licences(self) -> Iterator[tuple[ir.Rule, ir.License]]:
        """The `allow` rules of the module."""
        for rule in self.rules:
            if isinstance(rule.head, ir.License) and rule.head.atom.relation != "finish":
                yield rule, rule.head

    def dones(self) -> Iterator[ir.Rule]:
        """The `done` rules of the module."""
        for rule in self.rules:
            if isinstance(rule.head, ir.License) and rule.head.atom.relation == "finish":
                yield rule


@dataclass(frozen=True, slots=True)
class Rule:
    """One lint rule.

    Attributes:
        code: ``L`` and four digits; never used for anything else.
        name: its name in documents: words joined by hyphens.
        title: what it finds, in a few words.
        rationale: why that is probably not meant, and what to write instead; whole sentences.
        bad: a module that gives this finding and no other.
        good: the same, corrected: it gives none.
        find: the findings of one module, in any order; all have the rule's code.
        severity: warning, or info for a hint.
        recorded: what recordings say of `bad` (see `Context.refuted`), if the rule needs them to find anything.
        fix: what its fix does, in a few words; "none: .." says why no fix is certain.
    """

    code: str
    name: str
    title: str
    rationale: str
    bad: str
    good: str
    find: Callable[[Context], Iterable[Diagnostic]]
    severity: Severity = Severity.WARNING
    recorded: Mapping[str, Sequence[str]] | None = None
    fix: str = ""

    @property
    def as_code(self) -> Code:
        """The rule as an entry of the registry of codes."""
        return Code(self.code, self.title, self.rationale, self.bad, self.good, self.severity)
