"""Near misses: states at the edge of what a spec allows, put as questions to the person who meant it.

For each clause the *loosest* state in which it permits something: nothing seen or done beyond what it asks for, numbers
and times at the very edge, and whatever it leaves open as nobody would expect it: another day, another text, `false`.
A condition that was forgotten shows there. What fills the list are states that one condition alone refuses.
"""

import datetime as dt
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import z3

from vsalang.base.records import dataclass
from vsalang.guard.examples import DEFAULT_CLOCK
from vsalang.program.example import Example, Fact, Part, Today
from vsalang.program.ir import Const, Constraint, License, Program, Relation, Rule
from vsalang.program.phrases import say
from vsalang.program.show import short_name
from vsalang.program.text import join, printable
from vsalang.program.values import show
from vsalang.program.walk import atoms, compares, constants, variables
from vsalang.proof.prove.differing import Search, Side, answered
from vsalang.proof.prove.edits import edits
from vsalang.proof.prove.filler import readable, texts_of
from vsalang.proof.prove.results import Probe
from vsalang.proof.prove.stories import ActionCall, expecting, named, proposal, run, shrunk
from vsalang.proof.prove.teller import Teller
from vsalang.proof.prove.testgen import decided
from vsalang.proof.prove.time import Time, TimeIsUp
from vsalang.proof.solver.joint import Joint, holds
from vsalang.proof.solver.query import NoAnswer
from vsalang.proof.solver.results import UnsupportedConstruct, World
from vsalang.proof.solver.scan import MOST_ROWS, size
from vsalang.proof.solver.sorts import Cell, conj, neg
from vsalang.proof.solver.state import Slot

MOST = 7
"""A careful reader answers so many questions, not more."""
_LATE = 23 * 3600
_MANY = 1000


def probes(
    program: Program,
    *,
    most: int = MOST,
    seconds: float = 60.0,
    each: float = 5.0,
    progress: Callable[[str], None] = lambda text: None,
    undecided: Callable[[str], None] = lambda rule: None,
) -> Iterator[Probe]:
    """Up to `most` questions about a spec, those first that find most mistakes. The next is looked for when asked for.

    Args:
        seconds: for all questions to the solver together.
        each: seconds for one.
        progress: is told what is being looked at.
        undecided: is given the id of a clause whenever the solver did not answer a question about it.
    """
    time = Time(seconds, round(each * 1000))
    clauses = [r for r in program.rules if r.module == program.main and isinstance(r.head, License)]
    questions: set[str] = set()
    in_order = sorted(clauses, key=lambda rule: -_left_open(program, rule))
    for probe in _all(program, in_order, time, (progress, undecided)):
        key = repr(probe.story.turns)
        if key in questions:
            continue
        questions.add(key)
        yield probe
        if len(questions) >= most:
            return


def _all(
    program: Program,
    clauses: Sequence[Rule],
    time: Time,
    tell: tuple[Callable[[str], None], Callable[[str], None]],
) -> Iterator[Probe]:
    progress, undecided = tell
    for ask in (loosest, _turned, _again):
        for rule in clauses:
            progress(rule.id)
            try:
                probe = ask(program, rule, time)
            except (UnsupportedConstruct, NoAnswer, TimeIsUp):
                undecided(rule.id)
                continue
            if probe is not None:
                yield probe
    for edit in edits(program, clauses):
        if edit.kind != "drop" or edit.way != "weaker":
            continue
        progress(f"{edit.rule}: {edit.text}")
        answer = decided(program, edit, time)
        seen = answer.seen
        if answer.open:
            undecided(edit.rule)
        if seen is not None:
            story = named(expecting(seen.story, seen.there), seen.story.name)
            if run(program, story).passed:
                yield question(program, story, edit.rule, edit.text)


def _left_open(program: Program, rule: Rule) -> int:
    """How many attributes of keys a clause leaves open while it gives others: the best sign of a forgotten one."""
    count = 0
    for atom in atoms((rule.head, rule.body)):
        rel = program.relations[atom.relation]
        key = rel.identity if rel.sort != "action" else tuple(attr.name for attr in rel.attrs)
        names = {c.attr for c in atom.constraints} & set(key)
        count += len(set(key) - {"at"}) - len(names) if names else 0
    return count


# ---------------------------------------------------------------- the loosest state


def loosest(program: Program, rule: Rule, time: Time, *, flags: bool = False) -> Probe | None:
    """The question about the loosest state in which a clause permits something; None if no test shows it.

    Raises:
        UnsupportedConstruct, NoAnswer, TimeIsUp: the solver cannot tell.
    """
    assert isinstance(rule.head, License)
    proposed = rule.head.atom.relation
    query = _Edge(program, [rule], min(size(program, rule).rows, MOST_ROWS), time.next(), flags=flags)
    holding = holds(query.states[0], rule, [], asked_alone=True)
    formulas = [holding, *query.allowed_history(), *query.testable(proposed)]
    solver = query.solver(formulas)
    if not query.check(solver):
        return None
    world = query.example(solver)
    return _probe(program, rule, world, proposed, "one more condition", time)


def _turned(program: Program, rule: Rule, time: Time) -> Probe | None:
    """The loosest state with `true` for what is left open: of a switch nobody knows which way is the wrong one."""
    for atom in atoms((rule.head, rule.body)):
        names = {c.attr for c in atom.constraints}
        attrs = program.relations[atom.relation].attrs
        if any(attr.type.kind == "Bool" and attr.name not in names for attr in attrs):
            return loosest(program, rule, time, flags=True)
    return None


def _again(program: Program, rule: Rule, time: Time) -> Probe | None:
    """The action once more, where it is allowed more than once."""
    assert isinstance(rule.head, License)
    if rule.head.atom.relation == "finish":
        return None
    side = Side(program, (rule,))
    search = _Twice(rule, side, side, time, times=1)
    seen = answered(search).seen
    if seen is None:
        return None
    story = named(expecting(seen.story, seen.here), seen.story.name)
    return question(program, story, rule.id, "a smaller number of times")


@dataclass(eq=False)
class _Twice(Search):
    """The search for a state in which an action that was done is allowed once more."""

    def tells(self, story: Example, here: str, there: str) -> bool:
        """Whether it is."""
        return here == there == "allow" and self.keeps(story)

    def keeps(self, story: Example) -> bool:
        """Whether something is done twice."""
        return sum(part.kind == "attempt" for turn in story.turns for part in turn.parts) > 1


def _probe(program: Program, rule: Rule, world: World, proposed: str, edit: str, time: Time) -> Probe | None:
    row = next(iter(world.rows.get(proposed, ())), ())
    story = Teller([program], time.next()).story("a probe", world, ActionCall(proposed, row))
    if story is None or run(program, story).level != "allow":
        return None
    story = shrunk(story, lambda shorter: run(program, shorter).level == "allow")
    about = proposal(program.relation(proposed), row, world.today)
    return question(program, named(expecting(story, "allow"), about), rule.id, edit)


@dataclass(eq=False)
class _Edge(Joint):
    """A query whose models lie at the edge of what the rules allow.

    Attributes:
        flags: the truth value that is given to what is left open.
    """

    flags: bool = False

    def wishes(self) -> list[Any]:
        """Few rows, then values at edges, then what is left open as nobody expects it."""
        rows = sum(len(slots) for slots in self.state.made.values()) + len(self.state.screens)
        usual = super().wishes()
        edges: list[Any] = []
        odd: list[Any] = []
        for (kind, name), slots in self.state.made.items():
            if kind not in ("now", "commits"):
                continue
            rel = self.state.program.relation(name)
            for slot in slots:
                edges += self._edges(rel, slot)
                odd += self._odd(rel, slot)
        return [*usual[:rows], *edges, *odd, *usual[rows:]]

    def _edges(self, rel: Relation, slot: Slot) -> Iterator[Any]:
        """That a cell is at the edge that a rule gives it, or next to it."""
        for constraint in self._constraints(rel):
            if constraint.op not in ("<", "<=", ">", ">="):
                continue
            cell = slot.cells[rel.column(constraint.attr)]
            bound = self.terms.value(constraint.term, {})
            step = 60 if cell.type.kind in ("Time", "Duration") else 1
            near = bound.value - step if "<" in constraint.op else bound.value + step
            yield cell.value == bound.value
            yield cell.value == near

    def _odd(self, rel: Relation, slot: Slot) -> Iterator[Any]:
        """What is unexpected in the attributes that some condition on the relation leaves open."""
        asked = [
            atom for rule in self.rules for atom in atoms((rule.head, rule.body)) if atom.relation == rel.name
        ]
        name_sets = [
            {c.attr for c in atom.constraints if c.op in ("=", "in") and not variables(c)} for atom in asked
        ]
        fixed = frozenset.intersection(*map(frozenset, name_sets)) if name_sets else frozenset()
        for attr, cell in zip(rel.attrs, slot.cells, strict=True):
            if attr.name not in fixed and attr.name != "at":
                yield cell.known
                for wish in self._unexpected(cell):
                    yield conj([neg(cell.none), wish])

    def _unexpected(self, cell: Cell) -> Iterator[Any]:
        match cell.type.kind:
            case "Bool":
                yield cell.value == z3.BoolVal(self.flags)
            case "Date":
                yield cell.value == self.terms.today.value + 1
            case "Time":
                yield cell.value == _LATE
            case "Number":
                yield cell.value == _MANY
            case "enum":
                yield cell.value == len(cell.type.members) - 1
            case "Text":
                yield neg(self.sorts.is_named(cell.value))
                for text in self.sorts.texts:
                    yield cell.value != self.sorts.constant(text, cell.type).value

    def _constraints(self, rel: Relation) -> list[Constraint]:
        """The constraints that the rules put on rows of a relation by constants; comparisons of variables too."""
        constraints: list[Constraint] = []
        for rule in self.rules:
            bounds = {
                side.left: side
                for side in compares(rule.body)
                if isinstance(side.right, Const) and side.hi is None
            }
            for atom in atoms((rule.head, rule.body)):
                if atom.relation != rel.name:
                    continue
                for c in atom.constraints:
                    if isinstance(c.term, Const):
                        constraints.append(c)
                    elif c.op == "=" and c.term in bounds:
                        other = bounds[c.term]
                        constraints.append(Constraint(c.attr, other.op, other.right))
                    elif c.op == "=" and not variables(c):
                        constraints.append(c)
        return constraints


# ---------------------------------------------------------------- in words


def question(
    program: Program, story: Example, rule: str, edit: str, *, ordered: bool = False, about: str = ""
) -> Probe:
    """The question about a story that passes, in which texts that the solver made up are readable.

    Args:
        rule: the id of the clause that it is about.
        edit: what the clause would have to be like for another answer.
        ordered: the steps are told one after the other.
        about: what the state is, to stand before the question; may be empty.
    """
    plain = readable(story, lambda changed: run(program, changed).passed, texts_of(program))
    if plain != story:
        last = plain.turns[-1].parts[0].fact
        cells = [f"{name} {_cell(value, None)}" for name, value in last.cells.items()]
        proposed = f"{short_name(last.relation)} with {', '.join(cells)}" if cells else last.relation
        story = named(plain, proposed) if last.relation != "finish" else plain
    text = sentence(story, dated=_dated(program), ordered=ordered)
    return Probe(f"{about}: {text}" if about else text, story, rule, edit)


def _dated(program: Program) -> bool:
    """Whether the spec names days of the calendar."""
    return any(
        isinstance(constant.value, dt.date)
        for rule in program.rules
        if rule.module == program.main
        for constant in constants((rule.head, rule.body))
    )


def sentence(story: Example, *, dated: bool = False, ordered: bool = False) -> str:
    """A story as a question to the person who wrote the instruction.

    Args:
        dated: days are those of the calendar, as the story's day is not that of the instruction; else they are counted
            from today.
        ordered: what was done and seen is told one after the other, as it came.
    """
    clocks = [turn.clock for turn in story.turns if turn.clock is not None]
    today = (clocks[0] if clocks else DEFAULT_CLOCK).date() if dated else None
    (level,) = story.turns[-1].expected.levels
    assumed = [turn.assumed for turn in story.turns if turn.assumed is not None]
    similar = {one: other for one, other, alike in assumed if alike}
    events = [
        (part.kind == "attempt", _words_of(part, similar, today))
        for turn in story.turns[:-1]
        for part in turn.parts
    ]
    done = [words for acted, words in events if acted]
    seen = [words for acted, words in events if not acted]
    last = story.turns[-1].parts[0].fact
    act = "finishing the task" if last.relation == "finish" else _fact(last, similar, today)
    text = f"This would be {say(f'verdict.{level}')}: {act}"
    if ordered and events:
        steps = [words if acted else f"seeing {words}" for acted, words in events]
        return f"{text}, after, in this order: {'; '.join(steps)}. Is that meant?"
    text += (
        f", after {join(done)}" if done else ", with nothing done before" if last.relation == "finish" else ""
    )
    text += f", having seen {join(seen)}" if seen else ", with nothing seen"
    return f"{text}. Is that meant?"


def _words_of(part: Part, similar: Mapping[str, str], today: dt.date | None) -> str:
    """What was done or seen, in words."""
    fact = _fact(part.fact, similar, today)
    before = {"observe complete": "all of ", "observe no": "no ", "observe screen": "the screen "}
    return f"{before.get(part.kind, '')}{fact}"


def _fact(fact: Fact, similar: Mapping[str, str], today: dt.date | None) -> str:
    """A fact in words; `similar` are texts with the text that each is assumed to be similar to."""
    cells = []
    for name, value in fact.cells.items():
        if name != "at":
            like = (
                f" (similar to {_cell(similar[value], today)})"
                if isinstance(value, str) and value in similar
                else ""
            )
            cells.append(f"{name} {_cell(value, today)}{like}")
    name = short_name(fact.relation)
    at = fact.cells.get("at")
    if at is not None:
        name = f"row {_cell(at, today)} of {name}"
    return f"{name} ({', '.join(cells)})" if cells else name


def _cell(value: object, today: dt.date | None) -> str:
    if isinstance(value, Today) and today is not None:
        value = today + dt.timedelta(days=value.days)
    if isinstance(value, Today):
        near = {0: "today", 1: "tomorrow", -1: "yesterday"}
        return near.get(value.days, f"{abs(value.days)} days {'from now' if value.days > 0 else 'ago'}")
    return printable(show(value, bare=True))  # type: ignore[arg-type]
