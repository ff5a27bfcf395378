"""States of the whole task, as questions: all was done, in another order, once more, another row, or before the start.

Near misses (`vsalang.proof.prove.probes`) are about one clause each. These are about the run that carries out
everything that a spec permits. `vsalang.proof.prove.plan` looks for it, and proves that there is none if so.
"""

import datetime as dt
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import Any, Final, TypeGuard

from vsalang.base.diagnostics.display import count
from vsalang.base.records import dataclass
from vsalang.guard import run_example
from vsalang.program.example import LEVELS, Example, Fact, Part, Today, Turn
from vsalang.program.ir import (
    DURATION,
    Atom,
    Const,
    Constraint,
    Fn,
    Judge,
    License,
    Lit,
    Literal,
    Past,
    Program,
    Rule,
    Term,
    Then,
    Type,
)
from vsalang.program.values import Value
from vsalang.proof.prove.bounds import STEPS, Bounds, CannotStart
from vsalang.proof.prove.plan import plan
from vsalang.proof.prove.probes import loosest, question
from vsalang.proof.prove.results import Probe
from vsalang.proof.prove.runs import Turns, action_of, clauses
from vsalang.proof.prove.stories import expecting, run
from vsalang.proof.prove.time import Time, TimeIsUp
from vsalang.proof.solver.query import NoAnswer
from vsalang.proof.solver.results import UnsupportedConstruct
from vsalang.proof.solver.scan import size

ALL_DONE: Final = "All was done as said"
"""What the question begins with whether the task may end."""
_SETTINGS: Final = ("clock", "assume", "given")
_FINISH: Final = Turn("turn", (Part("attempt", Fact("finish")),))
_QUARTER: Final = 15 * 60


@dataclass(frozen=True, slots=True)
class Ending:
    """Whether a task can be finished.

    Attributes:
        run: what ends it, as a test that passes: one that acts, if there is one; None: none was found.
        proof: what was proved, if it cannot be finished: how far was looked; empty otherwise.
    """

    run: Example | None = None
    proof: str = ""


@dataclass(frozen=True, slots=True)
class WholeTask:
    """What is to be asked about a whole task.

    Attributes:
        probes: the questions; the first is whether the task may end when all was done, if such a state was found.
        unfinishable: how it was proved that the task can never end; empty if it was not.
        held: the sentence of the state in which all that is permitted was done, and the task may not end; empty if
            it may.
    """

    probes: tuple[Probe, ...] = ()
    unfinishable: str = ""
    held: str = ""


def whole_task(
    program: Program,
    *,
    seconds: float = 20.0,
    each: float = 2.0,
    progress: Callable[[str], None] = lambda text: None,
) -> WholeTask:
    """The questions about the whole task of a spec.

    Args:
        seconds: for all questions to the solver together.
        each: seconds for one.
        progress: is told what is being looked at.
    """
    if not clauses(program):
        return WholeTask()
    progress("the end of the task")
    end = ending(program, seconds=seconds, each=each)
    story = _all_done(program, end.run, Time(seconds / 2, round(each * 1000)))
    if story is None:
        return WholeTask(unfinishable=end.proof)
    rule = _clause(program, "finish")
    finished = story.turns[-1].expected.levels == ("allow",)
    probes = [question(program, story, rule, "one more condition", about=ALL_DONE)]
    stories = {_key(story)}
    for about, other, ordered in _others(program, story):
        if other is not None and _key(other) not in stories:
            stories.add(_key(other))
            clause = _clause(program, other.turns[-1].parts[0].fact.relation)
            probes.append(question(program, other, clause, about, ordered=ordered, about=about))
    held = "" if finished or end.proof else probes[0].sentence.removesuffix(" Is that meant?")
    return WholeTask(tuple(probes), end.proof, held)


def ending(program: Program, *, seconds: float = 20.0, each: float = 2.0) -> Ending:
    """Whether the task of a spec can be finished, by the shortest runs that the guard made.

    Args:
        seconds: for all questions to the solver together.
        each: seconds for one.
    """
    steps = min(STEPS, sum(_times(rule) for rule in clauses(program) if action_of(rule) != "finish"))
    bounds = Bounds(steps, "actions", seconds, each)
    try:
        result = plan(program, bounds=bounds)
    except (CannotStart, UnsupportedConstruct, NoAnswer, TimeIsUp):
        return Ending()
    if result.plans:
        return Ending(max(result.plans, key=lambda each: each.length).story)
    sizes = [size(program, rule) for rule in clauses(program)]
    looked = result.steps >= steps and all(each.exact and each.rows <= result.rows for each in sizes)
    if result.undecided or not result.without or not looked:
        return Ending()  # a run with more rows might be there
    far = f"{count(result.steps, 'action')} and up to {count(result.rows, 'row')} of each relation"
    return Ending(proof=f"no run ends it: the solver looked at all with up to {far}")


def refused(program: Program, probe: Probe) -> Program | None:
    """The spec in which what a question is about is refused, whatever else was seen; None if it is refused already.

    Of the proposal only values count that the solver did not make up. The end of a task is refused where the same was
    seen and done; where nothing was done that could be, there is no such spec: the end may only come too early.
    """
    if probe.level != "allow":
        return None
    *before, last = probe.story.turns
    made_up = {turn.assumed[0] for turn in before if turn.assumed is not None}
    fact = last.parts[0].fact
    body = [Lit(_atom(program, fact, made_up))]
    if fact.relation == "finish":
        acts = list(_attempts(before))
        if not acts and any(action_of(rule) != "finish" for rule in clauses(program)):
            return None
        seen = [part for turn in before for part in turn.parts if part.kind == "observe"]
        body += [Lit(_atom(program, part.fact, made_up)) for part in seen]
        body += [Lit(_atom(program, part.fact, made_up), past=Past("earlier")) for part in acts]
    rule = Rule(f"{program.main}:refused", Judge("deny", ("not meant",)), tuple(body), module=program.main)
    return replace(program, rules=(*program.rules, rule))


def _atom(program: Program, fact: Fact, made_up: set[str]) -> Atom:
    rel = program.relation(fact.relation)
    types = {attr.name: attr.type for attr in rel.attrs}
    constraints = [
        Constraint(name, "=", _term(value, types[name]))
        for name, value in fact.cells.items()
        if value is not None and name != "at" and value not in made_up
    ]
    return Atom(fact.relation, tuple(constraints))


def _term(value: Value | Today, kind: Type) -> Term:
    if not isinstance(value, Today):
        return Const(value, kind)
    days = Const(dt.timedelta(days=value.days), DURATION)
    return Fn("+", (Fn("today", (), kind), days), kind)


# ---------------------------------------------------------------- all was done


def _all_done(program: Program, ended: Example | None, time: Time) -> Example | None:
    """The run in which each action that is permitted was done, and then the end of the task; None if none was found."""
    base = ended.turns[:-1] if ended is not None else ()
    end = ended.turns[-1] if ended is not None else _FINISH
    known = {part.fact.relation for part in _attempts(base)}
    extra: list[Turns] = []
    for rule in clauses(program):
        action = action_of(rule)
        if action == "finish" or action in known:
            continue
        known.add(action)
        try:
            probe = loosest(program, rule, time)
        except (UnsupportedConstruct, NoAnswer, TimeIsUp):
            continue
        if probe is not None:
            extra.append(probe.story.turns)
    others = [turn for turns in extra for turn in turns]
    held: Example | None = None
    for order in ([*others, *base], [*base, *others]) if others else ([*base],):
        story = _as_decided(program, Example("all was done", program.main, _settled([*order, end])))
        if story is None or story.turns[-1].parts[0].fact.relation != "finish":
            continue
        if story.turns[-1].expected.levels == ("allow",):
            return story
        held = held or story
    if held is not None and others:
        return held
    return ended or next(filter(None, (_as_told(program, rule) for rule in clauses(program))), None)


def _as_told(program: Program, rule: Rule) -> Example | None:
    """The conditions of an end, one step after the other as the rule tells them, if the task may end then.

    This is for orders that the solver does not look into; None where it takes more than constants.
    """
    if action_of(rule) != "finish":
        return None
    steps: list[tuple[Literal, ...]] = []
    for each in rule.body:
        steps += each.parts if isinstance(each, Then) else [(each,)]
    turns = [
        Turn("turn", tuple(_part_of(program, each.atom) for each in step)) for step in steps if _plain(step)
    ]
    story = _as_decided(program, Example("all was done", program.main, (*turns, _FINISH)))
    return story if story is not None and story.turns[-1].expected.levels == ("allow",) else None


def _plain(step: tuple[Literal, ...]) -> TypeGuard[tuple[Lit, ...]]:
    return all(isinstance(each, Lit) and not each.neg for each in step)


def _part_of(program: Program, atom: Atom) -> Part:
    """What is done or shown so that an atom holds, as far as it gives constants; of a list it is the first row."""
    rel = program.relation(atom.relation)
    kind = {"action": "attempt", "screen": "observe screen"}.get(rel.sort, "observe")
    cells: dict[str, Value | Today | None] = {
        each.attr: each.term.value
        for each in atom.constraints
        if isinstance(each.term, Const) and each.op in ("=", "~=")
    }
    if rel.sort == "list":
        cells.setdefault("at", Decimal(1))
        for name in rel.key:  # what tells the row from others must be known
            if rel.attrs[rel.column(name)].type.kind == "Text":
                cells.setdefault(name, f"some {name.replace('_', ' ')}")
    return Part(kind, Fact(atom.relation, cells))


def _settled(turns: Sequence[Turn]) -> Turns:
    """The steps with what is assumed and given before all others, under the first clock."""
    clocks = [turn for turn in turns if turn.kind == "clock"]
    first = [*clocks[:1], *dict.fromkeys(turn for turn in turns if turn.kind in ("assume", "given"))]
    return (*first, *(turn for turn in turns if turn.kind not in _SETTINGS))


def _as_decided(program: Program, story: Example) -> Example | None:
    """The story up to the first proposal that comes out otherwise than it says, with the verdict that it got."""
    steps = run_example(program, replace(story, target=program.main)).steps
    last = steps[-1] if steps else None
    if last is None or last.got not in LEVELS or not story.turns[len(steps) - 1].parts:
        return None
    short = expecting(replace(story, turns=story.turns[: len(steps)]), last.got)
    return short if run(program, short).passed else None


# ---------------------------------------------------------------- what is near it


def _others(program: Program, story: Example) -> Iterator[tuple[str, Example | None, bool]]:
    """What a question is called, its story (None: there is none), and whether its order matters."""
    yield "In another order", _reordered(program, story), True
    yield "A second time", _repeated(program, story), False
    yield "It is so already, and nothing was done", _already(program, story), False
    yield "Another row", _another_row(program, story), False


def _reordered(program: Program, story: Example) -> Example | None:
    """The acts in the opposite order; of a task in which the order counts and nothing is done twice, what was seen."""
    turns = list(story.turns)
    acts = [index for index, turn in enumerate(turns[:-1]) if _is_act(turn)]
    if len(acts) < 2:
        if not _is_ordered(program):
            return None
        acts = [index for index, turn in enumerate(turns[:-1]) if turn.kind == "turn"]
    if len(acts) < 2:
        return None
    for here, there in zip(acts, reversed(acts), strict=True):
        turns[here] = story.turns[there]
    return _as_decided(program, replace(story, turns=tuple(turns)))


def _repeated(program: Program, story: Example) -> Example | None:
    """The last act once more, after all was done."""
    acts = [turn for turn in story.turns[:-1] if _is_act(turn)]
    if not acts:
        return None
    return _as_decided(program, replace(story, turns=(*story.turns[:-1], acts[-1])))


def _already(program: Program, story: Example) -> Example | None:
    """The end where nothing was done, and all is seen that is seen when it was."""
    rest = [turn for turn in story.turns[:-1] if not _is_act(turn) and turn.kind != "approve"]
    if len(rest) == len(story.turns) - 1:
        return None
    return _as_decided(program, replace(story, turns=(*rest, story.turns[-1])))


def _another_row(program: Program, story: Example) -> Example | None:
    """The last act with another value in it; of a task without acts, another value in what was seen last."""
    turns = story.turns
    acts = [index for index, turn in enumerate(turns[:-1]) if _is_act(turn)]
    seen = [
        index
        for index, turn in enumerate(turns[:-1])
        if turn.parts and turn.parts[0].kind == "observe" and turn.parts[0].fact.cells
    ]
    for index in [*reversed(acts), *reversed(seen)]:
        part = turns[index].parts[0]
        for name, value in part.fact.cells.items():
            other = _other_value(name, value)
            if other is None or name == "at":
                continue
            fact = replace(part.fact, cells={**part.fact.cells, name: other})
            turn = replace(turns[index], parts=(replace(part, fact=fact), *turns[index].parts[1:]))
            rest = turns[index + 1 :] if index in seen else ()
            return _as_decided(program, replace(story, turns=(*turns[:index], turn, *rest)))
    return None


def _other_value(name: str, value: Any) -> Any:
    """Another value of the same type; None where none is sure to be one."""
    match value:
        case bool():
            return None
        case str():
            return f"another {name.replace('_', ' ')}"
        case Today(days):
            return Today(days + 1)
        case dt.date():
            return value + dt.timedelta(days=1)
        case dt.time(hour=hour, minute=minute) if hour < 23:
            later = hour * 3600 + minute * 60 + _QUARTER
            return dt.time(later // 3600, later % 3600 // 60)
        case int():
            return value + 1
    return None


def _is_act(turn: Turn) -> bool:
    return any(part.kind == "attempt" for part in turn.parts)


def _attempts(turns: Sequence[Turn]) -> Iterator[Part]:
    return (part for turn in turns for part in turn.parts if part.kind == "attempt")


def _is_ordered(program: Program) -> bool:
    """Whether an end of the task is about an order."""
    ends = [rule for rule in clauses(program) if action_of(rule) == "finish"]
    return any(isinstance(each, Then) for rule in ends for each in rule.body)


def _clause(program: Program, action: str) -> str:
    """The id of the first clause about an action, else of any."""
    rules = clauses(program)
    return next((rule.id for rule in rules if action_of(rule) == action), rules[0].id)


def _times(rule: Rule) -> int:
    """How often a clause lets its action run, as far as a run has to do it: once, if any number is permitted."""
    assert isinstance(rule.head, License)
    return rule.head.quota.n if rule.head.quota.kind == "count" else 1


def _key(story: Example) -> str:
    return repr(story.turns)
