"""What all operators of a planning problem have in common: how they are added, and how they write cells."""

from collections.abc import Iterable
from typing import Any

from vsalang.agents.maps.pddl.conditions import Bindings, CannotSay, Fluent, TypedTerm
from vsalang.agents.maps.pddl.notation import Form, Operator, conj, disj
from vsalang.agents.maps.pddl.values import ground
from vsalang.agents.maps.pddl.vocabulary import Meaning, Task
from vsalang.program.ir import Fn, Rule, Var, Write
from vsalang.program.walk import head_atom, relations


class OperatorDraft:
    """An operator that is being made."""

    def __init__(self) -> None:
        self.parameters: list[tuple[str, str]] = []
        self.conditions: list[Form] = []
        self.effects: list[Form] = []

    def new_parameter(self, bound: TypedTerm, kind: str) -> TypedTerm:
        """Add a parameter; return its term."""
        self.parameters.append((bound.name, kind))
        return bound


class Maker:
    """Makes operators for one task."""

    def __init__(self, task: Task) -> None:
        self.task = task
        self.say = task.say
        self.draft = task.draft

    def operator(
        self, key: str, wanted: str, made: OperatorDraft, comment: str, cost: Form, meaning: Meaning
    ) -> None:
        """Add an operator, without the instances that the guard refused."""
        name = self.task.names.of(("operator", key), wanted)
        banned = self.task.banned.get(name, frozenset())
        conditions = list(made.conditions)
        if banned:
            barred = self.task.names.of(("barred", key), f"barred-{name}")
            self.draft.predicate(barred, made.parameters, "the guard refused it")
            for args in banned:
                self.draft.fact(barred, *args)
            conditions.append(("not", (barred, *(each for each, _ in made.parameters))))
        self.draft.add(
            Operator(
                name, tuple(made.parameters), conj(conditions), tuple(made.effects), cost, comment, meaning
            )
        )

    def keys(self, rule: Rule, fluent: Fluent, known: Bindings) -> list[str] | None:
        """The key of the row that a head writes; None if it cannot be named."""
        atom = head_atom(rule)
        assert atom is not None
        terms = {each.attr: each.term for each in atom.constraints if each.op == "="}
        keys = []
        for key in fluent.keys:
            try:
                root = self.say.objects.classes.column(fluent.relation.name, key)
                bound = self.say.value(terms.get(key), known, root) if key in terms else None
            except CannotSay:
                return None
            if bound is None:
                return None
            keys.append(bound.name)
        return keys

    def cells(
        self, rule: Rule, fluent: Fluent, known: Bindings, made: OperatorDraft, *, unknown: bool = False
    ) -> dict[str, str] | None:
        """What a head writes into cells; None if their row cannot be named."""
        assert isinstance(rule.head, Write)
        keys = self.keys(rule, fluent, known)
        if keys is None:
            self.task.drop(
                rule, f"which row of {fluent.relation.short} it writes cannot be said: it is left out"
            )
            return None
        cells: dict[str, str] = {}
        terms = {each.attr: each.term for each in rule.head.atom.constraints}
        whole = fluent.relation.sort == "view" and not rule.head.keep
        for cell in fluent.cells:
            if cell not in terms and not whole and not rule.head.delete:
                continue
            root = self.say.objects.classes.column(fluent.relation.name, cell)
            new = self.say.objects.unknown(root)
            if not unknown and terms.get(cell) is not None:
                bound = self.result(rule, cell, terms[cell], known, root, made)
                new = bound if bound is not None else new
            cells[cell] = new
            old = made.new_parameter(self.say.fresh(f"{cell}-before", root), self.say.objects.wide(root))
            made.conditions.append((fluent.holds[cell], *keys, old.name))
            made.effects += [("not", (fluent.holds[cell], *keys, old.name)), (fluent.holds[cell], *keys, new)]
        if not rule.head.delete:
            made.effects.append((fluent.there, *keys))
        return cells

    def result(
        self, rule: Rule, cell: str, term: Any, known: Bindings, root: Any, made: OperatorDraft
    ) -> str | None:
        """The value that is written; None if it is not known."""
        try:
            bound = self.say.value(term, known, root)
            if bound is not None:
                return bound.name if bound.root == root else None
            if isinstance(term, Fn) and ground(term, self.task.today) is None:
                new = self.say.fresh(cell, root)
                test = self.say.compared(Var("#"), "=", term, None, {**known, "#": new})
                made.new_parameter(new, self.say.objects.type_of(root))
                made.conditions.append(test)
                return new.name
        except CannotSay as error:
            self.task.drop(rule, f"{error} cannot be said: afterwards the planner takes {cell} as not known")
        return None

    def at(self, places: Iterable[str]) -> Form:
        """That one of these screens shows."""
        return disj(("at", self.say.screens[name]) for name in sorted(places) if name in self.say.screens)

    def gone(self, left: str) -> list[Form]:
        """What is no longer believed once a screen does not show: views that live on it."""
        forms: list[Form] = []
        for fluent in self.say.fluents.values():
            if fluent.relation.sort != "view" or not fluent.relation.on:
                continue
            for cell in fluent.cells:
                root = self.say.objects.classes.column(fluent.relation.name, cell)
                kind, unknown = self.say.objects.type_of(root), self.say.objects.unknown(root)
                cleared = (
                    "forall",
                    (f"?{cell}-gone", "-", kind),
                    ("not", (fluent.holds[cell], f"?{cell}-gone")),
                )
                forms += [cleared, (fluent.holds[cell], unknown)]
            forms.append(("not", (fluent.there,)))
        return forms

    def place(self, made: OperatorDraft, word: str) -> int | str:
        """The position of a parameter; an object's name stays."""
        return next((at for at, (name, _) in enumerate(made.parameters) if name == word), word)

    def mentions(self, rule: Rule, action: str) -> bool:
        """Whether a rule asks for an action."""
        return action in relations(rule.body)
