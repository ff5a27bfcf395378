"""The operators for what the app may show: rows that are not known yet, and what actions wrote."""

from typing import Final

from vsalang.agents.maps.pddl.conditions import Fluent
from vsalang.agents.maps.pddl.making import Maker, OperatorDraft
from vsalang.agents.maps.pddl.notation import Form, disj
from vsalang.agents.maps.pddl.vocabulary import SEEN, Meaning, written
from vsalang.program.ir import Const, Fn
from vsalang.program.walk import parts

_MAX_PLACED: Final = 64
"""For so many rows it is asked on which screens they are seen."""


class ShowMaker(Maker):
    """Adds operators for each relation."""

    def add(self) -> None:
        for fluent in self.say.fluents.values():
            self._seeing(fluent)

    def _seeing(self, fluent: Fluent) -> None:
        """What the app may show of a relation, and that it shows what an action wrote."""
        rel = fluent.relation
        keys = self.task.typed(rel.name, fluent.keys)
        words = [name for name, _ in keys]
        args = {key: at for at, key in enumerate(fluent.keys)}
        conditions = self._shown_on(fluent)
        kept = rel.name in self.task.by_actions
        typed = {
            each.attr
            for rule in self.task.inputs
            if written(rule) == rel.name
            for each in rule.head.atom.constraints  # type: ignore[union-attr]
            if each.term is not None
            and not any(isinstance(part, Fn) and part.name == "flip" for part in parts(each.term))
            and not (isinstance(each.term, Const) and len(fluent.cells) == 0)
        }
        for cell in fluent.cells:
            if cell in typed:
                continue
            root = self.say.objects.classes.column(rel.name, cell)
            made = OperatorDraft()
            made.parameters = [*keys, *conditions[0]]
            made.conditions = list(conditions[1])
            old = made.new_parameter(self.say.fresh(f"{cell}-before", root), self.say.objects.wide(root))
            new = made.new_parameter(self.say.fresh(cell, root), self.say.objects.type_of(root))
            unknown = ("=", old.name, self.say.objects.unknown(root))
            made.conditions += [
                (fluent.holds[cell], *words, old.name),
                unknown if kept else disj([unknown, ("acted",)]),
            ]
            made.effects = [("not", (fluent.holds[cell], *words, old.name)), (fluent.holds[cell], *words, new.name),
                            (fluent.there, *words)]  # fmt: skip
            meaning = Meaning("see", rel.name, {**args, cell: len(made.parameters) - 1})
            sentence = f"the app shows {cell} of {rel.short}"
            self.operator(f"see {rel.name} {cell}", f"see-{rel.short}-{cell}", made, sentence, SEEN, meaning)
        if not fluent.cells:
            made = OperatorDraft()
            made.parameters = [*keys, *conditions[0]]
            made.conditions = [*conditions[1], ("not", (fluent.there, *words))]
            made.effects = [(fluent.there, *words)]
            sentence = f"the app shows a row of {rel.short}"
            self.operator(
                f"see {rel.name}", f"see-{rel.short}", made, sentence, SEEN, Meaning("see", rel.name, args)
            )
        if fluent.predicted:
            made = OperatorDraft()
            made.parameters = [*keys, *conditions[0]]
            made.conditions = [*conditions[1], (fluent.predicted, *words)]
            made.effects = [("not", (fluent.predicted, *words))]
            sentence = f"the app shows what an action wrote into {rel.short}"
            self.operator(
                f"seen {rel.name}",
                f"see-{rel.short}-again",
                made,
                sentence,
                SEEN,
                Meaning("seen", rel.name, args),
            )

    def _shown_on(self, fluent: Fluent) -> tuple[list[tuple[str, str]], list[Form]]:
        """Parameters and conditions that say on which screen a row is seen."""
        rel = fluent.relation
        if not self.task.by_gestures:
            return [], []
        if rel.sort == "view":
            return ([], [self.at(rel.on)]) if rel.on else ([], [])
        rows = list(self.task.rows(fluent))
        if not rows or len(rows) > _MAX_PLACED or not self.say.screens:
            return [], []
        rules = [
            rule
            for rule in self.task.effects
            if rule.trigger == "observation" and written(rule) == rel.name and not rule.head.delete  # type: ignore[union-attr]
        ]
        keys = self.task.typed(rel.name, fluent.keys)
        name = self.task.names.of(("shows", rel.name), f"shows-{rel.short}")
        self.draft.predicate(name, [("?screen", "screen"), *keys], f"where rows of {rel.short} are seen")
        for row in rows:
            cells = {key: self.say.objects.values[word] for key, word in zip(fluent.keys, row, strict=True)}
            homes = {place for rule in rules for place in self.task.gestures.places(rule, cells)}  # type: ignore[arg-type]
            known = [self.say.screens[home] for home in sorted(homes) if home in self.say.screens]
            places = known if known and "" not in homes else [*self.say.screens.values(), "nowhere"]
            for place in places:
                self.draft.fact(name, place, *row)
        return [("?screen", "screen")], [("at", "?screen"), (name, "?screen", *(word for word, _ in keys))]
