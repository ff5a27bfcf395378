"""From a run of actions to the gestures that make it: touches that are recognised, forms, ways between screens.

What the app module says is followed: by which gestures it recognises an action, what typing and choosing write, where
gestures and actions lead. What it does not say is supposed, and noted. Each gesture is shown to the guard, which must
recognise it as the action that is meant.
"""

import datetime as dt
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import TypeAlias

from vsalang.base.records import dataclass
from vsalang.guard.examples import Story
from vsalang.guard.say.verdict import Verdict
from vsalang.program.example import LEVELS, ExpectedVerdict, Fact, Part, Today, Turn, near
from vsalang.program.ir import Fn, Judge, Program, Recognize, Relation, Rule, Write
from vsalang.program.show import short_name
from vsalang.program.values import Value, same
from vsalang.program.walk import parts
from vsalang.proof.prove.pinned import believed, row_of
from vsalang.proof.prove.runs import cells_written, last_step, played, written_by_gestures
from vsalang.proof.prove.scenes import Cells, Scene, Scenes
from vsalang.proof.prove.ways import ways

_BELIEVED = ("state", "view", "list")
_Rows: TypeAlias = list[tuple[Relation, Cells]]
_KEPT = frozenset({"App", "Clock"})


@dataclass(frozen=True, slots=True)
class At:
    """Where a run has come to.

    Attributes:
        screen: that shows (its qualified name); empty if it is not known.
        notes: what is supposed because the app module does not say it.
        acted: whether a critical action was done: what was seen before may show otherwise now.
    """

    turns: tuple[Turn, ...]
    screen: str = ""
    notes: tuple[str, ...] = ()
    acted: bool = False

    def then(self, *turns: Turn, screen: str | None = None, note: str = "") -> "At":
        """Some steps later."""
        return At(
            (*self.turns, *turns),
            self.screen if screen is None else screen,
            (*self.notes, note) if note and note not in self.notes else self.notes,
            self.acted,
        )


class _Unplayable(Exception):
    """Steps that were put together cannot be played."""


@dataclass(frozen=True, slots=True)
class GestureRun:
    """A run of gestures, and what it supposes because the app module does not say it."""

    turns: tuple[Turn, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Precondition:
    """What is to be believed before a step.

    Attributes:
        rows: by relation.
        before: other things that are seen.
    """

    rows: tuple[tuple[Relation, Cells], ...] = ()
    before: tuple[Turn, ...] = ()


@dataclass(eq=False)
class Gestures:
    """Finds gestures for runs of one program.

    Attributes:
        program: decides what may be done.
        also: what the gesture of the last step is to meet, too.
        denied: the ids of rules by which gestures were refused.
    """

    program: Program
    also: tuple[Rule, ...] = ()
    denied: dict[str, None] = field(default_factory=dict)
    _screens_of: dict[str, frozenset[str]] = field(default_factory=dict)
    _otherwise: bool = False
    """Whether something was seen otherwise than it is needed, and no gesture changes it."""

    def made(self, turns: Sequence[Turn], count: int) -> GestureRun | None:
        """The run by gestures; None if no gesture is permitted for one of its actions.

        Args:
            turns: a run of actions.
            count: so many of its steps lead to where it starts.
        """
        at = self.begun(tuple(turns[:count]))
        waiting: list[Turn] = []
        rest = [turn for turn in turns[count:] if turn.kind != "approve"]
        for number, turn in enumerate(rest):
            if turn.kind != "turn":
                at = at.then(turn)
            elif all(part.kind.startswith("observe") for part in turn.parts):
                waiting.append(turn)
            else:
                also = self.also if number == len(rest) - 1 else ()
                after = self.proposed(at, waiting, turn, also)
                if after is None:
                    return None
                at, waiting = replace(after, acted=True), []
        return GestureRun(at.turns, at.notes)

    def bare(self, turns: Sequence[Turn], rule: Rule) -> Iterator[tuple[Turn, ...]]:
        """Runs that go on by one gesture on which a judgement may hold."""
        at = self.begun(tuple(turns))
        for scene in self._scenes(at, rule, {}):
            if scene.gesture:
                arranged = self._arranged(at, _Precondition(), scene)
                if arranged is not None:
                    yield (*arranged.turns, _gesture(scene))

    # ------------------------------------------------------------ one step of the run

    def proposed(self, at: At, waiting: Sequence[Turn], turn: Turn, also: tuple[Rule, ...]) -> At | None:
        """After the gesture of an action; None if none is permitted."""
        (part,) = turn.parts
        story = self._story(at)
        name = part.fact.relation
        wanted = self._wanted(story, waiting)
        self._otherwise = False
        rules = [
            rule
            for rule in self.program.rules
            if isinstance(rule.head, Recognize) and rule.head.atom.relation == name
        ]
        if not rules:
            if also:
                return None
            arranged = self._arranged(at, wanted, Scene()) or at.then(*waiting)
            if self._otherwise:
                return None
            note = "" if self._device(name) else f"{short_name(name)} is done somehow: it has no `recognize`"
            return self._decided(arranged.then(note=note), turn) or self._decided(
                at.then(*waiting, note=note), turn
            )
        action = story.proposal(turn).attempts[0]
        known = len(self.denied)
        for rule in rules:
            for scene in self._scenes(at, rule, action.args, also=also, actions={name: action.args}):
                ready = self._arranged(at, wanted, scene)
                if ready is None:
                    continue
                done = self._decided(
                    ready,
                    replace(_gesture(scene), expected=turn.expected),
                    lambda verdict: (
                        len(verdict.actions) == 1
                        and verdict.actions[0].name == name
                        and _alike(verdict.actions[0].args, action.args)
                    ),
                )
                if done is not None:
                    return done
        if also or self._otherwise or len(self.denied) > known:
            return None
        note = f"{short_name(name)} is done somehow: no gesture was found that is recognised as it"
        return self._decided(at.then(*waiting, note=note), turn)

    def _decided(
        self, at: At, turn: Turn, wants: Callable[[Verdict], bool] = lambda verdict: True
    ) -> At | None:
        """After a proposal of which the guard says what it is to say."""
        step = last_step(self.program, (*at.turns, replace(turn, expected=ExpectedVerdict(LEVELS))))
        verdict = step.verdict if step is not None else None
        if verdict is None or not wants(verdict):
            return None
        if turn.expected.levels == ("block",):
            return at.then(turn) if played(self.program, (*at.turns, turn)) is not None else None
        if verdict.level not in ("allow", "confirm"):
            rules = {rule.id for rule in self.program.rules if isinstance(rule.head, Judge)}
            self.denied.update(dict.fromkeys(r.rule for r in verdict.reasons if r.rule in rules))
            return None
        screen, after = self._after(at, verdict)
        asked = (Turn("approve"),) if verdict.level == "confirm" else ()
        made = replace(turn, parts=(*turn.parts, *after), expected=ExpectedVerdict((verdict.level,)))
        ended = at.then(made, *asked, screen=screen)
        return ended if played(self.program, ended.turns) is not None else None

    def _after(self, at: At, verdict: Verdict) -> tuple[str | None, tuple[Part, ...]]:
        """What shows after a step: the screen to which it leads, and nothing of what showed before."""
        facts = self._story(at).screen.facts
        gone = tuple(
            Part("observe no", Fact(name)) for name in sorted(facts) if facts[name] and name not in _KEPT
        )
        if len(verdict.screens) != 1:
            return None, gone
        (screen,) = verdict.screens
        return screen, (Part("observe screen", Fact(screen)), *gone)

    # ------------------------------------------------------------ what must be so before

    def _arranged(self, at: At, wanted: _Precondition, scene: Scene) -> At | None:
        """The scene shows, and what is wanted is believed; None if that cannot be on one screen."""
        try:
            ready = self._together(at, wanted, scene)
        except _Unplayable:
            return None
        return ready if ready is not None and played(self.program, ready.turns) is not None else None

    def _together(self, at: At, wanted: _Precondition, scene: Scene) -> At | None:
        story = self._story(at)
        unmet = [need for need in self._rows(scene.needs) if not believed(story, *need)]
        rows = self._merged([*wanted.rows, *unmet])
        views = [rel for rel, _ in (*wanted.rows, *self._rows(scene.needs))]
        screen = self._screen(at, scene, views)
        if screen is None:
            return None
        rows, far = self._far(at, rows, screen)
        if not scene.gesture and not any(
            rel.on for rel, _ in rows
        ):  # it does not matter where the step is made
            at = self.seen(at.then(*wanted.before), rows)
            wanted, rows, screen = _Precondition(), [], ""
        for rel, cells, home in far:
            at = self.seen(self._led(at, at.screen if at.screen in home else sorted(home)[0]), [(rel, cells)])
        at = self._led(at, screen)
        typed = [(rel, cells, self._setting(at, rel, cells)) for rel, cells in rows]
        plain = [(rel, cells) for rel, cells, rules in typed if not rules]
        if any(self._seen_otherwise(at, rel, cells) for rel, cells in plain):
            return None
        facts = []
        if wanted.before or len(plain) < len(typed):
            at = self.seen(at.then(*wanted.before), plain)
            facts, plain = plain, []
        for rel, cells, rules in typed:
            left, known = dict(cells), len(self.denied)
            for attr, rule in rules:
                after = self.enter(at, rel, cells, rule) if attr in left else None
                if after is not None:
                    at = after
                    left = {name: value for name, value in left.items() if name not in cells_written(rule)}
            if self._seen_otherwise(at, rel, left if rules else {}):
                return None
            for attr in dict.fromkeys(attr for attr, _ in rules if attr in left):
                at = at.then(
                    note=f"{rel.short}.{attr} stands so: no gesture was found that writes it{self._refused(known)}"
                )
            if rules and any(name not in rel.identity for name in left):
                plain.append((rel, cells))
        if facts:  # a gesture on a part of a row leaves the rest of it unknown
            story = self._story(at)
            plain += [(rel, cells) for rel, cells in facts if not believed(story, rel, cells)]
        return self.seen(at, plain, scene)

    def _seen_otherwise(self, at: At, rel: Relation, cells: Cells) -> bool:
        """Whether cells that gestures may write were seen to hold something else, and nothing was done since."""
        if at.acted or rel.name not in written_by_gestures(self.program):
            return False
        row = row_of(self._story(at), rel, cells)
        differs = any(name in row and not same(row[name], value) for name, value in cells.items())
        self._otherwise = self._otherwise or differs
        return differs

    def _far(
        self, at: At, rows: _Rows, screen: str
    ) -> tuple[_Rows, list[tuple[Relation, Cells, frozenset[str]]]]:
        """What is seen on the screen, and what has to be seen before, on other screens, with these."""
        near, far = [], []
        for rel, cells in rows:
            home = frozenset() if rel.sort == "view" else self._homes(at, rel, cells)
            if home and (screen or at.screen) not in home:
                far.append((rel, cells, home))
            else:
                near.append((rel, cells))
        return near, far

    def _homes(self, at: At, rel: Relation, cells: Cells) -> frozenset[str]:
        """The screens on which the app module says that a row is seen; empty: it does not say it."""
        homes: set[str] = set()
        for rule in self.program.rules:
            if rule.trigger != "observation" or not isinstance(rule.head, Write) or rule.head.delete:
                continue
            if rule.head.atom.relation == rel.name:
                homes |= self.places(rule, cells, self._building(at))
        return frozenset() if "" in homes else frozenset(home for home in homes if home)

    def places(self, rule: Rule, cells: Cells, building: Scenes | None = None) -> frozenset[str]:
        """The screens on which a rule gives these cells; among them the empty name: it may be on any."""
        screens = set()
        for scene in (building or self._building(At(()))).of(rule, cells):
            needs = [self.program.relation(name) for name, _ in scene.needs]
            screen = self._screen(At(()), scene, needs)
            screens |= {screen} if screen is not None else set()
        return frozenset(screens)

    def seen(self, at: At, rows: _Rows, scene: Scene = Scene()) -> At:  # noqa: B008
        """After the app showed rows that are not believed yet, and what stands on the scene."""
        story = self._story(at)
        seen = story.screen.facts.get("Node", ()) if scene.seen else ()
        there = [cells["node"] for cells in seen]
        parts = [Part("observe", Fact("Node", cells)) for cells in scene.nodes if cells["node"] not in there]
        parts += [Part("observe", Fact(name, cells)) for name, cells in scene.others]
        gone = [
            Part("observe no", Fact(name))
            for name in sorted({part.fact.relation for part in parts})
            if story.screen.facts.get(name) and not (name == "Node" and seen)
        ]
        note = "other nodes show than were seen" if any(part.fact.relation == "Node" for part in gone) else ""
        for rel, cells in rows:
            values = {n: near(v, story.guard.today) for n, v in cells.items()}
            parts.append(Part("observe", Fact(rel.name, values)))
        return at.then(Turn("turn", (*gone, *parts)), note=note) if parts else at

    def _setting(self, at: At, rel: Relation, cells: Cells) -> list[tuple[str, Rule]]:
        """For cells that are not believed yet the rules by which gestures write them.

        What a gesture only turns over is written by it where it was seen to stand the other way.
        """
        story = self._story(at)
        row = row_of(story, rel, cells)
        pairs = []
        for attr, value in cells.items():
            old = row.get(attr)
            if attr in rel.identity or same(old, value):
                continue
            for rule in self.program.rules:
                if rule.trigger != "input" or not isinstance(rule.head, Write) or rule.head.delete:
                    continue
                term = next((c.term for c in rule.head.atom.constraints if c.attr == attr), None)
                if rule.head.atom.relation != rel.name or term is None:
                    continue
                turns = any(isinstance(part, Fn) and part.name == "flip" for part in parts(term))
                if not turns or old is not None:
                    pairs.append((attr, rule))
        return sorted(pairs, key=lambda item: isinstance(item[1].head, Write) and item[1].head.keep)

    def enter(self, at: At, rel: Relation, cells: Cells, rule: Rule) -> At | None:
        """After a gesture that writes cells."""
        rule_cells = {name: value for name, value in cells.items() if name in cells_written(rule)}
        for scene in self._scenes(at, rule, rule_cells):
            screen = self._screen(at, scene, [])
            if screen is None:
                continue
            after = self._touched(self._led(at, screen), scene)
            if after is not None and believed(self._story(after), rel, rule_cells):
                return after
        return None

    def _touched(self, at: At, scene: Scene) -> At | None:
        """After a gesture that is not a critical action."""
        story = self._story(at)
        unmet = [need for need in self._rows(scene.needs) if not believed(story, *need)]
        return self._decided(
            self.seen(at, unmet, scene), _gesture(scene), lambda verdict: not verdict.actions
        )

    def _rows(self, needs: Sequence[tuple[str, Cells]]) -> _Rows:
        return [(self.program.relation(name), cells) for name, cells in needs]

    # ------------------------------------------------------------ screens

    def _screen(self, at: At, scene: Scene, rows: Sequence[Relation]) -> str | None:
        """The screen on which a scene shows; empty if any will do, None if there is none."""
        if len(scene.screens) > 1:
            return None
        named = next(iter(scene.screens), "")
        screens = self._shown_by(scene)
        if named:
            covered = self.program.relation(named).over
            return named if all(one == named or one in covered for one in screens) else None
        if screens:
            return sorted(screens)[0] if len(screens) == 1 else None
        homes = [set(rel.on) for rel in rows if rel.on]
        common = set.intersection(*homes) if homes else set()
        if homes and not common:
            return None
        return at.screen if at.screen in common or not common else sorted(common)[0]

    def _shown_by(self, scene: Scene) -> frozenset[str]:
        """The screens that the nodes of a scene show."""
        key = repr((scene.nodes, scene.others))
        if key not in self._screens_of:
            alone = self.seen(At(()), [], scene)
            self._screens_of[key] = self._story(alone).guard.snapshot.screens
        return self._screens_of[key]

    def _led(self, at: At, screen: str) -> At:
        """On a screen: by gestures that lead there where it is known from which one, else it is supposed."""
        if not screen or at.screen == screen:
            return at
        seen = Turn("turn", (Part("observe screen", Fact(screen)),))
        if not at.screen:
            return at.then(seen, screen=screen)
        known = len(self.denied)
        for way in ways(self.program, at.screen, screen):
            after: At | None = at
            for rule, target in way:
                after = self.lead(after, rule, target) if after is not None else None
            if after is not None:
                return after
        here, there = short_name(at.screen), short_name(screen)
        note = f"{there} shows after {here}: no gesture was found that leads there{self._refused(known)}"
        return at.then(seen, screen=screen, note=note)

    def lead(self, at: At, rule: Rule, target: str) -> At | None:
        """After the gesture of a `goto` rule."""
        for scene in self._scenes(at, rule, {}):
            if self._screen(at, scene, []) != at.screen:
                continue
            after = self._touched(at, scene)
            if after is not None and after.screen == target:
                return after
        return None

    def _refused(self, known: int) -> str:
        rules = list(self.denied)[known:]
        return f" ({', '.join(rules)} refused one)" if rules else ""

    # ------------------------------------------------------------ helpers

    def begun(self, turns: tuple[Turn, ...]) -> At:
        """Where given steps lead."""
        screens = self._story(At(turns)).guard.snapshot.screens
        return At(turns, next(iter(screens)) if len(screens) == 1 else "")

    def _story(self, at: At) -> Story:
        story = played(self.program, at.turns)
        if story is None:
            raise _Unplayable
        return story

    def _building(self, at: At) -> Scenes:
        return Scenes(self._story(at).guard.today, program=self.program)

    def _scenes(
        self,
        at: At,
        rule: Rule,
        wanted: Cells,
        also: tuple[Rule, ...] = (),
        actions: Mapping[str, Cells] | None = None,
    ) -> Iterator[Scene]:
        """Scenes for a rule: with the nodes that were seen, then with others."""
        building = self._building(at)
        seen = [
            row for row in self._story(at).screen.facts.get("Node", ()) if isinstance(row.get("node"), int)
        ]
        if seen:
            yield from building.of(rule, wanted, also=also, actions=actions, seen=seen)
        yield from building.of(rule, wanted, also=also, actions=actions)

    def _device(self, name: str) -> bool:
        return not self.program.relation(name).module or self.program.relation(name).module == "std.android"

    def _merged(self, rows: _Rows) -> _Rows:
        """The rows, with all that is said of one row together."""
        facts: list[tuple[Relation, dict[str, Value]]] = []
        for rel, cells in rows:
            for other, known in facts:
                if other is rel and all(same(known.get(key), cells.get(key)) for key in rel.identity):
                    known.update(cells)
                    break
            else:
                facts.append((rel, dict(cells)))
        return [*facts]

    def _wanted(self, story: Story, waiting: Sequence[Turn]) -> _Precondition:
        """What steps of an action's run suppose, taken apart."""
        rows: _Rows = []
        before = []
        for turn in waiting:
            other = []
            for part in turn.parts:
                rel = self.program.relation(part.fact.relation)
                cells = {n: _ground(story, v) for n, v in part.fact.cells.items()}
                whole = (
                    rel.sort == "view" or None not in cells.values()
                )  # a view is replaced as a whole anyway
                if part.kind == "observe" and rel.sort in _BELIEVED and whole:
                    rows.append((rel, {n: v for n, v in cells.items() if v is not None}))
                else:
                    other.append(part)
            if other:
                before.append(replace(turn, parts=tuple(other)))
        return _Precondition(tuple(rows), tuple(before))


def _gesture(scene: Scene) -> Turn:
    return Turn("turn", (Part("gesture", Fact(scene.gesture, scene.args)),))


def _alike(one: Mapping[str, Value], other: Mapping[str, Value]) -> bool:
    return one.keys() == other.keys() and all(same(value, other[name]) for name, value in one.items())


def _ground(story: Story, value: Value | Today | None) -> Value | None:
    return story.guard.today + dt.timedelta(days=value.days) if isinstance(value, Today) else value
