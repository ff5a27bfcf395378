"""Exports a spec as the Horn clauses of the VeriSafe Agent paper; `vsalang.language.notations.into.import_rules`
reads them back.

The notation has positive conditions, heads without arguments, and an order: an objective may be a condition of another.
Everything else cannot be expressed and becomes a comment.
"""

import datetime as dt
import json
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Final

from vsalang.base.records import dataclass
from vsalang.language.notations.out.exported import ExportResult, Omission
from vsalang.language.notations.out.meant_actions import said_of_actions
from vsalang.language.notations.out.paper_names import ALL, DONE, ONCE, REPEAT, bound
from vsalang.program import ir
from vsalang.program.show import short_name, title
from vsalang.program.text import comment
from vsalang.program.values import NONE, Value, show
from vsalang.program.walk import relations

_OPS: Final = {
    "=": "=", "!=": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">=", "~=": "≃", "subset": "⊆", "not subset": "⊈",
}  # fmt: skip
_SPLITTERS: Final = re.compile(r"[,()∧→]|True")
_EVIDENCE: Final = ("state", "view", "list", "derived", "observed")
_SPLIT = "the authors' own reader splits texts at , ( ) ∧ → and takes True for no condition"
_ARGUED = "the authors' own reader refuses heads with arguments"


class _NoWord(Exception):
    """The notation cannot express something."""


@dataclass(frozen=True, slots=True)
class _Clause:
    rule: ir.Rule
    conditions: tuple[str, ...]
    head: str
    remarks: tuple[str, ...] = ()


def to_paper(program: ir.Program) -> ExportResult:
    """The clauses of a program's main module, one a line, with omissions in comments at their places."""
    return _Writer(program).write()


class _Writer:
    def __init__(self, program: ir.Program) -> None:
        self.program = program
        self.rules = [rule for rule in program.rules if rule.module == program.main]
        self.own = {
            name
            for name, each in program.relations.items()
            if each.module == program.main and each.sort == "derived"
        }
        self.repeats = self._repeats()
        self.remarks: dict[str, None] = {}

    def write(self) -> ExportResult:
        clauses: dict[str, _Clause] = {}
        missing: dict[str, str] = {}
        chained = {
            next(rule.id for rule in self.rules if _defines(rule) == name) for name in self.repeats
        }  # the rules `define X when XOnce then XOnce`, which are expressed by their parts
        for rule in self.rules:
            if rule.id in chained:
                continue
            try:
                clauses[rule.id] = self._clause(rule)
            except _NoWord as problem:
                missing[rule.id] = str(problem)
        self._drop_groups(clauses, missing)
        self._drop_dependents(clauses, missing)
        return self._text(clauses, missing, chained)

    # ---- which clauses are kept ------------------------------------------------------------------

    def _repeats(self) -> dict[str, int]:
        """Objectives that are repetitions, by qualified name: how many times."""
        rules: dict[str, list[ir.Rule]] = defaultdict(list)
        for rule in self.rules:
            if name := _defines(rule):
                rules[name].append(rule)
        counts = {}
        for name, own in rules.items():
            if len(own) == 1 and len(own[0].body) == 1 and isinstance(then := own[0].body[0], ir.Then):
                once = {self._once(part) for part in then.parts}
                if once == {f"{name}{ONCE}"} and not self._asked(f"{name}{ONCE}", own[0]):
                    counts[name] = len(then.parts)
        return counts

    def _once(self, part: tuple[ir.Literal, ...]) -> str:
        if len(part) == 1 and isinstance(lit := part[0], ir.Lit) and not lit.neg and lit.past is None:
            return lit.atom.relation if not lit.atom.constraints and not lit.atom.before else ""
        return ""

    def _asked(self, name: str, but: ir.Rule) -> bool:
        """Whether any other rule asks for a relation."""
        return any(name in relations(rule.body) for rule in self.rules if rule is not but)

    def _drop_groups(self, clauses: dict[str, _Clause], missing: dict[str, str]) -> None:
        """Leave out permissions of one action that would mean something else together in the notation."""
        groups: dict[str, list[ir.Rule]] = defaultdict(list)
        for clause in clauses.values():
            head = clause.rule.head
            if isinstance(head, ir.License) and head.atom.relation != "finish":
                groups[head.atom.relation].append(clause.rule)
        for rules in groups.values():
            quotas = [rule.head.quota for rule in rules if isinstance(rule.head, ir.License)]
            shared = all(quota.kind == "either" for quota in quotas)
            apart = all(quota.kind in ("count", "each") for quota in quotas) and any(
                quota.kind == "each" or quota.n > 1 for quota in quotas
            )
            if len(rules) > 1 and not shared and not apart:
                for rule in rules:
                    del clauses[rule.id]
                    missing[rule.id] = (
                        "clauses of one head share one licence: a licence of its own has no word"
                    )

    def _drop_dependents(self, clauses: dict[str, _Clause], missing: dict[str, str]) -> None:
        """Leave out rules that ask for an objective without a clause, and permissions that then would be alone."""
        while True:
            reached = {name for clause in clauses.values() if (name := _defines(clause.rule))}
            reached |= {name for name in self.repeats if f"{name}{ONCE}" in reached}
            lost = [
                clause
                for clause in clauses.values()
                if any(name not in reached for name in self._objectives(clause.rule))
            ]
            for clause in lost:
                del clauses[clause.rule.id]
                missing[clause.rule.id] = "it asks for what has no clause here"
            if not lost:
                return
            self._drop_groups(clauses, missing)

    def _objectives(self, rule: ir.Rule) -> Iterable[str]:
        for lit in rule.body:
            if isinstance(lit, ir.Lit) and lit.atom.relation in self.own:
                yield lit.atom.relation

    # ---- one clause -------------------------------------------------------------------------------

    def _clause(self, rule: ir.Rule) -> _Clause:
        self.remarks = {}
        evidence: list[tuple[ir.Relation, frozenset[str]]] = []
        atoms: list[ir.Atom] = []
        conditions = []
        for literal in rule.body:
            conditions.append(self._condition(literal))
            if isinstance(literal, ir.Lit) and literal.past is None:
                relation = self.program.relation(literal.atom.relation)
                evidence.append((relation, frozenset(each.attr for each in literal.atom.constraints)))
                atoms.append(literal.atom)
        head = self._head(rule, evidence, atoms)
        return _Clause(rule, tuple(conditions) or ("True",), head, tuple(self.remarks))

    def _head(
        self, rule: ir.Rule, evidence: list[tuple[ir.Relation, frozenset[str]]], atoms: list[ir.Atom]
    ) -> str:
        head = rule.head
        if isinstance(head, ir.Derive):
            if head.atom.constraints or head.atom.relation not in self.own:
                raise _NoWord(
                    "a relation with attributes cannot be defined" if head.atom.constraints else "a screen"
                )
            return f"{self._objective(head.atom.relation)}()"
        if not isinstance(head, ir.License):
            raise _NoWord(f"there is no word for `{title(rule).split()[0]}`")
        if head.atom.relation == "finish":
            return f"{DONE}()"
        action = self.program.relation(head.atom.relation)
        args = self._head_args(head.atom, bound(action.attrs, evidence), atoms)
        name = self._name(action)
        quota = head.quota
        if quota.kind == "each":
            name += "All"
        elif quota.kind == "count" and quota.n != 1:
            if not 1 < quota.n <= 1000:
                raise _NoWord(f"{quota.n} times cannot be said")
            name += f"Repeat{quota.n}"
        if name != self._name(action) and any(each.short == name for each in self.program.relations.values()):
            raise _NoWord(f"the name {name} is taken")
        return f"{name}({args})"

    def _head_args(self, pattern: ir.Atom, columns: Mapping[str, int], atoms: list[ir.Atom]) -> str:
        """The constraints of an action that an importer would not find in the conditions."""
        by_attribute: dict[str, list[ir.Constraint]] = defaultdict(list)
        for each in pattern.constraints:
            by_attribute[each.attr].append(each)
        written: list[ir.Constraint] = []
        for name, index in columns.items():
            implied = {_key(each) for each in atoms[index].constraints if each.attr == name}
            if not by_attribute[name]:
                raise _NoWord(f"the notation would bind {name} to the condition that has the name too")
            if {_key(each) for each in by_attribute[name]} == implied:
                by_attribute[name] = []
        for constraints in by_attribute.values():
            written += constraints
        if written:
            self.remarks[_ARGUED] = None
        return ", ".join(self._arg(each) for each in written)

    def _objective(self, relation: str) -> str:
        name = short_name(relation)
        base = name.removesuffix(ONCE)
        if base != name and relation.removesuffix(ONCE) in self.repeats:
            name = f"{base}Repeat{self.repeats[relation.removesuffix(ONCE)]}"
        else:
            if relation in self.repeats:
                name = f"{name}Repeat{self.repeats[relation]}"
            elif REPEAT.fullmatch(name) or name.lower() == DONE.lower():
                raise _NoWord(f"the name {name} means something else there")
            every = ALL.fullmatch(name)
            if every and any(each.short == every["name"] for each in self._actions()):
                raise _NoWord(f"the name {name} means something else there")
        if any(
            each.short == short_name(relation) and each.name != relation
            for each in self.program.relations.values()
        ):
            raise _NoWord(f"the name {short_name(relation)} is an app's too")
        return name

    def _actions(self) -> Iterable[ir.Relation]:
        return (each for each in self.program.relations.values() if each.sort == "action")

    def _name(self, relation: ir.Relation) -> str:
        if relation.short.lower() == DONE.lower():
            raise _NoWord(f"the name {relation.short} means something else there")
        imported = set(self.program.modules[self.program.main].imports)
        if "." in relation.name and relation.module not in imported:
            raise _NoWord(f"{relation.name} is of no imported app")
        same = [
            each
            for each in self.program.relations.values()
            if each.short == relation.short and each.module in imported
        ]
        return relation.name if len(same) > 1 else relation.short

    def _condition(self, literal: ir.Literal) -> str:
        if isinstance(literal, ir.Aggregate):
            return self._counted(literal)
        if not isinstance(literal, ir.Lit):
            words = {ir.Compare: "a comparison", ir.Then: "`then`", ir.Spent: "`all`"}
            word = f"`{literal.word}`" if isinstance(literal, ir.Quantified) else words[type(literal)]
            raise _NoWord(f"there is no word for {word}")
        if literal.neg:
            raise _NoWord("there is no negation")
        if literal.atom.before:
            raise _NoWord("there is no word for `before`")
        relation = self.program.relation(literal.atom.relation)
        past = literal.past.op if literal.past else ""
        if relation.name in self.own and past == "earlier" and not literal.atom.constraints:
            return f"{self._objective(relation.name)}()"
        if relation.name in self.own:
            raise _NoWord("an objective can only be asked for as reached before")
        if relation.sort == "action" and past == "earlier":
            return f"{self._name(relation)}({self._args(literal.atom)})"
        if past:
            raise _NoWord(f"there is no word for `{past}`")
        if relation.sort not in _EVIDENCE:
            raise _NoWord(f"{'an' if relation.sort == 'action' else 'a'} {relation.sort} is not a condition")
        return f"{self._name(relation)}({self._args(literal.atom)})"

    def _counted(self, literal: ir.Aggregate) -> str:
        lit = literal.lit
        relation = self.program.relation(lit.atom.relation)
        times = literal.right.value if isinstance(literal.right, ir.Const) else None
        plain = literal.fn == "count" and literal.op == ">=" and not literal.group and not lit.neg
        committed = relation.sort == "action" and lit.past is not None and lit.past.op == "earlier"
        known = times if isinstance(times, int) and not isinstance(times, bool) else 0
        if plain and committed and 2 <= known <= 1000:
            return f"{self._name(relation)}Repeat{times}({self._args(lit.atom)})"
        raise _NoWord(f"there is no word for `{literal.fn}` here")

    def _args(self, atom: ir.Atom) -> str:
        return ", ".join(self._arg(each) for each in atom.constraints)

    def _arg(self, each: ir.Constraint) -> str:
        op = _OPS.get(each.op)
        if op is None or each.hi is not None:
            raise _NoWord(f"there is no word for `{each.op}`" + (" with a range" if each.hi else ""))
        value = self._literal(each.term)
        return f"{each.attr}={value}" if op == "=" else f"{each.attr}=({value}, {op})"

    def _literal(self, term: ir.Term | None) -> str:
        if isinstance(term, ir.Const):
            return self._value(term.value, term.type)
        if isinstance(term, ir.Fn) and term.name == "today":
            return "today"
        what = {ir.Var: "a variable", ir.Fn: "a function"}.get(type(term), "this value")
        raise _NoWord(f"there is no word for {what}")

    def _value(self, value: Value, type: ir.Type) -> str:
        if value is NONE:
            if type.kind == "enum":
                raise _NoWord("there is no word for `none`")
            return "none"
        if isinstance(value, bool):
            return "True" if value else "False"
        if isinstance(value, frozenset):
            return "{" + ", ".join(self._text_of(item) for item in sorted(value)) + "}"
        if isinstance(value, dt.date | dt.time | dt.timedelta):
            if isinstance(value, dt.timedelta) and value < dt.timedelta(0):
                raise _NoWord("there is no word for a negative duration")
            return f'"{show(value)}"'
        if isinstance(value, str):
            return self._text_of(value)
        return show(value)

    def _text_of(self, text: str) -> str:
        if any(ord(char) < 32 and char not in "\n\t" for char in text):
            raise _NoWord("there is no word for a control character")
        if _SPLITTERS.search(text):
            self.remarks[_SPLIT] = None
        return json.dumps(text, ensure_ascii=False)

    # ---- the document -----------------------------------------------------------------------------

    def _text(
        self, clauses: Mapping[str, _Clause], missing: Mapping[str, str], chained: set[str]
    ) -> ExportResult:
        main = self.program.modules[self.program.main]
        lines = [f"# The clauses of {main.kind} {main.name}" + (f": {comment(main.doc)}" if main.doc else "")]
        omissions = []
        for rule in self.rules:
            if rule.id in chained:
                continue
            if clause := clauses.get(rule.id):
                for remark in clause.remarks:
                    omissions.append(Omission(rule.id, title(rule), f"written, but {remark}", rule.span))
                    lines.append(f"# {remark}:")
                lines.append(f"{' ∧ '.join(clause.conditions)} → {clause.head}")
            else:
                why = missing[rule.id]
                omissions.append(Omission(rule.id, title(rule), why, rule.span))
                lines.append(f"# not expressed: {comment(title(rule))} ({comment(rule.id)}): {comment(why)}")
        for each in said_of_actions(self.program, main_only=True):
            omissions.append(each)
            lines.append(f"# not expressed: {comment(each.what)}: {comment(each.reason)}")
        return ExportResult("\n".join(lines) + "\n", len(clauses), tuple(omissions))


def _defines(rule: ir.Rule) -> str:
    return rule.head.atom.relation if isinstance(rule.head, ir.Derive) else ""


def _key(each: ir.Constraint) -> tuple[str, str, str, str]:
    return each.attr, each.op, repr(_bare(each.term)), repr(_bare(each.hi))


def _bare(term: ir.Term | None) -> object:
    """A term without its type: the same constant may have the types of two attributes."""
    if isinstance(term, ir.Const):
        value = term.value
        return "const", sorted(value) if isinstance(value, frozenset) else value
    return term
