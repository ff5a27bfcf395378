"""The operators for the actions that clauses permit, and for the end of the task."""

from collections.abc import Sequence

from vsalang.agents.maps.pddl.conditions import Bindings, CannotSay, ProposedAction
from vsalang.agents.maps.pddl.making import Maker, OperatorDraft
from vsalang.agents.maps.pddl.notation import Form, conj, disj, neg
from vsalang.agents.maps.pddl.values import ground
from vsalang.agents.maps.pddl.vocabulary import UNIT, Meaning, written
from vsalang.program.ir import Goto, License, Rule, Var, Write
from vsalang.program.ir import Literal as Condition
from vsalang.program.show import short_name, source
from vsalang.program.transitions import triggers
from vsalang.program.walk import head_atom
from vsalang.proof.prove.runs import action_of, judges_gestures


class Actions(Maker):
    """Adds an operator for each clause."""

    def add(self) -> None:
        """Add an operator for each clause that permits an action, and the ends."""
        for rule in self.task.licences:
            self._action(rule)
        self._finish()

    def _action(self, rule: Rule) -> None:
        assert isinstance(rule.head, License)
        action = action_of(rule)
        name, attrs = self.say.done[action]
        made = OperatorDraft()
        args = {}
        for attr in attrs:
            root = self.say.objects.classes.column(action, attr)
            args[attr] = made.new_parameter(self.say.fresh(attr, root), self.say.objects.type_of(root))
        proposed = ProposedAction(action, args)
        words = tuple(args[attr].name for attr in attrs)
        try:
            known: Bindings = {}
            made.conditions.append(self._head(rule, proposed, known))
            made.conditions.append(self.say.formula(rule, rule.body, known, proposed=proposed, certain=True))
        except CannotSay as error:
            self.task.drop(
                rule, f"{error} cannot be said: the planner takes it that this never permits anything"
            )
            return
        made.conditions.append(("not", (name, *words)))
        made.effects += [(name, *words), ("acted",)]
        self._charged(rule, made)
        made.conditions += self._undenied(proposed)
        if self.task.by_gestures:
            self._recognised(action, rule, proposed, made)
            self._leads(action, made)
        for effect in self.task.consequences:
            if self.mentions(effect, action):
                self._written(effect, proposed, made)
        meaning = Meaning("do", action, {attr: at for at, attr in enumerate(attrs)}, rule)
        self.operator(
            f"do {rule.id}",
            f"{short_name(action)}-by-{rule.id}",
            made,
            f"{rule.id}: {source(rule)}",
            str(UNIT),
            meaning,
        )

    def _head(self, rule: Rule, proposed: ProposedAction, known: Bindings) -> Form:
        """That the parameters are as the clause permits; its variables are bound by them."""
        atom = head_atom(rule)
        assert atom is not None
        tests = []
        for each in atom.constraints:
            if each.op == "=" and isinstance(each.term, Var) and each.term.name not in known:
                known[each.term.name] = proposed.args[each.attr]
            else:
                tests.append(each)
        parts: list[Form] = []
        for each in tests:
            param = proposed.args[each.attr]
            value = self.say.value(each.term, known, param.root) if each.op == "=" else None
            if value is not None and value.root == param.root:
                parts.append(("=", param.name, value.name))
            else:
                parts.append(self.say.compared(Var("#"), each.op, each.term, each.hi, {**known, "#": param}))
        return conj(parts)

    def _charged(self, rule: Rule, made: OperatorDraft) -> None:
        if rule.id not in self.task.counters:
            return
        name, _ = self.task.counters[rule.id]
        made.parameters += [("?left", "uses"), ("?less", "uses")]
        made.conditions += [(name, "?left"), ("next", "?less", "?left")]
        made.effects += [("not", (name, "?left")), (name, "?less")]

    def _undenied(self, proposed: ProposedAction) -> list[Form]:
        """That no policy denies it."""
        forms = []
        for rule in self.task.denies:
            if judges_gestures(self.task.program, rule):
                self.task.drop(rule, "it judges gestures: the guard asks it when it runs the plan")
                continue
            literals = list(rule.body)
            while True:
                try:
                    form = self.say.formula(rule, literals, {}, proposed=proposed)
                    break
                except CannotSay as error:
                    # without a condition it denies more, which is the safe side
                    last = self._unsaid(rule, literals, proposed)
                    literals.remove(last)
                    self.task.drop(rule, f"{error} cannot be said: the planner denies without asking that")
            forms.append(neg(form))
        return forms

    def _unsaid(self, rule: Rule, body: Sequence[Condition], proposed: ProposedAction) -> Condition:
        """The first condition that, with those before it, cannot be said."""
        for index in range(len(body)):
            try:
                self.say.formula(rule, body[: index + 1], {}, proposed=proposed)
            except CannotSay:
                return body[index]
        raise AssertionError("all can be said")

    def _finish(self) -> None:
        rule = self.task.goal
        made = OperatorDraft()
        try:
            made.conditions.append(
                self.say.formula(rule, rule.body, {}, proposed=ProposedAction("finish"), certain=True)
            )
        except CannotSay as error:
            self.task.drop(rule, f"{error} cannot be said: the planner never comes to this end")
            return
        made.conditions += self._undenied(ProposedAction("finish"))
        made.effects.append(("finished",))
        self.operator(
            "finish", "finish", made, f"{rule.id}: {source(rule)}", "", Meaning("finish", rule=rule)
        )

    def _written(self, rule: Rule, proposed: ProposedAction, made: OperatorDraft) -> None:
        """The effect of an action on a believed relation."""
        assert isinstance(rule.head, Write)
        fluent = self.say.fluents.get(rule.head.atom.relation)
        if fluent is None:
            return
        known: Bindings = {}
        rest: list[Condition] = []
        for literal in rule.body:
            atom = getattr(literal, "atom", None)
            if atom is not None and atom.relation == proposed.relation:
                for each in atom.constraints:
                    if each.op == "=" and isinstance(each.term, Var) and each.attr in proposed.args:
                        known[each.term.name] = proposed.args[each.attr]
                    else:
                        rest.append(literal)
            else:
                rest.append(literal)
        if rest or rule.head.delete:
            what = "what else it asks for" if rest else "deletion"
            self.task.drop(
                rule, f"{what} cannot be said: afterwards the planner takes the cells as not known"
            )
        self.cells(rule, fluent, known, made, unknown=bool(rest) or rule.head.delete)
        keys = self.keys(rule, fluent, known)
        if keys is not None and self.task.expected(proposed.relation, fluent.relation.name):
            made.effects.append((fluent.predicted, *keys))

    def _recognised(self, action: str, clause: Rule, proposed: ProposedAction, made: OperatorDraft) -> None:
        """That a screen shows on which the action is recognised, and that its parameters are those that it is given."""
        rules = [rule for rule in self.task.recognized if written(rule) == action]
        atom = head_atom(clause)
        assert atom is not None
        fixed = {
            each.attr: value
            for each in atom.constraints
            if each.op == "=" and (value := ground(each.term, self.task.today)) is not None
        }
        ways: list[Form] = []
        for rule in rules:
            parts: list[Form] = []
            places = self.task.gestures.places(rule, fixed)
            if places and "" not in places:
                parts.append(self.at(places))
            known: Bindings = {}
            head = head_atom(rule)
            assert head is not None
            for each in head.constraints:
                if isinstance(each.term, Var) and each.attr in proposed.args:
                    known[each.term.name] = proposed.args[each.attr]
            parts.append(self._extra(rule, known, proposed))
            ways.append(conj(parts))
        if ways:
            made.conditions.append(disj(ways))

    def _extra(self, rule: Rule, known: Bindings, proposed: ProposedAction) -> Form:
        """What a `recognize` rule reads with the gesture; what cannot be said is left to the guard."""
        kept = list(rule.extra)
        while True:
            try:
                return self.say.formula(rule, kept, known, proposed=proposed)
            except CannotSay as error:
                self.task.drop(rule, f"{error} cannot be said: the guard asks it when it runs the plan")
                for index in range(len(kept)):
                    try:
                        self.say.formula(rule, kept[: index + 1], known, proposed=proposed)
                    except CannotSay:
                        kept.pop(index)
                        break

    def _leads(self, action: str, made: OperatorDraft) -> None:
        """Where the action leads, if that is sure."""
        rules = [
            rule
            for rule in self.task.gotos
            if any(atom.relation == action for atom in triggers(rule, self.task.program))
        ]
        if not rules:
            return
        ends = {rule.head.screen for rule in rules if isinstance(rule.head, Goto)}
        plain = all(
            len(rule.body) == 1 and not next(triggers(rule, self.task.program)).constraints for rule in rules
        )
        if len(ends) != 1 or not plain:
            for rule in rules:
                self.task.drop(
                    rule, "where the action leads depends on more: the planner stays on the screen"
                )
            return
        made.parameters.append(("?from", "screen"))
        made.conditions.append(("at", "?from"))
        made.effects += [("not", ("at", "?from")), ("at", self.say.screens[ends.pop()]), *self.gone("?from")]
