"""The operators for gestures that lead to screens or write into forms."""

from typing import Any

from vsalang.agents.maps.pddl.conditions import Bindings, CannotSay, ProposedAction
from vsalang.agents.maps.pddl.making import Maker, OperatorDraft
from vsalang.agents.maps.pddl.vocabulary import SEEN, SUPPOSED, UNIT, Meaning
from vsalang.agents.maps.programs import graph_of
from vsalang.program.ir import Fn, Goto, Rule, Var, Write
from vsalang.program.show import short_name, source
from vsalang.program.transitions import others, starts
from vsalang.program.walk import terms


class Gestures(Maker):
    """Adds an operator for the edges of the map, and one for each input."""

    def add(self) -> None:
        """Add all; at the level of actions any screen may show."""
        if not self.task.by_gestures:
            self._screens()
            return
        self._ways()
        for rule in self.task.inputs:
            self._input(rule)

    def _ways(self) -> None:
        """One operator for all gestures that lead to a screen; `goto` rules that ask for more have own ones."""
        between = [("?from", "screen"), ("?by", "gesture"), ("?to", "screen")]
        self.draft.types["gesture"] = ""
        by_rule = {rule.id: rule for rule in self.task.gotos}
        plain: list[Any] = []
        for edge in graph_of(self.task.program).edges:
            rule = by_rule[edge.rule]
            if self.task.program.relation(edge.gesture.relation).sort == "action":
                continue
            believed = [each for each in others(rule, self.task.program) if not self.say.of_screen(each)]
            plain.append((edge, rule, believed))
        for key in dict.fromkeys(rule.id if believed else "" for _, rule, believed in plain):
            chosen = [each for each in plain if (each[1].id if each[2] else "") == key]
            made = OperatorDraft()
            made.parameters = list(between)
            fact = self.draft.predicate(
                self.task.names.of(("edge", key), f"edge-{key}" if key else "edge"),
                between,
                f"{key or 'a `goto` rule'}: the gesture leads from one screen to the other",
            )
            made.conditions = [("at", "?from"), (fact, "?from", "?by", "?to")]
            made.effects = [("not", ("at", "?from")), ("at", "?to"), *self.gone("?from")]
            if key:
                rule, believed = chosen[0][1], chosen[0][2]
                try:
                    made.conditions.append(self.say.formula(rule, believed, {}, proposed=ProposedAction("")))
                except CannotSay as error:
                    self.task.drop(rule, f"{error} cannot be said: the guard asks it when it runs the plan")
            for edge, rule, _ in chosen:
                self._edge(fact, edge, rule)
            text = f"{key}: {source(by_rule[key])}" if key else "make a gesture that leads to another screen"
            self.operator(f"go {key}", f"go-{key}" if key else "go", made, text, str(UNIT), Meaning("go"))
        self._suppose()

    def _edge(self, fact: str, edge: Any, rule: Rule) -> None:
        assert isinstance(rule.head, Goto)
        named = starts(rule, self.task.program)
        app = [
            name
            for name in self.say.screens
            if self.task.program.relation(name).module == rule.module and name != rule.head.screen
        ]
        by = self.task.names.of(("gesture", edge.gesture, rule.id), f"{edge.gesture.relation}-{rule.id}")
        self.draft.objects[by] = "gesture"
        self.say.objects.rules[by] = rule
        for one in named or app:
            self.draft.fact(fact, self.say.screens[one], by, self.say.screens[rule.head.screen])

    def _suppose(self) -> None:
        """The first screen is supposed, and, dearly, one to which no gesture is known."""
        begin = OperatorDraft()
        begin.parameters = [("?to", "screen")]
        begin.conditions = [("at", "nowhere")]
        begin.effects = [("not", ("at", "nowhere")), ("at", "?to")]
        self.operator("start", "start-on", begin, "suppose the first screen", SEEN, Meaning("screen"))
        jump = OperatorDraft()
        jump.parameters = [("?from", "screen"), ("?to", "screen")]
        jump.conditions = [("at", "?from")]
        jump.effects = [("not", ("at", "?from")), ("at", "?to"), *self.gone("?from")]
        text = "suppose that another screen shows: no gesture is known that leads there"
        self.operator("jump", "suppose-screen", jump, text, str(SUPPOSED), Meaning("jump"))

    def _screens(self) -> None:
        """At the level of actions any screen may show."""
        made = OperatorDraft()
        made.parameters = [("?from", "screen"), ("?to", "screen")]
        made.conditions = [("at", "?from")]
        made.effects = [("not", ("at", "?from")), ("at", "?to"), *self.gone("?from")]
        self.operator("show", "see-screen", made, "the app shows a screen", SEEN, Meaning("screen"))

    def _input(self, rule: Rule) -> None:
        """A gesture that writes into a form."""
        assert isinstance(rule.head, Write)
        fluent = self.say.fluents.get(rule.head.atom.relation)
        if fluent is None or rule.head.delete:
            return
        made = OperatorDraft()
        known: Bindings = {}
        for each in rule.head.atom.constraints:
            if each.attr not in (*fluent.keys, *fluent.cells):
                continue
            root = self.say.objects.classes.column(fluent.relation.name, each.attr)
            names = [part.name for part in terms(each.term) if isinstance(part, Var)]
            turns = isinstance(each.term, Fn) and each.term.name == "flip"
            for name in names:
                if name in known:
                    continue
                bound = made.new_parameter(self.say.fresh(name, root), self.say.objects.type_of(root))
                if turns and each.attr in fluent.cells and not fluent.keys:
                    made.conditions.append((fluent.holds[each.attr], bound.name))
                known[name] = bound
            if isinstance(each.term, Fn) and not turns and names:
                # what is read from a text is any value that the text may give
                bound = made.new_parameter(self.say.fresh(each.attr, root), self.say.objects.type_of(root))
                known[each.attr + "#"] = bound
        places = self.task.gestures.places(rule, {})
        if places and "" not in places:
            made.conditions.append(self.at(places))
        elif fluent.relation.on:
            made.conditions.append(self.at(fluent.relation.on))
        read = Rule(
            rule.id,
            Write(
                type(rule.head.atom)(
                    rule.head.atom.relation,
                    tuple(
                        type(each)(each.attr, each.op, Var(each.attr + "#"))
                        if each.attr + "#" in known
                        else each
                        for each in rule.head.atom.constraints
                    ),
                ),
                keep=rule.head.keep,
            ),
            rule.body,
            span=rule.span,
            head_span=rule.head_span,
        )
        cells = self.cells(read, fluent, known, made)
        keys = self.keys(read, fluent, known)
        if cells is None or keys is None:
            return
        args = {
            attr: self.place(made, word)
            for attr, word in (*zip(fluent.keys, keys, strict=True), *cells.items())
        }
        meaning = Meaning("enter", fluent.relation.name, args, rule)
        wanted = f"enter-{short_name(fluent.relation.name)}-{'-'.join(cells)}"
        self.operator(f"enter {rule.id}", wanted, made, f"{rule.id}: {source(rule)}", str(UNIT), meaning)
