"""Tests that show what each clause and each condition of a spec or policy does: found by the solver, run by the guard.

A test belongs to an *edit*: a condition left out, an edge moved, a clause left out, a licence without end. It is a
state in which the edit would change the verdict, with the verdict of the program as it is. So a set that has a test for
each edit shows each clause at work, and each condition as the one that decides.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from vsalang.core.example import Example
from vsalang.core.ir import Judge, License, Program
from vsalang.core.show import short_name
from vsalang.prove.canonical import Canonical
from vsalang.prove.diff import head_of, once_each, total
from vsalang.prove.differing import Side, beyond, more_often
from vsalang.prove.edits import Edit, edits
from vsalang.prove.results import Answer
from vsalang.prove.stories import expecting, run
from vsalang.prove.time import Time

_KINDS = ("often", "rule", "edge", "drop")


@dataclass(frozen=True, slots=True)
class Made:
    """A test for an edit."""

    edit: Edit
    story: Example


@dataclass(frozen=True, slots=True)
class Unmade:
    """An edit for which there is no test.

    Attributes:
        open: why it is not known whether there is one; empty: the edit changes nothing that is decided.
        bound: rows per relation up to which it changes nothing; None: in every state.
    """

    edit: Edit
    open: str = ""
    bound: int | None = None


def generated(
    program: Program,
    *,
    seconds: float = 120.0,
    each: float = 5.0,
    known: Sequence[Example] = (),
    progress: Callable[[str], None] = lambda text: None,
) -> Iterator[Made | Unmade]:
    """A test for each edit that none of those made before, and none of `known`, tells from the program.

    Args:
        seconds: for all questions together.
        each: seconds for one question to the solver.
        known: tests that there are already.
        progress: is told what is being looked at.
    """
    time = Time(seconds, round(each * 1000))
    own = [r for r in program.rules if r.module == program.main and isinstance(r.head, License | Judge)]
    found = [edit for edit in edits(program, own) if edit.kind in _KINDS and not _only_flag(program, edit)]
    stories = [story for story in known if run(program, story).passed]
    names = {story.name for story in known}
    for edit in sorted(found, key=lambda edit: _KINDS.index(edit.kind)):
        progress(f"{edit.rule}: {edit.text}")
        if any(not run(edit.program, story).passed for story in stories):
            continue
        answer = decided(program, edit, time)
        if answer.seen is None:
            yield Unmade(edit, answer.open, answer.bound)
            continue
        weaker = answer.seen.rule == edit.rule and _of_edit(edit)
        level = answer.seen.there if weaker else answer.seen.here
        story = _with_reason(program, edit, expecting(answer.seen.story, level))
        story = replace(story, name=_free(_name(program, edit, story, level), names))
        names.add(story.name)
        stories.append(story)
        yield Made(edit, story)


def decided(program: Program, edit: Edit, time: Time) -> Answer:
    """A state in which the edit changes the verdict: the weaker of the two rules holds and the other does not."""
    rule = next(rule for rule in program.rules if rule.id == edit.rule)
    before, after = (
        Side(made, tuple(r for r in made.rules if r.module == made.main and head_of(r) == head_of(rule)))
        for made in (program, edit.program)
    )
    if edit.kind == "often":
        forms = [{r.id: Canonical(side.program).rule(r) for r in side.rules} for side in (before, after)]
        number = total(r.head.quota for r in before.rules if isinstance(r.head, License))
        if number is None or once_each((before, after), forms):
            return Answer()
        return more_often(after, before, number, time)
    if _of_edit(edit):
        changed = next(r for r in edit.program.rules if r.id == edit.rule)
        return beyond(changed, after, before, time)
    return beyond(rule, before, after, time)


def _of_edit(edit: Edit) -> bool:
    """Whether the state that tells the edit is one in which the edited rule holds and the written one does not."""
    return edit.way == "weaker"


def _only_flag(program: Program, edit: Edit) -> bool:
    rule = next(rule for rule in program.rules if rule.id == edit.rule)
    return isinstance(rule.head, Judge) and rule.head.level == "flag"


# ---------------------------------------------------------------- what a test says


def _with_reason(program: Program, edit: Edit, story: Example) -> Example:
    """The test with a reason of the verdict, where one of them is about the condition."""
    last = run(program, story).last
    (level,) = story.turns[-1].expected.levels
    if last is None or last.verdict is None or level == "allow":
        return story
    rule = next(rule for rule in program.rules if rule.id == edit.rule)
    words = ["licence"] if edit.kind == "often" else []
    if isinstance(rule.head, Judge):
        words.append(rule.id)
    words += [word for word in edit.about if word]
    word = next((word for word in words if last.verdict.because(word)), None)
    return expecting(story, level, [word] if word is not None else [])


def _name(program: Program, edit: Edit, story: Example, level: str) -> str:
    """What the test shows, in a few words."""
    rule = next(rule for rule in program.rules if rule.id == edit.rule)
    act = story.turns[-1].parts[0].fact.relation
    subject = "the task" if act == "finish" else short_name(act)
    words = {
        "allow": "is finished" if act == "finish" else "is allowed",
        "block": "is not finished" if act == "finish" else "is refused",
        "confirm": "must be confirmed",
        "warn": "is warned about",
    }
    said = f"{subject} {words[level]}"
    if edit.kind == "often":
        return f"{said} once more"
    if edit.kind == "rule":
        by = f" by {rule.id}" if isinstance(rule.head, Judge) else ""
        return f"{said}{by}"
    if edit.kind == "edge" and edit.way == "stronger":
        return f"{said}, at the edge of {_quoted(edit.condition)}"
    against = level == "allow" if isinstance(rule.head, Judge) else level != "allow"
    return (
        f"{said} without {_quoted(edit.condition)}"
        if against
        else f"{said}: only {_quoted(edit.condition)} counts"
    )


def _quoted(text: str) -> str:
    """A condition as it can stand in the name of a test."""
    return text.replace('"', "'")


def _free(name: str, taken: set[str]) -> str:
    number, found = 1, name
    while found in taken:
        number += 1
        found = f"{name} ({number})"
    return found
