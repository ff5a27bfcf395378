"""What a gesture would do by the rules of a program: what it writes, which actions it is, and where it leads.

Nothing changes by it, and nothing is decided: `vsalang.guard.judge.judging_steps` judges. What is typed need not be
known yet; then each condition on it counts as met, and what follows from it is open.
"""

from collections.abc import Iterable, Mapping

from vsalang.base.records import dataclass
from vsalang.engine.api import Answering, Row
from vsalang.engine.explain.match import Facts
from vsalang.engine.explain.nearest import Nearest
from vsalang.engine.explain.terms import Binding, Context
from vsalang.guard.judge.predict import reaches
from vsalang.guard.session import Session
from vsalang.guard.world.beliefs import row_of
from vsalang.guard.world.rule_book import Kind
from vsalang.guard.world.rule_effects import bindings, head_cells, instances, most_specific
from vsalang.program.action import Action
from vsalang.program.gestures import completed_cells
from vsalang.program.ir import Goto, Literal, Recognize, Rule, Write
from vsalang.program.screen import Cells
from vsalang.program.values import Value
from vsalang.program.walk import needed, variables


@dataclass(frozen=True, slots=True)
class RuleFit:
    """A rule that fits a gesture.

    Attributes:
        binding: the values of its variables; of a `recognize` rule those that its conditions before ``with`` give.
        cells: the cells that its head gives; None: it makes the cell unknown.
        open: the attributes whose values depend on what is typed, or on what the screen does not show yet.
    """

    rule: Rule
    binding: Mapping[str, Value]
    cells: Mapping[str, Value | None]
    open: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Effects:
    """What a gesture would do.

    Attributes:
        gesture: as it was given.
        inputs: what it writes itself.
        recognized: the critical actions that it is.
        consequences: what these write when they are done.
        leads: the `goto` rules that it follows.
    """

    gesture: Action
    inputs: tuple[RuleFit, ...] = ()
    recognized: tuple[RuleFit, ...] = ()
    consequences: tuple[RuleFit, ...] = ()
    leads: tuple[Rule, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.inputs or self.recognized or self.leads)


_KINDS: tuple[Kind, ...] = ("input", "recognize", "goto")


def foresee(session: Session, gesture: Action) -> Effects:
    """What a gesture would do on the screen that was observed last.

    Args:
        session: of a guard that has observed a screen.
        gesture: ``input_text`` may leave its ``value`` out.

    Raises:
        Unresolved: it has no target on the screen.
        ValueError: no screen was observed.
        Exception: what the engine raises.
    """
    with session.lock:
        screen, book = session.state.screen, session.parts.judging.book
        if screen is None:
            raise ValueError("no screen was observed, so it is not known what a gesture would do")
        there = frozenset({gesture.name})
        if not any(book.firing.rules(kind, there) for kind in _KINDS):
            return Effects(gesture)
        cells = completed_cells(gesture.name, screen.target(gesture.name, gesture.args))
        moments = session.parts.moments
        try:
            savepoint = moments.savepoint()
            try:
                return _Looking(session, gesture, cells).effects()
            finally:
                moments.rollback(savepoint)
        except BaseException as error:
            session.restore(error)
            raise


class _Looking:
    """One gesture in the moment in which it is judged."""

    def __init__(self, session: Session, gesture: Action, cells: Cells) -> None:
        self._book = session.parts.judging.book
        self._moments = session.parts.moments
        self._state = session.state
        self._program = session.program
        self._gesture = gesture
        self._cells = cells
        self._spent = session.parts.licences.all_spent(session.state.grants)
        now = session.clock.read()
        self._context: Context = session.context(now)
        self._moments.clock(now.clock, now.timeline)
        self._moments.overridden(False)
        self._moments.gesture(gesture.name, cells)
        self._moments.actions({})
        self._moments.goto(())

    def effects(self) -> Effects:
        firing, there = self._book.firing, frozenset({self._gesture.name})
        open_ = there if self._gesture.name == "input_text" and "value" not in self._cells else frozenset()
        inputs = [rule for rule in firing.rules("input", there) if reaches(self._program, rule, self._cells)]
        fits = self._foreseen(inputs, open_)
        recognized = self._foreseen(firing.rules("recognize", there), open_)
        leads = self._foreseen(firing.rules("goto", there), open_)
        consequences: tuple[RuleFit, ...] = ()
        if recognized:
            runs = self._runs(recognized)
            self._moments.actions(runs)
            acting = there.union(runs)
            consequences = self._foreseen(firing.rules("consequence", acting), open_.union(runs))
            leads = (*leads, *self._foreseen(firing.rules("goto", acting), open_.union(runs)))
        ways = tuple(dict.fromkeys(one.rule for one in leads))
        return Effects(self._gesture, fits, recognized, consequences, ways)

    def _runs(self, recognized: Iterable[RuleFit]) -> dict[str, list[Row]]:
        """The instances, their parameters as far as they are known."""
        rows: dict[str, set[Row]] = {}
        for one in recognized:
            assert isinstance(one.rule.head, Recognize)
            name = one.rule.head.atom.relation
            more = instances(self._answers, one.rule, self._context, self._program)
            rows.setdefault(name, set()).update(more or {row_of(self._program.relation(name), one.cells)})
        return {name: list(most_specific(rows_of_name)) for name, rows_of_name in rows.items()}

    @property
    def _answers(self) -> Answering:
        return self._moments.answers

    def _foreseen(self, rules: Iterable[Rule], open_: frozenset[str]) -> tuple[RuleFit, ...]:
        """The rules that fit; cells of the relations in `open_` that are not known count as fitting."""
        fits: list[RuleFit] = []
        for rule in rules:
            bound = bindings(self._answers, rule)
            if not bound and open_:
                bound = self._as_far_as_known(rule.body, open_)
            for binding in bound:
                one = self._of(rule, binding)
                if one not in fits:
                    fits.append(one)
        return tuple(fits)

    def _of(self, rule: Rule, binding: Binding) -> RuleFit:
        own = variables(rule.body)
        bound = {name: value for name, value in binding.items() if name in own}
        if isinstance(rule.head, Goto):
            return RuleFit(rule, bound, {})
        assert isinstance(rule.head, Write | Recognize)
        cells = head_cells(rule, bound, self._context)
        open_ = frozenset(
            c.attr
            for c in rule.head.atom.constraints
            if cells[c.attr] is None and needed(c.term) - bound.keys()
        )
        return RuleFit(rule, bound, {name: cell for name, cell in cells.items() if name not in open_}, open_)

    def _as_far_as_known(self, body: tuple[Literal, ...], open_: frozenset[str]) -> list[dict[str, Value]]:
        """The bindings under which nothing is missing but cells of these relations that are not known."""
        state = self._state
        facts: Facts = self._moments.facts(
            self._context, state.world, state.world, state.committed, self._spent
        )
        ways = Nearest(facts).ways(body, {}, certain=False)
        bindings: list[dict[str, Value]] = []
        for way in ways:
            missing = [
                finding
                for finding in way.findings
                if not (
                    finding.kind == "cell"
                    and finding.state == "unknown"
                    and getattr(getattr(finding.literal, "atom", None), "relation", "") in open_
                )
            ]
            if not missing and dict(way.binding) not in bindings:
                bindings.append(dict(way.binding))
        return bindings
