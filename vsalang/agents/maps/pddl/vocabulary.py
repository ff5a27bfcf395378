"""What a planning problem for a task is about: predicates for what is believed and done, objects, and the start."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from itertools import product
from typing import Any, Final, Literal, TypeAlias

from vsalang.agents.maps.pddl.conditions import Conditions, Fluent
from vsalang.agents.maps.pddl.notation import Draft, Names, PddlOmission
from vsalang.agents.maps.pddl.values import Objects, Values
from vsalang.base.records import dataclass
from vsalang.guard.examples import Story
from vsalang.guard.world.beliefs import BELIEVED
from vsalang.program.ir import Expect, Goto, License, Program, Recognize, Rule, Write
from vsalang.program.show import short_name
from vsalang.program.values import Value
from vsalang.program.walk import atoms, conditions, head_atom, relations
from vsalang.proof.prove.bounds import Level
from vsalang.proof.prove.gestured import Gestures
from vsalang.proof.prove.pinned import Belief, written_by_actions
from vsalang.proof.prove.runs import action_of, clauses, denies
from vsalang.proof.solver.scan import with_definitions

UNIT: Final = 1000
"""What a gesture costs, and at the level of actions an action."""
SEEN: Final = "1"
"""What it costs to suppose that the app shows something."""
SUPPOSED: Final = 100 * UNIT
"""What it costs to suppose that the app goes to a screen to which no known gesture leads."""
MAX_ROWS: Final = 2000
"""A relation that could have more rows is left out."""
_MAX_PLACED: Final = 64

Kind: TypeAlias = Literal["see", "seen", "screen", "go", "enter", "do", "finish", "jump"]


@dataclass(frozen=True, slots=True)
class Meaning:
    """What an operator stands for.

    Attributes:
        relation: that is seen, written or done.
        args: for each attribute the position of its parameter, or an object.
        rule: of an input, a `goto` or a clause.
    """

    kind: Kind
    relation: str = ""
    args: Mapping[str, int | str] = field(default_factory=dict)
    rule: Rule | None = None


Bans: TypeAlias = Mapping[str, frozenset[tuple[str, ...]]]
"""For operators the arguments with which they may not be used: the guard refused them."""


class Task:
    """One problem that is being made."""

    def __init__(self, program: Program, story: Story, goal: Rule, level: Level, banned: Bans) -> None:
        self.program = program
        self.goal = goal
        self.by_gestures = level == "gestures"
        self.banned = banned
        self.belief = Belief.of(story)
        self.screens_shown = story.guard.snapshot.screens
        self.today = self.belief.today
        self.dropped: dict[tuple[str, str], PddlOmission] = {}
        self.gestures = Gestures(program)
        self.names = Names("at", "uses", "nowhere", "acted", "finished", "next", "gesture", "screen")
        title = f"The task of {short_name(program.main)}: {level} that its clauses and policies permit"
        self.draft = Draft(self.names.of(("domain",), short_name(program.main)), title)
        self.licences = [rule for rule in clauses(program) if action_of(rule) != "finish"]
        self.actions = list(dict.fromkeys(map(action_of, self.licences)))
        self.effects = [rule for rule in program.rules if isinstance(rule.head, Write)]
        self.denies = [rule for rule in program.rules if denies(rule)]
        self.recognized = [rule for rule in program.rules if isinstance(rule.head, Recognize)]
        self.gotos = (
            [rule for rule in program.rules if isinstance(rule.head, Goto)] if self.by_gestures else []
        )
        self.inputs = [r for r in self.effects if r.trigger == "input"] if self.by_gestures else []
        self.consequences = [rule for rule in self.effects if rule.trigger == "consequence"]
        self.by_actions = written_by_actions(program)
        self._declare()

    def drop(self, rule: Rule, reason: str) -> None:
        """Note that a rule is not said, or only in part."""
        span = rule.head_span or rule.span
        self.dropped.setdefault((rule.id, reason), PddlOmission(rule.id, reason, span))

    # ------------------------------------------------------------ what there is

    def _declare(self) -> None:
        reading = [*self.licences, self.goal, *self.denies]
        if self.by_gestures:
            reading += [rule for rule in self.recognized if written(rule) in self.actions]
            reading += self.gotos
        read = with_definitions(self.program, reading)
        names = {name for rule in read for name in relations(conditions(rule))}
        believed = sorted(n for n in names if self.program.relation(n).sort in BELIEVED)
        effects = [rule for rule in (*self.inputs, *self.consequences) if written(rule) in believed]
        rules = [*read, *with_definitions(self.program, [r for r in effects if r not in read])]
        used = self._used(rules, {*believed, *self.actions})
        types = {
            (rel.name, attr.name): attr.type
            for rel in self.program.relations.values()
            if rel.name in (*believed, *self.actions) or rel.sort == "derived"
            for attr in rel.attrs
            if rel.sort == "derived" or attr.name in used.get(rel.name, ()) or attr.name in rel.identity
        }
        self.used = used
        values = Values(_once(rules), types, self._known(types), self.today)
        self.objects = Objects(values, self.draft, self.names)
        self.say = Conditions(self.program, self.objects, self.draft, self.names, self.today)
        self.draft.predicate("acted", comment="an action was done")
        self.draft.predicate("finished", comment="the task is over")
        self._declare_screens()
        self._declare_actions()
        for name in believed:
            self._declare_relation(name)

    def _used(self, rules: Iterable[Rule], names: set[str]) -> dict[str, set[str]]:
        """The attributes of relations that rules name."""
        attributes: dict[str, set[str]] = {}
        for rule in rules:
            for atom in self._atoms(rule):
                if atom.relation in names:
                    attributes.setdefault(atom.relation, set()).update(each.attr for each in atom.constraints)
        return attributes

    def _atoms(self, rule: Rule) -> Iterator[Any]:
        head = head_atom(rule)
        if head is not None:
            yield head
        yield from atoms(conditions(rule))

    def _known(self, types: Mapping[tuple[str, str], Any]) -> dict[tuple[str, str], list[Value]]:
        values: dict[tuple[str, str], list[Value]] = {}
        tables: list[tuple[str, Sequence[Any]]] = [*self.belief.rows.items()]
        tables += [(name, [commit.row for commit in done]) for name, done in self.belief.done.items()]
        for name, rows in tables:
            if name not in self.program.relations:
                continue
            for row in rows:
                for attr, value in zip(self.program.relation(name).attrs, row, strict=True):
                    if value is not None and (name, attr.name) in types:
                        values.setdefault((name, attr.name), []).append(value)
        return values

    def _declare_screens(self) -> None:
        self.draft.types["screen"] = ""
        self.draft.predicate("at", [("?screen", "screen")], "the screen that shows")
        self.draft.objects["nowhere"] = "screen"
        for name, rel in self.program.relations.items():
            if rel.sort == "screen":
                self.say.screens[name] = self.names.of(("screen", name), rel.short)
                self.draft.objects[self.say.screens[name]] = "screen"
        here = [self.say.screens[name] for name in self.screens_shown if name in self.say.screens]
        self.draft.fact("at", here[0] if len(here) == 1 else "nowhere")

    def _declare_actions(self) -> None:
        self.counters: dict[str, tuple[str, int]] = {}
        for action in self.actions:
            rel = self.program.relation(action)
            attrs = tuple(attr.name for attr in rel.attrs if attr.name in self.used.get(action, ()))
            name = self.names.of(("done", action), f"{rel.short}-done")
            self.draft.predicate(name, self.typed(action, attrs), f"{rel.short} was done")
            self.say.done[action] = (name, attrs)
            for commit in self.belief.done.get(action, ()):
                row = dict(zip((a.name for a in rel.attrs), commit.row, strict=True))
                args = [self._object(action, attr, row[attr]) for attr in attrs]
                if None not in args:
                    self.draft.fact(name, *(each for each in args if each is not None))
            rules = [rule for rule in self.licences if action_of(rule) == action]
            for rule in rules:
                self._declare_counter(action, rule)
            used = [self.counters[rule.id] for rule in rules if rule.id in self.counters]
            if len(used) == len(rules):
                self.say.spent[action] = [(name, self._number(0)) for name, _ in dict.fromkeys(used)]

    def _declare_counter(self, action: str, rule: Rule) -> None:
        assert isinstance(rule.head, License)
        quota = rule.head.quota
        if quota.kind == "each":
            return
        key = ("left", action) if quota.kind == "either" else ("left", rule.id)
        name = self.names.of(key, f"{short_name(action)}-left")
        most = quota.n if quota.kind == "count" else 1
        used = len(self.belief.done.get(action, ()))
        left = max(0, most - used)
        if used and quota.kind != "either" and len([r for r in self.licences if action_of(r) == action]) > 1:
            self.drop(rule, "which licence was used before the start is not known: it counts as used")
        self.counters[rule.id] = (name, left)
        if name not in self.draft.predicates:
            self.draft.predicate(name, [("?left", "uses")], f"how often {rule.id} may still permit it")
            self.draft.fact(name, self._number(left))
        for number in range(1, most + 1):
            self.draft.predicate("next", [("?less", "uses"), ("?more", "uses")])
            self.draft.fact("next", self._number(number - 1), self._number(number))

    def _number(self, number: int) -> str:
        self.draft.types["uses"] = ""
        name = self.names.of(("number", number), f"n{number}")
        self.draft.objects[name] = "uses"
        return name

    def _declare_relation(self, name: str) -> None:
        rel = self.program.relation(name)
        keys = tuple(rel.identity)
        cells = tuple(a.name for a in rel.attrs if a.name in self.used.get(name, ()) and a.name not in keys)
        number = 1
        for key in keys:
            number *= len(self.objects.all(self._root(name, key)))
        if number > MAX_ROWS:
            reason = f"it could have {number} rows, more than {MAX_ROWS}: conditions about it cannot be said"
            self.dropped.setdefault((name, reason), PddlOmission(name, reason, rel.span))
            return
        short = self.names.of(("relation", name), rel.short)
        typed_keys = self.typed(name, keys)
        there = self.draft.predicate(f"{short}", typed_keys, f"there is a row of {rel.short}")
        predicted = ""
        if any(self.expected(action, name) for action in self.actions):
            predicted = self.names.of(("predicted", name), f"{rel.short}-not-seen-since")
            self.draft.predicate(predicted, typed_keys, "an action wrote it, and it was not seen since")
        holds = {}
        for cell in cells:
            holds[cell] = self.names.of(("cell", name, cell), f"{rel.short}-{cell}")
            wide = self.objects.wide(self._root(name, cell))
            self.draft.predicate(holds[cell], [*typed_keys, (f"?{cell}", wide)], f"what its {cell} is")
        fluent = Fluent(rel, keys, cells, there, predicted, holds)
        self.say.fluents[name] = fluent
        self._start_rows(fluent)

    def _start_rows(self, fluent: Fluent) -> None:
        rel = fluent.relation
        rows = {}
        for row in self.belief.rows.get(rel.name, ()):
            cells = dict(zip((a.name for a in rel.attrs), row, strict=True))
            rows[tuple(self._object(rel.name, key, cells[key]) for key in fluent.keys)] = cells
        for keys in self.rows(fluent):
            known = rows.get(keys)
            if known is not None:
                self.draft.fact(fluent.there, *keys)
            for cell in fluent.cells:
                value = known[cell] if known is not None else None
                named = self._object(rel.name, cell, value) if value is not None else None
                unknown = self.objects.unknown(self._root(rel.name, cell))
                self.draft.fact(fluent.holds[cell], *keys, named or unknown)

    def rows(self, fluent: Fluent) -> Iterator[tuple[str, ...]]:
        """The keys of all rows that a relation could have."""
        return product(*(self.objects.all(self._root(fluent.relation.name, key)) for key in fluent.keys))

    # ------------------------------------------------------------ helpers

    def expected(self, action: str, relation: str) -> bool:
        """Whether a contract of an action is about a relation."""
        return any(
            relation in relations(rule.head.literals) and action in relations(rule.body)
            for rule in self.program.rules
            if isinstance(rule.head, Expect) and not rule.refusal
        )

    def _root(self, relation: str, attr: str) -> Any:
        return self.objects.classes.column(relation, attr)

    def _object(self, relation: str, attr: str, value: Value | None) -> str | None:
        return self.objects.of(self._root(relation, attr), value) if value is not None else None

    def typed(self, relation: str, attrs: Iterable[str]) -> list[tuple[str, str]]:
        """Variables for attributes, with their types."""
        return [(f"?{attr}", self.objects.type_of(self._root(relation, attr))) for attr in attrs]


def _once(rules: Iterable[Rule]) -> list[Rule]:
    rules_by_id: dict[str, Rule] = {}
    for rule in rules:
        rules_by_id.setdefault(rule.id, rule)
    return list(rules_by_id.values())


def written(rule: Rule) -> str:
    """The relation of a rule's head; empty if it has none."""
    atom = head_atom(rule)
    return atom.relation if atom is not None else ""
