"""The control graph of a screen: which controls come before which, because they write what the others read.

It is SenseAct's semantic control graph, derived from the program: its edges are rules, not guesses. It orders what an
agent plans, and permits nothing.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final
from typing import Literal as OneOf

from vsalang.base.records import dataclass
from vsalang.base.source.suggest import did_you_mean
from vsalang.engine.explain.terms import Context
from vsalang.guard.graph.wants import Cell, Want, Wants
from vsalang.guard.judge.foreseeing import Effects
from vsalang.guard.world.session_state import Snapshot
from vsalang.program.ir import Program, Rule
from vsalang.program.text import join, safe
from vsalang.screen.control import Unit

FINISH: Final = "finish"
"""The end of the task, as a node of the graph: it reads what `done` clauses ask."""


@dataclass(frozen=True, slots=True)
class Edge:
    """A control comes before another one, or opens a screen.

    Attributes:
        source: the key of the unit that comes first.
        target: the key of the other one, ``finish``, or the qualified name of the screen that is opened.
        kind: ``cells``: the target reads what the source writes; ``opens``: a `goto` rule leads there.
        cells: what the source writes and the target reads.
        writes: the rules by which the source does that.
        reads: the rules by which the target does.
    """

    source: str
    target: str
    kind: OneOf["cells", "opens"]
    cells: tuple[Cell, ...]
    writes: tuple[Rule, ...]
    reads: tuple[Rule, ...]


@dataclass(frozen=True, slots=True)
class Missing:
    """A cell that is not right, and that no earlier unit writes.

    Attributes:
        writers: the units of the screen that write it.
        rule: who reads it.
    """

    cell: Cell
    writers: tuple[str, ...]
    rule: Rule


@dataclass(frozen=True, slots=True)
class Admission:
    """Whether an order of units is admissible; true if it is.

    Attributes:
        unit: the first that comes too early; None: none does.
        missing: what must come before it.
        why: in words; empty if the order is admissible.
    """

    unit: str | None = None
    missing: tuple[Missing, ...] = ()
    why: str = ""

    def __bool__(self) -> bool:
        return self.unit is None


@dataclass(frozen=True)
class ControlGraph:
    """The control graph of one screen. Made by `vsalang.guard.graph.graph`.

    Attributes:
        units: the controls of the screen, its nodes.
        edges: by source and target, in the order of the screen.
        effects: of each unit, what its gestures do by the rules.
        wants: of each unit (and of ``finish``) what the rules want before it.
        writers: of each want of each unit the units that write its cells.
        state: what was known when the graph was made.
        over: the past conditions that had held by then.
        notes: what a reader should know.
    """

    program: Program
    units: tuple[Unit, ...]
    edges: tuple[Edge, ...]
    effects: Mapping[str, tuple[Effects, ...]]
    wants: Mapping[str, Wants]
    writers: Mapping[tuple[str, Want], Mapping[Cell, frozenset[str]]]
    state: Snapshot
    context: Context
    over: frozenset[str] = frozenset()
    notes: tuple[str, ...] = ()

    def unit(self, key: str) -> Unit:
        """The unit of that key.

        Raises:
            ValueError: the screen has none.
        """
        for unit in self.units:
            if unit.key == key:
                return unit
        hint = did_you_mean(key, [unit.key for unit in self.units])
        raise ValueError(f"the screen has no unit `{key[:40]}`" + (f"; {hint}" if hint else ""))

    # ------------------------------------------------------------------ order

    def missing(
        self, unit: "Unit | str", earlier: Iterable["Unit | str"] = (), state: Snapshot | None = None
    ) -> tuple[Missing, ...]:
        """What must come before a unit, and neither is right already nor comes from an earlier one.

        Where several clauses allow it, or several definitions do, what the one that comes nearest lacks.

        Raises:
            ValueError: the screen has no such unit.
        """
        key = self._key(unit)
        before = frozenset(map(self._key, earlier))
        return self._lacking(key, self.wants.get(key, Wants()), before, state or self.state)

    def frontier(self, state: Snapshot | None = None, done: Iterable["Unit | str"] = ()) -> tuple[Unit, ...]:
        """The units that can be used now: enabled, and what they read is right already or was written by one of `done`.

        Args:
            state: what is known (`Guard.snapshot`); None: as the graph was made.
            done: the units that were used since.
        """
        before = tuple(done)
        return tuple(
            unit for unit in self.units if unit.enabled is not False and not self.missing(unit, before, state)
        )

    def admissible(self, order: Sequence["Unit | str"], state: Snapshot | None = None) -> Admission:
        """Whether units may be used in this order: of each, what it reads is right or written by an earlier one.

        This is SenseAct's equation (3), in which the unit itself does not count. Of several units that write one cell
        one is enough, for they stand for different values of it.

        Args:
            order: units or their keys; ``finish`` may be among them.
            state: what is known before the first; None: as the graph was made.

        Raises:
            ValueError: the screen has no such unit.
        """
        keys = [self._key(unit) for unit in order]
        for number, key in enumerate(keys):
            missing = self.missing(key, keys[:number], state)
            if missing:
                return Admission(key, missing, self._too_early(key, missing))
        return Admission()

    def _key(self, unit: "Unit | str") -> str:
        key = unit if isinstance(unit, str) else unit.key
        if key != FINISH:
            self.unit(key)
        return key

    def _lacking(
        self, key: str, wants: Wants, earlier: frozenset[str], state: Snapshot
    ) -> tuple[Missing, ...]:
        missing_cells: list[Missing] = []
        for want in wants.own:
            if self.over.intersection(want.over):
                continue
            writers = self.writers.get((key, want), {})
            if not any(writers.values()):
                continue  # nothing on this screen writes it
            for cell in want.wrong(self.program, state, self.context):
                who = writers.get(cell, frozenset())
                if who and not who & earlier:
                    ordered = tuple(unit.key for unit in self.units if unit.key in who)
                    missing_cells.append(Missing(cell, ordered, want.rule))
        for choice in wants.choices:
            each = [self._lacking(key, alternative, earlier, state) for alternative in choice]
            missing_cells += sorted(each, key=len)[0]
        return tuple(dict.fromkeys(missing_cells))

    # ------------------------------------------------------------------ words

    def why(self, edge: Edge) -> str:
        """An edge in words: which rule writes what, and which one reads it."""
        first = self.name(edge.source)
        by = _rules(edge.writes)
        if edge.kind == "opens":
            return f"{first} opens {self.program.relation(edge.target).short} ({by})"
        cells = join([cell.short for cell in edge.cells])
        verb = "does" if all(not cell.attr for cell in edge.cells) else "writes"
        asked = "; ".join(dict.fromkeys(self._asked(edge)))
        return f"{first} {verb} {cells} ({by}), which {self.name(edge.target)} reads ({asked})"

    def _asked(self, edge: Edge) -> Iterable[str]:
        for want in self.wants[edge.target].all():
            if want.rule in edge.reads and set(want.cells) & set(edge.cells):
                yield f"{want.rule.id}: {want.text}"

    def name(self, key: str) -> str:
        if key == FINISH:
            return FINISH
        unit = self.unit(key)
        label = unit.label or unit.node.id or ""
        return f"{unit.kind} {safe(label, 60)}" if label else f"{unit.kind} {key}"

    def _too_early(self, key: str, missing: Sequence[Missing]) -> str:
        texts = []
        for cell in dict.fromkeys(each.cell for each in missing):
            mine = [each for each in missing if each.cell == cell]
            who = " or ".join(dict.fromkeys(self.name(w) for each in mine for w in each.writers))
            rules = list(dict.fromkeys(each.rule.id for each in mine))
            texts.append(f"{who} (for {cell.short}, which {join(rules)} read{'' if rules[1:] else 's'})")
        return f"{self.name(key)} comes too early; before it must come {join(texts)}"


def _rules(rules: Iterable[Rule]) -> str:
    return ", ".join(dict.fromkeys(rule.id for rule in rules))
