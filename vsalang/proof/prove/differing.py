"""Looking for a state in which one of two programs permits or forbids what the other does not."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import field, replace
from functools import partial
from typing import Any

from vsalang.base.records import dataclass
from vsalang.program import ir
from vsalang.program.example import LEVELS, Example
from vsalang.program.ir import Judge, License, Program, Rule
from vsalang.program.walk import literals, relations
from vsalang.proof.prove.results import Answer, ShownDifference
from vsalang.proof.prove.stories import ActionCall, proposal, run, shrunk
from vsalang.proof.prove.teller import Teller
from vsalang.proof.prove.time import Time, TimeIsUp
from vsalang.proof.solver.joint import Joint, holds, repeats
from vsalang.proof.solver.query import NoAnswer
from vsalang.proof.solver.results import UnsupportedConstruct, World
from vsalang.proof.solver.scan import MOST_ROWS, asks_other, licences_of, size, with_definitions
from vsalang.proof.solver.sorts import conj, disj, equals, neg, true_in

_TRIES = 4
_MOST_PROPOSALS = 5
"""So many actions and gestures that a judgement may be about are tried."""
_MOST_TIMES = 3
"""An action is done at most so often to show that it may be done once more."""


@dataclass(frozen=True, slots=True)
class Side:
    """A program, and its rules of one head."""

    program: Program
    rules: tuple[Rule, ...]


def beyond(rule: Rule, here: Side, there: Side, time: Time) -> Answer:
    """Whether a clause holds in a state in which none of the other side's does."""
    return answered(Search(rule, here, there, time))


def more_often(here: Side, there: Side, times: int, time: Time) -> Answer:
    """A state in which an action was done up to so many times, and only one side allows it once more.

    That there is none is known only where both sides have one clause.
    """
    if times > _MOST_TIMES:
        return Answer(open=f"no test that does it more than {_MOST_TIMES} times was tried")
    single = len(here.rules) == len(there.rules) == 1
    answer = Answer()
    for done in (times,) if single else range(1, times + 1):
        for rule in here.rules:
            answer = answered(Search(rule, here, there, time, times=done))
            if answer.seen is not None:
                return answer
    return answer if single else Answer(open="no test was found that shows it")


def answered(search: "Search") -> Answer:
    """What a search answers; what it cannot do is open."""
    try:
        return search.answer()
    except UnsupportedConstruct as error:
        return Answer(open=f"the solver does not look into {error}")
    except NoAnswer as error:
        return Answer(open=error.sentence)
    except TimeIsUp:
        return Answer(open="the time was not enough")


@dataclass(eq=False)
class Search:
    """The search for one difference.

    Attributes:
        times: 0: none of the other side's rules holds; else: both allow it, and it was done so often.
    """

    rule: Rule
    here: Side
    there: Side
    time: Time
    times: int = 0
    cut: list[str] = field(default_factory=list)

    def answer(self) -> Answer:
        """What is known."""
        rows, exact = needed_rows(self.here.program, self.rule, self.there)
        asking = self.asking(max(rows, self.times))
        if not asking.check(asking.plain()):
            if self.cut:
                name = self.cut[0].rpartition(".")[2]
                return Answer(open=f"`{name}` is recursive, and was followed 3 rounds only")
            return Answer(bound=None if exact else rows)
        seen = self.difference(asking)
        if seen is not None:
            return Answer(seen)
        supposed = "; ".join(asking.query.terms.supposed)
        why = "a state was found in which they seem to differ, but no test that shows it"
        return Answer(open=f"{why} (it may depend on {supposed})" if supposed else why)

    def asking(self, rows: int) -> "Asking":
        """The question."""
        asked = [self.rule, *self.judging(self.here.program)]
        others = [*self.there.rules, *self.judging(self.there.program)]
        if self.times:  # what was done fits a clause
            (action,) = relations(self.rule.head)
            asked += [r for r in licences_of(self.here.program, action) if r not in asked]
            others += [r for r in licences_of(self.there.program, action) if r not in others]
        query = Joint(
            self.here.program,
            asked,
            rows,
            self.time.next(),
            others=[(self.there.program, others)],
        )
        mine, other = query.states
        base = [holds(mine, self.rule, self.cut, asked_alone=not self.times)]
        theirs = [holds(other, rule, self.cut) for rule in self.there.rules]
        if self.times:
            base.append(disj(theirs))
            done = query.state.slots("commits", action)
            base += [slot.present for slot in done[: self.times]]
            base += [neg(slot.present) for slot in done[self.times :]]
            made = query.state.slots("now", action)[0]
            repeated = [r for side in (self.here, self.there) for r in side.rules if repeats(side.program, r)]
            if made.cells and not repeated:
                base += [neg(query.state.alike(made, slot)) for slot in done[: self.times]]
        else:
            base += [neg(one) for one in theirs]
        return Asking(query, base, self)

    def judging(self, program: Program) -> list[Rule]:
        """Rules that may hide the difference: what else is forbidden or must be confirmed."""
        head = self.rule.head
        if not isinstance(head, License):
            return []
        rules = [
            r for r in program.rules if isinstance(r.head, Judge) and r.head.level in ("deny", "confirm")
        ]
        return [r for r in rules if not asks_other(program, r, head.atom.relation)]

    def difference(self, asking: "Asking") -> ShownDifference | None:
        """A story that tells the two sides apart."""
        programs = (self.here.program, self.there.program)

        def levels(story: Example) -> tuple[str, str]:
            here, there = (run(program, story).level for program in programs)
            return here, there

        for world, asked in asking.worlds():
            story = Teller(programs, self.time.next()).story("a difference", world, asked)
            if story is None:
                continue
            pair = levels(story)
            if all(pair) and self.tells(story, *pair):
                story = shrunk(story, partial(self._still, levels, pair))
                rel = asking.query.state.program.relation(asked.relation)
                about = proposal(rel, asked.row, world.today)
                return ShownDifference(self.rule.id, replace(story, name=about), *pair)
        return None

    def _still(
        self, levels: Callable[[Example], tuple[str, str]], pair: tuple[str, str], story: Example
    ) -> bool:
        return self.keeps(story) and levels(story) == pair

    def keeps(self, story: Example) -> bool:
        """Whether a shorter story still has what it is about."""
        return True

    def tells(self, story: Example, here: str, there: str) -> bool:
        """Whether the verdicts differ as the clause says: it permits, or it speaks against."""
        levels = [LEVELS.index(level) for level in (here, there)]
        return levels[0] < levels[1] if isinstance(self.rule.head, License) else levels[0] > levels[1]


@dataclass(eq=False)
class Asking:
    """The states in which a clause holds and the other side's do not, those first that make plain tests."""

    query: Joint
    base: Sequence[Any]
    search: Search

    def plain(self) -> list[Any]:
        """What is asked, with what every history satisfies."""
        return [*self.base, *self.query.allowed_history()]

    def check(self, formulas: Sequence[Any]) -> bool:
        """Whether there is such a state."""
        self.query.timeout = self.search.time.next()
        return self.query.check(self.query.solver(formulas))

    def worlds(self) -> Iterator[tuple[World, ActionCall]]:
        """States, with what is proposed in them."""
        for proposed in self.proposals():
            yield from self._worlds(proposed)

    def _worlds(self, proposed: str) -> Iterator[tuple[World, ActionCall]]:
        """States with one proposal: each has another row of it than those before, or if it cannot, other rows."""
        plain = [*self.plain(), *self.query.testable(proposed)]
        kept: list[Any] = []
        never, still, realistic = self.query.never(), self.query.still(), self.query.terms.realistic()
        for wish in (
            self.nothing_done(),
            never,
            self.unforbidden(),
            self.licensed(proposed),
            realistic,
            still,
        ):
            if wish and self.check([*plain, *kept, *wish]):
                kept += wish
        apart: list[Any] = []
        for _ in range(_TRIES):
            if apart and self.check([*plain, *kept, *apart]):
                kept += apart
            apart = []
            self.query.timeout = self.search.time.next()
            solver = self.query.solver([*plain, *kept])
            if not self.query.check(solver):
                return
            try:
                world = self.query.example(solver)
            except UnsupportedConstruct:  # its values have no form in the language
                return
            kept.append(self.other_than(self.query.model))
            apart.append(self.another(proposed, self.query.model))
            yield world, self.asked(world, proposed)

    def proposals(self) -> list[str]:
        """The actions and gestures that the clause may be about; if it is about none, an empty name."""
        head, program = self.search.rule.head, self.search.here.program
        if isinstance(head, License):
            return [head.atom.relation]
        reached = relations(tuple(r.body for r in with_definitions(program, [self.search.rule])))
        made = {name for kind, name in self.query.state.made if kind == "now"}
        first = dict.fromkeys([*sorted(relations(self.search.rule.body)), *sorted(reached)])
        names = [n for n in first if n in made and program.relations[n].sort in ("action", "gesture")]
        return names[:_MOST_PROPOSALS] or [""]

    def asked(self, world: World, proposed: str) -> ActionCall:
        """What is proposed in a state."""
        row = next(iter(world.rows.get(proposed, ())), None)
        if row is None:
            return ActionCall(
                "wait", (None,) * len(self.query.state.program.relation("wait").attrs), "gesture"
            )
        rel = self.query.state.program.relation(proposed)
        return ActionCall(proposed, row, "gesture" if rel.sort == "gesture" else "attempt")

    # ------------------------------------------------------------ what makes a difference show

    def nothing_done(self) -> list[Any]:
        """That nothing was done before."""
        made = self.query.state.made.items()
        return [neg(slot.present) for (kind, _), slots in made if kind == "commits" for slot in slots]

    def unforbidden(self) -> list[Any]:
        """That no other rule speaks against the proposal."""
        formulas = []
        for state, side in zip(self.query.states, (self.search.here, self.search.there), strict=True):
            for rule in self.search.judging(side.program):
                try:
                    formulas.append(neg(holds(state, rule, [])))
                except UnsupportedConstruct:
                    continue
        return formulas

    def licensed(self, proposed: str) -> list[Any]:
        """Of a judgement in a spec: that the action is one that both sides allow."""
        if isinstance(self.search.rule.head, License) or not proposed:
            return []
        formulas = []
        for state in self.query.states:
            heads = [r for r in state.program.rules if isinstance(r.head, License)]
            clauses = [r for r in heads if proposed in relations(r.head)]
            try:
                formulas += [disj([holds(state, clause, []) for clause in clauses])] if clauses else []
            except UnsupportedConstruct:
                continue
        return formulas

    def another(self, proposed: str, model: Any) -> Any:
        """That what is proposed has other known cells, or other values in them, than in the model."""
        slot = self.query.state.slots("now", proposed)[0] if proposed else None
        same: list[Any] = []
        for cell in slot.cells if slot is not None else ():
            known = true_in(model, cell.known)
            same.append(cell.known if known else neg(cell.known))
            if known and cell.type.kind != "set":
                value = model.eval(cell.value, model_completion=True)
                same.append(cell.none if true_in(model, cell.none) else equals(cell.value, value))
        return neg(conj(same))

    def other_than(self, model: Any) -> Any:
        """That which rows there are, or which screens show, is not as in the model."""
        flags = [slot.present for slots in self.query.state.made.values() for slot in slots]
        flags += self.query.state.screens.values()
        return neg(conj([flag == model.eval(flag, model_completion=True) for flag in flags]))


def needed_rows(program: Program, rule: Rule, there: Side) -> tuple[int, bool]:
    """How many rows a relation must have for the question, and whether more could make no difference."""
    own = size(program, rule)
    others = [size(there.program, other) for other in there.rules]
    wanted = own.rows + sum(_against(there.program, other) for other in there.rules)
    exact = own.exact and all(one.exact for one in others) and wanted <= MOST_ROWS
    return min(wanted, MOST_ROWS), exact


def _against(program: Program, rule: Rule) -> int:
    """How many rows may be there only to keep a clause from holding: those that it must not meet."""
    count = 0
    for reached in with_definitions(program, [rule]):
        for literal in literals(reached.body):
            match literal:
                case ir.Lit(neg=True) | ir.Every() | ir.First():
                    count += 1
                case ir.Aggregate():
                    number = literal.right.value if isinstance(literal.right, ir.Const) else 1
                    count += min(number, 20) + 1 if isinstance(number, int) else 2
                case _:
                    pass
    return count
