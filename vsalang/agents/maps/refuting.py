"""Finds the `goto` rules of a program that recordings refute: tried several times, and never true."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final

from vsalang.agents.maps.moves import Move, Told
from vsalang.agents.maps.programs import Reader, graph_of
from vsalang.agents.maps.recording import recorded
from vsalang.agents.maps.screen_graph import Edge, UTGError, sources_at
from vsalang.agents.walks import WalkError, read_walks
from vsalang.base.diagnostics.display import count
from vsalang.base.records import dataclass
from vsalang.program.action import GESTURES
from vsalang.program.ir import Const, Goto, Program
from vsalang.program.text import line, quote
from vsalang.program.values import same

LEAST: Final = 3
"""A rule that was tried less often is not refuted: a dialog may have come up, or an app may have been slow."""


@dataclass(frozen=True, slots=True)
class Refutation:
    """A step in which a rule did not hold.

    Attributes:
        file: the recording.
        step: in words: the walk, if the file holds several, and the step's number.
        target: the screen to which it led; untrusted if no rule names it.
    """

    file: str
    step: str
    target: str


@dataclass(frozen=True, slots=True)
class TrialResults:
    """What recordings say of the `goto` rules of a program.

    Attributes:
        refuted: by the rule's id the steps in which it was tried, of the rules that were tried `LEAST` times and
            never held.
        tried: the ids of all rules that were tried.
        moves: how many steps from screen to screen were read.
    """

    refuted: Mapping[str, tuple[Refutation, ...]]
    tried: frozenset[str]
    moves: int


def tried(program: Program, paths: Iterable[Path], tell: Told | None = None) -> TrialResults:
    """What recordings say of the `goto` rules of a program.

    A step tries a rule if the guard says that it leads to the rule's screen. If several rules may say that, a step that
    leads elsewhere refutes none of them. A dialog over the target refutes nothing either.

    Raises:
        UTGError: a recording cannot be read.
    """
    graph = graph_of(program)
    edges: dict[str, list[Edge]] = {}
    for edge in graph.edges:
        edges.setdefault(edge.source, []).append(edge)
    reader = Reader(program)
    wrong: dict[str, list[Refutation]] = {}
    held: set[str] = set()
    moves = 0
    for path in paths:
        try:
            walks = read_walks(path)
        except WalkError as error:
            raise UTGError(str(error)) from error
        for move in recorded(walks, reader, tell).moves:
            moves += 1
            here = [
                edge
                for source in sources_at(graph.screens, move.source.name)
                for edge in edges.get(source, ())
            ]
            for target, rules in _rules(move, here):
                if target == move.target.name:
                    held |= rules
                elif len(rules) == 1 and target not in move.target.over:
                    step = _step(move, several=len(walks) > 1)
                    wrong.setdefault(min(rules), []).append(
                        Refutation(path.name or str(path), step, move.target.title)
                    )
    return TrialResults(
        {rule: tuple(steps) for rule, steps in wrong.items() if rule not in held and len(steps) >= LEAST},
        frozenset(held | wrong.keys()),
        moves,
    )


def refuted_in(
    program: Program, file: str, paths: Iterable[Path], tell: Told | None = None
) -> tuple[Mapping[str, Sequence[str]], str]:
    """The steps that refute `goto` rules of a file, in words, by the rule's id; and how many were read and tried.

    Nothing is read for a file without `goto` rules of its own; the second text is then empty.

    Raises:
        UTGError: a recording cannot be read.
    """
    own = {
        rule.id
        for rule in program.rules
        if isinstance(rule.head, Goto) and rule.span is not None and rule.span.file == file
    }
    if not own:
        return {}, ""
    outcome = tried(program, paths, tell)
    steps = {
        rule: tuple(
            f"{line(each.file, 60)}, {each.step}, which led to {quote(line(each.target, 60))}" for each in led
        )
        for rule, led in outcome.refuted.items()
        if rule in own
    }
    summary = (
        f"{line(file, 80)}: {count(outcome.moves, 'recorded step')}, "
        f"{len(outcome.tried & own)} of {count(len(own), '`goto` rule')} tried"
    )
    return steps, summary


def _rules(move: Move, edges: Sequence[Edge]) -> Iterable[tuple[str, frozenset[str]]]:
    """The screens to which a step is said to lead, each with the rules that may say it."""
    for target in sorted(move.predicted):
        yield (
            target,
            frozenset(edge.rule for edge in edges if edge.target == target and may_be(move, edge)),
        )


def may_be(move: Move, edge: Edge) -> bool:
    """Whether a step can be what the edge's rule asks for, as far as constants say it."""
    if edge.gesture.relation not in GESTURES:
        return True  # an action that was recognised in it
    return edge.gesture.relation == move.gesture.relation and not any(
        each.op == "="
        and isinstance(each.term, Const)
        and each.attr in move.cells
        and not same(move.cells[each.attr], each.term.value)
        for each in edge.gesture.constraints
    )


def _step(move: Move, *, several: bool) -> str:
    name, _, number = next(iter(move.source.samples), "").rpartition("#")
    return f"{line(name, 60)}, step {number}" if several else f"step {number}"
