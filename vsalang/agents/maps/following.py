"""Turns a plan's steps into a run of a guard: each gesture is shown to it, and a step that it refuses ends the run."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal, TypeAlias

from vsalang.base.records import dataclass
from vsalang.guard.examples import Story, run_example
from vsalang.program.example import Example, ExpectedVerdict, Fact, Part, Turn, near
from vsalang.program.ir import Program, Relation, Rule
from vsalang.program.show import short_name
from vsalang.program.values import Value
from vsalang.proof.prove.bounds import CannotStart, Level
from vsalang.proof.prove.gestured import At, Gestures
from vsalang.proof.prove.pinned import row_of
from vsalang.proof.prove.runs import Goal, Plan, action_of, acts, clauses, last_step, passes, played

Kind: TypeAlias = Literal["see", "seen", "screen", "go", "enter", "do", "jump"]


@dataclass(frozen=True, slots=True)
class Move:
    """One step of a plan, before a guard saw it.

    Attributes:
        kind: ``see`` a row; ``seen``: what is believed of it shows; a ``screen`` shows; ``go`` to a screen by a rule;
            ``enter`` cells into a form; ``do`` an action; ``jump``: a screen shows, though no gesture is known that
            leads there.
        name: of the relation, screen or action.
        cells: of the row; parameters of the action.
        rule: of the gesture.
    """

    kind: Kind
    name: str
    cells: Mapping[str, Value]
    rule: Rule | None = None


@dataclass(frozen=True, slots=True)
class RefusedStep:
    """A step that the guard did not accept: its number, and what it said."""

    step: int
    why: str


def begin(program: Program, start: Sequence[Turn]) -> Story:
    """The state from which to plan.

    Raises:
        CannotStart: there is none, or the task is over in it.
    """
    story = played(program, start)
    if story is None:
        raise CannotStart("the steps to the start do not pass")
    if story.guard.finished:
        raise CannotStart("the task is over at the start")
    return story


def ends(program: Program) -> list[Rule]:
    """The `done` clauses of a task."""
    return [rule for rule in clauses(program) if action_of(rule) == "finish"]


def followed(
    program: Program, start: Sequence[Turn], moves: Sequence[Move], goal: Goal, level: Level
) -> Plan | RefusedStep:
    """The run that these moves make, as a plan that passes as a test, or the move that the guard refused.

    Args:
        program: decides.
        start: steps that lead to where the run starts.
        moves: the last one is the end of the task.
    """
    made = _Run(program, tuple(start), level).of(moves)
    if isinstance(made, RefusedStep):
        return made
    story = Example("", program.main, made.turns)
    plan = Plan(story, len(start), goal.rule, notes=made.notes)
    named = replace(story, name=goal.name(acts(plan.steps)))
    if not passes(program, named, goal):
        return RefusedStep(len(moves) - 1, "the run as a whole does not pass as a test")
    return replace(plan, story=named, results=run_example(program, named).steps)


class _Run:
    """One run that is being made."""

    def __init__(self, program: Program, start: tuple[Turn, ...], level: Level) -> None:
        self.program = program
        self.level = level
        self.gestures = Gestures(program)
        self.at = self.gestures.begun(start)
        self.waiting: dict[tuple[str, tuple[Value | None, ...]], tuple[Relation, dict[str, Value]]] = {}
        story = played(program, start)
        assert story is not None
        self.today = story.guard.today

    def of(self, moves: Sequence[Move]) -> At | RefusedStep:
        """After all moves."""
        for number, move in enumerate(moves):
            known = set(self.gestures.denied)
            after = self.moved(move)
            if after is None:
                by = [rule for rule in self.gestures.denied if rule not in known]
                return RefusedStep(number, self.why(move, by))
            self.at = after
        return self.at

    def moved(self, move: Move) -> At | None:
        """After one move; None if the guard does not accept it."""
        if move.kind in ("see", "seen"):
            self.wait(move)
            return self.at
        if move.kind in ("screen", "jump"):
            here, there = (short_name(name) for name in (self.at.screen, move.name))
            note = (
                f"{there} shows after {here}: no gesture was found that leads there"
                if move.kind == "jump"
                else ""
            )
            turn = Turn("turn", (Part("observe screen", Fact(move.name)),))
            return self.seen().then(turn, screen=move.name, note=note)
        if move.kind == "do" and self.level == "actions":
            return self.done(self.seen(), move)
        if move.kind == "do":
            waiting = self.awaited_step()
            at = self.gestures.proposed(self.at, [waiting] if waiting else [], self.turn(move), ())
            return replace(at, acted=True) if at is not None else None
        assert move.rule is not None
        if move.kind == "go":
            return self.gestures.lead(self.seen(), move.rule, move.name)
        return self.gestures.enter(self.seen(), self.program.relation(move.name), move.cells, move.rule)

    def wait(self, move: Move) -> None:
        """A row that shows before the next step."""
        rel = self.program.relation(move.name)
        key = (rel.name, tuple(move.cells.get(name) for name in rel.identity))
        # what one step shows of a view replaces it as a whole
        whole = move.kind == "seen" or rel.sort == "view"
        story = played(self.program, self.at.turns)
        known = row_of(story, rel, move.cells) if whole and story is not None else {}
        _, cells = self.waiting.setdefault(key, (rel, dict(known)))
        cells.update(move.cells)

    def awaited_step(self) -> Turn | None:
        """The step in which the app shows what was waited for."""
        waiting = list(self.waiting.values())
        self.waiting = {}
        parts = tuple(
            Part("observe", Fact(rel.name, {name: near(value, self.today) for name, value in cells.items()}))
            for rel, cells in waiting
        )
        return Turn("turn", parts) if parts else None

    def seen(self) -> At:
        """Where the run is once the app showed what was waited for."""
        turn = self.awaited_step()
        return self.at.then(turn) if turn is not None else self.at

    def turn(self, move: Move) -> Turn:
        """The step that proposes an action."""
        cells = {name: near(value, self.today) for name, value in move.cells.items()}
        return Turn("turn", (Part("attempt", Fact(move.name, cells)),))

    def done(self, at: At, move: Move) -> At | None:
        """After an action, if need be approved by somebody who is asked."""
        for level in ("allow", "confirm"):
            turn = replace(self.turn(move), expected=ExpectedVerdict((level,)))
            asked = (Turn("approve"),) if level == "confirm" else ()
            after = at.then(turn, *asked)
            if played(self.program, after.turns) is not None:
                return replace(after, acted=True)
        return None

    def why(self, move: Move, by: Sequence[str]) -> str:
        """What the guard said."""
        what = {
            "go": f"the gesture to {short_name(move.name)}",
            "enter": f"the input into {short_name(move.name)}",
        }
        words = what.get(move.kind, short_name(move.name))
        if by:
            return f"{words} is refused by {', '.join(by)}"
        if move.kind == "do":
            step = last_step(
                self.program,
                (*self.at.turns, replace(self.turn(move), expected=ExpectedVerdict(("block", "warn")))),
            )
            reasons = (
                [reason.rule or reason.kind for reason in step.verdict.reasons]
                if step and step.verdict
                else []
            )
            if reasons:
                return f"{words} is not allowed ({', '.join(dict.fromkeys(reasons))})"
        return (
            f"{words}: no permitted gesture was found"
            if self.level == "gestures"
            else f"{words} cannot be done"
        )
