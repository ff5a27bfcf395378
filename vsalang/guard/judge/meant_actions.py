"""Which actions a gesture is meant as: one that lies over another drops it, one that refines an effect takes its place.

(`guard.md#P3`.) What adds duty holds if it may be so: an action that a gesture only may be drops nothing, and what it
would be as an effect counts. What takes duty away holds only if it is so: its conditions hold whatever nobody read, in
a window of its module's own app, on a screen of which no text hides anything.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from vsalang.engine.api import Row
from vsalang.engine.explain.terms import Context, value_of
from vsalang.guard.world.beliefs import row_of
from vsalang.guard.world.rule_effects import most_specific, readable
from vsalang.program.doubt import hides
from vsalang.program.ir import Program, Refinement
from vsalang.program.screen import Cells, Screen, in_front
from vsalang.program.values import without_unknown

Instance = tuple[str, Row]
_TEXTS = ("text", "desc", "hint", "label", "id")


@dataclass(frozen=True, slots=True, eq=False)
class MeantActions:
    """What the actions of a program say of one another.

    Attributes:
        over: for each action that lies over others: these.
        effects: for each action that refines one: what it refines, and with which arguments.
        refining: for each effect the actions that refine it.
    """

    program: Program
    over: Mapping[str, frozenset[str]]
    effects: Mapping[str, Refinement]
    refining: Mapping[str, frozenset[str]]

    @classmethod
    def of(cls, program: Program) -> "MeantActions | None":
        """None where no action says anything of another one, so that nothing needs to be asked."""
        actions = [relation for relation in program.relations.values() if relation.sort == "action"]
        over = {each.name: frozenset(each.over) for each in actions if each.over}
        effects = {each.name: each.refines for each in actions if each.refines is not None}
        refining: dict[str, set[str]] = {}
        for name, refines in effects.items():
            refining.setdefault(refines.action, set()).add(name)
        if not over and not effects:
            return None
        return cls(program, over, effects, {name: frozenset(actions) for name, actions in refining.items()})

    def effect(self, action: str, row: Row, context: Context) -> Instance:
        """What an instance of an action that refines an effect is as this effect."""
        refines, relation = self.effects[action], self.program.relation(action)
        binding = without_unknown(zip((attr.name for attr in relation.attrs), row, strict=True))
        cells = {name: value_of(term, binding, context) for name, term in refines.arguments}
        return refines.action, readable(row_of(self.program.relation(refines.action), cells))

    def says_something(self, action: str) -> bool:
        """Whether an action lies over others, or refines an effect."""
        return action in self.over or action in self.effects

    def meant(
        self,
        instances: dict[str, set[Row]],
        cells: Cells,
        screen: Screen | None,
        context: Context,
        certain: Collection[Instance],
    ) -> "OtherMeaning":
        """Drop from what `recognize` rules found what is meant as another action, and say what else is not meant.

        Args:
            instances: by action; actions and instances that are not meant are taken out of it.
            cells: what takes the gesture.
            screen: that shows.
            context: the day and the clock.
            certain: instances that hold whatever nobody read; the others take no place.
        """
        asked = [
            name
            for name, rows in instances.items()
            if self.says_something(name) and any((name, row) in certain for row in rows)
        ]
        if not asked:
            return OtherMeaning()
        package = cells.get("package") if "node" in cells else in_front(screen)
        sure = [name for name in asked if self._of_its_app(name, package)]
        if not sure or _hides_something(cells, screen):
            return OtherMeaning()
        covered = frozenset(below for name in sure for below in self.over.get(name, ()))
        for name in covered & instances.keys():
            del instances[name]
        rows: dict[str, list[Row]] = {}
        for name in sure:
            if name in self.effects and name in instances:
                for row in most_specific(row for row in instances[name] if (name, row) in certain):
                    effect, refined = self.effect(name, readable(row), context)
                    rows.setdefault(effect, []).append(refined)
        other = OtherMeaning(covered, rows)
        for name in rows.keys() & instances.keys():
            instances[name] = {row for row in instances[name] if not other.takes(name, row)}
            if not instances[name]:
                del instances[name]
        return other

    def recognized(
        self, instances: dict[str, set[Row]], cells: Cells, screen: Screen, context: Context
    ) -> dict[str, set[Row]]:
        """What is meant of what `recognize` rules found, and what that is as effects. No duty depends on it."""
        every = {(name, row) for name, rows in instances.items() for row in rows}
        self.meant(instances, cells, screen, context, every)
        effects = [
            self.effect(action, readable(row), context)
            for action in self.effects.keys() & instances.keys()
            for row in most_specific(instances[action])
        ]
        for action, row in effects:
            instances.setdefault(action, set()).add(row)
        return instances

    def linked(self, actions: Iterable[str], runs: Iterable[str]) -> list[str]:
        """The actions, and those that run and are the same act by another name."""
        linked = set(actions)
        for action in tuple(linked):
            linked |= self.refining.get(action, frozenset()) & frozenset(runs)
            if action in self.effects and self.effects[action].action in frozenset(runs):
                linked.add(self.effects[action].action)
        return sorted(linked)

    def same_act(self, done: Sequence[tuple[int, Instance]], number: int, context: Context) -> list[int]:
        """Which of the instances that were done are the same act as one of them, by another name.

        Args:
            done: for each the number of its point, and the instance.
            number: of the one, from 0.
            context: the day and the clock.
        """
        point, one = done[number]
        return [
            place
            for place, (when, other) in enumerate(done)
            if when == point
            and (
                (one[0] in self.effects and self.effect(*one, context) == other)
                or (other[0] in self.effects and self.effect(*other, context) == one)
            )
        ]

    def _of_its_app(self, action: str, package: object) -> bool:
        module = self.program.modules.get(self.program.relation(action).module)
        return module is not None and (module.generic or package in module.packages)


@dataclass(frozen=True, slots=True)
class OtherMeaning:
    """What takes the place of other readings of a gesture.

    Attributes:
        covered: actions that another one lies over: they are not meant.
        rows: by effect the instances that an app's own actions are.
    """

    covered: frozenset[str] = frozenset()
    rows: Mapping[str, list[Row]] = field(default_factory=dict)

    def takes(self, action: str, row: Row) -> bool:
        """Whether something else takes the place of an instance: it must know each parameter that this one knows."""
        return action in self.covered or any(
            all(old is None or new is not None for old, new in zip(row, refined, strict=True))
            for refined in self.rows.get(action, ())
        )


def _hides_something(cells: Cells, screen: Screen | None) -> bool:
    """Whether a text may be read in two ways: a rule that adds duty reads it in both, so it proves nothing."""
    nodes: Iterable[Cells] = () if screen is None else screen.rows("Node")
    return any(
        isinstance(text := row.get(name), str) and hides(text) for row in (cells, *nodes) for name in _TEXTS
    )


@dataclass(frozen=True, slots=True)
class Effects:
    """What the proposed actions are as effects of generic modules.

    Attributes:
        of: for each instance that refines an effect: the instance of the effect.
        alone: the instances of effects that are proposed for no other reason: they need no licence of their own.
    """

    of: Mapping[Instance, Instance] = field(default_factory=dict)
    alone: frozenset[Instance] = frozenset()


NO_EFFECTS: Final = Effects()
"""Nothing that is proposed refines an effect."""
