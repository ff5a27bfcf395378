"""A plan in words: for each step what the app is supposed to show, what is done, what that is, and the verdict."""

import datetime as dt
from collections.abc import Iterable, Iterator, Sequence

from vsalang.base.records import dataclass
from vsalang.guard.examples import StepResult, Story
from vsalang.program.example import Fact, Part, Turn, near
from vsalang.program.ir import Program
from vsalang.program.phrases import say
from vsalang.program.show import short_name
from vsalang.proof.prove.printing import fact
from vsalang.proof.prove.runs import Plan, written_by_gestures

_HIDDEN = frozenset({"node", "parent", "id"})
"""What is not said of a node as the rest is: its place is shown, and what it is called stands first."""


@dataclass(frozen=True, slots=True)
class Line:
    """One step in words.

    Attributes:
        shows: what the app is supposed to show before it; what lies in a node stands further in.
        facts: the same as tests write it.
        does: the gesture or the action.
        means: what a gesture is: an action, a way to another screen, or what it writes.
        verdict: the guard's.
    """

    shows: tuple[str, ...]
    facts: tuple[str, ...]
    does: str
    means: str
    verdict: str


def plan_lines(program: Program, plan: Plan) -> list[Line]:
    """The steps of a plan, without those that lead to where it starts."""
    return list(_lines(program, plan))


def _lines(program: Program, plan: Plan) -> Iterator[Line]:
    shows: list[str] = []
    facts: list[str] = []
    story = Story.begin(program, plan.story)
    for turn in plan.story.turns[: plan.steps_before]:
        story.step(turn)
    for turn in plan.steps:
        known = _believed(program, story)
        result = story.step(turn)
        before, after = _sides(program, turn)
        shows += _shown_texts(program, before, shows)
        facts += [_observed(program, part) for part in before]
        if turn.kind == "clock" and turn.clock is not None:
            facts.append(f"it is {turn.clock:%Y-%m-%d %H:%M}")
            shows.append(facts[-1])
        elif turn.kind == "assume" and turn.assumed is not None:
            one, other, alike = turn.assumed
            facts.append(f'"{one}" {"means" if alike else "does not mean"} "{other}"')
            shows.append(facts[-1])
        done = next((part for part in turn.parts if part.kind in ("attempt", "gesture")), None)
        if done is not None:
            written = [f"sets {fact(program, row)}" for row in _believed(program, story) if row not in known]
            meaning = _meaning(program, result, story.guard.today) if done.kind == "gesture" else ""
            meaning = meaning or (", ".join(written) if done.kind == "gesture" else "")
            does = "finish" if done.fact.relation == "finish" else fact(program, done.fact)
            yield Line(tuple(shows), tuple(facts), does, meaning, _verdict(turn, result))
            shows = _shown_texts(program, after, [])
            facts = [_observed(program, part) for part in after]


def _believed(program: Program, story: Story) -> list[Fact]:
    """The rows of what gestures write."""
    facts = []
    for name in sorted(written_by_gestures(program)):
        attrs = program.relation(name).attrs
        for row in story.guard.snapshot.world.rows(name):
            cells = {
                attr.name: near(value, story.guard.today)
                for attr, value in zip(attrs, row, strict=True)
                if value is not None
            }
            facts.append(Fact(name, cells))
    return facts


def _sides(program: Program, turn: Turn) -> tuple[list[Part], list[Part]]:
    """What is seen in a step before anything is done, and after it; that another screen takes the place goes unsaid."""
    does = any(not part.kind.startswith("observe") for part in turn.parts)
    seen = [part for part in turn.parts if part.kind.startswith("observe") and not _cleared(program, part)]
    return ([], seen) if does else (seen, [])


def _cleared(program: Program, part: Part) -> bool:
    return part.kind == "observe no" and program.relation(part.fact.relation).sort == "observed"


def _meaning(program: Program, result: StepResult, today: dt.date) -> str:
    """The action as which a gesture is recognised, else where it leads."""
    if result.verdict is None:
        return ""
    means = [
        fact(program, Fact(action.name, {name: near(value, today) for name, value in action.args.items()}))
        for action in result.verdict.actions
    ]
    means = means or [f"leads to {_screen(screen)}" for screen in result.verdict.screens]
    return ", ".join(means)


def _verdict(turn: Turn, result: StepResult) -> str:
    word = say(f"verdict.{result.got}")
    return f"{word} by {', '.join(turn.expected.because)}" if turn.expected.because else word


def _screen(name: str) -> str:
    return short_name(name)


# ---------------------------------------------------------------- what shows


def _observed(program: Program, part: Part) -> str:
    words = {"observe no": "no ", "observe complete": "all rows of ", "observe screen": "the screen "}
    name = _screen(part.fact.relation) if part.kind == "observe screen" else fact(program, part.fact)
    return f"{words.get(part.kind, '')}{name}"


def _shown_texts(program: Program, parts: Iterable[Part], already: Sequence[str]) -> list[str]:
    texts: list[str] = []
    depth: dict[object, int] = {}
    for part in parts:
        rel = program.relation(part.fact.relation)
        if part.kind == "observe" and rel.name == "Node":
            deep = depth[part.fact.cells["node"]] = depth.get(part.fact.cells.get("parent"), -1) + 1
            texts.append("  " * deep + _node(program, part.fact))
        elif (
            part.kind != "observe no" or rel.sort != "observed"
        ):  # another screen: what showed before is gone
            again = part.kind == "observe screen" and any(
                "the screen " in text for text in (*already, *texts)
            )
            texts.append(f"{'then ' * again}{_observed(program, part)}")
    return texts


def _node(program: Program, seen: Fact) -> str:
    """A node as people would describe it: ``row_title: text "News"``."""
    own = {package for module in program.modules.values() for package in module.packages}
    texts = []
    for attr in program.relation("Node").attrs:
        value = seen.cells.get(attr.name)
        if attr.name in _HIDDEN or attr.name not in seen.cells or (attr.name == "package" and value in own):
            continue
        if isinstance(value, bool):
            texts.append(attr.name if value else f"not {attr.name}")
        else:
            _, _, written = fact(program, Fact("Node", {attr.name: value})).partition(" = ")
            texts.append(f"{attr.name} {written[:-1]}")
    name = seen.cells.get("id") or f"node {seen.cells.get('node')}"
    return f"{name}: {', '.join(texts)}" if texts else str(name)
